//! Where the stack begins, for registers wider than its own alignment.

/// Lets the stack of the function that this is inlined into begin at a line of the cache.
///
/// The compiler alone aligns it to 16 bytes, wherever the system has put it. In half of all runs of a program every
/// other register of AVX2 that it keeps there then crosses two lines, in three quarters every one of AVX-512: the same
/// inverse dynamics over dual numbers took 1.04 to 1.33 µs.
#[inline(always)]
pub(super) fn align_stack() {
    #[repr(align(64))]
    struct Line(std::mem::MaybeUninit<u8>);
    let line = Line(std::mem::MaybeUninit::uninit());
    std::hint::black_box(&line.0);
}
