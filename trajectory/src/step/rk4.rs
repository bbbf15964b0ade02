//! The classical method of Runge and Kutta, on the Lie group of configurations.
//!
//! With `q = q₀ ⊕ θ` the motion is one of vectors, `θ̇ = J_r⁻¹(θ) v`, `v̇ = a(q₀ ⊕ θ, v, u)`, and the method is applied
//! to these (H. Munthe-Kaas, *Runge-Kutta methods on Lie groups*, BIT 38(1), 1998):
//!
//! ```text
//! θ_i = c_i h k_{i−1} ,   v_i = v + c_i h l_{i−1}                                   c = 0, ½, ½, 1
//! k_i = v_i + ½ [θ_i, v_i] + ¹⁄₁₂ [θ_i, [θ_i, v_i]] ,   l_i = a(q ⊕ θ_i, v_i, u)
//! q⁺ = q ⊕ (h/6) (k₁ + 2 k₂ + 2 k₃ + k₄) ,   v⁺ = v + (h/6) (l₁ + 2 l₂ + 2 l₃ + l₄)
//! ```
//!
//! The terms omitted from the series of `J_r⁻¹` are of order h⁴, times h in the step, so the order stays 4. Without the
//! brackets, as in Crocoddyl's `IntegratedActionModelRK`, the order is 4 only if all joints are numbers or angles, and
//! 2 if one rotates in space.

use super::acceleration::EngineMemory;
use super::algebra::Algebra;
use super::page::STAGES;
use super::stages::Stages;
use super::{Acceleration, Sensitivities, Step, StepView, StepWeights, forward_to_acceleration};
use crate::fault::{Reason, memory_of};
use crate::quadratic::{Quadratic, Structure};
use gradyn::Model;
use nalgebra::DMatrix;
use std::any::Any;

/// The classical method of Runge and Kutta, order 4 for every kind of joint; controls are constant over the step. Cost:
/// four accelerations. Costs see acceleration and multipliers at the start of the step.
#[derive(Clone, Debug)]
#[doc(alias = "IntegratedActionModelRK")]
pub struct Rk4<A> {
    acceleration: A,
}

impl<A: Acceleration> Rk4<A> {
    /// With accelerations of this model.
    pub fn new(model: &Model, acceleration: A) -> Self {
        let _ = model;
        Self { acceleration }
    }
}

/// Memory of a step.
pub(super) struct Rk4Memory {
    engine: EngineMemory,
    algebra: Algebra,
    /// `θ_i`, and at the end `θ⁺`.
    theta: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    /// `k_i` and `l_i`.
    k: Vec<f64>,
    l: Vec<f64>,
    /// `h` times their weighted sums.
    sum_k: Vec<f64>,
    sum_l: Vec<f64>,
    once: Vec<f64>,
    varied: Vec<f64>,
    f: Vec<f64>,
    /// The same, varied by all columns; made when first needed.
    columns: Option<Columns>,
    /// For second derivatives; made when first needed.
    stages: Option<Box<Stages>>,
}

struct Columns {
    by: Sensitivities,
    transport: DMatrix<f64>,
    theta: DMatrix<f64>,
    q: DMatrix<f64>,
    v: DMatrix<f64>,
    k: DMatrix<f64>,
    l: DMatrix<f64>,
    sum_k: DMatrix<f64>,
    sum_l: DMatrix<f64>,
}

impl Columns {
    fn new(nv: usize, nu: usize, rows: usize) -> Self {
        let [theta, q, v, k, l, sum_k, sum_l] = [(); 7].map(|()| DMatrix::zeros(nv, 2 * nv + nu));
        let (by, transport) = (Sensitivities::new(nv, nu, rows), DMatrix::zeros(nv, nv));
        Self { by, transport, theta, q, v, k, l, sum_k, sum_l }
    }

    /// `q ⊕ θ`, by all columns, into `self.q`.
    fn place(&mut self, model: &Model, theta: &[f64]) -> Result<(), Reason> {
        model.transport_dv_into(theta, &self.theta, &mut self.q)?;
        model.integrate_dq_into(theta, &mut self.transport)?;
        self.q.columns_mut(0, model.nv()).zip_apply(&self.transport, |x, t| *x += t);
        Ok(())
    }

    /// `θ_i` and `v_i`, from `k` and `l` of the stage before.
    fn begin(&mut self, ch: f64) {
        let nv = self.v.nrows();
        self.theta.zip_apply(&self.k, |x, k| *x = ch * k);
        self.v.zip_apply(&self.l, |x, l| *x = ch * l);
        for i in 0..nv {
            self.v[(i, nv + i)] += 1.0;
        }
    }

