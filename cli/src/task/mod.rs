//! Task files of `gradyn optimize`: what is to be solved, in TOML. The reference is `docs/optimize.md`.

mod actuation;
mod cones;
mod constraints;
mod contacts;
mod costs;
mod entries;
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
mod solver;
pub(crate) mod source;
mod start;
mod term;

use cones::Set;
pub(crate) use constraints::ConstraintTask;
pub(crate) use contacts::Held;
pub(crate) use costs::CostTask;
pub(crate) use goal::Goal;
pub(crate) use guess::{Controls, GuessTask, Made, States};
pub(crate) use parameters::ParameterTask;
pub(crate) use phases::PhaseTask;
pub(crate) use places::At;
pub(crate) use solver::{Found, SolverTask};
pub(crate) use start::Start;
pub(crate) use term::Term;

use crate::args::{Continuous, Mimic, Order, RobotArgs};
use crate::error::Error;
use crate::input;
use crate::robot::Robot;
use gradyn::dynamics::{Workspace, constraint_error};
use gradyn_trajectory::{Problem, ProblemError};
use pose::Poses;
use solver::Kept;
use source::{Item, Source, Table};
use std::path::Path;

/// A task: a problem, with the names that it was described by.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) name: String,
    pub(crate) robot: Robot,
    pub(crate) start: Start,
    pub(crate) phases: Vec<PhaseTask>,
    pub(crate) costs: Vec<CostTask>,
    pub(crate) constraints: Vec<ConstraintTask>,
    pub(crate) solver: SolverTask,
    pub(crate) guesses: Vec<GuessTask>,
    /// For errors that show later.
    pub(crate) source: Source,
    pub(crate) problem: Problem,
}

/// Keys of a task file.
const KEYS: [&str; 15] = [
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
];

/// A loop may be open by this much at the start, m or rad: what files with six digits leave.
const CLOSED: f64 = 1e-5;

impl Task {
    /// Reads a task, and builds its problem.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let (file, bytes) = input::bytes(path)?;
        let text = String::from_utf8(bytes).map_err(|_| Error::read(path, "it is not UTF-8 text"))?;
        let source = Source { file, text };
        let entries = source.parse()?;
        let root = Table::root(&source, &entries);
        root.only(&KEYS)?;
        let stem = path.file_stem().map_or_else(|| String::from("task"), |stem| stem.to_string_lossy().into_owned());
        let name = root.get("name").map_or(Ok(stem), |item| item.text("a name").map(str::to_owned))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();

        let robot = robot(&root, &folder)?;
        let poses = Poses::read(root.get("poses"), &robot.model)?;
        let (q, v) = start::read(root.get("start"), &poses, &robot.model)?;
        let mut actuated = actuation::read(root.get("actuation"), &robot.model)?;
        let limits = limits::Limits::read(root.get("limits"))?;
        if let Some(limits) = &limits {
            limits.of_torques(&mut actuated)?;
        }
        let parameters = parameters::read(&root, &robot.model)?;
        let start = Start { model: robot.model.clone(), folder, poses, q, v, actuated, parameters };
        let steps = phases::steps(&root)?;
        let contacts = contacts::Contacts::read(&root, &start.model, steps.1)?;
        closed(&root, &contacts.loops, &start)?;
        let phases = phases::read(&root, &start, &contacts, steps)?;
        let mut costs = costs::read(&root, &start, &phases)?;
        let mut constraints = constraints::read(&root, &start, &phases)?;
        if let Some(limits) = &limits {
            constraints.extend(limits.constraints(&start, &phases)?);
        }
        let solver = SolverTask::read(root.get("solver"), limits.is_some() || !constraints.is_empty())?;
        kept(&solver, &root, limits.as_ref(), &constraints, &start, &phases)?;
        let guesses = GuessTask::read_all(root.get("guess"), &start)?;
        if let (Some(item), [_, _, ..]) = (root.get("guess"), &guesses[..])
            && !solver.has_multipliers()
        {
            let name = solver.solver.name;
            return Err(
                item.refuse(format!("the solver `{name}` takes one guess: `newton` and `proximal` try several"))
            );
        }
        let problem = build(&start, &phases, &mut costs, &mut constraints)
            .map_err(|error| place(&error, &source, &start, &phases, &costs, &constraints))?;
        Ok(Self { name, robot, start, phases, costs, constraints, solver, guesses, source, problem })
    }
}

impl Task {
    /// The first node of the motion: before it stands one that chooses durations and parameters, if there are any.
    pub(crate) fn first(&self) -> usize {
        usize::from(!self.start.parameters.is_empty() || self.free_phases().next().is_some())
    }
    /// The phases that last as long as the solver chooses.
    pub(crate) fn free_phases(&self) -> impl Iterator<Item = &PhaseTask> {
        self.phases.iter().filter(|phase| phase.free.is_some())
    }
    /// How many nodes the motion has.
    pub(crate) fn nodes(&self) -> usize {
        self.problem.steps() + 1 - self.first()
    }
}

