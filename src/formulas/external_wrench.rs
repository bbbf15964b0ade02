//! Wrenches from outside.

use crate::model::BodyId;
use crate::spatial::Force;
use gradyn_derivatives::{Real, Scalar};

/// The coordinates that a wrench is given in, which it keeps while the robot moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrenchFrame {
    /// Coordinates of the body, moment about the body's origin: it moves along.
    Body,
    /// Coordinates of the world, moment about the world's origin: it stands still.
    World,
}

/// A wrench that acts on a body from outside. Several may act on one body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("fext", "xfrc_applied", "ExternallyAppliedSpatialForce", "external force"))]
pub struct ExternalWrench<T = f64> {
    /// The body.
    pub body: BodyId,
    /// Its coordinates.
    pub frame: WrenchFrame,
    /// Force, N, and moment, N m.
    pub wrench: Force<T>,
}

impl<T: Real> ExternalWrench<T> {
    /// A wrench in coordinates of the body.
    #[must_use]
    pub fn in_body(body: BodyId, wrench: Force<T>) -> Self {
        Self { body, frame: WrenchFrame::Body, wrench }
    }
    /// A wrench in coordinates of the world, moment about its origin.
    #[must_use]
    pub fn in_world(body: BodyId, wrench: Force<T>) -> Self {
        Self { body, frame: WrenchFrame::World, wrench }
    }
    /// The same wrench in a wider number type.
    #[must_use]
    #[inline(always)]
    pub fn lift<U: Scalar<T>>(&self) -> ExternalWrench<U> {
        ExternalWrench { body: self.body, frame: self.frame, wrench: self.wrench.lift() }
    }
}
