//! The difference of the velocity, or of the acceleration, of a frame from a goal.

use super::formula::{less_goal, own_memory, second_opinion};
use super::motions::{Motions, coordinates};
use super::{Depends, Jacobian, Quantity, QuantityPoint, Residual, ResidualPoint};
use crate::fault::Reason;
use gradyn::dynamics::{
    FrameRef, Kinematics, ReferenceFrame, classical_frame_derivatives, forward_kinematics, frame_derivatives,
    frame_pose,
};
use gradyn::model::InputError;
use gradyn::{Force, Model, Motion, Scalar};
use nalgebra::{DMatrix, Vector6};

/// A motion of a frame in the coordinates of a reference, and its goal.
#[derive(Clone, Debug)]
struct OfFrame {
    frame: FrameRef,
    reference: ReferenceFrame,
    goal: Motion<f64>,
}

impl OfFrame {
    /// The motion that kinematics have, less the goal.
    #[inline(always)]
    fn evaluate<T: Scalar>(
        &self,
        on: &mut QuantityPoint<'_, T>,
        motion: impl Fn(&Kinematics<'_, f64, T>) -> Option<Motion<T>>,
        r: &mut [T],
    ) -> Result<(), InputError> {
        let found = motion(&forward_kinematics(on.model, on.workspace, on.q, on.v, on.a)?);
        match found {
            Some(motion) => less_goal(motion.to_array(), on.goal, r),
            // Says why there is none.
            None => drop(frame_pose(on.model, on.workspace, on.q, self.frame)?),
        }
        Ok(())
    }
    /// Axes of the joints that move the frame.
    fn place<'m>(&self, on: &'m mut ResidualPoint<'_>) -> Result<&'m mut Motions, Reason> {
        let (motions, about) = (own_memory::<Motions>(on.own)?, coordinates(self.reference));
        motions.axes.of_frame(on.model, on.workspace, [on.q, on.v, on.a], self.frame, |pose| about.about(pose))?;
        Ok(motions)
    }
}

/// `r = ν − ν*`, 6: m/s, then rad/s, in the coordinates of a reference. The goal is `ν*`.
#[derive(Clone, Debug)]
#[doc(alias = "ResidualModelFrameVelocity")]
pub struct FrameVelocity(OfFrame);

impl FrameVelocity {
    /// Of a frame or a body, in a reference, toward a velocity: linear part first.
    #[must_use]
    pub fn new(frame: impl Into<FrameRef>, reference: ReferenceFrame, goal: Motion<f64>) -> Self {
        Self(OfFrame { frame: frame.into(), reference, goal })
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
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        self.0.evaluate(on, |moved| moved.velocity_in(self.0.frame, self.0.reference), r)
    }
}

impl Residual for FrameVelocity {
    fn sees_robot(&self) -> bool {
        false
    }
    fn goal(&self) -> Vec<f64> {
        self.0.goal.to_array().to_vec()
    }
    second_opinion!(Motions, rows 6);
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        let by = frame_derivatives(on.model, on.workspace, on.q, on.v, on.a, self.0.frame, self.0.reference)?;
        less_goal(by.velocity.to_array(), on.goal, r);
        out.dq.copy_from(&by.dvelocity_dq);
        out.dv.copy_from(&by.dvelocity_dv);
        Ok(())
    }
    fn add_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        let (v, weights) = (on.v, Force::from_vector6(&Vector6::from_column_slice(lambda)));
        self.0.place(on)?.add_velocity(coordinates(self.0.reference), v, weights, out);
        Ok(())
    }
}

/// `r = α − α*`, 6: m/s², then rad/s², in the coordinates of a reference, gravity left out. The goal is `α*`.
///
/// The classical acceleration: its linear part is that of the point whose velocity [`FrameVelocity`] gives, its rate of
/// change in axes at rest.
#[derive(Clone, Debug)]
pub struct FrameAcceleration(OfFrame);

impl FrameAcceleration {
    /// Of a frame or a body, in a reference, toward an acceleration: linear part first.
    #[must_use]
    pub fn new(frame: impl Into<FrameRef>, reference: ReferenceFrame, goal: Motion<f64>) -> Self {
        Self(OfFrame { frame: frame.into(), reference, goal })
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
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        self.0.evaluate(on, |moved| moved.classical_acceleration_in(self.0.frame, self.0.reference), r)
    }
}

impl Residual for FrameAcceleration {
    fn sees_robot(&self) -> bool {
        false
    }
    fn goal(&self) -> Vec<f64> {
        self.0.goal.to_array().to_vec()
    }
    second_opinion!(Motions, rows 6);
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        let (q, OfFrame { frame, reference, .. }) = (on.q, &self.0);
        let by = classical_frame_derivatives(on.model, on.workspace, q, on.v, on.a, *frame, *reference)?;
        less_goal(by.acceleration.to_array(), on.goal, r);
        out.dq.copy_from(&by.dacceleration_dq);
        out.dv.copy_from(&by.dacceleration_dv);
        out.da.copy_from(&by.dacceleration_da);
        Ok(())
    }
    fn add_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        let (rates, weights) = ([on.v, on.a], Force::from_vector6(&Vector6::from_column_slice(lambda)));
        let first = 2 * on.v.len() + on.u.len();
        self.0.place(on)?.add_acceleration(coordinates(self.0.reference), rates, weights, first, out);
        Ok(())
    }
}
