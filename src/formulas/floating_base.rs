//! A floating base: how accelerations vary with where it is, how it is turned and how fast it goes, without anything being
//! solved.
//!
//! Motions look the same from everywhere, from every direction that gravity turns with, and at every constant speed. With the
//! orientation `R` of the base, its linear and angular velocity `v` and `ω` in its own axes, and gravity `g`, all accelerations
//! depend on position, on `R` and on `v` only through
//!
//! ```text
//! v̇ + ω × v − Rᵀ g ,    so that    ∂v̇/∂φ = [Rᵀ g]×    ∂v̇/∂v = −[ω]×    for R exp φ                        (1)
//! ```
//!
//! and all other entries of these nine columns are zero.

use crate::spatial::vector as v3;
use nalgebra::{DMatrix, Matrix3, Vector3};

/// Equation (1) for a base of this orientation, whose degrees of freedom begin at `first`.
pub(crate) fn fill(
    rotation: Matrix3<f64>,
    gravity: Vector3<f64>,
    first: usize,
    v: &[f64],
    [dq, dv]: [&mut DMatrix<f64>; 2],
) {
    let g = v3::rotate_back(&rotation, gravity);
    let w = &v[first + 3..first + 6];
    let nv = dq.nrows();
    let [dq, dv] = [(dq, 6), (dv, 3)].map(|(m, columns)| &mut m.as_mut_slice()[first * nv..][..columns * nv]);
    dq.fill(0.0);
    dv.fill(0.0);
    put(&mut dq[3 * nv + first..], nv, g);
    put(&mut dv[first..], nv, Vector3::new(-w[0], -w[1], -w[2]));
}

/// `[x]×` where columns are so many numbers apart, the diagonal left alone; no zero is negative.
fn put(to: &mut [f64], nv: usize, x: Vector3<f64>) {
    for (a, b, c) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
        to[a * nv + b] = 0.0 + x[c];
        to[b * nv + a] = 0.0 - x[c];
    }
}
