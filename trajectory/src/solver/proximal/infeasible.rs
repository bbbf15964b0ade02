//! Detects local infeasibility: the sum of squared violations is least, and not zero, near a trajectory.
//!
//! ```text
//! min ½ |c + C δ|² + ½ |g + G δ − Π(g)|² + ½ ζ |δ|²        δx⁺ = A δx + B δu + d
//! ```
//!
//! is one additional sweep. If it predicts no decrease of the violations, the violated rows are those that block each
//! other: their violations are the multipliers of this problem.

use super::AugmentedLagrangian;
use crate::node::Row;
use crate::problem::Problem;
use crate::solver::core::Core;
use crate::solver::crew::Crew;
use crate::solver::report::Status;

/// ζ: what is left open by violations is not moved far, since they are of first order only.
const NEAR: f64 = 1e-4;
/// A promise below this share of the sum of squares is none.
const FLAT: f64 = 1e-3;
/// Smaller violations are no reason to call a problem infeasible: it may have a solution where constraints have no first order.
const SEEN: f64 = 1e-4;
/// Rows that are violated by this share of the largest violation block each other.
const BLOCKS: f64 = 1e-3;

impl AugmentedLagrangian {
    /// The constraints that block each other, if violations can not be made less here.
    pub(super) fn blocked(&mut self, crew: &Crew, problem: &Problem) -> Option<Status> {
        let most = self.rows.iter().map(|rows| rows.c.amax().max(rows.most_off())).fold(0.0, f64::max);
        if most < SEEN || self.core.now.gap > SEEN * most {
            return None;
        }
        let mut sum = 0.0;
        for (k, rows) in self.rows.iter_mut().enumerate() {
            let node = &mut *crew.node(problem, k);
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
            sum += rows.c.norm_squared() + (0..rows.g.len()).map(|i| rows.off(i).powi(2)).sum::<f64>();
        }
        self.core.riccati.soften(1.0);
        self.sweep_all(crew, problem, 0.0).ok()?;
        let Core { riccati, gaps, lq, .. } = &mut self.core;
        riccati.begin_roll_out(gaps.first(), lq).ok()?;
        let mut slope = 0.0;
        for k in 0..gaps.len() {
            let node = crew.node(problem, k);
            riccati.roll_out_node(k, &node, gaps.get(k), lq);
            slope += node.lx.dot(&lq.dx[k]) + node.lu.dot(&lq.du[k]);
            slope += node.eq.iter().zip(lq.multipliers[k].iter()).map(|(c, nu)| c * (nu - c)).sum::<f64>();
        }
        (slope.abs() <= FLAT * sum).then(|| self.names(problem, most))
    }

    /// Constraints by name, those that are violated most first.
    fn names(&self, problem: &Problem, most: f64) -> Status {
        let mut found: Vec<(String, f64)> = Vec::new();
        let mut name = |name: String, size: f64| match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, most)) => *most = most.max(size),
            None => found.push((name, size)),
        };
        for (k, rows) in self.rows.iter().enumerate() {
            let (n, phase) = (rows.controls.len(), problem.phase_of(k));
            let of = |row: Row, other: &str| match problem.constraint_of(k, row) {
                Some(of) => format!("`{of}` of phase `{phase}`"),
                None => format!("{other} of phase `{phase}`"),
            };
            for (i, c) in rows.c.iter().enumerate().filter(|(_, c)| c.abs() > BLOCKS * most) {
                name(of(Row::Equality(i), "equalities"), c.abs());
            }
            for i in (0..rows.g.len()).filter(|i| rows.off(*i).abs() > BLOCKS * most) {
                let of = match rows.controls.get(i) {
                    Some(_) => format!("bounds of controls of phase `{phase}`"),
                    None => of(Row::Inequality(i - n), "bounds"),
                };
                name(of, rows.off(i).abs());
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        Status::NoFeasiblePoint { constraints: found.into_iter().map(|(name, _)| name).collect() }
    }
}
