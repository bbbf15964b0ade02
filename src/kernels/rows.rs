//! Copies slices of numbers into rows of eight, and back.
//! Serves: `kernels/by_joint/rnea.rs`. Test: `plan::every_kernel_gives_what_its_page_gives`.

use crate::plan::Row;
use gradyn_derivatives::{Register, WIDTH};

/// Numbers that stand side by side, into rows, the last one filled up with zeros.
#[inline(always)]
pub(crate) fn to_rows(from: &[f64], to: &mut [Row]) {
    let (whole, rest) = from.as_chunks();
    for (to, from) in to.iter_mut().zip(whole) {
        to.0 = *from;
    }
    if let (false, Some(last)) = (rest.is_empty(), to.get_mut(whole.len())) {
        *last = Row::ZERO;
        for (to, from) in last.0.iter_mut().zip(rest) {
            *to = *from;
        }
    }
}

/// And back.
#[inline(always)]
pub(crate) fn from_rows(from: &[Row], to: &mut [f64]) {
    let (whole, rest) = to.as_chunks_mut();
    for (to, from) in whole.iter_mut().zip(from) {
        *to = from.0;
    }
    if let Some(last) = from.get(whole.len()) {
        for (to, from) in rest.iter_mut().zip(last.0) {
            *to = from;
        }
    }
}

/// As many numbers as the column has left.
#[inline(always)]
pub(crate) fn store_left<R: Register>(to: &mut [f64], at: usize, left: usize, x: R) {
    match to[at..].first_chunk_mut::<WIDTH>() {
        Some(to) if left >= WIDTH => *to = x.to_array(),
        _ => x.store_first(&mut to[at..at + left.min(WIDTH)]),
    }
}
