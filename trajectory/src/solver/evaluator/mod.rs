//! Evaluates all nodes, values and derivatives, with all available threads.
//!
//! One thread, the solver's, runs sweeps and roll-outs, which are sequential. The others linearize nodes. While the
//! solver rolls out a trial, they take the nodes that it has reached, in case the trial is accepted. While it sweeps
//! from the end, they take the remaining nodes, the last ones first. When the solver has to wait, it takes nodes too.
//!
//! The results for a node depend on its state alone, and sums are taken in the order of the nodes. Results are
//! therefore the same to the last bit for any number of threads.

mod queue;

use super::support::of_dynamics;
use crate::fault::Fault;
use crate::problem::{Problem, ProblemMemory};
use crate::quadratic::{Dims, Multipliers, Quadratic};
use crate::trajectory::Trajectory;
use queue::{Queue, Work, back_off};
use std::ops::DerefMut;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Values and derivatives of all nodes of a trajectory, by all threads of a solver.
pub struct Evaluator {
    dims: Vec<Dims>,
    nodes: Vec<NodeSlot>,
    queue: Mutex<Queue>,
    /// Whether there may be a node to take. Read before the queue, whose lock the solver also needs.
    open: AtomicBool,
    closed: AtomicBool,
    /// Whether the curvature of the Lagrangian is needed.
    exact: AtomicBool,
    /// A step that a helper is to try beside the solver's; zero if none. Bits of an `f64`.
    beside: AtomicU64,
    /// Whether the work is no longer needed.
    unwanted: AtomicBool,
    memory: Vec<Mutex<ProblemMemory>>,
    pool: Option<rayon::ThreadPool>,
}

/// What another thread does with a step that it tries beside the solver's.
pub trait SecondTrial: Send + Sync {
    /// Tries the step, until it is `unwanted`.
    fn evaluate(&self, problem: &Problem, step: f64, memory: &mut ProblemMemory, unwanted: &AtomicBool);
}

/// What threads share of a node.
struct NodeSlot {
    iterate: Mutex<Quadratic>,
    trial: Mutex<Quadratic>,
    /// Where it is to be evaluated.
    point: Mutex<Point>,
    /// Whether the current work on it is done.
    done: AtomicBool,
    /// Whether its curvature is known.
    known: AtomicBool,
}

struct Point {
    x: Vec<f64>,
    u: Vec<f64>,
    /// Where the curvature of the Lagrangian is asked for.
    multipliers: Option<Multipliers>,
    /// Of the work without derivatives.
    value: NodeValue,
}

/// Values of a node.
#[derive(Debug)]
pub struct NodeValue {
    /// Its cost.
    pub cost: f64,
    /// The end of its step, nx; empty at the last node.
    pub next: Vec<f64>,
    /// Equalities, then inequality constraints.
    pub rows: Vec<f64>,
    /// The gap before it, `f(x, u) ⊖ x⁺`, ndx: at the first node the start minus its state.
    pub gap: Vec<f64>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What another thread has left half done is written anew before it is read.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks memory of the solver's thread, or a node that no thread evaluates. Only the solver's thread can have it
/// already, and would wait for itself.
///
/// # Panics
/// If it is borrowed.
fn borrow<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.try_lock() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => panic!("a node, or the memory, of the evaluator is already borrowed"),
    }
}

impl Evaluator {
    /// Memory for a problem. `exact`: with the curvature of the Lagrangian.
    pub(super) fn new(problem: &Problem, threads: usize, exact: bool) -> Self {
        let dims: Vec<_> = (0..=problem.steps()).map(|k| problem.dims(k)).collect();
        let threads = threads.clamp(1, dims.len());
        // Without a pool, all is done by the caller's thread.
        let build = || rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok();
        let pool = if threads > 1 { build() } else { None };
        let count = if pool.is_some() { threads } else { 1 };
        let slot = |(k, d): (usize, &Dims)| {
            let last = k == problem.steps();
            let value = NodeValue {
                cost: 0.0,
                next: vec![0.0; if last { 0 } else { d.nx }],
                rows: vec![0.0; d.n_eq + d.n_in],
                gap: vec![0.0; d.ndx],
            };
            let alone = Dims { nx: 0, ndx: 0, nu: 0, n_eq: 0, n_in: 0 };
            NodeSlot {
                iterate: Mutex::new(if exact { Quadratic::exact(*d, last) } else { Quadratic::new(*d, last) }),
                // Alone, nobody linearizes what may not be taken.
                trial: Mutex::new(Quadratic::new(if count > 1 { *d } else { alone }, last)),
                point: Mutex::new(Point {
                    x: vec![0.0; d.nx],
                    u: vec![0.0; d.nu],
                    multipliers: exact.then(|| Multipliers::new(*d, last)),
                    value,
                }),
                // Zero until work begins: nobody waits for what nobody was asked for.
                done: AtomicBool::new(true),
                known: AtomicBool::new(false),
            }
        };
        Self {
            nodes: dims.iter().enumerate().map(slot).collect(),
            queue: Mutex::new(Queue::EMPTY),
            open: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            exact: AtomicBool::new(false),
            beside: AtomicU64::new(0),
            unwanted: AtomicBool::new(false),
            memory: (0..count).map(|_| Mutex::new(problem.memory())).collect(),
            pool,
            dims,
        }
    }

    /// Sizes of all nodes.
    #[must_use]
    pub fn dims(&self) -> &[Dims] {
        &self.dims
    }
    /// Memory of the solver's thread.
    ///
    /// # Panics
    /// If it is borrowed already, as a [`RefCell`](std::cell::RefCell): the other functions need it too.
    pub fn memory(&self) -> impl DerefMut<Target = ProblemMemory> {
        borrow(&self.memory[0])
    }

