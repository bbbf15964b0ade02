//! The guess, and the solver at work.

use crate::commands::progress;
use crate::error::Error;
use crate::number::five;
use crate::task::{GuessTask, States, Task};
use gradyn_trajectory::{Control, Fddp, FddpOptions, Iteration, Report, Trajectory, guess};
use nalgebra::DMatrix;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// What a solver has found.
#[derive(Debug)]
pub(super) struct Solved {
    pub(super) report: Report,
    pub(super) history: Vec<Iteration>,
    pub(super) trajectory: Trajectory,
    /// `K` of each node but the last, nu by ndx: `u = u_k − K (x ⊖ x_k)`.
    pub(super) gains: Vec<DMatrix<f64>>,
    pub(super) took: Duration,
}

impl Solved {
    /// The last line.
    pub(super) fn verdict(&self) -> String {
        let Report { status, iterations, cost, gap, expected, .. } = &self.report;
        format!(
            "{status}: {iterations} iterations, cost {}, gap {}, expected improvement {}, {:.3} s",
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
    let mut made = guess::standing(problem);
    let GuessTask::Made(states, _controls) = &task.guess else {
        return Ok(made);
    };
    if let States::Interpolation(to) = states {
        let (q0, nq) = (&task.start.q, task.start.q.len());
        let end = problem.time(problem.steps());
        for k in 0..=problem.steps() {
            let t = if end > 0.0 { problem.time(k) / end } else { 1.0 };
            let q = task.start.model.interpolate(q0, to, t);
            let refuse = |error| Error::Input { place: String::from("the guess"), error };
            made.x_mut(k)[..nq].copy_from_slice(&q.map_err(refuse)?);
        }
    }
    Ok(made)
}

/// Heading of the lines of iterations.
const HEADING: &str = "iteration          cost        gap  stationarity       step  regularisation";

fn line(it: &Iteration) -> String {
    let step = if it.accepted { five(it.step) } else { String::from("none") };
    format!(
        "{:>9} {:>13} {:>10.2e} {:>13.2e} {:>10} {:>15.1e}",
        it.iteration,
        five(it.cost),
        it.gap,
        it.stationarity,
        step,
        it.regularization
    )
}

/// Solves, with a line an iteration on standard output and a bar on standard error.
pub(super) fn solve(task: &Task, guess: &Trajectory) -> Solved {
    let options = task.solver.clone();
    let bar = progress(options.iterations as u64, &task.name);
    // Whoever reads the lines may have gone: that is no reason to stop.
    let say = |text: &str| bar.suspend(|| drop(writeln!(io::stdout(), "{text}")));
    say(HEADING);
    let watch = |it: &Iteration| {
        say(&line(it));
        bar.set_position(it.iteration as u64 + 1);
        Control::Continue
    };
    let began = Instant::now();
    let mut fddp = FddpOptions::default();
    fddp.iterations = options.iterations;
    fddp.time = options.time;
    fddp.tolerance = options.tolerance;
    fddp.threads = options.threads;
    fddp.regularization = options.regularization;
    let mut solver = Fddp::new(&task.problem, fddp);
    let report = solver.solve_with(&task.problem, guess, watch);
    bar.finish_and_clear();
    let gains = solver.riccati().nodes.iter().take(task.problem.steps()).map(|node| node.gain.clone()).collect();
    Solved {
        report,
        history: solver.history().to_vec(),
        trajectory: solver.trajectory().clone(),
        gains,
        took: began.elapsed(),
    }
}
