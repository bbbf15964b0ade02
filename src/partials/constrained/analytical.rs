//! Dynamics under constraints in closed form.
//!
//! With `E₁`, `E₂` the derivatives of `id(q, v, q̈) − Jᵀ λ − τ` and of `J q̈ + γ` at held `q̈` and `λ`, and `G = J M⁻¹ Jᵀ`:
//!
//! ```text
//! [M  −Jᵀ] [dq̈]     [E₁]        dλ = G⁻¹ (J M⁻¹ E₁ − E₂)                                              (1)
//! [J   0 ] [dλ] = − [E₂]        dq̈ = M⁻¹ (Jᵀ dλ − E₁)
//! ```
//!
//! Of the torques, the derivatives of inverse dynamics ([`rnea_derivatives`]) under the wrenches that the multipliers
//! are; of the rows, those of the accelerations of both sides. Impulses are the same with `M (v⁺ − v⁻) − Jᵀ Λ` and
//! `J (v⁺ + ε v⁻)`, without weight and springs, at rest.
//!
//! The factors of `M` and `G` ([`constraints`]) give `Z = L⁻¹ D^(−1/2) Q`, nv × rank, and `V`, rank × rows, with `G⁺ = Vᵀ V` and
//! `V J M⁻¹ = Zᵀ`; and what the constraints leave of `M⁻¹`, `N = X Xᵀ` with `X = L⁻¹ D^(−1/2) (1 − Q Qᵀ)`, in which nothing
//! cancels. So all columns are products of dense matrices, and no digit of `q̈` is lost that is one of `λ` only:
//!
//! ```text
//! dq̈ = −N E₁ − Z V E₂ ,   dλ = Vᵀ (Zᵀ E₁ − V E₂)                                                     (3)
//! ```
//!
//! That is for rows of any rank; those that are clearly independent go by the same formulas in blocks
//! (`kernels::by_joint`).
//!
//! Where rows depend on each other, `G⁺` stands for `G⁻¹`. With `λ = G⁺ b`, `P = G G⁺`, and `r = (1 − P) b`, which contradicts
//! itself, the derivative of the pseudo-inverse at constant rank (G. Golub and V. Pereyra, SIAM J. Numer. Anal. 10(2), 1973) has two
//! terms more:
//!
//! ```text
//! dλ = G⁺ (J M⁻¹ E₁ − E₂ + G⁺ J M⁻¹ dJᵀ r) + (1 − P) dJ M⁻¹ Jᵀ G⁺ λ                                  (2)
//! ```

use super::ConstrainedMemory;
use super::operators::Operators;
use super::row_derivatives::Variation;
use crate::dynamics::constraints::{ConstraintsMemory, FactorsOfMass, Rows};
use crate::dynamics::{Constraint, ExternalWrench, by_plan};
use crate::formulas::force_field::ForceField;
use crate::kernels::blocks::product;
use crate::kernels::by_joint::constraints::operators::Changes;
use crate::kernels::by_joint::derivatives::Reuse;
use crate::kernels::by_joint::matrix::shape;
use crate::model::{InputError, Model};
use crate::partials::analytical::rnea_derivatives as by_formulas;
use crate::partials::{DerivativeWorkspace, Method, rnea_derivatives};
use nalgebra::DMatrix;

/// What closed forms are computed in.
#[derive(Default)]
pub(super) struct Scratch {
    /// At the state.
    held: Variation,
    /// Of the terms that dependent rows bring.
    dependent: Variation,
    /// `M⁻¹ Jᵀ G⁺ λ`, or `v⁺ + ε v⁻`: nv.
    velocity: Vec<f64>,
    /// `v⁺ − v⁻`, nv.
    jump: Vec<f64>,
    /// Zeros, nv.
    zeros: Vec<f64>,
    /// `r`
    contradiction: Vec<f64>,
    /// `G⁺ λ`, one entry a row.
    again: Vec<f64>,
    operators: Operators,
    /// `E₂`, if it is not by the configuration.
    by_rows: DMatrix<f64>,
}

