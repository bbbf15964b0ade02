//! Articulated bodies from the leaves to the root, one column of `I^A` per register: each degree of freedom waits for
//! the previous one, and its work has few dependent steps.
//! Page: `formulas/articulated_body.rs`. Test: `long_chains::a_long_chain_accelerates_as_it_is_pushed`.
//!
//! The force `p` of equation (1) in [`articulated`](super) is a seventh row of `I^A`, so that a right-hand side takes
//! no extra work:
//!
//! ```text
//! [I^A; pᵀ] S = [U; Sᵀp]        D = Sᵀ U + armature        r = x − Sᵀ p        [I^A; pᵀ] −= [U; −r] D⁻¹ Uᵀ
//! ```
//!
//! This is the same step as
//! [`ArticulatedBody::eliminate`](crate::formulas::articulated_body::ArticulatedBody::eliminate), which the plain level
//! and other number types use. If a pivot is lost, both call [`singular`].

use crate::formulas::singular;
use crate::kernels::Outcome;
use crate::kernels::by_joint::JointsMemory;
use crate::kernels::by_joint::articulated::factors::{Below, Extent, Factor, Own, Step, Weld};
use crate::kernels::by_joint::matrix::of_lane;
use crate::kernels::by_joint::quantities::{Row, inertia_of_lane, load_inertia};
use crate::spatial::{ArticulatedInertia, Force, InertiaAboutOrigin};
use gradyn_derivatives::{Lanes, Real, Register, WIDTH};
use nalgebra::Vector3;

/// Adds a body.
fn add(below: &mut Below, y: &InertiaAboutOrigin<f64>) {
    for (to, column) in below.columns.iter_mut().zip(columns(*y)) {
        for (to, x) in to.0.iter_mut().zip(column) {
            *to += x;
        }
    }
    below.extent = sum(below.extent, singular::extent(y));
}

kernel!(
    level,
    /// The sweep, over columns and inertias that stand in the lanes of `memory`. The right-hand sides `x` become `r`.
    /// The first degree of freedom whose pivot is lost, and the pivot, is the error.
    pub(crate) fn eliminate<'a, R: Register>(
        memory: &'a JointsMemory,
        steps: &'a [Step],
        /// Bodies without a degree of freedom.
        welds: &'a [Weld],
        armature: &'a [f64],
        /// Where branches join.
        joined: &'a mut [Below],
        factors: &'a mut [Factor],
        /// Of the group that the sweep is at.
        own: &'a mut Own,
        x: &'a mut [f64],
    ) -> Outcome {
        for (step, joined) in steps.iter().zip(&mut *joined) {
            if step.joins {
                *joined = Below::NOTHING;
            }
        }
        for weld in welds {
            add(&mut joined[weld.to], &inertia_of_lane(&memory.sums, weld.lane));
        }

        let mut group = usize::MAX;
        // The subtree of a degree of freedom stays in registers if that is next.
        let (mut below, mut extent, mut follows) = ([R::splat(0.0); 6], (0.0, 0.0), false);
        for (k, step) in steps.iter().enumerate().rev() {
            let (g, lane) = (step.lane / WIDTH, step.lane % WIDTH);
            if g != group {
                fill::<R>(&mut *own, memory, g);
                group = g;
            }
            if !follows {
                (below, extent) = ([R::splat(0.0); 6], (0.0, 0.0));
            }
            let mut j = 0;
            while j < 6 {
                below[j] = below[j].add(own.columns[j][lane].load::<R>().0);
                j += 1;
            }
            extent = sum(extent, (own.mass.0[lane], own.trace.0[lane]));
            if step.joins {
                let mut j = 0;
                while j < 6 {
                    below[j] = below[j].add(joined[k].columns[j].load::<R>().0);
                    j += 1;
                }
                extent = sum(extent, joined[k].extent);
            }

            let s = of_lane(&memory.s, step.lane);
            let (v, w) = (s.linear.map(R::splat), s.angular.map(R::splat));
            let low = below[2].mul_add(v.z, below[1].mul_add(v.y, below[0].mul(v.x)));
            let high = below[5].mul_add(w.z, below[4].mul_add(w.y, below[3].mul(w.x)));
            let u = low.add(high);
            let numbers = u.to_array();
            let [a, b, c, d, e, f, sp, _] = numbers;
            let pivot = s.power(Force::new(Vector3::new(a, b, c), Vector3::new(d, e, f))) + armature[k];
            if singular::is_lost(pivot, singular::cautious(singular::scale_of(extent.0, extent.1, s)) + armature[k]) {
                return Outcome::lost((k, pivot));
            }
            let reciprocal = pivot.recip();
            let by = R::splat(reciprocal);
            factors[k] = Factor { s: own.s[lane], w: Row(u.mul(by).where_else(0x7f, by).to_array()) };

            let left = u.sub(R::splat(x[k]).where_else(0x40, R::splat(0.0)));
            x[k] -= sp;
            let by = by.neg();
            let mut j = 0;
            while j < 6 {
                below[j] = left.mul(R::splat(numbers[j])).mul_add(by, below[j]);
                j += 1;
            }
            follows = step.follows;
            if let (false, Some(parent)) = (follows, step.parent) {
                let joined = &mut joined[parent];
                let mut j = 0;
                while j < 6 {
                    let sum = joined.columns[j].load::<R>().0.add(below[j]);
                    joined.columns[j].store(Lanes(sum));
                    j += 1;
                }
                joined.extent = sum(joined.extent, extent);
            }
        }
        Outcome::Unknown
    }
);

piece!(
    /// From quantities of eight lanes to those of each.
    fn fill<'a, R: Register>(to: &'a mut Own, memory: &'a JointsMemory, g: usize) {
        let y = load_inertia::<R>(&memory.sums[g]);
        let (mass, trace) = singular::extent(&y);
        to.mass.store(mass);
        to.trace.store(trace);
        let columns = columns(y);
        let mut j = 0;
        while j < 6 {
            bring(&mut to.columns[j], columns[j]);
            j += 1;
        }
        let [a, b, c, d, e, f] = &memory.s[g];
        bring::<R>(&mut to.s, [a.load(), b.load(), c.load(), d.load(), e.load(), f.load()]);
    }
);

/// Columns of the inertia of a body.
#[inline(always)]
fn columns<T: Real>(y: InertiaAboutOrigin<T>) -> [[T; 6]; 6] {
    let ArticulatedInertia { linear: a, coupling: h, angular: i } = y.into();
    [
        [a.xx, a.xy, a.xz, h.m11, h.m12, h.m13],
        [a.xy, a.yy, a.yz, h.m21, h.m22, h.m23],
        [a.xz, a.yz, a.zz, h.m31, h.m32, h.m33],
        [h.m11, h.m21, h.m31, i.xx, i.xy, i.xz],
        [h.m12, h.m22, h.m32, i.xy, i.yy, i.yz],
        [h.m13, h.m23, h.m33, i.xz, i.yz, i.zz],
    ]
}

/// From six numbers of eight lanes to those of each lane.
#[inline(always)]
fn bring<R: Register>(to: &mut [Row; WIDTH], [a, b, c, d, e, f]: [Lanes<R>; 6]) {
    let zero = R::splat(0.0);
    let lanes = R::transpose([a.0, b.0, c.0, d.0, e.0, f.0, zero, zero]);
    let mut k = 0;
    while k < WIDTH {
        to[k].store(Lanes(lanes[k]));
        k += 1;
    }
}

#[inline(always)]
fn sum(a: Extent, b: Extent) -> Extent {
    (a.0 + b.0, a.1 + b.1)
}
