//! From the root to the leaves: columns, motions, and the force that each body needs.
//! Page: `dynamics/rnea.rs`, `dynamics/placed.rs`. Source: RBDA, table 5.1. Test:
//! `plan::every_kernel_gives_what_its_page_gives`.

use crate::kernels::by_joint::poses::{self, splat};
use crate::kernels::by_joint::quantities::{
    Columns, INERTIA, Six, Sums, load_inertia, load_motion, load_symmetric, load_vector, store_coriolis, store_inertia,
    store_motion, store_sum_force, store_weight,
};
use crate::kernels::by_joint::{JointsMemory, bodies, by_lane};
use crate::plan::{Group, JointConstants, JointsLayout};
use crate::spatial::{Force, Inertia, InertiaAboutOrigin, Motion, Transform, vector as v3};
use gradyn_derivatives::{Lanes, Places, Register, WIDTH};
use nalgebra::Vector3;

/// Each lane's own number plus those of all its ancestors; groups before `g` hold their sums already.
#[inline(always)]
pub(crate) fn sum_from_root<R: Register>(
    group: &Group,
    motions: &mut [Six],
    g: usize,
    m: Motion<Lanes<R>>,
) -> Motion<Lanes<R>> {
    if R::HALVES {
        store_motion(&mut motions[g], m);
        by_lane::sum_from_root::<R>(group, motions, g);
        return load_motion(&motions[g]);
    }
    let mut m = registers(m);
    for places in &group.ancestors {
        m = add(m, permute(m, places));
    }
    for (source, places) in &group.ancestors_before {
        m = add(m, permute(registers(load_motion(&motions[*source])), places));
    }
    motion(m)
}

/// What stands at the given places of this group and of those before.
#[inline(always)]
pub(crate) fn gather<R: Register>(
    g: usize,
    from: &[(usize, Places)],
    before: &[Six],
    m: Motion<Lanes<R>>,
) -> Motion<Lanes<R>> {
    let own = registers(m);
    let mut found = [R::splat(0.0); 6];
    for (source, places) in from {
        let x = if *source == g { own } else { registers(load_motion(&before[*source])) };
        found = add(found, permute(x, places));
    }
    motion(found)
}

#[inline(always)]
pub(crate) fn permuted<R: Register>(m: Motion<Lanes<R>>, places: &Places) -> Motion<Lanes<R>> {
    motion(permute(registers(m), places))
}

#[inline(always)]
fn permute<R: Register>([a, b, c, d, e, f]: [R; 6], p: &Places) -> [R; 6] {
    [a.permute(p), b.permute(p), c.permute(p), d.permute(p), e.permute(p), f.permute(p)]
}

#[inline(always)]
fn add<R: Register>(x: [R; 6], y: [R; 6]) -> [R; 6] {
    [x[0].add(y[0]), x[1].add(y[1]), x[2].add(y[2]), x[3].add(y[3]), x[4].add(y[4]), x[5].add(y[5])]
}

#[inline(always)]
fn registers<R: Register>(m: Motion<Lanes<R>>) -> [R; 6] {
    [m.linear.x.0, m.linear.y.0, m.linear.z.0, m.angular.x.0, m.angular.y.0, m.angular.z.0]
}

#[inline(always)]
fn motion<R: Register>([a, b, c, d, e, f]: [R; 6]) -> Motion<Lanes<R>> {
    Motion::new(Vector3::new(Lanes(a), Lanes(b), Lanes(c)), Vector3::new(Lanes(d), Lanes(e), Lanes(f)))
}

/// Columns of a group in the coordinates that all its bodies share, from their poses.
#[inline(always)]
pub(crate) fn subspace<R: Register>(group: &Group, x: &Transform<Lanes<R>>) -> Motion<Lanes<R>> {
    if group.hinges {
        let z = v3::column(&x.rotation, 2);
        return Motion::new(v3::cross::<Lanes<R>, Lanes<R>>(x.translation, z), z);
    }
    x.act(load_motion::<R>(&group.subspace))
}

