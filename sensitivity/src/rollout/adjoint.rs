//! The discrete adjoint: the gradient of a cost by the start, by all controls and by all parameters, at about the cost
//! of a few simulations.

use super::backward::{Backward, Given, Pass};
use super::scheme::Robot;
use super::{Rollout, State, TrajectoryCost};
use crate::error::SensitivityError;
use nalgebra::DVector;

/// The bytes of states that may be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateMemory(pub usize);

impl Default for StateMemory {
    /// 64 MiB.
    fn default() -> Self {
        Self(64 << 20)
    }
}

/// A cost and its gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct Adjoint {
    /// `J`
    pub cost: f64,
    /// `∂J/∂p`, one per parameter.
    pub by_parameters: Vec<f64>,
    /// `∂J/∂q₀`, nv, along `q₀ ⊕ ε e_k`.
    pub by_q0: Vec<f64>,
    /// `∂J/∂v₀`, nv.
    pub by_v0: Vec<f64>,
    /// `∂J/∂u`, nu for each of the roll-out's controls.
    pub by_controls: Vec<Vec<f64>>,
    /// `|λ₀|` over the first nonzero `|λ|`, seen from the end: the growth of the adjoint over the horizon. Above 1e12,
    /// it is mostly rounding.
    pub growth: f64,
    /// The number of repeated steps, because not all states were stored.
    pub repeated_steps: usize,
}

impl Adjoint {
    /// Whether first-order results are meaningful: rounding errors, amplified like the adjoint, are still small.
    #[must_use]
    pub fn is_trustworthy(&self) -> bool {
        self.growth.is_finite() && self.growth * f64::EPSILON < 1e-4
    }
}

/// Its results.
pub(super) struct Found<P> {
    pub(super) cost: P,
    pub(super) by_parameters: Vec<P>,
    pub(super) by_q0: Vec<P>,
    pub(super) by_v0: Vec<P>,
    pub(super) by_controls: Vec<Vec<P>>,
    pub(super) growth: f64,
    pub(super) repeated_steps: usize,
}

impl Rollout<'_> {
    /// Computes the gradient of a cost by everything, for the robot with these values, from this start.
    ///
    /// States are stored as memory allows; beyond that, every √N-th, and those between are recomputed. Gradients by the
    /// controls take additional memory: [`each_for`](Self::each_for) keeps them few.
    ///
    /// # Errors
    /// Input that the engine rejects, and errors of the cost.
    pub fn adjoint(
        &self,
        values: &[f64],
        q0: &[f64],
        v0: &[f64],
        cost: &dyn TrajectoryCost,
        memory: StateMemory,
    ) -> Result<Adjoint, SensitivityError> {
        let none = vec![0.0; v0.len()];
        let found =
            self.backwards(&Given { values, start: (q0, v0), moved: (&none, &none), more: &[], cost, memory })?;
        let Found { cost, by_parameters, by_q0, by_v0, by_controls, growth, repeated_steps } = found;
        Ok(Adjoint { cost, by_parameters, by_q0, by_v0, by_controls, growth, repeated_steps })
    }

    /// The same over any number type.
    pub(super) fn backwards<P: Pass>(&self, given: &Given<'_, P>) -> Result<Found<P>, SensitivityError> {
        let Given { values, start, moved, more, cost, memory } = *given;
        let mut robot = Robot::at(self.parameters, values)?;
        let (n, nv) = (self.steps(), robot.model.nv());
        let bytes = (robot.model.nq() + nv) * size_of::<P>();
        let stride =
            if (n + 1).saturating_mul(bytes) <= memory.0 { 1 } else { ((n as f64).sqrt().ceil() as usize).max(1) };

        // Forward: every stride-th state.
        let (q, v) = self.start(&robot, values, start)?;
        let mut there = q.clone();
        robot.model.integrate_into(&q, moved.0, &mut there)?;
        let (q, v) = (there, v.iter().zip(moved.1).map(|(v, more)| *v + *more).collect::<Vec<P>>());
        let before = v.clone();
        let v = self.hit(&mut robot, 0, &q, v)?;
        let mut kept: Vec<State<P>> = vec![(q.clone(), v.clone())];
        let mut at = (q, v);
        for step in 0..n {
            at = self.advance(&mut robot, step, (&at.0, &at.1), more)?;
            if (step + 1) % stride == 0 {
                kept.push(at.clone());
            }
        }

        // Backward.
        let mut back = Backward::new(self, robot.model.clone(), given)?;
        let mut total = P::end(cost, &back.nominal, (&at.0, &at.1), &mut back.lambda)?;
        let mut begun = norm(&back.lambda);
        let mut repeated_steps = 0;
        let mut block: Vec<State<P>> = Vec::new();
        let mut first = n + 1;
        for step in (0..n).rev() {
            let wanted = step / stride * stride;
            if stride > 1 && first != wanted {
                first = wanted;
                block.clear();
                block.push(kept[step / stride].clone());
                for k in first..step {
                    let (q, v) = &block[k - first];
                    let next = self.advance(&mut robot, k, (q, v), more)?;
                    block.push(next);
                    repeated_steps += 1;
                }
            }
            let (q, v) = if stride > 1 { &block[step - first] } else { &kept[step] };
            total += back.step(step, (q, v), cost)?;
            if begun == 0.0 {
                begun = norm(&back.lambda);
            }
        }
        let (q, _) = &kept[0];
        P::impact(&mut back, 0, q, &before)?;
        let growth = if begun > 0.0 { norm(&back.lambda) / begun } else { 1.0 };
        let (by_q0, by_v0) = (back.lambda[..nv].to_vec(), back.lambda[nv..].to_vec());
        // q₀ ⊕ δ(p) ⊕ δq: by the part before δq, and by δq.
        let (before, by_q0) = back.engine.moved_back(moved.0, &by_q0)?;
        let by_parameters = back.by_parameters((&before, &by_v0))?;
        Ok(Found { cost: total, by_parameters, by_q0, by_v0, by_controls: back.by_controls, growth, repeated_steps })
    }
}

/// The norm of values.
fn norm<P: Pass>(x: &[P]) -> f64 {
    DVector::from_iterator(x.len(), x.iter().map(|x| P::value(*x))).norm()
}
