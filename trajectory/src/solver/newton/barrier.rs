//! The barriers of a node's rows: `−Σ ln(s − L) − Σ ln(U − s)`, and of [cones](super::cones) `−½ Σ ln(t² − |w|²)`; and
//! how far rows are from the central path.

use super::inequalities::Inequalities;

impl Inequalities {
    /// Of the slacks, without μ.
    pub(super) fn barrier(&self) -> f64 {
        self.barrier_at(&self.s)
    }
    /// Of the trial.
    pub(super) fn trial_barrier(&self) -> f64 {
        self.barrier_at(&self.trial)
    }
    fn barrier_at(&self, s: &[f64]) -> f64 {
        let mut sum = self.barrier_of_cones(s);
        for (i, s) in s.iter().enumerate() {
            for slack in [s - self.lower[i], self.upper[i] - s] {
                if slack.is_finite() {
                    sum -= if slack > 0.0 { slack.ln() } else { f64::NEG_INFINITY };
                }
            }
        }
        sum
    }
    /// The slope of [`barrier`](Self::barrier).
    pub(super) fn barrier_slope(&self) -> f64 {
        let mut sum = self.slope_of_cones();
        for i in 0..self.s.len() {
            let [low, high] = self.slacks(i);
            sum += if low.is_finite() { -self.ds[i] / low } else { 0.0 };
            sum += if high.is_finite() { self.ds[i] / high } else { 0.0 };
        }
        sum
    }

    /// The largest of `|z · slack − μ|`.
    pub(super) fn complementarity(&self, mu: f64) -> f64 {
        let mut largest = self.complementarity_of_cones(mu);
        for i in 0..self.s.len() {
            for (k, slack) in self.slacks(i).into_iter().enumerate() {
                if slack.is_finite() {
                    largest = largest.max((self.z[k][i] * slack - mu).abs());
                }
            }
        }
        largest
    }
}
