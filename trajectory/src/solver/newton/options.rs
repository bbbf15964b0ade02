//! Options of [`Newton`](super::Newton).

use crate::solver::support::all_positive;
use std::time::Duration;

/// The second derivatives of directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hessian {
    /// Those of the Lagrangian. If they are not positive enough far from a solution, Gauss-Newton replaces them or they
    /// are regularized, alternating. If equalities are the only constraints beside the dynamics, this is
    /// [`Exact`](Self::Exact). If the first strategy fails, the other one follows.
    #[default]
    Automatic,
    /// Those of the Lagrangian, regularized as much as needed.
    Exact,
    /// Those of Gauss-Newton: `Jᵀ W J` of costs, none of dynamics and constraints.
    GaussNewton,
}

/// How a trial follows its direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RollOut {
    /// Along straight lines, and by the dynamics if only short steps are accepted. If equalities are the only
    /// constraints beside the dynamics, along straight lines alone. If the first strategy fails, the other one follows,
    /// and then trials by the dynamics alone, from the roll-out of the guess.
    #[default]
    Automatic,
    /// Along straight lines, all nodes at once: gaps may grow.
    Linear,
    /// By the dynamics, from the start on, with the feedback of the sweep; gaps shrink by `1 − α`.
    Nonlinear,
}

/// Constants of [`Newton`](super::Newton); those with a Greek letter are Ipopt's.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NewtonOptions {
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
    /// The largest initial μ. It is less if rows with a bound on one side cost so little that their slacks would grow
    /// far beyond the guess.
    pub barrier: f64,
    /// The first multiple of the identity that is tried where second derivatives are not positive (`δ_w⁰`).
    pub regularization: f64,
    /// The largest multiple of the identity.
    pub regularization_max: f64,
    /// The number of trial steps: 1, ½, ¼, …
    pub halvings: usize,
    /// The number of threads that evaluate nodes.
    pub threads: usize,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        Self {
            iterations: 500,
            time: None,
            tolerance: 1e-8,
            hessian: Hessian::Automatic,
            roll_out: RollOut::Automatic,
            barrier: 0.1,
            regularization: 1e-4,
            regularization_max: 1e20,
            halvings: 20,
            threads: 1,
        }
    }
}

impl NewtonOptions {
    /// Names an invalid option.
    pub(super) fn check(&self) -> Result<(), String> {
        all_positive(&[("barrier", self.barrier), ("regularization", self.regularization)])
    }
}
