//! The first μ, limited by the growth of the slacks of the guess.
//!
//! A bound on one side alone lets its slack s grow. If the cost has the curvature h along it, `½ h s² − μ ln s` is
//! least at `s = √(μ/h)`. Contact forces cost little, so a usual μ makes them hundreds of times those of the guess. The
//! solution of the first barrier problem is then far from any useful one, behind steps that no linearization is valid
//! for, and the way back is as long. The first μ is therefore `h s²`, which keeps slacks at their size: the geometric
//! mean over all rows with a bound on one side, with the control cost
//!
//! ```text
//! 1/h = G_u diag(l_uu)⁻¹ G_uᵀ
//! ```
//!
//! and at most that of the options. Inequalities that controls do not change, or that change only by controls without
//! cost, are ignored. Slacks between two bounds cannot grow.

use super::InteriorPoint;
use super::inequalities::Inequalities;
use crate::quadratic::Quadratic;
use crate::solver::algorithm::Context;

/// No first μ is below this: barriers keep trajectories away from their bounds until they know which ones are active.
const LEAST: f64 = 1e-6;
/// Smaller slacks say nothing of what is wanted: they are where the guess was pushed to, in the units that
/// [inequalities](super::inequalities) have for that.
const SMALL: f64 = 1.0;

impl Inequalities {
    /// `Σ ln h s²`, and of how many rows.
    fn bearable(&self, node: &Quadratic) -> (f64, usize) {
        let n = self.controls.len();
        let bend = |i: usize| -> f64 {
            let cost = |k: usize| node.luu[(k, k)].max(0.0);
            match self.controls.get(i) {
                Some(k) => cost(*k),
                None => {
                    let row = node.ineq_u.row(i - n);
                    let moved = row.iter().enumerate().filter(|(_, g)| **g != 0.0);
                    1.0 / moved.map(|(k, g)| g * g / cost(k)).sum::<f64>()
                }
            }
        };
        let of = |i: usize, square: f64| {
            let mu = bend(i) * square;
            // Zero where controls cost nothing, infinite where none moves the row.
            (mu > 0.0 && mu.is_finite()).then(|| mu.ln())
        };
        let at_one_side = |i: &usize| self.lower[*i].is_finite() != self.upper[*i].is_finite();
        let between = (0..self.s.len()).filter(at_one_side).filter_map(|i| {
            let [low, high] = self.slacks(i);
            of(i, low.min(high).max(self.residual(i).abs()).max(SMALL).powi(2))
        });
        let in_cones =
            self.cones.iter().filter_map(|cone| of(cone.rows.start, cone.slack(&self.s).det().max(SMALL * SMALL)));
        between.chain(in_cones).fold((0.0, 0), |(sum, count), ln| (sum + ln, count + 1))
    }
}

impl InteriorPoint {
    /// The first μ, of slacks that are there.
    pub(super) fn first_barrier(&self, at: &Context<'_>) -> f64 {
        let of = |(k, rows): (usize, &Inequalities)| rows.bearable(&at.evaluator.node(at.problem, k));
        let all = self.rows.iter().enumerate().map(of);
        let (sum, count) = all.fold((0.0, 0), |(sum, count), (more, n)| (sum + more, count + n));
        if count == 0 {
            return self.options.barrier;
        }
        #[expect(clippy::cast_precision_loss, reason = "counts of rows are small")]
        let mean = (sum / count as f64).exp();
        (at.state.now.scale * mean).max(LEAST).min(self.options.barrier)
    }
}
