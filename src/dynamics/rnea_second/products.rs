//! What a column makes of the columns of its path (the paper's `u`), and products of these with the path again.

use super::Memory;
use super::column::MOTIONS;
use super::memory::{FACTORS, ROWS, rows_at};
use super::pack::{Pack, load_motion, store_force, store_vector};
use crate::spatial::{Force, vector as v3};
use gradyn_derivatives::Real;
use gradyn_derivatives::simd::Piece;
use nalgebra::Vector3;
use std::marker::PhantomData;
use std::ops::Range;

/// Rows of [`Memory::rows`]; the names are those of the products.
pub(super) const P1: usize = 0;
pub(super) const P2: usize = 1;
pub(super) const U1_PSI: usize = 2;
pub(super) const U1_S: usize = 3;
pub(super) const U11_S: usize = 4;
pub(super) const U9_S: usize = 5;
pub(super) const U3_S: usize = 6;
pub(super) const U8_S: usize = 7;
pub(super) const U6_S: usize = 8;
pub(super) const U7_S: usize = 9;
pub(super) const U4_S: usize = 10;

/// Blocks of [`Memory::path`]: `S′`, `Ψ̇′`, `Ψ̈′`, `Ψ̇′ + Ṡ′`.
const S: usize = 0;
const PSI_DOT: usize = 6;
const PSI_DDOT: usize = 12;
const S_DOT: usize = 18;

/// Blocks of [`Memory::ancestors`]. `U1`, `U11`, `U8_12` are pure moments.
const U1: usize = 0;
const U11: usize = 3;
const U8_12: usize = 6;
const U9: usize = 9;
const U3: usize = 15;
const U6: usize = 21;
const U7: usize = 27;
const U4: usize = 33;

/// The paper's `u` of one column and a pack of its path's.
///
/// A piece a pack: in a loop the compiler would copy each of the column's numbers into a register of its own before the first
/// round, which is more registers than there are, and mostly there is one round.
pub(super) struct Combine<'a, T, L> {
    pub(super) memory: &'a mut Memory<T>,
    pub(super) column: usize,
    pub(super) block: usize,
    pub(super) width: PhantomData<L>,
}

impl<T: Real, L: Pack<T>> Piece for Combine<'_, T, L> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { memory, column, block, .. } = self;
        let (w, Memory { columns, path, ancestors, .. }) = (L::WIDTH, memory);
        let own = &columns[column];
        let path = &path[block * MOTIONS * w..][..MOTIONS * w];
        let to = &mut ancestors[block * FACTORS * w..][..FACTORS * w];
        let s = load_motion::<T, L>(&path[S * w..]);
        let psi_dot = load_motion::<T, L>(&path[PSI_DOT * w..]);
        let psi_ddot = load_motion::<T, L>(&path[PSI_DDOT * w..]);
        let s_dot = load_motion::<T, L>(&path[S_DOT * w..]);

        let u9 = own.f0().bar_cross(s);
        store_force(u9, &mut to[U9 * w..]);
        store_vector(own.b_phi().tr_times(s).angular, &mut to[U11 * w..]);
        store_vector(own.r3().tr_times(s).angular, &mut to[U1 * w..]);
        // u₈ − u₁₂ = u₅ + u₈
        let u8 = v3::cross(v3::neg(own.n4()), s.angular);
        store_vector(v3::sub(u8, own.b_phi().tr_times(psi_dot).angular), &mut to[U8_12 * w..]);
        let u3 = own.r1_plus(psi_ddot, own.r3().times_plus(psi_dot.angular, own.f5().bar_cross(s)));
        store_force(u3, &mut to[U3 * w..]);
        let u6 = own.b_phi().times_plus(psi_dot.angular, own.f7().bar_cross(s));
        store_force(u6, &mut to[U6 * w..]);
        let u7 = own.r1_plus(s_dot, own.r3().times(s));
        store_force(u7, &mut to[U7 * w..]);
    }
}

/// `u₄ = u₉ + S ×* Y S′` of one column and those of its own link, the only ones of which it is asked for. `Y S′` is known of each.
#[inline(always)]
pub(super) fn combine_own<T: Real, L: Pack<T>>(memory: &mut Memory<T>, column: usize, (start, end): (usize, usize)) {
    let w = L::WIDTH;
    let s = memory.columns[column].s();
    for t in start..end {
        let by = s.cross_force(memory.columns[memory.steps[t].column].f0());
        let u = &mut memory.ancestors[t / w * (FACTORS * w)..][..FACTORS * w];
        let numbers = by.linear.iter().chain(by.angular.iter());
        for (k, x) in numbers.enumerate() {
            u[(U4 + k) * w + t % w] = u[(U9 + k) * w + t % w] + *x;
        }
    }
}

