//! What tests of spatial quantities share.

use nalgebra::Matrix6;
use testing::Random;

/// Runs a claim for twenty seeds, which are printed: the last one is that of the claim that fails.
pub(crate) fn for_seeds(claim: impl Fn(&mut Random)) {
    for seed in 1..=20 {
        claim(&mut Random::new(seed));
    }
}

/// `m x`, for the 6-vector of a motion or force.
pub(crate) fn times(m: &Matrix6<f64>, x: [f64; 6]) -> [f64; 6] {
    (m * nalgebra::Vector6::from(x)).into()
}

/// Random numbers are of size one and products are few: some dozens of roundings.
pub(crate) const ROUNDING: f64 = 1e-14;
