//! From products of columns to the entries of the tensors that they are.

use super::memory::{AT_ONCE, Moves, ROWS, Step};
use super::pack::Pack;
use super::products::{P1, P2, U1_PSI, U1_S, U3_S, U4_S, U6_S, U7_S, U8_S, U9_S, U11_S};
use super::{Memory, RneaSecondDerivatives};
use gradyn_derivatives::Real;
use gradyn_derivatives::simd::Piece;
use std::marker::PhantomData;

/// Writes the products into the tensors, for degree of freedom `p`, column `t` of its path and all columns `r` up to
/// the link of `t`, to which `p` belongs too if it is its `OWN`.
///
/// Each entry is written once, or, if joints share coordinates (`ADD`), added.
pub(super) struct Scatter<'a, T, L, const ADD: bool, const OWN: bool> {
    pub(super) memory: &'a mut Memory<T>,
    pub(super) p: usize,
    pub(super) t: usize,
    pub(super) width: PhantomData<L>,
}

impl<T: Real, L: Pack<T>, const ADD: bool, const OWN: bool> Piece for Scatter<'_, T, L, ADD, OWN> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { memory: Memory { steps, rows, result, .. }, p, t, .. } = self;
        let Step { dof: j, start, end, moves, .. } = steps[t];
        let rows = &rows[t % AT_ONCE * (rows.len() / AT_ONCE)..];
        let mut to = Entries::new(result, p, j, moves);
        for (block, steps) in steps[..end].chunks(L::WIDTH).enumerate() {
            let rows = &rows[block * ROWS * L::WIDTH..][..ROWS * L::WIDTH];
            let (above, same) = steps.split_at(start.saturating_sub(block * L::WIDTH).min(steps.len()));
            to.put_all::<L, ADD, OWN, false>(above, rows, 0);
            to.put_all::<L, ADD, OWN, true>(same, rows, above.len());
        }
    }
}

/// [`Moves`] as constants.
const JOINT: u8 = 0;
const POSITION: u8 = 1;
const ORIENTATION: u8 = 2;

/// A register of the narrower kind.
const FOUR: usize = 4;

/// Entries `(i, j, k)` of the tensors in any order of the three, for one `i` and one `j`.
struct Entries<'a, T> {
    qq: &'a mut [T],
    qv: &'a mut [T],
    vv: &'a mut [T],
    aq: &'a mut [T],
    /// Places of entries as far as `k` has no part in them.
    ij0: usize,
    ji0: usize,
    i0j: usize,
    j0i: usize,
    o_ij: usize,
    o_ji: usize,
    /// Does nothing depend on `q_j`?
    is_position: bool,
}

impl<'a, T: Real> Entries<'a, T> {
    #[inline(always)]
    fn new(result: &'a mut RneaSecondDerivatives<T>, i: usize, j: usize, moves: Moves) -> Self {
        let RneaSecondDerivatives { d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dadq } = result;
        let n = d2tau_dqdq.dims()[0];
        let at = |i: usize, j: usize, k: usize| (i * n + j) * n + k;
        // Of equal length: one comparison will do for all four.
        let all = n * n * n;
        Self {
            qq: &mut d2tau_dqdq.as_mut_slice()[..all],
            qv: &mut d2tau_dqdv.as_mut_slice()[..all],
            vv: &mut d2tau_dvdv.as_mut_slice()[..all],
            aq: &mut d2tau_dadq.as_mut_slice()[..all],
            ij0: at(i, j, 0),
            ji0: at(j, i, 0),
            i0j: at(i, 0, j),
            j0i: at(j, 0, i),
            o_ij: at(0, i, j),
            o_ji: at(0, j, i),
            is_position: moves == Moves::BasePosition,
        }
    }

    /// Those of all steps, from lane `lane` on. Do `i` and `j` belong to the same link (`OWN`), do `j` and `k` (`SAME`)?
    #[inline(always)]
    fn put_all<L: Pack<T>, const ADD: bool, const OWN: bool, const SAME: bool>(
        &mut self,
        mut steps: &[Step],
        rows: &[T],
        mut lane: usize,
    ) {
        // A base is where paths begin.
        while let Some(first) = steps.first()
            && first.moves != Moves::Joint
        {
            let taken = match first.moves == Moves::BasePosition {
                true => self.put_some::<L, ADD, OWN, SAME, POSITION, 3>(steps, rows, lane),
                false => self.put_some::<L, ADD, OWN, SAME, ORIENTATION, 3>(steps, rows, lane),
            };
            lane += taken;
            steps = &steps[taken..];
        }
        while let Some(first) = steps.first() {
            if !ADD
                && first.run >= FOUR
                && let Some((four, rest)) = steps.split_first_chunk::<FOUR>()
            {
                self.put_side_by_side::<L, ADD, OWN, SAME, JOINT, FOUR>(four, rows, lane);
                lane += FOUR;
                steps = rest;
            } else {
                self.put::<L, ADD, OWN, SAME, true, JOINT>(first, rows, lane);
                lane += 1;
                steps = &steps[1..];
            }
        }
    }

    /// Those of `N` steps if so many follow each other and have entries side by side, or of one. Returns how many.
    #[inline(always)]
    fn put_some<L: Pack<T>, const ADD: bool, const OWN: bool, const SAME: bool, const MOVES: u8, const N: usize>(
        &mut self,
        steps: &[Step],
        rows: &[T],
        lane: usize,
    ) -> usize {
        if !ADD
            && let Some(some) = steps.first_chunk::<N>()
            && some[0].run >= N
        {
            self.put_side_by_side::<L, ADD, OWN, SAME, MOVES, N>(some, rows, lane);
            return N;
        }
        self.put::<L, ADD, OWN, SAME, true, MOVES>(&steps[0], rows, lane);
        1
    }

