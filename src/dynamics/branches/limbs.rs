//! The inverse of the mass matrix and products with it, of robots whose limbs are chains that hang from the base: by the blocks of
//! the limbs, four of them abreast.
//!
//! Of limb `k` let `M_k` be the block of the mass matrix, and `H_k` what couples it to a free base, whose block is `B`. Then with
//!
//! ```text
//! N_k = −M_k⁻¹        Z_k = N_k H_k        P = −(B + Σ H_kᵀ Z_k)⁻¹        W_k = Z_k P
//! ```
//!
//! there are, with δ = 1 where `k` is `l` and else 0,
//!
//! ```text
//!         [ P     W_lᵀ             ]            [ x₀ ]   [ b             ]
//! −M⁻¹ =  [ W_k   δ N_k + W_k Z_lᵀ ]      −M⁻¹  [ x_k ] = [ N_k x_k + Z_k b ]      b = P (x₀ + Σ Z_lᵀ x_l)      (1)
//! ```
//!
//! so that columns of one limb, which have nothing in the rows of others, reach these through six numbers. On a fixed base nothing
//! couples limbs.

use super::four::{ABREAST, Four, gather};
use super::mass_matrix::Composite;
use super::ranks::{Limb, Place};
use super::{Memory, Ranks};
use crate::dynamics::singular;
use gradyn_derivatives::simd::{Kernel, Register};
use gradyn_derivatives::{Lanes, MulAdd, Real};
use std::ops::Range;

/// Degrees of freedom of a free base.
const BASE: usize = 6;

/// A number for each of these.
type Six = [Four; BASE];

/// What four limbs are inverted by.
#[derive(Clone, Debug)]
pub(super) struct Inverted {
    /// The lower triangle of `N`, row by row.
    n: Vec<Four>,
    h: Vec<Six>,
    z: Vec<Six>,
    w: Vec<Six>,
    /// A column, or part of one.
    x: Vec<Four>,
}

impl Inverted {
    pub(super) fn new(limb: &Limb) -> Self {
        let n = limb.places.len();
        let six = vec![[Four::ZERO; BASE]; n];
        Self { n: vec![Four::ZERO; n * (n + 1) / 2], h: six.clone(), z: six.clone(), w: six, x: vec![Four::ZERO; n] }
    }
}

/// Where the entry in row `r` and column `c`, or the other way round, stands in a lower triangle.
#[inline(always)]
fn at(r: usize, c: usize) -> usize {
    let (high, low) = if r < c { (c, r) } else { (r, c) };
    high * (high + 1) / 2 + low
}

/// The inverse of a mass matrix, nv × nv, whose composite bodies stand in `memory`; entries that the tree makes zero are not
/// written.
pub(super) struct Inverse<'a> {
    pub(super) ranks: &'a Ranks,
    pub(super) memory: &'a mut Memory,
    pub(super) mass: &'a [f64],
    pub(super) to: &'a mut [f64],
}

impl Kernel for Inverse<'_> {
    /// Is no pivot lost?
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { ranks, memory: Memory { composites, limbs, base, .. }, mass, to } = self;
        for (limb, of) in ranks.limbs.iter().zip(&mut *limbs) {
            if !invert_limbs::<R::Low>(limb, composites, mass, of) {
                return false;
            }
            if ranks.floats {
                couple::<R::Low>(limb, mass, of);
            }
        }
        if ranks.floats {
            let Some(p) = invert_base::<R::Low>(ranks, composites, mass, limbs) else { return false };
            *base = p;
            for (limb, of) in ranks.limbs.iter().zip(&mut *limbs) {
                write_base::<R::Low>(limb, of, base, ranks.nv, to);
            }
        }
        for (g, limb) in ranks.limbs.iter().enumerate() {
            write_own::<R::Low>(limb, &limbs[g], ranks.floats, to);
            if ranks.floats {
                let own = (limb, &limbs[g]);
                write_pairs::<R::Low, 1>(own, own, to, ABREAST);
                // Each pair comes twice, two lanes apart.
                write_pairs::<R::Low, 2>(own, own, to, 2);
                for other in ranks.limbs.iter().zip(limbs.iter()).skip(g + 1) {
                    write_pairs::<R::Low, 0>(own, other, to, ABREAST);
                    write_pairs::<R::Low, 1>(own, other, to, ABREAST);
                    write_pairs::<R::Low, 2>(own, other, to, ABREAST);
                    write_pairs::<R::Low, 3>(own, other, to, ABREAST);
                }
            }
        }
        true
    }
}

