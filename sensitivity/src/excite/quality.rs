//! The information of a motion on the parameters.

use super::information::{Information, State};
use crate::error::SensitivityError;
use crate::estimate::{Noise, Options, levenberg_marquardt};
use gradyn::derivatives::difference::Euclidean;
use nalgebra::DMatrix;

/// The information in samples of a motion, with torques of this noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// The number of identifiable combinations of parameters.
    pub rank: usize,
    /// The condition of the derivatives by base parameters, with columns scaled to unit length, as a fit reports it.
    pub condition: f64,
    /// `log det(JᵀJ)` by base parameters, in units of the noise and of the parameters; minus infinity if one is not
    /// identifiable.
    pub log_det: f64,
    /// Expected standard deviation of each base parameter, in its unit; infinite if the samples do not identify it.
    pub deviations: Vec<f64>,
}

impl Quality {
    pub(super) fn of(information: &Information<'_>, states: &[State]) -> Result<Self, SensitivityError> {
        let mut root = information.triangle(states)?;
        crate::identify::without_rounding(&mut root);
        let k = root.ncols();
        // The certainty of a fit to torques without error, with known noise.
        let fit = |_: &[f64], r: &mut [f64], j: &mut DMatrix<f64>| {
            r.fill(0.0);
            j.copy_from(&root);
            Ok(())
        };
        let options = Options { noise: Noise::Unit, ..Options::default() };
        let found = levenberg_marquardt(&Euclidean(k), &vec![0.0; k], k, fit, &options)
            .map_err(|error| SensitivityError::Other(error.to_string()))?;
        let told = &found.identifiability;
        let log_det =
            if told.rank == k { root.diagonal().iter().map(|x| 2.0 * x.abs().ln()).sum() } else { f64::NEG_INFINITY };
        let deviations = (0..k).map(|i| found.deviation(i).unwrap_or(f64::INFINITY)).collect();
        Ok(Self { rank: told.rank, condition: told.condition, log_det, deviations })
    }
}
