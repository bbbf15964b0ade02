//! Which states could be computed.

use gradyn_derivatives::WIDTH;

/// Which states of a batch are finite, arguments and results; those that are not have NaN for all results.
#[derive(Clone, Copy, Debug)]
pub struct Finite<'a> {
    /// One bit per state: set if the state is invalid.
    pub(super) masks: &'a [u8],
    pub(super) count: usize,
}

impl<'a> Finite<'a> {
    /// How many states there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }
    /// Whether all states are finite.
    #[must_use]
    pub fn all(&self) -> bool {
        self.masks.iter().all(|mask| *mask == 0)
    }
    /// Whether state `s` is finite. False if there is no such state.
    #[must_use]
    pub fn state(&self, s: usize) -> bool {
        s < self.count && self.masks[s / WIDTH] >> (s % WIDTH) & 1 == 0
    }
    /// The states that are not, in their order. The same call for that state alone says what is wrong with it.
    pub fn exceptions(self) -> impl Iterator<Item = usize> + 'a {
        (0..self.count).filter(move |s| !self.state(*s))
    }
}
