//! The guess, and the solver at work.

use super::theirs;
use crate::commands::progress;
use crate::error::Error;
use gradyn_files::number::five;
use gradyn_files::task::{Controls, Found, GuessTask, Made, States, Task};
use gradyn_trajectory::solver::{Guess, Progress};
use gradyn_trajectory::{Control, Iteration, Trajectory, guess};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// What a solver has found, and how long it took.
#[derive(Debug)]
pub(super) struct Solved {
    pub(super) found: Found,
    pub(super) took: Duration,
}

/// Where the solver begins: all guesses of the task, and why nothing but the trajectory is taken of files that have more.
pub(super) fn guesses(task: &Task) -> Result<(Vec<Guess>, Vec<String>), Error> {
    let all: Vec<_> = task.guesses.iter().map(|of| guess(task, of)).collect::<Result<_, _>>()?;
    let (guesses, left_out): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    Ok((guesses, left_out.into_iter().flatten().collect()))
}

fn guess(task: &Task, of: &GuessTask) -> Result<(Guess, Option<String>), Error> {
    let problem = &task.problem;
    let refuse = |error: &dyn std::fmt::Display| task.source.refuse_at(&of.at, error.to_string());
    let cold = |trajectory: Trajectory| Guess { name: of.name.clone(), trajectory, warm: None };
    let (states, controls) = match &of.made {
        Made::File(file) => {
            let read = theirs::read(file, task).and_then(|theirs| Ok((theirs.resampled(task)?, theirs.warm)));
            let (trajectory, warm) = read.map_err(|error| refuse(&error))?;
            let Some(warm) = warm.filter(|_| task.solver.has_multipliers()) else {
                return Ok((cold(trajectory), None));
            };
            return Ok(match warm.with(trajectory.clone(), task) {
                Ok(warm) => (Guess { warm: Some(warm), ..cold(trajectory) }, None),
                Err(why) => {
                    let why = format!("{}: {why}: only the trajectory is taken", file.display());
                    (cold(trajectory), Some(why))
                }
            });
        }
        Made::Of(states, controls) => (states, controls),
    };
    let made = match states {
        States::Standing => Ok(guess::standing(problem)),
        States::Interpolation(to) => guess::interpolated(problem, to),
        States::WayPoints(all) => guess::through(problem, all),
        States::Drawn(to, width, seed) => guess::drawn(problem, to, *width, *seed),
    };
    let made = made.map_err(|error| refuse(&error))?;
    let made = match controls {
        Controls::Zero => made,
        Controls::Static => guess::with_static_controls(problem, made).map_err(|error| refuse(&error))?,
    };
    Ok((cold(made), None))
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
    let (options, (guesses, _)) = (&task.solver, guesses(task)?);
    let bar = progress(options.iterations as u64, &task.name);
    let mut watch = |progress: Progress<'_>| {
        if let Progress::Iteration(it) = progress {
            bar.set_position(it.iteration as u64 + 1);
        }
        Control::Continue
    };
    let found = (options.solver.run)(options, &task.problem, &guesses, &mut watch);
    bar.finish_and_clear();
    Ok(found)
}

/// Solves, with a line an iteration on standard output and a bar on standard error.
pub(super) fn solve(task: &Task, guesses: &[Guess]) -> Solved {
    let options = &task.solver;
    let bar = progress(options.iterations as u64, &task.name);
    let say = |text: &str| bar.suspend(|| say(text));
    // The solver of each attempt has its own columns.
    let mut begins = true;
    let mut watch = |progress: Progress<'_>| {
        match progress {
            Progress::Attempt(what) => {
                say(&format!("next attempt: {what}"));
                begins = true;
            }
            Progress::Iteration(it) => {
                if std::mem::take(&mut begins) {
                    say(&heading(it));
                }
                say(&line(it));
                bar.set_length(bar.length().unwrap_or(0).max(it.iteration as u64 + 1));
                bar.set_position(it.iteration as u64 + 1);
            }
        }
        Control::Continue
    };
    let began = Instant::now();
    let found = (options.solver.run)(options, &task.problem, guesses, &mut watch);
    let took = began.elapsed();
    bar.finish_and_clear();
    Solved { found, took }
}
