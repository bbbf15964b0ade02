//! A phase whose duration is a variable: each of its steps is a share of a number T of the state.
//!
//! ```text
//! h_k = h⁰_k T / T⁰        ∂/∂T = (h_k / T) ∂/∂h
//! ```

use super::Stage;
use crate::cost::Cost;
use crate::fault::Reason;
use crate::node::At;
use crate::quadratic::Quadratic;
use crate::residual::ElapsedTime;

/// Where a phase's duration stands in what states remember, and what it is where nothing is changed, s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeDuration {
    pub(crate) index: usize,
    pub(crate) nominal: f64,
}

impl FreeDuration {
    /// T at a state that remembers `w`, s.
    pub(super) fn duration(&self, w: &[f64]) -> Result<f64, Reason> {
        match w.get(self.index) {
            Some(t) if t.is_finite() && *t > 0.0 => Ok(*t),
            Some(t) => Err(Reason::InvalidDuration { seconds: *t }),
            None => Err(Reason::NoDuration),
        }
    }
    /// The node with the length of its step.
    pub(super) fn set<'a>(&self, at: At<'a>, w: &[f64]) -> Result<At<'a>, Reason> {
        Ok(At { dt: at.dt * self.duration(w)? / self.nominal, ..at })
    }
}

impl Stage {
    /// A node with the length of its step, where that is free.
    pub(super) fn timed<'a>(&self, at: At<'a>) -> Result<At<'a>, Reason> {
        match &self.clock {
            None => Ok(at),
            Some(clock) => clock.set(at, self.space().split(at.x).2),
        }
    }
    /// What is integrated over time costs in proportion to its duration.
    pub(super) fn spend(&self, at: At<'_>, out: &mut Quadratic) -> Result<(), Reason> {
        let Some(clock) = &self.clock else { return Ok(()) };
        let (_, v, w) = self.space().split(at.x);
        out.lx[2 * v.len() + clock.index] += out.cost / clock.duration(w)?;
        Ok(())
    }
}

impl Cost {
    /// The duration of the phase, s: what is to be short where it [is free](crate::Phase::free_duration).
    pub fn duration(name: impl Into<String>) -> Self {
        Self::new(name, ElapsedTime)
    }
}
