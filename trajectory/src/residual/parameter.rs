//! Parameters of the problem in costs and constraints: `r = p`, and `r = s(x, u) − M p`.

use super::{Depends, Jacobian, PhaseInfo, Residual, ResidualPoint};
use crate::fault::{ProblemError, ProblemPlace, Reason};
use nalgebra::DMatrix;
use std::any::Any;
use std::ops::Range;

/// `r = p − p*`: the numbers of a parameter. The goal is `p*`, zero if no other is given.
#[derive(Clone, Debug)]
pub struct ParameterValue {
    name: String,
    goal: Vec<f64>,
    place: Range<usize>,
}

impl ParameterValue {
    /// Of a parameter with so many numbers.
    #[must_use]
    pub fn new(name: impl Into<String>, numbers: usize) -> Self {
        Self { name: name.into(), goal: vec![0.0; numbers], place: 0..0 }
    }
    /// Toward these.
    #[must_use]
    pub fn towards(mut self, goal: &[f64]) -> Self {
        self.goal = goal.to_vec();
        self
    }
}

/// Where a parameter of this name, and of so many numbers, stands.
fn find(
    parameters: &[(String, Range<usize>)],
    name: &str,
    numbers: usize,
    place: &ProblemPlace,
) -> Result<Range<usize>, ProblemError> {
    let Some((_, found)) = parameters.iter().find(|(known, _)| known == name) else {
        // One that there is, for who has mistaken the name.
        let nearest = parameters.first().map(|(known, _)| known.clone());
        return Err(ProblemError::Unknown { place: place.clone(), what: "parameter", name: name.into(), nearest });
    };
    place.part(format!("parameter `{name}`")).check_length("the list of its numbers", numbers, found.len())?;
    Ok(found.clone())
}

impl Residual for ParameterValue {
    fn rows(&self) -> usize {
        self.goal.len()
    }
    fn depends(&self) -> Depends {
        Depends { q: false, w: true, ..Depends::Q }
    }
    fn goal(&self) -> Vec<f64> {
        self.goal.clone()
    }
    fn bind_parameters(
        &mut self,
        parameters: &[(String, Range<usize>)],
        place: &ProblemPlace,
    ) -> Result<(), ProblemError> {
        self.place = find(parameters, &self.name, self.goal.len(), place)?;
        Ok(())
    }
    fn sees_robot(&self) -> bool {
        false
    }
    fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        for ((r, p), goal) in r.iter_mut().zip(&on.w[self.place.clone()]).zip(on.goal) {
            *r = p - goal;
        }
        Ok(())
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        for (i, place) in self.place.clone().enumerate() {
            out.dw[(i, place)] = 1.0;
        }
        self.value(on, r)
    }
    fn is_linear(&self) -> bool {
        true
    }
    fn add_hessian(&self, _on: &mut ResidualPoint<'_>, _lambda: &[f64], _out: &mut DMatrix<f64>) -> Result<(), Reason> {
        Ok(())
    }
}

/// `r = s(x, u) − M p`: another residual less a parameter, so that a foot is at a foothold where `r = 0`. M is the
/// identity unless it is given.
#[derive(Debug)]
pub struct MinusParameter {
    residual: Box<dyn Residual>,
    name: String,
    m: DMatrix<f64>,
    place: Range<usize>,
}

impl MinusParameter {
    /// Of a residual, and a parameter of as many numbers as that has rows.
    pub fn new(residual: impl Residual + 'static, name: impl Into<String>) -> Self {
        Self::boxed(Box::new(residual), name)
    }
    /// [`new`](Self::new), of a residual whose kind is not known when the program is compiled.
    pub fn boxed(residual: Box<dyn Residual>, name: impl Into<String>) -> Self {
        let rows = residual.rows();
        Self { residual, name: name.into(), m: DMatrix::identity(rows, rows), place: 0..0 }
    }
    /// With this M, rows × numbers of the parameter.
    #[must_use]
    pub fn times(mut self, m: DMatrix<f64>) -> Self {
        self.m = m;
        self
    }
}

impl Residual for MinusParameter {
    fn rows(&self) -> usize {
        self.residual.rows()
    }
    fn depends(&self) -> Depends {
        Depends { w: true, ..self.residual.depends() }
    }
    fn goal(&self) -> Vec<f64> {
        self.residual.goal()
    }
    fn check_goal(&self, goal: &[f64]) -> Result<(), String> {
        self.residual.check_goal(goal)
    }
    fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
        self.residual.bind(phase)?;
        let place = phase.place.part(format!("parameter `{}`", self.name));
        place.check_length("the matrix of its numbers, by rows,", self.residual.rows(), self.m.nrows())
    }
    fn bind_parameters(
        &mut self,
        parameters: &[(String, Range<usize>)],
        place: &ProblemPlace,
    ) -> Result<(), ProblemError> {
        self.residual.bind_parameters(parameters, place)?;
        self.place = find(parameters, &self.name, self.m.ncols(), place)?;
        Ok(())
    }
    fn sees_robot(&self) -> bool {
        self.residual.sees_robot()
    }
    fn memory(&self) -> Box<dyn Any + Send> {
        self.residual.memory()
    }
    fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        self.residual.value(on, r)?;
        for (column, p) in self.m.column_iter().zip(&on.w[self.place.clone()]) {
            r.iter_mut().zip(column.iter()).for_each(|(r, m)| *r -= m * p);
        }
        Ok(())
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        for place in self.place.clone() {
            out.dw.column_mut(place).fill(0.0);
        }
        self.residual.jacobian(on, r, out)?;
        for ((column, place), p) in self.m.column_iter().zip(self.place.clone()).zip(&on.w[self.place.clone()]) {
            r.iter_mut().zip(column.iter()).for_each(|(r, m)| *r -= m * p);
            out.dw.column_mut(place).iter_mut().zip(column.iter()).for_each(|(to, m)| *to -= m);
        }
        Ok(())
    }
    fn has_hessian(&self) -> bool {
        self.residual.has_hessian()
    }
    fn is_linear(&self) -> bool {
        self.residual.is_linear()
    }
    fn add_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        self.residual.add_hessian(on, lambda, out)
    }
    fn length_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], to: &mut [f64]) -> Result<bool, Reason> {
        self.residual.length_hessian(on, lambda, to)
    }
}
