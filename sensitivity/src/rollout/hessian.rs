//! Second order: products with the Hessian of a cost, by dual numbers along one direction through the whole adjoint.
//!
//! `H d = d/dε ∇J(z + ε d)` with `z = (p, q₀ ⊕ δq, v₀, u)`, gradients along `δq`, so that H is symmetric. Cost: one
//! adjoint over dual numbers, for any number of parameters (forward over reverse; A. Griewank, A. Walther, *Evaluating
//! Derivatives*, 2008, chapter 5).

use super::adjoint::Found;
use super::backward::Given;
use super::{Rollout, StateMemory, TrajectoryCost};
use crate::error::SensitivityError;
use gradyn::derivatives::num_dual::Dual64;

/// A direction, or a product of the Hessian with one.
#[derive(Clone, Debug, PartialEq)]
pub struct Direction {
    /// The entries of the parameters.
    pub parameters: Vec<f64>,
    /// The entries of the start, `q₀ ⊕ δ`, nv, after the parameters of the start have moved it.
    pub q0: Vec<f64>,
    /// The entries of the start's velocity, nv.
    pub v0: Vec<f64>,
    /// The entries of each of the controls, nu.
    pub controls: Vec<Vec<f64>>,
}

impl Direction {
    /// The zero direction of a roll-out.
    #[must_use]
    pub fn zero(run: &Rollout<'_>) -> Self {
        let nv = run.parameters.robot().nv();
        Self {
            parameters: vec![0.0; run.parameters.len()],
            q0: vec![0.0; nv],
            v0: vec![0.0; nv],
            controls: vec![vec![0.0; run.actuation.controls()]; run.controls.len()],
        }
    }

    /// All numbers, in the order of the fields.
    #[must_use]
    pub fn to_vec(&self) -> Vec<f64> {
        let state = self.parameters.iter().chain(&self.q0).chain(&self.v0);
        state.chain(self.controls.iter().flatten()).copied().collect()
    }
}

/// A cost, its slope along a direction, and the product of its Hessian with it.
#[derive(Clone, Debug, PartialEq)]
pub struct HessianProduct {
    /// `J`
    pub cost: f64,
    /// `∇Jᵀ d`
    pub slope: f64,
    /// `∇J`
    pub gradient: Direction,
    /// `H d`
    pub product: Direction,
}

impl Rollout<'_> {
    /// Computes the gradient of a cost, and the product of its Hessian with a direction.
    ///
    /// # Errors
    /// As [`adjoint`](Self::adjoint); [`SensitivityError::Length`] for a direction of wrong sizes; the error of a cost
    /// without [curvature](TrajectoryCost::running_curvature).
    pub fn hessian_product(
        &self,
        values: &[f64],
        q0: &[f64],
        v0: &[f64],
        cost: &dyn TrajectoryCost,
        direction: &Direction,
        memory: StateMemory,
    ) -> Result<HessianProduct, SensitivityError> {
        let nv = self.parameters.robot().nv();
        for (what, found, expected) in [
            ("parameters", values.len(), self.parameters.len()),
            ("the direction of parameters", direction.parameters.len(), self.parameters.len()),
            ("the direction of q0", direction.q0.len(), nv),
            ("the direction of v0", direction.v0.len(), nv),
            ("the direction of controls", direction.controls.len(), self.controls.len()),
        ] {
            if found != expected {
                return Err(SensitivityError::Length { what, expected, found });
            }
        }
        let expected = self.actuation.controls();
        if let Some(u) = direction.controls.iter().find(|u| u.len() != expected) {
            return Err(SensitivityError::Length { what: "a direction of controls", expected, found: u.len() });
        }
        let seeds = |d: &[f64]| d.iter().map(|d| Dual64::new(0.0, *d)).collect::<Vec<_>>();
        let at: Vec<Dual64> = values.iter().zip(&direction.parameters).map(|(x, d)| Dual64::new(*x, *d)).collect();
        let more: Vec<Vec<Dual64>> = direction.controls.iter().map(|u| seeds(u)).collect();
        let (dq, dv) = (seeds(&direction.q0), seeds(&direction.v0));
        let found =
            self.backwards(&Given { values: &at, start: (q0, v0), moved: (&dq, &dv), more: &more, cost, memory })?;
        let of = |part: fn(&Dual64) -> f64| direction_of(&found, part);
        Ok(HessianProduct {
            cost: found.cost.re,
            slope: found.cost.eps,
            gradient: of(|x| x.re),
            product: of(|x| x.eps),
        })
    }
}

fn direction_of(found: &Found<Dual64>, part: fn(&Dual64) -> f64) -> Direction {
    let of = |x: &[Dual64]| x.iter().map(part).collect::<Vec<f64>>();
    Direction {
        parameters: of(&found.by_parameters),
        q0: of(&found.by_q0),
        v0: of(&found.by_v0),
        controls: found.by_controls.iter().map(|u| of(u)).collect(),
    }
}
