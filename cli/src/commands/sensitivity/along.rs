//! Along a task: the trajectory that its solver finds, simulated with other parameters.

use super::question::{First, Question};
use crate::commands::optimize;
use crate::error::Error;
use gradyn::dynamics::FrameRef;
use gradyn_files::sensitivity::{Motion, check_given, motion};
use gradyn_files::task::Task;
use gradyn_sensitivity::{Parameters, SensitivityError};
use serde_json::{Value, json};
use std::path::Path;

/// A motion, and what is asked of it.
pub(super) struct Along<'p> {
    parameters: &'p Parameters,
    motion: Motion<'p>,
    place: String,
    task: String,
    closed_loop: bool,
    /// What is odd.
    pub(super) warnings: Vec<String>,
}

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
        check_given(task).map_err(Error::Usage)?;
        let found = optimize::quietly(task)?;
        let (motion, warnings) = motion(task, parameters, &found, frame, closed_loop).map_err(Error::Usage)?;
        let place = if closed_loop { format!("{}, with feedback", task.name) } else { task.name.clone() };
        Ok(Self { parameters, motion, place, task: task.name.clone(), closed_loop, warnings })
    }
}

impl Question for Along<'_> {
    fn name(&self) -> &str {
        self.motion.name()
    }
    fn place(&self) -> &str {
        &self.place
    }
    fn rows(&self) -> Vec<String> {
        self.motion.rows()
    }
    fn given(&self) -> Value {
        json!({ "task": self.task, "closed_loop": self.closed_loop })
    }
    fn units(&self) -> Vec<&'static str> {
        self.motion.units()
    }
    fn nodes(&self) -> usize {
        self.motion.time().len()
    }
    fn rounding(&self) -> Result<Vec<f64>, Error> {
        self.motion.rounding().map_err(|error| usage(&error))
    }

    fn first_order(&self) -> Result<First, Error> {
        let series = self.motion.derivatives().map_err(|error| usage(&error))?;
        let still = |k: &usize| series.jacobians.iter().all(|j| j.column(*k).iter().all(|x| *x == 0.0));
        let names = self.parameters.names();
        let without_effect = (0..names.len()).filter(still).map(|k| names[k].clone()).collect();
        let jacobian = series.jacobians.last().cloned().unwrap_or_default();
        Ok(First { jacobian, without_effect, series: Some(series) })
    }

    fn evaluate(&self, values: &[f64], outputs: &mut [f64]) {
        self.evaluate_series(&[self.nodes().saturating_sub(1)], values, outputs);
    }

    fn evaluate_series(&self, nodes: &[usize], values: &[f64], outputs: &mut [f64]) {
        self.motion.evaluate(nodes, values, outputs);
    }
}
