//! Numbers where lines of the cache begin.

use gradyn_derivatives::Real;
use std::ops::{Deref, DerefMut};

/// A line of a cache, in bytes, and the widest register.
const LINE: usize = 64;

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
        let (len, line) = (self.len(), LINE.div_ceil(size_of::<T>()));
        self.data.reserve_exact((len + line).saturating_sub(self.data.len()));
        // Where nothing is known of the address (an interpreter may say so), any place will do.
        self.begin = self.data.as_ptr().align_offset(LINE).min(line);
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
