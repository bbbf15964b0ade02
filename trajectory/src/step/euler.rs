//! Euler's explicit step, and the parts it shares with the [semi-implicit](super::SemiImplicitEuler) one.
//!
//! ```text
//! explicit        q⁺ = q ⊕ h v ,    v⁺ = v + h a(q, v, u)
//! semi-implicit   v⁺ = v + h a(q, v, u) ,    q⁺ = q ⊕ h v⁺
//! ```
//!
//! Both are of first order. The semi-implicit one is symplectic if the mass matrix is constant, and keeps energies
//! bounded in practice; it is Crocoddyl's `IntegratedActionModelEuler`.

use super::acceleration::EngineMemory;
use super::retraction::{Retraction, RetractionMemory};
use super::{
    Acceleration, Sensitivities, Step, StepView, StepWeights, add_symmetric, forward_to_acceleration, rk4, scaled,
};
use crate::fault::{Reason, memory_of};
use crate::quadratic::{Quadratic, Structure};
use gradyn::Model;
use nalgebra::DMatrix;
use std::any::Any;

/// `q⁺ = q ⊕ h v`, `v⁺ = v + h a`
#[derive(Clone, Debug)]
pub struct Euler<A>(Steps<A>);

impl<A: Acceleration> Euler<A> {
    /// With accelerations of this model.
    pub fn new(model: &Model, acceleration: A) -> Self {
        Self(Steps::new(model, acceleration))
    }
}

/// What both have in common.
#[derive(Clone, Debug)]
pub(super) struct Steps<A> {
    pub(super) acceleration: A,
    /// Whether `q ⊕ w` is a sum of numbers.
    pub(super) flat: bool,
    pub(super) retraction: Retraction,
}

/// Memory of a step.
pub(super) struct EulerMemory {
    engine: EngineMemory,
    /// `h` times a velocity.
    pub(super) w: Vec<f64>,
    pub(super) dq: DMatrix<f64>,
    pub(super) dv: DMatrix<f64>,
    /// Rows of velocities, and what they become at the end of the step.
    pub(super) rows: DMatrix<f64>,
    pub(super) moved: DMatrix<f64>,
    /// Second derivatives of a contraction of the acceleration, made when first needed.
    hessian: DMatrix<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) retraction: RetractionMemory,
    /// A row of second derivatives by state and controls.
    pub(super) along: Vec<f64>,
}

impl EulerMemory {
    /// For derivatives of `q ⊕ w` of this size, and so many columns that are moved.
    pub(super) fn new(model: &Model, steps: &Steps<impl Acceleration>, square: usize, columns: usize) -> Self {
        let nv = model.nv();
        let n = if columns > 0 { nv } else { 0 };
        Self {
            engine: EngineMemory::new(model, &steps.acceleration),
            retraction: steps.retraction.memory(),
            along: vec![0.0; 2 * nv + steps.acceleration.controls()],
            w: vec![0.0; nv],
            dq: DMatrix::zeros(square, square),
            dv: DMatrix::zeros(square, square),
            rows: DMatrix::zeros(n, columns),
            moved: DMatrix::zeros(n, columns),
            hessian: DMatrix::zeros(0, 0),
            weights: vec![0.0; nv],
        }
    }
    pub(super) fn of(own: &mut dyn Any) -> Result<&mut Self, Reason> {
        memory_of(own)
    }
}

impl<A: Acceleration> Steps<A> {
    pub(super) fn new(model: &Model, acceleration: A) -> Self {
        let retraction = Retraction::new(model);
        Self { acceleration, flat: retraction.is_flat(), retraction }
    }

