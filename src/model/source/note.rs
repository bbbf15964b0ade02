//! What there can be to say about a line of a file.

use super::joint_type::JointType;
use super::physical::Unphysical;
use super::text::Owner;
use std::fmt;
use std::sync::Arc;

/// What it means for the dynamics that something was not used as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// Nothing: a picture, a name of a sensor.
    NotDynamics,
    /// Probably nothing, or a mistake in the file.
    Dubious,
    /// The model moves otherwise than the file says.
    ChangesDynamics,
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotDynamics => "not dynamics",
            Self::Dubious => "dubious",
            Self::ChangesDynamics => "changes the dynamics",
        })
    }
}

/// Whether a note needs attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know: something that the dynamics does not need was left out.
    Information,
    /// Probably a mistake in the file, or a part of it that the model lacks; an error under the option `strict`.
    Warning,
}

/// The code of what the model lacks.
pub(in crate::model) const CHANGES_DYNAMICS: &str = "changes_dynamics";

/// One remark about one line of the file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Note {
    /// The included file that the line is in; none for the file itself.
    pub file: Option<Arc<str>>,
    /// Line of the file, from 1.
    pub line: u32,
    /// What there is to say.
    pub kind: NoteKind,
}

/// What there is to say about a line of the file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NoteKind {
    /// An element that the dynamics does not use: information where URDF knows it (`visual`, `collision`, …), a warning
    /// where it does not.
    IgnoredElement {
        /// The robot, link or joint that holds it.
        owner: Owner,
        /// Name of the element, as written.
        element: String,
        /// Whether it is part of URDF, or of a common extension.
        known: bool,
    },
    /// An attribute that URDF does not know. A warning.
    IgnoredAttribute {
        /// The robot, link or joint that holds it.
        owner: Owner,
        /// Name of the element.
        element: String,
        /// Name of the attribute.
        attribute: String,
    },
    /// Text between elements, where URDF has none. A warning.
    IgnoredText {
        /// The robot, link or joint that holds it.
        owner: Owner,
        /// Name of the element it stands in.
        element: String,
    },
    /// A part of a joint that means nothing for its type, such as the axis of a fixed joint. Information for limits,
    /// and for fixed and continuous joints, which programs write that way; a warning for the others.
    Unused {
        /// Name of the joint.
        joint: String,
        /// Its type.
        joint_type: JointType,
        /// The part: `axis`, `limit`, …
        what: &'static str,
    },
    /// An element of xacro that was left over where it has no effect on the dynamics: inside of `visual`, `collision`,
    /// `gazebo`. A warning.
    LeftOverXacro {
        /// Name of the element, as written.
        element: String,
    },
    /// A prefix of namespaces that nothing declares, at its first use. Elements and attributes with it are read as if
    /// it were declared. A warning.
    UndeclaredPrefix {
        /// The prefix.
        prefix: String,
    },
    /// Something that the format knows and the reader does not use, or not wholly. Information where it is not dynamics, else a
    /// warning.
    NotUsed {
        /// What it is a part of.
        owner: Owner,
        /// Name of the element.
        element: String,
        /// Name of the attribute; none for the whole element.
        attribute: Option<String>,
        /// What that means for the dynamics.
        rank: Rank,
        /// Why, and what is done instead.
        reason: &'static str,
    },
    /// An element that may appear once appears again: the first one counts. A warning.
    RepeatedElement {
        /// The link or joint that holds it.
        owner: Owner,
        /// Name of the element.
        element: &'static str,
        /// Line of the one that counts.
        first_line: u32,
    },
    /// An `inertial` element without `mass`: the mass is taken as zero, the moments of inertia count. A warning.
    MissingMass {
        /// Name of the link.
        link: String,
    },
    /// An `inertial` element without `inertia`: the link is taken as a point mass. A warning.
    MissingInertia {
        /// Name of the link.
        link: String,
        /// Its mass, kg.
        mass: f64,
    },
    /// An `inertial` element with neither `mass` nor `inertia`: it is ignored. A warning.
    EmptyInertial {
        /// Name of the link.
        link: String,
    },
    /// A link is far larger than the robot, as its inertia says: radius of gyration `k = √(I / m)`. Moments may be in
    /// other units than kg m². A warning.
    ImpossibleSize {
        /// Name of the link.
        link: String,
        /// Its mass, kg.
        mass: f64,
        /// Its largest principal moment about the center of mass, kg m².
        moment: f64,
        /// Its radius of gyration `k`, m.
        radius: f64,
        /// How far the origins and centers of mass of links can be from that of the root, m.
        reach: f64,
    },
    /// A quaternion is not of length one: it is scaled. A warning.
    QuaternionLength {
        /// The link or joint that holds it.
        owner: Owner,
        /// Its length.
        length: f64,
    },
    /// No rigid body has this inertia. A warning.
    UnphysicalInertia {
        /// Name of the link.
        link: String,
        /// Its mass, kg.
        mass: f64,
        /// Its principal moments about the center of mass, ascending, kg m².
        moments: [f64; 3],
        /// What is wrong with them.
        reason: Unphysical,
    },
    /// A moving link has no `inertial` element, and neither has a link fixed to it. A warning.
    MissingInertial {
        /// Name of the link.
        link: String,
        /// Name of the joint that moves it.
        joint: String,
    },
    /// All that a joint moves has no inertia along the joint's motion, so that forward dynamics is singular. A warning.
    NoInertiaAlongAxis {
        /// Name of the joint.
        joint: String,
    },
    /// A revolute or prismatic joint has no position limits, or no `limit` element at all: it is taken as unlimited. A
    /// warning.
    MissingLimits {
        /// Name of the joint.
        joint: String,
    },
    /// The lower position limit lies above the upper one: they are exchanged. A warning.
    LimitsReversed {
        /// Name of the joint.
        joint: String,
        /// Lower limit of the file, rad or m.
        lower: f64,
        /// Upper limit of the file, rad or m.
        upper: f64,
    },
    /// A planar joint without `axis` moves in the plane of y and z, as the specification says: its normal is x. Other
    /// programs take x and y. A warning.
    PlanarWithoutAxis {
        /// Name of the joint.
        joint: String,
    },
    /// A joint mimics one that is not declared: it moves by itself. A warning.
    MimicUndeclared {
        /// Name of the joint.
        joint: String,
        /// Name of the joint that it asks for.
        target: String,
    },
    /// A joint follows a continuous one with coordinates (cos, sin), by a factor that is not whole: its position jumps
    /// where the angle of the other passes ±π. A warning.
    MimicJumps {
        /// Name of the joint.
        joint: String,
        /// Name of the joint that it follows.
        target: String,
        /// The factor.
        multiplier: f64,
    },
    /// A joint that mimics another moves by itself, as [`MimicForm::Independent`](super::MimicForm::Independent) asks.
    /// Information.
    MimicLeftOut {
        /// Name of the joint.
        joint: String,
        /// Name of the joint that it follows in the file.
        target: String,
    },
    /// The reduction of a transmission is not used. A warning.
    UnusedReduction {
        /// Name of the transmission.
        transmission: String,
        /// Why.
        reason: &'static str,
    },
    /// The rotor inertia of a transmission is not used. A warning.
    UnusedRotor {
        /// Name of the transmission.
        transmission: String,
        /// Why.
        reason: &'static str,
    },
    /// A gear ratio of `dynamics` without a rotor inertia has no effect. A warning.
    GearRatioWithoutRotor {
        /// Name of the joint.
        joint: String,
    },
    /// The `limit` element of a revolute or prismatic joint has no effort limit, or that of any joint a negative one:
    /// it is taken as unlimited. A warning.
    MissingEffortLimit {
        /// Name of the joint.
        joint: String,
    },
    /// The same for the velocity limit. A warning.
    MissingVelocityLimit {
        /// Name of the joint.
        joint: String,
    },
    /// An effort limit of zero, which programs write for one that is not known: its motor can do nothing. A warning.
    ZeroEffortLimit {
        /// Name of the joint.
        joint: String,
    },
    /// A velocity limit of zero, which programs write for one that is not known: the joint stands still. A warning.
    ZeroVelocityLimit {
        /// Name of the joint.
        joint: String,
    },
    /// A joint has the name of a link that it does not carry: the frame of that name is the link's. A warning.
    NameOfLink {
        /// Name of the joint and of the link.
        joint: String,
    },
    /// White space stands before the XML declaration, where XML allows none. A warning.
    SpaceBeforeDeclaration,
    /// A floating base was asked for, and the file already has a floating joint at its root. A warning.
    SecondFloatingBase {
        /// Name of the file's floating joint.
        joint: String,
    },
}

