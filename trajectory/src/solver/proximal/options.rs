//! What a solution by [`Proximal`](super::Proximal) may be told.

use crate::solver::newton::{Hessian, RollOut};
use std::time::Duration;

/// Constants of [`Proximal`](super::Proximal).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProximalOptions {
    /// At most so many iterations.
    pub iterations: usize,
    /// At most so much time, looked at after each iteration.
    pub time: Option<Duration>,
    /// Converged if the conditions of optimality hold to this, with the cost scaled so that its gradient was at most 100 at the guess.
    pub tolerance: f64,
    /// Second derivatives.
    pub hessian: Hessian,
    /// How trials follow directions.
    pub roll_out: RollOut,
    /// μ at the beginning: a violation c costs `c²/2μ`.
    pub softness: f64,
    /// And at least.
    pub softness_min: f64,
    /// The first multiple of the identity that is tried where second derivatives are not positive.
    pub regularization: f64,
    /// And the last one.
    pub regularization_max: f64,
    /// Steps tried: 1, ½, ¼, …, so many.
    pub halvings: usize,
    /// Threads that evaluate nodes.
    pub threads: usize,
}

impl Default for ProximalOptions {
    fn default() -> Self {
        Self {
            iterations: 500,
            time: None,
            tolerance: 1e-8,
            hessian: Hessian::Automatic,
            roll_out: RollOut::Automatic,
            softness: 1e-2,
            softness_min: 1e-8,
            regularization: 1e-4,
            regularization_max: 1e20,
            halvings: 10,
            threads: 1,
        }
    }
}

impl ProximalOptions {
    /// What is wrong with them.
    pub(super) fn wrong(&self) -> Option<String> {
        let positive =
            [("softness", self.softness), ("softness_min", self.softness_min), ("regularization", self.regularization)];
        let (name, value) = positive.into_iter().find(|(_, x)| !(x.is_finite() && *x > 0.0))?;
        Some(format!("the option `{name}` is {value}: it must be positive and finite"))
    }
}
