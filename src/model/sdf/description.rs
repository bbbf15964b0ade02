//! What an SDF file says, checked, in plain data.

use super::element::Place;
use crate::joint::Elementary;
use crate::spatial::{Inertia, Transform};
use nalgebra::Vector3;

/// What an SDF file says: links, joints and frames of all its models, each with its pose in the world where all joints are at zero.
#[derive(Debug)]
pub(super) struct Description {
    pub(super) name: String,
    /// That of the world, if the file has one.
    pub(super) gravity: Option<Vector3<f64>>,
    pub(super) links: Vec<Link>,
    pub(super) joints: Vec<Joint>,
    pub(super) frames: Vec<Frame>,
}

/// A link.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) pose: Transform<f64>,
    /// In its own axes.
    pub(super) inertia: Inertia<f64>,
    /// Whether it stands still.
    pub(super) is_static: bool,
}

/// A joint.
#[derive(Debug)]
pub(super) struct Joint {
    pub(super) name: String,
    pub(super) place: Place,
    /// Index of its parent link; none for the world.
    pub(super) parent: Option<usize>,
    /// Index of its child link.
    pub(super) child: usize,
    pub(super) pose: Transform<f64>,
    /// Whether its frame is that of its child link.
    pub(super) at_child: bool,
    /// None for a fixed joint.
    pub(super) joint: Option<Elementary<f64>>,
    /// Of each degree of freedom; none for balls.
    pub(super) axes: Vec<Axis>,
}

/// Numbers of a degree of freedom.
#[derive(Debug)]
pub(super) struct Axis {
    pub(super) limits: (f64, f64),
    pub(super) effort: f64,
    pub(super) velocity: f64,
    pub(super) damping: f64,
    pub(super) friction: f64,
    pub(super) stiffness: f64,
    pub(super) spring_reference: f64,
    /// The joint that it follows, multiplier and offset.
    pub(super) mimic: Option<(String, f64, f64)>,
}

/// A frame.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) name: String,
    /// Index of the link that it is fixed to; none for the world.
    pub(super) link: Option<usize>,
    pub(super) pose: Transform<f64>,
}
