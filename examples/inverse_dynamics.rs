//! Which torques does a movement need, and how do they change with it?
//!
//! Loads a 7-joint arm and prints the torques of one state, then `∂τ/∂q`, `∂τ/∂v` and `∂τ/∂a`: rows are torques, columns
//! the joints that vary. Expect the largest entries of `∂τ/∂q` at the shoulder, where gravity acts, and `∂τ/∂a`
//! symmetric: it is the mass matrix. The last line is its trace, which a test compares with unit accelerations.
//!
//! `cargo run --release --example inverse_dynamics`

use gradyn::{DerivativeWorkspace, Method, Model, UrdfOptions, rnea_derivatives};
use std::error::Error;

pub(crate) const ROBOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
pub(crate) const Q: [f64; 7] = [0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8];

fn main() -> Result<(), Box<dyn Error>> {
    println!("trace of the mass matrix: {:.12} kg m²", run()?);
    Ok(())
}

/// The trace of `∂τ/∂a`.
pub(crate) fn run() -> Result<f64, Box<dyn Error>> {
    let loaded = Model::from_urdf_file(ROBOT, &UrdfOptions::new())?;
    println!("{}: {}", loaded.model.name(), loaded.report); // what the reader ignored or doubts
    let model = loaded.model;

    // Memory is made once; calls after that allocate nothing, and results borrow from it.
    let mut memory = DerivativeWorkspace::new(&model);
    let (v, a) = ([0.5, -0.2, 0.3, 0.4, -0.6, 0.1, 0.2], [1.0, 0.0, -1.0, 0.5, 0.0, 0.0, 2.0]);
    let derivatives = rnea_derivatives(&model, &mut memory, Method::Dual, &Q, &v, &a, &[])?;

    println!("\ntorques, N m");
    for (name, tau) in model.dof_names().iter().zip(&derivatives.tau) {
        println!("  {name:14} {tau:9.4}");
    }
    for (name, matrix) in derivatives.matrices() {
        println!("\n{name}");
        for row in matrix.row_iter() {
            println!("  {}", row.iter().map(|x| format!("{x:9.4}")).collect::<String>());
        }
    }
    println!();
    Ok(derivatives.dtau_da.trace())
}
