//! Sensitivities along trajectories: roll-outs of a robot, and their derivatives by parameters, the start and controls.
//!
//! ```text
//! x_{k+1} = step(x_k, u_k; p),    u_k = ū_k − K_k (x_k ⊖ x̄_k)
//! forward    S_{k+1} = A_k S_k + B_k                           a column a direction
//! adjoint    λ_k = A_kᵀ λ_{k+1} + ℓ_x,   ∂J/∂p = Σ B_kᵀ λ_{k+1}    all parameters at once
//! ```
//!
//! Both are exact for the discrete steps: what is optimized is what is simulated (W. Hager, *Runge-Kutta methods in
//! optimal control and the transformed adjoint system*, 2000; T. Lauß et al., *The discrete adjoint gradient
//! computation for optimization problems in multibody dynamics*, 2017).

mod adjoint;
mod backward;
mod columns;
mod cost;
mod document;
mod event;
mod forward;
mod hessian;
mod output;
mod pass;
mod saltation;
mod scheme;
mod vectors;

pub use adjoint::{Adjoint, StateMemory};
pub use cost::{QuadraticCost, TrajectoryCost};
pub use document::RolloutDocument;
pub use event::{Event, EventRecord, EventStatus, Hybrid, HybridRun};
pub use forward::Forward;
pub use gradyn_trajectory::step::Scheme;
pub use hessian::{Direction, HessianProduct};
pub use saltation::{Crossing, Saltation, saltation};

use crate::error::SensitivityError;
use crate::parameters::Parameters;
use gradyn::{Constraint, Real, Scalar, impulse_dynamics};
use gradyn_trajectory::step::{Actuation, Algebra};
use nalgebra::DMatrix;
use scheme::Robot;
use std::collections::BTreeMap;
use std::ops::Range;

/// Configuration, nq, and velocity, nv.
pub type State<P = f64> = (Vec<P>, Vec<P>);

/// A feedback law `u = ū − K (x ⊖ x̄)`, a gain and a state for each step.
#[derive(Clone, Debug, PartialEq)]
pub struct Feedback {
    /// `K`, nu × 2 nv.
    pub gains: Vec<DMatrix<f64>>,
    /// `q̄`, nq.
    pub q: Vec<Vec<f64>>,
    /// `v̄`, nv.
    pub v: Vec<Vec<f64>>,
}

/// An impact before a step.
#[derive(Clone, Debug)]
struct Impact {
    constraints: Vec<Constraint>,
    restitution: f64,
}

/// A simulation with sensitivities.
#[derive(Clone, Debug)]
pub struct Rollout<'p> {
    parameters: &'p Parameters,
    scheme: Scheme,
    /// The length of each step, or of all.
    dt: Vec<f64>,
    actuation: Actuation,
    controls: Vec<Vec<f64>>,
    each_for: usize,
    held: Vec<(Range<usize>, Vec<Constraint>)>,
    impacts: BTreeMap<usize, Impact>,
    feedback: Option<Feedback>,
    algebra: Algebra,
}

impl<'p> Rollout<'p> {
    /// A roll-out with steps of length `dt`, s, one for each entry of `controls`, the torques of the motors of all
    /// joints but a floating base.
    ///
    /// # Errors
    /// [`SensitivityError::Number`] for a step that is not positive, [`SensitivityError::Length`] for controls of a
    /// wrong number.
    pub fn new(
        parameters: &'p Parameters,
        scheme: Scheme,
        dt: f64,
        controls: Vec<Vec<f64>>,
    ) -> Result<Self, SensitivityError> {
        let actuation = Actuation::of(parameters.robot());
        Self::with_actuation(parameters, scheme, dt, actuation, controls)
    }

