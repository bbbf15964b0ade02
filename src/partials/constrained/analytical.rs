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
//! Where rows depend on each other, `G⁺` stands for `G⁻¹`. With `λ = G⁺ b`, `P = G G⁺`, and `r = (1 − P) b`, which contradicts
//! itself, the derivative of the pseudo-inverse at constant rank (G. Golub and V. Pereyra, SIAM J. Numer. Anal. 10(2), 1973) has two
//! terms more:
//!
//! ```text
//! dλ = G⁺ (J M⁻¹ E₁ − E₂ + G⁺ J M⁻¹ dJᵀ r) + (1 − P) dJ M⁻¹ Jᵀ G⁺ λ                                  (2)
//! ```

use super::Memory;
use super::variation::{Rows, Variation};
use crate::dynamics::constraints;
use crate::dynamics::jacobian::{clear, empty};
use crate::dynamics::ltl::Factors;
use crate::dynamics::{Constraint, ExternalWrench};
use crate::model::{InputError, Model};
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
    still: Vec<f64>,
    /// `r`
    contradiction: Vec<f64>,
    column: Column,
}

/// One column.
#[derive(Default)]
struct Column {
    /// Of accelerations, nv.
    motion: Vec<f64>,
    /// Of multipliers, one entry a row.
    lambda: Vec<f64>,
    /// Right-hand side, one entry a row.
    rhs: Vec<f64>,
    /// `J M⁻¹ dJᵀ r`, one entry a row.
    reached: Vec<f64>,
    /// What the multipliers move, nv.
    change: Vec<f64>,
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
    let Scratch { held, dependent, column, .. } = scratch;
    held.of_constraints(model, &mut ws.base, what, state, wrenches, (constraints, result.lambda.as_slice()));
    rnea_derivatives(model, ws, Method::Analytical, q, v, ddq, &held.wrenches)?;
    held.of_torques(model.nv, ws, wrenches.len());
    for m in [&mut result.ddq_dq, &mut result.ddq_dv, &mut result.ddq_dtau] {
        clear(m, model.nv, model.nv);
    }
    for m in [&mut result.dlambda_dq, &mut result.dlambda_dv, &mut result.dlambda_dtau] {
        clear(m, rows, model.nv);
    }
    result.ddq_df_ext.resize_with(wrenches.len(), empty);
    result.ddq_df_ext.iter_mut().for_each(|m| clear(m, model.nv, 6));
    result.dlambda_df_ext.resize_with(wrenches.len(), empty);
    result.dlambda_df_ext.iter_mut().for_each(|m| clear(m, rows, 6));
    let DerivativeWorkspace { base, result: by, .. } = ws;
    let Some(memory) = base.constraints.as_deref_mut() else { return Ok(()) };
    let mut solve = Solve { ltl: &base.ltl, memory, nv: model.nv, column };

    let of_rank = (solve.memory.factor.rank < rows).then_some(&*dependent);
    solve.all((&held.torques_q, Some(&held.rows_q)), of_rank, &mut result.ddq_dq, &mut result.dlambda_dq);
    solve.all((&by.dtau_dv, Some(&held.rows_v)), None, &mut result.ddq_dv, &mut result.dlambda_dv);
    let by_wrenches = result.ddq_df_ext.iter_mut().zip(&mut result.dlambda_df_ext);
    for (from, (ddq, lambda)) in by.dtau_df_ext.iter().zip(by_wrenches) {
        solve.all((from, None), None, ddq, lambda);
    }
    for k in 0..model.nv {
        solve.unit(k);
        solve.ltl.solve(&mut solve.column.motion); //            −M⁻¹ E₁ = M⁻¹
        solve.hold(None, None);
        solve.store(k, &mut result.ddq_dtau, &mut result.dlambda_dtau);
    }
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
    let Scratch { held, dependent, velocity, jump, still, column, .. } = scratch;
    velocity.clear();
    velocity.extend(result.v.iter().zip(v).map(|(after, before)| after + restitution * before));
    jump.clear();
    jump.extend(result.v.iter().zip(v).map(|(after, before)| after - before));
    let state = (q, &velocity[..], &still[..]);
    held.of_constraints(model, &mut ws.base, Rows::Rates, state, &[], (constraints, result.impulse.as_slice()));
    weightless(model, ws, (q, still, jump), &held.wrenches)?;
    held.of_torques(model.nv, ws, 0);
    clear(&mut result.dv_dq, model.nv, model.nv);
    clear(&mut result.dv_dv, model.nv, model.nv);
    clear(&mut result.dimpulse_dq, rows, model.nv);
    clear(&mut result.dimpulse_dv, rows, model.nv);
    let base = &mut ws.base;
    let Some(memory) = base.constraints.as_deref_mut() else { return Ok(()) };
    let mut solve = Solve { ltl: &base.ltl, memory, nv: model.nv, column };
    let of_rank = (solve.memory.factor.rank < rows).then_some(&*dependent);
    solve.all((&held.torques_q, Some(&held.rows_q)), of_rank, &mut result.dv_dq, &mut result.dimpulse_dq);
    // E₁ = −M, E₂ = ε J
    for k in 0..model.nv {
        solve.unit(k);
        let Solve { memory, column, .. } = &mut solve;
        column.rhs.clear();
        column.rhs.extend((0..rows).map(|r| -restitution * memory.rows.jacobian[(r, k)]));
        solve.hold_from_rhs(None);
        solve.store(k, &mut result.dv_dv, &mut result.dimpulse_dv);
    }
    Ok(())
}

