//! Motions of frames and points, their Jacobians, and their derivatives.

use super::value::{Answers, ByMethod, largest};
use super::{At, Evaluator, NamedPlace, Point, Value};
use crate::quantity::Quantity;
use crate::states::State;
use gradyn::dynamics::{
    FrameDerivatives, forward_kinematics, frame_bias_acceleration, frame_jacobian, frame_jacobian_rate,
    joint_jacobians, relative_jacobian,
};
use gradyn::model::InputError;
use gradyn::partials::{classical_frame_derivatives, frame_derivatives, point_derivatives};
use nalgebra::DMatrix;

/// Of frames: derivatives of the velocity, then of the acceleration.
const SPATIAL: [Quantity; 5] = [
    Quantity::FrameVelocitiesDq,
    Quantity::FrameVelocitiesDv,
    Quantity::FrameAccelerationsDq,
    Quantity::FrameAccelerationsDv,
    Quantity::FrameAccelerationsDa,
];

/// Those of the acceleration of the point at the frame's origin.
const CLASSICAL: [Quantity; 3] =
    [Quantity::ClassicalAccelerationsDq, Quantity::ClassicalAccelerationsDv, Quantity::ClassicalAccelerationsDa];

/// Of points.
const POINTS: [Quantity; 5] = [
    Quantity::PointVelocitiesDq,
    Quantity::PointVelocitiesDv,
    Quantity::PointAccelerationsDq,
    Quantity::PointAccelerationsDv,
    Quantity::PointAccelerationsDa,
];

/// Where frames are and how they move.
const MOTIONS: [Quantity; 4] = [
    Quantity::FramePlacements,
    Quantity::FrameVelocities,
    Quantity::FrameAccelerations,
    Quantity::ClassicalAccelerations,
];

/// What velocities and accelerations depend on: roundings are of the largest of these, where motions cancel.
fn motion(at: &At<'_>) -> f64 {
    largest(&at.state.v).max(largest(&at.state.a))
}

/// The derivatives of an acceleration.
fn of_acceleration(quantities: [Quantity; 3], by: &FrameDerivatives) -> [ByMethod<'_>; 3] {
    let errors = by.errors.as_deref();
    [
        (quantities[0], &by.dacceleration_dq, errors.map(|by| &by.dacceleration_dq)),
        (quantities[1], &by.dacceleration_dv, errors.map(|by| &by.dacceleration_dv)),
        (quantities[2], &by.dacceleration_da, errors.map(|by| &by.dacceleration_da)),
    ]
}

