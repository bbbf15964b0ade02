//! The distribution of one parameter.

use super::PriorError;
use crate::statistics::normal;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_2_PI, LN_2, SQRT_2};

/// The distribution of one parameter, in the unit of the parameter.
///
/// [`check`](Self::check) validates its numbers; every analysis does so first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Prior {
    /// One value.
    Fixed {
        /// The value.
        value: f64,
    },
    /// `N(mean, sd²)`
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation, positive.
        sd: f64,
    },
    /// `ln x ~ N(ln median, log_sd²)`: for positive numbers that are known up to a factor.
    LogNormal {
        /// The median, positive.
        median: f64,
        /// The standard deviation of the logarithm, positive: 0.1 is about 10 %.
        log_sd: f64,
    },
    /// `|z|` with `z ~ N(0, scale²)`: for nonnegative numbers that may be zero.
    HalfNormal {
        /// The standard deviation of z, positive.
        scale: f64,
    },
    /// Uniform between two bounds.
    Uniform {
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
}

impl Prior {
    /// The lognormal distribution of this mean and standard deviation: `log_sd² = ln(1 + (sd/mean)²)`,
    /// `median = mean exp(−log_sd²/2)`.
    ///
    /// # Errors
    /// A mean or a standard deviation that is not positive or not finite.
    pub fn log_normal(mean: f64, sd: f64) -> Result<Self, PriorError> {
        positive("the mean", mean)?;
        positive("the standard deviation", sd)?;
        let variance = (sd / mean).powi(2).ln_1p();
        let prior = Self::LogNormal { median: mean * (-0.5 * variance).exp(), log_sd: variance.sqrt() };
        prior.check().map(|()| prior)
    }

    /// Checks that its numbers define a distribution.
    ///
    /// # Errors
    /// A number that is not finite, a deviation or a median that is not positive, bounds that are not in order.
    pub fn check(&self) -> Result<(), PriorError> {
        match *self {
            Self::Fixed { value } => finite("the value", value),
            Self::Normal { mean, sd } => finite("the mean", mean).and(positive("the standard deviation", sd)),
            Self::LogNormal { median, log_sd } => {
                positive("the median", median).and(positive("the standard deviation of the logarithm", log_sd))
            }
            Self::HalfNormal { scale } => positive("the scale", scale),
            Self::Uniform { low, high } => {
                finite("the lower bound", low)?;
                finite("the upper bound", high)?;
                match high - low {
                    range if range <= 0.0 => Err(PriorError::Bounds { low, high }),
                    range if range.is_infinite() => Err(PriorError::Range { low, high }),
                    _ => Ok(()),
                }
            }
        }
    }

    /// The value below which the share `p` lies. Infinite where the distribution is, at 0 or 1; `None` for a `p`
    /// outside `[0, 1]`.
    #[must_use]
    pub fn quantile(&self, p: f64) -> Option<f64> {
        (0.0..=1.0).contains(&p).then(|| self.at(p))
    }

    /// The same, for `p` in `[0, 1]`.
    pub(crate) fn at(&self, p: f64) -> f64 {
        match *self {
            Self::Fixed { value } => value,
            Self::Normal { mean, sd } => mean + sd * normal::quantile(p),
            Self::LogNormal { median, log_sd } => median * (log_sd * normal::quantile(p)).exp(),
            // The upper half of a normal distribution, by its lower tail, which does not lose digits.
            Self::HalfNormal { scale } => -scale * normal::quantile(0.5 * (1.0 - p)),
            Self::Uniform { low, high } => low + (high - low) * p,
        }
    }

    /// The value below which lies as much as below a normal deviate `z`: `quantile(Φ(z))`, without rounding Φ where it
    /// cancels.
    #[must_use]
    pub fn at_normal(&self, z: f64) -> f64 {
        match *self {
            Self::LogNormal { median, log_sd } => median * (log_sd * z).exp(),
            Self::Normal { mean, sd } => mean + sd * z,
            Self::Fixed { .. } | Self::HalfNormal { .. } | Self::Uniform { .. } => {
                self.at(0.5 * libm::erfc(-z / SQRT_2))
            }
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fixed { .. } => "fixed",
            Self::Normal { .. } => "normal",
            Self::LogNormal { .. } => "lognormal",
            Self::HalfNormal { .. } => "half-normal",
            Self::Uniform { .. } => "uniform",
        }
    }

    /// `E[x]`: of a lognormal `median exp(log_sd²/2)`, of a half-normal `scale √(2/π)`.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match *self {
            Self::Fixed { value } => value,
            Self::Normal { mean, .. } => mean,
            Self::LogNormal { median, log_sd } => median * (0.5 * log_sd * log_sd).exp(),
            Self::HalfNormal { scale } => scale * FRAC_2_PI.sqrt(),
            Self::Uniform { low, high } => 0.5 * low + 0.5 * high,
        }
    }

    /// `E[(x − E[x])²]`: of a lognormal `mean² (exp(log_sd²) − 1)`, of a half-normal `scale² (1 − 2/π)`, of a
    /// uniform one `(high − low)²/12`.
    #[must_use]
    pub fn variance(&self) -> f64 {
        match *self {
            Self::Fixed { .. } => 0.0,
            Self::Normal { sd, .. } => sd * sd,
            Self::LogNormal { log_sd, .. } => self.mean().powi(2) * (log_sd * log_sd).exp_m1(),
            Self::HalfNormal { scale } => scale * scale * (1.0 - FRAC_2_PI),
            Self::Uniform { low, high } => (high - low).powi(2) / 12.0,
        }
    }

    /// The density at `x`, per unit of the parameter: zero outside the support, ∞ at a fixed value.
    #[must_use]
    pub fn density(&self, x: f64) -> f64 {
        self.log_density(x).exp()
    }

    /// Its natural logarithm: −∞ outside the support.
    #[must_use]
    pub fn log_density(&self, x: f64) -> f64 {
        match *self {
            _ if x.is_nan() => f64::NEG_INFINITY,
            Self::Fixed { value } if x.to_bits() == value.to_bits() => f64::INFINITY,
            Self::Fixed { .. } => f64::NEG_INFINITY,
            Self::Normal { mean, sd } => normal::log_density((x - mean) / sd) - sd.ln(),
            Self::LogNormal { median, log_sd } if x > 0.0 => {
                let log = x.ln();
                normal::log_density((log - median.ln()) / log_sd) - log_sd.ln() - log
            }
            Self::HalfNormal { scale } if x >= 0.0 => normal::log_density(x / scale) - scale.ln() + LN_2,
            Self::LogNormal { .. } | Self::HalfNormal { .. } => f64::NEG_INFINITY,
            Self::Uniform { low, high } if (low..=high).contains(&x) => -(high - low).ln(),
            Self::Uniform { .. } => f64::NEG_INFINITY,
        }
    }

    /// The support.
    pub(crate) fn support(&self) -> (f64, f64) {
        match *self {
            Self::Fixed { value } => (value, value),
            Self::Normal { .. } => (f64::NEG_INFINITY, f64::INFINITY),
            Self::LogNormal { .. } | Self::HalfNormal { .. } => (0.0, f64::INFINITY),
            Self::Uniform { low, high } => (low, high),
        }
    }
}

fn finite(what: &'static str, value: f64) -> Result<(), PriorError> {
    if value.is_finite() { Ok(()) } else { Err(PriorError::Number { what, value, rule: "it must be finite" }) }
}

fn positive(what: &'static str, value: f64) -> Result<(), PriorError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(PriorError::Number { what, value, rule: "it must be positive and finite" })
}
