//! Options of a fit.

use crate::estimate::Loss;
use std::ops::Range;

/// Options of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// The loss of a residual, in units of its joint's noise.
    pub loss: Loss,
    /// Standard deviations about the robot's own values, one per parameter; infinite: no prior.
    pub prior: Option<Vec<f64>>,
    /// γ of the entropic regularizer of each inertia that varies, toward the robot's own, in units of half a squared
    /// residual: independent of units, frames and charts. Data take over as it goes to zero; along directions without
    /// data, any γ > 0 determines the result.
    pub entropic: Option<f64>,
    /// The share of the data that is held out: the end of each of the `blocks`.
    pub hold_out: f64,
    /// The number of equal parts into which the samples are divided along time; the end of each is held out.
    pub blocks: usize,
    /// Samples that are held out instead of `hold_out`, in order, such as those of another file.
    pub held_out: Option<Range<usize>>,
    /// Directions with less information than this share of the best are not identifiable.
    pub tolerance: f64,
    /// Whether residuals are tested for whiteness, and intervals computed from the effective number of independent
    /// samples. Otherwise noise is taken as white.
    pub color: bool,
    /// Whether the delay of the torques is estimated, and removed if it is more than noise.
    pub delay: bool,
    /// The corner of a low-pass, Hz: Butterworth of second order, forwards and backwards, over measured and predicted
    /// torques alike.
    pub low_pass: Option<f64>,
    /// One of this many samples is kept, after the low-pass.
    pub every: usize,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            loss: Loss::Quadratic,
            prior: None,
            entropic: None,
            hold_out: 0.3,
            blocks: 1,
            held_out: None,
            tolerance: 1e-10,
            color: true,
            delay: true,
            low_pass: None,
            every: 1,
        }
    }
}
