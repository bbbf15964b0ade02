//! Random trees that hold every kind of joint, and the robots of this repository.

use crate::{axis, inertia, rng, transform};
use gradyn::joint::*;
use gradyn::model::urdf::{ContinuousForm, UrdfOptions};
use gradyn::model::{BodyKey, Model, ModelBuilder};
use nalgebra::Vector3;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use std::path::{Path, PathBuf};

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

/// A random tree with these joints in this order, joint dynamics on every second one, springs on every third, friction curves on every fourth.
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
        if i % 3 == 1 {
            // From numbers of their own: the others stay what they were.
            let rng = &mut crate::rng(seed.wrapping_mul(31).wrapping_add(i as u64));
            let plain = spring_dofs(&builder, key, nv);
            let mut some = |low: f64, high: f64| -> Vec<f64> {
                plain.iter().map(|plain| if *plain { rng.random_range(low..high) } else { 0.0 }).collect()
            };
            builder.set_stiffness(key, &some(0.5, 20.0)).expect("fits");
            builder.set_spring_reference(key, &some(-0.5, 0.5)).expect("fits");
        }
        if i % 4 == 2 {
            let rng = &mut crate::rng(seed.wrapping_mul(37).wrapping_add(i as u64));
            let mut some = |low: f64, high: f64| (0..nv).map(|_| rng.random_range(low..high)).collect::<Vec<_>>();
            builder.set_stribeck(key, &some(0.1, 1.0)).expect("fits");
            builder.set_stribeck_velocity(key, &some(0.3, 1.0)).expect("fits");
            // So that friction takes energy everywhere.
            let asymmetry = some(-0.3, 0.3);
            builder.set_friction_asymmetry(key, &asymmetry).expect("fits");
            builder.set_friction(key, &asymmetry.iter().map(|x| x.abs() + 0.1).collect::<Vec<_>>()).expect("fits");
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

/// Which degrees of freedom of a joint can have a spring.
fn spring_dofs(builder: &ModelBuilder, key: BodyKey, nv: usize) -> Vec<bool> {
    let unit = |k: usize| (0..nv).map(|i| f64::from(u8::from(i == k))).collect::<Vec<_>>();
    (0..nv).map(|k| builder.clone().set_stiffness(key, &unit(k)).is_ok()).collect()
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
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("is in the repository").join(path)
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

/// All but the tree of 60 bodies, which has 130 degrees of freedom: of work that grows with their cube it takes more than all others.
pub fn moderate(models: Vec<(String, Model)>) -> Vec<(String, Model)> {
    models.into_iter().filter(|(_, model)| model.nv() < 100).collect()
}

/// All models but those of [`SINGULAR`]: their mass matrix can be inverted.
pub fn regular() -> Vec<(String, Model)> {
    models().into_iter().filter(|(what, _)| !SINGULAR.contains(&what.as_str())).collect()
}
