//! Derivatives of velocities after an impact under constraints, and of the impulses, by any method.

use super::{ConstrainedMemory, MATRICES, analytical, finite, nothing, split, store};
use crate::default_fields::matrices_by_name;
use crate::dynamics::{Constraint, RankMargin, Workspace, constraint_rank, impulse_dynamics};
use crate::model::{InputError, Model, room};
use crate::partials::result::copy_from_fields;
use crate::partials::state_function::by_method_of_solution;
use crate::partials::{DerivativeWorkspace, Method, State, StateFunction, StateJacobian};
use gradyn_derivatives::Scalar;
use nalgebra::{DMatrix, DVector};

/// Velocities after an impulse under constraints, the impulses, and the derivatives of both.
#[derive(Clone, Debug, PartialEq)]
pub struct ImpulseDynamicsDerivatives {
    /// Velocities after it, `v⁺`, nv.
    pub v: DVector<f64>,
    /// `Λ`, one entry a row ([`Constraint`]).
    pub impulse: DVector<f64>,
    /// How many rows are independent.
    pub rank: usize,
    /// How clear that is.
    pub margin: RankMargin,
    /// Whether the rank is the same at all configurations near by ([`constraint_rank`]). If not, there are no derivatives with respect to
    /// `q` here: those by formulas and dual numbers are the ones that there would be if it were, and the errors of differences
    /// are infinite.
    pub rank_is_locally_constant: bool,
    /// The largest entry of `|J v⁺ + ε J v⁻|`.
    pub residual: f64,
    /// `∂v⁺/∂q`, nv × nv, along `q ⊕ ε e_k`.
    pub dv_dq: DMatrix<f64>,
    /// `∂v⁺/∂v⁻`, nv × nv.
    pub dv_dv: DMatrix<f64>,
    /// `∂Λ/∂q`, rows × nv, along `q ⊕ ε e_k`.
    pub dimpulse_dq: DMatrix<f64>,
    /// `∂Λ/∂v⁻`, rows × nv.
    pub dimpulse_dv: DMatrix<f64>,
    /// Estimated error of each entry, from the method of differences.
    pub errors: Option<Box<Self>>,
}

matrices_by_name!(ImpulseDynamicsDerivatives; 4: dv_dq, dv_dv, dimpulse_dq, dimpulse_dv);

copy_from_fields!(ImpulseDynamicsDerivatives: v, impulse; ; rank, margin, residual, rank_is_locally_constant);

impl Default for ImpulseDynamicsDerivatives {
    /// Without entries.
    fn default() -> Self {
        (&nothing(), 0).into()
    }
}

/// Velocities and impulses of [`impulse_dynamics`], and their derivatives with respect to the configuration and the velocity
/// before.
///
/// `q`: nq, `v` before: nv. Dependent rows as in [`constraint_dynamics_derivatives`](super::constraint_dynamics_derivatives). A second call with
/// [`Method::Analytical`] for as many rows allocates nothing.
///
/// # Errors
/// As [`impulse_dynamics`].
#[doc(alias = "computeImpulseDynamicsDerivatives")]
pub fn impulse_dynamics_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    restitution: f64,
    constraints: &[Constraint],
) -> Result<&'w ImpulseDynamicsDerivatives, InputError> {
    ws.valid.impulse_dynamics = false;
    let mut memory = ws.constrained.take().unwrap_or_default();
    let done = impulses(model, ws, &mut memory, method, (q, v), restitution, constraints);
    let result = &ws.constrained.insert(memory).impulses;
    done?;
    result.matrices().into_iter().try_for_each(|(what, m)| finite(model, what, m))?;
    ws.valid.impulse_dynamics = true;
    Ok(result)
}

/// [`impulse_dynamics_derivatives`] into memory of the caller. Allocates nothing where that has the right sizes; if the call fails, it
/// stays as it is.
///
/// # Errors
/// As [`impulse_dynamics_derivatives`].
#[expect(clippy::too_many_arguments, reason = "those of `impulse_dynamics_derivatives`, and where to")]
pub fn impulse_dynamics_derivatives_into(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    restitution: f64,
    constraints: &[Constraint],
    out: &mut ImpulseDynamicsDerivatives,
) -> Result<(), InputError> {
    out.copy_from(impulse_dynamics_derivatives(model, ws, method, q, v, restitution, constraints)?);
    Ok(())
}

fn impulses(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    memory: &mut ConstrainedMemory,
    method: Method,
    (q, v): (&[f64], &[f64]),
    restitution: f64,
    constraints: &[Constraint],
) -> Result<(), InputError> {
    // Also the check of the arguments.
    let by = impulse_dynamics(model, &mut ws.base, q, v, restitution, constraints)?;
    let (rank, margin, residual) = (by.rank, by.margin, by.residual);
    let result = &mut memory.impulses;
    let mut is_locally_constant = true;
    let by = if rank == by.impulse.len().min(model.nv) {
        by
    } else {
        is_locally_constant = constraint_rank(model, &mut ws.base, q, constraints)?.is_locally_constant;
        impulse_dynamics(model, &mut ws.base, q, v, restitution, constraints)?
    };
    if method == Method::Analytical {
        if result.dv_dq.nrows() != model.nv {
            room::<f64>("the derivatives of an impact", &[MATRICES, model.nv, model.nv])?;
        }
        store(&mut result.v, by.v);
        store(&mut result.impulse, by.impulse);
        result.errors = None;
        analytical::impulses(model, ws, memory, (q, v), restitution, constraints)?;
    } else {
        let state = State { q, v, u: &[], wrenches: &[] };
        let (by, errors) = by_method_of_solution(model, &Struck { constraints, restitution }, method, state)?;
        *result = (&by, model.nv).into();
        result.errors = errors.map(|errors| Box::new((&errors, model.nv).into()));
    }
    let result = &mut memory.impulses;
    (result.rank, result.margin, result.residual) = (rank, margin, residual);
    result.rank_is_locally_constant = is_locally_constant;
    if let (false, Some(errors)) = (is_locally_constant, &mut result.errors) {
        errors.dv_dq.fill(f64::INFINITY);
        errors.dimpulse_dq.fill(f64::INFINITY);
    }
    Ok(())
}

/// Velocities after an impulse, then impulses.
struct Struck<'a> {
    constraints: &'a [Constraint],
    restitution: f64,
}

impl StateFunction for Struck<'_> {
    fn outputs(&self, model: &Model) -> usize {
        model.nv + self.constraints.iter().map(Constraint::rows).sum::<usize>()
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let by = impulse_dynamics(model, ws, state.q, state.v, self.restitution, self.constraints)?;
        out[..model.nv].copy_from_slice(by.v);
        out[model.nv..].copy_from_slice(by.impulse);
        Ok(())
    }
}

/// The first `nv` rows are of motion, the others of forces.
impl From<(&StateJacobian, usize)> for ImpulseDynamicsDerivatives {
    fn from((by, nv): (&StateJacobian, usize)) -> Self {
        let ([dv_dq, dimpulse_dq], [dv_dv, dimpulse_dv]) = (split(&by.dq, nv), split(&by.dv, nv));
        Self {
            v: by.value.rows(0, nv).into_owned(),
            impulse: by.value.rows(nv, by.value.len() - nv).into_owned(),
            rank: 0,
            margin: RankMargin::default(),
            rank_is_locally_constant: true,
            residual: 0.0,
            dv_dq,
            dv_dv,
            dimpulse_dq,
            dimpulse_dv,
            errors: None,
        }
    }
}
