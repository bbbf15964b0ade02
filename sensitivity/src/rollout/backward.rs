//! The backward pass, step by step, over any number type.
//!
//! For `q̈ = aba(q, v, τ; p)`, the engine gives `q̄ = (∂q̈/∂q)ᵀ l̄` and so on for one vector `l̄`, O(n)
//! ([`aba_parameter_gradient`]); the rest of a step is linear algebra of `⊕` and of brackets.

use super::Scheme;
use super::scheme::Robot;
use super::vectors::{add, transposed_times};
use super::{Rollout, StateMemory, TrajectoryCost};
use crate::dual_direction::Along;
use crate::error::SensitivityError;
use crate::parameters::{Motor, Parameters};
use gradyn::dynamics::aba_parameter_gradient;
use gradyn::{Constraint, DerivativeWorkspace, Model, Scalar};
use gradyn_trajectory::step::{Algebra, STAGES};
use nalgebra::DMatrix;

/// The input of a sweep over any number type.
pub(super) struct Given<'a, P> {
    pub(super) values: &'a [P],
    pub(super) start: (&'a [f64], &'a [f64]),
    /// The start moves further along this, `(δq, δv)`, after the parameters have moved it.
    pub(super) moved: (&'a [P], &'a [P]),
    /// Added to the controls; empty for none.
    pub(super) more: &'a [Vec<P>],
    pub(super) cost: &'a dyn TrajectoryCost,
    pub(super) memory: StateMemory,
}

/// A number type of a backward pass.
pub(super) trait Pass: Along {
    /// Without derivatives.
    fn value(x: Self) -> f64;

    /// The robot without derivatives.
    fn plain(parameters: &Parameters, values: &[Self], model: &Model<Self>) -> Result<Model, SensitivityError>;

    /// The cost of a node; adds its gradients.
    fn running(
        cost: &dyn TrajectoryCost,
        model: &Model,
        node: usize,
        state: (&[Self], &[Self]),
        u: &[Self],
        by_x: &mut [Self],
        by_u: &mut [Self],
    ) -> Result<Self, SensitivityError>;

    /// The cost of the end; adds its gradient.
    fn end(
        cost: &dyn TrajectoryCost,
        model: &Model,
        state: (&[Self], &[Self]),
        by_x: &mut [Self],
    ) -> Result<Self, SensitivityError>;

    /// `l̄` through `q̈` under constraints.
    fn pull_held(
        back: &mut Backward<'_, '_, Self>,
        state: (&[Self], &[Self]),
        tau: &[Self],
        held: &[Constraint],
        l_bar: &[Self],
    ) -> Result<Pulled<Self>, SensitivityError>;

    /// Propagates λ through an impact before a step, if there is one, at the velocity before it.
    fn impact(back: &mut Backward<'_, '_, Self>, step: usize, q: &[Self], v: &[Self]) -> Result<(), SensitivityError>;
}

/// `λ` in the backward pass, and the accumulated gradients.
pub(super) struct Backward<'a, 'p, P: Pass> {
    pub(super) run: &'a Rollout<'p>,
    pub(super) values: &'a [P],
    pub(super) more: &'a [Vec<P>],
    /// The robot without derivatives.
    pub(super) nominal: Model,
    pub(super) engine: Engine<P>,
    /// 2 nv.
    pub(super) lambda: Vec<P>,
    /// The last `l̄`.
    l_bar: Vec<P>,
    /// Its result.
    pulled: Pulled<P>,
    /// The gradient by parameters, where the engine's gradients do not give it: dual numbers under constraints. One per
    /// parameter.
    pub(super) by_values: Vec<P>,
    /// One for each of the controls.
    pub(super) by_controls: Vec<Vec<P>>,
}

/// The robot, and the memory of a backward step.
pub(super) struct Engine<P: Pass> {
    pub(super) robot: Robot<P>,
    /// The same without gravity, for impacts.
    pub(super) floating: Option<Robot<P>>,
    pub(super) derivatives: DerivativeWorkspace,
    /// The gradient by all parameters of the engine.
    pub(super) dp: Vec<P>,
    dq: DMatrix<P>,
    dv: DMatrix<P>,
}

/// The results of `l̄`.
pub(super) struct Pulled<P> {
    pub(super) q: Vec<P>,
    pub(super) v: Vec<P>,
    pub(super) tau: Vec<P>,
}

