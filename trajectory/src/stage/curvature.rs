//! The part of a stage's Lagrangian that Gauss-Newton omits: second derivatives of residuals, of constraints and of the
//! step.
//!
//! With `z = (q, v, u)`, `y = (a, f)` and `D = ∂y/∂z` of the step, a residual r with multipliers λ adds
//!
//! ```text
//! ∂²(λᵀ r) = S_zz + S_zy D + Dᵀ S_yz + Dᵀ S_yy D + Σ g_i ∂²y_i ,    S = Σ λ_i ∂²r_i ,   g = (∂r/∂y)ᵀ λ
//! ```
//!
//! Parameters of the robot follow the controls in z, as the step treats them.
//!
//! The weights g of all residuals, with the multipliers of the next state, enter one contraction of the step.

use super::{RobotAtParameters, Stage, StageConstraint, StageCost, StageMemory, TermMemory, view};
use crate::fault::{Reason, finite};
use crate::node::{At, NodeError};
use crate::quadratic::{Curvature, Multipliers, Quadratic};
use crate::residual::{Jacobian, Residual, ResidualPoint};
use crate::step::{Sensitivities, StepView, StepWeights};
use nalgebra::DMatrix;

/// Memory of second derivatives.
#[derive(Debug)]
pub(super) struct CurvatureMemory {
    /// `S` of all residuals, and whether none has added to it.
    empty: bool,
    sum: DMatrix<f64>,
    /// D, and `S_yy D`.
    d: DMatrix<f64>,
    product: DMatrix<f64>,
    /// All by z, where there are parameters of the robot.
    whole: DMatrix<f64>,
    /// Second derivatives of a residual by the length of the step.
    by_length: Vec<f64>,
    /// `Σ g`.
    by_a: Vec<f64>,
    by_f: Vec<f64>,
}

impl CurvatureMemory {
    /// `nu`: controls, `nw`: what states have beside `(q, v)`.
    fn new(step: &Sensitivities, nu: usize, nw: usize) -> Self {
        let (nv, all, rows) = (step.a_q.nrows(), step.a_u.ncols(), step.f_q.nrows());
        let (z, y) = (2 * nv + nu, nv + rows);
        let (n, whole) = (2 * nv + all, if all > nu { 2 * nv + all } else { 0 });
        Self {
            empty: true,
            sum: DMatrix::zeros(z + y, z + y),
            d: DMatrix::zeros(y, n),
            product: DMatrix::zeros(y, n),
            whole: DMatrix::zeros(whole, whole),
            by_length: vec![0.0; nw + nu + 1],
            by_a: vec![0.0; nv],
            by_f: vec![0.0; rows],
        }
    }

    /// Adds a residual. Returns whether `S` sees what the step makes.
    fn add(
        &mut self,
        residual: &dyn Residual,
        on: &mut ResidualPoint<'_>,
        by: &Jacobian,
        lambda: &[f64],
    ) -> Result<bool, Reason> {
        if lambda.iter().all(|x| *x == 0.0) {
            return Ok(false);
        }
        let is_curved = residual.has_hessian() && !residual.is_linear();
        if is_curved {
            residual.add_hessian(on, lambda, &mut self.sum)?;
            self.empty = false;
        }
        for (to, by) in [(&mut self.by_a, &by.da), (&mut self.by_f, &by.df)] {
            for (to, column) in to.iter_mut().zip(by.column_iter()) {
                *to += column.iter().zip(lambda).map(|(j, l)| j * l).sum::<f64>();
            }
        }
        let depends = residual.depends();
        Ok(is_curved && (depends.a || depends.f))
    }

    /// `S` of all residuals into the curvature of a node whose robot varies.
    fn add_whole(&mut self, stage: &Stage, step: &Sensitivities, through: bool, out: &mut Curvature) {
        let z = self.sum.nrows() - self.d.nrows();
        if !through {
            return stage.spread(z, |i, j| self.sum[(i, j)], out);
        }
        self.write_d(step);
        let Self { sum, d, product, whole, .. } = &mut *self;
        let y = d.nrows();
        product.gemm(1.0, &sum.view((z, z), (y, y)), d, 0.0);
        whole.gemm_tr(1.0, d, product, 0.0);
        for j in 0..z {
            (0..z).for_each(|i| whole[(i, j)] += sum[(i, j)]);
        }
        // S_zy D, and its transpose.
        for (k, column) in d.column_iter().enumerate() {
            for i in 0..z {
                let x = column.iter().enumerate().map(|(l, d)| sum[(i, z + l)] * d).sum::<f64>();
                whole[(i, k)] += x;
                whole[(k, i)] += x;
            }
        }
        stage.spread(whole.nrows(), |i, j| whole[(i, j)], out);
    }

