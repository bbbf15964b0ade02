//! Task files of `gradyn optimize`: what is to be solved, in TOML. The reference is `docs/optimize.md`.

mod actuation;
mod contacts;
mod costs;
mod goal;
mod kinds;
mod named;
mod phases;
mod pose;
mod solver;
pub(crate) mod source;
mod start;

pub(crate) use contacts::Held;
pub(crate) use costs::{At, CostTask};
pub(crate) use goal::Goal;
pub(crate) use phases::PhaseTask;
pub(crate) use solver::{Controls, Found, GuessTask, SolverTask, States};
pub(crate) use start::Start;

use crate::args::{Continuous, Mimic, Order, RobotArgs};
use crate::error::Error;
use crate::input;
use crate::robot::Robot;
use gradyn::dynamics::{Workspace, constraint_error};
use gradyn_trajectory::{Problem, ProblemError};
use pose::Poses;
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
    pub(crate) solver: SolverTask,
    pub(crate) guess: GuessTask,
    pub(crate) problem: Problem,
}

/// Keys of a task file.
const KEYS: [&str; 12] = [
    "name",
    "robot",
    "poses",
    "start",
    "steps",
    "actuation",
    "contacts",
    "loops",
    "phases",
    "costs",
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
        let actuated = actuation::read(root.get("actuation"), &robot.model)?;
        let start = Start { model: robot.model.clone(), folder, poses, q, v, actuated };
        let steps = phases::steps(&root)?;
        let contacts = contacts::Contacts::read(&root, &start.model, steps.1)?;
        closed(&root, &contacts.loops, &start)?;
        let phases = phases::read(&root, &start, &contacts, steps)?;
        let mut costs = costs::read(&root, &start, &phases)?;
        let solver = SolverTask::read(root.get("solver"))?;
        let guess = GuessTask::read(root.get("guess"), &start)?;
        let problem = build(&start, &phases, &mut costs).map_err(|error| place(&error, &source, &phases, &costs))?;
        Ok(Self { name, robot, start, phases, costs, solver, guess, problem })
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

fn build(start: &Start, phases: &[PhaseTask], costs: &mut [CostTask]) -> Result<Problem, ProblemError> {
    let controls: Vec<usize> = phases.iter().map(|phase| phase.controls(start)).collect();
    let mut built: Vec<_> = phases.iter().map(|phase| phase.build(start)).collect();
    let mut builder = Problem::builder(&start.model).start(&start.q, &start.v);
    for (place, cost) in costs.iter_mut().flat_map(|cost| cost.build(phases, start, &controls)) {
        match place {
            None => builder = builder.last(cost),
            Some(k) => {
                let phase = built.remove(k);
                built.insert(k, phase.cost(cost));
            }
        }
    }
    if costs.iter().any(|cost| cost.kind == "control-rate") {
        builder = builder.remember_controls();
    }
    built.into_iter().fold(builder, |builder, phase| builder.phase(phase)).build()
}

/// Where in the file the cause of an error stands: the cost or the phase that it names.
fn place(error: &ProblemError, source: &Source, phases: &[PhaseTask], costs: &[CostTask]) -> Error {
    let text = error.to_string();
    let cost = costs.iter().find(|cost| text.contains(&format!("cost `{}`", cost.name)));
    let phase = phases.iter().find(|phase| text.contains(&format!("phase `{}`", phase.name)));
    match (cost, phase) {
        (Some(cost), _) => source.refuse(cost.span, &cost.key, text),
        (None, Some(phase)) => source.refuse(phase.span, &phase.key, text),
        (None, None) => source.refuse(0, "", text),
    }
}
