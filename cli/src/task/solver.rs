//! Which solver, and its options.

use super::source::{Item, Sign};
use crate::error::Error;
use gradyn_trajectory::quadratic::Multipliers;
use gradyn_trajectory::solver::{
    Guess, Hessian, Method, MultiStart, MultiStartOptions, Progress, RollOut, ShootingOptions,
};
use gradyn_trajectory::{
    Control, Fddp, FddpOptions, Iteration, MultipleShooting, NewtonOptions, Problem, ProximalOptions, Report,
    Trajectory,
};
use nalgebra::DMatrix;
use std::time::Duration;

/// What is called after each iteration.
pub(crate) type Watch<'w> = dyn FnMut(Progress<'_>) -> Control + Send + 'w;

/// Which constraints a solver keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Bounds of controls.
    Controls,
    Equalities,
    /// All but second-order cones.
    Rows,
    All,
}

impl Kept {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Controls => "bounds of controls only",
            Self::Equalities => "equalities only",
            Self::Rows => "all but second-order cones",
            Self::All => "all",
        }
    }
}

/// A solver.
#[derive(Clone, Copy)]
pub(crate) struct Solver {
    pub(crate) name: &'static str,
    pub(crate) keeps: Kept,
    /// Its options, where a task does not say others.
    defaults: fn() -> SolverTask,
    /// Solves from guesses, one after the other; calls after each iteration, and where another attempt begins.
    pub(crate) run: fn(&SolverTask, &Problem, &[Guess], &mut Watch<'_>) -> Found,
}

impl std::fmt::Debug for Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// What a solver has found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) report: Report,
    pub(crate) history: Vec<Iteration>,
    pub(crate) trajectory: Trajectory,
    /// `K` of each node but the last, nu by ndx: `u = u_k − K (x ⊖ x_k)`.
    pub(crate) gains: Vec<DMatrix<f64>>,
    /// Of each node, if the solver has multipliers of constraints.
    pub(crate) multipliers: Vec<Multipliers>,
}

/// The options that all solvers have under the same names.
macro_rules! common {
    ($task:ident, $options:ident) => {{
        let mut options = $options::default();
        options.iterations = $task.iterations;
        options.time = $task.time;
        options.tolerance = $task.tolerance;
        options.threads = $task.threads;
        options.regularization = $task.regularization;
        options
    }};
}

/// What a solver of one guess finds.
macro_rules! found {
    ($solver:ident, $options:ident, $problem:ident, $guesses:ident, $watch:ident) => {{
        let mut solver = $solver::new($problem, $options);
        let none = Trajectory::zeros($problem);
        let guess = $guesses.first().map_or(&none, |guess| &guess.trajectory);
        let report = solver.solve_with($problem, guess, |iteration| $watch(Progress::Iteration(iteration)));
        let nodes = solver.riccati().nodes.iter().take($problem.steps());
        let gains = nodes.map(|node| node.gain.clone()).collect();
        let (history, trajectory) = (solver.history().to_vec(), solver.trajectory().clone());
        Found { report, history, trajectory, gains, multipliers: Vec::new() }
    }};
}

/// What the solvers that keep all constraints find, `method` first.
fn all_kept(method: Method, task: &SolverTask, problem: &Problem, guesses: &[Guess], watch: &mut Watch<'_>) -> Found {
    let mut newton = common!(task, NewtonOptions);
    let mut proximal = common!(task, ProximalOptions);
    // One's own is that of the other one where it is not said.
    match method {
        Method::Newton => proximal.regularization = ProximalOptions::default().regularization,
        Method::Proximal => newton.regularization = NewtonOptions::default().regularization,
    }
    (newton.hessian, proximal.hessian) = (task.hessian, task.hessian);
    (newton.roll_out, proximal.roll_out) = (task.roll_out, task.roll_out);
    (newton.barrier, proximal.softness) = (task.barrier, task.softness);
    let mut options = MultiStartOptions::default();
    (options.method, options.newton, options.proximal) = (method, newton, proximal);
    (options.iterations, options.time, options.seed) = (task.budget, task.time, task.seed);
    let mut solver = MultiStart::new(problem, options);
    let report = solver.solve_with(problem, guesses, |progress| watch(progress));
    let nodes = solver.riccati().into_iter().flat_map(|riccati| riccati.nodes.iter().take(problem.steps()));
    let gains = nodes.map(|node| node.gain.clone()).collect();
    let multipliers = (0..=problem.steps()).filter_map(|k| solver.multipliers(k).cloned()).collect();
    let (history, trajectory) = (solver.history().to_vec(), solver.trajectory().clone());
    Found { report, history, trajectory, gains, multipliers }
}

