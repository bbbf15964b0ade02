//! The discrete adjoint: the gradient of a cost by the start, by all controls and by all parameters, for about the price of a few simulations.
//!
//! Each step is gone through backwards. Of `q̈ = aba(q, v, τ; p)` the engine gives `q̄ = (∂q̈/∂q)ᵀ l̄` and so on for one vector `l̄`,
//! O(n) ([`aba_parameter_gradient`]); the rest of a step is linear algebra of `⊕` and of brackets.

use super::scheme::{Robot, STAGES, Scheme, rate};
use super::{Rollout, State, TrajectoryCost};
use crate::error::SensitivityError;
use gradyn::derivatives::num_dual::Dual64;
use gradyn::dynamics::{aba_parameter_gradient, rnea_parameter_gradient};
use gradyn::partials::{constraint_dynamics_derivatives, impulse_dynamics_derivatives};
use gradyn::{Constraint, DerivativeWorkspace, Method, Model};
use gradyn_trajectory::step::Algebra;
use nalgebra::{DMatrix, DVector, Vector3};

/// How many bytes of states may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory(pub usize);

impl Default for Memory {
    /// 64 MiB.
    fn default() -> Self {
        Self(64 << 20)
    }
}

/// A cost and its gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct Adjoint {
    /// `J`
    pub cost: f64,
    /// `∂J/∂p`, one a parameter.
    pub by_parameters: Vec<f64>,
    /// `∂J/∂q₀`, nv, along `q₀ ⊕ ε e_k`.
    pub by_q0: Vec<f64>,
    /// `∂J/∂v₀`, nv.
    pub by_v0: Vec<f64>,
    /// `∂J/∂u_k`, nu each.
    pub by_controls: Vec<Vec<f64>>,
    /// `|λ₀|` by the first `|λ|`, seen from the end, that is not zero: how much the adjoint has grown over the horizon. Above 1e12 little
    /// of it is more than rounding.
    pub growth: f64,
    /// Steps that were taken again because not all states were kept.
    pub repeated_steps: usize,
}

impl Adjoint {
    /// Does first order mean something here: are rounding errors, grown as the adjoint has, still small?
    #[must_use]
    pub fn is_trustworthy(&self) -> bool {
        self.growth.is_finite() && self.growth * f64::EPSILON < 1e-4
    }
}

