//! What parameters there are, and what is held while one varies.

/// What a parameter is. Numbers count components, in the order of the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Of a body, by its place.
    Mass(usize),
    Density(usize),
    Com(usize, usize),
    Moment(usize, usize),
    Linear(usize, usize),
    LogCholesky(usize, usize),
    Payload(usize, usize),
    /// Of a body's joint.
    Placement(usize, usize),
    /// Body, number of the axis among those of the joint, tangent direction.
    Axis(usize, usize, usize),
    Pitch(usize, usize),
    Multiplier(usize),
    Offset(usize),
    /// Body, degree of freedom among those of the joint.
    Friction(usize, usize),
    Damping(usize, usize),
    Armature(usize, usize),
    FrictionWidth,
    Gravity(usize),
    /// Of a frame, by its place.
    FramePlacement(usize, usize),
    /// Of the state at the start, by degree of freedom.
    StartQ(usize),
    StartV(usize),
    /// Of a torque sensor, by degree of freedom: what it shows too much.
    TorqueOffset(usize),
    /// Of the user, with its unit.
    Own(&'static str),
}

pub(crate) const POSE: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];
pub(crate) const MOMENTS: [&str; 6] = ["xx", "xy", "yy", "xz", "yz", "zz"];
pub(crate) const LINEAR: [&str; 10] = ["m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"];
pub(crate) const LOG_CHOLESKY: [&str; 10] = ["alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3"];
pub(crate) const PAYLOAD: [&str; 4] = ["m", "cx", "cy", "cz"];

/// Which description of an inertia a parameter belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chart {
    /// Mass, centre, moments about it.
    Standard,
    Linear,
    LogCholesky,
}

impl Kind {
    /// The body whose inertia it changes.
    pub(crate) fn inertia_of(self) -> Option<usize> {
        match self {
            Self::Mass(b)
            | Self::Density(b)
            | Self::Com(b, _)
            | Self::Moment(b, _)
            | Self::Linear(b, _)
            | Self::LogCholesky(b, _)
            | Self::Payload(b, _) => Some(b),
            _ => None,
        }
    }

    /// The chart that it is a coordinate of. Density and payload change what a chart has made.
    pub(crate) fn chart(self) -> Option<Chart> {
        match self {
            Self::Mass(_) | Self::Com(..) | Self::Moment(..) => Some(Chart::Standard),
            Self::Linear(..) => Some(Chart::Linear),
            Self::LogCholesky(..) => Some(Chart::LogCholesky),
            _ => None,
        }
    }

    /// Its unit.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::Mass(_) | Self::Linear(_, 0) | Self::Payload(_, 0) => "kg",
            Self::Density(_) | Self::Multiplier(_) => "1",
            Self::Com(..) | Self::Payload(..) => "m",
            Self::Linear(_, 1..=3) => "kg m",
            Self::Moment(..) | Self::Linear(..) => "kg m^2",
            Self::LogCholesky(_, 0..=3) => "log",
            Self::LogCholesky(..) => "m",
            Self::Placement(_, 0..=2) | Self::FramePlacement(_, 0..=2) => "m",
            Self::Placement(..) | Self::FramePlacement(..) | Self::Axis(..) => "rad",
            Self::Pitch(..) => "m/rad",
            Self::Offset(_) => "rad|m",
            Self::Friction(..) | Self::TorqueOffset(_) => "N m|N",
            Self::Damping(..) => "N m s/rad|N s/m",
            Self::Armature(..) => "kg m^2|kg",
            Self::FrictionWidth => "rad/s|m/s",
            Self::Gravity(_) => "m/s^2",
            Self::StartQ(_) => "rad|m",
            Self::StartV(_) => "rad/s|m/s",
            Self::Own(unit) => unit,
        }
    }

    /// What is held while it varies.
    pub(crate) fn held(self) -> &'static str {
        match self {
            Self::Mass(_) => "centre of mass, and moments about it",
            Self::Density(_) => "centre of mass; moments scale with the mass",
            Self::Com(..) => "mass, and moments about the centre",
            Self::Moment(..) => "mass, centre, other moments about it",
            Self::Linear(..) => "other linear parameters, moments about the body's origin",
            Self::LogCholesky(..) => "other log-Cholesky parameters",
            Self::Payload(_, 0) => "where the point mass is",
            Self::Payload(..) => "the point mass",
            Self::Placement(..) => "everything else; moves along the joint's mounting frame",
            Self::Axis(..) => "the body's frame at q = 0",
            Self::FramePlacement(..) => "the body; moves along the frame's own axes",
            Self::Friction(..) | Self::Damping(..) | Self::Armature(..) => "the other numbers of the joint",
            Self::StartQ(_) | Self::StartV(_) => "the rest of the state at the start",
            Self::TorqueOffset(_) => "the robot: it is of what measures torques",
            Self::Own(_)
            | Self::Pitch(..)
            | Self::Multiplier(_)
            | Self::Offset(_)
            | Self::FrictionWidth
            | Self::Gravity(_) => "everything else",
        }
    }

    /// Is there no robot with a value below zero?
    pub(crate) fn is_never_negative(self) -> bool {
        matches!(self, Self::Friction(..) | Self::Damping(..) | Self::Armature(..))
    }

    /// Does it change the state at the start, and not the robot?
    pub(crate) fn is_of_the_start(self) -> bool {
        matches!(self, Self::StartQ(_) | Self::StartV(_))
    }
}
