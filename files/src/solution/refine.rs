//! Steps that are too long are split, and the finer problem is solved from the solution of the coarser one.

use super::resimulated::Resimulated;
use super::{Event, RefineOption, Solved, Watcher, solve};
use crate::Error;
use crate::number::{count, five};
use crate::task::{Released, Task};
use gradyn_trajectory::Status;
use gradyn_trajectory::resimulation::{BetweenNodes, pieces, split};
use gradyn_trajectory::solver::{Guess, Warning};
use serde::Serialize;

/// Rounds at most: each divides what a step gets wrong by two to eight, or more where the order is higher.
const ROUNDS: usize = 4;
/// As many times the steps of the file at most.
const GROWTH: usize = 20;

/// A round, and what came of it.
#[derive(Debug, Serialize)]
pub struct Round {
    /// Steps that were split, and steps that there were after it.
    split: usize,
    steps: usize,
    status: &'static str,
    iterations: usize,
    cost: f64,
    /// What is left, where it was solved.
    largest_defect: Option<f64>,
    largest_between_nodes: Option<f64>,
}

/// A task and its solution, so far.
pub(super) struct Refined {
    pub(super) task: Task,
    pub(super) solved: Solved,
    pub(super) resimulated: Option<Resimulated>,
    pub(super) rounds: Vec<Round>,
    /// Contacts that impacts let go.
    pub(super) released: Vec<Released>,
}

/// Splits steps until none is too long.
pub(super) fn refine(mut now: Refined, option: RefineOption, watcher: &mut Watcher<'_>) -> Result<Refined, Error> {
    let name = option.name;
    let most = GROWTH * now.task.problem.steps();
    for _ in 0..ROUNDS {
        let Some(of) = now.resimulated.as_ref().filter(|of| !of.is_good()) else { return Ok(now) };
        // What is no solution needs no finer steps.
        if !matches!(now.solved.found.report.status, Status::Converged | Status::Acceptable) {
            return Ok(now);
        }
        let problem = &now.task.problem;
        let mut parts = pieces(problem, &of.check, &of.tolerances);
        let first = now.task.first();
        let mut warn = |text: String| {
            now.solved.found.report.warnings.push(Warning { about: "steps".into(), node: None, text });
        };
        let wanted: usize = parts.iter().sum();
        if wanted > most {
            // What is violated comes first.
            let mut loose = of.tolerances;
            loose.step_defect = f64::INFINITY;
            parts = pieces(problem, &of.check, &loose);
        }
        let (steps, cut) = (parts.iter().sum::<usize>(), parts.iter().filter(|n| **n > 1).count());
        if cut == 0 || steps > most {
            let asked = five(of.tolerances.step_defect);
            warn(format!(
                "`{name}` stops at {} steps: {wanted} would be more than {GROWTH} times those of the task; a scheme of higher order, such \
                 as `rk4`, needs fewer for `step_defect` = {asked}",
                problem.steps() - first
            ));
            return Ok(now);
        }
        let mut left = &parts[first..];
        let finer: Vec<_> = now
            .task
            .phases
            .iter()
            .map(|phase| {
                let (of_phase, rest) = left.split_at(phase.nodes());
                left = rest;
                phase.split(of_phase)
            })
            .collect();
        let mut task = now.task.changed(&finer, &now.released)?;
        task.solver.threads = now.task.solver.threads;
        let guess = split(problem, &now.solved.found.trajectory, &parts, &task.problem);
        let guess = guess.map_err(|error| now.task.source.refuse(0, "", error.to_string()))?;
        watcher(Event::Note(&format!("refine: {} split, {} now", count(cut, "step"), steps - first)));
        let solved = solve(
            &task,
            &[Guess { name: String::from("the coarser solution"), trajectory: guess, warm: None }],
            watcher,
        );
        let report = &solved.found.report;
        let good = matches!(report.status, Status::Converged | Status::Acceptable);
        let resimulated = Resimulated::of(&task, &solved);
        let left = resimulated.as_ref().filter(|_| good);
        now.rounds.push(Round {
            split: cut,
            steps: steps - first,
            status: report.status.name(),
            iterations: report.iterations,
            cost: report.cost,
            largest_defect: left.and_then(|of| of.check.largest()).map(|of| of.relative),
            largest_between_nodes: left.map(|of| {
                of.check
                    .between
                    .iter()
                    .filter(|of| !of.of_forces)
                    .map(|of: &BetweenNodes| of.violation)
                    .fold(0.0, f64::max)
            }),
        });
        if !good {
            warn(format!(
                "`{name}`: the problem of {} steps ended `{}`; this is the solution of {} steps",
                steps - first,
                report.status.name(),
                problem.steps() - first
            ));
            return Ok(now);
        }
        now = Refined { task, solved, resimulated, rounds: now.rounds, released: now.released };
    }
    Ok(now)
}