/// The derivatives that the last two terms of (2) are made of, if there are such.
fn dependent_rows(
    model: &Model,
    ws: &mut DerivativeWorkspace,
    scratch: &mut Scratch,
    q: &[f64],
    constraints: &[Constraint],
) -> Result<(), InputError> {
    let Scratch { dependent, velocity, still, contradiction, column, .. } = scratch;
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
    factor.solve(model.nv, lambda, &mut column.lambda, velocity);
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
    crate::partials::analytical::weightless(model, ws, state, wrenches);
    ws.result.check_finite(model)
}

/// Equations (1) and (2), column by column.
struct Solve<'a> {
    ltl: &'a Factors<f64>,
    memory: &'a mut constraints::Memory<f64>,
    nv: usize,
    column: &'a mut Column,
}

impl Solve<'_> {
    /// All columns, from those of `E₁` and `E₂`.
    fn all(
        &mut self,
        (torques, rows): (&DMatrix<f64>, Option<&DMatrix<f64>>),
        dependent: Option<&Variation>,
        motion: &mut DMatrix<f64>,
        lambda: &mut DMatrix<f64>,
    ) {
        for k in 0..torques.ncols() {
            self.column.motion.clear();
            self.column.motion.extend(torques.column(k).iter().map(|x| -x));
            self.ltl.solve(&mut self.column.motion);
            self.hold(rows.map(|m| (m, k)), dependent.map(|m| (m, k)));
            self.store(k, motion, lambda);
        }
    }

    /// A unit vector, for motion.
    fn unit(&mut self, k: usize) {
        let motion = &mut self.column.motion;
        motion.clear();
        motion.resize(self.nv, 0.0);
        motion[k] = 1.0;
    }

    /// From `−M⁻¹ E₁` to what the constraints let happen, and a column of `E₂`.
    fn hold(&mut self, rows: Option<(&DMatrix<f64>, usize)>, dependent: Option<(&Variation, usize)>) {
        let count = self.memory.rows.jacobian.nrows();
        let rhs = &mut self.column.rhs;
        rhs.clear();
        rhs.extend((0..count).map(|r| rows.map_or(0.0, |(m, k)| -m[(r, k)])));
        self.hold_from_rhs(dependent);
    }

    /// [`hold`](Self::hold), `−E₂` being there.
    fn hold_from_rhs(&mut self, dependent: Option<(&Variation, usize)>) {
        let Self { ltl, memory, nv, column: Column { motion, lambda, rhs, reached, change } } = self;
        let constraints::Memory { rows, factor, root, .. } = &mut **memory;
        for (r, x) in rhs.iter_mut().enumerate() {
            *x -= constraints::row_times(&rows.jacobian, r, motion);
        }
        if let Some((by, k)) = dependent {
            change.clear();
            change.extend(by.torques_q.column(k).iter().map(|x| -x));
            ltl.solve(change);
            reached.clear();
            reached.extend((0..rhs.len()).map(|r| constraints::row_times(&rows.jacobian, r, change)));
            factor.solve(*nv, reached, lambda, change); //        G⁺ J M⁻¹ dJᵀ r
            rhs.iter_mut().zip(&*lambda).for_each(|(x, y)| *x += y);
        }
        factor.solve(*nv, rhs, lambda, change);
        ltl.other_half(root, change);
        motion.iter_mut().zip(&*change).for_each(|(x, y)| *x += y);
        if let Some((by, k)) = dependent {
            rhs.iter_mut().zip(by.rows_q.column(k).iter()).for_each(|(x, y)| *x = *y);
            factor.out_of_reach(rhs);
            lambda.iter_mut().zip(&*rhs).for_each(|(x, y)| *x += y);
        }
    }

    fn store(&self, k: usize, motion: &mut DMatrix<f64>, lambda: &mut DMatrix<f64>) {
        motion.column_mut(k).copy_from_slice(&self.column.motion);
        lambda.column_mut(k).copy_from_slice(&self.column.lambda);
    }
}
