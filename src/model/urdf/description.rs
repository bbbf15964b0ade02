//! What a URDF file says, checked, in plain data.

use crate::model::source::JointType;
use crate::spatial::{Inertia, Transform};
use nalgebra::Vector3;

/// What a URDF file says: its links in the file's order, its joints parents first.
///
/// Everything is checked: numbers are finite, names are unique, the links form one tree. Fixed joints are still there.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Description {
    /// Name of the robot.
    pub name: String,
    /// The links, in the file's order.
    pub links: Vec<LinkElement>,
    /// The joints, depth first in the order that [`UrdfOptions::joint_order`](super::UrdfOptions::joint_order) asks
    /// for: each comes after the one that moves its parent link, and the joints of a subtree are contiguous.
    pub joints: Vec<JointElement>,
    /// Index of the root link.
    pub root: usize,
    /// The motors, in the file's order; none if no transmission states a reduction.
    pub motors: Vec<MotorElement>,
}

/// A motor that drives a joint of one coordinate: what a `transmission` says.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MotorElement {
    /// Line of the file, from 1.
    pub line: u32,
    /// Its name: that of the `actuator`, unless that is missing or taken, or drives several joints.
    pub name: String,
    /// Index of the joint that it drives.
    pub joint: usize,
    /// Torque at the joint for one of the motor: `mechanicalReduction`, not zero.
    pub gear: f64,
}

/// A link: a rigid body, or a mere frame.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LinkElement {
    /// Line of the file, from 1.
    pub line: u32,
    /// Its name.
    pub name: String,
    /// Its inertia in the axes of the link frame, the center of mass from the origin of that frame; none without an
    /// `inertial` element.
    pub inertia: Option<Inertia<f64>>,
    /// Index of the joint it is the child of; none for the root.
    pub joint: Option<usize>,
}

/// A joint between two links.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JointElement {
    /// Line of the file, from 1.
    pub line: u32,
    /// Its name.
    pub name: String,
    /// Its type.
    pub joint_type: JointType,
    /// Index of its parent link.
    pub parent: usize,
    /// Index of the link it carries.
    pub child: usize,
    /// Index of the joint that carries the parent link; none if that is the root.
    pub parent_joint: Option<usize>,
    /// Pose of the joint, and of the child link at zero position, in the parent link.
    pub placement: Transform<f64>,
    /// Unit vector in the joint's frame: axis of rotation or translation, normal of the plane. Without meaning for
    /// fixed and floating joints.
    pub axis: Vector3<f64>,
    /// Limits of the motion.
    pub limits: Limits,
    /// Viscous damping, N m s/rad or N s/m; not negative. Zero for joints of several coordinates.
    pub damping: f64,
    /// Dry friction, N m or N; not negative. Zero for joints of several coordinates.
    pub friction: f64,
    /// Inertia of the rotor that drives it, seen at the joint, kg m² or kg; not negative. URDF has no element for it:
    /// it comes from attributes of `dynamics` (`armature`, or `rotor_inertia` and `gear_ratio`) or from a
    /// `transmission`, or from [`UrdfOptions::armature`](super::UrdfOptions::armature). Zero for joints of several
    /// coordinates.
    pub armature: f64,
    /// Turns of the rotor per turn of the joint, where the armature is that of a rotor.
    pub gear_ratio: Option<f64>,
    /// The joint it follows, if any.
    pub mimic: Option<Mimic>,
}

/// Limits of a joint with one coordinate; `None` is unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// Lowest and highest position, rad or m, the lowest first; revolute and prismatic joints only.
    pub position: Option<[f64; 2]>,
    /// Largest force, N m or N; not negative.
    pub effort: Option<f64>,
    /// Largest speed, rad/s or m/s; not negative.
    pub velocity: Option<f64>,
}

/// A joint's position as a function of another's: `q = multiplier · q_target + offset`.
///
/// Where the file lets a joint follow one that itself follows, the two functions are composed: the target is free.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Mimic {
    /// Index of the joint it follows.
    pub joint: usize,
    /// Factor, without unit or in rad/m or m/rad.
    pub multiplier: f64,
    /// Position where the target is zero, rad or m.
    pub offset: f64,
}
