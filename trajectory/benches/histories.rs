//! Hashes the history of each problem by each solver, to compare before and after a change of structure.
//!
//! ```sh
//! cargo bench --bench histories > before.txt       # and `> after.txt`, then `diff before.txt after.txt`
//! GRADYN_LEVEL=plain cargo bench --bench histories  # of another level
//! ```
//!
//! A line has the problem, the solver, the status, the number of iterations, and a hash (FNV-1a) of all numbers of the
//! history and of the trajectory, bit by bit. Another processor, level or compiler has other digits. Problems are those
//! of `problems/`, from standing, and `SEEDS` of each family that is drawn; `mpc` are cycles of [`Newton::shift_by`],
//! [`Newton::resolve`], [`Newton::prepare`] and [`Newton::feedback`], `warm` begins at a solution in another solver's
//! memory.

#[path = "../problems/drawn.rs"]
#[allow(dead_code)]
mod drawn;
#[path = "../problems/mod.rs"]
#[allow(dead_code)]
mod problems;
#[path = "../problems/starts.rs"]
#[allow(dead_code)]
mod starts;
#[path = "../problems/verdicts.rs"]
#[allow(dead_code)]
mod verdicts;

use gradyn_trajectory::solver::{FddpOptions, Iteration, ProximalOptions};
use gradyn_trajectory::{Fddp, Newton, NewtonOptions, Problem, Proximal, Report, Trajectory, guess};
use std::error::Error;

const NAMES: [&str; 13] = [
    "panda_reach",
    "panda_bounded",
    "panda_mpc",
    "solo12_trot",
    "g1_squat",
    "double_pendulum",
    "quadrotor",
    "panda_limits",
    "panda_far",
    "panda_capsule",
    "solo12_jump",
    "solo12_mpc",
    "g1_reach",
];
/// Of each family.
const SEEDS: u64 = 3;
/// Iterations at most: what digits do later, they do by then.
const ITERATIONS: usize = 60;
const CYCLES: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    for name in NAMES {
        let problem = problems::by_name(name)?;
        let from = guess::standing(&problem);
        all(name, &problem, &from);
        again(name, &problem, &from);
    }
    for (family, _) in drawn::FAMILIES {
        for seed in 0..SEEDS {
            let (problem, from) = drawn::drawn(family, seed)?;
            all(&format!("{family}-{seed}"), &problem, &from);
        }
    }
    for seed in 0..8 * SEEDS {
        let (problem, _) = verdicts::feasible(seed)?;
        let from = guess::standing(&problem);
        all(&format!("feasible-{seed}"), &problem, &from);
    }
    Ok(())
}

/// By each solver, as far as it may: what one refuses is a history too.
fn all(name: &str, problem: &Problem, from: &Trajectory) {
    macro_rules! by {
        ($solver:ident, $options:ident) => {{
            let mut options = $options::default();
            options.iterations = ITERATIONS;
            let mut solver = $solver::new(problem, options);
            let report = solver.solve(problem, from);
            line(name, stringify!($solver), &report, solver.history(), solver.trajectory());
        }};
    }
    by!(Newton, NewtonOptions);
    by!(Proximal, ProximalOptions);
    by!(Fddp, FddpOptions);
}

/// Predictive control and warm starts.
fn again(name: &str, problem: &Problem, from: &Trajectory) {
    macro_rules! by {
        ($solver:ident, $options:ident, $word:literal) => {{
            let mut options = $options::default();
            options.iterations = ITERATIONS;
            let mut solver = $solver::new(problem, options.clone());
            solver.solve(problem, from);
            if let Some(warm) = solver.warm_start() {
                let mut other = $solver::new(problem, options);
                let report = other.solve_warm(problem, &warm);
                line(name, concat!($word, " warm"), &report, other.history(), other.trajectory());
            }
            solver.options_mut().iterations = 2;
            for cycle in 0..CYCLES {
                let times = problem.times(solver.trajectory());
                let dt = times.get(1).map_or(0.01, |t| t - times[0]);
                let seconds = dt * if cycle % 2 == 0 { 1.0 } else { 0.3 };
                let moved = solver.shift_by(problem, seconds).is_ok();
                let report = solver.resolve(problem, from);
                let mut u = vec![0.0; solver.trajectory().u(0).len()];
                let x = solver.trajectory().x(0).to_vec();
                let fed = solver.prepare(problem).and_then(|()| solver.feedback(problem, &x, &mut u)).is_ok();
                line(name, concat!($word, " mpc"), &report, solver.history(), solver.trajectory());
                println!("  cycle {cycle}: {moved} {fed} {:016x}", hash(u.into_iter()));
            }
        }};
    }
    by!(Newton, NewtonOptions, "Newton");
    by!(Proximal, ProximalOptions, "Proximal");
}

fn line(name: &str, solver: &str, report: &Report, history: &[Iteration], at: &Trajectory) {
    let steps = at.steps();
    let states = (0..=steps).flat_map(|k| at.x(k).to_vec());
    let controls = (0..steps).flat_map(|k| at.u(k).to_vec());
    let numbers = history.iter().flat_map(|i| {
        let some = |x: Option<f64>| x.unwrap_or(f64::NAN);
        let flags = f64::from(u8::from(i.accepted) + 2 * u8::from(i.exact));
        [
            i.cost,
            i.gap,
            i.violation,
            some(i.kkt_error),
            some(i.expected_decrease),
            i.stationarity,
            i.step,
            i.regularization,
            some(i.mu),
            some(i.penalty),
            flags,
        ]
    });
    let hash = hash(numbers.chain(states).chain(controls).chain([report.cost, report.gap, report.violation]));
    println!("{name} {solver} {} {:016x} {}", history.len(), hash, report.status);
}

/// FNV-1a of the bits.
fn hash(numbers: impl Iterator<Item = f64>) -> u64 {
    let bytes = numbers.flat_map(|x| x.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