/// Columns and inertias of a group in the coordinates that all its bodies share.
#[inline(always)]
pub(crate) fn column_and_inertia<R: Register>(
    group: &Group,
    x: &Transform<Lanes<R>>,
) -> (Motion<Lanes<R>>, InertiaAboutOrigin<Lanes<R>>) {
    let s = subspace(group, x);
    let inertia = Inertia::new(group.mass.load(), load_vector::<R>(&group.com), load_symmetric::<R>(&group.rotational));
    (s, x.act(inertia).into())
}

/// Columns and inertias of a group, and nothing that moves; of the inertias the first `ROWS` numbers.
#[inline(always)]
pub(crate) fn inertias<R: Register, const ROWS: usize>(layout: &JointsLayout, memory: &mut JointsMemory, g: usize) {
    lane_by_lane!(inertias_of_lanes::<R, ROWS>(layout, memory, g));
}

#[inline(always)]
fn inertias_of_lanes<R: Register, const ROWS: usize>(layout: &JointsLayout, memory: &mut JointsMemory, g: usize) {
    let (s, inertia) =
        column_and_inertia::<R>(&layout.groups[g], &poses::load(&memory.poses[g * WIDTH..(g + 1) * WIDTH]));
    store_motion(&mut memory.s[g], s);
    if ROWS == INERTIA {
        store_inertia(&mut memory.sums[g], inertia);
    } else {
        store_weight(&mut memory.sums[g], inertia.mass, inertia.first_moment);
    }
}

/// What [`motions`] keeps of a group besides its columns `S`: each form keeps what it needs, in this order.
/// Passed as a number, `{ Keep::Forces as u8 }`, since constant parameters cannot be enums.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(crate) enum Keep {
    /// Velocities.
    Velocities,
    /// Velocities and accelerations.
    Accelerations,
    /// Velocities, accelerations, and poses and motions of bodies in [`JointsMemory::bodies`].
    Bodies,
    /// Velocities, accelerations, and of [`MovingMass`](crate::formulas::mass_moments::MovingMass) force, momentum, mass and
    /// first moment, in that order.
    MovingMasses,
    /// Velocities, accelerations and forces.
    Forces,
    /// The same and inertias.
    Inertias,
    /// The same, Coriolis matrices, and what columns of derivatives are made of.
    Derivatives,
}

impl Keep {
    /// Whether so much is kept, or more.
    #[inline(always)]
    pub(crate) const fn reaches(kept: u8, least: Self) -> bool {
        kept >= least as u8
    }

    /// Whether just this is kept.
    #[inline(always)]
    pub(crate) const fn is(kept: u8, keep: Self) -> bool {
        kept == keep as u8
    }
}

/// Motions and forces of a group, its base falling upwards:
///
/// ```text
/// v = v_λ + S q̇        a = a_λ + v × S q̇ + S q̈        f = I a + v ×* I v
/// ```
#[inline(always)]
pub(crate) fn motions<R: Register, const KEPT: u8>(
    constants: &JointConstants,
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    g: usize,
) {
    motions_in_field::<R, KEPT>(constants.gravity, layout, memory, g, false);
}

/// [`motions`] in the field of any gravity. `moving`: the velocities, and the inertias summed over subtrees, are there
/// already.
#[inline(always)]
pub(crate) fn motions_in_field<R: Register, const KEPT: u8>(
    gravity: Vector3<f64>,
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    g: usize,
    moving: bool,
) {
    let (group, a_0) = (&layout.groups[g], v3::neg(gravity));
    if R::HALVES && Keep::reaches(KEPT, Keep::Forces) {
        motions_lane_by_lane::<R, KEPT>(a_0, layout, memory, g, moving);
        return;
    }
    let x = poses::load::<R>(&memory.poses[g * WIDTH..(g + 1) * WIDTH]);
    let (s, inertia) = column_and_inertia::<R>(group, &x);
    let own: Motion<Lanes<R>> = s.times(memory.qd[g].load::<R>());
    let v = if moving {
        load_motion(&memory.velocity[g])
    } else {
        let own = with_base(group, &memory.base[0], own);
        sum_from_root(group, &mut memory.velocity, g, own)
    };
    store_motion(&mut memory.s[g], s);
    if Keep::is(KEPT, Keep::Velocities) {
        store_motion(&mut memory.velocity[g], v);
        return;
    }
    let v_body = if group.single { v } else { permuted(v, &group.own) };
    let rate = with_base(group, &memory.base[1], rate(s, v_body, own, memory.qdd[g].load()));
    let fall = sum_from_root(group, &mut memory.acceleration, g, rate);
    let a_0 = Motion::new(splat::<R>(a_0), v3::zero());
    let a = fall + a_0;

    if Keep::is(KEPT, Keep::MovingMasses) {
        let momentum = inertia * v;
        let sums = &mut memory.sums[g];
        let force = inertia.newton_euler(v, momentum, a).linear;
        store_sum_force(sums, Force::new(force, momentum.linear));
        store_weight(sums, inertia.mass, inertia.first_moment);
    }
    if Keep::reaches(KEPT, Keep::Forces) {
        keep_force::<R, KEPT>(&mut memory.sums[g], &inertia, v, a);
        if Keep::reaches(KEPT, Keep::Inertias) && !moving {
            store_inertia(&mut memory.sums[g], inertia);
        }
    }
    if Keep::is(KEPT, Keep::Bodies) {
        bodies::keep(layout, memory, g, x, v, a);
    }
    if Keep::reaches(KEPT, Keep::Derivatives) {
        keep_columns(layout, memory, g, a_0, s, v, fall);
    }
    store_motion(&mut memory.velocity[g], v);
    store_motion(&mut memory.acceleration[g], fall);
}

