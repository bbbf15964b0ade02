//! A solver at work: a line an iteration on standard output, and a bar on standard error.

use crate::commands::progress;
use crate::error::Error;
use gradyn_files::number::five;
use gradyn_files::solution::Event;
use gradyn_files::task::{SolverResult, Task};
use gradyn_trajectory::solver::Progress;
use gradyn_trajectory::{Control, Iteration};
use indicatif::ProgressBar;
use std::io::{self, Write};

/// Columns of the lines of iterations: heading, width, and what stands there. Those of which a method has nothing are
/// left out.
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

/// Prints a line to standard output immediately. A closed reader does not stop the run.
pub(super) fn say(text: &str) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// Reads nothing but the task, and says nothing but a bar on standard error.
pub(in crate::commands) fn quietly(task: &Task) -> Result<SolverResult, Error> {
    let (guesses, _) = task.guesses()?;
    let bar = progress(task.solver.iterations as u64, &task.name);
    let found = task.find(&guesses, &mut |event| {
        if let Event::Progress(Progress::Iteration(it)) = event {
            bar.set_position(it.iteration as u64 + 1);
        }
        Control::Continue
    });
    bar.finish_and_clear();
    Ok(found)
}

/// Shows what happens: a line an iteration on standard output, and a bar on standard error.
pub(super) fn shown() -> impl FnMut(Event<'_>) -> Control + Send {
    let mut bar = ProgressBar::hidden();
    // The solver of each attempt has its own columns.
    let mut begins = true;
    move |event| {
        match event {
            Event::Begin(task) => {
                bar = progress(task.solver.iterations as u64, &task.name);
                begins = true;
            }
            Event::Progress(Progress::Attempt(what)) => {
                bar.suspend(|| say(&format!("next attempt: {what}")));
                begins = true;
            }
            Event::Progress(Progress::Iteration(it)) => {
                if std::mem::take(&mut begins) {
                    bar.suspend(|| say(&heading(it)));
                }
                bar.suspend(|| say(&line(it)));
                bar.set_length(bar.length().unwrap_or(0).max(it.iteration as u64 + 1));
                bar.set_position(it.iteration as u64 + 1);
            }
            Event::End => bar.finish_and_clear(),
            Event::Note(text) => say(text),
        }
        Control::Continue
    }
}