/// All solvers. The first one is the default without constraints, the last one with constraints.
const SOLVERS: [Solver; 4] = [
    Solver {
        name: "fddp",
        keeps: Kept::Controls,
        defaults: || SolverTask::new(0, 200, 1e-9, 1e-9),
        run: |task, problem, guesses, watch| {
            let options = common!(task, FddpOptions);
            found!(Fddp, options, problem, guesses, watch)
        },
    },
    Solver {
        name: "multiple-shooting",
        keeps: Kept::Equalities,
        defaults: || SolverTask::new(1, 200, 1e-9, 1e-9),
        run: |task, problem, guesses, watch| {
            let options = common!(task, ShootingOptions);
            found!(MultipleShooting, options, problem, guesses, watch)
        },
    },
    Solver {
        name: "proximal",
        keeps: Kept::Rows,
        defaults: || {
            let ProximalOptions { iterations, tolerance, regularization, .. } = ProximalOptions::default();
            SolverTask::new(2, iterations, tolerance, regularization)
        },
        run: |task, problem, guesses, watch| all_kept(Method::Proximal, task, problem, guesses, watch),
    },
    Solver {
        name: "newton",
        keeps: Kept::All,
        defaults: || {
            let NewtonOptions { iterations, tolerance, regularization, .. } = NewtonOptions::default();
            SolverTask::new(3, iterations, tolerance, regularization)
        },
        run: |task, problem, guesses, watch| all_kept(Method::Newton, task, problem, guesses, watch),
    },
];

/// Second derivatives by name, and ways to follow a direction.
const HESSIANS: [(&str, Hessian); 3] =
    [("automatic", Hessian::Automatic), ("exact", Hessian::Exact), ("gauss-newton", Hessian::GaussNewton)];
const ROLL_OUTS: [(&str, RollOut); 3] =
    [("automatic", RollOut::Automatic), ("linear", RollOut::Linear), ("nonlinear", RollOut::Nonlinear)];

/// The table `solver`.
#[derive(Clone, Debug)]
pub(crate) struct SolverTask {
    pub(crate) solver: Solver,
    /// Where its name stands in the file, if it does.
    pub(super) at: Option<usize>,
    pub(crate) iterations: usize,
    /// Iterations of all attempts together, and the seed of guesses that are drawn.
    pub(crate) budget: usize,
    seed: u64,
    pub(crate) tolerance: f64,
    pub(crate) threads: usize,
    pub(crate) time: Option<Duration>,
    /// At the beginning.
    pub(crate) regularization: f64,
    /// Of `newton` and `proximal`.
    pub(crate) hessian: Hessian,
    pub(crate) roll_out: RollOut,
    /// Of `newton` alone, and of `proximal` alone.
    barrier: f64,
    softness: f64,
}

impl SolverTask {
    fn new(solver: usize, iterations: usize, tolerance: f64, regularization: f64) -> Self {
        let NewtonOptions { hessian, roll_out, barrier, .. } = NewtonOptions::default();
        let ProximalOptions { softness, .. } = ProximalOptions::default();
        let solver = SOLVERS[solver];
        Self {
            solver,
            at: None,
            iterations,
            budget: MultiStartOptions::default().iterations,
            seed: 0,
            tolerance,
            threads: 1,
            time: None,
            regularization,
            hessian,
            roll_out,
            barrier,
            softness,
        }
    }

