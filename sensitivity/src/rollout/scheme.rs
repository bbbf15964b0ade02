//! One step of time over any number type: the pages of `gradyn-trajectory`, with the robot's parameters and the length
//! as variables.

use crate::error::SensitivityError;
use crate::parameters::{Parameters, scaled};
use gradyn::{Constraint, Model, Scalar, Workspace, aba, constraint_dynamics};
use gradyn_trajectory::step::{Algebra, Scheme};

/// A robot over a number type, with its memory.
pub(super) struct Robot<P: gradyn::Real> {
    pub(super) model: Model<P>,
    pub(super) ws: Workspace<P>,
    /// Of torques, by degree of freedom; empty if no torque constant varies.
    pub(super) factors: Vec<P>,
}

impl<P: Scalar<f64> + Scalar<P>> Robot<P> {
    /// That of these values.
    pub(super) fn at(parameters: &Parameters, values: &[P]) -> Result<Self, SensitivityError> {
        Self::of(parameters.robot_at(values)?, parameters, values)
    }

    /// One whose torques are given.
    pub(super) fn undriven(model: Model<P>) -> Self {
        let ws = Workspace::new(&model);
        Self { model, ws, factors: Vec::new() }
    }

    /// The torques that its motors make where those of the given robot make these.
    pub(super) fn driven(&self, torques: Vec<P>) -> Vec<P> {
        scaled(torques, &self.factors)
    }

    /// The same, if the model is made already.
    pub(super) fn of(model: Model<P>, parameters: &Parameters, values: &[P]) -> Result<Self, SensitivityError> {
        let (ws, factors) = (Workspace::new(&model), parameters.torque_factors(values)?);
        Ok(Self { model, ws, factors })
    }

    /// `q̈`, under constraints if there are any.
    pub(super) fn acceleration(
        &mut self,
        q: &[P],
        v: &[P],
        tau: &[P],
        constraints: &[Constraint],
    ) -> Result<Vec<P>, SensitivityError> {
        accelerate(&self.model, &mut self.ws, q, v, tau, constraints)
    }

    /// The state after a step of length `h`.
    pub(super) fn step(
        &mut self,
        scheme: Scheme,
        algebra: &Algebra,
        h: P,
        (q, v): (&[P], &[P]),
        tau: &[P],
        constraints: &[Constraint],
    ) -> Result<(Vec<P>, Vec<P>), SensitivityError> {
        let Self { model, ws, .. } = self;
        scheme.advance((&*model, algebra), h, (q, v), |q, v| accelerate(model, ws, q, v, tau, constraints))
    }
}

/// `q̈`, under constraints if there are any.
fn accelerate<P: Scalar<f64> + Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<P>,
    q: &[P],
    v: &[P],
    tau: &[P],
    constraints: &[Constraint],
) -> Result<Vec<P>, SensitivityError> {
    if constraints.is_empty() {
        return Ok(aba(model, ws, q, v, tau, &[])?.to_vec());
    }
    let lifted: Vec<Constraint<P>> = constraints.iter().map(Constraint::lift).collect();
    Ok(constraint_dynamics(model, ws, q, v, tau, &lifted, &[])?.ddq.to_vec())
}
