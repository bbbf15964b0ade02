//! The implicit midpoint rule.
//!
//! With `w = (v + v⁺)/2`, the velocity in the middle of the step:
//!
//! ```text
//! q_m = q ⊕ (h/2) w ,   w = v + (h/2) a(q_m, w, u) ,   v⁺ = 2 w − v ,   q⁺ = q ⊕ h w
//! ```
//!
//! `w` is found by Newton's method, `N δw = −(w − v − (h/2) a)` with `J = J_r((h/2) w)` and
//!
//! ```text
//! N = 1 − (h/2) (a_q (h/2) J + a_v)
//! ```
//!
//! and A and B by the same matrix: `N δw = δv + (h/2) (a_q D δq + a_u δu)`, `D = ∂(q ⊕ (h/2) w)/∂q`.
//!
//! Second derivatives come from the adjoint of these equations, with weights `λ` of the next state and `g` of `a` and
//! of multipliers `f`:
//!
//! ```text
//! Nᵀ μ = 2 λ_v + h J_r(h w)ᵀ λ_q + (a_v + (h/2) a_q J)ᵀ g_a + (f_v + (h/2) f_q J)ᵀ g_f
//! ∂² = Zᵀ ∂²((g_a + (h/2) μ)ᵀ a + g_fᵀ f) Z  +  what q_m and q⁺ bend by (chart)                    Z = ∂(q_m, w, u)/∂(q, v, u)
//! ```
//!
//! The rule has order 2 and is symmetric in time. It is symplectic if the mass matrix is constant. For every robot it
//! preserves quadratic functions of velocities that the motion preserves: energy and magnitude of the angular momentum
//! of a free body. Source: E. Hairer, C. Lubich and G. Wanner, *Geometric Numerical Integration*, 2006, theorem IV.2.1.

use super::acceleration::EngineMemory;
use super::chart::Chart;
use super::{
    Acceleration, Sensitivities, Step, StepView, StepWeights, add_symmetric, elimination, forward_to_acceleration, rk4,
};
use crate::dense::Congruence;
use crate::fault::{Reason, memory_of};
use crate::quadratic::{Quadratic, Structure};
use gradyn::Model;
use nalgebra::DMatrix;
use std::any::Any;

/// Newton's method takes 3 to 5 iterations where it converges: it doubles digits each time.
const MOST_ITERATIONS: usize = 20;
/// Corrections this small, relative to velocities, are taken for rounding once they no longer shrink: accelerations
/// lose up to as many digits as the mass matrix is ill-conditioned.
const ROUNDING: f64 = 1e-9;
const SINGULAR: Reason = Reason::SingularStep { of: "the midpoint", too_long: true };

/// The implicit midpoint rule, order 2; controls are constant over the step. Cost: as many derivatives of accelerations
/// as Newton's method takes, some four. Costs see acceleration and multipliers in the middle of the step.
#[derive(Clone, Debug)]
pub struct ImplicitMidpoint<A> {
    acceleration: A,
}

impl<A: Acceleration> ImplicitMidpoint<A> {
    /// With accelerations of this kind.
    pub fn new(acceleration: A) -> Self {
        Self { acceleration }
    }
}

/// Memory of a step.
struct MidpointMemory {
    engine: EngineMemory,
    /// `w`, and steps that are made of it.
    w: Vec<f64>,
    step: Vec<f64>,
    /// `q_m`
    q: Vec<f64>,
    /// At the middle.
    by: Sensitivities,
    /// `(h/2) J`, then `h J_r(h w)`.
    moved: DMatrix<f64>,
    /// `D`, then `∂(q ⊕ h w)/∂q`.
    carried: DMatrix<f64>,
    newton: DMatrix<f64>,
    correction: DMatrix<f64>,
    /// `δw` and `δq_m` by all columns; made when first needed.
    columns: Option<[DMatrix<f64>; 2]>,
    /// For second derivatives; made when first needed.
    second: Option<Box<Second>>,
}

