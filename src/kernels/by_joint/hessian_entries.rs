//! Entries of the Hessian of `λᵀ τ`, after the sweeps.
//! Page: `partials/hessian/page.rs`. Source: `formulas/torque_hessian.rs`. Test:
//! `contractions::levels_agree_and_nothing_stays_behind`.

use crate::formulas::external_wrench::WrenchFrame;
use crate::kernels::Outcome;
use crate::kernels::by_joint::contraction::{Scratch, Weighted, load_weighted};
use crate::kernels::by_joint::matrix::of_lane;
use crate::kernels::by_joint::matrix_entries::{plus_angular, product};
use crate::kernels::by_joint::quantities::{Columns, Row, Six, load_motion, load_vector};
use crate::kernels::by_joint::{JointsMemory, rnea};
use crate::kernels::rows::store_left;
use crate::plan::joints::{BodyStep, JointsLayout};
use crate::spatial::{Force, Motion};
use gradyn_derivatives::{Lanes, Register, WIDTH};
use nalgebra::Vector3;

/// Column by column, of as many rows as columns.
pub(crate) struct Matrices<'a> {
    pub(crate) dqq: &'a mut [f64],
    pub(crate) dvq: &'a mut [f64],
    pub(crate) daq: &'a mut [f64],
    pub(crate) dvv: &'a mut [f64],
}

impl<'a> Matrices<'a> {
    /// Four that stand one after the other.
    pub(crate) fn of(all: &'a mut [f64]) -> Self {
        let (first, second) = all.split_at_mut(all.len() / 2);
        let (dqq, dvq) = first.split_at_mut(first.len() / 2);
        let (daq, dvv) = second.split_at_mut(second.len() / 2);
        Self { dqq, dvq, daq, dvv }
    }

    pub(crate) fn all(self) -> [&'a mut [f64]; 4] {
        [self.dqq, self.dvq, self.daq, self.dvv]
    }
}

/// All entries, of matrices of so many rows.
pub(crate) fn entries(
    layout: &JointsLayout,
    memory: &JointsMemory,
    own: &Scratch,
    rows: usize,
    to: &mut Matrices<'_>,
) -> Outcome {
    let finite = entries_in_lanes(layout, memory, own, rows, &mut *to);
    let standing = memory.wrenches.iter().any(|w| w.frame == WrenchFrame::World);
    if standing {
        stand(layout, memory, own, rows, to.dqq);
    }
    finite.and(!standing)
}

kernel!(
    memory.level,
    fn entries_in_lanes<'a, 'm, R: Register>(
        layout: &'a JointsLayout,
        memory: &'a JointsMemory,
        own: &'a Scratch,
        /// Rows of a matrix.
        nv: usize,
        to: &'a mut Matrices<'m>,
    ) -> Outcome {
        let mut zero = R::splat(0.0);
        for (g, pairs) in layout.pairs.iter().enumerate() {
            let rows = Lane { s: &memory.s[g], columns: &memory.columns[g], weighted: &own.weighted[g] };
            let several = !layout.groups[g].single;
            let turned = if several { turned::<R>(memory, own, g) } else { Motion::zero() };
            for pair in pairs {
                let (group, lane) = (pair.column / WIDTH, pair.column % WIDTH);
                let column =
                    Lane { s: &memory.s[group], columns: &memory.columns[group], weighted: &own.weighted[group] };
                let same = if group == g { column.weighted.own[lane] } else { 0 };
                let (below, above) = (pair.below | same, pair.above & !same);
                let mut x = [R::splat(0.0); 4];
                if below != 0 {
                    x = only(below, hanging::<R>(&rows, &column, lane), x);
                    if several && same != 0 {
                        let less = product(&turned, column.s, lane).where_else(same, R::splat(0.0));
                        x[3] = x[3].sub(less);
                    }
                }
                if above != 0 {
                    x = only(above, carrying::<R>(&rows, &column, lane), x);
                }
                let (at, left) = (pair.to * nv + g * WIDTH, nv - g * WIDTH);
                store_left(to.dqq, at, left, x[0]);
                store_left(to.dvq, at, left, x[1]);
                store_left(to.daq, at, left, x[2]);
                store_left(to.dvv, at, left, x[3]);
                let sum = x[0].add(x[1]).add(x[2].add(x[3]));
                zero = sum.mul_add(R::splat(0.0), zero);
            }
        }
        Outcome::of(zero)
    }
);

/// A group of lanes, of which eight are rows, or one is a column.
struct Lane<'a> {
    s: &'a Six,
    columns: &'a Columns,
    weighted: &'a Weighted,
}

/// The lanes of a mask; others elsewhere.
#[inline(always)]
fn only<R: Register>(mask: u8, x: [R; 4], others: [R; 4]) -> [R; 4] {
    let ([a, b, c, d], [e, f, g, h]) = (x, others);
    [a.where_else(mask, e), b.where_else(mask, f), c.where_else(mask, g), d.where_else(mask, h)]
}

