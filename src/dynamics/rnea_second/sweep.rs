//! The sweep over the tree: motions outward, composites and second derivatives inward.

use super::memory::{FACTORS, MOTIONS, ROWS, Step};
use super::pack::{Pack, load_motion, store_force, store_vector};
use super::{Column, Memory, RneaSecondDerivatives, wrench};
use crate::dynamics::links::{Links, sum_subtrees, update};
use crate::dynamics::rnea::base_acceleration;
use crate::dynamics::{ExternalWrench, Workspace, WrenchFrame};
use crate::model::Model;
use crate::spatial::{Force, vector as v3};
use gradyn_derivatives::simd::Piece;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;
use std::marker::PhantomData;

/// The closed form at one state; the arguments have been checked. Ancestors go through it `L::WIDTH` at a time.
pub(crate) struct Sweep<'a, P, T, L> {
    pub(crate) model: &'a Model<P>,
    pub(crate) ws: &'a mut Workspace<T>,
    pub(crate) q: &'a [T],
    pub(crate) v: &'a [T],
    pub(crate) a: &'a [T],
    pub(crate) wrenches: &'a [ExternalWrench<T>],
    /// Do the links move, and are their columns in their places?
    pub(crate) begun: bool,
    pub(crate) width: PhantomData<L>,
}

impl<P: Real, T: Scalar<P>, L: Pack<T>> Piece for Sweep<'_, P, T, L> {
    /// Are all derivatives finite?
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let Self { model, ws, q, v, a, wrenches, begun, .. } = self;
        ws.second(model);
        let Some(mut owned) = ws.second.take() else { return false };
        let memory = &mut *owned;
        if memory.shares || !memory.sparse {
            memory.result.tensors_mut().into_iter().for_each(|tensor| tensor.as_mut_slice().fill(T::zero()));
            memory.sparse = true;
        }
        if !begun {
            let links = update(model, ws, base_acceleration(model), (q, v, a));
            sum_up(model, links, memory);
            make_columns(links, memory);
        }
        let Some(links) = ws.links.as_deref() else { return false };
        subtract(links, memory, wrenches);

        memory.steps.iter_mut().for_each(|step| step.column = usize::MAX);
        let mut waste = L::zero();
        for i in (0..model.bodies.len()).rev() {
            for index in links.of_body[i].clone().rev() {
                // Depth first: the path of any link but a leaf is the beginning of the one before.
                let is_leaf = links.links.get(index + 1).is_none_or(|next| next.parent != Some(index));
                if is_leaf {
                    gather(links, memory, index, L::WIDTH);
                }
                let link = &links.links[index];
                let (depth, start) = (memory.depth[index], memory.depth[index] - link.columns.len());
                for column in link.columns.clone() {
                    for block in 0..depth.div_ceil(L::WIDTH) {
                        let (is_own, width) = ((block + 1) * L::WIDTH > start, PhantomData::<L>);
                        L::call(Combine { memory: &mut *memory, column, block, is_own, width });
                    }
                    for t in 0..depth {
                        for block in 0..memory.steps[t].end.div_ceil(L::WIDTH) {
                            waste = L::call(Multiply { memory: &mut *memory, t, block, is_own: t >= start, waste });
                        }
                    }
                    for t in 0..depth {
                        let (p, width) = (links.dof[column], PhantomData);
                        match (memory.shares, t >= start) {
                            (false, false) => L::call(Scatter::<T, L, false, false> { memory, p, t, width }),
                            (false, true) => L::call(Scatter::<T, L, false, true> { memory, p, t, width }),
                            (true, false) => L::call(Scatter::<T, L, true, false> { memory, p, t, width }),
                            (true, true) => L::call(Scatter::<T, L, true, true> { memory, p, t, width }),
                        }
                    }
                }
            }
        }
        if wrenches.iter().any(|w| w.frame == WrenchFrame::World) {
            wrench::add(model, links, memory);
        }
        if model.joint_friction {
            let nv = model.nv;
            let vv = memory.result.d2tau_dvdv.as_mut_slice();
            for dof in &model.dofs {
                let i = dof.index;
                vv[(i * nv + i) * nv + i] += dof.friction_curvature(v[i], model.friction_width);
            }
        }
        ws.second = Some(owned);
        waste.is_finite()
    }
}

/// Inertia, `B`, and the force that bodies need, summed up over subtrees.
#[inline(always)]
fn sum_up<P: Real, T: Scalar<P>>(model: &Model<P>, links: &Links<T>, memory: &mut Memory<T>) {
    for (i, body) in model.bodies.iter().enumerate() {
        let (y, v) = (links.inertia(body, i), links.velocity[i]);
        memory.inertia[i] = y.into();
        memory.coriolis[i] = y.body_coriolis(v);
        memory.force[i] = y.newton_euler(v, links.acceleration[i]);
    }
    sum_subtrees(model, &mut memory.inertia);
    sum_subtrees(model, &mut memory.coriolis);
    sum_subtrees(model, &mut memory.force);
}

