//! Vectors that represent states: `x = x̄ ⊕ δ` around a base `x̄`, exact also if δ is not small.
//!
//! If these numbers change by ε, a state moves by
//!
//! ```text
//! e(ε) = (x̄ ⊕ (δ + ε)) ⊖ (x̄ ⊕ δ)          J(δ) = ∂e/∂ε          at ε = 0
//! ```
//!
//! along the directions of the nodes' derivatives. A function with gradient g and Hessian H along those has `Jᵀ g` and
//! `Jᵀ H J + Σ g_i ∂²e_i` by ε. The inverse of e, which maps next states to numbers, has `J⁻¹`, and for weights λ the
//! second derivatives `−J⁻ᵀ (Σ (J⁻ᵀ λ)_i ∂²e_i) J⁻¹`. All are the identity, and zero, except for blocks of joints that
//! rotate in space.

use crate::fault::Reason;
use crate::space::turning_joints;
use gradyn::Model;
use gradyn::num_dual::HyperDual64;
use nalgebra::DMatrix;
use std::ops::Range;

/// The joints of a robot that turn in space, each as a robot of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Chart {
    joints: Vec<(Range<usize>, Model)>,
}

/// Blocks of `J`, or of its inverse, one a joint that turns in space.
pub(super) type Frames = Vec<DMatrix<f64>>;

impl Chart {
    pub(super) fn new(model: &Model) -> Self {
        Self { joints: turning_joints(model) }
    }

