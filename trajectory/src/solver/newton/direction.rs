//! The direction: one sweep over all nodes with their barriers, regularized until it is a descent direction.

use super::{Hessian, InteriorPoint};
use crate::problem::Problem;
use crate::riccati::Failure;
use crate::solver::core::Core;
use crate::solver::crew::Crew;
use crate::solver::inertia;

/// δ_c of equalities that depend on others and do not agree (`δ_c bar`), times μ to this power (`κ_c`).
const SOFT: (f64, f64) = (1e-8, 0.25);
/// Exact second derivatives are made positive, and not replaced, where all that is left of optimality is below.
pub(super) const CLOSE: f64 = 1e-2;
/// Further away they take turns, so many iterations of a barrier problem each: replaced first, then made positive. Steps of Gauss and Newton
/// can go to and fro for hundreds of iterations, those of the identity can stay short for as many, on different problems (`acrobot_stops` and
/// `pushing` of `benches/newton.rs`: of 40 each, turns of 10 to 40 iterations solve 33 to 37 and 34 to 36, none at all 28 and 36).
const TURN: usize = 20;

impl InteriorPoint {
    /// The direction, with multipliers, and those of slacks.
    pub(super) fn compute_direction(&mut self, crew: &Crew, problem: &Problem) -> Result<(), Failure> {
        let known = (0..self.rows.len()).all(|k| crew.knows_curvature(k));
        let wanted = self.options.hessian;
        self.core.now.exact = wanted != Hessian::GaussNewton && (known || wanted == Hessian::Exact);
        let replaces = self.way.replaces && (self.run.directions / TURN).is_multiple_of(2);
        self.run.directions += 1;
        self.core.now.delta = 0.0;
        for rows in &mut self.rows {
            rows.weigh(self.run.mu, None);
        }
        loop {
            self.assemble(crew, problem);
            match self.sweep(crew, problem) {
                Ok(()) => break,
                Err(Failure::Infeasible { .. }) if self.run.softness == 0.0 => {
                    let (soft, power) = SOFT;
                    self.run.softness = soft * self.run.mu.max(1e-8).powf(power);
                }
                Err(failure @ (Failure::Infeasible { .. } | Failure::Sizes { .. })) => return Err(failure),
                Err(failure) => {
                    let far = self.core.now.optimality.error(0.0) > CLOSE;
                    if self.core.now.exact && wanted == Hessian::Automatic && replaces && far {
                        self.core.now.exact = false;
                    } else if !self.raise() {
                        return Err(failure);
                    }
                }
            }
        }
        if self.core.now.delta > 0.0 {
            self.core.now.delta_last = self.core.now.delta;
        }
        self.roll_out(crew, problem, false)
    }

    /// More of the identity; `false` if it is too much.
    fn raise(&mut self) -> bool {
        let now = &mut self.core.now;
        now.delta = inertia::raise(now.delta, now.delta_last, self.options.regularization);
        now.delta <= self.options.regularization_max
    }

    /// Costs with barriers, and equalities as soft as they have to be: `c + Cδ = δ_c (ν⁺ − ν)`.
    fn assemble(&mut self, crew: &Crew, problem: &Problem) {
        for k in 0..self.rows.len() {
            let node = &mut *crew.node(problem, k);
            self.core.bare[k].put_back(self.core.now.scale, self.core.now.exact, node);
            node.eq.axpy(self.run.softness, &self.core.multipliers[k].eq, 1.0);
            self.rows[k].condense(node);
        }
    }

    fn sweep(&mut self, crew: &Crew, problem: &Problem) -> Result<(), Failure> {
        self.core.riccati.soften(self.run.softness);
        let Core { riccati, gaps, now, .. } = &mut self.core;
        (0..gaps.len()).rev().try_for_each(|k| riccati.sweep_node(k, &crew.node(problem, k), gaps.get(k), now.delta))
    }

    /// From the start to the end; of a correction, `gaps` and rows are those of the correction.
    pub(super) fn roll_out(&mut self, crew: &Crew, problem: &Problem, corrected: bool) -> Result<(), Failure> {
        let Self { core, rows, run, corrected: second, corrections, .. } = self;
        let Core { riccati, gaps, lq, .. } = core;
        let lq = if corrected { second } else { lq };
        let gaps = if corrected { &corrections.gaps } else { gaps };
        riccati.begin_roll_out(gaps.first(), lq)?;
        for (k, rows) in rows.iter_mut().enumerate() {
            let node = crew.node(problem, k);
            riccati.roll_out_node(k, &node, gaps.get(k), lq);
            let more = corrected.then(|| &corrections.rows[k][..]);
            rows.directions(&node, &lq.dx[k], &lq.du[k], run.mu, more);
        }
        Ok(())
    }

    /// The sweep and the roll-out once more, with gaps and rows of a correction of second order.
    pub(super) fn correct(&mut self, crew: &Crew, problem: &Problem) -> Result<(), Failure> {
        for k in 0..self.rows.len() {
            let node = &mut *crew.node(problem, k);
            node.eq += &self.corrections.eq[k];
            self.rows[k].correct(node, &self.corrections.rows[k]);
        }
        let Self { core: Core { riccati, now, .. }, corrections, .. } = self;
        let gaps = &corrections.gaps;
        (0..gaps.len())
            .rev()
            .try_for_each(|k| riccati.sweep_node(k, &crew.node(problem, k), gaps.get(k), now.delta))?;
        self.roll_out(crew, problem, true)
    }
}
