//! Random poses, axes and inertias.

use gradyn::joint::Axis;
use gradyn::spatial::{Inertia, Quaternion, Symmetric3, Transform, quaternion};
use nalgebra::{Matrix3, Vector3};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The generator with this seed.
pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// In `[-1, 1)`.
pub fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    rng.random_range(-1.0..1.0)
}

/// In `[-1, 1)`.
pub fn numbers(rng: &mut ChaCha8Rng, n: usize) -> Vec<f64> {
    (0..n).map(|_| uniform(rng)).collect()
}

/// Entries in `[-1, 1)`.
pub fn vector(rng: &mut ChaCha8Rng) -> Vector3<f64> {
    Vector3::new(uniform(rng), uniform(rng), uniform(rng))
}

/// Any, equally likely.
pub fn rotation(rng: &mut ChaCha8Rng) -> Quaternion<f64> {
    quaternion::uniform(rng.random(), rng.random(), rng.random())
}

/// A rotation, and a translation with entries in `[-1, 1)`.
pub fn transform(rng: &mut ChaCha8Rng) -> Transform<f64> {
    Transform::new(rotation(rng).rotation(), vector(rng))
}

/// Along any direction.
pub fn axis(rng: &mut ChaCha8Rng) -> Axis {
    Axis::along(vector(rng)).expect("not zero")
}

/// The inertia of a few random point masses: physical by construction.
pub fn inertia(rng: &mut ChaCha8Rng) -> Inertia<f64> {
    let points: Vec<_> = (0..5).map(|_| (rng.random_range(0.1..1.0), vector(rng) * 0.3)).collect();
    let mass: f64 = points.iter().map(|p| p.0).sum();
    let com = points.iter().fold(Vector3::zeros(), |c, (m, p)| c + *p * (*m / mass));
    let mut i = Matrix3::zeros();
    for (m, p) in &points {
        let r = p - com;
        i += (Matrix3::identity() * r.dot(&r) - r * r.transpose()) * *m;
    }
    Inertia::new(mass, com, Symmetric3::from_matrix(&i))
}
