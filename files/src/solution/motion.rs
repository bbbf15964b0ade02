//! A trajectory as people and programs want it: configurations, velocities, torques, forces, and what it costs.

use super::Solved;
use super::contact_report::ContactReport;
use super::reference::Reference;
use super::violations::{Violation, violations};
use crate::Error;
use crate::task::{ParameterTask, PhaseTask, Task};
use gradyn_trajectory::Trajectory;
use std::path::Path;

/// A trajectory by node.
#[derive(Debug, Default)]
pub struct Motion {
    /// s
    pub time: Vec<f64>,
    /// The last one is `end`.
    pub phase: Vec<String>,
    /// Configurations, nq.
    pub q: Vec<Vec<f64>>,
    /// Velocities, nv.
    pub v: Vec<Vec<f64>>,
    /// One less than states, as all that follows. None at impacts.
    pub u: Vec<Vec<f64>>,
    /// `B u`, nv; zero at impacts.
    pub tau: Vec<Vec<f64>>,
    /// Of each contact that a node has, in axes of the world: N and N m, and at impacts N s and N m s.
    pub forces: Vec<Vec<(String, Vec<f64>)>>,
    /// Names of all contacts, in the order of the phases, and how many rows each has.
    pub contacts: Vec<(String, usize)>,
    /// What each cost adds up to.
    pub costs: Vec<(String, f64)>,
    /// How well each constraint is kept.
    pub violations: Vec<Violation>,
    /// What contacts, loops and impulses do, if there are any.
    pub contact_report: Option<ContactReport>,
    /// Parameters by name.
    pub parameters: Vec<(String, Vec<f64>)>,
    /// How long phases last, s, of those that the solver chooses.
    pub durations: Vec<(String, f64)>,
}

impl Motion {
    pub(super) fn of(task: &Task, solved: &Solved) -> Self {
        let found = &solved.found;
        let violations = violations(task, &found.trajectory, &found.multipliers, &found.control_multipliers);
        let contact_report = ContactReport::of(task, &found.trajectory, &found.report.status);
        Self { violations, contact_report, ..Self::along(task, &found.trajectory) }
    }

    /// Nodes that cannot be evaluated have no forces and no costs.
    pub(super) fn along(task: &Task, trajectory: &Trajectory) -> Self {
        let (problem, start) = (&task.problem, &task.start);
        let (nq, nv, first, steps) = (start.model.nq(), start.model.nv(), task.first(), problem.steps());
        let mut memory = problem.memory();
        let mut contacts: Vec<(String, usize)> = Vec::new();
        let mut costs: Vec<(String, f64)> = Vec::new();
        let mut forces = Vec::new();
        for k in first..=steps {
            let (x, u) = (trajectory.x(k), trajectory.u(k));
            for (name, cost) in problem.costs(k, x, u, &mut memory).unwrap_or_default() {
                match costs.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, sum)) => *sum += cost,
                    None => costs.push((name, cost)),
                }
            }
            if k == steps {
                break;
            }
            let all = problem.forces(k, x, u, &mut memory).unwrap_or_default();
            let of = problem.contacts(k).iter().filter_map(|contact| {
                let numbers = all.get(contact.rows.clone())?.to_vec();
                Some((contact.name.clone(), numbers))
            });
            let here: Vec<_> = of.collect();
            for (name, numbers) in &here {
                if !contacts.iter().any(|(known, _)| known == name) {
                    contacts.push((name.clone(), numbers.len()));
                }
            }
            forces.push(here);
        }
        let parameter = |of: &ParameterTask| {
            let name = of.parameter.name();
            (name.to_owned(), problem.parameter(name, trajectory).unwrap_or_default().to_vec())
        };
        let duration =
            |phase: &PhaseTask| (phase.name.clone(), problem.duration(&phase.name, trajectory).unwrap_or(f64::NAN));
        let states =
            |part: std::ops::Range<usize>| (first..=steps).map(|k| trajectory.x(k)[part.clone()].to_vec()).collect();
        Self {
            time: problem.times(trajectory).split_off(first),
            phase: (first..=steps).map(|k| problem.phase_of(k).to_owned()).collect(),
            q: states(0..nq),
            v: states(nq..nq + nv),
            u: (first..steps).map(|k| trajectory.u(k).to_vec()).collect(),
            tau: (first..steps).map(|k| torques(task, trajectory.u(k))).collect(),
            forces,
            contacts,
            costs,
            violations: Vec::new(),
            contact_report: None,
            parameters: start.parameters.iter().map(parameter).collect(),
            durations: task.free_phases().map(duration).collect(),
        }
    }

    /// Of states `(q, v)` and controls at times of their own. Phases are those that the task has at these times.
    pub(super) fn of_states(task: &Task, time: &[f64], x: &[Vec<f64>], u: &[Vec<f64>]) -> Self {
        let (nq, first, steps) = (task.start.model.nq(), task.first(), task.problem.steps());
        let phase = |t: &f64| {
            let k = (first..=steps).rev().find(|k| task.problem.time(*k) <= *t);
            task.problem.phase_of(k.unwrap_or(first)).to_owned()
        };
        Self {
            time: time.to_vec(),
            phase: time.iter().map(phase).collect(),
            q: x.iter().map(|x| x[..nq].to_vec()).collect(),
            v: x.iter().map(|x| x[nq..].to_vec()).collect(),
            u: u.to_vec(),
            tau: u.iter().map(|u| torques(task, u)).collect(),
            ..Self::default()
        }
    }
}

/// `B u`, nv; zero where nothing is controlled.
fn torques(task: &Task, u: &[f64]) -> Vec<f64> {
    let mut tau = vec![0.0; task.start.model.nv()];
    if !u.is_empty() {
        task.start.actuated.actuation.torques(u, &mut tau);
    }
    tau
}

/// A second trajectory, and what it is called.
#[derive(Debug)]
pub struct Beside {
    /// The name of the file.
    pub name: String,
    /// The trajectory.
    pub motion: Motion,
}

impl Beside {
    /// Reads a trajectory as [`Reference`] does.
    pub fn read(file: &Path, task: &Task) -> Result<Self, Error> {
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
        Ok(Self { name, motion: Reference::read(file, task)?.motion(task)? })
    }
}
