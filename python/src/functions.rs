//! The table of functions. A line each: what it takes of every state, what else, what it gives, and how.
//!
//! Sources and costs are those of the engine's functions of the same names, which each row calls.

#![allow(clippy::redundant_closure_call, reason = "rows are written as closures")]

use crate::call::call;
use crate::memory::ModelMemory;
use crate::model::PyModel;
use crate::options::{Asked, Resolved};
use crate::table::Dim::{
    Frames, Inertial, Masses, Nq, Number, Nv, Of, Parameters, Placements, Rows, Standard, Wrenches,
};
use crate::table::{Argument, Choice, Function, Order, Output, functions};
use gradyn::batch::{
    Batch, BatchAbaDerivatives, BatchConstraintDynamics, BatchConstraintDynamicsDerivatives, BatchDerivatives,
    BatchGradient,
};
use gradyn::dynamics::{self, Tensor3};
use gradyn::nalgebra::{DMatrix, Vector3};
use gradyn::{Force, InputError, Model, Motion, Transform, partials};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Numbers that can be put into an array.
trait Put {
    fn put(&self, to: &mut [f64]);
}

impl Put for [f64] {
    #[inline]
    fn put(&self, to: &mut [f64]) {
        to.copy_from_slice(self);
    }
}

impl Put for f64 {
    fn put(&self, to: &mut [f64]) {
        to[0] = *self;
    }
}

impl Put for DMatrix<f64> {
    #[inline]
    fn put(&self, to: &mut [f64]) {
        to.copy_from_slice(self.as_slice());
    }
}

impl Put for gradyn::nalgebra::DVector<f64> {
    #[inline]
    fn put(&self, to: &mut [f64]) {
        to.copy_from_slice(self.as_slice());
    }
}

impl Put for Vector3<f64> {
    fn put(&self, to: &mut [f64]) {
        to.copy_from_slice(self.as_slice());
    }
}

impl Put for Motion<f64> {
    fn put(&self, to: &mut [f64]) {
        self.linear.put(&mut to[..3]);
        self.angular.put(&mut to[3..]);
    }
}

impl Put for Force<f64> {
    fn put(&self, to: &mut [f64]) {
        self.linear.put(&mut to[..3]);
        self.angular.put(&mut to[3..]);
    }
}

impl Put for Transform<f64> {
    /// Column by column.
    fn put(&self, to: &mut [f64]) {
        to.copy_from_slice(self.matrix4().as_slice());
    }
}

impl Put for Tensor3<f64> {
    fn put(&self, to: &mut [f64]) {
        to.copy_from_slice(self.as_slice());
    }
}

impl Put for [DMatrix<f64>] {
    fn put(&self, to: &mut [f64]) {
        let mut rest = to;
        for matrix in self {
            let (own, behind) = rest.split_at_mut(matrix.len());
            matrix.put(own);
            rest = behind;
        }
    }
}

/// Of a frame that the model does not have: none passes the checks of names.
fn still() -> Motion<f64> {
    Motion::new(Vector3::zeros(), Vector3::zeros())
}

