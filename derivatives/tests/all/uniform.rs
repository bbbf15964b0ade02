//! Values beside registers, at every level, against plain dual numbers of one direction.

#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use gradyn_derivatives::num_dual::{DualNum, DualStruct};
use gradyn_derivatives::{Dual, Kernel, MulAdd, Real, Register, VectorDual, dispatch};
use num_traits::Signed;
use std::ops::Sub;
use testing::{Random, assert_close, at_every_level, same};

/// Every operation on two numbers; those from `FUSED` on may be rounded once.
const FUSED: usize = 22;

#[inline(always)]
fn everything<D: DualNum<Primitive = f64> + Copy + Real>(a: D, b: D) -> [D; 26] {
    let (mut sum, mut difference, mut product, mut quotient, mut rest) = (a, a, a, a, a);
    sum += b;
    difference -= b;
    product *= b;
    quotient /= b;
    rest %= b;
    let (mut shifted, mut scaled) = (a, a);
    shifted += 2.5;
    scaled *= 2.5;
    [
        a + b,
        a - b,
        a * b,
        a / b,
        a % b,
        sum,
        difference,
        product,
        quotient,
        rest,
        shifted,
        scaled,
        a % 2.5,
        a / 2.5,
        -a,
        a.inv(),
        Signed::abs(&a),
        Signed::abs_sub(&a, &b),
        Signed::signum(&a),
        DualNum::atan2(&a, b),
        a.select_lt(0.5, b, a),
        Sub::sub(a, &b),
        MulAdd::<D>::mul_plus(a, b, a),
        MulAdd::<D>::mul_minus(a, b, a),
        MulAdd::<f64>::mul_plus(a, 2.5, b),
        MulAdd::<f64>::mul_minus(a, 2.5, b),
    ]
}

/// Values and derivatives, and what comparisons say.
struct OverRegisters([f64; 2], [[f64; 8]; 2]);

type Results = ([(f64, [f64; 8]); 26], [bool; 8]);

impl Kernel for OverRegisters {
    type Output = Results;
    #[inline(always)]
    fn run<R: Register>(self) -> Results {
        let a = VectorDual::<R>::from_parts(self.0[0], self.1[0]);
        let b = VectorDual::<R>::from_parts(self.0[1], self.1[1]);
        let comparisons = [
            a < b,
            a == b,
            a >= 0.5,
            a == 0.5,
            a.is_positive(),
            a.is_negative(),
            Real::is_finite(a),
            DualStruct::re(&a) < 0.0,
        ];
        (everything(a, b).map(|y| (y.value(), y.eps.to_array())), comparisons)
    }
}

#[test]
fn every_level_computes_what_one_number_does() {
    at_every_level(|| {
        let mut random = Random::new(40);
        for _ in 0..testing::rounds(200) {
            let (x, dx) = ([random.range(-3.0, 3.0), random.range(0.2, 3.0)], [random.eight(), random.eight()]);
            let (found, comparisons) = dispatch(OverRegisters(x, dx));
            for lane in 0..8 {
                let (a, b) = (Dual::new(x[0], dx[0][lane]), Dual::new(x[1], dx[1][lane]));
                for (operation, expected) in everything::<Dual<f64, f64>>(a, b).into_iter().enumerate() {
                    let (value, eps) = found[operation];
                    let what = format_args!("operation {operation} of {x:?}");
                    assert!(operation >= FUSED || same(value, expected.re), "{what}: {value:e}, not {:e}", expected.re);
                    // terms of size a/b² cancel
                    assert_close(value, expected.re, 4.0 * f64::EPSILON, 10.0, what);
                    assert_close(eps[lane], expected.eps, 1e-14, 100.0, what);
                }
            }
            let [a, b] = x;
            assert_eq!(comparisons, [a < b, a == b, a >= 0.5, a == 0.5, a > 0.0, a < 0.0, true, a < 0.0]);
        }
    });
}
