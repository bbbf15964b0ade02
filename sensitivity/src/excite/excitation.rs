//! A motion that was found, and how well it tells parameters.

use super::limits::Use;
use super::quality::Quality;
use super::series::Series;
use crate::identify::Data;
use std::fmt;

/// Why the optimizer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// No motion nearby is more informative within the limits.
    Converged,
    /// No step is more informative, however short, and the slope is not zero: rounding.
    NoDecrease,
    /// The limit of iterations.
    Iterations,
    /// Stopped by the caller.
    Stopped,
}

impl Status {
    /// Whether the optimizer converged.
    #[must_use]
    pub fn converged(self) -> bool {
        self == Self::Converged
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged: no motion nearby is more informative within the limits",
            Self::NoDecrease => "stopped: no step is more informative, however short",
            Self::Iterations => "stopped: the limit of iterations is reached",
            Self::Stopped => "stopped by the caller",
        })
    }
}

/// The progress of the optimizer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps taken.
    pub iterations: usize,
    /// The iteration limit.
    pub most: usize,
    /// The factor by which the mean deviation has decreased since the start, before limits are enforced.
    pub gain: f64,
}

/// Loads of feet and motors, one row per sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loads {
    /// The smallest forces that carry the base: multipliers of the contacts in their order, N and N m.
    pub forces: Vec<Vec<f64>>,
    /// Torques of the motors with them, nv each; zero for the base.
    pub motors: Vec<Vec<f64>>,
}

/// An informative motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Excitation {
    /// Names of the selected parameters.
    pub parameters: Vec<String>,
    /// Base parameters, by names: the combinations that motions identify.
    pub base: Vec<String>,
    /// For each base parameter, the selected one after which it is named.
    pub columns: Vec<usize>,
    /// The motion, of these degrees of freedom.
    pub series: Series,
    /// The degrees of freedom of the series: all, or those that the feet leave free.
    pub degrees_of_freedom: Vec<usize>,
    /// Its samples, with the torques of the given robot; for a robot on its feet, including the contact forces
    /// ([`Data::with_contact_forces`]).
    pub samples: Data,
    /// For a robot on its feet, the loads of these and of the motors.
    pub loads: Option<Loads>,
    /// The random motion from which the optimizer began, scaled up to the limits.
    pub random: Quality,
    /// The optimized motion.
    pub found: Quality,
    /// The (geometric) mean ratio of the random motion's deviations to those of this one. Infinite if the random motion
    /// leaves something unidentified.
    pub gain: f64,
    /// The use of the limits, at ten points per sample or more.
    pub uses: Vec<Use>,
    /// The factor by which the optimizer's motion was scaled down, because of limits exceeded between its nodes; one if
    /// not at all.
    pub size: f64,
    /// Steps taken.
    pub iterations: usize,
    /// Why it ended.
    pub status: Status,
    /// For each parameter, whether it is a base parameter by itself.
    pub(super) alone: Vec<bool>,
}

impl Excitation {
    /// The expected standard deviation of a parameter: infinite if it is identifiable only together with others, or not
    /// at all. `None` for an invalid index.
    #[must_use]
    pub fn deviation(&self, parameter: usize) -> Option<f64> {
        if !*self.alone.get(parameter)? {
            return Some(f64::INFINITY);
        }
        let at = self.columns.iter().position(|k| *k == parameter)?;
        self.found.deviations.get(at).copied()
    }
}
