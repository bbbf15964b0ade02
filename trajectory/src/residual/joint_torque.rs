//! How far torques of motors are from a goal, at given accelerations and forces.

use super::own::{ByDuals, memory_of};
use super::{Depends, Jacobian, Quantity, Residual, Snapshot, View};
use crate::fault::Reason;
use crate::step::{Actuation, Contact, torques};
use gradyn::model::InputError;
use gradyn::partials::constraint_inverse_dynamics_derivatives;
use gradyn::{Constraint, Method, Model, Scalar};
use nalgebra::DMatrix;
use std::any::Any;

/// `r = B⁺ (id(q, v, a) − Jᵀ f) − r*`: what motors do, as many as controls of the actuation, N m or N. The goal is `r*`.
///
/// For [`InverseDynamics`](crate::step::InverseDynamics), whose controls are not torques. Under forward dynamics it is the controls.
#[derive(Clone, Debug)]
#[doc(alias = "ResidualModelJointEffort")]
pub struct JointTorque {
    /// `B⁺`, nu × nv.
    motors: DMatrix<f64>,
    constraints: Vec<Constraint>,
    goal: Vec<f64>,
}

impl JointTorque {
    /// Towards zero, of these motors, under the contacts of the phase's step.
    #[must_use]
    pub fn new(actuation: &Actuation, contacts: &[Contact]) -> Self {
        let motors = actuation.inverse();
        let goal = vec![0.0; motors.nrows()];
        Self { motors, constraints: contacts.iter().map(|contact| contact.constraint).collect(), goal }
    }
    /// Towards these torques, one a motor.
    #[must_use]
    pub fn towards(mut self, goal: &[f64]) -> Self {
        self.goal = goal.to_vec();
        self
    }
    const DEPENDS: Depends = Depends { f: true, ..Depends::QVA };

    /// `r`, from torques.
    #[inline(always)]
    fn of<T: Scalar>(&self, tau: &[T], goal: &[f64], r: &mut [T]) {
        for (i, (r, goal)) in r.iter_mut().zip(goal).enumerate() {
            *r = T::from(-*goal);
            for (tau, b) in tau.iter().zip(self.motors.row(i).iter()) {
                *r += *tau * *b;
            }
        }
    }
}

impl Quantity for JointTorque {
    fn rows(&self, _model: &Model) -> usize {
        self.motors.nrows()
    }
    fn depends(&self) -> Depends {
        Self::DEPENDS
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(&self, on: &mut Snapshot<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        let mut tau = vec![T::zero(); on.v.len()];
        torques(on.model, on.workspace, &self.constraints, [on.q, on.v, on.a, on.f], &mut tau)?;
        self.of(&tau, on.goal, r);
        Ok(())
    }
}

/// Memory of values, and of dual numbers.
struct Memory {
    tau: Vec<f64>,
    duals: ByDuals,
}

impl Residual for JointTorque {
    fn rows(&self) -> usize {
        self.motors.nrows()
    }
    fn depends(&self) -> Depends {
        Self::DEPENDS
    }
    fn goal(&self) -> Vec<f64> {
        self.goal.clone()
    }
    fn bind(&mut self, phase: &super::PhaseInfo<'_>) -> Result<(), crate::ProblemError> {
        let place = || format!("phase `{}`", phase.name);
        let rows = phase.contacts.last().map_or(0, |last| last.rows.end);
        let lengths = [
            ("the list of degrees of freedom of motors", phase.model.nv(), self.motors.ncols()),
            ("the list of multipliers of contacts", rows, self.constraints.iter().map(Constraint::rows).sum()),
            ("the goal of torques", self.motors.nrows(), self.goal.len()),
        ];
        match lengths.into_iter().find(|(_, expected, found)| expected != found) {
            Some((what, expected, found)) => Err(crate::ProblemError::Length { place: place(), what, expected, found }),
            None => Ok(()),
        }
    }
    fn memory(&self) -> Box<dyn Any + Send> {
        Box::new(Memory { tau: vec![0.0; self.motors.ncols()], duals: ByDuals::default() })
    }
    fn value(&self, on: &mut View<'_>, r: &mut [f64]) -> Result<(), Reason> {
        let memory = memory_of::<Memory>(on.own)?;
        torques(on.model, on.workspace, &self.constraints, [on.q, on.v, on.a, on.f], &mut memory.tau)?;
        self.of(&memory.tau, on.goal, r);
        Ok(())
    }
    fn jacobian(&self, on: &mut View<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        let View { model, q, v, a, f, goal, .. } = *on;
        let (method, held) = (Method::Analytical, &self.constraints);
        let by = constraint_inverse_dynamics_derivatives(model, on.derivatives, method, q, v, a, f, held, &[])?;
        self.of(by.tau.as_slice(), goal, r);
        let blocks = [&by.dtau_dq, &by.dtau_dv, &by.dtau_da, &by.dtau_dlambda];
        for (to, from) in [&mut out.dq, &mut out.dv, &mut out.da, &mut out.df].into_iter().zip(blocks) {
            to.gemm(1.0, &self.motors, from, 0.0);
        }
        Ok(())
    }
    fn jacobian_by_duals(&self, on: &mut View<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<bool, Reason> {
        let mut duals = std::mem::take(&mut memory_of::<Memory>(on.own)?.duals);
        let done = duals.plain_jacobian(on, self, r, out);
        memory_of::<Memory>(on.own)?.duals = duals;
        done.map(|()| true)
    }
    fn hessian(&self, on: &mut View<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        let mut duals = std::mem::take(&mut memory_of::<Memory>(on.own)?.duals);
        let done = duals.hessian(on, self, lambda, out);
        memory_of::<Memory>(on.own)?.duals = duals;
        done
    }
}