    /// Those of `N` steps that follow each other.
    #[inline(always)]
    fn put_side_by_side<
        L: Pack<T>,
        const ADD: bool,
        const OWN: bool,
        const SAME: bool,
        const MOVES: u8,
        const N: usize,
    >(
        &mut self,
        steps: &[Step; N],
        rows: &[T],
        lane: usize,
    ) {
        self.put_together::<L, OWN, SAME, MOVES, N>(steps[0].dof, rows, lane);
        let mut k = 0;
        while k < N {
            self.put::<L, ADD, OWN, SAME, false, MOVES>(&steps[k], rows, lane + k);
            k += 1;
        }
    }

    /// Those that stand side by side for `N` values of `k` that follow each other.
    #[inline(always)]
    fn put_together<L: Pack<T>, const OWN: bool, const SAME: bool, const MOVES: u8, const N: usize>(
        &mut self,
        k: usize,
        rows: &[T],
        lane: usize,
    ) {
        let row = |row: usize| &rows[row * L::WIDTH + lane..][..N];
        let (ijk, jik) = (self.ij0 + k, self.ji0 + k);
        let Self { qq, qv, vv, is_position, .. } = self;
        if MOVES != POSITION && !*is_position {
            qq[ijk..][..N].copy_from_slice(row(P2));
        }
        if !SAME {
            vv[ijk..][..N].iter_mut().zip(row(U11_S)).for_each(|(to, x)| *to = -*x);
            qv[ijk..][..N].copy_from_slice(row(U8_S));
        }
        if !OWN {
            if MOVES != POSITION {
                qq[jik..][..N].copy_from_slice(row(U1_PSI));
            }
            qv[jik..][..N].copy_from_slice(row(U1_S));
            vv[jik..][..N].copy_from_slice(row(U11_S));
        }
    }

    /// Those of one `k`, as far as they are not zero because of what it [`Moves`]; without `ALL`, without those that
    /// [`put_together`](Self::put_together) writes.
    #[inline(always)]
    fn put<L: Pack<T>, const ADD: bool, const OWN: bool, const SAME: bool, const ALL: bool, const MOVES: u8>(
        &mut self,
        step: &Step,
        rows: &[T],
        lane: usize,
    ) {
        let Step { dof: k, row: kn, slab: knn, .. } = *step;
        // Is there anything that depends on `q_k`, and on velocities besides?
        let (by_place, by_motion) = (MOVES != POSITION, MOVES == JOINT);
        let row = |row: usize| rows[row * L::WIDTH + lane % L::WIDTH];
        let (ijk, jik) = (self.ij0 + k, self.ji0 + k);
        let (ikj, jki) = (self.i0j + kn, self.j0i + kn);
        let (kij, kji) = (self.o_ij + knn, self.o_ji + knn);
        let Self { qq, qv, vv, aq, .. } = self;

        let (p1, p2, u11_s) = (row(P1), row(P2), row(U11_S));
        let u13_s = u11_s + row(U9_S);
        if ALL && by_place && !self.is_position {
            put::<T, ADD>(&mut qq[ijk], p2);
        }
        if by_motion {
            put::<T, ADD>(&mut qv[ikj], -p1);
        }
        if !OWN {
            let (u1_psi, u1_s) = (row(U1_PSI), row(U1_S));
            if by_place {
                put::<T, ADD>(&mut qq[jki], u1_psi);
            }
            if by_motion {
                put::<T, ADD>(&mut qv[jki], p1);
            }
            put::<T, ADD>(&mut vv[jki], u11_s);
            put::<T, ADD>(&mut aq[jki], u13_s);
            if ALL && by_place {
                put::<T, ADD>(&mut qq[jik], u1_psi);
            }
            if ALL {
                put::<T, ADD>(&mut qv[jik], u1_s);
                put::<T, ADD>(&mut vv[jik], u11_s);
            }
        }
        if SAME {
            // u₂ = u₁₃
            put::<T, ADD>(&mut vv[ijk], -u13_s);
            return;
        }
        let (u9_s, u3_s) = (row(U9_S), row(U3_S));
        if ALL {
            put::<T, ADD>(&mut vv[ijk], -u11_s);
            put::<T, ADD>(&mut qv[ijk], row(U8_S));
        }
        if by_place {
            put::<T, ADD>(&mut qq[ikj], p2);
        }
        put::<T, ADD>(&mut vv[ikj], -u11_s);
        put::<T, ADD>(&mut aq[ikj], u9_s);
        put::<T, ADD>(&mut qq[kij], u3_s);
        put::<T, ADD>(&mut aq[kij], u9_s);
        put::<T, ADD>(&mut qv[kji], row(U6_S));
        if OWN {
            put::<T, ADD>(&mut vv[kji], row(U4_S));
        } else {
            // u₁₀ = u₁₃ + u₉
            let u10_s = u13_s + u9_s;
            put::<T, ADD>(&mut qv[kij], row(U7_S));
            put::<T, ADD>(&mut vv[kij], u10_s);
            put::<T, ADD>(&mut qq[kji], u3_s);
            put::<T, ADD>(&mut vv[kji], u10_s);
            put::<T, ADD>(&mut aq[kji], u13_s);
        }
    }
}

#[inline(always)]
fn put<T: Real, const ADD: bool>(to: &mut T, x: T) {
    *to = if ADD { *to + x } else { x };
}
