//! Which solver, and its options.

use super::source::{Item, Sign};
use crate::error::Error;
use gradyn_trajectory::quadratic::{Multipliers, Quadratic};
use gradyn_trajectory::solver::{ConstrainedSolver, Guess, Hessian, MultiStart, MultiStartOptions, Progress, RollOut};
use gradyn_trajectory::{
    Control, Fddp, FddpOptions, Iteration, NewtonOptions, Problem, ProximalOptions, Report, Trajectory, WarmStart,
};
use nalgebra::DMatrix;
use std::time::Duration;

/// What is called after each iteration.
pub type Watch<'w> = dyn FnMut(Progress<'_>) -> Control + Send + 'w;

/// Which constraints a solver keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supports {
    /// Bounds of controls, of durations and of parameters.
    Bounds,
    /// All constraints.
    All,
}

impl Supports {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Bounds => "bounds of controls, durations and parameters only",
            Self::All => "all",
        }
    }
}

/// A solver.
#[derive(Clone, Copy)]
pub struct Solver {
    /// As the file says it.
    pub name: &'static str,
    /// Of the solvers that try several; `None` of the one that tries one guess.
    method: Option<ConstrainedSolver>,
    /// Which constraints.
    pub keeps: Supports,
    /// Its options, where a task does not say others.
    defaults: fn() -> SolverTask,
    /// Solves from guesses, one after the other; calls after each iteration, and where another attempt begins.
    pub run: fn(&SolverTask, &Problem, &[Guess], &mut Watch<'_>) -> SolverResult,
}

impl std::fmt::Debug for Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// What a solver has found.
#[derive(Debug)]
pub struct SolverResult {
    /// How it ended.
    pub report: Report,
    /// An entry an iteration.
    pub history: Vec<Iteration>,
    /// The trajectory.
    pub trajectory: Trajectory,
    /// `K` of each node but the last, nu by ndx: `u = u_k − K (x ⊖ x_k)`.
    pub gains: Vec<DMatrix<f64>>,
    /// Of each node, if the solver has multipliers of constraints.
    pub multipliers: Vec<Multipliers>,
    /// Multipliers of the bounds of each node's controls, if the solver has them; `None` of those without a bound.
    pub control_multipliers: Vec<Vec<Option<f64>>>,
    /// Where it has ended, if another solution can begin there.
    pub warm: Option<(ConstrainedSolver, WarmStart)>,
}

impl SolverResult {
    /// With multipliers of the bounds of controls: of this one of this node.
    fn with_controls(mut self, of: impl Fn(usize, usize) -> Option<f64>) -> Self {
        let (of, steps) = (&of, self.trajectory.steps());
        let node = |k: usize| (0..self.trajectory.u(k).len()).map(|i| of(k, i)).collect();
        self.control_multipliers = (0..steps).map(node).collect();
        self
    }
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

/// What a solver has found that has ended with this report.
macro_rules! found {
    ($solver:ident, $options:ident, $problem:ident, $guesses:ident, $watch:ident) => {{
        let mut solver = $solver::new($problem, $options);
        let none = Trajectory::zeros($problem);
        let guess = $guesses.first().map_or(&none, |guess| &guess.trajectory);
        let report = solver.solve_with($problem, guess, |iteration| $watch(Progress::Iteration(iteration)));
        let nodes = solver.riccati().nodes.iter().take($problem.steps());
        let gains = nodes.map(|node| node.gain.clone()).collect();
        let (history, trajectory) = (solver.history().to_vec(), solver.trajectory().clone());
        let (multipliers, control_multipliers, warm) = (Vec::new(), Vec::new(), None);
        (SolverResult { report, history, trajectory, gains, multipliers, control_multipliers, warm }, solver)
    }};
}

/// What the solvers that keep all constraints find, `method` first.
fn all_kept(
    method: ConstrainedSolver,
    task: &SolverTask,
    problem: &Problem,
    guesses: &[Guess],
    watch: &mut Watch<'_>,
) -> SolverResult {
    let (mut newton, mut proximal) = (task.newton(), task.proximal());
    // One's own is that of the other one where it is not said.
    match method {
        ConstrainedSolver::Newton => proximal.regularization = ProximalOptions::default().regularization,
        ConstrainedSolver::Proximal => newton.regularization = NewtonOptions::default().regularization,
    }
    let mut options = MultiStartOptions::default();
    (options.solver, options.newton, options.proximal) = (method, newton, proximal);
    (options.iterations, options.time, options.seed) = (task.budget, task.time, task.seed);
    let mut solver = MultiStart::new(problem, options);
    let report = solver.solve_with(problem, guesses, &mut *watch);
    let nodes = solver.riccati().into_iter().flat_map(|riccati| riccati.nodes.iter().take(problem.steps()));
    let gains = nodes.map(|node| node.gain.clone()).collect();
    let multipliers = (0..=problem.steps()).filter_map(|k| solver.multipliers(k).cloned()).collect();
    let (history, trajectory) = (solver.history().to_vec(), solver.trajectory().clone());
    let (control_multipliers, warm) = (Vec::new(), solver.warm_start().map(|warm| (solver.solver(), warm)));
    let found = SolverResult { report, history, trajectory, gains, multipliers, control_multipliers, warm };
    found.with_controls(|k, i| solver.control_multiplier(k, i))
}

/// Multipliers of the bounds of controls in the solution of [`Fddp`], whose sweep keeps none: of a control at its bound
/// `y = −Q_u = −(lᵤ + Bᵀ V′ₓ)`, of one between its bounds zero. None of a node that cannot be evaluated.
fn of_clamped(problem: &Problem, solver: &Fddp) -> Vec<Vec<Option<f64>>> {
    let (at, mut memory) = (solver.trajectory(), problem.memory());
    let mut node = |k: usize| {
        let u = at.u(k);
        let Some((lower, upper)) = problem.node(k).control_bounds() else { return vec![None; u.len()] };
        let mut lq = Quadratic::new(problem.dims(k), false);
        let known = problem.linearize(k, at.x(k), u, &mut memory, &mut lq).is_ok();
        let price = |i: usize| {
            let y = -(lq.lu[i] + lq.b.column(i).dot(&solver.riccati().nodes[k + 1].vx));
            // It stands at its bound to the last bit, and pushes against it.
            let pushes = (u[i] >= upper[i] && y > 0.0) || (u[i] <= lower[i] && y < 0.0);
            let bounded = lower[i].is_finite() || upper[i].is_finite();
            (known && bounded).then_some(if pushes { y } else { 0.0 })
        };
        (0..u.len()).map(price).collect()
    };
    (0..problem.steps()).map(&mut node).collect()
}

/// All solvers. The first one is the default without constraints, the last one with constraints.
const SOLVERS: [Solver; 3] = [
    Solver {
        name: "fddp",
        method: None,
        keeps: Supports::Bounds,
        defaults: || SolverTask::new(0, 200, 1e-9, 1e-9),
        run: |task, problem, guesses, watch| {
            let options = task.fddp();
            let (found, solver) = found!(Fddp, options, problem, guesses, watch);
            let all = of_clamped(problem, &solver);
            found.with_controls(|k, i| all[k][i])
        },
    },
    Solver {
        name: "proximal",
        method: Some(ConstrainedSolver::Proximal),
        keeps: Supports::All,
        defaults: || {
            let ProximalOptions { iterations, tolerance, regularization, .. } = ProximalOptions::default();
            SolverTask::new(1, iterations, tolerance, regularization)
        },
        run: |task, problem, guesses, watch| all_kept(ConstrainedSolver::Proximal, task, problem, guesses, watch),
    },
    Solver {
        name: "newton",
        method: Some(ConstrainedSolver::Newton),
        keeps: Supports::All,
        defaults: || {
            let NewtonOptions { iterations, tolerance, regularization, .. } = NewtonOptions::default();
            SolverTask::new(2, iterations, tolerance, regularization)
        },
        run: |task, problem, guesses, watch| all_kept(ConstrainedSolver::Newton, task, problem, guesses, watch),
    },
];

/// Second derivatives by name, and ways to follow a direction.
const HESSIANS: [(&str, Hessian); 3] =
    [("automatic", Hessian::Automatic), ("exact", Hessian::Exact), ("gauss-newton", Hessian::GaussNewton)];
const ROLL_OUTS: [(&str, RollOut); 3] =
    [("automatic", RollOut::Automatic), ("linear", RollOut::Linear), ("nonlinear", RollOut::Nonlinear)];

/// The table `solver`.
#[derive(Clone, Debug)]
pub struct SolverTask {
    /// Which one.
    pub solver: Solver,
    /// Where its name stands in the file, if it does.
    pub(super) at: Option<usize>,
    /// At most, in one attempt.
    pub iterations: usize,
    /// Iterations of all attempts together, and the seed of guesses that are drawn.
    pub budget: usize,
    seed: u64,
    /// Of convergence.
    pub tolerance: f64,
    /// That evaluate nodes.
    pub threads: usize,
    /// At most.
    pub time: Option<Duration>,
    /// At the beginning.
    pub regularization: f64,
    /// Of `newton` and `proximal`.
    pub hessian: Hessian,
    /// How a direction is followed.
    pub roll_out: RollOut,
    /// Of `newton` alone, and of `proximal` alone.
    barrier: f64,
    mu_init: f64,
}

impl SolverTask {
    fn new(solver: usize, iterations: usize, tolerance: f64, regularization: f64) -> Self {
        let NewtonOptions { hessian, roll_out, barrier, .. } = NewtonOptions::default();
        let ProximalOptions { mu_init, .. } = ProximalOptions::default();
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
            mu_init,
        }
    }

