//! What another program computed: states with their inputs, and the quantities that it claims there.

mod claimed;
mod coordinates;
mod csv;
mod function;
mod json;
mod npz;
mod read;
mod table;

pub use claimed::{Claimed, Input, Meaning, Output};
pub use coordinates::Coordinates;
pub use function::Differentiated;
pub use json::joints;
pub use table::JointPlace;

use crate::constraints::Constraints;
use crate::error::Error;
use crate::input;
use crate::robot::Robot;
use crate::states::State;
use gradyn::dynamics::ReferenceFrame;
use nalgebra::DMatrix;
use std::path::Path;

/// Whose conventions a file follows: order of joints, coordinates of a floating base.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// As [`answer`](crate::answer) writes them.
    #[default]
    Gradyn,
    /// Siblings by name, continuous joints by (cos, sin), a floating base as here.
    Pinocchio,
    /// Joints as in the file; quaternions w x y z, linear velocity of the base in the world's axes.
    Mujoco,
    /// Base quaternion (w x y z) before position, angular velocity before linear, both in the world's axes.
    Drake,
}

/// All that a file claims.
#[derive(Debug)]
pub struct Claims {
    /// The coordinates of the file.
    pub coordinates: Coordinates,
    /// What holds the robot in all states.
    pub constraints: Constraints,
    /// In the order of the file.
    pub states: Vec<StateClaims>,
}

/// A state, and what is claimed there.
#[derive(Clone, Debug)]
pub struct StateClaims {
    /// In the model's coordinates.
    pub state: State,
    /// Velocity, acceleration and torques in those of the other side.
    pub v: Vec<f64>,
    /// Acceleration, nv.
    pub a: Vec<f64>,
    /// Torques, nv.
    pub tau: Vec<f64>,
    /// The coordinates of frames' motions.
    pub reference: ReferenceFrame,
    /// In the order of the file.
    pub claims: Vec<Claim>,
}

/// A quantity as the other side computed it, in its coordinates; vectors are matrices of one column.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The quantity, or its part.
    pub what: Claimed,
    /// Its rows and columns, as the quantity has them.
    pub value: DMatrix<f64>,
}

impl StateClaims {
    /// What is claimed of a state, all in the model's own coordinates.
    pub fn own(state: &State, claims: Vec<Claim>) -> Self {
        let State { v, a, .. } = state;
        let tau = state.tau.clone().unwrap_or_else(|| vec![0.0; v.len()]);
        Self { state: state.clone(), v: v.clone(), a: a.clone(), tau, reference: ReferenceFrame::Local, claims }
    }
}

impl Claims {
    /// Reads a file in the form that its first bytes show: NumPy's `.npz`, JSON, or CSV. `held`: constraints from
    /// elsewhere.
    ///
    /// # Errors
    /// What cannot be read or is invalid, with the place in the file.
    pub fn read(path: &Path, robot: &Robot, layout: Layout, held: Constraints) -> Result<Self, Error> {
        let (file, bytes) = input::bytes(path)?;
        let refused = |reason: String| Error::content(file.clone(), reason);
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
}
