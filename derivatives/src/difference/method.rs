//! The two methods and their common result.

use super::central::central;
use super::error::{DifferenceError, Outcome, expect_step};
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

/// Derivatives with estimates of their errors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Directions of the output space.
    pub rows: usize,
    /// Directions of the input space.
    pub columns: usize,
    /// The derivatives, rows × columns, row-major.
    pub value: Vec<f64>,
    /// The estimate of each one's absolute error, in the same order. It covers truncation as seen between two steps, and
    /// the rounding of a function that is right to the last digit; one that loses digits inside is seen by
    /// [`Method::Ridders`] only. Infinite where the value at the point stands apart from those around it, as that method
    /// sees: there is no derivative.
    pub error: Vec<f64>,
}

impl Estimate {
    /// All zero.
    pub(super) fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, value: vec![0.0; rows * columns], error: vec![0.0; rows * columns] }
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
/// A step that is no positive number; the function's own; a value that is not finite.
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
