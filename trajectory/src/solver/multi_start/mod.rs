//! Several guesses and two solvers, one after the other, until one leads to a solution.
//!
//! Violations at the end of one solve say little about the problem: another guess, other durations of its phases,
//! another path or another solver may end elsewhere. The given guesses are followed by [`variations`] of the first one.
//! All attempts together share a limit of iterations, and each is listed in [`Report::attempts`]. Attempts run one
//! after the other, so results have the same bits with any number of threads.

mod variations;

use super::newton::{Newton, NewtonOptions};
use super::proximal::{Proximal, ProximalOptions};
use super::report::{Attempt, Control, Iteration, Report, Status};
use super::warm::WarmStart;
use crate::certificate;
use crate::problem::Problem;
use crate::quadratic::Multipliers;
use crate::riccati::Riccati;
use crate::trajectory::Trajectory;
use std::time::{Duration, Instant};
use variations::variations;

/// A solver that keeps all constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConstrainedSolver {
    /// [`Newton`].
    #[default]
    Newton,
    /// [`Proximal`].
    Proximal,
}

impl ConstrainedSolver {
    /// `newton` or `proximal`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Newton => "newton",
            Self::Proximal => "proximal",
        }
    }
    fn other(self) -> Self {
        match self {
            Self::Newton => Self::Proximal,
            Self::Proximal => Self::Newton,
        }
    }
}

/// A guess, and its name in reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// Such as "standing", or a user-defined name.
    pub name: String,
    /// The initial trajectory.
    pub trajectory: Trajectory,
    /// The end of a solution of this solver, to also start with its multipliers, slacks and barrier.
    pub warm: Option<(ConstrainedSolver, WarmStart)>,
}

/// Constants of [`MultiStart`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MultiStartOptions {
    /// The solver that comes first with each guess.
    pub solver: ConstrainedSolver,
    /// The iteration limit of all attempts together; each has at most those of its solver.
    pub iterations: usize,
    /// At most so much time, all attempts together.
    pub time: Option<Duration>,
    /// Options of [`Newton`], and of [`Proximal`].
    pub newton: NewtonOptions,
    /// The same.
    pub proximal: ProximalOptions,
    /// Of guesses that are drawn.
    pub seed: u64,
}

impl Default for MultiStartOptions {
    fn default() -> Self {
        Self {
            solver: ConstrainedSolver::Newton,
            iterations: 2000,
            time: None,
            newton: NewtonOptions::default(),
            proximal: ProximalOptions::default(),
            seed: 0,
        }
    }
}

