//! Times an iteration and its parts: the three problems that Crocoddyl solves too, at their solutions.
//!
//! ```sh
//! cargo bench -p gradyn-trajectory --bench iteration                     # all, 60 iterations each
//! cargo bench -p gradyn-trajectory --bench iteration -- g1_squat 200     # one, 200 iterations
//! ```
//!
//! Prints JSON: of each problem the least time of the model (derivatives of all nodes), of the sweep, and of a
//! roll-out, ns, and numbers to compare with other programs. `benches/peers/trajectory.py` does so.

#[path = "../problems/mod.rs"]
mod problems;

use gradyn_trajectory::quadratic::Quadratic;
use gradyn_trajectory::riccati::Riccati;
use gradyn_trajectory::{Fddp, FddpOptions, Problem, Trajectory, guess};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let iterations = arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(60);
    let mut names: Vec<&str> = arguments.iter().map(String::as_str).filter(|a| a.parse::<usize>().is_err()).collect();
    if names.is_empty() {
        names = vec!["panda_reach", "solo12_trot", "g1_squat"];
    }
    let mut results = serde_json::Map::new();
    for name in names {
        results.insert(name.into(), measure(&problems::by_name(name)?, iterations)?);
    }
    println!("{}", serde_json::Value::from(results));
    Ok(())
}

fn measure(problem: &Problem, iterations: usize) -> Result<serde_json::Value, Box<dyn Error>> {
    let mut solver = Fddp::new(problem, FddpOptions::default());
    let report = solver.solve(problem, &guess::standing(problem));
    let at = solver.trajectory().clone();
    let dims: Vec<_> = (0..=problem.steps()).map(|k| problem.dims(k)).collect();
    let mut lq: Vec<_> = (0..=problem.steps()).map(|k| Quadratic::new(dims[k], k == problem.steps())).collect();
    let (mut memory, mut riccati) = (problem.memory(), Riccati::new(&dims));
    let mut policy = Policy::new(problem);
    let mut least = [f64::INFINITY; 4];
    for _ in 0..iterations {
        let start = Instant::now();
        for (k, lq) in lq.iter_mut().enumerate() {
            problem.linearize(k, at.x(k), at.u(k), &mut memory, lq)?;
        }
        let model = Instant::now();
        riccati.sweep(&lq, &[], 1e-9)?;
        let swept = Instant::now();
        black_box(policy.roll_out(problem, &at, &riccati, &mut memory)?);
        let end = Instant::now();
        let parts = [model - start, swept - model, end - swept, end - start];
        for (least, part) in least.iter_mut().zip(parts) {
            *least = least.min(part.as_nanos() as f64);
        }
    }
    let first = &riccati.nodes[0];
    Ok(serde_json::json!({
        "nodes": problem.steps() + 1, "ndx": dims[0].ndx, "nu": dims[0].nu, "iterations": report.iterations,
        "model": least[0], "sweep": least[1], "roll_out": least[2], "iteration": least[3],
        "cost": report.cost, "gain": first.gain.norm(), "vxx": first.vxx.norm(),
    }))
}

/// What a roll-out is written to.
struct Policy {
    tried: Trajectory,
    next: Vec<f64>,
    dx: Vec<f64>,
}

impl Policy {
    fn new(problem: &Problem) -> Self {
        let space = problem.space();
        Self { tried: Trajectory::zeros(problem), next: vec![0.0; space.nx()], dx: vec![0.0; space.ndx()] }
    }

    /// Follows the policy of a sweep with a whole step; the cost.
    fn roll_out(
        &mut self,
        problem: &Problem,
        at: &Trajectory,
        riccati: &Riccati,
        memory: &mut gradyn_trajectory::problem::ProblemMemory,
    ) -> Result<f64, Box<dyn Error>> {
        let space = problem.space();
        self.next.copy_from_slice(problem.start());
        let mut cost = 0.0;
        for k in 0..=problem.steps() {
            self.tried.x_mut(k).copy_from_slice(&self.next);
            let node = &riccati.nodes[k];
            if !node.k.is_empty() {
                space.difference(at.x(k), self.tried.x(k), &mut self.dx)?;
                let u = self.tried.u_mut(k);
                for ((u, at), k) in u.iter_mut().zip(at.u(k)).zip(node.k.iter()) {
                    *u = at - k;
                }
                for (dx, column) in self.dx.iter().zip(node.gain.column_iter()) {
                    u.iter_mut().zip(column.iter()).for_each(|(u, gain)| *u -= gain * dx);
                }
            }
            let next = if k == problem.steps() { &mut [][..] } else { &mut self.next[..] };
            cost += problem.value(k, self.tried.x(k), self.tried.u(k), memory, next, &mut [])?;
        }
        Ok(cost)
    }
}
