//! Poses with both frames.

use super::{CheckedMotion, Frame, FrameMismatch, same};
use crate::spatial::{Transform, exp6, log6};
use gradyn_derivatives::{Real, Scalar};
use std::fmt::{Display, Formatter};

/// A [`Transform`] `x_ab` that knows its frames: the pose of `frame` B in `reference` A.
#[derive(Clone, Debug, PartialEq)]
#[doc(alias("Transform3D", "monogram"))]
pub struct CheckedTransform<T> {
    reference: Frame,
    frame: Frame,
    value: Transform<T>,
}

/// A quantity with coordinates in some frame, which a pose carries to another.
pub trait Expressed<P>: Sized {
    /// The frame whose coordinates are used.
    fn expressed_in(&self) -> &Frame;
    /// The same quantity in coordinates of `a`, by `x_ab`; frames are not checked.
    fn carried(&self, x_ab: &Transform<P>, a: &Frame) -> Self;
    /// The same quantity in coordinates of `b`, by `x_ab`; frames are not checked.
    fn carried_back(&self, x_ab: &Transform<P>, b: &Frame) -> Self;
}

impl<T: Real> CheckedTransform<T> {
    /// The pose `x_ab` of the frame `b` in the frame `a`.
    pub fn new(a: &Frame, b: &Frame, x_ab: Transform<T>) -> Self {
        Self { reference: a.clone(), frame: b.clone(), value: x_ab }
    }

    /// The pose of a frame in itself.
    pub fn identity(a: &Frame) -> Self {
        Self::new(a, a, Transform::identity())
    }

    /// A of `x_ab`: the frame the pose is measured in.
    pub fn reference(&self) -> &Frame {
        &self.reference
    }

    /// B of `x_ab`: the frame whose pose it is.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The plain pose.
    pub fn value(&self) -> Transform<T> {
        self.value
    }

    /// `x_ba`
    pub fn inverse(&self) -> Self {
        Self::new(&self.frame, &self.reference, self.value.inverse())
    }

    /// `x_ac = x_ab x_bc`
    ///
    /// # Errors
    /// [`FrameMismatch`] if the right side is not measured in B.
    pub fn compose<U: Scalar<T>>(&self, x_bc: &CheckedTransform<U>) -> Result<CheckedTransform<U>, FrameMismatch> {
        same("compose", ("the left pose is of", &self.frame), ("the right pose is measured in", &x_bc.reference))?;
        Ok(CheckedTransform::new(&self.reference, &x_bc.frame, self.value * x_bc.value))
    }

    /// `x_bc = x_ab⁻¹ x_ac`
    ///
    /// # Errors
    /// [`FrameMismatch`] if the two are not measured in the same frame.
    pub fn inv_compose<U: Scalar<T>>(&self, x_ac: &CheckedTransform<U>) -> Result<CheckedTransform<U>, FrameMismatch> {
        let (left, right) = ("the left pose is measured in", "the right pose in");
        same("inv_compose", (left, &self.reference), (right, &x_ac.reference))?;
        Ok(CheckedTransform::new(&self.frame, &x_ac.frame, self.value.inv_mul(&x_ac.value)))
    }

    /// The velocity that, kept for one second, moves A to B: of B in A, expressed in B (or in A: its coordinates are the same in both).
    /// See [`log6`].
    pub fn log(&self) -> CheckedMotion<T> {
        CheckedMotion::new(&self.frame, &self.reference, &self.frame, log6(&self.value))
    }

    /// The pose of B in A after one second at the velocity of B in A, from where the two were one: the inverse of [`log`](Self::log). See
    /// [`exp6`].
    ///
    /// # Errors
    /// [`FrameMismatch`] if the velocity is expressed neither in B nor in A.
    pub fn exp(velocity: &CheckedMotion<T>) -> Result<Self, FrameMismatch> {
        if velocity.expressed_in() != velocity.base() {
            let expressed = ("the velocity is expressed in", velocity.expressed_in());
            same("exp", expressed, ("it is of", velocity.body()))?;
        }
        Ok(Self::new(velocity.base(), velocity.body(), exp6(velocity.value())))
    }

    /// A quantity expressed in B, expressed in A.
    ///
    /// # Errors
    /// [`FrameMismatch`] if it is not expressed in B.
    pub fn act<Q: Expressed<T>>(&self, q_b: &Q) -> Result<Q, FrameMismatch> {
        same("act", ("the pose is of", &self.frame), ("the quantity is expressed in", q_b.expressed_in()))?;
        Ok(q_b.carried(&self.value, &self.reference))
    }

    /// A quantity expressed in A, expressed in B.
    ///
    /// # Errors
    /// [`FrameMismatch`] if it is not expressed in A.
    pub fn inv_act<Q: Expressed<T>>(&self, q_a: &Q) -> Result<Q, FrameMismatch> {
        let right = ("the quantity is expressed in", q_a.expressed_in());
        same("inv_act", ("the pose is measured in", &self.reference), right)?;
        Ok(q_a.carried_back(&self.value, &self.frame))
    }
}

checked!(@display CheckedTransform, "pose of {} in {}: ", frame, reference);
