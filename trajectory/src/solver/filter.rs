//! A filter: which pairs of cost and violation are better than all that were left.
//!
//! A. Wächter and L. Biegler, *On the implementation of an interior-point filter line-search algorithm for large-scale nonlinear
//! programming*, Mathematical Programming 106 (2006), section 2.3, equations (18) to (22), with their constants.

use super::crew::Merit;

/// Least share by which a violation must shrink (`γ_θ`).
const LESS_VIOLATION: f64 = 1e-5;
/// Least decrease of the cost, in violations (`γ_φ`).
const LESS_COST: f64 = 1e-5;
/// Share of the slope that a step along a descent of the cost must make (`η_φ`).
const ARMIJO: f64 = 1e-4;
/// Powers of violation and slope by which one decides whether the cost is to be descended (`s_θ`, `s_φ`).
const POWERS: (f64, f64) = (1.1, 2.3);

/// Pairs that no later trajectory may be worse than in both respects.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    pairs: Vec<Merit>,
    /// More violation than this is never accepted.
    most: f64,
    /// Below this violation the cost is to be descended (`θ_min`).
    little: f64,
}

impl Filter {
    pub(super) fn with_capacity(n: usize) -> Self {
        Self { pairs: Vec::with_capacity(n), most: f64::INFINITY, little: 0.0 }
    }

    /// For a solution that begins here.
    pub(super) fn restart(&mut self, at: Merit) {
        self.pairs.clear();
        let size = at.violation.max(1.0);
        (self.most, self.little) = (1e4 * size, 1e-4 * size);
    }

    /// Remembers a point that is left for good.
    pub(super) fn remember(&mut self, from: Merit) {
        if self.pairs.len() < self.pairs.capacity() {
            self.pairs.push(from);
        }
    }
    /// Is a point better than all that were left?
    pub(super) fn allows(&self, at: Merit) -> bool {
        at.cost.is_finite() && at.violation <= self.most && self.pairs.iter().all(|pair| better(*pair, at))
    }
    /// Is a trial accepted, a step `alpha` along a direction with this slope of the cost? Remembers the point that is left where
    /// the filter asks for that.
    pub(super) fn accepts(&mut self, from: Merit, slope: f64, alpha: f64, trial: Merit) -> bool {
        if !self.allows(trial) {
            return false;
        }
        let descends = slope < 0.0 && alpha * (-slope).powf(POWERS.1) > from.violation.powf(POWERS.0);
        if descends && from.violation <= self.little {
            // Where rounding is all that is left, equal counts as less.
            let rounding = 10.0 * f64::EPSILON * from.cost.abs();
            return trial.cost <= from.cost + ARMIJO * alpha * slope + rounding;
        }
        let accepted = better(from, trial);
        if accepted {
            self.remember(from);
        }
        accepted
    }
}

/// Is a trial clearly better than a pair, in cost or in violation?
fn better(than: Merit, trial: Merit) -> bool {
    trial.violation <= (1.0 - LESS_VIOLATION) * than.violation || trial.cost <= than.cost - LESS_COST * than.violation
}
