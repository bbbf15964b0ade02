//! What a motion does beside its states: the center of mass, the center of pressure, forces of contacts and thrusters,
//! distances.

use crate::solution::motion::Motion;
use crate::task::Task;
use gradyn::dynamics::{Workspace, center_of_mass, frame_pose};
use gradyn_trajectory::pressure::{ContactWrench, center_of_pressure};
use gradyn_trajectory::residual::{Distance, Quantity, QuantityPoint};
use nalgebra::Vector3;

/// By node of a motion.
#[derive(Debug)]
pub(super) struct Measures {
    /// m; empty if the robot has no mass.
    pub(super) com: Vec<Vector3<f64>>,
    /// What contacts do to the robot, loops and impulses left out.
    pub(super) contacts: Vec<Vec<(String, ContactWrench)>>,
    /// Of all contacts together, in a plane across the mean of their normals, m.
    pub(super) pressure: Vec<Option<Vector3<f64>>>,
    pub(super) thrusts: Vec<Vec<Thrust>>,
    pub(super) distances: Vec<Apart>,
}

/// A thruster's force: on the robot, in axes of the world.
#[derive(Debug)]
pub(super) struct Thrust {
    pub(super) name: String,
    /// m
    pub(super) place: Vector3<f64>,
    /// N
    pub(super) force: Vector3<f64>,
}

/// How far two capsules are from each other.
#[derive(Debug)]
pub(super) struct Apart {
    pub(super) name: String,
    /// By node, m.
    pub(super) distance: Vec<f64>,
    /// Between what it has to stay, m.
    pub(super) allowed: [f64; 2],
}

impl Measures {
    /// States that cannot be evaluated are left out.
    pub(super) fn of(task: &Task, motion: &Motion) -> Self {
        let model = &task.start.model;
        let mut workspace = Workspace::new(model);
        let zero = vec![0.0; model.nv()];
        let mut center =
            |q: &Vec<f64>| Some(center_of_mass(model, &mut workspace, q, &zero, &zero).ok()?.whole.position);
        let com: Option<Vec<_>> = motion.q.iter().map(&mut center).collect();
        let contacts: Vec<_> = (0..motion.forces.len()).map(|k| contacts(task, motion, k)).collect();
        let pressure = |(k, here): (usize, &Vec<(String, ContactWrench)>)| {
            let wrenches: Vec<ContactWrench> = here.iter().map(|(_, wrench)| *wrench).collect();
            center_of_pressure(&wrenches, &normal(task, &motion.phase[k])?)
        };
        Self {
            com: com.unwrap_or_default(),
            pressure: contacts.iter().enumerate().map(pressure).collect(),
            contacts,
            thrusts: (0..motion.u.len()).map(|k| thrusts(task, motion, k)).collect(),
            distances: distances(task, motion),
        }
    }
}

/// The mean of the normals of what a phase holds; `None` if there is none.
fn normal(task: &Task, phase: &str) -> Option<Vector3<f64>> {
    let phase = task.phases.iter().find(|known| known.name == phase)?;
    let normals = phase.held.iter().filter(|held| !held.is_loop()).map(|held| held.contact.normal);
    normals.sum::<Vector3<f64>>().try_normalize(0.0)
}

fn contacts(task: &Task, motion: &Motion, k: usize) -> Vec<(String, ContactWrench)> {
    let model = &task.start.model;
    let mut workspace = Workspace::new(model);
    // Impulses are of another unit.
    let phase = task.phases.iter().find(|phase| phase.name == motion.phase[k] && !phase.is_jump());
    let Some(phase) = phase else { return Vec::new() };
    let wrench = |(name, numbers): &(String, Vec<f64>)| {
        let held = phase.held.iter().find(|held| held.contact.name == *name && !held.is_loop())?;
        let place = frame_pose(model, &mut workspace, &motion.q[k], held.frame).ok()?.translation;
        let vector = |rows: &[f64]| (rows.len() == 3).then(|| Vector3::from_column_slice(rows));
        let force = vector(numbers.get(..3)?)?;
        let moment = numbers.get(3..).and_then(vector).unwrap_or_else(Vector3::zeros);
        Some((name.clone(), ContactWrench { place, force, moment }))
    };
    motion.forces[k].iter().filter_map(wrench).collect()
}

fn thrusts(task: &Task, motion: &Motion, k: usize) -> Vec<Thrust> {
    let (model, actuated) = (&task.start.model, &task.start.actuated);
    let mut workspace = Workspace::new(model);
    let thrust = |of: &crate::task::Thruster| {
        let size = *motion.u[k].get(of.control)?;
        let pose = frame_pose(model, &mut workspace, &motion.q[k], of.frame).ok()?;
        let force = pose.vector(of.axis * size);
        Some(Thrust { name: actuated.names[of.control].clone(), place: pose.translation, force })
    };
    actuated.thrusters.iter().filter_map(thrust).collect()
}

/// Of each distance among costs and constraints, once, over the whole motion.
fn distances(task: &Task, motion: &Motion) -> Vec<Apart> {
    let model = &task.start.model;
    let mut workspace = Workspace::new(model);
    let zero = vec![0.0; model.nv()];
    let bounds = |of: &[f64], none: f64| of.first().copied().unwrap_or(none);
    let costs = task.costs.iter().map(|cost| (&cost.term, [f64::NEG_INFINITY, f64::INFINITY]));
    let constraints = task.constraints.iter().map(|constraint| {
        let allowed = [bounds(&constraint.lower, f64::NEG_INFINITY), bounds(&constraint.upper, f64::INFINITY)];
        (&constraint.term, allowed)
    });
    let mut all: Vec<Apart> = Vec::new();
    for (term, allowed) in constraints.chain(costs) {
        let [a, b] = term.capsules[..] else { continue };
        if all.iter().any(|known| known.name == term.name) {
            continue;
        }
        let of = Distance::new(a, b);
        let mut at = |(q, time): (&Vec<f64>, &f64)| {
            let workspace = &mut workspace;
            let (v, a, time) = (&zero, &zero, *time);
            let mut on = QuantityPoint { model, workspace, q, v, u: &[], a, f: &[], time, goal: &[] };
            let mut distance = [f64::NAN];
            // What cannot be evaluated stays no number, which no plot draws.
            let _ = of.evaluate(&mut on, &mut distance);
            distance[0]
        };
        let distance = motion.q.iter().zip(&motion.time).map(&mut at).collect();
        all.push(Apart { name: term.name.clone(), distance, allowed });
    }
    all
}
