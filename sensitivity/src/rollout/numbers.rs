//! What constraints and impacts of a simulation ask, in numbers, each read once.

use super::Rollout;
use crate::error::SensitivityError;
use crate::local::{Held, read};
use gradyn::{Constraint, Model};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// By the place of a set of constraints among those that are held, or by the step of an impact.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    held: BTreeMap<usize, Vec<Held>>,
    impacts: BTreeMap<usize, Vec<Held>>,
}

impl Numbers {
    /// Of all that is held in a step, in its order.
    pub(super) fn of_step(
        &mut self,
        model: &Model,
        run: &Rollout<'_>,
        step: usize,
    ) -> Result<Vec<Held>, SensitivityError> {
        let mut all = Vec::new();
        for (index, (steps, constraints)) in run.held.iter().enumerate() {
            if steps.contains(&step) {
                all.extend_from_slice(once(self.held.entry(index), model, constraints)?);
            }
        }
        Ok(all)
    }

    /// Of an impact before a step.
    pub(super) fn of_impact(
        &mut self,
        model: &Model,
        constraints: &[Constraint],
        step: usize,
    ) -> Result<Vec<Held>, SensitivityError> {
        Ok(once(self.impacts.entry(step), model, constraints)?.to_vec())
    }
}

fn once<'a>(
    entry: Entry<'a, usize, Vec<Held>>,
    model: &Model,
    constraints: &[Constraint],
) -> Result<&'a [Held], SensitivityError> {
    Ok(match entry {
        Entry::Occupied(there) => there.into_mut(),
        Entry::Vacant(place) => place.insert(read(model, constraints)?),
    })
}