    /// Second derivatives of `μᵀ a + gᶠ·f`, with `μ = gᵃ + h λ_v + h Jᵀ λ_q`, J given if velocities at the end move
    /// configurations.
    pub(super) fn add_acceleration_curvature(
        &self,
        on: &mut StepView<'_>,
        weights: StepWeights<'_>,
        by_end: Option<&DMatrix<f64>>,
        out: &mut Quadratic,
    ) -> Result<bool, Reason> {
        let (h, nv, nu) = (on.at.dt, on.model.nv(), on.u.len());
        let EulerMemory { engine, hessian, weights: mu, .. } = EulerMemory::of(on.own)?;
        if hessian.nrows() != 2 * nv + nu {
            *hessian = DMatrix::zeros(2 * nv + nu, 2 * nv + nu);
        }
        let (by_q, by_v) = weights.next.split_at(nv);
        for (k, mu) in mu.iter_mut().enumerate() {
            let moved = match by_end {
                None => 0.0,
                Some(j) if j.is_empty() => by_q[k],
                Some(j) => j.column(k).iter().zip(by_q).map(|(j, l)| j * l).sum(),
            };
            *mu = weights.a[k] + h * (by_v[k] + h * moved);
        }
        let mut engine = engine.engine(on.model, on.workspace, on.derivatives, [on.at.time, on.at.dt]);
        let known = self.acceleration.hessian(&mut engine, [on.q, on.v, on.u], [mu, weights.f], hessian)?;
        if known {
            add_symmetric(1.0, hessian, nv, &mut out.curvature);
        }
        Ok(known)
    }
    pub(super) fn value(&self, on: &mut StepView<'_>) -> Result<(), Reason> {
        let memory = EulerMemory::of(on.own)?;
        let mut engine = memory.engine.engine(on.model, on.workspace, on.derivatives, [on.at.time, on.at.dt]);
        self.acceleration.value(&mut engine, [on.q, on.v, on.u], on.a, on.f)
    }
    pub(super) fn derivatives(&self, on: &mut StepView<'_>, by: &mut Sensitivities) -> Result<(), Reason> {
        let memory = EulerMemory::of(on.own)?;
        let mut engine = memory.engine.engine(on.model, on.workspace, on.derivatives, [on.at.time, on.at.dt]);
        self.acceleration.derivatives(&mut engine, [on.q, on.v, on.u], on.a, on.f, by)
    }

    /// Rows of velocities of A and B.
    pub(super) fn velocity_rows(&self, h: f64, by: &Sensitivities, out: &mut Quadratic) {
        let nv = by.a_q.nrows();
        scaled(h, &by.a_q, &mut out.a, nv, 0);
        scaled(h, &by.a_v, &mut out.a, nv, nv);
        scaled(h, &by.a_u, &mut out.b, nv, 0);
        for i in 0..nv {
            out.a[(nv + i, nv + i)] += 1.0;
        }
    }
}

/// The first columns of A or B, each with its rows of configurations and those of velocities, nv each.
pub(super) fn halves(
    m: &mut DMatrix<f64>,
    nv: usize,
    columns: usize,
) -> impl Iterator<Item = (&mut [f64], &mut [f64])> {
    let height = m.nrows().max(1);
    m.as_mut_slice().chunks_exact_mut(height).take(columns).map(move |column| {
        let (q, rest) = column.split_at_mut(nv);
        (q, &mut rest[..nv])
    })
}

/// `m x`; the identity if m has no entries.
pub(super) fn times(m: &DMatrix<f64>, x: &[f64], to: &mut [f64]) {
    if m.is_empty() {
        return to.copy_from_slice(x);
    }
    to.fill(0.0);
    for (column, x) in m.column_iter().zip(x) {
        to.iter_mut().zip(column.iter()).for_each(|(to, m)| *to += m * x);
    }
}
/// `mᵀ x`; the identity if m has no entries.
pub(super) fn transposed_times(m: &DMatrix<f64>, x: &[f64], to: &mut [f64]) {
    if m.is_empty() {
        return to.copy_from_slice(x);
    }
    for (to, column) in to.iter_mut().zip(m.column_iter()) {
        *to = column.iter().zip(x).map(|(m, x)| m * x).sum();
    }
}

/// `v⁺ = v + h a`
pub(super) fn next_velocity(on: &StepView<'_>, next: &mut [f64]) {
    for ((next, v), a) in next.iter_mut().zip(on.v).zip(on.a.iter()) {
        *next = v + on.at.dt * a;
    }
}

/// `q⁺ = q ⊕ h w`
pub(super) fn next_configuration(on: &mut StepView<'_>, velocity: &[f64], next: &mut [f64]) -> Result<(), Reason> {
    let memory = EulerMemory::of(on.own)?;
    memory.w.iter_mut().zip(velocity).for_each(|(w, v)| *w = on.at.dt * v);
    on.model.integrate_into(on.q, &memory.w, next)?;
    Ok(())
}

