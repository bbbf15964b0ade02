//! Second derivatives by differences.

use super::evidence::Found;
use super::smooth::Sides;
use super::{Options, Reason};
use crate::difference::{Manifold, Table};

/// The most halvings of the step: rounding grows with its inverse square.
const ROWS: usize = 16;

/// `∂²/∂s∂t f(x ⊕ (s a + t b))` at zero, with steps `h, h/2, …`.
///
/// `Y(s) = (f(s, h) − f(s, −h)) / 2h` is the slope along `b`, `D(h) = (Y(h) − Y(−h)) / 2h` an expansion in even powers
/// of `h`, extrapolated to zero by Ridders' table.
pub(super) fn second<X: Manifold>(
    inputs: &X,
    f: &mut impl FnMut(&[f64]) -> f64,
    x: &[f64],
    (a, b): (&[f64], &[f64]),
    step: f64,
) -> Found {
    let (mut moved, mut tangent) = (x.to_vec(), vec![0.0; a.len()]);
    let mut value = |s: f64, t: f64| {
        for (tangent, (a, b)) in tangent.iter_mut().zip(a.iter().zip(b)) {
            *tangent = s * a + t * b;
        }
        inputs.integrate(x, &tangent, &mut moved);
        f(&moved)
    };
    let (mut table, mut sides) = (Table::default(), Sides::default());
    let (mut best, mut error) = (f64::NAN, f64::INFINITY);
    let mut h = step;
    let mut rows = 0;
    for _ in 0..ROWS {
        let slope = |y: [f64; 2]| (y[0] - y[1]) / (2.0 * h);
        let (ahead, here, behind) =
            ([value(h, h), value(h, -h)], [value(0.0, h), value(0.0, -h)], [value(-h, h), value(-h, -h)]);
        let largest = [ahead, here, behind].as_flattened().iter().fold(0.0, |most: f64, y| most.max(y.abs()));
        if largest.is_finite() && ![ahead, here, behind].as_flattened().iter().any(|y| y.is_nan()) {
            let (ahead, here, behind) = (slope(ahead), slope(here), slope(behind));
            let quotient = (ahead - behind) / (2.0 * h);
            // The rounding of values, and of the points at which they are evaluated.
            let rounding = f64::EPSILON * (largest / (h * h) + here.abs() / h + quotient.abs());
            table.extend(h, quotient, rounding, (&mut best, &mut error));
            sides.extend(h, ahead - here, behind - here, rounding);
            rows += 1;
        } else {
            (table, sides) = (Table::default(), Sides::default());
        }
        if rows >= 3 && table.complete && sides.meet() {
            break;
        }
        h *= 0.5;
    }
    if !(best.is_finite() && error.is_finite()) {
        return Found::NOTHING;
    }
    let reason = if sides.wild() { Reason::StepTooLarge } else { Reason::Noise };
    let (kink, jump, apart) = (sides.kink(), sides.jump(), sides.is_apart());
    Found { value: best, error, kink, jump, apart, reason, rows, ..Found::NOTHING }
}

/// [`second`], evaluated again with other steps if the first result contradicts the claim.
pub(super) fn confirmed<X: Manifold>(
    options: &Options,
    inputs: &X,
    f: &mut impl FnMut(&[f64]) -> f64,
    x: &[f64],
    along: (&[f64], &[f64]),
    claimed: f64,
) -> Found {
    let found = second(inputs, f, x, along, options.step);
    let allowed = options.tolerance * found.value.abs() + options.safety * found.error;
    if (found.value - claimed).abs() <= allowed {
        return found;
    }
    found.confirmed_by(super::jacobian::OTHER_STEPS.map(|shorter| second(inputs, f, x, along, options.step * shorter)))
}
