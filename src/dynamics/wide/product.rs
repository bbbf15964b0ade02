//! Products of dense matrices, column-major.

use gradyn_derivatives::Level;
use gradyn_derivatives::simd::{Kernel, Register, WIDTH, dispatch};
use nalgebra::DMatrix;

/// `to = −a b`. `a`: n × k, `b`: k × m, `to`: n × m. Blocks of zeros in `b` are left out.
pub(crate) fn negated_product(a: &DMatrix<f64>, b: &DMatrix<f64>, to: &mut DMatrix<f64>) {
    run::<false>(a, b, -1.0, to);
}

/// `to += s a b`. `a`: n × k, `b`: k × m, `to`: n × m.
pub(crate) fn add_product(s: f64, a: &DMatrix<f64>, b: &DMatrix<f64>, to: &mut DMatrix<f64>) {
    run::<true>(a, b, s, to);
}

fn run<const ADD: bool>(a: &DMatrix<f64>, b: &DMatrix<f64>, s: f64, to: &mut DMatrix<f64>) {
    debug_assert!(a.ncols() == b.nrows() && to.shape() == (a.nrows(), b.ncols()));
    let sizes = [a.nrows(), a.ncols(), b.ncols()];
    dispatch(Product::<ADD> { sizes, a: a.as_slice(), b: b.as_slice(), s, to: to.as_mut_slice() });
}

/// Of sizes n, k, m; added to what is there, or in place of it.
struct Product<'a, const ADD: bool> {
    sizes: [usize; 3],
    a: &'a [f64],
    b: &'a [f64],
    s: f64,
    to: &'a mut [f64],
}

impl<const ADD: bool> Kernel for Product<'_, ADD> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        // As many columns share what is read of `a` as the level has registers for.
        match R::LEVEL {
            Level::Avx512 => self.columns::<R, 8>(),
            Level::Plain => self.columns::<R, 2>(),
            _ => self.columns::<R, 4>(),
        }
    }
}

impl<const ADD: bool> Product<'_, ADD> {
    /// A register's height of `a` at a time: it stays in the cache while all of `b` passes by.
    #[inline(always)]
    fn columns<R: Register, const C: usize>(mut self) {
        let [n, _, m] = self.sizes;
        let mut row = 0;
        while row < n {
            let mut column = 0;
            while column + C <= m {
                self.block::<R, C>(row, column);
                column += C;
            }
            while column < m {
                self.block::<R, 1>(row, column);
                column += 1;
            }
            row += WIDTH;
        }
    }

    /// A register's height of `C` columns from a row on.
    #[inline(always)]
    fn block<R: Register, const C: usize>(&mut self, row: usize, column: usize) {
        let Self { sizes: [n, inner, _], a, b, s, .. } = *self;
        let to = &mut self.to[column * n..][..C * n];
        let mut sums = [R::splat(0.0); C];
        let mut columns = [b; C];
        let mut c = 0;
        while c < C {
            columns[c] = &b[(column + c) * inner..][..inner];
            c += 1;
        }
        let mut start = 0;
        while start < inner {
            let stop = inner.min(start + WIDTH);
            // Whole blocks of zeros, which the tree makes, are left out.
            let mut zero = stop == start + WIDTH;
            let mut c = 0;
            while c < C && zero {
                let from = columns[c][start..].first_chunk::<WIDTH>().map_or(R::splat(1.0), |from| R::from_array(*from));
                zero = is_zero(from);
                c += 1;
            }
            let mut k = if zero { stop } else { start };
            start = stop;
            while k < stop {
                let from = &a[k * n + row..];
                // Lanes below the last row have numbers of the next column, and are not stored.
                let x = match from.first_chunk::<WIDTH>() {
                    Some(from) => R::from_array(*from),
                    None => R::load_first(from),
                };
                let mut c = 0;
                while c < C {
                    sums[c] = x.mul_add(R::splat(columns[c][k]), sums[c]);
                    c += 1;
                }
                k += 1;
            }
        }
        let end = n.min(row + WIDTH);
        let mut c = 0;
        while c < C {
            let to = &mut to[c * n + row..c * n + end];
            let before = if ADD { R::load_first(to) } else { R::splat(0.0) };
            sums[c].mul_add(R::splat(s), before).store_first(to);
            c += 1;
        }
    }
}

/// Are all lanes zero?
#[inline(always)]
fn is_zero<R: Register>(x: R) -> bool {
    const LEAST: f64 = f64::from_bits(1);
    x.all_lt(R::splat(LEAST)) && x.neg().all_lt(R::splat(LEAST))
}
