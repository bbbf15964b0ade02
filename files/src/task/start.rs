//! Where a robot starts.

use super::actuation::Actuated;
use super::contacts::HeldContact;
use super::given::Given;
use super::parameters::ParameterTask;
use super::phases::{self, PhaseTask};
use super::pose::{Poses, by_dof};
use super::source::{Item, Sign, Table};
use crate::error::Error;
use crate::number::five;
use gradyn::dynamics::{Workspace, constraint_error};
use gradyn::model::Model;
use std::path::PathBuf;
use std::sync::Arc;

/// The robot and where it starts.
#[derive(Debug)]
pub struct Start {
    /// The robot, with the limits of the task.
    pub model: Model,
    /// What does not stand in the task's text.
    pub(super) given: Arc<Given>,
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
        self.given.folder.join(file)
    }
}

/// The table `start`: neutral, where nothing is said, and at rest unless `q` names a keyframe with a velocity.
pub(super) fn read(item: Option<Item<'_>>, poses: &Poses, model: &Model) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let rest = || vec![0.0; model.nv()];
    let Some(item) = item else { return Ok((model.neutral(), rest())) };
    let table = item.table("a table with `q` and `v`")?;
    table.only(&["q", "v"])?;
    let q = table.get("q").map_or_else(|| Ok(model.neutral()), |item| poses.configuration(&item, model))?;
    let named = || table.get("q").as_ref().and_then(|item| poses.velocity(item)).map(<[f64]>::to_vec);
    let v = table.get("v").map_or_else(|| Ok(named().unwrap_or_else(rest)), |item| by_dof(&item, model, Sign::Any))?;
    Ok((q, v))
}

/// A loop may be open by this much at the start, m or rad: what files with six digits leave.
const CLOSED: f64 = 1e-5;

/// What the first phase holds though it moves, unless an impact stops it.
pub(super) fn in_motion(start: &Start, first: &PhaseTask) -> Option<String> {
    let (held, speed) = phases::moving(start, &first.held).filter(|_| !first.is_jump())?;
    let (name, phase, speed) = (&held.contact.name, &first.name, five(speed));
    Some(format!(
        "at the start `{name}`, which phase `{phase}` holds, moves at {speed} m/s or rad/s: with `impulse = true` there an impact stops it"
    ))
}

/// Checks that the loops are closed at the start.
pub(super) fn closed(root: &Table<'_>, loops: &[HeldContact], start: &Start) -> Result<(), Error> {
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
