//! The semi-implicit step of Euler, `v⁺ = v + h a`, `q⁺ = q ⊕ h v⁺`.

use super::euler::{EulerMemory, Steps, halves, next_configuration, next_velocity, times, transposed_times};
use super::{
    Acceleration, ForwardDynamics, ImplicitFriction, Sensitivities, Step, StepView, StepWeights,
    forward_to_acceleration, rk4,
};
use crate::fault::{Reason, memory_of};
use crate::node::At;
use crate::quadratic::{Quadratic, Structure};
use gradyn::Model;
use nalgebra::DMatrix;
use std::any::Any;

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

impl SemiImplicitEuler<ForwardDynamics> {
    /// With damping and friction of joints that act at the velocity the step ends with: stable at any length of the
    /// step, however stiff they are. A joint of inertia m with damping d slows down by `1/(1 + h d/m)` a step. A and B
    /// are exact, and second derivatives are, but for those by the [duration of a phase](crate::Phase::free_duration).
    ///
    /// Cost: two derivatives of the dynamics a step, and a few eliminations of nv × nv.
    #[must_use]
    #[doc(alias("stiff", "implicitfast", "Coulomb friction"))]
    pub fn implicit_friction(self) -> SemiImplicitEuler<ImplicitFriction> {
        let Steps { acceleration, flat, retraction } = self.0;
        SemiImplicitEuler(Steps { acceleration: ImplicitFriction::new(acceleration), flat, retraction })
    }
}

/// Memory of the extrapolation: that of the step, and states after a whole step and after half of one.
struct Extrapolation {
    step: Box<dyn Any + Send>,
    whole: Vec<f64>,
    half: Vec<f64>,
    turn: Vec<f64>,
}

impl<A: Acceleration> SemiImplicitEuler<A> {
    /// `x(h/2, h/2) ⊕ (x(h/2, h/2) ⊖ x(h))`, Richardson's extrapolation: of order 2, and as stable as the step is,
    /// which no explicit method would be.
    fn extrapolate(&self, on: &mut StepView<'_>, next: &mut [f64]) -> Result<(), Reason> {
        let (nq, h) = (on.q.len(), on.at.dt);
        let Extrapolation { step, whole, half, turn } = memory_of(on.own)?;
        let (mut a, mut f) = (on.a.to_vec(), on.f.to_vec());
        let mut advance = |from: [&[f64]; 2], dt: f64, [a, f]: [&mut [f64]; 2], to: &mut [f64]| {
            let mut view = StepView {
                model: on.model,
                at: At { dt, ..on.at },
                q: from[0],
                v: from[1],
                u: on.u,
                workspace: &mut *on.workspace,
                derivatives: &mut *on.derivatives,
                own: &mut **step,
                a,
                f,
            };
            self.next(&mut view, to, &mut [])
        };
        advance([on.q, on.v], h, [&mut a, &mut f], whole)?;
        advance([on.q, on.v], 0.5 * h, [&mut *on.a, &mut *on.f], half)?;
        advance([&half[..nq], &half[nq..]], 0.5 * h, [&mut a, &mut f], next)?;
        on.model.difference_into(&whole[..nq], &next[..nq], turn)?;
        half.copy_from_slice(next);
        on.model.integrate_into(&half[..nq], turn, &mut next[..nq])?;
        next[nq..].iter_mut().zip(&whole[nq..]).for_each(|(v, whole)| *v = 2.0 * *v - whole);
        Ok(())
    }
}

impl<A: Acceleration> Step for SemiImplicitEuler<A> {
    forward_to_acceleration!(0.acceleration);
    fn acceleration_depends_on_dt(&self) -> bool {
        self.0.acceleration.depends_on_dt()
    }
    fn memory(&self, model: &Model) -> Box<dyn Any + Send> {
        let columns = if self.0.flat { 0 } else { 2 * model.nv() + self.controls() };
        Box::new(EulerMemory::new(model, &self.0, 0, columns))
    }
    fn reference_memory(&self, model: &Model) -> Option<Box<dyn Any + Send>> {
        if !self.0.acceleration.depends_on_dt() {
            return Some(Box::new(rk4::Rk4Memory::new(model, &self.0.acceleration)));
        }
        let x = vec![0.0; model.nq() + model.nv()];
        let (step, turn) = (self.memory(model), vec![0.0; model.nv()]);
        Some(Box::new(Extrapolation { step, whole: x.clone(), half: x, turn }))
    }
    fn reference(&self, on: &mut StepView<'_>, next: &mut [f64]) -> Result<(), Reason> {
        match self.0.acceleration.depends_on_dt() {
            true => self.extrapolate(on, next),
            false => rk4::advance(&self.0.acceleration, on, next),
        }
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
        let EulerMemory { w, rows, moved, .. } = EulerMemory::of(on.own)?;
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
        let known = self.0.add_acceleration_curvature(on, weights, Some(&j), out);
        out.step_dv = j;
        // Second derivatives of q ⊕ h v⁺: Rᵀ φ'' R, with R = ∂(δ, ε)/∂(q, v, u), whose rows of ε are h times those of
        // v⁺ in [A B].
        let Quadratic { a, b, curvature, .. } = out;
        let EulerMemory { w, retraction, along, .. } = EulerMemory::of(on.own)?;
        self.0.retraction.each(retraction, w, &weights.next[..nv], |block, second| {
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
    fn moves_by(&self) -> Option<[f64; 2]> {
        Some([0.0, 1.0])
    }
    fn has_dt_derivative(&self) -> bool {
        true
    }
    fn dt_derivative(
        &self,
        on: &mut StepView<'_>,
        by: &Sensitivities,
        out: &Quadratic,
        to: &mut [f64],
    ) -> Result<(), Reason> {
        // v⁺ + h ∂v⁺/∂h is what h v⁺ grows by, with ∂v⁺/∂h = a + h ∂a/∂h.
        let (h, nv) = (on.at.dt, on.model.nv());
        let (q, v) = to.split_at_mut(nv);
        for (i, to) in v.iter_mut().enumerate() {
            *to = on.v[i] + 2.0 * h * on.a[i] + h * h * by.a_h[i];
        }
        times(&out.step_dv, v, q);
        for (i, to) in v.iter_mut().enumerate() {
            *to = on.a[i] + h * by.a_h[i];
        }
        Ok(())
    }
    fn dt_curvature(
        &self,
        on: &mut StepView<'_>,
        by: &Sensitivities,
        weights: StepWeights<'_>,
        out: &Quadratic,
        to: &mut [f64],
    ) -> Result<bool, Reason> {
        if self.0.acceleration.depends_on_dt() {
            to.fill(0.0);
            return Ok(false);
        }
        let (h, nv, nu) = (on.at.dt, on.model.nv(), on.u.len());
        let (by_q, by_v) = weights.next.split_at(nv);
        let EulerMemory { w, weights: mu, retraction, .. } = EulerMemory::of(on.own)?;
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
        self.0.retraction.add_curvature(retraction, w, by_q, |i, j, x| {
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
