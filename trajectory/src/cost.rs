//! A cost of a phase: a residual, its loss, its weight, and the nodes where it applies.

use crate::fault::{ProblemError, ProblemPlace};
use crate::loss::Loss;
use crate::residual::Residual;

/// The nodes where a cost applies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Where {
    /// Along the whole phase: an integral, so it is multiplied by the length of each step.
    #[default]
    Along,
    /// At single nodes, counted from the start of the phase: never multiplied by the length of a step.
    At(Vec<usize>),
}

/// A cost: `weight · ρ(r(x, u))`.
#[derive(Debug)]
pub struct Cost {
    pub(crate) name: String,
    pub(crate) residual: Box<dyn Residual>,
    pub(crate) loss: Loss,
    pub(crate) weight: f64,
    pub(crate) place: Where,
    /// Goals of single nodes.
    pub(crate) goals: Vec<(usize, Vec<f64>)>,
}

impl Where {
    /// Whether it applies at a node of a phase with so many nodes.
    pub(crate) fn counts_at(
        &self,
        node: usize,
        nodes: usize,
        place: impl Fn() -> ProblemPlace,
    ) -> Result<bool, ProblemError> {
        let Self::At(at) = self else { return Ok(true) };
        match at.iter().find(|k| **k >= nodes) {
            None => Ok(at.contains(&node)),
            Some(k) => Err(ProblemError::Number {
                place: place(),
                what: "a node that it counts at",
                value: *k as f64,
                rule: "the phase has fewer nodes",
            }),
        }
    }
}

impl Cost {
    /// `½ |r|²`, along the whole phase.
    pub fn new(name: impl Into<String>, residual: impl Residual + 'static) -> Self {
        Self::boxed(name, Box::new(residual))
    }
    /// [`new`](Self::new), for a residual whose kind is not known at compile time.
    pub fn boxed(name: impl Into<String>, residual: Box<dyn Residual>) -> Self {
        let (loss, place) = (Loss::Quadratic, Where::Along);
        Self { name: name.into(), residual, loss, weight: 1.0, place, goals: Vec::new() }
    }
    /// With this nonnegative weight.
    #[must_use]
    pub fn weight(mut self, weight: f64) -> Self {
        self.weight = weight;
        self
    }
    /// With this loss.
    #[must_use]
    pub fn loss(mut self, loss: Loss) -> Self {
        self.loss = loss;
        self
    }
    /// At these nodes of the phase only, and not multiplied by the length of their steps.
    #[must_use]
    pub fn only_at(mut self, nodes: &[usize]) -> Self {
        self.place = Where::At(nodes.to_vec());
        self
    }
    /// With another goal at one node of the phase.
    #[must_use]
    pub fn goal_at(mut self, node: usize, goal: Vec<f64>) -> Self {
        self.goals.push((node, goal));
        self
    }
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}
