//! Costs: terms with a weight and a loss.

use super::kinds::COULOMB;
use super::losses::loss;
use super::phases::PhaseTask;
use super::source::{Sign, Table};
use super::start::Start;
use super::term::{Reader, Term, TermFound};
use crate::error::Error;
use gradyn_trajectory::{Cost, Loss};
use std::fmt;

/// A cost of the task.
pub struct CostTask {
    /// Its residual, and where it counts.
    pub term: Term,
    /// A factor.
    pub weight: f64,
    /// Of the residual.
    pub loss: Loss,
}

impl fmt::Debug for CostTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Term { name, kind, .. } = &self.term;
        f.debug_struct("CostTask").field("name", name).field("kind", kind).finish_non_exhaustive()
    }
}

impl CostTask {
    /// Takes out the costs of the problem: of the end, or by phase.
    pub(super) fn build(&mut self, phases: &[PhaseTask], start: &Start) -> Vec<(Option<usize>, Cost)> {
        let mut costs = Vec::new();
        for piece in self.term.pieces(phases, start) {
            let cost = Cost::boxed(self.term.name.clone(), piece.residual);
            let mut cost = cost.weight(self.weight).loss(self.loss.clone());
            if let Some(nodes) = piece.nodes {
                cost = cost.only_at(&nodes);
            }
            let cost = piece.goals.into_iter().fold(cost, |cost, (k, goal)| cost.goal_at(k, goal));
            costs.push((piece.phase, cost));
        }
        costs
    }
}

/// Keys of all kinds.
const KEYS: [&str; 9] = ["name", "kind", "goal", "goals", "weight", "weights", "loss", "at", "phases"];

/// The list `costs`.
pub(super) fn read(root: &Table<'_>, start: &Start, phases: &[PhaseTask]) -> Result<Vec<CostTask>, Error> {
    let item = root.need("costs", "a list of costs: `[[costs]]`")?;
    let reader = Reader { start, phases, list: "costs", one: "cost", keys: &KEYS, goals: &[] };
    let make = |table: &Table<'_>, TermFound { term, kind, own }| {
        if kind.name == COULOMB {
            let why = format!("`{COULOMB}` is for `[[constraints]]`: the facets of a `friction-cone` have a cost");
            return Err(table.refuse(why));
        }
        let weight = table.get("weight").map_or(Ok(1.0), |item| item.number(Sign::NotNegative))?;
        let loss = loss(table, kind, start, own, term.residuals[0].rows())?;
        Ok(CostTask { term, weight, loss })
    };
    let costs = reader.read(&item, make, |cost| &cost.term)?;
    if costs.is_empty() {
        return Err(item.refuse("expected one cost at least"));
    }
    Ok(costs)
}