/// Fills in the derivatives of accelerations and multipliers, which have just been computed.
pub(super) fn dynamics(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    memory: &mut ConstrainedMemory,
    (q, v): (&[f64], &[f64]),
    wrenches: &[ExternalWrench],
    constraints: &[Constraint],
) -> Result<(), InputError> {
    let ConstrainedMemory { dynamics: result, scratch, .. } = memory;
    let ddq = result.ddq.as_slice();
    dependent_rows(model, ws, scratch, q, constraints)?;
    let state = (q, v, ddq);
    let what = Rows::Accelerations;
    let Scratch { held, dependent, operators, .. } = scratch;
    let by = (constraints, result.lambda.as_slice());
    let in_blocks = in_blocks(ws);
    let quick = in_blocks && held.wrenches_of_axes(model, &mut ws.base, wrenches, by).is_some();
    if quick {
        // What is not finite, is not in the results either.
        ws.begin(wrenches.len())?;
        by_formulas(ForceField::of(model), model, ws, state, &held.wrenches, Reuse::Poses);
        held.of_axes(model, &mut ws.base, what, by);
    } else {
        held.of_constraints(model, &mut ws.base, what, state, wrenches, by);
        rnea_derivatives(model, ws, Method::Analytical, q, v, ddq, &held.wrenches)?;
        held.of_torques(model.nv, ws, wrenches.len());
    }
    let (nv, rows) = (model.nv, result.lambda.len());
    for (motion, lambda) in [
        (&mut result.ddq_dq, &mut result.dlambda_dq),
        (&mut result.ddq_dv, &mut result.dlambda_dv),
        (&mut result.ddq_dtau, &mut result.dlambda_dtau),
    ] {
        shape(motion, nv, nv);
        shape(lambda, rows, nv);
    }
    for by_wrench in [(&mut result.ddq_df_ext, nv), (&mut result.dlambda_df_ext, rows)] {
        by_wrench.0.resize_with(wrenches.len(), DMatrix::default);
        by_wrench.0.iter_mut().for_each(|m| _ = shape(m, by_wrench.1, 6));
    }
    let (base, by) = (&mut ws.base, &ws.result);
    let by_wrenches = result.ddq_df_ext.iter_mut().zip(&mut result.dlambda_df_ext);
    let by_wrenches = by.dtau_df_ext.iter().zip(by_wrenches);
    if in_blocks && let Some(mut kernels) = by_plan::of(model, base) {
        kernels.fill_operators(Some((result.ddq_dtau.as_mut_slice(), result.dlambda_dtau.as_mut_slice())));
        let by_q = held.changes(quick, by);
        kernels.apply_operators(&by_q, result.ddq_dq.as_mut_slice(), result.dlambda_dq.as_mut_slice());
        let by_v = Changes { torques: by.dtau_dv.as_slice(), rows: held.rows_v.as_slice(), turned: &[], sparse: true };
        kernels.apply_operators(&by_v, result.ddq_dv.as_mut_slice(), result.dlambda_dv.as_mut_slice());
        for (from, (motion, lambda)) in by_wrenches {
            let by_wrench = Changes { torques: from.as_slice(), ..Changes::default() };
            kernels.apply_operators(&by_wrench, motion.as_mut_slice(), lambda.as_mut_slice());
        }
        return Ok(());
    }
    operators.fill(nv, base);
    let Some(memory) = base.constraints.as_deref() else { return Ok(()) };
    let of_rank = (memory.factor.rank < rows).then_some((&memory.factor, &*dependent));
    operators.all((&held.torques_q, Some(&held.rows_q)), of_rank, (&mut result.ddq_dq, &mut result.dlambda_dq));
    operators.all((&by.dtau_dv, Some(&held.rows_v)), None, (&mut result.ddq_dv, &mut result.dlambda_dv));
    for (from, to) in by_wrenches {
        operators.all((from, None), None, to);
    }
    // E₁ = −1
    product::negated_product(&operators.vt, &operators.zt, &mut result.dlambda_dtau);
    std::mem::swap(&mut result.ddq_dtau, &mut operators.free);
    Ok(())
}

