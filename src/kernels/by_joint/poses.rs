//! Poses of bodies, one after the other, from the root to the leaves.
//! Page: `dynamics/world.rs`. Source: `x_wb = x_wp x_pb`. Test:
//! `kinematics_as_on_the_page::results_are_those_of_the_plain_forms`.

use crate::joint::{Joint, JointKind};
use crate::kernels::by_joint::JointsMemory;
use crate::plan::Row;
use crate::plan::joints::{BodyStep, HingeRows, JointsLayout, StepKind};
use crate::spatial::{Transform, vector as v3};
use gradyn_derivatives::{Lanes, Register, WIDTH};
use nalgebra::{Matrix3, Vector3};

/// Origins of trees whose roots turn about them; of others they are known once these are placed. A workspace may have served
/// another mounting before.
#[inline(always)]
pub(crate) fn of_roots(layout: &JointsLayout, memory: &mut JointsMemory) {
    for (origin, (_, mounting)) in memory.origins.iter_mut().zip(&layout.roots) {
        *origin = *mounting;
    }
}

/// Poses of all bodies, one after the other: two registers each.
#[inline(always)]
pub(crate) fn all<R: Register>(layout: &JointsLayout, memory: &mut JointsMemory, q: &[f64]) {
    let mut last = Last::world(layout, memory);
    for i in 0..layout.bodies.len() {
        of_body::<R>(layout, memory, q, i, &mut last);
    }
}

/// The pose of the body placed last, which mostly is the next one's parent: in registers it need not be waited for.
pub(crate) struct Last<R> {
    lane: usize,
    pose: [R; 2],
}

impl<R: Register> Last<R> {
    /// Before the first body.
    #[inline(always)]
    pub(crate) fn world(layout: &JointsLayout, memory: &JointsMemory) -> Self {
        let lane = layout.dof.len();
        Self { lane, pose: memory.poses[lane].map(|row| row.load::<R>().0) }
    }
}

/// Pose of a body whose parent has been placed.
#[inline(always)]
pub(crate) fn of_body<R: Register>(
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    q: &[f64],
    i: usize,
    last: &mut Last<R>,
) {
    let step = &layout.bodies[i];
    if step.parent != last.lane {
        let [low, high] = &memory.poses[step.parent];
        last.pose = [low.load::<R>().0, high.load::<R>().0];
    }
    let [low, high] = last.pose;
    let parent = [low.low_twice(), low.high_twice(), high.low_twice()];
    let (mut first, mut second) = (R::splat(0.0), high.where_else(0xf0, R::splat(0.0)));
    match &step.kind {
        StepKind::Hinge { number, rows } => {
            let cos = R::splat(memory.cos[number / WIDTH].0[number % WIDTH]);
            let sin = R::splat(memory.sin[number / WIDTH].0[number % WIDTH]);
            let HingeRows { cos: by_cos, sin: by_sin, rest } = &**rows;
            let mut k = 0;
            while k < 3 {
                let turned = by_cos[k].load::<R>().0.mul(cos);
                first = parent[k].mul_add(by_sin[k].load::<R>().0.mul_add(sin, turned), first);
                second = parent[k].mul_add(rest[k].load::<R>().0, second);
                k += 1;
            }
            // One column.
            memory.poses[step.lane] = [Row(first.to_array()), Row(second.to_array())];
        }
        StepKind::Other { joint, placement } => {
            place_other(joint, i, placement.as_deref(), step, layout, q, memory);
            let [low, high] = &memory.poses[step.lane];
            (first, second) = (low.load::<R>().0, high.load::<R>().0);
            memory.poses[step.lane + 1 - step.columns..step.lane].fill([Row(first.to_array()), Row(second.to_array())]);
        }
    }
    *last = Last { lane: step.lane, pose: [first, second] };
}

