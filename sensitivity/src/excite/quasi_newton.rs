//! Minimizes a function with a gradient, with its curvature estimated from the last gradients.
//!
//! Sources: D. Liu, J. Nocedal, *On the limited memory BFGS method for large scale optimization*, Math. Program. 45,
//! 1989; the line search is that of A. Lewis, M. Overton, *Nonsmooth optimization via quasi-Newton methods*, Math.
//! Program. 141, 2013, which needs no second derivative: limits that become active or inactive have none.

use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Why it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// No entry of the gradient is above the tolerance.
    Gradient,
    /// No step decreases the function, however short.
    NoDecrease,
    /// The limit of iterations.
    Iterations,
    /// Stopped by the caller.
    Stopped,
}

/// Where it ended.
#[derive(Clone, Debug)]
pub(super) struct Minimum {
    pub(super) x: Vec<f64>,
    pub(super) end: End,
}

/// The number of stored pairs of steps and differences of gradients.
const MEMORY: usize = 20;
/// Wolfe's conditions: a step decreases the function by at least this share of the slope's prediction, and the slope to
/// at most this share (Nocedal and Wright, *Numerical optimization*, section 3.1).
const WOLFE: (f64, f64) = (1e-4, 0.9);
/// The most halvings and doublings of a step: 2⁻⁶⁰ moves nothing.
const TRIALS: usize = 60;

/// Minimizes from `x`. `f` gives value and gradient, or `None` where it is undefined: there a step is too long. `each`
/// gets the value after each iteration.
pub(super) fn minimize(
    mut x: Vec<f64>,
    (tolerance, most): (f64, usize),
    mut f: impl FnMut(&[f64]) -> Option<(f64, Vec<f64>)>,
    mut each: impl FnMut(f64) -> ControlFlow<()>,
) -> Minimum {
    let Some((mut value, mut gradient)) = f(&x).filter(is_finite) else {
        return Minimum { x, end: End::NoDecrease };
    };
    let mut pairs: VecDeque<Pair> = VecDeque::new();
    let mut iterations = 0;
    let end = loop {
        if largest(&gradient) <= tolerance {
            break End::Gradient;
        }
        if iterations == most {
            break End::Iterations;
        }
        let mut direction = descent(&pairs, &gradient);
        let mut slope = dot(&direction, &gradient);
        if !(slope < 0.0 && slope.is_finite()) {
            pairs.clear();
            direction = descent(&pairs, &gradient);
            slope = dot(&direction, &gradient);
        }
        // Without curvature, a direction of length one at most.
        let first = if pairs.is_empty() { 1.0 / norm(&direction).max(1.0) } else { 1.0 };
        match line(&x, (value, slope), &direction, first, &mut f) {
            Some(next) => {
                let step: Vec<f64> = next.x.iter().zip(&x).map(|(a, b)| a - b).collect();
                let change: Vec<f64> = next.gradient.iter().zip(&gradient).map(|(a, b)| a - b).collect();
                let curvature = dot(&step, &change);
                // Wolfe's second condition makes it positive, up to rounding.
                if curvature > f64::EPSILON * norm(&step) * norm(&change) {
                    pairs.truncate(MEMORY - 1);
                    pairs.push_front(Pair { step, change, curvature });
                }
                (x, value, gradient) = (next.x, next.value, next.gradient);
            }
            None if pairs.is_empty() => break End::NoDecrease,
            None => pairs.clear(),
        }
        iterations += 1;
        if each(value).is_break() {
            break End::Stopped;
        }
    };
    Minimum { x, end }
}

struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    curvature: f64,
}

/// `−H g` by two loops over the pairs, the newest first.
fn descent(pairs: &VecDeque<Pair>, gradient: &[f64]) -> Vec<f64> {
    let mut d: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut parts = Vec::with_capacity(pairs.len());
    for pair in pairs {
        let part = dot(&pair.step, &d) / pair.curvature;
        add(-part, &pair.change, &mut d);
        parts.push(part);
    }
    if let Some(newest) = pairs.front() {
        let size = newest.curvature / dot(&newest.change, &newest.change);
        d.iter_mut().for_each(|d| *d *= size);
    }
    for (pair, part) in pairs.iter().zip(parts).rev() {
        let other = dot(&pair.change, &d) / pair.curvature;
        add(part - other, &pair.step, &mut d);
    }
    d
}

