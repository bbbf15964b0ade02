//! The roll-out of what a task's solver has found: simulated, with other parameters, and its derivatives.

use super::Motion;
use crate::task::{SolverResult, Task};
use gradyn::Constraint;
use gradyn::dynamics::FrameRef;
use gradyn_sensitivity::{Feedback, Parameters, Rollout, Scheme};
use nalgebra::DMatrix;

/// Simulations may be this far from what the solver has found: its gaps.
const CLOSE: f64 = 1e-4;

/// Checks that the motion of a task is one of the robot alone: nothing of it is chosen by the solver but controls.
///
/// # Errors
/// What its solver chooses, in a sentence.
pub fn check_given(task: &Task) -> Result<(), String> {
    if let Some(of) = task.start.parameters.first() {
        return Err(format!(
            "the task `{}` has the parameter `{}`, which its solver chooses: give it the value in the robot's file instead",
            task.name,
            of.parameter.name()
        ));
    }
    if let Some(phase) = task.free_phases().next() {
        return Err(format!(
            "the solver of the task `{}` chooses how long `{}` lasts: give it a duration instead of `free_duration`",
            task.name, phase.name
        ));
    }
    Ok(())
}

/// The motion of a trajectory, and warnings where it is odd. `frame`, `closed_loop`: as of [`Motion::new`], [`rollout`].
///
/// # Errors
/// Why there is none, in a sentence.
pub fn motion<'p>(
    task: &Task,
    parameters: &'p Parameters,
    found: &SolverResult,
    frame: Option<FrameRef>,
    closed_loop: bool,
) -> Result<(Motion<'p>, Vec<String>), String> {
    check_given(task)?;
    let mut warnings = Vec::new();
    let status = &found.report.status;
    if !status.is_solved() {
        warnings.push(format!("the trajectory of `{}` is not optimal: {status}", task.name));
    }
    let (run, nodes) = rollout(task, parameters, found, closed_loop)?;
    let start = &task.start;
    let time = nodes.iter().map(|k| task.problem.time(*k)).collect();
    let motion = Motion::new(run, (&start.q, &start.v), time, frame).map_err(|error| error.to_string())?;
    if let (Some((q, _)), Some(last)) = (motion.planned().last(), nodes.last()) {
        let goal = &found.trajectory.x(*last)[..q.len()];
        let off = start.model.difference(goal, q).map_err(|error| error.to_string())?;
        let off = off.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if off > CLOSE {
            warnings.push(format!("simulated, the motion ends {off:.1e} (rad or m) from where the solver ends"));
        }
    }
    Ok((motion, warnings))
}

/// The roll-out of a trajectory, and its nodes: impacts are no steps of their own.
///
/// # Errors
/// Why there is none, in a sentence: steps that roll-outs do not know, gains of states that remember controls.
pub fn rollout<'p>(
    task: &Task,
    parameters: &'p Parameters,
    found: &SolverResult,
    closed_loop: bool,
) -> Result<(Rollout<'p>, Vec<usize>), String> {
    let (start, problem) = (&task.start, &task.problem);
    let (nq, nv) = (start.model.nq(), start.model.nv());
    let mut scheme = None;
    for (phase, here) in task.phases.iter().filter_map(|phase| Some((phase, phase.scheme?))) {
        let name = &phase.name;
        if here == Scheme::ImplicitMidpoint {
            let rule = "expected `semi-implicit-euler`, `euler` or `rk4` for sensitivities along it";
            return Err(format!("phase `{name}` steps by `{here}`: {rule}"));
        }
        if phase.implicit_friction {
            let why = "sensitivities along a trajectory do not know `implicit_friction` of `[steps]`: leave it out";
            return Err(format!("phase `{name}` takes friction implicitly: {why}"));
        }
        if *scheme.get_or_insert(here) != here {
            return Err(format!("phase `{name}` steps otherwise than those before it"));
        }
    }
    let is_jump: Vec<bool> = task.phases.iter().flat_map(|p| vec![p.is_jump(); p.nodes()]).collect();
    let steps: Vec<usize> = (0..problem.steps()).filter(|k| !is_jump[*k]).collect();
    let controls: Vec<Vec<f64>> = steps.iter().map(|k| found.trajectory.u(*k).to_vec()).collect();
    let dt: Vec<f64> = steps.iter().map(|k| problem.dt(*k)).collect();
    let run = Rollout::with_actuation(
        parameters,
        scheme.unwrap_or_default(),
        dt.first().copied().unwrap_or(1.0),
        start.actuated.actuation.clone(),
        controls,
    );
    let mut run = run.and_then(|run| run.lengths(&dt)).map_err(|error| error.to_string())?;
    let mut step = 0;
    for phase in &task.phases {
        let constraints: Vec<Constraint> = phase.held.iter().map(|held| held.contact.constraint).collect();
        if phase.is_jump() {
            run = run.impact(step, &constraints, 0.0);
        } else {
            run = run.hold(step..step + phase.nodes(), &constraints);
            step += phase.nodes();
        }
    }
    if closed_loop {
        let state = |k: &usize| found.trajectory.x(*k);
        let gains: Vec<DMatrix<f64>> = steps.iter().map(|k| found.gains[*k].clone()).collect();
        if gains.iter().any(|k| k.ncols() != 2 * nv) {
            return Err("--closed-loop: the task's states remember controls, which roll-outs do not".into());
        }
        let law = Feedback {
            gains,
            q: steps.iter().map(|k| state(k)[..nq].to_vec()).collect(),
            v: steps.iter().map(|k| state(k)[nq..nq + nv].to_vec()).collect(),
        };
        run = run.feedback(law).map_err(|error| error.to_string())?;
    }
    // The state at a node is that behind an impact before its step.
    let nodes = steps.iter().copied().chain([problem.steps()]).collect();
    Ok((run, nodes))
}
