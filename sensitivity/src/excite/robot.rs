//! The moving robot: on a fixed base, or standing on contacts.

use super::information::State;
use super::limits::JointLimits;
use super::stance::Stance;
use crate::error::SensitivityError;
use gradyn::{Model, Workspace, rnea};

/// A robot, the limits of its joints, and its contacts.
#[derive(Clone, Copy)]
pub(super) struct Robot<'a> {
    pub(super) model: &'a Model,
    pub(super) limits: &'a JointLimits,
    pub(super) stance: Option<&'a Stance>,
}

impl Robot<'_> {
    /// States from those of the free degrees of freedom; `None` where contacts cannot be held.
    pub(super) fn states(&self, free: Vec<State>) -> Result<Option<Vec<State>>, SensitivityError> {
        self.stance.map_or_else(|| Ok(Some(free.clone())), |stance| stance.states(self.model, &free))
    }

    /// The limited quantities: nv positions, velocities, accelerations, torques of motors.
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
