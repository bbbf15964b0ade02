//! The same mechanism, described from another of its bodies: what is physical stays.

use gradyn::dynamics::{
    ExternalWrench, Workspace, WrenchFrame, aba, centroidal, forward_kinematics, kinetic_energy, potential_energy,
};
use gradyn::joint::*;
use gradyn::model::{Body, BodyId, Model};
use gradyn::once;
use gradyn::spatial::{Force, Motion, Quaternion, Transform};
use nalgebra::{DMatrix, DVector, Vector3};
use std::collections::BTreeSet;
use testing::{
    SINGULAR, assembled, assert_near, condition, force, motion, of_part, parts, robots, shuffled_joints, state, tree,
    wrenches,
};

/// Rounding of sums over up to sixty bodies, which are placed by products of up to sixty poses.
const ROUNDING: f64 = 1e-12;

/// Of mass matrices that leave nine digits of accelerations.
const CONDITION: f64 = 1e6;

/// A joint as joints in a row, whose motion subspaces do not depend on `q`; each with its mounting frame in the one
/// before.
fn row(joint: &Joint) -> Vec<(Transform<f64>, Elementary)> {
    let here = Transform::identity();
    match joint {
        Joint::Elementary(Elementary::SphericalZyx(_)) => {
            [Axis::Z, Axis::Y, Axis::X].map(|axis| (here, Revolute { axis }.into())).to_vec()
        }
        Joint::Elementary(kind) => kind.in_series().map(|part| (here, part)).collect(),
        Joint::Mimic(mimic) => vec![(here, *mimic.inner())],
        Joint::Composite(composite) => {
            let mut all = Vec::new();
            for part in composite.parts() {
                let mut own = row(&part.joint.into());
                own[0].0 = part.placement;
                all.extend(own);
            }
            all
        }
    }
}

/// One that leads back: `X′(q′) = X(q)⁻¹`, `q′` by [`there`].
fn back(kind: Elementary) -> Elementary {
    let opposite = |axis: Axis| Axis::along(-axis.vector()).expect("not zero");
    match kind {
        Elementary::Revolute(j) => Revolute { axis: opposite(j.axis) }.into(),
        Elementary::Continuous(j) => Continuous { axis: opposite(j.axis) }.into(),
        Elementary::Prismatic(j) => Prismatic { axis: opposite(j.axis) }.into(),
        Elementary::Helical(j) => Helical { axis: opposite(j.axis), ..j }.into(),
        Elementary::Cylindrical(j) => Cylindrical { axis: opposite(j.axis) }.into(),
        Elementary::Fixed(_)
        | Elementary::Planar(_)
        | Elementary::Translation(_)
        | Elementary::Spherical(_)
        | Elementary::FreeFlyer(_) => kind,
        Elementary::Universal(_) | Elementary::SphericalZyx(_) => unreachable!("rows hold none"),
    }
}

/// Coordinates of the one that leads back: the same about the opposite axis, else the inverse.
fn there(kind: Elementary, q: &[f64]) -> Vec<f64> {
    let turned = |q: &[f64]| Quaternion::new(Vector3::new(q[0], q[1], q[2]), q[3]).conjugate().to_array();
    match kind {
        Elementary::Translation(_) => q.iter().map(|q| -q).collect(),
        Elementary::Spherical(_) => turned(q).to_vec(),
        Elementary::Planar(_) => {
            let (x, y, c, s) = (q[0], q[1], q[2], q[3]);
            vec![-(c * x + s * y), s * x - c * y, c, -s]
        }
        Elementary::FreeFlyer(j) => {
            let x: Transform<f64> = JointKind::<f64>::pose(&j, q);
            [x.inverse().translation.as_slice(), &turned(&q[3..])].concat()
        }
        _ => q.to_vec(),
    }
}

/// Velocities of the one that leads back, `v′ = A v`: the same about the opposite axis, else `S v′ = −X S v`. So too
/// accelerations, as `d/dt (X S v) = X (S v × S v + S v̇)`.
fn along(kind: Elementary, q: &[f64]) -> DMatrix<f64> {
    let nv = JointKind::<f64>::nv(&kind);
    if back(kind) != kind {
        return DMatrix::identity(nv, nv);
    }
    let mut columns = vec![Motion::zero(); nv];
    kind.motion_subspace(q, &mut columns);
    let x: Transform<f64> = kind.pose(q);
    let dot = |a: Motion<f64>, b: Motion<f64>| a.linear.dot(&b.linear) + a.angular.dot(&b.angular);
    DMatrix::from_fn(nv, nv, |i, j| -dot(columns[i], x.act(columns[j])))
}

