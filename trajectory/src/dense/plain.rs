//! Plain matrices and vectors on registers.

use gradyn::derivatives::simd::{Kernel, Register, WIDTH, dispatch};

/// Whether all numbers are finite.
pub(crate) fn is_finite(x: &[f64]) -> bool {
    dispatch(Finite(x)).iter().all(|x| !x.is_nan())
}

struct Finite<'a>(&'a [f64]);

impl Kernel for Finite<'_> {
    /// Zeros, or what is not a number.
    type Output = [f64; WIDTH];
    #[inline(always)]
    fn run<R: Register>(self) -> [f64; WIDTH] {
        let zero = R::splat(0.0);
        // Two sums, so that they do not wait for each other.
        let (mut sum, mut other) = (zero, zero);
        let mut i = 0;
        while i < self.0.len() {
            sum = R::load_first(&self.0[i..]).mul_add(zero, sum);
            if i + WIDTH < self.0.len() {
                other = R::load_first(&self.0[i + WIDTH..]).mul_add(zero, other);
            }
            i += 2 * WIDTH;
        }
        sum.add(other).to_array()
    }
}

/// `to += A x`, A by columns as high as `to`.
pub(crate) fn add_matrix_times(a: &[f64], x: &[f64], to: &mut [f64]) {
    dispatch(Times { a, x, to });
}

struct Times<'a> {
    a: &'a [f64],
    x: &'a [f64],
    to: &'a mut [f64],
}

impl Kernel for Times<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { a, x, to } = self;
        let n = to.len();
        let mut i = 0;
        while i < n {
            let (mut sum, mut other) = (R::load_first(&to[i..]), R::splat(0.0));
            let mut j = 0;
            while j < x.len() {
                sum = R::splat(x[j]).mul_add(R::load_first(&a[j * n..(j + 1) * n][i..]), sum);
                if j + 1 < x.len() {
                    let column = &a[(j + 1) * n..(j + 2) * n];
                    other = R::splat(x[j + 1]).mul_add(R::load_first(&column[i..]), other);
                }
                j += 2;
            }
            sum.add(other).store_first(&mut to[i..]);
            i += WIDTH;
        }
    }
}
