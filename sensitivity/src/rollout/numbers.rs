//! What constraints and impacts of a simulation ask, in numbers, each read once.

use super::Rollout;
use crate::local::{Held, read};
use gradyn::{Constraint, Model};
use std::collections::BTreeMap;

/// By the place of a set of constraints among those that are held, or by the step of an impact; none where a set cannot be read.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    held: BTreeMap<usize, Option<Vec<Held>>>,
    impacts: BTreeMap<usize, Option<Vec<Held>>>,
}

impl Numbers {
    /// Of all that is held in a step, in its order.
    pub(super) fn of_step(&mut self, model: &Model, run: &Rollout<'_>, step: usize) -> Option<Vec<Held>> {
        let mut all = Vec::new();
        for (index, (steps, constraints)) in run.held.iter().enumerate() {
            if steps.contains(&step) {
                let own = self.held.entry(index).or_insert_with(|| read(model, constraints).ok());
                all.extend_from_slice(own.as_ref()?);
            }
        }
        Some(all)
    }

    /// Of an impact before a step.
    pub(super) fn of_impact(&mut self, model: &Model, constraints: &[Constraint], step: usize) -> Option<Vec<Held>> {
        self.impacts.entry(step).or_insert_with(|| read(model, constraints).ok()).clone()
    }
}
