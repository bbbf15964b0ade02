//! The number that writes down what is computed with it.

use crate::error::TraceError;
use crate::graph::Graph;
use crate::operation::{Binary, Id, Operation, Unary};
use gradyn::Real;
use gradyn::derivatives::simd::Piece;
use gradyn::derivatives::{AtLevel, MulAdd};
use std::cell::RefCell;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};
use std::sync::atomic::{AtomicU32, Ordering};

/// A node of the graph that this thread records: four bytes, to be had while a [`Tracer`] stands.
///
/// It is a [`Real`], so every function of the engine takes it. What is computed with a number of another tracer, of another
/// thread or without a tracer is an error value; the tracer's [`finish`](Tracer::finish) says so.
///
/// Comparisons with numbers that depend on an input are nodes where code selects ([`Real::select_lt`], `abs`, `min`, `max`);
/// where it would branch, [`Real::is_below`] answers `None`, as of registers whose lanes differ. Numbers count as finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace(u32);

/// Ids are taken in blocks that no two tracers share, ever: a stale number cannot be another one's.
const BLOCK: u32 = 1 << 10;
static NEXT_BLOCK: AtomicU32 = AtomicU32::new(1);
/// Nodes of one graph, at most: some 40 bytes each.
const MOST: usize = 1 << 23;
/// What is no node.
const ERROR: Trace = Trace(0);

/// What a thread records.
struct Recorder {
    graph: Graph,
    /// Blocks of ids in the order of nodes, ascending.
    blocks: Vec<u32>,
    /// The number of each input, by name.
    inputs: u32,
    fault: Option<TraceError>,
}

thread_local! {
    static RECORDER: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

impl Recorder {
    fn id(&mut self, x: Trace) -> Option<Id> {
        let found = self.blocks.binary_search(&(x.0 / BLOCK)).ok().map(|k| k as u32 * BLOCK + x.0 % BLOCK);
        let found = found.filter(|id| (*id as usize) < self.graph.nodes().len());
        if found.is_none() {
            self.fault.get_or_insert(TraceError::Foreign);
        }
        found
    }

    fn trace(&mut self, id: Id) -> Trace {
        let block = (id / BLOCK) as usize;
        while self.blocks.len() <= block {
            let next = NEXT_BLOCK.fetch_add(1, Ordering::Relaxed);
            if next >= u32::MAX / BLOCK || self.graph.nodes().len() > MOST {
                // Never counts round to the first ones.
                NEXT_BLOCK.store(u32::MAX / BLOCK, Ordering::Relaxed);
                self.fault.get_or_insert(TraceError::TooLarge { nodes: self.graph.nodes().len() });
                return ERROR;
            }
            self.blocks.push(next);
        }
        Trace(self.blocks[block] * BLOCK + id % BLOCK)
    }
}

/// Records, if a tracer stands and all numbers are its own.
fn record<const N: usize>(x: [Trace; N], f: impl FnOnce(&mut Graph, [Id; N]) -> Id) -> Trace {
    RECORDER.with_borrow_mut(|recorder| {
        let Some(recorder) = recorder else { return ERROR };
        if recorder.fault.is_some() {
            return ERROR;
        }
        let mut ids = [0; N];
        for (id, x) in ids.iter_mut().zip(x) {
            let Some(own) = recorder.id(x) else { return ERROR };
            *id = own;
        }
        let id = f(&mut recorder.graph, ids);
        recorder.trace(id)
    })
}

/// Records what this thread computes with [`Trace`], until it is finished or dropped. One at a time.
#[derive(Debug)]
pub struct Tracer {
    /// Not to be sent: it stands for this thread's.
    here: std::marker::PhantomData<*const ()>,
}

impl Tracer {
    /// Begins.
    ///
    /// # Errors
    /// [`TraceError::Nested`] if this thread has a tracer already.
    pub fn new() -> Result<Self, TraceError> {
        RECORDER.with_borrow_mut(|recorder| {
            if recorder.is_some() {
                return Err(TraceError::Nested);
            }
            *recorder = Some(Recorder { graph: Graph::default(), blocks: Vec::new(), inputs: 0, fault: None });
            Ok(Self { here: std::marker::PhantomData })
        })
    }

    /// New inputs.
    #[must_use]
    pub fn inputs(&mut self, count: usize) -> Vec<Trace> {
        let one = |_| {
            RECORDER.with_borrow_mut(|recorder| {
                let Some(recorder) = recorder else { return ERROR };
                let id = recorder.graph.input(recorder.inputs);
                recorder.inputs += 1;
                recorder.trace(id)
            })
        };
        (0..count).map(one).collect()
    }

    /// Ends, and gives the graph with the nodes of these numbers.
    ///
    /// # Errors
    /// [`TraceError::Foreign`] if a number was not this tracer's, [`TraceError::TooLarge`] if there were too many nodes.
    pub fn finish(self, outputs: &[Vec<Trace>]) -> Result<(Graph, Vec<Vec<Id>>), TraceError> {
        let recorder = RECORDER.with_borrow_mut(Option::take);
        let mut recorder = recorder.ok_or(TraceError::Foreign)?;
        let mut ids = Vec::with_capacity(outputs.len());
        for output in outputs {
            ids.push(output.iter().map(|x| recorder.id(*x)).collect::<Option<Vec<Id>>>());
        }
        match recorder.fault {
            Some(fault) => Err(fault),
            None => Ok((recorder.graph, ids.into_iter().flatten().collect())),
        }
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        RECORDER.with_borrow_mut(|recorder| *recorder = None);
    }
}

impl Trace {
    /// The number, if it does not depend on an input.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        RECORDER.with_borrow_mut(|recorder| {
            let recorder = recorder.as_mut()?;
            let id = recorder.id(self)?;
            recorder.graph.value(id)
        })
    }

    fn unary(self, op: Unary) -> Self {
        record([self], |graph, [x]| graph.unary(op, x))
    }
    fn binary(self, op: Binary, other: Self) -> Self {
        record([self, other], |graph, [x, y]| graph.binary(op, x, y))
    }
}

