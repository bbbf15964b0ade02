//! Forward mode of inverse dynamics by formulas: values eight joints at a time, derivatives eight directions at a time.
//!
//! Along a direction that moves the joints by `δq`, `δv` and `δa`, the motions and forces of bodies change **in their
//! own coordinates**, written in world axes about the root of the tree, by sums over the joints on the path:
//! ```text
//! dν = dν_λ + Ψ̇ δq + S δv
//! β  = β_λ + Ψ̈ δq + (Ψ̇ + Ṡ) δv + S δa        β = dα + ν × dν
//! dφ = B dν + Y β
//! dF = dφ + Σ (dF_c + S_c ×* F_c δq_c)        over the bodies c that the body carries
//! dτ = Sᵀ dF
//! ```
//!
//! with the columns `Ψ̇`, `Ψ̈`, `Ψ̇ + Ṡ` and the Coriolis matrix `B = ν×* Y − Y ν× + (Y ν) ×̄*` of first derivatives
//! (S. Singh, R. Russell, P. Wensing, *Efficient analytical derivatives of rigid-body dynamics using spatial vector
//! algebra*, 2022). Because β replaces `dα`, the products of velocities with derivatives of velocities cancel, and only
//! the angular part of `dν` is needed. The cost is O(n): on an arm half of the instructions of the algorithm over dual
//! numbers, and more with a floating base, which has a pose there and six columns here.

use crate::formulas::external_wrench::WrenchFrame;
use crate::kernels::by_joint::matrix::{of_lane, vectors_of_lane};
use crate::kernels::by_joint::memory::JointsMemory;
use crate::kernels::by_joint::poses;
use crate::kernels::by_joint::quantities::{
    Row, Six, coriolis_of_lane, inertia_of_lane, load_motion, load_sum_force, load_vector, store_force, store_motion,
    store_vector,
};
use crate::kernels::by_joint::read;
use crate::kernels::by_joint::tangents::{Step, Tangents};
use crate::kernels::by_joint::{afloat, inward, outward, rnea};
use crate::kernels::finite;
use crate::kernels::outcome::Outcome;
use crate::plan::Constants;
use crate::plan::joints::Layout;
use crate::spatial::{Force, Motion, vector as v3};
use gradyn_derivatives::simd::{Kernel, Piece, Register, WIDTH};
use gradyn_derivatives::{Lanes, MulAdd};
use nalgebra::Vector3;

/// Takes numbers apart, or puts them together, at the level of the call: theirs may be a lower one.
pub(crate) struct AtLevelOfCall<P>(pub(crate) P);

impl<P: Piece> Kernel for AtLevelOfCall<P> {
    type Output = P::Output;
    #[inline(always)]
    fn run<R: Register>(self) -> P::Output {
        self.0.run()
    }
}

/// Torques and their derivatives. Returns whether the torques and the configuration are certainly finite.
pub(crate) fn run(
    constants: &Constants,
    layout: &Layout,
    memory: &mut JointsMemory,
    tangents: &mut Tangents,
) -> Outcome {
    memory.size_columns(layout);
    memory.wrenches.clear();
    memory.wrenches.extend(tangents.wrenches.iter().map(|(wrench, _)| *wrench));
    let finite = run_in_lanes(constants, layout, memory, tangents);
    rnea::collect(constants, layout, memory, &tangents.v, &tangents.a, &mut tangents.tau);
    finite.and(rnea::as_lanes(layout))
}

kernel!(
    memory.level,
    fn run_in_lanes<'a, R: Register>(
        constants: &'a Constants,
        layout: &'a Layout,
        memory: &'a mut JointsMemory,
        tangents: &'a mut Tangents,
    ) -> Outcome {
        read::state::<R>(layout, memory, &tangents.q, &tangents.v, &tangents.a);
        poses::all::<R>(layout, memory, &tangents.q);
        if tangents.floats {
            afloat::base_motion(memory, &tangents.v, &tangents.a);
        }
        for g in 0..layout.groups.len() {
            outward::motions::<R, { outward::COLUMNS }>(constants, layout, memory, g);
        }
        if !memory.wrenches.is_empty() {
            rnea::subtract(layout, memory);
        }
        // Torques do not depend on the pose of the base.
        let mut zero = finite::zero_if_finite::<R>(&tangents.q);
        for g in (0..layout.groups.len()).rev() {
            zero = zero.add(inward::torques::<R>(constants, layout, memory, g));
            let s = load_motion::<R>(&memory.s[g]);
            store_force(&mut tangents.turned[g], s.cross_force(load_sum_force(&memory.sums[g])));
            joint_rates::<R>(constants, layout, memory, g, &mut tangents.joints[g]);
        }
        if tangents.floats {
            zero = zero.add(R::splat(afloat::base_torques(memory)));
            base_change::<R>(constants.gravity, memory, tangents);
        }
        motions::<R>(memory, tangents);
        let under_wrenches = !memory.wrenches.is_empty();
        if under_wrenches {
            subtract::<R>(layout, memory, tangents);
        }
        if tangents.shares {
            tangents.dtau.fill(Row::ZERO);
        }
        lane_by_lane!(add_to_parents::<R>(memory, tangents, under_wrenches));
        if tangents.floats {
            base_torque_change::<R>(memory, tangents, under_wrenches);
        }
        add_more_joints::<R>(constants, layout, tangents);
        Outcome::of(zero)
    }
);