/// `N` of four limbs. Is no pivot lost? The last body gives way first: these are the pivots of articulated bodies.
#[inline(always)]
fn invert_limbs<R: Register>(limb: &Limb, composites: &[Composite], mass: &[f64], of: &mut Inverted) -> bool {
    let Inverted { n, x, .. } = of;
    let count = limb.places.len();
    for (r, row) in limb.places.iter().enumerate() {
        for (c, column) in limb.places[..=r].iter().enumerate() {
            n[at(r, c)] = entries(mass, row, column);
        }
    }
    let mut p = count;
    while p > 0 {
        p -= 1;
        let pivot = n[at(p, p)].load::<R>();
        let trace = composites[limb.places[p].rank].second_trace::<R>();
        if singular::is_lost(pivot, trace + trace) {
            return false;
        }
        sweep::<R>(n, x, p, pivot.recip());
    }
    true
}

/// `H` and `Z` of four limbs.
#[inline(always)]
fn couple<R: Register>(limb: &Limb, mass: &[f64], of: &mut Inverted) {
    let Inverted { n, h, z, .. } = of;
    for (h, place) in h.iter_mut().zip(&limb.places) {
        let (six, live) = (six_of::<R>(mass, &place.columns), place.live.load());
        let mut i = 0;
        while i < BASE {
            h[i].store(six[i] * live);
            i += 1;
        }
    }
    for (r, z) in z.iter_mut().enumerate() {
        let mut sums = [Lanes::<R>::zero(); BASE];
        for (c, h) in h.iter().enumerate() {
            let n = n[at(r, c)].load::<R>();
            let mut i = 0;
            while i < BASE {
                sums[i] = n.mul_plus(h[i].load(), sums[i]);
                i += 1;
            }
        }
        store_six(z, &sums);
    }
}

/// Exchanges row `p` of `y = N x` with its column; when all have been, `x = −N⁻¹ y`.
#[inline(always)]
fn sweep<R: Register>(n: &mut [Four], x: &mut [Four], p: usize, reciprocal: Lanes<R>) {
    let count = x.len();
    for (i, x) in x.iter_mut().enumerate() {
        *x = n[at(i, p)];
    }
    for i in 0..count {
        let part = x[i].load::<R>() * reciprocal;
        if i == p {
            n[at(p, p)].store(-reciprocal);
            continue;
        }
        for j in 0..=i {
            if j != p {
                let entry = &mut n[at(i, j)];
                entry.store((-part).mul_plus(x[j].load(), entry.load()));
            }
        }
        n[at(i, p)].store(part);
    }
}

/// `P`, each number in all lanes; nothing if a pivot is lost.
#[inline(always)]
fn invert_base<R: Register>(
    ranks: &Ranks,
    composites: &[Composite],
    mass: &[f64],
    limbs: &[Inverted],
) -> Option<[Six; BASE]> {
    let whole = composites[0].total(&ranks.ranks[0]);
    let scale = [whole.mass, 2.0 * whole.second.trace()];
    let mut n = [[0.0; BASE]; BASE];
    for r in 0..BASE {
        for c in 0..=r {
            let mut sum = Lanes::<R>::zero();
            for Inverted { h, z, .. } in limbs {
                for (h, z) in h.iter().zip(z) {
                    sum = h[r].load::<R>().mul_plus(z[c].load(), sum);
                }
            }
            let mut four = Four::ZERO;
            four.store(sum);
            n[r][c] = mass[c * ranks.nv + r] + four.sum();
            n[c][r] = n[r][c];
        }
    }
    let mut p = BASE;
    while p > 0 {
        p -= 1;
        let pivot = n[p][p];
        if singular::is_lost(pivot, scale[p / 3]) {
            return None;
        }
        let reciprocal = pivot.recip();
        let column = n[p];
        let mut i = 0;
        while i < BASE {
            let part = column[i] * reciprocal;
            let mut j = 0;
            while j <= i {
                if i != p && j != p {
                    n[i][j] = (-part).mul_plus(column[j], n[i][j]);
                    n[j][i] = n[i][j];
                }
                j += 1;
            }
            (n[i][p], n[p][i]) = (part, part);
            i += 1;
        }
        n[p][p] = -reciprocal;
    }
    Some(n.map(|row| row.map(|x| Four([x; ABREAST]))))
}

