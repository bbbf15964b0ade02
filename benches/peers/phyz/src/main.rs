//! The same arm in gradyn and in phyz-diff: forward sensitivities of the first, adjoints of both.
//!
//! `gradyn-peers-phyz URDF STEPS RUNS`: semi-implicit Euler steps of 1 ms from q = 0, velocities and torques 0.1,
//! without friction. Prints what each finds, and the processor's seconds of each run: JSON.

use cpu_time::ProcessTime;
use gradyn::joint::{Elementary, Joint};
use gradyn::{Model, UrdfOptions};
use gradyn_sensitivity::{Memory, Parameters, QuadraticCost, Rollout, Scheme};
use phyz_diff::rollout::{AdjointRollout, FinalStateObjective, adjoint_rollout_gradient, rollout_objective};
use phyz_math::{DVec, Mat3, SpatialInertia, SpatialTransform, Vec3};
use serde_json::json;
use std::error::Error;
use std::hint::black_box;

const DT: f64 = 1e-3;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, file, steps, runs] = &arguments[..] else { return Err("usage: URDF STEPS RUNS".into()) };
    let (steps, runs): (usize, usize) = (steps.parse()?, runs.parse()?);
    let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model.with_joint_friction(false);
    let nv = model.nv();
    let (q0, v0, controls) = (vec![0.0; nv], vec![0.1; nv], vec![vec![0.1; nv]; steps]);

    // Forward: by the linear inertial parameters and the start.
    let linear = Parameters::of(&model).select("*.pi.*")?;
    let (values, run) = (linear.nominal(), Rollout::new(&linear, Scheme::SemiImplicitEuler, DT, controls.clone())?);
    let found = run.forward(&values, &q0, &v0)?;
    let (Some((q, v)), Some(by)) = (found.states.last(), found.by.last()) else { return Err("no state".into()) };
    let forward = time(runs, || drop(black_box(run.forward(&values, &q0, &v0))));
    let forward = json!({ "q": q, "v": v, "by": by.transpose().as_slice(), "times": forward });

    // Adjoint: by mass, center, and moments about the center, in phyz's order.
    let kinds = ["mass", "com.x", "com.y", "com.z"].into_iter().map(String::from);
    let moments = ["xx", "yy", "zz", "xy", "xz", "yz"].map(|k| format!("inertia.{k}"));
    let kinds: Vec<String> = kinds.chain(moments).collect();
    let mut inertial = Parameters::of(&model);
    for body in model.bodies() {
        for kind in &kinds {
            inertial = inertial.select(&format!("{}.{kind}", body.name()))?;
        }
    }
    // Names in the order of bodies and of `kinds`.
    let wanted = model.bodies().iter().flat_map(|body| kinds.iter().map(move |kind| format!("{}.{kind}", body.name())));
    let names = inertial.names();
    let order: Vec<usize> =
        wanted.map(|name| names.iter().position(|n| *n == name).ok_or(name)).collect::<Result<_, _>>()?;
    let (values, run) = (inertial.nominal(), Rollout::new(&inertial, Scheme::SemiImplicitEuler, DT, controls)?);
    let cost = QuadraticCost::at_end(&model, &q0);
    let found = run.adjoint(&values, &q0, &v0, &cost, Memory::default())?;
    let gradient: Vec<f64> = order.iter().map(|k| found.by_parameters[*k]).collect();
    let adjoint = time(runs, || drop(black_box(run.adjoint(&values, &q0, &v0, &cost, Memory::default()))));
    let simulation = time(runs, || drop(black_box(run.simulate(&values, &q0, &v0))));
    let ours = json!({ "cost": found.cost, "gradient": gradient, "times": adjoint, "simulation": simulation });

    let theirs = phyz(&model)?;
    let control = |_: usize| DVec::from_slice(&vec![0.1; nv]);
    let rollout =
        || AdjointRollout { model: &theirs, contact: None, q0: q0.clone(), v0: v0.clone(), steps, ctrl: &control };
    let objective = FinalStateObjective {
        value: &|q: &[f64], v: &[f64]| 0.5 * q.iter().chain(v).map(|x| x * x).sum::<f64>(),
        gradient: &|q: &[f64], v: &[f64]| (q.to_vec(), v.to_vec()),
    };
    let found = adjoint_rollout_gradient(&rollout(), &objective);
    let adjoint = time(runs, || drop(black_box(adjoint_rollout_gradient(&rollout(), &objective))));
    let simulation = time(runs, || {
        black_box(rollout_objective(&rollout(), &objective));
    });
    let theirs = json!({
        "cost": found.objective, "gradient": found.d_inertia.concat(), "times": adjoint, "simulation": simulation,
    });
    println!("{}", json!({ "forward": forward, "adjoint": ours, "phyz": theirs, "parameters": names.len() }));
    Ok(())
}

/// Seconds of the processor in each run: what others do with it meanwhile does not count.
fn time(runs: usize, mut f: impl FnMut()) -> Vec<f64> {
    let mut once = || {
        let start = ProcessTime::now();
        f();
        start.elapsed().as_secs_f64()
    };
    once();
    (0..runs).map(|_| once()).collect()
}

/// The arm as phyz builds it: transforms turn the parent's coordinates into the joint's.
fn phyz(model: &Model) -> Result<phyz_model::Model, String> {
    let mut builder = phyz_model::ModelBuilder::new().gravity(Vec3::new(0.0, 0.0, -9.81)).dt(DT);
    for (k, body) in model.bodies().iter().enumerate() {
        let Joint::Elementary(Elementary::Revolute(joint)) = body.joint() else {
            return Err(format!("`{}` is not revolute", body.joint_name()));
        };
        let (x, axis, y) = (body.placement(), joint.axis.vector(), body.inertia());
        let e = x.rotation.transpose();
        let rotation = Mat3::new(
            e[(0, 0)],
            e[(0, 1)],
            e[(0, 2)],
            e[(1, 0)],
            e[(1, 1)],
            e[(1, 2)],
            e[(2, 0)],
            e[(2, 1)],
            e[(2, 2)],
        );
        let at = SpatialTransform::new(rotation, Vec3::new(x.translation.x, x.translation.y, x.translation.z));
        let mut hinge = phyz_model::Joint::revolute(at);
        hinge.axis = Vec3::new(axis.x, axis.y, axis.z);
        let i = &y.rotational;
        let inertia = SpatialInertia::new(
            y.mass,
            Vec3::new(y.com.x, y.com.y, y.com.z),
            Mat3::new(i.xx, i.xy, i.xz, i.xy, i.yy, i.yz, i.xz, i.yz, i.zz),
        );
        let parent = i32::try_from(k).map_err(|error| error.to_string())? - 1;
        builder = builder.add_body(body.name(), parent, hinge, inertia);
    }
    Ok(builder.build())
}
