//! Times one thread against two: the three problems that Crocoddyl solves too, whole solutions from a standing guess,
//! and iterations at the solution, where full steps are taken.
//!
//! ```sh
//! cargo bench -p gradyn-trajectory --bench threads            # 1 and 2 threads
//! cargo bench -p gradyn-trajectory --bench threads -- 1 2 4
//! ```
//!
//! Prints the least time of an iteration over several solutions, in turn, and ratios to the first number of threads.

#[path = "../problems/mod.rs"]
mod problems;

use gradyn_trajectory::{Fddp, FddpOptions, guess};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let mut threads: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    if threads.is_empty() {
        threads = vec![1, 2];
    }
    for name in ["panda_reach", "solo12_trot", "g1_squat"] {
        let problem = problems::by_name(name)?;
        let start = guess::standing(&problem);
        let mut solvers: Vec<_> = threads
            .iter()
            .map(|threads| {
                let mut options = FddpOptions::default();
                options.threads = *threads;
                Fddp::new(&problem, options)
            })
            .collect();
        let mut least = vec![f64::INFINITY; threads.len()];
        let rounds = if name == "g1_squat" { 5 } else { 40 };
        for _ in 0..rounds {
            for (solver, least) in solvers.iter_mut().zip(&mut least) {
                let began = Instant::now();
                let report = solver.solve(&problem, &start);
                *least = least.min(began.elapsed().as_secs_f64() * 1e6 / report.iterations as f64);
            }
        }
        print(name, "from standing", &threads, &least);
        let solution = solvers[0].trajectory().clone();
        least.fill(f64::INFINITY);
        for _ in 0..rounds {
            for (solver, least) in solvers.iter_mut().zip(&mut least) {
                // Never content: as many iterations as asked for.
                (solver.options_mut().tolerance, solver.options_mut().iterations) = (-1.0, 20);
                let began = Instant::now();
                let report = solver.solve(&problem, &solution);
                *least = least.min(began.elapsed().as_secs_f64() * 1e6 / report.iterations as f64);
            }
        }
        print(name, "at the solution", &threads, &least);
    }
    Ok(())
}

fn print(name: &str, what: &str, threads: &[usize], least: &[f64]) {
    for (threads, time) in threads.iter().zip(least) {
        let faster = least[0] / time;
        println!("{name:12} {what:16} {threads} threads: {time:8.1} us an iteration, {faster:.2} times as fast");
    }
}
