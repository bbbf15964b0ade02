//! Products of small matrices with many columns of sensitivities, the columns side by side in the registers.
//!
//! Columns are stored transposed, `n × r` for r rows of n columns each, so that entries of one row are contiguous.

use gradyn::derivatives::{Kernel, Register, dispatch};
use nalgebra::DMatrix;

/// `to += factor (Y X)`, Y: r × k; `to`: n × r and X: m × k, both transposed. Uses the first columns of the longer one.
pub(super) fn add_product(to: &mut DMatrix<f64>, factor: f64, y: &DMatrix<f64>, x: &DMatrix<f64>) {
    dispatch(AddProduct { to, factor, y, x });
}

struct AddProduct<'a> {
    to: &'a mut DMatrix<f64>,
    factor: f64,
    y: &'a DMatrix<f64>,
    x: &'a DMatrix<f64>,
}

impl Kernel for AddProduct<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { to, factor, y, x } = self;
        let (n, m, (r, k)) = (to.nrows(), x.nrows(), y.shape());
        let count = n.min(m);
        let (to, x) = (to.as_mut_slice(), x.as_slice());
        for i in 0..r {
            let row = &mut to[i * n..][..count];
            for j in 0..k {
                let (c, x) = (factor * y[(i, j)], &x[j * m..][..count]);
                row.iter_mut().zip(x).for_each(|(to, x)| *to += c * x);
            }
        }
    }
}

/// `to += factor x`, for as many columns as both have.
pub(super) fn add(to: &mut DMatrix<f64>, factor: f64, x: &DMatrix<f64>) {
    dispatch(Add { to: to.as_mut_slice(), factor, x: x.as_slice() });
}

struct Add<'a> {
    to: &'a mut [f64],
    factor: f64,
    x: &'a [f64],
}

impl Kernel for Add<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { to, factor, x } = self;
        to.iter_mut().zip(x).for_each(|(to, x)| *to += factor * x);
    }
}

/// Whether all numbers are finite.
pub(super) fn all_finite(x: &DMatrix<f64>) -> bool {
    dispatch(AllFinite(x.as_slice()))
}

struct AllFinite<'a>(&'a [f64]);

impl Kernel for AllFinite<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        // No early exit, so that eight at a time are checked.
        self.0.iter().fold(true, |all, x| all & x.is_finite())
    }
}
