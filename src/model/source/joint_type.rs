//! Types of joints, as URDF names them.

use std::fmt;

/// The type of a joint, as URDF names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JointType {
    /// No motion.
    Fixed,
    /// Rotation about the axis, with limits.
    Revolute,
    /// Rotation about the axis, without limits.
    Continuous,
    /// Translation along the axis.
    Prismatic,
    /// Motion in the plane whose normal is the axis.
    Planar,
    /// Free motion.
    Floating,
}

impl JointType {
    /// How many degrees of freedom it has.
    pub fn degrees_of_freedom(self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute | Self::Continuous | Self::Prismatic => 1,
            Self::Planar => 3,
            Self::Floating => 6,
        }
    }

    /// From URDF's word for it.
    pub(in crate::model) fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "fixed" => Self::Fixed,
            "revolute" => Self::Revolute,
            "continuous" => Self::Continuous,
            "prismatic" => Self::Prismatic,
            "planar" => Self::Planar,
            "floating" => Self::Floating,
            _ => return None,
        })
    }
}

impl fmt::Display for JointType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fixed => "fixed",
            Self::Revolute => "revolute",
            Self::Continuous => "continuous",
            Self::Prismatic => "prismatic",
            Self::Planar => "planar",
            Self::Floating => "floating",
        })
    }
}
