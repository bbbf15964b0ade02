//! Where a solution has ended, and from there on.

use super::rows::Rows;
use super::{Begin, Control, Inner, Iteration, Newton, Report};
use crate::problem::Problem;
use crate::solver::warm::{WarmNode, WarmStart, scaled};

impl Newton {
    /// Where the last solution has ended; `None` if nothing has been solved, or it has ended in a fault.
    #[must_use]
    pub fn warm_start(&self) -> Option<WarmStart> {
        let solver = &self.solver;
        let by_scale = 1.0 / solver.run.scale;
        let node = |(k, rows): (usize, &Rows)| {
            let times = |x: &[f64]| x.iter().map(|x| by_scale * x).collect::<Vec<f64>>();
            WarmNode {
                costate: times(solver.costates[k].as_slice()),
                equalities: times(solver.multipliers[k].eq.as_slice()),
                slacks: rows.s.clone(),
                lower: times(&rows.z[0]),
                upper: times(&rows.z[1]),
            }
        };
        solver.warm.then(|| WarmStart {
            trajectory: solver.kept.clone(),
            mu: solver.run.mu,
            scale: solver.run.scale,
            nodes: solver.rows.iter().enumerate().map(node).collect(),
        })
    }
    /// Solves from where another solution has ended. Where that does not lead to an optimum, from its trajectory alone, as
    /// [`solve`](Self::solve). One that does not [fit](WarmStart::fits) the problem ends in a [fault](crate::Status::Fault).
    pub fn solve_warm(&mut self, problem: &Problem, from: &WarmStart) -> Report {
        self.solve_warm_with(problem, from, |_| Control::Continue)
    }
    /// [`solve_warm`](Self::solve_warm), which calls `watch` after each iteration.
    pub fn solve_warm_with(
        &mut self,
        problem: &Problem,
        from: &WarmStart,
        watch: impl FnMut(&Iteration) -> Control + Send,
    ) -> Report {
        self.run(problem, Begin::Warm(from), watch)
    }
}

impl Inner {
    /// Begins where another solution has ended, with the bounds of this problem. Controls stay where they are, if bounds allow it.
    pub(super) fn take_over(&mut self, problem: &Problem, from: &WarmStart) {
        (self.run.scale, self.run.mu) = (from.scale, from.mu.min(self.options.barrier));
        self.begun_warm = Some(self.run.mu);
        self.kept.copy_from(&from.trajectory);
        for (k, node) in from.nodes.iter().enumerate() {
            let rows = &mut self.rows[k];
            rows.take_bounds(problem, k);
            rows.s.copy_from_slice(&node.slacks);
            scaled(&mut rows.z[0], &node.lower, from.scale);
            scaled(&mut rows.z[1], &node.upper, from.scale);
            rows.keep_controls(self.kept.u_mut(k));
            rows.come_inside(self.run.mu);
            let (multipliers, n) = (&mut self.multipliers[k], rows.controls.len());
            scaled(multipliers.eq.as_mut_slice(), &node.equalities, from.scale);
            multipliers.ineq.iter_mut().enumerate().for_each(|(i, y)| *y = rows.y(n + i));
            scaled(self.costates[k].as_mut_slice(), &node.costate, from.scale);
        }
        for k in 0..self.multipliers.len() - 1 {
            self.multipliers[k].next.copy_from(&self.costates[k + 1]);
        }
    }
}

impl Rows {
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
}
