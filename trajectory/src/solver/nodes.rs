//! All nodes at once: values, derivatives, gaps, over as many threads as there are.

use crate::fault::Fault;
use crate::problem::{Problem, ProblemMemory};
use crate::quadratic::{Dims, Quadratic};
use crate::trajectory::Trajectory;
use nalgebra::DVector;

/// Derivatives of all nodes, and gaps, with the memory of each thread.
pub(super) struct Nodes {
    pub(super) lq: Vec<Quadratic>,
    /// `f(x_{k−1}, u_{k−1}) ⊖ x_k`, of the first node the start less `x_0`.
    pub(super) gaps: Vec<DVector<f64>>,
    pub(super) memory: Vec<ProblemMemory>,
    pool: Option<rayon::ThreadPool>,
    dims: Vec<Dims>,
}

impl Nodes {
    pub(super) fn new(problem: &Problem, threads: usize) -> Self {
        let dims: Vec<_> = (0..=problem.steps()).map(|k| problem.dims(k)).collect();
        let lq = dims.iter().enumerate().map(|(k, d)| Quadratic::new(*d, k == problem.steps())).collect();
        let threads = threads.clamp(1, dims.len());
        // Without a pool, all is done by the caller's thread.
        let build = || rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok();
        let pool = if threads > 1 { build() } else { None };
        let count = if pool.is_some() { threads } else { 1 };
        Self {
            lq,
            gaps: dims.iter().map(|d| DVector::zeros(d.ndx)).collect(),
            memory: (0..count).map(|_| problem.memory()).collect(),
            pool,
            dims,
        }
    }

    pub(super) fn dims(&self) -> &[Dims] {
        &self.dims
    }

    /// Derivatives of all nodes; the cost, summed in the order of the nodes.
    pub(super) fn linearize(&mut self, problem: &Problem, at: &Trajectory) -> Result<f64, Fault> {
        let n = self.lq.len();
        let share = n.div_ceil(self.memory.len());
        let run = |first: usize, lq: &mut [Quadratic], memory: &mut ProblemMemory| {
            for (i, lq) in lq.iter_mut().enumerate() {
                let k = first + i;
                problem.linearize(k, at.x(k), at.u(k), memory, lq)?;
            }
            Ok(())
        };
        match &self.pool {
            None => run(0, &mut self.lq, &mut self.memory[0])?,
            Some(pool) => {
                use rayon::prelude::*;
                let (lq, memory) = (&mut self.lq, &mut self.memory);
                pool.install(|| {
                    lq.par_chunks_mut(share)
                        .zip(memory.par_iter_mut())
                        .enumerate()
                        .try_for_each(|(i, (lq, memory))| run(i * share, lq, memory))
                })?;
            }
        }
        Ok(self.lq.iter().map(|lq| lq.cost).sum())
    }

    /// Gaps of a trajectory whose nodes have been linearized; the largest entry.
    pub(super) fn close(&mut self, problem: &Problem, at: &Trajectory) -> Result<f64, Fault> {
        let space = problem.space();
        let mut largest: f64 = 0.0;
        for (k, gap) in self.gaps.iter_mut().enumerate() {
            let reached = if k == 0 { problem.start() } else { &self.lq[k - 1].next };
            let done = space.difference(at.x(k), reached, gap.as_mut_slice());
            done.map_err(|reason| Fault {
                node: k,
                phase: problem.phase_of(k).into(),
                term: None,
                reason: Box::new(reason),
            })?;
            largest = largest.max(gap.amax());
        }
        Ok(largest)
    }
}