    /// Whether it supports all constraints, with multipliers.
    pub fn has_multipliers(&self) -> bool {
        self.solver.keeps == Supports::All
    }
    /// The names of solvers that keep so much.
    pub(super) fn names(keeps: fn(Supports) -> bool) -> Vec<&'static str> {
        SOLVERS.iter().rev().filter(|solver| keeps(solver.keeps)).map(|solver| solver.name).collect()
    }
    /// What its μ is called, and where it begins.
    pub fn mu(&self) -> (&'static str, f64) {
        match self.solver.method {
            Some(ConstrainedSolver::Newton) => ("barrier", self.barrier),
            _ => ("mu_init", self.mu_init),
        }
    }
    /// The options of [`Newton`](gradyn_trajectory::Newton).
    pub fn newton(&self) -> NewtonOptions {
        let mut options = common!(self, NewtonOptions);
        (options.hessian, options.roll_out, options.barrier) = (self.hessian, self.roll_out, self.barrier);
        options
    }
    /// The options of [`Proximal`](gradyn_trajectory::Proximal).
    pub fn proximal(&self) -> ProximalOptions {
        let mut options = common!(self, ProximalOptions);
        (options.hessian, options.roll_out, options.mu_init) = (self.hessian, self.roll_out, self.mu_init);
        options
    }
    /// The options of [`Fddp`].
    pub fn fddp(&self) -> FddpOptions {
        common!(self, FddpOptions)
    }
    /// The second derivatives as the file says them.
    pub fn hessian_name(&self) -> &'static str {
        HESSIANS.iter().find(|(_, hessian)| *hessian == self.hessian).map_or("", |(name, _)| name)
    }
    /// The way to follow a direction as the file says it.
    pub fn roll_out_name(&self) -> &'static str {
        ROLL_OUTS.iter().find(|(_, roll_out)| *roll_out == self.roll_out).map_or("", |(name, _)| name)
    }

    /// `constrained`: whether there is a constraint.
    pub(super) fn read(item: Option<Item<'_>>, constrained: bool) -> Result<Self, Error> {
        let default = (SOLVERS[if constrained { SOLVERS.len() - 1 } else { 0 }].defaults)();
        let Some(item) = item else { return Ok(default) };
        let table = item.table("a table")?;
        let own = ["hessian", "roll_out", "barrier", "mu_init", "softness", "budget", "seed"];
        table.only(&[&["name", "iterations", "tolerance", "threads", "time", "regularization"][..], &own].concat())?;
        let mut solver = default;
        if let Some(item) = table.get("name") {
            if item.text("a name").is_ok_and(|name| name == "multiple-shooting") {
                return Err(
                    item.refuse("the solver `multiple-shooting` is gone: use `newton`, which keeps equalities too")
                );
            }
            solver = (SOLVERS[item.one_of("name", &SOLVERS.map(|solver| solver.name))?].defaults)();
            solver.at = Some(item.span.start);
        }
        for key in own {
            let owners: &[&str] = match key {
                "barrier" => &["newton"],
                // `softness` is the former name of `mu_init`.
                "mu_init" | "softness" => &["proximal"],
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
        let former = table.get("softness");
        if let (Some(item), Some(_)) = (&former, table.get("mu_init")) {
            return Err(item.refuse("`softness` is the former name of `mu_init`, which is set too"));
        }
        if let Some(item) = table.get("mu_init").or(former) {
            solver.mu_init = item.number(Sign::Positive)?;
        }
        Ok(solver)
    }
}
