//! Robots and states for the tests: random trees that hold every kind of joint.

#![allow(dead_code, unreachable_pub, missing_docs, reason = "each test binary uses a part")]

use gradyn::dynamics::ExternalWrench;
use gradyn::joint::*;
use gradyn::model::urdf::{ContinuousForm, UrdfOptions};
use gradyn::model::{Body, BodyId, BodyKey, DofDynamics, Model, ModelBuilder};
use gradyn::spatial::{Force, Inertia, Motion, Quaternion, Symmetric3, Transform, quaternion};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{DMatrix, Vector3};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::fmt::Display;
use std::path::{Path, PathBuf};

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

pub fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    rng.random_range(-1.0..1.0)
}

pub fn vector(rng: &mut ChaCha8Rng) -> Vector3<f64> {
    Vector3::new(uniform(rng), uniform(rng), uniform(rng))
}

pub fn rotation(rng: &mut ChaCha8Rng) -> Quaternion<f64> {
    quaternion::uniform(rng.random(), rng.random(), rng.random())
}

pub fn transform(rng: &mut ChaCha8Rng) -> Transform<f64> {
    Transform::new(rotation(rng).rotation(), vector(rng))
}

pub fn axis(rng: &mut ChaCha8Rng) -> Axis {
    Axis::along(vector(rng)).expect("not zero")
}

/// The inertia of a few random point masses: physical by construction.
pub fn inertia(rng: &mut ChaCha8Rng) -> Inertia<f64> {
    let points: Vec<_> = (0..5).map(|_| (rng.random_range(0.1..1.0), vector(rng) * 0.3)).collect();
    let mass: f64 = points.iter().map(|p| p.0).sum();
    let com = points.iter().fold(Vector3::zeros(), |c, (m, p)| c + *p * (*m / mass));
    let mut i = nalgebra::Matrix3::zeros();
    for (m, p) in &points {
        let r = p - com;
        i += (nalgebra::Matrix3::identity() * r.dot(&r) - r * r.transpose()) * *m;
    }
    Inertia::new(mass, com, Symmetric3::from_matrix(&i))
}

/// One of each kind but mimic, with random constants; kinds that are not written out here have those of [`Elementary::every`].
pub fn every_joint(rng: &mut ChaCha8Rng) -> Vec<Joint> {
    let mut joints: Vec<Joint> = vec![
        Revolute { axis: Axis::X }.into(),
        Revolute { axis: Axis::Y }.into(),
        Revolute { axis: Axis::Z }.into(),
        Revolute { axis: axis(rng) }.into(),
        Continuous { axis: Axis::Y }.into(),
        Continuous { axis: axis(rng) }.into(),
        Prismatic { axis: Axis::X }.into(),
        Prismatic { axis: axis(rng) }.into(),
        Helical { axis: axis(rng), pitch: 0.3 }.into(),
        Cylindrical { axis: axis(rng) }.into(),
        Universal { first: Axis::X, second: Axis::Y }.into(),
        Universal { first: axis(rng), second: axis(rng) }.into(),
        Planar::new(Axis::Z).into(),
        Planar::new(axis(rng)).into(),
        Translation.into(),
        Spherical.into(),
        SphericalZyx.into(),
        FreeFlyer.into(),
        Composite::new([Revolute { axis: Axis::Z }.into(), Prismatic { axis: axis(rng) }.into()]).into(),
        Composite::with_placements([
            (transform(rng), Spherical.into()),
            (transform(rng), Universal { first: Axis::Z, second: axis(rng) }.into()),
            (transform(rng), Helical { axis: axis(rng), pitch: -0.2 }.into()),
        ])
        .into(),
        Fixed.into(),
    ];
    for kind in Elementary::every() {
        if joints.iter().all(|joint| joint.kind() != kind.name()) {
            joints.push(kind.into());
        }
    }
    joints
}

/// A random tree with these joints in this order, and joint dynamics on every second one.
pub fn tree(seed: u64, joints: Vec<Joint>) -> Model {
    tree_builder(seed, joints, true).build().expect("builds")
}

