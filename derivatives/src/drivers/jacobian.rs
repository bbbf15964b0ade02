//! All first derivatives.

use super::Workspace;
use super::error::{DriverError, TryError, expect_len, finite_derivative, finite_value};
use super::workspace::unwritten;
use crate::directions::{InDirections, in_directions};
use crate::function::Total;
use crate::{Directions, FallibleFunction, Function};
use num_dual::Dual64;

/// `f(x)` of length `m` and the Jacobian, `m × n`, row-major; see [`jacobian_into`].
///
/// # Errors
/// As [`jacobian_into`].
pub fn jacobian<F: Function>(f: &F, x: &[f64]) -> Result<(Vec<f64>, Vec<f64>), DriverError> {
    let (mut value, mut jacobian) = (vec![0.0; f.outputs()], vec![0.0; f.outputs() * f.inputs()]);
    jacobian_into(f, x, &mut Workspace::new(), &mut value, &mut jacobian)?;
    Ok((value, jacobian))
}

/// [`jacobian`], one direction at a time: `f` is compiled for one number type of two numbers, not for registers at each
/// level.
///
/// For tests and checks, where a program should be built soon and a derivative need not be there in a microsecond.
///
/// # Errors
/// As [`jacobian_into`].
pub fn plain_jacobian<F: Function>(f: &F, x: &[f64]) -> Result<(Vec<f64>, Vec<f64>), DriverError> {
    let (n, m) = (f.inputs(), f.outputs());
    expect_len("x", x.len(), n)?;
    let (mut value, mut jacobian) = (vec![0.0; m], vec![0.0; m * n]);
    let (workspace, to) = (&mut Workspace::new(), (&mut value[..], &mut jacobian[..]));
    let run = Columns { f: &Total(f), x, workspace, value: to.0, jacobian: to.1 };
    run.run::<Dual64>().map_err(TryError::driver)?;
    Ok((value, jacobian))
}

/// `value = f(x)` and `jacobian[i * n + j] = ∂fᵢ/∂xⱼ`.
///
/// Shapes: `x`: n; `value`: m; `jacobian`: m × n, row-major. Cost: `⌈n/8⌉` evaluations over a dual number with eight
/// directions, one for `n = 0`.
///
/// # Errors
/// A slice of the wrong length; a value or derivative that is not finite.
pub fn jacobian_into<F: Function>(
    f: &F,
    x: &[f64],
    workspace: &mut Workspace,
    value: &mut [f64],
    jacobian: &mut [f64],
) -> Result<(), DriverError> {
    try_jacobian_into(&Total(f), x, workspace, value, jacobian).map_err(TryError::driver)
}

/// [`jacobian_into`] of a function that can fail, in memory that the workspace keeps.
///
/// # Errors
/// As [`jacobian_into`], and the function's own.
pub fn try_jacobian_into<F: FallibleFunction>(
    f: &F,
    x: &[f64],
    workspace: &mut Workspace,
    value: &mut [f64],
    jacobian: &mut [f64],
) -> Result<(), TryError<F::Error>> {
    let (n, m) = (f.inputs(), f.outputs());
    expect_len("x", x.len(), n)?;
    expect_len("value", value.len(), m)?;
    expect_len("jacobian", jacobian.len(), m * n)?;
    in_directions(Columns { f, x, workspace, value, jacobian })
}

/// The Jacobian, as many columns at a time as there are directions.
struct Columns<'a, F> {
    f: &'a F,
    x: &'a [f64],
    workspace: &'a mut Workspace,
    value: &'a mut [f64],
    jacobian: &'a mut [f64],
}

impl<F: FallibleFunction> InDirections for Columns<'_, F> {
    type Output = Result<(), TryError<F::Error>>;

    #[inline(always)]
    fn run<D: Directions>(self) -> Self::Output {
        let n = self.x.len();
        let (inputs, outputs, memory) = self.workspace.for_function::<D, F>(self.f);
        let mut start = 0;
        loop {
            seed(inputs, self.x, start);
            unwritten(outputs);
            self.f.eval(memory, inputs, outputs).map_err(TryError::Function)?;

            let width = D::COUNT.min(n - start);
            for (i, output) in outputs.iter().enumerate() {
                self.value[i] = finite_value(i, output.value())?;
                for (k, eps) in output.derivatives().into_iter().enumerate().take(width) {
                    self.jacobian[i * n + start + k] = finite_derivative(i, start + k, eps)?;
                }
            }
            start += D::COUNT;
            if start >= n {
                return Ok(());
            }
        }
    }
}

/// The point `x`, with directions from `start` on.
#[inline(always)]
fn seed<D: Directions>(inputs: &mut [D], x: &[f64], start: usize) {
    let mut j = 0;
    while j < x.len() {
        inputs[j] = D::variable(x[j], j.wrapping_sub(start));
        j += 1;
    }
}