/// Derivatives of motions, root to leaves. What a column hangs on mostly is the one before: in registers it need not be
/// waited for, where there are enough of them.
#[inline(always)]
fn motions<R: Register>(memory: &JointsMemory, tangents: &mut Tangents) {
    let (mut last, zero) = (usize::MAX, Lanes(R::splat(0.0)));
    let (mut omega, mut beta) = ([zero; 3], [zero; 6]);
    for step in &tangents.steps[usize::from(tangents.floats)..] {
        let (g, at) = (step.lane / WIDTH, step.lane % WIDTH);
        let (s, columns) = (&memory.s[g], &memory.columns[g]);
        let (dq, dv, da) =
            (tangents.dq[step.dof].load::<R>(), tangents.dv[step.dof].load::<R>(), tangents.da[step.dof].load::<R>());
        // No column hangs on itself.
        let Ok([from, to]) = tangents.motion.get_disjoint_mut([step.parent, step.lane]) else { continue };
        if !R::HALVES && step.parent != last {
            (omega, beta) = (load_rows(&from.omega), load_rows(&from.beta));
        }
        let mut k = 0;
        while k < 6 {
            if R::HALVES {
                beta[k] = from.beta[k].load();
            }
            let b = dv.mul_plus(columns.psi_s[k].0[at], dq.mul_plus(columns.psi_dd[k].0[at], beta[k]));
            beta[k] = da.mul_plus(s[k].0[at], b);
            to.beta[k].store(beta[k]);
            k += 1;
        }
        k = 0;
        while k < 3 {
            if R::HALVES {
                omega[k] = from.omega[k].load();
            }
            let w = dq.mul_plus(columns.psi_d[k + 3].0[at], omega[k]);
            omega[k] = dv.mul_plus(s[k + 3].0[at], w);
            to.omega[k].store(omega[k]);
            k += 1;
        }
        last = step.lane;
    }
}

#[inline(always)]
fn load_rows<R: Register, const N: usize>(rows: &[Row; N]) -> [Lanes<R>; N] {
    let mut registers = [Lanes(R::splat(0.0)); N];
    let mut k = 0;
    while k < N {
        registers[k] = rows[k].load();
        k += 1;
    }
    registers
}

/// Derivatives of the motion of a base whose columns have no lanes: `β = −g × δX + v₀ × δv + δa`, with `δX`, `δv` and
/// `δa` in the axes of the world.
#[inline(always)]
fn base_change<R: Register>(gravity: Vector3<f64>, memory: &JointsMemory, tangents: &mut Tangents) {
    let (dx, dv, da) =
        (of_base::<R>(memory, &tangents.dq), of_base::<R>(memory, &tangents.dv), of_base::<R>(memory, &tangents.da));
    let fall: Motion<f64> = Motion::new(v3::neg(gravity), v3::zero());
    let to = &mut tangents.motion[0];
    store_motion(&mut to.beta, fall.cross_plus(dx, of_lane(&memory.base, 0).cross_plus(dv, da)));
    store_vector(&mut to.omega, dv.angular);
}

/// The first six rows, which are along the columns of the base.
#[inline(always)]
fn of_base<R: Register>(memory: &JointsMemory, rows: &[Row]) -> Motion<Lanes<R>> {
    let axes = poses::of_lane(memory, 0).rotation;
    let Some(rows) = rows.first_chunk() else { return Motion::zero() };
    let Motion { linear, angular } = load_motion::<R>(rows);
    Motion::new(v3::rotate(&axes, linear), v3::rotate(&axes, angular))
}

/// Derivatives of its torques: within one joint the force does not turn with the columns.
#[inline(always)]
fn base_torque_change<R: Register>(memory: &JointsMemory, tangents: &mut Tangents, under_wrenches: bool) {
    let axes = poses::of_lane(memory, 0).rotation;
    let Some(base) = tangents.steps.first() else { return };
    let f = force_on::<R>(memory, tangents, base, under_wrenches);
    if let Some(to) = tangents.dtau.first_chunk_mut() {
        store_force(to, Force::new(v3::rotate_back(&axes, f.linear), v3::rotate_back(&axes, f.angular)));
    }
}

