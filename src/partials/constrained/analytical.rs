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
//! `J (v⁺ + ε v⁻)`, without weight and at rest.
//!
//! The factors of `M` and `G` ([`constraints`]) give `Z = L⁻¹ D^(−1/2) Q`, nv × rank, and `V`, rank × rows, with `G⁺ = Vᵀ V` and
//! `V J M⁻¹ = Zᵀ`; and what the constraints leave of `M⁻¹`, `N = X Xᵀ` with `X = L⁻¹ D^(−1/2) (1 − Q Qᵀ)`, in which nothing
//! cancels. So all columns are products of dense matrices, and no digit of `q̈` is lost that is one of `λ` only:
//!
//! ```text
//! dq̈ = −N E₁ − Z V E₂ ,   dλ = Vᵀ (Zᵀ E₁ − V E₂)                                                     (3)
//! ```
//!
//! Where rows depend on each other, `G⁺` stands for `G⁻¹`. With `λ = G⁺ b`, `P = G G⁺`, and `r = (1 − P) b`, which contradicts
//! itself, the derivative of the pseudo-inverse at constant rank (G. Golub and V. Pereyra, SIAM J. Numer. Anal. 10(2), 1973) has two
//! terms more:
//!
//! ```text
//! dλ = G⁺ (J M⁻¹ E₁ − E₂ + G⁺ J M⁻¹ dJᵀ r) + (1 − P) dJ M⁻¹ Jᵀ G⁺ λ                                  (2)
//! ```

use super::Memory;
use super::variation::Variation;
use crate::dynamics::constraints;
use crate::dynamics::constraints::{Factor, Rows};
use crate::dynamics::jacobian::{clear, empty};
use crate::dynamics::wide::{self, Projections, shape};
use crate::dynamics::{Constraint, ExternalWrench, Workspace};
use crate::model::{InputError, Model};
use crate::partials::analytical::rnea_derivatives as by_formulas;
use crate::partials::{DerivativeWorkspace, Method, rnea_derivatives};
use nalgebra::{DMatrix, Vector3};

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
    still: Vec<f64>,
    /// `r`
    contradiction: Vec<f64>,
    /// `G⁺ λ`, one entry a row.
    again: Vec<f64>,
    operators: Operators,
}

/// Fills in the derivatives of accelerations and multipliers, which have just been computed.
pub(super) fn dynamics(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    memory: &mut Memory,
    (q, v): (&[f64], &[f64]),
    wrenches: &[ExternalWrench],
    constraints: &[Constraint],
) -> Result<(), InputError> {
    let Memory { dynamics: result, scratch, .. } = memory;
    let (rows, ddq) = (result.lambda.len(), result.ddq.as_slice());
    dependent_rows(model, ws, scratch, q, constraints)?;
    let state = (q, v, ddq);
    let what = Rows::Accelerations;
    let Scratch { held, dependent, operators, .. } = scratch;
    let by = (constraints, result.lambda.as_slice());
    let quick = is_by_blocks(ws) && held.wrenches_of_axes(model, &mut ws.base, q, wrenches, by).is_some();
    if !quick {
        held.of_constraints(model, &mut ws.base, what, state, wrenches, by);
    }
    if quick {
        // What is not finite, is not in the results either.
        ws.result.size_wrenches(wrenches.len(), &mut ws.spare);
        by_formulas(model.gravity, model, ws, state, &held.wrenches);
        held.of_axes(model, &mut ws.base, what, q, by);
        operators.fill(model, &mut ws.base);
        held.torques_of_axes(model.nv, ws, &operators.jt);
    } else {
        rnea_derivatives(model, ws, Method::Analytical, q, v, ddq, &held.wrenches)?;
        held.of_torques(model.nv, ws, wrenches.len());
        operators.fill(model, &mut ws.base);
    }
    for m in [&mut result.ddq_dq, &mut result.ddq_dv, &mut result.ddq_dtau] {
        shape(m, model.nv, model.nv);
    }
    for m in [&mut result.dlambda_dq, &mut result.dlambda_dv, &mut result.dlambda_dtau] {
        clear(m, rows, model.nv);
    }
    result.ddq_df_ext.resize_with(wrenches.len(), empty);
    result.ddq_df_ext.iter_mut().for_each(|m| _ = shape(m, model.nv, 6));
    result.dlambda_df_ext.resize_with(wrenches.len(), empty);
    result.dlambda_df_ext.iter_mut().for_each(|m| clear(m, rows, 6));
    let DerivativeWorkspace { base, result: by, .. } = ws;
    let Some(memory) = base.constraints.as_deref() else { return Ok(()) };
    let of_rank = (memory.factor.rank < rows).then_some((&memory.factor, &*dependent));
    operators.all((&held.torques_q, Some(&held.rows_q)), of_rank, (&mut result.ddq_dq, &mut result.dlambda_dq));
    operators.all((&by.dtau_dv, Some(&held.rows_v)), None, (&mut result.ddq_dv, &mut result.dlambda_dv));
    let by_wrenches = result.ddq_df_ext.iter_mut().zip(&mut result.dlambda_df_ext);
    for (from, to) in by.dtau_df_ext.iter().zip(by_wrenches) {
        operators.all((from, None), None, to);
    }
    // E₁ = −1
    wide::add_product(-1.0, &operators.vt, &operators.zt, &mut result.dlambda_dtau);
    std::mem::swap(&mut result.ddq_dtau, &mut operators.free);
    Ok(())
}

