//! Inverse dynamics: accelerations and forces are chosen, and equalities restrict them to possible ones.
//!
//! ```text
//! u = (a, f)         v⁺ = v + h a ,   q⁺ = q ⊕ h v⁺
//! Nᵀ τ = 0 ,   J a + γ = 0             τ = id(q, v, a) − Jᵀ f
//! ```
//!
//! N contains the directions of torques without motors, `Nᵀ B = 0`. No mass matrix is factorized. Sources: H. Ferrolho,
//! V. Ivan, W. Merkt, I. Havoutis and S. Vijayakumar, *Inverse Dynamics vs. Forward Dynamics in Direct Transcription
//! Formulations for Trajectory Optimization*, 2021; S. Katayama and T. Ohtsuka, *Efficient solution method based on
//! inverse dynamics for optimal control problems of rigid body systems*, 2021.

use super::{
    Acceleration, Actuation, Contact, ContactRows, Engine, SemiImplicitEuler, Sensitivities, Step, StepView,
    StepWeights, contact,
};
use crate::fault::{ProblemError, ProblemPlace, Reason, memory_of};
use crate::quadratic::Quadratic;
use gradyn::dynamics::{constraint_bias, constraint_jacobian};
use gradyn::partials::{
    SecondOrderWorkspace, constraint_inverse_dynamics_derivatives, constraint_inverse_dynamics_hessian,
};
use gradyn::{Constraint, InputError, Method, Model, Scalar, Workspace, rnea};
use nalgebra::DMatrix;
use std::any::Any;

/// Inverse dynamics: controls are accelerations, nv, then multipliers of contacts, one a row. Equalities: torques that
/// no motor makes, then accelerations of contacts.
///
/// Torques of motors are a function of state and controls, which [`JointTorque`](crate::residual::JointTorque) gives to
/// costs.
#[derive(Clone, Debug)]
#[doc(alias("DifferentialActionModelFreeInvDynamics", "DifferentialActionModelContactInvDynamics"))]
pub struct InverseDynamics {
    euler: SemiImplicitEuler<Chosen>,
    actuation: Actuation,
    /// N, nv × as many as motors leave out.
    idle: DMatrix<f64>,
    constraints: Vec<Constraint>,
}

impl InverseDynamics {
    /// Of this robot, under contacts and closed loops, if there are any.
    #[must_use]
    pub fn new(model: &Model, actuation: Actuation, contacts: &[Contact]) -> Self {
        let chosen = Chosen { nv: model.nv(), rows: contact::rows_of(contacts) };
        let constraints = contacts.iter().map(|contact| contact.constraint).collect();
        Self { euler: SemiImplicitEuler::new(model, chosen), idle: actuation.idle(), actuation, constraints }
    }
}

/// Accelerations and multipliers that are controls.
#[derive(Clone, Debug)]
struct Chosen {
    nv: usize,
    rows: Vec<ContactRows>,
}

impl Acceleration for Chosen {
    fn controls(&self) -> usize {
        self.nv + self.multipliers()
    }
    fn multipliers(&self) -> usize {
        self.rows.last().map_or(0, |last| last.rows.end)
    }
    fn contacts(&self) -> &[ContactRows] {
        &self.rows
    }
    fn value(&self, _on: &mut Engine<'_>, [.., u]: [&[f64]; 3], a: &mut [f64], f: &mut [f64]) -> Result<(), Reason> {
        a.copy_from_slice(&u[..self.nv]);
        f.copy_from_slice(&u[self.nv..]);
        Ok(())
    }
    fn derivatives(
        &self,
        on: &mut Engine<'_>,
        state: [&[f64]; 3],
        a: &mut [f64],
        f: &mut [f64],
        by: &mut Sensitivities,
    ) -> Result<(), Reason> {
        by.a_u.columns_mut(0, self.nv).fill_with_identity();
        by.f_u.columns_mut(self.nv, f.len()).fill_with_identity();
        self.value(on, state, a, f)
    }
    /// They are chosen: there is nothing to bend.
    fn hessian(
        &self,
        _on: &mut Engine<'_>,
        _state: [&[f64]; 3],
        _weights: [&[f64]; 2],
        out: &mut DMatrix<f64>,
    ) -> Result<bool, Reason> {
        out.fill(0.0);
        Ok(true)
    }
}

