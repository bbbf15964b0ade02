//! The guess, and the solver at work.

use super::theirs;
use crate::commands::progress;
use crate::error::Error;
use crate::number::five;
use crate::task::{Controls, Found, GuessTask, States, Task};
use gradyn_trajectory::{Control, Iteration, Trajectory, guess};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// What a solver has found, and how long it took.
#[derive(Debug)]
pub(super) struct Solved {
    pub(super) found: Found,
    pub(super) took: Duration,
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

/// Columns of the lines of iterations: heading, width, and what stands there. Those of which a method has nothing are left out.
type Column = (&'static str, usize, fn(&Iteration) -> Option<String>);

const COLUMNS: [Column; 10] = [
    ("iteration", 9, |it| Some(it.iteration.to_string())),
    ("cost", 13, |it| Some(five(it.cost))),
    ("gap", 10, |it| Some(format!("{:.2e}", it.gap))),
    ("violation", 10, |it| it.kkt_error.map(|_| format!("{:.2e}", it.violation))),
    ("stationarity", 13, |it| Some(format!("{:.2e}", it.stationarity))),
    ("mu", 10, |it| it.mu.map(|mu| format!("{mu:.2e}"))),
    ("penalty", 10, |it| it.penalty.map(|penalty| format!("{penalty:.2e}"))),
    ("step", 10, |it| {
        // Where nothing is left to do, no step has been tried.
        Some(match it.accepted {
            true => five(it.step),
            false if it.step == 0.0 => String::from("-"),
            false => String::from("none"),
        })
    }),
    ("regularization", 15, |it| Some(format!("{:.1e}", it.regularization))),
    ("hessian", 8, |it| it.kkt_error.map(|_| String::from(if it.exact { "exact" } else { "gauss" }))),
];

/// The heading of lines like that of this iteration.
fn heading(it: &Iteration) -> String {
    let there = COLUMNS.iter().filter(|(.., of)| of(it).is_some());
    there.map(|(head, width, _)| format!("{head:>width$}")).collect::<Vec<_>>().join(" ")
}

fn line(it: &Iteration) -> String {
    let cells = COLUMNS.iter().filter_map(|(_, width, of)| Some(format!("{:>width$}", of(it)?)));
    cells.collect::<Vec<_>>().join(" ")
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
    let mut watch = |it: &Iteration| {
        if it.iteration == 0 {
            say(&heading(it));
        }
        say(&line(it));
        bar.set_position(it.iteration as u64 + 1);
        Control::Continue
    };
    let began = Instant::now();
    let found = (options.solver.run)(options, &task.problem, guess, &mut watch);
    let took = began.elapsed();
    bar.finish_and_clear();
    Solved { found, took }
}