/// The joint that leads from a body back to its parent, to where the first of the row is mounted.
fn reversed(joint: &Joint) -> Joint {
    let row = row(joint);
    match joint {
        Joint::Mimic(j) => Joint::Mimic(Mimic::new(back(row[0].1), j.multiplier(), j.offset()).expect("was one")),
        _ if row.len() == 1 => back(row[0].1).into(),
        _ => {
            let after = |k: usize| row.get(k + 1).map_or_else(Transform::identity, |(x, _)| x.inverse());
            Composite::with_placements((0..row.len()).rev().map(|k| (after(k), back(row[k].1)))).into()
        }
    }
}

/// Its coordinates, and `A`.
fn coordinates(joint: &Joint, q: &[f64]) -> (Vec<f64>, DMatrix<f64>) {
    let row = row(joint);
    let nv: usize = row.iter().map(|(_, kind)| JointKind::<f64>::nv(kind)).sum();
    let (mut at, mut from, mut all, mut a) = (q.len(), nv, Vec::new(), DMatrix::zeros(nv, nv));
    for (_, kind) in row.iter().rev() {
        let own = at - JointKind::<f64>::nq(kind)..at;
        let block = along(*kind, &q[own.clone()]);
        at = own.start;
        let to = nv - from;
        from -= block.nrows();
        a.view_mut((to, from), block.shape()).copy_from(&block);
        all.extend(there(*kind, &q[own]));
    }
    (all, a)
}

/// A model with a floating base, and the same mechanism that floats at another of its bodies.
struct Rerooted {
    model: Model,
    other: Model,
    /// From the new base to the old one.
    path: Vec<usize>,
    /// The frame of a body there, in its frame here: where the joint toward the new base is mounted.
    frames: Vec<Transform<f64>>,
    /// The place there of a body here.
    place: Vec<usize>,
    /// The place there of the body with the joint of a body here.
    joint: Vec<usize>,
}

fn rerooted(model: &Model, base: usize) -> Rerooted {
    let parent = |i: usize| model.bodies()[i].parent().map(BodyId::index);
    let path: Vec<usize> = std::iter::successors(Some(base), |i| parent(*i)).collect();
    // Armature, friction, its curves and springs are of single degrees of freedom, which several in one joint are not on the other side. (Springs of
    // single ones: `surgery.rs`.)
    let several = |i: &&usize| model.bodies()[**i].v_range().len() > 1;
    let mixed: Vec<_> = path.iter().filter(several).flat_map(|i| model.bodies()[*i].v_range()).collect();
    let dofs = model.joint_dynamics().iter().filter(|dof| !mixed.contains(&dof.index)).copied().collect();
    let model = model.clone().without_springs().without_friction_curves().with_joint_dynamics(dofs).expect("fits");

    let n = model.bodies().len();
    let mut frames = vec![Transform::identity(); n];
    for pair in path.windows(2) {
        let child = &model.bodies()[pair[0]];
        frames[pair[1]] = *child.placement() * row(child.joint())[0].0;
    }
    let mut order = path.clone();
    order.extend((0..n).filter(|i| !path.contains(i)));
    let at = |i: usize| order.iter().position(|o| *o == i).expect("is there");
    let mut list = parts(&model, None, 0);
    list.sort_by_key(|part| at(part.body));
    for (k, part) in list.iter_mut().enumerate() {
        let i = part.body;
        part.inertia = frames[i].inverse().act(part.inertia);
        if k == 0 {
            (part.body, part.parent) = (0, None);
            (part.placement, part.joint) = (Transform::identity(), FreeFlyer.into());
        } else if k < path.len() {
            let child = path[k - 1];
            (part.body, part.parent) = (child, Some(k - 1));
            (part.placement, part.joint) = (frames[child].inverse(), reversed(model.bodies()[child].joint()));
        } else if let Some(p) = part.parent {
            (part.parent, part.placement) = (Some(at(p)), frames[p].inverse() * part.placement);
        }
    }
    let other = assembled(&list);
    let place = (0..n).map(|i| of_part(&other, at(i)).index()).collect();
    let with_joint = |i: usize| list.iter().position(|part| part.body == i).expect("is there");
    let joint = (0..n).map(|i| of_part(&other, with_joint(i)).index()).collect();
    drop(list);
    Rerooted { model, other, path, frames, place, joint }
}

impl Rerooted {
    /// Joints that have coordinates, but for the base: here, and the body with each there.
    fn joints(&self) -> impl Iterator<Item = (&Body, &Body, bool)> {
        let all = self.model.bodies().iter().enumerate().skip(1).filter(|(_, body)| body.owns_coordinates());
        all.map(|(i, body)| (body, &self.other.bodies()[self.joint[i]], self.path.contains(&i)))
    }

