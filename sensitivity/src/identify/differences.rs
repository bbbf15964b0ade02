//! Accelerations from velocities, over data with gaps.
//!
//! The derivative at a sample is that of the polynomial of fourth degree through it and two neighbors on each side:
//! `a = v̇ + O(h⁴)`, for uneven times too. Samples that lack neighbors are left out: at both ends, and beside gaps.

use super::Data;
use std::ops::Range;

/// Neighbors on each side.
const NEIGHBORS: usize = 2;
/// A step this many times the median one is a gap.
const GAP: f64 = 1.5;

/// Ranges of samples without a gap between them. A step of more than 1.5 medians is a gap.
pub(super) fn segments(time: &[f64]) -> Vec<Range<usize>> {
    let mut steps: Vec<f64> = time.windows(2).map(|t| t[1] - t[0]).collect();
    steps.sort_by(f64::total_cmp);
    let Some(median) = steps.get(steps.len() / 2).copied() else { return std::iter::once(0..time.len()).collect() };
    let mut found = Vec::new();
    let mut start = 0;
    for i in 1..time.len() {
        // Times are often written with six digits.
        if time[i] - time[i - 1] > GAP * median + 2e-6 {
            found.push(start..i);
            start = i;
        }
    }
    found.push(start..time.len());
    found
}

/// Weights of the derivative at `at` of the polynomial through these places (Lagrange).
fn derivative_weights(places: &[f64], at: usize) -> Vec<f64> {
    let x = places[at];
    let product = |skip: &dyn Fn(usize) -> bool, of: f64| -> f64 {
        places.iter().enumerate().filter(|(m, _)| !skip(*m)).map(|(_, place)| of - place).product()
    };
    let weight = |j: usize| {
        if j == at {
            return places.iter().enumerate().filter(|(m, _)| *m != at).map(|(_, place)| 1.0 / (x - place)).sum();
        }
        product(&|m| m == j || m == at, x) / product(&|m| m == j, places[j])
    };
    (0..places.len()).map(weight).collect()
}

impl Data {
    /// Accelerations by differences of velocities, of fourth order in the step. Samples at ends and beside gaps, where a
    /// neighbor is missing, are left out: two on each side. A step of more than 1.5 medians is a gap.
    #[must_use]
    pub fn with_differenced_accelerations(self) -> Self {
        let mut kept = Self { time: vec![], q: vec![], v: vec![], a: vec![], tau: vec![] };
        for segment in segments(&self.time) {
            for i in segment.start + NEIGHBORS..segment.end.saturating_sub(NEIGHBORS) {
                let window = i - NEIGHBORS..=i + NEIGHBORS;
                let weights = derivative_weights(&self.time[window.clone()], NEIGHBORS);
                let rows = &self.v[window];
                let slope = |j: usize| weights.iter().zip(rows).map(|(w, row)| w * row[j]).sum();
                kept.time.push(self.time[i]);
                kept.q.push(self.q[i].clone());
                kept.v.push(self.v[i].clone());
                kept.a.push((0..self.v[i].len()).map(slope).collect());
                kept.tau.push(self.tau[i].clone());
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Polynomials of fourth degree are exact at uneven times; ends and samples beside a gap are left out.
    #[test]
    fn fourth_degree_is_exact_and_gaps_are_left_out() {
        let mut time: Vec<f64> = (0..12).map(|i| 0.1 * f64::from(i) + 0.01 * f64::from(i % 3)).collect();
        time.extend((0..7).map(|i| 3.0 + 0.1 * f64::from(i)));
        let rows = |f: &dyn Fn(f64) -> f64| time.iter().map(|t| vec![f(*t)]).collect::<Vec<_>>();
        let (v, zero) = (rows(&|t| t.powi(4) - 2.0 * t), rows(&|_| 0.0));
        let data = Data { time: time.clone(), q: zero.clone(), v, a: zero.clone(), tau: zero };
        let found = data.with_differenced_accelerations();
        assert_eq!(found.time, [&time[2..10], &time[14..17]].concat());
        for (t, a) in found.time.iter().zip(&found.a) {
            // Rounding of v, of size 150, by a step of 0.1.
            assert!((a[0] - (4.0 * t.powi(3) - 2.0)).abs() < 1e-11, "{} at {t}", a[0]);
        }
    }
}