impl Evaluator<'_> {
    pub(super) fn frames(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, method, places) = (&self.robot.model, self.method, self.places);
        let State { q, v, a, .. } = at.state;
        if answers.ask(&MOTIONS) {
            let kinematics = forward_kinematics(model, self.workspace.get(), q, v, a)?;
            for NamedPlace { name, at, reference } in &places.frames {
                if let Some(pose) = kinematics.frame_pose(*at) {
                    answers.part(Quantity::FramePlacements, name, || {
                        Value::Matrix(DMatrix::from_column_slice(4, 4, pose.matrix4().as_slice()))
                    });
                }
                for (quantity, motion) in [
                    (Quantity::FrameVelocities, kinematics.velocity_in(*at, *reference)),
                    (Quantity::FrameAccelerations, kinematics.acceleration_in(*at, *reference)),
                    (Quantity::ClassicalAccelerations, kinematics.classical_acceleration_in(*at, *reference)),
                ] {
                    // A frame of the model has them all.
                    let Some(motion) = motion else { continue };
                    answers.part(quantity, name, || Value::motion(&motion));
                }
            }
        }
        for place in &places.frames {
            let (name, frame, reference) = (&place.name, place.at, place.reference);
            let ws = self.derivatives.get();
            if answers.ask(&SPATIAL) {
                let by = frame_derivatives(model, ws, method, q, v, a, frame, reference)?;
                let errors = by.errors.as_deref();
                let size = largest(&by.velocity.to_array()).max(motion(at));
                answers.derivatives(
                    name,
                    size,
                    [
                        (Quantity::FrameVelocitiesDq, &by.dvelocity_dq, errors.map(|by| &by.dvelocity_dq)),
                        (Quantity::FrameVelocitiesDv, &by.dvelocity_dv, errors.map(|by| &by.dvelocity_dv)),
                    ],
                );
                let size = largest(&by.acceleration.to_array()).max(motion(at));
                answers.derivatives(name, size, of_acceleration([SPATIAL[2], SPATIAL[3], SPATIAL[4]], by));
            }
            if answers.ask(&CLASSICAL) {
                let by = classical_frame_derivatives(model, ws, method, q, v, a, frame, reference)?;
                let size = largest(&by.acceleration.to_array()).max(motion(at));
                answers.derivatives(name, size, of_acceleration(CLASSICAL, by));
            }
            let ws = self.workspace.get();
            if answers.ask(&[Quantity::FrameJacobians]) {
                let jacobian = frame_jacobian(model, ws, q, frame, reference)?;
                answers.part(Quantity::FrameJacobians, name, || Value::matrix(jacobian));
            }
            if answers.ask(&[Quantity::FrameJacobianRates]) {
                let rate = frame_jacobian_rate(model, ws, q, v, frame, reference)?;
                answers.part(Quantity::FrameJacobianRates, name, || Value::matrix(rate));
            }
            if answers.ask(&[Quantity::FrameBiasAccelerations, Quantity::ClassicalBiasAccelerations]) {
                let bias = frame_bias_acceleration(model, ws, q, v, frame, reference)?;
                answers.part(Quantity::FrameBiasAccelerations, name, || Value::motion(&bias.spatial));
                answers.part(Quantity::ClassicalBiasAccelerations, name, || Value::motion(&bias.classical));
            }
        }
        for place in &places.pairs {
            let ([a, b], ws) = (place.at, self.workspace.get());
            if answers.ask(&[Quantity::RelativeJacobians]) {
                let jacobian = relative_jacobian(model, ws, q, a, b, place.reference)?;
                answers.part(Quantity::RelativeJacobians, &place.name, || Value::matrix(jacobian));
            }
        }
        if answers.ask(&[Quantity::JointJacobians]) {
            let columns = joint_jacobians(model, self.workspace.get(), q)?;
            answers.put(Quantity::JointJacobians, || Value::matrix(columns));
        }
        Ok(())
    }

    pub(super) fn points(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, method) = (&self.robot.model, self.method);
        let State { q, v, a, .. } = at.state;
        if answers.ask(&[Quantity::PointVelocities, Quantity::PointAccelerations]) {
            let kinematics = forward_kinematics(model, self.workspace.get(), q, v, a)?;
            for NamedPlace { name, at: Point { body, position }, reference } in &self.places.points {
                for (quantity, vector) in [
                    (Quantity::PointVelocities, kinematics.point_velocity(*body, *position, *reference)),
                    (Quantity::PointAccelerations, kinematics.point_acceleration(*body, *position, *reference)),
                ] {
                    // A body of the model has both.
                    let Some(vector) = vector else { continue };
                    answers.part(quantity, name, || Value::numbers(&vector));
                }
            }
        }
        if !answers.ask(&POINTS) {
            return Ok(());
        }
        for place in &self.places.points {
            let (name, point, ws) = (&place.name, place.at, self.derivatives.get());
            let by = point_derivatives(model, ws, method, q, v, a, point.body, point.position, place.reference)?;
            let errors = by.errors.as_deref();
            answers.derivatives(
                name,
                largest(&by.velocity).max(motion(at)),
                [
                    (Quantity::PointVelocitiesDq, &by.dvelocity_dq, errors.map(|by| &by.dvelocity_dq)),
                    (Quantity::PointVelocitiesDv, &by.dvelocity_dv, errors.map(|by| &by.dvelocity_dv)),
                ],
            );
            answers.derivatives(
                name,
                largest(&by.acceleration).max(motion(at)),
                [
                    (Quantity::PointAccelerationsDq, &by.dacceleration_dq, errors.map(|by| &by.dacceleration_dq)),
                    (Quantity::PointAccelerationsDv, &by.dacceleration_dv, errors.map(|by| &by.dacceleration_dv)),
                    (Quantity::PointAccelerationsDa, &by.dacceleration_da, errors.map(|by| &by.dacceleration_da)),
                ],
            );
        }
        Ok(())
    }
}