impl Note {
    /// What it means for the dynamics.
    pub fn rank(&self) -> Rank {
        self.kind.rank()
    }

    /// Whether the note needs attention.
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }
}

impl NoteKind {
    /// Whether it needs attention.
    pub fn severity(&self) -> Severity {
        match self {
            Self::IgnoredElement { known: true, .. }
            | Self::NotUsed { rank: Rank::NotDynamics, .. }
            | Self::MimicLeftOut { .. }
            | Self::Unused { joint_type: JointType::Fixed | JointType::Continuous, .. }
            | Self::Unused { what: "limit", .. } => Severity::Information,
            _ => Severity::Warning,
        }
    }

    /// What it means for the dynamics.
    pub fn rank(&self) -> Rank {
        match (self, self.severity()) {
            (Self::NotUsed { rank, .. }, _) => *rank,
            (_, Severity::Information) => Rank::NotDynamics,
            (_, Severity::Warning) => Rank::Dubious,
        }
    }

    /// A name for the kind, for programs: that of the variant in `snake_case`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::IgnoredElement { .. } => "ignored_element",
            Self::IgnoredAttribute { .. } => "ignored_attribute",
            Self::IgnoredText { .. } => "ignored_text",
            Self::NotUsed { rank: Rank::ChangesDynamics, .. } => CHANGES_DYNAMICS,
            Self::NotUsed { rank: Rank::Dubious, .. } => "dubious",
            Self::NotUsed { rank: Rank::NotDynamics, .. } => "not_used",
            Self::Unused { .. } => "unused",
            Self::LeftOverXacro { .. } => "left_over_xacro",
            Self::UndeclaredPrefix { .. } => "undeclared_prefix",
            Self::RepeatedElement { .. } => "repeated_element",
            Self::MissingMass { .. } => "missing_mass",
            Self::MissingInertia { .. } => "missing_inertia",
            Self::EmptyInertial { .. } => "empty_inertial",
            Self::ImpossibleSize { .. } => "impossible_size",
            Self::QuaternionLength { .. } => "quaternion_length",
            Self::UnphysicalInertia { .. } => "unphysical_inertia",
            Self::MissingInertial { .. } => "missing_inertial",
            Self::NoInertiaAlongAxis { .. } => "no_inertia_along_axis",
            Self::MissingLimits { .. } => "missing_limits",
            Self::LimitsReversed { .. } => "limits_reversed",
            Self::PlanarWithoutAxis { .. } => "planar_without_axis",
            Self::MimicUndeclared { .. } => "mimic_undeclared",
            Self::MimicJumps { .. } => "mimic_jumps",
            Self::MimicLeftOut { .. } => "mimic_left_out",
            Self::UnusedReduction { .. } => "unused_reduction",
            Self::UnusedRotor { .. } => "unused_rotor",
            Self::GearRatioWithoutRotor { .. } => "gear_ratio_without_rotor",
            Self::MissingEffortLimit { .. } => "missing_effort_limit",
            Self::MissingVelocityLimit { .. } => "missing_velocity_limit",
            Self::ZeroEffortLimit { .. } => "zero_effort_limit",
            Self::ZeroVelocityLimit { .. } => "zero_velocity_limit",
            Self::NameOfLink { .. } => "name_of_link",
            Self::SpaceBeforeDeclaration => "space_before_declaration",
            Self::SecondFloatingBase { .. } => "second_floating_base",
        }
    }

    /// What a summary says is not used; empty for warnings. One of few texts, whatever the file.
    pub(in crate::model) fn left_out(&self) -> String {
        match self {
            Self::IgnoredElement { element, known: true, .. } => element.clone(),
            Self::NotUsed { element, attribute: None, rank: Rank::NotDynamics, .. } => element.clone(),
            Self::NotUsed { element, attribute: Some(attribute), rank: Rank::NotDynamics, .. } => {
                format!("{attribute} of {element}")
            }
            Self::MimicLeftOut { .. } => "mimic".to_owned(),
            Self::Unused { joint_type, what, .. } if self.severity() == Severity::Information => {
                format!("{what} of {joint_type} joints")
            }
            _ => String::new(),
        }
    }
}
