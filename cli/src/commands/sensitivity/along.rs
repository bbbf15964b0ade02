//! Along a task: the trajectory that its solver finds, simulated with other parameters.

use super::question::{First, Question};
use crate::commands::optimize;
use crate::error::Error;
use gradyn::dynamics::{FrameRef, ReferenceFrame, Workspace, frame_jacobian, frame_pose};
use gradyn::spatial::log3;
use gradyn::{Method, Model, Transform};
use gradyn_files::sensitivity::{Series, rollout};
use gradyn_files::task::Task;
use gradyn_sensitivity::local::turns;
use gradyn_sensitivity::rollout::State;
use gradyn_sensitivity::{Parameters, Rollout, SensitivityError, StateOutput, local};
use nalgebra::DMatrix;
use serde_json::{Value, json};
use std::path::Path;

/// A motion, and what is asked of it.
pub(super) struct Along<'p> {
    parameters: &'p Parameters,
    run: Rollout<'p>,
    /// States of the robot as it is.
    planned: Vec<State>,
    time: Vec<f64>,
    /// The pose of this frame; of none, the configuration.
    frame: Option<FrameRef>,
    place: String,
    task: String,
    closed_loop: bool,
    /// What is odd.
    pub(super) warnings: Vec<String>,
}

/// Simulations may be this far from what the solver has found: its gaps.
const CLOSE: f64 = 1e-4;

fn usage(error: &SensitivityError) -> Error {
    Error::Usage(error.to_string())
}

/// Checks that the task is about this robot.
pub(super) fn same_robot(task: &Task, path: &Path, file: &Path) -> Result<(), Error> {
    let full = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if full(&task.robot.path) == full(path) {
        return Ok(());
    }
    let (theirs, file) = (task.robot.path.display(), file.display());
    Err(Error::Usage(format!("{file} is about the robot of {theirs}, not of {}", path.display())))
}

impl<'p> Along<'p> {
    /// Solves the task, and simulates what its solver has found.
    pub(super) fn new(
        task: &Task,
        parameters: &'p Parameters,
        frame: Option<FrameRef>,
        closed_loop: bool,
    ) -> Result<Self, Error> {
        if let Some(of) = task.start.parameters.first() {
            return Err(Error::Usage(format!(
                "the task `{}` has the parameter `{}`, which its solver chooses: give it the value in the robot's file instead",
                task.name,
                of.parameter.name()
            )));
        }
        if let Some(phase) = task.free_phases().next() {
            return Err(Error::Usage(format!(
                "the solver of the task `{}` chooses how long `{}` lasts: give it a duration instead of `free_duration`",
                task.name, phase.name
            )));
        }
        let found = optimize::quietly(task)?;
        let mut warnings = Vec::new();
        let status = &found.report.status;
        if !status.is_solved() {
            warnings.push(format!("the trajectory of `{}` is not optimal: {status}", task.name));
        }
        let (run, nodes) = rollout(task, parameters, &found, closed_loop).map_err(Error::Usage)?;
        let start = &task.start;
        let planned = run.simulate(&parameters.nominal(), &start.q, &start.v).map_err(|error| usage(&error))?;
        if let (Some((q, _)), Some(last)) = (planned.last(), nodes.last()) {
            let goal = &found.trajectory.x(*last)[..q.len()];
            let off = start.model.difference(goal, q).map_err(|error| Error::Usage(error.to_string()))?;
            let off = off.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            if off > CLOSE {
                warnings.push(format!("simulated, the motion ends {off:.1e} (rad or m) from where the solver ends"));
            }
        }
        let time = nodes.iter().map(|k| task.problem.time(*k)).collect();
        let place = if closed_loop { format!("{}, with feedback", task.name) } else { task.name.clone() };
        Ok(Self { parameters, run, planned, time, frame, place, task: task.name.clone(), closed_loop, warnings })
    }

    /// Deviations at a node.
    fn deviation(
        &self,
        model: &Model,
        ws: &mut Workspace,
        node: usize,
        q: &[f64],
        from: &[Transform<f64>],
    ) -> Result<Vec<f64>, SensitivityError> {
        match self.frame {
            None => Ok(model.difference(&self.planned[node].0, q)?),
            Some(frame) => {
                let (there, pose) = (&from[node], frame_pose(model, ws, q, frame)?);
                let turn = there.vector(log3(&there.inv_mul(&pose).rotation));
                Ok((pose.translation - there.translation).iter().chain(turn.iter()).copied().collect())
            }
        }
    }

    /// Where the frame was planned to be.
    fn poses(&self) -> Result<Vec<Transform<f64>>, SensitivityError> {
        let (model, Some(frame)) = (self.parameters.robot(), self.frame) else { return Ok(Vec::new()) };
        let ws = &mut Workspace::new(model);
        let poses = self.planned.iter().map(|(q, _)| Ok(frame_pose(model, ws, q, frame)?));
        poses.collect()
    }

