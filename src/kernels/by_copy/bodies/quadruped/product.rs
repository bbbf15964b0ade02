//! Products with the inverse, by the same blocks.
//! Page: `partials/aba.rs`. Source: equation (1) of the parent module. Test:
//! `limbs_as_on_the_page::derivatives_of_accelerations_of_limbs_are_those_by_dual_numbers`.

use crate::kernels::by_copy::bodies::body_rows::BodyRow;
use crate::kernels::by_copy::bodies::quadruped::six::{
    dot, dot_plus, rotated_six, store_six, times_base, transposed_times_plus,
};
use crate::kernels::by_copy::bodies::quadruped::{
    Column, HINGES, Inverted, put_six, read_column, read_rows, read_six, write_columns, write_rows,
};
use crate::kernels::by_copy::bodies::{BASE, NV};
use gradyn_derivatives::{Lanes, Real, Register};
use std::ops::Range;

kernel!(
    halves,
    /// `to = −M⁻¹ from` of a matrix with the zeros of the mass matrix, after [`Inverse`](super::Inverse): the columns of legs, and some of
    /// those of the base.
    pub(crate) fn product_with_inverse<'a, R: Register>(
        inverted: &'a Inverted,
        of_base: Range<usize>,
        from: &'a [f64],
        to: &'a mut [f64],
    ) {
        let of = inverted;
        let mut c = 0;
        while c < HINGES {
            let (x, six) = (read_column::<R::Low>(c, from), read_six(c, from));
            let b = times_base(&of.base, &transposed_times_plus(&of.z, &x, six));
            put_six(c, &b, to);
            let (mut own, mut r) = ([BodyRow::ZERO; HINGES], 0);
            while r < HINGES {
                own[r].store(dot_plus(&of.z[r], &b, dot::<R::Low>(&of.n[r], &x)));
                r += 1;
            }
            let others = [pass_on::<R::Low, 1>(of, &b), pass_on::<R::Low, 2>(of, &b), pass_on::<R::Low, 3>(of, &b)];
            write_columns(c, &[own, others[0], others[1], others[2]], to);
            c += 1;
        }
        for column in of_base {
            let own = column * NV..(column + 1) * NV;
            multiply_full::<R::Low>(of, &from[own.clone()], &mut to[own]);
        }
    }
);

/// What the base hands on to legs from columns of those `S` lanes further.
#[inline(always)]
fn pass_on<R: Register, const S: usize>(of: &Inverted, b: &[Lanes<R>; BASE]) -> Column {
    let (b, mut y, mut r) = (rotated_six::<R, S>(b), [BodyRow::ZERO; HINGES], 0);
    while r < HINGES {
        y[r].store(dot_plus(&of.z[r], &b, Lanes::zero()));
        r += 1;
    }
    y
}

/// One column that has entries in all legs.
#[inline(always)]
fn multiply_full<R: Register>(of: &Inverted, from: &[f64], to: &mut [f64]) {
    let x = read_rows::<R>(from);
    let mut sums = transposed_times_plus(&of.z, &x, [Lanes::zero(); BASE]);
    let mut six = [BodyRow::ZERO; BASE];
    store_six(&mut six, &sums);
    let mut i = 0;
    while i < BASE {
        sums[i] = Lanes(R::splat(from[i] + six[i].sum()));
        i += 1;
    }
    let b = times_base::<R>(&of.base, &sums);
    store_six(&mut six, &b);
    let mut i = 0;
    while i < BASE {
        to[i] = six[i].0[0];
        i += 1;
    }
    let (mut y, mut r) = ([BodyRow::ZERO; HINGES], 0);
    while r < HINGES {
        y[r].store(dot_plus(&of.z[r], &b, dot::<R>(&of.n[r], &x)));
        r += 1;
    }
    write_rows(to, |k, r: usize| y[r].0[k]);
}
