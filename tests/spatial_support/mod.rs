//! Random spatial quantities from printed seeds, and comparisons that say what differs.
#![allow(dead_code, reason = "each test file uses its part")]

use gradyn::spatial::{Force, Inertia, Motion, Quaternion, Symmetric3, Transform};
use nalgebra::{Matrix3, Matrix6, Vector3};
use std::fmt::Display;

/// SplitMix64: small, and the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Uniform in [-1, 1).
    pub(crate) fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    pub(crate) fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.number(), self.number(), self.number())
    }
    /// Of length one.
    pub(crate) fn direction(&mut self) -> Vector3<f64> {
        loop {
            let v = self.vector();
            if (0.1..1.0).contains(&v.norm()) {
                return v / v.norm();
            }
        }
    }
    pub(crate) fn quaternion(&mut self) -> Quaternion<f64> {
        loop {
            let q = Quaternion::from_array([self.number(), self.number(), self.number(), self.number()]);
            if (0.1..1.0).contains(&q.norm_squared()) {
                return q.normalized();
            }
        }
    }
    pub(crate) fn rotation(&mut self) -> Matrix3<f64> {
        self.quaternion().rotation()
    }
    pub(crate) fn transform(&mut self) -> Transform<f64> {
        Transform::new(self.rotation(), self.vector())
    }
    pub(crate) fn motion(&mut self) -> Motion<f64> {
        Motion::new(self.vector(), self.vector())
    }
    pub(crate) fn force(&mut self) -> Force<f64> {
        Force::new(self.vector(), self.vector())
    }
    /// Of a body that can exist: a cloud of four point masses.
    pub(crate) fn inertia(&mut self) -> Inertia<f64> {
        let mut y = Inertia::zero();
        for _ in 0..4 {
            let (m, p) = (1.1 + self.number(), self.vector());
            y += Inertia::new(m, p, Symmetric3::zero());
        }
        y
    }
}

/// Runs a claim for twenty seeds and prints the seed of the one that fails.
pub(crate) fn for_seeds(claim: impl Fn(&mut Random)) {
    struct Report(u64);
    impl Drop for Report {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("seed {}", self.0);
            }
        }
    }
    for seed in 1..=20 {
        let _report = Report(seed);
        claim(&mut Random(seed));
    }
}

/// Are all numbers within `tolerance` of each other, measured against the larger of one and the largest expected?
#[track_caller]
pub(crate) fn close(got: &[f64], expected: &[f64], tolerance: f64, what: impl Display) {
    assert_eq!(got.len(), expected.len(), "{what}: lengths");
    let scale = expected.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    for (i, (a, b)) in got.iter().zip(expected).enumerate() {
        let fits = (a - b).abs() <= tolerance * scale;
        assert!(fits, "{what}: entry {i} is {a}, expected {b}, off by {:e} of {scale}", (a - b).abs());
    }
}

/// `m x`, for the 6-vector of a motion or force.
pub(crate) fn times(m: &Matrix6<f64>, x: [f64; 6]) -> [f64; 6] {
    (m * nalgebra::Vector6::from(x)).into()
}

/// The numbers of a pose.
pub(crate) fn numbers(x: &Transform<f64>) -> Vec<f64> {
    x.rotation.iter().chain(x.translation.iter()).copied().collect()
}

/// Random numbers are of size one and products are few: some dozens of roundings.
pub(crate) const ROUNDING: f64 = 1e-14;
