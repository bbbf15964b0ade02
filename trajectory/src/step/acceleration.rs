//! Models of accelerations: `a(q, v, u)`, with the multipliers of contacts, and the derivatives of both.

use super::{Actuation, Contact, ContactRows, contact};
use crate::fault::{ProblemError, ProblemPlace, Reason, memory_of};
use crate::parameter::{Response, RobotDerivatives, RobotNumbers};
use gradyn::partials::{SecondOrderWorkspace, aba_hessian, constraint_dynamics_hessian};
use gradyn::{
    Constraint, DerivativeWorkspace, Method, Model, Workspace, aba, aba_derivatives, constraint_dynamics,
    constraint_dynamics_derivatives,
};
use nalgebra::{DMatrix, DVector};
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// The engine, and memory for torques.
pub struct Engine<'a> {
    /// The robot.
    pub model: &'a Model,
    /// Memory of values.
    pub workspace: &'a mut Workspace,
    /// Memory of derivatives.
    pub derivatives: &'a mut DerivativeWorkspace,
    /// Joint torques, nv.
    pub tau: &'a mut [f64],
    /// Time, s.
    pub time: f64,
    /// Length of the step, s.
    pub dt: f64,
    /// What [`Acceleration::memory`] has made.
    pub own: &'a mut dyn Any,
    /// Memory of second derivatives, made when first needed.
    pub second: &'a mut Option<Box<SecondOrderWorkspace>>,
}

/// Memory that a step computes accelerations in.
pub(super) struct EngineMemory {
    tau: Vec<f64>,
    own: Box<dyn Any + Send>,
    second: Option<Box<SecondOrderWorkspace>>,
}

impl EngineMemory {
    pub(super) fn new(model: &Model, acceleration: &impl Acceleration) -> Self {
        Self { tau: vec![0.0; model.nv()], own: acceleration.memory(model), second: None }
    }
    pub(super) fn engine<'a>(
        &'a mut self,
        model: &'a Model,
        workspace: &'a mut Workspace,
        derivatives: &'a mut DerivativeWorkspace,
        [time, dt]: [f64; 2],
    ) -> Engine<'a> {
        let Self { tau, own, second } = self;
        Engine { model, workspace, derivatives, tau, time, dt, own: &mut **own, second }
    }
}

/// Derivatives of accelerations `a` and multipliers `f`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivities {
    /// `∂a/∂q`, nv × nv.
    pub a_q: DMatrix<f64>,
    /// `∂a/∂v`, nv × nv.
    pub a_v: DMatrix<f64>,
    /// `∂a/∂u`, nv × nu.
    pub a_u: DMatrix<f64>,
    /// `∂f/∂q`, rows × nv.
    pub f_q: DMatrix<f64>,
    /// `∂f/∂v`, rows × nv.
    pub f_v: DMatrix<f64>,
    /// `∂f/∂u`, rows × nu.
    pub f_u: DMatrix<f64>,
    /// `∂a/∂h` by the length of the step, nv: zero where accelerations do not depend on it.
    pub a_h: DVector<f64>,
    /// `∂f/∂h`, one a row.
    pub f_h: DVector<f64>,
}

impl Sensitivities {
    /// All zero.
    #[must_use]
    pub fn new(nv: usize, nu: usize, rows: usize) -> Self {
        Self {
            a_q: DMatrix::zeros(nv, nv),
            a_v: DMatrix::zeros(nv, nv),
            a_u: DMatrix::zeros(nv, nu),
            f_q: DMatrix::zeros(rows, nv),
            f_v: DMatrix::zeros(rows, nv),
            f_u: DMatrix::zeros(rows, nu),
            a_h: DVector::zeros(nv),
            f_h: DVector::zeros(rows),
        }
    }
}