fn robot(root: &Table<'_>, folder: &Path) -> Result<Robot, Error> {
    let item = root.need("robot", "a table with the `file` of the robot")?;
    let table = item.table("a table with the `file` of the robot")?;
    table.only(&["file", "floating_base", "joint_friction", "gravity"])?;
    let item = table.need("file", "a URDF file, relative to the task")?;
    let file = folder.join(item.text("a URDF file, relative to the task")?);
    if !file.is_file() {
        return Err(item.refuse(format!("there is no file {}", file.display())));
    }
    let flag = |key: &str| table.get(key).map_or(Ok(false), |item: Item<'_>| item.flag());
    let gravity = table.get("gravity").map(|item| item.vector("x, y, z, m/s²")).transpose()?;
    let args = RobotArgs {
        robot: file,
        floating_base: flag("floating_base")?,
        gravity: gravity.map(Into::into),
        no_joint_friction: !flag("joint_friction")?,
        strict: false,
        continuous: Continuous::Angle,
        mimic: Mimic::Follow,
        armature: Vec::new(),
        joint_order: Order::File,
        max_memory: None,
    };
    Robot::load(&args)
}

/// Are the loops closed at the start?
fn closed(root: &Table<'_>, loops: &[Held], start: &Start) -> Result<(), Error> {
    for held in loops {
        let refuse = |reason: String| match root.get("loops") {
            Some(item) => item.refuse(format!("loop `{}`: {reason}", held.contact.name)),
            None => root.refuse(reason),
        };
        let mut workspace = Workspace::new(&start.model);
        let constraint = std::slice::from_ref(&held.contact.constraint);
        let error = constraint_error(&start.model, &mut workspace, &start.q, constraint);
        let open = error.map_err(|error| refuse(error.to_string()))?.iter().fold(0.0_f64, |most, e| most.max(e.abs()));
        if open > CLOSED {
            return Err(refuse(format!(
                "it is open by {open:.3e} (m or rad) at the start, expected it closed to {CLOSED:e}"
            )));
        }
    }
    Ok(())
}

/// Does the solver keep all constraints?
fn kept(
    solver: &SolverTask,
    root: &Table<'_>,
    limits: Option<&limits::Limits<'_>>,
    constraints: &[ConstraintTask],
    start: &Start,
    phases: &[PhaseTask],
) -> Result<(), Error> {
    let kept = solver.solver.keeps;
    let line = solver.at.map_or_else(String::new, |at| format!(" of line {}", root.source.line(at)));
    let refuse_for = |span: usize, key: &str, what: String, others: &str| {
        let (name, kept) = (solver.solver.name, kept.text());
        let why = format!("the solver `{name}`{line} does not keep {what}: it keeps {kept}; {others}");
        root.source.refuse(span, key, why)
    };
    let refuse = |span: usize, key: &str, what: String| refuse_for(span, key, what, "`newton` and `proximal` keep all");
    let keeps = |constraint: &&ConstraintTask| match kept {
        Kept::All => true,
        Kept::Rows => constraint.set == Set::Between,
        Kept::Equalities => constraint.set == Set::Between && constraint.is_equality(),
        Kept::Controls => false,
    };
    if let Some(constraint) = constraints.iter().find(|constraint| !keeps(constraint)) {
        let Term { span, key, name, .. } = &constraint.term;
        let what = format!("the constraint `{name}`");
        return Err(match constraint.set {
            Set::Between => refuse(*span, key, what),
            Set::Cone | Set::Ball { .. } => {
                refuse_for(*span, key, format!("{what}, a second-order cone"), "`newton` keeps all")
            }
        });
    }
    let bounded = |of: &&ParameterTask| {
        of.bounds[0].iter().zip(&of.bounds[1]).any(|(l, u)| (l.is_finite() || u.is_finite()) && l < u)
    };
    if let (Kept::Equalities, Some(of)) = (kept, start.parameters.iter().find(bounded)) {
        return Err(refuse(of.span, &of.key, format!("bounds of the parameter `{}`", of.parameter.name())));
    }
    if let (Kept::Equalities, Some(phase)) = (kept, phases.iter().find(|phase| phase.free.is_some())) {
        return Err(refuse(phase.span, &phase.key, format!("bounds of the duration of `{}`", phase.name)));
    }
    if kept == Kept::Equalities && start.actuated.bounds.is_some() {
        let actuation =
            root.get("actuation").and_then(|item| item.table("").ok()).and_then(|table| table.get("bounds"));
        let item = actuation.or_else(|| limits.map(|limits| limits.item.clone()));
        let (span, key) = item.map_or((0, String::new()), |item| (item.span.start, item.key));
        return Err(refuse(span, &key, String::from("bounds of controls")));
    }
    Ok(())
}

fn build(
    start: &Start,
    phases: &[PhaseTask],
    costs: &mut [CostTask],
    constraints: &mut [ConstraintTask],
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
    if kinds.any(|term| term.kind == "control-rate") {
        builder = builder.remember_controls();
    }
    built.into_iter().flatten().fold(builder, |builder, phase| builder.phase(phase)).build()
}

/// Where in the file the cause of an error stands: the constraint, the cost or the phase that it names.
fn place(
    error: &ProblemError,
    source: &Source,
    start: &Start,
    phases: &[PhaseTask],
    costs: &[CostTask],
    constraints: &[ConstraintTask],
) -> Error {
    let text = error.to_string();
    let constraint = constraints.iter().find(|held| text.contains(&format!("constraint `{}`", held.term.name)));
    let cost = costs.iter().find(|cost| text.contains(&format!("cost `{}`", cost.term.name)));
    let phase = phases.iter().find(|phase| text.contains(&format!("phase `{}`", phase.name)));
    let term = constraint.map(|held| &held.term).or_else(|| cost.map(|cost| &cost.term));
    let parameter = start.parameters.iter().find(|of| text.contains(&format!("parameter `{}`", of.parameter.name())));
    match (term, phase, parameter) {
        (Some(term), ..) => source.refuse(term.span, &term.key, text),
        (None, Some(phase), _) => source.refuse(phase.span, &phase.key, text),
        (None, None, Some(of)) => source.refuse(of.span, &of.key, text),
        (None, None, None) => source.refuse(0, "", text),
    }
}
