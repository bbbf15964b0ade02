//! Difference quotients along a path `t ↦ y(t)`, the core of everything here.

use super::error::{DifferenceError, Outcome};
use super::manifold::Manifold;

/// A path in an output space, ready to be differenced at `t = 0`.
pub(super) struct Path<'a, M, G> {
    outputs: &'a M,
    path: G,
    /// `y(0)`
    centre: Vec<f64>,
    /// `y(±h)`
    point: Vec<f64>,
    /// `y(h) ⊖ y(0)` and `y(−h) ⊖ y(0)`
    ahead: Vec<f64>,
    behind: Vec<f64>,
}

impl<'a, M: Manifold, G: FnMut(f64, &mut [f64]) -> O, O: Outcome> Path<'a, M, G> {
    /// Evaluates `y(0)`.
    pub(super) fn new(outputs: &'a M, path: G) -> Result<Self, DifferenceError<O::Error>> {
        let (coordinates, directions) = (outputs.coordinates(), outputs.directions());
        let mut path = Self {
            outputs,
            path,
            centre: vec![0.0; coordinates],
            point: vec![0.0; coordinates],
            ahead: vec![0.0; directions],
            behind: vec![0.0; directions],
        };
        path.evaluate(0.0)?;
        path.centre.copy_from_slice(&path.point);
        Ok(path)
    }

    /// How many derivatives there are.
    pub(super) fn directions(&self) -> usize {
        self.ahead.len()
    }

    /// `out = D(h) = ((y(h) ⊖ y(0)) − (y(−h) ⊖ y(0))) / 2h`.
    ///
    /// The function `t ↦ y(t) ⊖ y(0)` has values in one tangent space, so its expansion in `h` has even powers only,
    /// whatever the manifold.
    pub(super) fn quotient(&mut self, h: f64, out: &mut [f64]) -> Result<(), DifferenceError<O::Error>> {
        self.evaluate(h)?;
        self.outputs.difference(&self.centre, &self.point, &mut self.ahead);
        self.evaluate(-h)?;
        self.outputs.difference(&self.centre, &self.point, &mut self.behind);
        for (output, ((out, ahead), behind)) in out.iter_mut().zip(&self.ahead).zip(&self.behind).enumerate() {
            *out = (ahead - behind) / (2.0 * h);
            if !out.is_finite() {
                return Err(DifferenceError::NotFinite { output, value: *out, direction: 0, step: h });
            }
        }
        Ok(())
    }

    /// What rounding contributes to `D(h)` at least: half an ulp of `y` from each side.
    pub(super) fn rounding(&self, output: usize, h: f64) -> f64 {
        f64::EPSILON * self.outputs.magnitude(&self.centre, output) / h
    }

    fn evaluate(&mut self, t: f64) -> Result<(), DifferenceError<O::Error>> {
        self.point.fill(f64::NAN);
        let outcome = (self.path)(t, &mut self.point).outcome();
        outcome.map_err(|error| DifferenceError::Function { direction: 0, step: t, error })?;
        match self.point.iter().position(|y| !y.is_finite()) {
            None => Ok(()),
            Some(output) => {
                Err(DifferenceError::NotFinite { output, value: self.point[output], direction: 0, step: t })
            }
        }
    }
}
