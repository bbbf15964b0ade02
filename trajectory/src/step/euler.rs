//! Euler's steps, explicit and semi-implicit.
//!
//! ```text
//! explicit        q⁺ = q ⊕ h v ,    v⁺ = v + h a(q, v, u)
//! semi-implicit   v⁺ = v + h a(q, v, u) ,    q⁺ = q ⊕ h v⁺
//! ```
//!
//! Both of first order. The semi-implicit one is symplectic where the mass matrix is constant, and keeps energies bounded in practice;
//! it is Crocoddyl's `IntegratedActionModelEuler`.

use super::acceleration::EngineMemory;
use super::retraction::{Retraction, RetractionMemory};
use super::{Acceleration, ContactRows, Sensitivities, Step, StepView, StepWeights, add_symmetric, memory_of, scaled};
use crate::fault::{ProblemError, Reason};
use crate::quadratic::{Quadratic, Structure};
use gradyn::Model;
use nalgebra::DMatrix;
use std::any::Any;

/// `q⁺ = q ⊕ h v`, `v⁺ = v + h a`
#[derive(Clone, Debug)]
pub struct Euler<A>(Steps<A>);

/// `v⁺ = v + h a`, `q⁺ = q ⊕ h v⁺`
#[derive(Clone, Debug)]
#[doc(alias = "IntegratedActionModelEuler")]
pub struct SemiImplicitEuler<A>(Steps<A>);

impl<A: Acceleration> Euler<A> {
    /// With accelerations of this model.
    pub fn new(model: &Model, acceleration: A) -> Self {
        Self(Steps::new(model, acceleration))
    }
}

impl<A: Acceleration> SemiImplicitEuler<A> {
    /// With accelerations of this model.
    pub fn new(model: &Model, acceleration: A) -> Self {
        Self(Steps::new(model, acceleration))
    }
}

/// What both have in common.
#[derive(Clone, Debug)]
struct Steps<A> {
    acceleration: A,
    /// Is `q ⊕ w` the sum of numbers?
    flat: bool,
    retraction: Retraction,
}

/// Memory of a step.
struct Memory {
    engine: EngineMemory,
    /// `h` times a velocity.
    w: Vec<f64>,
    dq: DMatrix<f64>,
    dv: DMatrix<f64>,
    /// Rows of velocities, and what they become at the end of the step.
    rows: DMatrix<f64>,
    moved: DMatrix<f64>,
    /// Second derivatives of a contraction of the acceleration, made when first needed.
    hessian: DMatrix<f64>,
    weights: Vec<f64>,
    bent: RetractionMemory,
}

impl Memory {
    /// For derivatives of `q ⊕ w` of this size, and so many columns that are moved.
    fn new(model: &Model, steps: &Steps<impl Acceleration>, square: usize, columns: usize) -> Self {
        let nv = model.nv();
        let n = if columns > 0 { nv } else { 0 };
        Self {
            engine: EngineMemory::new(model, &steps.acceleration),
            bent: steps.retraction.memory(),
            w: vec![0.0; nv],
            dq: DMatrix::zeros(square, square),
            dv: DMatrix::zeros(square, square),
            rows: DMatrix::zeros(n, columns),
            moved: DMatrix::zeros(n, columns),
            hessian: DMatrix::zeros(0, 0),
            weights: vec![0.0; nv],
        }
    }
    fn of(own: &mut dyn Any) -> Result<&mut Self, Reason> {
        memory_of(own)
    }
}

impl<A: Acceleration> Steps<A> {
    fn new(model: &Model, acceleration: A) -> Self {
        let retraction = Retraction::new(model);
        Self { acceleration, flat: retraction.is_flat(), retraction }
    }

