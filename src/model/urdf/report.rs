//! What was ignored or looked dubious in a file that was read.

use super::description::JointType;
use super::physical::Unphysical;
use super::text::{Owner, Quoted};
use std::collections::BTreeMap;
use std::fmt;

/// Does a note ask for attention?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know: something that the dynamics does not need was left out.
    Information,
    /// Probably a mistake in the file; an error under [`UrdfOptions::strict`](super::UrdfOptions::strict).
    Warning,
}

/// One remark about one line of the file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Note {
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
        /// Is it part of URDF, or of a common extension?
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
    /// A part of a joint that means nothing for its type, such as the axis of a fixed joint. Information for limits, and
    /// for fixed and continuous joints, which programs write that way; a warning for the others.
    Unused {
        /// Name of the joint.
        joint: String,
        /// Its type.
        joint_type: JointType,
        /// The part: `axis`, `limit`, …
        what: &'static str,
    },
    /// No rigid body has this inertia. A warning.
    UnphysicalInertia {
        /// Name of the link.
        link: String,
        /// Its mass, kg.
        mass: f64,
        /// Its principal moments about the mass centre, ascending, kg m².
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
    /// The `limit` element of a revolute or prismatic joint has no effort limit, or that of any joint a negative one: it
    /// is taken as unlimited. A warning.
    MissingEffortLimit {
        /// Name of the joint.
        joint: String,
    },
    /// The same for the velocity limit. A warning.
    MissingVelocityLimit {
        /// Name of the joint.
        joint: String,
    },
    /// A joint has the name of a link that it does not carry: the frame of that name is the link's. A warning.
    NameOfLink {
        /// Name of the joint and of the link.
        joint: String,
    },
    /// A floating base was asked for, and the file already has a floating joint at its root. A warning.
    SecondFloatingBase {
        /// Name of the file's floating joint.
        joint: String,
    },
}

impl Note {
    pub(super) fn new(line: u32, kind: NoteKind) -> Self {
        Self { line, kind }
    }

    /// Does the note ask for attention?
    pub fn severity(&self) -> Severity {
        match &self.kind {
            NoteKind::IgnoredElement { known: true, .. }
            | NoteKind::Unused { joint_type: JointType::Fixed | JointType::Continuous, .. }
            | NoteKind::Unused { what: "limit", .. } => Severity::Information,
            NoteKind::IgnoredElement { known: false, .. }
            | NoteKind::IgnoredAttribute { .. }
            | NoteKind::IgnoredText { .. }
            | NoteKind::Unused { .. }
            | NoteKind::UnphysicalInertia { .. }
            | NoteKind::MissingInertial { .. }
            | NoteKind::NoInertiaAlongAxis { .. }
            | NoteKind::MissingLimits { .. }
            | NoteKind::MissingEffortLimit { .. }
            | NoteKind::MissingVelocityLimit { .. }
            | NoteKind::NameOfLink { .. }
            | NoteKind::SecondFloatingBase { .. } => Severity::Warning,
        }
    }

    fn is_warning(&self) -> bool {
        self.severity() == Severity::Warning
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IgnoredElement { owner, element, known } => {
                let unknown = if *known { "" } else { "unknown " };
                write!(f, "{owner}: {unknown}element {} is ignored", Quoted(element))
            }
            Self::IgnoredAttribute { owner, element, attribute } => {
                write!(f, "{owner}: unknown attribute {} of {} is ignored", Quoted(attribute), Quoted(element))
            }
            Self::IgnoredText { owner, element } => write!(f, "{owner}: text in {} is ignored", Quoted(element)),
            Self::Unused { joint, joint_type, what } => {
                write!(f, "joint {}: `{what}` of a {joint_type} joint is ignored", Quoted(joint))
            }
            Self::UnphysicalInertia { link, mass, moments: [a, b, c], reason } => write!(
                f,
                "link {}: {reason} (mass {mass} kg, principal moments {a:.4e}, {b:.4e}, {c:.4e} kg m²)",
                Quoted(link)
            ),
            Self::MissingInertial { link, joint } => {
                write!(f, "link {}: it moves by joint {} but has no `inertial`", Quoted(link), Quoted(joint))
            }
            Self::NoInertiaAlongAxis { joint } => {
                write!(f, "joint {}: what it moves has no inertia along its motion", Quoted(joint))
            }
            Self::MissingLimits { joint } => write!(f, "joint {}: no position limits", Quoted(joint)),
            Self::MissingEffortLimit { joint } => {
                write!(f, "joint {}: no effort limit, or a negative one", Quoted(joint))
            }
            Self::MissingVelocityLimit { joint } => {
                write!(f, "joint {}: no velocity limit, or a negative one", Quoted(joint))
            }
            Self::NameOfLink { joint } => {
                write!(f, "joint {}: a link that it does not carry has the same name", Quoted(joint))
            }
            Self::SecondFloatingBase { joint } => {
                write!(f, "joint {}: it is floating, below a floating base that was asked for", Quoted(joint))
            }
        }
    }
}

/// What was ignored or looked dubious in a file that was read, in the order of its lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadReport {
    notes: Vec<Note>,
}

impl LoadReport {
    pub(super) fn push(&mut self, line: u32, kind: NoteKind) {
        self.notes.push(Note::new(line, kind));
    }

    /// Puts the notes into the order of their lines.
    pub(super) fn sort(&mut self) {
        self.notes.sort_by_key(|note| note.line);
    }

    /// Everything there is to say.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The notes that ask for attention.
    pub fn warnings(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|note| note.is_warning())
    }

    /// Is there any warning?
    pub fn has_warnings(&self) -> bool {
        self.warnings().next().is_some()
    }

    /// For each kind of ignored element, the lines where it stands.
    pub fn ignored_elements(&self) -> BTreeMap<&str, Vec<u32>> {
        let mut lines = BTreeMap::<&str, Vec<u32>>::new();
        for note in &self.notes {
            if let NoteKind::IgnoredElement { element, .. } = &note.kind {
                lines.entry(element).or_default().push(note.line);
            }
        }
        lines
    }
}

/// How many warnings the report prints, and how many kinds of ignored elements.
const PRINTED: usize = 20;

/// The warnings one by one, then one line for all that was left out: `not used: collision (31), visual (31)`.
impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let warnings = self.warnings().count();
        match warnings {
            0 => f.write_str("no warnings")?,
            1 => f.write_str("1 warning:")?,
            n => write!(f, "{n} warnings:")?,
        }
        for note in self.warnings().take(PRINTED) {
            write!(f, "\n  {note}")?;
        }
        if warnings > PRINTED {
            write!(f, "\n  … and {} more", warnings - PRINTED)?;
        }

        let mut left_out = BTreeMap::<String, usize>::new();
        for note in self.notes.iter().filter(|note| !note.is_warning()) {
            let what = match &note.kind {
                NoteKind::IgnoredElement { element, .. } => element.clone(),
                NoteKind::Unused { joint_type, what, .. } => format!("{what} of {joint_type} joints"),
                _ => continue,
            };
            *left_out.entry(what).or_default() += 1;
        }
        for (n, (what, count)) in left_out.iter().take(PRINTED).enumerate() {
            let before = if n == 0 { "\nnot used: " } else { ", " };
            write!(f, "{before}{what} ({count})")?;
        }
        if left_out.len() > PRINTED {
            write!(f, ", … and {} more", left_out.len() - PRINTED)?;
        }
        Ok(())
    }
}