/// Fills in the derivatives of velocities and impulses, which have just been computed.
pub(super) fn impulses(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    memory: &mut ConstrainedMemory,
    (q, v): (&[f64], &[f64]),
    restitution: f64,
    constraints: &[Constraint],
) -> Result<(), InputError> {
    let ConstrainedMemory { impulses: result, scratch, .. } = memory;
    let rows = result.impulse.len();
    dependent_rows(model, ws, scratch, q, constraints)?;
    let Scratch { held, dependent, velocity, jump, zeros, operators, by_rows, .. } = scratch;
    velocity.clear();
    velocity.extend(result.v.iter().zip(v).map(|(after, before)| after + restitution * before));
    jump.clear();
    jump.extend(result.v.iter().zip(v).map(|(after, before)| after - before));
    let state = (q, &velocity[..], &zeros[..]);
    let by = (constraints, result.impulse.as_slice());
    let in_blocks = in_blocks(ws);
    let quick = in_blocks && held.wrenches_of_axes(model, &mut ws.base, &[], by).is_some();
    if quick {
        ws.begin(0)?;
        by_formulas(ForceField::none(), model, ws, (q, zeros, jump), &held.wrenches, Reuse::Poses);
        by_plan::of(model, &mut ws.base).and_then(|kernels| kernels.body_motions_again(velocity, zeros));
        held.of_axes(model, &mut ws.base, Rows::Rates, by);
    } else {
        held.of_constraints(model, &mut ws.base, Rows::Rates, state, &[], by);
        weightless(model, ws, (q, zeros, jump), &held.wrenches)?;
        held.of_torques(model.nv, ws, 0);
    }
    let nv = model.nv;
    for m in [&mut result.dv_dq, &mut result.dv_dv] {
        shape(m, nv, nv);
    }
    for m in [&mut result.dimpulse_dq, &mut result.dimpulse_dv] {
        shape(m, rows, nv);
    }
    // E₁ = −M, E₂ = ε J, which is as if E₁ = 0, E₂ = (1 + ε) J, and dv⁺ = dv⁻ besides
    if let Some(memory) = ws.base.constraints.as_deref() {
        shape(by_rows, rows, nv);
        for (to, from) in by_rows.as_mut_slice().iter_mut().zip(memory.rows.jacobian.as_slice()) {
            *to = (1.0 + restitution) * from;
        }
    }
    if in_blocks && let Some(mut kernels) = by_plan::of(model, &mut ws.base) {
        kernels.fill_operators(None);
        let by_q = held.changes(quick, &ws.result);
        kernels.apply_operators(&by_q, result.dv_dq.as_mut_slice(), result.dimpulse_dq.as_mut_slice());
        let by_v = Changes { rows: by_rows.as_slice(), ..Changes::default() };
        kernels.apply_operators(&by_v, result.dv_dv.as_mut_slice(), result.dimpulse_dv.as_mut_slice());
    } else {
        operators.fill(nv, &ws.base);
        let Some(memory) = ws.base.constraints.as_deref() else { return Ok(()) };
        let of_rank = (memory.factor.rank < rows).then_some((&memory.factor, &*dependent));
        operators.all((&held.torques_q, Some(&held.rows_q)), of_rank, (&mut result.dv_dq, &mut result.dimpulse_dq));
        let Operators { z, v, vt, t, .. } = operators;
        shape(t, v.nrows(), nv);
        product::negated_product(v, by_rows, t);
        result.dv_dv.as_mut_slice().fill(0.0);
        product::add_product(1.0, z, t, &mut result.dv_dv);
        result.dimpulse_dv.as_mut_slice().fill(0.0);
        product::add_product(1.0, vt, t, &mut result.dimpulse_dv);
    }
    result.dv_dv.as_mut_slice().iter_mut().step_by(nv + 1).for_each(|x| *x += 1.0);
    Ok(())
}

/// Whether accelerations or velocities were computed by factors in blocks. Then the poses of bodies are in
/// `ws.by_joint`, too.
fn in_blocks(ws: &DerivativeWorkspace) -> bool {
    ws.base.constraints.as_deref().is_some_and(|memory| memory.by == FactorsOfMass::Blocks)
}

/// The derivatives that the last two terms of (2) are made of, if there are such.
fn dependent_rows(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    scratch: &mut Scratch,
    q: &[f64],
    constraints: &[Constraint],
) -> Result<(), InputError> {
    let Scratch { dependent, velocity, zeros, contradiction, again, .. } = scratch;
    zeros.clear();
    zeros.resize(model.nv, 0.0);
    let base = &mut ws.base;
    let Some(mut memory) = base.constraints.take_if(|memory| memory.factor.rank < memory.lambda.len()) else {
        return Ok(());
    };
    let ConstraintsMemory { factor, root, lambda, rhs, .. } = &mut *memory;
    contradiction.clone_from(rhs);
    factor.out_of_reach(contradiction);
    factor.solve(model.nv, lambda, again, velocity);
    base.ltl.other_half(root, velocity); // M⁻¹ Jᵀ G⁺ λ
    base.constraints = Some(memory);
    let state = (q, &velocity[..], &zeros[..]);
    dependent.of_constraints(model, base, Rows::Rates, state, &[], (constraints, contradiction));
    weightless(model, ws, (q, zeros, zeros), &dependent.wrenches)?;
    dependent.of_torques(model.nv, ws, 0); //                    −∂(Jᵀ r)/∂q
    Ok(())
}

/// Derivatives of inverse dynamics without weight and springs.
fn weightless(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    state: (&[f64], &[f64], &[f64]),
    wrenches: &[ExternalWrench],
) -> Result<(), InputError> {
    ws.result.errors = None;
    ws.begin(wrenches.len())?;
    if by_formulas(ForceField::none(), model, ws, state, wrenches, Reuse::Nothing) {
        return Ok(());
    }
    ws.result.check_finite(model)
}
