//! Task files of `gradyn optimize`: what is to be solved, in TOML. The reference is `docs/optimize.md`.

mod actuation;
mod cones;
mod constraints;
mod contacts;
mod costs;
mod entries;
mod given;
mod goal;
mod guess;
mod kinds;
mod limits;
mod losses;
mod named;
mod parameters;
mod phases;
mod places;
mod pose;
mod report;
mod residual_spec;
mod solver;
pub mod source;
mod start;
mod surface;
mod term;
#[cfg(test)]
mod turned;

pub use actuation::{Actuated, Thruster};
pub use constraints::ConstraintTask;
pub use contacts::HeldContact;
pub use costs::CostTask;
pub use given::{Given, OwnResidual};
pub use goal::Goal;
pub use guess::{Controls, GuessSource, GuessTask, States};
pub use parameters::ParameterTask;
pub use phases::{PhaseTask, Pieces, Released};
pub use places::At;
pub use report::{HeldLimits, ReportTask};
pub use solver::{Solver, SolverResult, SolverTask, Supports, Watch};
pub use start::Start;
pub use term::Term;

use crate::error::Error;
use crate::input;
use crate::robot::{FileOptions, Robot};
use gradyn::model::urdf::UrdfOptions;
use gradyn_trajectory::solver::Warning;
use gradyn_trajectory::{Problem, ProblemError, ProblemPlace};
use kinds::CONTROL_RATE;
use limits::Limits;
use pose::Poses;
use source::{Item, Sign, Source, Table};
use std::path::Path;
use std::sync::Arc;

/// A task: a problem, with the names that it was described by.
#[derive(Debug)]
pub struct Task {
    /// What it is called; the name of the file if it does not say so.
    pub name: String,
    /// The robot with its file.
    pub robot: Robot,
    /// Where the robot starts, and what acts.
    pub start: Start,
    /// In their order, impacts among them.
    pub phases: Vec<PhaseTask>,
    /// In the order of the file.
    pub costs: Vec<CostTask>,
    /// In the order of the file, then those of `limits`.
    pub constraints: Vec<ConstraintTask>,
    /// The solver and its options.
    pub solver: SolverTask,
    /// Where the solver begins, one after the other.
    pub guesses: Vec<GuessTask>,
    /// For errors that show later.
    pub source: Source,
    /// What is looked at after a solution.
    pub report: ReportTask,
    /// The problem to solve.
    pub problem: Problem,
    /// What is dubious in it.
    pub warnings: Vec<String>,
}

/// Keys of a task file.
const KEYS: [&str; 16] = [
    "name",
    "robot",
    "poses",
    "start",
    "steps",
    "actuation",
    "contacts",
    "loops",
    "phases",
    "limits",
    "parameters",
    "costs",
    "constraints",
    "solver",
    "guess",
    "report",
];

impl Task {
    /// Reads a task, and builds its problem.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (file, bytes) = input::bytes(path)?;
        let text = String::from_utf8(bytes).map_err(|_| Error::read(path, "it is not UTF-8 text"))?;
        let stem = path.file_stem().map_or_else(|| String::from("task"), |stem| stem.to_string_lossy().into_owned());
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Self::of_source(Source { file, text }, stem, Arc::new(Given { folder, ..Given::default() }), &[], &[])
    }

    /// Reads a task that a program has written, with what it gives beside the text. `name`: what it is called if it does not say
    /// so.
    pub fn parse(source: Source, name: &str, given: Given) -> Result<Self, Error> {
        Self::of_source(source, name.to_owned(), Arc::new(given), &[], &[])
    }

    /// The same with other steps, one entry a phase, impacts among them; those of the file if there is none. And with
    /// contacts that impacts let go.
    pub fn changed(&self, finer: &[Pieces], released: &[Released]) -> Result<Self, Error> {
        Self::of_source(self.source.clone(), self.name.clone(), Arc::clone(&self.start.given), finer, released)
    }
    /// `name`: what it is called if it does not say so.
    fn of_source(
        source: Source,
        name: String,
        given: Arc<Given>,
        finer: &[Pieces],
        released: &[Released],
    ) -> Result<Self, Error> {
        let entries = source.parse()?;
        let root = Table::root(&source, &entries);
        root.only(&KEYS)?;
        let name = root.get("name").map_or(Ok(name), |item| item.text("a name").map(str::to_owned))?;

        let mut robot = robot(&root, &given)?;
        robot.model = limits::overridden(root.get("limits").as_ref(), robot.model)?;
        let poses = Poses::read(root.get("poses"), &robot)?;
        let (q, v) = start::read(root.get("start"), &poses, &robot.model)?;
        let of_robot = root.need("robot", "a table")?;
        let mut actuated = actuation::read(root.get("actuation"), &of_robot, &robot.model)?;
        let limits = Limits::read(root.get("limits"))?;
        if let Some(limits) = &limits {
            limits.of_torques(&mut actuated)?;
        }
        let parameters = parameters::read(&root, &robot.model)?;
        let start = Start { model: robot.model.clone(), given, poses, q, v, actuated, parameters };
        let steps = phases::steps(&root)?;
        let contacts = contacts::Contacts::read(&root, &start.model, steps.dt)?;
        start::closed(&root, &contacts.loops, &start)?;
        let mut phases = phases::read(&root, &start, &contacts, &steps, released)?;
        phases.iter_mut().zip(finer).for_each(|(phase, pieces)| phase.take(pieces));
        let mut costs = costs::read(&root, &start, &phases)?;
        let mut constraints = constraints::read(&root, &start, &phases)?;
        if let Some(limits) = &limits {
            constraints.extend(limits.constraints(&start, &phases)?);
        }
        constraints.extend(limits::speed_torque(root.get("limits").as_ref(), &of_robot, &start, &phases)?);
        let before = before(&source, &costs, &constraints)?;
        let solver = SolverTask::read(
            root.get("solver"),
            limits.as_ref().is_some_and(Limits::keeps_any) || !constraints.is_empty(),
        )?;
        kept(&solver, root.source, &constraints)?;
        let of_file = actuation::of_file(root.get("actuation"));
        let mut warnings = Limits::zeros(limits.as_ref(), of_file, &start);
        warnings.extend(start::in_motion(&start, &phases[0]));
        let guesses = GuessTask::read_all(root.get("guess"), &start)?;
        if let (Some(item), [_, _, ..]) = (root.get("guess"), &guesses[..])
            && !solver.has_multipliers()
        {
            let name = solver.solver.name;
            return Err(
                item.refuse(format!("the solver `{name}` takes one guess: `newton` and `proximal` try several"))
            );
        }
        let report = ReportTask::read(root.get("report"))?;
        let problem = build(&start, &phases, &mut costs, &mut constraints, before.as_deref())
            .map_err(|error| place(&error, &source, &start, &phases, &costs, &constraints))?;
        drop(entries);
        Ok(Self { name, robot, start, phases, costs, constraints, solver, guesses, problem, source, warnings, report })
    }
}

