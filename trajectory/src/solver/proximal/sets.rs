//! From one active set to the next: an exact line search on the augmented Lagrangian with linearized rows.
//!
//! Along `p`, from the direction found so far to that of the last sweep, where gaps leave it free, this is convex and
//! piecewise quadratic:
//!
//! ```text
//! φ'(t) = −(1 − t) pᵀ H p + Σ vᵢ (ω(wᵢ + t vᵢ) − [i counts] (wᵢ + t vᵢ − bᵢ)) / μ        v = G p ,   w = g + G δ + μ ȳ
//! ```
//!
//! with `ω(w) = w − Π(w)` and H that of the sweep. Only a sum over rows that have changed has to be added.
//!
//! A. Bambade, S. El-Kazdadi, A. Taylor, J. Carpentier, *PROX-QP: Yet another Quadratic Programming Solver for Robotics
//! and beyond*, RSS 2022, section III.

use super::AugmentedLagrangian;
use crate::solver::algorithm::Context;
use crate::solver::state::State;

/// Halvings of the interval: what is left is below rounding of what follows.
const HALVINGS: usize = 40;

impl AugmentedLagrangian {
    /// Goes from the direction so far towards that of the last sweep.
    pub(super) fn move_on(&mut self, at: &mut Context<'_>) {
        let mut bent = 0.0;
        for (k, rows) in self.rows.iter_mut().enumerate() {
            let node = at.evaluator.node(at.problem, k);
            let (from, to) = (&at.state.lq, &mut self.next);
            // `next` is the difference from here on.
            to.dx[k] -= &from.dx[k];
            to.du[k] -= &from.du[k];
            to.costates[k] -= &from.costates[k];
            to.multipliers[k] -= &from.multipliers[k];
            let (dx, du) = (&to.dx[k], &to.du[k]);
            bent += node.lxx.column_iter().zip(dx.iter()).map(|(column, x)| x * column.dot(dx)).sum::<f64>();
            bent += node.luu.column_iter().zip(du.iter()).map(|(column, u)| u * column.dot(du)).sum::<f64>();
            bent += 2.0 * node.lxu.column_iter().zip(du.iter()).map(|(column, u)| u * column.dot(dx)).sum::<f64>();
            // C p = μ (ν' − ν).
            bent += self.run.mu * to.multipliers[k].norm_squared();
            bent += at.state.now.regularization * (dx.norm_squared() + du.norm_squared());
            rows.aim(&node, dx, du);
        }
        let slope = |t: f64| {
            let changed: f64 = self.rows.iter().map(|rows| rows.changed(t, self.run.mu)).sum();
            changed - (1.0 - t) * bent
        };
        let step = if slope(1.0) <= 0.0 {
            1.0
        } else {
            let [mut low, mut high] = [0.0, 1.0];
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                if slope(middle) <= 0.0 { low = middle } else { high = middle }
            }
            high
        };
        let State { lq, .. } = &mut *at.state;
        let Self { next, rows, .. } = self;
        for (k, rows) in rows.iter_mut().enumerate() {
            lq.dx[k].axpy(step, &next.dx[k], 1.0);
            lq.du[k].axpy(step, &next.du[k], 1.0);
            lq.costates[k].axpy(step, &next.costates[k], 1.0);
            lq.multipliers[k].axpy(step, &next.multipliers[k], 1.0);
            rows.move_by(step);
        }
    }
}
