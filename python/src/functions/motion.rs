//! Frames and points, centers of mass and momentum, regressors.

#![allow(clippy::redundant_closure_call, reason = "rows are written as closures")]

use super::put::{Put, put, still};
use crate::call::call;
use crate::memory::ModelMemory;
use crate::model::PyModel;
use crate::options::{Asked, Resolved};
use crate::table::Dim::{Frames, Inertial, Masses, Nq, Nv, Of, Placements, Standard};
use crate::table::{Argument, Choice, Function, Order, Output, functions};
use gradyn::batch::Batch;
use gradyn::dynamics::{self};
use gradyn::{InputError, Model, partials};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

functions! {
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
}