    /// Second derivatives of `μᵀ a + gᶠ·f`, with `μ = gᵃ + h λ_v + h Jᵀ λ_q`, J given if velocities at the end move configurations.
    fn bend(
        &self,
        on: &mut StepView<'_>,
        weights: StepWeights<'_>,
        by_end: Option<&DMatrix<f64>>,
        out: &mut Quadratic,
    ) -> Result<bool, Reason> {
        let (h, nv, nu) = (on.at.dt, on.model.nv(), on.u.len());
        let Memory { engine, hessian, weights: mu, .. } = Memory::of(on.own)?;
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
        let mut engine = engine.engine(on.model, on.workspace, on.derivatives, on.at.time);
        let known = self.acceleration.hessian(&mut engine, [on.q, on.v, on.u], [mu, weights.f], hessian)?;
        if known {
            add_symmetric(1.0, hessian, nv, &mut out.curvature);
        }
        Ok(known)
    }
    fn value(&self, on: &mut StepView<'_>) -> Result<(), Reason> {
        let memory = Memory::of(on.own)?;
        let mut engine = memory.engine.engine(on.model, on.workspace, on.derivatives, on.at.time);
        self.acceleration.value(&mut engine, [on.q, on.v, on.u], on.a, on.f)
    }
    fn derivatives(&self, on: &mut StepView<'_>, by: &mut Sensitivities) -> Result<(), Reason> {
        let memory = Memory::of(on.own)?;
        let mut engine = memory.engine.engine(on.model, on.workspace, on.derivatives, on.at.time);
        self.acceleration.derivatives(&mut engine, [on.q, on.v, on.u], on.a, on.f, by)
    }

