//! Which motion tells the most? The payload of an arm, the center of its hand and its rotors, by a random motion and by
//! the best one near it.
//!
//! ```sh
//! cargo run --release --example excitation
//! ```
//!
//! Expect deviations that are several times smaller, and velocities at their limits.

use gradyn::{Model, UrdfOptions};
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::excite::{ExciteOptions, excite};
use std::ops::ControlFlow;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
    let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    let p =
        Parameters::of(&model).select("panda_link7.payload.m")?.select("panda_link7.com.*")?.select("*.armature")?;
    // Torque sensors that are off by 0.2 N m, at 50 Hz for eight seconds.
    let options =
        ExciteOptions { period: 8.0, rate: 50.0, noise: vec![0.2; model.nv()], ..ExciteOptions::new(&model)? };
    let found = excite(&p, &options, |_| ControlFlow::Continue(()))?;
    println!("{:>22}  ± by the motion found, by the random one", "");
    for (at, name) in found.base.iter().enumerate() {
        println!("{name:>22}  {:.2e}  {:.2e}", found.found.deviations[at], found.random.deviations[at]);
    }
    for of in &found.uses {
        let [position, velocity, ..] = of.largest.map(|used| 100.0 * used.unwrap_or(0.0));
        println!("{:>22}  {position:.0} % of its range, {velocity:.0} % of its velocity", of.joint);
    }
    println!("{:.2} times smaller in the mean; {}", found.gain, found.status);
    Ok(())
}
