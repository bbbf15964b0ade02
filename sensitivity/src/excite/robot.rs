//! What moves: a robot on a fixed base, or one that stands on contacts.

use super::information::State;
use super::limits::JointLimits;
use super::stance::Stance;
use crate::error::SensitivityError;
use gradyn::{Model, Workspace, rnea};

/// A robot, what its joints may do, and what it stands on.
#[derive(Clone, Copy)]
pub(super) struct Robot<'a> {
    pub(super) model: &'a Model,
    pub(super) limits: &'a JointLimits,
    pub(super) stance: Option<&'a Stance>,
}

impl Robot<'_> {
    /// States by those of what is free; `None` where contacts cannot be held.
    pub(super) fn states(&self, free: Vec<State>) -> Result<Option<Vec<State>>, SensitivityError> {
        self.stance.map_or_else(|| Ok(Some(free.clone())), |stance| stance.states(self.model, &free))
    }

    /// What limits are of: nv positions, velocities, accelerations, torques of motors.
    pub(super) fn limited(&self, ws: &mut Workspace, state: &State) -> Result<[Vec<f64>; 4], SensitivityError> {
        let [q, v, a] = state;
        let (positions, torques) = match self.stance {
            None => (q.clone(), rnea(self.model, ws, q, v, a, &[])?.to_vec()),
            Some(stance) => {
                let [_, _, motors] = stance.loads(self.model, ws, state)?;
                (stance.positions(self.model, q)?, motors)
            }
        };
        Ok([positions, v.clone(), a.clone(), torques])
    }
}
