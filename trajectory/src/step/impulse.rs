//! Feet meet the ground: velocities jump, configurations do not.
//!
//! `q⁺ = q`, `M (v⁺ − v) = Jᵀ Λ`, `J v⁺ = −ε J v`.

use super::{Contact, ContactRows, Sensitivities, Step, StepView, contact};
use crate::fault::Reason;
use crate::quadratic::{Quadratic, Structure};
use gradyn::{Constraint, Method, Model, impulse_dynamics, impulse_dynamics_derivatives};
use std::any::Any;

/// An impact on contacts, in no time, without controls. Costs see the velocity before it, and impulses Λ, N s, as multipliers.
#[derive(Clone, Debug)]
#[doc(alias = "ActionModelImpulseFwdDynamics")]
pub struct Impulse {
    constraints: Vec<Constraint>,
    rows: Vec<ContactRows>,
    restitution: f64,
}

impl Impulse {
    /// Of these contacts: those that are gained, not those that have been there. `restitution` from 0 (none) to 1.
    #[must_use]
    pub fn new(contacts: &[Contact], restitution: f64) -> Self {
        let constraints = contacts.iter().map(|contact| contact.constraint).collect();
        Self { constraints, rows: contact::rows_of(contacts), restitution }
    }
}

impl Step for Impulse {
    fn controls(&self) -> usize {
        0
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
    fn memory(&self, _model: &Model) -> Box<dyn Any + Send> {
        Box::new(())
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
        let (q, v) = out.next.split_at_mut(model.nq());
        q.copy_from_slice(on.q);
        v.copy_from_slice(d.v.as_slice());
        on.f.copy_from_slice(d.impulse.as_slice());
        on.a.fill(0.0);
        by.f_q.copy_from(&d.dimpulse_dq);
        by.f_v.copy_from(&d.dimpulse_dv);
        out.structure = Structure::Dense;
        out.a.view_mut((0, 0), (nv, nv)).fill_with_identity();
        out.a.view_mut((0, nv), (nv, nv)).fill(0.0);
        out.a.view_mut((nv, 0), (nv, nv)).copy_from(&d.dv_dq);
        out.a.view_mut((nv, nv), (nv, nv)).copy_from(&d.dv_dv);
        Ok(())
    }
}
