//! How many combinations of inertias can torques tell, of these robots? Fixed and with a free base, by formula.
//!
//!     cargo run --release --example base_parameters -- robots/panda.urdf
//!
//! prints `robots/panda.urdf fixed 43`, `robots/panda.urdf free 59`, and what each link of the last robot brings with
//! it. Without arguments: that arm. With `--independent` first, joints that mimic others move by themselves, as
//! Pinocchio reads them.

use gradyn::model::urdf::MimicForm;
use gradyn::{Model, UrdfOptions};
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::identify::{base_parameters_by_body, structure};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let mut options = UrdfOptions::new();
    if files.first().is_some_and(|first| first == "--independent") {
        files.remove(0);
        options = options.mimic(MimicForm::Independent);
    }
    if files.is_empty() {
        files.push(concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf").into());
    }
    let mut last = None;
    for file in &files {
        for (base, floating) in [("fixed", false), ("free", true)] {
            let model = Model::from_urdf_file(file, &options.clone().floating_base(floating))?.model;
            match base_parameters_by_body(&model) {
                Some(of_bodies) => println!("{file} {base} {}", of_bodies.iter().sum::<usize>()),
                None => {
                    let p = Parameters::of(&model).select("*.pi.*")?;
                    println!(
                        "{file} {base} {} (by motions: joints move with others)",
                        structure(&p, &p.nominal(), 1)?.rank
                    );
                }
            }
            if !floating {
                last = Some(model);
            }
        }
    }
    if let Some(model) = last {
        let of_bodies = base_parameters_by_body(&model).unwrap_or_default();
        model.bodies().iter().zip(of_bodies).for_each(|(body, told)| println!("  {}: {told}", body.name()));
    }
    Ok(())
}
