//! What a solution by [`Newton`](super::Newton) may be told.

use std::time::Duration;

/// Which second derivatives directions come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hessian {
    /// Those of the Lagrangian. Where they are not positive enough: far from a solution those of Gauss and Newton, or as much of the identity as
    /// it takes, in turns; with equalities and no other constraints beside the dynamics as [`Exact`](Self::Exact). Where that ends nowhere, the
    /// other of both.
    #[default]
    Automatic,
    /// Those of the Lagrangian, with as much of the identity as it takes.
    Exact,
    /// Those of Gauss and Newton: of costs `Jᵀ W J`, of dynamics and constraints none.
    GaussNewton,
}

/// How a trial follows its direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RollOut {
    /// Along straight lines, and by the dynamics where only short steps are accepted; with equalities and no other constraints beside the
    /// dynamics along straight lines alone. Where that ends nowhere, the other of both, and then by the dynamics alone, from the roll-out of the
    /// guess.
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
    /// μ at the beginning, at most: less where rows with a bound at one side cost so little that their slacks would grow far beyond the guess.
    pub barrier: f64,
    /// The first multiple of the identity that is tried where second derivatives are not positive (`δ_w⁰`).
    pub regularization: f64,
    /// And the last one.
    pub regularization_max: f64,
    /// Steps tried: 1, ½, ¼, …, so many.
    pub halvings: usize,
    /// Threads that evaluate nodes.
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
    /// What is wrong with them.
    pub(super) fn wrong(&self) -> Option<String> {
        let positive = [("barrier", self.barrier), ("regularization", self.regularization)];
        let (name, value) = positive.into_iter().find(|(_, x)| !(x.is_finite() && *x > 0.0))?;
        Some(format!("the option `{name}` is {value}: it must be positive and finite"))
    }
}
