//! All nodes at once: values, derivatives, gaps, over as many threads as there are.
//!
//! Sums are taken in the order of the nodes, so that results do not depend on the number of threads.

use crate::fault::{Fault, Reason};
use crate::problem::{Problem, ProblemMemory};
use crate::quadratic::{Dims, Quadratic};
use crate::trajectory::Trajectory;
use nalgebra::DVector;
use rayon::prelude::*;

/// Derivatives of all nodes, and gaps, with the memory of each thread.
pub(super) struct Nodes {
    pub(super) lq: Vec<Quadratic>,
    /// `f(x_{k−1}, u_{k−1}) ⊖ x_k`, of the first node the start less `x_0`.
    pub(super) gaps: Vec<DVector<f64>>,
    pub(super) memory: Vec<ProblemMemory>,
    /// What values are written to, one a node.
    values: Vec<Value>,
    pool: Option<rayon::ThreadPool>,
    dims: Vec<Dims>,
}

/// A node without derivatives.
struct Value {
    cost: f64,
    /// Next state.
    next: Vec<f64>,
    eq: Vec<f64>,
    /// The gap that the step into this node leaves.
    gap: Vec<f64>,
}

/// A trajectory without derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Merit {
    pub(super) cost: f64,
    /// The sum of all gaps and all that equalities are off, in absolute value.
    pub(super) violation: f64,
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
        let value = |k: usize, d: &Dims| Value {
            cost: 0.0,
            next: vec![0.0; if k == problem.steps() { 0 } else { d.nx }],
            eq: vec![0.0; d.n_eq],
            gap: vec![0.0; d.ndx],
        };
        Self {
            lq,
            gaps: dims.iter().map(|d| DVector::zeros(d.ndx)).collect(),
            memory: (0..count).map(|_| problem.memory()).collect(),
            values: dims.iter().enumerate().map(|(k, d)| value(k, d)).collect(),
            pool,
            dims,
        }
    }

    pub(super) fn dims(&self) -> &[Dims] {
        &self.dims
    }

    /// Derivatives of all nodes; the cost.
    pub(super) fn linearize(&mut self, problem: &Problem, at: &Trajectory) -> Result<f64, Fault> {
        each(&self.pool, &mut self.memory, &mut self.lq, |k, lq, memory| {
            problem.linearize(k, at.x(k), at.u(k), memory, lq)
        })?;
        Ok(self.lq.iter().map(|lq| lq.cost).sum())
    }

    /// Gaps of a trajectory whose nodes have been linearized; the largest entry.
    pub(super) fn close(&mut self, problem: &Problem, at: &Trajectory) -> Result<f64, Fault> {
        let space = problem.space();
        let mut largest: f64 = 0.0;
        for (k, gap) in self.gaps.iter_mut().enumerate() {
            let reached = if k == 0 { problem.start() } else { &self.lq[k - 1].next };
            let done = space.difference(at.x(k), reached, gap.as_mut_slice());
            done.map_err(|reason| of_dynamics(problem, k, reason))?;
            largest = largest.max(gap.amax());
        }
        Ok(largest)
    }

    /// What the gaps, and the equalities of nodes that have been linearized, amount to.
    pub(super) fn violation(&self) -> f64 {
        let of_gap: f64 = self.gaps.iter().map(|gap| gap.lp_norm(1)).sum();
        of_gap + self.lq.iter().map(|lq| lq.eq.lp_norm(1)).sum::<f64>()
    }

    /// Cost, gaps and equalities of a trajectory, without derivatives.
    pub(super) fn merit(&mut self, problem: &Problem, at: &Trajectory) -> Result<Merit, Fault> {
        each(&self.pool, &mut self.memory, &mut self.values, |k, value, memory| {
            value.cost = problem.value(k, at.x(k), at.u(k), memory, &mut value.next, &mut value.eq)?;
            Ok(())
        })?;
        let space = problem.space();
        let mut merit = Merit { cost: 0.0, violation: 0.0 };
        for k in 0..self.values.len() {
            let (before, here) = self.values.split_at_mut(k);
            let value = &mut here[0];
            let reached = before.last().map_or(problem.start(), |before| &before.next);
            let done = space.difference(at.x(k), reached, &mut value.gap);
            done.map_err(|reason| of_dynamics(problem, k, reason))?;
            merit.cost += value.cost;
            merit.violation += value.gap.iter().chain(&value.eq).map(|x| x.abs()).sum::<f64>();
        }
        Ok(merit)
    }
}

/// A fault of a node's dynamics.
pub(super) fn of_dynamics(problem: &Problem, node: usize, reason: Reason) -> Fault {
    Fault { node, phase: problem.phase_of(node).into(), term: None, reason: Box::new(reason) }
}

/// Does something for each node, each thread with its own memory. Of several faults, that of the first node.
fn each<T: Send>(
    pool: &Option<rayon::ThreadPool>,
    memory: &mut [ProblemMemory],
    nodes: &mut [T],
    run: impl Fn(usize, &mut T, &mut ProblemMemory) -> Result<(), Fault> + Sync,
) -> Result<(), Fault> {
    let share = nodes.len().div_ceil(memory.len());
    let part = |first: usize, nodes: &mut [T], memory: &mut ProblemMemory| {
        nodes.iter_mut().enumerate().try_for_each(|(i, node)| run(first + i, node, memory))
    };
    match pool {
        None => part(0, nodes, &mut memory[0]),
        Some(pool) => pool.install(|| {
            let parts = nodes.par_chunks_mut(share).zip(memory.par_iter_mut()).enumerate();
            let results = parts.map(|(i, (nodes, memory))| part(i * share, nodes, memory).err());
            results.reduce(|| None, |a, b| a.or(b)).map_or(Ok(()), Err)
        }),
    }
}