/// `put!(to = from; …)`
macro_rules! put {
    ($($to:ident = $from:expr);* $(;)?) => { { $($from.put($to);)* } };
}

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

    /// The pose of a frame in the world, 4 x 4.
    frame_pose(q: Nq; frame: &str;)
        -> { pose: [Of(4), Of(4)] } Columns
        |m, ws, o| put!(pose = dynamics::frame_pose(m, ws.values(m), q, o.frame())?);

    /// Poses of several frames in the world: rotation matrix and origin, 3 x 4 each.
    frame_poses(q: Nq; frames: &Bound<'py, PyAny>;)
        -> { poses: [Frames, Of(3), Of(4)] } Columns
        |m, ws, o| {
            for (to, frame) in poses.chunks_exact_mut(12).zip(&o.frames) {
                let pose = dynamics::frame_pose(m, ws.values(m), q, *frame)?;
                to[..9].copy_from_slice(pose.rotation.as_slice());
                to[9..].copy_from_slice(pose.translation.as_slice());
            }
        },
        many |m, batch, o| batch.frame_poses(m, q, &o.frames, poses);

    /// The velocity of a frame: linear, then angular, m/s and rad/s.
    frame_velocity(q: Nq, v: Nv; frame: &str; reference: &str = "local")
        -> { velocity: [Of(6)] } Columns
        |m, ws, o| {
            let rest = vec![0.0; m.nv()];
            let motion = dynamics::forward_kinematics(m, ws.values(m), q, v, &rest)?.velocity_in(o.frame(), o.reference);
            put!(velocity = motion.unwrap_or_else(still))
        };

    /// The spatial acceleration of a frame: linear, then angular.
    frame_acceleration(q: Nq, v: Nv, a: Nv; frame: &str; reference: &str = "local")
        -> { acceleration: [Of(6)] } Columns
        |m, ws, o| {
            let motion = dynamics::forward_kinematics(m, ws.values(m), q, v, a)?.acceleration_in(o.frame(), o.reference);
            put!(acceleration = motion.unwrap_or_else(still))
        };

    /// The classical acceleration of a frame: that of its origin as a point, m/s^2, then the angular one.
    classical_frame_acceleration(q: Nq, v: Nv, a: Nv; frame: &str; reference: &str = "local")
        -> { acceleration: [Of(6)] } Columns
        |m, ws, o| {
            let kinematics = dynamics::forward_kinematics(m, ws.values(m), q, v, a)?;
            put!(acceleration = kinematics.classical_acceleration_in(o.frame(), o.reference).unwrap_or_else(still))
        };

    /// The Jacobian of a frame, linear rows first: `J v` is its velocity.
    frame_jacobian(q: Nq; frame: &str; reference: &str = "local")
        -> { jacobian: [Of(6), Nv] } Columns
        |m, ws, o| put!(jacobian = dynamics::frame_jacobian(m, ws.values(m), q, o.frame(), o.reference)?);

    /// Jacobians of several frames, linear rows first.
    frame_jacobians(q: Nq; frames: &Bound<'py, PyAny>; reference: &str = "local")
        -> { jacobians: [Frames, Of(6), Nv] } Columns
        |m, ws, o| {
            let size = 6 * m.nv();
            for (to, frame) in jacobians.chunks_exact_mut(size.max(1)).zip(&o.frames) {
                put!(to = dynamics::frame_jacobian(m, ws.values(m), q, *frame, o.reference)?);
            }
        },
        many |m, batch, o| batch.frame_jacobians(m, q, &o.frames, o.reference, jacobians);

    /// The Jacobian of the motion of a frame as seen from another, linear rows first.
    relative_jacobian(q: Nq; frame: &str, seen_from: &str; reference: &str = "local")
        -> { jacobian: [Of(6), Nv] } Columns
        |m, ws, o| {
            let (a, b) = (o.seen_from(), o.frame());
            put!(jacobian = dynamics::relative_jacobian(m, ws.values(m), q, a, b, o.reference)?)
        };

    /// Time derivative of the Jacobian of a frame, linear rows first.
    frame_jacobian_rate(q: Nq, v: Nv; frame: &str; reference: &str = "local")
        -> { rate: [Of(6), Nv] } Columns
        |m, ws, o| put!(rate = dynamics::frame_jacobian_rate(m, ws.values(m), q, v, o.frame(), o.reference)?);

    /// Columns of all joints in the world, linear rows first.
    joint_jacobians(q: Nq;;)
        -> { jacobian: [Of(6), Nv] } Columns
        |m, ws, _o| put!(jacobian = dynamics::joint_jacobians(m, ws.values(m), q)?);

    /// Acceleration of a frame at `a = 0`, without gravity: spatial and classical.
    frame_bias_acceleration(q: Nq, v: Nv; frame: &str; reference: &str = "local")
        -> BiasAcceleration { spatial: [Of(6)], classical: [Of(6)] } Columns
        |m, ws, o| {
            let by = dynamics::frame_bias_acceleration(m, ws.values(m), q, v, o.frame(), o.reference)?;
            put!(spatial = by.spatial; classical = by.classical)
        };

    /// Velocity and spatial acceleration of a frame, and their derivatives.
    frame_derivatives(q: Nq, v: Nv, a: Nv; frame: &str; reference: &str = "local", method: &str = "analytical")
        -> FrameDerivatives {
            velocity: [Of(6)], acceleration: [Of(6)], dvelocity_dq: [Of(6), Nv], dvelocity_dv: [Of(6), Nv],
            dacceleration_dq: [Of(6), Nv], dacceleration_dv: [Of(6), Nv], dacceleration_da: [Of(6), Nv]
        } Columns
        |m, ws, o| {
            let by = partials::frame_derivatives(m, ws.derivatives(m), o.method, q, v, a, o.frame(), o.reference)?;
            put!(
                velocity = by.velocity; acceleration = by.acceleration;
                dvelocity_dq = by.dvelocity_dq; dvelocity_dv = by.dvelocity_dv; dacceleration_dq = by.dacceleration_dq;
                dacceleration_dv = by.dacceleration_dv; dacceleration_da = by.dacceleration_da
            )
        };

    /// Velocity and classical acceleration of a frame, and their derivatives.
    classical_frame_derivatives(q: Nq, v: Nv, a: Nv; frame: &str; reference: &str = "local", method: &str = "analytical")
        -> ClassicalFrameDerivatives {
            velocity: [Of(6)], acceleration: [Of(6)], dvelocity_dq: [Of(6), Nv], dvelocity_dv: [Of(6), Nv],
            dacceleration_dq: [Of(6), Nv], dacceleration_dv: [Of(6), Nv], dacceleration_da: [Of(6), Nv]
        } Columns
        |m, ws, o| {
            let by = partials::classical_frame_derivatives(
                m, ws.derivatives(m), o.method, q, v, a, o.frame(), o.reference,
            )?;
            put!(
                velocity = by.velocity; acceleration = by.acceleration;
                dvelocity_dq = by.dvelocity_dq; dvelocity_dv = by.dvelocity_dv; dacceleration_dq = by.dacceleration_dq;
                dacceleration_dv = by.dacceleration_dv; dacceleration_da = by.dacceleration_da
            )
        };

    /// The Jacobian of a point fixed in a body: `point` in coordinates of the body, m; axes of the body (`"local"`) or of the
    /// world.
    point_jacobian(q: Nq; body: &str, point: &Bound<'py, PyAny>; reference: &str = "local-world-aligned")
        -> { jacobian: [Of(3), Nv] } Columns
        |m, ws, o| put!(jacobian = dynamics::point_jacobian(m, ws.values(m), q, o.body(), o.point, o.reference)?);

    /// Velocity and acceleration of a point fixed in a body, and their derivatives; `point` in coordinates of the body, m.
    point_derivatives(q: Nq, v: Nv, a: Nv; body: &str, point: &Bound<'py, PyAny>;
        reference: &str = "local-world-aligned", method: &str = "analytical")
        -> PointDerivatives {
            velocity: [Of(3)], acceleration: [Of(3)], dvelocity_dq: [Of(3), Nv], dvelocity_dv: [Of(3), Nv],
            dacceleration_dq: [Of(3), Nv], dacceleration_dv: [Of(3), Nv], dacceleration_da: [Of(3), Nv]
        } Columns
        |m, ws, o| {
            let by = partials::point_derivatives(
                m, ws.derivatives(m), o.method, q, v, a, o.body(), o.point, o.reference,
            )?;
            put!(
                velocity = by.velocity; acceleration = by.acceleration;
                dvelocity_dq = by.dvelocity_dq; dvelocity_dv = by.dvelocity_dv; dacceleration_dq = by.dacceleration_dq;
                dacceleration_dv = by.dacceleration_dv; dacceleration_da = by.dacceleration_da
            )
        };

    /// Torques `J^T f` of a wrench on a frame, six numbers in coordinates of the reference, and their derivative by `q`.
    jacobian_transpose_derivatives(q: Nq; frame: &str, force: &Bound<'py, PyAny>;
        reference: &str = "local", method: &str = "analytical")
        -> JacobianTransposeDerivatives { torque: [Nv], dtorque_dq: [Nv, Nv] } Columns
        |m, ws, o| {
            let by = partials::jacobian_transpose_derivatives(
                m, ws.derivatives(m), o.method, q, o.frame(), o.reference, o.force,
            )?;
            put!(torque = by.torque; dtorque_dq = by.dtorque_dq)
        };

    /// Mass, position, velocity and acceleration of the center of mass in the world, of the robot or of the subtree that hangs
    /// from a joint.
    center_of_mass(q: Nq, v: Nv, a: Nv;; subtree: Option<&str> = None)
        -> CenterOfMass { mass: [], position: [Of(3)], velocity: [Of(3)], acceleration: [Of(3)] } Columns
        |m, ws, o| {
            let all = dynamics::center_of_mass(m, ws.values(m), q, v, a)?;
            let by = o.subtree.and_then(|body| all.subtree(body)).unwrap_or(all.whole);
            put!(mass = by.mass; position = by.position; velocity = by.velocity; acceleration = by.acceleration)
        };

    /// The Jacobian of the center of mass in the world, of the robot or of a subtree.
    com_jacobian(q: Nq;; subtree: Option<&str> = None)
        -> { jacobian: [Of(3), Nv] } Columns
        |m, ws, o| put!(jacobian = dynamics::com_jacobian(m, ws.values(m), q, o.subtree)?);

    /// Position, velocity and acceleration of the center of mass, and their derivatives.
    center_of_mass_derivatives(q: Nq, v: Nv, a: Nv;; subtree: Option<&str> = None, method: &str = "analytical")
        -> CenterOfMassDerivatives {
            position: [Of(3)], velocity: [Of(3)], acceleration: [Of(3)], dposition_dq: [Of(3), Nv],
            dvelocity_dq: [Of(3), Nv], dvelocity_dv: [Of(3), Nv], dacceleration_dq: [Of(3), Nv],
            dacceleration_dv: [Of(3), Nv], dacceleration_da: [Of(3), Nv]
        } Columns
        |m, ws, o| {
            let by = partials::center_of_mass_derivatives(m, ws.derivatives(m), o.method, q, v, a, o.subtree)?;
            put!(
                position = by.position; velocity = by.velocity; acceleration = by.acceleration;
                dposition_dq = by.dposition_dq; dvelocity_dq = by.dvelocity_dq; dvelocity_dv = by.dvelocity_dv;
                dacceleration_dq = by.dacceleration_dq; dacceleration_dv = by.dacceleration_dv;
                dacceleration_da = by.dacceleration_da
            )
        };

    /// Centroidal momentum about the center of mass in axes of the world, linear first, its rate, the matrix `A_G` with
    /// `h = A_G v`, and that one's rate.
    centroidal(q: Nq, v: Nv, a: Nv;;)
        -> Centroidal { momentum: [Of(6)], momentum_rate: [Of(6)], matrix: [Of(6), Nv], matrix_rate: [Of(6), Nv] } Columns
        |m, ws, _o| {
            let by = dynamics::centroidal(m, ws.values(m), q, v, a)?;
            put!(momentum = by.momentum; momentum_rate = by.momentum_rate; matrix = by.matrix; matrix_rate = by.matrix_rate)
        };

    /// Centroidal momentum, its rate, and their derivatives.
    centroidal_derivatives(q: Nq, v: Nv, a: Nv;; method: &str = "analytical")
        -> CentroidalDerivatives {
            momentum: [Of(6)], momentum_rate: [Of(6)], dmomentum_dq: [Of(6), Nv], dmomentum_dv: [Of(6), Nv],
            drate_dq: [Of(6), Nv], drate_dv: [Of(6), Nv], drate_da: [Of(6), Nv]
        } Columns
        |m, ws, o| {
            let by = partials::centroidal_derivatives(m, ws.derivatives(m), o.method, q, v, a)?;
            put!(
                momentum = by.momentum; momentum_rate = by.momentum_rate; dmomentum_dq = by.dmomentum_dq;
                dmomentum_dv = by.dmomentum_dv; drate_dq = by.drate_dq; drate_dv = by.drate_dv; drate_da = by.drate_da
            )
        };

    /// The regressor `Y` with `tau = Y p`, `p` the inertial parameters of all bodies, `Model.inertial_parameters`.
    torque_regressor(q: Nq, v: Nv, a: Nv;;)
        -> { regressor: [Nv, Inertial] } Columns
        |m, ws, _o| put!(regressor = dynamics::torque_regressor(m, ws.values(m), q, v, a)?);

    /// The regressor of torques by all parameters that they are linear in: inertial ones, friction, damping, armature
    /// (`Model.standard_parameters`).
    standard_regressor(q: Nq, v: Nv, a: Nv;;)
        -> { regressor: [Nv, Standard] } Columns
        |m, ws, _o| put!(regressor = dynamics::standard_regressor(m, ws.values(m), q, v, a)?);

    /// The regressor of the torques of gravity.
    static_torque_regressor(q: Nq;;)
        -> { regressor: [Nv, Inertial] } Columns
        |m, ws, _o| put!(regressor = dynamics::static_torque_regressor(m, ws.values(m), q)?);

    /// The regressor of the center of mass times the robot's mass: of mass and first moment of mass of each body.
    com_regressor(q: Nq;;)
        -> { regressor: [Of(3), Masses] } Columns
        |m, ws, _o| put!(regressor = dynamics::com_regressor(m, ws.values(m), q)?);

    /// The regressor of the kinetic energy.
    kinetic_energy_regressor(q: Nq, v: Nv;;)
        -> { regressor: [Of(1), Inertial] } Columns
        |m, ws, _o| put!(regressor = dynamics::kinetic_energy_regressor(m, ws.values(m), q, v)?);

    /// The regressor of the potential energy.
    potential_energy_regressor(q: Nq;;)
        -> { regressor: [Of(1), Inertial] } Columns
        |m, ws, _o| put!(regressor = dynamics::potential_energy_regressor(m, ws.values(m), q)?);

    /// The regressor of the wrench that the body of a frame needs for its motion.
    frame_wrench_regressor(q: Nq, v: Nv, a: Nv; frame: &str;)
        -> { regressor: [Of(6), Of(10)] } Columns
        |m, ws, o| put!(regressor = dynamics::frame_wrench_regressor(m, ws.values(m), q, v, a, o.frame())?);

    /// How a frame moves by small errors of the joints' placements, six a body.
    kinematic_regressor(q: Nq; frame: &str; reference: &str = "local")
        -> { regressor: [Of(6), Placements] } Columns
        |m, ws, o| put!(regressor = dynamics::kinematic_regressor(m, ws.values(m), q, o.frame(), o.reference)?);

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
