//! Sums in a fixed order, with the same bits on any thread.

/// Entries of one inner sum. Rounding errors grow with this and with the number of such sums, not with the length.
const BLOCK: usize = 1024;

/// `Σ a_i b_i`, over the length of the shorter: eight sums side by side in blocks, and these added in order.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.chunks(BLOCK).zip(b.chunks(BLOCK)).fold(0.0, |sum, (a, b)| sum + block(a, b))
}

/// `Σ a_i`, in the same order.
pub(crate) fn sum(a: &[f64]) -> f64 {
    const ONES: [f64; BLOCK] = [1.0; BLOCK];
    a.chunks(BLOCK).fold(0.0, |sum, a| sum + block(a, &ONES))
}

#[inline]
fn block(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let ((a, a_rest), (b, b_rest)) = (a[..n].as_chunks::<8>(), b[..n].as_chunks::<8>());
    let mut lanes = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    let pairs = [lanes[0] + lanes[4], lanes[1] + lanes[5], lanes[2] + lanes[6], lanes[3] + lanes[7]];
    (pairs[0] + pairs[2]) + (pairs[1] + pairs[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_whole_numbers_are_exact_at_any_length() {
        for n in [0_u32, 1, 7, 8, 9, 1023, 1024, 1025, 5000] {
            let a: Vec<f64> = (1..=n).map(f64::from).collect();
            let n = f64::from(n);
            // Whole numbers below 2⁵³ have no rounding errors.
            assert_eq!(sum(&a).to_bits(), (n * (n + 1.0) / 2.0).to_bits());
            assert_eq!(dot(&a, &a).to_bits(), (n * (n + 1.0) * (2.0 * n + 1.0) / 6.0).to_bits());
        }
    }
}
