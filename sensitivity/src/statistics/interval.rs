//! A number with its interval, and options of intervals.

use serde::{Deserialize, Serialize};

/// An estimate with an interval about it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// Half the width of the interval at the requested level; `None` if none was requested.
    pub half_width: Option<f64>,
}

impl Interval {
    /// Whether the interval contains the number. Without an interval: never.
    #[must_use]
    pub fn contains(&self, x: f64) -> bool {
        self.half_width.is_some_and(|half| (x - self.value).abs() <= half)
    }
    /// `Σ w x / Σ w` over what has a positive weight; not a number where nothing has. Half widths are added as if all
    /// errors had one cause.
    ///
    /// Of the indices of several outputs, weighted by their variances, it is the index of all outputs together. Source:
    /// F. Gamboa, A. Janon, T. Klein, A. Lagnoux, *Sensitivity analysis for multidimensional and functional
    /// outputs*, 2014.
    #[must_use]
    pub fn weighted_mean(all: &[(f64, Self)]) -> Self {
        let told = || all.iter().filter(|(weight, _)| *weight > 0.0);
        let whole: f64 = told().map(|(weight, _)| weight).sum();
        if whole.is_nan() || whole <= 0.0 {
            return Self { value: f64::NAN, half_width: None };
        }
        let value = told().map(|(weight, x)| weight * x.value).sum::<f64>() / whole;
        let halves = told().map(|(weight, x)| Some(weight * x.half_width?));
        Self { value, half_width: halves.sum::<Option<f64>>().map(|half| half / whole) }
    }
    /// The lower end; the estimate itself if there is no interval.
    #[must_use]
    pub fn low(&self) -> f64 {
        self.value - self.half_width.unwrap_or(0.0)
    }
    /// The upper end; the estimate itself if there is no interval.
    #[must_use]
    pub fn high(&self) -> f64 {
        self.value + self.half_width.unwrap_or(0.0)
    }
}

/// The bootstrap of intervals: the rows of a sample are drawn with replacement, the estimate is repeated each time, and
/// the interval is `± z s` with the standard deviation s of these estimates and the normal deviate z of the level.
///
/// Source: B. Efron and R. Tibshirani, *An introduction to the bootstrap*, 1993, chapter 13.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resampling {
    /// The number of resamples; 0 for no intervals.
    pub times: usize,
    /// The share of such intervals that should contain the truth.
    pub level: f64,
    /// The seed of the random numbers.
    pub seed: u64,
}

impl Default for Resampling {
    /// A hundred resamples, at 95 %.
    fn default() -> Self {
        Self { times: 100, level: 0.95, seed: 0 }
    }
}

impl Resampling {
    /// The error, if it is invalid: the name of the number, the number, and the rule.
    pub(crate) fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
        match (self.times, self.level) {
            (0, _) => None,
            (2..=1_000_000, level) if level > 0.0 && level < 1.0 => None,
            (2..=1_000_000, level) => Some(("the level", level, "it must be between 0 and 1")),
            (times, _) => Some(("the number of resamples", times as f64, "0, or from 2 to a million")),
        }
    }

    /// Estimates without intervals.
    #[must_use]
    pub fn none() -> Self {
        Self { times: 0, ..Self::default() }
    }
}
