//! The difference of the rotation of a frame from a goal: `r = log3(R*ᵀ R)`.

use super::axes::Axes;
use super::formula::{own_memory, second_opinion};
use super::logarithm::LogCurvature;
use super::{Depends, Jacobian, Quantity, QuantityPoint, Residual, ResidualPoint};
use crate::fault::Reason;
use crate::half_turn::{choose_turn, is_half};
use gradyn::dynamics::{FrameRef, ReferenceFrame, frame_pose, frame_pose_jacobian};
use gradyn::model::InputError;
use gradyn::spatial::{jlog3, log3, vector as v3};
use gradyn::{Force, Model, Motion, Scalar, Transform};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// `r = log3(R*ᵀ R)`, 3, rad, in axes of the goal. The goal is `R*`, by rows.
///
/// A frame that is turned by π from its goal has two rotation vectors, v and −v: r is that which points along (4, 2,
/// 1), and not against it.
#[derive(Clone, Debug)]
#[doc(alias = "ResidualModelFrameRotation")]
pub struct FrameRotation {
    frame: FrameRef,
    goal: Matrix3<f64>,
}

impl FrameRotation {
    /// Of a frame or a body, toward a rotation from its axes to those of the world.
    #[must_use]
    pub fn new(frame: impl Into<FrameRef>, goal: Matrix3<f64>) -> Self {
        Self { frame: frame.into(), goal }
    }
}

impl Quantity for FrameRotation {
    fn rows(&self, _model: &Model) -> usize {
        3
    }
    fn depends(&self) -> Depends {
        Depends::Q
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        let pose = frame_pose(on.model, on.workspace, on.q, self.frame)?;
        let goal = Matrix3::from_row_slice(on.goal);
        r.copy_from_slice(choose_turn(log3(&v3::product_tr(&goal, &pose.rotation))).as_slice());
        Ok(())
    }
}

impl Residual for FrameRotation {
    fn sees_robot(&self) -> bool {
        false
    }
    fn goal(&self) -> Vec<f64> {
        self.goal.transpose().as_slice().to_vec()
    }
    fn check_goal(&self, goal: &[f64]) -> Result<(), String> {
        let pose = Transform::new(Matrix3::from_row_slice(goal), Vector3::zeros());
        pose.validity().map_err(|error| error.to_string())
    }
    second_opinion!(Axes, rows 3);
    fn jumps(&self, r: &[f64]) -> bool {
        is_half(Vector3::new(r[0], r[1], r[2]))
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        let (pose, jacobian) = frame_pose_jacobian(on.model, on.workspace, on.q, self.frame, ReferenceFrame::Local)?;
        let turn = choose_turn(log3(&v3::product_tr(&Matrix3::from_row_slice(on.goal), &pose.rotation)));
        r.copy_from_slice(turn.as_slice());
        out.dq.gemm(1.0, &jlog3(turn), &jacobian.rows(3, 3), 0.0);
        Ok(())
    }
    fn add_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        let (axes, state) = (own_memory::<Axes>(on.own)?, [on.q, on.v, on.a]);
        let pose = axes.of_frame(on.model, on.workspace, state, self.frame, |pose| *pose)?;
        let turn = choose_turn(log3(&v3::product_tr(&Matrix3::from_row_slice(on.goal), &pose.rotation)));
        let weights = Force::new(Vector3::zeros(), Vector3::from_column_slice(lambda));
        LogCurvature::new(Motion::new(Vector3::zeros(), turn), weights).add_along(axes, out);
        Ok(())
    }
}