/// `W`, and its entries and those of `P`.
#[inline(always)]
fn write_base<R: Register>(limb: &Limb, of: &mut Inverted, p: &[Six; BASE], nv: usize, to: &mut [f64]) {
    for (k, column) in p.iter().enumerate() {
        for (to, x) in to[k * nv..][..BASE].iter_mut().zip(column) {
            *to = -x.0[0];
        }
    }
    for ((z, w), place) in of.z.iter().zip(&mut of.w).zip(&limb.places) {
        let sums = times_base::<R>(p, &load_six(z));
        store_six(w, &sums);
        put_six(to, &place.columns, place.lanes, &sums, true);
        for (i, w) in w.iter().enumerate() {
            for (row, x) in place.rows.iter().zip(w.0).take(place.lanes) {
                to[i * nv + row] = -x;
            }
        }
    }
}

/// `P x`
#[inline(always)]
fn times_base<R: Register>(p: &[Six; BASE], x: &[Lanes<R>; BASE]) -> [Lanes<R>; BASE] {
    let mut sums = [Lanes::zero(); BASE];
    let mut i = 0;
    while i < BASE {
        let mut sum = p[i][0].load::<R>() * x[0];
        let mut j = 1;
        while j < BASE {
            sum = p[i][j].load::<R>().mul_plus(x[j], sum);
            j += 1;
        }
        sums[i] = sum;
        i += 1;
    }
    sums
}

/// `−(N + W Zᵀ)` of the limbs with themselves.
#[inline(always)]
fn write_own<R: Register>(limb: &Limb, of: &Inverted, floats: bool, to: &mut [f64]) {
    for (r, row) in limb.places.iter().enumerate() {
        for (c, column) in limb.places[..=r].iter().enumerate() {
            let mut x = of.n[at(r, c)].load::<R>();
            if floats {
                x = dot_plus(&of.w[r], &load_six(&of.z[c]), x);
            }
            let x = -x;
            put::<R, 0>(to, row, column, x, ABREAST);
            put::<R, 0>(to, column, row, x, ABREAST);
        }
    }
}

/// `−W Zᵀ` of each limb with the one `S` lanes further, and the same across the diagonal, in so many lanes.
#[inline(always)]
fn write_pairs<R: Register, const S: usize>(
    (limb, of): (&Limb, &Inverted),
    (other, with): (&Limb, &Inverted),
    to: &mut [f64],
    lanes: usize,
) {
    for (z, column) in with.z.iter().zip(&other.places) {
        let z = rotated_six::<R, S>(&load_six(z));
        for (w, row) in of.w.iter().zip(&limb.places) {
            let x = (-dot_plus(w, &z, Lanes::zero())).0.to_array();
            let mut k = 0;
            while k < lanes {
                let l = (k + S) % ABREAST;
                if k < row.lanes && l < column.lanes {
                    to[column.columns[l] + row.rows[k]] = x[k];
                    to[row.columns[k] + column.rows[l]] = x[k];
                }
                k += 1;
            }
        }
    }
}

/// `to = −M⁻¹ from` of a matrix with the zeros of the mass matrix, after [`Inverse`]: the columns of limbs, and some of those of a free
/// base.
pub(super) struct Product<'a> {
    pub(super) ranks: &'a Ranks,
    pub(super) memory: &'a mut Memory,
    pub(super) of_base: Range<usize>,
    pub(super) from: &'a [f64],
    pub(super) to: &'a mut [f64],
}

