//! Derivatives of accelerations under constraints, and of the multipliers, by any method.

use super::{ConstrainedMemory, MATRICES, analytical, finite, nothing, split, store};
use crate::default_fields::matrices_by_name;
use crate::dynamics::{Constraint, ExternalWrench, RankMargin, Workspace, constraint_dynamics, constraint_rank};
use crate::model::{InputError, Model, room};
use crate::partials::result::copy_from_fields;
use crate::partials::state_function::by_method_of_solution;
use crate::partials::{DerivativeWorkspace, Method, State, StateFunction, StateJacobian};
use gradyn_derivatives::Scalar;
use nalgebra::{DMatrix, DVector};

/// Accelerations under constraints, the multipliers that hold them, and the derivatives of both at one state.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintDynamicsDerivatives {
    /// `q̈`, nv.
    pub ddq: DVector<f64>,
    /// `λ`, one entry a row ([`Constraint`]).
    pub lambda: DVector<f64>,
    /// How many rows are independent.
    pub rank: usize,
    /// How clear that is.
    pub margin: RankMargin,
    /// Whether the rank is the same at all configurations near by ([`constraint_rank`]). If not, there are no derivatives with respect to
    /// `q` here: those by formulas and dual numbers are the ones that there would be if it were, and the errors of differences
    /// are infinite.
    pub rank_is_locally_constant: bool,
    /// The largest entry of `|J q̈ + γ|`.
    pub residual: f64,
    /// `∂q̈/∂q`, nv × nv, along `q ⊕ ε e_k`.
    pub ddq_dq: DMatrix<f64>,
    /// `∂q̈/∂v`, nv × nv.
    pub ddq_dv: DMatrix<f64>,
    /// `∂q̈/∂τ`, nv × nv.
    pub ddq_dtau: DMatrix<f64>,
    /// `∂q̈/∂φ` for each external wrench, nv × 6, columns force then moment.
    pub ddq_df_ext: Vec<DMatrix<f64>>,
    /// `∂λ/∂q`, rows × nv, along `q ⊕ ε e_k`.
    pub dlambda_dq: DMatrix<f64>,
    /// `∂λ/∂v`, rows × nv.
    pub dlambda_dv: DMatrix<f64>,
    /// `∂λ/∂τ`, rows × nv.
    pub dlambda_dtau: DMatrix<f64>,
    /// `∂λ/∂φ` for each external wrench, rows × 6, columns force then moment.
    pub dlambda_df_ext: Vec<DMatrix<f64>>,
    /// Estimated error of each entry, from the method of differences.
    pub errors: Option<Box<Self>>,
}

matrices_by_name!(ConstraintDynamicsDerivatives; 6: ddq_dq, ddq_dv, ddq_dtau, dlambda_dq, dlambda_dv, dlambda_dtau);

copy_from_fields!(ConstraintDynamicsDerivatives: ddq, lambda; ddq_df_ext, dlambda_df_ext;
    rank, margin, residual, rank_is_locally_constant);

impl ConstraintDynamicsDerivatives {
    pub(super) fn check_finite(&self, model: &Model) -> Result<(), InputError> {
        let of_ddq = self.ddq_df_ext.iter().map(|m| ("ddq_df_ext", m));
        let of_lambda = self.dlambda_df_ext.iter().map(|m| ("dlambda_df_ext", m));
        self.matrices().into_iter().chain(of_ddq).chain(of_lambda).try_for_each(|(what, m)| finite(model, what, m))
    }
}

impl Default for ConstraintDynamicsDerivatives {
    /// Without entries.
    fn default() -> Self {
        (&nothing(), 0).into()
    }
}

/// Accelerations and multipliers of [`constraint_dynamics`], and their derivatives with respect to configuration, velocity,
/// torque and each external wrench.
///
/// `q`: nq, `v`, `tau`: nv. Gains, damping, friction, armature, mimic joints and every kind of joint are in them. Where rows depend on
/// each other they are the derivatives of the least-norm multipliers, and of the least squares of what contradicts itself,
/// for as long as the rank stays what it is. Where it changes there are none with respect to `q`: the result says so
/// ([`rank_is_locally_constant`](ConstraintDynamicsDerivatives::rank_is_locally_constant)), [`Method::Difference`] by its errors too.
/// Cost by [`Method::Analytical`] for m rows O(nv² (nv + m)), products of dense matrices, beside the accelerations themselves. A second
/// call with it for as many rows and wrenches allocates nothing.
///
/// ```
/// use gradyn::dynamics::Constraint;
/// use gradyn::partials::{DerivativeWorkspace, Method, constraint_dynamics_derivatives};
/// # use gradyn::{Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/solo12.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new().floating_base(true))?.model;
/// # let (q, v, tau) = (model.neutral::<f64>(), vec![0.2; model.nv()], vec![0.3; model.nv()]);
/// # let frame = &model.frames()[model.find_frame("FL_FOOT").expect("is there").index()];
/// # let (foot, sole) = (frame.body().expect("moves"), frame.placement().translation);
/// let contact = Constraint::contact(foot, sole, [0.2, 0.1, 0.0].into());
/// let mut workspace = DerivativeWorkspace::new(&model);
/// let by =
///     constraint_dynamics_derivatives(&model, &mut workspace, Method::Analytical, &q, &v, &tau, &[contact], &[])?;
/// assert_eq!((by.ddq_dq.shape(), by.dlambda_dq.shape()), ((model.nv(), model.nv()), (3, model.nv())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`constraint_dynamics`].
#[expect(clippy::too_many_arguments, reason = "a state, constraints and wrenches")]
#[doc(alias = "computeConstraintDynamicsDerivatives")]
pub fn constraint_dynamics_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    constraints: &[Constraint],
    wrenches: &[ExternalWrench],
) -> Result<&'w ConstraintDynamicsDerivatives, InputError> {
    ws.valid.constraint_dynamics = false;
    let mut memory = ws.constrained.take().unwrap_or_default();
    let done = dynamics(model, ws, &mut memory, method, (q, v, tau), constraints, wrenches);
    let result = &ws.constrained.insert(memory).dynamics;
    done?;
    result.check_finite(model)?;
    ws.valid.constraint_dynamics = true;
    Ok(result)
}

