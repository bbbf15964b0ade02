//! A file of claims as it stands, before anybody asks whether it fits the robot.

use crate::json::Json;
use std::fmt;

/// What a file holds, whatever its form.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The joints of the other side in its order, if the file names them.
    pub(super) joints: Option<Vec<JointPlace>>,
    /// Numbers of coordinates that the file says it has.
    pub(super) nq: Option<f64>,
    pub(super) nv: Option<f64>,
    /// What holds the robot, if the file says so.
    pub(super) constraints: Option<Json>,
    pub(super) restitution: Option<Json>,
    pub(super) states: Vec<Vec<Entry>>,
}

/// A joint of the other side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointPlace {
    /// The name of the joint.
    pub name: String,
    /// Where its coordinates begin, in q and in v, if the file says so: else they follow those of the joint before.
    pub start: Option<(usize, usize)>,
}

/// A quantity at a state, by its name: `q`, `dtau_dq`, `f_ext.LINK`, `energy.kinetic`.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) value: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Array(Array),
    /// Numbers with the names, or numbers, of their rows and columns.
    Scattered(Vec<CsvCell>),
    Text(String),
}

/// Numbers in a shape, the last axis the fastest. A single number has the shape `[]`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Array {
    pub(super) shape: Vec<usize>,
    pub(super) numbers: Vec<f64>,
}

/// One number of a CSV file.
#[derive(Debug)]
pub(super) struct CsvCell {
    pub(super) line: usize,
    pub(super) row: String,
    pub(super) column: String,
    pub(super) value: f64,
}

/// `7 by 7`, `7`, `a single number`.
pub(super) struct Shape<'a>(pub(super) &'a [usize]);

impl fmt::Display for Shape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("a single number"),
            [n] => write!(f, "{n} numbers"),
            shape => {
                let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
                write!(f, "{} numbers", sizes.join(" by "))
            }
        }
    }
}