impl Kernel for Product<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { ranks, memory: Memory { limbs, base, .. }, of_base, from, to } = self;
        for (g, limb) in ranks.limbs.iter().enumerate() {
            for column in &limb.places {
                let mut x = std::mem::take(&mut limbs[g].x);
                for (x, row) in x.iter_mut().zip(&limb.places) {
                    *x = entries(from, row, column);
                }
                let b = if ranks.floats {
                    let six = six_of::<R::Low>(from, &column.columns);
                    times_base(base, &transposed_times_plus(&limbs[g].z, &x, six))
                } else {
                    [Lanes::zero(); BASE]
                };
                for (r, row) in limb.places.iter().enumerate() {
                    let own = times(&limbs[g].n, r, &x);
                    put::<R::Low, 0>(to, row, column, dot_plus(&limbs[g].z[r], &b, own), ABREAST);
                }
                limbs[g].x = x;
                if ranks.floats {
                    put_six(to, &column.columns, column.lanes, &b, false);
                    for (h, (other, of)) in ranks.limbs.iter().zip(limbs.iter()).enumerate() {
                        if h != g {
                            pass_on::<R::Low, 0>(other, of, column, &b, to);
                        }
                        pass_on::<R::Low, 1>(other, of, column, &b, to);
                        pass_on::<R::Low, 2>(other, of, column, &b, to);
                        pass_on::<R::Low, 3>(other, of, column, &b, to);
                    }
                }
            }
        }
        for column in of_base {
            let own = column * ranks.nv..(column + 1) * ranks.nv;
            multiply_full::<R::Low>(ranks, limbs, base, &from[own.clone()], &mut to[own]);
        }
    }
}

/// What the base hands on to limbs from columns `S` lanes further.
#[inline(always)]
fn pass_on<R: Register, const S: usize>(
    limb: &Limb,
    of: &Inverted,
    column: &Place,
    b: &[Lanes<R>; BASE],
    to: &mut [f64],
) {
    let b = rotated_six::<R, S>(b);
    for (z, row) in of.z.iter().zip(&limb.places) {
        put::<R, S>(to, row, column, dot_plus(z, &b, Lanes::zero()), ABREAST);
    }
}

/// One column that has entries in all limbs.
#[inline(always)]
fn multiply_full<R: Register>(ranks: &Ranks, limbs: &mut [Inverted], p: &[Six; BASE], from: &[f64], to: &mut [f64]) {
    let mut sums = [Lanes::<R>::zero(); BASE];
    for (limb, of) in ranks.limbs.iter().zip(&mut *limbs) {
        for (x, row) in of.x.iter_mut().zip(&limb.places) {
            x.store(gather::<R>(from, &row.rows));
        }
        sums = transposed_times_plus(&of.z, &of.x, sums);
    }
    let mut six = [Four::ZERO; BASE];
    store_six(&mut six, &sums);
    let mut i = 0;
    while i < BASE {
        six[i] = Four([from[i] + six[i].sum(); ABREAST]);
        i += 1;
    }
    let b = times_base::<R>(p, &load_six(&six));
    let mut i = 0;
    while i < BASE {
        to[i] = b[i].0.to_array()[0];
        i += 1;
    }
    for (limb, of) in ranks.limbs.iter().zip(limbs) {
        for (r, row) in limb.places.iter().enumerate() {
            let x = dot_plus(&of.z[r], &b, times(&of.n, r, &of.x)).0.to_array();
            let mut k = 0;
            while k < row.lanes {
                to[row.rows[k]] = x[k];
                k += 1;
            }
        }
    }
}

/// Entries of a matrix in rows and columns of the same lane.
#[inline(always)]
fn entries(of: &[f64], row: &Place, column: &Place) -> Four {
    let (r, c) = (&row.rows, &column.columns);
    Four([of[c[0] + r[0]], of[c[1] + r[1]], of[c[2] + r[2]], of[c[3] + r[3]]])
}

