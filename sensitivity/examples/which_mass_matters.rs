//! Which link's mass matters for this motion? The adjoint of an arm that swings, by all masses at once.
//!
//! ```sh
//! cargo run --release --example which_mass_matters
//! ```

use gradyn::{Model, UrdfOptions};
use gradyn_sensitivity::{Parameters, QuadraticCost, Rollout, Scheme, StateMemory};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
    let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    let p = Parameters::of(&model).select("*.mass")?;
    let (q0, v0) = ([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8], [0.0; 7]);
    // Torques that hold the start, for half a second.
    let hold = gradyn::once::rnea(&model, &q0, &v0, &v0, &[])?;
    let run = Rollout::new(&p, Scheme::Rk4, 0.005, vec![hold; 100])?;
    let cost = QuadraticCost::at_end(&model, &q0);
    // A hundred grams too much in the hand, and their effect on where the arm ends.
    let mut heavier = p.nominal();
    heavier[6] += 0.1;
    let all = run.adjoint(&heavier, &q0, &v0, &cost, StateMemory::default())?;
    println!("cost {:.6}, the adjoint grew by {:.3}", all.cost, all.growth);
    for (p, slope) in p.iter().zip(&all.by_parameters) {
        println!("{:>12}  {:+.6} per kg, {} held", p.name(), slope, p.held());
    }
    Ok(())
}