    /// `l_i = a(q_i, v_i, u)`
    fn accelerate(&mut self, by: Option<&Sensitivities>) {
        let nv = self.v.nrows();
        let Self { by: own, q, v, l, .. } = self;
        let by = by.unwrap_or(own);
        l.gemm(1.0, &by.a_q, q, 0.0);
        l.gemm(1.0, &by.a_v, v, 1.0);
        l.columns_mut(2 * nv, by.a_u.ncols()).zip_apply(&by.a_u, |x, a| *x += a);
    }

    fn add(&mut self, bh: f64) {
        self.sum_k.zip_apply(&self.k, |sum, k| *sum += bh * k);
        self.sum_l.zip_apply(&self.l, |sum, l| *sum += bh * l);
    }
}

impl Rk4Memory {
    /// Of a robot with these accelerations.
    pub(super) fn new(model: &Model, acceleration: &impl Acceleration) -> Self {
        let zeros = || vec![0.0; model.nv()];
        Self {
            engine: EngineMemory::new(model, acceleration),
            algebra: Algebra::new(model),
            theta: zeros(),
            q: vec![0.0; model.nq()],
            v: zeros(),
            k: zeros(),
            l: zeros(),
            sum_k: zeros(),
            sum_l: zeros(),
            once: zeros(),
            varied: zeros(),
            f: vec![0.0; acceleration.multipliers()],
            columns: None,
            stages: None,
        }
    }

    fn of(own: &mut dyn Any) -> Result<&mut Self, Reason> {
        memory_of(own)
    }

    /// `θ_i`, `q_i` and `v_i`.
    fn begin(&mut self, model: &Model, (q, v): (&[f64], &[f64]), ch: f64) -> Result<(), Reason> {
        self.theta.iter_mut().zip(&self.k).for_each(|(theta, k)| *theta = ch * k);
        for ((to, v), l) in self.v.iter_mut().zip(v).zip(&self.l) {
            *to = v + ch * l;
        }
        model.integrate_into(q, &self.theta, &mut self.q)?;
        Ok(())
    }

    /// `k_i`, and both sums.
    fn end(&mut self, bh: f64) {
        self.k.copy_from_slice(&self.v);
        self.algebra.add_rate(&self.theta, &self.v, &mut self.once, &mut self.k);
        self.sum_k.iter_mut().zip(&self.k).for_each(|(sum, k)| *sum += bh * k);
        self.sum_l.iter_mut().zip(&self.l).for_each(|(sum, l)| *sum += bh * l);
    }

    fn clear(&mut self) {
        for x in [&mut self.k, &mut self.l, &mut self.sum_k, &mut self.sum_l] {
            x.fill(0.0);
        }
    }

    fn finish(&mut self, model: &Model, q: &[f64], v: &[f64], next: &mut [f64]) -> Result<(), Reason> {
        let (next_q, next_v) = next.split_at_mut(q.len());
        self.theta.copy_from_slice(&self.sum_k);
        model.integrate_into(q, &self.theta, next_q)?;
        for ((next, v), sum) in next_v.iter_mut().zip(v).zip(&self.sum_l) {
            *next = v + sum;
        }
        Ok(())
    }
}

/// One step with these accelerations, in a [`Rk4Memory`] of the view.
pub(super) fn advance(acceleration: &impl Acceleration, on: &mut StepView<'_>, next: &mut [f64]) -> Result<(), Reason> {
    let memory = Rk4Memory::of(on.own)?;
    memory.clear();
    for (i, (c, b)) in STAGES.into_iter().enumerate() {
        memory.begin(on.model, (on.q, on.v), c * on.at.dt)?;
        let Rk4Memory { engine, q, v, l, f, .. } = &mut *memory;
        let times = [on.at.time + c * on.at.dt, on.at.dt];
        let mut engine = engine.engine(on.model, on.workspace, on.derivatives, times);
        acceleration.value(&mut engine, [q, v, on.u], l, f)?;
        if i == 0 {
            on.a.copy_from_slice(l);
            on.f.copy_from_slice(f);
        }
        memory.end(b * on.at.dt);
    }
    memory.finish(on.model, on.q, on.v, next)
}

