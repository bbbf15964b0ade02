//! From the root to the leaves: poses, motions, and the force that each body needs.

use crate::joint::{Joint, JointKind};
use crate::kernels::by_joint::memory::{
    Columns, INERTIA, Memory, Row, Six, Sums, load_inertia, load_motion, load_symmetric, load_vector, store_coriolis,
    store_inertia, store_motion, store_sum_force, store_weight,
};
use crate::kernels::by_joint::{bodies, by_lane};
use crate::plan::Constants;
use crate::plan::joints::{Angles, BodyStep, Group, HingeRows, Layout, StepKind};
use crate::spatial::{Force, Inertia, InertiaAboutOrigin, Motion, Transform, vector as v3};
use gradyn_derivatives::simd::{Places, Register, WIDTH};
use gradyn_derivatives::{Lanes, Real};
use nalgebra::{Matrix3, Vector3};

/// A state, by lanes.
#[inline(always)]
pub(crate) fn read_state<R: Register>(layout: &Layout, memory: &mut Memory, q: &[f64], v: &[f64], a: &[f64]) {
    read_dofs::<R>(layout, &mut memory.qd, v);
    read_dofs::<R>(layout, &mut memory.qdd, a);
    read_configuration::<R>(layout, memory, q);
}

/// One number a degree of freedom, by lanes. Zero in all lanes if all are finite.
#[inline(always)]
pub(crate) fn read_dofs<R: Register>(layout: &Layout, to: &mut [Row], x: &[f64]) -> R {
    let mut zero = R::splat(0.0);
    if layout.direct {
        for (row, x) in to.iter_mut().zip(x[layout.first..].chunks(WIDTH)) {
            let x = R::load_first(x);
            row.store(Lanes(x));
            zero = x.mul_add(R::splat(0.0), zero);
        }
        return zero;
    }
    for (lane, dof) in layout.dof.iter().enumerate() {
        if let Some(dof) = *dof {
            to[lane / WIDTH].0[lane % WIDTH] = x[dof];
        }
    }
    for row in to {
        zero = row.load::<R>().0.mul_add(R::splat(0.0), zero);
    }
    zero
}

/// Zero in all lanes if all numbers are finite.
#[inline(always)]
pub(crate) fn zero_if_finite<R: Register>(x: &[f64]) -> R {
    let mut sum = R::splat(0.0);
    let (whole, rest) = x.as_chunks::<WIDTH>();
    for x in whole {
        sum = R::from_array(*x).mul_add(R::splat(0.0), sum);
    }
    if !rest.is_empty() {
        sum = R::load_first(rest).mul_add(R::splat(0.0), sum);
    }
    sum
}

/// Cosine and sine of each hinge.
#[inline(always)]
pub(crate) fn read_configuration<R: Register>(layout: &Layout, memory: &mut Memory, q: &[f64]) {
    mount(layout, memory);
    read_angles(layout, memory, q);
    for (k, angles) in layout.angles.iter().enumerate() {
        turn::<R>(memory, q, k, angles.as_ref());
    }
    read_cos_sin(layout, memory, q);
}

/// Origins of trees whose roots turn about them; of others they are known once these are placed. A workspace may have served
/// another mounting before.
#[inline(always)]
pub(crate) fn mount(layout: &Layout, memory: &mut Memory) {
    for (origin, (_, mounting)) in memory.origins.iter_mut().zip(&layout.roots) {
        *origin = *mounting;
    }
}

/// Angles of hinges that do not stand in `q` as their register does.
#[inline(always)]
pub(crate) fn read_angles(layout: &Layout, memory: &mut Memory, q: &[f64]) {
    for turn in &layout.turns {
        memory.sin[turn.hinge / WIDTH].0[turn.hinge % WIDTH] = turn.multiplier * q[turn.q] + turn.offset;
    }
}

/// Cosines and sines of eight hinges, of their angles.
#[inline(always)]
pub(crate) fn turn<R: Register>(memory: &mut Memory, q: &[f64], k: usize, angles: Option<&Angles>) {
    let angle = match angles {
        Some(angles) => Lanes(R::load_first(&q[angles.start..]).where_else(angles.hinges, R::splat(0.0))),
        None => memory.sin[k].load::<R>(),
    };
    let (s, c) = angle.sin_cos();
    memory.sin[k].store(s);
    memory.cos[k].store(c);
}

