//! What another program computed: states with their inputs, and the quantities that it claims there.

mod claimed;
mod coordinates;
mod csv;
mod function;
mod json;
mod npy;
mod npz;
mod read;
mod table;

pub(crate) use claimed::{Claimed, Input, Meaning, Output};
pub(crate) use coordinates::Coordinates;
pub(crate) use function::Differentiated;
pub(crate) use json::joints;
pub(crate) use table::JointPlace;

use crate::args::Layout;
use crate::constraints::Constraints;
use crate::error::Error;
use crate::input;
use crate::robot::Robot;
use crate::states::State;
use gradyn::dynamics::ReferenceFrame;
use nalgebra::DMatrix;
use std::path::Path;

/// All that a file claims.
#[derive(Debug)]
pub(crate) struct Claims {
    pub(crate) coordinates: Coordinates,
    pub(crate) constraints: Constraints,
    pub(crate) states: Vec<StateClaims>,
}

/// A state, and what is claimed there.
#[derive(Clone, Debug)]
pub(crate) struct StateClaims {
    /// In the model's coordinates.
    pub(crate) state: State,
    /// Velocity, acceleration and torques in those of the other side.
    pub(crate) v: Vec<f64>,
    pub(crate) a: Vec<f64>,
    pub(crate) tau: Vec<f64>,
    /// The coordinates of frames' motions.
    pub(crate) reference: ReferenceFrame,
    pub(crate) claims: Vec<Claim>,
}

/// A quantity as the other side computed it, in its coordinates; vectors are matrices of one column.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    pub(crate) what: Claimed,
    pub(crate) value: DMatrix<f64>,
}

impl StateClaims {
    /// What is claimed of a state, all in the model's own coordinates.
    pub(crate) fn own(state: &State, claims: Vec<Claim>) -> Self {
        let State { v, a, .. } = state;
        let tau = state.tau.clone().unwrap_or_else(|| vec![0.0; v.len()]);
        Self { state: state.clone(), v: v.clone(), a: a.clone(), tau, reference: ReferenceFrame::Local, claims }
    }
}

/// What an array holds.
#[derive(Debug)]
pub(crate) enum Cells {
    /// Its shape, and its numbers, the last axis the fastest.
    Numbers(Vec<usize>, Vec<f64>),
    Texts(Vec<String>),
}

/// The arrays of an `.npz`, by name.
pub(crate) fn arrays(bytes: &[u8]) -> Result<Vec<(String, Cells)>, String> {
    let (members, _) = npz::members(bytes)?;
    let cells = members.into_iter().map(|(name, array)| match array {
        npy::Npy::Numbers(table::Array { shape, numbers }) => (name, Cells::Numbers(shape, numbers)),
        npy::Npy::Texts(texts) => (name, Cells::Texts(texts)),
    });
    Ok(cells.collect())
}

/// Reads a file in the form that its first bytes show: NumPy's `.npz`, JSON, or CSV. `held`: constraints from elsewhere.
pub(crate) fn read(path: &Path, robot: &Robot, layout: Layout, held: Constraints) -> Result<Claims, Error> {
    let (file, bytes) = input::bytes(path)?;
    let refused = |reason: String| Error::States { file: file.clone(), reason };
    let table = if bytes.starts_with(b"PK") {
        npz::read(&bytes)
    } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz")) {
        return Err(refused(String::from("it is named .npz, but is not a zip archive, as NumPy writes")));
    } else {
        let text = String::from_utf8(bytes).map_err(|_| {
            refused(String::from("it is neither a whole .npz archive of NumPy nor text (JSON, CSV) in UTF-8"))
        })?;
        let start = text.trim_start_matches('\u{feff}').trim_start();
        if start.starts_with(['{', '[']) { json::read(&text) } else { csv::read(&text) }
    };
    read::claims(table.map_err(refused)?, robot, layout, held).map_err(refused)
}