/// A model of accelerations, which schemes of integration make steps of.
pub trait Acceleration: Send + Sync + Debug {
    /// Its controls.
    fn controls(&self) -> usize;
    /// Its multipliers.
    fn multipliers(&self) -> usize {
        0
    }
    /// Where each contact has its rows in them.
    fn contacts(&self) -> &[ContactRows] {
        &[]
    }
    /// Checks that it belongs to this robot. Called when a problem is built.
    ///
    /// # Errors
    /// Why not; `place` is the phase.
    fn check(&self, model: &Model, place: &ProblemPlace) -> Result<(), ProblemError> {
        let _ = (model, place);
        Ok(())
    }
    /// The contacts and loops that it keeps, if it has any.
    fn held(&self) -> &[Constraint] {
        &[]
    }
    /// Whether `a` is affine in state and controls, for every state of this robot.
    fn is_affine(&self, model: &Model) -> bool {
        let _ = model;
        false
    }
    /// Told of numbers of the robot that vary, as [`Step::vary`](super::Step::vary).
    fn vary(&mut self, numbers: &Arc<RobotNumbers>) -> bool {
        let _ = numbers;
        false
    }
    /// Does it depend on the length of the step? Not by default.
    fn depends_on_dt(&self) -> bool {
        false
    }
    /// Memory of its own, for one thread.
    fn memory(&self, model: &Model) -> Box<dyn Any + Send> {
        let _ = model;
        Box::new(())
    }
    /// `a` and `f` at a state.
    ///
    /// # Errors
    /// The reason why they are undefined.
    fn value(&self, on: &mut Engine<'_>, state: [&[f64]; 3], a: &mut [f64], f: &mut [f64]) -> Result<(), Reason>;
    /// The same, and their derivatives.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn derivatives(
        &self,
        on: &mut Engine<'_>,
        state: [&[f64]; 3],
        a: &mut [f64],
        f: &mut [f64],
        by: &mut Sensitivities,
    ) -> Result<(), Reason>;
    /// Second derivatives of `gᵃ·a + gᶠ·f` by `(q, v, u)`, symmetric, (2 nv + nu)²: along `q ⊕ δq`. `false` if it does
    /// not know them; so by default.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn hessian(
        &self,
        on: &mut Engine<'_>,
        state: [&[f64]; 3],
        weights: [&[f64]; 2],
        out: &mut DMatrix<f64>,
    ) -> Result<bool, Reason> {
        let _ = (on, state, weights, out);
        Ok(false)
    }
}

/// `M q̈ + c = B u`, or under contacts `M q̈ + c = B u + Jᵀ f`, `J q̈ = −γ`.
#[derive(Clone, Debug)]
#[doc(alias("DifferentialActionModelFreeFwdDynamics", "DifferentialActionModelContactFwdDynamics"))]
pub struct ForwardDynamics {
    actuation: Actuation,
    constraints: Vec<Constraint>,
    rows: Vec<ContactRows>,
    /// Numbers of the robot that vary: their values stand behind the controls.
    numbers: Option<Arc<RobotNumbers>>,
}

impl ForwardDynamics {
    /// Without contacts.
    #[must_use]
    pub fn new(actuation: Actuation) -> Self {
        Self { actuation, constraints: Vec::new(), rows: Vec::new(), numbers: None }
    }
    /// Under contacts and closed loops.
    #[must_use]
    pub fn with_contacts(mut self, contacts: &[Contact]) -> Self {
        self.rows = contact::rows_of(contacts);
        self.constraints = contacts.iter().map(|contact| contact.constraint).collect();
        self
    }
    /// The same with a torque on every degree of freedom as controls behind its own, nu + nv.
    pub(super) fn with_loads(mut self) -> Self {
        let b = self.actuation.matrix();
        let (nv, nu) = b.shape();
        let mut wide = DMatrix::identity(nv, nu + nv);
        wide.columns_mut(0, nu).copy_from(&b);
        wide.columns_mut(nu, nv).fill_with_identity();
        self.actuation = Actuation::Matrix(wide);
        self
    }
    /// Degrees of freedom.
    pub(super) fn torque_rows(&self) -> usize {
        self.actuation.degrees_of_freedom()
    }
}

