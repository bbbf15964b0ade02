//! Checks of second derivatives of functions with one output.

use super::evidence::{Evidence, along};
use super::jacobian::expect_point;
use super::judge::{expect_shape, judge};
use super::random::direction;
use super::second::confirmed;
use super::{CheckError, Claim, Options, Report, taylor};
use crate::difference::{Euclidean, Manifold};
use std::convert::Infallible;

/// Checks a claimed Hessian: entry `(i, k)` for `∂²/∂s∂t f(x ⊕ (s e_i + t e_k))`, a symmetric matrix on every manifold.
///
/// The evidence is second differences of `f` alone. If there is a gradient, the Hessian can be checked more accurately
/// as its [`jacobian`](super::jacobian()). Shapes: `x`: coordinates of `inputs`; `claim`: directions × directions.
///
/// ```
/// use gradyn_derivatives::check::{Claim, Guess, Options, hessian};
/// use gradyn_derivatives::difference::Euclidean;
///
/// let f = |x: &[f64]| x[0] * x[0] * x[1] + x[1].exp();
/// let x = [2.0, 0.0];
/// let right = Claim::new(2, 2, &[0.0, 4.0, 4.0, 1.0])?;
/// assert!(hessian(&Options::new("∇²f"), &Euclidean(2), f, &x, &right)?.agrees());
///
/// let half = Claim::new(2, 2, &[0.0, 4.0, 0.0, 1.0])?;
/// let report = hessian(&Options::new("∇²f"), &Euclidean(2), f, &x, &half)?;
/// assert_eq!(report.guess(), Some(&Guess::OneTriangle { upper: true }));
/// # Ok::<(), gradyn_derivatives::check::CheckError>(())
/// ```
///
/// # Errors
/// [`CheckError`] if shapes do not fit, or the function is not finite at the point itself.
pub fn hessian<X: Manifold>(
    options: &Options,
    inputs: &X,
    f: impl FnMut(&[f64]) -> f64,
    x: &[f64],
    claim: &Claim,
) -> Result<Report, CheckError> {
    hessian_with(options, inputs, f, x, claim, None)
}

/// [`hessian`], with exact second derivatives from elsewhere.
pub(super) fn hessian_with<X: Manifold>(
    options: &Options,
    inputs: &X,
    mut f: impl FnMut(&[f64]) -> f64,
    x: &[f64],
    claim: &Claim,
    exact: Option<&[f64]>,
) -> Result<Report, CheckError> {
    expect_point("x", x, inputs.coordinates())?;
    let n = inputs.directions();
    expect_shape(options, claim, (n, n), (inputs.coordinates(), inputs.coordinates()))?;
    let value = expect_value(&mut f, x)?;
    let unit = |i: usize| (0..n).map(|k| if k == i { 1.0 } else { 0.0 }).collect::<Vec<_>>();
    let mut found = vec![super::evidence::Found::NOTHING; n * n];
    for (i, k) in (0..n).flat_map(|i| (0..=i).map(move |k| (i, k))) {
        let mut scaled = options.clone();
        scaled.step *= inputs.magnitude(x, i).max(inputs.magnitude(x, k)).max(1.0);
        // The claim with the larger deviation decides whether to evaluate again.
        let (a, b) = (claim.values[i * n + k], claim.values[k * n + i]);
        let mut one = confirmed(&scaled, inputs, &mut f, x, (&unit(i), &unit(k)), a);
        if a.to_bits() != b.to_bits() {
            one = one.confirmed_by([confirmed(&scaled, inputs, &mut f, x, (&unit(k), &unit(i)), b)]);
        }
        (found[i * n + k], found[k * n + i]) = (one, one);
    }
    let lengths = (0..n).map(|k| inputs.magnitude(x, k).max(1.0)).collect::<Vec<_>>();
    let magnitude = vec![value.abs(); n];
    let mut evidence = Evidence { columns: n, found, magnitude, lengths, shared: true };
    let mut options = options.clone();
    options.symmetric = true;
    if options.rows.is_empty() {
        options.rows = (0..n).map(|i| format!("x[{i}]")).collect();
    }
    let contradictions = exact.map_or(0, |exact| evidence.refine(&options, exact));
    let mut report = judge(&options, &evidence, claim);
    report.note_contradictions(contradictions);
    report.explain(&options, &[]);
    add_taylor(&options, inputs, &mut f, x, &mut report);
    Ok(report)
}

