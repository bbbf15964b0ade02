//! Sums of products `Zᵀ S Z` with symmetric S.

use super::panel::{Lanes, Panel, write_symmetric};
use super::product::{Blocks, Into, product};
use gradyn::derivatives::simd::WIDTH;
use nalgebra::DMatrix;

/// `Σ Zᵀ S Z`, all n × n, and the memory of it.
#[derive(Clone, Debug)]
pub(crate) struct Congruence {
    n: usize,
    /// `Zᵀ`, S and `Zᵀ S`.
    z: Panel,
    s: Panel,
    product: Panel,
    /// The lower half of the sum.
    sum: Panel,
}

impl Congruence {
    pub(crate) fn new(n: usize) -> Self {
        let zeros = || Panel::new(n.div_ceil(WIDTH), n);
        Self { n, z: zeros(), s: zeros(), product: zeros(), sum: zeros() }
    }

    /// An empty sum.
    pub(crate) fn clear(&mut self) {
        self.sum.rows.fill(Lanes::ZERO);
    }

    /// Adds `Zᵀ S Z`.
    pub(crate) fn add(&mut self, z: &DMatrix<f64>, s: &DMatrix<f64>) {
        let n = self.n;
        let blocks = Blocks { rows: (0, n.div_ceil(WIDTH)), columns: (0, n), lower: None };
        self.z.put_transposed(z.as_slice(), n, (0, n), 0);
        self.s.put(s.as_slice(), n, (0, 0), false);
        self.product.rows.fill(Lanes::ZERO);
        product(&self.z, (&self.s, 0), n, &mut self.product, blocks, Into::Add); //  Zᵀ Sᵀ
        let blocks = Blocks { lower: Some(0), ..blocks };
        product(&self.product, (&self.z, 0), n, &mut self.sum, blocks, Into::Add);
    }

    /// Writes the sum, both halves.
    pub(crate) fn write(&self, to: &mut DMatrix<f64>) {
        write_symmetric(&self.sum, 0, to);
    }
}

#[cfg(test)]
mod tests {
    use super::Congruence;
    use nalgebra::DMatrix;

    #[test]
    fn sums_of_all_sizes() {
        for n in [1, 3, 8, 13, 24, 41] {
            let of = |k: f64| DMatrix::from_fn(n, n, |i, j| ((i * 7 + j * 3) as f64 * k).sin());
            let (mut sum, mut found, mut expected) = (Congruence::new(n), DMatrix::zeros(n, n), DMatrix::zeros(n, n));
            for _ in 0..2 {
                sum.clear();
                expected.fill(0.0);
                for k in [0.3, 0.7] {
                    let (z, s) = (of(k), of(k + 1.0) + of(k + 1.0).transpose());
                    sum.add(&z, &s);
                    expected += z.transpose() * s * z;
                }
                sum.write(&mut found);
                // Sums of n² products of numbers up to two.
                assert!((&found - &expected).amax() < 1e-12 * (n * n) as f64, "{n}");
            }
        }
    }
}
