//! Elimination of the first rows of a symmetric matrix, of which a [panel](super::panel) holds the lower half:
//!
//! ```text
//! [U  Xᵀ]   [L  ] [1        ] [L  ]ᵀ
//! [X  W ] = [Y 1] [  W − YYᵀ] [Y 1]       Y = X L⁻ᵀ ,   K = U⁻¹ Xᵀ = (Y L⁻¹)ᵀ
//! ```
//!
//! Columns are processed eight at a time: the update by the previous columns is one product, the rest is done in
//! registers.

use super::panel::{Lanes, Panel, block_of};
use super::product::{Blocks, Into, Product};
use gradyn::derivatives::simd::{Kernel, Register, WIDTH, dispatch};

/// L and Y in place of the first n columns, from `matrix` with `height` blocks of rows; reciprocals of the diagonal of
/// L. Rows of U that fill up its last block are zeros. `None` if U is not positive definite.
pub(crate) fn eliminate(matrix: &mut Panel, n: usize, reciprocal: &mut [Lanes]) -> Option<()> {
    dispatch(Eliminate { matrix, n, reciprocal })
}

struct Eliminate<'a> {
    matrix: &'a mut Panel,
    n: usize,
    reciprocal: &'a mut [Lanes],
}

impl Kernel for Eliminate<'_> {
    type Output = Option<()>;
    #[inline(always)]
    fn run<R: Register>(self) -> Option<()> {
        let Self { matrix: Panel { rows, height }, n, reciprocal } = self;
        let height = *height;
        let mut block = 0;
        while block * WIDTH < n {
            let first = block * WIDTH;
            let live = if n - first < WIDTH { n - first } else { WIDTH };
            let (before, own) = rows.split_at_mut(first * height);
            let blocks = Blocks { rows: (block, height), columns: (0, live), lower: None };
            let (a, b) = ((&*before, height), (&before[block.min(before.len())..], height));
            Product { a, b, inner: first, c: own, stride: height, blocks, into: Into::Subtract }.multiply::<R>();
            // The block on the diagonal.
            let mut l = [[0.0; WIDTH]; WIDTH];
            let mut x = block_of::<R>(own, height, block, 0);
            let inverse = &mut reciprocal[block].0;
            let mut j = 0;
            while j < live {
                let pivot = x[j].to_array()[j];
                if !(pivot > 0.0 && pivot < f64::INFINITY) {
                    return None;
                }
                inverse[j] = 1.0 / pivot.sqrt();
                x[j] = x[j].mul(R::splat(inverse[j]));
                l[j] = x[j].to_array();
                own[j * height + block].store(x[j]);
                let minus = x[j].neg();
                let mut i = j + 1;
                while i < live {
                    x[i] = minus.mul_add(R::splat(l[j][i]), x[i]);
                    i += 1;
                }
                j += 1;
            }
            // The rows below.
            let mut row = block + 1;
            while row < height {
                let mut x = block_of::<R>(own, height, row, 0);
                let mut j = 0;
                while j < live {
                    x[j] = x[j].mul(R::splat(inverse[j]));
                    own[j * height + row].store(x[j]);
                    let minus = x[j].neg();
                    let mut i = j + 1;
                    while i < live {
                        x[i] = minus.mul_add(R::splat(l[j][i]), x[i]);
                        i += 1;
                    }
                    j += 1;
                }
                row += 1;
            }
            block += 1;
        }
        Some(())
    }
}

/// `[y; z] := [L⁻¹ y; z − Y L⁻¹ y]`, after [`eliminate`].
pub(crate) fn forward(matrix: &Panel, n: usize, reciprocal: &[Lanes], x: &mut [Lanes]) {
    dispatch(Forward { matrix, n, reciprocal, x });
}

struct Forward<'a> {
    matrix: &'a Panel,
    n: usize,
    reciprocal: &'a [Lanes],
    x: &'a mut [Lanes],
}

impl Kernel for Forward<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { matrix: Panel { rows, height }, n, reciprocal, x } = self;
        let mut j = 0;
        while j < n {
            let (block, lane) = (j / WIDTH, j % WIDTH);
            let y = x[block].0[lane] * reciprocal[block].0[lane];
            let column = &rows[j * height..][..*height];
            let by = R::splat(-y);
            let mut b = block;
            while b < *height {
                x[b].store(column[b].load::<R>().mul_add(by, x[b].load()));
                b += 1;
            }
            x[block].0[lane] = y;
            j += 1;
        }
    }
}

