//! The curvature of `q ⊕ w`: second derivatives of a step of configurations, joint by joint.
//!
//! ```text
//! φ(δ, ε) = λᵀ log((q ⊕ w)⁻¹ (q ⊕ δ ⊕ (w + ε)))
//! ```
//!
//! It is the same for every q, zero for joints whose configurations are vectors, and splits into blocks, one for each
//! joint that rotates in space. With `D = ∂(q ⊕ w)/∂q`, `J = ∂(q ⊕ w)/∂w` and the bracket of directions, to second
//! order
//!
//! ```text
//! log(…) = D δ + J ε + ½ [D δ, J ε] + ½ (∂J/∂w ε) ε
//! ```
//!
//! by the series of Baker, Campbell and Hausdorff, so that
//!
//! ```text
//! φ_δδ = 0 ,   φ_δε(i, j) = ½ λᵀ [D e_i, J e_j] ,   φ_εε(i, j) = ½ λᵀ (∂J/∂w_i e_j + ∂J/∂w_j e_i)
//! ```

use super::algebra::Algebra;
use crate::fault::Reason;
use crate::space::turning_joints;
use gradyn::Model;
use gradyn::num_dual::Dual64;
use nalgebra::DMatrix;
use std::ops::Range;

/// The joints of a robot that turn in space, each as a robot of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Retraction {
    joints: Vec<Turning>,
}

#[derive(Clone, Debug)]
struct Turning {
    block: Range<usize>,
    model: Model,
    algebra: Algebra,
}

/// Memory: of each joint.
#[derive(Debug)]
pub(super) struct RetractionMemory(Vec<OfJoint>);

#[derive(Debug)]
struct OfJoint {
    w: Vec<Dual64>,
    /// J with its derivative along one entry of w.
    moved: DMatrix<Dual64>,
    /// `φ_εε` before it is made symmetric.
    second: DMatrix<f64>,
    /// All of `φ`.
    both: DMatrix<f64>,
    d: DMatrix<f64>,
    j: DMatrix<f64>,
    still: Vec<f64>,
}

impl Retraction {
    pub(super) fn new(model: &Model) -> Self {
        let of = |(block, model): (Range<usize>, Model)| Turning { block, algebra: Algebra::new(&model), model };
        Self { joints: turning_joints(model).into_iter().map(of).collect() }
    }

    pub(super) fn memory(&self) -> RetractionMemory {
        let of = |joint: &Turning| {
            let n = joint.block.len();
            let zeros = || DMatrix::zeros(n, n);
            OfJoint {
                w: vec![Dual64::from(0.0); n],
                moved: DMatrix::from_element(n, n, Dual64::from(0.0)),
                second: zeros(),
                both: DMatrix::zeros(2 * n, 2 * n),
                d: zeros(),
                j: zeros(),
                still: vec![0.0; n],
            }
        };
        RetractionMemory(self.joints.iter().map(of).collect())
    }

    /// Whether `q ⊕ w` is a sum of numbers.
    pub(super) fn is_flat(&self) -> bool {
        self.joints.is_empty()
    }

    /// Calls `add` with entries of `∂²φ/∂(δ, ε)²` at `w`: rows and columns count δ from 0 and ε from nv on.
    pub(super) fn add_curvature(
        &self,
        memory: &mut RetractionMemory,
        w: &[f64],
        lambda: &[f64],
        mut add: impl FnMut(usize, usize, f64),
    ) -> Result<(), Reason> {
        let nv = w.len();
        self.each(memory, w, lambda, |block, second| {
            let n = block.len();
            let place = |k: usize| if k < n { block.start + k } else { nv + block.start + k - n };
            for (i, j) in (0..2 * n).flat_map(|i| (0..2 * n).map(move |j| (i, j))) {
                add(place(i), place(j), second[(i, j)]);
            }
        })
    }

    /// Calls `take` with each joint's directions and its block, by δ and then by ε.
    pub(super) fn each(
        &self,
        memory: &mut RetractionMemory,
        w: &[f64],
        lambda: &[f64],
        mut take: impl FnMut(Range<usize>, &DMatrix<f64>),
    ) -> Result<(), Reason> {
        for (Turning { block, model, algebra }, memory) in self.joints.iter().zip(&mut memory.0) {
            let (n, lambda) = (block.len(), &lambda[block.clone()]);
            let OfJoint { w: varied, moved, second, both, d, j, still } = memory;
            still.copy_from_slice(&w[block.clone()]);
            model.integrate_derivatives_into(still, d, j)?;
            for (to, w) in varied.iter_mut().zip(still.iter()) {
                *to = Dual64::from(*w);
            }
            for i in 0..n {
                varied[i].eps = 1.0;
                model.integrate_dv_into(varied, moved)?;
                varied[i].eps = 0.0;
                for k in 0..n {
                    second[(i, k)] = lambda.iter().enumerate().map(|(row, l)| l * moved[(row, k)].eps).sum();
                }
            }
            for (i, k) in (0..n).flat_map(|i| (0..n).map(move |k| (i, k))) {
                both[(i, k)] = 0.0;
                both[(n + i, n + k)] = 0.5 * (second[(i, k)] + second[(k, i)]);
                let mixed = algebra.terms().iter().map(|(to, x, y, c)| 0.5 * c * lambda[*to] * d[(*x, i)] * j[(*y, k)]);
                let mixed: f64 = mixed.sum();
                (both[(i, n + k)], both[(n + k, i)]) = (mixed, mixed);
            }
            take(block.clone(), both);
        }
        Ok(())
    }

    /// `Jᵀ λ` at `w`, into `to`.
    pub(super) fn pull(
        &self,
        memory: &mut RetractionMemory,
        w: &[f64],
        lambda: &[f64],
        to: &mut [f64],
    ) -> Result<(), Reason> {
        to.copy_from_slice(lambda);
        for (Turning { block, model, .. }, OfJoint { still, j, .. }) in self.joints.iter().zip(&mut memory.0) {
            still.copy_from_slice(&w[block.clone()]);
            model.integrate_dv_into(still, j)?;
            for (to, j) in to[block.clone()].iter_mut().zip(j.column_iter()) {
                *to = j.iter().zip(&lambda[block.clone()]).map(|(j, l)| j * l).sum();
            }
        }
        Ok(())
    }

    /// Of each joint `kᵀ (½ [θ, v] + ¹⁄₁₂ [θ, [θ, v]])`: adds first derivatives to those by θ and by v, and calls
    /// `take` with its directions and second ones, by θ and then by v.
    pub(super) fn rates(
        &self,
        memory: &mut RetractionMemory,
        (k, [theta, v]): (&[f64], [&[f64]; 2]),
        [by_theta, by_v]: [&mut [f64]; 2],
        mut take: impl FnMut(Range<usize>, &DMatrix<f64>),
    ) {
        for (Turning { block, algebra, .. }, OfJoint { both, .. }) in self.joints.iter().zip(&mut memory.0) {
            both.fill(0.0);
            let [by_theta, by_v] = [&mut by_theta[block.clone()], &mut by_v[block.clone()]];
            let at = [&theta[block.clone()], &v[block.clone()]];
            algebra.add_rate_curvature(&k[block.clone()], at, [by_theta, by_v], both);
            take(block.clone(), both);
        }
    }
}
