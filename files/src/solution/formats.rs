//! The files of a trajectory: JSON, CSV, NumPy's `.npz`.

use super::contact_report::ContactAnswer;
use super::motion::Motion;
use super::refine::Round;
use super::resimulated::ResimulatedAnswer;
use super::violations::{Violation, worst};
use super::warm::Written;
use super::{Solution, Solved};
use crate::Error;
use crate::answer::{JointAnswer, joints};
use crate::csv::field;
use crate::json::{Entries, Rows};
use crate::npz::{self, Array};
use crate::task::Task;
use gradyn_trajectory::{Attempt, Status, Warning};
use serde::Serialize;

/// The whole answer.
#[derive(Serialize)]
struct Answer<'a> {
    task: &'a str,
    robot: &'a str,
    /// One word.
    status: &'static str,
    /// The same in a sentence.
    message: String,
    converged: bool,
    /// Constraints that block each other, if no feasible point was found.
    blocked: &'a [String],
    warnings: Vec<WarningAnswer<'a>>,
    attempts: Vec<AttemptAnswer<'a>>,
    iterations: usize,
    cost: f64,
    gap: f64,
    violation: f64,
    kkt_error: Option<f64>,
    expected_decrease: Option<f64>,
    mu: Option<f64>,
    penalty: Option<f64>,
    seconds: f64,
    nq: usize,
    nv: usize,
    joints: Vec<JointAnswer<'a>>,
    controls: &'a [String],
    parameters: Entries<&'a [f64]>,
    durations: Entries<f64>,
    costs: Entries<f64>,
    constraints: Entries<&'a Violation>,
    #[serde(flatten)]
    held: Option<ContactAnswer<'a>>,
    #[serde(flatten)]
    resimulated: Option<ResimulatedAnswer<'a>>,
    refinements: &'a [Round],
    time: &'a [f64],
    phase: &'a [String],
    q: &'a [Vec<f64>],
    v: &'a [Vec<f64>],
    u: &'a [Vec<f64>],
    tau: &'a [Vec<f64>],
    forces: Vec<Entries<Vec<f64>>>,
    gains: Vec<Rows<'a>>,
    history: Vec<IterationAnswer>,
    /// Where the solver has ended; none of those without multipliers.
    #[serde(skip_serializing_if = "Option::is_none")]
    warm_start: Option<Written<'a>>,
}

#[derive(Serialize)]
struct WarningAnswer<'a> {
    about: &'a str,
    /// Counted from the first node of the motion.
    node: Option<usize>,
    text: &'a str,
}

#[derive(Serialize)]
struct AttemptAnswer<'a> {
    what: &'a str,
    status: &'static str,
    iterations: usize,
    cost: f64,
    violation: f64,
}

impl<'a> WarningAnswer<'a> {
    fn of(task: &Task, Warning { about, node, text }: &'a Warning) -> Self {
        Self { about, node: node.map(|node| node.saturating_sub(task.first())), text }
    }
}

impl<'a> AttemptAnswer<'a> {
    fn of(attempt: &'a Attempt) -> Self {
        let Attempt { what, status, iterations, cost, violation } = attempt;
        Self { what, status: status.name(), iterations: *iterations, cost: *cost, violation: *violation }
    }
}

#[derive(Serialize)]
struct IterationAnswer {
    cost: f64,
    gap: f64,
    violation: f64,
    kkt_error: Option<f64>,
    expected_decrease: Option<f64>,
    stationarity: f64,
    step: f64,
    accepted: bool,
    regularization: f64,
    mu: Option<f64>,
    penalty: Option<f64>,
    exact_hessian: bool,
}

pub(super) fn json(all: &Solution) -> Result<String, Error> {
    let Solution { task, solved, motion, resimulated, rounds, .. } = all;
    let report = &solved.found.report;
    let model = &task.start.model;
    let iteration = |it: &gradyn_trajectory::Iteration| IterationAnswer {
        cost: it.cost,
        gap: it.gap,
        violation: it.violation,
        kkt_error: it.kkt_error,
        expected_decrease: it.expected_decrease,
        stationarity: it.stationarity,
        step: it.step,
        accepted: it.accepted,
        regularization: it.regularization,
        mu: it.mu,
        penalty: it.penalty,
        exact_hessian: it.exact,
    };
    // What has ended nowhere is no place to begin at.
    let ended = matches!(
        report.status,
        Status::Converged | Status::Acceptable | Status::IterationLimit | Status::TimeLimit | Status::Stopped
    );
    let warm = solved.found.warm.as_ref().filter(|_| ended);
    let answer = Answer {
        task: &task.name,
        robot: model.name(),
        status: report.status.name(),
        message: report.status.to_string(),
        converged: report.status.is_solved(),
        blocked: if let Status::NoFeasiblePoint { constraints } = &report.status { constraints } else { &[] },
        warnings: report.warnings.iter().map(|of| WarningAnswer::of(task, of)).collect(),
        attempts: report.attempts.iter().map(AttemptAnswer::of).collect(),
        iterations: report.iterations,
        cost: report.cost,
        gap: report.gap,
        violation: worst(&motion.violations),
        kkt_error: report.kkt_error,
        expected_decrease: report.expected_decrease,
        mu: report.mu,
        penalty: report.penalty,
        seconds: solved.took.as_secs_f64(),
        nq: model.nq(),
        nv: model.nv(),
        joints: joints(&task.robot),
        controls: &task.start.actuated.names,
        parameters: Entries(motion.parameters.iter().map(|(name, x)| (name.clone(), x.as_slice())).collect()),
        durations: Entries(motion.durations.clone()),
        costs: Entries(motion.costs.clone()),
        constraints: Entries(motion.violations.iter().map(|of| (of.name.clone(), of)).collect()),
        held: motion.contact_report.as_ref().map(|of| of.answer(task)),
        resimulated: resimulated.as_ref().map(|of| of.answer(task)),
        refinements: rounds,
        time: &motion.time,
        phase: &motion.phase,
        q: &motion.q,
        v: &motion.v,
        u: &motion.u,
        tau: &motion.tau,
        forces: motion.forces.iter().map(|forces| Entries(forces.clone())).collect(),
        gains: solved.found.gains.iter().skip(task.first()).map(Rows).collect(),
        history: solved.found.history.iter().map(iteration).collect(),
        warm_start: warm.map(|(method, warm)| Written::new(method.name(), warm)),
    };
    let text = serde_json::to_string(&answer).map_err(|error| Error::content("the solution", error.to_string()))?;
    Ok(text + "\n")
}

