//! The gradient of a function with one output.

use super::error::{DriverError, expect_len};
use super::{Workspace, jacobian_into};
use crate::ScalarFunction;
use crate::function::OneOutput;

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
    expect_len("gradient", gradient.len(), f.inputs())?;
    let mut value = [0.0];
    jacobian_into(&OneOutput(f), x, workspace, &mut value, gradient)?;
    Ok(value[0])
}
