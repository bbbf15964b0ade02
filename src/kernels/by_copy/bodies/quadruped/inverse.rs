//! The inverse of the mass matrix, by the blocks of legs.
//! Page: `dynamics/minv.rs`. Source: equation (1) of the parent module. Test:
//! `limbs_as_on_the_page::limbs_abreast_are_limbs_one_by_one`.

use crate::formulas::singular;
use crate::kernels::by_copy::bodies::body_rows::BodyRow;
use crate::kernels::by_copy::bodies::mass_matrix::Composite;
use crate::kernels::by_copy::bodies::quadruped::six::{
    dot_plus, load_six, rotated, rotated_six, store_six, times_base, transposed_times_plus,
};
use crate::kernels::by_copy::bodies::quadruped::{
    Column, HINGES, Inverted, put_six, read_column, read_six, write_columns, write_rows,
};
use crate::kernels::by_copy::bodies::{BASE, NV};
use crate::plan::BodiesLayout;
use gradyn_derivatives::{Lanes, MulAdd, Real, Register};

kernel!(
    halves,
    /// The inverse of a mass matrix whose composite bodies are given, unless a pivot is lost.
    pub(crate) fn inverse_of_mass<'a, R: Register>(
        groups: &'a BodiesLayout,
        composites: &'a [Composite],
        inverted: &'a mut Inverted,
        mass: &'a [f64],
        to: &'a mut [f64],
    ) -> Option<()> {
        invert::<R::Low>(composites, mass, inverted)?;
        couple::<R::Low>(mass, inverted);
        let whole = composites[0].total(&groups.groups[0]);
        invert_base::<R::Low>([whole.mass, 2.0 * whole.second.trace()], mass, inverted)?;
        write_base(inverted, to);
        write_coupling::<R::Low>(inverted, to);
        write_own::<R::Low>(inverted, to);
        Some(())
    }
);

