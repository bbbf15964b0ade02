//! Options of [`Proximal`](super::Proximal).

use crate::solver::newton::{Hessian, RollOut};
use crate::solver::support::all_positive;
use std::time::Duration;

/// Constants of [`Proximal`](super::Proximal).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProximalOptions {
    /// The iteration limit.
    pub iterations: usize,
    /// The time limit, checked after each iteration.
    pub time: Option<Duration>,
    /// The KKT residual of a converged solution, with the cost scaled so that its gradient is at most 100 at the guess.
    pub tolerance: f64,
    /// Second derivatives.
    pub hessian: Hessian,
    /// How trials follow directions.
    pub roll_out: RollOut,
    /// The initial μ: a violation c costs `c²/2μ`.
    pub mu_init: f64,
    /// The least μ.
    pub mu_min: f64,
    /// The first multiple of the identity that is tried where second derivatives are not positive.
    pub regularization: f64,
    /// The largest multiple of the identity.
    pub regularization_max: f64,
    /// The number of trial steps: 1, ½, ¼, …
    pub halvings: usize,
    /// The number of threads that evaluate nodes.
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
            mu_init: 1e-2,
            mu_min: 1e-8,
            regularization: 1e-4,
            regularization_max: 1e20,
            halvings: 10,
            threads: 1,
        }
    }
}

impl ProximalOptions {
    /// Names an invalid option.
    pub(super) fn check(&self) -> Result<(), String> {
        all_positive(&[("mu_init", self.mu_init), ("mu_min", self.mu_min), ("regularization", self.regularization)])
    }
}