/// Cosines and sines of hinges that have them as coordinates.
#[inline(always)]
pub(crate) fn read_cos_sin(layout: &Layout, memory: &mut Memory, q: &[f64]) {
    for (hinge, at) in &layout.cos_sin {
        memory.cos[hinge / WIDTH].0[hinge % WIDTH] = q[*at];
        memory.sin[hinge / WIDTH].0[hinge % WIDTH] = q[at + 1];
    }
}

/// Poses of all bodies, one after the other: two registers each.
#[inline(always)]
pub(crate) fn place<R: Register>(layout: &Layout, memory: &mut Memory, q: &[f64]) {
    let mut last = Placed::world(layout, memory);
    for i in 0..layout.bodies.len() {
        place_body::<R>(layout, memory, q, i, &mut last);
    }
}

/// The pose of the body placed last, which mostly is the next one's parent: in registers it need not be waited for.
pub(crate) struct Placed<R> {
    lane: usize,
    pose: [R; 2],
}

impl<R: Register> Placed<R> {
    /// Before the first body.
    #[inline(always)]
    pub(crate) fn world(layout: &Layout, memory: &Memory) -> Self {
        let lane = layout.dof.len();
        Self { lane, pose: memory.poses[lane].map(|row| row.load::<R>().0) }
    }
}

/// Pose of a body whose parent has been placed.
#[inline(always)]
pub(crate) fn place_body<R: Register>(layout: &Layout, memory: &mut Memory, q: &[f64], i: usize, last: &mut Placed<R>) {
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
    *last = Placed { lane: step.lane, pose: [first, second] };
}

/// Pose of a body whose joint is no hinge, in the lane of its last column. Not inlined: such joints are few.
#[inline(never)]
fn place_other(
    joint: &Joint,
    i: usize,
    placement: Option<&Transform<f64>>,
    step: &BodyStep,
    layout: &Layout,
    q: &[f64],
    memory: &mut Memory,
) {
    let joint = joint.pose(&q[step.q.clone()]);
    let mut x = placement.map_or(joint, |placement| *placement * joint);
    if step.parent == layout.dof.len() {
        memory.origins[step.tree] = x.translation;
        x.translation = v3::zero();
    } else {
        x = in_lane(memory, step.parent) * x;
    }
    if step.trunk > 0 {
        take_origin(layout, memory, i, &mut x);
    }
    let (r, p) = (x.rotation, x.translation);
    let [low, high] = &mut memory.poses[step.lane];
    low.0 = [r[(0, 0)], r[(1, 0)], r[(2, 0)], 0.0, r[(0, 1)], r[(1, 1)], r[(2, 1)], 0.0];
    high.0 = [r[(0, 2)], r[(1, 2)], r[(2, 2)], 0.0, p.x, p.y, p.z, 0.0];
}

