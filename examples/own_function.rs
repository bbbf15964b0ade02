//! How do I differentiate a function of my own?
//!
//! The squared distance of the tip of a planar arm from a target is written once, generic over the number type, as a
//! [`ScalarFunction`]; the drivers give its gradient and its Hessian at register width. Newton's method then brings the
//! tip to the target. Three joints for two coordinates: the Hessian is singular at the solution, so a little is added to
//! its diagonal. Expect the distance to fall quadratically. The last line is the distance at the end.
//!
//! `cargo run --example own_function`

use gradyn::derivatives::drivers::hessian;
use gradyn::nalgebra::{DMatrix, DVector};
use gradyn::{Scalar, ScalarFunction};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("distance: {:.1e} m", run()?);
    Ok(())
}

/// `½ |p(q) − target|²` for the tip `p` of a planar arm.
pub(crate) struct PositionError {
    pub(crate) lengths: [f64; 3],
    pub(crate) target: [f64; 2],
}

impl ScalarFunction for PositionError {
    fn inputs(&self) -> usize {
        3
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, q: &[T]) -> T {
        let (mut angle, mut x, mut y) = (T::zero(), T::from(-self.target[0]), T::from(-self.target[1]));
        for (q, length) in q.iter().zip(self.lengths) {
            angle += *q;
            let (sin, cos) = angle.sin_cos();
            x += cos * length;
            y += sin * length;
        }
        (x * x + y * y) * 0.5
    }
}

/// The distance at the end.
pub(crate) fn run() -> Result<f64, Box<dyn Error>> {
    let error = PositionError { lengths: [0.5, 0.4, 0.2], target: [0.4, 0.6] };
    let mut q = DVector::from_vec(vec![0.1, 0.5, 0.3]);
    for step in 0..30 {
        let (value, gradient, hessian) = hessian(&error, q.as_slice())?;
        let distance = (2.0 * value).sqrt();
        println!("step {step}: distance {distance:.3e} m");
        if distance < 1e-9 {
            return Ok(distance);
        }
        // (H + μ 1) dq = −g, with μ large enough for a positive definite matrix.
        let (h, g) = (DMatrix::from_row_slice(3, 3, &hessian), DVector::from_vec(gradient));
        let lowest = h.symmetric_eigenvalues().min();
        let damped = h + DMatrix::identity(3, 3) * (1e-6 + (-2.0 * lowest).max(0.0));
        q -= damped.cholesky().ok_or("not positive definite")?.solve(&g);
    }
    Err("no convergence in 30 steps".into())
}
