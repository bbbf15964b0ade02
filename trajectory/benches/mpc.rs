//! Times a cycle of model-predictive control: two iterations of `Newton` from the last solution, then `feedback`.
//!
//! ```sh
//! cargo bench -p gradyn-trajectory --bench mpc            # 1000 cycles of each
//! cargo bench -p gradyn-trajectory --bench mpc -- 200     # fewer
//! mpc panda_mpc 200 json                                  # JSON of one: its first solution, and the ms of all cycles
//! ```
//!
//! The arm: 50 nodes of 20 ms, torques within 15 N m, moved on by a node each cycle, and begun where the plan led, up
//! to random numbers. The quadruped: two steps of a trot, 50 nodes of 20 ms with torques within 2.7 N m, and
//! Crocoddyl's trot of 56 nodes with impulses and no limits, begun at their start up to random numbers; their phases do
//! not move, since a gait that goes on is another problem each time. Median, 99th percentile and most, ms; of
//! `feedback` µs. `benches/peers/mpc.py` sets Aligator beside it.

#[path = "../problems/mod.rs"]
#[allow(dead_code)]
mod problems;

use gradyn_trajectory::solver::Hessian;
use gradyn_trajectory::{Newton, NewtonOptions, Problem, Status, guess};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde_json::json;
use std::error::Error;
use std::time::Instant;

/// Of measured states, rad and rad/s, or m and m/s.
const NOISE: f64 = 1e-3;
/// The problems, and whether each shifts by a node each cycle.
const PROBLEMS: [(&str, bool); 3] = [("panda_mpc", true), ("solo12_mpc", false), ("solo12_trot", false)];
const HESSIANS: [(Hessian, &str); 2] = [(Hessian::GaussNewton, "Gauss-Newton"), (Hessian::Exact, "exact")];

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let cycles = words.iter().find_map(|a| a.parse().ok()).unwrap_or(1000);
    if words.iter().any(|a| a == "json") {
        let (name, moves) = PROBLEMS.into_iter().find(|(name, _)| words.iter().any(|a| a == name)).ok_or("which?")?;
        let mut found = serde_json::Map::new();
        for (hessian, title) in HESSIANS {
            let done = run(problems::by_name(name)?, hessian, moves, cycles)?;
            let ms = |seconds: &[f64]| seconds.iter().map(|t| 1e3 * t).collect::<Vec<_>>();
            let (cycles, feedback) = (ms(&done.cycles), ms(&done.feedback));
            let value =
                json!({ "cost": done.cost, "u": done.u, "cycles": cycles, "feedback": feedback, "worst": done.worst });
            found.insert(title.into(), value);
        }
        println!("{}", serde_json::Value::from(found));
        return Ok(());
    }
    println!("problem      second derivatives   cycle, ms: median     99 %     most   feedback, µs: median     99 %");
    for (name, moves) in PROBLEMS {
        for (hessian, title) in HESSIANS {
            let mut done = run(problems::by_name(name)?, hessian, moves, cycles)?;
            let [a, b, c] = spread(&mut done.cycles, 1e3);
            let [d, e, _] = spread(&mut done.feedback, 1e6);
            println!("{name:12} {title:20} {a:17.3} {b:8.3} {c:8.3} {d:23.2} {e:8.2}");
        }
    }
    Ok(())
}

/// What cycles have come to.
struct Done {
    /// Of the first solution.
    cost: f64,
    u: Vec<f64>,
    /// Seconds of all cycles, and of all calls of `feedback`.
    cycles: Vec<f64>,
    feedback: Vec<f64>,
    /// What is left of the conditions of optimality after two iterations: the most.
    worst: f64,
}

fn run(mut problem: Problem, hessian: Hessian, moves: bool, cycles: usize) -> Result<Done, Box<dyn Error>> {
    let standing = guess::standing(&problem);
    let mut options = NewtonOptions::default();
    options.hessian = hessian;
    let mut newton = Newton::new(&problem, options);
    let report = newton.solve(&problem, &standing);
    if report.status != Status::Converged {
        return Err(format!("the first solution: {}", report.status).into());
    }
    let at = newton.trajectory();
    let controls: Vec<f64> = (0..at.steps()).flat_map(|k| at.u(k).to_vec()).collect();
    let mut worst: f64 = 0.0;
    newton.options_mut().iterations = 2;
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let first = problem.start().to_vec();
    let (nq, nv) = (problem.model().nq(), problem.model().nv());
    let mut u = vec![0.0; newton.trajectory().u(0).len()];
    let mut off = vec![0.0; 2 * nv];
    let mut x = first.clone();
    let (mut times, mut answers) = (Vec::with_capacity(cycles), Vec::with_capacity(cycles));
    for _ in 0..cycles {
        off.iter_mut().for_each(|x| *x = random.random_range(-NOISE..NOISE));
        let from = if moves { newton.trajectory().x(1) } else { &first };
        problem.space().integrate(from, &off, &mut x).map_err(|reason| reason.to_string())?;
        let began = Instant::now();
        if moves {
            newton.shift(&problem, 1)?;
        }
        problem.set_start(&x[..nq], &x[nq..nq + nv])?;
        let report = newton.resolve(&problem, &standing);
        times.push(began.elapsed().as_secs_f64());
        if !matches!(report.status, Status::Converged | Status::Acceptable | Status::IterationLimit) {
            return Err(format!("a cycle: {}", report.status).into());
        }
        worst = worst.max(report.kkt_error.unwrap_or(f64::NAN));
        newton.prepare(&problem)?;
        let began = Instant::now();
        newton.feedback(&problem, &x, &mut u)?;
        answers.push(began.elapsed().as_secs_f64());
    }
    Ok(Done { cost: report.cost, u: controls, cycles: times, feedback: answers, worst })
}

/// Median, 99th percentile and most.
fn spread(x: &mut [f64], scale: f64) -> [f64; 3] {
    x.sort_by(f64::total_cmp);
    let at = |share: f64| scale * x[((x.len() - 1) as f64 * share) as usize];
    [at(0.5), at(0.99), at(1.0)]
}
