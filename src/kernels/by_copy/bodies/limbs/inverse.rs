//! The inverse of the mass matrix, by the blocks of limbs.

use crate::formulas::singular;
use crate::kernels::by_copy::bodies::four::{ABREAST, Four};
use crate::kernels::by_copy::bodies::limbs::places::{put_six, read_column, read_six, write_columns, write_rows};
use crate::kernels::by_copy::bodies::limbs::six::{
    dot_plus, load_six, rotated, rotated_six, store_six, times_base, transposed_times_plus,
};
use crate::kernels::by_copy::bodies::limbs::{BASE, Column, Limbs, OfLimb, Six};
use crate::kernels::by_copy::bodies::mass_matrix::Composite;
use crate::plan::bodies::Limb;
use crate::plan::bodies::Ranks;
use gradyn_derivatives::simd::{Kernel, Register};
use gradyn_derivatives::{Lanes, MulAdd, Real};

/// The inverse of a mass matrix, nv × nv, whose composite bodies are given.
pub(crate) struct Inverse<'a, const N: usize> {
    pub(crate) ranks: &'a Ranks,
    pub(crate) composites: &'a [Composite],
    pub(crate) inverted: &'a mut Limbs<N>,
    pub(crate) mass: &'a [f64],
    pub(crate) to: &'a mut [f64],
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

/// `−A⁻¹` of a symmetric matrix in its place. Is no pivot lost, compared with these? The last row gives way first.
#[inline(always)]
fn eliminate<T: Real, const N: usize>(a: &mut [[T; N]; N], scale: &[T; N]) -> bool {
    let mut p = N;
    while p > 0 {
        p -= 1;
        let pivot = a[p][p];
        if singular::is_lost(pivot, scale[p]) {
            return false;
        }
        // Row p of `y = A x` is exchanged with its column; when all have been, `x = −A⁻¹ y`.
        let (reciprocal, row) = (pivot.recip(), a[p]);
        let mut i = 0;
        while i < N {
            let part = row[i] * reciprocal;
            let mut j = 0;
            while j <= i {
                if i != p && j != p {
                    a[i][j] = (-part).mul_plus(row[j], a[i][j]);
                    a[j][i] = a[i][j];
                }
                j += 1;
            }
            (a[i][p], a[p][i]) = (part, part);
            i += 1;
        }
        a[p][p] = -reciprocal;
    }
    true
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
    let (mut scale, mut p) = ([Lanes::<R>::zero(); N], 0);
    while p < N {
        let trace = composites[limb.place(p).rank].second_trace::<R>() * limb.live(p).load();
        scale[p] = singular::cautious(trace + trace);
        p += 1;
    }
    if !eliminate(&mut n, &scale) {
        return false;
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
    let [mass, moment] = scale.map(singular::cautious);
    if !eliminate(&mut n, &[mass, mass, mass, moment, moment, moment]) {
        return false;
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
