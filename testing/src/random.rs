//! Random numbers from printed seeds.

/// Steele, Lea and Flood's SplitMix64 (2014): a few lines, the same everywhere.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// Prints the seed: shown when the test fails.
    pub fn new(seed: u64) -> Self {
        println!("seed {seed}");
        Self(seed)
    }
    /// 64 of them.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// In `[low, high)`.
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * unit
    }
    /// In `[-1, 1)`.
    pub fn number(&mut self) -> f64 {
        self.range(-1.0, 1.0)
    }
    /// In `[-1, 1)`.
    pub fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.number()).collect()
    }
    /// In `[-1, 1)`.
    pub fn eight(&mut self) -> [f64; 8] {
        std::array::from_fn(|_| self.number())
    }
}

#[cfg(feature = "robots")]
mod spatial {
    use super::Random;
    use gradyn::spatial::{Force, Inertia, Motion, Quaternion, Symmetric3, Transform};
    use nalgebra::{Matrix3, Vector3};

    /// With the feature `robots`.
    impl Random {
        /// Entries in `[-1, 1)`.
        pub fn vector(&mut self) -> Vector3<f64> {
            Vector3::new(self.number(), self.number(), self.number())
        }
        /// Of length one.
        pub fn direction(&mut self) -> Vector3<f64> {
            loop {
                let v = self.vector();
                if (0.1..1.0).contains(&v.norm()) {
                    return v / v.norm();
                }
            }
        }
        /// Of length one.
        pub fn quaternion(&mut self) -> Quaternion<f64> {
            loop {
                let q = Quaternion::from_array([self.number(), self.number(), self.number(), self.number()]);
                if (0.1..1.0).contains(&q.norm_squared()) {
                    return q.normalized();
                }
            }
        }
        /// As a matrix.
        pub fn rotation(&mut self) -> Matrix3<f64> {
            self.quaternion().rotation()
        }
        /// A rotation, and a translation with entries in `[-1, 1)`.
        pub fn transform(&mut self) -> Transform<f64> {
            Transform::new(self.rotation(), self.vector())
        }
        /// Entries in `[-1, 1)`.
        pub fn motion(&mut self) -> Motion<f64> {
            Motion::new(self.vector(), self.vector())
        }
        /// Entries in `[-1, 1)`.
        pub fn force(&mut self) -> Force<f64> {
            Force::new(self.vector(), self.vector())
        }
        /// Of a body that can exist: a cloud of four point masses.
        pub fn inertia(&mut self) -> Inertia<f64> {
            let mut y = Inertia::zero();
            for _ in 0..4 {
                let (m, p) = (1.1 + self.number(), self.vector());
                y += Inertia::new(m, p, Symmetric3::zero());
            }
            y
        }
    }
}
