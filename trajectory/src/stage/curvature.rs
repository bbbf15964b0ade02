//! What Gauss-Newton leaves out of a stage's Lagrangian: second derivatives of residuals, of constraints and of the step.
//!
//! With `z = (q, v, u)`, `y = (a, f)` and `D = ∂y/∂z` of the step, a residual r with multipliers λ adds
//!
//! ```text
//! ∂²(λᵀ r) = S_zz + S_zy D + Dᵀ S_yz + Dᵀ S_yy D + Σ g_i ∂²y_i ,    S = Σ λ_i ∂²r_i ,   g = (∂r/∂y)ᵀ λ
//! ```
//!
//! The weights g of all residuals go, with the multipliers of the next state, into one contraction of the step.

use super::{Held, Stage, StageMemory, Term, TermMemory, view};
use crate::fault::{Reason, finite};
use crate::node::{At, NodeError};
use crate::quadratic::{Curvature, Multipliers, Quadratic};
use crate::residual::{Jacobian, Residual, View};
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
    /// `Σ g`.
    by_a: Vec<f64>,
    by_f: Vec<f64>,
}

impl CurvatureMemory {
    fn new(step: &Sensitivities) -> Self {
        let (nv, nu, rows) = (step.a_q.nrows(), step.a_u.ncols(), step.f_q.nrows());
        let (z, y) = (2 * nv + nu, nv + rows);
        Self {
            empty: true,
            sum: DMatrix::zeros(z + y, z + y),
            d: DMatrix::zeros(y, z),
            product: DMatrix::zeros(y, z),
            by_a: vec![0.0; nv],
            by_f: vec![0.0; rows],
        }
    }

    /// Adds a residual; does `S` see what the step makes?
    fn add(
        &mut self,
        residual: &dyn Residual,
        on: &mut View<'_>,
        by: &Jacobian,
        lambda: &[f64],
    ) -> Result<bool, Reason> {
        if lambda.iter().all(|x| *x == 0.0) {
            return Ok(false);
        }
        let bends = residual.has_hessian() && !residual.is_linear();
        if bends {
            residual.add_hessian(on, lambda, &mut self.sum)?;
            self.empty = false;
        }
        for (to, by) in [(&mut self.by_a, &by.da), (&mut self.by_f, &by.df)] {
            for (to, column) in to.iter_mut().zip(by.column_iter()) {
                *to += column.iter().zip(lambda).map(|(j, l)| j * l).sum::<f64>();
            }
        }
        let depends = residual.depends();
        Ok(bends && (depends.a || depends.f))
    }

    /// `S` of all residuals into the curvature of a node.
    fn add_to(&mut self, step: &Sensitivities, through: bool, out: &mut Curvature) {
        let (nv, nu) = (step.a_q.nrows(), step.a_u.ncols());
        let z = 2 * nv + nu;
        if through {
            let Self { sum, d, product, .. } = &mut *self;
            let rows = step.f_q.nrows();
            for (first, by_a, by_f) in
                [(0, &step.a_q, &step.f_q), (nv, &step.a_v, &step.f_v), (2 * nv, &step.a_u, &step.f_u)]
            {
                d.view_mut((0, first), by_a.shape()).copy_from(by_a);
                d.view_mut((nv, first), (rows, by_f.ncols())).copy_from(by_f);
            }
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
    /// Adds what is left out, after the stage has been linearized at the same place. `false` if the step does not know its part.
    pub(super) fn bend(
        &self,
        at: At<'_>,
        memory: &mut StageMemory,
        multipliers: &Multipliers,
        out: &mut Quadratic,
    ) -> Result<bool, NodeError> {
        let at = self.timed(at)?;
        out.curvature.clear();
        let mut bent = memory.curvature.take().unwrap_or_else(|| CurvatureMemory::new(&memory.by));
        if !bent.empty {
            bent.sum.as_mut_slice().fill(0.0);
            bent.empty = true;
        }
        bent.by_a.fill(0.0);
        bent.by_f.fill(0.0);
        let mut through = false;
        for (term, TermMemory { own, by, gradient, .. }) in self.terms.iter().zip(&mut memory.terms) {
            if term.weight_at(&at) == 0.0 {
                continue;
            }
            let added = bent.add(&*term.residual, &mut view!(self, at, memory, term, own), by, gradient);
            through |= added.map_err(|reason| Term::error(term, reason))?;
        }
        for (held, TermMemory { own, by, gradient, .. }) in self.held.iter().zip(&mut memory.held) {
            if !held.counts(&at) {
                continue;
            }
            held.read_multipliers(multipliers, gradient);
            let added = bent.add(&*held.residual, &mut view!(self, at, memory, held, own), by, gradient);
            through |= added.map_err(|reason| Held::error(held, reason))?;
        }
        if !bent.empty {
            finite("the second derivatives of costs and constraints", bent.sum.as_slice())?;
            bent.add_to(&memory.by, through, &mut out.curvature);
        }
        let known = match &self.step {
            None => true,
            Some(step) => {
                let (q, v, _) = self.space().split(at.x);
                let StageMemory { workspace, derivatives, step: own, a, f, by, by_length: to, integrated, .. } =
                    &mut *memory;
                let mut on =
                    StepView { model: &self.model, at, q, v, u: at.u, workspace, derivatives, own: &mut **own, a, f };
                let weights = StepWeights {
                    next: &multipliers.next.as_slice()[..2 * v.len()],
                    eq: &multipliers.eq.as_slice()[..step.equalities()],
                    a: &bent.by_a,
                    f: &bent.by_f,
                };
                let mut known = step.curvature(&mut on, by, weights, out)?;
                if let Some(clock) = &self.clock {
                    // ∂²/∂T∂z = (h/T) ∂²/∂h∂z, and of what is integrated over time the gradient by z over T.
                    let (nv, nu) = (v.len(), at.u.len());
                    let (_, _, w) = self.space().split(at.x);
                    let (duration, column) = (clock.duration(w)?, 2 * nv + clock.index);
                    let share = at.dt / duration;
                    known &= step.curvature_by_length(&mut on, by, weights, out, to)?;
                    let Curvature { xx, xu, .. } = &mut out.curvature;
                    let [by_x, by_u] = &*integrated;
                    for i in 0..2 * nv {
                        let x = share * to[i] + by_x[i] / duration;
                        xx[(i, column)] += x;
                        xx[(column, i)] += x;
                    }
                    xx[(column, column)] += share * share * to[2 * nv + nu];
                    for i in 0..nu {
                        xu[(column, i)] += share * to[2 * nv + i] + by_u[i] / duration;
                    }
                }
                known
            }
        };
        memory.curvature = Some(bent);
        Ok(known)
    }
}
