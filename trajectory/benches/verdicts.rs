//! Counts how many feasible problems are solved and how many infeasible ones are refuted: those of
//! `problems/verdicts.rs`.
//!
//! ```sh
//! verdicts feasible 500        # shares by kind, iterations, and each failure with what was tried
//! verdicts infeasible 200      # shares by reason
//! verdicts cart_pole_weak 40   # by both solvers, as many guesses as it takes; acrobot_weak
//! verdicts feasible COUNT FIRST
//! ```

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
mod verdicts;

use gradyn_trajectory::certificate;
use gradyn_trajectory::solver::{Guess, MultiStart, MultiStartOptions};
use std::error::Error;
use std::time::Instant;
use verdicts::{FEASIBLE, INFEASIBLE, feasible, infeasible};

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (what, count, first) = match words[..] {
        [] => ("feasible", 60, 0),
        [what, count] => (what, count.parse()?, 0),
        [what, count, first] => (what, count.parse()?, first.parse()?),
        _ => return Err("verdicts feasible|infeasible COUNT [FIRST]".into()),
    };
    let one = [what];
    let names: &[&str] = match what {
        "feasible" => &FEASIBLE,
        "infeasible" => &INFEASIBLE,
        _ => &one,
    };
    let mut good = vec![(0, 0, Vec::new(), 0.0); names.len()];
    for seed in first..first + count {
        let began = Instant::now();
        let kind = usize::try_from(seed)? % names.len();
        let (is_right, iterations, said) = if what != "infeasible" {
            let (problem, guess) = match what {
                "feasible" => feasible(seed)?,
                family => {
                    let (problem, trajectory) = drawn::drawn(family, seed)?;
                    (problem, Guess { name: "standing".into(), trajectory, warm: None })
                }
            };
            let mut solver = MultiStart::new(&problem, MultiStartOptions::default());
            let report = solver.solve(&problem, &[guess]);
            let tried: Vec<String> = report
                .attempts
                .iter()
                .map(|of| format!("{}: {} {} {:.2e}", of.what, of.status.name(), of.iterations, of.violation))
                .collect();
            (report.status.is_solved(), report.iterations, format!("{}; {}", report.status, tried.join(", ")))
        } else {
            let (problem, is_reason) = infeasible(seed)?;
            let proof = certificate::find(&problem);
            let said = proof.as_ref().map_or_else(|| "no proof".to_owned(), ToString::to_string);
            (proof.is_some_and(|proof| is_reason(&proof)), 0, said)
        };
        let (right, all, counts, seconds) = &mut good[kind];
        *all += 1;
        *right += i32::from(is_right);
        counts.push(iterations);
        *seconds += began.elapsed().as_secs_f64();
        if !is_right {
            println!("{} {seed}: {said}", names[kind]);
        }
    }
    println!("{what:<20} right of all   iterations: median, most   seconds");
    for (name, (right, all, counts, seconds)) in names.iter().zip(&mut good) {
        counts.sort_unstable();
        let (median, most) = (counts.get(counts.len() / 2).unwrap_or(&0), counts.last().unwrap_or(&0));
        println!("{name:<20} {right:>5} {all:>6} {median:>20} {most:>6} {seconds:>9.1}");
    }
    Ok(())
}