    /// Does it keep all constraints, with multipliers?
    pub(crate) fn has_multipliers(&self) -> bool {
        matches!(self.solver.keeps, Kept::Rows | Kept::All)
    }
    /// What its μ is called, and where it begins.
    pub(crate) fn mu(&self) -> (&'static str, f64) {
        if self.solver.name == "newton" { ("barrier", self.barrier) } else { ("softness", self.softness) }
    }
    pub(crate) fn hessian_name(&self) -> &'static str {
        HESSIANS.iter().find(|(_, hessian)| *hessian == self.hessian).map_or("", |(name, _)| name)
    }
    pub(crate) fn roll_out_name(&self) -> &'static str {
        ROLL_OUTS.iter().find(|(_, roll_out)| *roll_out == self.roll_out).map_or("", |(name, _)| name)
    }

    /// `constrained`: is there a constraint?
    pub(super) fn read(item: Option<Item<'_>>, constrained: bool) -> Result<Self, Error> {
        let default = (SOLVERS[if constrained { SOLVERS.len() - 1 } else { 0 }].defaults)();
        let Some(item) = item else { return Ok(default) };
        let table = item.table("a table")?;
        let own = ["hessian", "roll_out", "barrier", "softness", "budget", "seed"];
        table.only(&[&["name", "iterations", "tolerance", "threads", "time", "regularization"][..], &own].concat())?;
        let mut solver = default;
        if let Some(item) = table.get("name") {
            solver = (SOLVERS[item.one_of("name", &SOLVERS.map(|solver| solver.name))?].defaults)();
            solver.at = Some(item.span.start);
        }
        for key in own {
            let owners: &[&str] = match key {
                "barrier" => &["newton"],
                "softness" => &["proximal"],
                _ => &["newton", "proximal"],
            };
            let name = solver.solver.name;
            if let Some(item) = table.get(key).filter(|_| !owners.contains(&name)) {
                let why = match owners {
                    [owner] => format!("only the solver `{owner}` has this, not `{name}`"),
                    _ => format!("only the solvers `newton` and `proximal` have this, not `{name}`"),
                };
                return Err(item.refuse(why));
            }
        }
        if let Some(item) = table.get("iterations") {
            solver.iterations = item.count(1)?;
            solver.budget = solver.iterations;
        }
        if let Some(item) = table.get("budget") {
            solver.budget = item.count(1)?;
            if table.get("iterations").is_some() && solver.budget < solver.iterations {
                let (all, each) = (solver.budget, solver.iterations);
                return Err(
                    item.refuse(format!("all attempts together have {all} iterations, each of them up to {each}"))
                );
            }
        }
        if let Some(item) = table.get("seed") {
            solver.seed = item.integer()?.cast_unsigned();
        }
        if let Some(item) = table.get("tolerance") {
            solver.tolerance = item.number(Sign::Positive)?;
        }
        if let Some(item) = table.get("threads") {
            solver.threads = item.count(1)?;
        }
        if let Some(item) = table.get("time") {
            let seconds = item.number(Sign::Positive)?;
            let time = Duration::try_from_secs_f64(seconds);
            solver.time = Some(time.map_err(|_| item.expected("a time in seconds"))?);
        }
        if let Some(item) = table.get("regularization") {
            solver.regularization = item.number(Sign::Positive)?;
        }
        if let Some(item) = table.get("hessian") {
            solver.hessian = HESSIANS[item.one_of("hessian", &HESSIANS.map(|(name, _)| name))?].1;
        }
        if let Some(item) = table.get("roll_out") {
            solver.roll_out = ROLL_OUTS[item.one_of("roll_out", &ROLL_OUTS.map(|(name, _)| name))?].1;
        }
        if let Some(item) = table.get("barrier") {
            solver.barrier = item.number(Sign::Positive)?;
        }
        if let Some(item) = table.get("softness") {
            solver.softness = item.number(Sign::Positive)?;
        }
        Ok(solver)
    }
}
