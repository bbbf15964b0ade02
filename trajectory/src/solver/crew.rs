//! Evaluates all nodes, values and derivatives, with all available threads.
//!
//! One thread, the solver's, runs sweeps and roll-outs, which are sequential. The others linearize nodes. While the
//! solver rolls out a trial, they take the nodes that it has reached, in case the trial is accepted. While it sweeps
//! from the end, they take the remaining nodes, the last ones first. When the solver has to wait, it takes nodes too.
//!
//! The results for a node depend on its state alone, and sums are taken in the order of the nodes. Results are
//! therefore the same to the last bit for any number of threads.

use super::support::of_dynamics;
use crate::fault::Fault;
use crate::problem::{Problem, ProblemMemory};
use crate::quadratic::{Dims, Multipliers, Quadratic};
use crate::riccati::LqSolution;
use crate::trajectory::Trajectory;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Derivatives of all nodes, twice: those of the trajectory that is kept, and those of the one that is tried.
pub(super) struct Crew {
    dims: Vec<Dims>,
    nodes: Vec<Cell>,
    board: Mutex<Board>,
    /// Whether there may be a node to take. Read before the board, whose lock the solver also needs.
    open: AtomicBool,
    closed: AtomicBool,
    /// Whether the curvature of the Lagrangian is needed.
    bent: AtomicBool,
    /// A step that a helper is to try beside the solver's; zero if none. Bits of an `f64`.
    beside: AtomicU64,
    /// Whether the work is no longer needed.
    unwanted: AtomicBool,
    memory: Vec<Mutex<ProblemMemory>>,
    pool: Option<rayon::ThreadPool>,
}

/// Tries a step, with a thread's memory, until it is not wanted any more.
pub(super) type Trying<'a> = dyn Fn(f64, &mut ProblemMemory, &AtomicBool) + Sync + 'a;

/// What threads share of a node.
struct Cell {
    kept: Mutex<Quadratic>,
    tried: Mutex<Quadratic>,
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
    value: Value,
}

/// A node without derivatives.
pub(super) struct Value {
    pub(super) cost: f64,
    next: Vec<f64>,
    /// Equalities, then rows between bounds.
    pub(super) rows: Vec<f64>,
    pub(super) gap: Vec<f64>,
}

/// A trajectory without derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Merit {
    pub(super) cost: f64,
    /// The sum of all gaps and all that equalities are off, in absolute value.
    pub(super) violation: f64,
    /// What they cost at given multipliers, `λᵀ d + νᵀ c`: with the cost, the Lagrangian.
    pub(super) priced: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// Nothing to be taken.
    Rest,
    /// Derivatives of a trajectory that is being rolled out, the first nodes first.
    Tried,
    /// Derivatives of the trajectory that is kept, the last nodes first.
    Kept,
    /// Values, the last nodes first.
    Values,
}

/// Which nodes are to be taken.
struct Board {
    work: Work,
    /// The first node that nobody has taken from the front.
    front: usize,
    /// So many nodes may be taken from the front.
    offered: usize,
    /// One past the last node that nobody has taken from the back.
    back: usize,
    /// Nodes in somebody's hands.
    busy: usize,
    /// Of several faults, that of the first node.
    fault: Option<Fault>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What another thread has left half done is written anew before it is read.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Crew {
    pub(super) fn new(problem: &Problem, threads: usize) -> Self {
        Self::of(problem, threads, false)
    }
    /// With the curvature of the Lagrangian.
    pub(super) fn exact(problem: &Problem, threads: usize) -> Self {
        Self::of(problem, threads, true)
    }
    fn of(problem: &Problem, threads: usize, exact: bool) -> Self {
        let dims: Vec<_> = (0..=problem.steps()).map(|k| problem.dims(k)).collect();
        let threads = threads.clamp(1, dims.len());
        // Without a pool, all is done by the caller's thread.
        let build = || rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok();
        let pool = if threads > 1 { build() } else { None };
        let count = if pool.is_some() { threads } else { 1 };
        let cell = |(k, d): (usize, &Dims)| {
            let last = k == problem.steps();
            let value = Value {
                cost: 0.0,
                next: vec![0.0; if last { 0 } else { d.nx }],
                rows: vec![0.0; d.n_eq + d.n_in],
                gap: vec![0.0; d.ndx],
            };
            let alone = Dims { nx: 0, ndx: 0, nu: 0, n_eq: 0, n_in: 0 };
            Cell {
                kept: Mutex::new(if exact { Quadratic::exact(*d, last) } else { Quadratic::new(*d, last) }),
                // Alone, nobody linearizes what may not be taken.
                tried: Mutex::new(Quadratic::new(if count > 1 { *d } else { alone }, last)),
                point: Mutex::new(Point {
                    x: vec![0.0; d.nx],
                    u: vec![0.0; d.nu],
                    multipliers: exact.then(|| Multipliers::new(*d, last)),
                    value,
                }),
                done: AtomicBool::new(false),
                known: AtomicBool::new(false),
            }
        };
        let board = Board { work: Work::Rest, front: 0, offered: 0, back: 0, busy: 0, fault: None };
        Self {
            nodes: dims.iter().enumerate().map(cell).collect(),
            board: Mutex::new(board),
            open: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            bent: AtomicBool::new(false),
            beside: AtomicU64::new(0),
            unwanted: AtomicBool::new(false),
            memory: (0..count).map(|_| Mutex::new(problem.memory())).collect(),
            pool,
            dims,
        }
    }

    pub(super) fn dims(&self) -> &[Dims] {
        &self.dims
    }
    /// Memory of the solver's thread.
    pub(super) fn memory(&self) -> MutexGuard<'_, ProblemMemory> {
        lock(&self.memory[0])
    }

