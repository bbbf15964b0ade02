//! The same of inverse dynamics under constraints: of `g` itself, before it is solved.
//!
//! ```text
//! wᵀ g = w_τᵀ (id(q, v, a) − Jᵀ λ) + w_cᵀ (J a + γ)
//! ```
//!
//! is the `L` of [`hessian`](super) with weights of one's own in place of adjoint ones: nothing is solved.

use super::results::{Curvature, Rate, RowsByPlace, Slope};
use super::{ConstrainedHessianMemory, check_weights, curvature};
use crate::dynamics::constraints::rows_of;
use crate::dynamics::jacobian::clear;
use crate::dynamics::placed::update;
use crate::dynamics::{Constraint, ExternalWrench, constraint_jacobian};
use crate::formulas::force_field::ForceField;
use crate::model::{InputError, Model, room};
use crate::partials::SecondOrderWorkspace;
use crate::partials::constrained::finite;
use crate::partials::hessian::{At, hessian_in};
use crate::slice_ops::first_not_finite;
use crate::spatial::Motion;
use nalgebra::{DMatrix, DVector};

/// `w_τᵀ τ + w_cᵀ c` of inverse dynamics under constraints, its gradient and its Hessian at one state.
///
/// The blocks by (a, a), (a, v), (a, λ), (λ, λ) and (λ, v) are zero.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintInverseDynamicsHessian {
    /// `w_τᵀ τ + w_cᵀ c`
    pub value: f64,
    /// By q, nv, along `q ⊕ ε e_k`.
    pub dq: DVector<f64>,
    /// By v, nv.
    pub dv: DVector<f64>,
    /// By a, nv: `M w_τ + Jᵀ w_c`.
    pub da: DVector<f64>,
    /// By λ, one entry a row: `−J w_τ`.
    pub dlambda: DVector<f64>,
    /// By q and q, nv × nv, ordered: column j is the derivative of `dq` along `q ⊕ ε e_j`.
    pub dqq: DMatrix<f64>,
    /// By v and q, nv × nv: column j is the derivative of `dv` along `q ⊕ ε e_j`.
    pub dvq: DMatrix<f64>,
    /// By a and q, nv × nv: column j is the derivative of `da` along `q ⊕ ε e_j`.
    pub daq: DMatrix<f64>,
    /// By λ and q, rows × nv: column j is the derivative of `dlambda` along `q ⊕ ε e_j`, `−∂(J w_τ)/∂q`.
    pub dlambdaq: DMatrix<f64>,
    /// By v and v, nv × nv, symmetric.
    pub dvv: DMatrix<f64>,
}