/// `id(q, v, a) − Jᵀ f`
#[inline(always)]
pub(crate) fn torques<T: Scalar>(
    model: &Model,
    workspace: &mut Workspace<T>,
    constraints: &[Constraint],
    [q, v, a, f]: [&[T]; 4],
    tau: &mut [T],
) -> Result<(), InputError> {
    tau.copy_from_slice(rnea(model, workspace, q, v, a, &[])?);
    if !constraints.is_empty() {
        let jacobian = constraint_jacobian(model, workspace, q, constraints)?;
        for (tau, column) in tau.iter_mut().zip(jacobian.column_iter()) {
            for (j, f) in column.iter().zip(f) {
                *tau -= *j * *f;
            }
        }
    }
    Ok(())
}

/// Memory of a step.
struct InverseDynamicsMemory {
    euler: Box<dyn Any + Send>,
    tau: Vec<f64>,
    /// Made when first needed.
    second: Option<Box<SecondOrderWorkspace>>,
}

impl InverseDynamics {
    /// Runs with the memory of Euler's step in the view.
    fn by_euler<R>(
        &self,
        on: &mut StepView<'_>,
        run: impl FnOnce(&SemiImplicitEuler<Chosen>, &mut StepView<'_>) -> Result<R, Reason>,
    ) -> Result<R, Reason> {
        let memory = memory_of::<InverseDynamicsMemory>(on.own)?;
        let mut view = StepView {
            model: on.model,
            at: on.at,
            q: on.q,
            v: on.v,
            u: on.u,
            workspace: &mut *on.workspace,
            derivatives: &mut *on.derivatives,
            own: &mut *memory.euler,
            a: &mut *on.a,
            f: &mut *on.f,
        };
        run(&self.euler, &mut view)
    }
}

impl Step for InverseDynamics {
    fn controls(&self) -> usize {
        self.euler.controls()
    }
    fn multipliers(&self) -> usize {
        self.euler.multipliers()
    }
    fn contacts(&self) -> &[ContactRows] {
        self.euler.contacts()
    }
    fn equalities(&self) -> usize {
        self.idle.ncols() + self.multipliers()
    }
    fn check(&self, model: &Model, place: &ProblemPlace) -> Result<(), ProblemError> {
        super::actuation::check(&self.actuation, place, model)
    }
    fn moves_by(&self) -> Option<[f64; 2]> {
        Some([0.0, 1.0])
    }
    fn memory(&self, model: &Model) -> Box<dyn Any + Send> {
        Box::new(InverseDynamicsMemory { euler: self.euler.memory(model), tau: vec![0.0; model.nv()], second: None })
    }
    fn reference_memory(&self, model: &Model) -> Option<Box<dyn Any + Send>> {
        self.euler.reference_memory(model)
    }
    fn reference(&self, on: &mut StepView<'_>, next: &mut [f64]) -> Result<(), Reason> {
        self.euler.reference(on, next)
    }
    fn next(&self, on: &mut StepView<'_>, next: &mut [f64], eq: &mut [f64]) -> Result<(), Reason> {
        self.by_euler(on, |euler, on| euler.next(on, next, &mut []))?;
        let StepView { model, q, v, ref a, ref f, .. } = *on;
        let memory = memory_of::<InverseDynamicsMemory>(on.own)?;
        torques(model, on.workspace, &self.constraints, [q, v, a, f], &mut memory.tau)?;
        let (idle, held) = eq.split_at_mut(self.idle.ncols());
        for (eq, n) in idle.iter_mut().zip(self.idle.column_iter()) {
            *eq = n.iter().zip(&memory.tau).map(|(n, tau)| n * tau).sum();
        }
        if !self.constraints.is_empty() {
            let jacobian = constraint_jacobian(model, on.workspace, q, &self.constraints)?;
            held.fill(0.0);
            for (column, a) in jacobian.column_iter().zip(a.iter()) {
                held.iter_mut().zip(column.iter()).for_each(|(eq, j)| *eq += j * a);
            }
            let bias = constraint_bias(model, on.workspace, q, v, &self.constraints)?;
            held.iter_mut().zip(bias).for_each(|(eq, bias)| *eq += bias);
        }
        Ok(())
    }
    fn linearize(&self, on: &mut StepView<'_>, by: &mut Sensitivities, out: &mut Quadratic) -> Result<(), Reason> {
        self.by_euler(on, |euler, on| euler.linearize(on, by, out))?;
        let StepView { model, q, v, ref a, ref f, .. } = *on;
        let (method, held) = (Method::Analytical, &self.constraints);
        let d = constraint_inverse_dynamics_derivatives(model, on.derivatives, method, q, v, a, f, held, &[])?;
        let (nv, rows, idle) = (model.nv(), f.len(), self.idle.ncols());
        out.eq.rows_mut(0, idle).gemv_tr(1.0, &self.idle, &d.tau, 0.0);
        out.eq.rows_mut(idle, rows).copy_from(&d.rows);
        for (first, by) in [(0, &d.dtau_dq), (nv, &d.dtau_dv)] {
            out.eq_x.view_mut((0, first), (idle, nv)).gemm_tr(1.0, &self.idle, by, 0.0);
        }
        out.eq_x.view_mut((idle, 0), (rows, nv)).copy_from(&d.drows_dq);
        out.eq_x.view_mut((idle, nv), (rows, nv)).copy_from(&d.drows_dv);
        out.eq_u.view_mut((0, 0), (idle, nv)).gemm_tr(1.0, &self.idle, &d.dtau_da, 0.0);
        out.eq_u.view_mut((0, nv), (idle, rows)).gemm_tr(1.0, &self.idle, &d.dtau_dlambda, 0.0);
        out.eq_u.view_mut((idle, 0), (rows, nv)).copy_from(&d.drows_da);
        Ok(())
    }
    fn curvature(
        &self,
        on: &mut StepView<'_>,
        by: &Sensitivities,
        weights: StepWeights<'_>,
        out: &mut Quadratic,
    ) -> Result<bool, Reason> {
        if weights.are_zero() {
            return Ok(true);
        }
        self.by_euler(on, |euler, on| euler.curvature(on, by, weights, out))?;
        let StepView { model, q, v, ref a, ref f, .. } = *on;
        let memory = memory_of::<InverseDynamicsMemory>(on.own)?;
        let (on_idle, on_held) = weights.eq.split_at(self.idle.ncols());
        memory.tau.fill(0.0);
        for (n, nu) in self.idle.column_iter().zip(on_idle) {
            memory.tau.iter_mut().zip(n.iter()).for_each(|(tau, n)| *tau += nu * n);
        }
        let second = memory.second.get_or_insert_with(|| Box::new(SecondOrderWorkspace::new(model)));
        let (on_tau, held) = (&memory.tau, &self.constraints);
        let d = constraint_inverse_dynamics_hessian(model, second, q, v, a, f, on_tau, on_held, held, &[])?;
        let (nv, curvature) = (model.nv(), &mut out.curvature);
        for j in 0..nv {
            for i in 0..nv {
                curvature.xx[(i, j)] += 0.5 * (d.dqq[(i, j)] + d.dqq[(j, i)]);
                curvature.xx[(nv + i, j)] += d.dvq[(i, j)];
                curvature.xx[(j, nv + i)] += d.dvq[(i, j)];
                curvature.xx[(nv + i, nv + j)] += d.dvv[(i, j)];
                curvature.xu[(j, i)] += d.daq[(i, j)];
            }
            for (r, x) in d.dlambdaq.column(j).iter().enumerate() {
                curvature.xu[(j, nv + r)] += x;
            }
        }
        Ok(true)
    }
}
