//! Times along trajectories: a simulation, its adjoint by all parameters, forward sensitivities; and many robots at one
//! state.
//!
//! ```sh
//! cargo bench -p gradyn-sensitivity --bench trajectory
//! ```
//!
//! Prints the least and the median of several runs, on one thread. With `-- long`: one adjoint of the humanoid over 10⁷
//! steps with 64 MiB for its states, which takes some ten minutes, and the memory of the process.

use gradyn::{Model, UrdfOptions};
use gradyn_sensitivity::{Parameters, QuadraticCost, Rollout, Scheme, StateMemory, StateOutput, evaluate_many};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

const RUNS: usize = 15;

/// Least and median, s.
fn time(mut f: impl FnMut()) -> (f64, f64) {
    f();
    let mut all: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64()
        })
        .collect();
    all.sort_by(f64::total_cmp);
    (all[0], all[RUNS / 2])
}

fn robot(name: &str, floating: bool) -> Result<Model, Box<dyn Error>> {
    let file = format!("{}/../robots/{name}.urdf", env!("CARGO_MANIFEST_DIR"));
    Ok(Model::from_urdf_file(file, &UrdfOptions::new().floating_base(floating))?.model)
}

/// The most memory that this process has had, MiB; of Linux.
fn most_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

/// 10⁷ steps of the humanoid in free fall.
fn long() -> Result<(), Box<dyn Error>> {
    let model = robot("g1", true)?;
    let (q0, v0) = (model.neutral::<f64>(), vec![0.0; model.nv()]);
    let all = Parameters::of(&model).select("*.pi.*")?.select("*.placement.*")?.select("*.axis.*")?;
    let steps = 10_000_000;
    let run = Rollout::new(&all, Scheme::SemiImplicitEuler, 1e-6, vec![vec![0.0; model.nv() - 6]])?.each_for(steps)?;
    let before = most_memory();
    let start = Instant::now();
    let by = run.adjoint(&all.nominal(), &q0, &v0, &QuadraticCost::at_end(&model, &q0), StateMemory::default())?;
    println!(
        "g1: {steps} steps by {} parameters: {:.0} s, {} steps taken again; memory {before:?} MiB before, {:?} at most",
        all.len(),
        start.elapsed().as_secs_f64(),
        by.repeated_steps,
        most_memory()
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().any(|argument| argument == "long") {
        return long();
    }
    for (name, floating) in [("panda", false), ("g1", true)] {
        let model = robot(name, floating)?;
        let steps = 200;
        let q0 = model.neutral::<f64>();
        let v0 = vec![if floating { 0.0 } else { 0.1 }; model.nv()];
        let nu = if floating { model.nv() - 6 } else { model.nv() };
        // The humanoid falls freely: any torque is too much for its fingers.
        let push = if floating { 0.0 } else { 0.1 };
        let controls = vec![vec![push; nu]; steps];
        let all = Parameters::of(&model).select("*.pi.*")?.select("*.placement.*")?.select("*.axis.*")?;
        let run = Rollout::new(&all, Scheme::SemiImplicitEuler, 1e-3, controls.clone())?;
        let cost = QuadraticCost::at_end(&model, &q0);
        let values = all.nominal();
        let simulate = time(|| {
            black_box(run.simulate(&values, &q0, &v0)).expect("runs");
        });
        let adjoint = time(|| {
            black_box(run.adjoint(&values, &q0, &v0, &cost, StateMemory::default())).expect("runs");
        });
        let per = |t: f64| 1e6 * t / steps as f64;
        println!(
            "{name}: a step {:.2} us (median {:.2}); of the adjoint by {} parameters {:.2} ({:.2}), {:.2} times",
            per(simulate.0),
            per(simulate.1),
            values.len(),
            per(adjoint.0),
            per(adjoint.1),
            adjoint.0 / simulate.0
        );
        if name == "panda" {
            let inertias = Parameters::of(&model).select("*.pi.*")?;
            let run = Rollout::new(&inertias, Scheme::SemiImplicitEuler, 1e-3, controls)?;
            let values = inertias.nominal();
            let forward = time(|| {
                black_box(run.forward(&values, &q0, &v0)).expect("runs");
            });
            println!(
                "{name}: forward, {} columns, {steps} steps: {:.2} ms (median {:.2})",
                values.len() + 2 * model.nv(),
                1e3 * forward.0,
                1e3 * forward.1
            );
            let tau = vec![0.0; model.nv()];
            let output = StateOutput::Accelerations { q: &q0, v: &v0, tau: &tau };
            let count = 73_728;
            let samples = values.repeat(count);
            let mut outputs = vec![0.0; count * model.nv()];
            let many = time(|| evaluate_many(&inertias, output, &samples, &mut outputs));
            println!("{name}: {count} accelerations: {:.1} ms (median {:.1})", 1e3 * many.0, 1e3 * many.1);
        }
    }
    Ok(())
}
