//! Inverse dynamics over numbers with eight derivatives: values eight joints at a time, derivatives eight directions at a time.
//!
//! Along a direction that moves the joints by `δq`, `δv` and `δa`, what bodies do changes **in their own coordinates**, written
//! in the axes of the world about the root of the tree, by sums over the joints on the way:
//!
//! ```text
//! dν = dν_λ + Ψ̇ δq + S δv
//! β  = β_λ + Ψ̈ δq + (Ψ̇ + Ṡ) δv + S δa        β = dα + ν × dν
//! dφ = B dν + Y β
//! dF = dφ + Σ (dF_c + S_c ×* F_c δq_c)        over the bodies c that the body carries
//! dτ = Sᵀ dF
//! ```
//!
//! with the columns `Ψ̇`, `Ψ̈`, `Ψ̇ + Ṡ` and the Coriolis matrix `B = ν×* Y − Y ν× + (Y ν) ×̄*` that first derivatives are made of
//! (S. Singh, R. Russell, P. Wensing, *Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra*,
//! 2022). That β takes the place of `dα` makes the products of velocities with derivatives of velocities cancel. Cost O(n): on an
//! arm 0.6 of the instructions of the algorithm over dual numbers, more with a floating base, which has a pose to the latter and six
//! columns here.

use super::matrix::{motion_of, of_lane, vectors_of_lane};
use super::memory::{
    Row, Six, coriolis_of_lane, inertia_of_lane, load_motion, load_sum_force, store_force, store_motion,
};
use super::{Layout, Memory, inward, outward, rnea};
use crate::dynamics::{ExternalWrench, WrenchFrame};
use crate::joint::{Geometry, JointKind};
use crate::model::{Body, Model};
use crate::spatial::{Force, Motion};
use gradyn_derivatives::simd::{Kernel, Register, WIDTH};
use gradyn_derivatives::{Lanes, MulAdd};

/// A state with its derivatives, those of its torques, and what is between them.
#[derive(Clone, Debug)]
pub(crate) struct Tangents {
    /// The values of the state.
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) a: Vec<f64>,
    /// How the joints move along eight directions: one row a degree of freedom. The one after the last does not move.
    pub(crate) dq: Vec<Row>,
    pub(crate) dv: Vec<Row>,
    pub(crate) da: Vec<Row>,
    /// Wrenches, and how they vary in coordinates of their own.
    pub(crate) wrenches: Vec<(ExternalWrench, Six)>,
    /// The torques.
    pub(crate) tau: Vec<f64>,
    /// And theirs, one row more than there are degrees of freedom.
    pub(crate) dtau: Vec<Row>,
    /// Do all coordinates move at the velocities of the same numbers?
    pub(crate) flat: bool,
    steps: Vec<Step>,
    /// Do several columns share a degree of freedom, so that its torque is a sum?
    shares: bool,
    /// By lanes: `dν` and `β` of bodies that carry others than the next one.
    motion: Vec<[Six; 2]>,
    /// `dφ`, and what arrives from bodies that are not the next one.
    force: Vec<Six>,
    /// `S ×* F`, in groups of eight lanes.
    turned: Vec<Six>,
    /// What torques vary with their joints' accelerations, and velocities, besides.
    joints: Vec<[Row; 2]>,
}

/// One column of a motion subspace, in the order of the bodies.
#[derive(Clone, Copy, Debug)]
struct Step {
    lane: usize,
    /// That of a weld is the one after the last.
    dof: usize,
    hangs: Hangs,
    /// The lane of its joint's last column, if the joint has several.
    last: Option<usize>,
    /// Does it carry a body, as the last column of each joint does?
    carries: bool,
    /// And does that one carry others than the next?
    branches: bool,
}

/// Where a column hangs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hangs {
    /// On the one before.
    On,
    /// On that in some lane.
    Lane(usize),
    /// In the world.
    World,
}

