//! Products of a column with the columns of its path (the paper's `u`), and products of these with the path again.

use super::RneaSecondMemory;
use super::column::MOTIONS;
use super::factors::{Factors, PathMotions, U1, U3, U4, U6, U7, U8_12, U9, U11, u4_of_lane};
use super::memory::{FACTORS, ROWS, rows_at};
use super::pack::{Pack, store_force, store_vector};
use crate::level::at_level;
use crate::spatial::vector as v3;
use gradyn_derivatives::Real;
use std::ops::Range;

/// Rows of [`RneaSecondMemory::rows`]; the names are those of the products.
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

at_level! {
    /// The paper's `u` of one column and a pack of its path's.
    ///
    /// A piece a pack: in a loop the compiler would copy each of the column's numbers into a register of its own before the
    /// first round, which is more registers than there are, and mostly there is one round.
    #[inline(always)]
    pub(super) fn combine_block<T: Real, L: Pack<T>>(memory: &mut RneaSecondMemory<T>, column: usize, block: usize) {
        let (w, RneaSecondMemory { columns, path, ancestors, .. }) = (L::WIDTH, memory);
        let own = &columns[column];
        let path = &path[block * MOTIONS * w..][..MOTIONS * w];
        let to = &mut ancestors[block * FACTORS * w..][..FACTORS * w];
        let PathMotions { s, psi_dot, psi_ddot, s_dot } = PathMotions::<L>::load(path);

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

/// `u₄ = u₉ + S ×* Y S′` of one column and those of its own link, the only ones of which it is asked for. `Y S′` is
/// known of each.
#[inline(always)]
pub(super) fn combine_own<T: Real, L: Pack<T>>(
    memory: &mut RneaSecondMemory<T>,
    column: usize,
    (start, end): (usize, usize),
) {
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

at_level! {
    /// Products of some columns of the path, of one run of [`AT_ONCE`](super::memory::AT_ONCE), with a pack of columns of
    /// it; those of the same link begin at `own`. Returns whether they are finite, as far as
    /// [packs look at them](Pack::LOOKS).
    #[inline(always)]
    pub(super) fn multiply<T: Real, L: Pack<T>>(
        memory: &mut RneaSecondMemory<T>,
        some: Range<usize>,
        block: usize,
        own: usize,
    ) -> bool {
        let mut waste = L::zero();
        let w = L::WIDTH;
        // They stay in registers, where there are enough.
        let m = PathMotions::<L>::load(&memory.path[block * MOTIONS * w..]);
        for t in some {
            // All slices first: a number that is loaded on the other side of a check is not broadcast by the load.
            let to = &mut memory.rows[rows_at(t, w)..][..ROWS * w];
            let factors = &memory.ancestors[t / w * (FACTORS * w)..][..FACTORS * w];
            let u = Factors::of_lane(factors, w, t % w);
            let (p2, u1_psi, p1) = (u.p2(&m), u.u1_psi(&m), u.p1(&m));
            let (u1_s, u11_s, u9_s) = (u.u1_s(&m), u.u11_s(&m), u.u9_s(&m));
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
            let (u8_s, u3_s, u6_s, u7_s) = (u.u8_s(&m), u.u3_s(&m), u.u6_s(&m), u.u7_s(&m));
            keep(U3_S, u3_s, to, &mut waste);
            keep(U8_S, u8_s, to, &mut waste);
            keep(U6_S, u6_s, to, &mut waste);
            keep(U7_S, u7_s, to, &mut waste);
            if t >= own {
                keep(U4_S, u4_of_lane(factors, w, t % w).power(m.s), to, &mut waste);
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