    fn put(&self, k: usize, x: &[f64], u: &[f64]) {
        let mut point = lock(&self.nodes[k].point);
        point.x.copy_from_slice(x);
        point.u.copy_from_slice(u);
    }

    fn put_all(&self, at: &Trajectory) {
        for k in 0..self.nodes.len() {
            self.put(k, at.x(k), at.u(k));
        }
    }

    /// Starts to linearize all nodes of a trajectory, without the curvature of its constraints and dynamics.
    pub fn start(&self, at: &Trajectory) {
        self.exact.store(false, Ordering::Release);
        self.put_all(at);
        self.begin(Work::Iterate, 0);
    }
    /// The same, with the curvature of the Lagrangian at these multipliers, one set a node, if the algorithm is
    /// [`EXACT`](super::Algorithm::EXACT).
    pub fn start_exact(&self, at: &Trajectory, multipliers: &[Multipliers]) {
        for (slot, from) in self.nodes.iter().zip(multipliers) {
            if let Some(to) = &mut lock(&slot.point).multipliers {
                to.next.copy_from(&from.next);
                to.eq.copy_from(&from.eq);
                to.ineq.copy_from(&from.ineq);
            }
        }
        self.exact.store(true, Ordering::Release);
        self.put_all(at);
        self.begin(Work::Iterate, 0);
    }
    /// Whether a linearized node has returned its curvature.
    #[must_use]
    pub fn knows_curvature(&self, k: usize) -> bool {
        self.nodes[k].known.load(Ordering::Acquire)
    }
    /// A node that has been linearized, or is now; zero before the first [`start`](Self::start).
    ///
    /// # Panics
    /// If the node is borrowed already, as a [`RefCell`](std::cell::RefCell); so do the functions that start other
    /// work.
    pub fn node(&self, problem: &Problem, k: usize) -> impl DerefMut<Target = Quadratic> {
        let mut idle = 0;
        while !self.nodes[k].done.load(Ordering::Acquire) {
            let mut memory = self.memory();
            if !self.run_one(problem, &mut memory) {
                drop(memory);
                back_off(&mut idle);
            }
        }
        borrow(&self.nodes[k].iterate)
    }
    /// Linearizes the remaining nodes, and returns the cost.
    ///
    /// # Errors
    /// [`Fault`] of the first node that cannot be evaluated.
    pub fn complete(&self, problem: &Problem) -> Result<f64, Fault> {
        self.finish(problem)?;
        Ok(self.nodes.iter().map(|slot| borrow(&slot.iterate).cost).sum())
    }

    /// Evaluates a trajectory without derivatives, and passes the values of each node to `see`.
    ///
    /// # Errors
    /// [`Fault`] of the first node that cannot be evaluated.
    pub fn evaluate(
        &self,
        problem: &Problem,
        at: &Trajectory,
        mut see: impl FnMut(usize, &NodeValue),
    ) -> Result<(), Fault> {
        self.put_all(at);
        self.begin(Work::Values, 0);
        self.finish(problem)?;
        let space = problem.space();
        for k in 0..self.nodes.len() {
            let before = k.checked_sub(1).map(|before| lock(&self.nodes[before].point));
            let reached = before.as_ref().map_or(problem.start(), |before| &before.value.next);
            let value = &mut lock(&self.nodes[k].point).value;
            let done = space.difference(at.x(k), reached, &mut value.gap);
            done.map_err(|reason| of_dynamics(problem, k, reason))?;
            see(k, value);
        }
        Ok(())
    }

    /// Has a step tried by another thread, which there must be.
    pub(super) fn try_beside(&self, step: f64) {
        self.unwanted.store(false, Ordering::Relaxed);
        self.beside.store(step.to_bits(), Ordering::Release);
    }
    /// Waits until that is done, or given up where it is not `wanted` any more.
    pub(super) fn join_beside(&self, wanted: bool) {
        self.unwanted.store(!wanted, Ordering::Release);
        let mut idle = 0;
        while self.beside.load(Ordering::Acquire) != 0 {
            back_off(&mut idle);
        }
    }

    /// Whether other threads can linearize nodes of a trial meanwhile.
    pub(super) fn has_helpers(&self) -> bool {
        self.memory.len() > 1
    }
    /// A trial begins, whose nodes may be linearized as they are [offered](Self::offer).
    pub(super) fn begin_trial(&self) {
        self.begin(Work::Trial, 0);
    }
    /// The trial has reached the node before this one.
    pub(super) fn offer(&self, k: usize, x: &[f64], u: &[f64]) {
        self.put(k, x, u);
        let mut queue = lock(&self.queue);
        queue.offered = k + 1;
        self.open.store(true, Ordering::Release);
    }
    /// The trial is over. If it was taken, what has been linearized of it is that of the iterate, and
    /// the rest of its nodes is begun.
    pub(super) fn end_trial(&self, taken: bool) {
        lock(&self.queue).work = Work::Idle;
        self.wait_idle();
        if !taken {
            lock(&self.queue).fault = None;
            // The derivatives of the iterate are still there.
            self.nodes.iter().for_each(|slot| slot.done.store(true, Ordering::Release));
            return;
        }
        let first = lock(&self.queue).front;
        for slot in &self.nodes[..first] {
            std::mem::swap(&mut *borrow(&slot.iterate), &mut *borrow(&slot.trial));
        }
        let fault = lock(&self.queue).fault.take();
        self.begin(Work::Iterate, first);
        lock(&self.queue).fault = fault;
    }
}
