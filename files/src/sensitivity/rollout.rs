//! The roll-out of what a task's solver has found: simulated, with other parameters, and its derivatives.

use crate::task::{SolverResult, Task};
use gradyn::Constraint;
use gradyn_sensitivity::{Feedback, Parameters, Rollout, Scheme};
use nalgebra::DMatrix;

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
