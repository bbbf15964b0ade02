//! The mean of points on a manifold, and the deviations from it.
//!
//! Source: C. Hertzberg, R. Wagner, U. Frese, L. Schröder, *Integrating generic sensor fusion algorithms with sound
//! state representations through encapsulation of manifolds*, Inf. Fusion 14(1), 2013.

use super::{Manifold, UncertaintyError};
use nalgebra::DMatrix;

/// A mean and the covariance about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// A point of the manifold.
    pub mean: Vec<f64>,
    /// In the tangent space there.
    pub covariance: DMatrix<f64>,
}

/// The iteration limit of a mean: each iteration gains several digits if the points are close relative to the curvature
/// of the manifold.
const ITERATIONS: usize = 100;

/// The point `m` with `Σ w_i (y_i ⊖ m) = 0`, and all `y_i ⊖ m`, one after the other. `points`: points of `space`, one
/// after the other; the weights sum to one.
pub(super) fn mean(
    space: &impl Manifold,
    points: &[f64],
    weight: impl Fn(usize) -> f64,
    start: &[f64],
) -> Result<(Vec<f64>, Vec<f64>), UncertaintyError> {
    let (coordinates, directions) = (space.coordinates(), space.directions());
    let (mut mean, mut next) = (start.to_vec(), vec![0.0; coordinates]);
    let mut apart = vec![0.0; points.len() / coordinates.max(1) * directions];
    let (mut step, mut length) = (vec![0.0; directions], f64::INFINITY);
    for _ in 0..ITERATIONS {
        step.fill(0.0);
        let all = points.chunks_exact(coordinates.max(1)).zip(apart.chunks_exact_mut(directions.max(1)));
        for (i, (point, apart)) in all.enumerate() {
            space.difference(&mean, point, apart);
            step.iter_mut().zip(apart).for_each(|(step, apart)| *step += weight(i) * *apart);
        }
        length = step.iter().fold(0.0_f64, |length, x| length.max(x.abs()));
        let widest = apart.iter().fold(0.0_f64, |widest, x| widest.max(x.abs()));
        // Rounding of a weighted sum of numbers of that size, and of the coordinates themselves.
        let size = mean.iter().fold(widest, |size, x| size.max(x.abs()));
        if length <= 4.0 * f64::EPSILON * size {
            return Ok((mean, apart));
        }
        space.integrate(&mean, &step, &mut next);
        if next.iter().any(|x| !x.is_finite()) {
            break;
        }
        std::mem::swap(&mut mean, &mut next);
    }
    // Rounding may leave a small step that does not vanish.
    let widest = apart.iter().fold(0.0_f64, |widest, x| widest.max(x.abs()));
    if length <= 1e-9 * widest {
        return Ok((mean, apart));
    }
    Err(UncertaintyError::NoMean { iterations: ITERATIONS, step: length })
}
