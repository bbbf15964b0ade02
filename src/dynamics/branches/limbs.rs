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

use super::Ranks;
use super::four::{ABREAST, Four, gather};
use super::mass_matrix::Composite;
use super::ranks::Limb;
use crate::dynamics::singular;
use gradyn_derivatives::simd::{Kernel, Register};
use gradyn_derivatives::{Lanes, MulAdd, Real};
use std::ops::Range;

/// Degrees of freedom of a free base.
const BASE: usize = 6;

/// A number for each of these.
type Six = [Four; BASE];

/// A number for each hinge of the longest limb, which shorter ones are filled up to.
type Column<const N: usize> = [Four; N];

/// What a mass matrix is inverted by, of limbs that have up to so many hinges.
#[derive(Clone, Debug)]
pub(super) enum Inverted {
    Short(Limbs<SHORT>),
    Long(Limbs<LONG>),
}

/// Hinges of a leg.
const SHORT: usize = 3;
/// Hinges of the longest limbs that go this way.
pub(super) const LONG: usize = 6;

/// How many hinges limbs of up to so many are taken to have.
pub(super) fn filled_up_to(hinges: usize) -> usize {
    if hinges <= SHORT { SHORT } else { LONG }
}

#[derive(Clone, Debug)]
pub(super) struct Limbs<const N: usize> {
    limbs: Vec<OfLimb<N>>,
    /// `P`, each number in all lanes.
    base: [Six; BASE],
}

/// What belongs to four limbs: `N`, row by row, and the rows of `H`, `Z` and `W`.
#[derive(Clone, Debug)]
struct OfLimb<const N: usize> {
    n: [Column<N>; N],
    h: [Six; N],
    z: [Six; N],
    w: [Six; N],
}

impl Inverted {
    pub(super) fn new(limbs: &[Limb]) -> Self {
        let most = limbs.iter().map(|limb| limb.places.len()).max().unwrap_or(0);
        match filled_up_to(most) {
            SHORT => Self::Short(Limbs::new(limbs.len())),
            _ => Self::Long(Limbs::new(limbs.len())),
        }
    }
}

impl<const N: usize> Limbs<N> {
    fn new(count: usize) -> Self {
        let six = [[Four::ZERO; BASE]; N];
        let of = OfLimb { n: [[Four::ZERO; N]; N], h: six, z: six, w: six };
        Self { limbs: vec![of; count], base: [[Four::ZERO; BASE]; BASE] }
    }
}

/// The inverse of a mass matrix, nv × nv, whose composite bodies are given.
pub(super) struct Inverse<'a, const N: usize> {
    pub(super) ranks: &'a Ranks,
    pub(super) composites: &'a [Composite],
    pub(super) inverted: &'a mut Limbs<N>,
    pub(super) mass: &'a [f64],
    pub(super) to: &'a mut [f64],
}

impl<const N: usize> Kernel for Inverse<'_, N> {
    /// Is no pivot lost?
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { ranks: Ranks { ranks, limbs, floats, nv, .. }, composites, inverted, mass, to } = self;
        let (floats, nv, Limbs { limbs: inverted, base }) = (*floats, *nv, inverted);
        if !floats {
            to.fill(0.0);
        }
        for (limb, of) in limbs.iter().zip(&mut *inverted) {
            if !invert::<R::Low, N>(limb, composites, mass, nv, of) {
                return false;
            }
            if floats {
                couple::<R::Low, N>(limb, mass, nv, of);
            }
        }
        if floats {
            let whole = composites[0].total(&ranks[0]);
            if !invert_base::<R::Low, N>([whole.mass, 2.0 * whole.second.trace()], mass, nv, inverted, base) {
                return false;
            }
            write_base(base, nv, to);
            for (limb, of) in limbs.iter().zip(&mut *inverted) {
                write_coupling::<R::Low, N>(limb, of, base, nv, to);
            }
        }
        for (g, (limb, of)) in limbs.iter().zip(&*inverted).enumerate() {
            write_own::<R::Low, N>(limb, of, floats, nv, to);
            if floats {
                for (other, with) in limbs.iter().zip(&*inverted).skip(g + 1) {
                    write_others::<R::Low, N>((limb, of), (other, with), nv, to);
                }
            }
        }
        true
    }
}

