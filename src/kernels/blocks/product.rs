//! Products of dense matrices, column-major.
//! Serves: `partials/aba.rs`, `partials/constrained/operators.rs`. Test:
//! `aba_derivatives::analytical_derivatives_are_those_by_dual_numbers`.

use gradyn_derivatives::{Level, Register, WIDTH};
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
    multiply::<ADD>(sizes, a.as_slice(), b.as_slice(), s, to.as_mut_slice());
}

kernel!(
    active,
    /// Of sizes n, k, m; added to what is there, or in place of it.
    fn multiply<'a, R: Register, const ADD: bool>(
        sizes: [usize; 3],
        a: &'a [f64],
        b: &'a [f64],
        s: f64,
        to: &'a mut [f64],
    ) {
        let product = Product::<ADD> { sizes, a, b, s, to };
        // As many columns share what is read of `a` as the level has registers for.
        match R::LEVEL {
            Level::Avx512 => product.columns::<R, 8>(),
            Level::Plain => product.columns::<R, 2>(),
            _ => product.columns::<R, 4>(),
        }
    }
);

struct Product<'a, const ADD: bool> {
    sizes: [usize; 3],
    a: &'a [f64],
    b: &'a [f64],
    s: f64,
    to: &'a mut [f64],
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
            if C > 4 && column + 4 <= m {
                self.block::<R, 4>(row, column);
                column += 4;
            }
            if C > 2 && column + 2 <= m {
                self.block::<R, 2>(row, column);
                column += 2;
            }
            if column < m {
                self.block::<R, 1>(row, column);
            }
            row += WIDTH;
        }
    }

    /// A register's height of `C` columns from a row on.
    #[inline(always)]
    fn block<R: Register, const C: usize>(&mut self, row: usize, column: usize) {
        let Self { sizes: [n, inner, _], a, b, s, .. } = *self;
        let to = &mut self.to[column * n..][..C * n];
        let mut columns = [b; C];
        let mut c = 0;
        while c < C {
            columns[c] = &b[(column + c) * inner..][..inner];
            c += 1;
        }
        // Few columns would have the processor wait for their sums: there are two of each.
        let (mut sums, mut others) = ([R::splat(0.0); C], [R::splat(0.0); C]);
        let mut start = 0;
        while start + WIDTH <= inner {
            // Whole blocks of zeros, which the tree makes, are left out.
            let mut zero = true;
            let mut c = 0;
            while c < C && zero {
                zero = columns[c][start..].first_chunk::<WIDTH>().is_some_and(|from| is_zero(R::from_array(*from)));
                c += 1;
            }
            if !zero {
                let mut k = start;
                while k < start + WIDTH {
                    step(&mut sums, &columns, rows(a, k * n + row), k);
                    step(if C < 4 { &mut others } else { &mut sums }, &columns, rows(a, (k + 1) * n + row), k + 1);
                    k += 2;
                }
            }
            start += WIDTH;
        }
        while start < inner {
            step(&mut sums, &columns, rows(a, start * n + row), start);
            start += 1;
        }
        let end = n.min(row + WIDTH);
        let mut c = 0;
        while c < C {
            let to = &mut to[c * n + row..c * n + end];
            let before = if ADD { R::load_first(to) } else { R::splat(0.0) };
            let sum = if C < 4 { sums[c].add(others[c]) } else { sums[c] };
            sum.mul_add(R::splat(s), before).store_first(to);
            c += 1;
        }
    }
}

/// Numbers of one column of `a`. Those below its last row are of the next column, and are not stored in the end.
#[inline(always)]
fn rows<R: Register>(a: &[f64], at: usize) -> R {
    let from = &a[at..];
    match from.first_chunk::<WIDTH>() {
        Some(from) => R::from_array(*from),
        None => R::load_first(from),
    }
}

#[inline(always)]
fn step<R: Register, const C: usize>(sums: &mut [R; C], columns: &[&[f64]; C], x: R, k: usize) {
    let mut c = 0;
    while c < C {
        sums[c] = x.mul_add(R::splat(columns[c][k]), sums[c]);
        c += 1;
    }
}

/// Whether all lanes are zero.
#[inline(always)]
fn is_zero<R: Register>(x: R) -> bool {
    const LEAST: f64 = f64::from_bits(1);
    x.all_lt(R::splat(LEAST)) && x.neg().all_lt(R::splat(LEAST))
}