/// A combination of torques `τ = id(q, v, a) − Jᵀ λ` that a motion needs beside multipliers of constraints, and of accelerations
/// `c = J a + γ` of the constraints, with gradient and Hessian by `(q, v, a, λ)`.
///
/// `q`: nq, `v`, `a`: nv; `lambda`: one number a row, as [`Constraint`] says; `on_tau`, nv: weights of torques; `on_rows`, one entry a
/// row: weights of accelerations of constraints. What solvers need whose unknowns are motions and forces: a sum of
/// [`constraint_inverse_dynamics_derivatives`](crate::partials::constraint_inverse_dynamics_derivatives) with multipliers of its own.
/// Gains, damping, friction, armature, mimic joints, wrenches and every kind of joint are in it, and constraints of every kind; rows may
/// depend on each other.
///
/// Cost: that of [`rnea_hessian`](crate::partials::rnea_hessian), and O(d²) a constraint on a path of d columns: nothing is factorized. A
/// second call with no more rows and wrenches allocates nothing.
///
/// ```
/// use gradyn::dynamics::Constraint;
/// use gradyn::partials::{SecondOrderWorkspace, constraint_inverse_dynamics_hessian};
/// # use gradyn::{Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/solo12.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new().floating_base(true))?.model;
/// # let (q, v, a) = (model.neutral::<f64>(), vec![0.2; model.nv()], vec![0.3; model.nv()]);
/// let foot = model.find_frame("FL_FOOT").expect("is there");
/// let contact = Constraint::frame_contact(&model, foot, [0.2, 0.1, 0.0].into())?;
/// let (push, on_tau, on_rows) = ([0.0, 0.0, 6.0], vec![1.0; model.nv()], [0.0, 0.0, 1.0]);
/// let mut workspace = SecondOrderWorkspace::new(&model);
/// let h = constraint_inverse_dynamics_hessian(
///     &model, &mut workspace, &q, &v, &a, &push, &on_tau, &on_rows, &[contact], &[],
/// )?;
/// assert_eq!((h.dqq.shape(), h.dlambdaq.shape()), ((model.nv(), model.nv()), (3, model.nv())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`constraint_inverse_dynamics_derivatives`](crate::partials::constraint_inverse_dynamics_derivatives), and if weights are too few
/// or not finite.
#[expect(clippy::too_many_arguments, reason = "a motion, multipliers, weights, constraints and wrenches")]
pub fn constraint_inverse_dynamics_hessian<'w>(
    model: &Model,
    ws: &'w mut SecondOrderWorkspace,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    lambda: &[f64],
    on_tau: &[f64],
    on_rows: &[f64],
    constraints: &[Constraint],
    wrenches: &[ExternalWrench],
) -> Result<&'w ConstraintInverseDynamicsHessian, InputError> {
    let (nv, rows) = (model.nv, rows_of(constraints));
    model.check_state(q, v, a)?;
    model.check_length("lambda", "rows", lambda.len(), rows)?;
    check_weights(model, ["weights of torques", "weights of rows"], (on_tau, on_rows), constraints)?;
    if let Some(index) = first_not_finite(lambda) {
        let joint = format!("row {index}");
        return Err(InputError::NotFinite { what: "lambda", index, joint, value: lambda[index] });
    }
    if ws.constrained.as_ref().is_none_or(|m| m.of_inverse.is_none()) {
        room::<f64>("the Hessian of inverse dynamics under constraints", &[16, nv, nv])?;
    }
    let m = &mut **ws.constrained.get_or_insert_with(|| Box::new(ConstrainedHessianMemory::new(model)));
    let at = At { q, v, a, lambda: on_tau, wrenches };
    let h = hessian_in(ForceField::of(model), model, &mut m.torques, at)?;
    let result = m.of_inverse.get_or_insert_with(|| ConstraintInverseDynamicsHessian::zeros(nv));
    let ConstraintInverseDynamicsHessian { value, dq, dv, da, dlambda, dqq, dvq, daq, dlambdaq, dvv } = &mut *result;
    *value = h.value;
    for (to, from) in [(&mut *dq, &h.dq), (&mut *dv, &h.dv), (&mut *da, &h.da)] {
        to.copy_from(from);
    }
    for (to, from) in [(&mut *dqq, &h.dqq), (&mut *dvq, &h.dvq), (&mut *daq, &h.daq), (&mut *dvv, &h.dvv)] {
        to.copy_from(from);
    }
    clear(dlambdaq, rows, nv);
    if dlambda.len() != rows {
        *dlambda = DVector::zeros(rows);
    }
    if !constraints.is_empty() {
        // Also the check of constraints.
        let j = constraint_jacobian(model, &mut m.base, q, constraints)?;
        dlambda.fill(0.0);
        for (column, w) in j.column_iter().zip(on_tau) {
            dlambda.iter_mut().zip(column.iter()).for_each(|(to, j)| *to -= j * w);
        }
        let links = &*update(model, &mut m.base, Motion::zero(), (q, v, a));
        let [own, ..] = &mut m.fields;
        own.fill(model.bodies.iter().map(|body| body.parent), links, on_tau);
        let [_, _, minus_lambda] = &mut m.minus;
        minus_lambda.clear();
        minus_lambda.extend(lambda.iter().map(|x| -x));
        let by_place = Some(RowsByPlace { to: dlambdaq, first: 0 });
        let mut rates = [Rate { x: &*own, weights: minus_lambda, to: None, by_place }];
        let slope = Some(Slope { value, dq, dv, da });
        let mut to = Curvature { dqq, dvq, daq, dvv, slope };
        curvature::add(links, constraints, Some(on_rows), &mut rates, &mut to, &mut m.sides);
        result.dlambdaq.apply(|x| *x = -*x);
    }
    let ConstraintInverseDynamicsHessian { value, dq, dv, da, dlambda, dqq, dvq, daq, dlambdaq, dvv } = &*result;
    let vectors = [("dq", dq), ("dv", dv), ("da", da), ("dlambda", dlambda)];
    let infinite = vectors.into_iter().find_map(|(what, x)| Some((what, first_not_finite(x.as_slice())?)));
    let infinite = infinite.or_else(|| (!value.is_finite()).then_some(("value", 0)));
    if let Some((what, index)) = infinite {
        return Err(model.overflow_of(what, index, model.whole_label()));
    }
    let matrices = [("dqq", dqq), ("dvq", dvq), ("daq", daq), ("dlambdaq", dlambdaq), ("dvv", dvv)];
    matrices.into_iter().try_for_each(|(what, matrix)| finite(model, what, matrix))?;
    Ok(result)
}

impl ConstraintInverseDynamicsHessian {
    fn zeros(nv: usize) -> Self {
        let (vector, matrix) = (|| DVector::zeros(nv), || DMatrix::zeros(nv, nv));
        Self {
            value: 0.0,
            dq: vector(),
            dv: vector(),
            da: vector(),
            dlambda: DVector::zeros(0),
            dqq: matrix(),
            dvq: matrix(),
            daq: matrix(),
            dlambdaq: DMatrix::zeros(0, nv),
            dvv: matrix(),
        }
    }
}
