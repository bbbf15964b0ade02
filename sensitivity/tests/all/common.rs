//! Robots and states for the tests.

use gradyn::joint::*;
use gradyn::{Constraint, Model, ModelBuilder, UrdfOptions, Workspace, rnea};
use gradyn_sensitivity::identify::Data;
use gradyn_sensitivity::{Parameters, QuadraticCost};
use nalgebra::Vector3;
use rand::RngExt;
use testing::{axis, inertia, numbers, rng, transform};

/// A robot of this repository.
pub(crate) fn robot(name: &str, floating: bool) -> Model {
    testing::robot(name, &UrdfOptions::new().floating_base(floating))
}

/// A tree with a joint of each kind, friction and armature in every second one, a frame on the last body.
pub(crate) fn tree(seed: u64) -> Model {
    let rng = &mut rng(seed);
    let joints: Vec<Joint> = vec![
        Helical { axis: axis(rng), pitch: 0.3 }.into(),
        Revolute { axis: Axis::X }.into(),
        Universal { first: axis(rng), second: axis(rng) }.into(),
        Prismatic { axis: axis(rng) }.into(),
        Revolute { axis: axis(rng) }.into(),
        Cylindrical { axis: axis(rng) }.into(),
        Spherical.into(),
        Composite::with_placements([
            (transform(rng), Revolute { axis: axis(rng) }.into()),
            (transform(rng), Helical { axis: axis(rng), pitch: -0.2 }.into()),
        ])
        .into(),
        Revolute { axis: Axis::Y }.into(),
        FreeFlyer.into(),
        SphericalZyx.into(),
        Revolute { axis: axis(rng) }.into(),
    ];
    let mut builder = ModelBuilder::new(format!("tree {seed}"));
    builder.set_gravity(Vector3::new(0.3, -0.5, -9.6)).set_friction_width(0.4);
    let mut keys = Vec::new();
    for (i, joint) in joints.into_iter().enumerate() {
        let parent = if i == 0 { None } else { Some(keys[rng.random_range(i.saturating_sub(3)..i)]) };
        let nv = joint.nv();
        let (x, y) = (transform(rng), inertia(rng));
        let key = builder.add_body(parent, format!("body{i}"), format!("joint{i}"), x, joint, y).expect("builds");
        if i % 2 == 1 {
            let mut some = || (0..nv).map(|_| rng.random_range(0.1..1.0)).collect::<Vec<_>>();
            builder.set_armature(key, &some()).expect("fits");
            builder.set_damping(key, &some()).expect("fits");
            builder.set_friction(key, &some()).expect("fits");
        }
        keys.push(key);
    }
    builder.set_mimic(keys[11], keys[1], -0.7, 0.2).expect("one coordinate each");
    let model = builder.build().expect("builds");
    let last = model.find_body("body11").expect("is there");
    model.with_frame(last, "tool", transform(rng)).expect("fits")
}

/// A state, and torques or accelerations.
pub(crate) fn state(model: &Model, seed: u64) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let rng = &mut rng(seed);
    let q = model.integrate(&model.neutral::<f64>(), &numbers(rng, model.nv())).expect("fits");
    (q, numbers(rng, model.nv()), numbers(rng, model.nv()))
}

/// A cost with weights everywhere.
pub(crate) fn cost(model: &Model, seed: u64) -> QuadraticCost {
    let (q, v, _) = state(model, seed);
    let nv = model.nv();
    let weights = |seed| numbers(&mut rng(seed), 2 * nv).iter().map(|x| 1.0 + x).collect::<Vec<f64>>();
    QuadraticCost {
        q,
        v,
        end: weights(seed),
        running: weights(seed + 1).iter().map(|w| 0.01 * w).collect(),
        control: 0.1,
    }
}

/// Random controls.
pub(crate) fn controls(model: &Model, steps: usize, size: f64) -> Vec<Vec<f64>> {
    let nu = gradyn_trajectory::step::Actuation::of(model).controls();
    let rng = &mut rng(17);
    (0..steps).map(|_| numbers(rng, nu).iter().map(|u| size * u).collect()).collect()
}

/// Parameters of every kind that the robot has.
pub(crate) fn some_of_every_kind(model: &Model) -> Parameters {
    let mut p = Parameters::of(model);
    let last = model.bodies().len() - 1;
    for (b, body) in model.bodies().iter().enumerate() {
        let (link, joint) = (body.name(), body.joint_name());
        if b == last || b % 3 == 0 {
            p = p.select(&format!("{link}.mass")).and_then(|p| p.select(&format!("{link}.com.*"))).expect("is there");
            p = p.select(&format!("{joint}.placement.*")).expect("is there");
        }
        if b % 4 == 1 && b % 3 != 0 && b != last {
            p = p.select(&format!("{link}.pi.*")).expect("is there");
        }
        for kind in ["axis.1", "armature", "friction", "damping", "pitch", "ratio", "offset"] {
            p = match p.clone().select(&format!("{joint}.{kind}")) {
                Ok(more) => more,
                Err(_) => p,
            };
        }
    }
    p.select_all("gravity.*, friction_width, state.q.*, state.v.*").expect("are there")
}

/// A quadruped that stands, and its front and hind feet where they are.
pub(crate) fn standing() -> (Model, Vec<f64>, [Constraint; 2], [Constraint; 2]) {
    let model = robot("solo12", true);
    let mut q = model.neutral::<f64>();
    q[2] = 0.24;
    for leg in 0..4 {
        (q[7 + 3 * leg + 1], q[7 + 3 * leg + 2]) = (0.7, -1.4);
    }
    let foot = |name: &str| {
        let frame = model.find_frame(name).expect("is there");
        let place = gradyn::once::frame_pose(&model, &q, frame).expect("runs");
        Constraint::frame_contact(&model, frame, place.translation).expect("fits").with_gains(100.0, 20.0)
    };
    let (front, hind) = ([foot("FL_FOOT"), foot("FR_FOOT")], [foot("HL_FOOT"), foot("HR_FOOT")]);
    (model, q, front, hind)
}

/// A sine a joint, and the torques of a robot with uniform noise of this standard deviation.
pub(crate) fn sines(model: &Model, n: usize, noise: f64, seed: u64) -> Data {
    let rng = &mut rng(seed);
    let nv = model.nv();
    let waves: Vec<[f64; 3]> =
        (0..nv).map(|_| [rng.random_range(0.3..0.8), rng.random_range(1.0..4.0), rng.random_range(0.0..6.0)]).collect();
    let ws = &mut Workspace::new(model);
    let mut data = Data::default();
    for i in 0..n {
        let t = 0.02 * i as f64;
        let of = |f: &dyn Fn(f64, f64, f64) -> f64| -> Vec<f64> {
            waves.iter().map(|[size, w, phase]| f(*size, *w, w * t + phase)).collect()
        };
        data.time.push(t);
        data.q.push(of(&|s, _, x| s * x.sin()));
        data.v.push(of(&|s, w, x| s * w * x.cos()));
        data.a.push(of(&|s, w, x| -s * w * w * x.sin()));
        let tau = rnea(model, ws, &data.q[i], &data.v[i], &data.a[i], &[]).expect("runs").to_vec();
        data.tau.push(tau.iter().map(|tau| tau + noise * rng.random_range(-1.7..1.7)).collect());
    }
    data
}