    /// Rows of velocities of A and B.
    fn velocity_rows(&self, h: f64, by: &Sensitivities, out: &mut Quadratic) {
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
fn halves(m: &mut DMatrix<f64>, nv: usize, columns: usize) -> impl Iterator<Item = (&mut [f64], &mut [f64])> {
    let height = m.nrows().max(1);
    m.as_mut_slice().chunks_exact_mut(height).take(columns).map(move |column| {
        let (q, rest) = column.split_at_mut(nv);
        (q, &mut rest[..nv])
    })
}

/// `m x`; the identity if m has no entries.
fn times(m: &DMatrix<f64>, x: &[f64], to: &mut [f64]) {
    if m.is_empty() {
        return to.copy_from_slice(x);
    }
    to.fill(0.0);
    for (column, x) in m.column_iter().zip(x) {
        to.iter_mut().zip(column.iter()).for_each(|(to, m)| *to += m * x);
    }
}
/// `mᵀ x`; the identity if m has no entries.
fn transposed_times(m: &DMatrix<f64>, x: &[f64], to: &mut [f64]) {
    if m.is_empty() {
        return to.copy_from_slice(x);
    }
    for (to, column) in to.iter_mut().zip(m.column_iter()) {
        *to = column.iter().zip(x).map(|(m, x)| m * x).sum();
    }
}

/// `v⁺ = v + h a`
fn next_velocity(on: &StepView<'_>, next: &mut [f64]) {
    for ((next, v), a) in next.iter_mut().zip(on.v).zip(on.a.iter()) {
        *next = v + on.at.dt * a;
    }
}

/// `q⁺ = q ⊕ h w`
fn next_configuration(on: &mut StepView<'_>, velocity: &[f64], next: &mut [f64]) -> Result<(), Reason> {
    let memory = Memory::of(on.own)?;
    memory.w.iter_mut().zip(velocity).for_each(|(w, v)| *w = on.at.dt * v);
    on.model.integrate_into(on.q, &memory.w, next)?;
    Ok(())
}

impl<A: Acceleration> Step for SemiImplicitEuler<A> {
    fn controls(&self) -> usize {
        self.0.acceleration.controls()
    }
    fn multipliers(&self) -> usize {
        self.0.acceleration.multipliers()
    }
    fn contacts(&self) -> &[ContactRows] {
        self.0.acceleration.contacts()
    }
    fn check(&self, model: &Model, place: &str) -> Result<(), ProblemError> {
        self.0.acceleration.check(model, place)
    }
    fn memory(&self, model: &Model) -> Box<dyn Any + Send> {
        let columns = if self.0.flat { 0 } else { 2 * model.nv() + self.controls() };
        Box::new(Memory::new(model, &self.0, 0, columns))
    }
    fn next(&self, on: &mut StepView<'_>, next: &mut [f64], _eq: &mut [f64]) -> Result<(), Reason> {
        self.0.value(on)?;
        let (q, v) = next.split_at_mut(on.model.nq());
        next_velocity(on, v);
        next_configuration(on, v, q)
    }
    fn linearize(&self, on: &mut StepView<'_>, by: &mut Sensitivities, out: &mut Quadratic) -> Result<(), Reason> {
        self.0.derivatives(on, by)?;
        let (h, nv, nu) = (on.at.dt, on.model.nv(), on.u.len());
        let (q, v) = out.next.split_at_mut(on.model.nq());
        next_velocity(on, v);
        next_configuration(on, v, q)?;
        self.0.velocity_rows(h, by, out);
        out.structure = Structure::SemiImplicit { h, nv };
        // δq⁺ = D δq + h J δv⁺
        if self.0.flat {
            for (to, from) in halves(&mut out.a, nv, 2 * nv).chain(halves(&mut out.b, nv, nu)) {
                to.iter_mut().zip(from.iter()).for_each(|(to, from)| *to = h * from);
            }
            for i in 0..nv {
                out.a[(i, i)] += 1.0;
            }
            return Ok(());
        }
        let Memory { w, rows, moved, .. } = Memory::of(on.own)?;
        if out.step_dq.nrows() != nv {
            (out.step_dq, out.step_dv) = (DMatrix::zeros(nv, nv), DMatrix::zeros(nv, nv));
        }
        on.model.integrate_derivatives_into(w, &mut out.step_dq, &mut out.step_dv)?;
        let columns = halves(&mut out.a, nv, 2 * nv).chain(halves(&mut out.b, nv, nu));
        for (to, (_, from)) in rows.as_mut_slice().chunks_exact_mut(nv).zip(columns) {
            to.copy_from_slice(from);
        }
        on.model.transport_dv_into(w, rows, moved)?;
        let columns = halves(&mut out.a, nv, 2 * nv).chain(halves(&mut out.b, nv, nu));
        for (from, (to, _)) in moved.as_slice().chunks_exact(nv).zip(columns) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = h * from);
        }
        for (from, (to, _)) in out.step_dq.as_slice().chunks_exact(nv).zip(halves(&mut out.a, nv, nv)) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
        Ok(())
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
        let (h, nv, nu) = (on.at.dt, on.model.nv(), on.u.len());
        let j = std::mem::take(&mut out.step_dv);
        let known = self.0.bend(on, weights, Some(&j), out);
        out.step_dv = j;
        // Second derivatives of q ⊕ h v⁺, with v⁺ as a function of (q, v, u): its rows of [A B].
        let Quadratic { a, b, curvature, .. } = out;
        let row = |k: usize, z: usize| match (k < nv, z < 2 * nv) {
            (true, _) => f64::from(k == z),
            (false, true) => h * a[(k, z)],
            (false, false) => h * b[(k, z - 2 * nv)],
        };
        let Memory { w, bent, .. } = Memory::of(on.own)?;
        self.0.retraction.bend(bent, w, &weights.next[..nv], |i, j, x| {
            if x == 0.0 {
                return;
            }
            for to in 0..2 * nv + nu {
                let x = x * row(j, to);
                if x == 0.0 {
                    continue;
                }
                if to < 2 * nv {
                    (0..2 * nv).for_each(|from| curvature.xx[(from, to)] += x * row(i, from));
                } else {
                    (0..2 * nv).for_each(|from| curvature.xu[(from, to - 2 * nv)] += x * row(i, from));
                    (0..nu).for_each(|from| curvature.uu[(from, to - 2 * nv)] += x * row(i, 2 * nv + from));
                }
            }
        })?;
        known
    }
    fn has_length(&self) -> bool {
        true
    }
    fn by_length(
        &self,
        on: &mut StepView<'_>,
        _by: &Sensitivities,
        out: &Quadratic,
        to: &mut [f64],
    ) -> Result<(), Reason> {
        // v⁺ + h a = v + 2 h a is what h v⁺ grows by.
        let (h, nv) = (on.at.dt, on.model.nv());
        let (q, v) = to.split_at_mut(nv);
        v.iter_mut().zip(on.v).zip(on.a.iter()).for_each(|((to, v), a)| *to = v + 2.0 * h * a);
        times(&out.step_dv, v, q);
        v.copy_from_slice(on.a);
        Ok(())
    }
    fn curvature_by_length(
        &self,
        on: &mut StepView<'_>,
        by: &Sensitivities,
        weights: StepWeights<'_>,
        out: &Quadratic,
        to: &mut [f64],
    ) -> Result<bool, Reason> {
        let (h, nv, nu) = (on.at.dt, on.model.nv(), on.u.len());
        let (by_q, by_v) = weights.next.split_at(nv);
        let Memory { w, weights: mu, bent, .. } = Memory::of(on.own)?;
        transposed_times(&out.step_dv, by_q, mu);
        // λ_vᵀ h a + μᵀ (h v + h² a), with μ = Jᵀ λ_q.
        let weight = |i: usize| by_v[i] + 2.0 * h * mu[i];
        let dot = |m: &DMatrix<f64>, j: usize| (0..nv).map(|i| weight(i) * m[(i, j)]).sum::<f64>();
        for j in 0..nv {
            to[j] = dot(&by.a_q, j);
            to[nv + j] = dot(&by.a_v, j) + mu[j];
        }
        for j in 0..nu {
            to[2 * nv + j] = dot(&by.a_u, j);
        }
        to[2 * nv + nu] = 2.0 * mu.iter().zip(on.a.iter()).map(|(mu, a)| mu * a).sum::<f64>();
        // And the bend of q ⊕ w, with w = h v⁺.
        let grows = |k: usize| on.v[k] + 2.0 * h * on.a[k];
        let Quadratic { a, b, .. } = out;
        let row = |k: usize, z: usize| match (k < nv, z < 2 * nv, z < 2 * nv + nu) {
            (true, ..) => f64::from(k == z),
            (false, true, _) => h * a[(k, z)],
            (false, false, true) => h * b[(k, z - 2 * nv)],
            _ => grows(k - nv),
        };
        self.0.retraction.bend(bent, w, by_q, |i, j, x| {
            if j >= nv && x != 0.0 {
                let x = x * grows(j - nv);
                for (z, to) in to.iter_mut().enumerate() {
                    let own = if i < nv && z == 2 * nv + nu { 0.0 } else { row(i, z) };
                    *to += x * own;
                }
            }
        })?;
        Ok(true)
    }
}

