//! States into lanes and back: transposition, eight by eight in registers.

use crate::kernels::macros::piece;
use crate::model::{Direction, UNIT_SQUARES, UNIT_WITHIN};
use gradyn_derivatives::{Lanes, Register, WIDTH};

/// Lanes that hold NaN, where all others hold zero.
#[inline(always)]
fn lanes_of_nan<R: Register>(x: R) -> u8 {
    if x.all_lt(R::splat(1.0)) {
        return 0;
    }
    let mut bad = 0;
    for (lane, x) in x.to_array().into_iter().enumerate() {
        bad |= u8::from(x.is_nan()) << lane;
    }
    bad
}

piece!(
    /// Entries of states, of which there are so many from the first on, into lanes. Lanes beyond the last state get that once
    /// more. Returns a bit for each lane that is not finite.
    pub(super) fn read<'a, R: Register>(from: &'a [f64], first: usize, states: usize, to: &'a mut [Lanes<R>]) -> u8 {
        let (n, last, from) = (to.len(), states - 1, &from[first * to.len()..]);
        let zero = R::splat(0.0);
        let mut sum = zero;
        if n < WIDTH {
            // Eight entries from the begin of each state on, of which the first are its own.
            let padded;
            let from = if last * n + WIDTH <= from.len() {
                from
            } else {
                padded = pad(&from[..states * n]);
                &padded
            };
            let columns = transposed::<R>(from, n, last, 0);
            let mut k = 0;
            while k < WIDTH {
                if k < n {
                    sum = columns[k].mul_add(zero, sum); // zero, or NaN if it is not finite
                    to[k] = Lanes(columns[k]);
                }
                k += 1;
            }
            return lanes_of_nan(sum);
        }
        let mut chunk = 0;
        while chunk * WIDTH < n {
            let start = begin(chunk, n);
            let columns = transposed::<R>(from, n, last, start);
            let Some(to) = to[start..].first_chunk_mut::<WIDTH>() else { break };
            let mut k = 0;
            while k < WIDTH {
                sum = columns[k].mul_add(zero, sum);
                to[k] = Lanes(columns[k]);
                k += 1;
            }
            chunk += 1;
        }
        lanes_of_nan(sum)
    }

    /// The lanes in which a quaternion, or (cos, sin), has another length than one: a bit for each.
    pub(super) fn off_unit<'a, R: Register>(directions: &'a [Direction], q: &'a [Lanes<R>]) -> u8 {
        let mut bad = 0;
        for direction in directions {
            let square = direction.square(q).0;
            let off = square.mul_add(R::splat(1.0), R::splat(-1.0));
            // Nearly always none is; such a square is of a length within half of what is allowed.
            if off.mul_add(off, R::splat(0.0)).all_lt(R::splat(UNIT_WITHIN * UNIT_WITHIN)) {
                continue;
            }
            for (lane, square) in square.to_array().into_iter().take(R::LANES).enumerate() {
                bad |= u8::from(!UNIT_SQUARES.contains(&square)) << lane;
            }
        }
        bad
    }
);

/// Eight entries from `start` on, of states of `n` entries each.
#[inline(always)]
fn transposed<R: Register>(from: &[f64], n: usize, last: usize, start: usize) -> [R; WIDTH] {
    let (mut rows, mut at) = ([&[0.0; WIDTH]; WIDTH], start);
    let mut s = 0;
    while s < R::LANES {
        if let Some(row) = from[at..].first_chunk() {
            rows[s] = row;
        }
        if s < last {
            at += n;
        }
        s += 1;
    }
    R::transposed(rows)
}

/// The last states of fewer than eight entries, with zeros after them.
#[cold]
fn pad(from: &[f64]) -> [f64; WIDTH * WIDTH] {
    let mut padded = [0.0; WIDTH * WIDTH];
    for (to, from) in padded.iter_mut().zip(from) {
        *to = *from;
    }
    padded
}

/// Where eight of `n` entries begin: the last eight overlap those before them.
#[inline(always)]
fn begin(chunk: usize, n: usize) -> usize {
    if chunk * WIDTH + WIDTH < n { chunk * WIDTH } else { n - WIDTH }
}

piece!(
    /// Lanes to entries of as many states as `to` has room for. `filled` says of each eight entries whether one of them is
    /// other than zero in any state; all are, where there is no answer. Returns a bit for each lane that is not finite.
    pub(super) fn write<'a, R: Register>(from: &'a [Lanes<R>], filled: &'a [bool], to: &'a mut [f64]) -> u8 {
        let (n, zero) = (from.len(), R::splat(0.0));
        let (mut sum, mut chunk) = (zero, 0);
        while chunk * WIDTH < n {
            if n == chunk * WIDTH + 1 {
                // One that is left goes sooner lane by lane than by transposition.
                let last = from[chunk * WIDTH].0;
                sum = last.mul_add(zero, sum);
                for (to, x) in to.chunks_exact_mut(n).zip(last.to_array()) {
                    to[n - 1] = x;
                }
                break;
            }
            if n < WIDTH {
                let mut columns = [zero; WIDTH];
                let mut k = 0;
                while k < WIDTH {
                    if k < n {
                        columns[k] = from[k].0;
                        sum = columns[k].mul_add(zero, sum);
                    }
                    k += 1;
                }
                let rows = R::rows(columns);
                // What goes beyond one state is replaced by the next.
                let (mut s, mut at) = (0, 0);
                while s < R::LANES {
                    let Some(to) = to.get_mut(at..) else { break };
                    match to.first_chunk_mut::<WIDTH>() {
                        Some(to) => rows[s].store(to),
                        None => rows[s].store_first(to),
                    }
                    at += n;
                    s += 1;
                }
                break;
            }
            let start = begin(chunk, n);
            let mut rows = [R::Whole::splat(0.0); WIDTH];
            // Overlapping entries have been looked at, but these may lie in another eight.
            if start + WIDTH == n || chunk >= filled.len() || filled[chunk] {
                let Some(from) = from[start..].first_chunk::<WIDTH>() else { break };
                let mut columns = [zero; WIDTH];
                let mut k = 0;
                while k < WIDTH {
                    columns[k] = from[k].0;
                    sum = columns[k].mul_add(zero, sum);
                    k += 1;
                }
                rows = R::rows(columns);
            }
            let (mut s, mut rest) = (0, &mut *to);
            while s < R::LANES {
                let Some((state, others)) = std::mem::take(&mut rest).split_at_mut_checked(n) else { break };
                rest = others;
                if let Some(to) = state[start..].first_chunk_mut::<WIDTH>() {
                    rows[s].store(to);
                }
                s += 1;
            }
            chunk += 1;
        }
        lanes_of_nan(sum)
    }
);
