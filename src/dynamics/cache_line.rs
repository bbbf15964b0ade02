//! Cache lines.

/// A line, in bytes, and the widest register.
pub(crate) const LINE: usize = 64;

/// How many numbers a line has; at least one.
#[inline(always)]
pub(crate) const fn numbers<T>() -> usize {
    LINE.div_ceil(size_of::<T>())
}

/// The first of these at which a line begins. Where nothing is known of the address (an interpreter may say so), or
/// numbers never begin at one, any will do.
pub(crate) fn begin<T>(data: &[T]) -> usize {
    data.as_ptr().align_offset(LINE).min(numbers::<T>())
}
