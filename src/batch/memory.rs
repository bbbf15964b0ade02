//! What batches are computed in.

use crate::dynamics::Workspace;
use crate::kernels::by_copy::states::StatesMemory;
use crate::model::Model;
use crate::partials::DerivativeWorkspace;
use gradyn_derivatives::{Lanes, Real, Register};
use std::any::Any;
use std::fmt;

/// Memory of one thread.
#[derive(Default)]
pub(super) struct Slot {
    /// For whole registers and for halves; its type depends on the level.
    pub(super) lanes: [Option<Box<dyn Any + Send + Sync>>; 2],
    pub(super) single: Single,
}

/// States in lanes, and what the algorithms need: one a thread.
pub(super) struct BatchMemory<R: Register> {
    pub(super) ws: Workspace<Lanes<R>>,
    /// `q`, `v`, `a` or `τ`, `λ`.
    pub(super) input: [Vec<Lanes<R>>; 4],
    pub(super) value: Lanes<R>,
    /// Where there is a form for eight states of this model; made when first needed.
    pub(super) of_states: Option<StatesMemory<R>>,
    /// Results of several frames, one after the other.
    pub(super) frames: Vec<Lanes<R>>,
}

impl<R: Register> BatchMemory<R> {
    pub(super) fn new(model: &Model) -> Self {
        let zeros = |n: usize| vec![Lanes::zero(); n];
        let input = [zeros(model.nq), zeros(model.nv), zeros(model.nv), zeros(model.nv)];
        Self { ws: Workspace::new(model), input, value: Lanes::zero(), of_states: None, frames: Vec::new() }
    }

    pub(super) fn of<'m>(memory: &'m mut Option<Box<dyn Any + Send + Sync>>, model: &Model) -> Option<&'m mut Self> {
        if !memory.as_ref().is_some_and(|memory| memory.is::<Self>()) {
            *memory = Some(Box::new(Self::new(model)));
        }
        memory.as_mut().and_then(|memory| memory.downcast_mut())
    }

    /// Puts the neutral state, at rest, in place of states that are not finite.
    #[cold]
    pub(super) fn replace(&mut self, model: &Model, bad: u8) {
        let neutral = model.neutral::<f64>();
        for (k, lanes) in self.input.iter_mut().enumerate() {
            for (i, lanes) in lanes.iter_mut().enumerate() {
                let mut x = lanes.to_array();
                for (lane, x) in x.iter_mut().enumerate() {
                    if bad >> lane & 1 == 1 {
                        *x = if k == 0 { neutral[i] } else { 0.0 };
                    }
                }
                *lanes = Lanes::from_array(x);
            }
        }
    }
}

/// What states are evaluated in one by one: each made when first needed.
#[derive(Default)]
pub(super) struct Single {
    ws: Option<Workspace<f64>>,
    derivatives: Option<DerivativeWorkspace>,
}

impl Single {
    pub(super) fn workspace(&mut self, model: &Model) -> &mut Workspace<f64> {
        self.ws.get_or_insert_with(|| Workspace::new(model))
    }

    pub(super) fn derivatives(&mut self, model: &Model) -> &mut DerivativeWorkspace {
        self.derivatives.get_or_insert_with(|| DerivativeWorkspace::new(model))
    }
}

/// Evaluates many states of one model at once. See the [module](super) for the layout of arrays.
#[doc(alias("rneaInParallel", "ModelPool", "parallel"))]
pub struct Batch {
    /// One a thread.
    pub(super) slots: Vec<Slot>,
    /// One bit per state: set if the state is invalid.
    pub(super) masks: Vec<u8>,
    pub(super) structure: u64,
    /// nv, and the number of bodies.
    pub(super) sizes: [usize; 2],
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("threads", &self.slots.len()).finish_non_exhaustive()
    }
}
