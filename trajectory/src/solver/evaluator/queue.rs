//! The queue of nodes: which thread evaluates which node, and when it waits.

use super::{Evaluator, Point, SecondTrial, borrow, lock};
use crate::fault::Fault;
use crate::problem::{Problem, ProblemMemory};
use std::sync::atomic::Ordering;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// No node is to be evaluated.
    Idle,
    /// Derivatives of a trajectory that is being rolled out, the first nodes first.
    Trial,
    /// Derivatives of the iterate, the last nodes first.
    Iterate,
    /// Values, the last nodes first.
    Values,
}

/// The nodes that are to be evaluated.
pub(super) struct Queue {
    pub(super) work: Work,
    /// The first node that no thread has taken from the front.
    pub(super) front: usize,
    /// The number of nodes that may be taken from the front.
    pub(super) offered: usize,
    /// One past the last node that no thread has taken from the back.
    pub(super) back: usize,
    /// The number of nodes that threads are evaluating.
    pub(super) busy: usize,
    /// Of several faults, that of the first node.
    pub(super) fault: Option<Fault>,
}

impl Queue {
    /// Without work.
    pub(super) const EMPTY: Self = Self { work: Work::Idle, front: 0, offered: 0, back: 0, busy: 0, fault: None };
}

impl Evaluator {
    /// Runs a solver, with the help of the other threads. `trial`: what one of them does with a step that it is to
    /// [try](Self::try_beside).
    pub(in crate::solver) fn serve<R: Send>(
        &self,
        problem: &Problem,
        trial: Option<&dyn SecondTrial>,
        solver: impl FnOnce() -> R + Send,
    ) -> R {
        let Some(pool) = &self.pool else { return solver() };
        self.closed.store(false, Ordering::Release);
        let close = Closing(self);
        let run = move || {
            let _close = close;
            solver()
        };
        pool.install(|| rayon::join(run, || self.help(problem, trial, 1)).0)
    }

    /// Runs the threads from this one on, until the solver is done.
    fn help(&self, problem: &Problem, trial: Option<&dyn SecondTrial>, thread: usize) {
        if thread + 1 < self.memory.len() {
            rayon::join(|| self.work(problem, trial, thread), || self.help(problem, trial, thread + 1));
        } else {
            self.work(problem, trial, thread);
        }
    }

    fn work(&self, problem: &Problem, trial: Option<&dyn SecondTrial>, thread: usize) {
        let mut memory = lock(&self.memory[thread]);
        let mut idle = 0_u32;
        loop {
            let step = if thread == 1 { f64::from_bits(self.beside.load(Ordering::Acquire)) } else { 0.0 };
            if step > 0.0 {
                if let Some(trial) = trial {
                    trial.evaluate(problem, step, &mut memory, &self.unwanted);
                }
                self.beside.store(0, Ordering::Release);
                idle = 0;
            } else if self.run_one(problem, &mut memory) {
                idle = 0;
            } else if self.closed.load(Ordering::Acquire) {
                return;
            } else {
                back_off(&mut idle);
            }
        }
    }

    /// Evaluates the next node of the queue; `false` if there is none.
    pub(super) fn run_one(&self, problem: &Problem, memory: &mut ProblemMemory) -> bool {
        if !self.open.load(Ordering::Acquire) {
            return false;
        }
        let (k, work) = {
            let mut queue = lock(&self.queue);
            let k = match queue.work {
                Work::Idle => {
                    self.open.store(false, Ordering::Release);
                    return false;
                }
                Work::Trial if queue.front < queue.offered => {
                    queue.front += 1;
                    queue.front - 1
                }
                Work::Iterate | Work::Values if queue.back > queue.front => {
                    queue.back -= 1;
                    queue.back
                }
                _ => {
                    self.open.store(false, Ordering::Release);
                    return false;
                }
            };
            queue.busy += 1;
            (k, queue.work)
        };
        let slot = &self.nodes[k];
        let mut point = lock(&slot.point);
        let Point { x, u, multipliers, value } = &mut *point;
        let done = match (work, multipliers) {
            (Work::Iterate, Some(multipliers)) if self.exact.load(Ordering::Acquire) => {
                let known = problem.linearize_exact(k, x, u, multipliers, memory, &mut lock(&slot.iterate));
                known.map(|known| slot.known.store(known, Ordering::Release))
            }
            (Work::Iterate, _) => problem.linearize(k, x, u, memory, &mut lock(&slot.iterate)),
            (Work::Trial, _) => problem.linearize(k, x, u, memory, &mut lock(&slot.trial)),
            _ => problem.value(k, x, u, memory, &mut value.next, &mut value.rows).map(|cost| value.cost = cost),
        };
        drop(point);
        let mut queue = lock(&self.queue);
        queue.busy -= 1;
        if let Err(fault) = done
            && queue.fault.as_ref().is_none_or(|before| fault.node < before.node)
        {
            queue.fault = Some(fault);
        }
        slot.done.store(true, Ordering::Release);
        true
    }

    /// New work for all nodes from `first` on; those before it are done.
    pub(super) fn begin(&self, work: Work, first: usize) {
        if work == Work::Iterate {
            // A thread would wait for a node that the solver has borrowed.
            self.nodes.iter().for_each(|slot| drop(borrow(&slot.iterate)));
        }
        for (k, slot) in self.nodes.iter().enumerate() {
            slot.done.store(k < first, Ordering::Relaxed);
        }
        let mut queue = lock(&self.queue);
        (queue.work, queue.front, queue.offered, queue.back) = (work, first, first, self.nodes.len());
        queue.fault = None;
        self.open.store(work != Work::Idle, Ordering::Release);
    }

    /// Waits until no thread evaluates a node.
    pub(super) fn wait_idle(&self) {
        let mut idle = 0;
        while lock(&self.queue).busy > 0 {
            back_off(&mut idle);
        }
    }

    pub(super) fn finish(&self, problem: &Problem) -> Result<(), Fault> {
        let mut memory = self.memory();
        while self.run_one(problem, &mut memory) {}
        self.wait_idle();
        lock(&self.queue).work = Work::Idle;
        lock(&self.queue).fault.take().map_or(Ok(()), Err)
    }
}

/// Lets the other threads go, also if a solver panics.
struct Closing<'a>(&'a Evaluator);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::Release);
    }
}

/// Waits a moment: at first without leaving the processor.
pub(super) fn back_off(idle: &mut u32) {
    *idle += 1;
    if *idle < 100 { std::hint::spin_loop() } else { std::thread::yield_now() }
}
