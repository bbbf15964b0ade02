//! Where in the description of a problem an error is.

use super::ProblemError;
use std::fmt;

/// A thing of a problem: its number, counted from 0 in the order of the description, and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its number among its kind. Costs and constraints are counted in their phase.
    pub index: usize,
    /// Its name.
    pub name: Box<str>,
}

impl Item {
    /// The thing of this number and name.
    pub fn new(index: usize, name: impl Into<String>) -> Self {
        Self { index, name: name.into().into_boxed_str() }
    }
}

/// Where in the description of a problem an error is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemPlace {
    /// An argument, or the problem as a whole, in words.
    Argument(&'static str),
    /// A phase. Costs and constraints of the last node are those of a phase `end` behind all others.
    Phase(Item),
    /// The free duration of a phase.
    Duration(Item),
    /// A cost of a phase.
    Cost {
        /// The phase.
        phase: Box<Item>,
        /// The cost.
        cost: Box<Item>,
    },
    /// A constraint of a phase.
    Constraint {
        /// The phase.
        phase: Box<Item>,
        /// The constraint.
        constraint: Box<Item>,
    },
    /// A parameter.
    Parameter(Item),
    /// A contact that is not part of a phase yet, by name.
    Contact(Box<str>),
    /// A node, counted from the start of the trajectory.
    Node(usize),
    /// A part of something.
    Part {
        /// What it is a part of.
        of: Box<Self>,
        /// Which part, in words.
        part: Box<str>,
    },
}

impl ProblemPlace {
    /// A part of this, in words.
    #[must_use]
    pub fn part(&self, part: impl Into<String>) -> Self {
        Self::Part { of: Box::new(self.clone()), part: part.into().into_boxed_str() }
    }
    /// Checks that a list here has the length that it should have.
    pub(crate) fn check_length(&self, what: &'static str, expected: usize, found: usize) -> Result<(), ProblemError> {
        if expected == found {
            return Ok(());
        }
        Err(ProblemError::Length { place: self.clone(), what, expected, found })
    }
    /// This, without the part of it that is wrong.
    #[must_use]
    pub fn whole(&self) -> &Self {
        match self {
            Self::Part { of, .. } => of.whole(),
            other => other,
        }
    }
}

impl From<&'static str> for ProblemPlace {
    fn from(argument: &'static str) -> Self {
        Self::Argument(argument)
    }
}

impl fmt::Display for ProblemPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(name) => f.write_str(name),
            Self::Phase(phase) | Self::Duration(phase) => write!(f, "phase `{}`", phase.name),
            Self::Cost { phase, cost } => write!(f, "phase `{}`, cost `{}`", phase.name, cost.name),
            Self::Constraint { phase, constraint } => {
                write!(f, "phase `{}`, constraint `{}`", phase.name, constraint.name)
            }
            Self::Parameter(parameter) => write!(f, "parameter `{}`", parameter.name),
            Self::Contact(name) => write!(f, "contact `{name}`"),
            Self::Node(node) => write!(f, "node {node}"),
            Self::Part { of, part } => write!(f, "{of}, {part}"),
        }
    }
}