/// A stage of [`Scheme::Rk4`].
struct Stage<P> {
    theta: Vec<P>,
    q: Vec<P>,
    v: Vec<P>,
}

impl<'a, 'p, P: Pass> Backward<'a, 'p, P> {
    pub(super) fn new(run: &'a Rollout<'p>, model: Model<P>, given: &Given<'a, P>) -> Result<Self, SensitivityError> {
        let (nv, zero) = (model.nv(), P::from(0.0));
        let nominal = P::plain(run.parameters, given.values, &model)?;
        let engine = Engine {
            dp: vec![zero; model.parameter_layout().len()],
            derivatives: DerivativeWorkspace::new(&nominal),
            floating: None,
            robot: Robot::of(model, run.parameters, given.values)?,
            dq: DMatrix::from_element(nv, nv, zero),
            dv: DMatrix::from_element(nv, nv, zero),
        };
        Ok(Self {
            run,
            values: given.values,
            more: given.more,
            nominal,
            engine,
            lambda: vec![zero; 2 * nv],
            l_bar: Vec::new(),
            pulled: Pulled { q: Vec::new(), v: Vec::new(), tau: Vec::new() },
            by_values: vec![zero; given.values.len()],
            by_controls: vec![vec![zero; run.actuation.controls()]; run.controls.len()],
        })
    }

    /// Propagates through one step, with the impact after it. Returns its cost.
    pub(super) fn step(
        &mut self,
        step: usize,
        (q, v): (&[P], &[P]),
        cost: &dyn TrajectoryCost,
    ) -> Result<P, SensitivityError> {
        let run = self.run;
        let u = run.control(&self.engine.robot, step, (q, v), self.more)?;
        let (given, held) = (run.torques(&u), run.held(step));
        let tau = self.engine.robot.driven(given.clone());
        let h = run.length(step);
        if run.impacts.contains_key(&(step + 1)) {
            let (q, v) = self.engine.robot.step(run.scheme, &run.algebra, P::from(h), (q, v), &tau, &held)?;
            P::impact(self, step + 1, &q, &v)?;
        }
        let nv = v.len();
        let tau_bar = match run.scheme {
            Scheme::SemiImplicitEuler => self.semi_implicit(h, (q, v), &tau, &held)?,
            Scheme::Euler => self.euler(h, (q, v), &tau, &held)?,
            Scheme::Rk4 => self.rk4(h, (q, v), &tau, &held)?,
            Scheme::ImplicitMidpoint => return Err(SensitivityError::Scheme(run.scheme)),
        };
        for Motor { dof, parameter, nominal } in run.parameters.motors() {
            self.by_values[parameter] += tau_bar[dof] * given[dof] * (1.0 / nominal);
        }
        let mut of_u = run.torques_transposed(&self.engine.robot.driven(tau_bar));
        let value = P::running(cost, &self.nominal, step, (q, v), &u, &mut self.lambda, &mut of_u)?;
        if let Some(law) = &run.feedback {
            // u = ū − K (x ⊖ x̄)
            let gain = &law.gains[step];
            let of_x = |j: usize| of_u.iter().enumerate().fold(P::from(0.0), |sum, (i, u)| sum + *u * gain[(i, j)]);
            let goal: Vec<P> = law.q[step].iter().map(|x| P::from(*x)).collect();
            let turn = self.engine.robot.model.difference_dq1(&goal, q)?;
            let of_q = transposed_times(&turn, &(0..nv).map(of_x).collect::<Vec<P>>());
            for (k, of_q) in of_q.into_iter().enumerate() {
                self.lambda[k] -= of_q;
                self.lambda[nv + k] -= of_x(nv + k);
            }
        }
        add(&mut self.by_controls[run.row(step)], &of_u);
        Ok(value)
    }

    /// `v⁺ = v + h a`, `q⁺ = q ⊕ h v⁺`; returns `τ̄`.
    fn semi_implicit(
        &mut self,
        h: f64,
        (q, v): (&[P], &[P]),
        tau: &[P],
        held: &[Constraint],
    ) -> Result<Vec<P>, SensitivityError> {
        let h = P::from(h);
        if self.run.algebra.is_flat() {
            // In a flat space, the derivative does not depend on the step.
            self.through_position(h, v)?;
        } else {
            let a = self.engine.robot.acceleration(q, v, tau, held)?;
            let next: Vec<P> = v.iter().zip(&a).map(|(v, a)| *v + h * *a).collect();
            self.through_position(h, &next)?;
        }
        self.acceleration_bar(h);
        self.through_acceleration((q, v), tau, held)
    }