/// `N` of four limbs. Is no pivot lost? The last body gives way first: these are the pivots of articulated bodies.
#[inline(always)]
fn invert<R: Register, const N: usize>(
    limb: &Limb,
    composites: &[Composite],
    mass: &[f64],
    nv: usize,
    of: &mut OfLimb<N>,
) -> bool {
    let mut n = [[Lanes::<R>::zero(); N]; N];
    let mut c = 0;
    while c < N {
        let (column, live) = (read_column::<R, N>(limb, c, mass, nv), limb.live(c).load::<R>());
        let mut r = c;
        while r < N {
            // What a limb is filled up with is by itself.
            let filled = if r == c { Lanes::<R>::one() - live } else { Lanes::zero() };
            let entry = (column[r] * limb.live(r).load()).mul_plus(live, filled);
            (n[r][c], n[c][r]) = (entry, entry);
            r += 1;
        }
        c += 1;
    }
    let mut p = N;
    while p > 0 {
        p -= 1;
        let pivot = n[p][p];
        let trace = composites[limb.place(p).rank].second_trace::<R>() * limb.live(p).load();
        if singular::is_lost(pivot, trace + trace) {
            return false;
        }
        // Row p of `y = N x` is exchanged with its column; when all have been, `x = −N⁻¹ y`.
        let (reciprocal, row) = (pivot.recip(), n[p]);
        let mut i = 0;
        while i < N {
            let part = row[i] * reciprocal;
            let mut j = 0;
            while j <= i {
                if i != p && j != p {
                    n[i][j] = (-part).mul_plus(row[j], n[i][j]);
                    n[j][i] = n[i][j];
                }
                j += 1;
            }
            (n[i][p], n[p][i]) = (part, part);
            i += 1;
        }
        n[p][p] = -reciprocal;
    }
    let mut r = 0;
    while r < N {
        let mut c = 0;
        while c < N {
            of.n[r][c].store(n[r][c]);
            c += 1;
        }
        r += 1;
    }
    true
}

/// `H` and `Z` of four limbs.
#[inline(always)]
fn couple<R: Register, const N: usize>(limb: &Limb, mass: &[f64], nv: usize, of: &mut OfLimb<N>) {
    let mut c = 0;
    while c < N {
        let (six, live) = (read_six::<R>(limb, c, mass, nv), limb.live(c).load());
        let mut i = 0;
        while i < BASE {
            of.h[c][i].store(six[i] * live);
            i += 1;
        }
        c += 1;
    }
    let mut r = 0;
    while r < N {
        let (mut n, mut k) = ([Lanes::<R>::zero(); N], 0);
        while k < N {
            n[k] = of.n[r][k].load();
            k += 1;
        }
        store_six(&mut of.z[r], &transposed_times_plus(&of.h, &n, [Lanes::zero(); BASE]));
        r += 1;
    }
}

/// `P`. Is no pivot lost? Mass and moment of inertia are what they are compared with.
#[inline(always)]
fn invert_base<R: Register, const N: usize>(
    scale: [f64; 2],
    mass: &[f64],
    nv: usize,
    limbs: &[OfLimb<N>],
    to: &mut [Six; BASE],
) -> bool {
    let mut n = [[0.0; BASE]; BASE];
    let mut r = 0;
    while r < BASE {
        let mut c = 0;
        while c <= r {
            let mut sum = Lanes::<R>::zero();
            for OfLimb { h, z, .. } in limbs {
                let mut k = 0;
                while k < N {
                    sum = h[k][r].load::<R>().mul_plus(z[k][c].load(), sum);
                    k += 1;
                }
            }
            let mut four = Four::ZERO;
            four.store(sum);
            n[r][c] = mass[c * nv + r] + four.sum();
            n[c][r] = n[r][c];
            c += 1;
        }
        r += 1;
    }
    let mut p = BASE;
    while p > 0 {
        p -= 1;
        let pivot = n[p][p];
        if singular::is_lost(pivot, scale[p / 3]) {
            return false;
        }
        let (reciprocal, row) = (pivot.recip(), n[p]);
        let mut i = 0;
        while i < BASE {
            let part = row[i] * reciprocal;
            let mut j = 0;
            while j <= i {
                if i != p && j != p {
                    n[i][j] = (-part).mul_plus(row[j], n[i][j]);
                    n[j][i] = n[i][j];
                }
                j += 1;
            }
            (n[i][p], n[p][i]) = (part, part);
            i += 1;
        }
        n[p][p] = -reciprocal;
    }
    let mut i = 0;
    while i < BASE {
        let mut j = 0;
        while j < BASE {
            to[i][j].store(Lanes(R::splat(n[i][j])));
            j += 1;
        }
        i += 1;
    }
    true
}