struct Point {
    x: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

/// A step that meets both of Wolfe's conditions, or the longest evaluated one that decreases the function enough.
fn line(
    x: &[f64],
    (value, slope): (f64, f64),
    direction: &[f64],
    first: f64,
    f: &mut impl FnMut(&[f64]) -> Option<(f64, Vec<f64>)>,
) -> Option<Point> {
    let (mut low, mut high, mut t) = (0.0, f64::INFINITY, first);
    let mut best = None;
    for _ in 0..TRIALS {
        let at: Vec<f64> = x.iter().zip(direction).map(|(x, d)| x + t * d).collect();
        if at == x {
            break;
        }
        match f(&at).filter(is_finite) {
            Some((there, gradient)) if there <= value + WOLFE.0 * t * slope => {
                let flat = dot(&gradient, direction) >= WOLFE.1 * slope;
                best = Some(Point { x: at, value: there, gradient });
                if flat {
                    return best;
                }
                low = t;
            }
            _ => high = t,
        }
        t = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * low };
    }
    best
}

fn is_finite((value, gradient): &(f64, Vec<f64>)) -> bool {
    value.is_finite() && gradient.iter().all(|g| g.is_finite())
}
fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| m.max(x.abs()))
}
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
fn add(factor: f64, a: &[f64], to: &mut [f64]) {
    to.iter_mut().zip(a).for_each(|(to, a)| *to += factor * a);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go_on(_: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A quadratic with a condition of a thousand, and Rosenbrock's valley in ten dimensions: the least is where it is
    /// known to be.
    #[test]
    fn known_minima_are_found() {
        let quadratic = |x: &[f64]| {
            let weight = |i: usize| 10.0_f64.powf(3.0 * i as f64 / 19.0);
            let value = x.iter().enumerate().map(|(i, x)| 0.5 * weight(i) * (x - 1.0).powi(2)).sum();
            Some((value, x.iter().enumerate().map(|(i, x)| weight(i) * (x - 1.0)).collect()))
        };
        let mut iterations = 0;
        let found = minimize(vec![0.0; 20], (1e-8, 1000), quadratic, |_| {
            iterations += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(found.end, End::Gradient);
        assert!(found.x.iter().all(|x| (x - 1.0).abs() < 1e-7) && iterations < 200, "{iterations}: {found:?}");
        let valley = |x: &[f64]| {
            let (mut value, mut gradient) = (0.0, vec![0.0; x.len()]);
            for i in 0..x.len() - 1 {
                let (a, b) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
                value += 100.0 * a * a + b * b;
                gradient[i] += -400.0 * a * x[i] - 2.0 * b;
                gradient[i + 1] += 200.0 * a;
            }
            Some((value, gradient))
        };
        let start: Vec<f64> = (0..10).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
        let found = minimize(start, (1e-8, 1000), valley, go_on);
        assert_eq!(found.end, End::Gradient);
        // In ten dimensions there is a second one near (−1, 1, …, 1), of value 3.99; from here it is the first.
        assert!(found.x.iter().all(|x| (x - 1.0).abs() < 1e-6), "{found:?}");
    }

    /// A function that ends at a wall, one without a minimum, one that is undefined at the start, one with a wrong
    /// gradient.
    #[test]
    fn what_has_no_minimum_ends_too() {
        let wall = |x: &[f64]| (x[0] > 0.0).then(|| (x[0] - x[0].ln(), vec![1.0 - 1.0 / x[0]]));
        let found = minimize(vec![50.0], (1e-9, 200), wall, go_on);
        assert!(found.end == End::Gradient && (found.x[0] - 1.0).abs() < 1e-8, "{found:?}");
        let slope = |x: &[f64]| Some((x[0], vec![1.0]));
        // It goes on until steps are below the resolution of so large numbers.
        assert_ne!(minimize(vec![0.0], (1e-9, 30), slope, go_on).end, End::Gradient);
        assert_eq!(minimize(vec![0.0], (1e-9, 30), |_: &[f64]| None, go_on).end, End::NoDecrease);
        let wrong = |x: &[f64]| Some((x[0] * x[0], vec![-2.0 * x[0]]));
        assert_eq!(minimize(vec![1.0], (1e-9, 30), wrong, go_on).end, End::NoDecrease);
        let stopped = minimize(vec![1.0], (1e-9, 30), |x: &[f64]| Some((x[0], vec![1.0])), |_| ControlFlow::Break(()));
        assert_eq!(stopped.end, End::Stopped);
    }
}
