//! Identify a payload from torques, and say how sure that is.
//!
//! ```sh
//! cargo run --release --example payload
//! ```

use gradyn::{Model, UrdfOptions, Workspace, rnea};
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::identify::{Data, FitOptions, fit};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
    let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    let p = Parameters::of(&model).select("panda_link7.payload.m")?.select("panda_link7.com.*")?;
    // What a robot with 0.8 kg more would measure, with a torque sensor that is off by up to 0.2 N m.
    let mut truth = p.nominal();
    truth[0] = 0.8;
    let (loaded, mut noise) = (p.robot_at(&truth)?, 0.3_f64);
    let ws = &mut Workspace::new(&loaded);
    let mut data = Data::default();
    for i in 0..200 {
        let t = 0.02 * f64::from(i);
        let of = |f: &dyn Fn(f64) -> f64| -> Vec<f64> { (0..7).map(|j| f(0.8 + 0.3 * f64::from(j))).collect() };
        let (q, v, a) =
            (of(&|w| 0.6 * (w * t).sin()), of(&|w| 0.6 * w * (w * t).cos()), of(&|w| -0.6 * w * w * (w * t).sin()));
        let tau = rnea(&loaded, ws, &q, &v, &a, &[])?.iter().map(|tau| {
            noise = 3.7 * noise * (1.0 - noise);
            tau + 0.4 * (noise - 0.65)
        });
        data.tau.push(tau.collect());
        data.time.push(t);
        data.q.push(q);
        data.v.push(v);
        data.a.push(a);
    }
    let found = fit(&p, &data, &FitOptions::default())?;
    for (k, name) in found.parameters.iter().enumerate() {
        let half = found.estimate.half_width(k, 0.95).unwrap_or(f64::NAN);
        println!("{name:>22}: {:.4} ± {half:.4} (truth {:.4})", found.estimate.parameters[k], truth[k]);
    }
    println!("left of the torques held out: {:.2} %", 100.0 * found.validation.held_out);
    found.cannot_tell.iter().for_each(|sentence| println!("cannot tell: {sentence}"));
    Ok(())
}