/// Entries of `−P`.
#[inline(always)]
fn write_base(p: &[Six; BASE], nv: usize, to: &mut [f64]) {
    let mut k = 0;
    while k < BASE {
        let column = &mut to[k * nv..][..BASE];
        let mut i = 0;
        while i < BASE {
            column[i] = -p[k][i].0[0];
            i += 1;
        }
        k += 1;
    }
}

/// `W`, and its entries on both sides of the diagonal.
#[inline(always)]
fn write_coupling<R: Register, const N: usize>(
    limb: &Limb,
    of: &mut OfLimb<N>,
    p: &[Six; BASE],
    nv: usize,
    to: &mut [f64],
) {
    let mut c = 0;
    while c < N {
        let w = times_base::<R>(p, &load_six(&of.z[c]));
        store_six(&mut of.w[c], &w);
        put_six(limb, c, &[-w[0], -w[1], -w[2], -w[3], -w[4], -w[5]], nv, to);
        c += 1;
    }
    let mut i = 0;
    while i < BASE {
        let rows = &mut to[i * nv..][..nv];
        write_rows(limb, rows, |k, r: usize| -of.w[r][i].0[k], N);
        i += 1;
    }
}

/// Entries of one column in the rows of limbs of up to `n` hinges: lane by lane, row by row.
#[inline(always)]
fn write_rows(limb: &Limb, column: &mut [f64], entry: impl Fn(usize, usize) -> f64, n: usize) {
    if limb.packed {
        let column = &mut column[limb.first[0]..][..ABREAST * n];
        let mut k = 0;
        while k < ABREAST {
            let mut r = 0;
            while r < n {
                column[k * n + r] = entry(k, r);
                r += 1;
            }
            k += 1;
        }
        return;
    }
    let mut k = 0;
    while k < ABREAST {
        let rows = &mut column[limb.first[k]..][..limb.lengths[k]];
        for r in 0..rows.len().min(n) {
            rows[r] = entry(k, r);
        }
        k += 1;
    }
}

/// A column of four limbs in the rows of themselves or of four others, in the lanes of these: entries with limbs so many lanes further.
type Columns<const N: usize> = [Column<N>; ABREAST];

/// Column `c` of four limbs.
#[inline(always)]
fn write_columns<const N: usize>(
    limb: &Limb,
    (other, c): (&Limb, usize),
    columns: &Columns<N>,
    nv: usize,
    to: &mut [f64],
) {
    let mut l = 0;
    while l < ABREAST {
        if c < other.lengths[l] {
            let column = &mut to[(other.first[l] + c) * nv..][..nv];
            write_rows(limb, column, |k, r: usize| columns[(l + ABREAST - k) % ABREAST][r].0[k], N);
        }
        l += 1;
    }
}

/// `−(N + W Zᵀ)` among four limbs, or `−N` where nothing couples them; symmetric to the bit.
#[inline(always)]
fn write_own<R: Register, const N: usize>(limb: &Limb, of: &OfLimb<N>, floats: bool, nv: usize, to: &mut [f64]) {
    let zero = [[Four::ZERO; N]; N];
    let (mut own, mut next, mut second) = (zero, zero, zero);
    if floats {
        (next, second) = (pairs::<R, N, 1>(of, of), pairs::<R, N, 2>(of, of));
    }
    let mut c = 0;
    while c < N {
        let (z, mut r) = (load_six::<R>(&of.z[c]), c);
        while r < N {
            let mut x = of.n[r][c].load::<R>();
            if floats {
                x = dot_plus(&of.w[r], &z, x);
            }
            own[r][c].store(-x);
            own[c][r] = own[r][c];
            r += 1;
        }
        c += 1;
    }
    let mut c = 0;
    while c < N {
        let mut columns = [own[c], next[c], second[c], [Four::ZERO; N]];
        let mut r = 0;
        while r < N {
            // Each pair of limbs is there twice.
            let other = rotated::<R, 2>(second[r][c].load());
            columns[2][r].store(Lanes(second[c][r].load::<R>().0.where_else(0b0011_0011, other.0)));
            columns[3][r].store(rotated::<R, 3>(next[r][c].load()));
            r += 1;
        }
        write_columns(limb, (limb, c), &columns, nv, to);
        c += 1;
    }
}

