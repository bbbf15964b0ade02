//! Differences of a function of a point: along one tangent vector, or along each.

use super::error::{DifferenceError, Outcome, expect_len, expect_step};
use super::estimate::Estimate;
use super::manifold::Manifold;
use super::method::{Method, along, along_from};
use std::fmt::{Debug, Display};

/// `d/dt f(x ⊕ t dx)` at `t = 0`.
///
/// `f(x, y)` writes into `y`. Shapes: `x`: coordinates of `inputs`; `dx`: directions of `inputs`; result: directions of
/// `outputs` × 1. The step is in units of `t`: choose `dx` of about the size over which `f` bends.
///
/// # Errors
/// A slice of the wrong length; a step that is not a positive number; the function's own; a value that is not finite.
pub fn directional<X, Y, F, O>(
    method: Method,
    inputs: &X,
    outputs: &Y,
    mut f: F,
    x: &[f64],
    dx: &[f64],
) -> Result<Estimate, DifferenceError<O::Error>>
where
    X: Manifold,
    Y: Manifold,
    F: FnMut(&[f64], &mut [f64]) -> O,
    O: Outcome,
{
    expect_len("x", x.len(), inputs.coordinates())?;
    expect_len("dx", dx.len(), inputs.directions())?;
    let (mut moved, mut tangent) = (x.to_vec(), dx.to_vec());
    along(method, outputs, |t, y| {
        for (tangent, dx) in tangent.iter_mut().zip(dx) {
            *tangent = t * dx;
        }
        inputs.integrate(x, &tangent, &mut moved);
        f(&moved, y)
    })
}

/// The Jacobian: row `i` for output direction `i`, column `k` for `d/dt f(x ⊕ t e_k)`.
///
/// `f(x, y)` writes into `y`. Shapes: `x`: coordinates of `inputs`; result: directions of `outputs` × directions of
/// `inputs`, row-major. The step in direction `k` is the method's times `max(1, |x|)`, with the
/// [magnitude](Manifold::magnitude) of that direction as `|x|`, and such that `|x| + h` is a
/// floating-point number.
///
/// ```
/// use gradyn_derivatives::difference::{DifferenceError, Euclidean, Method, jacobian};
///
/// // A function that may fail.
/// let root = |x: &[f64], y: &mut [f64]| -> Result<(), String> {
///     if x[0] < 0.0 {
///         return Err(format!("no root of {}", x[0]));
///     }
///     y[0] = x[0].sqrt();
///     Ok(())
/// };
/// let at_four = jacobian(Method::central(), &Euclidean(1), &Euclidean(1), root, &[4.0])?;
/// assert!((at_four.value[0] - 0.25).abs() < 1e-9);
/// assert!(jacobian(Method::central(), &Euclidean(1), &Euclidean(1), root, &[0.0]).is_err());
/// # Ok::<(), DifferenceError<String>>(())
/// ```
///
/// # Errors
/// A slice of the wrong length; a step that is not a positive number; the function's own; a value that is not finite.
/// The direction is named.
pub fn jacobian<X, Y, F, O>(
    method: Method,
    inputs: &X,
    outputs: &Y,
    mut f: F,
    x: &[f64],
) -> Result<Estimate, DifferenceError<O::Error>>
where
    X: Manifold,
    Y: Manifold,
    F: FnMut(&[f64], &mut [f64]) -> O,
    O: Outcome,
{
    columns(method, inputs, outputs, &mut |x, y| f(x, y).outcome(), x)
}

/// A function as it is differenced: compiled once for each type of error.
pub(crate) type Differenced<'a, E> = dyn FnMut(&[f64], &mut [f64]) -> Result<(), E> + 'a;

/// [`jacobian`]
fn columns<E: Debug + Display>(
    method: Method,
    inputs: &dyn Manifold,
    outputs: &dyn Manifold,
    f: &mut Differenced<'_, E>,
    x: &[f64],
) -> Result<Estimate, DifferenceError<E>> {
    expect_len("x", x.len(), inputs.coordinates())?;
    expect_step(method.step())?;
    let (rows, columns) = (outputs.directions(), inputs.directions());
    let mut jacobian = Estimate::zeros(rows, columns);
    let mut moved = x.to_vec();
    let mut tangent = vec![0.0; columns];
    for k in 0..columns {
        let magnitude = inputs.magnitude(x, k);
        let scaled = method.with_step(representable(method.step() * magnitude.max(1.0), magnitude));
        let column = along_from(scaled, outputs, magnitude, &mut |t, y| {
            tangent[k] = t;
            inputs.integrate(x, &tangent, &mut moved);
            f(&moved, y)
        });
        let column = column.map_err(|error| error.along(k))?;
        tangent[k] = 0.0;
        for i in 0..rows {
            jacobian.value[i * columns + k] = column.value[i];
            jacobian.error[i * columns + k] = column.error[i];
        }
    }
    Ok(jacobian)
}

/// The step `h`, rounded so that `|x| + h` is a number.
pub(crate) fn representable(h: f64, magnitude: f64) -> f64 {
    let rounded = (magnitude + h) - magnitude;
    if rounded > 0.0 && rounded.is_finite() { rounded } else { h }
}
