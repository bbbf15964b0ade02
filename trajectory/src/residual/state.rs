//! How far a state is from a goal: `r = x ⊖ x*`.

use super::logarithm::BentLog;
use super::own::memory_of;
use super::{Depends, Jacobian, Quantity, Residual, Snapshot, View, Weights};
use crate::fault::{ProblemError, Reason};
use crate::quadratic::Quadratic;
use crate::residual::PhaseInfo;
use crate::space::Blocks;
use gradyn::joint::{Geometry, Joint, JointKind};
use gradyn::model::InputError;
use gradyn::{Force, Model, Motion, Scalar};
use nalgebra::DMatrix;
use std::any::Any;

/// `r = (q ⊖ q*, v − v*)`, 2 nv. The goal is `(q*, v*)`, nq + nv numbers.
#[derive(Clone, Debug)]
#[doc(alias = "ResidualModelState")]
pub struct StateError {
    nv: usize,
    goal: Vec<f64>,
    blocks: Blocks,
    turning: Vec<(usize, &'static [usize])>,
}

impl StateError {
    /// Towards a configuration (nq) and a velocity (nv).
    #[must_use]
    pub fn at(model: &Model, q: &[f64], v: &[f64]) -> Self {
        Self { nv: model.nv(), goal: [q, v].concat(), blocks: Blocks::new(model), turning: turning(model) }
    }
    /// Towards the neutral configuration, at rest.
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
    fn evaluate<T: Scalar>(&self, on: &mut Snapshot<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        let nq = on.model.nq();
        let goal: Vec<T> = on.goal[..nq].iter().map(|x| T::from(*x)).collect();
        on.model.difference_into(&goal, on.q, &mut r[..self.nv])?;
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
        if self.goal.len() != nx {
            let (place, found) = (format!("phase `{}`", phase.name), self.goal.len());
            return Err(ProblemError::Length { place, what: "the goal of the state", expected: nx, found });
        }
        let place = || format!("phase `{}`, goal of the state", phase.name);
        phase
            .model
            .check_configuration(&self.goal[..phase.model.nq()])
            .map_err(|error| ProblemError::Input { place: place(), error })
    }
    fn memory(&self) -> Box<dyn Any + Send> {
        Box::new(StateMemory { square: DMatrix::zeros(0, 0), difference: Vec::new() })
    }
    fn value(&self, on: &mut View<'_>, r: &mut [f64]) -> Result<(), Reason> {
        let nq = on.model.nq();
        on.model.difference_into(&on.goal[..nq], on.q, &mut r[..self.nv])?;
        for ((r, v), goal) in r[self.nv..].iter_mut().zip(on.v).zip(&on.goal[nq..]) {
            *r = v - goal;
        }
        Ok(())
    }
    fn jacobian(&self, on: &mut View<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        self.value(on, r)?;
        let nv = self.nv;
        out.dq.fill_diagonal(1.0);
        if !self.blocks.0.is_empty() {
            let memory = memory_of::<StateMemory>(on.own)?;
            if memory.square.nrows() != nv {
                memory.square = DMatrix::zeros(nv, nv);
            }
            on.model.difference_dq1_into(&on.goal[..on.model.nq()], on.q, &mut memory.square)?;
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
        self.turning.is_empty()
    }
    fn add_hessian(&self, on: &mut View<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        if self.turning.is_empty() {
            return Ok(());
        }
        let nv = self.nv;
        let memory = memory_of::<StateMemory>(on.own)?;
        memory.difference.resize(nv, 0.0);
        on.model.difference_into(&on.goal[..on.model.nq()], on.q, &mut memory.difference)?;
        for (first, places) in &self.turning {
            let spread = |from: &[f64]| {
                let mut six = [0.0; 6];
                places.iter().zip(&from[*first..]).for_each(|(place, x)| six[*place] = *x);
                six
            };
            let (r, weights) = (Motion::from_array(spread(&memory.difference)), Force::from_array(spread(lambda)));
            let bent = BentLog::new(r, weights).hessian;
            for (j, y) in places.iter().enumerate() {
                for (i, x) in places.iter().enumerate() {
                    out[(first + i, first + j)] += bent[(*x, *y)];
                }
            }
        }
        Ok(())
    }
}

/// Joints that turn in space, or their parts: where their directions begin, and which of those of a free body they are.
fn turning(model: &Model) -> Vec<(usize, &'static [usize])> {
    let mut found = Vec::new();
    let mut add = |first: usize, geometry: Geometry| match geometry {
        Geometry::Flat => {}
        Geometry::Se2 => found.push((first, [0, 1, 5].as_slice())),
        Geometry::So3 => found.push((first, [3, 4, 5].as_slice())),
        Geometry::Se3 => found.push((first, [0, 1, 2, 3, 4, 5].as_slice())),
    };
    for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
        let first = body.v_range().start;
        match body.joint() {
            Joint::Composite(composite) => {
                let mut at = first;
                for part in composite.parts() {
                    add(at, JointKind::geometry(&part.joint));
                    at += part.joint.nv();
                }
            }
            joint => add(first, joint.geometry()),
        }
    }
    found
}

/// Memory of the Jacobian.
struct StateMemory {
    square: DMatrix<f64>,
    difference: Vec<f64>,
}
