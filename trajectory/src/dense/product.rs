//! `C ± A Bᵀ` of [panels](super::panel), all of it or the lower half.
//!
//! A tile of C stays in registers while A passes by columns and B by numbers: 24 × 8 with AVX-512, as many as its 32
//! registers hold, 8 × 4 with registers of four, 8 × 2 with the plain ones.
//!
//! This table compares the products with those of libraries, on one core of a Xeon with AVX-512 (Sapphire Rapids, rustc
//! 1.95, shared machine, least of many runs): products `[A B]ᵀ V` of n states and m controls, and eliminations of m
//! rows with the square behind them:
//!
//! | n, m | product, here | faer 0.24 | nalgebra 0.35 | elimination, here | faer 0.24 |
//! |---|---|---|---|---|---|
//! | 14, 7 | 0.12 µs (68 Gflop/s) | 0.27 µs | 0.83 µs | 0.24 µs | 0.54 µs |
//! | 36, 12 | 1.16 µs (107 Gflop/s) | 1.36 µs | 9.7 µs | 0.88 µs | 1.33 µs |
//! | 98, 43 | 26.1 µs (104 Gflop/s) | 26.7 µs | 524 µs | 13.3 µs | 19.4 µs |
//!
//! nalgebra is built without its optional library of products, as everywhere here.

use super::panel::{Lanes, Panel};
use gradyn::derivatives::Level;
use gradyn::derivatives::simd::{Kernel, Register, WIDTH, dispatch};

/// What becomes of what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Into {
    /// `C += A Bᵀ`
    Add,
    /// `C −= A Bᵀ`
    Subtract,
}

/// Which blocks of C.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    /// First and end, in blocks.
    pub(crate) rows: (usize, usize),
    /// First and end, in columns; the first one begins a block.
    pub(crate) columns: (usize, usize),
    /// Of a block of columns only the rows from its own number on, and so much further down.
    pub(crate) lower: Option<usize>,
}

/// `C ± A Bᵀ`: rows of A as those of C, rows of B from `b_block` on as columns of C; `inner` columns of both.
pub(crate) fn product(
    a: &Panel,
    (b, b_block): (&Panel, usize),
    inner: usize,
    c: &mut Panel,
    blocks: Blocks,
    into: Into,
) {
    let (a, b, stride) = ((&a.rows[..], a.height), (&b.rows[b_block..], b.height), c.height);
    dispatch(Product { a, b, inner, c: &mut c.rows, stride, blocks, into });
}

/// Operands with their heights.
pub(super) struct Product<'a> {
    pub(super) a: (&'a [Lanes], usize),
    /// From the first row on.
    pub(super) b: (&'a [Lanes], usize),
    pub(super) inner: usize,
    pub(super) c: &'a mut [Lanes],
    pub(super) stride: usize,
    pub(super) blocks: Blocks,
    pub(super) into: Into,
}

impl Kernel for Product<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(mut self) {
        self.multiply::<R>();
    }
}

impl Product<'_> {
    #[inline(always)]
    pub(super) fn multiply<R: Register>(&mut self) {
        let Blocks { rows: (first_row, end_row), columns: (first, end), lower } = self.blocks;
        let mut column = first;
        while column < end {
            let mut row = first_row;
            if let Some(below) = lower
                && column / WIDTH + below > row
            {
                row = column / WIDTH + below;
            }
            let live = if end - column < WIDTH { end - column } else { WIDTH };
            let b = (column - first) / WIDTH;
            if let Level::Avx512 = R::LEVEL {
                while row + 3 <= end_row {
                    self.eight::<R, 3>(row, column, b, live);
                    row += 3;
                }
                if row + 2 == end_row {
                    self.eight::<R, 2>(row, column, b, live);
                } else if row < end_row {
                    self.eight::<R, 1>(row, column, b, live);
                }
            } else {
                while row < end_row {
                    let mut half = 0;
                    while half < live {
                        if let Level::Plain = R::LEVEL {
                            self.tile::<R, 1, 2>(row, column, b, half);
                            half += 2;
                        } else {
                            self.tile::<R, 1, 4>(row, column, b, half);
                            half += 4;
                        }
                    }
                    row += 1;
                }
            }
            column += WIDTH;
        }
    }

    #[inline(always)]
    fn eight<R: Register, const P: usize>(&mut self, row: usize, column: usize, b: usize, live: usize) {
        if live > WIDTH / 2 {
            self.tile::<R, P, 8>(row, column, b, 0);
        } else {
            self.tile::<R, P, 4>(row, column, b, 0);
        }
    }

    /// P blocks of C columns, from column `column + shift` on.
    #[inline(always)]
    fn tile<R: Register, const P: usize, const C: usize>(
        &mut self,
        row: usize,
        column: usize,
        b_row: usize,
        shift: usize,
    ) {
        let Self { a: (a, a_height), b: (b, b_height), inner, stride, into, .. } = *self;
        let mut sums = [[R::splat(0.0); P]; C];
        let mut k = 0;
        while k < inner {
            let from = &a[k * a_height + row..][..P];
            let by = &b[k * b_height + b_row].0;
            let mut x = [R::splat(0.0); P];
            let mut p = 0;
            while p < P {
                x[p] = from[p].load();
                p += 1;
            }
            let mut c = 0;
            while c < C {
                let y = R::splat(by[(shift + c) % WIDTH]);
                let mut p = 0;
                while p < P {
                    sums[c][p] = x[p].mul_add(y, sums[c][p]);
                    p += 1;
                }
                c += 1;
            }
            k += 1;
        }
        // Without a branch: else sums would go through memory at every step above.
        let sign = R::splat(if into == Into::Subtract { -1.0 } else { 1.0 });
        let mut c = 0;
        while c < C {
            let to = &mut self.c[(column + shift + c) * stride + row..][..P];
            let mut p = 0;
            while p < P {
                to[p].store(sums[c][p].mul_add(sign, to[p].load()));
                p += 1;
            }
            c += 1;
        }
    }
}
