//! Uncertainty of outputs from uncertain inputs: covariances through a function, on any manifold.
//!
//! An uncertain point of a [`Manifold`] is `x ⊕ δ`, `δ ~ N(0, P)`, with P in the tangent space at x. Outputs
//! `y = f(x ⊕ δ)` have a mean on their manifold and a covariance in the tangent space there.
//!
//! | item | needs | exact for |
//! |---|---|---|
//! | [`first_order`] | the Jacobian | linear functions |
//! | [`second_order`] | the Jacobian, all Hessians | quadratic functions |
//! | [`unscented`] | 2 n + 1 evaluations | linear functions; the mean of quadratic ones |
//! | [`monte_carlo`] | many evaluations | everything, up to a reported interval |

mod covariance;
mod error;
mod expansion;
mod mean;
mod monte_carlo;
mod unscented;

pub use error::UncertaintyError;
pub use expansion::{SecondOrder, first_order, second_order};
pub use gradyn_derivatives::difference::{Euclidean, Manifold};
pub use mean::Moments;
pub use monte_carlo::{MonteCarlo, Sampled, monte_carlo};
pub use unscented::{SigmaPoints, unscented};
