//! The difference of the origin of a frame from a goal: `r = p − p*`.

use super::axes::{Axes, Coordinates};
use super::formula::{less_goal, own_memory, second_opinion};
use super::{Depends, Jacobian, Quantity, QuantityPoint, Residual, ResidualPoint};
use crate::fault::Reason;
use gradyn::dynamics::{FrameRef, ReferenceFrame, frame_pose, frame_pose_jacobian};
use gradyn::model::InputError;
use gradyn::{Model, Scalar};
use nalgebra::{DMatrix, Vector3};

/// `r = p − p*`, 3, m, in axes of the world. The goal is `p*`.
#[derive(Clone, Debug)]
#[doc(alias = "ResidualModelFrameTranslation")]
pub struct FrameTranslation {
    frame: FrameRef,
    goal: Vector3<f64>,
}

impl FrameTranslation {
    /// Of a frame or a body, toward a place in the world, m.
    #[must_use]
    pub fn new(frame: impl Into<FrameRef>, goal: Vector3<f64>) -> Self {
        Self { frame: frame.into(), goal }
    }
}

impl Quantity for FrameTranslation {
    fn rows(&self, _model: &Model) -> usize {
        3
    }
    fn depends(&self) -> Depends {
        Depends::Q
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        let p = frame_pose(on.model, on.workspace, on.q, self.frame)?.translation;
        less_goal(p.iter().copied(), on.goal, r);
        Ok(())
    }
}

impl Residual for FrameTranslation {
    fn sees_robot(&self) -> bool {
        false
    }
    fn goal_place(&self, goal: &[f64]) -> Option<(FrameRef, [f64; 3], bool)> {
        Some((self.frame, [goal[0], goal[1], goal[2]], true))
    }
    fn goal(&self) -> Vec<f64> {
        self.goal.as_slice().to_vec()
    }
    second_opinion!(Axes, rows 3);
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        let reference = ReferenceFrame::LocalWorldAligned;
        let (pose, jacobian) = frame_pose_jacobian(on.model, on.workspace, on.q, self.frame, reference)?;
        less_goal(pose.translation.iter().copied(), on.goal, r);
        out.dq.copy_from(&jacobian.rows(0, 3));
        Ok(())
    }
    fn add_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        let (axes, state) = (own_memory::<Axes>(on.own)?, [on.q, on.v, on.a]);
        axes.of_frame(on.model, on.workspace, state, self.frame, |pose| Coordinates::Aligned.about(pose))?;
        axes.add_place(out, Vector3::from_column_slice(lambda));
        Ok(())
    }
}
