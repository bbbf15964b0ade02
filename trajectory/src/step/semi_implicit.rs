//! The semi-implicit step of Euler, `v⁺ = v + h a`, `q⁺ = q ⊕ h v⁺`.

use super::euler::{Memory, Steps, halves, next_configuration, next_velocity, times, transposed_times};
use super::{Acceleration, ContactRows, Sensitivities, Step, StepView, StepWeights};
use crate::fault::{ProblemError, Reason};
use crate::parameter::RobotNumbers;
use crate::quadratic::{Quadratic, Structure};
use gradyn::Model;
use nalgebra::DMatrix;
use std::any::Any;
use std::sync::Arc;

/// `v⁺ = v + h a`, `q⁺ = q ⊕ h v⁺`
#[derive(Clone, Debug)]
#[doc(alias = "IntegratedActionModelEuler")]
pub struct SemiImplicitEuler<A>(Steps<A>);

impl<A: Acceleration> SemiImplicitEuler<A> {
    /// With accelerations of this model.
    pub fn new(model: &Model, acceleration: A) -> Self {
        Self(Steps::new(model, acceleration))
    }
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
    fn vary(&mut self, numbers: &Arc<RobotNumbers>) -> bool {
        self.0.acceleration.vary(numbers)
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
        // Second derivatives of q ⊕ h v⁺: Rᵀ φ'' R, with R = ∂(δ, ε)/∂(q, v, u), whose rows of ε are h times those of v⁺ in [A B].
        let Quadratic { a, b, curvature, .. } = out;
        let Memory { w, bent, along, .. } = Memory::of(on.own)?;
        self.0.retraction.each(bent, w, &weights.next[..nv], |block, second| {
            let n = block.len();
            let rows = nv + block.start..nv + block.end;
            let ends = |z: usize| {
                let (m, column) = if z < 2 * nv { (&*a, z) } else { (&*b, z - 2 * nv) };
                &m.as_slice()[column * m.nrows()..][rows.clone()]
            };
            for j in 0..2 * n {
                // φ'' R, its row j.
                for (z, to) in along.iter_mut().enumerate() {
                    *to = h * ends(z).iter().enumerate().map(|(k, x)| second[(n + k, j)] * x).sum::<f64>();
                }
                (0..n).for_each(|i| along[block.start + i] += second[(i, j)]);
                for z in 0..2 * nv + nu {
                    let by = if j >= n { h * ends(z)[j - n] } else { f64::from(z == block.start + j) };
                    if by == 0.0 {
                        continue;
                    }
                    let add = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(to, x)| *to += by * x);
                    let (states, controls) = along.split_at(2 * nv);
                    if z < 2 * nv {
                        add(curvature.xx.column_mut(z).as_mut_slice(), states);
                    } else {
                        add(curvature.xu.column_mut(z - 2 * nv).as_mut_slice(), states);
                        add(curvature.uu.column_mut(z - 2 * nv).as_mut_slice(), controls);
                    }
                }
            }
        })?;
        known
    }
    fn is_affine(&self, model: &Model) -> bool {
        self.0.acceleration.is_affine(model)
    }
    fn moves_by(&self) -> Option<[f64; 2]> {
        Some([0.0, 1.0])
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
