//! Difference quotients along a path `t ↦ y(t)`, the core of everything here.

use super::error::DifferenceError;
use super::manifold::Manifold;
use std::fmt::{Debug, Display};

/// A path `t ↦ y(t)` as it is differenced: behind a pointer, so that all of this is compiled once for each type of
/// error and not once for each function.
pub(crate) type Curve<'a, E> = dyn FnMut(f64, &mut [f64]) -> Result<(), E> + 'a;

/// A path in an output space, ready to be differenced at `t = 0`.
pub(crate) struct Path<'a, E> {
    outputs: &'a dyn Manifold,
    path: &'a mut Curve<'a, E>,
    /// The size of the coordinates that `t` is added to.
    origin: f64,
    /// `y(0)`
    center: Vec<f64>,
    /// `y(±h)`
    point: Vec<f64>,
    /// `y(h) ⊖ y(0)` and `y(−h) ⊖ y(0)`
    ahead: Vec<f64>,
    behind: Vec<f64>,
    /// The largest magnitude among `y(0)`, `y(h)` and `y(−h)`, per direction.
    magnitude: Vec<f64>,
}

impl<'a, E: Debug + Display> Path<'a, E> {
    /// Evaluates `y(0)`.
    pub(crate) fn new(
        outputs: &'a dyn Manifold,
        origin: f64,
        path: &'a mut Curve<'a, E>,
    ) -> Result<Self, DifferenceError<E>> {
        let path = Self::open(outputs, origin, path)?;
        path.expect_finite(0.0)?;
        Ok(path)
    }

    /// The same, where `y(0)` may have entries that are not finite.
    pub(crate) fn open(
        outputs: &'a dyn Manifold,
        origin: f64,
        path: &'a mut Curve<'a, E>,
    ) -> Result<Self, DifferenceError<E>> {
        let (coordinates, directions) = (outputs.coordinates(), outputs.directions());
        let mut path = Self {
            outputs,
            path,
            origin,
            center: vec![0.0; coordinates],
            point: vec![0.0; coordinates],
            ahead: vec![0.0; directions],
            behind: vec![0.0; directions],
            magnitude: vec![0.0; directions],
        };
        path.look(0.0)?;
        path.center.copy_from_slice(&path.point);
        Ok(path)
    }

    /// `y(0)`
    pub(crate) fn center(&self) -> &[f64] {
        &self.center
    }

    /// Moves to `y(±h)`; see [`pair`](Self::pair). What fails there, or is not finite, is NaN.
    pub(crate) fn sides(&mut self, h: f64) {
        self.magnitude.fill(0.0);
        self.ahead.fill(f64::NAN);
        self.behind.fill(f64::NAN);
        if self.look(h).is_ok() {
            self.outputs.difference(&self.center, &self.point, &mut self.ahead);
        }
        if self.look(-h).is_ok() {
            self.outputs.difference(&self.center, &self.point, &mut self.behind);
        }
    }

    /// `y(h) ⊖ y(0)` and `y(−h) ⊖ y(0)` of one output, at the last step.
    pub(crate) fn pair(&self, output: usize) -> (f64, f64) {
        (self.ahead[output], self.behind[output])
    }

    /// How many derivatives there are.
    pub(crate) fn directions(&self) -> usize {
        self.ahead.len()
    }

    /// `out = D(h) = ((y(h) ⊖ y(0)) − (y(−h) ⊖ y(0))) / 2h`.
    ///
    /// The function `t ↦ y(t) ⊖ y(0)` has values in one tangent space, so its expansion in `h` has even powers only,
    /// whatever the manifold.
    pub(super) fn quotient(&mut self, h: f64, out: &mut [f64]) -> Result<(), DifferenceError<E>> {
        self.magnitude.fill(0.0);
        self.evaluate(h)?;
        self.outputs.difference(&self.center, &self.point, &mut self.ahead);
        self.evaluate(-h)?;
        self.outputs.difference(&self.center, &self.point, &mut self.behind);
        for (output, ((out, ahead), behind)) in out.iter_mut().zip(&self.ahead).zip(&self.behind).enumerate() {
            *out = (ahead - behind) / (2.0 * h);
            if !out.is_finite() {
                return Err(DifferenceError::NotFinite { output, value: *out, direction: 0, step: h });
            }
        }
        Ok(())
    }

    /// What rounding contributes to the last `D(h)`: `ε |y| / h` from values right to a unit of their last place,
    /// `ε |x D| / h` from the sums `x ± h`, and `ε |D|` from the quotient.
    pub(crate) fn rounding(&self, output: usize, h: f64, quotient: f64) -> f64 {
        f64::EPSILON * ((self.magnitude[output] + self.origin * quotient.abs()) / h + quotient.abs())
    }

    fn evaluate(&mut self, t: f64) -> Result<(), DifferenceError<E>> {
        self.look(t)?;
        self.expect_finite(t)
    }

    fn expect_finite(&self, t: f64) -> Result<(), DifferenceError<E>> {
        if let Some(output) = self.point.iter().position(|y| !y.is_finite()) {
            return Err(DifferenceError::NotFinite { output, value: self.point[output], direction: 0, step: t });
        }
        Ok(())
    }

    /// `y(t)`, finite or not.
    fn look(&mut self, t: f64) -> Result<(), DifferenceError<E>> {
        self.point.fill(f64::NAN);
        (self.path)(t, &mut self.point).map_err(|error| DifferenceError::Function { direction: 0, step: t, error })?;
        for (direction, magnitude) in self.magnitude.iter_mut().enumerate() {
            *magnitude = magnitude.max(self.outputs.magnitude(&self.point, direction));
        }
        Ok(())
    }
}
