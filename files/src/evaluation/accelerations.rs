//! Forward dynamics, free and under constraints, impulses, and their derivatives.

use super::value::{Answers, largest};
use super::{At, Evaluator, Value, by_link};
use crate::quantity::Quantity;
use crate::states::State;
use gradyn::dynamics::{
    aba, constraint_bias, constraint_dynamics, constraint_error, constraint_jacobian, impulse_dynamics,
};
use gradyn::model::InputError;
use gradyn::partials::{Method, aba_derivatives, constraint_dynamics_derivatives, impulse_dynamics_derivatives};
use nalgebra::DMatrix;

/// Derivatives of accelerations and forces under constraints.
const CONSTRAINED: [Quantity; 8] = [
    Quantity::ConstrainedDdqDq,
    Quantity::ConstrainedDdqDv,
    Quantity::ConstrainedDdqDtau,
    Quantity::ConstrainedDdqDfExt,
    Quantity::ConstraintForcesDq,
    Quantity::ConstraintForcesDv,
    Quantity::ConstraintForcesDtau,
    Quantity::ConstraintForcesDfExt,
];

/// Derivatives of an impact.
const IMPULSES: [Quantity; 4] = [Quantity::ImpulseVDq, Quantity::ImpulseVDv, Quantity::ImpulseDq, Quantity::ImpulseDv];

