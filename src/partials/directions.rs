//! Dual numbers in as many directions as a register has lanes, or, where there are no vector registers, in one.

use crate::model::Model;
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::{Register, WIDTH};
use gradyn_derivatives::{Scalar, VectorDual};
use std::ops::Range;

/// A value with derivatives in [`COUNT`](Self::COUNT) directions.
pub(super) trait Directions: Scalar + Send + Sync + 'static {
    /// At most [`WIDTH`].
    const COUNT: usize;
    /// A value and its derivatives, the first [`COUNT`](Self::COUNT) of these.
    fn of(value: f64, derivatives: &[f64; WIDTH]) -> Self;
    /// The derivatives, then zeros.
    fn derivatives(&self) -> [f64; WIDTH];

    /// The value, with derivative one in direction `k`.
    #[inline(always)]
    fn variable(value: f64, k: usize) -> Self {
        let mut unit = [0.0; WIDTH];
        unit[k] = 1.0;
        Self::of(value, &unit)
    }
}

impl<R: Register> Directions for VectorDual<R> {
    const COUNT: usize = WIDTH;
    #[inline(always)]
    fn of(value: f64, derivatives: &[f64; WIDTH]) -> Self {
        Self::from_parts(value, *derivatives)
    }
    #[inline(always)]
    fn derivatives(&self) -> [f64; WIDTH] {
        self.eps.to_array()
    }
}

impl Directions for Dual64 {
    const COUNT: usize = 1;
    #[inline(always)]
    fn of(value: f64, derivatives: &[f64; WIDTH]) -> Self {
        Self::new(value, derivatives[0])
    }
    #[inline(always)]
    fn derivatives(&self) -> [f64; WIDTH] {
        let mut all = [0.0; WIDTH];
        all[0] = self.eps;
        all
    }
}

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
