//! The margin of the rank of constraints.

use super::factor::{Factor, NO_PARTS};
use crate::joint::value;
use gradyn_derivatives::Real;

/// How clear the rank of constraints is.
///
/// Rows are taken one after the other; of each, the part counts that those before it leave, in the norm of kinetic
/// energy and relative to the block of rows (positions, or rotations, of one constraint) that it belongs to. Below 1e-8
/// it is dropped. Near that bound a rank is a matter of rounding, and multipliers have no digits left. Which rows come
/// first depends on how they are solved for: take these numbers by their order of magnitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankMargin {
    /// The least part that was kept, between 1e-8 and 1; 1 if nothing was.
    pub kept: f64,
    /// The largest part that was dropped, below 1e-8 unless there are as many rows before it as degrees of freedom; 0
    /// if nothing was.
    pub dropped: f64,
}

impl Default for RankMargin {
    /// Nothing kept, nothing dropped.
    fn default() -> Self {
        let [kept, dropped] = NO_PARTS;
        Self { kept, dropped }
    }
}

impl RankMargin {
    /// Of factors; over numbers that carry derivatives, by their values.
    pub(super) fn of<T: Real>(factor: &Factor<T>) -> Self {
        let [kept, dropped] = factor.parts.map(|part| value(part).sqrt());
        Self { kept, dropped }
    }
}
