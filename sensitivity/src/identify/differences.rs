//! Velocities from positions, and accelerations from velocities, over data with gaps.
//!
//! The derivative at a sample is that of the polynomial of fourth degree through it and two neighbors on each side:
//! `a = v̇ + O(h⁴)`, for uneven times too. For positions it is that of `q(t) ⊖ q(t_i)`, which is the velocity there on
//! any manifold: quaternions are not differenced number by number. Samples without neighbors are left out: at both
//! ends, and beside gaps.

use super::Data;
use crate::error::SensitivityError;
use gradyn::Model;
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
    /// Accelerations by differences of velocities, of fourth order in the step. Samples at ends and beside gaps, where
    /// a neighbor is missing, are left out: two on each side. A step of more than 1.5 medians is a gap.
    #[must_use]
    pub fn with_differenced_accelerations(self) -> Self {
        let all: Vec<usize> = (0..self.v.first().map_or(0, Vec::len)).collect();
        self.with_differenced_accelerations_of(&all)
    }

    /// The same for some degrees of freedom: those of a floating base, if accelerations of the joints are known.
    #[must_use]
    pub fn with_differenced_accelerations_of(mut self, dofs: &[usize]) -> Self {
        let inner = self.inner();
        for (i, weights) in self.windows() {
            let rows = &self.v[i - NEIGHBORS..=i + NEIGHBORS];
            let slope = |dof: usize| weights.iter().zip(rows).map(|(w, row)| w * row[dof]).sum();
            for dof in dofs {
                if let Some(to) = self.a[i].get_mut(*dof) {
                    *to = slope(*dof);
                }
            }
        }
        self.only(&inner)
    }

    /// Velocities of these degrees of freedom by differences of positions, of fourth order in the step, on the manifold
    /// of the robot's configurations: `v(t_i)` is the derivative of `q(t) ⊖ q(t_i)` there. Samples at ends and beside
    /// gaps are left out, as in [`with_differenced_accelerations`](Self::with_differenced_accelerations).
    ///
    /// # Errors
    /// Input that the engine rejects: positions of wrong lengths, quaternions that are not normalized.
    pub fn with_differenced_velocities(mut self, model: &Model, dofs: &[usize]) -> Result<Self, SensitivityError> {
        let inner = self.inner();
        let mut apart = vec![0.0; model.nv()];
        for (i, weights) in self.windows() {
            let mut velocity = vec![0.0; model.nv()];
            for (weight, k) in weights.iter().zip(i - NEIGHBORS..) {
                model.difference_into(&self.q[i], &self.q[k], &mut apart)?;
                velocity.iter_mut().zip(&apart).for_each(|(v, apart)| *v += weight * apart);
            }
            for dof in dofs {
                if let (Some(to), Some(v)) = (self.v[i].get_mut(*dof), velocity.get(*dof)) {
                    *to = *v;
                }
            }
        }
        Ok(self.only(&inner))
    }

    /// Samples with neighbors on each side.
    fn inner(&self) -> Vec<Range<usize>> {
        let of = |range: &Range<usize>| range.len() > 2 * NEIGHBORS;
        let inner = |range: Range<usize>| range.start + NEIGHBORS..range.end - NEIGHBORS;
        segments(&self.time).into_iter().filter(of).map(inner).collect()
    }

    /// Each of them, with the weights of itself and its neighbors.
    fn windows(&self) -> Vec<(usize, Vec<f64>)> {
        let weights = |i: usize| derivative_weights(&self.time[i - NEIGHBORS..=i + NEIGHBORS], NEIGHBORS);
        self.inner().into_iter().flatten().map(|i| (i, weights(i))).collect()
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
        let data = Data { time: time.clone(), q: zero.clone(), v, a: zero.clone(), tau: zero, ..Data::default() };
        let found = data.with_differenced_accelerations();
        assert_eq!(found.time, [&time[2..10], &time[14..17]].concat());
        for (t, a) in found.time.iter().zip(&found.a) {
            // Rounding of v, of size 150, by a step of 0.1.
            assert!((a[0] - (4.0 * t.powi(3) - 2.0)).abs() < 1e-11, "{} at {t}", a[0]);
        }
    }
}
