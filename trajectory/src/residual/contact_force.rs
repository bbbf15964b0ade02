//! The difference of the force of a contact from a goal.

use super::force_rows::{ForceRows, wrench_in};
use super::{Depends, Jacobian, PhaseInfo, Residual, ResidualPoint};
use crate::fault::{ProblemError, Reason};
use nalgebra::{DMatrix, Matrix3};

/// `r = Rᵀ f − f*`: the force on the robot, N, and of contacts with six rows the moment about the contact's point, N m;
/// of impulses N s and N m s. As many as the contact has rows. The goal is `f*`, in the same axes.
#[derive(Clone, Debug)]
#[doc(alias = "ResidualModelContactForce")]
pub struct ContactForce {
    force: ForceRows,
    rotation: Matrix3<f64>,
    goal: Option<Vec<f64>>,
}

impl ContactForce {
    /// Of a contact of the phase, by name, in axes of the world, toward zero.
    #[must_use]
    pub fn new(contact: &str) -> Self {
        Self { force: ForceRows::of(contact), rotation: Matrix3::identity(), goal: None }
    }
    /// In axes whose rotation to those of the world is R. Multipliers of joints that close loops keep their own axes.
    #[must_use]
    pub fn in_axes(mut self, rotation: Matrix3<f64>) -> Self {
        self.rotation = rotation;
        self
    }
    /// Toward a force, or a force and a moment.
    #[must_use]
    pub fn towards(mut self, goal: &[f64]) -> Self {
        self.goal = Some(goal.to_vec());
        self
    }
}

impl Residual for ContactForce {
    fn rows(&self) -> usize {
        self.force.matrix.nrows()
    }
    fn depends(&self) -> Depends {
        Depends::F
    }
    fn sees_robot(&self) -> bool {
        false
    }
    fn goal(&self) -> Vec<f64> {
        self.goal.clone().unwrap_or_else(|| vec![0.0; self.rows()])
    }
    fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
        let rows = self.force.bind(phase)?;
        self.force.matrix = match rows {
            3 | 6 => wrench_in(&self.rotation).view((0, 0), (rows, rows)).into_owned(),
            _ => DMatrix::identity(rows, rows),
        };
        let found = self.goal.as_ref().map_or(rows, Vec::len);
        phase.place.check_length("the goal of a contact force", rows, found)
    }
    fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        self.force.value(on.f, r);
        r.iter_mut().zip(on.goal).for_each(|(r, goal)| *r -= goal);
        Ok(())
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        self.force.jacobian(out);
        self.value(on, r)
    }
    fn is_linear(&self) -> bool {
        true
    }
    fn add_hessian(&self, _on: &mut ResidualPoint<'_>, _lambda: &[f64], _out: &mut DMatrix<f64>) -> Result<(), Reason> {
        Ok(())
    }
}
