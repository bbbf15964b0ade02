//! Translation in space.

use super::{JointKind, between};
use crate::spatial::{Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// Translation by `q = (x, y, z)` without rotation: `S = [E; 0]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Translation;

impl<P: Real> JointKind<P> for Translation {
    #[inline]
    fn nq(&self) -> usize {
        3
    }
    #[inline]
    fn nv(&self) -> usize {
        3
    }
    #[inline(always)]
    fn pose<T: Scalar<P>>(&self, q: &[T]) -> Transform<T> {
        Transform::new(v3::identity(), Vector3::new(q[0], q[1], q[2]))
    }
    #[inline(always)]
    fn motion_subspace<T: Scalar<P>>(&self, _q: &[T], columns: &mut [Motion<T>]) {
        for (k, column) in columns.iter_mut().enumerate() {
            *column = Motion::new(v3::column(&v3::identity(), k), v3::zero());
        }
    }
    fn random(&self, unit: &mut dyn FnMut() -> f64, lower: &[f64], upper: &[f64], q: &mut [f64]) {
        for i in 0..3 {
            q[i] = between(unit(), lower[i], upper[i], 1.0);
        }
    }
}
