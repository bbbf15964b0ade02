//! Where dual numbers in several [directions](Directions) begin: at degrees of freedom, some at a time.

use crate::model::Model;
use gradyn_derivatives::{Directions, WIDTH};
use std::ops::Range;

/// Degrees of freedom, as many at a time as there are directions.
pub(super) fn runs<T: Directions>(nv: usize) -> impl Iterator<Item = Range<usize>> {
    (0..nv).step_by(T::COUNT).map(move |start| start..(start + T::COUNT).min(nv))
}

/// Numbers without derivatives.
#[inline(always)]
pub(super) fn constant<T: Directions>(to: &mut [T], from: &[f64]) {
    for (to, x) in to.iter_mut().zip(from) {
        *to = T::from(*x);
    }
}

/// What it takes to move a configuration.
pub(super) struct Seeds {
    unit: Vec<f64>,
    rate: Vec<f64>,
    rates: Vec<[f64; WIDTH]>,
}

impl Seeds {
    pub(super) fn new(model: &Model) -> Self {
        Self { unit: vec![0.0; model.nv()], rate: vec![0.0; model.nq()], rates: vec![[0.0; WIDTH]; model.nq()] }
    }

    /// `q ⊕ ε e_k`, one `k` of `dofs` a direction.
    pub(super) fn configuration<T: Directions>(&mut self, model: &Model, q: &[f64], dofs: Range<usize>, to: &mut [T]) {
        for rate in &mut self.rates {
            *rate = [0.0; WIDTH];
        }
        for (lane, dof) in dofs.enumerate() {
            self.unit[dof] = 1.0;
            model.rates(q, &self.unit, &mut self.rate);
            self.unit[dof] = 0.0;
            for (to, from) in self.rates.iter_mut().zip(&self.rate) {
                to[lane] = *from;
            }
        }
        for ((to, x), rate) in to.iter_mut().zip(q).zip(&self.rates) {
            *to = T::of(*x, rate);
        }
    }
}
