//! The direction: one sweep over all nodes with what violations cost, and as much of the identity as makes it one of descent.

use super::{Hessian, Inner};
use crate::problem::Problem;
use crate::riccati::Failure;
use crate::solver::crew::Crew;
use crate::solver::inertia;

/// Exact second derivatives are made positive, and not replaced, where all that is left of optimality is below.
const CLOSE: f64 = 1e-2;
/// A direction makes durations at most so many times as long, or as short: steps are linear in them only nearby.
const STRETCH: f64 = 1.5;
/// At most so many sets of rows that count are tried for one direction.
const SETS: usize = 8;

impl Inner {
    /// The direction, with multipliers: the least value of the augmented Lagrangian with all but the rows' bounds linearized. Each
    /// sweep takes rows that count at the direction found so far, and a [search](super::sets) along its difference finds out which
    /// ones count next.
    pub(super) fn direction(&mut self, crew: &Crew, problem: &Problem) -> Result<(), Failure> {
        let known = (0..self.rows.len()).all(|k| crew.knows_curvature(k));
        let wanted = self.options.hessian;
        self.run.exact = wanted != Hessian::GaussNewton && (known || wanted == Hessian::Exact);
        self.run.delta = self.run.least;
        for rows in &mut self.rows {
            rows.begin_direction();
            rows.weigh(self.run.mu);
        }
        self.sweep(crew, problem)?;
        self.roll_out(crew, problem)?;
        std::mem::swap(&mut self.lq, &mut self.next);
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.move_to(&crew.node(problem, k), &self.lq.dx[k], &self.lq.du[k]);
        }
        for _ in 0..SETS {
            if self.rows.iter_mut().fold(0, |count, rows| count + rows.weigh(self.run.mu)) == 0 {
                break;
            }
            self.sweep(crew, problem)?;
            self.roll_out(crew, problem)?;
            self.move_on(crew, problem);
        }
        if self.run.delta > self.run.least {
            self.run.delta_last = self.run.delta;
        }
        self.run.slope = 0.0;
        for (k, rows) in self.rows.iter_mut().enumerate() {
            rows.finish_direction(self.run.mu, &crew.node(problem, k), self.lq.costates.get(k + 1));
            self.run.slope += self.run.scale * self.bare[k].slope(&self.lq.dx[k], &self.lq.du[k])
                + rows.slope(self.run.mu, &self.lq.multipliers[k]);
        }
        Ok(())
    }

    /// A sweep, with as much of the identity as it takes.
    fn sweep(&mut self, crew: &Crew, problem: &Problem) -> Result<(), Failure> {
        self.riccati.soften(self.run.mu);
        loop {
            self.assemble(crew, problem);
            match self.sweep_all(crew, problem, self.run.delta) {
                Ok(()) => return Ok(()),
                Err(failure @ (Failure::Infeasible { .. } | Failure::Sizes { .. })) => return Err(failure),
                Err(failure) => {
                    let far = self.run.optimality.error(0.0) > CLOSE;
                    if self.run.exact && self.options.hessian == Hessian::Automatic && far {
                        self.run.exact = false;
                    } else if !self.raise() {
                        return Err(failure);
                    }
                }
            }
        }
    }

    /// From the end to the start. What the first node chooses stays between its bounds, and durations in proportion to what they are.
    pub(super) fn sweep_all(&mut self, crew: &Crew, problem: &Problem, delta: f64) -> Result<(), Failure> {
        let Self { riccati, gaps, chosen: [least, most], kept, .. } = self;
        let choice = problem.choice().zip(problem.node(0).control_bounds());
        let first = usize::from(choice.is_some());
        let mut node = |k: usize| riccati.sweep_node(k, &crew.node(problem, k), gaps.get(k), delta);
        (first..gaps.len()).rev().try_for_each(&mut node)?;
        let Some((choice, (lower, upper))) = choice else { return Ok(()) };
        for (i, u) in kept.u(0).iter().enumerate() {
            let [shortest, longest] =
                if choice.is_duration(i) { [u / STRETCH, u * STRETCH] } else { [f64::NEG_INFINITY, f64::INFINITY] };
            (least[i], most[i]) = (lower[i].max(shortest) - u, upper[i].min(longest) - u);
        }
        riccati.sweep_node_in_box(0, &crew.node(problem, 0), gaps.first(), delta, (least, most))
    }

    /// More of the identity; `false` if it is too much.
    fn raise(&mut self) -> bool {
        let run = &mut self.run;
        run.delta = inertia::raise(run.delta, run.delta_last, self.options.regularization);
        run.delta <= self.options.regularization_max
    }

    /// Costs with rows that count; equalities as `c + C δ + μ ν̄ = μ ν`.
    fn assemble(&mut self, crew: &Crew, problem: &Problem) {
        for k in 0..self.rows.len() {
            let node = &mut *crew.node(problem, k);
            self.bare[k].put_back(self.run.scale, self.run.exact, node);
            node.eq.axpy(self.run.mu, &self.rows[k].estimates_eq, 1.0);
            self.rows[k].condense(node);
        }
    }

    /// From the start to the end.
    fn roll_out(&mut self, crew: &Crew, problem: &Problem) -> Result<(), Failure> {
        let Self { riccati, gaps, next, .. } = self;
        riccati.begin_roll_out(gaps.first(), next)?;
        for k in 0..gaps.len() {
            riccati.roll_out_node(k, &crew.node(problem, k), gaps.get(k), next);
        }
        Ok(())
    }
}
