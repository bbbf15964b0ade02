//! Products of dense matrices, for models whose mass matrix has hardly a zero.

use gradyn_derivatives::Level;
use gradyn_derivatives::simd::{Kernel, Register, WIDTH, dispatch};
use nalgebra::DMatrix;

/// `to = −a b`. `a`: n × n, `b` and `to`: n × m. A product with a zero matrix block is exactly zero.
pub(crate) fn negated_product(a: &DMatrix<f64>, b: &DMatrix<f64>, to: &mut DMatrix<f64>) {
    debug_assert!(a.is_square() && a.ncols() == b.nrows() && b.shape() == to.shape());
    dispatch(Product { n: a.nrows(), a: a.as_slice(), b: b.as_slice(), to: to.as_mut_slice() });
}

/// Column-major.
struct Product<'a> {
    n: usize,
    a: &'a [f64],
    b: &'a [f64],
    to: &'a mut [f64],
}

impl Kernel for Product<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { n, a, b, to } = self;
        // As many columns share what is read of `a` as the level has registers for.
        match R::LEVEL {
            Level::Avx512 => columns::<R, 8>(n, a, b, to),
            Level::Plain => columns::<R, 2>(n, a, b, to),
            _ => columns::<R, 4>(n, a, b, to),
        }
    }
}

/// A register's height of `a` at a time: it stays in the cache while all of `b` passes by.
#[inline(always)]
fn columns<R: Register, const C: usize>(n: usize, a: &[f64], b: &[f64], to: &mut [f64]) {
    let m = to.len() / n.max(1);
    let mut row = 0;
    while row < n {
        let mut column = 0;
        while column + C <= m {
            block::<R, C>(n, row, a, &b[column * n..][..C * n], &mut to[column * n..][..C * n]);
            column += C;
        }
        while column < m {
            block::<R, 1>(n, row, a, &b[column * n..][..n], &mut to[column * n..][..n]);
            column += 1;
        }
        row += WIDTH;
    }
}

/// A register's height of `C` columns from a row on.
#[inline(always)]
fn block<R: Register, const C: usize>(n: usize, row: usize, a: &[f64], b: &[f64], to: &mut [f64]) {
    let mut sums = [R::splat(0.0); C];
    let mut columns = [b; C];
    let mut c = 0;
    while c < C {
        columns[c] = &b[c * n..][..n];
        c += 1;
    }
    let mut k = 0;
    while k < n {
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
    let mut c = 0;
    while c < C {
        let end = n.min(row + WIDTH);
        R::splat(0.0).sub(sums[c]).store_first(&mut to[c * n + row..c * n + end]);
        c += 1;
    }
}