/// Rows `k` that descend from the column `j`, or are of the same link: by `qq`, `vq`, `aq`, `vv`.
#[inline(always)]
fn hanging<R: Register>(rows: &Lane<'_>, column: &Lane<'_>, lane: usize) -> [R; 4] {
    let (omega, psi_dot) = (&column.weighted.omega, &column.columns.psi_d);
    let (g, t) = (load_vector::<R>(&rows.weighted.g), load_vector::<R>(&rows.weighted.t));
    let qq = product(&load::<R>(&rows.columns.q), omega, lane);
    let qq = qq.add(product(&load::<R>(&rows.weighted.r), &column.columns.psi_dd, lane));
    let vq = product(&load::<R>(&rows.columns.v), omega, lane);
    let aq = product(&load::<R>(&rows.columns.a), omega, lane);
    let vv = plus_angular(&g, column.s, lane, R::splat(0.0));
    [plus_angular(&t, psi_dot, lane, qq), plus_angular(&g, psi_dot, lane, vq), aq, vv]
}

/// Rows `j` that carry the column `k`.
#[inline(always)]
fn carrying<R: Register>(rows: &Lane<'_>, column: &Lane<'_>, lane: usize) -> [R; 4] {
    let (r, s) = (&column.weighted.r, load::<R>(rows.s));
    let (psi_dot, psi_ddot) = (load::<R>(&rows.columns.psi_d), load::<R>(&rows.columns.psi_dd));
    let qq = product(&load::<R>(&rows.weighted.omega), &column.columns.q, lane);
    let qq = qq.add(product(&psi_ddot, r, lane));
    let vq = product(&load::<R>(&rows.columns.psi_s), r, lane);
    let aq = product(&s, r, lane);
    [
        moment(&psi_dot.angular, &column.weighted.t, lane, qq),
        moment(&s.angular, &column.weighted.t, lane, vq),
        aq,
        moment(&s.angular, &column.weighted.g, lane, R::splat(0.0)),
    ]
}

/// Forces too, whose products are the same.
#[inline(always)]
fn load<R: Register>(x: &Six) -> Motion<Lanes<R>> {
    load_motion(x)
}

/// `y + rowsᵀ x` for a moment in lane `lane` of `x`.
#[inline(always)]
fn moment<R: Register>(rows: &Vector3<Lanes<R>>, x: &[Row; 3], lane: usize, y: R) -> R {
    let lane = lane & (WIDTH - 1);
    let y = rows.x.0.mul_add(R::splat(x[0].0[lane]), y);
    let y = rows.y.0.mul_add(R::splat(x[1].0[lane]), y);
    rows.z.0.mul_add(R::splat(x[2].0[lane]), y)
}

/// `S ×* h_C` of eight lanes, as what it is multiplied with is a motion.
#[inline(always)]
fn turned<R: Register>(memory: &JointsMemory, own: &Scratch, g: usize) -> Motion<Lanes<R>> {
    let h = load_weighted::<R>(&own.sums[g]).0.whole_momentum();
    let Force { linear, angular } = load_motion::<R>(&memory.s[g]).cross_force(h);
    Motion::new(linear, angular)
}

/// Wrenches that stand still in the world do not move with the columns: equation (5) of the page instead of what `P`
/// has taken along.
#[inline(never)]
fn stand(layout: &JointsLayout, memory: &JointsMemory, own: &Scratch, rows: usize, dqq: &mut [f64]) {
    for wrench in memory.wrenches.iter().filter(|w| w.frame == WrenchFrame::World) {
        let b = wrench.body.index();
        let f = wrench.wrench.shifted(rnea::origin(layout, memory, b));
        let w = of_lane(&own.w, layout.bodies[b].lane);
        for below in path(layout, b) {
            let x = w - above(layout, own, below);
            for k in lanes(below) {
                let s: Motion<f64> = of_lane(&memory.s, k);
                let (carried, seen): (Force<f64>, Force<f64>) = (s.cross_force(f), s.cross(x).cross_force(f));
                for carrier in path(layout, b).filter(|step| step.lane <= below.lane) {
                    let w_parent = above(layout, own, carrier);
                    for j in lanes(carrier) {
                        let s_j: Motion<f64> = of_lane(&memory.s, j);
                        let entry = w_parent.cross(s_j).power(carried) - s_j.power(seen);
                        dqq[j * rows + k] += entry;
                        if carrier.lane != below.lane {
                            dqq[k * rows + j] += entry;
                        }
                    }
                }
            }
        }
    }
}

/// By wrenches that stand still, the gradient by lanes: `−S · (w ×* φ)` is not part of the force.
pub(crate) fn scatter_by_lane(layout: &JointsLayout, memory: &JointsMemory, own: &mut Scratch) {
    for wrench in memory.wrenches.iter().filter(|w| w.frame == WrenchFrame::World) {
        let b = wrench.body.index();
        let f = wrench.wrench.shifted(rnea::origin(layout, memory, b));
        let turned: Force<f64> = of_lane(&own.w, layout.bodies[b].lane).cross_force(f);
        for k in path(layout, b).flat_map(lanes) {
            let s: Motion<f64> = of_lane(&memory.s, k);
            own.weighted[k / WIDTH].gradient[0].0[k % WIDTH] -= s.power(turned);
        }
    }
}

/// `w` of a body's parent.
fn above(layout: &JointsLayout, own: &Scratch, step: &BodyStep) -> Motion<f64> {
    if step.parent == layout.dof.len() { Motion::zero() } else { of_lane(&own.w, step.parent) }
}

fn lanes(step: &BodyStep) -> std::ops::Range<usize> {
    step.lane + 1 - step.columns..step.lane + 1
}

/// The bodies from one to the root.
fn path(layout: &JointsLayout, body: usize) -> impl Iterator<Item = &BodyStep> {
    std::iter::successors(Some(&layout.bodies[body]), |step| step.above.map(|b| &layout.bodies[b]))
}
