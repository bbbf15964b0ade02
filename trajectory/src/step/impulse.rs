//! Feet meet the ground: velocities jump, configurations do not.
//!
//! `q⁺ = q`, `M (v⁺ − v) = Jᵀ Λ`, `J v⁺ = −ε J v`.

use super::{Contact, ContactRows, Sensitivities, Step, StepView, StepWeights, contact};
use crate::fault::{ProblemError, ProblemPlace, Reason, memory_of};
use crate::parameter::{RobotDerivatives, RobotNumbers};
use crate::quadratic::{Quadratic, Structure};
use gradyn::partials::{SecondOrderWorkspace, impulse_dynamics_hessian};
use gradyn::{
    Constraint, Method, Model, constraint_dynamics_derivatives, impulse_dynamics, impulse_dynamics_derivatives,
};
use std::any::Any;
use std::sync::Arc;

/// An impact on contacts, in no time, without controls. Costs see the velocity before it, and impulses Λ, N s, as
/// multipliers.
#[derive(Clone, Debug)]
#[doc(alias = "ActionModelImpulseFwdDynamics")]
pub struct Impulse {
    constraints: Vec<Constraint>,
    rows: Vec<ContactRows>,
    restitution: f64,
    /// Numbers of the robot that vary: their values are what it has for controls.
    numbers: Option<Arc<RobotNumbers>>,
}

impl Impulse {
    /// Of these contacts: those that are gained, not those that have been there. `restitution` from 0 (none) to 1;
    /// problems with another one are refused when they are built.
    #[must_use]
    pub fn new(contacts: &[Contact], restitution: f64) -> Self {
        let constraints = contacts.iter().map(|contact| contact.constraint).collect();
        Self { constraints, rows: contact::rows_of(contacts), restitution, numbers: None }
    }
}

/// Memory of second derivatives, made when first needed, and of derivatives by numbers of the robot.
struct ImpulseMemory {
    second: Option<Box<SecondOrderWorkspace>>,
    numbers: Option<Box<RobotDerivatives>>,
    rest: Vec<f64>,
    /// `v⁺ − v`
    jump: Vec<f64>,
}

impl Impulse {
    /// Derivatives by numbers of the robot, with what impulses of joints do to velocities and contacts, which is what
    /// torques do to accelerations and their multipliers,
    ///
    /// ```text
    /// ∂v⁺/∂p = −∂a/∂τ ∂M/∂p (v⁺ − v) ,    ∂Λ/∂p = −∂f/∂τ ∂M/∂p (v⁺ − v)
    /// ```
    fn by_numbers(&self, on: &mut StepView<'_>, by: &mut Sensitivities, out: &mut Quadratic) -> Result<(), Reason> {
        let Some(numbers) = &self.numbers else { return Ok(()) };
        let (model, nv, nq) = (on.model, on.model.nv(), on.model.nq());
        let ImpulseMemory { numbers: memory, rest, jump, .. } = memory_of(on.own)?;
        let Some(memory) = memory else { return Ok(()) };
        for (jump, (after, before)) in jump.iter_mut().zip(out.next[nq..].iter().zip(on.v)) {
            *jump = after - before;
        }
        memory.of_torques(numbers, on.u, [on.q, &rest[..], &jump[..]])?;
        let (method, held) = (Method::Analytical, &self.constraints);
        let d = constraint_dynamics_derivatives(model, on.derivatives, method, on.q, &rest[..], &rest[..], held, &[])?;
        for (k, tau) in memory.torques.column_iter().enumerate() {
            out.b.view_mut((0, k), (nv, 1)).fill(0.0);
            out.b.view_mut((nv, k), (nv, 1)).column_mut(0).gemv(-1.0, &d.ddq_dtau, &tau, 0.0);
            by.f_u.column_mut(k).gemv(-1.0, &d.dlambda_dtau, &tau, 0.0);
        }
        Ok(())
    }
}

