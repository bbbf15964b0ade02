//! The difference over a list of steps: the V-shaped curve.

use super::error::{DifferenceError, Outcome, expect_step};
use super::manifold::Manifold;
use super::path::Path;

/// Central differences along one path, for a list of steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The steps, in the order given.
    pub steps: Vec<f64>,
    /// How many derivatives each step has.
    pub outputs: usize,
    /// The differences: steps × outputs, row-major.
    pub derivative: Vec<f64>,
}

/// `D(h)` at `t = 0` for each `h` of `steps`, for a path in the space `outputs`.
///
/// ```
/// use gradyn_derivatives::difference::{Euclidean, logarithmic_steps, sweep};
///
/// let steps = logarithmic_steps(1.0, 1e-12, 2);
/// let sweep = sweep(&steps, &Euclidean(1), |t: f64, y: &mut [f64]| y[0] = (1.0 + t).sin())?;
/// let error = sweep.errors(&[1.0_f64.cos()]);
/// assert!(error[0] > 1e-2); //                          too long a step
/// assert!(error[error.len() - 1] > 1e-7); //            too short a step
/// let best = sweep.best_step(0).unwrap_or(f64::NAN); // found without the exact value
/// assert!(best > 1e-8 && best < 1e-3);
/// # Ok::<(), gradyn_derivatives::difference::DifferenceError>(())
/// ```
///
/// # Errors
/// A step that is not a positive number; the function's own; a value that is not finite.
pub fn sweep<M, G, O>(steps: &[f64], outputs: &M, mut path: G) -> Result<Sweep, DifferenceError<O::Error>>
where
    M: Manifold,
    G: FnMut(f64, &mut [f64]) -> O,
    O: Outcome,
{
    for step in steps {
        expect_step(*step)?;
    }
    let mut path = |t: f64, y: &mut [f64]| path(t, y).outcome();
    let mut path = Path::new(outputs, 0.0, &mut path)?;
    let m = path.directions();
    let mut derivative = vec![0.0; steps.len() * m];
    for (i, step) in steps.iter().enumerate() {
        path.quotient(*step, &mut derivative[i * m..(i + 1) * m])?;
    }
    Ok(Sweep { steps: steps.to_vec(), outputs: m, derivative })
}

impl Sweep {
    /// The largest difference from `exact` over all outputs, one number per step: the curve to draw.
    ///
    /// Outputs that `exact` lacks are left out; NaN where fields do not fit each other.
    #[must_use]
    pub fn errors(&self, exact: &[f64]) -> Vec<f64> {
        let distance = |i: usize| match self.row(i) {
            Some(row) => row.iter().zip(exact).fold(0.0, |largest, (d, e)| f64::max(largest, (d - e).abs())),
            None => f64::NAN,
        };
        (0..self.steps.len()).map(distance).collect()
    }

    /// The differences of one step, if fields fit each other so far.
    fn row(&self, step: usize) -> Option<&[f64]> {
        let start = step.checked_mul(self.outputs)?;
        self.derivative.get(start..start.checked_add(self.outputs)?)
    }

    /// The step at which this output's difference depends least on the step: where `|D(hᵢ₋₁) − D(hᵢ)| +
    /// |D(hᵢ) − D(hᵢ₊₁)|` is smallest. Needs no exact value, but steps in order. `None` without the output, with fewer
    /// than three steps, or where fields do not fit each other.
    #[must_use]
    pub fn best_step(&self, output: usize) -> Option<f64> {
        if output >= self.outputs || !(0..self.steps.len()).all(|i| self.row(i).is_some()) {
            return None;
        }
        let at = |i: usize| self.row(i).map_or(f64::NAN, |row| row[output]);
        let change = |i: usize| (at(i - 1) - at(i)).abs() + (at(i) - at(i + 1)).abs();
        let inner = 1..self.steps.len().saturating_sub(1);
        inner.min_by(|a, b| change(*a).total_cmp(&change(*b))).map(|i| self.steps[i])
    }
}

/// Steps from `first` down or up to `last`, `per_decade` of them to each power of ten, both ends included.
///
/// Empty if an end is no positive number; never more than a million.
#[must_use]
pub fn logarithmic_steps(first: f64, last: f64, per_decade: u32) -> Vec<f64> {
    let decades = (last / first).log10();
    if !(first > 0.0 && last > 0.0 && decades.is_finite()) {
        return Vec::new();
    }
    let count = (decades.abs() * f64::from(per_decade)).round().clamp(1.0, 999_999.0);
    let mut steps = Vec::new();
    let mut i = 0.0;
    while i <= count {
        steps.push(first * 10.0_f64.powf(decades * i / count));
        i += 1.0;
    }
    steps
}