/// What [`tree`] is built from; without followers if `mimic` is not wanted, else the same.
pub fn tree_builder(seed: u64, joints: Vec<Joint>, mimic: bool) -> ModelBuilder {
    let rng = &mut rng(seed);
    let mut builder = ModelBuilder::new(format!("tree {seed}"));
    builder.set_gravity(Vector3::new(0.3, -0.5, -9.6)).set_friction_width(0.4);
    let mut keys: Vec<BodyKey> = Vec::new();
    for (i, joint) in joints.into_iter().enumerate() {
        // Often the newest body, so that there are long branches too.
        let parent = match rng.random_range(0..4) {
            _ if keys.is_empty() => None,
            0 => Some(keys[rng.random_range(0..keys.len())]),
            _ => keys.last().copied(),
        };
        let nv = joint.nv();
        let (x, y) = (transform(rng), inertia(rng));
        let key = builder.add_body(parent, format!("body{i}"), format!("joint{i}"), x, joint, y).expect("builds");
        if i % 2 == 1 {
            let mut numbers = || (0..nv).map(|_| rng.random_range(0.1..1.0)).collect::<Vec<_>>();
            builder.set_armature(key, &numbers()).expect("fits");
            builder.set_damping(key, &numbers()).expect("fits");
            builder.set_friction(key, &numbers()).expect("fits");
        }
        keys.push(key);
    }
    // Followers: of joints with one coordinate, before and after their leaders, one of them of another follower.
    let model = builder.clone().build().expect("builds");
    let single: Vec<usize> = (0..keys.len())
        .filter(|i| {
            let body = model.find_body(&format!("body{i}")).expect("was added");
            let joint = model.bodies()[body.index()].joint();
            joint.nq() == 1 && joint.nv() == 1
        })
        .collect();
    if mimic && single.len() >= 5 {
        let last = single.len() - 1;
        builder.set_mimic(keys[single[0]], keys[single[last]], -0.7, 0.2).expect("one coordinate each");
        builder.set_mimic(keys[single[2]], keys[single[0]], 1.5, -0.1).expect("one coordinate each");
    }
    builder
}

/// A tree that holds every kind of joint, in random order.
pub fn tree_of_every_joint(seed: u64) -> Model {
    tree(seed, shuffled_joints(seed))
}

/// Every kind of joint, in random order.
pub fn shuffled_joints(seed: u64) -> Vec<Joint> {
    let rng = &mut rng(seed.wrapping_mul(77).wrapping_add(1));
    let mut joints = every_joint(rng);
    for i in (1..joints.len()).rev() {
        joints.swap(i, rng.random_range(0..=i));
    }
    joints
}

/// A tree of this many bodies, by joints of random kinds.
pub fn tree_of(bodies: usize, seed: u64) -> Model {
    let rng = &mut rng(seed.wrapping_mul(91).wrapping_add(7));
    let joints = (0..bodies).map(|_| {
        let mut joints = every_joint(rng);
        joints.swap_remove(rng.random_range(0..joints.len()))
    });
    let joints: Vec<_> = joints.collect();
    tree(seed, joints)
}

/// Trees that hold every kind of joint, and trees of 2 to 60 bodies, with what to call them in a failure.
pub fn trees() -> Vec<(String, Model)> {
    let mut trees: Vec<_> =
        (0..4).map(|seed| (format!("every joint, seed {seed}"), tree_of_every_joint(seed))).collect();
    for bodies in [2, 3, 5, 9, 17, 33, 60] {
        trees.push((format!("{bodies} bodies, seed {bodies}"), tree_of(bodies, bodies as u64)));
    }
    trees
}

/// A file of this repository.
pub fn path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A robot of this repository, by the name of its file.
pub fn robot(name: &str, options: &UrdfOptions) -> Model {
    let file = path(&format!("robots/{name}.urdf"));
    Model::from_urdf_file(&file, options).unwrap_or_else(|e| panic!("{}: {e}", file.display())).model
}