impl Step for Impulse {
    fn controls(&self) -> usize {
        self.numbers.as_ref().map_or(0, |numbers| numbers.len())
    }
    fn vary(&mut self, numbers: &Arc<RobotNumbers>) -> bool {
        self.numbers = Some(numbers.clone());
        true
    }
    fn multipliers(&self) -> usize {
        self.rows.last().map_or(0, |last| last.rows.end)
    }
    fn contacts(&self) -> &[ContactRows] {
        &self.rows
    }
    fn jumps(&self) -> bool {
        true
    }
    fn moves_by(&self) -> Option<[f64; 2]> {
        Some([0.0, 0.0])
    }
    fn check(&self, _model: &Model, place: &ProblemPlace) -> Result<(), ProblemError> {
        if (0.0..=1.0).contains(&self.restitution) {
            return Ok(());
        }
        let (what, value, rule) = ("the restitution", self.restitution, "it must be from 0 to 1");
        Err(ProblemError::Number { place: place.clone(), what, value, rule })
    }
    fn memory(&self, model: &Model) -> Box<dyn Any + Send> {
        let (rest, jump) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
        let of = |numbers: &Arc<RobotNumbers>| Box::new(RobotDerivatives::without_gravity(model, numbers));
        Box::new(ImpulseMemory { second: None, numbers: self.numbers.as_ref().map(of), rest, jump })
    }
    fn next(&self, on: &mut StepView<'_>, next: &mut [f64], _eq: &mut [f64]) -> Result<(), Reason> {
        let by = impulse_dynamics(on.model, on.workspace, on.q, on.v, self.restitution, &self.constraints)?;
        let (q, v) = next.split_at_mut(on.model.nq());
        q.copy_from_slice(on.q);
        v.copy_from_slice(by.v);
        on.f.copy_from_slice(by.impulse);
        on.a.fill(0.0);
        Ok(())
    }
    fn linearize(&self, on: &mut StepView<'_>, by: &mut Sensitivities, out: &mut Quadratic) -> Result<(), Reason> {
        let (model, method) = (on.model, Method::Analytical);
        let d = impulse_dynamics_derivatives(
            model,
            on.derivatives,
            method,
            on.q,
            on.v,
            self.restitution,
            &self.constraints,
        )?;
        let nv = model.nv();
        // Behind them stands what states carry.
        let (q, v) = out.next.split_at_mut(model.nq());
        q.copy_from_slice(on.q);
        v[..nv].copy_from_slice(d.v.as_slice());
        on.f.copy_from_slice(d.impulse.as_slice());
        on.a.fill(0.0);
        by.f_q.copy_from(&d.dimpulse_dq);
        by.f_v.copy_from(&d.dimpulse_dv);
        out.structure = Structure::Dense;
        out.a.view_mut((0, 0), (nv, nv)).fill_with_identity();
        out.a.view_mut((0, nv), (nv, nv)).fill(0.0);
        out.a.view_mut((nv, 0), (nv, nv)).copy_from(&d.dv_dq);
        out.a.view_mut((nv, nv), (nv, nv)).copy_from(&d.dv_dv);
        self.by_numbers(on, by, out)
    }
    fn curvature(
        &self,
        on: &mut StepView<'_>,
        _by: &Sensitivities,
        weights: StepWeights<'_>,
        out: &mut Quadratic,
    ) -> Result<bool, Reason> {
        if weights.are_zero() {
            return Ok(true);
        }
        if self.numbers.is_some() {
            return Ok(false);
        }
        let (model, nv) = (on.model, on.model.nv());
        let ImpulseMemory { second, .. } = memory_of(on.own)?;
        let second = second.get_or_insert_with(|| Box::new(SecondOrderWorkspace::new(model)));
        let (after, held) = (&weights.next[nv..], &self.constraints);
        let d = impulse_dynamics_hessian(model, second, on.q, on.v, self.restitution, after, weights.f, held)?;
        let xx = &mut out.curvature.xx;
        for j in 0..nv {
            for i in 0..nv {
                // Along q ⊕ δq the mean of both orders; velocities after it are linear in those before.
                xx[(i, j)] += 0.5 * (d.dqq[(i, j)] + d.dqq[(j, i)]);
                xx[(nv + i, j)] += d.dvq[(i, j)];
                xx[(j, nv + i)] += d.dvq[(i, j)];
            }
        }
        Ok(true)
    }
}
