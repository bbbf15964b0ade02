//! Checks derivatives: a claimed matrix against evidence from the function itself.
//!
//! The functions are of any kind, given as closures or generic code. (`gradyn::check` is for derivatives of a robot,
//! and takes its evidence from the robot.)
//!
//! | call | checks | evidence |
//! |---|---|---|
//! | [`jacobian`], [`gradient`] | first derivatives of a closure, on any [`Manifold`](crate::difference::Manifold) | differences |
//! | [`jacobian_vector`], [`vector_jacobian`] | `J v` and `Jᵀ w` | differences |
//! | [`hessian`], [`hessian_vector`] | second derivatives, `∇²f v` | second differences |
//! | [`generic_jacobian`], [`generic_gradient`], [`generic_hessian`] | those of a function for every number type | and dual numbers |
//! | [`jacobian_with`] | first derivatives | and exact ones from elsewhere |
//! | [`sampled_jacobian`] | first derivatives of what cannot be called | a table of values |
//! | [`values`] | numbers | other numbers, with known errors |
//!
//! Each entry gets a [`Verdict`], with the bound that it is based on, and the [`Report`] a [`Guess`] at what went
//! wrong. The evidence is central differences, extrapolated to step zero, with an estimate of their own error. Before
//! an entry is called wrong, a second table of differences with other steps confirms it. Points where the function is
//! not smooth are recognized by one-sided differences that do not meet, and are not called wrong. For tests there are
//! [`assert_jacobian!`](crate::assert_jacobian), [`assert_gradient!`](crate::assert_gradient) and
//! [`assert_derivatives!`](crate::assert_derivatives).

mod claim;
mod curve;
mod display;
mod error;
mod evidence;
mod generic;
mod guess;
mod guesses;
mod hessian;
mod jacobian;
mod judge;
mod macros;
mod options;
mod products;
mod random;
mod report;
mod sampled;
mod second;
mod smooth;
mod taylor;
mod values;
mod verdict;

pub use claim::Claim;
pub use error::CheckError;
pub use generic::{generic_gradient, generic_hessian, generic_jacobian};
pub use guess::Guess;
pub use hessian::{hessian, hessian_vector};
pub use jacobian::{Knowledge, gradient, jacobian, jacobian_with};
pub use options::Options;
pub use products::{jacobian_vector, vector_jacobian};
pub use report::{Counts, Curve, Entry, Report, Taylor};
pub use sampled::sampled_jacobian;
pub use values::values;
pub use verdict::{Reason, Verdict};
