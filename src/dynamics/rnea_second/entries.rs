//! From products of columns to the entries of the tensors.

use super::memory::{Moves, ROWS, RneaSecondMemory, Step, rows_at};
use super::pack::Pack;
use super::products::{P1, P2, U1_PSI, U1_S, U3_S, U4_S, U6_S, U7_S, U8_S, U9_S, U11_S};
use super::result::RneaSecondDerivatives;
use gradyn_derivatives::{Piece, Real};
use std::marker::PhantomData;
use std::ops::Range;

/// Writes the products into the tensors, for degree of freedom `p`, `some` columns `t` of its path and those of one
/// block up to the link of `t`, to which `p` belongs too if it is its `OWN`.
///
/// Each entry is written once, or, if joints share coordinates (`ADD`), added.
pub(super) struct Scatter<'a, T, L, const ADD: bool, const OWN: bool> {
    pub(super) memory: &'a mut RneaSecondMemory<T>,
    pub(super) p: usize,
    /// The columns, of one run of [`AT_ONCE`](super::memory::AT_ONCE) of them.
    pub(super) some: Range<usize>,
    pub(super) block: usize,
    pub(super) width: PhantomData<L>,
}

impl<T: Real, L: Pack<T>, const ADD: bool, const OWN: bool> Piece for Scatter<'_, T, L, ADD, OWN> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { memory: RneaSecondMemory { steps, rows, result, .. }, p, some, block, .. } = self;
        let first = block * L::WIDTH;
        let of_block = &steps[first..];
        let mut to = Entries::new(result);
        for t in some {
            let step @ Step { start, end, .. } = steps[t];
            let places = to.places(p, &step);
            let rows = &rows[rows_at(t, L::WIDTH)..][..ROWS * L::WIDTH];
            let steps = &of_block[..L::WIDTH.min(end - first)];
            let (above, same) = steps.split_at(start.saturating_sub(first).min(steps.len()));
            to.put_all::<L, ADD, OWN, false>(&places, above, rows, 0);
            to.put_all::<L, ADD, OWN, true>(&places, same, rows, above.len());
        }
    }
}

/// [`Moves`] as constants.
const JOINT: u8 = 0;
const POSITION: u8 = 1;
const ORIENTATION: u8 = 2;

/// The entries of the tensors.
struct Entries<'a, T> {
    n: usize,
    qq: &'a mut [T],
    qv: &'a mut [T],
    vv: &'a mut [T],
    aq: &'a mut [T],
}

/// Where those of `i`, `j` and `k` are, in any order of the three, for one `i` and one `j`: as far as `k` has no part
/// in it.
struct Places {
    ij0: usize,
    ji0: usize,
    i0j: usize,
    j0i: usize,
    o_ij: usize,
    o_ji: usize,
    /// Whether nothing depends on `q_j`.
    is_position: bool,
}

impl<'a, T: Real> Entries<'a, T> {
    #[inline(always)]
    fn new(result: &'a mut RneaSecondDerivatives<T>) -> Self {
        let RneaSecondDerivatives { d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dadq } = result;
        let n = d2tau_dqdq.dims()[0];
        // Of equal length: one comparison will do for all four.
        let all = n * n * n;
        Self {
            n,
            qq: &mut d2tau_dqdq.as_mut_slice()[..all],
            qv: &mut d2tau_dqdv.as_mut_slice()[..all],
            vv: &mut d2tau_dvdv.as_mut_slice()[..all],
            aq: &mut d2tau_dadq.as_mut_slice()[..all],
        }
    }

    /// Of `i` and the degree of freedom `j` of a step.
    #[inline(always)]
    fn places(&self, i: usize, step: &Step) -> Places {
        let (j, row, slab) = (step.dof, i * self.n, i * self.n * self.n);
        Places {
            ij0: slab + step.row,
            ji0: step.slab + row,
            i0j: slab + j,
            j0i: step.slab + i,
            o_ij: row + j,
            o_ji: step.row + i,
            is_position: step.moves == Moves::BasePosition,
        }
    }

    /// Those of all steps, from lane `lane` on. `OWN`: `i` and `j` belong to the same link; `SAME`: `j` and `k` do.
    #[inline(always)]
    fn put_all<L: Pack<T>, const ADD: bool, const OWN: bool, const SAME: bool>(
        &mut self,
        places: &Places,
        mut steps: &[Step],
        rows: &[T],
        mut lane: usize,
    ) {
        // A base is where paths begin.
        while let Some(first) = steps.first()
            && first.moves != Moves::Joint
        {
            match first.moves == Moves::BasePosition {
                true => self.put::<L, ADD, OWN, SAME, POSITION>(places, first, rows, lane),
                false => self.put::<L, ADD, OWN, SAME, ORIENTATION>(places, first, rows, lane),
            }
            lane += 1;
            steps = &steps[1..];
        }
        for step in steps {
            self.put::<L, ADD, OWN, SAME, JOINT>(places, step, rows, lane);
            lane += 1;
        }
    }

    /// Those of one `k`, as far as they are not zero because of what it [`Moves`].
    #[inline(always)]
    fn put<L: Pack<T>, const ADD: bool, const OWN: bool, const SAME: bool, const MOVES: u8>(
        &mut self,
        places: &Places,
        step: &Step,
        rows: &[T],
        lane: usize,
    ) {
        let Step { dof: k, row: kn, slab: knn, .. } = *step;
        // Is there anything that depends on `q_k`, and on velocities besides?
        let (by_place, by_motion) = (MOVES != POSITION, MOVES == JOINT);
        let row = |row: usize| rows[row * L::WIDTH + lane % L::WIDTH];
        let (ijk, jik) = (places.ij0 + k, places.ji0 + k);
        let (ikj, jki) = (places.i0j + kn, places.j0i + kn);
        let (kij, kji) = (places.o_ij + knn, places.o_ji + knn);
        let Self { qq, qv, vv, aq, .. } = self;

        let (p1, p2, u11_s) = (row(P1), row(P2), row(U11_S));
        let u13_s = u11_s + row(U9_S);
        if by_place && !places.is_position {
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
            if by_place {
                put::<T, ADD>(&mut qq[jik], u1_psi);
            }
            put::<T, ADD>(&mut qv[jik], u1_s);
            put::<T, ADD>(&mut vv[jik], u11_s);
        }
        if SAME {
            // u₂ = u₁₃
            put::<T, ADD>(&mut vv[ijk], -u13_s);
            return;
        }
        let (u9_s, u3_s) = (row(U9_S), row(U3_S));
        put::<T, ADD>(&mut vv[ijk], -u11_s);
        put::<T, ADD>(&mut qv[ijk], row(U8_S));
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
