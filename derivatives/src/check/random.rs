//! Random directions, from a seed.

/// The generator SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// In [−1, 1).
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// A unit vector of n entries; the same for the same seed and index.
pub(super) fn direction(n: usize, seed: u64, index: u64) -> Vec<f64> {
    let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(index));
    let mut direction: Vec<f64> = (0..n).map(|_| random.next()).collect();
    let norm = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    direction.iter_mut().for_each(|x| *x /= norm.max(f64::MIN_POSITIVE));
    direction
}
