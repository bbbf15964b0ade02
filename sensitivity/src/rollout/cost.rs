//! Costs of a trajectory.

use super::vectors::transposed_times;
use crate::error::SensitivityError;
use gradyn::derivatives::num_dual::Dual64;
use gradyn::{Model, Scalar};

/// A cost `J = Σ ℓ_k(x_k, u_k) + ℓ_N(x_N)`; running costs are not multiplied by the length of steps.
pub trait TrajectoryCost {
    /// `ℓ_k`; adds its gradients to `by_x`, `(δq, δv)`, 2 nv, and `by_u`, nu.
    ///
    /// # Errors
    /// The reason why it is undefined.
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
    /// The reason why it is undefined.
    fn end(&self, model: &Model, state: (&[f64], &[f64]), by_x: &mut [f64]) -> Result<f64, SensitivityError>;

    /// Adds the rates of the gradients of [`running`](Self::running) if the state moves along `q ⊕ ε δq`, `v + ε δv`
    /// and the controls along `u + ε δu`; `along` is `(δx, δu)`, 2 nv and nu. Products with the Hessian need it.
    ///
    /// # Errors
    /// The reason why it is undefined; by default, that the cost has no second derivatives.
    #[expect(clippy::too_many_arguments, reason = "those of the gradients, and a direction")]
    fn running_curvature(
        &self,
        model: &Model,
        node: usize,
        state: (&[f64], &[f64]),
        u: &[f64],
        along: (&[f64], &[f64]),
        by_x: &mut [f64],
        by_u: &mut [f64],
    ) -> Result<(), SensitivityError> {
        let _ = (model, node, state, u, along, by_x, by_u);
        Err(no_curvature())
    }
    /// Adds the rate of the gradient of [`end`](Self::end) if the state moves along `δx`, 2 nv.
    ///
    /// # Errors
    /// As [`running_curvature`](Self::running_curvature).
    fn end_curvature(
        &self,
        model: &Model,
        state: (&[f64], &[f64]),
        along: &[f64],
        by_x: &mut [f64],
    ) -> Result<(), SensitivityError> {
        let _ = (model, state, along, by_x);
        Err(no_curvature())
    }
}

fn no_curvature() -> SensitivityError {
    SensitivityError::Other(
        "this cost has no second derivatives: it does not implement `running_curvature` and `end_curvature`".into(),
    )
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
    /// The cost of the state at the end, with unit weights.
    #[must_use]
    pub fn at_end(model: &Model, q: &[f64]) -> Self {
        let nv = model.nv();
        Self { q: q.to_vec(), v: vec![0.0; nv], end: vec![1.0; 2 * nv], running: vec![0.0; 2 * nv], control: 0.0 }
    }

    /// The cost of a state, over any number type.
    fn of_state<T: Scalar<f64>>(
        &self,
        model: &Model,
        (q, v): (&[T], &[T]),
        weights: &[f64],
        by_x: &mut [T],
    ) -> Result<T, SensitivityError> {
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
        let goal: Vec<T> = self.q.iter().map(|x| T::from(*x)).collect();
        let mut off = vec![T::from(0.0); 2 * nv];
        model.difference_into(&goal, q, &mut off[..nv])?;
        for k in 0..nv {
            off[nv + k] = v[k] - T::from(self.v[k]);
        }
        let weighted: Vec<T> = off.iter().zip(weights).map(|(x, w)| *x * *w).collect();
        // The gradient by q along the tangent at q: the derivative of q ⊖ q*, transposed.
        let turned = transposed_times(&model.difference_dq1(&goal, q)?, &weighted[..nv]);
        for k in 0..nv {
            by_x[k] += turned[k];
            by_x[nv + k] += weighted[nv + k];
        }
        Ok(off.iter().zip(&weighted).fold(T::from(0.0), |sum, (x, w)| sum + *x * *w) * 0.5)
    }

    /// The rate of the gradient along `δx`.
    fn curvature(
        &self,
        model: &Model,
        (q, v): (&[f64], &[f64]),
        weights: &[f64],
        along: &[f64],
        by_x: &mut [f64],
    ) -> Result<(), SensitivityError> {
        let nv = model.nv();
        if along.len() != 2 * nv {
            return Err(SensitivityError::Length {
                what: "a direction of the state",
                expected: 2 * nv,
                found: along.len(),
            });
        }
        let seed = |d: &[f64]| d.iter().map(|d| Dual64::new(0.0, *d)).collect::<Vec<_>>();
        let here: Vec<Dual64> = q.iter().map(|x| Dual64::from(*x)).collect();
        let mut moved = here.clone();
        model.integrate_into(&here, &seed(&along[..nv]), &mut moved)?;
        let v: Vec<Dual64> = v.iter().zip(&along[nv..]).map(|(v, d)| Dual64::new(*v, *d)).collect();
        let mut gradient = vec![Dual64::from(0.0); by_x.len()];
        self.of_state(model, (&moved, &v), weights, &mut gradient)?;
        by_x.iter_mut().zip(gradient).for_each(|(to, x)| *to += x.eps);
        Ok(())
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

    fn running_curvature(
        &self,
        model: &Model,
        _node: usize,
        state: (&[f64], &[f64]),
        _u: &[f64],
        (dx, du): (&[f64], &[f64]),
        by_x: &mut [f64],
        by_u: &mut [f64],
    ) -> Result<(), SensitivityError> {
        by_u.iter_mut().zip(du).for_each(|(to, du)| *to += self.control * du);
        if self.running.iter().all(|w| *w == 0.0) {
            return Ok(());
        }
        self.curvature(model, state, &self.running, dx, by_x)
    }
    fn end_curvature(
        &self,
        model: &Model,
        state: (&[f64], &[f64]),
        along: &[f64],
        by_x: &mut [f64],
    ) -> Result<(), SensitivityError> {
        self.curvature(model, state, &self.end, along, by_x)
    }
}