/// Memory of second derivatives.
struct Second {
    chart: Chart,
    products: Congruence,
    hessian: DMatrix<f64>,
    /// Z
    moved: DMatrix<f64>,
    /// Of joints that turn, then of all.
    sum: DMatrix<f64>,
    all: DMatrix<f64>,
    /// Weights of `a`, of `q_m`, and of steps.
    by_a: Vec<f64>,
    by_q: Vec<f64>,
    by_step: Vec<f64>,
}

impl Second {
    fn new(model: &Model, nu: usize) -> Self {
        let nv = model.nv();
        let n = 2 * nv + nu;
        let (whole, zeros) = (|| DMatrix::zeros(n, n), || vec![0.0; nv]);
        let mut moved = whole();
        moved.view_mut((2 * nv, 2 * nv), (nu, nu)).fill_with_identity();
        let (chart, products) = (Chart::new(model), Congruence::new(n));
        let (hessian, sum, all) = (whole(), whole(), whole());
        Self { chart, products, hessian, moved, sum, all, by_a: zeros(), by_q: zeros(), by_step: zeros() }
    }
}

/// `to += mᵀ x`
fn add_transposed(m: &DMatrix<f64>, x: &[f64], to: &mut [f64]) {
    for (to, column) in to.iter_mut().zip(m.column_iter()) {
        *to += column.iter().zip(x).map(|(m, x)| m * x).sum::<f64>();
    }
}

impl MidpointMemory {
    fn of(own: &mut dyn Any) -> Result<&mut Self, Reason> {
        memory_of(own)
    }
    /// `step = s w`
    fn scale(&mut self, s: f64) {
        self.step.iter_mut().zip(&self.w).for_each(|(step, w)| *step = s * w);
    }
    /// `∂(q ⊕ s w)/∂q` and `s J_r(s w)`.
    fn differentiate(&mut self, model: &Model, s: f64) -> Result<(), Reason> {
        self.scale(s);
        model.integrate_derivatives_into(&self.step, &mut self.carried, &mut self.moved)?;
        self.moved *= s;
        Ok(())
    }
    /// `N`
    fn newton(&mut self, h: f64) {
        let n = self.newton.nrows();
        self.newton.copy_from(&self.by.a_v);
        self.newton.gemm(1.0, &self.by.a_q, &self.moved, 1.0);
        self.newton *= -0.5 * h;
        for i in 0..n {
            self.newton[(i, i)] += 1.0;
        }
    }
}

impl<A: Acceleration> ImplicitMidpoint<A> {
    /// `w`, `q_m`, and what belongs to them; acceleration and multipliers into the view.
    fn solve(&self, on: &mut StepView<'_>) -> Result<(), Reason> {
        let h = on.at.dt;
        let memory = MidpointMemory::of(on.own)?;
        memory.w.copy_from_slice(on.v);
        let mut before = f64::INFINITY;
        for _ in 0..MOST_ITERATIONS {
            memory.scale(0.5 * h);
            on.model.integrate_into(on.q, &memory.step, &mut memory.q)?;
            let MidpointMemory { engine, w, q, by, .. } = &mut *memory;
            let mut engine = engine.engine(on.model, on.workspace, on.derivatives, [on.at.time + 0.5 * h, h]);
            self.acceleration.derivatives(&mut engine, [q, w, on.u], on.a, on.f, by)?;
            memory.differentiate(on.model, 0.5 * h)?;
            memory.newton(h);
            let mut scale = f64::MIN_POSITIVE;
            for (i, (w, v)) in memory.w.iter().zip(on.v).enumerate() {
                let change = 0.5 * h * on.a[i];
                scale = scale.max(w.abs()).max(change.abs());
                memory.correction[(i, 0)] = -(w - v - change);
            }
            elimination::solve(&mut memory.newton, &mut memory.correction).ok_or(SINGULAR)?;
            let size = memory.correction.amax();
            if size <= 4.0 * f64::EPSILON * scale || (size <= ROUNDING * scale && size >= 0.25 * before) {
                return Ok(());
            }
            memory.w.iter_mut().zip(memory.correction.iter()).for_each(|(w, d)| *w += d);
            before = size;
        }
        Err(Reason::MidpointNotSolved { iterations: MOST_ITERATIONS, correction: before, dt: h })
    }

