//! Second derivatives through the Runge-Kutta stages, from the last one to the first.
//!
//! With weights `θ̄⁺ = Jᵀ(θ⁺) λ_q` of the whole increment, and `ρ` the rate `k = J_r⁻¹(θ) v` weighted by k̄:
//!
//! ```text
//! k̄_i = h b_i θ̄⁺ + h c_{i+1} θ̄_{i+1} ,   l̄_i = h b_i λ_v + h c_{i+1} v̄_{i+1}
//! q̄_i = a_qᵀ l̄_i ,   θ̄_i = Jᵀ(θ_i) q̄_i + ρ_θ ,   v̄_i = a_vᵀ l̄_i + ρ_v
//! ∂² = Σ Z_iᵀ ∂²(l̄_iᵀ a)(q_i, v_i, u) Z_i  +  what q ⊕ θ_i, weighted by q̄_i, rates, weighted by k̄_i, and q ⊕ θ⁺ bend by
//! ```
//!
//! with `Z_i` the derivatives of `(q_i, v_i, u)`. [`Chart`] has the curvature terms of joints that rotate in space.

use super::chart::Chart;
use super::euler::transposed_times;
use super::page::STAGES;
use super::{StepWeights, add_symmetric};
use crate::dense::Congruence;
use crate::fault::Reason;
use crate::quadratic::Curvature;
use gradyn::Model;
use nalgebra::DMatrix;

/// What second derivatives need of the stages, and their memory.
pub(super) struct Stages {
    pub(super) at: [OfStage; 4],
    chart: Chart,
    hessian: DMatrix<f64>,
    /// `Z_i`
    moved: DMatrix<f64>,
    products: Congruence,
    /// Of joints that turn, then of all.
    sum: DMatrix<f64>,
    all: DMatrix<f64>,
    /// `k̄`, `l̄`, `q̄`, and `θ̄` and `v̄` of this stage and the one after it.
    k: Vec<f64>,
    l: Vec<f64>,
    q: Vec<f64>,
    theta: Vec<f64>,
    v: Vec<f64>,
    end: Vec<f64>,
    /// Multipliers of later stages are not seen.
    none: Vec<f64>,
}

/// Where a stage stands, its `a_q` and `a_v`, and θ, q and v by all columns.
pub(super) struct OfStage {
    pub(super) theta: Vec<f64>,
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) a_q: DMatrix<f64>,
    pub(super) a_v: DMatrix<f64>,
    pub(super) by_theta: DMatrix<f64>,
    pub(super) by_q: DMatrix<f64>,
    pub(super) by_v: DMatrix<f64>,
}

impl Stages {
    pub(super) fn new(model: &Model, nu: usize, rows: usize) -> Self {
        let nv = model.nv();
        let n = 2 * nv + nu;
        let (square, columns) = (|| DMatrix::zeros(nv, nv), || DMatrix::zeros(nv, n));
        let of_stage = |_| OfStage {
            theta: vec![0.0; nv],
            q: vec![0.0; model.nq()],
            v: vec![0.0; nv],
            a_q: square(),
            a_v: square(),
            by_theta: columns(),
            by_q: columns(),
            by_v: columns(),
        };
        let (whole, zeros) = (|| DMatrix::zeros(n, n), || vec![0.0; nv]);
        let mut moved = whole();
        moved.view_mut((2 * nv, 2 * nv), (nu, nu)).fill_with_identity();
        Self {
            at: [0, 1, 2, 3].map(of_stage),
            chart: Chart::new(model),
            hessian: whole(),
            moved,
            products: Congruence::new(n),
            sum: whole(),
            all: whole(),
            k: zeros(),
            l: zeros(),
            q: zeros(),
            theta: zeros(),
            v: zeros(),
            end: zeros(),
            none: vec![0.0; rows],
        }
    }

    /// Adds all second derivatives. `hessian` has those of accelerations at a stage, by its number, its q and v, and
    /// weights; `end` are `θ⁺` and its derivatives.
    pub(super) fn add_curvature(
        &mut self,
        h: f64,
        weights: StepWeights<'_>,
        end: (&[f64], &DMatrix<f64>),
        mut hessian: impl FnMut(usize, [&[f64]; 2], [&[f64]; 2], &mut DMatrix<f64>) -> Result<bool, Reason>,
        to: &mut Curvature,
    ) -> Result<bool, Reason> {
        let nv = self.v.len();
        let (by_q, by_v) = weights.next.split_at(nv);
        self.sum.fill(0.0);
        self.products.clear();
        self.chart.pull(end.0, by_q, &mut self.end)?;
        self.chart.add_place((end.0, by_q), (1.0, end.1), &mut self.sum)?;
        for (i, (_, b)) in STAGES.into_iter().enumerate().rev() {
            let later = STAGES.get(i + 1).map_or(0.0, |(c, _)| *c);
            let stage = &self.at[i];
            for ((k, end), theta) in self.k.iter_mut().zip(&self.end).zip(&self.theta) {
                *k = h * (b * end + later * theta);
            }
            for ((l, by_v), v) in self.l.iter_mut().zip(by_v).zip(&self.v) {
                *l = h * (b * by_v + later * v);
            }
            let mut seen = &self.none[..];
            if i == 0 {
                seen = weights.f;
                self.l.iter_mut().zip(weights.a).for_each(|(l, a)| *l += a);
            } else {
                transposed_times(&stage.a_q, &self.l, &mut self.q);
                transposed_times(&stage.a_v, &self.l, &mut self.v);
                self.v.iter_mut().zip(&self.k).for_each(|(v, k)| *v += k);
                self.chart.pull(&stage.theta, &self.q, &mut self.theta)?;
                self.chart.add_place((&stage.theta, &self.q), (1.0, &stage.by_theta), &mut self.sum)?;
                let rate = (&self.k[..], [&stage.theta[..], &stage.v[..]]);
                let slopes = [&mut self.theta[..], &mut self.v[..]];
                self.chart.add_rate(rate, [&stage.by_theta, &stage.by_v], slopes, &mut self.sum);
            }
            if !hessian(i, [&stage.q, &stage.v], [&self.l, seen], &mut self.hessian)? {
                return Ok(false);
            }
            self.moved.rows_mut(0, nv).copy_from(&stage.by_q);
            self.moved.rows_mut(nv, nv).copy_from(&stage.by_v);
            self.products.add(&self.moved, &self.hessian);
        }
        self.products.write(&mut self.all);
        self.sum += &self.all;
        add_symmetric(1.0, &self.sum, nv, to);
        Ok(true)
    }
}
