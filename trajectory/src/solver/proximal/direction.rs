//! The direction: one sweep over all nodes with the cost of violations, regularized until it is a descent direction.

use super::{AugmentedLagrangian, Hessian};
use crate::problem::Problem;
use crate::riccati::Failure;
use crate::solver::core::Core;
use crate::solver::crew::Crew;
use crate::solver::inertia;

/// Exact second derivatives are made positive, and not replaced, where all that is left of optimality is below.
const CLOSE: f64 = 1e-2;
/// A direction makes durations at most so many times as long, or as short: steps are linear in them only nearby.
const STRETCH: f64 = 1.5;
/// At most so many sets of rows that count are tried for one direction.
const SETS: usize = 8;

impl AugmentedLagrangian {
    /// The direction, with multipliers: the least value of the augmented Lagrangian with all but the rows' bounds linearized. Each
    /// sweep takes rows that count at the direction found so far, and a [search](super::sets) along its difference finds out which
    /// ones count next.
    pub(super) fn compute_direction(&mut self, crew: &Crew, problem: &Problem) -> Result<(), Failure> {
        let known = (0..self.rows.len()).all(|k| crew.knows_curvature(k));
        let wanted = self.options.hessian;
        self.core.now.exact = wanted != Hessian::GaussNewton && (known || wanted == Hessian::Exact);
        self.core.now.delta = self.run.least;
        for rows in &mut self.rows {
            rows.begin_direction();
            rows.weigh(self.run.mu);
        }
        self.sweep(crew, problem)?;
        self.roll_out(crew, problem)?;
        std::mem::swap(&mut self.core.lq, &mut self.next);
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.move_to(&crew.node(problem, k), &self.core.lq.dx[k], &self.core.lq.du[k]);
        }
        for _ in 0..SETS {
            if self.rows.iter_mut().fold(0, |count, rows| count + rows.weigh(self.run.mu)) == 0 {
                break;
            }
            self.sweep(crew, problem)?;
            self.roll_out(crew, problem)?;
            self.move_on(crew, problem);
        }
        if self.core.now.delta > self.run.least {
            self.core.now.delta_last = self.core.now.delta;
        }
        self.run.slope = 0.0;
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.finish_direction(self.run.mu, &crew.node(problem, k), self.core.lq.costates.get(k + 1));
            self.run.slope += self.core.now.scale * self.core.bare[k].slope(&self.core.lq.dx[k], &self.core.lq.du[k])
                + rows.slope(self.run.mu, &self.core.lq.multipliers[k]);
        }
        Ok(())
    }

    /// A sweep, with as much of the identity as it takes.
    fn sweep(&mut self, crew: &Crew, problem: &Problem) -> Result<(), Failure> {
        self.core.riccati.soften(self.run.mu);
        loop {
            self.assemble(crew, problem);
            match self.sweep_all(crew, problem, self.core.now.delta) {
                Ok(()) => return Ok(()),
                Err(failure @ (Failure::Infeasible { .. } | Failure::Sizes { .. })) => return Err(failure),
                Err(failure) => {
                    let far = self.core.now.optimality.error(0.0) > CLOSE;
                    if self.core.now.exact && self.options.hessian == Hessian::Automatic && far {
                        self.core.now.exact = false;
                    } else if !self.raise() {
                        return Err(failure);
                    }
                }
            }
        }
    }

    /// From the end to the start. What the first node chooses stays between its bounds, and durations in proportion to what they are.
    pub(super) fn sweep_all(&mut self, crew: &Crew, problem: &Problem, delta: f64) -> Result<(), Failure> {
        let Self { core: Core { riccati, gaps, iterate, .. }, chosen: [least, most], .. } = self;
        let choice = problem.choice().zip(problem.node(0).control_bounds());
        let first = usize::from(choice.is_some());
        let mut node = |k: usize| riccati.sweep_node(k, &crew.node(problem, k), gaps.get(k), delta);
        (first..gaps.len()).rev().try_for_each(&mut node)?;
        let Some((choice, (lower, upper))) = choice else { return Ok(()) };
        for (i, u) in iterate.u(0).iter().enumerate() {
            let [shortest, longest] =
                if choice.is_duration(i) { [u / STRETCH, u * STRETCH] } else { [f64::NEG_INFINITY, f64::INFINITY] };
            (least[i], most[i]) = (lower[i].max(shortest) - u, upper[i].min(longest) - u);
        }
        riccati.sweep_node_in_box(0, &crew.node(problem, 0), gaps.first(), delta, (least, most))
    }

    /// More of the identity; `false` if it is too much.
    fn raise(&mut self) -> bool {
        let now = &mut self.core.now;
        now.delta = inertia::raise(now.delta, now.delta_last, self.options.regularization);
        now.delta <= self.options.regularization_max
    }

    /// Costs with rows that count; equalities as `c + C δ + μ ν̄ = μ ν`.
    fn assemble(&mut self, crew: &Crew, problem: &Problem) {
        for k in 0..self.rows.len() {
            let node = &mut *crew.node(problem, k);
            self.core.bare[k].put_back(self.core.now.scale, self.core.now.exact, node);
            node.eq.axpy(self.run.mu, &self.rows[k].estimates_eq, 1.0);
            self.rows[k].condense(node);
        }
    }

    /// From the start to the end.
    fn roll_out(&mut self, crew: &Crew, problem: &Problem) -> Result<(), Failure> {
        let Self { core: Core { riccati, gaps, .. }, next, .. } = self;
        riccati.begin_roll_out(gaps.first(), next)?;
        for k in 0..gaps.len() {
            riccati.roll_out_node(k, &crew.node(problem, k), gaps.get(k), next);
        }
        Ok(())
    }
}
