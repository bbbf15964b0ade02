//! Is this derivative right? A claimed matrix against evidence from the function itself.
//!
//! | call | checks | evidence |
//! |---|---|---|
//! | [`jacobian`], [`gradient`] | first derivatives of a closure, on any [`Manifold`](crate::difference::Manifold) | differences |
//! | [`jacobian_with`] | the same | and exact derivatives from elsewhere |
//! | [`values`] | numbers | other numbers, with known errors |
//!
//! Each entry gets a [`Verdict`], with the bound that it is based on, and the [`Report`] a [`Guess`] at what went wrong.
//! Evidence are central differences, extrapolated to step zero, with an estimate of their own error; where they call an
//! entry wrong, a second table of differences with other steps has confirmed it. Points where the function is not smooth
//! are recognised by one-sided differences that do not meet, and are not called wrong.

mod claim;
mod curve;
mod display;
mod error;
mod evidence;
mod guess;
mod guesses;
mod jacobian;
mod judge;
mod options;
mod random;
mod report;
mod smooth;
mod taylor;
mod values;
mod verdict;

pub use claim::Claim;
pub use error::CheckError;
pub use guess::Guess;
pub use jacobian::{Knowledge, gradient, jacobian, jacobian_with};
pub use options::Options;
pub use report::{Counts, Curve, Entry, Report, Taylor};
pub use values::values;
pub use verdict::{Reason, Verdict};
