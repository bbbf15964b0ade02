//! How accurate must the calibration be? The tool's position by errors of the joints' placements, with a millimeter and
//! a milliradian.
//!
//! ```sh
//! cargo run --release --example calibration
//! ```

use gradyn::{Method, Model, UrdfOptions};
use gradyn_sensitivity::uncertainty::first_order;
use gradyn_sensitivity::{Parameters, StateOutput, local};
use nalgebra::{DMatrix, DVector};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
    let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    let p = Parameters::of(&model).select("panda_joint[1-7].placement.*")?;
    let q = [0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8];
    let tool = model.find_frame("panda_link8").ok_or("no tool")?;
    let by = local(&p, &p.nominal(), StateOutput::Pose { q: &q, frame: tool.into() }, Method::Analytical)?;
    // The same small error of every placement: meters, radians.
    let variances = DVector::from_element(p.len(), 1e-3_f64.powi(2));
    let spread = first_order(&by.jacobian, &DMatrix::from_diagonal(&variances))?;
    for (k, row) in by.rows.iter().enumerate() {
        println!("{row:>3}: ±{:.2e}", spread[(k, k)].sqrt());
    }
    let worst = (0..p.len()).max_by(|a, b| by.jacobian.column(*a).norm().total_cmp(&by.jacobian.column(*b).norm()));
    println!("the placement that matters most: {}", worst.map_or("none", |k| &by.parameters[k]));
    Ok(())
}
