//! Functions written once, generic over the number type.
//!
//! A closure has one type of argument, so a function that can be differentiated is a type: its fields are the constants,
//! its `eval` the formula. [`Function`] has any number of outputs, [`ScalarFunction`] one.
//!
//! Mark `eval` `#[inline(always)]`, and whatever it calls that is generic over the number type: the drivers compile it
//! once per [`Level`](crate::Level), and only what is inlined there runs at full register width. Without the mark the
//! results are the same, several times slower.

use crate::Scalar;

/// A function `Rⁿ → Rᵐ`, written once for every number type.
///
/// ```
/// use gradyn_derivatives::{Function, Scalar, drivers::jacobian};
///
/// /// Polar to Cartesian coordinates about a centre.
/// struct Cartesian {
///     centre: [f64; 2],
/// }
/// impl Function for Cartesian {
///     fn inputs(&self) -> usize {
///         2
///     }
///     fn outputs(&self) -> usize {
///         2
///     }
///     #[inline(always)]
///     fn eval<T: Scalar>(&self, x: &[T], y: &mut [T]) {
///         let (sin, cos) = x[1].sin_cos();
///         y[0] = x[0] * cos + self.centre[0];
///         y[1] = x[0] * sin + self.centre[1];
///     }
/// }
///
/// let (y, j) = jacobian(&Cartesian { centre: [1.0, 1.0] }, &[2.0, 0.0])?;
/// assert_eq!(y, [3.0, 1.0]);
/// assert_eq!(j, [1.0, 0.0, 0.0, 2.0]); // a row per output, a column per input
/// # Ok::<(), gradyn_derivatives::drivers::DriverError>(())
/// ```
pub trait Function {
    /// `n`: how many inputs.
    fn inputs(&self) -> usize;
    /// `m`: how many outputs.
    fn outputs(&self) -> usize;
    /// `y = f(x)`, with `x` of length `n` and `y` of length `m`. The drivers ensure both lengths.
    ///
    /// `y` holds NaN on entry, so that an output left out is reported rather than stale. To be marked
    /// `#[inline(always)]`; see the [module](self).
    fn eval<T: Scalar>(&self, x: &[T], y: &mut [T]);
}

/// A function `Rⁿ → R`, written once for every number type.
///
/// ```
/// use gradyn_derivatives::{ScalarFunction, Scalar, drivers::gradient};
///
/// /// Potential energy of a spring, stretched by the distance between two points of a line.
/// struct Spring {
///     stiffness: f64,
/// }
/// impl ScalarFunction for Spring {
///     fn inputs(&self) -> usize {
///         2
///     }
///     #[inline(always)]
///     fn eval<T: Scalar>(&self, x: &[T]) -> T {
///         let stretch = x[1] - x[0];
///         stretch * stretch * (0.5 * self.stiffness)
///     }
/// }
///
/// let (energy, force) = gradient(&Spring { stiffness: 10.0 }, &[1.0, 3.0])?;
/// assert_eq!(energy, 20.0);
/// assert_eq!(force, [-20.0, 20.0]);
/// # Ok::<(), gradyn_derivatives::drivers::DriverError>(())
/// ```
pub trait ScalarFunction {
    /// `n`: how many inputs.
    fn inputs(&self) -> usize;
    /// `f(x)`, with `x` of length `n`; the drivers ensure the length. To be marked `#[inline(always)]`; see the
    /// [module](self).
    fn eval<T: Scalar>(&self, x: &[T]) -> T;
}

impl<F: Function> Function for &F {
    fn inputs(&self) -> usize {
        F::inputs(self)
    }
    fn outputs(&self) -> usize {
        F::outputs(self)
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, x: &[T], y: &mut [T]) {
        F::eval(self, x, y);
    }
}

impl<F: ScalarFunction> ScalarFunction for &F {
    fn inputs(&self) -> usize {
        F::inputs(self)
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, x: &[T]) -> T {
        F::eval(self, x)
    }
}

/// A [`ScalarFunction`] as a [`Function`] with one output.
#[derive(Clone, Copy, Debug)]
pub struct OneOutput<F>(pub F);

impl<F: ScalarFunction> Function for OneOutput<F> {
    fn inputs(&self) -> usize {
        self.0.inputs()
    }
    fn outputs(&self) -> usize {
        1
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, x: &[T], y: &mut [T]) {
        y[0] = self.0.eval(x);
    }
}