impl Tangents {
    pub(crate) fn new(model: &Model, layout: &Layout) -> Self {
        let (nv, lanes, six) = (model.nv, layout.dof.len(), [Row::ZERO; 6]);
        let mut steps: Vec<Step> = Vec::with_capacity(lanes);
        for (body, at) in model.bodies.iter().zip(&layout.bodies) {
            let first = at.lane + 1 - at.columns;
            for lane in first..=at.lane {
                let hangs = match steps.last() {
                    _ if lane > first => Hangs::On,
                    Some(before) if before.lane == at.parent => Hangs::On,
                    _ if body.parent.is_some() => Hangs::Lane(at.parent),
                    _ => Hangs::World,
                };
                let dof = layout.dof[lane].unwrap_or(nv);
                let last = (at.columns > 1).then_some(at.lane);
                steps.push(Step { lane, dof, hangs, carries: lane == at.lane, last, branches: false });
            }
        }
        for k in 0..steps.len() {
            if let Hangs::Lane(lane) = steps[k].hangs
                && let Ok(at) = steps.binary_search_by_key(&lane, |step| step.lane)
            {
                steps[at].branches = true;
            }
        }
        let rows = vec![Row::ZERO; nv + 1];
        Self {
            q: vec![0.0; model.nq],
            v: vec![0.0; nv],
            a: vec![0.0; nv],
            dq: rows.clone(),
            dv: rows.clone(),
            da: rows.clone(),
            wrenches: Vec::with_capacity(model.bodies.len().max(WIDTH)),
            tau: vec![0.0; nv],
            dtau: rows,
            flat: model.bodies.iter().all(|body| is_flat(body) && body.q == body.v),
            shares: layout.dof.iter().flatten().count() > nv,
            steps,
            motion: vec![[six; 2]; lanes],
            force: vec![six; lanes],
            turned: vec![six; layout.groups.len()],
            joints: vec![[Row::ZERO; 2]; layout.groups.len()],
        }
    }
}

/// Do the joint's coordinates move at its velocities?
pub(crate) fn is_flat(body: &Body) -> bool {
    body.q.len() == body.v.len() && body.joint.geometry() == Geometry::Flat
}

/// Torques and their derivatives. Are the torques surely finite?
pub(crate) fn run(model: &Model, layout: &Layout, memory: &mut Memory, tangents: &mut Tangents) -> bool {
    memory.size_columns(layout);
    memory.wrenches.clear();
    memory.wrenches.extend(tangents.wrenches.iter().map(|(wrench, _)| *wrench));
    let finite = memory.level.run(Run { model, layout, memory, tangents });
    rnea::collect(model, layout, memory, &tangents.v, &tangents.a, &mut tangents.tau);
    finite && rnea::as_lanes(layout)
}

struct Run<'a> {
    model: &'a Model,
    layout: &'a Layout,
    memory: &'a mut Memory,
    tangents: &'a mut Tangents,
}

impl Kernel for Run<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { model, layout, memory, tangents } = self;
        outward::read_state::<R>(layout, memory, &tangents.q, &tangents.v, &tangents.a);
        outward::place::<R>(model, layout, memory, &tangents.q);
        for g in 0..layout.groups.len() {
            outward::drive::<R, { outward::COLUMNS }>(model, layout, memory, g);
        }
        if !memory.wrenches.is_empty() {
            rnea::subtract(layout, memory);
        }
        let mut zero = R::splat(0.0);
        for g in (0..layout.groups.len()).rev() {
            zero = zero.add(inward::torques::<R>(model, layout, memory, g));
            let s = load_motion::<R>(&memory.s[g]);
            store_force(&mut tangents.turned[g], s.cross_force(load_sum_force(&memory.sums[g])));
            weigh_joints::<R>(model, layout, memory, g, &mut tangents.joints[g]);
        }
        outwards::<R>(memory, tangents);
        if !memory.wrenches.is_empty() {
            subtract::<R>(layout, memory, tangents);
        }
        inwards::<R>(memory, tangents);
        add_more_joints::<R>(model, layout, tangents);
        zero.all_lt(R::splat(1.0))
    }
}

/// Derivatives of motions, and of the forces that bodies need.
#[inline(always)]
fn outwards<R: Register>(memory: &Memory, tangents: &mut Tangents) {
    let (mut v, mut b): (Motion<Lanes<R>>, Motion<Lanes<R>>) = (Motion::zero(), Motion::zero());
    for step in &tangents.steps {
        let lane = step.lane;
        match step.hangs {
            Hangs::On => {}
            Hangs::Lane(p) => (v, b) = (load_motion(&tangents.motion[p][0]), load_motion(&tangents.motion[p][1])),
            Hangs::World => (v, b) = (Motion::zero(), Motion::zero()),
        }
        let (columns, at) = (&memory.columns[lane / WIDTH], lane % WIDTH);
        let (dq, dv, da) =
            (tangents.dq[step.dof].load::<R>(), tangents.dv[step.dof].load(), tangents.da[step.dof].load());
        let s = of_lane(&memory.s, lane);
        v = motion_of(&columns.psi_d, at).times_plus(dq, s.times_plus(dv, v));
        b = motion_of(&columns.psi_dd, at).times_plus(dq, b);
        b = motion_of(&columns.psi_s, at).times_plus(dv, s.times_plus(da, b));
        if step.branches {
            store_motion(&mut tangents.motion[lane][0], v);
            store_motion(&mut tangents.motion[lane][1], b);
        }
        if step.carries {
            let f = inertia_of_lane(&memory.sums, lane) * b;
            store_force(&mut tangents.force[lane], coriolis_of_lane(&memory.sums, lane).times_plus(v, f));
        }
    }
}