impl Evaluator<'_> {
    pub(super) fn accelerations(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, method) = (&self.robot.model, self.method);
        let State { q, v, .. } = at.state;
        if answers.ask(&[Quantity::Ddq]) {
            let ddq = aba(model, self.workspace.get(), q, v, at.tau(), &at.wrenches)?;
            answers.put(Quantity::Ddq, || Value::numbers(ddq));
        }
        if !answers.ask(&[Quantity::DdqDq, Quantity::DdqDv, Quantity::DdqDtau, Quantity::DdqDfExt]) {
            return Ok(());
        }
        let ws = self.derivatives.get();
        let by = aba_derivatives(model, ws, method, q, v, at.tau(), &at.wrenches)?;
        let (nv, size, errors) = (model.nv(), largest(&by.ddq), by.errors.as_deref());
        answers.derivatives(
            "",
            size,
            [
                (Quantity::DdqDq, &by.ddq_dq, errors.map(|by| &by.ddq_dq)),
                (Quantity::DdqDv, &by.ddq_dv, errors.map(|by| &by.ddq_dv)),
                (Quantity::DdqDtau, &by.ddq_dtau, errors.map(|by| &by.ddq_dtau)),
            ],
        );
        by_link(at, answers, Quantity::DdqDfExt, nv, (&by.ddq_df_ext, errors.map(|by| &by.ddq_df_ext)), size);
        Ok(())
    }

    /// Constraints may leave nothing of accelerations: their size is then that of what they cancel.
    pub(super) fn constrained(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, method, list) = (&self.robot.model, self.method, &self.constraints.list);
        let State { q, v, .. } = at.state;
        if answers.ask(&[Quantity::ConstrainedDdq, Quantity::ConstraintForces]) {
            let by = constraint_dynamics(model, self.workspace.get(), q, v, at.tau(), list, &at.wrenches)?;
            answers.put(Quantity::ConstrainedDdq, || Value::numbers(by.ddq));
            answers.put(Quantity::ConstraintForces, || Value::numbers(by.lambda));
        }
        if !answers.ask(&CONSTRAINED) {
            return Ok(());
        }
        let ws = self.derivatives.get();
        let free = aba_derivatives(model, ws, Method::Analytical, q, v, at.tau(), &at.wrenches);
        let free = free.cloned()?;
        let by = constraint_dynamics_derivatives(model, ws, method, q, v, at.tau(), list, &at.wrenches)?;
        let errors = by.errors.as_deref();
        let size = largest(&by.ddq).max(largest(&free.ddq));
        for (quantity, value, error, free) in [
            (Quantity::ConstrainedDdqDq, &by.ddq_dq, errors.map(|by| &by.ddq_dq), &free.ddq_dq),
            (Quantity::ConstrainedDdqDv, &by.ddq_dv, errors.map(|by| &by.ddq_dv), &free.ddq_dv),
            (Quantity::ConstrainedDdqDtau, &by.ddq_dtau, errors.map(|by| &by.ddq_dtau), &free.ddq_dtau),
        ] {
            answers.derivatives("", size.max(free.amax()), [(quantity, value, error)]);
        }
        let (nv, rows) = (model.nv(), self.constraints.rows.len());
        let by_wrench = free.ddq_df_ext.iter().map(DMatrix::amax).fold(size, f64::max);
        let error = errors.map(|by| &by.ddq_df_ext);
        by_link(at, answers, Quantity::ConstrainedDdqDfExt, nv, (&by.ddq_df_ext, error), by_wrench);

        let size = largest(&by.lambda);
        answers.derivatives(
            "",
            size,
            [
                (Quantity::ConstraintForcesDq, &by.dlambda_dq, errors.map(|by| &by.dlambda_dq)),
                (Quantity::ConstraintForcesDv, &by.dlambda_dv, errors.map(|by| &by.dlambda_dv)),
                (Quantity::ConstraintForcesDtau, &by.dlambda_dtau, errors.map(|by| &by.dlambda_dtau)),
            ],
        );
        let error = errors.map(|by| &by.dlambda_df_ext);
        by_link(at, answers, Quantity::ConstraintForcesDfExt, rows, (&by.dlambda_df_ext, error), size);
        Ok(())
    }

    /// An impulse that constraints take up.
    pub(super) fn impulses(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, method, held) = (&self.robot.model, self.method, self.constraints);
        let State { q, v, .. } = at.state;
        if answers.ask(&[Quantity::ImpulseV, Quantity::Impulse]) {
            let by = impulse_dynamics(model, self.workspace.get(), q, v, held.restitution, &held.list)?;
            answers.put(Quantity::ImpulseV, || Value::numbers(by.v));
            answers.put(Quantity::Impulse, || Value::numbers(by.impulse));
        }
        if !answers.ask(&IMPULSES) {
            return Ok(());
        }
        let ws = self.derivatives.get();
        let by = impulse_dynamics_derivatives(model, ws, method, q, v, held.restitution, &held.list)?;
        let errors = by.errors.as_deref();
        // Velocities by themselves: one.
        let size = largest(&by.v).max(largest(v)).max(1.0);
        answers.derivatives(
            "",
            size,
            [
                (Quantity::ImpulseVDq, &by.dv_dq, errors.map(|by| &by.dv_dq)),
                (Quantity::ImpulseVDv, &by.dv_dv, errors.map(|by| &by.dv_dv)),
            ],
        );
        answers.derivatives(
            "",
            largest(&by.impulse),
            [
                (Quantity::ImpulseDq, &by.dimpulse_dq, errors.map(|by| &by.dimpulse_dq)),
                (Quantity::ImpulseDv, &by.dimpulse_dv, errors.map(|by| &by.dimpulse_dv)),
            ],
        );
        Ok(())
    }

    /// The constraints themselves.
    pub(super) fn constraints(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, ws, list) = (&self.robot.model, self.workspace.get(), &self.constraints.list);
        let (q, v) = (&at.state.q, &at.state.v);
        if answers.ask(&[Quantity::ConstraintRank]) {
            // The same whatever the velocities.
            let rank = impulse_dynamics(model, ws, q, v, 0.0, list)?.rank;
            answers.put(Quantity::ConstraintRank, || Value::Count(rank));
        }
        if answers.ask(&[Quantity::ConstraintError]) {
            let error = constraint_error(model, ws, q, list)?;
            answers.put(Quantity::ConstraintError, || Value::numbers(error));
        }
        if answers.ask(&[Quantity::ConstraintJacobian]) {
            let jacobian = constraint_jacobian(model, ws, q, list)?;
            answers.put(Quantity::ConstraintJacobian, || Value::matrix(jacobian));
        }
        if answers.ask(&[Quantity::ConstraintBias]) {
            let bias = constraint_bias(model, ws, q, v, list)?;
            answers.put(Quantity::ConstraintBias, || Value::numbers(bias));
        }
        Ok(())
    }
}
