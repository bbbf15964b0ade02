//! The derivatives of a state by one method.

use crate::constraints::Constraints;
use crate::evaluation;
use crate::quantity::Quantity;
use crate::robot::Robot;
use crate::states::State;
use gradyn::dynamics::{Workspace, constraint_jacobian, impulse_dynamics, mass_matrix_inverse};
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

/// Beyond this, constraints are about to lose a row, and multipliers have no digits to compare.
const SINGULAR: f64 = 1e6;

/// Constraints at a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    constraints: &'a Constraints,
    /// That of `J M⁻¹ Jᵀ` on its range.
    condition: f64,
}

impl<'a> At<'a> {
    /// `None` if there are no constraints.
    pub(super) fn new(robot: &Robot, constraints: &'a Constraints, state: &State) -> Result<Option<Self>, InputError> {
        let (model, list, ws) = (&robot.model, &constraints.list, &mut Workspace::new(&robot.model));
        if list.is_empty() {
            return Ok(None);
        }
        let rank = impulse_dynamics(model, ws, &state.q, &state.v, 0.0, list)?.rank;
        let jacobian = constraint_jacobian(model, ws, &state.q, list)?.clone();
        let compliance = &jacobian * mass_matrix_inverse(model, &state.q)? * jacobian.transpose();
        let mut sizes: Vec<f64> = compliance.singular_values().iter().copied().collect();
        sizes.sort_by(|a, b| b.total_cmp(a));
        let condition = if rank == 0 { 1.0 } else { sizes[0] / sizes[rank - 1] };
        Ok(Some(Self { constraints, condition }))
    }

    pub(super) fn is_singular(&self) -> bool {
        self.condition.is_nan() || self.condition >= SINGULAR
    }
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
    /// Of the constraints.
    condition: f64,
}

impl Derivatives {
    pub(super) fn new(
        robot: &Robot,
        held: Option<At<'_>>,
        workspace: &mut DerivativeWorkspace,
        method: Method,
        state: &State,
    ) -> Result<Self, InputError> {
        let torques = evaluation::derivatives(robot, workspace, method, state)?.clone();
        let Some(At { constraints, condition }) = held else { return Ok(Self { method, torques, held: None }) };
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
        Ok(Self { method, torques, held: Some(Held { dynamics, impulses, free, velocity, condition }) })
    }

    /// So many roundings a solution under constraints may be off by, in the norm of what they hold: squared in derivatives by q.
    pub(super) fn amplification(&self) -> f64 {
        self.held.as_ref().map_or(1.0, |held| held.condition * held.condition.min(1e4))
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
