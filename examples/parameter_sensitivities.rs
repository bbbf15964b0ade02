//! How do the torques depend on the masses of the links?
//!
//! The model itself is lifted to dual numbers: each of the seven links' masses varies in a direction of its own, and one
//! run of inverse dynamics gives all `∂τᵢ/∂mₖ`. The same way leads to derivatives by mass centers, inertias, placements,
//! gravity or friction. Expect zeros below the diagonal: the weight of a link does not reach the joints after it. At rest
//! torques are proportional to the masses, `τ = Σ mₖ ∂τ/∂mₖ`; the last line is the largest deviation from that.
//!
//! `cargo run --release --example parameter_sensitivities`

use gradyn::derivatives::Dual8;
use gradyn::{Inertia, Model, UrdfOptions, once};
use std::error::Error;

const ROBOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");

fn main() -> Result<(), Box<dyn Error>> {
    println!("largest |τ - Σ m ∂τ/∂m|: {:.1e} N m", run()?);
    Ok(())
}

/// The largest deviation of `Σ mₖ ∂τ/∂mₖ` from `τ`.
pub(crate) fn run() -> Result<f64, Box<dyn Error>> {
    let plain = Model::from_urdf_file(ROBOT, &UrdfOptions::new())?.model;

    // Constants lift: derivatives zero. Then the masses become variables, link k in direction k (up to eight).
    let mut model: Model<Dual8> = plain.lift();
    for (k, body) in plain.bodies().iter().enumerate() {
        let id = plain.body_id(k).ok_or("no such body")?;
        let y = body.inertia().lift::<Dual8>();
        model = model.with_inertia(id, Inertia::new(Dual8::variable(y.mass.value(), k), y.com, y.rotational))?;
    }

    let q = [0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8].map(Dual8::from);
    let rest = [0.0; 7].map(Dual8::from);
    let tau = once::rnea(&model, &q, &rest, &rest, &[])?;

    println!("∂τ/∂m, N m/kg; a row a joint, a column a link");
    let mut largest = 0.0_f64;
    for (name, tau) in plain.dof_names().iter().zip(&tau) {
        let by_mass = tau.eps.to_array(); // results drop: the derivatives are plain numbers
        println!("  {name:14} {}", by_mass[..7].iter().map(|x| format!("{x:8.4}")).collect::<String>());
        let sum: f64 = plain.bodies().iter().zip(by_mass).map(|(body, x)| body.inertia().mass * x).sum();
        largest = largest.max((tau.value() - sum).abs());
    }
    Ok(largest)
}
