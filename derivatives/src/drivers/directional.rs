//! One directional derivative.

use super::Workspace;
use super::error::{DriverError, expect_len, finite_derivative, finite_value};
use super::workspace::unwritten;
use crate::{Dual, Function};

/// `f(x)` and `J dx`, each of length `m`; see [`directional_into`].
///
/// # Errors
/// As [`directional_into`].
pub fn directional<F: Function>(f: &F, x: &[f64], dx: &[f64]) -> Result<(Vec<f64>, Vec<f64>), DriverError> {
    let (mut value, mut derivative) = (vec![0.0; f.outputs()], vec![0.0; f.outputs()]);
    directional_into(f, x, dx, &mut Workspace::new(), &mut value, &mut derivative)?;
    Ok((value, derivative))
}

/// `value = f(x)` and `derivative = d/dt f(x + t dx)` at `t = 0`, that is `J dx`.
///
/// Shapes: `x`, `dx`: n; `value`, `derivative`: m. Cost: one evaluation over a dual number with one direction.
///
/// # Errors
/// A slice of the wrong length; a value or derivative that is not finite.
pub fn directional_into<F: Function>(
    f: &F,
    x: &[f64],
    dx: &[f64],
    workspace: &mut Workspace,
    value: &mut [f64],
    derivative: &mut [f64],
) -> Result<(), DriverError> {
    let (n, m) = (f.inputs(), f.outputs());
    expect_len("x", x.len(), n)?;
    expect_len("dx", dx.len(), n)?;
    expect_len("value", value.len(), m)?;
    expect_len("derivative", derivative.len(), m)?;

    let (inputs, outputs) = workspace.inputs_outputs::<Dual<f64, f64>>(n, m);
    for (j, input) in inputs.iter_mut().enumerate() {
        *input = Dual::new(x[j], dx[j]);
    }
    unwritten(outputs);
    f.eval(inputs, outputs);
    for (i, output) in outputs.iter().enumerate() {
        value[i] = finite_value(i, output.re)?;
        derivative[i] = finite_derivative(i, 0, output.eps)?;
    }
    Ok(())
}