/// Derivatives of the force that a column has to exert: what its body needs, if it carries it, and what hangs on it but
/// for the column that follows.
#[inline(always)]
fn force_on<R: Register>(
    memory: &JointsMemory,
    tangents: &Tangents,
    step: &Step,
    under_wrenches: bool,
) -> Force<Lanes<R>> {
    let (lane, mut f) = (step.lane, Force::zero());
    if step.carries {
        let motion = &tangents.motion[lane];
        f = inertia_of_lane(&memory.sums, lane) * load_motion::<R>(&motion.beta);
        f = coriolis_of_lane(&memory.sums, lane).times_plus(load_vector(&motion.omega), f);
    }
    // Last, as it has to be waited for.
    if step.gathers || under_wrenches {
        f += force::<R>(&tangents.handed[lane]);
    }
    f
}

/// Derivatives of forces and torques, leaves to root: a loop for both, since each force waits for the one before.
#[inline(always)]
fn add_to_parents<R: Register>(memory: &JointsMemory, tangents: &mut Tangents, under_wrenches: bool) {
    let world = tangents.handed.len();
    let (mut of_joint, mut of_next, mut is_followed) = (Force::zero(), Force::zero(), false);
    for k in (usize::from(tangents.floats)..tangents.steps.len()).rev() {
        let step = tangents.steps[k];
        let (g, at) = (step.lane / WIDTH, step.lane % WIDTH);
        let mut f = force_on::<R>(memory, tangents, &step, under_wrenches);
        if is_followed {
            f += of_next;
        }
        is_followed = step.follows;
        if step.parent < world {
            let [linear, angular] = vectors_of_lane(&tangents.turned[g], at);
            let on = Force::new(linear, angular).times_plus(tangents.dq[step.dof].load::<R>(), f);
            if step.follows {
                of_next = on;
            } else {
                let to = &mut tangents.handed[step.parent];
                store_force(to, if step.is_last && !under_wrenches { on } else { on + force(to) });
            }
        }

        // Within one joint the force does not turn with the columns.
        if step.carries {
            of_joint = f;
        }
        let [mass, slope] = &tangents.joints[g];
        let mut tau = tangents.da[step.dof].load::<R>() * mass.0[at];
        tau = tangents.dv[step.dof].load::<R>().mul_plus(slope.0[at], tau);
        let s = of_lane(&memory.s, step.lane);
        tau = v3::dot_plus(s.linear, of_joint.linear, v3::dot_plus(s.angular, of_joint.angular, tau));
        let to = &mut tangents.dtau[step.dof];
        if tangents.shares {
            tau += to.load();
        }
        to.store(tau);
    }
}

piece!(
    /// What wrenches take of the forces that bodies need. One that stands still in the world varies in coordinates of
    /// the body, by `−S ×* φ δq`.
    fn subtract<'a, R: Register>(layout: &'a Layout, memory: &'a JointsMemory, tangents: &'a mut Tangents) {
        tangents.handed.fill([Row::ZERO; 6]);
        for (w, change) in &tangents.wrenches {
            let b = w.body.index();
            let to = &mut tangents.handed[layout.bodies[b].lane];
            let change = force::<R>(change);
            let mut f = force::<R>(to);
            match w.frame {
                WrenchFrame::Body => f -= rnea::pose(layout, memory, b).act(change),
                WrenchFrame::World => {
                    let origin = rnea::origin(layout, memory, b);
                    let wrench = w.wrench.shifted(origin);
                    f -= change.shifted(origin);
                    if tangents.floats {
                        f += of_base::<R>(memory, &tangents.dq).cross_force(Force::lift(wrench));
                    }
                    let is_column = |lane: &usize| *lane > 0 || !tangents.floats;
                    for (g, lanes) in layout.path(b) {
                        let on_path = (g * WIDTH..(g + 1) * WIDTH).filter(|lane| lanes >> (lane % WIDTH) & 1 == 1);
                        for lane in on_path.filter(is_column) {
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
);

/// What eight torques vary with their joints' accelerations and velocities, by armature, damping and friction.
#[inline(always)]
fn joint_rates<R: Register>(
    constants: &Constants,
    layout: &Layout,
    memory: &JointsMemory,
    g: usize,
    to: &mut [Row; 2],
) {
    // A workspace may have served a robot with other joints before.
    *to = [Row::ZERO; 2];
    let rows = &layout.joints[g];
    if rows.some {
        to[0].store(inward::joint_dynamics::<R>(rows).mass());
        if constants.joint_friction {
            to[1].store(inward::friction_slope::<R>(constants, rows, memory.qd[g].load()));
        }
    }
}

/// The same of joints that no lane has room for.
#[inline(always)]
fn add_more_joints<R: Register>(constants: &Constants, layout: &Layout, tangents: &mut Tangents) {
    for entry in &layout.more_joints {
        let i = entry.index;
        let mut tau = tangents.da[i].load::<R>().mul_plus(entry.mass(), tangents.dtau[i].load());
        if constants.joint_friction {
            let slope = entry.friction_slope(tangents.v[i], constants.friction_width);
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
