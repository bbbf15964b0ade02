//! An output of one's own: how far the center of mass of an arm hangs out, and which masses move it most.
//!
//! Expect the hand and the forearm ahead: they are farthest from the axis.
//!
//! ```sh
//! cargo run --release --example own_output
//! ```

use gradyn::dynamics::center_of_mass;
use gradyn::{Method, Model, Scalar, UrdfOptions};
use gradyn_sensitivity::{AtState, Output, OutputPoint, Parameters, SensitivityError, local};

/// The distance of the center of mass from the axis of the base, m.
struct Overhang<'a> {
    q: &'a [f64],
}

impl Output for Overhang<'_> {
    fn name(&self) -> &str {
        "overhang"
    }
    fn rows(&self, _model: &Model) -> Vec<String> {
        vec![String::from("overhang")]
    }
    fn units(&self, _model: &Model) -> Vec<&'static str> {
        vec!["m"]
    }
    fn state(&self) -> AtState<'_> {
        AtState { q: self.q, v: &[], u: &[] }
    }
    fn value<P: Scalar<f64> + Scalar<P>>(&self, on: &mut OutputPoint<'_, P>) -> Result<Vec<P>, SensitivityError> {
        let rest = vec![P::from(0.0); on.model.nv()];
        let com = center_of_mass(on.model, on.workspace, on.q, &rest, &rest)?.whole.position;
        Ok(vec![(com.x * com.x + com.y * com.y).sqrt()])
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
    let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    let p = Parameters::of(&model).select("*.mass")?;
    let q = [0.1, 0.5, 0.3, -1.0, 0.2, 1.6, 0.8];
    let by = local(&p, &p.nominal(), Overhang { q: &q }, Method::Dual)?;
    println!("overhang {:.6} m", by.value[0]);
    for (p, slope) in p.iter().zip(by.jacobian.iter()) {
        println!("{:>18}  {slope:+.6} m/kg", p.name());
    }
    Ok(())
}
