//! Matrices in blocks of eight by eight numbers, one register per row, and the steps of factorizations.
//! Serves: `kernels/blocks/factors.rs`, `kernels/by_joint/constraints/solve.rs`. Test:
//! `forward_dynamics::factors_of_the_mass_matrix`.

pub(crate) mod elimination;
pub(crate) mod factors;
pub(crate) mod inverse;
pub(crate) mod product;
pub(crate) mod substitution;
pub(crate) mod transpose;

use crate::formulas::singular;
use crate::kernels::outcome::Lost;
use crate::kernels::rows::store_left;
use crate::plan::Row;
use gradyn_derivatives::{Lanes, Level, Register, WIDTH};

/// Eight rows.
pub(crate) type Block = [Row; WIDTH];

pub(crate) const ZERO: Block = [Row::ZERO; WIDTH];

/// Where row `k` of a matrix in blocks has its entries from column `8 b` on.
#[inline(always)]
pub(crate) fn place(width: usize, k: usize, b: usize) -> usize {
    (k / WIDTH * width + b) * WIDTH + k % WIDTH
}

#[inline(always)]
pub(crate) fn load<R: Register>(block: &Block) -> [R; WIDTH] {
    let mut rows = [R::splat(0.0); WIDTH];
    let mut k = 0;
    while k < WIDTH {
        rows[k] = block[k].load().0;
        k += 1;
    }
    rows
}

#[inline(always)]
pub(crate) fn store<R: Register>(block: &mut Block, rows: &[R; WIDTH]) {
    let mut k = 0;
    while k < WIDTH {
        block[k].store(Lanes(rows[k]));
        k += 1;
    }
}

/// A copy through registers.
#[inline(always)]
pub(crate) fn copy<R: Register>(from: &Block, to: &mut Block) {
    store(to, &load::<R>(from));
}

/// Each row times its number.
#[inline(always)]
pub(crate) fn scale<R: Register>(rows: &mut [R; WIDTH], by: &Row) {
    let mut k = 0;
    while k < WIDTH {
        rows[k] = rows[k].mul(R::splat(by.0[k]));
        k += 1;
    }
}

/// `sums += A B`, or with `TRANSPOSED` `sums += Aᵀ B`; the sign of the product is turned with `MINUS`. Only the first
/// `rows` rows of the result, and the first `inner` rows of `B`, are not zero.
#[inline(always)]
pub(crate) fn add_product<R: Register, const TRANSPOSED: bool, const MINUS: bool>(
    sums: &mut [R; WIDTH],
    a: &Block,
    b: &Block,
    (rows, inner): (usize, usize),
) {
    // As many rows at a time as the level has registers for, and half of them where that is enough.
    if R::LEVEL == Level::Avx512 && rows > 4 {
        add_rows::<R, WIDTH, TRANSPOSED, MINUS>(sums, 0, a, b, inner);
        return;
    }
    add_rows::<R, 4, TRANSPOSED, MINUS>(sums, 0, a, b, inner);
    if rows > 4 {
        add_rows::<R, 4, TRANSPOSED, MINUS>(sums, 4, a, b, inner);
    }
}

#[inline(always)]
fn add_rows<R: Register, const N: usize, const TRANSPOSED: bool, const MINUS: bool>(
    sums: &mut [R; WIDTH],
    first: usize,
    a: &Block,
    b: &Block,
    inner: usize,
) {
    let mut own = [R::splat(0.0); N];
    let mut r = 0;
    while r < N {
        own[r] = sums[first + r];
        r += 1;
    }
    for (k, row) in b[..inner.min(WIDTH)].iter().enumerate() {
        let row: R = row.load().0;
        let row = if MINUS { row.neg() } else { row };
        let mut r = 0;
        while r < N {
            let x = if TRANSPOSED { a[k & (WIDTH - 1)].0[first + r] } else { a[first + r].0[k & (WIDTH - 1)] };
            own[r] = R::splat(x).mul_add(row, own[r]);
            r += 1;
        }
    }
    let mut r = 0;
    while r < N {
        sums[first + r] = own[r];
        r += 1;
    }
}

/// Factors of a block on the diagonal, last row first: `L` without its diagonal into `l`, one over the pivots into
/// `reciprocal`; and with `SOLVE` `x := Lᵀ⁻¹ x`. What stands right of the diagonal is not read. Rows from `live` on are
/// none. The result is the first row whose pivot is lost, and the pivot.
#[inline(always)]
pub(crate) fn eliminate<R: Register, const SOLVE: bool>(
    h: &Block,
    l: &mut Block,
    reciprocal: &mut Row,
    scale: &Row,
    live: usize,
    x: &mut R,
) -> Option<Lost> {
    let mut rows = load::<R>(h);
    let mut lost = None;
    macro_rules! steps {
        ($($k:literal)*) => { $(
            if $k < live && lost.is_none() {
                lost = eliminate_row::<R, SOLVE, $k>(&mut rows, l, reciprocal, scale, x);
            }
        )* };
    }
    steps!(7 6 5 4 3 2 1 0);
    lost
}