/// What the equations have of each column.
#[inline(always)]
fn make_columns<T: Real>(links: &Links<T>, memory: &mut Memory<T>) {
    for (i, of_body) in links.of_body.iter().enumerate() {
        for k in links.links[of_body.clone()].iter().flat_map(|link| link.columns.clone()) {
            let motions = [links.columns[k], links.psi_dot[k], links.psi_ddot[k], links.psi_s_dot[k]];
            memory.columns[k] = Column::new(motions, memory.inertia[i], &memory.coriolis[i], memory.force[i]);
        }
    }
}

/// Subtracts wrenches which move along with their body from the force that its subtree needs, and all that it is part of.
/// Wrenches that stand still go elsewhere.
fn subtract<T: Real>(links: &Links<T>, memory: &mut Memory<T>, wrenches: &[ExternalWrench<T>]) {
    memory.still.fill(Force::zero());
    for w in wrenches {
        let b = w.body.index();
        match w.frame {
            WrenchFrame::Body => {
                let wrench = links.pose[b].act(w.wrench);
                for k in links.path(links.carrier[b]).flat_map(|link| link.columns.clone()) {
                    memory.columns[k].relieve(wrench);
                }
            }
            WrenchFrame::World => memory.still[b] += links.standing(b, w.wrench),
        }
    }
}

/// The columns from the world to a link, in blocks of a pack; those that it shares with the link before are there.
fn gather<T: Real>(links: &Links<T>, memory: &mut Memory<T>, leaf: usize, width: usize) {
    let n = memory.result.d2tau_dqdq.dims()[0];
    let mut next = Some(leaf);
    while let Some(index) = next {
        let link = &links.links[index];
        let end = memory.depth[index];
        let start = end - link.columns.len();
        if start < end && memory.steps[start].column == link.columns.start {
            break;
        }
        for (at, column) in (start..end).zip(link.columns.clone()) {
            let dof = links.dof[column];
            memory.steps[at] = Step { column, dof, row: dof * n, slab: dof * n * n, start, end, run: 1 };
            let block = &mut memory.path[at / width * (MOTIONS * width)..][..MOTIONS * width];
            let lane = at % width;
            let motions =
                [links.columns[column], links.psi_dot[column], links.psi_ddot[column], links.psi_s_dot[column]];
            for (m, m_k) in motions.into_iter().enumerate() {
                let (l, w) = (m_k.linear, m_k.angular);
                for (c, x) in [l.x, l.y, l.z, w.x, w.y, w.z].into_iter().enumerate() {
                    block[(6 * m + c) * width + lane] = x;
                }
            }
        }
        next = link.parent;
    }
    for at in (1..memory.depth[leaf]).rev() {
        let [before, here] = [memory.steps[at - 1], memory.steps[at]];
        let follows = at % width != 0 && here.dof == before.dof + 1;
        memory.steps[at - 1].run = if follows { here.run + 1 } else { 1 };
    }
}

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

/// Rows of [`Memory::rows`]; the names are those of the products.
const P1: usize = 0;
const P2: usize = 1;
const U1_PSI: usize = 2;
const U1_S: usize = 3;
const U11_S: usize = 4;
const U9_S: usize = 5;
const U3_S: usize = 6;
const U8_S: usize = 7;
const U6_S: usize = 8;
const U7_S: usize = 9;
const U4_S: usize = 10;

/// The paper's `u` of one column and a pack of its path's.
///
/// A piece a pack: in a loop the compiler would copy each of the column's numbers into a register of its own before the first
/// round, which is more registers than there are, and mostly there is one round.
struct Combine<'a, T, L> {
    memory: &'a mut Memory<T>,
    column: usize,
    block: usize,
    /// Are columns of the same link among them?
    is_own: bool,
    width: PhantomData<L>,
}

