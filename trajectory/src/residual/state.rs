//! The difference of a state from a goal: `r = x ⊖ x*`.

use super::logarithm::LogCurvature;
use super::{Depends, Jacobian, Quantity, QuantityPoint, Residual, ResidualPoint, Weights};
use crate::fault::{ProblemError, Reason, memory_of};
use crate::half_turn::{Turning, is_half};
use crate::quadratic::Quadratic;
use crate::residual::PhaseInfo;
use crate::space::Blocks;
use gradyn::model::InputError;
use gradyn::spatial::jlog6;
use gradyn::{Force, Model, Scalar};
use nalgebra::DMatrix;
use std::any::Any;

/// `r = (q ⊖ q*, v − v*)`, 2 nv. The goal is `(q*, v*)`, nq + nv numbers.
///
/// A joint that is half a turn away from its goal has two differences: r has that whose axis points along (4, 2, 1).
#[derive(Clone, Debug)]
#[doc(alias = "ResidualModelState")]
pub struct StateError {
    nv: usize,
    goal: Vec<f64>,
    blocks: Blocks,
    turning: Turning,
}

impl StateError {
    /// Toward a configuration (nq) and a velocity (nv).
    #[must_use]
    pub fn at(model: &Model, q: &[f64], v: &[f64]) -> Self {
        Self { nv: model.nv(), goal: [q, v].concat(), blocks: Blocks::new(model), turning: Turning::new(model) }
    }
    /// Toward the neutral configuration, at rest.
    #[must_use]
    pub fn neutral(model: &Model) -> Self {
        Self::at(model, &model.neutral::<f64>(), &vec![0.0; model.nv()])
    }

    /// Columns of the configuration that are not those of the identity are the joint's own block; from it, its range.
    fn each_range(&self, mut to: impl FnMut(std::ops::Range<usize>)) {
        let mut next = 0;
        for block in &self.blocks.0 {
            (next..block.start).for_each(|i| to(i..i + 1));
            to(block.clone());
            next = block.end;
        }
        (next..self.nv).for_each(|i| to(i..i + 1));
    }
}

impl Quantity for StateError {
    fn rows(&self, _model: &Model) -> usize {
        2 * self.nv
    }
    fn depends(&self) -> Depends {
        Depends::QV
    }
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        let nq = on.model.nq();
        let goal: Vec<T> = on.goal[..nq].iter().map(|x| T::from(*x)).collect();
        on.model.difference_into(&goal, on.q, &mut r[..self.nv])?;
        self.turning.choose(&mut r[..self.nv], |_, _| {});
        for ((r, v), goal) in r[self.nv..].iter_mut().zip(on.v).zip(&on.goal[nq..]) {
            *r = *v - T::from(*goal);
        }
        Ok(())
    }
}

impl Residual for StateError {
    fn rows(&self) -> usize {
        2 * self.nv
    }
    fn depends(&self) -> Depends {
        Depends::QV
    }
    fn sees_robot(&self) -> bool {
        false
    }
    fn goal(&self) -> Vec<f64> {
        self.goal.clone()
    }
    fn goal_state<'g>(&self, goal: &'g [f64]) -> Option<&'g [f64]> {
        Some(goal)
    }
    fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
        let nx = phase.model.nq() + phase.model.nv();
        phase.place.check_length("the goal of the state", nx, self.goal.len())?;
        let place = || phase.place.part("goal of the state");
        phase
            .model
            .check_configuration(&self.goal[..phase.model.nq()])
            .map_err(|error| ProblemError::Input { place: place(), error: Box::new(error) })
    }
    fn jumps(&self, r: &[f64]) -> bool {
        self.turning.parts.iter().any(|part| is_half(Turning::motion(*part, r).angular))
    }
    fn memory(&self) -> Box<dyn Any + Send> {
        Box::new(StateMemory { square: DMatrix::zeros(0, 0), difference: Vec::new() })
    }
    fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        let nq = on.model.nq();
        on.model.difference_into(&on.goal[..nq], on.q, &mut r[..self.nv])?;
        self.turning.choose(&mut r[..self.nv], |_, _| {});
        for ((r, v), goal) in r[self.nv..].iter_mut().zip(on.v).zip(&on.goal[nq..]) {
            *r = v - goal;
        }
        Ok(())
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        let (nv, nq) = (self.nv, on.model.nq());
        self.value(on, r)?;
        out.dq.fill_diagonal(1.0);
        if !self.blocks.0.is_empty() {
            let memory = memory_of::<StateMemory>(on.own)?;
            if memory.square.nrows() != nv {
                memory.square = DMatrix::zeros(nv, nv);
            }
            on.model.difference_dq1_into(&on.goal[..nq], on.q, &mut memory.square)?;
            memory.difference.resize(nv, 0.0);
            on.model.difference_into(&on.goal[..nq], on.q, &mut memory.difference)?;
            let StateMemory { square, difference } = memory;
            self.turning.choose(difference, |k, motion| {
                let ((first, places), by) = (self.turning.parts[k], jlog6(motion));
                for (j, y) in places.iter().enumerate() {
                    for (i, x) in places.iter().enumerate() {
                        square[(first + i, first + j)] = by[(*x, *y)];
                    }
                }
            });
            for block in &self.blocks.0 {
                for j in block.clone() {
                    for i in block.clone() {
                        out.dq[(i, j)] = memory.square[(i, j)];
                    }
                }
            }
        }
        for i in 0..nv {
            out.dv[(nv + i, i)] = 1.0;
        }
        Ok(())
    }
    fn add_structured(&self, by: &Jacobian, gradient: &[f64], weights: Weights<'_>, out: &mut Quadratic) -> bool {
        let Weights::Diagonal(w) = weights else { return false };
        let nv = self.nv;
        self.each_range(|r| {
            for j in r.clone() {
                out.lx[j] += r.clone().map(|k| by.dq[(k, j)] * gradient[k]).sum::<f64>();
                for i in r.clone() {
                    out.lxx[(i, j)] += r.clone().map(|k| by.dq[(k, i)] * w[k] * by.dq[(k, j)]).sum::<f64>();
                }
            }
        });
        for i in nv..2 * nv {
            out.lx[i] += gradient[i];
            out.lxx[(i, i)] += w[i];
        }
        true
    }
    fn is_linear(&self) -> bool {
        self.turning.parts.is_empty()
    }
    fn add_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        if self.turning.parts.is_empty() {
            return Ok(());
        }
        let nv = self.nv;
        let memory = memory_of::<StateMemory>(on.own)?;
        memory.difference.resize(nv, 0.0);
        on.model.difference_into(&on.goal[..on.model.nq()], on.q, &mut memory.difference)?;
        self.turning.choose(&mut memory.difference, |_, _| {});
        for (first, places) in &self.turning.parts {
            let r = Turning::motion((*first, places), &memory.difference);
            let weights = Force::from_array(Turning::motion((*first, places), lambda).to_array());
            let curvature = LogCurvature::new(r, weights).hessian;
            for (j, y) in places.iter().enumerate() {
                for (i, x) in places.iter().enumerate() {
                    out[(first + i, first + j)] += curvature[(*x, *y)];
                }
            }
        }
        Ok(())
    }
}

/// Memory of the Jacobian.
struct StateMemory {
    square: DMatrix<f64>,
    difference: Vec<f64>,
}