/// Products of some columns of the path with a pack of columns of it.
pub(super) struct Multiply<'a, T, L> {
    pub(super) memory: &'a mut Memory<T>,
    /// The columns, of one run of [`AT_ONCE`](super::memory::AT_ONCE) of them.
    pub(super) some: Range<usize>,
    pub(super) block: usize,
    /// The place where columns of the same link begin.
    pub(super) own: usize,
    pub(super) width: PhantomData<L>,
}

impl<T: Real, L: Pack<T>> Piece for Multiply<'_, T, L> {
    /// Are they finite, as far as [packs look at them](Pack::LOOKS)?
    type Output = bool;
    #[inline(always)]
    fn run(self) -> bool {
        let Self { memory, some, block, own, .. } = self;
        let mut waste = L::zero();
        let w = L::WIDTH;
        let path = &memory.path[block * MOTIONS * w..][..MOTIONS * w];
        // They stay in registers, where there are enough.
        let s = load_motion::<T, L>(&path[S * w..]);
        let psi_dot = load_motion::<T, L>(&path[PSI_DOT * w..]);
        let psi_ddot = load_motion::<T, L>(&path[PSI_DDOT * w..]);
        let s_dot = load_motion::<T, L>(&path[S_DOT * w..]);
        for t in some {
            // All slices first: a number that is loaded on the other side of a check is not broadcast by the load.
            let to = &mut memory.rows[rows_at(t, w)..][..ROWS * w];
            let u = &memory.ancestors[t / w * (FACTORS * w)..][..FACTORS * w];
            let lane = t % w;
            let vector = |k: usize| Vector3::new(u[k * w + lane], u[(k + 1) * w + lane], u[(k + 2) * w + lane]);
            let force = |k: usize| Force::new(vector(k), vector(k + 3));
            let (u1, u11, u8_12) = (vector(U1), vector(U11), vector(U8_12));
            let (u9, u3, u6, u7) = (force(U9), force(U3), force(U6), force(U7));

            // u₁₃ = u₉ + u₁₁
            let u9_psi_ddot: L = u9.power(psi_ddot);
            let u9_s_dot: L = u9.power(s_dot);
            let p1: L = v3::dot(u11, psi_dot.angular);
            let p2 = v3::dot_plus(u8_12, psi_dot.angular, u9_psi_ddot);
            let u1_psi = v3::dot_plus(u1, psi_dot.angular, v3::dot_plus(u11, psi_ddot.angular, u9_psi_ddot));
            let u1_s = v3::dot_plus(u1, s.angular, v3::dot_plus(u11, s_dot.angular, u9_s_dot));
            let (u11_s, u9_s): (L, L) = (v3::dot(u11, s.angular), u9.power(s));
            keep(P1, p1, to, &mut waste);
            keep(P2, p2, to, &mut waste);
            keep(U1_PSI, u1_psi, to, &mut waste);
            keep(U1_S, u1_s, to, &mut waste);
            keep(U11_S, u11_s, to, &mut waste);
            keep(U9_S, u9_s, to, &mut waste);
            // Of columns of its own link entries have no use for the rest.
            if memory.steps[t].start <= block * w {
                continue;
            }
            let u8_s = v3::dot_plus(u8_12, s.angular, u9_s_dot);
            let (u3_s, u6_s, u7_s): (L, L, L) = (u3.power(s), u6.power(s), u7.power(s));
            keep(U3_S, u3_s, to, &mut waste);
            keep(U8_S, u8_s, to, &mut waste);
            keep(U6_S, u6_s, to, &mut waste);
            keep(U7_S, u7_s, to, &mut waste);
            if t >= own {
                keep(U4_S, force(U4).power(s), to, &mut waste);
            }
        }
        !L::LOOKS || waste.is_finite()
    }
}

/// Puts numbers into their row; `waste` stays zero as long as all that are looked at are finite.
#[inline(always)]
fn keep<T: Real, L: Pack<T>>(row: usize, x: L, rows: &mut [T], waste: &mut L) {
    x.store(&mut rows[row * L::WIDTH..]);
    if L::LOOKS {
        *waste = x.mul_plus(0.0, *waste);
    }
}