impl<T: Real, L: Pack<T>> Piece for Combine<'_, T, L> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { memory, column, block, is_own, .. } = self;
        let (w, Memory { columns, path, ancestors, .. }) = (L::WIDTH, memory);
        let own = &columns[column];
        let path = &path[block * MOTIONS * w..][..MOTIONS * w];
        let to = &mut ancestors[block * FACTORS * w..][..FACTORS * w];
        let s = load_motion::<T, L>(&path[S * w..]);
        let psi_dot = load_motion::<T, L>(&path[PSI_DOT * w..]);
        let psi_ddot = load_motion::<T, L>(&path[PSI_DDOT * w..]);
        let s_dot = load_motion::<T, L>(&path[S_DOT * w..]);

        let u9 = own.f0.bar_cross(s);
        store_force(u9, &mut to[U9 * w..]);
        store_vector(own.b_phi.tr_times(s).angular, &mut to[U11 * w..]);
        store_vector(own.r3.tr_times(s).angular, &mut to[U1 * w..]);
        // u₈ − u₁₂ = u₅ + u₈
        let u8 = v3::cross(v3::neg(own.n4), s.angular);
        store_vector(v3::sub(u8, own.b_phi.tr_times(psi_dot).angular), &mut to[U8_12 * w..]);
        let u3 = own.r3.times(psi_dot) + own.r1(psi_ddot) + own.f5.bar_cross(s);
        store_force(u3, &mut to[U3 * w..]);
        let u6 = own.b_phi.times(psi_dot) + own.f7.bar_cross(s);
        store_force(u6, &mut to[U6 * w..]);
        let u7 = own.r3.times(s) + own.r1(s_dot);
        store_force(u7, &mut to[U7 * w..]);
        if is_own {
            let u4 = u9 + own.s.cross_force(own.inertia * s);
            store_force(u4, &mut to[U4 * w..]);
        }
    }
}

/// Products of column `t` of the path with a pack of columns of it. `waste` stays zero if they are finite.
struct Multiply<'a, T, L> {
    memory: &'a mut Memory<T>,
    t: usize,
    block: usize,
    /// Does column `t` belong to the same link?
    is_own: bool,
    waste: L,
}

impl<T: Real, L: Pack<T>> Piece for Multiply<'_, T, L> {
    type Output = L;
    #[inline(always)]
    fn run(self) -> L {
        let Self { memory, t, block, is_own, waste } = self;
        let w = L::WIDTH;
        // All slices first: a number that is loaded on the other side of a check is not broadcast by the load.
        let path = &memory.path[block * MOTIONS * w..][..MOTIONS * w];
        let at = t * (memory.rows.len() / memory.steps.len()) + block * ROWS * w;
        let to = &mut memory.rows[at..][..ROWS * w];
        let u = &memory.ancestors[t / w * (FACTORS * w)..][..FACTORS * w];
        let lane = t % w;
        let vector = |k: usize| Vector3::new(u[k * w + lane], u[(k + 1) * w + lane], u[(k + 2) * w + lane]);
        let force = |k: usize| Force::new(vector(k), vector(k + 3));
        let (u1, u11, u8_12) = (vector(U1), vector(U11), vector(U8_12));
        let (u9, u3, u6, u7) = (force(U9), force(U3), force(U6), force(U7));

        let s = load_motion::<T, L>(&path[S * w..]);
        let psi_dot = load_motion::<T, L>(&path[PSI_DOT * w..]);
        let psi_ddot = load_motion::<T, L>(&path[PSI_DDOT * w..]);
        let s_dot = load_motion::<T, L>(&path[S_DOT * w..]);

        // u₁₃ = u₉ + u₁₁
        let u9_psi_ddot: L = u9.power(psi_ddot);
        let u9_s_dot: L = u9.power(s_dot);
        let p1: L = v3::dot(u11, psi_dot.angular);
        let p2 = u9_psi_ddot + v3::dot(u8_12, psi_dot.angular);
        let u1_psi = u9_psi_ddot + v3::dot(u11, psi_ddot.angular) + v3::dot(u1, psi_dot.angular);
        let u1_s = u9_s_dot + v3::dot(u11, s_dot.angular) + v3::dot(u1, s.angular);
        let u8_s = u9_s_dot + v3::dot(u8_12, s.angular);
        let (u11_s, u9_s): (L, L) = (v3::dot(u11, s.angular), u9.power(s));
        let (u3_s, u6_s, u7_s): (L, L, L) = (u3.power(s), u6.power(s), u7.power(s));
        // In three chains: one would be waited for.
        let zero = L::zero();
        let a = keep(P1, p1, to, zero);
        let b = keep(P2, p2, to, zero);
        let c = keep(U1_PSI, u1_psi, to, zero);
        let a = keep(U1_S, u1_s, to, a);
        let b = keep(U11_S, u11_s, to, b);
        let c = keep(U9_S, u9_s, to, c);
        let a = keep(U3_S, u3_s, to, a);
        let b = keep(U8_S, u8_s, to, b);
        let c = keep(U6_S, u6_s, to, c);
        let a = keep(U7_S, u7_s, to, a);
        let b = if is_own { keep(U4_S, force(U4).power(s), to, b) } else { b };
        waste + ((a + b) + c)
    }
}

/// Puts numbers into their row; `waste` stays zero as long as all are finite.
#[inline(always)]
fn keep<T: Real, L: Pack<T>>(row: usize, x: L, rows: &mut [T], waste: L) -> L {
    x.store(&mut rows[row * L::WIDTH..]);
    x.mul_plus(0.0, waste)
}

