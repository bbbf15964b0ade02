//! Inverse dynamics under constraints: what torques a motion needs beside given multipliers, and whether it keeps the constraints.
//!
//! ```text
//! τ = id(q, v, a) − Jᵀ λ ,    c = J a + γ
//! ```
//!
//! These are the equations of [`constraint_dynamics`](crate::dynamics::constraint_dynamics) before they are solved: those of solvers whose
//! unknowns are motions and forces. Derivatives are `E₁` and `E₂` of [`analytical`](super::analytical).

use super::row_derivatives::Variation;
use super::{finite, split, store};
use crate::default_fields::matrices_by_name;
use crate::dynamics::constraints::{Rows, rows_of};
use crate::dynamics::{
    Constraint, ExternalWrench, Workspace, constraint_bias, constraint_jacobian, rnea, slice_ops::first_not_finite,
};
use crate::kernels::by_joint::matrix::shape;
use crate::model::{InputError, Model, room};
use crate::partials::result::{copy_from_fields, copy_matrix};
use crate::partials::state_function::by_method_of_solution;
use crate::partials::{DerivativeWorkspace, Method, State, StateFunction, StateJacobian, rnea_derivatives};
use gradyn_derivatives::Scalar;
use nalgebra::{DMatrix, DVector};

/// Torques under multipliers, accelerations of constraints, and the derivatives of both at one state.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintInverseDynamicsDerivatives {
    /// `τ = id(q, v, a) − Jᵀ λ`, nv.
    pub tau: DVector<f64>,
    /// `c = J a + γ`, one entry a row ([`Constraint`]): zero where the motion keeps them.
    pub rows: DVector<f64>,
    /// `∂τ/∂q`, nv × nv, along `q ⊕ ε e_k`, at held multipliers.
    pub dtau_dq: DMatrix<f64>,
    /// `∂τ/∂v`, nv × nv.
    pub dtau_dv: DMatrix<f64>,
    /// `∂τ/∂a = M`, nv × nv.
    pub dtau_da: DMatrix<f64>,
    /// `∂τ/∂λ = −Jᵀ`, nv × rows.
    pub dtau_dlambda: DMatrix<f64>,
    /// `∂τ/∂φ` for each external wrench, nv × 6, columns force then moment.
    pub dtau_df_ext: Vec<DMatrix<f64>>,
    /// `∂c/∂q`, rows × nv, along `q ⊕ ε e_k`.
    pub drows_dq: DMatrix<f64>,
    /// `∂c/∂v`, rows × nv.
    pub drows_dv: DMatrix<f64>,
    /// `∂c/∂a = J`, rows × nv.
    pub drows_da: DMatrix<f64>,
    /// Estimated error of each entry, from the method of differences.
    pub errors: Option<Box<Self>>,
}

impl Default for ConstraintInverseDynamicsDerivatives {
    /// Without entries.
    fn default() -> Self {
        (&super::nothing(), 0, 0).into()
    }
}

matrices_by_name!(ConstraintInverseDynamicsDerivatives; 7: dtau_dq, dtau_dv, dtau_da, dtau_dlambda, drows_dq, drows_dv, drows_da);

copy_from_fields!(ConstraintInverseDynamicsDerivatives: tau, rows; dtau_df_ext; );

/// Results, and what they are computed in.
#[derive(Default)]
pub(super) struct ConstrainedInverseMemory {
    result: ConstraintInverseDynamicsDerivatives,
    held: Variation,
}

/// So many matrices nv × nv are made at the first call.
const MATRICES: usize = 4;

/// Torques `τ = id(q, v, a) − Jᵀ λ` that a motion needs beside multipliers of constraints, the accelerations `J a + γ` that would be zero
/// if it kept the constraints, and the derivatives of both with respect to configuration, velocity, acceleration, multipliers and each
/// external wrench.
///
/// `q`: nq, `v`, `a`: nv, `lambda`: one number a row, as [`Constraint`] says. Gains, damping, friction, armature, mimic joints and every
/// kind of joint are in them. No mass matrix is factorized: cost as [`rnea_derivatives`](crate::partials::rnea_derivatives), and O(depth) a row. A second call with
/// [`Method::Analytical`] for as many rows and wrenches allocates nothing.
///
/// ```
/// use gradyn::dynamics::Constraint;
/// use gradyn::partials::{DerivativeWorkspace, Method, constraint_inverse_dynamics_derivatives};
/// # use gradyn::{Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/solo12.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new().floating_base(true))?.model;
/// # let (q, v, a) = (model.neutral::<f64>(), vec![0.2; model.nv()], vec![0.3; model.nv()]);
/// let foot = model.find_frame("FL_FOOT").expect("is there");
/// let contact = Constraint::frame_contact(&model, foot, [0.2, 0.1, 0.0].into())?;
/// let (mut workspace, method) = (DerivativeWorkspace::new(&model), Method::Analytical);
/// let (push, contacts) = ([0.0, 0.0, 6.0], [contact]);
/// let by =
///     constraint_inverse_dynamics_derivatives(&model, &mut workspace, method, &q, &v, &a, &push, &contacts, &[])?;
/// assert_eq!((by.dtau_dlambda.shape(), by.drows_dq.shape()), ((model.nv(), 3), (3, model.nv())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, a number is not finite, or a constraint is not one
/// of this model ([`InputError::OtherModel`], [`InputError::Constraint`]).
#[expect(clippy::too_many_arguments, reason = "a motion, multipliers, constraints and wrenches")]
pub fn constraint_inverse_dynamics_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    lambda: &[f64],
    constraints: &[Constraint],
    wrenches: &[ExternalWrench],
) -> Result<&'w ConstraintInverseDynamicsDerivatives, InputError> {
    let mut memory = ws.constrained.take().unwrap_or_default();
    let done = compute(model, ws, &mut memory.inverse, method, (q, v, a, lambda), constraints, wrenches);
    let result = &ws.constrained.insert(memory).inverse.result;
    done?;
    for (what, x) in [("tau", &result.tau), ("rows", &result.rows)] {
        if let Some(index) = first_not_finite(x.as_slice()) {
            return Err(model.overflow_of(what, index, model.whole_label()));
        }
    }
    let by_wrenches = result.dtau_df_ext.iter().map(|m| ("dtau_df_ext", m));
    result.matrices().into_iter().chain(by_wrenches).try_for_each(|(what, m)| finite(model, what, m))?;
    Ok(result)
}