/// Fills in the derivatives of velocities and impulses, which have just been computed.
pub(super) fn impulses(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    memory: &mut Memory,
    (q, v): (&[f64], &[f64]),
    restitution: f64,
    constraints: &[Constraint],
) -> Result<(), InputError> {
    let Memory { impulses: result, scratch, .. } = memory;
    let rows = result.impulse.len();
    dependent_rows(model, ws, scratch, q, constraints)?;
    let Scratch { held, dependent, velocity, jump, still, operators, .. } = scratch;
    velocity.clear();
    velocity.extend(result.v.iter().zip(v).map(|(after, before)| after + restitution * before));
    jump.clear();
    jump.extend(result.v.iter().zip(v).map(|(after, before)| after - before));
    let state = (q, &velocity[..], &still[..]);
    let by = (constraints, result.impulse.as_slice());
    let quick = is_by_blocks(ws) && held.wrenches_of_axes(model, &mut ws.base, q, &[], by).is_some();
    if !quick {
        held.of_constraints(model, &mut ws.base, Rows::Rates, state, &[], by);
    }
    if quick {
        ws.result.size_wrenches(0, &mut ws.spare);
        by_formulas(Vector3::zeros(), model, ws, (q, still, jump), &held.wrenches);
        wide::of(model, &mut ws.base).and_then(|wide| wide.drive_again(velocity, still));
        held.of_axes(model, &mut ws.base, Rows::Rates, q, by);
        operators.fill(model, &mut ws.base);
        held.torques_of_axes(model.nv, ws, &operators.jt);
    } else {
        weightless(model, ws, (q, still, jump), &held.wrenches)?;
        held.of_torques(model.nv, ws, 0);
        operators.fill(model, &mut ws.base);
    }
    shape(&mut result.dv_dq, model.nv, model.nv);
    shape(&mut result.dv_dv, model.nv, model.nv);
    clear(&mut result.dimpulse_dq, rows, model.nv);
    clear(&mut result.dimpulse_dv, rows, model.nv);
    let Some(memory) = ws.base.constraints.as_deref() else { return Ok(()) };
    let of_rank = (memory.factor.rank < rows).then_some((&memory.factor, &*dependent));
    operators.all((&held.torques_q, Some(&held.rows_q)), of_rank, (&mut result.dv_dq, &mut result.dimpulse_dq));
    // E₁ = −M, E₂ = ε J, so that the last bracket is −(1 + ε) V J
    let Operators { z, v, vt, t, .. } = operators;
    clear(t, v.nrows(), model.nv);
    wide::add_product(-(1.0 + restitution), v, &memory.rows.jacobian, t);
    result.dv_dv.as_mut_slice().fill(0.0);
    (0..model.nv).for_each(|k| result.dv_dv[(k, k)] = 1.0);
    wide::add_product(1.0, z, t, &mut result.dv_dv);
    wide::add_product(1.0, vt, t, &mut result.dimpulse_dv);
    Ok(())
}

/// Were accelerations or velocities found by [`wide`]?
fn is_by_blocks(ws: &DerivativeWorkspace) -> bool {
    ws.base.constraints.as_deref().is_some_and(|memory| memory.by_blocks)
}

/// The derivatives that the last two terms of (2) are made of, if there are such.
fn dependent_rows(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    scratch: &mut Scratch,
    q: &[f64],
    constraints: &[Constraint],
) -> Result<(), InputError> {
    let Scratch { dependent, velocity, still, contradiction, again, .. } = scratch;
    still.clear();
    still.resize(model.nv, 0.0);
    let base = &mut ws.base;
    let Some(memory) = base.constraints.as_deref_mut() else { return Ok(()) };
    let constraints::Memory { factor, root, lambda, rhs, .. } = memory;
    if factor.rank == lambda.len() {
        return Ok(());
    }
    contradiction.clone_from(rhs);
    factor.out_of_reach(contradiction);
    factor.solve(model.nv, lambda, again, velocity);
    base.ltl.other_half(root, velocity); //                      M⁻¹ Jᵀ G⁺ λ
    let state = (q, &velocity[..], &still[..]);
    dependent.of_constraints(model, base, Rows::Rates, state, &[], (constraints, contradiction));
    weightless(model, ws, (q, still, still), &dependent.wrenches)?;
    dependent.of_torques(model.nv, ws, 0); //                    −∂(Jᵀ r)/∂q
    Ok(())
}

/// Derivatives of inverse dynamics without weight.
fn weightless(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    state: (&[f64], &[f64], &[f64]),
    wrenches: &[ExternalWrench],
) -> Result<(), InputError> {
    ws.result.errors = None;
    ws.result.size_wrenches(wrenches.len(), &mut ws.spare);
    if by_formulas(Vector3::zeros(), model, ws, state, wrenches) {
        return Ok(());
    }
    ws.result.check_finite(model)
}

