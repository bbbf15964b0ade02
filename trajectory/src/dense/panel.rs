//! Matrices by columns, each starting at a register and padded with zeros, and copies between them and plain ones.

use gradyn::derivatives::simd::{Kernel, Register, WIDTH, dispatch};
use nalgebra::DMatrix;

/// Eight rows of a column, where a register is read at once.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Lanes(pub(crate) [f64; WIDTH]);

impl Lanes {
    pub(crate) const ZERO: Self = Self([0.0; WIDTH]);

    #[inline(always)]
    pub(crate) fn load<R: Register>(&self) -> R {
        R::from_array(self.0)
    }
    #[inline(always)]
    pub(crate) fn store<R: Register>(&mut self, x: R) {
        self.0 = x.to_array();
    }
}

/// A matrix of blocks of eight rows. Entry (i, j) is number `i % 8` of row `j · height + i / 8`.
#[derive(Clone, Debug)]
pub(crate) struct Panel {
    pub(crate) rows: Vec<Lanes>,
    /// Blocks of eight rows.
    pub(crate) height: usize,
}

impl Panel {
    /// Zeros: so many blocks of eight rows, so many columns, the last of which may fill up a block.
    pub(crate) fn new(height: usize, columns: usize) -> Self {
        Self { rows: vec![Lanes::ZERO; height * columns.next_multiple_of(WIDTH)], height }
    }
    /// An entry.
    pub(crate) fn at(&self, i: usize, j: usize) -> f64 {
        self.rows[j * self.height + i / WIDTH].0[i % WIDTH]
    }
    /// An entry, to be written.
    pub(crate) fn at_mut(&mut self, i: usize, j: usize) -> &mut f64 {
        &mut self.rows[j * self.height + i / WIDTH].0[i % WIDTH]
    }
    /// Columns of a matrix, from a block of rows and a column on, in place of what is there, or added to it.
    pub(crate) fn put(&mut self, from: &[f64], height: usize, (block, column): (usize, usize), add: bool) {
        let rows = &mut self.rows[column * self.height..];
        dispatch(Put { from, height, rows, stride: self.height, block, add });
    }
    /// Columns from..from + n of a matrix as rows: row j of the panel from a block on is column j.
    pub(crate) fn put_transposed(&mut self, from: &[f64], height: usize, rows: (usize, usize), block: usize) {
        dispatch(Transpose { from, height, rows, to: &mut self.rows, stride: self.height, block });
    }
}

/// See [`Panel::put`].
struct Put<'a> {
    from: &'a [f64],
    height: usize,
    rows: &'a mut [Lanes],
    stride: usize,
    block: usize,
    add: bool,
}

impl Kernel for Put<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { from, height, rows, stride, block, add } = self;
        if height == 0 {
            return;
        }
        let blocks = height.div_ceil(WIDTH);
        for (from, to) in from.chunks_exact(height).zip(rows.chunks_exact_mut(stride)) {
            let to = &mut to[block..block + blocks];
            let mut b = 0;
            while b < blocks {
                let x = R::load_first(&from[b * WIDTH..]);
                to[b].store(if add { to[b].load::<R>().add(x) } else { x });
                b += 1;
            }
        }
    }
}

/// See [`Panel::put_transposed`]: rows `rows.0..rows.1` of the matrix become columns.
struct Transpose<'a> {
    from: &'a [f64],
    height: usize,
    rows: (usize, usize),
    to: &'a mut [Lanes],
    stride: usize,
    block: usize,
}

impl Kernel for Transpose<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { from, height, rows: (first, end), to, stride, block } = self;
        if height == 0 {
            return;
        }
        let columns = from.len() / height;
        let mut j = 0;
        while j * WIDTH < columns {
            let mut i = first;
            while i < end {
                let mut registers = [R::splat(0.0); WIDTH];
                let mut c = 0;
                while c < WIDTH && j * WIDTH + c < columns {
                    registers[c] = R::load_first(&from[(j * WIDTH + c) * height..][i..end]);
                    c += 1;
                }
                let registers = R::transpose(registers);
                let live = if end - i < WIDTH { end - i } else { WIDTH };
                let mut c = 0;
                while c < live {
                    to[(i - first + c) * stride + block + j].store(registers[c]);
                    c += 1;
                }
                i += WIDTH;
            }
            j += 1;
        }
    }
}

/// Writes the transpose of a panel's first rows and columns: columns of `to` are rows of the panel.
pub(crate) fn write_transposed(from: &Panel, block: usize, to: &mut DMatrix<f64>) {
    let (height, columns) = to.shape();
    dispatch(WriteTransposed { from, block, to: to.as_mut_slice(), height, columns });
}

struct WriteTransposed<'a> {
    from: &'a Panel,
    block: usize,
    to: &'a mut [f64],
    height: usize,
    columns: usize,
}

impl Kernel for WriteTransposed<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { from, block, to, height, columns } = self;
        let mut i = 0;
        while i < columns {
            let mut j = 0;
            while j < height {
                let registers = block_of::<R>(&from.rows, from.height, block + i / WIDTH, j);
                store_columns(R::transpose(registers), to, (height, columns), (j, i));
                j += WIDTH;
            }
            i += WIDTH;
        }
    }
}

/// A block of a panel, from a column on.
#[inline(always)]
pub(crate) fn block_of<R: Register>(rows: &[Lanes], stride: usize, block: usize, column: usize) -> [R; WIDTH] {
    let mut registers = [R::splat(0.0); WIDTH];
    let mut c = 0;
    while c < WIDTH {
        registers[c] = rows[(column + c) * stride + block].load();
        c += 1;
    }
    registers
}

/// Registers as columns of a plain matrix from an entry on, as far as it reaches.
#[inline(always)]
fn store_columns<R: Register>(
    registers: [R; WIDTH],
    to: &mut [f64],
    (height, columns): (usize, usize),
    (row, column): (usize, usize),
) {
    let mut c = 0;
    while c < WIDTH && column + c < columns {
        registers[c].store_first(&mut to[(column + c) * height..(column + c + 1) * height][row..]);
        c += 1;
    }
}

/// Writes a symmetric matrix of which a panel holds the lower half, from an entry of its diagonal on.
pub(crate) fn write_symmetric(from: &Panel, block: usize, to: &mut DMatrix<f64>) {
    let n = to.nrows();
    dispatch(WriteSymmetric { from, block, to: to.as_mut_slice(), n });
}

struct WriteSymmetric<'a> {
    from: &'a Panel,
    block: usize,
    to: &'a mut [f64],
    n: usize,
}

impl Kernel for WriteSymmetric<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { from, block, to, n } = self;
        let mut j = 0;
        while j < n {
            let mut i = j;
            while i < n {
                let mut registers = block_of::<R>(&from.rows, from.height, block + i / WIDTH, block * WIDTH + j);
                if i == j {
                    let mut whole = [[0.0; WIDTH]; WIDTH];
                    let mut c = 0;
                    while c < WIDTH {
                        whole[c] = registers[c].to_array();
                        let mut r = 0;
                        while r < c {
                            whole[c][r] = whole[r][c];
                            r += 1;
                        }
                        registers[c] = R::from_array(whole[c]);
                        c += 1;
                    }
                } else {
                    store_columns(R::transpose(registers), to, (n, n), (j, i));
                }
                store_columns(registers, to, (n, n), (i, j));
                i += WIDTH;
            }
            j += WIDTH;
        }
    }
}
