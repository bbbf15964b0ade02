//! The Hessian times a vector, without the Hessian.

use super::Workspace;
use super::error::{DriverError, expect_len, finite_derivative, finite_second, finite_value};
use super::hessian::Nested;
use crate::simd::{Kernel, Register, WIDTH, dispatch};
use crate::{Dual, ScalarFunction, VectorDual};

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
/// Shapes: `x`, `v`, `gradient`, `product`: n. Cost: `⌈n/8⌉` evaluations over a dual number of dual numbers, `v` outside
/// and eight directions inside.
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
    dispatch(AlongVector { f, x, v, workspace, gradient, product })
}

/// `∇²f v`, eight entries at a time.
struct AlongVector<'a, F> {
    f: &'a F,
    x: &'a [f64],
    v: &'a [f64],
    workspace: &'a mut Workspace,
    gradient: &'a mut [f64],
    product: &'a mut [f64],
}

impl<F: ScalarFunction> Kernel for AlongVector<'_, F> {
    type Output = Result<f64, DriverError>;

    #[inline(always)]
    fn run<R: Register>(self) -> Self::Output {
        let n = self.x.len();
        let (inputs, _) = self.workspace.inputs_outputs::<Nested<R>>(n, 0);
        let mut start = 0;
        loop {
            let mut j = 0;
            while j < n {
                let inner = VectorDual::variable(self.x[j], j.wrapping_sub(start));
                inputs[j] = Dual::new(inner, Dual::from(self.v[j]));
                j += 1;
            }
            let output = self.f.eval(inputs);

            let value = finite_value(0, output.re.value())?;
            let (first, second) = (output.re.eps.to_array(), output.eps.eps.to_array());
            for k in 0..WIDTH.min(n - start) {
                self.gradient[start + k] = finite_derivative(0, start + k, first[k])?;
                self.product[start + k] = finite_second(0, start + k, second[k])?;
            }
            start += WIDTH;
            if start >= n {
                return Ok(value);
            }
        }
    }
}