/// [`constraint_dynamics_derivatives`] into memory of the caller. Allocates nothing where that has the right sizes; if the call fails,
/// it stays as it is.
///
/// # Errors
/// As [`constraint_dynamics_derivatives`].
#[expect(clippy::too_many_arguments, reason = "those of `constraint_dynamics_derivatives`, and where to")]
pub fn constraint_dynamics_derivatives_into(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    constraints: &[Constraint],
    wrenches: &[ExternalWrench],
    out: &mut ConstraintDynamicsDerivatives,
) -> Result<(), InputError> {
    out.copy_from(constraint_dynamics_derivatives(model, ws, method, q, v, tau, constraints, wrenches)?);
    Ok(())
}

fn dynamics(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    memory: &mut ConstrainedMemory,
    method: Method,
    (q, v, tau): (&[f64], &[f64], &[f64]),
    constraints: &[Constraint],
    wrenches: &[ExternalWrench],
) -> Result<(), InputError> {
    // Also the check of the arguments.
    let by = constraint_dynamics(model, &mut ws.base, q, v, tau, constraints, wrenches)?;
    let (rank, margin, residual) = (by.rank, by.margin, by.residual);
    let result = &mut memory.dynamics;
    let mut is_locally_constant = true;
    let by = if rank == by.lambda.len().min(model.nv) {
        by
    } else {
        is_locally_constant = constraint_rank(model, &mut ws.base, q, constraints)?.is_locally_constant;
        constraint_dynamics(model, &mut ws.base, q, v, tau, constraints, wrenches)?
    };
    if method == Method::Analytical {
        if result.ddq_dq.nrows() != model.nv {
            room::<f64>("the derivatives under constraints", &[MATRICES, model.nv, model.nv])?;
        }
        store(&mut result.ddq, by.ddq);
        store(&mut result.lambda, by.lambda);
        result.errors = None;
        analytical::dynamics(model, ws, memory, (q, v), wrenches, constraints)?;
    } else {
        let state = State { q, v, u: tau, wrenches };
        let (by, errors) = by_method_of_solution(model, &ConstrainedAccelerations { constraints }, method, state)?;
        *result = (&by, model.nv).into();
        result.errors = errors.map(|errors| Box::new((&errors, model.nv).into()));
    }
    let result = &mut memory.dynamics;
    (result.rank, result.margin, result.residual) = (rank, margin, residual);
    result.rank_is_locally_constant = is_locally_constant;
    if let (false, Some(errors)) = (is_locally_constant, &mut result.errors) {
        errors.ddq_dq.fill(f64::INFINITY);
        errors.dlambda_dq.fill(f64::INFINITY);
    }
    Ok(())
}

/// Accelerations, then multipliers.
struct ConstrainedAccelerations<'a> {
    constraints: &'a [Constraint],
}

impl StateFunction for ConstrainedAccelerations<'_> {
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
        let State { q, v, u, wrenches } = state;
        let by = constraint_dynamics(model, ws, q, v, u, self.constraints, wrenches)?;
        out[..model.nv].copy_from_slice(by.ddq);
        out[model.nv..].copy_from_slice(by.lambda);
        Ok(())
    }
}

/// The first `nv` rows are of motion, the others of forces.
impl From<(&StateJacobian, usize)> for ConstraintDynamicsDerivatives {
    fn from((by, nv): (&StateJacobian, usize)) -> Self {
        let ([ddq_dq, dlambda_dq], [ddq_dv, dlambda_dv]) = (split(&by.dq, nv), split(&by.dv, nv));
        let [ddq_dtau, dlambda_dtau] = split(&by.du, nv);
        let by_wrench = by.df_ext.iter().map(|m| split(m, nv));
        let (ddq_df_ext, dlambda_df_ext) = by_wrench.map(|[ddq, lambda]| (ddq, lambda)).unzip();
        Self {
            ddq: by.value.rows(0, nv).into_owned(),
            lambda: by.value.rows(nv, by.value.len() - nv).into_owned(),
            rank: 0,
            margin: RankMargin::default(),
            rank_is_locally_constant: true,
            residual: 0.0,
            ddq_dq,
            ddq_dv,
            ddq_dtau,
            ddq_df_ext,
            dlambda_dq,
            dlambda_dv,
            dlambda_dtau,
            dlambda_df_ext,
            errors: None,
        }
    }
}
