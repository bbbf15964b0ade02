//! Dynamics, its derivatives, and combinations of these.

#![allow(clippy::redundant_closure_call, reason = "rows are written as closures")]

use super::put::{Put, put};
use crate::call::call;
use crate::memory::ModelMemory;
use crate::model::PyModel;
use crate::options::{Asked, Resolved};
use crate::table::Dim::{Nq, Nv, Of, Parameters, Wrenches};
use crate::table::{Argument, Choice, Function, Order, Output, functions};
use gradyn::batch::{Batch, BatchAbaDerivatives, BatchDerivatives, BatchGradient};
use gradyn::dynamics::{self};
use gradyn::{InputError, Model, partials};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

functions! {
    /// Inverse dynamics: joint torques `tau = M(q) a + c(q, v) - sum J^T w`, N m or N.
    rnea(q: Nq, v: Nv, a: Nv;; wrenches: Option<&Bound<'py, PyAny>> = None)
        -> { tau: [Nv] } Columns
        |m, ws, o| put!(tau = dynamics::rnea(m, ws.values(m), q, v, a, &o.wrenches)?),
        many |m, batch, _o| batch.rnea(m, q, v, a, tau);

    /// Forward dynamics: joint accelerations `ddq = M(q)^-1 (tau - c(q, v) + sum J^T w)`, rad/s^2 or m/s^2.
    aba(q: Nq, v: Nv, tau: Nv;; wrenches: Option<&Bound<'py, PyAny>> = None)
        -> { ddq: [Nv] } Columns
        |m, ws, o| put!(ddq = dynamics::aba(m, ws.values(m), q, v, tau, &o.wrenches)?),
        many |m, batch, _o| batch.aba(m, q, v, tau, ddq);

    /// The mass matrix `M(q)`, symmetric, armature included.
    crba(q: Nq;;)
        -> { mass_matrix: [Nv, Nv] } Columns
        |m, ws, _o| put!(mass_matrix = dynamics::crba(m, ws.values(m), q)?),
        many |m, batch, _o| batch.crba(m, q, mass_matrix);

    /// The inverse of the mass matrix, symmetric.
    minv(q: Nq;;)
        -> { inverse: [Nv, Nv] } Columns
        |m, ws, _o| put!(inverse = dynamics::minv(m, ws.values(m), q)?);

    /// `M(q)^-1 b`, by the factors of the mass matrix.
    solve_mass_matrix(q: Nq, b: Nv;;)
        -> { x: [Nv] } Columns
        |m, ws, _o| {
            x.copy_from_slice(b);
            dynamics::factorize_mass_matrix(m, ws.values(m), q)?.solve(x)?
        };

    /// Bias torques `c(q, v) - sum J^T w`: gravity, Coriolis and centrifugal terms, friction.
    bias(q: Nq, v: Nv;; wrenches: Option<&Bound<'py, PyAny>> = None)
        -> { torques: [Nv] } Columns
        |m, ws, o| put!(torques = dynamics::bias(m, ws.values(m), q, v, &o.wrenches)?);

    /// Torques of gravity, `g(q)`.
    generalized_gravity(q: Nq;;)
        -> { gravity: [Nv] } Columns
        |m, ws, _o| put!(gravity = dynamics::generalized_gravity(m, ws.values(m), q)?);

    /// Torques that hold the robot at rest, `g(q) - sum J^T w`.
    static_torque(q: Nq;; wrenches: Option<&Bound<'py, PyAny>> = None)
        -> { tau: [Nv] } Columns
        |m, ws, o| put!(tau = dynamics::static_torque(m, ws.values(m), q, &o.wrenches)?);

    /// The Coriolis matrix `C(q, v)`: `C v = c(q, v) - g(q)`, and `dM/dt - 2 C` is skew.
    coriolis_matrix(q: Nq, v: Nv;;)
        -> { coriolis: [Nv, Nv] } Columns
        |m, ws, _o| put!(coriolis = dynamics::coriolis_matrix(m, ws.values(m), q, v)?);

    /// Kinetic energy `v^T M v / 2`, J.
    kinetic_energy(q: Nq, v: Nv;;)
        -> { energy: [] } Columns
        |m, ws, _o| put!(energy = dynamics::kinetic_energy(m, ws.values(m), q, v)?);

    /// Potential energy in the gravitational field, J.
    potential_energy(q: Nq;;)
        -> { energy: [] } Columns
        |m, ws, _o| put!(energy = dynamics::potential_energy(m, ws.values(m), q)?);

    /// Kinetic and potential energy, J.
    mechanical_energy(q: Nq, v: Nv;;)
        -> { energy: [] } Columns
        |m, ws, _o| put!(energy = dynamics::mechanical_energy(m, ws.values(m), q, v)?);

    /// Torques of inverse dynamics and their derivatives. `dtau_da` is the mass matrix; `dtau_df_ext` has a matrix for each
    /// wrench, by its own numbers, minus the transposed Jacobian.
    rnea_derivatives(q: Nq, v: Nv, a: Nv;; method: &str = "analytical", wrenches: Option<&Bound<'py, PyAny>> = None)
        -> RneaDerivatives {
            tau: [Nv], dtau_dq: [Nv, Nv], dtau_dv: [Nv, Nv], dtau_da: [Nv, Nv], dtau_df_ext: [Wrenches, Nv, Of(6)]
        } Columns
        |m, ws, o| {
            let by = partials::rnea_derivatives(m, ws.derivatives(m), o.method, q, v, a, &o.wrenches)?;
            put!(tau = by.tau; dtau_dq = by.dtau_dq; dtau_dv = by.dtau_dv; dtau_da = by.dtau_da; dtau_df_ext = by.dtau_df_ext)
        },
        many |m, batch, _o| {
            let _ = dtau_df_ext;
            batch.rnea_derivatives(m, q, v, a, BatchDerivatives { tau, dtau_dq, dtau_dv, dtau_da })
        };

    /// Accelerations of forward dynamics and their derivatives. `ddq_dtau` is the inverse of the mass matrix;
    /// `ddq_df_ext` has a matrix for each wrench, by its own numbers.
    aba_derivatives(q: Nq, v: Nv, tau: Nv;; method: &str = "analytical", wrenches: Option<&Bound<'py, PyAny>> = None)
        -> AbaDerivatives {
            ddq: [Nv], ddq_dq: [Nv, Nv], ddq_dv: [Nv, Nv], ddq_dtau: [Nv, Nv], ddq_df_ext: [Wrenches, Nv, Of(6)]
        } Columns
        |m, ws, o| {
            let by = partials::aba_derivatives(m, ws.derivatives(m), o.method, q, v, tau, &o.wrenches)?;
            put!(ddq = by.ddq; ddq_dq = by.ddq_dq; ddq_dv = by.ddq_dv; ddq_dtau = by.ddq_dtau; ddq_df_ext = by.ddq_df_ext)
        },
        many |m, batch, _o| {
            let _ = ddq_df_ext;
            batch.aba_derivatives(m, q, v, tau, BatchAbaDerivatives { ddq, ddq_dq, ddq_dv, ddq_dtau })
        };

    /// Bias torques and their derivatives.
    bias_derivatives(q: Nq, v: Nv;; method: &str = "analytical", wrenches: Option<&Bound<'py, PyAny>> = None)
        -> BiasDerivatives {
            bias: [Nv], dbias_dq: [Nv, Nv], dbias_dv: [Nv, Nv], dbias_df_ext: [Wrenches, Nv, Of(6)]
        } Columns
        |m, ws, o| {
            let by = partials::bias_derivatives(m, ws.derivatives(m), o.method, q, v, &o.wrenches)?;
            put!(bias = by.bias; dbias_dq = by.dbias_dq; dbias_dv = by.dbias_dv; dbias_df_ext = by.dbias_df_ext)
        };

    /// Torques of gravity and their derivative.
    generalized_gravity_derivatives(q: Nq;; method: &str = "analytical")
        -> GravityDerivatives { gravity: [Nv], dgravity_dq: [Nv, Nv] } Columns
        |m, ws, o| {
            let by = partials::generalized_gravity_derivatives(m, ws.derivatives(m), o.method, q)?;
            put!(gravity = by.tau; dgravity_dq = by.dtau_dq)
        };

    /// Torques that hold the robot at rest, and their derivatives.
    static_torque_derivatives(q: Nq;; method: &str = "analytical", wrenches: Option<&Bound<'py, PyAny>> = None)
        -> StaticTorqueDerivatives { tau: [Nv], dtau_dq: [Nv, Nv], dtau_df_ext: [Wrenches, Nv, Of(6)] } Columns
        |m, ws, o| {
            let by = partials::static_torque_derivatives(m, ws.derivatives(m), o.method, q, &o.wrenches)?;
            put!(tau = by.tau; dtau_dq = by.dtau_dq; dtau_df_ext = by.dtau_df_ext)
        };

    /// The product `M(q) a` and its derivatives.
    mass_product_derivatives(q: Nq, a: Nv;; method: &str = "analytical")
        -> MassProductDerivatives { product: [Nv], dproduct_dq: [Nv, Nv], mass_matrix: [Nv, Nv] } Columns
        |m, ws, o| {
            let by = partials::mass_product_derivatives(m, ws.derivatives(m), o.method, q, a)?;
            put!(product = by.product; dproduct_dq = by.dproduct_dq; mass_matrix = by.mass_matrix)
        };

    /// Second derivatives of the torques of inverse dynamics. Entry (i, j, k) is that of `tau[i]` by the first and the
    /// second variable named.
    rnea_second_derivatives(q: Nq, v: Nv, a: Nv;; method: &str = "analytical", wrenches: Option<&Bound<'py, PyAny>> = None)
        -> RneaSecondDerivatives {
            d2tau_dqdq: [Nv, Nv, Nv], d2tau_dqdv: [Nv, Nv, Nv], d2tau_dvdv: [Nv, Nv, Nv], d2tau_dadq: [Nv, Nv, Nv]
        } Rows
        |m, ws, o| {
            let by = partials::rnea_second_derivatives(m, ws.second(m), o.method, q, v, a, &o.wrenches)?;
            put!(
                d2tau_dqdq = by.d2tau_dqdq; d2tau_dqdv = by.d2tau_dqdv;
                d2tau_dvdv = by.d2tau_dvdv; d2tau_dadq = by.d2tau_dadq
            )
        };

    /// Second derivatives of the accelerations of forward dynamics. Entry (i, j, k) is that of `ddq[i]` by the first and
    /// the second variable named.
    aba_second_derivatives(q: Nq, v: Nv, tau: Nv;; method: &str = "analytical", wrenches: Option<&Bound<'py, PyAny>> = None)
        -> AbaSecondDerivatives {
            d2ddq_dqdq: [Nv, Nv, Nv], d2ddq_dqdv: [Nv, Nv, Nv], d2ddq_dvdv: [Nv, Nv, Nv], d2ddq_dqdtau: [Nv, Nv, Nv]
        } Rows
        |m, ws, o| {
            let by = partials::aba_second_derivatives(m, ws.second(m), o.method, q, v, tau, &o.wrenches)?;
            put!(
                d2ddq_dqdq = by.d2ddq_dqdq; d2ddq_dqdv = by.d2ddq_dqdv;
                d2ddq_dvdv = by.d2ddq_dvdv; d2ddq_dqdtau = by.d2ddq_dqdtau
            )
        };

    /// The combination `lambda^T tau` of the torques of inverse dynamics, and its gradient, without matrices.
    /// `df_ext` is the gradient by the wrenches, six numbers each.
    rnea_gradient(q: Nq, v: Nv, a: Nv, lambda_: Nv;; wrenches: Option<&Bound<'py, PyAny>> = None)
        -> RneaGradient { value: [], dq: [Nv], dv: [Nv], da: [Nv], df_ext: [Wrenches, Of(6)] } Rows
        |m, ws, o| {
            let by = dynamics::rnea_gradient(m, ws.values(m), q, v, a, lambda_, &o.wrenches)?;
            put!(value = by.value; dq = by.dq; dv = by.dv; da = by.da; df_ext = by.df_ext)
        },
        many |m, batch, _o| {
            let _ = df_ext;
            batch.rnea_gradient(m, q, v, a, lambda_, BatchGradient { value, dq, dv, da })
        };

    /// The combination `lambda^T tau` of the torques of inverse dynamics, its gradient, and its Hessian in blocks: `dvq` has a
    /// row for each velocity and a column for each direction of `q`.
    rnea_hessian(q: Nq, v: Nv, a: Nv, lambda_: Nv;; wrenches: Option<&Bound<'py, PyAny>> = None)
        -> RneaHessian {
            value: [], dq: [Nv], dv: [Nv], da: [Nv], dqq: [Nv, Nv], dvq: [Nv, Nv], daq: [Nv, Nv], dvv: [Nv, Nv]
        } Columns
        |m, ws, o| {
            let by = partials::rnea_hessian(m, ws.hessian(m), q, v, a, lambda_, &o.wrenches)?;
            put!(
                value = by.value; dq = by.dq; dv = by.dv; da = by.da;
                dqq = by.dqq; dvq = by.dvq; daq = by.daq; dvv = by.dvv
            )
        };

    /// The Hessian of `lambda^T tau` times a direction in `q`, `v` and `a`, without the matrix.
    rnea_hessian_product(q: Nq, v: Nv, a: Nv, lambda_: Nv, along_q: Nv, along_v: Nv, along_a: Nv;;
        wrenches: Option<&Bound<'py, PyAny>> = None)
        -> RneaHessianProduct { dq: [Nv], dv: [Nv], da: [Nv] } Columns
        |m, ws, o| {
            let by = partials::rnea_hessian_product(
                m, ws.hessian(m), q, v, a, lambda_, along_q, along_v, along_a, &o.wrenches,
            )?;
            put!(dq = by.dq; dv = by.dv; da = by.da)
        };

    /// The combination `lambda^T ddq` of the accelerations of forward dynamics, and its gradient, without matrices.
    aba_gradient(q: Nq, v: Nv, tau: Nv, lambda_: Nv;; wrenches: Option<&Bound<'py, PyAny>> = None)
        -> AbaGradient { value: [], dq: [Nv], dv: [Nv], dtau: [Nv], df_ext: [Wrenches, Of(6)] } Rows
        |m, ws, o| {
            let by = dynamics::aba_gradient(m, ws.values(m), q, v, tau, lambda_, &o.wrenches)?;
            put!(value = by.value; dq = by.dq; dv = by.dv; dtau = by.dtau; df_ext = by.df_ext)
        };

    /// The combination `lambda^T ddq` of the accelerations of forward dynamics, its gradient, and its Hessian in blocks.
    aba_hessian(q: Nq, v: Nv, tau: Nv, lambda_: Nv;; method: &str = "analytical", wrenches: Option<&Bound<'py, PyAny>> = None)
        -> AbaHessian {
            value: [], dq: [Nv], dv: [Nv], dtau: [Nv], dqq: [Nv, Nv], dvq: [Nv, Nv], dtauq: [Nv, Nv], dvv: [Nv, Nv]
        } Columns
        |m, ws, o| {
            let by = partials::aba_hessian(m, ws.second(m), o.method, q, v, tau, lambda_, &o.wrenches)?;
            put!(
                value = by.value; dq = by.dq; dv = by.dv; dtau = by.dtau;
                dqq = by.dqq; dvq = by.dvq; dtauq = by.dtauq; dvv = by.dvv
            )
        };

    /// The Hessian of `lambda^T ddq` times a direction in `q`, `v` and `tau`, without the matrix.
    aba_hessian_product(q: Nq, v: Nv, tau: Nv, lambda_: Nv, along_q: Nv, along_v: Nv, along_tau: Nv;;
        wrenches: Option<&Bound<'py, PyAny>> = None)
        -> AbaHessianProduct { dq: [Nv], dv: [Nv], dtau: [Nv] } Columns
        |m, ws, o| {
            let by = partials::aba_hessian_product(
                m, ws.second(m), q, v, tau, lambda_, along_q, along_v, along_tau, &o.wrenches,
            )?;
            put!(dq = by.dq; dv = by.dv; dtau = by.dtau)
        };

    /// `lambda^T tau` of inverse dynamics, and its gradient by all parameters of the model, `Model.parameters`, by the
    /// state too.
    rnea_parameter_gradient(q: Nq, v: Nv, a: Nv, lambda_: Nv;; wrenches: Option<&Bound<'py, PyAny>> = None)
        -> RneaParameterGradient { value: [], dq: [Nv], dv: [Nv], da: [Nv], dp: [Parameters] } Columns
        |m, ws, o| {
            let by = dynamics::rnea_parameter_gradient(m, ws.values(m), q, v, a, lambda_, &o.wrenches)?;
            put!(value = by.state.value; dq = by.state.dq; dv = by.state.dv; da = by.state.da; dp = by.dp)
        };

    /// `lambda^T ddq` of forward dynamics, and its gradient by all parameters of the model, `Model.parameters`, by the
    /// state too.
    aba_parameter_gradient(q: Nq, v: Nv, tau: Nv, lambda_: Nv;; wrenches: Option<&Bound<'py, PyAny>> = None)
        -> AbaParameterGradient { value: [], dq: [Nv], dv: [Nv], dtau: [Nv], dp: [Parameters] } Columns
        |m, ws, o| {
            let by = dynamics::aba_parameter_gradient(m, ws.values(m), q, v, tau, lambda_, &o.wrenches)?;
            put!(value = by.state.value; dq = by.state.dq; dv = by.state.dv; dtau = by.state.dtau; dp = by.dp)
        };
}
