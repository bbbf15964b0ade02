//! Where a solution has ended, and from there on.

use super::rows::Rows;
use super::{Begin, Control, Inner, Iteration, Proximal, Report};
use crate::problem::Problem;
use crate::solver::warm::{WarmNode, WarmStart, scaled};

impl Proximal {
    /// Where the last solution has ended; `None` if nothing has been solved, or it has ended in a fault.
    #[must_use]
    pub fn warm_start(&self) -> Option<WarmStart> {
        let solver = &self.solver;
        let by_scale = 1.0 / solver.run.scale;
        let node = |(k, rows): (usize, &Rows)| WarmNode {
            costate: solver.costates[k].iter().map(|x| by_scale * x).collect(),
            equalities: solver.multipliers[k].eq.iter().map(|x| by_scale * x).collect(),
            slacks: (0..rows.g.len()).map(|i| rows.g[i] - rows.off(i)).collect(),
            lower: (0..rows.y.len()).map(|i| by_scale * rows.split(i)[0]).collect(),
            upper: (0..rows.y.len()).map(|i| by_scale * rows.split(i)[1]).collect(),
        };
        solver.warm.then(|| WarmStart {
            trajectory: solver.kept.clone(),
            mu: solver.run.mu,
            scale: solver.run.scale,
            nodes: solver.rows.iter().enumerate().map(node).collect(),
        })
    }
    /// Solves from where another solution has ended: its trajectory, multipliers and μ. One that does not [fit](WarmStart::fits) the
    /// problem ends in a [fault](crate::Status::Fault).
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
    /// Begins where another solution has ended, with the bounds of this problem.
    pub(super) fn take_over(&mut self, problem: &Problem, from: &WarmStart) {
        self.run.scale = from.scale;
        self.run.soften(from.mu.max(self.options.softness_min).min(self.options.softness));
        self.kept.copy_from(&from.trajectory);
        for (k, node) in from.nodes.iter().enumerate() {
            let (rows, multipliers) = (&mut self.rows[k], &mut self.multipliers[k]);
            let n = rows.controls.len();
            for (y, (lower, upper)) in rows.y.iter_mut().zip(node.lower.iter().zip(&node.upper)) {
                *y = from.scale * (upper - lower);
            }
            multipliers.ineq.as_mut_slice().copy_from_slice(&rows.y[n..]);
            scaled(multipliers.eq.as_mut_slice(), &node.equalities, from.scale);
            scaled(self.costates[k].as_mut_slice(), &node.costate, from.scale);
        }
        for k in 0..self.multipliers.len() - 1 {
            self.multipliers[k].next.copy_from(&self.costates[k + 1]);
        }
        self.go_on(problem);
    }
}
