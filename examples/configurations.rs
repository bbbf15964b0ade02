//! Why is a configuration not a vector, and what do I do instead of adding?
//!
//! A quadruped with a floating base has nq = 19 coordinates and nv = 18 ways to move: its attitude is a unit quaternion,
//! four numbers for three rotations. Adding a step to `q` leaves the unit sphere; `integrate` stays on it, and
//! `difference` gives the step back. Expect an error for the sum, none for `integrate`, and a round trip to rounding. The
//! last line is the length of the quaternion that was added to, which a test compares with `√(1 + 0.1²)`.
//!
//! `cargo run --release --example configurations`

use gradyn::{Model, UrdfOptions};
use std::error::Error;

const ROBOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/solo12.urdf");

fn main() -> Result<(), Box<dyn Error>> {
    let (length, _) = run()?;
    println!("length of the quaternion after adding: {length:.12}");
    Ok(())
}

/// The length of a quaternion added to, and the largest error of the round trip.
pub(crate) fn run() -> Result<(f64, f64), Box<dyn Error>> {
    let model = Model::from_urdf_file(ROBOT, &UrdfOptions::new().floating_base(true))?.model;
    println!("{}: nq = {}, nv = {}", model.name(), model.nq(), model.nv());
    for body in &model.bodies()[..2] {
        println!(
            "  {:10} {:10} q[{:?}]  v[{:?}]",
            body.joint_name(),
            body.joint().kind(),
            body.q_range(),
            body.v_range()
        );
    }

    let q: Vec<f64> = model.neutral(); // quaternion (0, 0, 0, 1), in q[3..7]
    let mut sum = q.clone();
    sum[3] += 0.1;
    let length = sum[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
    println!("\nq + dq: {}", model.check_configuration(&sum).expect_err("the sum is no configuration"));

    // A step has nv entries: of the base velocity (m) and angular velocity (rad) in its own axes, then the joints'.
    let mut step = vec![0.05; model.nv()];
    step[3] = 0.2; // roll
    let moved = model.integrate(&q, &step)?;
    model.check_configuration(&moved)?;
    println!("q ⊕ dq: quaternion {:.6?}", &moved[3..7]);

    let back = model.difference(&q, &moved)?;
    let error = back.iter().zip(&step).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    println!("(q ⊕ dq) ⊖ q = dq, up to {error:.1e}");
    println!("half way: quaternion {:.6?}", &model.interpolate(&q, &moved, 0.5)?[3..7]);
    Ok((length, error))
}
