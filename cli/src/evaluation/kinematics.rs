//! Motions of frames and points, their Jacobians, and their derivatives.

use super::value::{Answers, ByMethod, largest};
use super::{At, Evaluator, Value};
use crate::quantity::Quantity;
use gradyn::dynamics::{
    FrameDerivatives, forward_kinematics, frame_bias_acceleration, frame_jacobian, frame_jacobian_rate,
    joint_jacobians, relative_jacobian,
};
use gradyn::model::InputError;
use gradyn::partials::{classical_frame_derivatives, frame_derivatives, point_derivatives};
use nalgebra::DMatrix;

/// Of frames: velocity with its derivatives, acceleration with its own.
const SPATIAL: [Quantity; 7] = [
    Quantity::FrameVelocities,
    Quantity::FrameVelocitiesDq,
    Quantity::FrameVelocitiesDv,
    Quantity::FrameAccelerations,
    Quantity::FrameAccelerationsDq,
    Quantity::FrameAccelerationsDv,
    Quantity::FrameAccelerationsDa,
];

/// The acceleration of the point at the frame's origin.
const CLASSICAL: [Quantity; 4] = [
    Quantity::ClassicalAccelerations,
    Quantity::ClassicalAccelerationsDq,
    Quantity::ClassicalAccelerationsDv,
    Quantity::ClassicalAccelerationsDa,
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
        let (q, v, a) = (&at.state.q, &at.state.v, &at.state.a);
        if answers.ask(&[Quantity::FramePlacements]) {
            let kinematics = forward_kinematics(model, &mut self.workspace, q, v, a)?;
            for place in &places.frames {
                let Some(pose) = kinematics.frame_pose(place.at) else { continue };
                answers.part(Quantity::FramePlacements, &place.name, || {
                    Value::Matrix(DMatrix::from_column_slice(4, 4, pose.matrix4().as_slice()))
                });
            }
        }
        for place in &places.frames {
            let (name, frame, reference) = (&place.name, place.at, place.reference);
            let ws = &mut self.derivatives;
            if answers.ask(&SPATIAL) {
                let by = frame_derivatives(model, ws, method, q, v, a, frame, reference)?;
                answers.part(Quantity::FrameVelocities, name, || Value::motion(&by.velocity));
                answers.part(Quantity::FrameAccelerations, name, || Value::motion(&by.acceleration));
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
                answers.derivatives(name, size, of_acceleration([SPATIAL[4], SPATIAL[5], SPATIAL[6]], by));
            }
            if answers.ask(&CLASSICAL) {
                let by = classical_frame_derivatives(model, ws, method, q, v, a, frame, reference)?;
                answers.part(Quantity::ClassicalAccelerations, name, || Value::motion(&by.acceleration));
                let size = largest(&by.acceleration.to_array()).max(motion(at));
                answers.derivatives(name, size, of_acceleration([CLASSICAL[1], CLASSICAL[2], CLASSICAL[3]], by));
            }
            let ws = &mut self.workspace;
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
            let ([a, b], ws) = (place.at, &mut self.workspace);
            if answers.ask(&[Quantity::RelativeJacobians]) {
                let jacobian = relative_jacobian(model, ws, q, a, b, place.reference)?;
                answers.part(Quantity::RelativeJacobians, &place.name, || Value::matrix(jacobian));
            }
        }
        if answers.ask(&[Quantity::JointJacobians]) {
            let columns = joint_jacobians(model, &mut self.workspace, q)?;
            answers.put(Quantity::JointJacobians, || Value::matrix(columns));
        }
        Ok(())
    }

    pub(super) fn points(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, method, ws) = (&self.robot.model, self.method, &mut self.derivatives);
        let (q, v, a) = (&at.state.q, &at.state.v, &at.state.a);
        for place in &self.places.points {
            let (name, point) = (&place.name, place.at);
            let by = point_derivatives(model, ws, method, q, v, a, point.body, point.position, place.reference)?;
            let errors = by.errors.as_deref();
            answers.part(Quantity::PointVelocities, name, || Value::numbers(&by.velocity));
            answers.part(Quantity::PointAccelerations, name, || Value::numbers(&by.acceleration));
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