/// `−A⁻¹` of a symmetric matrix in its place, unless a pivot is lost, compared with these. The last row gives way first.
#[inline(always)]
fn eliminate<T: Real, const N: usize>(a: &mut [[T; N]; N], scale: &[T; N]) -> Option<()> {
    let mut p = N;
    while p > 0 {
        p -= 1;
        let pivot = a[p][p];
        if singular::is_lost(pivot, scale[p]) {
            return None;
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
    Some(())
}

/// `N` of the legs, unless a pivot is lost. The last body gives way first: these are the pivots of
/// articulated bodies.
#[inline(always)]
fn invert<R: Register>(composites: &[Composite], mass: &[f64], of: &mut Inverted) -> Option<()> {
    let mut n = [[Lanes::<R>::zero(); HINGES]; HINGES];
    let mut scale = [Lanes::<R>::zero(); HINGES];
    let mut c = 0;
    while c < HINGES {
        n[c] = read_column(c, mass);
        let trace = composites[1 + c].second_trace::<R>();
        scale[c] = singular::cautious(trace + trace);
        c += 1;
    }
    eliminate(&mut n, &scale)?;
    let mut r = 0;
    while r < HINGES {
        let mut c = 0;
        while c < HINGES {
            of.n[r][c].store(n[r][c]);
            c += 1;
        }
        r += 1;
    }
    Some(())
}

/// `H` and `Z` of the legs.
#[inline(always)]
fn couple<R: Register>(mass: &[f64], of: &mut Inverted) {
    let mut c = 0;
    while c < HINGES {
        store_six(&mut of.h[c], &read_six::<R>(c, mass));
        c += 1;
    }
    let mut r = 0;
    while r < HINGES {
        let (mut n, mut k) = ([Lanes::<R>::zero(); HINGES], 0);
        while k < HINGES {
            n[k] = of.n[r][k].load();
            k += 1;
        }
        store_six(&mut of.z[r], &transposed_times_plus(&of.h, &n, [Lanes::zero(); BASE]));
        r += 1;
    }
}

/// `P`, unless a pivot is lost. Mass and moment of inertia are what they are compared with.
#[inline(always)]
fn invert_base<R: Register>(scale: [f64; 2], mass: &[f64], of: &mut Inverted) -> Option<()> {
    let mut n = [[0.0; BASE]; BASE];
    let mut r = 0;
    while r < BASE {
        let mut c = 0;
        while c <= r {
            let (mut sum, mut k) = (Lanes::<R>::zero(), 0);
            while k < HINGES {
                sum = of.h[k][r].load::<R>().mul_plus(of.z[k][c].load(), sum);
                k += 1;
            }
            let mut four = BodyRow::ZERO;
            four.store(sum);
            n[r][c] = mass[c * NV + r] + four.sum();
            n[c][r] = n[r][c];
            c += 1;
        }
        r += 1;
    }
    let [mass, moment] = scale.map(singular::cautious);
    eliminate(&mut n, &[mass, mass, mass, moment, moment, moment])?;
    let mut i = 0;
    while i < BASE {
        let mut j = 0;
        while j < BASE {
            of.base[i][j].store(Lanes(R::splat(n[i][j])));
            j += 1;
        }
        i += 1;
    }
    Some(())
}

/// Entries of `−P`.
#[inline(always)]
fn write_base(of: &Inverted, to: &mut [f64]) {
    let mut k = 0;
    while k < BASE {
        let column = &mut to[k * NV..][..BASE];
        let mut i = 0;
        while i < BASE {
            column[i] = -of.base[k][i].0[0];
            i += 1;
        }
        k += 1;
    }
}

/// `W`, and its entries on both sides of the diagonal.
#[inline(always)]
fn write_coupling<R: Register>(of: &mut Inverted, to: &mut [f64]) {
    let mut c = 0;
    while c < HINGES {
        let w = times_base::<R>(&of.base, &load_six(&of.z[c]));
        store_six(&mut of.w[c], &w);
        put_six(c, &[-w[0], -w[1], -w[2], -w[3], -w[4], -w[5]], to);
        c += 1;
    }
    let mut i = 0;
    while i < BASE {
        write_rows(&mut to[i * NV..][..NV], |k, r: usize| -of.w[r][i].0[k]);
        i += 1;
    }
}

/// `−(N + W Zᵀ)` among the legs, symmetric to the bit.
#[inline(always)]
fn write_own<R: Register>(of: &Inverted, to: &mut [f64]) {
    let (next, second) = (pairs::<R, 1>(of), pairs::<R, 2>(of));
    let mut own = [[BodyRow::ZERO; HINGES]; HINGES];
    let mut c = 0;
    while c < HINGES {
        let (z, mut r) = (load_six::<R>(&of.z[c]), c);
        while r < HINGES {
            own[r][c].store(-dot_plus(&of.w[r], &z, of.n[r][c].load::<R>()));
            own[c][r] = own[r][c];
            r += 1;
        }
        c += 1;
    }
    let mut c = 0;
    while c < HINGES {
        let mut columns = [own[c], next[c], second[c], [BodyRow::ZERO; HINGES]];
        let mut r = 0;
        while r < HINGES {
            // Each pair of legs is there twice.
            let other = rotated::<R, 2>(second[r][c].load());
            columns[2][r].store(Lanes(second[c][r].load::<R>().0.where_else(0b0011_0011, other.0)));
            columns[3][r].store(rotated::<R, 3>(next[r][c].load()));
            r += 1;
        }
        write_columns(c, &columns, to);
        c += 1;
    }
}

/// Columns of `−W Zᵀ` of each leg with the one `S` lanes further.
#[inline(always)]
fn pairs<R: Register, const S: usize>(of: &Inverted) -> [Column; HINGES] {
    let mut columns = [[BodyRow::ZERO; HINGES]; HINGES];
    let mut c = 0;
    while c < HINGES {
        let z = rotated_six::<R, S>(&load_six(&of.z[c]));
        let mut r = 0;
        while r < HINGES {
            columns[c][r].store(-dot_plus(&of.w[r], &z, Lanes::zero()));
            r += 1;
        }
        c += 1;
    }
    columns
}
