//! Derivatives by differences: the witness that knows nothing of dual numbers.
//!
//! A central difference `D(h) = (f(x ⊕ h e) ⊖ f(x ⊕ −h e)) / 2h` differs from the derivative by `f‴ h²/6` and by the
//! rounding errors of `f`, about `ε |f| / h`. Drawn over `h` on double-logarithmic paper the error is a V: slope −1 on
//! the left, slope 2 on the right, lowest near `h = ε^(1/3)` at about `ε^(2/3) = 4e-11`.
//!
//! | item | gives | error, for a smooth `f` of unit scale | evaluations per direction |
//! |---|---|---|---|
//! | [`Method::Central`] | `D(h)` | 1e-10 | 4, two of them for the error estimate |
//! | [`Method::Ridders`] | `D(h)`, `D(h/2)`, … extrapolated to `h = 0` | 1e-13 | up to 20 |
//! | [`sweep`] | `D(h)` for a list of steps | the V itself | 2 per step |
//!
//! [`jacobian`], [`directional`] and [`along`] return an [`Estimate`]: each entry with an estimate of its error.
//! Inputs and outputs live on a [`Manifold`]: [`Euclidean`] space, or any other whose tangent vectors are integrated
//! and whose points are subtracted by its own rules. Functions may fail: a closure returns `()` or `Result<(), E>`.
//!
//! ```
//! use gradyn_derivatives::difference::{Euclidean, Method, jacobian};
//!
//! let f = |x: &[f64], y: &mut [f64]| y[0] = x[0].sin() * x[1];
//! let j = jacobian(Method::ridders(), &Euclidean(2), &Euclidean(1), f, &[1.0, 2.0])?;
//! assert!((j.value[0] - 2.0 * 1.0_f64.cos()).abs() < 1e-12);
//! assert!((j.value[1] - 1.0_f64.sin()).abs() <= 10.0 * j.error[1]);
//! # Ok::<(), gradyn_derivatives::difference::DifferenceError>(())
//! ```

mod central;
mod error;
mod estimate;
mod jacobian;
mod manifold;
mod method;
mod path;
mod ridders;
mod sweep;

pub use error::{DifferenceError, Outcome};
pub use estimate::Estimate;
pub(crate) use jacobian::{Differenced, representable};
pub use jacobian::{directional, jacobian};
pub use manifold::{Euclidean, Manifold};
pub use method::{Method, along};
pub(crate) use path::{Curve, Path};
pub(crate) use ridders::Table;
pub use sweep::{Sweep, logarithmic_steps, sweep};