    fn write_d(&mut self, step: &Sensitivities) {
        let (nv, rows) = (step.a_q.nrows(), step.f_q.nrows());
        for (first, by_a, by_f) in
            [(0, &step.a_q, &step.f_q), (nv, &step.a_v, &step.f_v), (2 * nv, &step.a_u, &step.f_u)]
        {
            self.d.view_mut((0, first), by_a.shape()).copy_from(by_a);
            self.d.view_mut((nv, first), (rows, by_f.ncols())).copy_from(by_f);
        }
    }

    /// `S` of all residuals into the curvature of a node.
    fn add_to(&mut self, step: &Sensitivities, through: bool, out: &mut Curvature) {
        let (nv, nu) = (step.a_q.nrows(), step.a_u.ncols());
        let z = 2 * nv + nu;
        if through {
            self.write_d(step);
            let Self { sum, d, product, .. } = &mut *self;
            let (mut zz, rest) = sum.columns_range_pair_mut(0..z, z..);
            let mut zz = zz.rows_mut(0, z);
            let (zy, yy) = (rest.rows(0, z), rest.rows(z, rest.nrows() - z));
            product.gemm(1.0, &yy, d, 0.0);
            zz.gemm_tr(1.0, d, product, 1.0);
            zz.gemm(1.0, &zy, d, 1.0);
            zz.gemm_tr(1.0, d, &zy.transpose(), 1.0);
        }
        let zz = |i: usize, j: usize| self.sum[(i, j)];
        for j in 0..2 * nv {
            (0..2 * nv).for_each(|i| out.xx[(i, j)] += zz(i, j));
        }
        for j in 0..nu {
            (0..2 * nv).for_each(|i| out.xu[(i, j)] += zz(i, 2 * nv + j));
            (0..nu).for_each(|i| out.uu[(i, j)] += zz(2 * nv + i, 2 * nv + j));
        }
    }
}