    /// `q⁺ = q ⊕ h v`, `v⁺ = v + h a`; returns `τ̄`.
    fn euler(
        &mut self,
        h: f64,
        (q, v): (&[P], &[P]),
        tau: &[P],
        held: &[Constraint],
    ) -> Result<Vec<P>, SensitivityError> {
        let h = P::from(h);
        self.acceleration_bar(h);
        self.through_position(h, v)?;
        self.through_acceleration((q, v), tau, held)
    }

    /// `l̄ = h λ_v`, of `v⁺ = v + h a`.
    fn acceleration_bar(&mut self, h: P) {
        self.l_bar.clear();
        self.l_bar.extend(self.lambda[self.lambda.len() / 2..].iter().map(|x| h * *x));
    }

    /// Propagates λ through `q⁺ = q ⊕ h v`.
    fn through_position(&mut self, h: P, v: &[P]) -> Result<(), SensitivityError> {
        let (of_q, of_v) = self.lambda.split_at_mut(v.len());
        if self.run.algebra.is_flat() {
            of_v.iter_mut().zip(of_q).for_each(|(to, x)| *to += h * *x);
            return Ok(());
        }
        let w: Vec<P> = v.iter().map(|v| h * *v).collect();
        let (by_q, by_w) = self.engine.moved_back(&w, of_q)?;
        of_q.copy_from_slice(&by_q);
        of_v.iter_mut().zip(by_w).for_each(|(to, x)| *to += h * x);
        Ok(())
    }

    /// Propagates `l̄` through the acceleration and adds the result to λ. Returns `τ̄`.
    fn through_acceleration(
        &mut self,
        state: (&[P], &[P]),
        tau: &[P],
        held: &[Constraint],
    ) -> Result<Vec<P>, SensitivityError> {
        let l_bar = std::mem::take(&mut self.l_bar);
        self.pull(state, tau, held, &l_bar)?;
        self.l_bar = l_bar;
        let (of_q, of_v) = self.lambda.split_at_mut(tau.len());
        add(of_q, &self.pulled.q);
        add(of_v, &self.pulled.v);
        Ok(std::mem::take(&mut self.pulled.tau))
    }

    /// Propagates stage by stage. Returns `τ̄`.
    fn rk4(
        &mut self,
        h: f64,
        (q, v): (&[P], &[P]),
        tau: &[P],
        held: &[Constraint],
    ) -> Result<Vec<P>, SensitivityError> {
        let (nv, algebra) = (v.len(), &self.run.algebra);
        let plus = |x: &[P], s: f64, y: &[P]| x.iter().zip(y).map(|(x, y)| *x + *y * s).collect::<Vec<P>>();
        let zero = vec![P::from(0.0); nv];
        let (mut k, mut l, mut sum) = (zero.clone(), zero.clone(), zero.clone());
        let mut stages = Vec::with_capacity(4);
        for (c, b) in STAGES {
            let (theta, v_i) = (plus(&zero, c * h, &k), plus(v, c * h, &l));
            let mut q_i = q.to_vec();
            self.engine.robot.model.integrate_into(q, &theta, &mut q_i)?;
            l = self.engine.robot.acceleration(&q_i, &v_i, tau, held)?;
            k = algebra.rate(&theta, &v_i);
            sum = plus(&sum, b * h, &k);
            stages.push(Stage { theta, q: q_i, v: v_i });
        }
        let (of_q, of_v) = (self.lambda[..nv].to_vec(), self.lambda[nv..].to_vec());
        let (mut q_bar, sum_bar) = self.engine.moved_back(&sum, &of_q)?;
        let (mut v_bar, mut tau_bar) = (of_v.clone(), zero.clone());
        // The adjoints of `k` and `l` from the stage after.
        let (mut theta_bar, mut v_i_bar) = (zero.clone(), zero);
        for (i, stage) in stages.iter().enumerate().rev() {
            let b = STAGES[i].1;
            let c_next = STAGES.get(i + 1).map_or(0.0, |(c, _)| *c);
            let both = |end: &[P], next: &[P]| -> Vec<P> {
                end.iter().zip(next).map(|(end, next)| *end * (b * h) + *next * (c_next * h)).collect()
            };
            let (k_bar, l_bar) = (both(&sum_bar, &theta_bar), both(&of_v, &v_i_bar));
            self.pull((&stage.q, &stage.v), tau, held, &l_bar)?;
            let pulled = &self.pulled;
            let (of_theta, of_v_i) = rate_back(&self.run.algebra, &stage.theta, &stage.v, &k_bar);
            let (by_q, by_theta) = self.engine.moved_back(&stage.theta, &pulled.q)?;
            (theta_bar, v_i_bar) = (by_theta, pulled.v.clone());
            add(&mut theta_bar, &of_theta);
            add(&mut v_i_bar, &of_v_i);
            add(&mut q_bar, &by_q);
            add(&mut v_bar, &v_i_bar);
            add(&mut tau_bar, &pulled.tau);
        }
        self.lambda[..nv].copy_from_slice(&q_bar);
        self.lambda[nv..].copy_from_slice(&v_bar);
        Ok(tau_bar)
    }

