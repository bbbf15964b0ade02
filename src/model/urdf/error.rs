//! Why a URDF file was refused.

use super::tree_error::TreeError;
use crate::model::ModelError;
use crate::model::source::SourceError;
use crate::model::source::note::Note;
use crate::model::source::text::{Owner, Quoted};
use thiserror::Error;

/// Why a URDF file was refused. Every message is one line and names the line of the file, the element and the values; what is
/// wrong with the options has no line.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum UrdfError {
    /// The text, an element or a number cannot be read, whatever the format.
    #[error("{0}")]
    Source(Box<SourceError>),
    /// The text is xacro, of which URDF is made.
    #[error("line {line}: {} is xacro, not URDF: run `xacro FILE > robot.urdf` first", Quoted(.found))]
    Xacro {
        /// Line of the element or attribute.
        line: u32,
        /// The element, or what the attribute holds.
        found: String,
    },
    /// The root element is not `robot`.
    #[error("line {line}: the root element is {}, not `robot`", Quoted(.found))]
    NotARobot {
        /// Line of the root element.
        line: u32,
        /// Its name.
        found: String,
    },
    /// The robot has no link.
    #[error("line {line}: robot {}: it has no link", Quoted(.robot))]
    NoLink {
        /// Line of the `robot` element.
        line: u32,
        /// Name of the robot.
        robot: String,
    },
    /// A joint lacks an element.
    #[error("line {line}: {owner}: `{within}` has no element `{element}`")]
    MissingElement {
        /// Line of the element that should hold it.
        line: u32,
        /// The link or joint.
        owner: Owner,
        /// The element that should hold it: `joint`.
        within: &'static str,
        /// The element that is missing.
        element: &'static str,
    },
    /// A joint's type is not one of URDF's.
    #[error("line {line}: joint {}: {} is not a joint type", Quoted(.joint), Quoted(.found))]
    UnknownJointType {
        /// Line of the joint.
        line: u32,
        /// Name of the joint.
        joint: String,
        /// The type it asks for.
        found: String,
    },
    /// The axis of a moving joint has no direction.
    #[error("line {line}: joint {}: axis is zero", Quoted(.joint))]
    ZeroAxis {
        /// Line of the axis.
        line: u32,
        /// Name of the joint.
        joint: String,
    },
    /// A mass is negative.
    #[error("line {line}: link {}: mass {mass} kg is negative", Quoted(.link))]
    NegativeMass {
        /// Line of the mass.
        line: u32,
        /// Name of the link.
        link: String,
        /// The mass, kg.
        mass: f64,
    },
    /// The damping of a joint is negative.
    #[error("line {line}: joint {}: damping {damping} is negative", Quoted(.joint))]
    NegativeDamping {
        /// Line of the damping.
        line: u32,
        /// Name of the joint.
        joint: String,
        /// The damping, N m s/rad or N s/m.
        damping: f64,
    },
    /// The friction of a joint is negative.
    #[error("line {line}: joint {}: friction {friction} is negative", Quoted(.joint))]
    NegativeFriction {
        /// Line of the friction.
        line: u32,
        /// Name of the joint.
        joint: String,
        /// The friction, N m or N.
        friction: f64,
    },
    /// The armature of a joint, or the inertia of the rotor that drives it, is negative.
    #[error("line {line}: {owner}: {what} {value} is negative")]
    NegativeArmature {
        /// Line of the number.
        line: u32,
        /// The joint or transmission.
        owner: Owner,
        /// `armature` or `rotor inertia`.
        what: &'static str,
        /// The number, kg m² (kg).
        value: f64,
    },
    /// The gear ratio of a rotor is zero: its inertia would vanish.
    #[error("line {line}: {owner}: the gear ratio of its rotor is zero")]
    ZeroGearRatio {
        /// Line of the number.
        line: u32,
        /// The joint or transmission.
        owner: Owner,
    },
    /// [`UrdfOptions::armature`](super::UrdfOptions::armature) names a joint that is not there.
    #[error("armature is given for joint {}, which the robot does not have", Quoted(.joint))]
    ArmatureOfUnknown {
        /// The name.
        joint: String,
    },
    /// [`UrdfOptions::armature`](super::UrdfOptions::armature) does not have one entry a degree of freedom.
    #[error("armature of joint {}: {found} numbers for {expected} degrees of freedom", Quoted(.joint))]
    ArmatureLength {
        /// Name of the joint.
        joint: String,
        /// Its degrees of freedom.
        expected: usize,
        /// Entries given.
        found: usize,
    },
    /// [`UrdfOptions::armature`](super::UrdfOptions::armature) has a number that is negative or not finite.
    #[error("armature of joint {} is {value}: expected a finite number that is not negative", Quoted(.joint))]
    BadArmature {
        /// Name of the joint.
        joint: String,
        /// The number, kg m² (kg).
        value: f64,
    },
    /// The rotation of an `origin` is given twice, by `rpy` and by `quat_xyzw`.
    #[error("line {line}: {owner}: `origin` has both `rpy` and `quat_xyzw`")]
    TwoRotations {
        /// Line of the `origin` element.
        line: u32,
        /// The link or joint.
        owner: Owner,
    },
    /// A quaternion has no direction.
    #[error("line {line}: {owner}: `quat_xyzw` of `origin` is zero")]
    ZeroQuaternion {
        /// Line of the `origin` element.
        line: u32,
        /// The link or joint.
        owner: Owner,
    },
    /// Two links have one name.
    #[error("line {line}: link {}: the name is taken by the link in line {first_line}", Quoted(.link))]
    DuplicateLink {
        /// Line of the second link.
        line: u32,
        /// The name.
        link: String,
        /// Line of the first link.
        first_line: u32,
    },
    /// Two joints have one name.
    #[error("line {line}: joint {}: the name is taken by the joint in line {first_line}", Quoted(.joint))]
    DuplicateJoint {
        /// Line of the second joint.
        line: u32,
        /// The name.
        joint: String,
        /// Line of the first joint.
        first_line: u32,
    },
    /// A floating base was asked for, and a joint of the file already has the name of its joint.
    #[error("line {line}: joint {}: the name is taken by the joint of the floating base", Quoted(.joint))]
    RootJointNameTaken {
        /// Line of the joint.
        line: u32,
        /// The name.
        joint: String,
    },
    /// Links and joints make no tree, or joints follow each other as they cannot.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// Numbers of the file are finite, but what they make together is not.
    #[error("line {line}: {owner}: {what} overflows")]
    Overflow {
        /// Line of the element.
        line: u32,
        /// The link or joint.
        owner: Owner,
        /// What overflows.
        what: &'static str,
    },
    /// There are warnings, and [`UrdfOptions::strict`](super::UrdfOptions::strict) was asked for.
    #[error("{first} (warning 1 of {count}, refused by `strict`)")]
    Strict {
        /// The first warning.
        first: Box<Note>,
        /// How many there are.
        count: usize,
    },
    /// The builder refuses the model.
    #[error("{0}")]
    Model(#[from] ModelError),
}

/// What is wrong with the text, whatever the format. Of xacro the message says how URDF is made of it.
impl From<SourceError> for UrdfError {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Xacro { line, found } => Self::Xacro { line, found },
            error => Self::Source(Box::new(error)),
        }
    }
}
