//! The identity of a model. Ids of bodies and frames know the model that gave them.
//!
//! A body of one robot is another body, or none, of the next one, so an id that came from elsewhere is refused instead of being taken as a
//! number. Clones, [lifted](super::Model::lift) models and those with other parameters (`with_…`) are the same model here: their
//! bodies and frames are the same ones.

use super::{InputError, Model};
use gradyn_derivatives::Real;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A number that no other model that has been built has. (They start again after four thousand million.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Number(NonZeroU32);

impl Number {
    /// The next one.
    pub(super) fn next() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(NonZeroU32::MIN.saturating_add(count))
    }
}

/// Names of the models that there are, for messages alone.
static NAMES: Mutex<BTreeMap<Number, String>> = Mutex::new(BTreeMap::new());

/// What clones of a model share.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) number: Number,
}

impl Identity {
    /// Of a model that has just been built.
    pub(super) fn new(number: Number, name: &str) -> Arc<Self> {
        NAMES.lock().unwrap_or_else(PoisonError::into_inner).insert(number, name.to_owned());
        Arc::new(Self { number })
    }
}

impl Drop for Identity {
    fn drop(&mut self) {
        NAMES.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

/// "`panda` (model 3)"; only the number, if it is no more.
fn described(number: Number) -> String {
    let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.get(&number) {
        Some(name) => format!("`{name}` (model {})", number.0),
        None => format!("a model that no longer exists (model {})", number.0),
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $what:literal, $places:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name {
            model: Number,
            index: u32,
        }

        impl $name {
            #[doc = concat!("The ", $what, "'s place in [`Model::", $places, "`].")]
            #[must_use]
            #[inline]
            pub fn index(self) -> usize {
                self.index as usize
            }

            /// Whether it belongs to the model with this number.
            #[inline]
            pub(crate) fn is_of(self, model: Number) -> bool {
                self.model == model
            }

            #[expect(clippy::cast_possible_truncation, reason = "more would fill terabytes")]
            pub(super) fn new(model: Number, index: usize) -> Self {
                Self { model, index: index as u32 }
            }
        }
    };
}

id! {
    /// The name of a body in its model: its place in depth-first order. Other models refuse it.
    BodyId, "body", "bodies"
}
id! {
    /// The name of a frame in its model. Other models refuse it.
    FrameId, "frame", "frames"
}

impl<P: Real> Model<P> {
    /// The place of a body, if it is one of this model.
    #[inline]
    pub(crate) fn place_of(&self, body: BodyId) -> Option<usize> {
        (body.is_of(self.identity.number) && body.index() < self.bodies.len()).then_some(body.index())
    }

    /// The place of a frame, if it is one of this model.
    #[inline]
    pub(crate) fn place_of_frame(&self, frame: FrameId) -> Option<usize> {
        (frame.is_of(self.identity.number) && frame.index() < self.frames.len()).then_some(frame.index())
    }

    /// The id of the body at a place that there is.
    #[inline]
    pub(crate) fn id_of(&self, index: usize) -> BodyId {
        BodyId::new(self.identity.number, index)
    }

    /// The place of a body.
    ///
    /// # Errors
    /// [`InputError::OtherModel`]
    #[inline]
    pub(crate) fn check_body(&self, body: BodyId) -> Result<usize, InputError> {
        self.place_of(body).ok_or_else(|| self.other_model("body", body.index, body.model))
    }

    /// The place of a frame.
    ///
    /// # Errors
    /// [`InputError::OtherModel`]
    #[inline]
    pub(crate) fn check_frame(&self, frame: FrameId) -> Result<usize, InputError> {
        self.place_of_frame(frame).ok_or_else(|| self.other_model("frame", frame.index, frame.model))
    }

    #[cold]
    fn other_model(&self, what: &'static str, index: u32, other: Number) -> InputError {
        let (owner, model) = (described(other), described(self.identity.number));
        InputError::OtherModel { what, index: index as usize, owner, model }
    }
}
