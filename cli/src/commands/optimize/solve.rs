//! The guess, and the solver at work.

use super::kept::{self, Kept};
use super::theirs;
use crate::commands::progress;
use crate::error::Error;
use crate::number::five;
use crate::task::{Controls, Found, GuessTask, States, Task};
use gradyn_trajectory::{Control, Iteration, Report, Trajectory, guess};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// What a solver has found, and how long it took.
#[derive(Debug)]
pub(super) struct Solved {
    pub(super) found: Found,
    pub(super) took: Duration,
    /// What μ is called, if what is left is the residual of the conditions of optimality.
    pub(super) mu: Option<&'static str>,
}

impl Solved {
    /// The last line; `kept`: how well constraints are.
    pub(super) fn verdict(&self, kept: &[Kept]) -> String {
        let Report { status, iterations, cost, gap, expected, .. } = &self.found.report;
        let kept = if kept.is_empty() { String::new() } else { format!(", violation {}", five(kept::worst(kept))) };
        let left = if self.mu.is_some() { "optimality" } else { "expected improvement" };
        format!(
            "{status}: {iterations} iterations, cost {}, gap {}{kept}, {left} {}, {:.3} s",
            five(*cost),
            five(*gap),
            five(*expected),
            self.took.as_secs_f64(),
        )
    }
}

/// Where the solver begins.
pub(super) fn guess(task: &Task) -> Result<Trajectory, Error> {
    let problem = &task.problem;
    let refuse = |error: &dyn std::fmt::Display| Error::Usage(format!("the guess: {error}"));
    let (states, controls) = match &task.guess {
        GuessTask::File(file) => return theirs::read(file, task)?.resampled(task),
        GuessTask::Made(states, controls) => (states, controls),
    };
    let made = match states {
        States::Standing => guess::standing(problem),
        States::Interpolation(to) => guess::interpolated(problem, to).map_err(|error| refuse(&error))?,
    };
    match controls {
        Controls::Zero => Ok(made),
        Controls::Static => guess::with_static_controls(problem, made).map_err(|error| refuse(&error)),
    }
}

/// The heading of the lines of iterations. `mu`: what μ is called, of solvers that keep all constraints.
fn heading(mu: Option<&str>) -> String {
    mu.map_or_else(
        || String::from("iteration          cost        gap  stationarity       step  regularisation"),
        |mu| {
            format!("iteration          cost        gap  violation  stationarity {mu:>10}       step  regularisation  hessian")
        },
    )
}

fn line(it: &Iteration, has_mu: bool) -> String {
    // Where nothing is left to do, no step has been tried.
    let step = match it.accepted {
        true => five(it.step),
        false if it.step == 0.0 => String::from("-"),
        false => String::from("none"),
    };
    let (number, cost, gap, left, reg) = (it.iteration, five(it.cost), it.gap, it.stationarity, it.regularization);
    if !has_mu {
        return format!("{number:>9} {cost:>13} {gap:>10.2e} {left:>13.2e} {step:>10} {reg:>15.1e}");
    }
    let (off, mu) = (it.violation, it.barrier);
    let hessian = if it.exact { "exact" } else { "gauss" };
    format!(
        "{number:>9} {cost:>13} {gap:>10.2e} {off:>10.2e} {left:>13.2e} {mu:>10.2e} {step:>10} {reg:>15.1e} {hessian:>8}"
    )
}

/// A line on standard output, at once. Whoever reads it may have gone: that is no reason to stop.
pub(super) fn say(text: &str) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// Reads nothing but the task, and says nothing but a bar on standard error.
pub(in crate::commands) fn quietly(task: &Task) -> Result<Found, Error> {
    let (options, guess) = (&task.solver, guess(task)?);
    let bar = progress(options.iterations as u64, &task.name);
    let mut watch = |it: &Iteration| {
        bar.set_position(it.iteration as u64 + 1);
        Control::Continue
    };
    let found = (options.solver.run)(options, &task.problem, &guess, &mut watch);
    bar.finish_and_clear();
    Ok(found)
}

/// Solves, with a line an iteration on standard output and a bar on standard error.
pub(super) fn solve(task: &Task, guess: &Trajectory) -> Solved {
    let options = &task.solver;
    let bar = progress(options.iterations as u64, &task.name);
    let say = |text: &str| bar.suspend(|| say(text));
    let mu = options.has_multipliers().then(|| options.mu().0);
    say(&heading(mu));
    let mut watch = |it: &Iteration| {
        say(&line(it, mu.is_some()));
        bar.set_position(it.iteration as u64 + 1);
        Control::Continue
    };
    let began = Instant::now();
    let found = (options.solver.run)(options, &task.problem, guess, &mut watch);
    let took = began.elapsed();
    bar.finish_and_clear();
    Solved { found, took, mu }
}