/// And what a floating base adds whose columns have no lanes.
#[inline(always)]
fn with_base<R: Register>(group: &Group, base: &Six, own: Motion<Lanes<R>>) -> Motion<Lanes<R>> {
    if group.floats { own + load_motion(base) } else { own }
}

/// The same where it stands in memory.
#[inline(always)]
fn add_base_motion<R: Register>(to: &mut Six, base: &Six) {
    let mut k = 0;
    while k < 6 {
        to[k].store(to[k].load::<R>() + base[k].load());
        k += 1;
    }
}

/// What each column adds to the acceleration that is summed up: `v × S q̇ + S q̈`.
#[inline(always)]
fn rate<R: Register>(
    s: Motion<Lanes<R>>,
    v: Motion<Lanes<R>>,
    own: Motion<Lanes<R>>,
    qdd: Lanes<R>,
) -> Motion<Lanes<R>> {
    s.times_plus(qdd, v.cross(own))
}

/// The force, and what derivatives need besides.
#[inline(always)]
fn keep_force<R: Register, const KEPT: u8>(
    sums: &mut Sums,
    inertia: &InertiaAboutOrigin<Lanes<R>>,
    v: Motion<Lanes<R>>,
    a: Motion<Lanes<R>>,
) {
    let momentum = *inertia * v;
    store_sum_force(sums, inertia.newton_euler(v, momentum, a));
    if Keep::reaches(KEPT, Keep::Derivatives) {
        store_coriolis(sums, &inertia.body_coriolis(v, momentum));
    }
}

/// [`motions_in_field`] in steps that do the same in each lane, and sums between them through memory: in halves of a register these steps hardly
/// need the stack (inverse dynamics of an arm takes 18 % less time with AVX2).
#[inline(always)]
fn motions_lane_by_lane<R: Register, const KEPT: u8>(
    a_0: Vector3<f64>,
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    g: usize,
    moving: bool,
) {
    let group = &layout.groups[g];
    lane_by_lane!(begin::<R>(group, memory, g, moving));
    if !moving {
        if group.floats {
            add_base_motion::<R>(&mut memory.velocity[g], &memory.base[0]);
        }
        by_lane::sum_from_root::<R>(group, &mut memory.velocity, g);
    }
    if !group.single {
        let v_body = permuted::<R>(load_motion(&memory.velocity[g]), &group.own);
        store_motion(&mut memory.acceleration[g], v_body);
    }
    lane_by_lane!(accelerate::<R>(group, memory, g));
    if group.floats {
        add_base_motion::<R>(&mut memory.acceleration[g], &memory.base[1]);
    }
    by_lane::sum_from_root::<R>(group, &mut memory.acceleration, g);
    lane_by_lane!(force::<R, KEPT>(group, memory, g, a_0, moving));
    if Keep::reaches(KEPT, Keep::Derivatives) && !group.single {
        let (s, v) = (load_motion(&memory.s[g]), load_motion(&memory.velocity[g]));
        let fall = load_motion(&memory.acceleration[g]);
        keep_columns::<R>(layout, memory, g, Motion::new(splat(a_0), v3::zero()), s, v, fall);
    }
}

