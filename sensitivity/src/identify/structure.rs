//! What torques can tell of a robot's parameters, whatever the motion.

use crate::error::SensitivityError;
use crate::estimate::{Identifiability, identifiability};
use crate::local::{Output, local};
use crate::parameters::Parameters;
use gradyn::Method;
use nalgebra::DMatrix;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Base parameters of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    /// Combinations that can be told.
    pub rank: usize,
    /// Parameters.
    pub parameters: usize,
    /// Singular values, and what cannot be told.
    pub identifiability: Identifiability,
    /// The factor between the last singular value that counts and the first that does not: how clear the rank is. Infinite if all count.
    pub gap: f64,
    /// What cannot be told, in words.
    pub cannot_tell: Vec<String>,
}

/// Ranks below this part of the largest singular value are rounding: of random motions of scaled columns there is nothing between 1e-5 and
/// 1e-13.
const TOLERANCE: f64 = 1e-10;

/// The rank of the parameters' influence on torques over random motions, at their values, and what no motion tells.
///
/// Base parameters are as many as the rank, of the `10 n` inertial parameters of a robot (`*.pi.*`). Cost: torques' derivatives at
/// about `2 np/nv` states, and the singular values of a matrix of np columns.
///
/// # Errors
/// [`SensitivityError::Other`] for no parameters; what the engine refuses.
pub fn structure(parameters: &Parameters, values: &[f64], seed: u64) -> Result<Structure, SensitivityError> {
    let model = parameters.robot();
    let (nv, np) = (model.nv(), parameters.len());
    if np == 0 || nv == 0 {
        return Err(SensitivityError::Other("there are no parameters, or no joints, to look at".into()));
    }
    let states = (2 * np).div_ceil(nv) + 4;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut numbers = |n: usize| -> Vec<f64> { (0..n).map(|_| rng.random_range(-1.0..1.0)).collect() };
    let mut rows = DMatrix::zeros(states * nv, np);
    for state in 0..states {
        let step: Vec<f64> = numbers(nv).iter().map(|x| 1.5 * x).collect();
        let q = model.integrate(&model.neutral::<f64>(), &step)?;
        let (v, a) = (numbers(nv), numbers(nv));
        let by = local(parameters, values, Output::Torques { q: &q, v: &v, a: &a }, Method::Analytical)?;
        rows.rows_mut(state * nv, nv).copy_from(&by.jacobian);
    }
    super::fit::without_rounding(&mut rows);
    let found = identifiability(&rows, TOLERANCE).map_err(|e| SensitivityError::Other(e.to_string()))?;
    let gap = match found.singular_values.get(found.rank) {
        Some(next) if *next > 0.0 => found.singular_values[found.rank - 1] / next,
        _ => f64::INFINITY,
    };
    let cannot_tell = found.sentences(&parameters.names());
    Ok(Structure { rank: found.rank, parameters: np, gap, cannot_tell, identifiability: found })
}
