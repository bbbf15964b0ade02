//! Products with the inverse, by the same blocks.

use crate::kernels::by_copy::bodies::four::{ABREAST, Four};
use crate::kernels::by_copy::bodies::limbs::places::{
    put_six, read_column, read_rows, read_six, write_columns, write_rows,
};
use crate::kernels::by_copy::bodies::limbs::six::{
    dot, dot_plus, rotated_six, store_six, times_base, transposed_times_plus,
};
use crate::kernels::by_copy::bodies::limbs::{BASE, Column, Limbs, OfLimb, Six};
use crate::plan::bodies::Limb;
use crate::plan::bodies::Ranks;
use gradyn_derivatives::simd::{Kernel, Register};
use gradyn_derivatives::{Lanes, Real};
use std::ops::Range;

/// `to = −M⁻¹ from` of a matrix with the zeros of the mass matrix, after [`Inverse`](super::Inverse): the columns of limbs, and some of those of a free
/// base.
pub(crate) struct Product<'a, const N: usize> {
    pub(crate) ranks: &'a Ranks,
    pub(crate) inverted: &'a Limbs<N>,
    pub(crate) of_base: Range<usize>,
    pub(crate) from: &'a [f64],
    pub(crate) to: &'a mut [f64],
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