/// Columns; and what each by itself adds to velocities, and inertias, unless the motion is known.
#[inline(always)]
fn begin<R: Register>(group: &Group, memory: &mut JointsMemory, g: usize, moving: bool) {
    let x = poses::load::<R>(&memory.poses[g * WIDTH..(g + 1) * WIDTH]);
    if moving {
        store_motion(&mut memory.s[g], subspace(group, &x));
        return;
    }
    let (s, inertia) = column_and_inertia::<R>(group, &x);
    store_motion(&mut memory.s[g], s);
    store_motion(&mut memory.velocity[g], s.times::<Lanes<R>>(memory.qd[g].load()));
    store_inertia(&mut memory.sums[g], inertia);
}

/// What each column adds to accelerations, in their place; where columns share a body, its velocity stands there before.
#[inline(always)]
fn accelerate<R: Register>(group: &Group, memory: &mut JointsMemory, g: usize) {
    let s = load_motion::<R>(&memory.s[g]);
    let v = load_motion(if group.single { &memory.velocity[g] } else { &memory.acceleration[g] });
    let own = s.times(memory.qd[g].load());
    store_motion(&mut memory.acceleration[g], rate(s, v, own, memory.qdd[g].load()));
}

/// What [`motions`] keeps after velocities and accelerations.
#[inline(always)]
fn force<R: Register, const KEPT: u8>(
    group: &Group,
    memory: &mut JointsMemory,
    g: usize,
    a_0: Vector3<f64>,
    moving: bool,
) {
    let v = load_motion::<R>(&memory.velocity[g]);
    let a = load_motion(&memory.acceleration[g]) + Motion::new(splat::<R>(a_0), v3::zero());
    let inertia = if moving {
        column_and_inertia::<R>(group, &poses::load(&memory.poses[g * WIDTH..(g + 1) * WIDTH])).1
    } else {
        load_inertia(&memory.sums[g])
    };
    keep_force::<R, KEPT>(&mut memory.sums[g], &inertia, v, a);
    if Keep::reaches(KEPT, Keep::Derivatives) && group.single {
        keep_single(&mut memory.columns[g], load_motion::<R>(&memory.s[g]), v, a);
    }
}

/// [`keep_columns`] of joints with one degree of freedom.
#[inline(always)]
fn keep_single<R: Register>(to: &mut Columns, s: Motion<Lanes<R>>, v: Motion<Lanes<R>>, a: Motion<Lanes<R>>) {
    let psi_d = v.cross(s);
    store_motion(&mut to.psi_d, psi_d);
    store_motion(&mut to.psi_dd, a.cross_plus(s, v.cross(psi_d)));
    store_motion(&mut to.psi_s, psi_d + psi_d);
}

/// What columns of derivatives are made of, from the columns and motions of a group; groups before hold theirs:
///
/// ```text
/// Ψ̇ = v_λ × S          Ψ̈ = a_λ × S + v_λ × Ψ̇          Ṡ = v × S
/// ```
///
/// For a joint with one degree of freedom `v_λ × S = v × S`, and the terms in `q̇` of `Ψ̈` cancel: `v` and `a` will do.
#[inline(always)]
pub(crate) fn keep_columns<R: Register>(
    layout: &JointsLayout,
    memory: &mut JointsMemory,
    g: usize,
    a_0: Motion<Lanes<R>>,
    s: Motion<Lanes<R>>,
    v: Motion<Lanes<R>>,
    fall: Motion<Lanes<R>>,
) {
    let (group, to) = (&layout.groups[g], &mut memory.columns[g]);
    if group.single {
        keep_single(to, s, v, fall + a_0);
    } else {
        let v_p = gather(g, &group.parent, &memory.velocity, v);
        let a_p = gather(g, &group.parent, &memory.acceleration, fall) + a_0;
        let psi_d = v_p.cross(s);
        store_motion(&mut to.psi_d, psi_d);
        store_motion(&mut to.psi_dd, a_p.cross_plus(s, v_p.cross(psi_d)));
        store_motion(&mut to.psi_s, psi_d + permuted(v, &group.own).cross(s));
    }
}
