//! The Lie algebra of configurations: the difference of `q ⊕ v` from a sum.
//!
//! Along `q ⊕ θ(t)` the velocity is `v = J_r(θ) θ̇`. Solved for θ̇, with `[x, y]` the bracket of directions:
//!
//! ```text
//! θ̇ = J_r⁻¹(θ) v = v + ½ [θ, v] + ¹⁄₁₂ [θ, [θ, v]] + O(|θ|⁴)                                                  (1)
//! ```
//!
//! There is no term of third order. Source: A. Iserles, H. Munthe-Kaas, S. Nørsett and A. Zanna, *Lie-group methods*,
//! Acta Numerica 9, 2000, section 3.2.

use crate::space::Blocks;
use gradyn::num_dual::Dual64;
use gradyn::{Model, Scalar};
use nalgebra::DMatrix;

/// Brackets of directions of a robot, `[x, y]_i = Σ c x_j y_k`: of its joints that turn in space, whatever their kind.
#[derive(Clone, Debug)]
pub struct Algebra {
    /// `(i, j, k, c)`
    terms: Vec<(usize, usize, usize, f64)>,
}

impl Algebra {
    /// From `∂(q ⊕ ε e_j)/∂q = 1 − ε [e_j, ·] + O(ε²)`.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let mut terms = Vec::new();
        for block in &Blocks::new(model).0 {
            for j in block.clone() {
                let mut step = vec![Dual64::from(0.0); model.nv()];
                step[j].eps = 1.0;
                let Ok(by) = model.integrate_dq(&step) else { continue };
                for (i, k) in block.clone().flat_map(|i| block.clone().map(move |k| (i, k))) {
                    let c = -by[(i, k)].eps;
                    if c != 0.0 {
                        terms.push((i, j, k, c));
                    }
                }
            }
        }
        Self { terms }
    }

    /// Whether `q ⊕ v` is a sum of numbers, so that all brackets are zero.
    #[must_use]
    pub fn is_flat(&self) -> bool {
        self.terms.is_empty()
    }

    /// The structure constants that are not zero, `(i, j, k, c)` with `[x, y]_i = Σ c x_j y_k`.
    #[must_use]
    pub fn terms(&self) -> &[(usize, usize, usize, f64)] {
        &self.terms
    }

    /// `v + ½ [θ, v] + ¹⁄₁₂ [θ, [θ, v]]`, (1) without the term of fourth order; `theta`, `v`: nv.
    #[must_use]
    pub fn rate<T: Scalar>(&self, theta: &[T], v: &[T]) -> Vec<T> {
        let mut out = v.to_vec();
        if self.is_flat() {
            return out;
        }
        let bracket = |x: &[T], y: &[T]| {
            let mut to = vec![T::from(0.0); x.len()];
            for (i, j, k, c) in &self.terms {
                to[*i] += x[*j] * y[*k] * *c;
            }
            to
        };
        let once = bracket(theta, v);
        let twice = bracket(theta, &once);
        for ((out, once), twice) in out.iter_mut().zip(once).zip(twice) {
            *out += once * 0.5 + twice * (1.0 / 12.0);
        }
        out
    }

    /// `out += s [x, y]`
    fn add_bracket(&self, s: f64, x: &[f64], y: &[f64], out: &mut [f64]) {
        for (i, j, k, c) in &self.terms {
            out[*i] += s * c * x[*j] * y[*k];
        }
    }

    /// `out += ½ [θ, v] + ¹⁄₁₂ [θ, [θ, v]]`: what (1) adds to `v`. `once`: memory, nv, left at `[θ, v]`.
    pub(crate) fn add_rate(&self, theta: &[f64], v: &[f64], once: &mut [f64], out: &mut [f64]) {
        once.fill(0.0);
        self.add_bracket(1.0, theta, v, once);
        out.iter_mut().zip(&*once).for_each(|(out, x)| *out += 0.5 * x);
        self.add_bracket(1.0 / 12.0, theta, once, out);
    }

    /// The same of columns of variations `δθ`, `δv`: `out += ½ δ[θ, v] + ¹⁄₁₂ δ[θ, [θ, v]]`. `once`: as it was left;
    /// `varied`: memory, nv.
    pub(crate) fn add_rates(
        &self,
        [theta, v, once]: [&[f64]; 3],
        [d_theta, d_v]: [&DMatrix<f64>; 2],
        varied: &mut [f64],
        out: &mut DMatrix<f64>,
    ) {
        for (column, (d_theta, d_v)) in d_theta.column_iter().zip(d_v.column_iter()).enumerate() {
            let mut out = out.column_mut(column);
            let (d_theta, out) = (d_theta.as_slice(), out.as_mut_slice());
            varied.fill(0.0); // δ[θ, v] = [δθ, v] + [θ, δv]
            self.add_bracket(1.0, d_theta, v, varied);
            self.add_bracket(1.0, theta, d_v.as_slice(), varied);
            out.iter_mut().zip(&*varied).for_each(|(out, x)| *out += 0.5 * x);
            self.add_bracket(1.0 / 12.0, d_theta, once, out);
            self.add_bracket(1.0 / 12.0, theta, varied, out);
        }
    }

    /// Of `kᵀ (½ [θ, v] + ¹⁄₁₂ [θ, [θ, v]])` adds first derivatives by θ and v, and second ones by both, (2 nv)²,
    /// symmetric.
    pub(crate) fn add_rate_curvature(
        &self,
        k: &[f64],
        [theta, v]: [&[f64]; 2],
        [by_theta, by_v]: [&mut [f64]; 2],
        second: &mut DMatrix<f64>,
    ) {
        let n = theta.len();
        let mut add = |i: usize, j: usize, x: f64| {
            second[(i, j)] += x;
            second[(j, i)] += x;
        };
        for (i, j, m, c) in &self.terms {
            let half = 0.5 * c * k[*i]; // of θ_j v_m
            by_theta[*j] += half * v[*m];
            by_v[*m] += half * theta[*j];
            add(*j, n + m, half);
            for (_, a, b, d) in self.terms.iter().filter(|(i, ..)| i == m) {
                let x = c * d * k[*i] / 12.0; // of θ_j θ_a v_b
                by_theta[*j] += x * theta[*a] * v[*b];
                by_theta[*a] += x * theta[*j] * v[*b];
                by_v[*b] += x * theta[*j] * theta[*a];
                add(*j, *a, x * v[*b]);
                add(*j, n + b, x * theta[*a]);
                add(*a, n + b, x * theta[*j]);
            }
        }
    }
}