impl<A: Acceleration> Step for Euler<A> {
    fn controls(&self) -> usize {
        self.0.acceleration.controls()
    }
    fn multipliers(&self) -> usize {
        self.0.acceleration.multipliers()
    }
    fn contacts(&self) -> &[ContactRows] {
        self.0.acceleration.contacts()
    }
    fn check(&self, model: &Model, place: &str) -> Result<(), ProblemError> {
        self.0.acceleration.check(model, place)
    }
    fn memory(&self, model: &Model) -> Box<dyn Any + Send> {
        Box::new(Memory::new(model, &self.0, model.nv(), 0))
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
        let memory = Memory::of(on.own)?;
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
        if weights.are_zero() {
            return Ok(true);
        }
        let (h, nv) = (on.at.dt, on.model.nv());
        let known = self.0.bend(on, weights, None, out)?;
        // Second derivatives of q ⊕ h v.
        let size = |k: usize| if k < nv { 1.0 } else { h };
        let (Memory { w, bent, .. }, xx) = (Memory::of(on.own)?, &mut out.curvature.xx);
        self.0.retraction.bend(bent, w, &weights.next[..nv], |i, j, x| xx[(i, j)] += size(i) * size(j) * x)?;
        Ok(known)
    }
    fn has_length(&self) -> bool {
        true
    }
    fn by_length(
        &self,
        on: &mut StepView<'_>,
        _by: &Sensitivities,
        _out: &Quadratic,
        to: &mut [f64],
    ) -> Result<(), Reason> {
        let (q, v) = to.split_at_mut(on.model.nv());
        times(&Memory::of(on.own)?.dv, on.v, q);
        v.copy_from_slice(on.a);
        Ok(())
    }
    fn curvature_by_length(
        &self,
        on: &mut StepView<'_>,
        by: &Sensitivities,
        weights: StepWeights<'_>,
        _out: &Quadratic,
        to: &mut [f64],
    ) -> Result<bool, Reason> {
        let (h, nv, nu) = (on.at.dt, on.model.nv(), on.u.len());
        let (by_q, by_v) = weights.next.split_at(nv);
        let Memory { w, weights: mu, dv, bent, .. } = Memory::of(on.own)?;
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
        self.0.retraction.bend(bent, w, by_q, |i, j, x| {
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
