//! Memory that functions are computed in, one a thread and model: no user sees it.

use gradyn::batch::Batch;
use gradyn::partials::HessianWorkspace;
use gradyn::{DerivativeWorkspace, Model, SecondOrderWorkspace, Workspace};
use std::cell::RefCell;

/// So many models keep their memory in a thread; of more, the ones least recently used lose it.
const KEPT: usize = 8;

/// Memory of one model: each kind made when first needed.
#[derive(Default)]
pub(crate) struct ModelMemory {
    values: Option<Workspace<f64>>,
    derivatives: Option<DerivativeWorkspace>,
    hessian: Option<HessianWorkspace>,
    second: Option<SecondOrderWorkspace>,
    batch: Option<(usize, Batch)>,
    /// Of the driver: states of an argument one after the other, and results on their way to the caller's array.
    pub(crate) scratch: Vec<f64>,
}

impl ModelMemory {
    #[inline]
    pub(crate) fn values(&mut self, model: &Model) -> &mut Workspace<f64> {
        self.values.get_or_insert_with(|| Workspace::new(model))
    }

    #[inline]
    pub(crate) fn derivatives(&mut self, model: &Model) -> &mut DerivativeWorkspace {
        self.derivatives.get_or_insert_with(|| DerivativeWorkspace::new(model))
    }

    pub(crate) fn hessian(&mut self, model: &Model) -> &mut HessianWorkspace {
        self.hessian.get_or_insert_with(|| HessianWorkspace::new(model))
    }

    pub(crate) fn second(&mut self, model: &Model) -> &mut SecondOrderWorkspace {
        self.second.get_or_insert_with(|| SecondOrderWorkspace::new(model))
    }

    pub(crate) fn batch(&mut self, model: &Model, threads: usize) -> &mut Batch {
        if self.batch.as_ref().is_some_and(|(made_for, _)| *made_for != threads) {
            self.batch = None;
        }
        &mut self.batch.get_or_insert_with(|| (threads, Batch::with_threads(model, threads))).1
    }
}

thread_local! {
    /// Of the models last used in this thread, the last one first.
    static MEMORY: RefCell<Vec<(u64, Box<ModelMemory>)>> = const { RefCell::new(Vec::new()) };
}

/// Calls with the memory of the model of this number. It is taken out of the thread's list meanwhile, so that a call
/// within the call finds memory of its own.
#[inline]
pub(crate) fn with<R>(id: u64, f: impl FnOnce(&mut ModelMemory) -> R) -> R {
    let mut memory = MEMORY.with_borrow_mut(|kept| match kept.iter().rposition(|(of, _)| *of == id) {
        Some(at) if at + 1 == kept.len() => kept.pop().map(|(_, memory)| memory),
        Some(at) => Some(kept.remove(at).1),
        None => None,
    });
    let result = f(memory.get_or_insert_default());
    if let Some(memory) = memory {
        MEMORY.with_borrow_mut(|kept| {
            if kept.len() >= KEPT {
                kept.remove(0);
            }
            kept.push((id, memory));
        });
    }
    result
}
