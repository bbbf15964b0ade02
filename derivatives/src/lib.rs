//! Exact derivatives at register width.
//!
//! A function written once, generic over its number type, gives values with `f64` and derivatives with a dual number
//! `a + b ε`, `ε² = 0`: `f(a + b ε) = f(a) + f′(a) b ε`. This crate provides the tools for that, and knows no robots:
//!
//! | module | what it gives |
//! |---|---|
//! | [`scalar`] | [`Real`] and [`Scalar`]: the one bound of generic code, and functions that stay exact at zero |
//! | [`simd`] | vector registers, chosen at run time: no build flags; the only unsafe code |
//! | [`lanes`] | [`Lanes`]: eight independent numbers in one register |
//! | [`dual`] | [`Dual`]: a value and its derivatives in eight directions; a [`num_dual::DualNum`] |
//! | [`uniform`] | [`VectorDual`]: the `Dual` whose value is stored in the form that suits its registers best |
//! | [`directions`] | [`Directions`]: numbers with derivatives in eight directions, or in one |
//! | [`function`] | [`Function`], [`ScalarFunction`], [`FallibleFunction`]: a formula written once for every number type |
//! | [`drivers`] | Jacobian, gradient, Hessian, products, in chunks of a register |
//! | [`difference`] | central differences and extrapolation with error estimates, step sweeps, on manifolds |
//! | [`check`] | checks of derivatives: verdicts with their bounds, and guesses at the usual mistakes |

pub mod check;
pub mod difference;
pub mod directions;
pub mod drivers;
pub mod dual;
pub mod function;
pub mod lanes;
pub mod scalar;
pub mod simd;
pub mod uniform;

pub use directions::Directions;
pub use dual::{Dual, Tangent};
pub use function::{FallibleFunction, Function, ScalarFunction};
pub use lanes::Lanes;
pub use scalar::{AtLevel, MulAdd, Real, Scalar};
pub use simd::{Kernel, Level, Piece, Places, Register, VectorLevel, WIDTH, dispatch};
pub use uniform::{Uniform, VectorDual};

/// A value and eight derivatives, in registers that every processor has. Inside a [`Kernel`], `VectorDual<R>` is the
/// same at full width.
pub type Dual8 = VectorDual<simd::Baseline>;

/// Re-exported so that users need not match its version: the dual numbers of the `num-dual` crate.
pub use num_dual;