/// `−W Zᵀ` of four limbs with four others, on both sides of the diagonal.
#[inline(always)]
fn write_others<R: Register, const N: usize>(
    (limb, of): (&Limb, &OfLimb<N>),
    (other, with): (&Limb, &OfLimb<N>),
    nv: usize,
    to: &mut [f64],
) {
    let [a, b, c, d] = [
        pairs::<R, N, 0>(of, with),
        pairs::<R, N, 1>(of, with),
        pairs::<R, N, 2>(of, with),
        pairs::<R, N, 3>(of, with),
    ];
    let mut k = 0;
    while k < N {
        write_columns(limb, (other, k), &[a[k], b[k], c[k], d[k]], nv, to);
        let mut columns = [[Four::ZERO; N]; ABREAST];
        let mut r = 0;
        while r < N {
            columns[0][r] = a[r][k];
            columns[1][r].store(rotated::<R, 1>(d[r][k].load()));
            columns[2][r].store(rotated::<R, 2>(c[r][k].load()));
            columns[3][r].store(rotated::<R, 3>(b[r][k].load()));
            r += 1;
        }
        write_columns(other, (limb, k), &columns, nv, to);
        k += 1;
    }
}

/// Columns of `−W Zᵀ` of each limb with the one `S` lanes further.
#[inline(always)]
fn pairs<R: Register, const N: usize, const S: usize>(of: &OfLimb<N>, with: &OfLimb<N>) -> [Column<N>; N] {
    let mut columns = [[Four::ZERO; N]; N];
    let mut c = 0;
    while c < N {
        let z = rotated_six::<R, S>(&load_six(&with.z[c]));
        let mut r = 0;
        while r < N {
            columns[c][r].store(-dot_plus(&of.w[r], &z, Lanes::zero()));
            r += 1;
        }
        c += 1;
    }
    columns
}

/// `to = −M⁻¹ from` of a matrix with the zeros of the mass matrix, after [`Inverse`]: the columns of limbs, and some of those of a free
/// base.
pub(super) struct Product<'a, const N: usize> {
    pub(super) ranks: &'a Ranks,
    pub(super) inverted: &'a Limbs<N>,
    pub(super) of_base: Range<usize>,
    pub(super) from: &'a [f64],
    pub(super) to: &'a mut [f64],
}

impl<const N: usize> Kernel for Product<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { ranks: Ranks { limbs, floats, nv, .. }, inverted: Limbs { limbs: inverted, base }, .. } = self;
        let Self { of_base, from, to, .. } = self;
        let (floats, nv) = (*floats, *nv);
        if !floats {
            to.fill(0.0);
        }
        for (g, (limb, of)) in limbs.iter().zip(inverted).enumerate() {
            let mut c = 0;
            while c < N {
                let (x, mut b) = (read_column::<R::Low, N>(limb, c, from, nv), [Lanes::<R::Low>::zero(); BASE]);
                if floats {
                    let six = read_six(limb, c, from, nv);
                    b = times_base(base, &transposed_times_plus(&of.z, &x, six));
                    put_six(limb, c, &b, nv, to);
                }
                let mut own = [Four::ZERO; N];
                let mut r = 0;
                while r < N {
                    own[r].store(dot_plus(&of.z[r], &b, dot::<R::Low, N>(&of.n[r], &x)));
                    r += 1;
                }
                for (h, (other, with)) in limbs.iter().zip(inverted).enumerate() {
                    if h == g || floats {
                        let first = if h == g { own } else { pass_on::<R::Low, N, 0>(with, &b) };
                        let mut all = [first; ABREAST];
                        if floats {
                            all[1] = pass_on::<R::Low, N, 1>(with, &b);
                            all[2] = pass_on::<R::Low, N, 2>(with, &b);
                            all[3] = pass_on::<R::Low, N, 3>(with, &b);
                        } else {
                            all[1..].fill([Four::ZERO; N]);
                        }
                        write_columns(other, (limb, c), &all, nv, to);
                    }
                }
                c += 1;
            }
        }
        for column in of_base {
            let own = column * nv..(column + 1) * nv;
            multiply_full::<R::Low, N>(limbs, inverted, base, &from[own.clone()], &mut to[own]);
        }
    }
}

