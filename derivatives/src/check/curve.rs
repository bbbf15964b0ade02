//! The V: differences over steps, for the worst entries.

use super::{Curve, Options, Report};
use crate::difference::{Differenced, Manifold, Path, logarithmic_steps};
use std::fmt::{Debug, Display};

/// Adds the curves of the worst entries.
pub(super) fn add<E: Debug + Display>(
    options: &Options,
    inputs: &dyn Manifold,
    outputs: &dyn Manifold,
    f: &mut Differenced<'_, E>,
    x: &[f64],
    report: &mut Report,
) {
    let places: Vec<_> = report.worst().iter().take(options.curves).map(|entry| (entry.row, entry.column)).collect();
    for (row, column) in places {
        report.curves.extend(one(options, inputs, outputs, f, x, report, (row, column)));
    }
}

fn one<E: Debug + Display>(
    options: &Options,
    inputs: &dyn Manifold,
    outputs: &dyn Manifold,
    f: &mut Differenced<'_, E>,
    x: &[f64],
    report: &Report,
    (row, column): (usize, usize),
) -> Option<Curve> {
    let entry = report.entry(row, column)?;
    let magnitude = inputs.magnitude(x, column);
    let longest = 8.0 * options.step * magnitude.max(1.0);
    let (mut moved, mut tangent) = (x.to_vec(), vec![0.0; inputs.directions()]);
    let mut along = |t: f64, y: &mut [f64]| {
        tangent[column] = t;
        inputs.integrate(x, &tangent, &mut moved);
        f(&moved, y)
    };
    let mut path = Path::open(outputs, magnitude, &mut along).ok()?;
    let (mut steps, mut differences) = (Vec::new(), Vec::new());
    for h in logarithmic_steps(longest, 1e-12 * longest, 4) {
        path.sides(h);
        let (ahead, behind) = path.pair(row);
        let difference = (ahead - behind) / (2.0 * h);
        if difference.is_finite() {
            steps.push(h);
            differences.push(difference);
        }
    }
    let apart = |from: f64| differences.iter().map(|d| (d - from).abs()).collect::<Vec<_>>();
    let (to_claimed, to_found) = (apart(entry.claimed), apart(entry.found));
    let (slope_truncation, slope_rounding) = slopes(&steps, &to_found);
    Some(Curve { row, column, steps, differences, to_claimed, to_found, slope_truncation, slope_rounding })
}

/// The slopes right and left of the lowest point.
///
/// Right of it the curve is smooth: the slope is over the two decades above the lowest decade and a half, away from
/// both the rounding floor and the coarsest steps. Left of it there is noise: a line is fitted through all of it.
fn slopes(steps: &[f64], errors: &[f64]) -> (Option<f64>, Option<f64>) {
    let positive = |i: &usize| errors[*i] > 0.0 && errors[*i].is_finite();
    let Some(lowest) = (0..steps.len()).filter(positive).min_by(|a, b| errors[*a].total_cmp(&errors[*b])) else {
        return (None, None);
    };
    let floor = errors[lowest];
    // Longest steps stand first.
    let right: Vec<_> =
        (2..lowest).filter(positive).filter(|i| errors[*i] > 30.0 * floor && steps[*i] < 0.2 * steps[0]).collect();
    let left: Vec<_> = (lowest + 1..steps.len()).filter(positive).collect();
    (fit(&right, steps, errors), fit(&left, steps, errors))
}

/// The slope of the line nearest to these points, on double-logarithmic paper; at least four of them.
pub(super) fn fit(points: &[usize], steps: &[f64], errors: &[f64]) -> Option<f64> {
    if points.len() < 4 {
        return None;
    }
    let log: Vec<(f64, f64)> = points.iter().map(|i| (steps[*i].ln(), errors[*i].ln())).collect();
    let n = log.len() as f64;
    let (x, y) = log.iter().fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x / n, sy + y / n));
    let (xx, xy) = log.iter().fold((0.0, 0.0), |(xx, xy), (a, b)| (xx + (a - x) * (a - x), xy + (a - x) * (b - y)));
    Some(xy / xx)
}
