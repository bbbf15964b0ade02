//! The parameters of a robot that torques identify, over all motions.

use super::nullspace::told;
use crate::error::SensitivityError;
use crate::estimate::{Identifiability, identifiability};
use crate::local::{StateOutput, local};
use crate::parameters::Parameters;
use gradyn::Method;
use nalgebra::DMatrix;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The method by which a structure was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FoundBy {
    /// By recursion over the bodies; no motion was sampled.
    Formula,
    /// By torques of random motions: there are parameters that are not inertias, or joints that move with others.
    Motions,
}

/// Base parameters of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    /// The number of identifiable combinations.
    pub rank: usize,
    /// Parameters.
    pub parameters: usize,
    /// How.
    pub found_by: FoundBy,
    /// Singular values, and identifiable and unidentifiable combinations.
    pub identifiability: Identifiability,
    /// The ratio of the last number that counts to the first that does not, lengths of directions or singular values:
    /// how clear the rank is. Infinite if all count.
    pub gap: f64,
    /// The base parameters, in words.
    pub can_tell: Vec<String>,
    /// The unidentifiable combinations, in words.
    pub cannot_tell: Vec<String>,
}

/// Singular values below this share of the largest are rounding: with random motions and scaled columns there is
/// nothing between 1e-5 and 1e-13.
const TOLERANCE: f64 = 1e-10;

/// Finds the combinations of parameters that torques identify, at their values, and those that no motion identifies: of
/// the `10 n` inertial parameters of a robot (`*.pi.*`), there are as many base parameters as the rank.
///
/// Inertias are analyzed by formula (Wensing, Niemeyer, Slotine, arXiv 1711.03896), for all kinds of joints but mimic
/// ones. With other parameters, or mimic joints, [`structure_by_motions`] is used; `found_by` says which.
///
/// # Errors
/// [`SensitivityError::Other`] for no parameters; input that the engine rejects.
pub fn structure(parameters: &Parameters, values: &[f64], seed: u64) -> Result<Structure, SensitivityError> {
    let inertias = !parameters.any(|kind| kind.inertia_of().is_none());
    let Some(told) = (if inertias { told(parameters.robot()) } else { None }) else {
        return structure_by_motions(parameters, values, seed);
    };
    expect_some(parameters)?;
    let mut rows = DMatrix::zeros(told.rows.nrows(), parameters.len());
    parameters.chain(values)?.times(&told.rows, &mut rows);
    let found = found(rows, parameters, FoundBy::Formula)?;
    // For all inertias, the rank needs no singular values; for a part, or in other charts, both must be clear.
    let gap = found.gap.min(told.gap);
    Ok(Structure { gap, ..found })
}

/// The number of base parameters that each body adds: ten or less; their sum is the rank of `*.pi.*`. `None` for a
/// robot with mimic joints.
#[must_use]
pub fn base_parameters_by_body(model: &gradyn::Model) -> Option<Vec<usize>> {
    told(model).map(|told| told.of_bodies)
}

/// The same as [`structure`], by the rank of the torques' derivatives over random motions.
///
/// Cost: torques' derivatives at about `2 np/nv` states, and the singular values of a matrix of np columns.
///
/// # Errors
/// As [`structure`].
pub fn structure_by_motions(parameters: &Parameters, values: &[f64], seed: u64) -> Result<Structure, SensitivityError> {
    expect_some(parameters)?;
    let model = parameters.robot();
    let (nv, np) = (model.nv(), parameters.len());
    let (states, factors) = ((2 * np).div_ceil(nv) + 4, parameters.torque_factors(values)?);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut numbers = |n: usize| -> Vec<f64> { (0..n).map(|_| rng.random_range(-1.0..1.0)).collect() };
    let mut rows = DMatrix::zeros(states * nv, np);
    for state in 0..states {
        let step: Vec<f64> = numbers(nv).iter().map(|x| 1.5 * x).collect();
        let q = model.integrate(&model.neutral::<f64>(), &step)?;
        let (v, a) = (numbers(nv), numbers(nv));
        let torques = StateOutput::Torques { q: &q, v: &v, a: &a };
        let mut by = local(parameters, values, torques, Method::Analytical)?;
        super::rows::told_by_parameters(parameters, &factors, by.value.as_slice(), &mut by.jacobian);
        rows.rows_mut(state * nv, nv).copy_from(&by.jacobian);
    }
    found(rows, parameters, FoundBy::Motions)
}

fn expect_some(parameters: &Parameters) -> Result<(), SensitivityError> {
    if parameters.is_empty() || parameters.robot().nv() == 0 {
        return Err(SensitivityError::Other("there are no parameters or no joints".into()));
    }
    Ok(())
}

/// The identifiability of columns by rows.
fn found(mut rows: DMatrix<f64>, parameters: &Parameters, found_by: FoundBy) -> Result<Structure, SensitivityError> {
    super::rows::without_rounding(&mut rows);
    let found = identifiability(&rows, TOLERANCE).map_err(|e| SensitivityError::Other(e.to_string()))?;
    let gap = match found.singular_values.get(found.rank) {
        Some(next) if *next > 0.0 => found.singular_values[found.rank.saturating_sub(1)] / next,
        _ => f64::INFINITY,
    };
    let names = parameters.names();
    let (can_tell, cannot_tell) = (found.base_sentences(&names), found.sentences(&names));
    let parameters = parameters.len();
    Ok(Structure { rank: found.rank, parameters, found_by, gap, can_tell, cannot_tell, identifiability: found })
}
