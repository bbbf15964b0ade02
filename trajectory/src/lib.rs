//! Trajectory optimization of robots.
//!
//! ```text
//! min Σ_k ℓ_k(x_k, u_k) + ℓ_N(x_N)    subject to  x_{k+1} = f_k(x_k, u_k) ,   x_0 given ,
//!                                                c_k(x_k, u_k) = 0 ,   L_k ≤ g_k(x_k, u_k) ≤ U_k
//! ```
//!
//! A [`Problem`] consists of phases of nodes. Each phase has a [step] `f` of the robot's dynamics, [costs](cost::Cost)
//! made of [residuals](residual) and [losses](loss), and [constraints](PathConstraint) made of residuals. Derivatives
//! are exact: by formulas of the engine `gradyn`, or by dual numbers for your own quantities. A [solver] takes a guess
//! and returns a trajectory, feedback gains, a history, and a status that says why it stopped.

pub mod certificate;
pub mod check;
pub mod constraint;
pub mod contact_motion;
pub mod cost;
mod dense;
pub mod fault;
mod gauss_newton;
pub mod guess;
mod half_turn;
pub mod loss;
pub mod nlp;
pub mod node;
pub mod parameter;
pub mod pressure;
pub mod problem;
pub mod quadratic;
pub mod residual;
pub mod resimulation;
pub mod riccati;
pub mod solver;
pub mod space;
pub mod stage;
pub mod step;
pub mod trajectory;

pub use certificate::Certificate;
pub use check::{Checked, ProblemCheck};
pub use constraint::PathConstraint;
pub use cost::Cost;
pub use fault::{Fault, ProblemError, ProblemPlace, Reason};
pub use loss::Loss;
pub use nlp::Nlp;
pub use node::Node;
pub use parameter::{Parameter, ParameterId};
pub use problem::{Phase, Problem, ProblemBuilder};
pub use solver::{
    Attempt, Control, Fddp, FddpOptions, Iteration, Newton, NewtonOptions, Proximal, ProximalOptions, Report, Status,
    WarmNode, WarmStart, Warning,
};
pub use trajectory::Trajectory;

/// The engine.
pub use gradyn;

/// Pages whose programs are tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../docs/trajectory.md")]
    struct Trajectory;
}
