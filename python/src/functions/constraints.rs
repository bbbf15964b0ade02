//! Contacts and loops; moving along the configurations.

#![allow(clippy::redundant_closure_call, reason = "rows are written as closures")]

use super::put::{Put, put};
use crate::call::call;
use crate::memory::ModelMemory;
use crate::model::PyModel;
use crate::options::{Asked, Resolved};
use crate::table::Dim::{Nq, Number, Nv, Of, Rows, Wrenches};
use crate::table::{Argument, Choice, Function, Order, Output, functions};
use gradyn::batch::{Batch, BatchConstraintDynamics, BatchConstraintDynamicsDerivatives};
use gradyn::dynamics::{self};
use gradyn::nalgebra::DMatrix;
use gradyn::{InputError, Model, partials};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

functions! {
    /// Forward dynamics under contacts and loops: accelerations, and forces `lambda_` that hold the constraints, with
    /// `M ddq + c = tau + J^T lambda_` and `J ddq = -gamma`. `residual` is what dependent constraints leave.
    constraint_dynamics(q: Nq, v: Nv, tau: Nv; constraints: &Bound<'py, PyAny>; wrenches: Option<&Bound<'py, PyAny>> = None)
        -> ConstraintDynamics { ddq: [Nv], lambda_: [Rows], residual: [] } Columns
        |m, ws, o| {
            let by = dynamics::constraint_dynamics(m, ws.values(m), q, v, tau, &o.constraints, &o.wrenches)?;
            put!(ddq = by.ddq; lambda_ = by.lambda; residual = by.residual)
        },
        many |m, batch, o| {
            let to = BatchConstraintDynamics { ddq, lambda: lambda_, residual };
            batch.constraint_dynamics(m, q, v, tau, &o.constraints, to)
        };

    /// Forward dynamics under contacts and loops, with the derivatives of accelerations and forces.
    constraint_dynamics_derivatives(q: Nq, v: Nv, tau: Nv; constraints: &Bound<'py, PyAny>;
        method: &str = "analytical", wrenches: Option<&Bound<'py, PyAny>> = None)
        -> ConstraintDynamicsDerivatives {
            ddq: [Nv], lambda_: [Rows], ddq_dq: [Nv, Nv], ddq_dv: [Nv, Nv], ddq_dtau: [Nv, Nv],
            ddq_df_ext: [Wrenches, Nv, Of(6)], dlambda_dq: [Rows, Nv], dlambda_dv: [Rows, Nv], dlambda_dtau: [Rows, Nv],
            dlambda_df_ext: [Wrenches, Rows, Of(6)]
        } Columns
        |m, ws, o| {
            let by = partials::constraint_dynamics_derivatives(
                m, ws.derivatives(m), o.method, q, v, tau, &o.constraints, &o.wrenches,
            )?;
            put!(
                ddq = by.ddq; lambda_ = by.lambda; ddq_dq = by.ddq_dq; ddq_dv = by.ddq_dv; ddq_dtau = by.ddq_dtau;
                ddq_df_ext = by.ddq_df_ext; dlambda_dq = by.dlambda_dq; dlambda_dv = by.dlambda_dv;
                dlambda_dtau = by.dlambda_dtau; dlambda_df_ext = by.dlambda_df_ext
            )
        },
        many |m, batch, o| {
            let _ = (ddq_df_ext, dlambda_df_ext);
            let to = BatchConstraintDynamicsDerivatives {
                ddq, lambda: lambda_, ddq_dq, ddq_dv, ddq_dtau, dlambda_dq, dlambda_dv, dlambda_dtau,
            };
            batch.constraint_dynamics_derivatives(m, q, v, tau, &o.constraints, to)
        };

    /// Inverse dynamics with given forces of constraints: torques `tau = M a + c - J^T lambda_` and rows
    /// `J a + gamma`, with their derivatives.
    constraint_inverse_dynamics_derivatives(q: Nq, v: Nv, a: Nv, lambda_: Rows; constraints: &Bound<'py, PyAny>;
        method: &str = "analytical", wrenches: Option<&Bound<'py, PyAny>> = None)
        -> ConstraintInverseDynamicsDerivatives {
            tau: [Nv], rows: [Rows], dtau_dq: [Nv, Nv], dtau_dv: [Nv, Nv], dtau_da: [Nv, Nv], dtau_dlambda: [Nv, Rows],
            drows_dq: [Rows, Nv], drows_dv: [Rows, Nv], drows_da: [Rows, Nv]
        } Columns
        |m, ws, o| {
            let by = partials::constraint_inverse_dynamics_derivatives(
                m, ws.derivatives(m), o.method, q, v, a, lambda_, &o.constraints, &o.wrenches,
            )?;
            put!(
                tau = by.tau; rows = by.rows; dtau_dq = by.dtau_dq; dtau_dv = by.dtau_dv; dtau_da = by.dtau_da;
                dtau_dlambda = by.dtau_dlambda; drows_dq = by.drows_dq; drows_dv = by.drows_dv; drows_da = by.drows_da
            )
        };

    /// The combination `on_ddq^T ddq + on_lambda^T lambda_` of constraint dynamics, its gradient and Hessian in blocks.
    constraint_dynamics_hessian(q: Nq, v: Nv, tau: Nv, on_ddq: Nv, on_lambda: Rows; constraints: &Bound<'py, PyAny>;
        wrenches: Option<&Bound<'py, PyAny>> = None)
        -> ConstraintDynamicsHessian {
            value: [], dq: [Nv], dv: [Nv], dtau: [Nv], dqq: [Nv, Nv], dvq: [Nv, Nv], dtauq: [Nv, Nv], dvv: [Nv, Nv]
        } Columns
        |m, ws, o| {
            let by = partials::constraint_dynamics_hessian(
                m, ws.second(m), q, v, tau, on_ddq, on_lambda, &o.constraints, &o.wrenches,
            )?;
            put!(
                value = by.value; dq = by.dq; dv = by.dv; dtau = by.dtau;
                dqq = by.dqq; dvq = by.dvq; dtauq = by.dtauq; dvv = by.dvv
            )
        };

    /// An impact: velocities after it and impulses, `M (v+ - v-) = J^T impulse`, `J v+ = -restitution J v-`.
    impulse_dynamics(q: Nq, v: Nv; constraints: &Bound<'py, PyAny>; restitution: f64 = 0.0)
        -> ImpulseDynamics { v_after: [Nv], impulse: [Rows], residual: [] } Columns
        |m, ws, o| {
            let by = dynamics::impulse_dynamics(m, ws.values(m), q, v, o.restitution, &o.constraints)?;
            put!(v_after = by.v; impulse = by.impulse; residual = by.residual)
        };

    /// An impact, with the derivatives of velocities and impulses.
    impulse_dynamics_derivatives(q: Nq, v: Nv; constraints: &Bound<'py, PyAny>;
        restitution: f64 = 0.0, method: &str = "analytical")
        -> ImpulseDynamicsDerivatives {
            v_after: [Nv], impulse: [Rows], dv_dq: [Nv, Nv], dv_dv: [Nv, Nv], dimpulse_dq: [Rows, Nv], dimpulse_dv: [Rows, Nv]
        } Columns
        |m, ws, o| {
            let by = partials::impulse_dynamics_derivatives(
                m, ws.derivatives(m), o.method, q, v, o.restitution, &o.constraints,
            )?;
            put!(
                v_after = by.v; impulse = by.impulse; dv_dq = by.dv_dq; dv_dv = by.dv_dv;
                dimpulse_dq = by.dimpulse_dq; dimpulse_dv = by.dimpulse_dv
            )
        };

    /// Errors of constraints, m and rad: zero where they are satisfied.
    constraint_error(q: Nq; constraints: &Bound<'py, PyAny>;)
        -> { error: [Rows] } Columns
        |m, ws, o| put!(error = dynamics::constraint_error(m, ws.values(m), q, &o.constraints)?);

    /// The Jacobian of constraints.
    constraint_jacobian(q: Nq; constraints: &Bound<'py, PyAny>;)
        -> { jacobian: [Rows, Nv] } Columns
        |m, ws, o| put!(jacobian = dynamics::constraint_jacobian(m, ws.values(m), q, &o.constraints)?);

    /// `gamma` of constraints: accelerations satisfy `J ddq = -gamma`.
    constraint_bias(q: Nq, v: Nv; constraints: &Bound<'py, PyAny>;)
        -> { gamma: [Rows] } Columns
        |m, ws, o| put!(gamma = dynamics::constraint_bias(m, ws.values(m), q, v, &o.constraints)?);

    /// How many rows of constraints are independent, and how clearly: the least pivot kept and the greatest dropped, relative.
    constraint_rank(q: Nq; constraints: &Bound<'py, PyAny>;)
        -> ConstraintRank { rank: [], kept: [], dropped: [] } Columns
        |m, ws, o| {
            let by = dynamics::constraint_rank(m, ws.values(m), q, &o.constraints)?;
            put!(rank = (by.rank as f64); kept = by.margin.kept; dropped = by.margin.dropped)
        };

    /// Moves along the configurations: `q ⊕ v`, v a step in the tangent space.
    integrate(q: Nq, v: Nv;;)
        -> { q_moved: [Nq] } Columns
        |m, _ws, _o| m.integrate_into(q, v, q_moved)?;

    /// The step from one configuration to another: `integrate(q0, difference(q0, q1))` is `q1`.
    difference(q0: Nq, q1: Nq;;)
        -> { v: [Nv] } Columns
        |m, _ws, _o| m.difference_into(q0, q1, v)?;

    /// The configuration at the fraction `t` of the way from one to another.
    interpolate(q0: Nq, q1: Nq, t: Number;;)
        -> { q: [Nq] } Columns
        |m, _ws, _o| m.interpolate_into(q0, q1, t[0], q)?;

    /// Time derivative of the numbers of `q` at the velocity `v`.
    q_dot(q: Nq, v: Nv;;)
        -> { rate: [Nq] } Columns
        |m, _ws, _o| {
            m.check_configuration(q)?;
            m.q_dot_into(q, v, rate)?
        };

    /// Derivatives of `integrate(q, v)` in the tangent space, by `q` and by `v`.
    integrate_derivatives(v: Nv;;)
        -> IntegrateDerivatives { dq: [Nv, Nv], dv: [Nv, Nv] } Columns
        |m, _ws, _o| {
            let mut by_q = DMatrix::zeros(m.nv(), m.nv());
            let mut by_v = by_q.clone();
            m.integrate_derivatives_into(v, &mut by_q, &mut by_v)?;
            put!(dq = by_q; dv = by_v)
        };

    /// Derivatives of `difference(q0, q1)` in the tangent space, by `q0` and by `q1`.
    difference_derivatives(q0: Nq, q1: Nq;;)
        -> DifferenceDerivatives { dq0: [Nv, Nv], dq1: [Nv, Nv] } Columns
        |m, _ws, _o| {
            let mut by_q0 = DMatrix::zeros(m.nv(), m.nv());
            let mut by_q1 = by_q0.clone();
            m.difference_derivatives_into(q0, q1, &mut by_q0, &mut by_q1)?;
            put!(dq0 = by_q0; dq1 = by_q1)
        };
}