/// One row of it: `rows[i] −= h_ki / h_kk · rows[k]`, and `x −= l_k x_k`.
#[inline(always)]
fn eliminate_row<R: Register, const SOLVE: bool, const K: usize>(
    rows: &mut [R; WIDTH],
    l: &mut Block,
    reciprocal: &mut Row,
    scale: &Row,
    x: &mut R,
) -> Option<Lost> {
    let row = rows[K];
    let h = row.to_array();
    let pivot = h[K];
    if singular::is_lost(pivot, scale.0[K]) || !pivot.is_finite() {
        return Some((K, pivot));
    }
    let inverse = pivot.recip();
    reciprocal.0[K] = inverse;
    let minus = R::splat(-inverse);
    let mut i = 0;
    while i < K {
        // In this order most is done before the quotient is there.
        rows[i] = R::splat(h[i]).mul(row).mul_add(minus, rows[i]);
        i += 1;
    }
    #[expect(clippy::cast_possible_truncation, reason = "eight bits")]
    let before = ((1_u32 << K) - 1) as u8;
    let own = row.mul(R::splat(inverse)).where_else(before, R::splat(0.0));
    l[K].store(Lanes(own));
    if SOLVE {
        *x = own.mul_add(R::splat(-x.to_array()[K]), *x);
    }
    None
}

/// `rows := Lᵀ⁻¹ rows`, with ones on the diagonal of `L`.
#[inline(always)]
pub(crate) fn solve_transposed<R: Register>(l: &Block, rows: &mut [R; WIDTH]) {
    macro_rules! steps {
        ($($k:literal)*) => { $( {
            let minus = rows[$k].neg();
            let mut i = 0;
            while i < $k {
                rows[i] = R::splat(l[$k].0[i]).mul_add(minus, rows[i]);
                i += 1;
            }
        } )* };
    }
    steps!(7 6 5 4 3 2 1);
}

/// `rows := L⁻¹ rows`, with ones on the diagonal of `L`.
#[inline(always)]
pub(crate) fn solve<R: Register>(l: &Block, rows: &mut [R; WIDTH]) {
    macro_rules! steps {
        ($($i:literal)*) => { $( {
            let minus = rows[$i].neg();
            let mut k = $i + 1;
            while k < WIDTH {
                rows[k] = R::splat(l[k].0[$i]).mul_add(minus, rows[k]);
                k += 1;
            }
        } )* };
    }
    steps!(0 1 2 3 4 5 6);
}

/// `x := Lᵀ⁻¹ x` within one block.
#[inline(always)]
pub(crate) fn solve_transposed_one<R: Register>(l: &Block, mut x: R) -> R {
    let mut k = WIDTH;
    while k > 1 {
        k -= 1;
        x = l[k].load::<R>().0.mul_add(R::splat(-x.to_array()[k]), x);
    }
    x
}

/// `x := L⁻¹ x` within one block.
#[inline(always)]
pub(crate) fn solve_one<R: Register>(l: &Block, mut x: R) -> R {
    let columns = R::transpose(load(l));
    let mut i = 0;
    while i + 1 < WIDTH {
        x = columns[i].mul_add(R::splat(-x.to_array()[i]), x);
        i += 1;
    }
    x
}

/// Columns `8 c` on of a matrix, rows from `8 g` on: as many as there are. Its rows and columns.
#[inline(always)]
pub(crate) fn write<R: Register>(columns: &[R; WIDTH], c: usize, g: usize, to: &mut [f64], shape: (usize, usize)) {
    write_at(columns, (c * WIDTH, g * WIDTH), to, shape);
}

/// The same from any column and row on.
#[inline(always)]
pub(crate) fn write_at<R: Register>(
    columns: &[R; WIDTH],
    (column, row): (usize, usize),
    to: &mut [f64],
    (height, width): (usize, usize),
) {
    let to = &mut to[column * height + row..];
    let (left, count) = (height - row, width - column);
    if count >= WIDTH && left >= WIDTH {
        let to = &mut to[..(WIDTH - 1) * height + WIDTH];
        let mut k = 0;
        while k < WIDTH {
            store_left(to, k * height, WIDTH, columns[k]);
            k += 1;
        }
        return;
    }
    let rows = left.min(WIDTH);
    let mut k = 0;
    while k < WIDTH {
        if k < count {
            columns[k].store_first(&mut to[k * height..][..rows]);
        }
        k += 1;
    }
}

/// A block of a symmetric matrix on the other side of the diagonal; of one on the diagonal the block itself, symmetric
/// to the bit: entries right of it are those left of it.
#[inline(always)]
pub(crate) fn mirrored<R: Register>(rows: &[R; WIDTH], diagonal: bool) -> [R; WIDTH] {
    let mut turned = R::transpose(*rows);
    if diagonal {
        let mut k = 0;
        while k < WIDTH {
            #[expect(clippy::cast_possible_truncation, reason = "eight bits")]
            let left = ((1_u32 << k) - 1) as u8;
            turned[k] = rows[k].where_else(left, turned[k]);
            k += 1;
        }
    }
    turned
}
