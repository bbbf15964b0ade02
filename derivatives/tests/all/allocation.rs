//! A second call with the same workspace allocates nothing.

use gradyn_derivatives::drivers::*;
use gradyn_derivatives::{Function, Scalar, ScalarFunction};
use testing::{allocations, at_every_level};

struct Mixed(usize);
impl Function for Mixed {
    fn inputs(&self) -> usize {
        self.0
    }
    fn outputs(&self) -> usize {
        2
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, x: &[T], y: &mut [T]) {
        y[0] = ScalarFunction::eval(self, x);
        y[1] = y[0].exp();
    }
}
impl ScalarFunction for Mixed {
    fn inputs(&self) -> usize {
        self.0
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, x: &[T]) -> T {
        let mut sum = T::zero();
        for x in x {
            let (sin, cos) = x.sin_cos();
            sum += sin * cos / (*x * *x + 1.0);
        }
        sum
    }
}

#[test]
fn a_second_call_allocates_nothing() {
    const N: usize = 11;
    let f = Mixed(N);
    let (x, v) = ([0.3; N], [0.1; N]);
    let (mut y, mut dy, mut j) = ([0.0; 2], [0.0; 2], [0.0; 2 * N]);
    let (mut g, mut p, mut h) = ([0.0; N], [0.0; N], [0.0; N * N]);
    at_every_level(|| {
        let mut w = Workspace::new();
        let mut all = || {
            directional_into(&f, &x, &v, &mut w, &mut y, &mut dy).unwrap();
            jacobian_into(&f, &x, &mut w, &mut y, &mut j).unwrap();
            gradient_into(&f, &x, &mut w, &mut g).unwrap();
            hessian_into(&f, &x, &mut w, &mut g, &mut h).unwrap();
            hessian_vector_into(&f, &x, &v, &mut w, &mut g, &mut p).unwrap();
            weighted_hessian_into(&f, &x, &[0.5, 2.0], &mut w, &mut y, &mut g, &mut h).unwrap();
        };
        assert!(allocations(&mut all) > 0, "the first call fills the workspace");
        assert_eq!(allocations(&mut all), 0);
    });
}
