//! The elapsed time.

use super::{Depends, Jacobian, Residual, ResidualPoint};
use crate::fault::Reason;
use nalgebra::DMatrix;

/// `r = √2`, so that the cost `½ r²` along a phase adds up to its duration, s: what
/// [`Cost::duration`](crate::Cost::duration) is made of.
#[derive(Clone, Copy, Debug)]
pub struct ElapsedTime;

impl Residual for ElapsedTime {
    fn rows(&self) -> usize {
        1
    }
    fn depends(&self) -> Depends {
        Depends { q: false, ..Depends::Q }
    }
    fn sees_robot(&self) -> bool {
        false
    }
    fn value(&self, _: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        r[0] = std::f64::consts::SQRT_2;
        Ok(())
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], _: &mut Jacobian) -> Result<(), Reason> {
        self.value(on, r)
    }
    fn add_hessian(&self, _: &mut ResidualPoint<'_>, _: &[f64], _: &mut DMatrix<f64>) -> Result<(), Reason> {
        Ok(())
    }
}