/// Every robot of this repository, fixed and with a floating base.
pub fn robots() -> Vec<(String, Model)> {
    let files = std::fs::read_dir(path("robots")).expect("is there").map(|entry| entry.expect("is readable").path());
    let mut names: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|e| e == "urdf"))
        .map(|file| file.file_stem().expect("has a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 11, "robots are missing: {names:?}");
    let mut robots = Vec::new();
    for name in names {
        for (base, floating) in [("fixed", false), ("floating", true)] {
            let options = UrdfOptions::new().floating_base(floating).continuous(ContinuousForm::CosSin);
            let model = robot(&name, &options);
            // Of a quadrotor nothing moves but its base.
            if model.nv() > 0 {
                robots.push((format!("{name}, {base} base"), model));
            }
        }
    }
    robots
}

/// Trees on a floating base that is mounted askew, with joints of one to three degrees of freedom.
pub fn afloat() -> Vec<(String, Model)> {
    let of = |hinges: usize| {
        let rng = &mut rng(hinges as u64);
        let mut hinge = || -> Joint { Revolute { axis: axis(rng) }.into() };
        let mut joints: Vec<Joint> = vec![FreeFlyer.into(), hinge(), Prismatic { axis: Axis::Y }.into()];
        joints.push(Spherical.into());
        joints.extend((0..hinges).map(|_| hinge()));
        let model = tree_builder(hinges as u64, joints, false).build().expect("builds");
        (format!("afloat, {} degrees of freedom", model.nv()), model)
    };
    [2, 9, 18].map(of).into()
}

/// Trees and robots.
pub fn models() -> Vec<(String, Model)> {
    let mut models = trees();
    models.extend(robots());
    models
}

/// Trees of joints whose subspaces are constant, with followers, and three such trees in one robot, one with a weld in the middle.
pub fn constant_subspaces() -> Vec<(String, Model)> {
    let mut models = Vec::new();
    for seed in 0..3 {
        let mut joints = shuffled_joints(seed);
        joints.retain(|joint| !JointKind::<f64>::subspace_varies(joint));
        let mut builder = tree_builder(seed, joints, true);
        models.push((format!("constant subspaces, seed {seed}"), builder.clone().build().expect("builds")));
        let rng = &mut rng(seed);
        let mut parent = None;
        let joints: [Joint; 4] = [FreeFlyer.into(), Revolute { axis: Axis::Y }.into(), Fixed.into(), Spherical.into()];
        for (k, joint) in joints.into_iter().enumerate() {
            let (x, y) = (transform(rng), inertia(rng));
            let key =
                builder.add_body(parent, format!("more{k}"), format!("more joint{k}"), x, joint, y).expect("fits");
            parent = Some(key);
        }
        let x = transform(rng);
        let hinge = Revolute { axis: axis(rng) };
        builder.add_body(None, "arm", "shoulder", x, hinge, inertia(rng)).expect("fits");
        models.push((format!("three trees, seed {seed}"), builder.build().expect("builds")));
    }
    models
}

/// Robots with a massless floating base that can be moved without moving anything that has mass.
pub const SINGULAR: [&str; 5] = [
    "cart_pole, floating base",
    "double_pendulum, floating base",
    "floating, floating base",
    "pendulum, floating base",
    "planar, floating base",
];

/// All other models: those whose mass matrix can be inverted.
pub fn regular() -> Vec<(String, Model)> {
    models().into_iter().filter(|(what, _)| !SINGULAR.contains(&what.as_str())).collect()
}

/// A body of a robot that is put together anew.
pub struct Part<'a> {
    pub of: &'a Model,
    /// The body there whose joint it has, with followers, armature and friction.
    pub body: usize,
    /// A place among the parts.
    pub parent: Option<usize>,
    pub placement: Transform<f64>,
    pub joint: Joint,
    pub inertia: Inertia<f64>,
}

/// All bodies of a model as parts, their roots on `parent`; `before` parts come before them.
pub fn parts(of: &Model, parent: Option<usize>, before: usize) -> Vec<Part<'_>> {
    let part = |(body, b): (usize, &Body)| Part {
        of,
        body,
        parent: b.parent().map(|p| p.index() + before).or(parent),
        placement: *b.placement(),
        joint: b.joint().clone(),
        inertia: *b.inertia(),
    };
    of.bodies().iter().enumerate().map(part).collect()
}

