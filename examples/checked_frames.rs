//! How do I keep frames apart in code of my own?
//!
//! A camera on the flange of an arm sees a bolt. The plain types name frames (`x_wh`: pose of the hand in the world) and
//! check nothing; the types of [`gradyn::spatial::checked`] carry them and refuse what does not fit. Expect two mistakes
//! to be refused, each with both frames named. The last line is the bolt's height above the ground, which a test compares
//! with the plain types'.
//!
//! `cargo run --release --example checked_frames`

use gradyn::nalgebra::Vector3;
use gradyn::spatial::checked::{CheckedForce, CheckedMotion, CheckedPoint, CheckedTransform, Frame};
use gradyn::{Force, Model, Transform, UrdfOptions, Workspace, forward_kinematics};
use std::error::Error;

const ROBOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");

fn main() -> Result<(), Box<dyn Error>> {
    let (checked, _) = run()?;
    println!("height of the bolt: {checked:.12} m");
    Ok(())
}

/// The bolt's height by the checked types, and by the plain ones.
pub(crate) fn run() -> Result<(f64, f64), Box<dyn Error>> {
    let model = Model::from_urdf_file(ROBOT, &UrdfOptions::new())?.model;
    let flange = model.find_frame("panda_link8").ok_or("no such frame")?;
    let mut ws = Workspace::new(&model);
    let q = [0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8];
    let kinematics = forward_kinematics(&model, &mut ws, &q, &[0.3; 7], &[0.0; 7])?;
    let pose = kinematics.frame_pose(flange).ok_or("no such frame")?;
    let velocity = kinematics.frame_velocity(flange).ok_or("no such frame")?;

    let (world, hand, camera) = (Frame::new("world"), Frame::new("hand"), Frame::new("camera"));
    let x_wh = CheckedTransform::new(&world, &hand, pose);
    let x_hc =
        CheckedTransform::new(&hand, &camera, Transform::from_rpy([0.0, 0.3, 0.0], Vector3::new(0.05, 0.0, 0.02)));
    let bolt_c = CheckedPoint::new(&camera, Vector3::new(0.01, -0.02, 0.4));

    // Mistake 1: the pose of the camera on the hand is forgotten.
    println!("{}", x_wh.act(&bolt_c).expect_err("frames differ"));
    let bolt_w = x_wh.compose(&x_hc)?.act(&bolt_c)?;

    // Mistake 2: power from a velocity in axes of the hand and a wrench in axes of the world.
    let v_wh = CheckedMotion::new(&hand, &world, &hand, velocity);
    let push_w = CheckedForce::new(&hand, &world, Force::new(Vector3::new(0.0, 0.0, -5.0), Vector3::zeros()));
    println!("{}", v_wh.power(&push_w).expect_err("frames differ"));
    println!("power of the push: {:.6} W", v_wh.power(&x_wh.inv_act(&push_w)?)?);

    let plain = (x_wh.value() * x_hc.value()).point(bolt_c.value());
    Ok((bolt_w.value().z, plain.z))
}