/// What is told while it goes on.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// Another attempt begins, after the first one.
    Attempt(&'a str),
    /// An iteration, counted over all attempts.
    Iteration(&'a Iteration),
}

/// The solvers, with their memory: made once for one problem, used for as many solutions as wanted.
#[derive(Debug)]
pub struct MultiStart {
    options: MultiStartOptions,
    newton: Option<Newton>,
    proximal: Option<Proximal>,
    /// Which of them has what is kept.
    last: ConstrainedSolver,
    kept: Trajectory,
    history: Vec<Iteration>,
}

/// What a solver gave.
struct Ended {
    report: Report,
    method: ConstrainedSolver,
    kept: Trajectory,
}

impl MultiStart {
    /// Memory for a problem. Each solver has its own when it is first asked.
    #[must_use]
    pub fn new(problem: &Problem, options: MultiStartOptions) -> Self {
        let (last, kept) = (options.solver, Trajectory::zeros(problem));
        Self { options, newton: None, proximal: None, last, kept, history: Vec::new() }
    }
    /// The iterate: the solution, or the one that came nearest to keeping all constraints.
    #[must_use]
    pub fn trajectory(&self) -> &Trajectory {
        &self.kept
    }
    /// All iterations so far, of all attempts, counted on.
    #[must_use]
    pub fn history(&self) -> &[Iteration] {
        &self.history
    }
    /// The solver whose attempt is kept.
    #[must_use]
    pub fn solver(&self) -> ConstrainedSolver {
        self.last
    }
    /// Gains and value functions of the last sweep of that solver; `None` before a solution.
    #[must_use]
    pub fn riccati(&self) -> Option<&Riccati> {
        match self.last {
            ConstrainedSolver::Newton => self.newton.as_ref().map(Newton::riccati),
            ConstrainedSolver::Proximal => self.proximal.as_ref().map(Proximal::riccati),
        }
    }
    /// Multipliers of a node, of that solver; `None` before a solution.
    #[must_use]
    pub fn multipliers(&self, k: usize) -> Option<&Multipliers> {
        match self.last {
            ConstrainedSolver::Newton => self.newton.as_ref().map(|solver| solver.multipliers(k)),
            ConstrainedSolver::Proximal => self.proximal.as_ref().map(|solver| solver.multipliers(k)),
        }
    }
    /// Where that solver has ended, to [begin](Guess::warm) there again with [`solver`](Self::solver) first; `None`
    /// before a solution.
    #[must_use]
    pub fn warm_start(&self) -> Option<WarmStart> {
        match self.last {
            ConstrainedSolver::Newton => self.newton.as_ref()?.warm_start(),
            ConstrainedSolver::Proximal => self.proximal.as_ref()?.warm_start(),
        }
    }
    /// As [`Newton::control_multiplier`], of that solver.
    #[must_use]
    pub fn control_multiplier(&self, k: usize, control: usize) -> Option<f64> {
        match self.last {
            ConstrainedSolver::Newton => self.newton.as_ref()?.control_multiplier(k, control),
            ConstrainedSolver::Proximal => self.proximal.as_ref()?.control_multiplier(k, control),
        }
    }

    /// Solves from the first of these guesses that leads to a solution, or from a variation of the first one.
    pub fn solve(&mut self, problem: &Problem, guesses: &[Guess]) -> Report {
        self.solve_with(problem, guesses, |_| Control::Continue)
    }

    /// The same, and calls `watch` as it goes on. Where it [finds a proof](crate::certificate::find) that there is no
    /// solution, it makes one attempt, which says how near the constraints come, and ends with the proof.
    pub fn solve_with(
        &mut self,
        problem: &Problem,
        guesses: &[Guess],
        mut watch: impl FnMut(Progress<'_>) -> Control + Send,
    ) -> Report {
        self.history.clear();
        let until = self.options.time.and_then(|limit| Instant::now().checked_add(limit));
        let proof = certificate::find(problem);
        let (first, seed) = (self.options.solver, self.options.seed);
        let of = |guess: &Guess| guess.warm.as_ref().map_or(first, |(method, _)| *method);
        let planned = guesses.iter().map(|guess| (guess.clone(), of(guess)));
        // Made when they are needed: most problems are solved before.
        let of = |()| guesses.first().map(|guess| variations(problem, guess, first, seed));
        let later = std::iter::once(()).flat_map(of).flatten();
        let mut attempts = Vec::new();
        let mut best: Option<Ended> = None;
        let later = later.map(|(name, trajectory, method)| (Guess { name, trajectory, warm: None }, method));
        for (guess, method) in planned.chain(later) {
            let spent = self.history.len();
            if best.is_some() && (spent >= self.options.iterations || until.is_some_and(|end| Instant::now() >= end)) {
                break;
            }
            let what = format!("{}, {}", guess.name, method.name());
            if best.is_some() && watch(Progress::Attempt(&what)) == Control::Stop {
                break;
            }
            let ended = self.attempt(problem, &guess, method, until, &mut watch);
            let Report { status, cost, violation, .. } = &ended.report;
            let iterations = self.history.len() - spent;
            attempts.push(Attempt { what, status: status.clone(), iterations, cost: *cost, violation: *violation });
            let goes_on = leads_nowhere(status, iterations > 0 || attempts.len() > 1) && proof.is_none();
            if best.as_ref().is_none_or(|best| is_better(&ended.report, &best.report)) {
                best = Some(ended);
            }
            if !goes_on {
                break;
            }
        }
        let Some(Ended { mut report, method, kept }) = best else {
            let fault = super::support::of_dynamics(problem, 0, crate::fault::Reason::NoGuess);
            return Report::new(Status::Fault(fault), &[]);
        };
        let (warnings, contradiction) = problem.judge_implied(&kept);
        report.warnings.extend(warnings);
        self.last = method;
        self.kept = kept;
        let status = match (report.status, proof) {
            (status, Some(proof)) if !status.is_solved() => Status::Infeasible(proof),
            (status, None) if status.is_solved() => contradiction.unwrap_or(status),
            (status, _) => status,
        };
        Report { status, iterations: self.history.len(), attempts, ..report }
    }

    /// One solver from one guess.
    fn attempt(
        &mut self,
        problem: &Problem,
        guess: &Guess,
        method: ConstrainedSolver,
        until: Option<Instant>,
        watch: &mut (impl FnMut(Progress<'_>) -> Control + Send),
    ) -> Ended {
        let first = self.history.len();
        let left = self.options.iterations.saturating_sub(first).max(1);
        let time = until.map(|end| end.saturating_duration_since(Instant::now()));
        let history = &mut self.history;
        let each = |it: &Iteration| {
            let it = Iteration { iteration: first + it.iteration, ..*it };
            history.push(it);
            watch(Progress::Iteration(&it))
        };
        let (report, kept) = match method {
            ConstrainedSolver::Newton => {
                let mut options = self.options.newton.clone();
                options.iterations = options.iterations.min(left);
                options.time = shorter(options.time, time);
                let solver = self.newton.insert(Newton::new(problem, options));
                let report = match &guess.warm {
                    Some((_, from)) => solver.solve_warm_with(problem, from, each),
                    None => solver.solve_with(problem, &guess.trajectory, each),
                };
                (report, solver.trajectory().clone())
            }
            ConstrainedSolver::Proximal => {
                let mut options = self.options.proximal.clone();
                options.iterations = options.iterations.min(left);
                options.time = shorter(options.time, time);
                let solver = self.proximal.insert(Proximal::new(problem, options));
                let report = match &guess.warm {
                    Some((_, from)) => solver.solve_warm_with(problem, from, each),
                    None => solver.solve_with(problem, &guess.trajectory, each),
                };
                (report, solver.trajectory().clone())
            }
        };
        Ended { report, method, kept }
    }
}

fn shorter(a: Option<Duration>, b: Option<Duration>) -> Option<Duration> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Whether another attempt may lead further.
fn leads_nowhere(status: &Status, evaluated: bool) -> bool {
    match status {
        Status::Stalled { .. } | Status::Diverged | Status::NoFeasiblePoint { .. } | Status::IterationLimit => true,
        // That the first guess cannot be evaluated is not to be hidden.
        Status::Fault(_) => evaluated,
        _ => false,
    }
}

/// Whether it is closer to a solution: solved before unsolved, then less violation, and, if both keep all constraints,
/// less cost.
fn is_better(a: &Report, b: &Report) -> bool {
    let order = |report: &Report| match report.status {
        Status::Converged => 0,
        Status::Acceptable => 1,
        Status::Fault(_) => 3,
        _ => 2,
    };
    if order(a) != order(b) {
        return order(a) < order(b);
    }
    // Violations below this are kept for all that anybody sees.
    const KEPT: f64 = 1e-6;
    if a.violation.max(b.violation) <= KEPT { a.cost < b.cost } else { a.violation < b.violation }
}

#[cfg(test)]
#[path = "../../../tests/unit/multi_start/mod.rs"]
mod tests;
