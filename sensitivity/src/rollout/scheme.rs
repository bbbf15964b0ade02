//! One step of time over any number type: the pages of `gradyn-trajectory`, with the robot's parameters and the length
//! as variables.

use crate::error::SensitivityError;
use gradyn::{Constraint, Model, Scalar, Workspace, aba, constraint_dynamics};
use gradyn_trajectory::step::{Algebra, Scheme};

/// A robot over a number type, with its memory.
pub(super) struct Robot<P: gradyn::Real> {
    pub(super) model: Model<P>,
    pub(super) ws: Workspace<P>,
}

impl<P: Scalar<f64> + Scalar<P>> Robot<P> {
    pub(super) fn new(model: Model<P>) -> Self {
        let ws = Workspace::new(&model);
        Self { model, ws }
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
        let Self { model, ws } = self;
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
