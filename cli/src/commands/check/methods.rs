//! The derivatives of a state by one method.

use crate::constraints::Constraints;
use crate::evaluation;
use crate::quantity::Quantity;
use crate::robot::Robot;
use crate::states::State;
use gradyn::model::InputError;
use gradyn::partials::{
    ConstraintDynamicsDerivatives, DerivativeErrors, DerivativeWorkspace, ForwardDynamicsDerivatives,
    ImpulseDynamicsDerivatives, Method, RneaDerivatives, constraint_dynamics_derivatives, forward_dynamics_derivatives,
    impulse_dynamics_derivatives,
};
use nalgebra::DMatrix;
use std::slice::from_ref;

/// Of free motion.
const FREE: [Quantity; 4] = [Quantity::DtauDq, Quantity::DtauDv, Quantity::DtauDa, Quantity::DtauDfExt];

/// Under constraints.
const HELD: [Quantity; 12] = [
    Quantity::ConstrainedDdqDq,
    Quantity::ConstrainedDdqDv,
    Quantity::ConstrainedDdqDtau,
    Quantity::ConstrainedDdqDfExt,
    Quantity::ConstraintForcesDq,
    Quantity::ConstraintForcesDv,
    Quantity::ConstraintForcesDtau,
    Quantity::ConstraintForcesDfExt,
    Quantity::ImpulseVDq,
    Quantity::ImpulseVDv,
    Quantity::ImpulseDq,
    Quantity::ImpulseDv,
];

/// What is compared.
pub(super) fn compared(constraints: &Constraints) -> impl Iterator<Item = Quantity> {
    let held = if constraints.list.is_empty() { &[] } else { &HELD[..] };
    FREE.into_iter().chain(held.iter().copied())
}

/// The derivatives of a state by one method.
#[derive(Clone, Debug)]
pub(super) struct Derivatives {
    pub(super) method: Method,
    pub(super) torques: RneaDerivatives,
    pub(super) held: Option<Held>,
}

/// Those under constraints.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) dynamics: ConstraintDynamicsDerivatives,
    pub(super) impulses: ImpulseDynamicsDerivatives,
    /// Accelerations without constraints.
    free: ForwardDynamicsDerivatives,
    /// The largest velocity.
    velocity: f64,
}

impl Derivatives {
    pub(super) fn new(
        robot: &Robot,
        constraints: &Constraints,
        workspace: &mut DerivativeWorkspace,
        method: Method,
        state: &State,
    ) -> Result<Self, InputError> {
        let torques = evaluation::derivatives(robot, workspace, method, state)?.clone();
        if constraints.list.is_empty() {
            return Ok(Self { method, torques, held: None });
        }
        let (model, list) = (&robot.model, &constraints.list);
        let State { q, v, tau, .. } = state;
        let at = (&q[..], &v[..], tau.as_deref().unwrap_or_default());
        let by = constraint_dynamics_derivatives(model, workspace, method, at, &state.wrenches(), list)?;
        let dynamics = by.clone();
        let restitution = constraints.restitution;
        let impulses = impulse_dynamics_derivatives(model, workspace, method, (q, v), restitution, list)?.clone();
        let (q, v, tau) = at;
        let (method_of_free, wrenches) = (Method::Analytical, state.wrenches());
        let free = forward_dynamics_derivatives(model, workspace, method_of_free, q, v, tau, &wrenches)?.clone();
        let velocity = v.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
        Ok(Self { method, torques, held: Some(Held { dynamics, impulses, free, velocity }) })
    }

    /// The matrices of a quantity: one, or one a wrench.
    pub(super) fn matrices(&self, quantity: Quantity) -> &[DMatrix<f64>] {
        let RneaDerivatives { dtau_dq, dtau_dv, dtau_da, dtau_df_ext, .. } = &self.torques;
        let torques = [from_ref(dtau_dq), from_ref(dtau_dv), from_ref(dtau_da), dtau_df_ext];
        let held = self.held.as_ref();
        matrices(quantity, torques, held.map(|held| (&held.dynamics, &held.impulses)))
    }

