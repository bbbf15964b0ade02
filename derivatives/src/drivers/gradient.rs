//! The gradient of a function with one output.

use super::error::{DriverError, TryError, expect_len};
use super::{Workspace, try_jacobian_into};
use crate::function::{OneOutput, Total};
use crate::{FallibleFunction, ScalarFunction};

/// `f(x)` and the gradient, of length `n`; see [`gradient_into`].
///
/// # Errors
/// As [`gradient_into`].
pub fn gradient<F: ScalarFunction>(f: &F, x: &[f64]) -> Result<(f64, Vec<f64>), DriverError> {
    let mut gradient = vec![0.0; f.inputs()];
    let value = gradient_into(f, x, &mut Workspace::new(), &mut gradient)?;
    Ok((value, gradient))
}

/// `gradient[j] = ∂f/∂xⱼ`; returns `f(x)`.
///
/// Shapes: `x`, `gradient`: n. Cost: `⌈n/8⌉` evaluations over a dual number with eight directions.
///
/// # Errors
/// A slice of the wrong length; a value or derivative that is not finite.
pub fn gradient_into<F: ScalarFunction>(
    f: &F,
    x: &[f64],
    workspace: &mut Workspace,
    gradient: &mut [f64],
) -> Result<f64, DriverError> {
    try_gradient_into(&Total(&OneOutput(f)), x, workspace, gradient).map_err(TryError::driver)
}

/// [`gradient_into`] of a function that can fail, with one output, in memory that the workspace keeps.
///
/// # Errors
/// As [`gradient_into`], and the function's own; [`DriverError::Size`] if it has more outputs than one, or none.
pub fn try_gradient_into<F: FallibleFunction>(
    f: &F,
    x: &[f64],
    workspace: &mut Workspace,
    gradient: &mut [f64],
) -> Result<f64, TryError<F::Error>> {
    expect_len("outputs of the function", f.outputs(), 1)?;
    expect_len("gradient", gradient.len(), f.inputs())?;
    let mut value = [0.0];
    try_jacobian_into(f, x, workspace, &mut value, gradient)?;
    Ok(value[0])
}
