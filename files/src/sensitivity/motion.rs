//! Along a trajectory: how far a robot with other parameters is from where the robot as it is would be.

use super::Series;
use gradyn::dynamics::{FrameRef, ReferenceFrame, Workspace, frame_jacobian, frame_pose};
use gradyn::spatial::log3;
use gradyn::{Method, Model, Transform};
use gradyn_sensitivity::local::turns;
use gradyn_sensitivity::rollout::{Forward, State};
use gradyn_sensitivity::{Rollout, SensitivityError, StateOutput, local};
use nalgebra::DMatrix;

/// A roll-out from a start, and what is asked of it: deviations of the configuration, or of a frame's pose.
pub struct Motion<'p> {
    run: Rollout<'p>,
    /// Where it begins.
    start: State,
    /// States of the robot as it is.
    planned: Vec<State>,
    /// Of the nodes, s.
    time: Vec<f64>,
    /// The pose of this frame; of none, the configuration.
    frame: Option<FrameRef>,
}

impl<'p> Motion<'p> {
    /// Simulates the robot as it is. `time`: of the nodes, one more than steps, s. `frame`: the deviation of its pose is
    /// asked for, translation and rotation vector in axes of the world; without one, that of the configuration.
    ///
    /// # Errors
    /// As [`Rollout::simulate`].
    pub fn new(
        run: Rollout<'p>,
        start: (&[f64], &[f64]),
        time: Vec<f64>,
        frame: Option<FrameRef>,
    ) -> Result<Self, SensitivityError> {
        let planned = run.simulate(&run.parameters().nominal(), start.0, start.1)?;
        if planned.len() != time.len() {
            let (expected, found) = (planned.len(), time.len());
            return Err(SensitivityError::Length { what: "times of nodes", expected, found });
        }
        Ok(Self { run, start: (start.0.to_vec(), start.1.to_vec()), planned, time, frame })
    }

    /// States of the robot as it is, by node.
    pub fn planned(&self) -> &[State] {
        &self.planned
    }
    /// Of the nodes, s.
    pub fn time(&self) -> &[f64] {
        &self.time
    }
    /// What is asked for.
    pub fn name(&self) -> &'static str {
        if self.frame.is_some() { "pose" } else { "configuration" }
    }
    /// Names of the outputs at a node.
    pub fn rows(&self) -> Vec<String> {
        match self.frame {
            Some(_) => ["x", "y", "z", "rx", "ry", "rz"].map(str::to_owned).to_vec(),
            None => self.run.parameters().robot().dof_names(),
        }
    }
    /// Units of the outputs.
    pub fn units(&self) -> Vec<&'static str> {
        let turns = turns(self.run.parameters().robot());
        match self.frame {
            Some(_) => vec!["m", "m", "m", "rad", "rad", "rad"],
            None => turns.into_iter().map(|turns| if turns { "rad" } else { "m" }).collect(),
        }
    }

    fn forward(&self) -> Result<Forward, SensitivityError> {
        let (q, v) = &self.start;
        self.run.forward(&self.run.parameters().nominal(), q, v)
    }

    /// By how much rounding moves each output at the end, in its unit.
    ///
    /// Each step rounds the state once, to `u` of 1 rad, m, rad/s or m/s. Such an error grows no more than that of the
    /// start has, or, where feedback makes errors small again, has not yet shrunk.
    ///
    /// # Errors
    /// As [`Rollout::forward`].
    pub fn rounding(&self) -> Result<Vec<f64>, SensitivityError> {
        let (by, model) = (self.forward()?, self.run.parameters().robot());
        let last = by.by.len().saturating_sub(1);
        let mut of_start = by.by_start(last).rows(0, model.nv()).into_owned();
        let mut of_end = DMatrix::identity(model.nv(), model.nv());
        if let Some(frame) = self.frame {
            let (q, ws) = (&by.states[last].0, &mut Workspace::new(model));
            of_end = frame_jacobian(model, ws, q, frame, ReferenceFrame::LocalWorldAligned)?.clone();
            of_start = &of_end * of_start;
        }
        let u = 0.5 * f64::EPSILON * last as f64;
        let sum = |of: &DMatrix<f64>, r: usize| of.row(r).iter().map(|x| x.abs()).sum::<f64>();
        Ok((0..of_end.nrows()).map(|r| u * sum(&of_start, r).max(sum(&of_end, r))).collect())
    }

    /// Derivatives of the outputs at each node by the parameters.
    ///
    /// # Errors
    /// As [`Rollout::forward`].
    pub fn derivatives(&self) -> Result<Series, SensitivityError> {
        let p = self.run.parameters();
        let (by, model) = (self.forward()?, p.robot());
        let mut jacobians = Vec::with_capacity(by.by.len());
        let ws = &mut Workspace::new(model);
        for (node, (q, _)) in by.states.iter().enumerate() {
            let of_q = by.by_parameters(node).rows(0, model.nv()).into_owned();
            let Some(frame) = self.frame else {
                jacobians.push(of_q);
                continue;
            };
            let own = local(p, &p.nominal(), StateOutput::Pose { q, frame }, Method::Analytical)?.jacobian;
            jacobians.push(own + frame_jacobian(model, ws, q, frame, ReferenceFrame::LocalWorldAligned)? * of_q);
        }
        Ok(Series {
            time: self.time.clone(),
            jacobians,
            amplification: by.amplification(by.by.len().saturating_sub(1)),
            trustworthy: by.is_trustworthy(),
        })
    }

    /// Outputs at some nodes of robots with these values, one robot after the other; NaN for those that cannot be
    /// simulated, and where there is no such node.
    pub fn evaluate(&self, nodes: &[usize], values: &[f64], outputs: &mut [f64]) {
        outputs.fill(f64::NAN);
        let np = self.run.parameters().len().max(1);
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

    /// Where the frame was planned to be.
    fn poses(&self) -> Result<Vec<Transform<f64>>, SensitivityError> {
        let (model, Some(frame)) = (self.run.parameters().robot(), self.frame) else { return Ok(Vec::new()) };
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
        let (q, v) = &self.start;
        // Parameters of the start move it.
        let states = self.run.simulate(values, q, v)?;
        let model = self.run.parameters().robot_at(values)?;
        let ws = &mut Workspace::new(&model);
        let mut all = Vec::new();
        for node in nodes.iter().filter(|node| **node < states.len()) {
            all.extend(self.deviation(&model, ws, *node, &states[*node].0, from)?);
        }
        Ok(all)
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
}
