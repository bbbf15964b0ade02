//! How many of 300 problems does `Newton` solve, with its defaults? Those of `problems/drawn.rs`.
//!
//! ```sh
//! newton                        # all of them: shares solved, medians, and each failure with its reason
//! newton FAMILY COUNT [FIRST]   # some of one family
//! newton FAMILY COUNT FIRST log # with every iteration; `linear`: by trials along straight lines
//! ```
//!
//! What `cargo bench` runs without arguments is all of them.

#[path = "../problems/drawn.rs"]
mod drawn;
#[path = "../problems/mod.rs"]
#[allow(dead_code)]
mod problems;
#[path = "../problems/starts.rs"]
mod starts;

use gradyn_trajectory::solver::RollOut;
use gradyn_trajectory::{Newton, NewtonOptions, Status};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (mut solved, mut all) = (0, 0);
    let families = match arguments[..] {
        [] => drawn::FAMILIES.map(|(family, count)| (family, 0, count)).to_vec(),
        [family, count] => vec![(family, 0, count.parse()?)],
        [family, count, first, ..] => vec![(family, first.parse()?, count.parse()?)],
        [_] => return Err("newton [FAMILY COUNT [FIRST [log]]]".into()),
    };
    println!("family            solved      iterations: median, most       ms: median, most");
    let mut failures = Vec::new();
    for (family, first, count) in families {
        let (mut iterations, mut times) = (Vec::new(), Vec::new());
        for seed in first..first + count {
            let (problem, guess) = drawn::drawn(family, seed)?;
            let mut options = NewtonOptions::default();
            if arguments.iter().skip(3).any(|a| *a == "linear") {
                options.roll_out = RollOut::Linear;
            }
            let mut newton = Newton::new(&problem, options);
            let began = Instant::now();
            let report = newton.solve(&problem, &guess);
            let seconds = began.elapsed().as_secs_f64();
            if arguments.iter().skip(3).any(|a| *a == "log") {
                newton.history().iter().for_each(|i| println!("{i:?}"));
                println!("{report:?}");
            }
            if report.status == Status::Converged {
                iterations.push(report.iterations as f64);
                times.push(1e3 * seconds);
            } else {
                failures.push(format!(
                    "{family} {seed}: {}; {} iterations, {:.0} ms, cost {:.6e}, gap {:.1e}, optimality {:.1e}",
                    report.status,
                    report.iterations,
                    1e3 * seconds,
                    report.cost,
                    report.gap,
                    report.expected
                ));
            }
        }
        solved += iterations.len();
        all += count;
        let [[middle, most], [time, longest]] = [spread(&mut iterations), spread(&mut times)];
        println!("{family:16} {:3} of {count:3} {middle:12.0} {most:6.0} {time:22.1} {longest:9.1}", iterations.len());
    }
    println!("{solved} of {all} solved");
    failures.iter().for_each(|failure| println!("{failure}"));
    Ok(())
}

/// Median and largest.
fn spread(x: &mut [f64]) -> [f64; 2] {
    x.sort_by(f64::total_cmp);
    x.last().map_or([f64::NAN; 2], |last| [x[x.len() / 2], *last])
}
