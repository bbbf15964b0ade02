//! Counts the random starts from which problems are solved: the four problems of `problems/starts.rs`.
//!
//! ```sh
//! robustness starts 100 [PROBLEM ...]         # writes starts of problems
//! robustness solve STARTS.json                # solves from them, by each solver
//! robustness judge STARTS.json RESULTS.json   # looks at the results of other programs: {problem: {solver: [{x, u}, …]}}
//! ```
//!
//! Prints JSON. `benches/peers/robustness.py` calls it. The yardstick, for results of all programs alike, is the
//! largest gap of a trajectory and what one sweep promises there, without regularization beyond 1e-9.

#[path = "../problems/mod.rs"]
mod problems;
#[path = "../problems/starts.rs"]
mod starts;

use gradyn_trajectory::solver::{Guess, MultiStart, MultiStartOptions};
use gradyn_trajectory::{Fddp, FddpOptions, Newton, NewtonOptions, Problem, Report, Trajectory};
use serde_json::{Map, Value, json};
use starts::Start;
use std::error::Error;
use std::time::Instant;

type Done<T> = Result<T, Box<dyn Error>>;

const NAMES: [&str; 4] = ["double_pendulum", "quadrotor", "panda_reach", "g1_squat"];
/// Iterations at most.
const ITERATIONS: usize = 500;

fn main() -> Done<()> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let results = match arguments[..] {
        ["starts", count, ref names @ ..] => {
            write_starts(count.parse()?, if names.is_empty() { &NAMES } else { names })?
        }
        ["solve", starts] => each_problem(&read(starts)?, solve)?,
        ["judge", starts, results] => {
            let results = read(results)?;
            each_problem(&read(starts)?, |name, problem, starts| judge(&results[name], problem, starts))?
        }
        // What `cargo bench` runs: a few of each, to see that all is well.
        _ => each_problem(&write_starts(2, &NAMES[..3])?, solve)?,
    };
    println!("{results}");
    Ok(())
}

fn read(file: &str) -> Done<Value> {
    Ok(serde_json::from_str(&std::fs::read_to_string(file)?)?)
}

fn write_starts(count: usize, names: &[&str]) -> Done<Value> {
    let mut all = Map::new();
    for name in names {
        let made = starts::starts(name, &problems::by_name(name)?, count);
        all.insert((*name).into(), made.iter().map(|s| json!({ "x": s.x, "u": s.u })).collect());
    }
    Ok(all.into())
}

fn each_problem(starts: &Value, mut what: impl FnMut(&str, &mut Problem, &[Start]) -> Done<Value>) -> Done<Value> {
    let mut results = Map::new();
    for (name, list) in starts.as_object().ok_or("no starts")? {
        let list = list.as_array().ok_or("no list of starts")?;
        let starts: Vec<Start> =
            list.iter().map(|s| Ok(Start { x: numbers(&s["x"])?, u: rows(&s["u"])? })).collect::<Done<_>>()?;
        results.insert(name.clone(), what(name, &mut problems::by_name(name)?, &starts)?);
    }
    Ok(results.into())
}

fn numbers(list: &Value) -> Done<Vec<f64>> {
    list.as_array().ok_or("no list")?.iter().map(|x| x.as_f64().ok_or_else(|| "no number".into())).collect()
}

fn rows(list: &Value) -> Done<Vec<Vec<f64>>> {
    list.as_array().ok_or("no list")?.iter().map(numbers).collect()
}

fn solve(_: &str, problem: &mut Problem, starts: &[Start]) -> Done<Value> {
    let mut options = FddpOptions::default();
    options.iterations = ITERATIONS;
    let mut fddp = Fddp::new(problem, options);
    let mut options = NewtonOptions::default();
    options.iterations = ITERATIONS;
    let mut newton = Newton::new(problem, options.clone());
    // What a task file's `newton` is: draws further guesses where Newton's method ends without a solution.
    let mut several = MultiStartOptions::default();
    several.newton = options;
    let mut several = MultiStart::new(problem, several);
    let mut yardstick = Yardstick::new(problem);
    let (mut by_fddp, mut by_newton, mut by_several) = (Vec::new(), Vec::new(), Vec::new());
    for start in starts {
        let guess = start.apply(problem)?;
        let began = Instant::now();
        let report = fddp.solve(problem, &guess);
        by_fddp.push(entry(&report, began, yardstick.look(problem, fddp.trajectory())));
        let began = Instant::now();
        let report = newton.solve(problem, &guess);
        by_newton.push(entry(&report, began, yardstick.look(problem, newton.trajectory())));
        let guess = Guess { name: "start".into(), trajectory: guess, warm: None };
        let began = Instant::now();
        let report = several.solve(problem, &[guess]);
        by_several.push(entry(&report, began, yardstick.look(problem, several.trajectory())));
    }
    Ok(json!({ "Fddp": by_fddp, "Newton": by_newton, "MultiStart": by_several }))
}

fn entry(report: &Report, began: Instant, seen: Value) -> Value {
    json!({
        "solved": report.status.is_solved(), "status": report.status.to_string(), "iterations": report.iterations,
        "cost": report.cost, "seconds": began.elapsed().as_secs_f64(), "seen": seen,
    })
}

fn judge(results: &Value, problem: &mut Problem, starts: &[Start]) -> Done<Value> {
    let mut yardstick = Yardstick::new(problem);
    let mut judged = Map::new();
    for (solver, list) in results.as_object().ok_or("no results")? {
        let mut seen = Vec::new();
        for (start, found) in starts.iter().zip(list.as_array().ok_or("no list of results")?) {
            let mut at = start.apply(problem)?;
            // What has no numbers, where a program has found no trajectory, is none.
            seen.push(match (rows(&found["x"]), rows(&found["u"])) {
                (Ok(x), Ok(u)) => {
                    x.iter().enumerate().for_each(|(k, x)| at.x_mut(k).copy_from_slice(x));
                    u.iter().enumerate().for_each(|(k, u)| at.u_mut(k).copy_from_slice(u));
                    yardstick.look(problem, &at)
                }
                _ => Value::Null,
            });
        }
        judged.insert(solver.clone(), seen.into());
    }
    Ok(judged.into())
}

/// Looks at a trajectory, whoever found it.
struct Yardstick(Fddp);

impl Yardstick {
    fn new(problem: &Problem) -> Self {
        let mut options = FddpOptions::default();
        // Only its first look counts.
        (options.iterations, options.halvings) = (1, 0);
        Self(Fddp::new(problem, options))
    }

    /// Cost, largest gap, and what a sweep promises; nothing if it cannot be evaluated.
    fn look(&mut self, problem: &Problem, at: &Trajectory) -> Value {
        let report = self.0.solve(problem, at);
        self.0.history().first().map_or(
            Value::Null,
            |first| json!({ "cost": report.cost, "gap": first.gap, "expected": first.expected_decrease }),
        )
    }
}
