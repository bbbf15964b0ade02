//! Options of a motion.

use super::limits::JointLimits;
use crate::error::SensitivityError;
use gradyn::Model;

/// Options of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct ExciteOptions {
    /// s
    pub period: f64,
    /// The number of harmonics, sines and cosines, of each joint, from 2 to 50.
    pub harmonics: usize,
    /// Samples per second, at which the motion is given and torques are measured.
    pub rate: f64,
    /// Standard deviation of each measured torque, N m or N; nv numbers. Their ratios determine the motion, their size
    /// the expected deviations.
    pub noise: Vec<f64>,
    /// The start and end of the motion, nv numbers; chosen if not given.
    pub start: Option<Vec<f64>>,
    /// Limits of the joints.
    pub limits: JointLimits,
    /// The seed of the random motion at the start.
    pub seed: u64,
    /// The iteration limit of the optimizer.
    pub iterations: usize,
}

/// The most samples: a file of some 100 MB for an arm.
const MOST_SAMPLES: f64 = 1e6;

impl ExciteOptions {
    /// Ten seconds, five harmonics, a hundred samples per second, noise of 0.1, the model's limits.
    ///
    /// # Errors
    /// As [`JointLimits::of`].
    pub fn new(model: &Model) -> Result<Self, SensitivityError> {
        Ok(Self::with_limits(JointLimits::of(model)?))
    }

    /// The same with these limits, such as those of a [`Stance`](super::Stance::limits).
    #[must_use]
    pub fn with_limits(limits: JointLimits) -> Self {
        Self {
            period: 10.0,
            harmonics: 5,
            rate: 100.0,
            noise: vec![0.1; limits.velocity.len()],
            start: None,
            limits,
            seed: 0,
            iterations: 2000,
        }
    }

    pub(super) fn check(&self, names: &[String]) -> Result<(), SensitivityError> {
        let number = |what: &str, value: f64, rule| Err(SensitivityError::Number { what: what.into(), value, rule });
        if !(self.period > 0.0 && self.period.is_finite()) {
            return number("the period", self.period, "expected a positive number of seconds");
        }
        if !(2..=50).contains(&self.harmonics) {
            let rule = "expected 2, so that a joint can start at rest, to 50";
            return number("the number of harmonics", self.harmonics as f64, rule);
        }
        if !(self.rate > 0.0 && self.rate.is_finite()) {
            return number("the rate", self.rate, "expected a positive number of samples a second");
        }
        let fastest = self.harmonics as f64 / self.period;
        if self.rate <= 2.0 * fastest {
            return Err(SensitivityError::Other(format!(
                "the rate is {} Hz: expected more than {} Hz, twice the {} Hz of harmonic {}",
                self.rate,
                2.0 * fastest,
                fastest,
                self.harmonics
            )));
        }
        if self.rate * self.period > MOST_SAMPLES {
            return number("the number of samples", self.rate * self.period, "expected 1e6 at most");
        }
        if self.noise.len() != names.len() {
            let (expected, found) = (names.len(), self.noise.len());
            return Err(SensitivityError::Length { what: "the noise", expected, found });
        }
        for (name, noise) in names.iter().zip(&self.noise) {
            // Squares of quotients by it do not overflow.
            if !(1e-100..=1e100).contains(noise) {
                return number(&format!("the noise of `{name}`"), *noise, "expected a number from 1e-100 to 1e100");
            }
        }
        self.limits.check(names)?;
        let Some(start) = &self.start else { return Ok(()) };
        if start.len() != names.len() {
            let (expected, found) = (names.len(), start.len());
            return Err(SensitivityError::Length { what: "the start", expected, found });
        }
        for ((name, x), (lower, upper)) in names.iter().zip(start).zip(&self.limits.position) {
            if !(x.is_finite() && x > lower && x < upper) {
                return Err(SensitivityError::Other(format!(
                    "the start of `{name}` is {x}: expected a number between {lower} and {upper}"
                )));
            }
        }
        Ok(())
    }
}
