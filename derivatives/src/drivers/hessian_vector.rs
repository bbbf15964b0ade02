//! The Hessian times a vector, without the Hessian.

use super::Workspace;
use super::error::{DriverError, expect_len, finite_derivative, finite_second, finite_value};
use crate::directions::{InDirections, in_directions};
use crate::{Directions, ScalarFunction};

/// `f(x)`, the gradient (n) and `∇²f v` (n); see [`hessian_vector_into`].
///
/// # Errors
/// As [`hessian_vector_into`].
pub fn hessian_vector<F: ScalarFunction>(
    f: &F,
    x: &[f64],
    v: &[f64],
) -> Result<(f64, Vec<f64>, Vec<f64>), DriverError> {
    let (mut gradient, mut product) = (vec![0.0; f.inputs()], vec![0.0; f.inputs()]);
    let value = hessian_vector_into(f, x, v, &mut Workspace::new(), &mut gradient, &mut product)?;
    Ok((value, gradient, product))
}

/// `gradient = ∇f` and `product = ∇²f v = d/dt ∇f(x + t v)` at `t = 0`; returns `f(x)`.
///
/// Shapes: `x`, `v`, `gradient`, `product`: n. Cost: `⌈n/8⌉` evaluations over a dual number of dual numbers, `v`
/// outside and eight directions inside.
///
/// # Errors
/// A slice of the wrong length; a value or derivative that is not finite.
pub fn hessian_vector_into<F: ScalarFunction>(
    f: &F,
    x: &[f64],
    v: &[f64],
    workspace: &mut Workspace,
    gradient: &mut [f64],
    product: &mut [f64],
) -> Result<f64, DriverError> {
    let n = f.inputs();
    expect_len("x", x.len(), n)?;
    expect_len("v", v.len(), n)?;
    expect_len("gradient", gradient.len(), n)?;
    expect_len("product", product.len(), n)?;
    in_directions(AlongVector { f, x, v, workspace, gradient, product })
}

/// `∇²f v`, as many entries at a time as there are directions.
struct AlongVector<'a, F> {
    f: &'a F,
    x: &'a [f64],
    v: &'a [f64],
    workspace: &'a mut Workspace,
    gradient: &'a mut [f64],
    product: &'a mut [f64],
}

impl<F: ScalarFunction> InDirections for AlongVector<'_, F> {
    type Output = Result<f64, DriverError>;

    #[inline(always)]
    fn run<D: Directions>(self) -> Self::Output {
        let n = self.x.len();
        let (inputs, _) = self.workspace.inputs_outputs::<D::Twice>(n, 0);
        let mut start = 0;
        loop {
            let mut j = 0;
            while j < n {
                inputs[j] = D::variable(self.x[j], j.wrapping_sub(start)).twice(self.v[j]);
                j += 1;
            }
            let (inside, outside) = D::parts(&self.f.eval(inputs));

            let value = finite_value(0, inside.value())?;
            let (first, second) = (inside.derivatives(), outside.derivatives());
            for k in 0..D::COUNT.min(n - start) {
                self.gradient[start + k] = finite_derivative(0, start + k, first[k])?;
                self.product[start + k] = finite_second(0, start + k, second[k])?;
            }
            start += D::COUNT;
            if start >= n {
                return Ok(value);
            }
        }
    }
}
