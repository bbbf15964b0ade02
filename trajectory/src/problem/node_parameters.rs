//! Weights, goals and bounds of a node, as its phase describes them.

use super::{NodeEntry, Problem, check_goal};
use crate::constraint::PathConstraint;
use crate::cost::{Cost, Where};
use crate::fault::{Item, ProblemError, ProblemPlace};
use crate::stage::Stage;

/// Weights, goals and bounds of costs and constraints, before they are moved into a stage.
pub(super) struct Values {
    costs: Vec<CostValues>,
    constraints: Vec<ConstraintValues>,
}

struct ConstraintValues {
    lower: Vec<f64>,
    upper: Vec<f64>,
    place: Where,
    goals: Vec<(usize, Vec<f64>)>,
}

struct CostValues {
    name: String,
    weight: f64,
    place: Where,
    goals: Vec<(usize, Vec<f64>)>,
}

impl Values {
    pub(super) fn of(costs: &[Cost], constraints: &[PathConstraint]) -> Self {
        let of = |c: &Cost| CostValues {
            name: c.name.clone(),
            weight: c.weight,
            place: c.place.clone(),
            goals: c.goals.clone(),
        };
        let held = |c: &PathConstraint| ConstraintValues {
            lower: c.lower.clone(),
            upper: c.upper.clone(),
            place: c.place.clone(),
            goals: c.goals.clone(),
        };
        Self { costs: costs.iter().map(of).collect(), constraints: constraints.iter().map(held).collect() }
    }
}

impl Problem {
    /// Adds a node of a stage.
    pub(super) fn add_node(
        &mut self,
        (phase, stage): (&Item, &Stage),
        values: &Values,
        [node, nodes]: [usize; 2],
        [time, dt]: [f64; 2],
    ) -> Result<(), ProblemError> {
        let first = self.parameters.len();
        self.parameters.resize(first + stage.parameters(), 0.0);
        let parameters = &mut self.parameters[first..];
        for (k, ((_, slots, residual), values)) in stage.terms().zip(&values.costs).enumerate() {
            let CostValues { name, weight, place, goals } = values;
            let of = || ProblemPlace::Cost { phase: Box::new(phase.clone()), cost: Box::new(Item::new(k, name)) };
            let counts = place.counts_at(node, nodes, of)?;
            parameters[slots.weight] = if counts { *weight } else { 0.0 };
            parameters[slots.goal.clone()].copy_from_slice(&residual.goal());
            if let Some((_, goal)) = goals.iter().find(|(k, _)| *k == node) {
                check_goal(of, residual, goal, slots.goal.len())?;
                parameters[slots.goal.clone()].copy_from_slice(goal);
            }
        }
        for (k, ((name, slots, residual), values)) in stage.constraints().zip(&values.constraints).enumerate() {
            let of = || ProblemPlace::Constraint {
                phase: Box::new(phase.clone()),
                constraint: Box::new(Item::new(k, name)),
            };
            let counts = values.place.counts_at(node, nodes, of)?;
            parameters[slots.counts] = f64::from(counts);
            parameters[slots.goal.clone()].copy_from_slice(&residual.goal());
            for (to, from) in [(slots.lower, &values.lower), (slots.upper, &values.upper)] {
                let to = &mut parameters[to];
                if from.len() == 1 { to.fill(from[0]) } else { to.copy_from_slice(from) }
            }
            if let Some((_, goal)) = values.goals.iter().find(|(k, _)| *k == node) {
                check_goal(of, residual, goal, slots.goal.len())?;
                parameters[slots.goal].copy_from_slice(goal);
            }
        }
        let parameters = first..self.parameters.len();
        self.nodes.push(NodeEntry { phase: self.phases.len(), time, dt, parameters });
        Ok(())
    }
}