    fn finish(on: &mut StepView<'_>, next: &mut [f64]) -> Result<(), Reason> {
        let memory = MidpointMemory::of(on.own)?;
        memory.scale(on.at.dt);
        let (q, v) = next.split_at_mut(on.q.len());
        on.model.integrate_into(on.q, &memory.step, q)?;
        for ((next, w), v) in v.iter_mut().zip(&memory.w).zip(on.v) {
            *next = 2.0 * w - v;
        }
        Ok(())
    }
}

impl<A: Acceleration> Step for ImplicitMidpoint<A> {
    forward_to_acceleration!(acceleration);
    fn moves_by(&self) -> Option<[f64; 2]> {
        Some([0.5, 0.5])
    }
    fn memory(&self, model: &Model) -> Box<dyn Any + Send> {
        let nv = model.nv();
        let square = || DMatrix::zeros(nv, nv);
        Box::new(MidpointMemory {
            engine: EngineMemory::new(model, &self.acceleration),
            w: vec![0.0; nv],
            step: vec![0.0; nv],
            q: vec![0.0; model.nq()],
            by: Sensitivities::new(nv, self.controls(), self.multipliers()),
            moved: square(),
            carried: square(),
            newton: square(),
            correction: DMatrix::zeros(nv, 1),
            columns: None,
            second: None,
        })
    }
    fn order(&self) -> u32 {
        2
    }
    fn reference_memory(&self, model: &Model) -> Option<Box<dyn Any + Send>> {
        Some(Box::new(rk4::Rk4Memory::new(model, &self.acceleration)))
    }
    fn reference(&self, on: &mut StepView<'_>, next: &mut [f64]) -> Result<(), Reason> {
        rk4::advance(&self.acceleration, on, next)
    }
    fn next(&self, on: &mut StepView<'_>, next: &mut [f64], _eq: &mut [f64]) -> Result<(), Reason> {
        self.solve(on)?;
        Self::finish(on, next)
    }
    fn linearize(&self, on: &mut StepView<'_>, by: &mut Sensitivities, out: &mut Quadratic) -> Result<(), Reason> {
        self.solve(on)?;
        let nx = on.q.len() + on.v.len();
        Self::finish(on, &mut out.next[..nx])?;
        let (h, nv, nu) = (on.at.dt, on.model.nv(), on.u.len());
        let memory = MidpointMemory::of(on.own)?;
        memory.differentiate(on.model, 0.5 * h)?;
        memory.newton(h);
        let (columns, n) = (memory.columns.take(), 2 * nv + nu);
        let [mut dw, mut dq] = columns.unwrap_or_else(|| [DMatrix::zeros(nv, n), DMatrix::zeros(nv, n)]);
        let at_middle = &memory.by;
        dw.columns_mut(0, nv).gemm(0.5 * h, &at_middle.a_q, &memory.carried, 0.0);
        dw.columns_mut(nv, nv).fill_with_identity();
        dw.columns_mut(2 * nv, nu).zip_apply(&at_middle.a_u, |x, a| *x = 0.5 * h * a);
        elimination::solve(&mut memory.newton, &mut dw).ok_or(SINGULAR)?;
        // δq_m = D δq + (h/2) J δw
        dq.gemm(1.0, &memory.moved, &dw, 0.0);
        dq.columns_mut(0, nv).zip_apply(&memory.carried, |x, d| *x += d);
        let at_middle = &memory.by;
        let parts = [(0, nv, &mut by.a_q, &mut by.f_q), (nv, nv, &mut by.a_v, &mut by.f_v)];
        for (first, count, a, f) in parts.into_iter().chain([(2 * nv, nu, &mut by.a_u, &mut by.f_u)]) {
            let (dq, dw) = (dq.columns(first, count), dw.columns(first, count));
            a.gemm(1.0, &at_middle.a_q, &dq, 0.0);
            a.gemm(1.0, &at_middle.a_v, &dw, 1.0);
            f.gemm(1.0, &at_middle.f_q, &dq, 0.0);
            f.gemm(1.0, &at_middle.f_v, &dw, 1.0);
        }
        by.a_u += &at_middle.a_u;
        by.f_u += &at_middle.f_u;
        // δv⁺ = 2 δw − δv ,   δq⁺ = ∂(q ⊕ h w)/∂q δq + h J_r(h w) δw
        memory.differentiate(on.model, h)?;
        dq.gemm(1.0, &memory.moved, &dw, 0.0);
        dq.columns_mut(0, nv).zip_apply(&memory.carried, |x, d| *x += d);
        out.a.view_mut((0, 0), (nv, 2 * nv)).copy_from(&dq.columns(0, 2 * nv));
        out.b.view_mut((0, 0), (nv, nu)).copy_from(&dq.columns(2 * nv, nu));
        out.a.view_mut((nv, 0), (nv, 2 * nv)).zip_apply(&dw.columns(0, 2 * nv), |to, w| *to = 2.0 * w);
        out.b.view_mut((nv, 0), (nv, nu)).zip_apply(&dw.columns(2 * nv, nu), |to, w| *to = 2.0 * w);
        for i in nv..2 * nv {
            out.a[(i, i)] -= 1.0;
        }
        out.structure = Structure::Dense;
        memory.columns = Some([dw, dq]);
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
        let (by_q, by_v) = weights.next.split_at(nv);
        let memory = MidpointMemory::of(on.own)?;
        let (Some(columns), second) = (memory.columns.take(), memory.second.take()) else { return Ok(false) };
        let mut second = second.unwrap_or_else(|| Box::new(Second::new(on.model, on.u.len())));
        let Second { chart, products, hessian, moved, sum, all, by_a, by_q: by_middle, by_step } = &mut *second;
        let [dw, _] = &columns;
        sum.fill(0.0);
        memory.scale(h);
        chart.add_place((&memory.step, by_q), (h, dw), sum)?;
        chart.pull(&memory.step, by_q, by_step)?;
        for (i, to) in memory.correction.iter_mut().enumerate() {
            *to = 2.0 * by_v[i] + h * by_step[i];
        }
        // What is weighted at the middle moves with w, and by its place.
        by_middle.fill(0.0);
        add_transposed(&memory.by.a_q, weights.a, by_middle);
        add_transposed(&memory.by.f_q, weights.f, by_middle);
        memory.scale(0.5 * h);
        chart.pull(&memory.step, by_middle, by_step)?;
        by_step.iter_mut().for_each(|x| *x *= 0.5 * h);
        add_transposed(&memory.by.a_v, weights.a, by_step);
        add_transposed(&memory.by.f_v, weights.f, by_step);
        memory.correction.iter_mut().zip(&*by_step).for_each(|(to, x)| *to += x);
        memory.differentiate(on.model, 0.5 * h)?;
        memory.newton(h);
        memory.newton.transpose_mut();
        elimination::solve(&mut memory.newton, &mut memory.correction).ok_or(SINGULAR)?;
        for ((to, own), mu) in by_a.iter_mut().zip(weights.a).zip(memory.correction.iter()) {
            *to = own + 0.5 * h * mu;
        }
        by_middle.fill(0.0);
        add_transposed(&memory.by.a_q, by_a, by_middle);
        add_transposed(&memory.by.f_q, weights.f, by_middle);
        chart.add_place((&memory.step, by_middle), (0.5 * h, dw), sum)?;
        let MidpointMemory { engine, w, q, moved: by_w, carried, .. } = &mut *memory;
        let mut engine = engine.engine(on.model, on.workspace, on.derivatives, [on.at.time + 0.5 * h, h]);
        let known = self.acceleration.hessian(&mut engine, [q, w, on.u], [by_a, weights.f], hessian)?;
        if known {
            // δq_m = D δq + (h/2) J δw
            for (mut to, from) in moved.column_iter_mut().zip(dw.column_iter()) {
                to.rows_mut(0, nv).gemv(1.0, by_w, &from, 0.0);
                to.rows_mut(nv, nv).copy_from(&from);
            }
            moved.view_mut((0, 0), (nv, nv)).zip_apply(carried, |x, d| *x += d);
            products.clear();
            products.add(moved, hessian);
            products.write(all);
            *sum += &*all;
            add_symmetric(1.0, sum, nv, &mut out.curvature);
        }
        (memory.columns, memory.second) = (Some(columns), Some(second));
        Ok(known)
    }
}