    /// Runs a solver, with the other threads at its service. `trial`: what one of them does with a step that it is to
    /// [try](Self::try_beside).
    pub(super) fn serve<R: Send>(&self, problem: &Problem, trial: &Trying<'_>, solver: impl FnOnce() -> R + Send) -> R {
        let Some(pool) = &self.pool else { return solver() };
        self.closed.store(false, Ordering::Release);
        let close = Closing(self);
        let run = move || {
            let _close = close;
            solver()
        };
        pool.install(|| rayon::join(run, || self.help(problem, trial, 1)).0)
    }

    /// The threads from this one on, each at work until the solver is done.
    fn help(&self, problem: &Problem, trial: &Trying<'_>, thread: usize) {
        if thread + 1 < self.memory.len() {
            rayon::join(|| self.work(problem, trial, thread), || self.help(problem, trial, thread + 1));
        } else {
            self.work(problem, trial, thread);
        }
    }

    fn work(&self, problem: &Problem, trial: &Trying<'_>, thread: usize) {
        let mut memory = lock(&self.memory[thread]);
        let mut idle = 0_u32;
        loop {
            let step = if thread == 1 { f64::from_bits(self.beside.load(Ordering::Acquire)) } else { 0.0 };
            if step > 0.0 {
                trial(step, &mut memory, &self.unwanted);
                self.beside.store(0, Ordering::Release);
                idle = 0;
            } else if self.take(problem, &mut memory) {
                idle = 0;
            } else if self.closed.load(Ordering::Acquire) {
                return;
            } else {
                rest(&mut idle);
            }
        }
    }

    /// Takes a node, if there is one, and does its work.
    fn take(&self, problem: &Problem, memory: &mut ProblemMemory) -> bool {
        if !self.open.load(Ordering::Acquire) {
            return false;
        }
        let (k, work) = {
            let mut board = lock(&self.board);
            let k = match board.work {
                Work::Rest => {
                    self.open.store(false, Ordering::Release);
                    return false;
                }
                Work::Tried if board.front < board.offered => {
                    board.front += 1;
                    board.front - 1
                }
                Work::Kept | Work::Values if board.back > board.front => {
                    board.back -= 1;
                    board.back
                }
                _ => {
                    self.open.store(false, Ordering::Release);
                    return false;
                }
            };
            board.busy += 1;
            (k, board.work)
        };
        let cell = &self.nodes[k];
        let mut point = lock(&cell.point);
        let Point { x, u, multipliers, value } = &mut *point;
        let done = match (work, multipliers) {
            (Work::Kept, Some(multipliers)) if self.bent.load(Ordering::Acquire) => {
                let known = problem.linearize_exact(k, x, u, multipliers, memory, &mut lock(&cell.kept));
                known.map(|known| cell.known.store(known, Ordering::Release))
            }
            (Work::Kept, _) => problem.linearize(k, x, u, memory, &mut lock(&cell.kept)),
            (Work::Tried, _) => problem.linearize(k, x, u, memory, &mut lock(&cell.tried)),
            _ => problem.value(k, x, u, memory, &mut value.next, &mut value.rows).map(|cost| value.cost = cost),
        };
        drop(point);
        let mut board = lock(&self.board);
        board.busy -= 1;
        if let Err(fault) = done
            && board.fault.as_ref().is_none_or(|before| fault.node < before.node)
        {
            board.fault = Some(fault);
        }
        cell.done.store(true, Ordering::Release);
        true
    }

    /// New work for all nodes from `first` on; those before it are done.
    fn begin(&self, work: Work, first: usize) {
        for (k, cell) in self.nodes.iter().enumerate() {
            cell.done.store(k < first, Ordering::Relaxed);
        }
        let mut board = lock(&self.board);
        (board.work, board.front, board.offered, board.back) = (work, first, first, self.nodes.len());
        board.fault = None;
        self.open.store(work != Work::Rest, Ordering::Release);
    }

    /// Until nobody holds a node.
    fn calm(&self) {
        let mut idle = 0;
        while lock(&self.board).busy > 0 {
            rest(&mut idle);
        }
    }

