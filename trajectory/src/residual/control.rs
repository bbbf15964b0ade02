//! The difference of controls from a goal: `r = u − u*`.

use super::{Depends, Jacobian, Residual, ResidualPoint, Weights};
use crate::fault::{ProblemError, Reason};
use crate::quadratic::Quadratic;
use crate::residual::PhaseInfo;
use nalgebra::DMatrix;

/// `r = u − u*`, nu. Units: those of the controls.
#[derive(Clone, Debug)]
pub struct Control {
    goal: Goal,
}

#[derive(Clone, Debug)]
enum Goal {
    /// Zero, of as many numbers as the phase has controls.
    Zero(usize),
    At(Vec<f64>),
}

impl Control {
    /// Toward zero.
    #[must_use]
    pub fn zero() -> Self {
        Self { goal: Goal::Zero(0) }
    }
    /// Toward these controls, nu.
    #[must_use]
    pub fn at(goal: &[f64]) -> Self {
        Self { goal: Goal::At(goal.to_vec()) }
    }
}

impl Residual for Control {
    fn rows(&self) -> usize {
        match &self.goal {
            Goal::Zero(nu) => *nu,
            Goal::At(goal) => goal.len(),
        }
    }
    fn depends(&self) -> Depends {
        Depends::U
    }
    fn sees_robot(&self) -> bool {
        false
    }
    fn goal(&self) -> Vec<f64> {
        match &self.goal {
            Goal::Zero(nu) => vec![0.0; *nu],
            Goal::At(goal) => goal.clone(),
        }
    }
    fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
        match &mut self.goal {
            Goal::Zero(nu) => *nu = phase.nu,
            Goal::At(goal) => phase.place.check_length("the goal of controls", phase.nu, goal.len())?,
        }
        Ok(())
    }
    fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        for ((r, u), goal) in r.iter_mut().zip(on.u).zip(on.goal) {
            *r = u - goal;
        }
        Ok(())
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        out.du.fill_diagonal(1.0);
        self.value(on, r)
    }
    fn add_structured(&self, _: &Jacobian, gradient: &[f64], weights: Weights<'_>, out: &mut Quadratic) -> bool {
        for (to, g) in out.lu.iter_mut().zip(gradient) {
            *to += g;
        }
        match weights {
            Weights::Diagonal(w) => w.iter().enumerate().for_each(|(i, w)| out.luu[(i, i)] += w),
            Weights::Full(w) => out.luu += w,
        }
        true
    }
    fn is_linear(&self) -> bool {
        true
    }
    fn add_hessian(&self, _on: &mut ResidualPoint<'_>, _lambda: &[f64], _out: &mut DMatrix<f64>) -> Result<(), Reason> {
        Ok(())
    }
}
