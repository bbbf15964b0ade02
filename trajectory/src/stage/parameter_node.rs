//! The node that chooses durations and parameters, before all others.

use crate::node::{At, Memory, Node, NodeError};
use crate::parameter::RobotNumbers;
use crate::quadratic::{Dims, Multipliers, Quadratic};
use std::sync::Arc;

/// Where numbers that are carried have a meaning: all but the boundary of it may be tried.
#[derive(Debug, Default)]
pub(crate) struct Domain {
    /// Of each number that is carried: it stays above. 0 for durations, masses and numbers of joints, −∞ where there is
    /// no such limit.
    pub(crate) least: Vec<f64>,
    /// How many of these, the first ones, are durations.
    pub(crate) durations: usize,
    /// Those of the robot, whose bodies keep inertias that bodies can have, unless they begin without; and where each
    /// of them is among all that is carried.
    pub(crate) numbers: Option<Arc<RobotNumbers>>,
    pub(crate) places: Vec<usize>,
}

/// Its controls become what states carry from here on, in no time and at no cost. Numbers whose bounds are equal are
/// none of them: these are what the start has.
#[derive(Debug)]
pub(crate) struct ParameterNode {
    pub(crate) nx: usize,
    pub(crate) ndx: usize,
    /// Which numbers are chosen, from the first one that states carry.
    chosen: Vec<usize>,
    /// How many are carried.
    carried: usize,
    lower: Vec<f64>,
    upper: Vec<f64>,
    domain: Domain,
}

impl ParameterNode {
    /// Of all numbers that states carry, with these bounds.
    pub(crate) fn new([nx, ndx]: [usize; 2], bounds: &[[f64; 2]], domain: Domain) -> Self {
        let chosen: Vec<usize> = (0..bounds.len()).filter(|i| bounds[*i][0] < bounds[*i][1]).collect();
        let (lower, upper) = chosen.iter().map(|i| (bounds[*i][0], bounds[*i][1])).unzip();
        Self { nx, ndx, chosen, carried: bounds.len(), lower, upper, domain }
    }
    /// Controls that choose what is carried here.
    pub(crate) fn write(&self, carried: &[f64], u: &mut [f64]) {
        u.iter_mut().zip(&self.chosen).for_each(|(u, i)| *u = carried[*i]);
    }
    /// The control that chooses a number, if it is chosen.
    pub(crate) fn control(&self, carried: usize) -> Option<usize> {
        self.chosen.iter().position(|i| *i == carried)
    }
    /// What the number that a control chooses stays above.
    pub(crate) fn least(&self, control: usize) -> f64 {
        self.domain.least[self.chosen[control]]
    }
    /// Whether a control chooses the duration of a phase.
    pub(crate) fn is_duration(&self, control: usize) -> bool {
        self.chosen[control] < self.domain.durations
    }
    /// What each number that is carried stays above.
    pub(crate) fn least_carried(&self) -> &[f64] {
        &self.domain.least
    }
    /// Whether bodies have physical inertias with these controls. `carried`: the values that are not chosen.
    pub(crate) fn is_physical(&self, carried: &[f64], u: impl Fn(usize) -> f64) -> bool {
        let Some(numbers) = &self.domain.numbers else { return true };
        numbers.are_physical(|value| {
            let place = self.domain.places[value];
            self.control(place).map_or_else(|| carried[place], &u)
        })
    }
}

impl Node for ParameterNode {
    fn dims(&self) -> Dims {
        Dims { nx: self.nx, ndx: self.ndx, nu: self.lower.len(), n_eq: 0, n_in: 0 }
    }
    fn control_bounds(&self) -> Option<(&[f64], &[f64])> {
        Some((&self.lower, &self.upper))
    }
    fn memory(&self) -> Memory {
        Box::new(())
    }
    fn value(&self, at: At<'_>, _: &mut Memory, next: &mut [f64], _: &mut [f64]) -> Result<f64, NodeError> {
        let first = self.nx - self.carried;
        next.copy_from_slice(at.x);
        self.chosen.iter().zip(at.u).for_each(|(i, u)| next[first + i] = *u);
        Ok(0.0)
    }
    fn linearize(&self, at: At<'_>, memory: &mut Memory, out: &mut Quadratic) -> Result<(), NodeError> {
        let mut next = std::mem::take(&mut out.next);
        let done = self.value(at, memory, &mut next, &mut []);
        out.next = next;
        done?;
        out.clear_cost();
        let first = self.ndx - self.carried;
        out.a.fill_with_identity();
        for (j, i) in self.chosen.iter().enumerate() {
            out.a[(first + i, first + i)] = 0.0;
            out.b[(first + i, j)] = 1.0;
        }
        Ok(())
    }
    fn linearize_exact(
        &self,
        at: At<'_>,
        memory: &mut Memory,
        _: &Multipliers,
        out: &mut Quadratic,
    ) -> Result<bool, NodeError> {
        out.curvature.clear();
        self.linearize(at, memory, out).map(|()| true)
    }
    fn hold(&self, at: At<'_>, _: &mut Memory, u: &mut [f64]) -> Result<(), NodeError> {
        self.write(&at.x[self.nx - self.carried..], u);
        Ok(())
    }
}