impl Rollout<'_> {
    /// The gradient of a cost by everything, of the robot with these values, from this start.
    ///
    /// States are kept as far as memory allows; beyond, every √N-th, and those between are found again.
    ///
    /// # Errors
    /// What the engine refuses, and what the cost says.
    pub fn adjoint(
        &self,
        values: &[f64],
        q0: &[f64],
        v0: &[f64],
        cost: &dyn TrajectoryCost,
        memory: Memory,
    ) -> Result<Adjoint, SensitivityError> {
        let mut robot = Robot::new(self.parameters.robot_at(values)?);
        let (n, nv) = (self.steps(), robot.model.nv());
        let bytes = (robot.model.nq() + nv) * 8;
        let stride =
            if (n + 1).saturating_mul(bytes) <= memory.0 { 1 } else { ((n as f64).sqrt().ceil() as usize).max(1) };

        // Forward: every stride-th state.
        let (q, v) = self.start(&robot, values, (q0, v0))?;
        let before = v.clone();
        let v = self.hit(&mut robot, 0, &q, v)?;
        let mut kept: Vec<State> = vec![(q.clone(), v.clone())];
        let mut at = (q, v);
        for step in 0..n {
            at = self.advance(&mut robot, step, (&at.0, &at.1))?;
            if (step + 1) % stride == 0 {
                kept.push(at.clone());
            }
        }

        // Backward.
        let mut back = Backward::new(self, robot.model.clone(), values)?;
        let mut total = cost.end(&robot.model, (&at.0, &at.1), &mut back.lambda)?;
        let mut begun = norm(&back.lambda);
        let (mut by_controls, mut repeated_steps) = (vec![Vec::new(); n], 0);
        let mut block: Vec<State> = Vec::new();
        let mut first = n + 1;
        for step in (0..n).rev() {
            let wanted = step / stride * stride;
            if first != wanted {
                first = wanted;
                block.clear();
                block.push(kept[step / stride].clone());
                for k in first..step {
                    let (q, v) = &block[k - first];
                    let next = self.advance(&mut robot, k, (q, v))?;
                    block.push(next);
                    repeated_steps += usize::from(stride > 1);
                }
            }
            let (q, v) = &block[step - first];
            total += back.step(step, (q, v), cost, &mut by_controls[step])?;
            if begun == 0.0 {
                begun = norm(&back.lambda);
            }
        }
        let (q, _) = &kept[0];
        back.impact(0, q, &before)?;
        let growth = if begun > 0.0 { norm(&back.lambda) / begun } else { 1.0 };
        let (by_q0, by_v0) = (back.lambda[..nv].to_vec(), back.lambda[nv..].to_vec());
        let by_parameters = back.by_parameters(values, (&by_q0, &by_v0))?;
        Ok(Adjoint { cost: total, by_parameters, by_q0, by_v0, by_controls, growth, repeated_steps })
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// `λ` on its way back, and the gradients that it leaves.
struct Backward<'a, 'p> {
    run: &'a Rollout<'p>,
    values: Vec<f64>,
    engine: Engine,
    /// 2 nv.
    lambda: Vec<f64>,
    /// By geometry, under constraints: one a parameter.
    by_geometry: Vec<f64>,
}

/// The robot, and what a step backwards needs.
struct Engine {
    robot: Robot<f64>,
    /// The same without gravity, for impacts.
    floating: Option<Robot<f64>>,
    derivatives: DerivativeWorkspace,
    /// By all parameters of the engine.
    dp: Vec<f64>,
    dq: DMatrix<f64>,
    dv: DMatrix<f64>,
}

/// What `l̄` becomes.
struct Pulled {
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
}

impl<'a, 'p> Backward<'a, 'p> {
    fn new(run: &'a Rollout<'p>, model: Model, values: &[f64]) -> Result<Self, SensitivityError> {
        let nv = model.nv();
        let engine = Engine {
            dp: vec![0.0; model.parameter_layout().len()],
            derivatives: DerivativeWorkspace::new(&model),
            floating: None,
            robot: Robot::new(model),
            dq: DMatrix::zeros(nv, nv),
            dv: DMatrix::zeros(nv, nv),
        };
        Ok(Self {
            run,
            values: values.to_vec(),
            engine,
            lambda: vec![0.0; 2 * nv],
            by_geometry: vec![0.0; values.len()],
        })
    }

    /// Through one step, with the impact behind it; returns its cost.
    fn step(
        &mut self,
        step: usize,
        (q, v): (&[f64], &[f64]),
        cost: &dyn TrajectoryCost,
        by_u: &mut Vec<f64>,
    ) -> Result<f64, SensitivityError> {
        let run = self.run;
        let u = run.control(&self.engine.robot, step, (q, v))?;
        let (tau, held) = (run.torques(&u), run.held(step));
        if run.impacts.contains_key(&(step + 1)) {
            let h = run.dt;
            let (q, v) = self.engine.robot.step(run.scheme, &run.algebra, h, (q, v), &tau, &held)?;
            self.impact(step + 1, &q, &v)?;
        }
        let nv = v.len();
        let mut tau_bar = vec![0.0; nv];
        match run.scheme {
            Scheme::SemiImplicitEuler => self.semi_implicit((q, v), &tau, &held, &mut tau_bar)?,
            Scheme::Rk4 => self.rk4((q, v), &tau, &held, &mut tau_bar)?,
        }
        let mut of_u = run.torques_transposed(&tau_bar);
        let model = &self.engine.robot.model;
        let value = cost.running(model, step, (q, v), &u, &mut self.lambda, &mut of_u)?;
        if let Some(law) = &run.feedback {
            // u = ū − K (x ⊖ x̄)
            let of_x = law.gains[step].tr_mul(&DVector::from_column_slice(&of_u));
            let of_q = model.difference_dq1(&law.q[step], q)?.tr_mul(&of_x.rows(0, nv).into_owned());
            for k in 0..nv {
                self.lambda[k] -= of_q[k];
                self.lambda[nv + k] -= of_x[nv + k];
            }
        }
        *by_u = of_u;
        Ok(value)
    }

    /// `v⁺ = v + h a`, `q⁺ = q ⊕ h v⁺`
    fn semi_implicit(
        &mut self,
        (q, v): (&[f64], &[f64]),
        tau: &[f64],
        held: &[Constraint],
        tau_bar: &mut [f64],
    ) -> Result<(), SensitivityError> {
        let (h, nv) = (self.run.dt, v.len());
        let (of_q, of_v) = self.lambda.split_at(nv);
        let mut v_bar = of_v.to_vec();
        let mut q_bar = of_q.to_vec();
        if self.run.algebra.is_flat() {
            v_bar.iter_mut().zip(of_q).for_each(|(to, x)| *to += h * x);
        } else {
            let a = self.engine.robot.acceleration(q, v, tau, held)?;
            let w: Vec<f64> = v.iter().zip(&a).map(|(v, a)| h * (v + h * a)).collect();
            let (by_q, by_v) = self.engine.moved_back(&w, of_q)?;
            q_bar = by_q;
            v_bar.iter_mut().zip(&by_v).for_each(|(to, x)| *to += h * x);
        }
        let l_bar: Vec<f64> = v_bar.iter().map(|x| h * x).collect();
        let pulled = self.pull((q, v), tau, held, &l_bar)?;
        for k in 0..nv {
            self.lambda[k] = q_bar[k] + pulled.q[k];
            self.lambda[nv + k] = v_bar[k] + pulled.v[k];
            tau_bar[k] += pulled.tau[k];
        }
        Ok(())
    }

    fn rk4(
        &mut self,
        (q, v): (&[f64], &[f64]),
        tau: &[f64],
        held: &[Constraint],
        tau_bar: &mut [f64],
    ) -> Result<(), SensitivityError> {
        struct Stage {
            theta: Vec<f64>,
            q: Vec<f64>,
            v: Vec<f64>,
        }
        let (h, nv, algebra) = (self.run.dt, v.len(), &self.run.algebra);
        let plus = |x: &[f64], s: f64, y: &[f64]| x.iter().zip(y).map(|(x, y)| x + s * y).collect::<Vec<f64>>();
        let zero = vec![0.0; nv];
        let (mut k, mut l, mut sum) = (zero.clone(), zero.clone(), zero.clone());
        let mut stages = Vec::with_capacity(4);
        for (c, b) in STAGES {
            let (theta, v_i) = (plus(&zero, c * h, &k), plus(v, c * h, &l));
            let mut q_i = q.to_vec();
            self.engine.robot.model.integrate_into(q, &theta, &mut q_i)?;
            l = self.engine.robot.acceleration(&q_i, &v_i, tau, held)?;
            k = rate(algebra, &theta, &v_i);
            sum = plus(&sum, b * h, &k);
            stages.push(Stage { theta, q: q_i, v: v_i });
        }
        let (of_q, of_v) = (self.lambda[..nv].to_vec(), self.lambda[nv..].to_vec());
        let (mut q_bar, sum_bar) = self.engine.moved_back(&sum, &of_q)?;
        let mut v_bar = of_v.clone();
        // What the stage behind asks of `k` and `l`.
        let (mut theta_bar, mut v_i_bar) = (zero.clone(), zero);
        for (i, stage) in stages.iter().enumerate().rev() {
            let b = STAGES[i].1;
            let c_next = STAGES.get(i + 1).map_or(0.0, |(c, _)| *c);
            let k_bar: Vec<f64> = (0..nv).map(|j| b * h * sum_bar[j] + c_next * h * theta_bar[j]).collect();
            let l_bar: Vec<f64> = (0..nv).map(|j| b * h * of_v[j] + c_next * h * v_i_bar[j]).collect();
            let pulled = self.pull((&stage.q, &stage.v), tau, held, &l_bar)?;
            let (of_theta, of_v_i) = rate_back(&self.run.algebra, &stage.theta, &stage.v, &k_bar);
            let (by_q, by_theta) = self.engine.moved_back(&stage.theta, &pulled.q)?;
            for j in 0..nv {
                q_bar[j] += by_q[j];
                theta_bar[j] = by_theta[j] + of_theta[j];
                v_i_bar[j] = pulled.v[j] + of_v_i[j];
                v_bar[j] += v_i_bar[j];
                tau_bar[j] += pulled.tau[j];
            }
        }
        self.lambda[..nv].copy_from_slice(&q_bar);
        self.lambda[nv..].copy_from_slice(&v_bar);
        Ok(())
    }

    /// `l̄` through `q̈(q, v, τ; p)`; what it leaves at the parameters is added up.
    fn pull(
        &mut self,
        (q, v): (&[f64], &[f64]),
        tau: &[f64],
        held: &[Constraint],
        l_bar: &[f64],
    ) -> Result<Pulled, SensitivityError> {
        let Engine { robot: Robot { model, ws }, derivatives, dp, .. } = &mut self.engine;
        if held.is_empty() {
            let by = aba_parameter_gradient(model, ws, q, v, tau, l_bar, &[])?;
            dp.iter_mut().zip(by.dp).for_each(|(to, x)| *to += x);
            return Ok(Pulled { q: by.state.dq.to_vec(), v: by.state.dv.to_vec(), tau: by.state.dtau.to_vec() });
        }
        let by = constraint_dynamics_derivatives(model, derivatives, Method::Analytical, q, v, tau, held, &[])?;
        let l = DVector::from_column_slice(l_bar);
        let mu = by.ddq_dtau.tr_mul(&l);
        let pulled = Pulled {
            q: by.ddq_dq.tr_mul(&l).as_slice().to_vec(),
            v: by.ddq_dv.tr_mul(&l).as_slice().to_vec(),
            tau: mu.as_slice().to_vec(),
        };
        let ddq = by.ddq.as_slice().to_vec();
        let by = rnea_parameter_gradient(model, ws, q, v, &ddq, mu.as_slice(), &[])?;
        subtract_still(model, by.dp, dp);
        if self.run.parameters.moves_geometry() {
            let values = self.values.clone();
            self.along_geometry(&values, l_bar, |robot: &mut Robot<Dual64>| {
                let lift = |x: &[f64]| x.iter().map(|x| Dual64::from(*x)).collect::<Vec<_>>();
                robot.acceleration(&lift(q), &lift(v), &lift(tau), held)
            })?;
        }
        Ok(pulled)
    }

    /// Constraints move with the geometry: by dual numbers, one parameter at a time.
    fn along_geometry(
        &mut self,
        values: &[f64],
        l_bar: &[f64],
        mut of: impl FnMut(&mut Robot<Dual64>) -> Result<Vec<Dual64>, SensitivityError>,
    ) -> Result<(), SensitivityError> {
        for k in 0..values.len() {
            if !self.run.parameters.one_moves_geometry(k) {
                continue;
            }
            let at: Vec<Dual64> =
                values.iter().enumerate().map(|(i, x)| Dual64::new(*x, f64::from(u8::from(i == k)))).collect();
            let mut robot = Robot::new(self.run.parameters.robot_at(&at)?);
            let found = of(&mut robot)?;
            self.by_geometry[k] += found.iter().zip(l_bar).map(|(x, l)| x.eps * l).sum::<f64>();
        }
        Ok(())
    }

    /// Through an impact before a step, at the velocity before it.
    fn impact(&mut self, step: usize, q: &[f64], v: &[f64]) -> Result<(), SensitivityError> {
        let Some(impact) = self.run.impacts.get(&step) else { return Ok(()) };
        let (nv, e, held) = (v.len(), impact.restitution, &impact.constraints);
        let of_v = DVector::from_column_slice(&self.lambda[nv..]);
        let Engine { robot: Robot { model, .. }, derivatives, floating, dp, .. } = &mut self.engine;
        let by = impulse_dynamics_derivatives(model, derivatives, Method::Analytical, q, v, e, held)?;
        let jump: Vec<f64> = by.v.iter().zip(v).map(|(after, before)| after - before).collect();
        let (by_q, by_v) = (by.dv_dq.tr_mul(&of_v), by.dv_dv.tr_mul(&of_v));
        // The directions that constraints leave free, M-orthogonal: what a torque would do there.
        let rest = vec![0.0; nv];
        let free: Vec<Constraint> = held.iter().map(|c| c.with_gains(0.0, 0.0)).collect();
        let by = constraint_dynamics_derivatives(model, derivatives, Method::Analytical, q, &rest, &rest, &free, &[])?;
        let mu = by.ddq_dtau.tr_mul(&of_v);
        let floating = floating.get_or_insert_with(|| Robot::new(model.clone().with_gravity(Vector3::zeros())));
        let by = rnea_parameter_gradient(&floating.model, &mut floating.ws, q, &rest, &jump, mu.as_slice(), &[])?;
        let mut of_masses = by.dp.to_vec();
        of_masses[model.parameter_layout().gravity.clone()].fill(0.0);
        subtract_still(model, &of_masses, dp);
        if self.run.parameters.moves_geometry() {
            let (values, run) = (self.values.clone(), self.run);
            let lambda = of_v.as_slice().to_vec();
            self.along_geometry(&values, &lambda, |robot: &mut Robot<Dual64>| {
                let lift = |x: &[f64]| x.iter().map(|x| Dual64::from(*x)).collect::<Vec<_>>();
                run.hit(robot, step, &lift(q), lift(v))
            })?;
        }
        for k in 0..nv {
            self.lambda[k] += by_q[k];
            self.lambda[nv + k] = by_v[k];
        }
        Ok(())
    }

    fn by_parameters(&self, values: &[f64], start: (&[f64], &[f64])) -> Result<Vec<f64>, SensitivityError> {
        let parameters = self.run.parameters;
        let mut gradient = self.by_geometry.clone();
        parameters.chain(values)?.add_to(1.0, &self.engine.dp, &mut gradient);
        let (dq, _) = parameters.start_at(values)?;
        // q₀ ⊕ δ: by δ.
        let of_q = self.engine.robot.model.integrate_dv(&dq)?.tr_mul(&DVector::from_column_slice(start.0));
        parameters.add_start(of_q.as_slice(), start.1, &mut gradient);
        Ok(gradient)
    }
}

impl Engine {
    /// `(Dᵀ x, Jᵀ x)` of `q ⊕ w`.
    fn moved_back(&mut self, w: &[f64], x: &[f64]) -> Result<(Vec<f64>, Vec<f64>), SensitivityError> {
        self.robot.model.integrate_derivatives_into(w, &mut self.dq, &mut self.dv)?;
        let x = DVector::from_column_slice(x);
        Ok((self.dq.tr_mul(&x).as_slice().to_vec(), self.dv.tr_mul(&x).as_slice().to_vec()))
    }
}

/// Takes away the gradient of torques by what moves no joint.
fn subtract_still(model: &Model, gradient: &[f64], from: &mut [f64]) {
    let still = 0..model.parameter_layout().placement.start;
    from[still.clone()].iter_mut().zip(&gradient[still]).for_each(|(to, x)| *to -= x);
}

/// `k̄` through `k = v + ½ [θ, v] + ¹⁄₁₂ [θ, [θ, v]]`: `(θ̄, v̄)`.
fn rate_back(algebra: &Algebra, theta: &[f64], v: &[f64], k_bar: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut theta_bar, mut v_bar) = (vec![0.0; v.len()], k_bar.to_vec());
    if algebra.is_flat() {
        return (theta_bar, v_bar);
    }
    let (mut once, mut once_bar) = (vec![0.0; v.len()], k_bar.iter().map(|x| 0.5 * x).collect::<Vec<_>>());
    for (i, j, k, c) in algebra.terms() {
        once[*i] += c * theta[*j] * v[*k];
    }
    for (i, j, k, c) in algebra.terms() {
        let bar = k_bar[*i] * c / 12.0;
        theta_bar[*j] += bar * once[*k];
        once_bar[*k] += bar * theta[*j];
    }
    for (i, j, k, c) in algebra.terms() {
        let bar = once_bar[*i] * c;
        theta_bar[*j] += bar * v[*k];
        v_bar[*k] += bar * theta[*j];
    }
    (theta_bar, v_bar)
}
