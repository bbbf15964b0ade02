//! Why links and joints of a URDF file make no robot.

use crate::model::source::JointType;
use crate::model::source::text::Quoted;
use thiserror::Error;

/// Why links and joints make no tree, or joints cannot follow each other. Every message is one line and names the line of the file.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TreeError {
    /// The parent link of a joint is not there.
    #[error("line {line}: joint {}: parent link {} is not declared", Quoted(.joint), Quoted(.parent))]
    UnknownParent {
        /// Line of the `parent` element.
        line: u32,
        /// Name of the joint.
        joint: String,
        /// Name of the link it asks for.
        parent: String,
    },
    /// A joint carries a link that is not there.
    #[error("line {line}: joint {}: child link {} is not declared", Quoted(.joint), Quoted(.child))]
    UnknownChild {
        /// Line of the `child` element.
        line: u32,
        /// Name of the joint.
        joint: String,
        /// Name of the link it asks for.
        child: String,
    },
    /// A joint connects a link to itself.
    #[error("line {line}: joint {}: link {} is both parent and child", Quoted(.joint), Quoted(.link))]
    ParentIsChild {
        /// Line of the joint.
        line: u32,
        /// Name of the joint.
        joint: String,
        /// Name of the link.
        link: String,
    },
    /// A link is the child of two joints: the mechanism has a loop.
    #[error(
        "line {line}: joint {}: link {} already hangs from joint {} in line {first_line}",
        Quoted(.joint), Quoted(.link), Quoted(.first_joint)
    )]
    TwoParents {
        /// Line of the second joint.
        line: u32,
        /// Name of the second joint.
        joint: String,
        /// Name of the link.
        link: String,
        /// Name of the first joint.
        first_joint: String,
        /// Line of the first joint.
        first_line: u32,
    },
    /// Two links have no parent: the robot falls into pieces.
    #[error(
        "line {line}: link {}: no joint leads to it, nor to link {} in line {first_line}",
        Quoted(.link), Quoted(.first_link)
    )]
    TwoRoots {
        /// Line of the second root.
        line: u32,
        /// Name of the second root.
        link: String,
        /// Name of the first root.
        first_link: String,
        /// Line of the first root.
        first_line: u32,
    },
    /// Every link has a parent: there is no root.
    #[error("line {line}: joint {}: it closes a loop at link {}, and no link is the root", Quoted(.joint), Quoted(.link))]
    NoRoot {
        /// Line of a joint on the loop.
        line: u32,
        /// Name of that joint.
        joint: String,
        /// Name of its child link.
        link: String,
    },
    /// Some links are parents of each other in a loop that the root does not reach.
    #[error("line {line}: joint {}: it closes a loop at link {}", Quoted(.joint), Quoted(.link))]
    Loop {
        /// Line of a joint on the loop.
        line: u32,
        /// Name of that joint.
        joint: String,
        /// Name of its child link.
        link: String,
    },
    /// A joint follows itself.
    #[error("line {line}: joint {}: it mimics itself", Quoted(.joint))]
    MimicItself {
        /// Line of the `mimic` element.
        line: u32,
        /// Name of the joint.
        joint: String,
    },
    /// Joints follow each other in a circle.
    #[error("line {line}: joint {}: it mimics joint {}, which in turn follows it", Quoted(.joint), Quoted(.target))]
    MimicCycle {
        /// Line of the `mimic` element.
        line: u32,
        /// Name of the joint.
        joint: String,
        /// Name of the joint it follows.
        target: String,
    },
    /// A joint follows a fixed one.
    #[error("line {line}: joint {}: it mimics joint {}, which is fixed", Quoted(.joint), Quoted(.target))]
    MimicFixed {
        /// Line of the `mimic` element.
        line: u32,
        /// Name of the joint.
        joint: String,
        /// Name of the fixed joint.
        target: String,
    },
    /// A joint follows one that has more than one coordinate.
    #[error(
        "line {line}: joint {}: it mimics joint {}, which is {joint_type} and has more than one coordinate",
        Quoted(.joint), Quoted(.target)
    )]
    MimicOfMany {
        /// Line of the `mimic` element.
        line: u32,
        /// Name of the joint.
        joint: String,
        /// Name of the joint it follows.
        target: String,
        /// Type of that one.
        joint_type: JointType,
    },
    /// A joint with more than one coordinate follows another.
    #[error("line {line}: joint {}: it mimics another joint but is {joint_type} and has more than one coordinate", Quoted(.joint))]
    MimicByMany {
        /// Line of the `mimic` element.
        line: u32,
        /// Name of the joint.
        joint: String,
        /// Its type.
        joint_type: JointType,
    },
}