/// What the base hands on to limbs from columns of those `S` lanes further.
#[inline(always)]
fn pass_on<R: Register, const N: usize, const S: usize>(of: &OfLimb<N>, b: &[Lanes<R>; BASE]) -> Column<N> {
    let (b, mut y, mut r) = (rotated_six::<R, S>(b), [Four::ZERO; N], 0);
    while r < N {
        y[r].store(dot_plus(&of.z[r], &b, Lanes::zero()));
        r += 1;
    }
    y
}

/// One column that has entries in all limbs.
#[inline(always)]
fn multiply_full<R: Register, const N: usize>(
    limbs: &[Limb],
    inverted: &[OfLimb<N>],
    p: &[Six; BASE],
    from: &[f64],
    to: &mut [f64],
) {
    let mut sums = [Lanes::<R>::zero(); BASE];
    for (limb, of) in limbs.iter().zip(inverted) {
        sums = transposed_times_plus(&of.z, &read_rows::<R, N>(limb, from), sums);
    }
    let mut six = [Four::ZERO; BASE];
    store_six(&mut six, &sums);
    let mut i = 0;
    while i < BASE {
        sums[i] = Lanes(R::splat(from[i] + six[i].sum()));
        i += 1;
    }
    let b = times_base::<R>(p, &sums);
    store_six(&mut six, &b);
    let mut i = 0;
    while i < BASE {
        to[i] = six[i].0[0];
        i += 1;
    }
    for (limb, of) in limbs.iter().zip(inverted) {
        let (x, mut y, mut r) = (read_rows::<R, N>(limb, from), [Four::ZERO; N], 0);
        while r < N {
            y[r].store(dot_plus(&of.z[r], &b, dot::<R, N>(&of.n[r], &x)));
            r += 1;
        }
        write_rows(limb, to, |k, r: usize| y[r].0[k], N);
    }
}

/// The rows of limbs of one column.
#[inline(always)]
fn read_rows<R: Register, const N: usize>(limb: &Limb, from: &[f64]) -> [Lanes<R>; N] {
    let (mut x, mut r) = ([Lanes::zero(); N], 0);
    while r < N {
        x[r] = gather(from, &limb.place(r).rows);
        r += 1;
    }
    x
}

/// Column `c` of limbs in their own rows.
#[inline(always)]
fn read_column<R: Register, const N: usize>(limb: &Limb, c: usize, from: &[f64], nv: usize) -> [Lanes<R>; N] {
    let [a, b, c, d] = limb.place(c).rows;
    let (a, b) = (&from[a * nv..][..nv], &from[b * nv..][..nv]);
    let (c, d) = (&from[c * nv..][..nv], &from[d * nv..][..nv]);
    let (mut x, mut r) = ([Lanes::zero(); N], 0);
    while r < N {
        let [i, j, k, l] = limb.place(r).rows;
        x[r] = Four([a[i], b[j], c[k], d[l]]).load();
        r += 1;
    }
    x
}

/// Column `c` of limbs in the rows of a free base.
#[inline(always)]
fn read_six<R: Register>(limb: &Limb, c: usize, from: &[f64], nv: usize) -> [Lanes<R>; BASE] {
    let [a, b, c, d] = limb.place(c).rows;
    let (a, b) = (&from[a * nv..][..BASE], &from[b * nv..][..BASE]);
    let (c, d) = (&from[c * nv..][..BASE], &from[d * nv..][..BASE]);
    let (mut six, mut i) = ([Lanes::zero(); BASE], 0);
    while i < BASE {
        six[i] = Four([a[i], b[i], c[i], d[i]]).load();
        i += 1;
    }
    six
}

/// And back.
#[inline(always)]
fn put_six<R: Register>(limb: &Limb, c: usize, six: &[Lanes<R>; BASE], nv: usize, to: &mut [f64]) {
    let mut rows = [Four::ZERO; BASE];
    store_six(&mut rows, six);
    let mut k = 0;
    while k < ABREAST {
        if c < limb.lengths[k] {
            let column = &mut to[(limb.first[k] + c) * nv..][..BASE];
            let mut i = 0;
            while i < BASE {
                column[i] = rows[i].0[k];
                i += 1;
            }
        }
        k += 1;
    }
}

/// `P x`
#[inline(always)]
fn times_base<R: Register>(p: &[Six; BASE], x: &[Lanes<R>; BASE]) -> [Lanes<R>; BASE] {
    let (mut sums, mut i) = ([Lanes::zero(); BASE], 0);
    while i < BASE {
        sums[i] = dot_plus(&p[i], x, Lanes::zero());
        i += 1;
    }
    sums
}

