//! A residual made of closures, with a given Jacobian.

use super::{Depends, Jacobian, Residual, ResidualPoint};
use crate::fault::Reason;
use nalgebra::DMatrix;
use std::fmt;

type Values = dyn Fn(&mut ResidualPoint<'_>, &mut [f64]) -> Result<(), Reason> + Send + Sync;
/// Writes a Jacobian at a view.
pub type GivenJacobian = dyn Fn(&mut ResidualPoint<'_>, &mut Jacobian) -> Result<(), Reason> + Send + Sync;

/// A residual whose numbers and Jacobian are closures: for what is not written generic over the number type. It has no
/// second derivatives: they count as zero, as in Gauss-Newton. [`check`](crate::Problem::check) compares it with
/// differences.
pub struct FnResidual {
    rows: usize,
    depends: Depends,
    goal: Vec<f64>,
    value: Box<Values>,
    jacobian: Box<GivenJacobian>,
}

impl FnResidual {
    /// Of so many numbers, that depend on this.
    pub fn new(
        rows: usize,
        depends: Depends,
        value: impl Fn(&mut ResidualPoint<'_>, &mut [f64]) -> Result<(), Reason> + Send + Sync + 'static,
        jacobian: impl Fn(&mut ResidualPoint<'_>, &mut Jacobian) -> Result<(), Reason> + Send + Sync + 'static,
    ) -> Self {
        Self { rows, depends, goal: Vec::new(), value: Box::new(value), jacobian: Box::new(jacobian) }
    }
    /// With a goal, which comes in as [`ResidualPoint::goal`].
    #[must_use]
    pub fn with_goal(mut self, goal: Vec<f64>) -> Self {
        self.goal = goal;
        self
    }
}

impl fmt::Debug for FnResidual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FnResidual").field("rows", &self.rows).field("depends", &self.depends).finish_non_exhaustive()
    }
}

impl Residual for FnResidual {
    fn rows(&self) -> usize {
        self.rows
    }
    fn depends(&self) -> Depends {
        self.depends
    }
    fn goal(&self) -> Vec<f64> {
        self.goal.clone()
    }
    fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        (self.value)(on, r)
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        (self.value)(on, r)?;
        (self.jacobian)(on, out)
    }
    fn has_hessian(&self) -> bool {
        false
    }
    fn add_hessian(&self, _on: &mut ResidualPoint<'_>, _lambda: &[f64], _out: &mut DMatrix<f64>) -> Result<(), Reason> {
        Ok(())
    }
}