impl<A: Acceleration> Step for Euler<A> {
    forward_to_acceleration!(0.acceleration);
    fn memory(&self, model: &Model) -> Box<dyn Any + Send> {
        Box::new(EulerMemory::new(model, &self.0, model.nv(), 0))
    }
    fn reference_memory(&self, model: &Model) -> Option<Box<dyn Any + Send>> {
        Some(Box::new(rk4::Rk4Memory::new(model, &self.0.acceleration)))
    }
    fn reference(&self, on: &mut StepView<'_>, next: &mut [f64]) -> Result<(), Reason> {
        rk4::advance(&self.0.acceleration, on, next)
    }
    fn next(&self, on: &mut StepView<'_>, next: &mut [f64], _eq: &mut [f64]) -> Result<(), Reason> {
        self.0.value(on)?;
        let (q, v) = next.split_at_mut(on.model.nq());
        next_velocity(on, v);
        next_configuration(on, on.v, q)
    }
    fn linearize(&self, on: &mut StepView<'_>, by: &mut Sensitivities, out: &mut Quadratic) -> Result<(), Reason> {
        self.0.derivatives(on, by)?;
        let (h, nv) = (on.at.dt, on.model.nv());
        let (q, v) = out.next.split_at_mut(on.model.nq());
        next_velocity(on, v);
        next_configuration(on, on.v, q)?;
        self.0.velocity_rows(h, by, out);
        out.structure = Structure::Dense;
        // δq⁺ = D δq + h J δv
        let memory = EulerMemory::of(on.own)?;
        on.model.integrate_derivatives_into(&memory.w, &mut memory.dq, &mut memory.dv)?;
        scaled(1.0, &memory.dq, &mut out.a, 0, 0);
        scaled(h, &memory.dv, &mut out.a, 0, nv);
        out.b.rows_mut(0, nv).fill(0.0);
        Ok(())
    }
    fn curvature(
        &self,
        on: &mut StepView<'_>,
        _by: &Sensitivities,
        weights: StepWeights<'_>,
        out: &mut Quadratic,
    ) -> Result<bool, Reason> {
        let (h, nv) = (on.at.dt, on.model.nv());
        let known = self.0.add_acceleration_curvature(on, weights, None, out)?;
        // Second derivatives of q ⊕ h v.
        let size = |k: usize| if k < nv { 1.0 } else { h };
        let (EulerMemory { w, retraction, .. }, xx) = (EulerMemory::of(on.own)?, &mut out.curvature.xx);
        self.0
            .retraction
            .add_curvature(retraction, w, &weights.next[..nv], |i, j, x| xx[(i, j)] += size(i) * size(j) * x)?;
        Ok(known)
    }
    fn moves_by(&self) -> Option<[f64; 2]> {
        Some([1.0, 0.0])
    }
    fn has_dt_derivative(&self) -> bool {
        true
    }
    fn dt_derivative(
        &self,
        on: &mut StepView<'_>,
        _by: &Sensitivities,
        _out: &Quadratic,
        to: &mut [f64],
    ) -> Result<(), Reason> {
        let (q, v) = to.split_at_mut(on.model.nv());
        times(&EulerMemory::of(on.own)?.dv, on.v, q);
        v.copy_from_slice(on.a);
        Ok(())
    }
    fn dt_curvature(
        &self,
        on: &mut StepView<'_>,
        by: &Sensitivities,
        weights: StepWeights<'_>,
        _out: &Quadratic,
        to: &mut [f64],
    ) -> Result<bool, Reason> {
        let (h, nv, nu) = (on.at.dt, on.model.nv(), on.u.len());
        let (by_q, by_v) = weights.next.split_at(nv);
        let EulerMemory { w, weights: mu, dv, retraction, .. } = EulerMemory::of(on.own)?;
        transposed_times(dv, by_q, mu);
        let dot = |m: &DMatrix<f64>, j: usize| by_v.iter().zip(m.column(j).iter()).map(|(l, a)| l * a).sum::<f64>();
        for j in 0..nv {
            to[j] = dot(&by.a_q, j);
            to[nv + j] = dot(&by.a_v, j) + mu[j];
        }
        for j in 0..nu {
            to[2 * nv + j] = dot(&by.a_u, j);
        }
        to[2 * nv + nu] = 0.0;
        self.0.retraction.add_curvature(retraction, w, by_q, |i, j, x| {
            if j >= nv {
                let x = x * on.v[j - nv];
                if i < nv {
                    to[i] += x;
                } else {
                    to[i] += h * x;
                    to[2 * nv + nu] += on.v[i - nv] * x;
                }
            }
        })?;
        Ok(true)
    }
}