    /// Whether all configurations are vectors.
    pub(super) fn is_flat(&self) -> bool {
        self.joints.is_empty()
    }
    /// The directions of each joint that turns in space.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Range<usize>> {
        self.joints.iter().map(|(block, _)| block.clone())
    }

    /// `J(δ)`
    pub(super) fn frames(&self, delta: &[f64]) -> Result<Frames, Reason> {
        self.joints.iter().map(|(block, model)| Ok(model.integrate_dv(&delta[block.clone()])?)).collect()
    }
    /// `J(δ)⁻¹`
    pub(super) fn inverse_frames(&self, delta: &[f64]) -> Result<Frames, Reason> {
        let invert = |m: DMatrix<f64>| m.try_inverse().ok_or(Reason::WholeTurn);
        self.frames(delta)?.into_iter().map(invert).collect()
    }

    /// `v ← Jᵀ v`
    pub(super) fn pull(&self, frames: &Frames, v: &mut [f64]) {
        for ((block, _), j) in self.joints.iter().zip(frames) {
            let old = v[block.clone()].to_vec();
            for (to, column) in v[block.clone()].iter_mut().zip(j.column_iter()) {
                *to = column.iter().zip(&old).map(|(j, v)| j * v).sum();
            }
        }
    }
    /// `M ← M J`, in the first columns of M.
    pub(super) fn columns(&self, frames: &Frames, m: &mut DMatrix<f64>) {
        for ((block, _), j) in self.joints.iter().zip(frames) {
            let product = m.columns(block.start, block.len()) * j;
            m.columns_mut(block.start, block.len()).copy_from(&product);
        }
    }
    /// `M ← J M`, or `Jᵀ M`, in the first rows of M.
    pub(super) fn rows(&self, frames: &Frames, transposed: bool, m: &mut DMatrix<f64>) {
        for ((block, _), j) in self.joints.iter().zip(frames) {
            let rows = m.rows(block.start, block.len());
            let product = if transposed { j.tr_mul(&rows) } else { j * rows };
            m.rows_mut(block.start, block.len()).copy_from(&product);
        }
    }

    /// `Σ w_i ∂²e_i` at δ, one block a joint.
    pub(super) fn curvature(&self, delta: &[f64], weights: &[f64]) -> Result<Frames, Reason> {
        let constant = |x: &f64| HyperDual64::from(*x);
        let of = |(block, model): &(Range<usize>, Model)| {
            let n = block.len();
            let still = model.neutral::<HyperDual64>();
            let mut moved: Vec<_> = delta[block.clone()].iter().map(constant).collect();
            let reached = model.integrate(&still, &moved)?;
            let mut out = DMatrix::zeros(n, n);
            for i in 0..n {
                moved[i].eps1 = 1.0;
                for j in 0..=i {
                    moved[j].eps2 = 1.0;
                    let off = model.difference(&reached, &model.integrate(&still, &moved)?)?;
                    moved[j].eps2 = 0.0;
                    out[(i, j)] = off.iter().zip(&weights[block.clone()]).map(|(x, w)| x.eps1eps2 * w).sum();
                    out[(j, i)] = out[(i, j)];
                }
                moved[i].eps1 = 0.0;
            }
            Ok(out)
        };
        self.joints.iter().map(of).collect()
    }
    /// Second derivatives of `λᵀ` (the inverse of e), one block a joint; `inverse` is `J⁻¹`, and `pulled` is `J⁻ᵀ λ`.
    pub(super) fn inverse_curvature(&self, delta: &[f64], inverse: &Frames, pulled: &[f64]) -> Result<Frames, Reason> {
        let curvature = self.curvature(delta, pulled)?;
        Ok(curvature.iter().zip(inverse).map(|(m, l)| -(l.tr_mul(m) * l)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Chart;
    use gradyn::joint::{Axis, Composite, Elementary, Joint, Prismatic, Spherical};
    use gradyn::model::ModelBuilder;
    use gradyn::num_dual::HyperDual64;
    use gradyn::{Inertia, Model, Transform};
    use nalgebra::DMatrix;

    /// Every kind of joint, one after the other.
    fn model() -> Model {
        let mut builder = ModelBuilder::new("turns");
        let composite: Joint = Composite::new([Prismatic { axis: Axis::X }.into(), Spherical.into()]).into();
        let mut parent = None;
        for (k, joint) in Elementary::every().map(Joint::from).chain([composite]).enumerate() {
            let at = Transform::identity();
            let added = builder.add_body(parent, format!("body{k}"), format!("joint{k}"), at, joint, Inertia::zero());
            parent = Some(added.expect("a body"));
        }
        builder.build().expect("a model")
    }

    fn numbers(n: usize, first: f64) -> Vec<f64> {
        (0..n).map(|k| (first + 0.618 * k as f64).sin() * 0.6).collect()
    }

    /// Value, gradient and Hessian of a scalar of nv numbers, by duals.
    fn by_duals(nv: usize, f: impl Fn(&[HyperDual64]) -> HyperDual64) -> (Vec<f64>, DMatrix<f64>) {
        let mut at = vec![HyperDual64::from(0.0); nv];
        let (mut gradient, mut hessian) = (vec![0.0; nv], DMatrix::zeros(nv, nv));
        for i in 0..nv {
            at[i].eps1 = 1.0;
            for j in 0..nv {
                at[j].eps2 = 1.0;
                let value = f(&at);
                (gradient[i], hessian[(i, j)]) = (value.eps1, value.eps1eps2);
                at[j].eps2 = 0.0;
            }
            at[i].eps1 = 0.0;
        }
        (gradient, hessian)
    }

    fn close(what: &str, a: &DMatrix<f64>, b: &DMatrix<f64>) {
        assert!((a - b).amax() < 1e-12 * b.amax().max(1.0), "{what}: {a} {b}");
    }

    #[test]
    fn numbers_around_a_base_bend_as_duals_say() {
        let model = model();
        let nv = model.nv();
        let chart = Chart::new(&model);
        let (delta, weights) = (numbers(nv, 0.3), numbers(nv, 1.7));
        let dual = |x: &[f64]| x.iter().map(|x| HyperDual64::from(*x)).collect::<Vec<_>>();
        let still = model.neutral::<HyperDual64>();
        let base = model.integrate(&still, &dual(&numbers(nv, 2.1))).expect("a configuration");
        let reached = model.integrate(&base, &dual(&delta)).expect("a configuration");
        let weigh = |x: Vec<HyperDual64>| x.iter().zip(&weights).map(|(x, w)| *x * *w).sum::<HyperDual64>();
        // By what is added to the numbers.
        let (gradient, hessian) = by_duals(nv, |e| {
            let moved: Vec<_> = e.iter().zip(&delta).map(|(e, d)| *e + *d).collect();
            let to = model.integrate(&base, &moved).expect("a configuration");
            weigh(model.difference(&reached, &to).expect("a difference"))
        });
        let frames = chart.frames(&delta).expect("frames");
        let mut pulled = weights.clone();
        chart.pull(&frames, &mut pulled);
        close("J", &DMatrix::from_row_slice(1, nv, &pulled), &DMatrix::from_row_slice(1, nv, &gradient));
        let mut curvature = DMatrix::zeros(nv, nv);
        for (block, m) in chart.blocks().zip(chart.curvature(&delta, &weights).expect("second derivatives")) {
            curvature.view_mut((block.start, block.start), m.shape()).copy_from(&m);
        }
        close("∂²e", &curvature, &hessian);
        // By how the configuration moves.
        let (gradient, hessian) = by_duals(nv, |e| {
            let to = model.integrate(&reached, e).expect("a configuration");
            weigh(model.difference(&base, &to).expect("a difference"))
        });
        let inverse = chart.inverse_frames(&delta).expect("frames");
        let mut pulled = weights.clone();
        chart.pull(&inverse, &mut pulled);
        close("J⁻¹", &DMatrix::from_row_slice(1, nv, &pulled), &DMatrix::from_row_slice(1, nv, &gradient));
        let mut curvature = DMatrix::zeros(nv, nv);
        for (block, m) in
            chart.blocks().zip(chart.inverse_curvature(&delta, &inverse, &pulled).expect("second derivatives"))
        {
            curvature.view_mut((block.start, block.start), m.shape()).copy_from(&m);
        }
        close("∂² of the inverse", &curvature, &hessian);
    }
}
