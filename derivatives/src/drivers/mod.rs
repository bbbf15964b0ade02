//! Exact derivatives of a [`Function`](crate::Function), eight directions at a time.
//!
//! | driver | gives | evaluations |
//! |---|---|---|
//! | [`directional`] | `f(x)`, `J dx` | 1, over one direction |
//! | [`jacobian`] | `f(x)`, `J` | `⌈n/8⌉` |
//! | [`gradient`] | `f(x)`, `∇f` | `⌈n/8⌉` |
//! | [`hessian`] | `f(x)`, `∇f`, `∇²f` | about `n²/16 + n/2`, nested duals |
//! | [`weighted_hessian`] | `f(x)`, `Jᵀλ`, `Σ λᵢ ∇²fᵢ` | as [`hessian`] |
//! | [`hessian_vector`] | `f(x)`, `∇f`, `∇²f v` | `⌈n/8⌉`, nested duals |
//!
//! Where there are no vector registers, at the plain level, they go through one direction at a time
//! ([`directions`](crate::directions)); [`plain_jacobian`] and [`plain_hessian`] do so everywhere, and are quick to
//! compile.
//!
//! Each has a second form, `…_into`, that writes into the caller's slices with the scratch memory of a [`Workspace`]: a
//! second call of the same sizes allocates nothing. Matrices are row-major slices: entry `(i, j)` of an `m × n`
//! Jacobian stands at `i * n + j`. The function is compiled once per [`Level`](crate::Level) and run at the widest of
//! this processor; levels agree to rounding.
//!
//! Functions that can fail, and need memory of their own for it not to be made at each call, are
//! [`FallibleFunction`](crate::FallibleFunction)s: their drivers are [`try_gradient_into`], [`try_jacobian_into`] and
//! [`try_weighted_hessian_into`].
//!
//! A value or derivative that is not finite comes back as a [`DriverError`] that names it; what the slices then hold is
//! unspecified. `n = 0` and `m = 0` are valid sizes.
//!
//! Method: forward mode, a seed direction in each lane (Griewank and Walther, *Evaluating Derivatives*, 2008,
//! chapter 3); second derivatives by a dual number of dual numbers (Pearlmutter and Siskind, "Perturbation confusion
//! and referential transparency", 2005: nested by type, so the two kinds of ε cannot mix).
//!
//! ```
//! use gradyn_derivatives::{Scalar, ScalarFunction, drivers::hessian};
//!
//! /// Rosenbrock's valley `(1 − x)² + 100 (y − x²)²`.
//! struct Rosenbrock;
//! impl ScalarFunction for Rosenbrock {
//!     fn inputs(&self) -> usize {
//!         2
//!     }
//!     #[inline(always)]
//!     fn eval<T: Scalar>(&self, x: &[T]) -> T {
//!         let (a, b) = (T::one() - x[0], x[1] - x[0] * x[0]);
//!         a * a + b * b * 100.0
//!     }
//! }
//!
//! let (value, gradient, hessian) = hessian(&Rosenbrock, &[1.0, 1.0])?;
//! assert_eq!(value, 0.0);
//! assert_eq!(gradient, [0.0, 0.0]);
//! assert_eq!(hessian, [802.0, -400.0, -400.0, 200.0]);
//! # Ok::<(), gradyn_derivatives::drivers::DriverError>(())
//! ```

mod directional;
mod error;
mod gradient;
mod hessian;
mod hessian_vector;
mod jacobian;
mod workspace;

pub use directional::{directional, directional_into};
pub use error::{DriverError, TryError};
pub use gradient::{gradient, gradient_into, try_gradient_into};
pub use hessian::{
    WeightedHessian, hessian, hessian_into, plain_hessian, try_weighted_hessian_into, weighted_hessian,
    weighted_hessian_into,
};
pub use hessian_vector::{hessian_vector, hessian_vector_into};
pub use jacobian::{jacobian, jacobian_into, plain_jacobian, try_jacobian_into};
pub use workspace::Workspace;
