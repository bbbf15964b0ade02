//! Which solver, and where it begins.

use super::source::{Item, Sign, Table};
use super::start::Start;
use crate::error::Error;
use gradyn_trajectory::solver::ShootingOptions;
use gradyn_trajectory::{Control, Fddp, FddpOptions, Iteration, MultipleShooting, Problem, Report, Trajectory};
use nalgebra::DMatrix;
use std::path::PathBuf;
use std::time::Duration;

/// What is called after each iteration.
pub(crate) type Watch<'w> = dyn FnMut(&Iteration) -> Control + Send + 'w;

/// A solver.
#[derive(Clone, Copy)]
pub(crate) struct Solver {
    pub(crate) name: &'static str,
    /// Solves from a guess; a call after each iteration.
    pub(crate) run: fn(&SolverTask, &Problem, &Trajectory, &mut Watch<'_>) -> Found,
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
}

/// A solver with these options, at work: all have the same names for the same things.
macro_rules! solver {
    ($name:literal, $solver:ident, $options:ident) => {
        Solver {
            name: $name,
            run: |task, problem, guess, watch| {
                let mut options = $options::default();
                options.iterations = task.iterations;
                options.time = task.time;
                options.tolerance = task.tolerance;
                options.threads = task.threads;
                options.regularization = task.regularization;
                let mut solver = $solver::new(problem, options);
                let report = solver.solve_with(problem, guess, |iteration| watch(iteration));
                let nodes = solver.riccati().nodes.iter().take(problem.steps());
                let gains = nodes.map(|node| node.gain.clone()).collect();
                Found { report, history: solver.history().to_vec(), trajectory: solver.trajectory().clone(), gains }
            },
        }
    };
}

/// All solvers, the default first.
const SOLVERS: [Solver; 2] =
    [solver!("fddp", Fddp, FddpOptions), solver!("multiple-shooting", MultipleShooting, ShootingOptions)];

/// The table `solver`.
#[derive(Clone, Debug)]
pub(crate) struct SolverTask {
    pub(crate) solver: Solver,
    pub(crate) iterations: usize,
    pub(crate) tolerance: f64,
    pub(crate) threads: usize,
    pub(crate) time: Option<Duration>,
    /// At the beginning.
    pub(crate) regularization: f64,
}

impl Default for SolverTask {
    fn default() -> Self {
        Self { solver: SOLVERS[0], iterations: 200, tolerance: 1e-9, threads: 1, time: None, regularization: 1e-9 }
    }
}

impl SolverTask {
    pub(super) fn read(item: Option<Item<'_>>) -> Result<Self, Error> {
        let mut solver = Self::default();
        let Some(item) = item else { return Ok(solver) };
        let table = item.table("a table")?;
        table.only(&["name", "iterations", "tolerance", "threads", "time", "regularization"])?;
        if let Some(item) = table.get("name") {
            solver.solver = SOLVERS[item.one_of("name", &SOLVERS.map(|solver| solver.name))?];
        }
        if let Some(item) = table.get("iterations") {
            solver.iterations = item.count(1)?;
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
        Ok(solver)
    }
}

/// The states of the guess.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum States {
    /// All at the start.
    Standing,
    /// From the start to this configuration.
    Interpolation(Vec<f64>),
}

/// The controls of the guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Controls {
    Zero,
    /// Those that hold the robot still.
    Static,
}

/// The table `guess`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum GuessTask {
    Made(States, Controls),
    File(PathBuf),
}

impl GuessTask {
    pub(super) fn read(item: Option<Item<'_>>, start: &Start) -> Result<Self, Error> {
        let Some(item) = item else { return Ok(Self::Made(States::Standing, Controls::Static)) };
        let table = item.table("a table")?;
        table.only(&["states", "to", "controls", "file"])?;
        if let Some(item) = table.get("file") {
            other_than_file(&table)?;
            return Ok(Self::File(start.beside(item.text("the name of a file")?)));
        }
        let states = table.get("states").map_or(Ok(0), |item| item.one_of("states", &["standing", "interpolation"]))?;
        let states = match (states, table.get("to")) {
            (0, None) => States::Standing,
            (0, Some(item)) => return Err(item.refuse("only the states `interpolation` lead to a configuration")),
            _ => {
                let item = table.need("to", "the configuration that the guess ends at")?;
                States::Interpolation(start.poses.configuration(&item, &start.model)?)
            }
        };
        let controls = table.get("controls").map_or(Ok(1), |item| item.one_of("controls", &["zero", "static"]))?;
        Ok(Self::Made(states, if controls == 0 { Controls::Zero } else { Controls::Static }))
    }
}

fn other_than_file(table: &Table<'_>) -> Result<(), Error> {
    let other = ["states", "to", "controls"].into_iter().find_map(|key| table.get(key));
    other.map_or(Ok(()), |item| Err(item.refuse("the guess is read from a file: leave this out")))
}
