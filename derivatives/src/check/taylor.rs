//! Taylor tests: the order at which the remainder of an expansion shrinks.

use super::curve::fit;
use super::random::direction;
use super::{Options, Report, Taylor};
use crate::difference::{Differenced, Manifold, Path};
use std::fmt::{Debug, Display};

/// Adds tests of the first order along random directions.
pub(super) fn add<E: Debug + Display>(
    options: &Options,
    inputs: &dyn Manifold,
    outputs: &dyn Manifold,
    f: &mut Differenced<'_, E>,
    x: &[f64],
    report: &mut Report,
) {
    let n = inputs.directions();
    for index in 0..if n == 0 { 0 } else { options.directions } {
        let direction = direction(n, options.seed, index as u64);
        // J d
        let slopes: Vec<f64> = report
            .entries
            .chunks(n)
            .map(|row| row.iter().zip(&direction).map(|(entry, d)| entry.claimed * d).sum())
            .collect();
        let expand = |t: f64, out: &mut [f64]| out.iter_mut().zip(&slopes).for_each(|(out, s)| *out = t * s);
        let test = remainders(options, (inputs, outputs), &mut *f, x, direction.clone(), 2.0, &expand);
        report.taylor.extend(test);
    }
}

/// The remainders `|f(x ⊕ t d) ⊖ f(x) − expansion(t)|`, and their order where they are above rounding.
pub(super) fn remainders<E: Debug + Display>(
    options: &Options,
    (inputs, outputs): (&dyn Manifold, &dyn Manifold),
    f: &mut Differenced<'_, E>,
    x: &[f64],
    direction: Vec<f64>,
    expected: f64,
    expand: &dyn Fn(f64, &mut [f64]),
) -> Option<Taylor> {
    let (mut moved, mut tangent) = (x.to_vec(), vec![0.0; direction.len()]);
    let mut along = |t: f64, y: &mut [f64]| {
        for (tangent, d) in tangent.iter_mut().zip(&direction) {
            *tangent = t * d;
        }
        inputs.integrate(x, &tangent, &mut moved);
        f(&moved, y)
    };
    let mut path = Path::open(outputs, 1.0, &mut along).ok()?;
    let m = path.directions();
    let (mut steps, mut remainders, mut clear) = (Vec::new(), Vec::new(), Vec::new());
    let mut expansion = vec![0.0; m];
    let mut t = options.step;
    for _ in 0..24 {
        path.sides(t);
        expand(t, &mut expansion);
        let (mut square, mut rounding) = (0.0, 0.0);
        for (i, expansion) in expansion.iter().enumerate() {
            let remainder = path.pair(i).0 - expansion;
            square += remainder * remainder;
            rounding += t * path.rounding(i, t, expansion / t);
        }
        if square.is_finite() {
            if square.sqrt() > 100.0 * rounding {
                clear.push(steps.len());
            }
            steps.push(t);
            remainders.push(square.sqrt());
        }
        t *= 0.5;
    }
    // The longest steps contain terms of higher order.
    let from = clear.len().saturating_sub(8);
    let order = fit(&clear[from..], &steps, &remainders);
    Some(Taylor { direction, steps, remainders, order, expected })
}
