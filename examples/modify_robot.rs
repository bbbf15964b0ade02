//! What does another robot make of the same one: two joints locked, a payload, a gripper in its hand?
//!
//! `cargo run --release --example modify_robot`

use gradyn::dynamics::generalized_gravity;
use gradyn::joint::{Axis, Prismatic};
use gradyn::{Inertia, Model, ModelBuilder, Transform, UrdfOptions, Workspace};
use nalgebra::Vector3;

/// Two fingers, the second of which does what the first one does, on a palm that is this robot's world.
fn gripper() -> Result<Model, Box<dyn std::error::Error>> {
    let mut builder = ModelBuilder::new("gripper");
    builder.add_fixed_inertia(Inertia::solid_box(0.5, [0.06, 0.2, 0.06])?);
    let finger = Inertia::solid_box(0.05, [0.02, 0.02, 0.06])?;
    let mut keys = Vec::new();
    for (name, axis, y) in [("left", Vector3::y(), 0.01), ("right", -Vector3::y(), -0.01)] {
        let axis = Axis::along(axis).ok_or("the axis is zero")?;
        let place = Transform::from_translation(Vector3::new(0.0, y, 0.06));
        keys.push(builder.add_body(None, name, format!("{name}_slide"), place, Prismatic { axis }, finger)?);
        builder.set_q_limits(keys[keys.len() - 1], &[(0.0, 0.04)])?;
    }
    builder.set_mimic(keys[1], keys[0], 1.0, 0.0)?;
    Ok(builder.build()?)
}

/// What the shoulder needs to hold the arm, N m.
fn shoulder(model: &Model) -> Result<f64, Box<dyn std::error::Error>> {
    let mut workspace = Workspace::new(model);
    let q: Vec<f64> = model.neutral();
    Ok(generalized_gravity(model, &mut workspace, &q)?[1])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
    let arm = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    println!("{arm}");

    // The wrist is not needed: two joints are locked, the fourth where the arm reaches far.
    let [elbow, roll] = ["panda_joint4", "panda_joint5"].map(|name| arm.find_body(name));
    let (elbow, roll) = (elbow.ok_or("no elbow")?, roll.ok_or("no roll")?);
    let reduced = arm.reduced(&[(elbow, &[-1.0]), (roll, &[0.0])])?;
    println!("without two joints: {}, shoulder {:.3} N m\n", reduced.summary().trim(), shoulder(&reduced)?);

    // One kilogram, ten centimeters before the flange.
    let flange = reduced.find_frame("panda_link8").ok_or("no flange")?;
    let ball = Inertia::point_mass(1.0, Vector3::new(0.0, 0.0, 0.1))?;
    let loaded = reduced.clone().attach(flange, ball)?;
    println!("with 1 kg: shoulder {:.3} N m\n", shoulder(&loaded)?);

    // And a gripper instead, whose palm weighs too.
    let both = reduced.append(&gripper()?, flange, "hand/")?;
    println!("with a gripper: shoulder {:.3} N m\n{}", shoulder(&both)?, both.tree());

    // The payload changes in place: nothing is built anew, and nothing allocated.
    let mut loaded = loaded;
    let last = loaded.frames()[flange.index()].body().ok_or("the flange is fixed")?;
    let empty = *reduced.bodies()[last.index()].inertia();
    for grams in [0.0, 250.0, 500.0] {
        let ball = Inertia::point_mass(grams / 1000.0, Vector3::new(0.0, 0.0, 0.1))?;
        let with_ball = empty + loaded.frames()[flange.index()].placement().act(ball);
        loaded.update_parameters(|parameters| parameters.set_inertia(last, with_ball).map(|_| ()))?;
        println!("{grams} g: shoulder {:.3} N m", shoulder(&loaded)?);
    }
    Ok(())
}
