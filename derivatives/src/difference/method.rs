//! The two methods.

use super::central::central;
use super::error::{DifferenceError, Outcome, expect_step};
use super::estimate::Estimate;
use super::manifold::Manifold;
use super::path::{Curve, Path};
use super::ridders::ridders;
use std::fmt::{Debug, Display};

/// How to form a derivative from differences. Steps are relative: they are multiplied by the scale of the variable,
/// `max(1, |x|)`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// `D(h)` with error `f‴ h²/6 + ε |f| / h`; `D(2h)` serves the error estimate alone. Four evaluations.
    Central {
        /// The step `h`.
        step: f64,
    },
    /// `D(h)`, `D(h/2)`, `D(h/4)`, … extrapolated to zero, until rounding shows; two evaluations per step.
    Ridders {
        /// The first and longest step: about the length over which the function bends.
        step: f64,
        /// How many steps at most; at least two are taken.
        rows: usize,
    },
}

impl Method {
    /// [`Method::Central`] with `h = ε^(1/3)`, which balances `h²` against `ε/h`.
    #[must_use]
    pub fn central() -> Self {
        Self::Central { step: f64::EPSILON.cbrt() }
    }
    /// [`Method::Ridders`] from `h = 1/8`, at most ten steps.
    #[must_use]
    pub fn ridders() -> Self {
        Self::Ridders { step: 0.125, rows: 10 }
    }
    /// The step.
    pub(super) fn step(self) -> f64 {
        match self {
            Self::Central { step } | Self::Ridders { step, .. } => step,
        }
    }
    /// The same method with another step.
    pub(super) fn with_step(self, step: f64) -> Self {
        match self {
            Self::Central { .. } => Self::Central { step },
            Self::Ridders { rows, .. } => Self::Ridders { step, rows },
        }
    }
}

/// `d/dt y(t)` at `t = 0`, for a path in the space `outputs`: a column of derivatives.
///
/// The path writes `y(t)` into the slice it is given. Steps are in units of `t`.
///
/// ```
/// use gradyn_derivatives::difference::{Euclidean, Method, along};
///
/// let speed = along(Method::central(), &Euclidean(1), |t: f64, y: &mut [f64]| y[0] = (1.0 + t).ln())?;
/// assert!((speed.value[0] - 1.0).abs() < 1e-9);
/// # Ok::<(), gradyn_derivatives::difference::DifferenceError>(())
/// ```
///
/// # Errors
/// A step that is not a positive number; the function's own; a value that is not finite.
pub fn along<M, G, O>(method: Method, outputs: &M, mut path: G) -> Result<Estimate, DifferenceError<O::Error>>
where
    M: Manifold,
    G: FnMut(f64, &mut [f64]) -> O,
    O: Outcome,
{
    along_from(method, outputs, 0.0, &mut |t, y| path(t, y).outcome())
}

/// [`along`], for a path that starts where coordinates have the size `origin`.
pub(super) fn along_from<'a, E: Debug + Display>(
    method: Method,
    outputs: &'a dyn Manifold,
    origin: f64,
    path: &'a mut Curve<'a, E>,
) -> Result<Estimate, DifferenceError<E>> {
    expect_step(method.step())?;
    let mut path = Path::new(outputs, origin, path)?;
    match method {
        Method::Central { step } => central(&mut path, step),
        Method::Ridders { step, rows } => ridders(&mut path, step, rows),
    }
}