/// The first six numbers of four columns.
#[inline(always)]
fn six_of<R: Register>(of: &[f64], columns: &[usize; ABREAST]) -> [Lanes<R>; BASE] {
    let [a, b, c, d] =
        [&of[columns[0]..][..BASE], &of[columns[1]..][..BASE], &of[columns[2]..][..BASE], &of[columns[3]..][..BASE]];
    let mut six = [Lanes::zero(); BASE];
    let mut i = 0;
    while i < BASE {
        six[i] = Four([a[i], b[i], c[i], d[i]]).load();
        i += 1;
    }
    six
}

/// Row `r` of `N x`.
#[inline(always)]
fn times<R: Register>(n: &[Four], r: usize, x: &[Four]) -> Lanes<R> {
    let mut sum = Lanes::zero();
    for (c, x) in x.iter().enumerate() {
        sum = n[at(r, c)].load::<R>().mul_plus(x.load(), sum);
    }
    sum
}

/// `Zᵀ x + y`
#[inline(always)]
fn transposed_times_plus<R: Register>(z: &[Six], x: &[Four], mut y: [Lanes<R>; BASE]) -> [Lanes<R>; BASE] {
    for (z, x) in z.iter().zip(x) {
        let x = x.load::<R>();
        let mut i = 0;
        while i < BASE {
            y[i] = z[i].load::<R>().mul_plus(x, y[i]);
            i += 1;
        }
    }
    y
}

/// `z · b + y`
#[inline(always)]
fn dot_plus<R: Register>(z: &Six, b: &[Lanes<R>; BASE], mut y: Lanes<R>) -> Lanes<R> {
    let mut i = 0;
    while i < BASE {
        y = z[i].load::<R>().mul_plus(b[i], y);
        i += 1;
    }
    y
}

/// An entry for each lane in its row, and in the column `S` lanes further, if there are so many.
#[inline(always)]
fn put<R: Register, const S: usize>(to: &mut [f64], row: &Place, column: &Place, x: Lanes<R>, lanes: usize) {
    let x = x.0.to_array();
    let mut k = 0;
    while k < lanes {
        let l = (k + S) % ABREAST;
        if k < row.lanes && l < column.lanes {
            to[column.columns[l] + row.rows[k]] = x[k];
        }
        k += 1;
    }
}

/// The first six numbers of so many columns, or what is opposite to them.
#[inline(always)]
fn put_six<R: Register>(
    to: &mut [f64],
    columns: &[usize; ABREAST],
    lanes: usize,
    six: &[Lanes<R>; BASE],
    opposite: bool,
) {
    let mut rows = [[0.0; ABREAST]; BASE];
    let mut i = 0;
    while i < BASE {
        let [a, b, c, d, ..] = if opposite { -six[i] } else { six[i] }.0.to_array();
        rows[i] = [a, b, c, d];
        i += 1;
    }
    let mut k = 0;
    while k < lanes {
        let six = [rows[0][k], rows[1][k], rows[2][k], rows[3][k], rows[4][k], rows[5][k]];
        to[columns[k]..][..BASE].copy_from_slice(&six);
        k += 1;
    }
}

/// Each lane gets the number `S` lanes further.
#[inline(always)]
fn rotated_six<R: Register, const S: usize>(x: &[Lanes<R>; BASE]) -> [Lanes<R>; BASE] {
    let mut rotated = *x;
    let mut i = 0;
    while i < BASE {
        let x = x[i].0.to_array();
        rotated[i] = Four([x[S % 4], x[(S + 1) % 4], x[(S + 2) % 4], x[(S + 3) % 4]]).load();
        i += 1;
    }
    rotated
}

#[inline(always)]
fn load_six<R: Register>(x: &Six) -> [Lanes<R>; BASE] {
    [x[0].load(), x[1].load(), x[2].load(), x[3].load(), x[4].load(), x[5].load()]
}

#[inline(always)]
fn store_six<R: Register>(to: &mut Six, x: &[Lanes<R>; BASE]) {
    let mut i = 0;
    while i < BASE {
        to[i].store(x[i]);
        i += 1;
    }
}
