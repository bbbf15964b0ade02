//! Checks of products of a Jacobian with a vector.

use super::jacobian::{expect_point, failed, jacobian};
use super::{CheckError, Claim, Options, Report};
use crate::difference::{DifferenceError, Euclidean, Manifold, Outcome};

/// Checks a claimed product `J v = d/dt f(x ⊕ t v)`, without the Jacobian.
///
/// Shapes: `x`: coordinates of `inputs`; `v`: its directions; `claim`: directions of `outputs`.
///
/// ```
/// use gradyn_derivatives::check::{Options, jacobian_vector};
/// use gradyn_derivatives::difference::Euclidean;
///
/// let f = |x: &[f64], y: &mut [f64]| y[0] = x[0] * x[1];
/// let report = jacobian_vector(&Options::new("J v"), &Euclidean(2), &Euclidean(1), f, &[2.0, 3.0], &[1.0, -1.0], &[1.0])?;
/// assert!(report.agrees());
/// # Ok::<(), gradyn_derivatives::check::CheckError>(())
/// ```
///
/// # Errors
/// As [`jacobian`](super::jacobian()).
pub fn jacobian_vector<X, Y, F, O>(
    options: &Options,
    inputs: &X,
    outputs: &Y,
    mut f: F,
    x: &[f64],
    v: &[f64],
    claim: &[f64],
) -> Result<Report, CheckError>
where
    X: Manifold,
    Y: Manifold,
    F: FnMut(&[f64], &mut [f64]) -> O,
    O: Outcome,
{
    expect_point("x", x, inputs.coordinates())?;
    expect_point("v", v, inputs.directions())?;
    let claim = Claim::new(claim.len(), 1, claim)?;
    let (mut moved, mut tangent) = (x.to_vec(), v.to_vec());
    let along = |t: &[f64], y: &mut [f64]| {
        tangent.iter_mut().zip(v).for_each(|(tangent, v)| *tangent = t[0] * v);
        inputs.integrate(x, &tangent, &mut moved);
        f(&moved, y)
    };
    // Steps are in units of the longest entry of v.
    let size = v.iter().fold(0.0, |size: f64, v| size.max(v.abs()));
    let mut options = if options.columns.is_empty() { options.clone().columns(["J v"]) } else { options.clone() };
    options.step /= if size > 0.0 { size } else { 1.0 };
    jacobian(&options, &Euclidean(1), outputs, along, &[0.0], &claim)
}

/// Checks a claimed product `Jᵀ w`, the gradient of `w · (f(x) ⊖ f(x₀))` at `x₀`, without the Jacobian.
///
/// Shapes: `x`: coordinates of `inputs`; `w`: directions of `outputs`; `claim`: directions of `inputs`.
///
/// # Errors
/// As [`jacobian`](super::jacobian()).
pub fn vector_jacobian<X, Y, F, O>(
    options: &Options,
    inputs: &X,
    outputs: &Y,
    mut f: F,
    x: &[f64],
    w: &[f64],
    claim: &[f64],
) -> Result<Report, CheckError>
where
    X: Manifold,
    Y: Manifold,
    F: FnMut(&[f64], &mut [f64]) -> O,
    O: Outcome,
{
    expect_point("x", x, inputs.coordinates())?;
    expect_point("w", w, outputs.directions())?;
    let claim = Claim::new(1, claim.len(), claim)?;
    let mut at_x = vec![f64::NAN; outputs.coordinates()];
    let outcome = f(x, &mut at_x).outcome();
    outcome.map_err(|error| failed(DifferenceError::Function { direction: 0, step: 0.0, error }))?;
    let (mut point, mut change) = (at_x.clone(), vec![0.0; w.len()]);
    let weighted = |x: &[f64], y: &mut [f64]| {
        point.fill(f64::NAN);
        f(x, &mut point).outcome()?;
        outputs.difference(&at_x, &point, &mut change);
        y[0] = change.iter().zip(w).map(|(change, w)| change * w).sum();
        Ok::<(), O::Error>(())
    };
    let options = if options.rows.is_empty() { options.clone().rows(["w · f"]) } else { options.clone() };
    jacobian(&options, inputs, &Euclidean(1), weighted, x, &claim)
}
