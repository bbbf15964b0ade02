//! Solutions of tasks: solved, looked at, written as JSON, CSV, NumPy's `.npz` and a page.

mod contact_report;
mod formats;
mod guesses;
mod motion;
mod page;
mod reference;
mod refine;
mod release;
mod resimulated;
mod violations;
mod warm;

pub use contact_report::{ContactReport, Row};
pub use motion::{Beside, Motion};
pub use reference::Reference;
pub use refine::Round;
pub use resimulated::Resimulated;
pub use violations::{Violation, violations, worst};

use crate::Error;
use crate::task::{Released, SolverResult, Task};
use gradyn_trajectory::Control;
use gradyn_trajectory::solver::{Guess, Progress};
use refine::Refined;
use std::time::{Duration, Instant};

/// What happens while a task is solved.
pub enum Event<'a> {
    /// The solver begins with this task: the one that was given, or the same with fewer contacts or finer steps.
    Begin(&'a Task),
    /// An iteration, or another attempt. [`Control::Stop`] ends the solver here.
    Progress(Progress<'a>),
    /// The solver has ended.
    End,
    /// Why it begins again.
    Note(&'a str),
}

/// Is told of each [`Event`].
pub type Watcher<'w> = dyn FnMut(Event<'_>) -> Control + Send + 'w;

/// Whether steps that are too long are split, and the finer problem is solved from the solution of the coarser one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefineOption {
    /// Whether it is done: four times at most, up to twenty times the steps of the file.
    pub on: bool,
    /// What warnings call this option.
    pub name: &'static str,
}

impl Default for RefineOption {
    fn default() -> Self {
        Self { on: false, name: "refine" }
    }
}

/// What a solver has found, and how long it took.
#[derive(Debug)]
pub struct Solved {
    /// The trajectory, and how the solver ended.
    pub found: SolverResult,
    /// Of the last attempt with the last task.
    pub took: Duration,
}

/// A task with its solution, and what was looked at after it.
#[derive(Debug)]
pub struct Solution {
    /// The task that was solved: with finer steps, or fewer contacts, than its file where these were asked for.
    pub task: Task,
    /// What the solver has found, and all warnings.
    pub solved: Solved,
    /// The trajectory as people want it.
    pub motion: Motion,
    /// Its steps, integrated again; nothing if the task does not want it.
    pub resimulated: Option<Resimulated>,
    /// A round for each time that steps were split.
    pub rounds: Vec<Round>,
    /// Contacts that impacts let go.
    pub released: Vec<Released>,
}

impl Task {
    /// Solves the task from its guesses.
    ///
    /// # Errors
    /// If a guess cannot be made of what the task says. A solver that does not converge is no error: its report says
    /// so.
    pub fn solve(self) -> Result<Solution, Error> {
        let (guesses, _) = self.guesses()?;
        self.solve_from(&guesses, RefineOption::default(), &mut |_| Control::Continue)
    }

    /// Solves the task from these guesses, one after the other; `watcher` is told what happens.
    ///
    /// # Errors
    /// If the task with fewer contacts or finer steps cannot be built.
    pub fn solve_from(
        self,
        guesses: &[Guess],
        refine: RefineOption,
        watcher: &mut Watcher<'_>,
    ) -> Result<Solution, Error> {
        let solved = solve(&self, guesses, watcher);
        let (task, solved, released) = release::release(self, solved, watcher)?;
        let resimulated = Resimulated::of(&task, &solved);
        let mut all = Refined { task, solved, resimulated, rounds: Vec::new(), released };
        if refine.on {
            all = refine::refine(all, refine, watcher)?;
        }
        let Refined { task, mut solved, resimulated, rounds, released } = all;
        let report = &mut solved.found.report;
        report.warnings.extend(task.notes());
        if let Some(of) = &resimulated {
            report.warnings.extend(of.warnings(&task, &report.status, refine));
        }
        let motion = Motion::of(&task, &solved);
        if let Some(of) = &motion.contact_report {
            solved.found.report.warnings.extend(of.warnings(&task));
        }
        Ok(Solution { task, solved, motion, resimulated, rounds, released })
    }

    /// What the solver of the task finds from these guesses, without looking at it.
    pub fn find(&self, guesses: &[Guess], watcher: &mut Watcher<'_>) -> SolverResult {
        watcher(Event::Begin(self));
        let mut watch = |progress: Progress<'_>| watcher(Event::Progress(progress));
        let found = (self.solver.solver.run)(&self.solver, &self.problem, guesses, &mut watch);
        watcher(Event::End);
        found
    }
}

/// What the solver finds, and how long that takes.
fn solve(task: &Task, guesses: &[Guess], watcher: &mut Watcher<'_>) -> Solved {
    let began = Instant::now();
    let found = task.find(guesses, watcher);
    Solved { found, took: began.elapsed() }
}

impl Solution {
    /// Whether the solver has converged.
    pub fn is_solved(&self) -> bool {
        self.solved.found.report.status.is_solved()
    }

    /// All of it as JSON, as `trajectory.json` has it: [`Reference`] reads it again, and a guess begins there.
    ///
    /// # Errors
    /// If a number cannot be written.
    pub fn json(&self) -> Result<String, Error> {
        formats::json(self)
    }

    /// The trajectory as CSV, a node a line, as `trajectory.csv` has it.
    pub fn csv(&self) -> String {
        formats::csv(&self.task, &self.motion)
    }

    /// The trajectory as arrays of NumPy, as `trajectory.npz` has it.
    ///
    /// # Errors
    /// If the archive cannot be written.
    pub fn npz(&self) -> Result<Vec<u8>, Error> {
        formats::arrays(&self.task, &self.solved, &self.motion)
            .map_err(|error| Error::content("the solution", error.to_string()))
    }

    /// A page for a browser that needs no network; `beside`: a second trajectory in its plots and its picture.
    pub fn page(&self, beside: Option<&Beside>) -> String {
        page::write(self, beside)
    }
}
