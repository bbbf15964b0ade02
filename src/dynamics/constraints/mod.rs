//! Closed loops and rigid contacts: dynamics under bilateral constraints.
//!
//! The error of all constraints is `e(q)`, with `J = ∂ė/∂q̇`. The multipliers `λ` are the forces that hold the
//! constraints:
//!
//! ```text
//! M q̈ + c = τ + Jᵀ λ ,   J q̈ = −γ ,   γ = J̇ q̇ + k_d J q̇ + k_p e                                      (1)
//! M (v⁺ − v⁻) = Jᵀ Λ ,   J v⁺ = −ε J v⁻                                                            (2)
//! ```
//!
//! Both are solved through `G = J M⁻¹ Jᵀ`. Over `f64` its factors are used, eight rows at a time, if rows are clearly
//! independent (`kernels::by_joint::constraints::solve`); otherwise orthogonal factors of any rank ([`factor`]).
//! [`vary`](crate::formulas::constraints) differentiates rows. The stabilization by `k_p`, `k_d` is that of J.
//! Baumgarte, *Stabilization of constraints and integrals of motion in dynamical systems* (1972). The equations are
//! those of RBDA, sections 8.1 and 11.2.

mod constraint;
mod factor;
mod margin;
mod memory;
mod of_mjcf;
mod rank;
mod rows;
mod seats;
mod solve;
mod vectors;

pub(crate) use crate::formulas::constraints::{AtState, Axes, BodyState, Part, Rows, Side, Varied, in_body};
pub use constraint::{Constraint, ConstraintKind};
pub(crate) use constraint::{check, rows_of};
pub(crate) use factor::Factor;
pub use margin::RankMargin;
pub(crate) use memory::{ConstraintsMemory, FactorsOfMass};
pub use rank::{ConstraintRank, constraint_rank};
pub use rows::{constraint_bias, constraint_error, constraint_jacobian};
pub use solve::{ConstraintDynamics, ImpulseDynamics, constraint_dynamics, impulse_dynamics};
