//! What an algorithm derives from the constants of a model once.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Something made of a model's constants at its first use, by whoever needs it. Models that differ have one each.
#[derive(Clone, Default)]
pub(crate) struct Derived(OnceLock<Option<Arc<dyn Any + Send + Sync>>>);

impl Derived {
    /// What `make` gave at the first call.
    #[inline]
    pub(crate) fn get<D: Any + Send + Sync>(&self, make: impl FnOnce() -> Option<D>) -> Option<&D> {
        let made = self.0.get_or_init(|| make().map(|derived| Arc::new(derived) as Arc<dyn Any + Send + Sync>));
        made.as_deref().and_then(<dyn Any + Send + Sync>::downcast_ref)
    }

    /// The same, if there was such a call.
    #[inline]
    pub(crate) fn peek<D: Any + Send + Sync>(&self) -> Option<&D> {
        self.0.get()?.as_deref().and_then(<dyn Any + Send + Sync>::downcast_ref)
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "Derived(made)" } else { "Derived(not yet)" })
    }
}
