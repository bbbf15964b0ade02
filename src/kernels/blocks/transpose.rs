//! Transposition of dense matrices.
//! Serves: `partials/second/contraction.rs`. Test:
//! `second_order_forward::combinations_of_accelerations_are_contractions`.

use gradyn_derivatives::{Register, WIDTH};

kernel!(
    active,
    /// `to = fromᵀ`, of a square matrix with `n` rows: eight rows of eight columns at a time.
    pub(crate) fn transpose<'a, R: Register>(from: &'a [f64], n: usize, to: &'a mut [f64]) {
        debug_assert!(from.len() == n * n && to.len() == n * n);
        let mut column = 0;
        while column < n {
            let columns = WIDTH.min(n - column);
            let mut row = 0;
            while row < n {
                let rows = WIDTH.min(n - row);
                let mut block = [R::splat(0.0); WIDTH];
                let mut k = 0;
                while k < columns {
                    block[k] = R::load_first(&from[(column + k) * n + row..][..rows]);
                    k += 1;
                }
                let turned = R::transpose(block);
                let mut k = 0;
                while k < rows {
                    turned[k].store_first(&mut to[(row + k) * n + column..][..columns]);
                    k += 1;
                }
                row += WIDTH;
            }
            column += WIDTH;
        }
    }
);

#[cfg(test)]
mod tests {
    use super::transpose;
    use nalgebra::DMatrix;

    #[test]
    fn of_all_sizes() {
        for n in [0, 1, 7, 8, 9, 18] {
            let from = DMatrix::from_fn(n, n, |i, j| (i * 100 + j) as f64);
            let mut to = DMatrix::zeros(n, n);
            transpose(from.as_slice(), n, to.as_mut_slice());
            assert_eq!(to, from.transpose());
        }
    }
}