    fn configuration(&self, base: Transform<f64>, q: &[f64]) -> Vec<f64> {
        let mut there = [base.translation.as_slice(), &base.quaternion().to_array()].concat();
        there.resize(self.other.nq(), 0.0);
        for (here, other, turned) in self.joints() {
            let q = &q[here.q_range()];
            let q = if turned { coordinates(here.joint(), q).0 } else { q.to_vec() };
            there[other.q_range()].copy_from_slice(&q);
        }
        there
    }

    /// Velocities or accelerations, from those of the base and of what is here; or torques.
    fn tangent(&self, base: [f64; 6], q: &[f64], x: &[f64], torques: bool) -> Vec<f64> {
        let mut there = base.to_vec();
        there.resize(self.other.nv(), 0.0);
        for (here, other, turned) in self.joints() {
            let mut x = DVector::from_column_slice(&x[here.v_range()]);
            if turned {
                let a = coordinates(here.joint(), &q[here.q_range()]).1;
                // Power stays: τ′ᵀ A v = τᵀ v.
                let a = if torques { a.try_inverse().expect("is regular").transpose() } else { a };
                x = a * x;
            }
            there[other.v_range()].copy_from_slice(x.as_slice());
        }
        there
    }

    /// The same state; accelerations with it.
    fn state(&self, q: &[f64], v: &[f64], a: &[f64]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let mut ws = Workspace::new(&self.model);
        let kinematics = forward_kinematics(&self.model, &mut ws, q, v, a).expect("runs");
        let base = self.model.body_id(self.path[0]).expect("is there");
        let (x, v_b, a_b) = (kinematics.pose(base), kinematics.velocity(base), kinematics.acceleration(base));
        let [v_b, a_b] = [v_b, a_b].map(|x| motion(x.expect("is there")));
        let configuration = self.configuration(x.expect("is there"), q);
        (configuration, self.tangent(v_b, q, v, false), self.tangent(a_b, q, a, false))
    }

    fn wrench(&self, w: &ExternalWrench) -> ExternalWrench {
        let (i, there) = (w.body.index(), self.other.body_id(self.place[w.body.index()]).expect("is there"));
        match w.frame {
            WrenchFrame::Body => ExternalWrench::in_body(there, self.frames[i].inv_act(w.wrench)),
            WrenchFrame::World => ExternalWrench::in_world(there, w.wrench),
        }
    }
}

/// Robots and trees of 2 to 60 bodies that float, with every body of theirs as the base.
fn for_every_base(mut claim: impl FnMut(&Rerooted, &str)) {
    let floats = |model: &Model| model.bodies()[0].joint().kind() == "free-flyer";
    let mut models: Vec<_> = robots().into_iter().filter(|(_, model)| floats(model)).collect();
    assert!(models.len() >= 11, "{} robots float", models.len());
    for (seed, bodies) in (0..).zip([2, 3, 5, 9, 17, 22, 22, 22, 22, 33, 60]) {
        let joints = (0..3).flat_map(|k| shuffled_joints(10 * seed + k)).take(bodies - 1);
        let joints = std::iter::once(FreeFlyer.into()).chain(joints).collect();
        models.push((format!("{bodies} bodies, seed {seed}"), tree(seed, joints)));
    }
    for (what, model) in models {
        for base in 1..model.bodies().len() {
            claim(&rerooted(&model, base), &format!("{what}, from body {base}"));
        }
    }
}

/// Every kind of joint leads back; poses and motions of all bodies are the same.
#[test]
fn bodies_move_the_same() {
    let (mut kinds, mut longest) = (BTreeSet::new(), 0);
    for_every_base(|by, what| {
        let Rerooted { model, other, path, frames, place, .. } = by;
        longest = longest.max(path.len());
        kinds.extend(path[..path.len() - 1].iter().map(|i| model.bodies()[*i].joint().kind()));
        let (q, v, a) = state(model, 31);
        let (q1, v1, a1) = by.state(&q, &v, &a);
        let (mut ws, mut ws1) = (Workspace::new(model), Workspace::new(other));
        let here = forward_kinematics(model, &mut ws, &q, &v, &a).expect("runs");
        let there = forward_kinematics(other, &mut ws1, &q1, &v1, &a1).expect("runs");
        for i in 0..model.bodies().len() {
            let (id, id1) = (model.body_id(i).expect("is there"), other.body_id(place[i]).expect("is there"));
            let (x, x1) = (here.pose(id).expect("is there") * frames[i], there.pose(id1).expect("is there"));
            let near =
                |x1: &[f64], x: &[f64], name| assert_near(x1, x, ROUNDING, format!("{what}: {name} of body {i}"));
            near(x1.rotation.as_slice(), x.rotation.as_slice(), "rotation");
            near(x1.translation.as_slice(), x.translation.as_slice(), "place");
            let [v, a] = [here.velocity(id), here.acceleration(id)].map(|x| frames[i].inv_act(x.expect("is there")));
            let [v1, a1] = [there.velocity(id1), there.acceleration(id1)].map(|x| x.expect("is there"));
            near(&motion(v1), &motion(v), "velocity");
            near(&motion(a1), &motion(a), "acceleration");
        }
    });
    // Of every kind that there is.
    let all = testing::every_joint(&mut testing::rng(0));
    assert_eq!(kinds, all.iter().map(Joint::kind).chain(["mimic"]).collect());
    assert!(longest > 20, "{longest}");
}