impl<A: Acceleration> Step for Rk4<A> {
    forward_to_acceleration!(acceleration);
    fn memory(&self, model: &Model) -> Box<dyn Any + Send> {
        Box::new(Rk4Memory::new(model, &self.acceleration))
    }
    fn order(&self) -> u32 {
        4
    }
    fn reference_memory(&self, model: &Model) -> Option<Box<dyn Any + Send>> {
        Some(self.memory(model))
    }
    fn reference(&self, on: &mut StepView<'_>, next: &mut [f64]) -> Result<(), Reason> {
        advance(&self.acceleration, on, next)
    }
    fn next(&self, on: &mut StepView<'_>, next: &mut [f64], _eq: &mut [f64]) -> Result<(), Reason> {
        advance(&self.acceleration, on, next)
    }
    fn linearize(&self, on: &mut StepView<'_>, by: &mut Sensitivities, out: &mut Quadratic) -> Result<(), Reason> {
        let (h, nv, nu, rows) = (on.at.dt, on.model.nv(), on.u.len(), on.f.len());
        let memory = Rk4Memory::of(on.own)?;
        memory.clear();
        let mut columns = memory.columns.take().unwrap_or_else(|| Columns::new(nv, nu, rows));
        for m in [&mut columns.k, &mut columns.l, &mut columns.sum_k, &mut columns.sum_l] {
            m.fill(0.0);
        }
        for (i, (c, b)) in STAGES.into_iter().enumerate() {
            memory.begin(on.model, (on.q, on.v), c * h)?;
            columns.begin(c * h);
            columns.place(on.model, &memory.theta)?;
            let Rk4Memory { engine, q, v, l, f, .. } = &mut *memory;
            let mut engine = engine.engine(on.model, on.workspace, on.derivatives, [on.at.time + c * h, h]);
            let of_stage = if i == 0 { &mut *by } else { &mut columns.by };
            self.acceleration.derivatives(&mut engine, [q, v, on.u], l, f, of_stage)?;
            if i == 0 {
                on.a.copy_from_slice(l);
                on.f.copy_from_slice(f);
            }
            columns.accelerate((i == 0).then_some(&*by));
            if let Some(stages) = &mut memory.stages {
                let (of_stage, by) = (&mut stages.at[i], if i == 0 { &*by } else { &columns.by });
                of_stage.theta.copy_from_slice(&memory.theta);
                of_stage.q.copy_from_slice(&memory.q);
                of_stage.v.copy_from_slice(&memory.v);
                of_stage.a_q.copy_from(&by.a_q);
                of_stage.a_v.copy_from(&by.a_v);
                of_stage.by_theta.copy_from(&columns.theta);
                of_stage.by_q.copy_from(&columns.q);
                of_stage.by_v.copy_from(&columns.v);
            }
            memory.end(b * h);
            columns.k.copy_from(&columns.v);
            if !memory.algebra.is_flat() {
                let (at, by) = ([&memory.theta[..], &memory.v, &memory.once], [&columns.theta, &columns.v]);
                memory.algebra.add_rates(at, by, &mut memory.varied, &mut columns.k);
            }
            columns.add(b * h);
        }
        memory.finish(on.model, on.q, on.v, &mut out.next[..on.q.len() + nv])?;
        columns.theta.copy_from(&columns.sum_k);
        columns.place(on.model, &memory.theta)?;
        for (first, m) in [(0, &columns.q), (nv, &columns.sum_l)] {
            out.a.view_mut((first, 0), (nv, 2 * nv)).copy_from(&m.columns(0, 2 * nv));
            out.b.view_mut((first, 0), (nv, nu)).copy_from(&m.columns(2 * nv, nu));
        }
        for i in nv..2 * nv {
            out.a[(i, i)] += 1.0;
        }
        out.structure = Structure::Dense;
        memory.columns = Some(columns);
        Ok(())
    }
    fn curvature(
        &self,
        on: &mut StepView<'_>,
        by: &Sensitivities,
        weights: StepWeights<'_>,
        out: &mut Quadratic,
    ) -> Result<bool, Reason> {
        if Rk4Memory::of(on.own)?.stages.is_none() {
            // Once, stages have to be gone through again.
            Rk4Memory::of(on.own)?.stages = Some(Box::new(Stages::new(on.model, on.u.len(), on.f.len())));
            self.linearize(on, &mut by.clone(), out)?;
        }
        let Rk4Memory { engine, theta, columns, stages, .. } = Rk4Memory::of(on.own)?;
        let (Some(columns), Some(stages)) = (columns, stages) else { return Ok(false) };
        let hessian = |i: usize, [q, v]: [&[f64]; 2], weights: [&[f64]; 2], to: &mut DMatrix<f64>| {
            let time = on.at.time + STAGES[i].0 * on.at.dt;
            let mut engine = engine.engine(on.model, on.workspace, on.derivatives, [time, on.at.dt]);
            self.acceleration.hessian(&mut engine, [q, v, on.u], weights, to)
        };
        stages.add_curvature(on.at.dt, weights, (theta, &columns.theta), hessian, &mut out.curvature)
    }
}