impl From<f64> for Trace {
    fn from(x: f64) -> Self {
        record([], |graph, []| graph.push(Operation::constant(x)))
    }
}

impl Neg for Trace {
    type Output = Self;
    fn neg(self) -> Self {
        self.unary(Unary::Neg)
    }
}

macro_rules! operators {
    ($($op:ident $f:ident $assign:ident $g:ident;)*) => { $(
        impl $op for Trace {
            type Output = Self;
            fn $f(self, other: Self) -> Self {
                self.binary(Binary::$op, other)
            }
        }
        impl $op<f64> for Trace {
            type Output = Self;
            fn $f(self, other: f64) -> Self {
                self.binary(Binary::$op, Self::from(other))
            }
        }
        operators!(@ $op $f $assign $g);
    )* };
    (@ Div $f:ident $assign:ident $g:ident) => {};
    (@ $op:ident $f:ident $assign:ident $g:ident) => {
        impl $assign for Trace {
            fn $g(&mut self, other: Self) {
                *self = self.$f(other);
            }
        }
    };
}
operators! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
    Div div DivAssign div_assign;
}

macro_rules! mul_add {
    ($($p:ty),*) => { $(
        impl MulAdd<$p> for Trace {
            fn mul_plus(self, p: $p, b: Self) -> Self {
                self * p + b
            }
            fn mul_minus(self, p: $p, b: Self) -> Self {
                self * p - b
            }
        }
    )* };
}
mul_add!(Trace, f64);

impl AtLevel for Trace {
    fn call<P: Piece>(piece: P) -> P::Output {
        gradyn::derivatives::simd::call(piece)
    }
}

impl Real for Trace {
    fn sin_cos(self) -> (Self, Self) {
        (self.unary(Unary::Sin), self.unary(Unary::Cos))
    }
    fn sqrt(self) -> Self {
        self.unary(Unary::Sqrt)
    }
    fn recip(self) -> Self {
        Self::from(1.0) / self
    }
    fn exp(self) -> Self {
        self.unary(Unary::Exp)
    }
    fn ln(self) -> Self {
        self.unary(Unary::Ln)
    }
    fn exp_m1(self) -> Self {
        self.unary(Unary::ExpM1)
    }
    fn asin(self) -> Self {
        self.unary(Unary::Asin)
    }
    fn acos(self) -> Self {
        self.unary(Unary::Acos)
    }
    fn atan(self) -> Self {
        self.unary(Unary::Atan)
    }
    fn atan2(self, x: Self) -> Self {
        self.binary(Binary::Atan2, x)
    }
    fn select_lt(self, bound: f64, below: Self, otherwise: Self) -> Self {
        self.select_less(Self::from(bound), below, otherwise)
    }
    fn select_less(self, other: Self, below: Self, otherwise: Self) -> Self {
        record([self, other, below, otherwise], |graph, [a, b, x, y]| graph.select(a, b, x, y))
    }
    fn abs(self) -> Self {
        self.unary(Unary::Abs)
    }
    fn is_finite(self) -> bool {
        self.value().is_none_or(f64::is_finite)
    }
    fn is_below(self, bound: f64) -> Option<bool> {
        self.value().map(|x| x < bound)
    }
    fn any_below(self, bound: f64) -> bool {
        self.value().is_some_and(|x| x < bound)
    }
    fn all_below(self, bound: f64) -> bool {
        self.value().is_none_or(|x| x < bound)
    }
}