/// Checks a claimed product `∇²f(x) v`: entry `i` for `∂²/∂s∂t f(x ⊕ (s e_i + t v))`.
///
/// Shapes: `v`, `claim`: directions of `inputs`.
///
/// # Errors
/// As [`hessian`].
pub fn hessian_vector<X: Manifold>(
    options: &Options,
    inputs: &X,
    mut f: impl FnMut(&[f64]) -> f64,
    x: &[f64],
    v: &[f64],
    claim: &[f64],
) -> Result<Report, CheckError> {
    let n = inputs.directions();
    expect_point("x", x, inputs.coordinates())?;
    expect_point("v", v, n)?;
    let claim = Claim::new(claim.len(), 1, claim)?;
    expect_shape(options, &claim, (n, 1), (inputs.coordinates(), 1))?;
    let value = expect_value(&mut f, x)?;
    // Steps are in units of the longest entry of v.
    let size = v.iter().fold(0.0, |size: f64, v| size.max(v.abs()));
    let size = if size > 0.0 { size } else { 1.0 };
    let v: Vec<f64> = v.iter().map(|v| v / size).collect();
    let found = (0..n).map(|i| {
        let unit: Vec<f64> = (0..n).map(|k| if k == i { 1.0 } else { 0.0 }).collect();
        let mut one = confirmed(options, inputs, &mut f, x, (&unit, &v), claim.values[i] / size);
        (one.value, one.error, one.kink) = (one.value * size, one.error * size, one.kink * size);
        one
    });
    let evidence = Evidence {
        columns: 1,
        found: found.collect(),
        magnitude: vec![value.abs(); n],
        lengths: vec![1.0],
        shared: true,
    };
    let options = if options.columns.is_empty() { options.clone().columns(["H v"]) } else { options.clone() };
    let mut report = judge(&options, &evidence, &claim);
    report.explain(&options, &[]);
    Ok(report)
}

fn expect_value(f: &mut impl FnMut(&[f64]) -> f64, x: &[f64]) -> Result<f64, CheckError> {
    let value = f(x);
    if value.is_finite() {
        Ok(value)
    } else {
        Err(CheckError::Number { what: "f(x)", index: 0, value, rule: "it must be finite" })
    }
}

/// Taylor tests of third order: `f(x ⊕ t d) − f(x) − t g·d − ½ t² d·H d`, with the slope `g·d` by differences.
fn add_taylor<X: Manifold>(
    options: &Options,
    inputs: &X,
    f: &mut impl FnMut(&[f64]) -> f64,
    x: &[f64],
    report: &mut Report,
) {
    let n = inputs.directions();
    for index in 0..if n == 0 { 0 } else { options.directions } {
        let direction = direction(n, options.seed, index as u64);
        let (mut moved, mut tangent) = (x.to_vec(), vec![0.0; n]);
        let mut path = |t: f64, y: &mut [f64]| -> Result<(), Infallible> {
            tangent.iter_mut().zip(&direction).for_each(|(tangent, d)| *tangent = t * d);
            inputs.integrate(x, &tangent, &mut moved);
            y[0] = f(&moved);
            Ok(())
        };
        let Ok((slope, _)) = along(options.step, &Euclidean(1), 1.0, &mut path) else { return };
        let row = |i: usize| report.entries[i * n..(i + 1) * n].iter().zip(&direction).map(|(h, d)| h.claimed * d);
        let curvature: f64 = direction.iter().enumerate().map(|(i, d)| d * row(i).sum::<f64>()).sum();
        let expand = |t: f64, out: &mut [f64]| out[0] = t * slope[0].value + 0.5 * t * t * curvature;
        let mut one = |x: &[f64], y: &mut [f64]| -> Result<(), Infallible> {
            y[0] = f(x);
            Ok(())
        };
        let test = taylor::remainders(options, (inputs, &Euclidean(1)), &mut one, x, direction.clone(), 3.0, &expand);
        report.taylor.extend(test);
    }
}
