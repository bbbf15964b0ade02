//! Times second derivatives of dynamics and of whole steps, beside first ones.
//!
//! ```sh
//! cargo bench -p gradyn-trajectory --bench hessians                   # all robots
//! cargo bench -p gradyn-trajectory --bench hessians -- solo12 2000    # one, so many times each
//! ```
//!
//! Prints JSON: of each robot the least time of each, ns.

use gradyn::partials::{
    DerivativeWorkspace, SecondOrderWorkspace, aba_hessian, aba_hessian_product, constraint_dynamics_derivatives,
    constraint_dynamics_hessian, constraint_inverse_dynamics_hessian,
};
use gradyn::{Constraint, Method, Model, UrdfOptions};
use gradyn_trajectory::quadratic::{Multipliers, Quadratic};
use gradyn_trajectory::step::{
    Actuation, Contact, ForwardDynamics, ImplicitMidpoint, InverseDynamics, Rk4, SemiImplicitEuler, Step,
};
use gradyn_trajectory::{Phase, Problem};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

/// Robots, whether their base is loose, and the frames that stand: points, or soles.
const ROBOTS: [(&str, bool, &[&str], bool); 3] = [
    ("panda", false, &[], false),
    ("solo12", true, &["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"], false),
    ("g1", true, &["left_ankle_roll_link", "right_ankle_roll_link"], true),
];

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let times = arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(500);
    let names: Vec<&str> = arguments.iter().map(String::as_str).filter(|a| a.parse::<usize>().is_err()).collect();
    let mut results = serde_json::Map::new();
    for (name, loose, feet, soles) in ROBOTS {
        if names.is_empty() || names.contains(&name) {
            results.insert(name.into(), measure(name, loose, (feet, soles), times)?.into());
        }
    }
    println!("{}", serde_json::Value::from(results));
    Ok(())
}

/// The least time, ns.
fn least(times: usize, mut run: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let mut least = f64::INFINITY;
    for _ in 0..times {
        let start = Instant::now();
        run()?;
        least = least.min(start.elapsed().as_nanos() as f64);
    }
    Ok(least)
}

fn measure(
    name: &str,
    loose: bool,
    (feet, soles): (&[&str], bool),
    times: usize,
) -> Result<serde_json::Map<String, serde_json::Value>, Box<dyn Error>> {
    let file = format!("{}/../robots/{name}.urdf", env!("CARGO_MANIFEST_DIR"));
    let model = Model::from_urdf_file(&file, &UrdfOptions::new().floating_base(loose))?.model;
    let (q, nv) = (model.neutral::<f64>(), model.nv());
    let numbers = |by: f64| -> Vec<f64> { (0..nv).map(|k| 0.3 * (k as f64 * by + 1.0).sin()).collect() };
    let q = model.integrate(&q, &numbers(0.4))?;
    let (v, tau, w) = (numbers(0.7), numbers(1.1), numbers(1.3));
    let mut held = Vec::new();
    for foot in feet {
        let contact = if soles { Contact::frame_at(&model, foot, &q)? } else { Contact::point_at(&model, foot, &q)? };
        held.push(contact.with_gains(4.0, 3.0));
    }
    let list: Vec<Constraint> = held.iter().map(|contact| contact.constraint).collect();
    let weights = vec![0.4; list.iter().map(Constraint::rows).sum()];
    let (mut first, mut second) = (DerivativeWorkspace::new(&model), SecondOrderWorkspace::new(&model));
    let (mut found, method) = (serde_json::Map::new(), Method::Analytical);
    let mut add = |name: &str, ns: f64| _ = found.insert(name.into(), ns.into());
    add(
        "aba_hessian",
        least(times, || {
            black_box(aba_hessian(&model, &mut second, method, &q, &v, &tau, &w, &[])?);
            Ok(())
        })?,
    );
    add(
        "aba_hessian_product",
        least(times, || {
            black_box(aba_hessian_product(&model, &mut second, &q, &v, &tau, &w, &v, &w, &tau, &[])?);
            Ok(())
        })?,
    );
    if !list.is_empty() {
        add(
            "constraint_dynamics_derivatives",
            least(times, || {
                black_box(constraint_dynamics_derivatives(&model, &mut first, method, &q, &v, &tau, &list, &[])?);
                Ok(())
            })?,
        );
        add(
            "constraint_dynamics_hessian",
            least(times, || {
                black_box(constraint_dynamics_hessian(&model, &mut second, &q, &v, &tau, &w, &weights, &list, &[])?);
                Ok(())
            })?,
        );
        let run = constraint_inverse_dynamics_hessian;
        add(
            "constraint_inverse_dynamics_hessian",
            least(times, || {
                black_box(run(&model, &mut second, &q, &v, &tau, &weights, &w, &weights, &list, &[])?);
                Ok(())
            })?,
        );
    }
    let moves = || ForwardDynamics::new(Actuation::of(&model)).with_contacts(&held);
    let steps: [(&str, Box<dyn Step>); 4] = [
        ("semi-implicit", Box::new(SemiImplicitEuler::new(&model, moves()))),
        ("rk4", Box::new(Rk4::new(&model, moves()))),
        ("midpoint", Box::new(ImplicitMidpoint::new(moves()))),
        ("inverse dynamics", Box::new(InverseDynamics::new(&model, Actuation::of(&model), &held))),
    ];
    for (name, step) in steps {
        let problem = Problem::builder(&model).phase(Phase::boxed("step", 1, 0.01, step)).build()?;
        let (dims, mut memory, x) = (problem.dims(0), problem.memory(), [&q[..], &v].concat());
        let (u, mut by, mut node) = (vec![0.2; dims.nu], Multipliers::new(dims, false), Quadratic::exact(dims, false));
        by.next.fill(0.3);
        by.eq.fill(0.2);
        let ns = least(times / 5 + 1, || Ok(problem.linearize(0, &x, &u, &mut memory, &mut node)?))?;
        add(&format!("{name}, first"), ns);
        let ns = least(times / 5 + 1, || {
            black_box(problem.linearize_exact(0, &x, &u, &by, &mut memory, &mut node)?);
            Ok(())
        })?;
        add(&format!("{name}, first and second"), ns);
    }
    Ok(found)
}