    /// Estimated errors of the matrices, from methods that have them.
    pub(super) fn errors(&self, quantity: Quantity) -> &[DMatrix<f64>] {
        let Some(errors) = self.torques.errors.as_deref() else { return &[] };
        let DerivativeErrors { dtau_dq, dtau_dv, dtau_da, dtau_df_ext, .. } = errors;
        let torques = [from_ref(dtau_dq), from_ref(dtau_dv), from_ref(dtau_da), dtau_df_ext];
        let held = self.held.as_ref().and_then(|Held { dynamics, impulses, .. }| {
            Some((dynamics.errors.as_deref()?, impulses.errors.as_deref()?))
        });
        matrices(quantity, torques, held)
    }

    /// The largest entry of what is differentiated. Constraints may leave nothing of it: then, of what they cancel.
    pub(super) fn size(&self, quantity: Quantity) -> f64 {
        let value = match &self.held {
            Some(held) if quantity.is_of_impulses() && quantity.is_of_rows() => &held.impulses.impulse,
            Some(held) if quantity.is_of_impulses() => &held.impulses.v,
            Some(held) if quantity.is_of_rows() => &held.dynamics.lambda,
            Some(held) if quantity.is_of_constrained() => &held.dynamics.ddq,
            _ => &self.torques.tau,
        };
        let cancelled = self.held.as_ref().map_or(0.0, |Held { free, velocity, .. }| match quantity {
            Quantity::ConstrainedDdqDq => free.ddq.amax().max(free.ddq_dq.amax()),
            Quantity::ConstrainedDdqDv => free.ddq.amax().max(free.ddq_dv.amax()),
            Quantity::ConstrainedDdqDtau => free.ddq.amax().max(free.ddq_dtau.amax()),
            Quantity::ConstrainedDdqDfExt => free.ddq_df_ext.iter().map(DMatrix::amax).fold(free.ddq.amax(), f64::max),
            // Velocities by themselves: one.
            Quantity::ImpulseVDq | Quantity::ImpulseVDv => velocity.max(1.0),
            _ => 0.0,
        });
        value.amax().max(cancelled)
    }
}

fn matrices<'d>(
    quantity: Quantity,
    [dtau_dq, dtau_dv, dtau_da, dtau_df_ext]: [&'d [DMatrix<f64>]; 4],
    held: Option<(&'d ConstraintDynamicsDerivatives, &'d ImpulseDynamicsDerivatives)>,
) -> &'d [DMatrix<f64>] {
    match (quantity, held) {
        (Quantity::DtauDq, _) => dtau_dq,
        (Quantity::DtauDv, _) => dtau_dv,
        (Quantity::DtauDa, _) => dtau_da,
        (Quantity::DtauDfExt, _) => dtau_df_ext,
        (Quantity::ConstrainedDdqDq, Some((by, _))) => from_ref(&by.ddq_dq),
        (Quantity::ConstrainedDdqDv, Some((by, _))) => from_ref(&by.ddq_dv),
        (Quantity::ConstrainedDdqDtau, Some((by, _))) => from_ref(&by.ddq_dtau),
        (Quantity::ConstrainedDdqDfExt, Some((by, _))) => &by.ddq_df_ext,
        (Quantity::ConstraintForcesDq, Some((by, _))) => from_ref(&by.dlambda_dq),
        (Quantity::ConstraintForcesDv, Some((by, _))) => from_ref(&by.dlambda_dv),
        (Quantity::ConstraintForcesDtau, Some((by, _))) => from_ref(&by.dlambda_dtau),
        (Quantity::ConstraintForcesDfExt, Some((by, _))) => &by.dlambda_df_ext,
        (Quantity::ImpulseVDq, Some((_, by))) => from_ref(&by.dv_dq),
        (Quantity::ImpulseVDv, Some((_, by))) => from_ref(&by.dv_dv),
        (Quantity::ImpulseDq, Some((_, by))) => from_ref(&by.dimpulse_dq),
        (Quantity::ImpulseDv, Some((_, by))) => from_ref(&by.dimpulse_dv),
        _ => &[],
    }
}