impl Task {
    /// The first node of the motion: before it stands one that chooses durations and parameters, if there are any.
    pub fn first(&self) -> usize {
        usize::from(!self.start.parameters.is_empty() || self.free_phases().next().is_some())
    }
    /// The phases that last as long as the solver chooses.
    pub fn free_phases(&self) -> impl Iterator<Item = &PhaseTask> {
        self.phases.iter().filter(|phase| phase.free.is_some())
    }
    /// The least coefficient of friction that a cone of this contact has.
    pub fn friction_of(&self, contact: &str) -> Option<f64> {
        let terms = self.costs.iter().map(|cost| &cost.term);
        let terms = terms.chain(self.constraints.iter().map(|constraint| &constraint.term));
        let of = terms.filter(|term| term.contact.as_deref() == Some(contact)).filter_map(|term| term.friction);
        of.reduce(f64::min)
    }
    /// What is to be known of its costs and constraints: a warning for each table of the file that has such.
    pub fn notes(&self) -> Vec<Warning> {
        let costs = self.costs.iter().map(|cost| ("cost", &cost.term));
        let terms = costs.chain(self.constraints.iter().map(|constraint| ("constraint", &constraint.term)));
        let noted: Vec<_> = terms.filter_map(|(one, term)| Some((one, term, term.note.as_ref()?))).collect();
        let of_one_table = noted.chunk_by(|(_, a, _), (_, b, _)| a.span == b.span);
        let warning = |terms: &[(&str, &Term, &String)]| {
            let (one, first, note) = terms.first()?;
            let others = match terms.len() - 1 {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            let text = format!("{one} `{}`{others}: {note}", first.name);
            Some(Warning { about: first.name.clone(), node: None, text })
        };
        of_one_table.filter_map(warning).collect()
    }
    /// How many nodes the motion has.
    pub fn nodes(&self) -> usize {
        self.problem.steps() + 1 - self.first()
    }
}

fn robot(root: &Table<'_>, given: &Given) -> Result<Robot, Error> {
    if let Some(robot) = &given.robot {
        return Ok(robot.clone());
    }
    let item = root.need("robot", "a table with the `file` of the robot")?;
    let table = item.table("a table with the `file` of the robot")?;
    table.only(&["file", "srdf", "floating_base", "fixed_base", "joint_friction", "friction_width", "gravity"])?;
    let item = table.need("file", "a URDF, MJCF or SDF file, relative to the task")?;
    let file = given.folder.join(item.text("a URDF, MJCF or SDF file, relative to the task")?);
    if !file.is_file() {
        return Err(item.refuse(format!("there is no file {}", file.display())));
    }
    let flag = |key: &str| table.get(key).map_or(Ok(false), |item: Item<'_>| item.flag());
    let gravity = table.get("gravity").map(|item| item.vector("x, y, z, m/s²")).transpose()?;
    let options = UrdfOptions::new().floating_base(flag("floating_base")?);
    let options = FileOptions::from(options).fixed_base(flag("fixed_base")?);
    let width = table.get("friction_width").map(|item| item.number(Sign::Positive)).transpose()?;
    let options = options.friction_width(width);
    let robot = Robot::read(&file, options, gravity, flag("joint_friction")?)?;
    let Some(item) = table.get("srdf") else { return Ok(robot) };
    let srdf = given.folder.join(item.text("an SRDF file, relative to the task")?);
    if !srdf.is_file() {
        return Err(item.refuse(format!("there is no file {}", srdf.display())));
    }
    robot.with_srdf(&srdf)
}

/// Refuses a constraint that the solver does not keep.
fn kept(solver: &SolverTask, source: &Source, constraints: &[ConstraintTask]) -> Result<(), Error> {
    let Some(ConstraintTask { term, .. }) = constraints.first().filter(|_| solver.solver.keeps != Supports::All) else {
        return Ok(());
    };
    let line = solver.at.map_or_else(String::new, |at| format!(" of line {}", source.line(at)));
    let others: Vec<String> =
        SolverTask::names(|kept| kept == Supports::All).iter().map(|n| format!("`{n}`")).collect();
    let why = format!(
        "the solver `{}`{line} does not keep the constraint `{}`: it keeps {}; {} keep it",
        solver.solver.name,
        term.name,
        solver.solver.keeps.text(),
        others.join(" and ")
    );
    Err(source.refuse(term.span, &term.key, why))
}

/// The controls before the first step, if a cost or constraint says them; all that do must say the same.
fn before(source: &Source, costs: &[CostTask], constraints: &[ConstraintTask]) -> Result<Option<Vec<f64>>, Error> {
    let terms = costs.iter().map(|cost| &cost.term).chain(constraints.iter().map(|constraint| &constraint.term));
    let mut said = terms.filter_map(|term| Some((term, term.before.as_ref()?)));
    let Some((first, before)) = said.next() else { return Ok(None) };
    match said.find(|(_, other)| *other != before) {
        Some((term, other)) => {
            let why = format!(
                "before the first step the controls are {before:?} as `{}` says, found {other:?}: expected one of both",
                first.name
            );
            Err(source.refuse(term.span, &format!("{}.before", term.key), why))
        }
        None => Ok(Some(before.clone())),
    }
}

fn build(
    start: &Start,
    phases: &[PhaseTask],
    costs: &mut [CostTask],
    constraints: &mut [ConstraintTask],
    before: Option<&[f64]>,
) -> Result<Problem, ProblemError> {
    let mut built: Vec<_> = phases.iter().map(|phase| Some(phase.build(start))).collect();
    let mut builder = Problem::builder(&start.model).start(&start.q, &start.v);
    for of in &start.parameters {
        builder = builder.parameter(of.parameter.clone());
    }
    for (place, cost) in costs.iter_mut().flat_map(|cost| cost.build(phases, start)) {
        match place {
            None => builder = builder.last(cost),
            Some(k) => built[k] = built[k].take().map(|phase| phase.cost(cost)),
        }
    }
    for (place, constraint) in constraints.iter_mut().flat_map(|constraint| constraint.build(phases, start)) {
        match place {
            None => builder = builder.last_constraint(constraint),
            Some(k) => built[k] = built[k].take().map(|phase| phase.constraint(constraint)),
        }
    }
    let mut kinds = costs.iter().map(|cost| &cost.term).chain(constraints.iter().map(|constraint| &constraint.term));
    if kinds.any(|term| term.kind == CONTROL_RATE) {
        builder = builder.remember_controls();
    }
    if let Some(before) = before {
        builder = builder.controls_before(before);
    }
    built.into_iter().flatten().fold(builder, |builder, phase| builder.phase(phase)).build()
}

/// An error with the line of the file that describes what is wrong.
fn place(
    error: &ProblemError,
    source: &Source,
    start: &Start,
    phases: &[PhaseTask],
    costs: &[CostTask],
    constraints: &[ConstraintTask],
) -> Error {
    let of_phase = |name: &str| phases.iter().find(|phase| phase.name == name);
    let (span, key) = match error.place().whole() {
        ProblemPlace::Cost { cost, .. } => {
            costs.iter().find(|of| *of.term.name == *cost.name).map(|of| (of.term.span, &of.term.key)).unzip()
        }
        ProblemPlace::Constraint { constraint, .. } => {
            let found = constraints.iter().find(|of| *of.term.name == *constraint.name);
            found.map(|of| (of.term.span, &of.term.key)).unzip()
        }
        ProblemPlace::Duration(phase) => {
            if let Some(at) = of_phase(&phase.name).and_then(|phase| phase.free_at.as_ref()) {
                return source.refuse_at(at, error.to_string());
            }
            of_phase(&phase.name).map(|phase| (phase.span, &phase.key)).unzip()
        }
        ProblemPlace::Phase(phase) => of_phase(&phase.name).map(|phase| (phase.span, &phase.key)).unzip(),
        ProblemPlace::Parameter(of) => start.parameters.get(of.index).map(|of| (of.span, &of.key)).unzip(),
        _ => (None, None),
    };
    source.refuse(span.unwrap_or(0), key.map_or("", String::as_str), error.to_string())
}
