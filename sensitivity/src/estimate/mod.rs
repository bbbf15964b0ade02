//! Parameters that fit data best, their uncertainty, and which of them the data cannot identify.
//!
//! ```text
//! min over p   Σ ρ(r_i(p)) + ½ (p ⊖ p₀)ᵀ Λ (p ⊖ p₀)
//! ```
//!
//! with residuals r in units of their noise, a [`Loss`] ρ, and an optional regularizer ([`Regularizer`]) Λ toward prior
//! knowledge.

mod covariance;
mod error;
mod identifiable;
mod levenberg_marquardt;
mod loss;
mod options;
mod report;
mod singular;
mod system;

pub use error::EstimateError;
pub use identifiable::{Identifiability, identifiability};
pub(crate) use identifiable::{four_digits, triangle};
pub use levenberg_marquardt::levenberg_marquardt;
pub(crate) use levenberg_marquardt::levenberg_marquardt_with;
pub use loss::Loss;
pub use options::{Noise, Options, Regularizer};
pub use report::{Estimate, Status};
pub(crate) use system::OwnRows;