    fn finish(&self, problem: &Problem) -> Result<(), Fault> {
        let mut memory = self.memory();
        while self.take(problem, &mut memory) {}
        self.calm();
        lock(&self.board).work = Work::Rest;
        lock(&self.board).fault.take().map_or(Ok(()), Err)
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

    /// Begins to linearize all nodes of a trajectory.
    pub(super) fn start(&self, at: &Trajectory) {
        self.bent.store(false, Ordering::Release);
        self.put_all(at);
        self.begin(Work::Kept, 0);
    }
    /// The same, with the curvature of the Lagrangian at these multipliers, one set a node.
    pub(super) fn start_exact(&self, at: &Trajectory, multipliers: &[Multipliers]) {
        for (cell, from) in self.nodes.iter().zip(multipliers) {
            if let Some(to) = &mut lock(&cell.point).multipliers {
                to.next.copy_from(&from.next);
                to.eq.copy_from(&from.eq);
                to.ineq.copy_from(&from.ineq);
            }
        }
        self.bent.store(true, Ordering::Release);
        self.put_all(at);
        self.begin(Work::Kept, 0);
    }
    /// Whether a linearized node has returned its curvature.
    pub(super) fn knows_curvature(&self, k: usize) -> bool {
        self.nodes[k].known.load(Ordering::Acquire)
    }
    /// A node that has been linearized, or is now.
    pub(super) fn node(&self, problem: &Problem, k: usize) -> MutexGuard<'_, Quadratic> {
        let mut idle = 0;
        while !self.nodes[k].done.load(Ordering::Acquire) {
            let mut memory = self.memory();
            if !self.take(problem, &mut memory) {
                drop(memory);
                rest(&mut idle);
            }
        }
        lock(&self.nodes[k].kept)
    }
    /// Linearizes what is left; the cost.
    pub(super) fn complete(&self, problem: &Problem) -> Result<f64, Fault> {
        self.finish(problem)?;
        Ok(self.nodes.iter().map(|cell| lock(&cell.kept).cost).sum())
    }

    /// Values and gaps of a trajectory, without derivatives, each node's given to `see`.
    pub(super) fn evaluate(
        &self,
        problem: &Problem,
        at: &Trajectory,
        mut see: impl FnMut(usize, &Value),
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

    /// Cost, gaps and equalities of a trajectory, without derivatives; multipliers are those of `prices`.
    pub(super) fn merit(&self, problem: &Problem, at: &Trajectory, prices: &LqSolution) -> Result<Merit, Fault> {
        let mut merit = Merit { cost: 0.0, violation: 0.0, priced: 0.0 };
        self.evaluate(problem, at, |k, Value { cost, rows, gap, .. }| {
            merit.cost += *cost;
            let prices = prices.costates[k].iter().chain(prices.multipliers[k].iter());
            merit.priced += gap.iter().chain(rows.iter()).zip(prices).map(|(off, price)| off * price).sum::<f64>();
            merit.violation += gap.iter().chain(rows.iter()).map(|x| x.abs()).sum::<f64>();
        })?;
        Ok(merit)
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
            rest(&mut idle);
        }
    }

    /// Whether other threads can linearize nodes of a trial meanwhile.
    pub(super) fn has_helpers(&self) -> bool {
        self.memory.len() > 1
    }
    /// A trial begins, whose nodes may be linearized as they are [offered](Self::offer).
    pub(super) fn begin_trial(&self) {
        self.begin(Work::Tried, 0);
    }
    /// The trial has reached the node before this one.
    pub(super) fn offer(&self, k: usize, x: &[f64], u: &[f64]) {
        self.put(k, x, u);
        let mut board = lock(&self.board);
        board.offered = k + 1;
        self.open.store(true, Ordering::Release);
    }
    /// The trial is over. If it was taken, what has been linearized of it is that of the trajectory that is kept, and
    /// the rest of its nodes is begun.
    pub(super) fn end_trial(&self, taken: bool) {
        lock(&self.board).work = Work::Rest;
        self.calm();
        if !taken {
            lock(&self.board).fault = None;
            // The derivatives of the trajectory that is kept are still there.
            self.nodes.iter().for_each(|cell| cell.done.store(true, Ordering::Release));
            return;
        }
        let first = lock(&self.board).front;
        for cell in &self.nodes[..first] {
            std::mem::swap(&mut *lock(&cell.kept), &mut *lock(&cell.tried));
        }
        let fault = lock(&self.board).fault.take();
        self.begin(Work::Kept, first);
        lock(&self.board).fault = fault;
    }
}

/// Lets the helpers go, also where a solver panics.
struct Closing<'a>(&'a Crew);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::Release);
    }
}

/// Waits a moment: at first without leaving the processor.
fn rest(idle: &mut u32) {
    *idle += 1;
    if *idle < 100 { std::hint::spin_loop() } else { std::thread::yield_now() }
}