    /// The same with another `τ = B u`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_actuation(
        parameters: &'p Parameters,
        scheme: Scheme,
        dt: f64,
        actuation: Actuation,
        controls: Vec<Vec<f64>>,
    ) -> Result<Self, SensitivityError> {
        check_length(dt)?;
        if scheme == Scheme::ImplicitMidpoint {
            return Err(SensitivityError::Scheme(scheme));
        }
        let expected = actuation.controls();
        if let Some(u) = controls.iter().find(|u| u.len() != expected) {
            return Err(SensitivityError::Length { what: "controls of a step", expected, found: u.len() });
        }
        let algebra = Algebra::new(parameters.robot());
        let (held, impacts) = (Vec::new(), BTreeMap::new());
        let dt = vec![dt];
        Ok(Self { parameters, scheme, dt, actuation, controls, each_for: 1, held, impacts, feedback: None, algebra })
    }

    /// Holds each of the controls for so many steps: a slow controller, or none at all. Steps in [`hold`](Self::hold),
    /// [`impact`](Self::impact) and [`feedback`](Self::feedback) are counted one by one.
    ///
    /// # Errors
    /// [`SensitivityError::Number`] for zero steps, and for more than can be counted.
    pub fn each_for(mut self, steps: usize) -> Result<Self, SensitivityError> {
        if steps == 0 || self.controls.len().checked_mul(steps).is_none() {
            let rule = "expected at least one, and not more than can be counted";
            return Err(SensitivityError::Number { what: "steps for each control".into(), value: steps as f64, rule });
        }
        self.each_for = steps;
        Ok(self)
    }

    /// Sets different lengths of steps, s, one each. Call [`each_for`](Self::each_for) before.
    ///
    /// # Errors
    /// [`SensitivityError::Length`] if there is not one for each step, [`SensitivityError::Number`] for one that is not
    /// positive.
    pub fn lengths(mut self, dt: &[f64]) -> Result<Self, SensitivityError> {
        let expected = self.steps();
        if dt.len() != expected {
            return Err(SensitivityError::Length { what: "lengths of steps", expected, found: dt.len() });
        }
        dt.iter().try_for_each(|dt| check_length(*dt))?;
        if !dt.is_empty() {
            self.dt = dt.to_vec();
        }
        Ok(self)
    }

    /// Holds contacts or closed loops in these steps.
    #[must_use]
    pub fn hold(mut self, steps: Range<usize>, constraints: &[Constraint]) -> Self {
        self.held.push((steps, constraints.to_vec()));
        self
    }

    /// Adds an impact on constraints before this step; the state of that node is the one after it.
    #[must_use]
    pub fn impact(mut self, step: usize, constraints: &[Constraint], restitution: f64) -> Self {
        self.impacts.insert(step, Impact { constraints: constraints.to_vec(), restitution });
        self
    }

    /// Adds a feedback law to the loop.
    ///
    /// # Errors
    /// [`SensitivityError::Length`] if there is not one of each per step.
    pub fn feedback(mut self, feedback: Feedback) -> Result<Self, SensitivityError> {
        let expected = self.steps();
        for (what, found) in
            [("gains", feedback.gains.len()), ("states q", feedback.q.len()), ("states v", feedback.v.len())]
        {
            if found != expected {
                return Err(SensitivityError::Length { what, expected, found });
            }
        }
        let model = self.parameters.robot();
        for (what, rows, expected) in
            [("q of a node", &feedback.q, model.nq()), ("v of a node", &feedback.v, model.nv())]
        {
            if let Some(row) = rows.iter().find(|row| row.len() != expected) {
                return Err(SensitivityError::Length { what, expected, found: row.len() });
            }
        }
        let (nu, ndx) = (self.actuation.controls(), 2 * model.nv());
        if let Some(k) = feedback.gains.iter().find(|k| k.shape() != (nu, ndx)) {
            return Err(SensitivityError::Length { what: "a gain", expected: nu * ndx, found: k.len() });
        }
        self.feedback = Some(feedback);
        Ok(self)
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &'p Parameters {
        self.parameters
    }

    /// The number of steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.controls.len() * self.each_for
    }

    /// The length of a step, s.
    fn length(&self, step: usize) -> f64 {
        self.dt[if self.dt.len() == 1 { 0 } else { step }]
    }

    /// The index of a step's controls.
    fn row(&self, step: usize) -> usize {
        step / self.each_for
    }

    /// The constraints of a step.
    fn held(&self, step: usize) -> Vec<Constraint> {
        let of_step = self.held.iter().filter(|(steps, _)| steps.contains(&step));
        of_step.flat_map(|(_, constraints)| constraints.iter().copied()).collect()
    }

    /// `u` of a step at a state, with `more` added to the controls, unless it is empty.
    fn control<P: Scalar<f64> + Scalar<P>>(
        &self,
        robot: &Robot<P>,
        step: usize,
        (q, v): (&[P], &[P]),
        more: &[Vec<P>],
    ) -> Result<Vec<P>, SensitivityError> {
        let row = self.row(step);
        let mut u: Vec<P> = self.controls[row].iter().map(|u| P::from(*u)).collect();
        if let Some(more) = more.get(row) {
            u.iter_mut().zip(more).for_each(|(u, more)| *u += *more);
        }
        if let Some(law) = &self.feedback {
            let lift = |x: &[f64]| x.iter().map(|x| P::from(*x)).collect::<Vec<P>>();
            let nv = v.len();
            let mut off = vec![P::from(0.0); 2 * nv];
            robot.model.difference_into(&lift(&law.q[step]), q, &mut off[..nv])?;
            for (k, (v, goal)) in v.iter().zip(&law.v[step]).enumerate() {
                off[nv + k] = *v - P::from(*goal);
            }
            for (i, u) in u.iter_mut().enumerate() {
                for (j, off) in off.iter().enumerate() {
                    *u -= *off * law.gains[step][(i, j)];
                }
            }
        }
        Ok(u)
    }

    /// `τ = B u`
    fn torques<P: Scalar<f64>>(&self, u: &[P]) -> Vec<P> {
        match &self.actuation {
            Actuation::Full(_) => u.to_vec(),
            Actuation::Joints { nv, dofs } => {
                let mut tau = vec![P::from(0.0); *nv];
                dofs.iter().zip(u).for_each(|(k, u)| tau[*k] += *u);
                tau
            }
            Actuation::Matrix(b) => {
                let row = |i: usize| u.iter().enumerate().fold(P::from(0.0), |sum, (j, u)| sum + *u * b[(i, j)]);
                (0..b.nrows()).map(row).collect()
            }
        }
    }

    /// `Bᵀ x`
    fn torques_transposed<P: Scalar<f64>>(&self, tau: &[P]) -> Vec<P> {
        match &self.actuation {
            Actuation::Full(_) => tau.to_vec(),
            Actuation::Joints { dofs, .. } => dofs.iter().map(|k| tau[*k]).collect(),
            Actuation::Matrix(b) => {
                let column = |j: usize| tau.iter().enumerate().fold(P::from(0.0), |sum, (i, x)| sum + *x * b[(i, j)]);
                (0..b.ncols()).map(column).collect()
            }
        }
    }

    /// The start, moved by the parameters of the start.
    fn start<P: Scalar<f64> + Scalar<P>>(
        &self,
        robot: &Robot<P>,
        values: &[P],
        (q, v): (&[f64], &[f64]),
    ) -> Result<(Vec<P>, Vec<P>), SensitivityError> {
        let (dq, dv) = self.parameters.start_at(values)?;
        let q: Vec<P> = q.iter().map(|x| P::from(*x)).collect();
        let mut moved = q.clone();
        robot.model.integrate_into(&q, &dq, &mut moved)?;
        robot.model.check_velocity(v.len())?;
        Ok((moved, v.iter().zip(dv).map(|(v, dv)| P::from(*v) + dv).collect()))
    }

    /// An impact before a step, if there is one.
    fn hit<P: Scalar<f64> + Scalar<P>>(
        &self,
        robot: &mut Robot<P>,
        step: usize,
        q: &[P],
        v: Vec<P>,
    ) -> Result<Vec<P>, SensitivityError> {
        let Some(impact) = self.impacts.get(&step) else { return Ok(v) };
        let lifted: Vec<Constraint<P>> = impact.constraints.iter().map(Constraint::lift).collect();
        let e = P::from(impact.restitution);
        Ok(impulse_dynamics(&robot.model, &mut robot.ws, q, &v, e, &lifted)?.v.to_vec())
    }

    /// One step and the impact after it.
    fn advance<P: Scalar<f64> + Scalar<P>>(
        &self,
        robot: &mut Robot<P>,
        step: usize,
        (q, v): (&[P], &[P]),
        more: &[Vec<P>],
    ) -> Result<State<P>, SensitivityError> {
        let u = self.control(robot, step, (q, v), more)?;
        let tau = robot.driven(self.torques(&u));
        let (q, v) =
            robot.step(self.scheme, &self.algebra, P::from(self.length(step)), (q, v), &tau, &self.held(step))?;
        let v = self.hit(robot, step + 1, &q, v)?;
        Ok((q, v))
    }

    /// Computes all states over any number type, the start first; calls `see` with each.
    fn run<P: Scalar<f64> + Scalar<P>>(
        &self,
        values: &[P],
        start: (&[f64], &[f64]),
        mut see: impl FnMut(usize, &[P], &[P]),
    ) -> Result<(), SensitivityError> {
        let mut robot = Robot::at(self.parameters, values)?;
        let (mut q, v) = self.start(&robot, values, start)?;
        let mut v = self.hit(&mut robot, 0, &q, v)?;
        see(0, &q, &v);
        for step in 0..self.steps() {
            (q, v) = self.advance(&mut robot, step, (&q, &v), &[])?;
            see(step + 1, &q, &v);
        }
        Ok(())
    }

    /// Computes the states, one more than steps: `(q, v)`, nq and nv.
    ///
    /// # Errors
    /// Input that the engine rejects, and lists of wrong lengths.
    pub fn simulate(&self, values: &[f64], q0: &[f64], v0: &[f64]) -> Result<Vec<State>, SensitivityError> {
        let mut states = Vec::with_capacity(self.steps() + 1);
        self.run(values, (q0, v0), |_, q: &[f64], v: &[f64]| states.push((q.to_vec(), v.to_vec())))?;
        Ok(states)
    }
}

fn check_length(dt: f64) -> Result<(), SensitivityError> {
    if dt > 0.0 && dt.is_finite() {
        return Ok(());
    }
    Err(SensitivityError::Number { what: "dt".into(), value: dt, rule: "expected a positive number" })
}

/// The engine's check of its arguments, for those that are not passed to it immediately.
trait CheckVelocity {
    fn check_velocity(&self, found: usize) -> Result<(), SensitivityError>;
}

impl<P: Real> CheckVelocity for gradyn::Model<P> {
    fn check_velocity(&self, found: usize) -> Result<(), SensitivityError> {
        let expected = self.nv();
        if found == expected {
            Ok(())
        } else {
            Err(SensitivityError::Length { what: "v at the start", expected, found })
        }
    }
}