/// `n · x`
#[inline(always)]
fn dot<R: Register, const N: usize>(n: &Column<N>, x: &[Lanes<R>; N]) -> Lanes<R> {
    let (mut sum, mut k) = (Lanes::zero(), 0);
    while k < N {
        sum = n[k].load::<R>().mul_plus(x[k], sum);
        k += 1;
    }
    sum
}

/// `Zᵀ x + y`
#[inline(always)]
fn transposed_times_plus<R: Register, const N: usize>(
    z: &[Six; N],
    x: &[Lanes<R>; N],
    mut y: [Lanes<R>; BASE],
) -> [Lanes<R>; BASE] {
    let mut k = 0;
    while k < N {
        let mut i = 0;
        while i < BASE {
            y[i] = z[k][i].load::<R>().mul_plus(x[k], y[i]);
            i += 1;
        }
        k += 1;
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

/// Each lane gets the number `S` lanes further.
#[inline(always)]
fn rotated<R: Register, const S: usize>(x: Lanes<R>) -> Lanes<R> {
    let x = x.0.to_array();
    Four([x[S % 4], x[(S + 1) % 4], x[(S + 2) % 4], x[(S + 3) % 4]]).load()
}

#[inline(always)]
fn rotated_six<R: Register, const S: usize>(x: &[Lanes<R>; BASE]) -> [Lanes<R>; BASE] {
    let (mut six, mut i) = (*x, 0);
    while i < BASE && S > 0 {
        six[i] = rotated::<R, S>(x[i]);
        i += 1;
    }
    six
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

#[cfg(test)]
mod tests {
    use crate::dynamics::abreast::Table;
    use crate::dynamics::branches::{Memory, Ranks, mass_matrix, minv};
    use crate::joint::{Axis, FreeFlyer, Revolute};
    use crate::model::ModelBuilder;
    use crate::spatial::{Inertia, Symmetric3, Transform};
    use gradyn_derivatives::simd::VectorLevel;
    use nalgebra::{DMatrix, Vector3};

    /// Limbs of any length up to the longest are inverted here: nobody is asked again.
    #[test]
    fn limbs_are_filled_up_to_the_longest() {
        let Some(level) = VectorLevel::active() else { return };
        let lengths: [&[usize]; 5] = [&[3, 3, 3, 3], &[3, 3, 3, 2], &[3, 2, 1, 1, 1, 1], &[4, 4, 4], &[6, 5, 2, 2]];
        for lengths in lengths {
            let mut builder = ModelBuilder::new("limbs");
            let y = Inertia::new(1.0, Vector3::new(0.1, 0.2, 0.3), Symmetric3::diagonal(0.1, 0.2, 0.3));
            let x = Transform::from_translation(Vector3::new(0.1, 0.2, 0.3));
            let base = builder.add_body(None, "base", "root", x, FreeFlyer, y).expect("fits");
            for (limb, joints) in lengths.iter().enumerate() {
                let mut last = base;
                for k in 0..*joints {
                    let (name, axis) = (format!("{limb}.{k}"), if k % 2 == 0 { Axis::Y } else { Axis::X });
                    let joint = Revolute { axis };
                    last = builder.add_body(Some(last), &name, format!("to {name}"), x, joint, y).expect("fits");
                }
            }
            let model = builder.build().expect("builds");
            let ranks = Ranks::new(&model, &Table::new(&model).expect("is of hinges")).expect("has limbs");
            let (mut memory, zero) = (Memory::new(&ranks), DMatrix::zeros(model.nv(), model.nv()));
            let (mut mass, mut inverse) = (zero.clone(), zero);
            assert!(ranks.are_limbs(), "{lengths:?}");
            assert!(mass_matrix((&ranks, level), &mut memory, &model.neutral(), &mut mass), "{lengths:?}");
            assert!(minv((&ranks, level), &mut memory, mass.as_slice(), inverse.as_mut_slice()), "{lengths:?}");
            let off = (&mass * &inverse - DMatrix::identity(model.nv(), model.nv())).amax();
            // Some ten thousand roundings: condition numbers are in the hundreds.
            assert!(off < 1e-11, "{lengths:?}: M⁻¹ M deviates by {off:e} from 1");
        }
    }
}
