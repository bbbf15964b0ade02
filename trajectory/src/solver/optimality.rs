//! The KKT residual.
//!
//! ```text
//! lₓ + Aᵀ λ⁺ − λ + Cᵀ ν + Gₓᵀ y = 0 ,    lᵤ + Bᵀ λ⁺ + Dᵀ ν + Gᵤᵀ y = 0                                  dual
//! f(x, u) ⊖ x⁺ = 0 ,    c = 0 ,    g − s = 0                                                              primal
//! z · slack = μ                                                                                complementarity
//! ```
//!
//! Each is the largest entry; the first and the last are divided by the mean size of multipliers if that is above 100:
//! A. Wächter and L. Biegler (2006), equations (5) and (6).

use crate::quadratic::{Multipliers, Quadratic};
use nalgebra::DVector;

/// Multipliers count as large above this mean.
const LARGE: f64 = 100.0;

/// What is left of each condition.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Optimality {
    pub(super) dual: f64,
    pub(super) primal: f64,
    /// Sum of all multipliers in absolute value, and how many there are.
    multipliers: (f64, usize),
    bounds: (f64, usize),
}

/// A node's multipliers and violations, beside its derivatives.
#[derive(Clone, Copy)]
pub(super) struct Conditions<'a> {
    /// λ, of its own state.
    pub(super) costate: &'a DVector<f64>,
    pub(super) multipliers: &'a Multipliers,
    /// Which controls have bounds.
    pub(super) controls: &'a [usize],
    pub(super) gap: &'a DVector<f64>,
    /// By how much rows between bounds are off.
    pub(super) off: f64,
    /// The sum of multipliers of bounds, and how many bounds there are.
    pub(super) bounds: (f64, usize),
}

impl Optimality {
    pub(super) const NONE: Self = Self { dual: 0.0, primal: 0.0, multipliers: (0.0, 0), bounds: (0.0, 0) };

    /// Adds a node, whose cost is to be scaled; `control_multiplier`: of each of the `controls`. The last argument is
    /// memory.
    pub(super) fn add(
        &mut self,
        node: &Quadratic,
        scale: f64,
        Conditions { costate, multipliers, controls, gap, off, bounds }: Conditions<'_>,
        control_multiplier: impl Fn(usize) -> f64,
        [x, u]: &mut [DVector<f64>; 2],
    ) {
        let (ndx, nu) = (node.lx.len(), node.lu.len());
        let (mut x, mut u) = (x.rows_mut(0, ndx), u.rows_mut(0, nu));
        x.copy_from(&node.lx);
        x *= scale;
        x -= costate;
        u.copy_from(&node.lu);
        u *= scale;
        if !multipliers.next.is_empty() {
            x.gemv_tr(1.0, &node.a, &multipliers.next, 1.0);
            u.gemv_tr(1.0, &node.b, &multipliers.next, 1.0);
        }
        if !multipliers.eq.is_empty() {
            x.gemv_tr(1.0, &node.eq_x, &multipliers.eq, 1.0);
            u.gemv_tr(1.0, &node.eq_u, &multipliers.eq, 1.0);
        }
        if !multipliers.ineq.is_empty() {
            x.gemv_tr(1.0, &node.ineq_x, &multipliers.ineq, 1.0);
            u.gemv_tr(1.0, &node.ineq_u, &multipliers.ineq, 1.0);
        }
        for (row, i) in controls.iter().enumerate() {
            u[*i] += control_multiplier(row);
        }
        self.dual = self.dual.max(x.amax()).max(if nu > 0 { u.amax() } else { 0.0 });
        self.primal = self.primal.max(gap.amax()).max(node.eq.amax()).max(off);
        let sum = |x: &DVector<f64>| x.iter().map(|x| x.abs()).sum::<f64>();
        self.multipliers.0 += sum(costate) + sum(&multipliers.eq);
        self.multipliers.1 += ndx + multipliers.eq.len() + controls.len() + multipliers.ineq.len();
        self.bounds.0 += bounds.0;
        self.bounds.1 += bounds.1;
    }

    /// The largest of all, at a barrier whose complementarity is this much off.
    pub(super) fn error(&self, complementarity: f64) -> f64 {
        self.stationarity().max(self.primal).max(complementarity / share_of_mean(self.bounds))
    }
    /// What is left of the dual conditions, scaled.
    pub(super) fn stationarity(&self) -> f64 {
        self.dual / share_of_mean((self.multipliers.0 + self.bounds.0, self.multipliers.1 + self.bounds.1))
    }
}

/// The mean of multipliers as a multiple of what is large, at least 1.
fn share_of_mean((sum, count): (f64, usize)) -> f64 {
    if count == 0 { 1.0 } else { (sum / count as f64).max(LARGE) / LARGE }
}
