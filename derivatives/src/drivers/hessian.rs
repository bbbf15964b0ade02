//! All second derivatives of one output, or of a weighted sum of outputs.

use super::Workspace;
use super::error::{
    DriverError, TryError, expect_len, finite_derivative, finite_second, finite_value, finite_weighted,
};
use super::workspace::unwritten;
use crate::directions::{InDirections, in_directions};
use crate::function::{OneOutput, Total};
use crate::{Directions, FallibleFunction, Function, MulAdd, ScalarFunction};
use num_dual::Dual64;

/// `f(x)`, the gradient (n) and the Hessian (n × n); see [`hessian_into`].
///
/// # Errors
/// As [`hessian_into`].
pub fn hessian<F: ScalarFunction>(f: &F, x: &[f64]) -> Result<(f64, Vec<f64>, Vec<f64>), DriverError> {
    let n = f.inputs();
    let (mut gradient, mut hessian) = (vec![0.0; n], vec![0.0; n * n]);
    let value = hessian_into(f, x, &mut Workspace::new(), &mut gradient, &mut hessian)?;
    Ok((value, gradient, hessian))
}

/// [`hessian`], one pair of directions at a time, as [`plain_jacobian`](super::plain_jacobian).
///
/// # Errors
/// As [`hessian_into`].
pub fn plain_hessian<F: ScalarFunction>(f: &F, x: &[f64]) -> Result<(f64, Vec<f64>, Vec<f64>), DriverError> {
    let n = f.inputs();
    expect_len("x", x.len(), n)?;
    let (mut value, mut gradient, mut hessian) = ([0.0], vec![0.0; n], vec![0.0; n * n]);
    let (f, workspace) = (&OneOutput(f), &mut Workspace::new());
    let (value, g, h) = (&mut value, &mut gradient, &mut hessian);
    let run = UpperTriangle { f: &Total(f), x, weights: &[1.0], workspace, value, gradient: g, hessian: h };
    run.run::<Dual64>().map_err(TryError::driver)?;
    Ok((value[0], gradient, hessian))
}

/// `gradient[j] = ∂f/∂xⱼ` and `hessian[i * n + j] = ∂²f/∂xᵢ∂xⱼ`, both triangles; returns `f(x)`.
///
/// Shapes: `x`, `gradient`: n; `hessian`: n × n, symmetric to the last bit. Cost: about `n²/16 + n/2` evaluations over
/// a dual number of dual numbers: one direction outside, eight inside, chunks below the diagonal left out.
///
/// # Errors
/// A slice of the wrong length; a value or derivative that is not finite.
pub fn hessian_into<F: ScalarFunction>(
    f: &F,
    x: &[f64],
    workspace: &mut Workspace,
    gradient: &mut [f64],
    hessian: &mut [f64],
) -> Result<f64, DriverError> {
    let mut value = [0.0];
    weighted_hessian_into(&OneOutput(f), x, &[1.0], workspace, &mut value, gradient, hessian)?;
    Ok(value[0])
}

/// What [`weighted_hessian`] gives.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedHessian {
    /// `f(x)`, of length m.
    pub value: Vec<f64>,
    /// `Jᵀλ`, of length n.
    pub gradient: Vec<f64>,
    /// `Σ λᵢ ∇²fᵢ`, n × n.
    pub hessian: Vec<f64>,
}

/// `f(x)`, `Jᵀλ` and `Σ λᵢ ∇²fᵢ`, with `λ` the `weights`; see [`weighted_hessian_into`].
///
/// # Errors
/// As [`weighted_hessian_into`].
pub fn weighted_hessian<F: Function>(f: &F, x: &[f64], weights: &[f64]) -> Result<WeightedHessian, DriverError> {
    let (n, m) = (f.inputs(), f.outputs());
    let mut result = WeightedHessian { value: vec![0.0; m], gradient: vec![0.0; n], hessian: vec![0.0; n * n] };
    let WeightedHessian { value, gradient, hessian } = &mut result;
    weighted_hessian_into(f, x, weights, &mut Workspace::new(), value, gradient, hessian)?;
    Ok(result)
}