/// Axes of a contact's rows.
const AXES: [&str; 6] = ["fx", "fy", "fz", "nx", "ny", "nz"];

/// A node a line. What a node does not have is left empty.
pub(super) fn csv(task: &Task, motion: &Motion) -> String {
    let model = &task.start.model;
    let dofs = model.dof_names();
    let mut heads = vec![String::from("time"), String::from("phase")];
    heads.extend((0..model.nq()).map(|k| format!("q[{k}]")));
    heads.extend(dofs.iter().map(|name| format!("v.{name}")));
    heads.extend(task.start.actuated.names.iter().map(|name| format!("u.{name}")));
    heads.extend(dofs.iter().map(|name| format!("tau.{name}")));
    for (name, rows) in &motion.contacts {
        heads.extend((0..*rows).map(|k| format!("force.{name}.{}", AXES.get(k).unwrap_or(&""))));
    }
    let mut text = heads.iter().map(|head| field(head)).collect::<Vec<_>>().join(",") + "\n";
    for k in 0..motion.time.len() {
        let mut cells = vec![motion.time[k].to_string(), field(&motion.phase[k])];
        let mut numbers = |found: Option<&[f64]>, n: usize| match found {
            Some(found) if found.len() == n => cells.extend(found.iter().map(ToString::to_string)),
            _ => cells.extend(std::iter::repeat_n(String::new(), n)),
        };
        numbers(Some(&motion.q[k]), model.nq());
        numbers(Some(&motion.v[k]), model.nv());
        numbers(motion.u.get(k).map(Vec::as_slice), task.start.actuated.names.len());
        numbers(motion.tau.get(k).map(Vec::as_slice), model.nv());
        for (name, rows) in &motion.contacts {
            let here = motion.forces.get(k).and_then(|all| all.iter().find(|(known, _)| known == name));
            numbers(here.map(|(_, force)| force.as_slice()), *rows);
        }
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

/// Arrays by name; what a node does not have is zero.
pub(super) fn arrays(task: &Task, solved: &Solved, motion: &Motion) -> std::io::Result<Vec<u8>> {
    let model = &task.start.model;
    let (n, nu, ndx) = (motion.u.len(), task.start.actuated.names.len(), task.problem.space().ndx());
    let table = |rows: &[Vec<f64>], width: usize| {
        let mut numbers = Vec::with_capacity(rows.len() * width);
        for row in rows {
            if row.len() == width {
                numbers.extend_from_slice(row);
            } else {
                numbers.resize(numbers.len() + width, 0.0);
            }
        }
        Array::Numbers(vec![rows.len(), width], numbers)
    };
    let mut all = vec![
        (String::from("time"), Array::Numbers(vec![motion.time.len()], motion.time.clone())),
        (String::from("phase"), Array::Texts(motion.phase.clone())),
        (String::from("q"), table(&motion.q, model.nq())),
        (String::from("v"), table(&motion.v, model.nv())),
        (String::from("u"), table(&motion.u, nu)),
        (String::from("tau"), table(&motion.tau, model.nv())),
    ];
    for (name, rows) in &motion.contacts {
        let of = |forces: &Vec<(String, Vec<f64>)>| {
            forces.iter().find(|(known, _)| known == name).map_or_else(Vec::new, |(_, force)| force.clone())
        };
        let forces: Vec<Vec<f64>> = motion.forces.iter().map(of).collect();
        all.push((format!("force.{name}"), table(&forces, *rows)));
    }
    let mut gains = vec![0.0; n * nu * ndx];
    for (k, gain) in solved.found.gains.iter().skip(task.first()).enumerate() {
        for i in 0..gain.nrows() {
            for j in 0..gain.ncols() {
                gains[(k * nu + i) * ndx + j] = gain[(i, j)];
            }
        }
    }
    all.push((String::from("gains"), Array::Numbers(vec![n, nu, ndx], gains)));
    for (name, x) in &motion.parameters {
        all.push((format!("parameter.{name}"), Array::Numbers(vec![x.len()], x.clone())));
    }
    for (phase, seconds) in &motion.durations {
        all.push((format!("duration.{phase}"), Array::Numbers(vec![1], vec![*seconds])));
    }
    let joints = joints(&task.robot).iter().map(|joint| joint.name().to_owned()).collect();
    all.push((String::from("joints"), Array::Texts(joints)));
    all.push((String::from("controls"), Array::Texts(task.start.actuated.names.clone())));
    npz::write(&all)
}