/// The robot that parts make, the one at `k` by the name of `k`; followers, armature and friction are theirs, all else is
/// the first one's.
pub fn assembled(parts: &[Part<'_>]) -> Model {
    let first = parts[0].of;
    let mut builder = ModelBuilder::new(first.name());
    builder.set_gravity(first.gravity()).set_friction_width(first.friction_width());
    let mut keys: Vec<BodyKey> = Vec::new();
    for (k, part) in parts.iter().enumerate() {
        let joint = match &part.joint {
            Joint::Mimic(mimic) => (*mimic.inner()).into(),
            joint => joint.clone(),
        };
        let parent = part.parent.map(|p| keys[p]);
        let key = builder.add_body(parent, format!("{k}"), format!("of {k}"), part.placement, joint, part.inertia);
        keys.push(key.expect("builds"));
    }
    let own = |part: &Part<'_>| part.of.bodies()[part.body].v_range();
    for (k, part) in parts.iter().enumerate() {
        if let Joint::Mimic(mimic) = &part.joint {
            let leads = |p: &Part<'_>| std::ptr::eq(p.of, part.of) && own(p) == own(part);
            let leader = parts.iter().position(|p| leads(p) && !matches!(p.joint, Joint::Mimic(_)));
            let leader = keys[leader.expect("is there")];
            builder.set_mimic(keys[k], leader, mimic.multiplier(), mimic.offset()).expect("one coordinate each");
        }
    }
    let model = builder.build().expect("builds");
    let mut dofs = Vec::new();
    for (k, part) in parts.iter().enumerate().filter(|(_, part)| !matches!(part.joint, Joint::Mimic(_))) {
        let to = model.bodies()[of_part(&model, k).index()].v_range();
        for (from, to) in own(part).zip(to) {
            let dynamics = part.of.joint_dynamics().iter().filter(|dof| dof.index == from);
            dofs.extend(dynamics.map(|dof| DofDynamics { index: to, ..*dof }));
        }
    }
    model.with_joint_dynamics(dofs).expect("fits")
}

/// The body that a part has become.
pub fn of_part(model: &Model, k: usize) -> BodyId {
    model.find_body(&k.to_string()).expect("is there")
}

/// The bodies of one model, and those of another, which hang from a body of the first or from the world too.
pub fn joined(first: &Model, second: &Model, on: Option<usize>) -> Model {
    let mut all = parts(first, None, 0);
    all.extend(parts(second, on, first.bodies().len()));
    assembled(&all)
}

/// A wrench of each kind on random bodies, and a second one on one of them.
pub fn wrenches(model: &Model, seed: u64) -> Vec<ExternalWrench> {
    let rng = &mut rng(seed.wrapping_add(2000));
    let n = model.bodies().len();
    let mut wrench = || Force::new(vector(rng) * 5.0, vector(rng) * 5.0);
    let at = |i: usize| model.body_id(i).expect("is there");
    vec![
        ExternalWrench::in_body(at(n - 1), wrench()),
        ExternalWrench::in_world(at(n / 2), wrench()),
        ExternalWrench::in_world(at(n - 1), wrench()),
        ExternalWrench::in_body(at(n / 3), wrench()),
    ]
}

/// Constants in another number type.
pub fn lift<T: Scalar>(x: &[f64]) -> Vec<T> {
    x.iter().map(|x| T::from(*x)).collect()
}

/// `x + ε dx`
pub fn dual(x: &[f64], dx: &[f64]) -> Vec<Dual64> {
    assert_eq!(x.len(), dx.len());
    x.iter().zip(dx).map(|(x, dx)| Dual64::new(*x, *dx)).collect()
}

/// `q ⊕ ε v`
pub fn moved(model: &Model, q: &[f64], v: &[f64]) -> Vec<Dual64> {
    let mut rate = vec![0.0; q.len()];
    model.q_dot_into(q, v, &mut rate).expect("fits");
    dual(q, &rate)
}

/// The unit vector along axis `k`.
pub fn unit(n: usize, k: usize) -> Vec<f64> {
    (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect()
}

/// Derivatives in ε.
pub fn eps(x: &[Dual64]) -> Vec<f64> {
    x.iter().map(|x| x.eps).collect()
}

/// Both, linear part first.
pub fn motion<T: Real>(m: Motion<T>) -> [T; 6] {
    [m.linear.x, m.linear.y, m.linear.z, m.angular.x, m.angular.y, m.angular.z]
}

/// Both, linear part first.
pub fn force<T: Real>(f: Force<T>) -> [T; 6] {
    [f.linear.x, f.linear.y, f.linear.z, f.angular.x, f.angular.y, f.angular.z]
}

/// Within `tolerance` of the largest expected number, which counts as one if it is less.
#[track_caller]
pub fn assert_near(found: &[f64], expected: &[f64], tolerance: f64, what: impl Display) {
    assert_eq!(found.len(), expected.len(), "{what}: lengths");
    let scale = expected.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        let off = (f - e).abs() / scale;
        assert!(off <= tolerance, "{what}: entry {i} is {f:e} instead of {e:e}, off by {off:.1e} of {scale:.1e}");
    }
}

/// The same bits.
#[track_caller]
pub fn assert_same(found: &[f64], expected: &[f64], what: impl Display) {
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert!(bits(found) == bits(expected), "{what}: {found:?} has not the bits of {expected:?}");
}

/// A random state: q within limits, v and a in ±1.
pub fn state(model: &Model, seed: u64) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let rng = &mut rng(seed.wrapping_add(1000));
    let q = model.random(rng);
    let mut tangent = || (0..model.nv()).map(|_| uniform(rng)).collect::<Vec<_>>();
    let v = tangent();
    (q, v, tangent())
}

/// The largest deviation of two matrices, relative to the largest entry of the second (at least one).
pub fn deviation(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    assert_eq!(a.shape(), b.shape());
    let scale = b.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
    let worst = a
        .iter()
        .zip(b.iter())
        .fold(0.0, |w: f64, (x, y)| if (x - y).is_nan() { f64::NAN } else { w.max((x - y).abs()) });
    worst / scale
}

/// Condition number of the mass matrix with its diagonal scaled to one, which is what rounding in a factorisation without
/// pivoting grows with. Each result is a sum over the tree of products of such sums: some thousand roundings.
pub fn condition(m: &DMatrix<f64>) -> f64 {
    let scaled = DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] / (m[(i, i)] * m[(j, j)]).sqrt());
    let eigenvalues = scaled.symmetric_eigenvalues();
    eigenvalues.max() / eigenvalues.min()
}
