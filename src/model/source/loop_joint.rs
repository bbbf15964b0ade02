//! Joints that close loops, as files have them.

use crate::joint::Elementary;
use crate::model::BodyId;
use crate::spatial::Transform;

/// A joint between two bodies that other joints carry already. It becomes a constraint by
/// [`Constraint::of_loop`](crate::dynamics::Constraint::of_loop).
#[derive(Clone, Debug, PartialEq)]
pub struct LoopJoint {
    /// Its name.
    pub name: String,
    /// Both bodies; none for the world.
    pub bodies: [Option<BodyId>; 2],
    /// The frame of the joint in each of them.
    pub placements: [Transform<f64>; 2],
    /// What it lets move.
    pub joint: Elementary<f64>,
}