impl ForwardDynamics {
    /// Derivatives by numbers of the robot, behind those by controls. With `τ = id(q, v, a; p) − Jᵀ f` and what torques
    /// do to accelerations and multipliers,
    ///
    /// ```text
    /// ∂a/∂p = −∂a/∂τ ∂id/∂p ,    ∂f/∂p = −∂f/∂τ ∂id/∂p
    /// ```
    fn by_numbers(
        &self,
        memory: &mut dyn Any,
        state: [&[f64]; 3],
        values: &[f64],
        [a_tau, f_tau]: [Option<&DMatrix<f64>>; 2],
        by: &mut Sensitivities,
    ) -> Result<(), Reason> {
        let Some(numbers) = &self.numbers else { return Ok(()) };
        let memory = memory_of::<RobotDerivatives>(memory)?;
        memory.of_torques(numbers, values, state)?;
        let nu = self.actuation.controls();
        for (m, to) in [(a_tau, &mut by.a_u), (f_tau, &mut by.f_u)] {
            let Some(m) = m else { continue };
            for (k, tau) in memory.torques.column_iter().enumerate() {
                to.column_mut(nu + k).gemv(-1.0, m, &tau, 0.0);
            }
        }
        Ok(())
    }
}

impl Acceleration for ForwardDynamics {
    fn controls(&self) -> usize {
        self.actuation.controls() + self.numbers.as_ref().map_or(0, |numbers| numbers.len())
    }
    fn held(&self) -> &[Constraint] {
        &self.constraints
    }
    fn is_affine(&self, model: &Model) -> bool {
        // Of joints that slide alone, inertia and gravity are constant.
        let slides = |body: &gradyn::model::Body| {
            use gradyn::joint::{Elementary, Joint};
            matches!(
                body.joint(),
                Joint::Elementary(Elementary::Fixed(_) | Elementary::Prismatic(_) | Elementary::Translation(_))
            )
        };
        let dry = || model.joint_dynamics().iter().any(|dof| dof.friction != 0.0);
        let has_dry_friction = model.has_joint_friction() && (dry() || !model.friction_curves().is_empty());
        self.constraints.is_empty() && self.numbers.is_none() && model.bodies().iter().all(slides) && !has_dry_friction
    }
    fn vary(&mut self, numbers: &Arc<RobotNumbers>) -> bool {
        self.numbers = Some(numbers.clone());
        true
    }
    fn memory(&self, model: &Model) -> Box<dyn Any + Send> {
        match &self.numbers {
            None => Box::new(()),
            Some(numbers) => Box::new(RobotDerivatives::new(model, numbers)),
        }
    }
    fn multipliers(&self) -> usize {
        self.rows.last().map_or(0, |last| last.rows.end)
    }
    fn contacts(&self) -> &[ContactRows] {
        &self.rows
    }
    fn check(&self, model: &Model, place: &ProblemPlace) -> Result<(), ProblemError> {
        super::actuation::check(&self.actuation, place, model)
    }
    fn value(&self, on: &mut Engine<'_>, [q, v, u]: [&[f64]; 3], a: &mut [f64], f: &mut [f64]) -> Result<(), Reason> {
        self.actuation.torques(u, on.tau);
        if self.constraints.is_empty() {
            a.copy_from_slice(aba(on.model, on.workspace, q, v, on.tau, &[])?);
        } else {
            let by = constraint_dynamics(on.model, on.workspace, q, v, on.tau, &self.constraints, &[])?;
            a.copy_from_slice(by.ddq);
            f.copy_from_slice(by.lambda);
        }
        Ok(())
    }
    fn derivatives(
        &self,
        on: &mut Engine<'_>,
        [q, v, u]: [&[f64]; 3],
        a: &mut [f64],
        f: &mut [f64],
        by: &mut Sensitivities,
    ) -> Result<(), Reason> {
        self.actuation.torques(u, on.tau);
        let (model, method) = (on.model, Method::Analytical);
        if self.constraints.is_empty() {
            let d = aba_derivatives(model, on.derivatives, method, q, v, on.tau, &[])?;
            a.copy_from_slice(d.ddq.as_slice());
            by.a_q.copy_from(&d.ddq_dq);
            by.a_v.copy_from(&d.ddq_dv);
            self.actuation.times(&d.ddq_dtau, &mut by.a_u);
            let values = &u[self.actuation.controls()..];
            self.by_numbers(on.own, [q, v, a], values, [Some(&d.ddq_dtau), None], by)?;
        } else {
            let contacts = &self.constraints;
            let d = constraint_dynamics_derivatives(model, on.derivatives, method, q, v, on.tau, contacts, &[])?;
            a.copy_from_slice(d.ddq.as_slice());
            f.copy_from_slice(d.lambda.as_slice());
            by.a_q.copy_from(&d.ddq_dq);
            by.a_v.copy_from(&d.ddq_dv);
            self.actuation.times(&d.ddq_dtau, &mut by.a_u);
            by.f_q.copy_from(&d.dlambda_dq);
            by.f_v.copy_from(&d.dlambda_dv);
            self.actuation.times(&d.dlambda_dtau, &mut by.f_u);
            let values = &u[self.actuation.controls()..];
            self.by_numbers(on.own, [q, v, a], values, [Some(&d.ddq_dtau), Some(&d.dlambda_dtau)], by)?;
        }
        Ok(())
    }
    fn hessian(
        &self,
        on: &mut Engine<'_>,
        [q, v, u]: [&[f64]; 3],
        [by_a, by_f]: [&[f64]; 2],
        out: &mut DMatrix<f64>,
    ) -> Result<bool, Reason> {
        self.actuation.torques(u, on.tau);
        let (model, method) = (on.model, Method::Analytical);
        let second = on.second.get_or_insert_with(|| Box::new(SecondOrderWorkspace::new(model)));
        let (dqq, dvq, dvv, dtauq) = if self.constraints.is_empty() {
            let d = aba_hessian(model, second, method, q, v, on.tau, by_a, &[])?;
            (&d.dqq, &d.dvq, &d.dvv, &d.dtauq)
        } else {
            let held = &self.constraints;
            let d = constraint_dynamics_hessian(model, second, q, v, on.tau, by_a, by_f, held, &[])?;
            (&d.dqq, &d.dvq, &d.dvv, &d.dtauq)
        };
        let nv = model.nv();
        for j in 0..nv {
            for i in 0..nv {
                // Along q ⊕ δq: the mean of both orders.
                out[(i, j)] = 0.5 * (dqq[(i, j)] + dqq[(j, i)]);
                (out[(nv + i, j)], out[(j, nv + i)]) = (dvq[(i, j)], dvq[(i, j)]);
                out[(nv + i, nv + j)] = dvv[(i, j)];
            }
        }
        // τ = B u, and accelerations are linear in torques: Bᵀ ∂²/∂τ∂q is all there is.
        for j in 0..nv {
            self.actuation.transposed(dtauq.column(j).as_slice(), |k, x| {
                (out[(2 * nv + k, j)], out[(j, 2 * nv + k)]) = (x, x);
            });
        }
        let Some(numbers) = &self.numbers else { return Ok(true) };
        let nu = self.actuation.controls();
        let memory = memory_of::<RobotDerivatives>(on.own)?;
        let first = 2 * nv + nu;
        for k in first..out.ncols() {
            out.column_mut(k).fill(0.0);
            out.row_mut(k).fill(0.0);
        }
        let to = |k: usize, block: usize, i: usize, x: f64| match block {
            0 | 1 => {
                out[(block * nv + i, first + k)] += x;
                out[(first + k, block * nv + i)] += x;
            }
            2 => self.actuation.each(i, |j, b| {
                out[(2 * nv + j, first + k)] += b * x;
                out[(first + k, 2 * nv + j)] += b * x;
            }),
            _ => out[(first + i, first + k)] += x,
        };
        let (method, weights, values) = (Method::Analytical, [by_a, by_f], &u[nu..]);
        if self.constraints.is_empty() {
            let d = aba_derivatives(model, on.derivatives, method, q, v, on.tau, &[])?;
            let (a, a_tau) = (d.ddq.as_slice(), &d.ddq_dtau);
            let by = Response { a, a_q: &d.ddq_dq, a_v: &d.ddq_dv, a_tau, f_tau: None, mu_q: dtauq, weights };
            memory.of_accelerations(numbers, values, [q, v], &by, to)?;
        } else {
            let held = &self.constraints;
            let d = constraint_dynamics_derivatives(model, on.derivatives, method, q, v, on.tau, held, &[])?;
            let (a, a_tau, f_tau) = (d.ddq.as_slice(), &d.ddq_dtau, Some(&d.dlambda_dtau));
            let by = Response { a, a_q: &d.ddq_dq, a_v: &d.ddq_dv, a_tau, f_tau, mu_q: dtauq, weights };
            memory.of_accelerations(numbers, values, [q, v], &by, to)?;
        }
        Ok(true)
    }
}