/// What equation (3) multiplies by.
struct Operators {
    /// `N`
    free: DMatrix<f64>,
    /// `X`, and its transpose.
    x: DMatrix<f64>,
    xt: DMatrix<f64>,
    /// `Z`, and its transpose.
    z: DMatrix<f64>,
    zt: DMatrix<f64>,
    /// `V`, and its transpose.
    v: DMatrix<f64>,
    vt: DMatrix<f64>,
    /// `Jᵀ`, if it was found by [`wide`].
    jt: DMatrix<f64>,
    /// `V E₂`, then what multipliers come from.
    t: DMatrix<f64>,
    /// The same of six columns, by a wrench.
    t_wrench: DMatrix<f64>,
    /// `E₂` with what dependent rows add to it.
    rows: DMatrix<f64>,
    /// `V`, row by row.
    by_row: Vec<f64>,
}

impl Default for Operators {
    fn default() -> Self {
        let [free, x, xt, z, zt, v, vt, jt, t, t_wrench, rows] = [(); 11].map(|()| empty());
        Self { free, x, xt, z, zt, v, vt, jt, t, t_wrench, rows, by_row: Vec::new() }
    }
}

impl Operators {
    /// From the factors of the mass matrix and of the constraints.
    fn fill(&mut self, model: &Model, base: &mut Workspace<f64>) {
        let Self { free, x, xt, z, zt, v, vt, jt, by_row, .. } = self;
        let Some(memory) = base.constraints.as_deref() else { return };
        let (nv, rank, rows) = (model.nv, memory.factor.rank, memory.lambda.len());
        if memory.by_blocks {
            let [free, z, zt, v, vt, jt] =
                [(free, nv, nv), (z, nv, rank), (zt, rank, nv), (v, rank, rows), (vt, rows, rank), (jt, nv, rows)]
                    .map(|(m, rows, columns)| shape(m, rows, columns));
            wide::of(model, base).and_then(|wide| wide.projections(Projections { free, z, zt, v, vt, jt }));
            return;
        }
        clear(z, nv, rank);
        z.as_mut_slice().copy_from_slice(memory.factor.orthonormal());
        clear(zt, rank, nv);
        z.transpose_to(zt);
        clear(xt, nv, nv);
        xt.fill_with_identity();
        wide::add_product(-1.0, z, zt, xt); //                     1 − Q Qᵀ, by rows
        base.ltl.other_half_of_rows(&memory.root, nv, xt.as_mut_slice());
        clear(x, nv, nv);
        xt.transpose_to(x);
        clear(free, nv, nv);
        wide::add_product(1.0, x, xt, free);
        base.ltl.other_half_of_rows(&memory.root, rank, zt.as_mut_slice());
        zt.transpose_to(z);
        memory.factor.inverse(rows, by_row);
        clear(vt, rows, rank);
        vt.as_mut_slice().copy_from_slice(by_row);
        clear(v, rank, rows);
        vt.transpose_to(v);
    }

    /// All columns of accelerations and of multipliers, from those of `E₁` and `E₂`. Both are zero so far.
    fn all(
        &mut self,
        (torques, rows): (&DMatrix<f64>, Option<&DMatrix<f64>>),
        dependent: Option<(&Factor<f64>, &Variation)>,
        (motion, lambda): (&mut DMatrix<f64>, &mut DMatrix<f64>),
    ) {
        let Self { free, z, zt, v, vt, t, t_wrench, rows: own, .. } = self;
        let t = if rows.is_some() { t } else { t_wrench };
        let columns = torques.ncols();
        if let Some((_, by)) = dependent {
            // G⁺ J M⁻¹ dJᵀ r = −Vᵀ Zᵀ E for E = −dJᵀ r
            clear(t, zt.nrows(), columns);
            wide::add_product(1.0, zt, &by.torques_q, t);
            clear(own, vt.nrows(), columns);
            wide::add_product(1.0, vt, t, own);
            rows.into_iter().for_each(|rows| *own += rows);
        }
        let rows = if dependent.is_some() { Some(&*own) } else { rows };
        wide::negated_product(free, torques, motion);
        clear(t, zt.nrows(), columns);
        if let Some(rows) = rows {
            wide::negated_product(v, rows, t);
            wide::add_product(1.0, z, t, motion);
        }
        wide::add_product(1.0, zt, torques, t);
        wide::add_product(1.0, vt, t, lambda);
        if let Some((factor, by)) = dependent {
            let count = vt.nrows().max(1);
            own.copy_from(&by.rows_q);
            let columns = own.as_mut_slice().chunks_exact_mut(count).zip(lambda.as_mut_slice().chunks_exact_mut(count));
            for (rest, lambda) in columns {
                factor.out_of_reach(rest);
                lambda.iter_mut().zip(&*rest).for_each(|(x, y)| *x += y);
            }
        }
    }
}
