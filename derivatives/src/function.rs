//! Functions written once, generic over the number type.
//!
//! A closure has one type of argument, so a function that can be differentiated is a type: its fields are the
//! constants, its `eval` the formula. [`Function`] has any number of outputs, [`ScalarFunction`] one;
//! [`FallibleFunction`] works in memory of its own, made once for each number type, and can fail.
//!
//! Mark `eval` `#[inline(always)]`, and whatever it calls that is generic over the number type: the drivers compile it
//! once per [`Level`](crate::Level), and only what is inlined there runs at full register width. Without the mark the
//! results are the same, several times slower.

use crate::Scalar;
use std::convert::Infallible;

/// A function `Rⁿ → Rᵐ`, written once for every number type.
///
/// ```
/// use gradyn_derivatives::{Function, Scalar, drivers::jacobian};
///
/// /// Polar to Cartesian coordinates about a center.
/// struct Cartesian {
///     center: [f64; 2],
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
///         y[0] = x[0] * cos + self.center[0];
///         y[1] = x[0] * sin + self.center[1];
///     }
/// }
///
/// let (y, j) = jacobian(&Cartesian { center: [1.0, 1.0] }, &[2.0, 0.0])?;
/// assert_eq!(y, [3.0, 1.0]);
/// assert_eq!(j, [1.0, 0.0, 0.0, 2.0]); // a row per output, a column per input
/// # Ok::<(), gradyn_derivatives::drivers::DriverError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function that is written for every number type",
    note = "a closure has one type of argument; implement `Function` for a struct whose fields are the constants",
    note = "its `eval` is `#[inline(always)] fn eval<T: Scalar>(&self, x: &[T], y: &mut [T])`"
)]
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function that is written for every number type",
    note = "a closure has one type of argument; implement `ScalarFunction` for a struct whose fields are the constants",
    note = "its `eval` is `#[inline(always)] fn eval<T: Scalar>(&self, x: &[T]) -> T`"
)]
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

impl<F: FallibleFunction> FallibleFunction for &F {
    type Memory<T: Scalar> = F::Memory<T>;
    type Error = F::Error;
    fn inputs(&self) -> usize {
        F::inputs(self)
    }
    fn outputs(&self) -> usize {
        F::outputs(self)
    }
    fn memory<T: Scalar>(&self) -> F::Memory<T> {
        F::memory(self)
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, memory: &mut F::Memory<T>, x: &[T], y: &mut [T]) -> Result<(), F::Error> {
        F::eval(self, memory, x, y)
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

/// A function `Rⁿ → Rᵐ`, written once for every number type, that works in memory of its own and can fail.
///
/// A [`Workspace`](crate::drivers::Workspace) of the drivers keeps the memory, one for each number type: it is made at
/// the first call, and a second one allocates nothing. The function's own error comes back as
/// [`TryError::Function`](crate::drivers::TryError::Function). Functions of one type that need different memory, of
/// different robots say, need a workspace each.
///
/// ```
/// use gradyn_derivatives::drivers::{TryError, Workspace, try_jacobian_into};
/// use gradyn_derivatives::{FallibleFunction, Real, Scalar};
///
/// /// The quotients of neighbors, `x₀/x₁, x₁/x₂, …`.
/// struct Quotients(usize);
/// impl FallibleFunction for Quotients {
///     type Memory<T: Scalar> = Vec<T>;
///     type Error = &'static str;
///     fn inputs(&self) -> usize {
///         self.0
///     }
///     fn outputs(&self) -> usize {
///         self.0 - 1
///     }
///     fn memory<T: Scalar>(&self) -> Vec<T> {
///         vec![T::zero(); self.0]
///     }
///     #[inline(always)]
///     fn eval<T: Scalar>(&self, inverse: &mut Vec<T>, x: &[T], y: &mut [T]) -> Result<(), &'static str> {
///         for (to, x) in inverse.iter_mut().zip(x) {
///             if x.abs().is_below(1e-9) != Some(false) {
///                 return Err("a divisor is zero");
///             }
///             *to = x.recip();
///         }
///         for i in 0..y.len() {
///             y[i] = x[i] * inverse[i + 1];
///         }
///         Ok(())
///     }
/// }
///
/// let (mut workspace, mut y, mut j) = (Workspace::new(), [0.0; 1], [0.0; 2]);
/// try_jacobian_into(&Quotients(2), &[3.0, 2.0], &mut workspace, &mut y, &mut j)?;
/// assert_eq!((y, j), ([1.5], [0.5, -0.75]));
/// let error = try_jacobian_into(&Quotients(2), &[3.0, 0.0], &mut workspace, &mut y, &mut j);
/// assert_eq!(error, Err(TryError::Function("a divisor is zero")));
/// # Ok::<(), TryError<&'static str>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function that is written for every number type",
    note = "a closure has one type of argument; implement `FallibleFunction` for a struct whose fields are the constants",
    note = "its `eval` is `#[inline(always)] fn eval<T: Scalar>(&self, memory: &mut Self::Memory<T>, x: &[T], y: &mut [T]) -> Result<(), Self::Error>`"
)]
pub trait FallibleFunction {
    /// What it works in.
    type Memory<T: Scalar>: Send + 'static;
    /// Why it fails.
    type Error;
    /// `n`: how many inputs.
    fn inputs(&self) -> usize;
    /// `m`: how many outputs.
    fn outputs(&self) -> usize;
    /// Memory for numbers of this type.
    fn memory<T: Scalar>(&self) -> Self::Memory<T>;
    /// `y = f(x)`, as [`Function::eval`].
    ///
    /// # Errors
    /// The function's own.
    fn eval<T: Scalar>(&self, memory: &mut Self::Memory<T>, x: &[T], y: &mut [T]) -> Result<(), Self::Error>;
}

/// A [`Function`] as one that never fails.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Total<'f, F>(pub(crate) &'f F);

impl<F: Function> FallibleFunction for Total<'_, F> {
    type Memory<T: Scalar> = ();
    type Error = Infallible;
    fn inputs(&self) -> usize {
        self.0.inputs()
    }
    fn outputs(&self) -> usize {
        self.0.outputs()
    }
    fn memory<T: Scalar>(&self) {}
    #[inline(always)]
    fn eval<T: Scalar>(&self, (): &mut (), x: &[T], y: &mut [T]) -> Result<(), Infallible> {
        self.0.eval(x, y);
        Ok(())
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
