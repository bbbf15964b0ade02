//! Where inputs and outputs live.

/// A space whose points have coordinates and whose differences have directions, not necessarily as many.
///
/// A unit quaternion has four coordinates and three directions. `integrate` is `x ⊕ dx`, `difference` is `y₁ ⊖ y₀`;
/// near equal points one undoes the other: `difference(x, integrate(x, dx)) = dx`.
pub trait Manifold {
    /// How many numbers describe a point.
    fn coordinates(&self) -> usize;
    /// How many numbers describe a tangent vector.
    fn directions(&self) -> usize;
    /// `out = x ⊕ dx`: from `x` along the tangent vector `dx`. Shapes: `x`, `out`: coordinates; `dx`: directions.
    fn integrate(&self, x: &[f64], dx: &[f64], out: &mut [f64]);
    /// `out = y1 ⊖ y0`: the tangent vector at `y0` that leads to `y1`. Shapes: `y0`, `y1`: coordinates; `out`:
    /// directions.
    fn difference(&self, y0: &[f64], y1: &[f64], out: &mut [f64]);
    /// The size of the coordinates of `x` that `direction` moves: steps grow with it when it is above one, and rounding
    /// errors of the difference are ε times this. The largest coordinate, unless a manifold knows better.
    fn magnitude(&self, x: &[f64], direction: usize) -> f64 {
        let _ = direction;
        x.iter().fold(0.0, |largest, coordinate| coordinate.abs().max(largest))
    }
}

impl<M: Manifold> Manifold for &M {
    fn coordinates(&self) -> usize {
        M::coordinates(self)
    }
    fn directions(&self) -> usize {
        M::directions(self)
    }
    fn integrate(&self, x: &[f64], dx: &[f64], out: &mut [f64]) {
        M::integrate(self, x, dx, out);
    }
    fn difference(&self, y0: &[f64], y1: &[f64], out: &mut [f64]) {
        M::difference(self, y0, y1, out);
    }
    fn magnitude(&self, x: &[f64], direction: usize) -> f64 {
        M::magnitude(self, x, direction)
    }
}

/// `Rⁿ`: `x ⊕ dx = x + dx`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Euclidean(
    /// The dimension.
    pub usize,
);

impl Manifold for Euclidean {
    fn coordinates(&self) -> usize {
        self.0
    }
    fn directions(&self) -> usize {
        self.0
    }
    fn integrate(&self, x: &[f64], dx: &[f64], out: &mut [f64]) {
        for ((out, x), dx) in out.iter_mut().zip(x).zip(dx) {
            *out = x + dx;
        }
    }
    fn difference(&self, y0: &[f64], y1: &[f64], out: &mut [f64]) {
        for ((out, y0), y1) in out.iter_mut().zip(y0).zip(y1) {
            *out = y1 - y0;
        }
    }
    fn magnitude(&self, x: &[f64], direction: usize) -> f64 {
        x.get(direction).map_or(0.0, |coordinate| coordinate.abs())
    }
}
