//! A filter: accepts pairs of cost and violation that are better than all previous ones.
//!
//! A. Wächter and L. Biegler, *On the implementation of an interior-point filter line-search algorithm for large-scale
//! nonlinear programming*, Mathematical Programming 106 (2006), section 2.3, equations (18) to (22), with their
//! constants.

/// Least share by which a violation must shrink (`γ_θ`).
const LESS_VIOLATION: f64 = 1e-5;
/// Least decrease of the cost, in violations (`γ_φ`).
const LESS_COST: f64 = 1e-5;
/// Share of the slope that a step along a descent of the cost must make (`η_φ`).
const ARMIJO: f64 = 1e-4;
/// Powers of violation and slope by which one decides whether the cost is to be descended (`s_θ`, `s_φ`).
const POWERS: (f64, f64) = (1.1, 2.3);

/// A trajectory as the filter sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Merit {
    /// Its cost, with barriers.
    pub(super) cost: f64,
    /// The sum of gaps and violations of constraints, in absolute value.
    pub(super) violation: f64,
}

/// Pairs that no later trajectory may be worse than in both respects.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    /// Violations up to this count as none: rounding decides about them.
    none: f64,
    pairs: Vec<Merit>,
    /// More violation than this is never accepted.
    most: f64,
    /// Below this violation the cost is to be descended (`θ_min`).
    little: f64,
}

impl Filter {
    pub(super) fn with_capacity(n: usize) -> Self {
        Self { none: 0.0, pairs: Vec::with_capacity(n), most: f64::INFINITY, little: 0.0 }
    }
    /// From now on violations up to this count as none: what is left of them is rounding, which shall not decide.
    pub(super) fn forgive(&mut self, none: f64) {
        self.none = none;
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
    /// Whether a point is better than all stored points.
    pub(super) fn allows(&self, at: Merit) -> bool {
        at.cost.is_finite() && at.violation <= self.most && self.pairs.iter().all(|pair| self.is_better(*pair, at))
    }
    /// Whether a trial is accepted: a step `alpha` along a direction with this slope of the cost. Stores the previous
    /// point if the filter requires it.
    pub(super) fn accepts(&mut self, from: Merit, slope: f64, alpha: f64, trial: Merit) -> bool {
        if !self.allows(trial) {
            return false;
        }
        let armijo = trial.cost <= from.cost + ARMIJO * alpha * slope + rounding(from.cost);
        let descends = slope < 0.0 && alpha * (-slope).powf(POWERS.1) > from.violation.powf(POWERS.0);
        if descends && from.violation <= self.little {
            return armijo;
        }
        if slope < 0.0 && armijo && self.is_none(from) && self.is_none(trial) {
            return true;
        }
        let accepted = self.is_better(from, trial);
        if accepted {
            self.remember(from);
        }
        accepted
    }
    /// Whether a violation is zero to rounding.
    fn is_none(&self, at: Merit) -> bool {
        at.violation <= self.none
    }
    /// Whether a trial is clearly better than a pair, in cost or in violation.
    fn is_better(&self, than: Merit, trial: Merit) -> bool {
        let equal = self.is_none(than) && self.is_none(trial);
        let least = if equal { 0.0 } else { LESS_COST * than.violation };
        trial.violation <= (1.0 - LESS_VIOLATION) * than.violation
            || trial.cost <= than.cost - least + rounding(than.cost)
    }
}

/// Where rounding is all that is left, equal costs count as less: Wächter and Biegler, section 3.8.
fn rounding(cost: f64) -> f64 {
    10.0 * f64::EPSILON * cost.abs()
}
