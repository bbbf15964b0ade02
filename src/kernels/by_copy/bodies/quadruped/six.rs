//! Six numbers for the base, and the operations of products with them.
//! Serves: `kernels/by_copy/bodies/quadruped/inverse.rs`. Test:
//! `limbs_as_on_the_page::limbs_abreast_are_limbs_one_by_one`.

use crate::kernels::by_copy::bodies::BASE;
use crate::kernels::by_copy::bodies::body_rows::BodyRow;
use crate::kernels::by_copy::bodies::quadruped::{Column, HINGES, Six};
use gradyn_derivatives::{Lanes, MulAdd, Real, Register};

/// `P x`
#[inline(always)]
pub(crate) fn times_base<R: Register>(p: &[Six; BASE], x: &[Lanes<R>; BASE]) -> [Lanes<R>; BASE] {
    let (mut sums, mut i) = ([Lanes::zero(); BASE], 0);
    while i < BASE {
        sums[i] = dot_plus(&p[i], x, Lanes::zero());
        i += 1;
    }
    sums
}

/// `n · x`
#[inline(always)]
pub(crate) fn dot<R: Register>(n: &Column, x: &[Lanes<R>; HINGES]) -> Lanes<R> {
    let (mut sum, mut k) = (Lanes::zero(), 0);
    while k < HINGES {
        sum = n[k].load::<R>().mul_plus(x[k], sum);
        k += 1;
    }
    sum
}

/// `Zᵀ x + y`
#[inline(always)]
pub(crate) fn transposed_times_plus<R: Register>(
    z: &[Six; HINGES],
    x: &[Lanes<R>; HINGES],
    mut y: [Lanes<R>; BASE],
) -> [Lanes<R>; BASE] {
    let mut k = 0;
    while k < HINGES {
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
pub(crate) fn dot_plus<R: Register>(z: &Six, b: &[Lanes<R>; BASE], mut y: Lanes<R>) -> Lanes<R> {
    let mut i = 0;
    while i < BASE {
        y = z[i].load::<R>().mul_plus(b[i], y);
        i += 1;
    }
    y
}

/// Each lane gets the number `S` lanes further.
#[inline(always)]
pub(crate) fn rotated<R: Register, const S: usize>(x: Lanes<R>) -> Lanes<R> {
    let x = x.0.to_array();
    BodyRow([x[S % 4], x[(S + 1) % 4], x[(S + 2) % 4], x[(S + 3) % 4]]).load()
}

#[inline(always)]
pub(crate) fn rotated_six<R: Register, const S: usize>(x: &[Lanes<R>; BASE]) -> [Lanes<R>; BASE] {
    let (mut six, mut i) = (*x, 0);
    while i < BASE {
        six[i] = rotated::<R, S>(x[i]);
        i += 1;
    }
    six
}

#[inline(always)]
pub(crate) fn load_six<R: Register>(x: &Six) -> [Lanes<R>; BASE] {
    [x[0].load(), x[1].load(), x[2].load(), x[3].load(), x[4].load(), x[5].load()]
}

#[inline(always)]
pub(crate) fn store_six<R: Register>(to: &mut Six, x: &[Lanes<R>; BASE]) {
    let mut i = 0;
    while i < BASE {
        to[i].store(x[i]);
        i += 1;
    }
}