/// Shifts the origin of a tree to the body `i` at `x`, and the bodies that it hangs from with it.
#[cold]
fn take_origin(layout: &Layout, memory: &mut Memory, i: usize, x: &mut Transform<f64>) {
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
pub(crate) fn in_lane(memory: &Memory, lane: usize) -> Transform<f64> {
    let [[a0, a1, a2, _, b0, b1, b2, _], [c0, c1, c2, _, x, y, z, _]] = memory.poses[lane].map(|row| row.0);
    Transform::new(Matrix3::new(a0, b0, c0, a1, b1, c1, a2, b2, c2), Vector3::new(x, y, z))
}

/// Poses of the bodies of a group, lane by lane.
#[inline(always)]
pub(crate) fn poses<R: Register>(poses: &[[Row; 2]]) -> Transform<Lanes<R>> {
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

/// Each lane's own number plus those of all lanes that it hangs from; groups before `g` hold their sums already.
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

/// Of each lane, the vector of its tree.
#[inline(always)]
pub(crate) fn of_tree<R: Register>(layout: &Layout, vectors: &[Vector3<f64>], g: usize) -> Vector3<Lanes<R>> {
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
pub(crate) fn weigh<R: Register>(
    group: &Group,
    x: &Transform<Lanes<R>>,
) -> (Motion<Lanes<R>>, InertiaAboutOrigin<Lanes<R>>) {
    let s = subspace(group, x);
    let inertia = Inertia::new(group.mass.load(), load_vector::<R>(&group.com), load_symmetric::<R>(&group.rotational));
    (s, x.act(inertia).into())
}

/// Columns and inertias of a group, and nothing that moves; of the inertias the first `KEPT` numbers.
#[inline(always)]
pub(crate) fn stand<R: Register, const KEPT: usize>(layout: &Layout, memory: &mut Memory, g: usize) {
    lane_by_lane!(stand_lanes::<R, KEPT>(layout, memory, g));
}

#[inline(always)]
fn stand_lanes<R: Register, const KEPT: usize>(layout: &Layout, memory: &mut Memory, g: usize) {
    let (s, inertia) = weigh::<R>(&layout.groups[g], &poses(&memory.poses[g * WIDTH..(g + 1) * WIDTH]));
    store_motion(&mut memory.s[g], s);
    if KEPT == INERTIA {
        store_inertia(&mut memory.sums[g], inertia);
    } else {
        store_weight(&mut memory.sums[g], inertia.mass, inertia.first_moment);
    }
}

/// What [`drive`] keeps: velocities;
pub(crate) const VELOCITIES: u8 = 0;
/// and accelerations;
pub(crate) const MOTIONS: u8 = 1;
/// and all that is asked of bodies; or with accelerations
pub(crate) const BODIES: u8 = 2;
/// force and momentum, both without their moments, and mass with its first moment, in that order;
pub(crate) const MASSES: u8 = 3;
/// or forces;
pub(crate) const FORCES: u8 = 4;
/// and inertias;
pub(crate) const INERTIAS: u8 = 5;
/// and what columns of derivatives are made of.
pub(crate) const COLUMNS: u8 = 6;

/// Motions and forces of a group, its base falling upwards:
///
/// ```text
/// v = v_λ + S q̇        a = a_λ + v × S q̇ + S q̈        f = I a + v ×* I v
/// ```
#[inline(always)]
pub(crate) fn drive<R: Register, const KEPT: u8>(
    constants: &Constants,
    layout: &Layout,
    memory: &mut Memory,
    g: usize,
) {
    drive_in::<R, KEPT>(constants.gravity, layout, memory, g, false);
}

/// [`drive`] in the field of any gravity. Do the velocities stand there already, and the inertias summed up over subtrees?
#[inline(always)]
pub(crate) fn drive_in<R: Register, const KEPT: u8>(
    gravity: Vector3<f64>,
    layout: &Layout,
    memory: &mut Memory,
    g: usize,
    moving: bool,
) {
    let (group, a_0) = (&layout.groups[g], v3::neg(gravity));
    if R::HALVES && KEPT >= FORCES {
        drive_halves::<R, KEPT>(a_0, layout, memory, g, moving);
        return;
    }
    let x = poses::<R>(&memory.poses[g * WIDTH..(g + 1) * WIDTH]);
    let (s, inertia) = weigh::<R>(group, &x);
    let own: Motion<Lanes<R>> = s.times(memory.qd[g].load::<R>());
    let v = if moving {
        load_motion(&memory.velocity[g])
    } else {
        let own = with_base(group, &memory.base[0], own);
        sum_from_root(group, &mut memory.velocity, g, own)
    };
    store_motion(&mut memory.s[g], s);
    if KEPT == VELOCITIES {
        store_motion(&mut memory.velocity[g], v);
        return;
    }
    let v_body = if group.single { v } else { permuted(v, &group.own) };
    let rate = with_base(group, &memory.base[1], rate(s, v_body, own, memory.qdd[g].load()));
    let fall = sum_from_root(group, &mut memory.acceleration, g, rate);
    let a_0 = Motion::new(splat::<R>(a_0), v3::zero());
    let a = fall + a_0;

    if KEPT == MASSES {
        let momentum = inertia * v;
        let sums = &mut memory.sums[g];
        let force = inertia.newton_euler(v, momentum, a).linear;
        store_sum_force(sums, Force::new(force, momentum.linear));
        store_weight(sums, inertia.mass, inertia.first_moment);
    }
    if KEPT >= FORCES {
        keep_force::<R, KEPT>(&mut memory.sums[g], &inertia, v, a);
        if KEPT >= INERTIAS && !moving {
            store_inertia(&mut memory.sums[g], inertia);
        }
    }
    if KEPT == BODIES {
        bodies::keep(layout, memory, g, x, v, a);
    }
    if KEPT >= COLUMNS {
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
fn add_base<R: Register>(to: &mut Six, base: &Six) {
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
    if KEPT >= COLUMNS {
        store_coriolis(sums, &inertia.body_coriolis(v, momentum));
    }
}

/// [`drive_in`] in steps that do the same in each lane, and sums between them through memory: in halves of a register these steps hardly
/// need the stack (inverse dynamics of an arm takes 18 % less time with AVX2).
#[inline(always)]
fn drive_halves<R: Register, const KEPT: u8>(
    a_0: Vector3<f64>,
    layout: &Layout,
    memory: &mut Memory,
    g: usize,
    moving: bool,
) {
    let group = &layout.groups[g];
    lane_by_lane!(begin::<R>(group, memory, g, moving));
    if !moving {
        if group.floats {
            add_base::<R>(&mut memory.velocity[g], &memory.base[0]);
        }
        by_lane::sum_from_root::<R>(group, &mut memory.velocity, g);
    }
    if !group.single {
        let v_body = permuted::<R>(load_motion(&memory.velocity[g]), &group.own);
        store_motion(&mut memory.acceleration[g], v_body);
    }
    lane_by_lane!(accelerate::<R>(group, memory, g));
    if group.floats {
        add_base::<R>(&mut memory.acceleration[g], &memory.base[1]);
    }
    by_lane::sum_from_root::<R>(group, &mut memory.acceleration, g);
    lane_by_lane!(force::<R, KEPT>(group, memory, g, a_0, moving));
    if KEPT >= COLUMNS && !group.single {
        let (s, v) = (load_motion(&memory.s[g]), load_motion(&memory.velocity[g]));
        let fall = load_motion(&memory.acceleration[g]);
        keep_columns::<R>(layout, memory, g, Motion::new(splat(a_0), v3::zero()), s, v, fall);
    }
}

/// Columns; and what each by itself adds to velocities, and inertias, unless the motion is known.
#[inline(always)]
fn begin<R: Register>(group: &Group, memory: &mut Memory, g: usize, moving: bool) {
    let x = poses::<R>(&memory.poses[g * WIDTH..(g + 1) * WIDTH]);
    if moving {
        store_motion(&mut memory.s[g], subspace(group, &x));
        return;
    }
    let (s, inertia) = weigh::<R>(group, &x);
    store_motion(&mut memory.s[g], s);
    store_motion(&mut memory.velocity[g], s.times::<Lanes<R>>(memory.qd[g].load()));
    store_inertia(&mut memory.sums[g], inertia);
}

/// What each column adds to accelerations, in their place; where columns share a body, its velocity stands there before.
#[inline(always)]
fn accelerate<R: Register>(group: &Group, memory: &mut Memory, g: usize) {
    let s = load_motion::<R>(&memory.s[g]);
    let v = load_motion(if group.single { &memory.velocity[g] } else { &memory.acceleration[g] });
    let own = s.times(memory.qd[g].load());
    store_motion(&mut memory.acceleration[g], rate(s, v, own, memory.qdd[g].load()));
}

/// What [`drive`] keeps after velocities and accelerations.
#[inline(always)]
fn force<R: Register, const KEPT: u8>(group: &Group, memory: &mut Memory, g: usize, a_0: Vector3<f64>, moving: bool) {
    let v = load_motion::<R>(&memory.velocity[g]);
    let a = load_motion(&memory.acceleration[g]) + Motion::new(splat::<R>(a_0), v3::zero());
    let inertia = if moving {
        weigh::<R>(group, &poses(&memory.poses[g * WIDTH..(g + 1) * WIDTH])).1
    } else {
        load_inertia(&memory.sums[g])
    };
    keep_force::<R, KEPT>(&mut memory.sums[g], &inertia, v, a);
    if KEPT >= COLUMNS && group.single {
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
    layout: &Layout,
    memory: &mut Memory,
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
