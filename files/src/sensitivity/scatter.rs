//! Outputs over time, and how far outputs scatter: to first order, and by samples.

use super::answer::CLEAR;
use gradyn_sensitivity::Interval;
use nalgebra::DMatrix;

/// The same over time: deviations from the motion as it was planned.
pub struct Series {
    /// s
    pub time: Vec<f64>,
    /// Rows by parameters, one for each time.
    pub jacobians: Vec<DMatrix<f64>>,
    /// By how much an error of the start has grown at the end.
    pub amplification: f64,
    /// Whether first order is meaningful there.
    pub trustworthy: bool,
}

/// The scatter of one output.
pub struct Scatter {
    /// The name of the output.
    pub row: String,
    /// By how much rounding moves it.
    pub rounding: f64,
    /// To first order.
    pub first: f64,
    /// By samples.
    pub sampled: Interval,
    /// The mean, less the value of the robot as it is; by samples.
    pub shift: Interval,
}

impl Scatter {
    /// Do both say the same, to a tenth, or to the interval of the samples if that is not as wide as half of what they
    /// say? Outputs that do not move to rounding do.
    pub fn agrees(&self, largest: f64) -> bool {
        let (off, sampled) = ((self.first - self.sampled.value).abs(), self.sampled.value);
        let half = self.sampled.half_width.filter(|half| *half < 0.5 * sampled).unwrap_or(0.0);
        off <= half.max(0.1 * sampled).max(1e-9 * largest).max(CLEAR * self.rounding)
    }
}

/// One output over time.
pub struct Tube {
    /// The name of the output.
    pub row: String,
    /// Time, s, and the standard deviation to first order.
    pub sd: Vec<(f64, f64)>,
    /// Samples: time, deviation.
    pub dots: Vec<(f64, f64)>,
}

/// How far all outputs scatter.
pub struct Uncertainty {
    /// One an output.
    pub scatter: Vec<Scatter>,
    /// Of outputs over time.
    pub tubes: Vec<Tube>,
    /// How many samples were drawn.
    pub samples: usize,
    /// How many of them have no finite output.
    pub kept_out: usize,
}

impl Uncertainty {
    /// Outputs of which first order and samples say different things.
    pub fn disagreements(&self) -> Vec<&Scatter> {
        let largest = self.scatter.iter().map(|s| s.sampled.value).fold(0.0_f64, f64::max);
        self.scatter.iter().filter(|s| !s.agrees(largest)).collect()
    }
}
