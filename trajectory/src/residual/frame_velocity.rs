//! The difference of the velocity of a frame from a goal.

use super::motions::{Motions, coordinates};
use super::own::{own_memory, second_opinion, value_of};
use super::{Depends, Jacobian, Quantity, Residual, Snapshot, View};
use crate::fault::Reason;
use gradyn::dynamics::{FrameRef, ReferenceFrame, forward_kinematics, frame_derivatives, frame_pose};
use gradyn::model::InputError;
use gradyn::{Force, Model, Motion, Scalar};
use nalgebra::{DMatrix, Vector6};

/// `r = ν − ν*`, 6: m/s, then rad/s, in the coordinates of a reference. The goal is `ν*`.
#[derive(Clone, Debug)]
#[doc(alias = "ResidualModelFrameVelocity")]
pub struct FrameVelocity {
    frame: FrameRef,
    reference: ReferenceFrame,
    goal: Motion<f64>,
}

impl FrameVelocity {
    /// Of a frame or a body, in a reference, toward a velocity: linear part first.
    #[must_use]
    pub fn new(frame: impl Into<FrameRef>, reference: ReferenceFrame, goal: Motion<f64>) -> Self {
        Self { frame: frame.into(), reference, goal }
    }
}

impl Quantity for FrameVelocity {
    fn rows(&self, _model: &Model) -> usize {
        6
    }
    fn depends(&self) -> Depends {
        Depends::QV
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(&self, on: &mut Snapshot<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        let motion =
            forward_kinematics(on.model, on.workspace, on.q, on.v, on.a)?.velocity_in(self.frame, self.reference);
        let Some(motion) = motion else {
            return frame_pose(on.model, on.workspace, on.q, self.frame).map(drop); // says why there is none
        };
        for ((r, x), goal) in r.iter_mut().zip(motion.to_array()).zip(on.goal) {
            *r = x - T::from(*goal);
        }
        Ok(())
    }
}

impl Residual for FrameVelocity {
    fn rows(&self) -> usize {
        6
    }
    fn depends(&self) -> Depends {
        Depends::QV
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
        let by = frame_derivatives(on.model, on.workspace, on.q, on.v, on.a, self.frame, self.reference)?;
        for ((r, x), goal) in r.iter_mut().zip(by.velocity.to_array()).zip(on.goal) {
            *r = x - goal;
        }
        out.dq.copy_from(&by.dvelocity_dq);
        out.dv.copy_from(&by.dvelocity_dv);
        Ok(())
    }
    fn add_hessian(&self, on: &mut View<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        let (motions, state) = (own_memory::<Motions>(on.own)?, [on.q, on.v, on.a]);
        let coordinates = coordinates(self.reference);
        motions.axes.of_frame(on.model, on.workspace, state, self.frame, |pose| coordinates.about(pose))?;
        motions.add_velocity(coordinates, on.v, Force::from_vector6(&Vector6::from_column_slice(lambda)), out);
        Ok(())
    }
}
