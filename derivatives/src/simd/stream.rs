//! Writing to memory past the caches.

/// Copies rows of `len` numbers, of which those of `from` begin `stride` apart and those of `to` follow each other; as many rows as
/// both have.
///
/// For what is much larger than the caches: on x86-64 lines are written without being read before, and what is in the caches
/// stays there. Elsewhere it is an ordinary copy.
pub fn copy_rows(from: &[f64], stride: usize, to: &mut [f64], len: usize) {
    if len == 0 || stride < len {
        return;
    }
    for (to, from) in to.chunks_exact_mut(len).zip(from.chunks(stride)) {
        if let Some(from) = from.get(..len) {
            stream(from, to);
        }
    }
    fence();
}

/// Copies a row; before anyone reads it, there must be a [`fence`].
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
fn stream(from: &[f64], to: &mut [f64]) {
    use std::arch::x86_64::{_mm_loadu_pd, _mm_stream_pd};
    /// Where two numbers may be streamed to, in bytes.
    const PAIR: usize = 16;
    let begin = to.as_ptr().align_offset(PAIR).min(to.len());
    let (first, to) = to.split_at_mut(begin);
    let (from_first, from) = from.split_at(begin);
    first.copy_from_slice(from_first);
    let (to, last) = to.as_chunks_mut::<2>();
    let (from, from_last) = from.as_chunks::<2>();
    for (to, from) in to.iter_mut().zip(from) {
        // SAFETY: SSE2 is part of x86-64. The load is of a borrowed pair; the store is to a borrowed one that begins at a multiple of
        // 16 bytes, since `to` does; the caller's fence comes before any other access.
        unsafe { _mm_stream_pd(to.as_mut_ptr(), _mm_loadu_pd(from.as_ptr())) };
    }
    last.copy_from_slice(from_last);
}

/// What has been streamed is there for everyone.
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn fence() {
    // SAFETY: SSE is part of x86-64.
    unsafe { std::arch::x86_64::_mm_sfence() }
}

#[cfg(any(not(target_arch = "x86_64"), miri))]
fn stream(from: &[f64], to: &mut [f64]) {
    to.copy_from_slice(from);
}

#[cfg(any(not(target_arch = "x86_64"), miri))]
fn fence() {}

#[cfg(test)]
mod tests {
    use super::copy_rows;

    /// Every number is where a copy puts it, wherever rows begin and end, and no other has been touched.
    #[test]
    #[expect(clippy::float_cmp, reason = "numbers are moved, not computed")]
    fn rows_are_copied_and_nothing_else_is_written() {
        for len in [1, 2, 3, 7, 8, 9, 16, 33] {
            for stride in [len, len + 1, len + 7] {
                for begin in 0..9 {
                    let from: Vec<f64> = (0..5 * stride + 3).map(|k| k as f64).collect();
                    let mut to = vec![-1.0; begin + 5 * len + 4];
                    copy_rows(&from, stride, &mut to[begin..begin + 5 * len], len);
                    for (k, x) in to.iter().enumerate() {
                        let inside = k.checked_sub(begin).filter(|at| *at < 5 * len);
                        let expected = inside.map_or(-1.0, |at| (at / len * stride + at % len) as f64);
                        assert_eq!(*x, expected, "{len} {stride} {begin} {k}");
                    }
                }
            }
        }
    }

    /// Rows that are not there, or overlap, are not copied.
    #[test]
    #[expect(clippy::float_cmp, reason = "numbers are moved, not computed")]
    fn what_does_not_fit_is_left_alone() {
        for (from, stride, len, copied) in
            [(0, 4, 4, 0), (11, 4, 4, 2), (12, 4, 4, 3), (12, 3, 4, 0), (12, 4, 0, 0), (1, 1, 1, 1)]
        {
            let mut to = [-1.0; 12];
            copy_rows(&vec![1.0; from], stride, &mut to, len);
            assert_eq!(to.iter().filter(|x| **x == 1.0).count(), copied * len, "{from} {stride} {len}");
        }
    }
}
