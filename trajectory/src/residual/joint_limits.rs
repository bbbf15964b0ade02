//! Positions and velocities of joints with limits, for a loss that enforces them.

use super::{Depends, Jacobian, PhaseInfo, Residual, ResidualPoint, Weights};
use crate::fault::{ProblemError, Reason};
use crate::loss::Loss;
use crate::quadratic::Quadratic;
use crate::space::Blocks;
use gradyn::Model;
use nalgebra::DMatrix;

/// `r = (q_i …, v_j …)`: coordinates that have limits, rad or m, then velocities that have, rad/s or m/s.
///
/// By itself it keeps nothing: its loss does, such as [`barrier`](Self::barrier). Joints that turn in space, and
/// continuous joints by (cos, sin), have no limits of their coordinates here.
///
/// ```
/// use gradyn_trajectory::Cost;
/// use gradyn_trajectory::residual::JointLimits;
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
/// # let model = gradyn::Model::from_urdf_file(file, &gradyn::UrdfOptions::new())?.model;
/// let limits = JointLimits::new(&model);
/// let loss = limits.barrier();
/// let cost = Cost::new("limits", limits).loss(loss).weight(1e2);
/// # let _ = cost;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct JointLimits {
    /// Coordinates with limits, and the degrees of freedom that they are.
    positions: Vec<(usize, usize)>,
    velocities: Vec<usize>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    nx: usize,
}

impl JointLimits {
    /// Of all limits that the model has.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let (limits, curved) = (model.limits(), Blocks::new(model).0);
        let mut positions = Vec::new();
        for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
            let (q, v) = (body.q_range(), body.v_range());
            if q.len() == v.len() && !curved.iter().any(|block| block.contains(&v.start)) {
                positions.extend(q.zip(v));
            }
        }
        let is_limited = |q: usize| limits.q_lower[q].is_finite() || limits.q_upper[q].is_finite();
        positions.retain(|(q, _)| is_limited(*q));
        let velocities: Vec<usize> = (0..model.nv()).filter(|v| limits.velocity[*v].is_finite()).collect();
        let mut lower: Vec<f64> = positions.iter().map(|(q, _)| limits.q_lower[*q]).collect();
        let mut upper: Vec<f64> = positions.iter().map(|(q, _)| limits.q_upper[*q]).collect();
        lower.extend(velocities.iter().map(|v| -limits.velocity[*v]));
        upper.extend(velocities.iter().map(|v| limits.velocity[*v]));
        Self { positions, velocities, lower, upper, nx: model.nq() + model.nv() }
    }
    /// Of the limits of positions alone.
    #[must_use]
    pub fn of_positions(model: &Model) -> Self {
        let mut all = Self::new(model);
        let n = all.positions.len();
        all.velocities.clear();
        all.lower.truncate(n);
        all.upper.truncate(n);
        all
    }
    /// Of the limits of velocities alone.
    #[must_use]
    pub fn of_velocities(model: &Model) -> Self {
        let mut all = Self::new(model);
        let n = all.positions.len();
        all.positions.clear();
        all.lower.drain(..n);
        all.upper.drain(..n);
        all
    }
    /// Least and greatest values of its numbers, those of the model.
    #[must_use]
    pub fn bounds(&self) -> (&[f64], &[f64]) {
        (&self.lower, &self.upper)
    }
    /// The quadratic barrier at the limits.
    #[must_use]
    pub fn barrier(&self) -> Loss {
        Loss::QuadraticBarrier { lower: self.lower.clone(), upper: self.upper.clone() }
    }
}

impl Residual for JointLimits {
    fn rows(&self) -> usize {
        self.lower.len()
    }
    fn depends(&self) -> Depends {
        Depends::QV
    }
    fn row_name(&self, model: &Model, row: usize) -> Option<String> {
        let dofs = self.positions.iter().map(|(_, dof)| *dof).chain(self.velocities.iter().copied());
        dofs.into_iter().nth(row).and_then(|dof| model.dof_names().get(dof).cloned())
    }
    fn sees_robot(&self) -> bool {
        false
    }
    fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
        let expected = phase.model.nq() + phase.model.nv();
        phase.place.check_length("the state that limits are of", expected, self.nx)
    }
    fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        let (q, v) = r.split_at_mut(self.positions.len());
        q.iter_mut().zip(&self.positions).for_each(|(r, (i, _))| *r = on.q[*i]);
        v.iter_mut().zip(&self.velocities).for_each(|(r, j)| *r = on.v[*j]);
        Ok(())
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        self.positions.iter().enumerate().for_each(|(row, (_, k))| out.dq[(row, *k)] = 1.0);
        let rows = self.positions.len()..;
        rows.zip(&self.velocities).for_each(|(row, j)| out.dv[(row, *j)] = 1.0);
        self.value(on, r)
    }
    fn add_structured(&self, by: &Jacobian, gradient: &[f64], weights: Weights<'_>, out: &mut Quadratic) -> bool {
        let Weights::Diagonal(w) = weights else { return false };
        let nv = by.dq.ncols();
        let directions = self.positions.iter().map(|(_, k)| *k).chain(self.velocities.iter().map(|j| nv + j));
        for ((k, g), w) in directions.zip(gradient).zip(w) {
            out.lx[k] += g;
            out.lxx[(k, k)] += w;
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
