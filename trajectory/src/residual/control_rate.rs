//! The rate of controls: `r = (u − w)/h`.
//!
//! If the duration of the phase is free, h is part of the state: `∂r/∂h = −r/h`.

use super::{Depends, Jacobian, PhaseInfo, Residual, ResidualPoint};
use crate::fault::{ProblemError, Reason};
use nalgebra::DMatrix;

/// `r = (u − w)/h`, nu, with `w` the controls of the step before and `h` the length of the step: units of the controls
/// per second.
///
/// For problems that [remember controls](crate::ProblemBuilder::remember_controls). Those before the first step are the
/// ones that hold the start still, or those that are [said](crate::ProblemBuilder::controls_before).
#[derive(Clone, Debug, Default)]
pub struct ControlRate {
    nu: usize,
}

impl ControlRate {
    /// Of the controls of the phase that it stands in.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// A step that takes no time has no rates.
fn rate(dt: f64) -> Result<f64, Reason> {
    if dt > 0.0 { Ok(dt.recip()) } else { Err(Reason::NoControlRate) }
}

impl Residual for ControlRate {
    fn rows(&self) -> usize {
        self.nu
    }
    fn depends(&self) -> Depends {
        Depends { w: true, h: true, ..Depends::U }
    }
    fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
        let place = || phase.place.clone();
        if phase.nu == 0 {
            return Err(ProblemError::Missing { place: place(), what: "it has no controls whose rates could cost" });
        }
        if phase.remembered != phase.nu {
            let what = "rates of controls cost, but the problem does not remember controls";
            return Err(ProblemError::Missing { place: place(), what });
        }
        self.nu = phase.nu;
        Ok(())
    }
    fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        let rate = rate(on.dt)?;
        for ((r, u), w) in r.iter_mut().zip(on.u).zip(on.w) {
            *r = rate * (u - w);
        }
        Ok(())
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        let rate = rate(on.dt)?;
        for i in 0..self.nu {
            out.du[(i, i)] = rate;
            out.dw[(i, i)] = -rate;
        }
        self.value(on, r)?;
        for (to, r) in out.dh.iter_mut().zip(r.iter()) {
            *to = -rate * r;
        }
        Ok(())
    }
    fn is_linear(&self) -> bool {
        true
    }
    fn sees_robot(&self) -> bool {
        false
    }
    fn add_hessian(&self, _on: &mut ResidualPoint<'_>, _lambda: &[f64], _out: &mut DMatrix<f64>) -> Result<(), Reason> {
        Ok(())
    }
    fn length_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], to: &mut [f64]) -> Result<bool, Reason> {
        let rate = rate(on.dt)?;
        let (by_w, rest) = to.split_at_mut(on.w.len());
        let (by_u, by_h) = rest.split_at_mut(on.u.len());
        by_w.fill(0.0);
        by_h[0] = 0.0;
        for (i, lambda) in lambda.iter().enumerate() {
            (by_w[i], by_u[i]) = (rate * rate * lambda, -rate * rate * lambda);
            by_h[0] += 2.0 * rate * rate * rate * lambda * (on.u[i] - on.w[i]);
        }
        Ok(true)
    }
}