/// Writes the products into the tensors, for degree of freedom `p`, column `t` of its path and all columns `r` up to
/// the link of `t`, to which `p` belongs too if it is its `OWN`.
///
/// Each entry is written once, or, if joints share coordinates (`ADD`), added.
struct Scatter<'a, T, L, const ADD: bool, const OWN: bool> {
    memory: &'a mut Memory<T>,
    p: usize,
    t: usize,
    width: PhantomData<L>,
}

impl<T: Real, L: Pack<T>, const ADD: bool, const OWN: bool> Piece for Scatter<'_, T, L, ADD, OWN> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { memory: Memory { steps, rows, result, .. }, p, t, .. } = self;
        let Step { dof: j, start, end, .. } = steps[t];
        let rows = &rows[t * (rows.len() / steps.len())..];
        let mut to = Entries::new(result, p, j);
        for (block, steps) in steps[..end].chunks(L::WIDTH).enumerate() {
            let rows = &rows[block * ROWS * L::WIDTH..][..ROWS * L::WIDTH];
            let (above, same) = steps.split_at(start.saturating_sub(block * L::WIDTH).min(steps.len()));
            to.put_all::<L, ADD, OWN, false>(above, rows, 0);
            to.put_all::<L, ADD, OWN, true>(same, rows, above.len());
        }
    }
}

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
}

impl<'a, T: Real> Entries<'a, T> {
    #[inline(always)]
    fn new(result: &'a mut RneaSecondDerivatives<T>, i: usize, j: usize) -> Self {
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
        while let Some(first) = steps.first() {
            if !ADD
                && first.run >= FOUR
                && let Some((four, rest)) = steps.split_first_chunk::<FOUR>()
            {
                self.put_four::<L, OWN, SAME>(first.dof, rows, lane);
                for step in four {
                    self.put::<L, ADD, OWN, SAME, false>(step, rows, lane);
                    lane += 1;
                }
                steps = rest;
            } else {
                self.put::<L, ADD, OWN, SAME, true>(first, rows, lane);
                lane += 1;
                steps = &steps[1..];
            }
        }
    }

    /// Those that stand side by side for four `k` that follow each other.
    #[inline(always)]
    fn put_four<L: Pack<T>, const OWN: bool, const SAME: bool>(&mut self, k: usize, rows: &[T], lane: usize) {
        let row =
            |row: usize| rows[row * L::WIDTH + lane..].first_chunk::<FOUR>().copied().unwrap_or([T::zero(); FOUR]);
        let (ijk, jik) = (self.ij0 + k, self.ji0 + k);
        let Self { qq, qv, vv, .. } = self;
        qq[ijk..][..FOUR].copy_from_slice(&row(P2));
        if !SAME {
            vv[ijk..][..FOUR].copy_from_slice(&row(U11_S).map(|x| -x));
            qv[ijk..][..FOUR].copy_from_slice(&row(U8_S));
        }
        if !OWN {
            qq[jik..][..FOUR].copy_from_slice(&row(U1_PSI));
            qv[jik..][..FOUR].copy_from_slice(&row(U1_S));
            vv[jik..][..FOUR].copy_from_slice(&row(U11_S));
        }
    }

    /// Those of one `k`; without `ALL`, without those that [`put_four`](Self::put_four) writes.
    #[inline(always)]
    fn put<L: Pack<T>, const ADD: bool, const OWN: bool, const SAME: bool, const ALL: bool>(
        &mut self,
        step: &Step,
        rows: &[T],
        lane: usize,
    ) {
        let Step { dof: k, row: kn, slab: knn, .. } = *step;
        let row = |row: usize| rows[row * L::WIDTH + lane % L::WIDTH];
        let (ijk, jik) = (self.ij0 + k, self.ji0 + k);
        let (ikj, jki) = (self.i0j + kn, self.j0i + kn);
        let (kij, kji) = (self.o_ij + knn, self.o_ji + knn);
        let Self { qq, qv, vv, aq, .. } = self;

        let (p1, p2, u11_s) = (row(P1), row(P2), row(U11_S));
        let u13_s = u11_s + row(U9_S);
        if ALL {
            put::<T, ADD>(&mut qq[ijk], p2);
        }
        put::<T, ADD>(&mut qv[ikj], -p1);
        if !OWN {
            let (u1_psi, u1_s) = (row(U1_PSI), row(U1_S));
            put::<T, ADD>(&mut qq[jki], u1_psi);
            put::<T, ADD>(&mut qv[jki], p1);
            put::<T, ADD>(&mut vv[jki], u11_s);
            put::<T, ADD>(&mut aq[jki], u13_s);
            if ALL {
                put::<T, ADD>(&mut qq[jik], u1_psi);
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
        put::<T, ADD>(&mut qq[ikj], p2);
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