/// Kinetic and potential energy, center of mass, momentum about it and its rate, inertia; products by the mass matrix.
#[test]
fn energy_and_momentum_are_the_same() {
    for_every_base(|by, what| {
        let (q, v, a) = state(&by.model, 32);
        let (q1, v1, a1) = by.state(&q, &v, &a);
        let numbers = |model: &Model, q: &[f64], v: &[f64], a: &[f64]| {
            let mut ws = Workspace::new(model);
            let kinetic = kinetic_energy(model, &mut ws, q, v).expect("runs");
            let potential = potential_energy(model, &mut ws, q).expect("runs");
            let of = centroidal(model, &mut ws, q, v, a).expect("has mass");
            let com = [of.com.position, of.com.velocity, of.com.acceleration].map(|x| x.as_slice().to_vec());
            [
                ("energies", vec![kinetic, potential]),
                ("center of mass", com.concat()),
                ("momentum", force(of.momentum).to_vec()),
                ("its rate", force(of.momentum_rate).to_vec()),
                ("inertia", [&[of.com.mass][..], &of.inertia.rotational.to_array()].concat()),
            ]
        };
        let (here, there) = (numbers(&by.model, &q, &v, &a), numbers(&by.other, &q1, &v1, &a1));
        for ((name, x), (_, x1)) in here.iter().zip(&there) {
            assert_near(x1, x, ROUNDING, format!("{what}: {name}"));
        }
        // Of v and of a, as another velocity.
        let (_, u1, _) = by.state(&q, &a, &a);
        let product = |model: &Model, q: &[f64], u: &[f64], v: &[f64]| {
            let m = once::crba(model, q).expect("runs");
            DVector::from_column_slice(u).dot(&(m * DVector::from_column_slice(v)))
        };
        let (x, x1) = (product(&by.model, &q, &a, &v), product(&by.other, &q1, &u1, &v1));
        // Terms of both signs, together as large as the energies.
        let scale = here[0].1[0].max(1.0);
        assert_near(&[x1 / scale], &[x / scale], ROUNDING, format!("{what}: product by M"));
    });
}

/// Joints need the same torques under the same wrenches, that of the old base among them, which the new one does not
/// need; and these accelerate them the same.
#[test]
fn torques_are_the_same() {
    let (mut accelerated, mut all) = (0, 0);
    for_every_base(|by, what| {
        let Rerooted { model, other, .. } = by;
        let ((q, v, a), f_ext) = (state(model, 33), wrenches(model, 33));
        let (q1, v1, a1) = by.state(&q, &v, &a);
        let tau = once::rnea(model, &q, &v, &a, &f_ext).expect("runs");
        let held = Force::new(Vector3::new(tau[0], tau[1], tau[2]), Vector3::new(tau[3], tau[4], tau[5]));
        let held = ExternalWrench::in_body(model.body_id(0).expect("is there"), held);
        let f_ext1: Vec<_> = f_ext.iter().chain([&held]).map(|w| by.wrench(w)).collect();
        let tau1 = once::rnea(other, &q1, &v1, &a1, &f_ext1).expect("runs");
        let expected = by.tangent([0.0; 6], &q, &tau, true);
        // What the old base carries is among what they are sums of.
        let scale = tau.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
        let scaled = |x: &[f64]| x.iter().map(|x| x / scale).collect::<Vec<_>>();
        assert_near(&scaled(&tau1), &scaled(&expected), ROUNDING, format!("{what}: torques"));

        all += 1;
        let singular = SINGULAR.iter().any(|name| what.starts_with(name));
        // Few digits are left of accelerations where the base is a fingertip.
        if !singular
            && [(model, &q), (other, &q1)]
                .iter()
                .all(|(model, q)| condition(&once::crba(model, q).expect("runs")) < 1e5)
        {
            accelerated += 1;
            let mut ws = Workspace::new(other);
            let found = aba(other, &mut ws, &q1, &v1, &expected, &f_ext1).expect("runs");
            // A thousand roundings, each as bad as M is conditioned at worst.
            assert_near(found, &a1, 1000.0 * f64::EPSILON * CONDITION, format!("{what}: accelerations"));
        }
    });
    assert!(3 * accelerated > all, "{accelerated} of {all}");
}
