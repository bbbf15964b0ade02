//! Constraints, accelerations and impulses under them: what holds of all, contacts, and closed loops.

mod contacts;
mod equations;
mod loops;

use gradyn::dynamics::{Constraint, Workspace, forward_kinematics};
use gradyn::joint::{Axis, Revolute};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{BodyId, Model, ModelBuilder};
use gradyn::spatial::{Inertia, Symmetric3, Transform};
use nalgebra::Vector3;
use rand::RngExt;
use testing::{rng, robot, state, transform, vector};

/// Constraints between random bodies, or one and the world; of points, and of frames.
fn constraints(model: &Model, seed: u64) -> Vec<Constraint> {
    let rng = &mut rng(seed.wrapping_add(3000));
    let n = model.bodies().len();
    let mut all = Vec::new();
    for k in 0..3 {
        let b = rng.random_range(0..n);
        let a = Some(rng.random_range(0..n)).filter(|a| *a != b && k != 1);
        let id = |i: usize| model.body_id(i).expect("is there");
        let (a, b): (Option<BodyId>, _) = (a.map(id), id(b));
        all.push(match k {
            2 => Constraint::frame(a, transform(rng), b, transform(rng)).with_gains(7.0, 3.0),
            _ => Constraint::point(a, vector(rng), b, vector(rng)).with_gains(5.0, 0.5),
        });
    }
    all
}

/// The largest entry of a matrix or vector.
fn size<'a>(x: impl IntoIterator<Item = &'a f64>) -> f64 {
    x.into_iter().fold(0.0, |s: f64, x| s.max(x.abs()))
}

/// Four feet of a floating quadruped that stand where they are.
fn standing() -> (Model, Vec<f64>, Vec<Constraint>) {
    let model = robot("solo12", &UrdfOptions::new().floating_base(true));
    let (q, ..) = state(&model, 8);
    let mut ws = Workspace::new(&model);
    let still = vec![0.0; model.nv()];
    let kinematics = forward_kinematics(&model, &mut ws, &q, &still, &still).expect("runs");
    let feet = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"].map(|name| {
        let id = model.find_frame(name).expect("is there");
        let frame = &model.frames()[id.index()];
        let place = kinematics.frame_pose(id).expect("is there").translation;
        Constraint::contact(frame.body().expect("moves"), frame.placement().translation, place)
    });
    (model.clone(), q, feet.to_vec())
}

/// Two cranks of 0.5 m, 0.8 m apart, and a bar between them: a parallelogram in the plane of x and z, hanging down.
fn four_bar() -> (Model, Vec<Constraint>) {
    let mut builder = ModelBuilder::new("four-bar");
    let point = |m, x, z| Inertia::new(m, Vector3::new(x, 0.0, z), Symmetric3::diagonal(0.0, 0.0, 0.0));
    let at = |x, z| Transform::from_translation(Vector3::new(x, 0.0, z));
    let joint = Revolute { axis: Axis::Y };
    let crank = builder.add_body(None, "crank", "a", at(0.0, 0.0), joint, point(2.0, 0.0, -0.25)).expect("builds");
    builder.add_body(Some(crank), "bar", "b", at(0.0, -0.5), joint, point(3.0, 0.3, -0.1)).expect("builds");
    builder.add_body(None, "rocker", "c", at(0.8, 0.0), joint, point(2.0, 0.0, -0.25)).expect("builds");
    let model = builder.build().expect("builds");
    let id = |name| model.find_body(name).expect("is there");
    let loop_joint =
        Constraint::point(id("bar"), Vector3::new(0.8, 0.0, 0.0), id("rocker"), Vector3::new(0.0, 0.0, -0.5));
    (model.clone(), vec![loop_joint])
}