/// `value = f(x)`, `gradient = Jᵀλ` and `hessian = Σ λᵢ ∇²fᵢ`, with `λ` the `weights`: what the Lagrangian of a
/// constrained problem asks for.
///
/// Shapes: `x`, `gradient`: n; `value`, `weights`: m; `hessian`: n × n, symmetric to the last bit. Cost as
/// [`hessian_into`]: the third-order tensor is never formed.
///
/// # Errors
/// A slice of the wrong length; a value or derivative that is not finite.
pub fn weighted_hessian_into<F: Function>(
    f: &F,
    x: &[f64],
    weights: &[f64],
    workspace: &mut Workspace,
    value: &mut [f64],
    gradient: &mut [f64],
    hessian: &mut [f64],
) -> Result<(), DriverError> {
    try_weighted_hessian_into(&Total(f), x, weights, workspace, value, gradient, hessian).map_err(TryError::driver)
}

/// [`weighted_hessian_into`] of a function that can fail, in memory that the workspace keeps.
///
/// # Errors
/// As [`weighted_hessian_into`], and the function's own.
pub fn try_weighted_hessian_into<F: FallibleFunction>(
    f: &F,
    x: &[f64],
    weights: &[f64],
    workspace: &mut Workspace,
    value: &mut [f64],
    gradient: &mut [f64],
    hessian: &mut [f64],
) -> Result<(), TryError<F::Error>> {
    let (n, m) = (f.inputs(), f.outputs());
    expect_len("x", x.len(), n)?;
    expect_len("weights", weights.len(), m)?;
    expect_len("value", value.len(), m)?;
    expect_len("gradient", gradient.len(), n)?;
    expect_len("hessian", hessian.len(), n * n)?;
    in_directions(UpperTriangle { f, x, weights, workspace, value, gradient, hessian })
}

/// The Hessian, row by row, in chunks of columns at or past the diagonal, as many as there are directions.
struct UpperTriangle<'a, F> {
    f: &'a F,
    x: &'a [f64],
    weights: &'a [f64],
    workspace: &'a mut Workspace,
    value: &'a mut [f64],
    gradient: &'a mut [f64],
    hessian: &'a mut [f64],
}

impl<F: FallibleFunction> InDirections for UpperTriangle<'_, F> {
    type Output = Result<(), TryError<F::Error>>;

    #[inline(always)]
    fn run<D: Directions>(self) -> Self::Output {
        let n = self.x.len();
        let (inputs, outputs, memory) = self.workspace.for_function::<D::Twice, F>(self.f);
        let (mut row, mut start) = (0, 0);
        loop {
            seed::<D>(inputs, self.x, row, start);
            unwritten(outputs);
            self.f.eval(memory, inputs, outputs).map_err(TryError::Function)?;

            let width = D::COUNT.min(n - start);
            // The gradient's chunk is the derivatives of the one, the row's those of the other.
            let (mut first, mut second) = (D::zero(), D::zero());
            for (i, output) in outputs.iter().enumerate() {
                let (inside, outside) = D::parts(output);
                self.value[i] = finite_value(i, inside.value())?;
                for (k, along) in inside.derivatives().into_iter().enumerate().take(width) {
                    finite_derivative(i, start + k, along)?;
                }
                first = MulAdd::<f64>::mul_plus(inside, self.weights[i], first);
                second = MulAdd::<f64>::mul_plus(outside, self.weights[i], second);
            }
            let (first, second) = (first.derivatives(), second.derivatives());
            for k in 0..width {
                let column = start + k;
                if row == 0 {
                    self.gradient[column] = finite_weighted(column, first[k])?;
                }
                if column >= row {
                    let entry = finite_second(row, column, second[k])?;
                    self.hessian[row * n + column] = entry;
                    self.hessian[column * n + row] = entry;
                }
            }
            start += D::COUNT;
            if start >= n {
                row += 1;
                start = row / D::COUNT * D::COUNT;
            }
            if row >= n {
                return Ok(());
            }
        }
    }
}

/// The point `x`, with direction `outer` outside and directions from `start` on inside.
#[inline(always)]
fn seed<D: Directions>(inputs: &mut [D::Twice], x: &[f64], outer: usize, start: usize) {
    let mut j = 0;
    while j < x.len() {
        let along = if j == outer { 1.0 } else { 0.0 };
        inputs[j] = D::variable(x[j], j.wrapping_sub(start)).twice(along);
        j += 1;
    }
}
