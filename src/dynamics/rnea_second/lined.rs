//! Numbers where lines of the cache begin.

use crate::dynamics::lines::{self, LINE};
use gradyn_derivatives::Real;
use std::ops::{Deref, DerefMut};

/// Numbers of which the first stands where a line of the cache begins, as soon as they are [settled](Self::settle).
///
/// Allocators align to 16 bytes: blocks of registers would lie across two lines each.
#[derive(Clone, Debug)]
pub(super) struct Lined<T> {
    data: Vec<T>,
    begin: usize,
}

impl<T: Real> Lined<T> {
    pub(super) fn zeros(len: usize) -> Self {
        Self { data: vec![T::zero(); len], begin: 0 }
    }

    /// Finds their place, before the first use in a call; what they held may be lost. A clone finds another one. Once they have
    /// one, nothing is done.
    #[inline(always)]
    pub(super) fn settle(&mut self) {
        if self.as_ptr().align_offset(LINE) != 0 {
            self.find_place();
        }
    }

    #[cold]
    fn find_place(&mut self) {
        let len = self.len();
        self.data.reserve_exact((len + lines::numbers::<T>()).saturating_sub(self.data.len()));
        self.begin = lines::begin(&self.data);
        self.data.resize(self.begin + len, T::zero());
    }
}

impl<T> Deref for Lined<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.data[self.begin..]
    }
}

impl<T> DerefMut for Lined<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.data[self.begin..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Once they have a place they stay there; a clone finds its own, of the same length.
    #[test]
    fn numbers_begin_at_a_line_of_the_cache_and_stay_there() {
        for len in [0, 1, 7, 8, 640] {
            let mut own = Lined::<f64>::zeros(len);
            let mut clones: Vec<_> = (0..8).map(|_| own.clone()).collect();
            own.settle();
            clones.extend((0..8).map(|_| own.clone()));
            for numbers in clones.iter_mut().chain([&mut own]) {
                numbers.settle();
                let place = numbers.as_ptr();
                assert_eq!((place.addr() % LINE, numbers.len()), (0, len));
                numbers.fill(1.0);
                numbers.settle();
                assert_eq!((numbers.as_ptr(), numbers.iter().sum()), (place, len as f64));
            }
        }
    }
}
