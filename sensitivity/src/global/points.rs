//! Points that fill the unit cube evenly, scrambled by a seed.
//!
//! Sources: S. Joe and F. Kuo, *Constructing Sobol' sequences with better two-dimensional projections*, SIAM J. Sci.
//! Comput. 30(5), 2008 (direction numbers D6, from the crate `sobol`); J. Matoušek, *On the L2-discrepancy for anchored
//! boxes*, J. Complexity 14(4), 1998 (the scrambling: a random lower triangular matrix of bits, then a random shift);
//! A. Owen, *Variance with alternative scramblings of digital nets*, ACM Trans. Model. Comput. Simul. 13(4), 2003 (it
//! has the variance of his nested scrambling).

use super::GlobalError;
use crate::statistics::stream;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use sobol::Sobol;
use sobol::params::JoeKuoD6;

/// Bits of a coordinate: `(x + ½) 2⁻⁵²` is a double strictly between 0 and 1 for every x of so many bits.
const BITS: usize = 52;
/// The bits of a point's index: at most `2³²` points.
const DIRECTIONS: usize = 32;
/// The numbers of dimensions of the tables of direction numbers.
const DIMENSIONS: [usize; 2] = [1000, 21_201];

/// The scrambling of points by a seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scramble {
    /// Nothing: the points of the paper, each moved by half of the last bit so that none is at zero.
    None,
    /// All bits are flipped by one pattern per dimension: unbiased.
    Shift,
    /// First each bit is mixed with those above it, then shifted: unbiased, and the variance decreases faster than that
    /// of random points.
    #[default]
    Affine,
}

/// The Sobol sequence, from its first point.
///
/// One point costs one exclusive-or per dimension (Gray code).
#[derive(Clone, Debug)]
pub struct SobolPoints {
    dimensions: usize,
    /// For each bit of a point's number, the direction of each dimension.
    directions: Vec<u64>,
    point: Vec<u64>,
    next: u64,
}

impl SobolPoints {
    /// The sequence in this many dimensions.
    ///
    /// # Errors
    /// No dimension, or more than 21 201.
    pub fn new(dimensions: usize, scramble: Scramble, seed: u64) -> Result<Self, GlobalError> {
        if dimensions == 0 || dimensions > DIMENSIONS[1] {
            let what = "the number of dimensions of Sobol points";
            return Err(GlobalError::Count { what, value: dimensions, rule: "from 1 to 21201" });
        }
        let table = if dimensions <= DIMENSIONS[0] { JoeKuoD6::standard() } else { JoeKuoD6::extended() };
        let columns = Sobol::<u64>::init_direction_vals(dimensions, DIRECTIONS, &table);
        let mut directions = vec![0; DIRECTIONS * dimensions];
        let mut point = vec![0; dimensions];
        for (dimension, column) in columns.iter().enumerate() {
            let mut rng = stream(seed, dimension as u64);
            let mixing: [u64; BITS] = std::array::from_fn(|bit| row(bit, rng.random()));
            if scramble != Scramble::None {
                point[dimension] = rng.random::<u64>() >> (64 - BITS) << (64 - BITS);
            }
            for (bit, direction) in column.iter().enumerate() {
                directions[bit * dimensions + dimension] =
                    if scramble == Scramble::Affine { mix(&mixing, *direction) } else { *direction };
            }
        }
        Ok(Self { dimensions, directions, point, next: 0 })
    }

    /// Writes the next point to `u`, one number per dimension, each strictly between 0 and 1. After `2³²` points the
    /// sequence begins anew. Entries of `u` beyond that length are unchanged.
    pub fn write(&mut self, u: &mut [f64]) {
        for (u, x) in u.iter_mut().zip(&self.point) {
            *u = ((x >> (64 - BITS)) as f64 + 0.5) * (1.0 / (1_u64 << BITS) as f64);
        }
        self.next += 1;
        let bit = (self.next.trailing_zeros() as usize).min(DIRECTIONS - 1);
        let directions = &self.directions[bit * self.dimensions..][..self.dimensions];
        self.point.iter_mut().zip(directions).for_each(|(x, direction)| *x ^= direction);
    }
}

/// A row of the mixing matrix: the bit itself, counted from the highest, and a random choice of those above.
fn row(bit: usize, random: u64) -> u64 {
    let own = 1 << (63 - bit);
    let above = if bit == 0 { 0 } else { random & (u64::MAX << (64 - bit)) };
    own | above
}

fn mix(mixing: &[u64; BITS], direction: u64) -> u64 {
    let bit = |(bit, row): (usize, &u64)| u64::from((row & direction).count_ones() & 1) << (63 - bit);
    mixing.iter().enumerate().map(bit).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first points of the paper's generator in three dimensions.
    #[test]
    fn without_scrambling_they_are_the_points_of_joe_and_kuo() {
        let known = [
            [0.0, 0.0, 0.0],
            [0.5, 0.5, 0.5],
            [0.75, 0.25, 0.25],
            [0.25, 0.75, 0.75],
            [0.375, 0.375, 0.625],
            [0.875, 0.875, 0.125],
            [0.625, 0.125, 0.875],
            [0.125, 0.625, 0.375],
        ];
        let mut points = SobolPoints::new(3, Scramble::None, 0).expect("three dimensions");
        for known in known {
            let mut u = [0.0; 3];
            points.write(&mut u);
            // Half of the last bit.
            assert!(u.iter().zip(known).all(|(u, known)| (u - known - 2_f64.powi(-53)).abs() < 1e-18), "{u:?}");
        }
    }

    /// A digital net in base 2: each of 2ᵐ equal slices holds one of the first 2ᵐ points, in every dimension and for
    /// every scrambling.
    #[test]
    fn every_slice_holds_one_point() {
        for (dimensions, scramble) in
            [(1, Scramble::Affine), (140, Scramble::Affine), (140, Scramble::Shift), (1001, Scramble::Affine)]
        {
            let mut points = SobolPoints::new(dimensions, scramble, 7).expect("in range");
            let mut seen = vec![false; 256 * dimensions];
            let mut u = vec![0.0; dimensions];
            for _ in 0..256 {
                points.write(&mut u);
                for (dimension, u) in u.iter().enumerate() {
                    assert!(*u > 0.0 && *u < 1.0);
                    let slice = &mut seen[dimension * 256 + (u * 256.0) as usize];
                    assert!(!*slice, "dimension {dimension}, {scramble:?}: two points in one slice");
                    *slice = true;
                }
            }
        }
    }

    #[test]
    fn seeds_give_other_points_and_no_dimension_is_refused() {
        let first = |seed| {
            let mut u = [0.0; 2];
            SobolPoints::new(2, Scramble::Affine, seed).expect("two dimensions").write(&mut u);
            u
        };
        assert_ne!(first(1).map(f64::to_bits), first(2).map(f64::to_bits));
        assert_eq!(first(1).map(f64::to_bits), first(1).map(f64::to_bits));
        assert!(SobolPoints::new(0, Scramble::None, 0).is_err());
        assert!(SobolPoints::new(21_202, Scramble::None, 0).is_err());
    }
}