    /// Propagates `l̄` through `q̈(q, v, τ; p)`; accumulates the gradient by the parameters.
    fn pull(
        &mut self,
        (q, v): (&[P], &[P]),
        tau: &[P],
        held: &[Constraint],
        l_bar: &[P],
    ) -> Result<(), SensitivityError> {
        if !held.is_empty() {
            self.pulled = P::pull_held(self, (q, v), tau, held, l_bar)?;
            return Ok(());
        }
        let Engine { robot: Robot { model, ws, .. }, dp, .. } = &mut self.engine;
        let by = aba_parameter_gradient(model, ws, q, v, tau, l_bar, &[])?;
        add(dp, by.dp);
        let pulled = &mut self.pulled;
        for (to, x) in [(&mut pulled.q, by.state.dq), (&mut pulled.v, by.state.dv), (&mut pulled.tau, by.state.dtau)] {
            to.clear();
            to.extend_from_slice(x);
        }
        Ok(())
    }

    /// The gradient by the parameters, including that by the start: of `q₀` where the parameters have moved it, and of
    /// `v₀`.
    pub(super) fn by_parameters(&self, (by_q, by_v): (&[P], &[P])) -> Result<Vec<P>, SensitivityError> {
        let parameters = self.run.parameters;
        let mut gradient = self.by_values.clone();
        parameters.chain(self.values)?.add_to(&self.engine.dp, &mut gradient);
        let (dq, _) = parameters.start_at(self.values)?;
        let of_q = transposed_times(&self.engine.robot.model.integrate_dv(&dq)?, by_q);
        parameters.add_start(&of_q, by_v, &mut gradient);
        Ok(gradient)
    }
}

impl<P: Pass> Engine<P> {
    /// `(Dᵀ x, Jᵀ x)` of `q ⊕ w`.
    pub(super) fn moved_back(&mut self, w: &[P], x: &[P]) -> Result<(Vec<P>, Vec<P>), SensitivityError> {
        self.robot.model.integrate_derivatives_into(w, &mut self.dq, &mut self.dv)?;
        Ok((transposed_times(&self.dq, x), transposed_times(&self.dv, x)))
    }
}

/// `k̄` through `k = v + ½ [θ, v] + ¹⁄₁₂ [θ, [θ, v]]`: `(θ̄, v̄)`.
fn rate_back<P: Scalar<f64>>(algebra: &Algebra, theta: &[P], v: &[P], k_bar: &[P]) -> (Vec<P>, Vec<P>) {
    let zero = P::from(0.0);
    let (mut theta_bar, mut v_bar) = (vec![zero; v.len()], k_bar.to_vec());
    if algebra.is_flat() {
        return (theta_bar, v_bar);
    }
    let (mut once, mut once_bar) = (vec![zero; v.len()], k_bar.iter().map(|x| *x * 0.5).collect::<Vec<P>>());
    for (i, j, k, c) in algebra.terms() {
        once[*i] += theta[*j] * v[*k] * *c;
    }
    for (i, j, k, c) in algebra.terms() {
        let bar = k_bar[*i] * (*c / 12.0);
        theta_bar[*j] += bar * once[*k];
        once_bar[*k] += bar * theta[*j];
    }
    for (i, j, k, c) in algebra.terms() {
        let bar = once_bar[*i] * *c;
        theta_bar[*j] += bar * v[*k];
        v_bar[*k] += bar * theta[*j];
    }
    (theta_bar, v_bar)
}
