//! Are the derivatives that another program computes right?
//!
//! `examples/data/pinocchio.json` holds what Pinocchio computed for three arms (`conformance/check_pinocchio.py` writes it):
//! torques, mass matrix, `∂τ/∂q`, `∂τ/∂v`. Expect all of it to agree for the arm of hinges; for the arms whose shoulder is one
//! universal joint, or one ZYX joint, expect torques and mass matrix to agree and derivatives by q and v to disagree, in
//! columns of that joint only: what is left out there is that its axes move with its own angles.
//!
//! `cargo run --example check_other_program`

use gradyn::check::{Options, Quantity, Report, State, check_claim};
use gradyn::joint::{Axis, Joint, Revolute, SphericalZyx, Universal};
use gradyn::nalgebra::{DMatrix, Vector3};
use gradyn::spatial::Symmetric3;
use gradyn::{Inertia, Model, ModelBuilder, Transform};
use serde_json::Value;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    for (robot, reports) in run()? {
        println!("{robot}");
        for report in reports {
            println!("{report}");
        }
        println!();
    }
    Ok(())
}

/// What the checker says of the first state of each robot.
pub(crate) fn run() -> Result<Vec<(String, Vec<Report>)>, Box<dyn Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/pinocchio.json");
    let claims: Value = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let universal = Universal { first: Axis::X, second: Axis::Y };
    let (x, y) = (Revolute { axis: Axis::X }, Revolute { axis: Axis::Y });
    let robots = [
        ("two hinges", arm(vec![("gimbal_x", x.into()), ("gimbal_y", y.into())])?),
        ("universal", arm(vec![("gimbal", universal.into())])?),
        ("ZYX", arm(vec![("gimbal", SphericalZyx.into())])?),
    ];
    let mut all = Vec::new();
    for (name, model) in robots {
        let claim = &claims["robots"][name]["states"][0];
        let [q, v, a] = ["q", "v", "a"].map(|key| numbers(&claim[key]));
        let state = State { q: &q, v: &v, a: &a, ..State::default() };
        let mut reports = Vec::new();
        for (key, quantity) in [
            ("tau", Quantity::Tau),
            ("mass_matrix", Quantity::MassMatrix),
            ("dtau_dq", Quantity::DtauDq),
            ("dtau_dv", Quantity::DtauDv),
        ] {
            reports.push(check_claim(&model, quantity, state, &matrix(&claim[key]), &Options::default())?);
        }
        all.push((format!("{name}, by {}", claims["program"].as_str().unwrap_or("?")), reports));
    }
    Ok(all)
}

/// A shoulder, of one joint or several with next to nothing between them, and an elbow.
fn arm(shoulder: Vec<(&str, Joint)>) -> Result<Model, Box<dyn Error>> {
    let inertia = |mass: f64, com: [f64; 3], [x, y, z]: [f64; 3]| {
        Inertia::new(mass, Vector3::from(com), Symmetric3::diagonal(x, y, z))
    };
    let mut builder = ModelBuilder::new("arm");
    let (mut parent, last) = (None, shoulder.len() - 1);
    for (k, (name, joint)) in shoulder.into_iter().enumerate() {
        let body = if k == last {
            inertia(2.0, [0.05, -0.02, -0.2], [0.03, 0.04, 0.02])?
        } else {
            inertia(1e-3, [0.0; 3], [1e-6; 3])?
        };
        parent = Some(builder.add_body(parent, format!("link_{k}"), name, Transform::identity(), joint, body)?);
    }
    let placement = Transform::from_translation(Vector3::new(0.0, 0.0, -0.4));
    let lower = inertia(1.0, [0.0, 0.0, -0.15], [0.01, 0.01, 0.002])?;
    builder.add_body(parent, "lower", "elbow", placement, Revolute { axis: Axis::Y }, lower)?;
    Ok(builder.build()?)
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

/// Rows of numbers; a vector is a matrix of one column.
fn matrix(value: &Value) -> DMatrix<f64> {
    let rows: Vec<Vec<f64>> = value.as_array().into_iter().flatten().map(numbers).collect();
    match rows.first() {
        Some(row) if !row.is_empty() => DMatrix::from_fn(rows.len(), row.len(), |i, k| rows[i][k]),
        _ => DMatrix::from_vec(rows.len(), 1, numbers(value)),
    }
}