/// `Y := Y L⁻¹`, for any rows Y as a panel of n columns; `turned` becomes `Lᵀ` off the diagonal.
pub(crate) fn back(matrix: &Panel, n: usize, reciprocal: &[Lanes], turned: &mut Panel, y: &mut Panel) {
    dispatch(Back { matrix, n, reciprocal, turned, y });
}

struct Back<'a> {
    matrix: &'a Panel,
    n: usize,
    reciprocal: &'a [Lanes],
    turned: &'a mut Panel,
    y: &'a mut Panel,
}

impl Kernel for Back<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { matrix, n, reciprocal, turned, y } = self;
        let (height, blocks) = (y.height, n.div_ceil(WIDTH));
        let mut block = blocks;
        while block > 0 {
            block -= 1;
            let first = block * WIDTH;
            let live = if n - first < WIDTH { n - first } else { WIDTH };
            // Columns of Lᵀ that earlier blocks need.
            let mut c = 0;
            while c < block {
                let x = R::transpose(block_of::<R>(&matrix.rows, matrix.height, block, c * WIDTH));
                let mut i = 0;
                while i < WIDTH {
                    turned.rows[(first + i) * turned.height + c].store(x[i]);
                    i += 1;
                }
                c += 1;
            }
            if first + live < n {
                let (own, after) = y.rows.split_at_mut((first + WIDTH) * height);
                let b = &turned.rows[(first + WIDTH) * turned.height..][block..];
                let cells = Blocks { rows: (0, height), columns: (first, first + live), lower: None };
                let (a, b, inner) = ((&*after, height), (b, turned.height), n - first - WIDTH);
                Product { a, b, inner, c: own, stride: height, blocks: cells, into: Into::Subtract }.multiply::<R>();
            }
            let mut l = [[0.0; WIDTH]; WIDTH];
            let mut j = 0;
            while j < live {
                l[j] = matrix.rows[(first + j) * matrix.height + block].0;
                j += 1;
            }
            let inverse = &reciprocal[block].0;
            let mut row = 0;
            while row < height {
                let mut x = block_of::<R>(&y.rows, height, row, first);
                let mut j = live;
                while j > 0 {
                    j -= 1;
                    x[j] = x[j].mul(R::splat(inverse[j]));
                    y.rows[(first + j) * height + row].store(x[j]);
                    let minus = x[j].neg();
                    let mut i = 0;
                    while i < j {
                        x[i] = minus.mul_add(R::splat(l[i][j]), x[i]);
                        i += 1;
                    }
                }
                row += 1;
            }
        }
    }
}

/// `to += A x`: a panel times a vector.
pub(crate) fn add_times(a: &Panel, x: &[f64], to: &mut [Lanes]) {
    dispatch(Times { a, x, to });
}

struct Times<'a> {
    a: &'a Panel,
    x: &'a [f64],
    to: &'a mut [Lanes],
}

impl Kernel for Times<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { a: Panel { rows, height }, x, to } = self;
        if *height == 0 {
            return;
        }
        let to = &mut to[..*height];
        for (x, column) in x.iter().zip(rows.chunks_exact(*height)) {
            let x = R::splat(*x);
            let mut b = 0;
            while b < *height {
                to[b].store(column[b].load::<R>().mul_add(x, to[b].load()));
                b += 1;
            }
        }
    }
}

/// `W −= Y Yᵀ`, the lower half, after [`eliminate`]. W begins at this block of rows and columns and has so many
/// columns.
pub(crate) fn subtract_square(matrix: &mut Panel, n: usize, (first, columns): (usize, usize)) {
    let height = matrix.height;
    let (y, w) = matrix.rows.split_at_mut(first * WIDTH * height);
    let blocks = Blocks { rows: (first, height), columns: (0, columns), lower: Some(first) };
    let (a, b) = ((&*y, height), (&y[first..], height));
    dispatch(Product { a, b, inner: n, c: w, stride: height, blocks, into: Into::Subtract });
}
