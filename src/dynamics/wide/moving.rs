//! What all bodies are and how they move, brought from lanes to bodies.

use super::matrix::of_lane;
use super::memory::{FORCE, INERTIA, Row};
use super::rnea::{origin, pose};
use super::{Layout, Memory, State, inward, outward, rnea};
use crate::dynamics::rooted::Rooted;
use crate::model::Model;
use crate::spatial::{Force, InertiaAboutOrigin, Motion, Symmetric3, vector as v3};
use gradyn_derivatives::simd::{Kernel, Register, WIDTH};
use nalgebra::Vector3;

/// Where bodies are, in the axes of the world about the root of each tree: columns and inertias; motions, the base falling
/// upwards; and the forces through their joints.
pub(super) struct Bodies<'a> {
    pub(super) rooted: &'a mut Rooted<f64>,
    pub(super) velocity: &'a mut [Motion<f64>],
    pub(super) acceleration: &'a mut [Motion<f64>],
    pub(super) force: &'a mut [Force<f64>],
}

/// Fills in all but the poses, and `memory.tau`. Are the torques surely finite?
pub(super) fn move_bodies(
    model: &Model,
    layout: &Layout,
    memory: &mut Memory,
    state: State<'_>,
    bodies: Bodies<'_>,
) -> bool {
    memory.level.run(Moving { model, layout, memory, state, bodies })
}

/// Poses, and the origins of the trees, after [`move_bodies`].
pub(super) fn poses(model: &Model, layout: &Layout, memory: &Memory, rooted: &mut Rooted<f64>) {
    for (i, body) in model.bodies.iter().enumerate() {
        rooted.pose[i] = pose(layout, memory, i);
        if body.parent.is_none() {
            rooted.origin[i] = origin(layout, memory, i);
        }
    }
}

/// Poses, velocities and accelerations of some bodies as they are in `memory`, and the origins of their trees; and the columns
/// of all joints if asked for.
pub(super) fn seats(
    model: &Model,
    layout: &Layout,
    memory: &Memory,
    bodies: impl Iterator<Item = usize>,
    columns: bool,
    rooted: &mut Rooted<f64>,
) {
    rooted.size_motions(model);
    if columns {
        memory.level.run(BringColumns { model, layout, memory, to: &mut rooted.columns });
    }
    for i in bodies {
        rooted.pose[i] = pose(layout, memory, i);
        rooted.set_origin(i, origin(layout, memory, i));
        let lane = layout.bodies[i].lane;
        rooted.velocity[i] = of_lane(&memory.velocity, lane);
        rooted.drift[i] = of_lane(&memory.acceleration, lane);
    }
}

struct BringColumns<'a> {
    model: &'a Model,
    layout: &'a Layout,
    memory: &'a Memory,
    to: &'a mut [Motion<f64>],
}

impl Kernel for BringColumns<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { model, layout, memory, to } = self;
        let mut bodies = model.bodies.iter().zip(&layout.bodies).peekable();
        let mut to = to.iter_mut();
        for (g, s) in memory.s.iter().enumerate() {
            let columns = by_lane::<R>(s);
            while let Some((body, step)) = bodies.next_if(|(_, step)| step.lane / WIDTH == g) {
                let last = step.lane % WIDTH;
                for (column, to) in columns[last + 1 - body.v.len()..=last].iter().zip(to.by_ref()) {
                    *to = motion(column);
                }
            }
        }
    }
}

struct Moving<'a> {
    model: &'a Model,
    layout: &'a Layout,
    memory: &'a mut Memory,
    state: State<'a>,
    bodies: Bodies<'a>,
}

impl Kernel for Moving<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { model, layout, memory, state: (q, v, a), bodies: to } = self;
        outward::read_state::<R>(layout, memory, q, v, a);
        outward::place::<R>(model, layout, memory, q);
        for g in 0..layout.groups.len() {
            outward::drive::<R, { outward::INERTIAS }>(model, layout, memory, g);
        }
        if !memory.wrenches.is_empty() {
            rnea::subtract(layout, memory);
        }
        let mut zero = R::splat(0.0);
        for g in (0..layout.groups.len()).rev() {
            zero = zero.add(inward::torques::<R>(model, layout, memory, g));
        }
        let mut bodies = model.bodies.iter().zip(&layout.bodies).enumerate().peekable();
        let mut first = 0;
        for g in 0..layout.groups.len() {
            let columns = by_lane::<R>(&memory.s[g]);
            let (velocity, fall) = (by_lane::<R>(&memory.velocity[g]), by_lane::<R>(&memory.acceleration[g]));
            let (low, high) = (by_lane::<R>(&memory.sums[g][..WIDTH]), by_lane::<R>(&memory.sums[g][WIDTH..2 * WIDTH]));
            const { assert!(FORCE + INERTIA == 2 * WIDTH) }
            while let Some((i, (body, step))) = bodies.next_if(|(_, (_, step))| step.lane / WIDTH == g) {
                let last = step.lane % WIDTH;
                let own = &columns[last + 1 - body.v.len()..=last];
                for (to, column) in to.rooted.columns[first..].iter_mut().zip(own) {
                    *to = motion(column);
                }
                first += body.v.len();
                let [a, b, c, d, e, f, mass, hx] = low[last].0;
                let [hy, hz, xx, xy, xz, yy, yz, zz] = high[last].0;
                to.force[i] = Force::new(Vector3::new(a, b, c), Vector3::new(d, e, f));
                to.rooted.inertia[i] = InertiaAboutOrigin {
                    mass,
                    first_moment: Vector3::new(hx, hy, hz),
                    moment: Symmetric3::new(xx, xy, xz, yy, yz, zz),
                };
                to.velocity[i] = motion(&velocity[last]);
                let fall = motion(&fall[last]);
                to.acceleration[i] = Motion::new(v3::sub(fall.linear, model.gravity), fall.angular);
            }
        }
        zero.all_lt(R::splat(1.0))
    }
}

/// Up to eight quantities of eight lanes: those of each lane side by side.
#[inline(always)]
pub(super) fn by_lane<R: Register>(quantities: &[Row]) -> [Row; WIDTH] {
    let mut rows = [R::splat(0.0); WIDTH];
    for (to, from) in rows.iter_mut().zip(quantities) {
        *to = from.load::<R>().0;
    }
    let lanes = R::transpose(rows);
    let mut found = [Row::ZERO; WIDTH];
    let mut k = 0;
    while k < WIDTH {
        found[k] = Row(lanes[k].to_array());
        k += 1;
    }
    found
}

#[inline(always)]
fn motion(row: &Row) -> Motion<f64> {
    let [a, b, c, d, e, f, ..] = row.0;
    Motion::new(Vector3::new(a, b, c), Vector3::new(d, e, f))
}