/// Pose of a body whose joint is no hinge, in the lane of its last column. Not inlined: such joints are few.
#[inline(never)]
fn place_other(
    joint: &Joint,
    i: usize,
    placement: Option<&Transform<f64>>,
    step: &BodyStep,
    layout: &JointsLayout,
    q: &[f64],
    memory: &mut JointsMemory,
) {
    let joint = joint.pose(&q[step.q.clone()]);
    let mut x = placement.map_or(joint, |placement| *placement * joint);
    if step.parent == layout.dof.len() {
        memory.origins[step.tree] = x.translation;
        x.translation = v3::zero();
    } else {
        x = of_lane(memory, step.parent) * x;
    }
    if step.trunk > 0 {
        take_origin(layout, memory, i, &mut x);
    }
    let (r, p) = (x.rotation, x.translation);
    let [low, high] = &mut memory.poses[step.lane];
    low.0 = [r[(0, 0)], r[(1, 0)], r[(2, 0)], 0.0, r[(0, 1)], r[(1, 1)], r[(2, 1)], 0.0];
    high.0 = [r[(0, 2)], r[(1, 2)], r[(2, 2)], 0.0, p.x, p.y, p.z, 0.0];
}

/// Shifts the origin of a tree to the body `i` at `x`, and its ancestors with it.
#[cold]
fn take_origin(layout: &JointsLayout, memory: &mut JointsMemory, i: usize, x: &mut Transform<f64>) {
    let (step, shift) = (&layout.bodies[i], x.translation);
    memory.origins[step.tree] += shift;
    x.translation = v3::zero();
    for before in &layout.bodies[i - step.trunk..i] {
        for [_, high] in &mut memory.poses[before.lane + 1 - before.columns..=before.lane] {
            let [_, _, _, _, x, y, z, _] = &mut high.0;
            (*x, *y, *z) = (*x - shift.x, *y - shift.y, *z - shift.z);
        }
    }
}

/// Pose of a lane's body, in axes of the lane.
#[inline(always)]
pub(crate) fn of_lane(memory: &JointsMemory, lane: usize) -> Transform<f64> {
    let [[a0, a1, a2, _, b0, b1, b2, _], [c0, c1, c2, _, x, y, z, _]] = memory.poses[lane].map(|row| row.0);
    Transform::new(Matrix3::new(a0, b0, c0, a1, b1, c1, a2, b2, c2), Vector3::new(x, y, z))
}

/// Poses of the bodies of a group, lane by lane.
#[inline(always)]
pub(crate) fn load<R: Register>(poses: &[[Row; 2]]) -> Transform<Lanes<R>> {
    let [a, b, c, d, e, f, g, h] = poses.first_chunk().unwrap_or(&[[Row::ZERO; 2]; WIDTH]);
    let [r00, r10, r20, _, r01, r11, r21, _] =
        R::transposed([&a[0].0, &b[0].0, &c[0].0, &d[0].0, &e[0].0, &f[0].0, &g[0].0, &h[0].0]);
    let [r02, r12, r22, _, x, y, z, _] =
        R::transposed([&a[1].0, &b[1].0, &c[1].0, &d[1].0, &e[1].0, &f[1].0, &g[1].0, &h[1].0]);
    #[rustfmt::skip]
    let rotation = Matrix3::new(
        Lanes(r00), Lanes(r01), Lanes(r02),
        Lanes(r10), Lanes(r11), Lanes(r12),
        Lanes(r20), Lanes(r21), Lanes(r22),
    );
    Transform::new(rotation, Vector3::new(Lanes(x), Lanes(y), Lanes(z)))
}

/// Of each lane, the vector of its tree.
#[inline(always)]
pub(crate) fn of_tree<R: Register>(layout: &JointsLayout, vectors: &[Vector3<f64>], g: usize) -> Vector3<Lanes<R>> {
    if let [one] = vectors {
        return splat(*one);
    }
    let (mut x, mut y, mut z) = (Row::ZERO, Row::ZERO, Row::ZERO);
    for (lane, tree) in layout.tree[g * WIDTH..(g + 1) * WIDTH].iter().enumerate() {
        let vector = vectors[*tree];
        (x.0[lane], y.0[lane], z.0[lane]) = (vector.x, vector.y, vector.z);
    }
    Vector3::new(x.load(), y.load(), z.load())
}

/// The same number in all lanes.
#[inline(always)]
pub(crate) fn splat<R: Register>(x: Vector3<f64>) -> Vector3<Lanes<R>> {
    Vector3::new(Lanes(R::splat(x.x)), Lanes(R::splat(x.y)), Lanes(R::splat(x.z)))
}
