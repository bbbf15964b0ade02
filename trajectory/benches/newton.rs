//! Counts how many of the problems drawn by seeds (`problems/drawn.rs`) `Newton` solves with its defaults.
//!
//! ```sh
//! newton drawn 300               # shares solved, medians, and each failure with its reason
//! newton ur5_reach 80            # some of one family: `ur5_reach_bounded`, `convex`, `cart_pole`, …
//! newton FAMILY COUNT [FIRST]    # from this seed on
//! newton FAMILY COUNT FIRST log  # with every iteration
//! newton ur5_reach COUNT json    # a line of JSON for each: its target and its result
//! ```
//!
//! And words behind: `linear`, `gauss`, `exact`; `barrier=X`, `regularization=X`, `tolerance=X`, `iterations=N`.
//! Without arguments it is all of the drawn ones.

#[path = "../problems/drawn.rs"]
mod drawn;
#[path = "../problems/mod.rs"]
#[allow(dead_code)]
mod problems;
#[path = "../problems/starts.rs"]
mod starts;

use gradyn_trajectory::solver::{Hessian, RollOut};
use gradyn_trajectory::{Newton, NewtonOptions, Report, Status};
use serde_json::json;
use std::error::Error;
use std::time::Instant;

type Done<T> = Result<T, Box<dyn Error>>;

/// All of the drawn ones.
const ALL: u64 = 300;

fn main() -> Done<()> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let (options, shown, rest) = read(&arguments)?;
    let families = match rest[..] {
        [] => shares(ALL),
        ["drawn", count] => shares(count.parse()?),
        [family, count] => vec![(family, 0, count.parse()?)],
        [family, count, first] => vec![(family, first.parse()?, count.parse()?)],
        _ => return Err("newton [FAMILY COUNT [FIRST]] [WORD …]".into()),
    };
    if shown == Shown::Json {
        return lines(&families, &options);
    }
    println!("family            solved       iterations: median, most       ms: median, most");
    let (mut all, mut failures) = (Found::default(), Vec::new());
    for (family, first, count) in families {
        let mut found = Found::default();
        for seed in first..first + count {
            found.count += 1;
            if let Some(failure) = solve(family, seed, &options, shown == Shown::Log, &mut found)? {
                failures.push(failure);
            }
        }
        found.print(family);
        all.add(found);
    }
    all.print("all");
    failures.iter().for_each(|failure| println!("{failure}"));
    Ok(())
}

/// What is printed.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Table,
    Log,
    Json,
}

/// Options, what is printed, and what is left.
fn read(arguments: &[String]) -> Done<(NewtonOptions, Shown, Vec<&str>)> {
    let (mut options, mut shown, mut rest) = (NewtonOptions::default(), Shown::Table, Vec::new());
    for argument in arguments {
        match argument.split_once('=').unwrap_or((argument, "")) {
            ("barrier", x) => options.barrier = x.parse()?,
            ("regularization", x) => options.regularization = x.parse()?,
            ("tolerance", x) => options.tolerance = x.parse()?,
            ("iterations", x) => options.iterations = x.parse()?,
            ("linear", _) => options.roll_out = RollOut::Linear,
            ("gauss", _) => options.hessian = Hessian::GaussNewton,
            ("exact", _) => options.hessian = Hessian::Exact,
            ("log", _) => shown = Shown::Log,
            ("json", _) => shown = Shown::Json,
            _ => rest.push(argument.as_str()),
        }
    }
    Ok((options, shown, rest))
}

/// How many of each family, of so many in all.
fn shares(count: u64) -> Vec<(&'static str, u64, u64)> {
    drawn::FAMILIES.iter().map(|(family, share)| (*family, 0, share * count / ALL)).collect()
}

/// The solver, its report, and how long it took: by the clock, and of the processor's time, which other work on the
/// machine changes less.
fn solved(family: &str, seed: u64, options: &NewtonOptions) -> Done<(Newton, Report, [f64; 2])> {
    let (problem, guess) = drawn::drawn(family, seed)?;
    let mut newton = Newton::new(&problem, options.clone());
    let (began, before) = (Instant::now(), processor_ms());
    let report = newton.solve(&problem, &guess);
    Ok((newton, report, [1e3 * began.elapsed().as_secs_f64(), processor_ms() - before]))
}

/// What this thread has had of the processor, ms, where Linux says it, to some ms.
fn processor_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).map_or(f64::NAN, |ns| ns / 1e6)
}

/// A line of JSON for each reach.
fn lines(families: &[(&str, u64, u64)], options: &NewtonOptions) -> Done<()> {
    for &(family, first, count) in families {
        for seed in first..first + count {
            let (newton, report, [ms, processor]) = solved(family, seed, options)?;
            let at = newton.trajectory();
            let u: Vec<_> = (0..at.steps()).map(|k| at.u(k)).collect();
            println!(
                "{}",
                json!({
                    "family": family, "seed": seed, "target": drawn::reach_target(seed)?, "converged": report.status == Status::Converged,
                    "iterations": report.iterations, "ms": ms, "processor_ms": processor, "cost": report.cost, "u": u,
                })
            );
        }
    }
    Ok(())
}

/// Solves one; what is wrong with it, if it is not solved.
fn solve(family: &str, seed: u64, options: &NewtonOptions, log: bool, found: &mut Found) -> Done<Option<String>> {
    let (newton, report, [ms, _]) = solved(family, seed, options)?;
    if log {
        println!("{family} {seed}");
        for i in newton.history() {
            println!(
                "{:4} cost {:13.6e} gap {:7.1e} violation {:7.1e} error {:7.1e} dual {:7.1e} mu {:7.1e} delta {:7.1e} step {:7.1e} {} {}",
                i.iteration,
                i.cost,
                i.gap,
                i.violation,
                i.kkt_error.or(i.expected_decrease).unwrap_or(f64::NAN),
                i.stationarity,
                i.mu.or(i.penalty).unwrap_or(f64::NAN),
                i.regularization,
                i.step,
                if i.accepted { "+" } else { "-" },
                if i.exact { "exact" } else { "" },
            );
        }
        println!("{report:?}");
    }
    if report.status == Status::Converged {
        found.iterations.push(report.iterations as f64);
        found.times.push(ms);
        return Ok(None);
    }
    Ok(Some(format!(
        "{family} {seed}: {}; {} iterations, {ms:.0} ms, cost {:.6e}, gap {:.1e}, optimality {:.1e}",
        report.status,
        report.iterations,
        report.cost,
        report.gap,
        report.kkt_error.or(report.expected_decrease).unwrap_or(f64::NAN)
    )))
}

/// Those solved.
#[derive(Default)]
struct Found {
    count: usize,
    iterations: Vec<f64>,
    times: Vec<f64>,
}

impl Found {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.iterations.extend(other.iterations);
        self.times.extend(other.times);
    }
    fn print(&mut self, name: &str) {
        let Self { count, iterations, times } = self;
        let solved = iterations.len();
        let [[middle, most], [time, longest]] = [spread(iterations), spread(times)];
        println!("{name:17} {solved:3} of {count:3} {middle:12.0} {most:6.0} {time:22.1} {longest:9.1}");
    }
}

/// Median and largest.
fn spread(x: &mut [f64]) -> [f64; 2] {
    x.sort_by(f64::total_cmp);
    x.last().map_or([f64::NAN; 2], |last| [x[x.len() / 2], *last])
}
