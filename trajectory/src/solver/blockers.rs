//! The constraints that block each other, by name.

use super::report::Status;
use crate::node::ConstraintRow;
use crate::problem::Problem;

/// Names with the size of their largest violation or multiplier.
pub(super) struct Blockers<'a> {
    problem: &'a Problem,
    /// Smaller ones do not count.
    least: f64,
    found: Vec<(String, f64)>,
}

impl<'a> Blockers<'a> {
    pub(super) fn new(problem: &'a Problem, least: f64) -> Self {
        Self { problem, least, found: Vec::new() }
    }

    /// Adds an equality of a node.
    pub(super) fn add_equality(&mut self, k: usize, row: usize, size: f64) {
        self.add(k, Some(ConstraintRow::Equality(row)), "equalities", size);
    }
    /// Adds a row of a node: its bounded controls come first, then its inequality constraints.
    pub(super) fn add_row(&mut self, k: usize, controls: usize, row: usize, size: f64) {
        match row.checked_sub(controls) {
            None => self.add(k, None, "bounds of controls", size),
            Some(row) => self.add(k, Some(ConstraintRow::Inequality(row)), "bounds", size),
        }
    }
    fn add(&mut self, k: usize, row: Option<ConstraintRow>, other: &str, size: f64) {
        // Not a number does not count either.
        if size.partial_cmp(&self.least) != Some(std::cmp::Ordering::Greater) {
            return;
        }
        let phase = self.problem.phase_of(k);
        let name = match row.and_then(|row| self.problem.constraint_of(k, row)) {
            Some(name) => format!("`{name}` of phase `{phase}`"),
            None => format!("{other} of phase `{phase}`"),
        };
        match self.found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, most)) => *most = most.max(size),
            None => self.found.push((name, size)),
        }
    }

    /// All of them, the largest first.
    pub(super) fn status(mut self) -> Status {
        self.found.sort_by(|a, b| b.1.total_cmp(&a.1));
        Status::NoFeasiblePoint { constraints: self.found.into_iter().map(|(name, _)| name).collect() }
    }
}
