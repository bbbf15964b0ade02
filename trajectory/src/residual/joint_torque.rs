//! The difference of motor torques from a goal, at given accelerations and forces.

use super::motions::Motions;
use super::own::ByDuals;
use super::{Depends, Jacobian, Quantity, QuantityPoint, Residual, ResidualPoint};
use crate::fault::{Reason, memory_of};
use crate::step::{Actuation, Contact, torques};
use gradyn::dynamics::ConstraintKind;
use gradyn::model::InputError;
use gradyn::partials::{HessianWorkspace, constraint_inverse_dynamics_derivatives, rnea_hessian};
use gradyn::{Constraint, Force, Method, Model, Scalar, Transform, forward_kinematics};
use nalgebra::DMatrix;
use std::any::Any;

/// `r = B⁺ (id(q, v, a) − Jᵀ f) − r*`: what motors do, as many as controls of the actuation, N m or N. The goal is
/// `r*`.
///
/// For [`InverseDynamics`](crate::step::InverseDynamics), whose controls are not torques. Under forward dynamics it is
/// the controls.
#[derive(Clone, Debug)]
#[doc(alias = "ResidualModelJointEffort")]
pub struct JointTorque {
    /// `B⁺`, nu × nv.
    motors: DMatrix<f64>,
    constraints: Vec<Constraint>,
    goal: Vec<f64>,
}

impl JointTorque {
    /// Toward zero, of these motors, under the contacts of the phase's step.
    #[must_use]
    pub fn new(actuation: &Actuation, contacts: &[Contact]) -> Self {
        let motors = actuation.inverse();
        let goal = vec![0.0; motors.nrows()];
        Self { motors, constraints: contacts.iter().map(|contact| contact.constraint).collect(), goal }
    }
    /// Toward these torques, one a motor.
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
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        let mut tau = vec![T::zero(); on.v.len()];
        torques(on.model, on.workspace, &self.constraints, [on.q, on.v, on.a, on.f], &mut tau)?;
        self.of(&tau, on.goal, r);
        Ok(())
    }
}

/// Memory of values, of dual numbers, and of second derivatives.
struct JointTorqueMemory {
    tau: Vec<f64>,
    duals: ByDuals,
    weights: Vec<f64>,
    motions: Motions,
    second: Option<Box<HessianWorkspace>>,
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
        let rows = phase.contacts.last().map_or(0, |last| last.rows.end);
        let lengths = [
            ("the list of degrees of freedom of motors", phase.model.nv(), self.motors.ncols()),
            ("the list of multipliers of contacts", rows, self.constraints.iter().map(Constraint::rows).sum()),
            ("the goal of torques", self.motors.nrows(), self.goal.len()),
        ];
        lengths.into_iter().try_for_each(|(what, expected, found)| phase.place.check_length(what, expected, found))
    }
    fn memory(&self) -> Box<dyn Any + Send> {
        let none = vec![0.0; self.motors.ncols()];
        let (duals, motions) = (ByDuals::default(), Motions::default());
        Box::new(JointTorqueMemory { tau: none.clone(), duals, weights: none, motions, second: None })
    }
    fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        let memory = memory_of::<JointTorqueMemory>(on.own)?;
        torques(on.model, on.workspace, &self.constraints, [on.q, on.v, on.a, on.f], &mut memory.tau)?;
        self.of(&memory.tau, on.goal, r);
        Ok(())
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        let ResidualPoint { model, q, v, a, f, goal, .. } = *on;
        let (method, held) = (Method::Analytical, &self.constraints);
        let by = constraint_inverse_dynamics_derivatives(model, on.derivatives, method, q, v, a, f, held, &[])?;
        self.of(by.tau.as_slice(), goal, r);
        let blocks = [&by.dtau_dq, &by.dtau_dv, &by.dtau_da, &by.dtau_dlambda];
        for (to, from) in [&mut out.dq, &mut out.dv, &mut out.da, &mut out.df].into_iter().zip(blocks) {
            to.gemm(1.0, &self.motors, from, 0.0);
        }
        Ok(())
    }
    fn jacobian_by_duals(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<bool, Reason> {
        let mut duals = std::mem::take(&mut memory_of::<JointTorqueMemory>(on.own)?.duals);
        let done = duals.plain_jacobian(on, self, r, out);
        memory_of::<JointTorqueMemory>(on.own)?.duals = duals;
        done.map(|()| true)
    }
    fn add_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        let JointTorqueMemory { duals, weights, motions, second, .. } = memory_of::<JointTorqueMemory>(on.own)?;
        if self.constraints.iter().any(|held| matches!(held.kind(), ConstraintKind::Joint(_))) {
            let mut duals = std::mem::take(duals);
            let done = duals.add_hessian(on, self, lambda, out);
            memory_of::<JointTorqueMemory>(on.own)?.duals = duals;
            return done;
        }
        for (w, column) in weights.iter_mut().zip(self.motors.column_iter()) {
            *w = column.iter().zip(lambda).map(|(b, l)| b * l).sum();
        }
        let (model, nv) = (on.model, on.v.len());
        let (by_a, by_f) = (2 * nv + on.u.len(), 3 * nv + on.u.len());
        let second = second.get_or_insert_with(|| Box::new(HessianWorkspace::new(model)));
        let by = rnea_hessian(model, second, on.q, on.v, on.a, weights, &[])?;
        for j in 0..nv {
            for i in 0..nv {
                out[(i, j)] += 0.5 * (by.dqq[(i, j)] + by.dqq[(j, i)]);
                out[(nv + i, nv + j)] += by.dvv[(i, j)];
                for (first, x) in [(nv, by.dvq[(i, j)]), (by_a, by.daq[(i, j)])] {
                    out[(first + i, j)] += x;
                    out[(j, first + i)] += x;
                }
            }
        }
        // −f·(J w): a velocity of contacts, at joint velocities w.
        let mut row = 0;
        for held in &self.constraints {
            let (rows, f) = (held.rows(), &on.f[row..]);
            let force = |sign: f64| {
                let at = |k: usize| if k < rows { sign * f[k] } else { 0.0 };
                Force::from_array([at(0), at(1), at(2), at(3), at(4), at(5)])
            };
            for (body, (x, sign)) in held.bodies().into_iter().zip(held.placements().into_iter().zip([1.0, -1.0])) {
                let Some(body) = body else { continue };
                let moved = forward_kinematics(model, on.workspace, on.q, on.v, on.a)?;
                let Some(point) = moved.point(body, x.translation) else { continue };
                let about = Transform::from_translation(point);
                motions.axes.along_path(model, &moved, on.q, Some(body), &about)?;
                motions.add_velocity_at(weights, force(sign), out, |out, dof, slope| {
                    for (k, x) in slope.to_array().into_iter().enumerate().take(rows) {
                        out[(dof, by_f + row + k)] += sign * x;
                        out[(by_f + row + k, dof)] += sign * x;
                    }
                });
            }
            row += rows;
        }
        Ok(())
    }
}
