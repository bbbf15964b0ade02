//! A phase whose duration is a variable: its steps are a share each of a number T of the state.
//!
//! ```text
//! h_k = h⁰_k T / T⁰        ∂/∂T = (h_k / T) ∂/∂h
//! ```

use crate::cost::Cost;
use crate::fault::Reason;
use crate::loss::Loss;
use crate::node::{At, Memory, Node, NodeError};
use crate::quadratic::{Dims, Multipliers, Quadratic};
use crate::residual::{Depends, Jacobian, Residual, View};
use nalgebra::DMatrix;

/// Where a phase's duration stands in what states remember, and what it is where nothing is changed, s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    pub(crate) index: usize,
    pub(crate) nominal: f64,
}

impl Clock {
    /// T at a state that remembers `w`, s.
    pub(super) fn duration(&self, w: &[f64]) -> Result<f64, Reason> {
        match w.get(self.index) {
            Some(t) if t.is_finite() && *t > 0.0 => Ok(*t),
            Some(t) => Err(Reason::Other(format!("the duration of the phase is {t} s: it must be positive"))),
            None => Err(Reason::Other("the state has no duration of the phase".into())),
        }
    }
    /// The node with the length of its step.
    pub(super) fn set<'a>(&self, at: At<'a>, w: &[f64]) -> Result<At<'a>, Reason> {
        Ok(At { dt: at.dt * self.duration(w)? / self.nominal, ..at })
    }
}

/// The node that chooses durations: its controls become what states remember of them, in no time and at no cost.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) nx: usize,
    pub(crate) ndx: usize,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
}

impl Node for Choice {
    fn dims(&self) -> Dims {
        Dims { nx: self.nx, ndx: self.ndx, nu: self.lower.len(), n_eq: 0, n_in: 0 }
    }
    fn control_bounds(&self) -> Option<(&[f64], &[f64])> {
        Some((&self.lower, &self.upper))
    }
    fn memory(&self) -> Memory {
        Box::new(())
    }
    fn value(&self, at: At<'_>, _: &mut Memory, next: &mut [f64], _: &mut [f64]) -> Result<f64, NodeError> {
        let rest = self.nx - at.u.len();
        next[..rest].copy_from_slice(&at.x[..rest]);
        next[rest..].copy_from_slice(at.u);
        Ok(0.0)
    }
    fn linearize(&self, at: At<'_>, memory: &mut Memory, out: &mut Quadratic) -> Result<(), NodeError> {
        let mut next = std::mem::take(&mut out.next);
        let done = self.value(at, memory, &mut next, &mut []);
        out.next = next;
        done?;
        out.clear_cost();
        let rest = self.ndx - at.u.len();
        for i in 0..self.ndx {
            out.a[(i, i)] = f64::from(i < rest);
            if i >= rest {
                out.b[(i, i - rest)] = 1.0;
            }
        }
        Ok(())
    }
    fn linearize_exact(
        &self,
        at: At<'_>,
        memory: &mut Memory,
        _: &Multipliers,
        out: &mut Quadratic,
    ) -> Result<bool, NodeError> {
        out.curvature.clear();
        self.linearize(at, memory, out).map(|()| true)
    }
    fn hold(&self, at: At<'_>, _: &mut Memory, u: &mut [f64]) -> Result<(), NodeError> {
        u.copy_from_slice(&at.x[self.nx - u.len()..]);
        Ok(())
    }
}

/// `r = √2`, so that `½ r²` along a phase is its duration.
#[derive(Clone, Copy, Debug)]
struct Always;

impl Residual for Always {
    fn rows(&self) -> usize {
        1
    }
    fn depends(&self) -> Depends {
        Depends { q: false, ..Depends::Q }
    }
    fn value(&self, _: &mut View<'_>, r: &mut [f64]) -> Result<(), Reason> {
        r[0] = std::f64::consts::SQRT_2;
        Ok(())
    }
    fn jacobian(&self, on: &mut View<'_>, r: &mut [f64], _: &mut Jacobian) -> Result<(), Reason> {
        self.value(on, r)
    }
    fn add_hessian(&self, _: &mut View<'_>, _: &[f64], _: &mut DMatrix<f64>) -> Result<(), Reason> {
        Ok(())
    }
}

impl Cost {
    /// The duration of the phase, s: what is to be short where it [is free](crate::Phase::free_duration).
    pub fn duration(name: impl Into<String>) -> Self {
        Self::new(name, Always).loss(Loss::Quadratic)
    }
}
