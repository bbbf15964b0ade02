//! Leading dimensions: those of many states.

use super::LEADING;

/// Lengths of leading dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lead {
    pub(super) sizes: [usize; LEADING],
    pub(super) count: usize,
}

impl Lead {
    /// One leading dimension.
    pub(crate) fn line(states: usize) -> Self {
        let mut lead = Self { count: 1, ..Self::default() };
        lead.sizes[0] = states;
        lead
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }
    pub(crate) fn sizes(&self) -> &[usize] {
        &self.sizes[..self.count]
    }
    /// How many states there are.
    pub(crate) fn states(&self) -> usize {
        self.sizes().iter().product()
    }
    /// The shape of both, as NumPy broadcasts.
    pub(crate) fn broadcast(&self, other: &Self) -> Option<Self> {
        let (long, short) = if self.count >= other.count { (self, other) } else { (other, self) };
        let mut joined = *long;
        for (to, size) in joined.sizes[..long.count].iter_mut().rev().zip(short.sizes().iter().rev()) {
            match (*to, *size) {
                (a, b) if a == b => {}
                (1, b) => *to = b,
                (_, 1) => {}
                _ => return None,
            }
        }
        Some(joined)
    }
    /// The indices of a state.
    pub(crate) fn index(&self, mut state: usize) -> Vec<usize> {
        let mut index = vec![0; self.count];
        for (index, size) in index.iter_mut().zip(self.sizes()).rev() {
            *index = state % size;
            state /= size;
        }
        index
    }
}
