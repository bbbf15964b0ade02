//! The difference of the pose of a frame from a goal: `r = log6(X*⁻¹ X)`.

use super::axes::Axes;
use super::formula::{own_memory, second_opinion};
use super::logarithm::LogCurvature;
use super::{Depends, Jacobian, Quantity, QuantityPoint, Residual, ResidualPoint};
use crate::fault::Reason;
use crate::half_turn::{choose, is_half};
use gradyn::dynamics::{FrameRef, ReferenceFrame, frame_pose, frame_pose_jacobian};
use gradyn::model::InputError;
use gradyn::spatial::{jlog6, log6};
use gradyn::{Force, Model, Scalar, Transform};
use nalgebra::{DMatrix, Vector6};

/// `r = log6(X*⁻¹ X)`, 6: m, then rad, in axes of the goal. The goal is `X*`: its translation, then its rotation matrix
/// by rows.
///
/// A frame that is turned by π from its goal has two rotation vectors, v and −v: r has that which points along (4, 2,
/// 1), and not against it.
#[derive(Clone, Debug)]
#[doc(alias = "ResidualModelFramePlacement")]
pub struct FramePlacement {
    frame: FrameRef,
    goal: Transform<f64>,
}

impl FramePlacement {
    /// Of a frame or a body, toward a pose in the world.
    #[must_use]
    pub fn new(frame: impl Into<FrameRef>, goal: Transform<f64>) -> Self {
        Self { frame: frame.into(), goal }
    }
    /// A goal as numbers, for [`Problem::set_goal`](crate::Problem::set_goal): translation, then rotation matrix by
    /// rows.
    #[must_use]
    pub fn goal_of(pose: &Transform<f64>) -> Vec<f64> {
        pose.translation.iter().copied().chain(pose.rotation.transpose().iter().copied()).collect()
    }
}

/// The pose that these numbers are.
pub(crate) fn pose_of(goal: &[f64]) -> Transform<f64> {
    let rotation = nalgebra::Matrix3::from_row_slice(&goal[3..12]);
    Transform::new(rotation, nalgebra::Vector3::new(goal[0], goal[1], goal[2]))
}

impl Quantity for FramePlacement {
    fn rows(&self, _model: &Model) -> usize {
        6
    }
    fn depends(&self) -> Depends {
        Depends::Q
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        let pose = frame_pose(on.model, on.workspace, on.q, self.frame)?;
        let goal: Transform<f64> = pose_of(on.goal);
        let off = choose(log6(&goal.inv_mul(&pose)));
        r[..3].copy_from_slice(off.linear.as_slice());
        r[3..].copy_from_slice(off.angular.as_slice());
        Ok(())
    }
}

impl Residual for FramePlacement {
    fn sees_robot(&self) -> bool {
        false
    }
    fn goal(&self) -> Vec<f64> {
        Self::goal_of(&self.goal)
    }
    fn goal_place(&self, goal: &[f64]) -> Option<(FrameRef, [f64; 3], bool)> {
        Some((self.frame, [goal[0], goal[1], goal[2]], false))
    }
    fn check_goal(&self, goal: &[f64]) -> Result<(), String> {
        pose_of(goal).validity().map_err(|error| error.to_string())
    }
    second_opinion!(Axes, rows 6);
    fn jumps(&self, r: &[f64]) -> bool {
        is_half([r[3], r[4], r[5]].into())
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        let (pose, jacobian) = frame_pose_jacobian(on.model, on.workspace, on.q, self.frame, ReferenceFrame::Local)?;
        let off = choose(log6(&pose_of(on.goal).inv_mul(&pose)));
        r[..3].copy_from_slice(off.linear.as_slice());
        r[3..].copy_from_slice(off.angular.as_slice());
        let by = jlog6(off);
        for (to, from) in out.dq.column_iter_mut().zip(jacobian.column_iter()) {
            let from = from.fixed_rows::<6>(0);
            let mut to = to;
            for i in 0..6 {
                to[i] = (0..6).map(|k| by[(i, k)] * from[k]).sum();
            }
        }
        Ok(())
    }
    fn add_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        let (axes, state) = (own_memory::<Axes>(on.own)?, [on.q, on.v, on.a]);
        let pose = axes.of_frame(on.model, on.workspace, state, self.frame, |pose| *pose)?;
        let off = choose(log6(&pose_of(on.goal).inv_mul(&pose)));
        LogCurvature::new(off, Force::from_vector6(&Vector6::from_column_slice(lambda))).add_along(axes, out);
        Ok(())
    }
}
