//! What is asked of a trajectory: one number.

use crate::error::SensitivityError;
use gradyn::Model;

/// A cost `J = Σ ℓ_k(x_k, u_k) + ℓ_N(x_N)`; running costs are not multiplied by the length of steps.
pub trait TrajectoryCost {
    /// `ℓ_k`; adds its gradients to `by_x`, `(δq, δv)`, 2 nv, and `by_u`, nu.
    ///
    /// # Errors
    /// Why there is none.
    fn running(
        &self,
        model: &Model,
        node: usize,
        state: (&[f64], &[f64]),
        u: &[f64],
        by_x: &mut [f64],
        by_u: &mut [f64],
    ) -> Result<f64, SensitivityError> {
        let _ = (model, node, state, u, by_x, by_u);
        Ok(0.0)
    }
    /// `ℓ_N`; adds its gradient to `by_x`, 2 nv.
    ///
    /// # Errors
    /// Why there is none.
    fn end(&self, model: &Model, state: (&[f64], &[f64]), by_x: &mut [f64]) -> Result<f64, SensitivityError>;
}

/// `½ Σ w_i (x ⊖ x*)_i²`, at the end and, with other weights, along the way; `½ r Σ u²`.
#[derive(Clone, Debug, PartialEq)]
pub struct QuadraticCost {
    /// `q*`, nq.
    pub q: Vec<f64>,
    /// `v*`, nv.
    pub v: Vec<f64>,
    /// Weights at the end, 2 nv.
    pub end: Vec<f64>,
    /// Weights at every node before, 2 nv.
    pub running: Vec<f64>,
    /// Weight of every control.
    pub control: f64,
}

impl QuadraticCost {
    /// Of the state at the end, all weights one.
    #[must_use]
    pub fn at_end(model: &Model, q: &[f64]) -> Self {
        let nv = model.nv();
        Self { q: q.to_vec(), v: vec![0.0; nv], end: vec![1.0; 2 * nv], running: vec![0.0; 2 * nv], control: 0.0 }
    }

    fn of_state(
        &self,
        model: &Model,
        (q, v): (&[f64], &[f64]),
        weights: &[f64],
        by_x: &mut [f64],
    ) -> Result<f64, SensitivityError> {
        let nv = model.nv();
        for (what, found, expected) in [
            ("v of the cost", self.v.len(), nv),
            ("weights of the cost", weights.len(), 2 * nv),
            ("by_x", by_x.len(), 2 * nv),
        ] {
            if found != expected {
                return Err(SensitivityError::Length { what, expected, found });
            }
        }
        let mut off = vec![0.0; 2 * nv];
        model.difference_into(&self.q, q, &mut off[..nv])?;
        for k in 0..nv {
            off[nv + k] = v[k] - self.v[k];
        }
        let weighted: Vec<f64> = off.iter().zip(weights).map(|(x, w)| x * w).collect();
        // By q along the tangent at q: the derivative of q ⊖ q*, transposed.
        let turned = model.difference_dq1(&self.q, q)?.tr_mul(&nalgebra::DVector::from_column_slice(&weighted[..nv]));
        for k in 0..nv {
            by_x[k] += turned[k];
            by_x[nv + k] += weighted[nv + k];
        }
        Ok(0.5 * off.iter().zip(&weighted).map(|(x, w)| x * w).sum::<f64>())
    }
}

impl TrajectoryCost for QuadraticCost {
    fn running(
        &self,
        model: &Model,
        _node: usize,
        state: (&[f64], &[f64]),
        u: &[f64],
        by_x: &mut [f64],
        by_u: &mut [f64],
    ) -> Result<f64, SensitivityError> {
        by_u.iter_mut().zip(u).for_each(|(to, u)| *to += self.control * u);
        let of_controls = 0.5 * self.control * u.iter().map(|u| u * u).sum::<f64>();
        if self.running.iter().all(|w| *w == 0.0) {
            return Ok(of_controls);
        }
        Ok(of_controls + self.of_state(model, state, &self.running, by_x)?)
    }
    fn end(&self, model: &Model, state: (&[f64], &[f64]), by_x: &mut [f64]) -> Result<f64, SensitivityError> {
        self.of_state(model, state, &self.end, by_x)
    }
}
