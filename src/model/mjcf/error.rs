//! Why an MJCF file was refused.

use super::place::Place;
use crate::model::ModelError;
use crate::model::source::text::Quoted;
use crate::model::source::{Note, Owner, SourceError, Unphysical};
use thiserror::Error;

/// Why an MJCF file was refused. Every message is one line and names the line, the file if it is an included one, the element and the
/// values.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MjcfError {
    /// The text of a file, or a value, cannot be read.
    #[error("{}{error}", File(.file))]
    Source {
        /// The included file; none for the file itself.
        file: Option<String>,
        /// What is wrong, with its line.
        error: Box<SourceError>,
    },
    /// The file says something that makes no sense.
    #[error("{place}: {fault}")]
    Content {
        /// Where.
        place: Place,
        /// What.
        fault: Box<Fault>,
    },
    /// There are warnings, and [`MjcfOptions::strict`](super::MjcfOptions::strict) was asked for.
    #[error("{first} (warning 1 of {count}, refused by `strict`)")]
    Strict {
        /// The first warning.
        first: Box<Note>,
        /// How many there are.
        count: usize,
    },
    /// [`MjcfOptions::armature`](super::MjcfOptions::armature) is not that of a joint.
    #[error("armature is given for joint {}: {reason}", Quoted(.joint))]
    Armature {
        /// The name.
        joint: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// The builder refuses the model.
    #[error("{0}")]
    Model(#[from] ModelError),
}

/// The name of an included file.
struct File<'a>(&'a Option<String>);

impl std::fmt::Display for File<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.as_ref().map_or(Ok(()), |file| write!(f, "{}, ", Quoted(file)))
    }
}

/// What makes no sense in an MJCF file.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// The root element is not `mujoco`.
    #[error("the root element is {}, not `mujoco`", Quoted(.found))]
    NotMjcf {
        /// Its name.
        found: String,
    },
    /// A file is included that cannot be read, or a second time.
    #[error("`{element}` of {}: {reason}", Quoted(.file))]
    File {
        /// The element that names it: `include`, `model` or `mesh`.
        element: &'static str,
        /// The file.
        file: String,
        /// Why it cannot be used.
        reason: String,
    },
    /// A word is not one that the attribute may have.
    #[error("{owner}: `{attribute}` is {}: expected one of {expected}", Quoted(.found))]
    UnknownWord {
        /// The element.
        owner: Owner,
        /// The attribute.
        attribute: &'static str,
        /// What stands there.
        found: String,
        /// The words that may stand there.
        expected: String,
    },
    /// A name that nothing has.
    #[error("{owner}: `{attribute}`: there is no {what} {}{}", Quoted(.name), DidYouMean(.nearest))]
    UnknownName {
        /// The element.
        owner: Owner,
        /// The attribute.
        attribute: &'static str,
        /// What is looked for: class, body, joint, site, mesh, model.
        what: &'static str,
        /// The name.
        name: String,
        /// The nearest name that is there.
        nearest: Option<String>,
    },
    /// Two elements of a kind have one name.
    #[error("{what} {}: the name is taken by the {what} in {first}", Quoted(.name))]
    DuplicateName {
        /// Body, joint, site, class, mesh.
        what: &'static str,
        /// The name.
        name: String,
        /// Where the first one is.
        first: Place,
    },
    /// Global coordinates are no longer a part of MJCF.
    #[error(
        "compiler: `coordinate` is `global`, which is no longer a part of MJCF: load the file in MuJoCo 2.3.3 or older, and save it"
    )]
    GlobalCoordinates,
    /// An orientation is given twice.
    #[error("{owner}: both `{first}` and `{second}` are given: expected one of them")]
    TwoOrientations {
        /// The element.
        owner: Owner,
        /// One attribute.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// A direction, a quaternion or a size is zero.
    #[error("{owner}: `{attribute}` is zero")]
    Zero {
        /// The element.
        owner: Owner,
        /// The attribute.
        attribute: &'static str,
    },
    /// A number that may not be negative is, or one that has to be positive is not.
    #[error("{owner}: `{attribute}` is {value}: {rule}")]
    BadNumber {
        /// The element.
        owner: Owner,
        /// The attribute.
        attribute: &'static str,
        /// The number.
        value: f64,
        /// What is expected.
        rule: &'static str,
    },
    /// The lower end of a range is not below the upper one.
    #[error("{owner}: `{attribute}`: {lower} is not below {upper}")]
    Range {
        /// The element.
        owner: Owner,
        /// The attribute.
        attribute: &'static str,
        /// The lower end.
        lower: f64,
        /// The upper end.
        upper: f64,
    },
    /// The inertia of a body is none of a rigid body.
    #[error("body {}: {reason} (mass {mass} kg, principal moments {a:.4e}, {b:.4e}, {c:.4e} kg m²)", Quoted(.body), a = .moments[0], b = .moments[1], c = .moments[2])]
    Unphysical {
        /// Name of the body.
        body: String,
        /// Its mass, kg.
        mass: f64,
        /// Its principal moments about the center of mass, ascending, kg m².
        moments: [f64; 3],
        /// What is wrong with them.
        reason: Unphysical,
    },
    /// A body moves and has no mass.
    #[error("body {}: it moves, and neither it nor a body fixed to it has a mass", Quoted(.body))]
    NoMass {
        /// Name of the body.
        body: String,
    },
    /// What an element may not hold, or not so.
    #[error("{owner}: {reason}")]
    Misplaced {
        /// The element.
        owner: Owner,
        /// What is wrong.
        reason: &'static str,
    },
    /// Numbers of the file are finite, but what they make together is not.
    #[error("{owner}: {what} overflows")]
    Overflow {
        /// The element.
        owner: Owner,
        /// What overflows.
        what: &'static str,
    },
}

/// ``: did you mean `elbow`?``
struct DidYouMean<'a>(&'a Option<String>);

impl std::fmt::Display for DidYouMean<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.as_ref().map_or(Ok(()), |name| write!(f, ": did you mean {}?", Quoted(name)))
    }
}

impl MjcfError {
    /// Whether a file cannot be used.
    pub(super) fn is_of_file(&self) -> bool {
        matches!(self, Self::Content { fault, .. } if matches!(**fault, Fault::File { .. }))
    }
}

impl Fault {
    /// At a place.
    pub(super) fn at(self, place: &Place) -> MjcfError {
        MjcfError::Content { place: place.clone(), fault: Box::new(self) }
    }
}
