//! Detects local infeasibility: the sum of squared violations is least, and not zero, near a trajectory.
//!
//! ```text
//! min ½ |c + C δ|² + ½ |g + G δ − Π(g)|² + ½ ζ |δ|²        δx⁺ = A δx + B δu + d
//! ```
//!
//! is one additional sweep. If it predicts no decrease of the violations, the violated rows are those that block each
//! other: their violations are the multipliers of this problem.

use super::AugmentedLagrangian;
use crate::problem::Problem;
use crate::solver::algorithm::Context;
use crate::solver::blockers::Blockers;
use crate::solver::report::Status;
use crate::solver::state::State;

/// ζ: what is left open by violations is not moved far, since they are of first order only.
const NEAR: f64 = 1e-4;
/// A promise below this share of the sum of squares is none.
const FLAT: f64 = 1e-3;
/// Smaller violations are no reason to call a problem infeasible: it may have a solution where constraints have no
/// first order.
const SEEN: f64 = 1e-4;
/// Constraints that are violated by this share of the largest violation block each other.
const BLOCKS: f64 = 1e-3;

impl AugmentedLagrangian {
    /// The constraints that block each other, if violations can not be made less here.
    pub(super) fn blocked(&mut self, at: &mut Context<'_>) -> Option<Status> {
        let most = self.rows.iter().map(|rows| rows.c.amax().max(rows.max_residual())).fold(0.0, f64::max);
        if most < SEEN || at.state.now.gap > SEEN * most {
            return None;
        }
        let mut sum = 0.0;
        for (k, rows) in self.rows.iter_mut().enumerate() {
            let node = &mut *at.evaluator.node(at.problem, k);
            node.lx.fill(0.0);
            node.lu.fill(0.0);
            node.lxu.fill(0.0);
            for m in [&mut node.lxx, &mut node.luu] {
                m.fill(0.0);
                m.fill_diagonal(NEAR);
            }
            node.eq.copy_from(&rows.c);
            rows.weigh_violations();
            rows.condense(node);
            sum += rows.c.norm_squared() + (0..rows.g.len()).map(|i| rows.residual(i).powi(2)).sum::<f64>();
        }
        at.state.riccati.soften(1.0);
        self.sweep_all(at, 0.0).ok()?;
        let State { riccati, gaps, lq, .. } = &mut *at.state;
        riccati.begin_roll_out(gaps.first(), lq).ok()?;
        let mut slope = 0.0;
        for k in 0..gaps.len() {
            let node = at.evaluator.node(at.problem, k);
            riccati.roll_out_node(k, &node, gaps.get(k), lq);
            slope += node.lx.dot(&lq.dx[k]) + node.lu.dot(&lq.du[k]);
            slope += node.eq.iter().zip(lq.multipliers[k].iter()).map(|(c, nu)| c * (nu - c)).sum::<f64>();
        }
        (slope.abs() <= FLAT * sum).then(|| self.names(at.problem, most))
    }

    /// The violated constraints.
    fn names(&self, problem: &Problem, most: f64) -> Status {
        let mut blockers = Blockers::new(problem, BLOCKS * most);
        for (k, rows) in self.rows.iter().enumerate() {
            rows.c.iter().enumerate().for_each(|(i, c)| blockers.add_equality(k, i, c.abs()));
            for i in 0..rows.g.len() {
                blockers.add_row(k, rows.controls.len(), i, rows.residual(i).abs());
            }
        }
        blockers.status()
    }
}