    /// Deviations at some nodes of one robot.
    fn deviations(
        &self,
        nodes: &[usize],
        from: &[Transform<f64>],
        values: &[f64],
    ) -> Result<Vec<f64>, SensitivityError> {
        let (q, v) = &self.planned[0];
        // Parameters of the start move it.
        let states = self.run.simulate(values, q, v)?;
        let model = self.parameters.robot_at(values)?;
        let ws = &mut Workspace::new(&model);
        let mut all = Vec::new();
        for node in nodes {
            all.extend(self.deviation(&model, ws, *node, &states[*node].0, from)?);
        }
        Ok(all)
    }
}

impl Question for Along<'_> {
    fn name(&self) -> &str {
        if self.frame.is_some() { "pose" } else { "configuration" }
    }
    fn place(&self) -> &str {
        &self.place
    }
    fn rows(&self) -> Vec<String> {
        match self.frame {
            Some(_) => ["x", "y", "z", "rx", "ry", "rz"].map(str::to_owned).to_vec(),
            None => self.parameters.robot().dof_names(),
        }
    }
    fn given(&self) -> Value {
        json!({ "task": self.task, "closed_loop": self.closed_loop })
    }
    fn units(&self) -> Vec<&'static str> {
        match self.frame {
            Some(_) => vec!["m", "m", "m", "rad", "rad", "rad"],
            None => turns(self.parameters.robot()).into_iter().map(|turns| if turns { "rad" } else { "m" }).collect(),
        }
    }
    fn nodes(&self) -> usize {
        self.time.len()
    }

    /// Each step rounds the state once, to `u` of 1 rad, m, rad/s or m/s. Such an error grows no more than that of the
    /// start has, or, where feedback makes errors small again, has not yet shrunk.
    fn rounding(&self) -> Result<Vec<f64>, Error> {
        let (p, model) = (self.parameters, self.parameters.robot());
        let (q0, v0) = &self.planned[0];
        let by = self.run.forward(&p.nominal(), q0, v0).map_err(|error| usage(&error))?;
        let last = by.by.len().saturating_sub(1);
        let mut of_start = by.by_start(last).rows(0, model.nv()).into_owned();
        let mut of_end = DMatrix::identity(model.nv(), model.nv());
        if let Some(frame) = self.frame {
            let q = &by.states[last].0;
            let ws = &mut Workspace::new(model);
            let along = frame_jacobian(model, ws, q, frame, ReferenceFrame::LocalWorldAligned);
            of_end = along.map_err(|error| Error::Usage(error.to_string()))?.clone();
            of_start = &of_end * of_start;
        }
        let u = 0.5 * f64::EPSILON * last as f64;
        let sum = |of: &DMatrix<f64>, r: usize| of.row(r).iter().map(|x| x.abs()).sum::<f64>();
        Ok((0..of_end.nrows()).map(|r| u * sum(&of_start, r).max(sum(&of_end, r))).collect())
    }

    fn first_order(&self) -> Result<First, Error> {
        let (p, model) = (self.parameters, self.parameters.robot());
        let (q0, v0) = &self.planned[0];
        let by = self.run.forward(&p.nominal(), q0, v0).map_err(|error| usage(&error))?;
        let mut jacobians = Vec::with_capacity(by.by.len());
        let ws = &mut Workspace::new(model);
        for (node, (q, _)) in by.states.iter().enumerate() {
            let of_q = by.by_parameters(node).rows(0, model.nv()).into_owned();
            let Some(frame) = self.frame else {
                jacobians.push(of_q);
                continue;
            };
            let own = local(p, &p.nominal(), StateOutput::Pose { q, frame }, Method::Analytical);
            let own = own.map_err(|error| usage(&error))?.jacobian;
            let along = frame_jacobian(model, ws, q, frame, ReferenceFrame::LocalWorldAligned);
            jacobians.push(own + along.map_err(|error| Error::Usage(error.to_string()))? * of_q);
        }
        let still = |k: &usize| jacobians.iter().all(|j: &DMatrix<f64>| j.column(*k).iter().all(|x| *x == 0.0));
        let names = p.names();
        let without_effect = (0..p.len()).filter(still).map(|k| names[k].clone()).collect();
        let jacobian = jacobians.last().cloned().unwrap_or_default();
        let series = Series {
            time: self.time.clone(),
            jacobians,
            amplification: by.amplification(by.by.len().saturating_sub(1)),
            trustworthy: by.is_trustworthy(),
        };
        Ok(First { jacobian, without_effect, series: Some(series) })
    }

    fn evaluate(&self, values: &[f64], outputs: &mut [f64]) {
        self.evaluate_series(&[self.time.len().saturating_sub(1)], values, outputs);
    }

    fn evaluate_series(&self, nodes: &[usize], values: &[f64], outputs: &mut [f64]) {
        outputs.fill(f64::NAN);
        let np = self.parameters.len().max(1);
        let width = outputs.len() / (values.len() / np).max(1);
        let Ok(from) = self.poses() else { return };
        for (values, to) in values.chunks_exact(np).zip(outputs.chunks_exact_mut(width.max(1))) {
            if let Ok(found) = self.deviations(nodes, &from, values)
                && found.len() == to.len()
            {
                to.copy_from_slice(&found);
            }
        }
    }
}
