//! What an algorithm derives from the constants of a model once.

use super::Model;
use gradyn_derivatives::Real;
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// What can be derived from a model.
pub(crate) trait Refresh: Any + Send + Sync {
    /// Writes the numbers again after those of the model have changed: it has the same joints, and entries of
    /// [`Model::joint_dynamics`] for the same degrees of freedom. Allocates nothing, but where a placement that was the
    /// identity at every call before no longer is.
    fn refresh(&mut self, model: &Model);
}

/// Something made of a model's constants at its first use, by whoever needs it. Models that differ have one each.
#[derive(Clone, Default)]
pub(crate) struct Derived(OnceLock<Option<Arc<dyn Refresh>>>);

impl Derived {
    /// What `make` gave at the first call.
    #[inline]
    pub(crate) fn get<D: Refresh>(&self, make: impl FnOnce() -> Option<D>) -> Option<&D> {
        let made = self.0.get_or_init(|| make().map(|derived| Arc::new(derived) as Arc<dyn Refresh>));
        made.as_deref().and_then(|derived| (derived as &dyn Any).downcast_ref())
    }

    /// The same, if there was such a call.
    #[inline]
    pub(crate) fn peek<D: Refresh>(&self) -> Option<&D> {
        self.0.get()?.as_deref().and_then(|derived| (derived as &dyn Any).downcast_ref())
    }

    /// Writes the numbers again, of this model. What a clone of the model uses too stays as it is, and the next use here makes
    /// another.
    pub(super) fn refresh<P: Real>(&mut self, model: &Model<P>) {
        let Some(Some(shared)) = self.0.get_mut() else { return };
        match (Arc::get_mut(shared), (model as &dyn Any).downcast_ref::<Model>()) {
            (Some(derived), Some(model)) => derived.refresh(model),
            _ => *self = Self::default(),
        }
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "Derived(made)" } else { "Derived(not yet)" })
    }
}
