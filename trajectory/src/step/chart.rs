//! The contribution of joints that rotate in space to second derivatives of a whole step by `z = (q, v, u)`.
//!
//! For a configuration `q ⊕ w` with `w = w(z)`, weighted by λ along its own directions, and a rate `θ̇ = J_r⁻¹(θ) v`,
//! weighted by k:
//!
//! ```text
//! ∂²(λᵀ(q ⊕ w)) = Rᵀ φ'' R + (Jᵀ λ)ᵀ ∂²w          R = ∂(q, w)/∂z ,   φ of retraction
//! ∂²(kᵀ θ̇) = Tᵀ ρ'' T + ρ_θᵀ ∂²θ + ρ_vᵀ ∂²v       T = ∂(θ, v)/∂z ,   ρ = kᵀ (v + ½ [θ, v] + ¹⁄₁₂ [θ, [θ, v]])
//! ```

use super::retraction::{Retraction, RetractionMemory};
use crate::fault::Reason;
use gradyn::Model;
use nalgebra::DMatrix;

/// The joints of a robot that turn in space, and memory.
#[derive(Debug)]
pub(super) struct Chart {
    retraction: Retraction,
    memory: RetractionMemory,
    few: Few,
}

impl Chart {
    pub(super) fn new(model: &Model) -> Self {
        let retraction = Retraction::new(model);
        Self { memory: retraction.memory(), retraction, few: Few::default() }
    }

    /// `Jᵀ λ` at `w`.
    pub(super) fn pull(&mut self, w: &[f64], lambda: &[f64], to: &mut [f64]) -> Result<(), Reason> {
        self.retraction.pull(&mut self.memory, w, lambda, to)
    }

    /// Adds `Rᵀ φ'' R`, with rows `s · by_w` of w.
    pub(super) fn add_place(
        &mut self,
        (w, lambda): (&[f64], &[f64]),
        (s, by_w): (f64, &DMatrix<f64>),
        to: &mut DMatrix<f64>,
    ) -> Result<(), Reason> {
        let Self { retraction, memory, few } = self;
        retraction.each(memory, w, lambda, |block, second| {
            let (n, first) = (block.len(), block.start);
            few.add(second, to, |k, z| if k < n { f64::from(z == first + k) } else { s * by_w[(first + k - n, z)] });
        })
    }

    /// Adds `Tᵀ ρ'' T`, and to what is by θ and by v what the brackets of ρ add.
    pub(super) fn add_rate(
        &mut self,
        (k, [theta, v]): (&[f64], [&[f64]; 2]),
        [by_theta, by_v]: [&DMatrix<f64>; 2],
        slopes: [&mut [f64]; 2],
        to: &mut DMatrix<f64>,
    ) {
        let Self { retraction, memory, few } = self;
        retraction.rates(memory, (k, [theta, v]), slopes, |block, second| {
            let (n, first) = (block.len(), block.start);
            few.add(second, to, |k, z| if k < n { by_theta[(first + k, z)] } else { by_v[(first + k - n, z)] });
        });
    }
}

/// Products `Rᵀ S R` with few rows R.
#[derive(Debug, Default)]
struct Few {
    /// R, column by column.
    rows: Vec<f64>,
    times: Vec<f64>,
}

impl Few {
    /// Adds `Rᵀ S R`, with entry (k, z) of R as it is given.
    fn add(&mut self, s: &DMatrix<f64>, to: &mut DMatrix<f64>, entry: impl Fn(usize, usize) -> f64) {
        let (count, n) = (s.nrows(), to.ncols());
        let Self { rows, times } = self;
        rows.clear();
        (0..n).for_each(|z| rows.extend((0..count).map(|k| entry(k, z))));
        times.resize(count, 0.0);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for (z, column) in rows.chunks_exact(count).enumerate() {
            if column.iter().all(|x| *x == 0.0) {
                continue;
            }
            for (times, s) in times.iter_mut().zip(s.as_slice().chunks_exact(count)) {
                *times = dot(s, column); // S is symmetric
            }
            for (to, row) in to.column_mut(z).iter_mut().zip(rows.chunks_exact(count)) {
                *to += dot(row, times);
            }
        }
    }
}