fn compute(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    memory: &mut ConstrainedInverseMemory,
    method: Method,
    (q, v, a, lambda): (&[f64], &[f64], &[f64], &[f64]),
    constraints: &[Constraint],
    wrenches: &[ExternalWrench],
) -> Result<(), InputError> {
    let (nv, rows) = (model.nv, rows_of(constraints));
    model.check_state(q, v, a)?;
    model.check_length("lambda", "rows", lambda.len(), rows)?;
    let ConstrainedInverseMemory { result, held } = memory;
    if method != Method::Analytical {
        let u = [a, lambda].concat();
        let state = State { q, v, u: &u, wrenches };
        let (by, errors) = by_method_of_solution(model, &Inverse { constraints }, method, state)?;
        *result = (&by, nv, nv).into();
        result.errors = errors.map(|errors| Box::new((&errors, nv, nv).into()));
        return Ok(());
    }
    if result.dtau_dq.nrows() != nv {
        room::<f64>("the derivatives under constraints", &[MATRICES, nv, nv])?;
    }
    // Also the check of constraints, and of q and v.
    store(&mut result.rows, constraint_bias(model, &mut ws.base, q, v, constraints)?);
    shape(&mut result.drows_da, rows, nv);
    shape(&mut result.dtau_dlambda, nv, rows);
    if let Some(memory) = ws.base.constraints.as_deref() {
        result.drows_da.copy_from(&memory.rows.jacobian);
    }
    result.drows_da.transpose_to(&mut result.dtau_dlambda);
    result.dtau_dlambda.apply(|x| *x = -*x);
    for (column, a) in result.drows_da.column_iter().zip(a) {
        result.rows.iter_mut().zip(column.iter()).for_each(|(row, j)| *row += j * a);
    }
    held.of_constraints(model, &mut ws.base, Rows::Accelerations, (q, v, a), wrenches, (constraints, lambda));
    rnea_derivatives(model, ws, Method::Analytical, q, v, a, &held.wrenches)?;
    ws.valid.rnea = false; // under other wrenches than the caller's
    held.of_torques(nv, ws, wrenches.len());
    let by = &ws.result;
    store(&mut result.tau, by.tau.as_slice());
    copy_matrix(&mut result.dtau_dq, &held.torques_q);
    copy_matrix(&mut result.dtau_dv, &by.dtau_dv);
    copy_matrix(&mut result.dtau_da, &by.dtau_da);
    copy_matrix(&mut result.drows_dq, &held.rows_q);
    copy_matrix(&mut result.drows_dv, &held.rows_v);
    result.dtau_df_ext.resize_with(wrenches.len(), || DMatrix::zeros(nv, 6));
    result.dtau_df_ext.iter_mut().zip(&by.dtau_df_ext).for_each(|(to, from)| to.copy_from(from));
    result.errors = None;
    Ok(())
}

/// Torques, then accelerations of constraints; `u` is `(a, λ)`.
struct Inverse<'a> {
    constraints: &'a [Constraint],
}

impl StateFunction for Inverse<'_> {
    fn outputs(&self, model: &Model) -> usize {
        model.nv + rows_of(self.constraints)
    }
    fn controls(&self, model: &Model) -> usize {
        self.outputs(model)
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let State { q, v, u, wrenches } = state;
        let (a, lambda) = u.split_at(model.nv);
        let (tau, rows) = out.split_at_mut(model.nv);
        tau.copy_from_slice(rnea(model, ws, q, v, a, wrenches)?);
        rows.copy_from_slice(constraint_bias(model, ws, q, v, self.constraints)?);
        let jacobian = constraint_jacobian(model, ws, q, self.constraints)?;
        for ((column, a), tau) in jacobian.column_iter().zip(a).zip(tau) {
            for ((j, row), lambda) in column.iter().zip(&mut *rows).zip(lambda) {
                *row += *j * *a;
                *tau -= *j * *lambda;
            }
        }
        Ok(())
    }
}

/// The first `nv` rows are of torques, the others of constraints; the first `na` columns by `u` are of accelerations.
impl From<(&StateJacobian, usize, usize)> for ConstraintInverseDynamicsDerivatives {
    fn from((by, nv, na): (&StateJacobian, usize, usize)) -> Self {
        let ([dtau_dq, drows_dq], [dtau_dv, drows_dv]) = (split(&by.dq, nv), split(&by.dv, nv));
        let [dtau_du, drows_du] = split(&by.du, nv);
        Self {
            tau: by.value.rows(0, nv).into_owned(),
            rows: by.value.rows(nv, by.value.len() - nv).into_owned(),
            dtau_dq,
            dtau_dv,
            dtau_da: dtau_du.columns(0, na).into_owned(),
            dtau_dlambda: dtau_du.columns(na, dtau_du.ncols() - na).into_owned(),
            dtau_df_ext: by.df_ext.iter().map(|m| m.rows(0, nv).into_owned()).collect(),
            drows_dq,
            drows_dv,
            drows_da: drows_du.columns(0, na).into_owned(),
            errors: None,
        }
    }
}