/// What wrenches take of the forces that bodies need. One that stands still in the world varies in coordinates of the body, by
/// `−S ×* φ δq`.
#[inline(never)]
fn subtract<R: Register>(layout: &Layout, memory: &Memory, tangents: &mut Tangents) {
    for (w, change) in &tangents.wrenches {
        let b = w.body.index();
        let to = &mut tangents.force[layout.bodies[b].lane];
        let change = force::<R>(change);
        let mut f = force::<R>(to);
        match w.frame {
            WrenchFrame::Body => f -= rnea::pose(layout, memory, b).act(change),
            WrenchFrame::World => {
                let origin = rnea::origin(layout, memory, b);
                let wrench = w.wrench.shifted(origin);
                f -= change.shifted(origin);
                for (g, lanes) in layout.path(b) {
                    for lane in (g * WIDTH..(g + 1) * WIDTH).filter(|lane| lanes >> (lane % WIDTH) & 1 == 1) {
                        if let Some(dof) = layout.dof[lane] {
                            let turned = of_lane(&memory.s, lane).cross_force(wrench);
                            f = turned.times_plus(tangents.dq[dof].load::<R>(), f);
                        }
                    }
                }
            }
        }
        store_force(to, f);
    }
}

/// Derivatives of torques.
#[inline(always)]
fn inwards<R: Register>(memory: &Memory, tangents: &mut Tangents) {
    if tangents.shares {
        tangents.dtau.fill(Row::ZERO);
    }
    let (mut sum, mut follows): (Force<Lanes<R>>, bool) = (Force::zero(), false);
    for step in tangents.steps.iter().rev() {
        let lane = step.lane;
        if step.carries {
            let own = force(&tangents.force[lane]);
            sum = if follows { own + sum } else { own };
            if let Some(last) = step.last {
                store_force(&mut tangents.force[last], sum);
            }
        }
        let [mass, slope] = &tangents.joints[lane / WIDTH];
        // Within one joint the force does not turn with the columns.
        let s = of_lane(&memory.s, lane);
        let mut tau = match step.last {
            Some(last) => s.power(force::<R>(&tangents.force[last])),
            None => s.power(sum),
        };
        tau = tangents.da[step.dof].load::<R>().mul_plus(mass.0[lane % WIDTH], tau);
        tau = tangents.dv[step.dof].load::<R>().mul_plus(slope.0[lane % WIDTH], tau);
        if tangents.shares {
            tau += tangents.dtau[step.dof].load();
        }
        tangents.dtau[step.dof].store(tau);
        let [linear, angular] = vectors_of_lane(&tangents.turned[lane / WIDTH], lane % WIDTH);
        sum = Force::new(linear, angular).times_plus(tangents.dq[step.dof].load::<R>(), sum);
        follows = step.hangs == Hangs::On;
        if let Hangs::Lane(p) = step.hangs {
            let to = &mut tangents.force[p];
            let others = force::<R>(to);
            store_force(to, others + sum);
        }
    }
}

/// What eight torques vary with their joints' accelerations and velocities, by armature, damping and friction.
#[inline(always)]
fn weigh_joints<R: Register>(model: &Model, layout: &Layout, memory: &Memory, g: usize, to: &mut [Row; 2]) {
    // A workspace may have served a robot with other joints before.
    *to = [Row::ZERO; 2];
    let rows = &layout.joints[g];
    if rows.some {
        let joint = inward::joint_dynamics::<R>(rows);
        to[0].store(joint.mass());
        if model.joint_friction {
            to[1].store(joint.friction_slope(memory.qd[g].load::<R>(), Lanes(R::splat(model.friction_width))));
        }
    }
}

/// The same of joints that no lane has room for.
#[inline(always)]
fn add_more_joints<R: Register>(model: &Model, layout: &Layout, tangents: &mut Tangents) {
    for entry in &layout.more_joints {
        let i = entry.index;
        let mut tau = tangents.da[i].load::<R>().mul_plus(entry.mass(), tangents.dtau[i].load());
        if model.joint_friction {
            let slope = entry.friction_slope(tangents.v[i], model.friction_width);
            tau = tangents.dv[i].load::<R>().mul_plus(slope, tau);
        }
        tangents.dtau[i].store(tau);
    }
}

/// Six rows as a force.
#[inline(always)]
fn force<R: Register>(rows: &Six) -> Force<Lanes<R>> {
    let Motion { linear, angular } = load_motion(rows);
    Force::new(linear, angular)
}
