//! Slacks and multipliers of rows from another solution, or another node.

use super::inequalities::Inequalities;
use crate::solver::warm::{WarmNode, scaled};

impl Inequalities {
    /// Slacks, and multipliers times `scale`.
    pub(super) fn take_over(&mut self, node: &WarmNode, scale: f64) {
        self.s.copy_from_slice(&node.slacks);
        scaled(&mut self.z[0], &node.lower, scale);
        scaled(&mut self.z[1], &node.upper, scale);
    }

    /// Controls stay where they are between their bounds, and else move well between them.
    pub(super) fn keep_controls(&mut self, u: &mut [f64]) {
        for row in 0..self.controls.len() {
            let control = &mut u[self.controls[row]];
            self.s[row] = *control;
            if self.slacks(row).into_iter().any(|slack| slack <= 0.0) {
                self.g[row] = *control;
                self.push_inside(row..row + 1);
                *control = self.s[row];
            }
        }
    }

    /// Slacks and multipliers of another node, if that has the same rows.
    pub(super) fn warm_start_from(&mut self, other: &Self) {
        let cones = self.cones.iter().map(|cone| &cone.rows).eq(other.cones.iter().map(|cone| &cone.rows));
        if self.s.len() == other.s.len() && self.controls == other.controls && cones {
            self.s.copy_from_slice(&other.s);
            for (to, from) in self.z.iter_mut().zip(&other.z) {
                to.copy_from_slice(from);
            }
        }
    }
}