impl Stage {
    /// Adds what is left out, after the stage has been linearized at the same place. `false` if the step does not know
    /// its part.
    pub(super) fn add_curvature(
        &self,
        at: At<'_>,
        memory: &mut StageMemory,
        multipliers: &Multipliers,
        out: &mut Quadratic,
    ) -> Result<bool, NodeError> {
        let at = self.timed(at)?;
        out.curvature.clear();
        let mut curvature =
            memory.curvature.take().unwrap_or_else(|| CurvatureMemory::new(&memory.by, self.nu, self.memory.count()));
        if !curvature.empty {
            curvature.sum.as_mut_slice().fill(0.0);
            curvature.empty = true;
        }
        curvature.by_a.fill(0.0);
        curvature.by_f.fill(0.0);
        let mut through = false;
        for (term, TermMemory { own, by, gradient, .. }) in self.terms.iter().zip(&mut memory.terms) {
            if term.weight_at(&at) == 0.0 {
                continue;
            }
            let added = curvature.add(&*term.residual, &mut view!(self, at, memory, term, own), by, gradient);
            through |= added.map_err(|reason| StageCost::error(term, reason))?;
        }
        for (held, TermMemory { own, by, gradient, .. }) in self.held.iter().zip(&mut memory.held) {
            if !held.counts(&at) {
                continue;
            }
            held.read_multipliers(multipliers, gradient);
            let added = curvature.add(&*held.residual, &mut view!(self, at, memory, held, own), by, gradient);
            through |= added.map_err(|reason| StageConstraint::error(held, reason))?;
        }
        if !curvature.empty {
            finite("the second derivatives of costs and constraints", curvature.sum.as_slice())?;
            if curvature.whole.is_empty() {
                curvature.add_to(&memory.by, through, &mut out.curvature);
            } else {
                curvature.add_whole(self, &memory.by, through, &mut out.curvature);
            }
        }
        let rates_known = self.add_duration_curvature(at, memory, &mut curvature, multipliers, out)?;
        let known = match &self.step {
            None => rates_known,
            Some(step) => {
                let (q, v, _) = self.space().split(at.x);
                let StageMemory {
                    model,
                    varied,
                    workspace,
                    derivatives,
                    step: own,
                    a,
                    f,
                    by,
                    by_length,
                    integrated,
                    ..
                } = &mut *memory;
                let (u, mut inner) = match varied.as_deref_mut() {
                    None => (at.u, None),
                    Some(RobotAtParameters { u, inner }) => (&u[..], Some(inner)),
                };
                let mut on = StepView { model, at, q, v, u, workspace, derivatives, own: &mut **own, a, f };
                let weights = StepWeights {
                    next: &multipliers.next.as_slice()[..2 * v.len()],
                    eq: &multipliers.eq.as_slice()[..step.equalities()],
                    a: &curvature.by_a,
                    f: &curvature.by_f,
                };
                let mut known = match inner.as_deref_mut() {
                    None => weights.are_zero() || step.curvature(&mut on, by, weights, out)?,
                    Some(inner) => {
                        inner.curvature.clear();
                        let known = weights.are_zero() || step.curvature(&mut on, by, weights, inner)?;
                        self.spread_step(&inner.curvature, &mut out.curvature);
                        known
                    }
                };
                if let Some(clock) = &self.clock {
                    // ∂²/∂T∂z = (h/T) ∂²/∂h∂z, and of what is integrated over time the gradient by z over T.
                    let (n, nu) = (2 * v.len(), self.nu);
                    let (duration, column) = (clock.duration(self.space().split(at.x).2)?, n + clock.index);
                    let share = at.dt / duration;
                    let made = inner.as_deref().unwrap_or(out);
                    known &= step.dt_curvature(&mut on, by, weights, made, by_length)?;
                    let Curvature { xx, xu, .. } = &mut out.curvature;
                    let [by_x, by_u] = &*integrated;
                    let (of_state, rest) = by_length.split_at(n);
                    let (of_controls, rest) = rest.split_at(nu);
                    let (of_parameters, of_length) = rest.split_at(self.carried.places.len());
                    let places = self.carried.places.iter().map(|place| n + place);
                    for (i, x) in (0..n).zip(of_state).chain(places.zip(of_parameters)) {
                        xx[(i, column)] += share * x;
                        xx[(column, i)] += share * x;
                    }
                    xx[(column, column)] += share * share * of_length[0];
                    // Along the diagonal both count.
                    for (i, x) in by_x.iter().enumerate() {
                        xx[(i, column)] += x / duration;
                        xx[(column, i)] += x / duration;
                    }
                    for i in 0..nu {
                        xu[(column, i)] += share * of_controls[i] + by_u[i] / duration;
                    }
                }
                known
            }
        };
        memory.curvature = Some(curvature);
        Ok(known && rates_known)
    }

    /// Second derivatives, by the duration of the phase, of residuals that see the length of the step. `false` if one
    /// does not know them.
    fn add_duration_curvature(
        &self,
        at: At<'_>,
        memory: &mut StageMemory,
        curvature: &mut CurvatureMemory,
        multipliers: &Multipliers,
        out: &mut Quadratic,
    ) -> Result<bool, NodeError> {
        let Some(clock) = &self.clock else { return Ok(true) };
        let (n, nu, nw) = (2 * self.model.nv(), self.nu, self.memory.count());
        let (share, column) = (at.dt / clock.duration(self.space().split(at.x).2)?, n + clock.index);
        let mut known = true;
        let Curvature { xx, xu, .. } = &mut out.curvature;
        let mut add = |to: &[f64]| {
            for i in 0..nw {
                xx[(n + i, column)] += share * to[i];
                xx[(column, n + i)] += share * to[i];
            }
            (0..nu).for_each(|i| xu[(column, i)] += share * to[nw + i]);
            xx[(column, column)] += share * share * to[nw + nu];
        };
        for (term, TermMemory { own, gradient, .. }) in self.terms.iter().zip(&mut memory.terms) {
            if term.weight_at(&at) == 0.0 || !term.residual.depends().h {
                continue;
            }
            let mut on = view!(self, at, memory, term, own);
            let done = term.residual.length_hessian(&mut on, gradient, &mut curvature.by_length);
            known &= done.map_err(|reason| StageCost::error(term, reason))?;
            add(&curvature.by_length);
        }
        for (held, TermMemory { own, gradient, .. }) in self.held.iter().zip(&mut memory.held) {
            if !held.counts(&at) || !held.residual.depends().h {
                continue;
            }
            held.read_multipliers(multipliers, gradient);
            let mut on = view!(self, at, memory, held, own);
            let done = held.residual.length_hessian(&mut on, gradient, &mut curvature.by_length);
            known &= done.map_err(|reason| StageConstraint::error(held, reason))?;
            add(&curvature.by_length);
        }
        Ok(known)
    }
}
