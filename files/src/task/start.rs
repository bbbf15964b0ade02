//! Where a robot starts.

use super::actuation::Actuated;
use super::parameters::ParameterTask;
use super::pose::{Poses, by_dof};
use super::source::{Item, Sign};
use crate::error::Error;
use gradyn::model::Model;
use std::path::PathBuf;

/// The robot and where it starts.
#[derive(Debug)]
pub struct Start {
    /// The robot, with the limits of the task.
    pub model: Model,
    /// The folder of the task.
    pub(super) folder: PathBuf,
    pub(super) poses: Poses,
    /// Configuration, nq.
    pub q: Vec<f64>,
    /// Velocity, nv.
    pub v: Vec<f64>,
    /// What acts on the robot.
    pub actuated: Actuated,
    /// What the solver chooses once.
    pub parameters: Vec<ParameterTask>,
}

impl Start {
    /// A file named in the task, relative to it.
    pub(super) fn beside(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }
}

/// The table `start`: neutral and at rest, where nothing is said.
pub(super) fn read(item: Option<Item<'_>>, poses: &Poses, model: &Model) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let rest = || vec![0.0; model.nv()];
    let Some(item) = item else { return Ok((model.neutral(), rest())) };
    let table = item.table("a table with `q` and `v`")?;
    table.only(&["q", "v"])?;
    let q = table.get("q").map_or_else(|| Ok(model.neutral()), |item| poses.configuration(&item, model))?;
    let v = table.get("v").map_or_else(|| Ok(rest()), |item| by_dof(&item, model, Sign::Any))?;
    Ok((q, v))
}
