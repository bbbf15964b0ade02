//! The difference of the acceleration of a frame from a goal.

use super::motions::{Motions, coordinates};
use super::own::{own_memory, second_opinion, value_of};
use super::{Depends, Jacobian, Quantity, Residual, Snapshot, View};
use crate::fault::Reason;
use gradyn::dynamics::{FrameRef, ReferenceFrame, classical_frame_derivatives, forward_kinematics, frame_pose};
use gradyn::model::InputError;
use gradyn::{Force, Model, Motion, Scalar};
use nalgebra::{DMatrix, Vector6};

/// `r = α − α*`, 6: m/s², then rad/s², in the coordinates of a reference, gravity left out. The goal is `α*`.
///
/// The classical acceleration: its linear part is that of the point whose velocity
/// [`FrameVelocity`](super::FrameVelocity) gives, its rate of change in axes at rest.
#[derive(Clone, Debug)]
pub struct FrameAcceleration {
    frame: FrameRef,
    reference: ReferenceFrame,
    goal: Motion<f64>,
}

impl FrameAcceleration {
    /// Of a frame or a body, in a reference, toward an acceleration: linear part first.
    #[must_use]
    pub fn new(frame: impl Into<FrameRef>, reference: ReferenceFrame, goal: Motion<f64>) -> Self {
        Self { frame: frame.into(), reference, goal }
    }
}

impl Quantity for FrameAcceleration {
    fn rows(&self, _model: &Model) -> usize {
        6
    }
    fn depends(&self) -> Depends {
        Depends::QVA
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(&self, on: &mut Snapshot<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        let motion = forward_kinematics(on.model, on.workspace, on.q, on.v, on.a)?
            .classical_acceleration_in(self.frame, self.reference);
        let Some(motion) = motion else {
            return frame_pose(on.model, on.workspace, on.q, self.frame).map(drop); // says why there is none
        };
        for ((r, x), goal) in r.iter_mut().zip(motion.to_array()).zip(on.goal) {
            *r = x - T::from(*goal);
        }
        Ok(())
    }
}

impl Residual for FrameAcceleration {
    fn rows(&self) -> usize {
        6
    }
    fn depends(&self) -> Depends {
        Depends::QVA
    }
    fn sees_robot(&self) -> bool {
        false
    }
    fn goal(&self) -> Vec<f64> {
        self.goal.to_array().to_vec()
    }
    second_opinion!(Motions);
    fn value(&self, on: &mut View<'_>, r: &mut [f64]) -> Result<(), Reason> {
        value_of(on, self, r)
    }
    fn jacobian(&self, on: &mut View<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        let by = classical_frame_derivatives(on.model, on.workspace, on.q, on.v, on.a, self.frame, self.reference)?;
        for ((r, x), goal) in r.iter_mut().zip(by.acceleration.to_array()).zip(on.goal) {
            *r = x - goal;
        }
        out.dq.copy_from(&by.dacceleration_dq);
        out.dv.copy_from(&by.dacceleration_dv);
        out.da.copy_from(&by.dacceleration_da);
        Ok(())
    }
    fn add_hessian(&self, on: &mut View<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        let (motions, state) = (own_memory::<Motions>(on.own)?, [on.q, on.v, on.a]);
        let coordinates = coordinates(self.reference);
        motions.axes.of_frame(on.model, on.workspace, state, self.frame, |pose| coordinates.about(pose))?;
        let (weights, first) = (Force::from_vector6(&Vector6::from_column_slice(lambda)), 2 * on.v.len() + on.u.len());
        motions.add_acceleration(coordinates, [on.v, on.a], weights, first, out);
        Ok(())
    }
}
