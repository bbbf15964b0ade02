//! The interface between a solver and a stage.

use super::{Stage, StageConstraint, StageCost, StageMemory, TermMemory, memory_of, view};
use crate::fault::finite;
use crate::gauss_newton::{self, GaussNewton};
use crate::node::{At, ConstraintRow, Memory, Node, NodeError};
use crate::quadratic::{Dims, Multipliers, Quadratic};
use crate::residual::{Depends, ResidualPoint, Weights};
use crate::step::{Sensitivities, StepView};
use gradyn::{DerivativeWorkspace, Workspace};
use nalgebra::DVector;
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

impl Node for Stage {
    fn dims(&self) -> Dims {
        let space = self.space();
        Dims { nx: space.nx(), ndx: space.ndx(), nu: self.sizes().0, n_eq: self.n_eq, n_in: self.n_in }
    }
    fn is_last(&self) -> bool {
        self.step.is_none()
    }
    fn control_bounds(&self) -> Option<(&[f64], &[f64])> {
        self.bounds.as_ref().map(|(lower, upper)| (&lower[..], &upper[..]))
    }
    fn memory(&self) -> Memory {
        let (nu, rows) = self.sizes();
        let nv = self.model.nv();
        let sizes = [nv, nu, rows, self.memory.count()];
        let of_term =
            |term: &StageCost| TermMemory::new(&*term.residual, &term.loss, self.depends(&*term.residual), sizes);
        let varied = self.varied();
        // One whose numbers vary is this memory's alone.
        let model = if varied.is_some() { Arc::new((*self.model).clone()) } else { self.model.clone() };
        let all = nu + self.carried.places.len();
        let most = self.terms.iter().map(|term| term.residual.rows()).max().unwrap_or(0);
        Box::new(StageMemory {
            model,
            varied,
            workspace: Workspace::new(&self.model),
            derivatives: DerivativeWorkspace::new(&self.model),
            step: self.step.as_ref().map_or_else(|| Box::new(()) as Box<dyn Any + Send>, |s| s.memory(&self.model)),
            reference: None,
            by: Sensitivities::new(nv, all, rows),
            a: vec![0.0; nv],
            f: vec![0.0; rows],
            terms: self.terms.iter().map(of_term).collect(),
            held: self.held.iter().map(|held| held.memory(self.depends(&*held.residual), sizes)).collect(),
            curvature: None,
            integrated: [DVector::zeros(self.space().ndx()), DVector::zeros(nu)],
            by_length: vec![0.0; if self.clock.is_some() { 2 * nv + all + 1 } else { 0 }],
            gauss_newton: GaussNewton::new(most, self.space().ndx() + nu),
        })
    }
    fn bounds(&self, at: At<'_>, lower: &mut [f64], upper: &mut [f64]) {
        self.held.iter().for_each(|held| held.write_bounds(&at, lower, upper));
    }
    fn cones(&self, at: At<'_>) -> Vec<Range<usize>> {
        self.held.iter().filter(|held| held.counts(&at)).filter_map(StageConstraint::cone).collect()
    }
    fn constraint(&self, row: ConstraintRow) -> Option<&str> {
        self.held.iter().find(|held| held.has(row)).map(|held| held.name.as_str())
    }
    fn value(&self, at: At<'_>, memory: &mut Memory, next: &mut [f64], rows: &mut [f64]) -> Result<f64, NodeError> {
        let (at, memory) = (self.timed(at)?, memory_of(memory)?);
        let (eq, ineq) = rows.split_at_mut(self.n_eq.min(rows.len()));
        self.advance(at, memory, next, eq)?;
        for (held, TermMemory { own, r, .. }) in self.held.iter().zip(&mut memory.held) {
            if !held.counts(&at) {
                held.clear_rows(eq, ineq);
                continue;
            }
            held.residual.value(&mut view!(self, at, memory, held, own), r).map_err(|reason| held.error(reason))?;
            finite("the constraint", r).map_err(|reason| held.error(reason))?;
            held.write_rows(&at, r, eq, ineq);
        }
        let mut cost = 0.0;
        for (term, TermMemory { own, r, .. }) in self.terms.iter().zip(&mut memory.terms) {
            let weight = term.weight_at(&at);
            if weight == 0.0 {
                continue;
            }
            term.residual.value(&mut view!(self, at, memory, term, own), r).map_err(|reason| term.error(reason))?;
            finite("the residual", r).map_err(|reason| term.error(reason))?;
            cost += weight * term.loss.value(r);
        }
        Ok(cost)
    }
    fn linearize(&self, at: At<'_>, memory: &mut Memory, out: &mut Quadratic) -> Result<(), NodeError> {
        let (at, memory) = (self.timed(at)?, memory_of(memory)?);
        self.differentiate(at, memory, out)?;
        for (held, TermMemory { own, r, by, .. }) in self.held.iter().zip(&mut memory.held) {
            if !held.counts(&at) {
                held.clear_rows(out.eq.as_mut_slice(), out.ineq.as_mut_slice());
                held.clear_jacobian(out);
                continue;
            }
            self.clear_carried(by);
            held.residual
                .jacobian(&mut view!(self, at, memory, held, own), r, by)
                .and_then(|()| self.add_carried(at, &memory.by, by))
                .map_err(|reason| held.error(reason))?;
            finite("the constraint", r).map_err(|reason| held.error(reason))?;
            held.write_rows(&at, r, out.eq.as_mut_slice(), out.ineq.as_mut_slice());
            held.write_jacobian(by, &memory.by, out);
        }
        out.clear_cost();
        // Where time is free, what is integrated over it comes first.
        let order: &[Option<bool>] = if self.clock.is_some() { &[Some(true), Some(false)] } else { &[None] };
        let terms = order.iter().flat_map(|only| (0..self.terms.len()).map(move |i| (only, i)));
        let mut halfway = false;
        for (only, i) in terms {
            let (term, own) = (&self.terms[i], &mut memory.terms[i]);
            if *only == Some(false) && !halfway {
                halfway = true;
                memory.integrated[0].copy_from(&out.lx);
                memory.integrated[1].copy_from(&out.lu);
                self.spend(at, out)?;
            }
            let weight = term.weight_at(&at);
            if weight == 0.0 || only.is_some_and(|only| only != term.integrated) {
                continue;
            }
            let TermMemory { own, r, gradient, diagonal, by, full, warm } = own;
            let mut on = view!(self, at, memory, term, own);
            if *warm && term.loss.is_flat_somewhere() {
                term.residual.value(&mut on, r).map_err(|reason| term.error(reason))?;
                finite("the residual", r).map_err(|reason| term.error(reason))?;
                term.loss.derivatives(r, gradient, diagonal);
                if !gauss_newton::counts(gradient, term.loss.weights(diagonal)) {
                    continue;
                }
            }
            *warm = true;
            self.clear_carried(by);
            let done = term.residual.jacobian(&mut on, r, by);
            done.and_then(|()| self.add_carried(at, &memory.by, by)).map_err(|reason| term.error(reason))?;
            finite("the residual", r).map_err(|reason| term.error(reason))?;
            out.cost += weight * term.loss.derivatives(r, gradient, diagonal);
            gradient.iter_mut().for_each(|g| *g *= weight);
            diagonal.iter_mut().for_each(|w| *w *= weight);
            let weights = match term.loss.weights(diagonal) {
                Weights::Diagonal(w) => Weights::Diagonal(w),
                Weights::Full(w) => {
                    full.iter_mut().zip(w).for_each(|(full, w)| *full = w * weight);
                    Weights::Full(full)
                }
            };
            let own = term.residual.depends();
            let depends = Depends { w: by.dw.ncols() > 0, ..own };
            let through = own.a || own.f || depends.w != own.w;
            if through || !term.residual.add_structured(by, gradient, weights, out) {
                memory.gauss_newton.add(by, depends, &memory.by, gradient, weights, out);
            }
        }
        Ok(())
    }
    fn linearize_exact(
        &self,
        at: At<'_>,
        memory: &mut Memory,
        multipliers: &Multipliers,
        out: &mut Quadratic,
    ) -> Result<bool, NodeError> {
        self.linearize(at, memory, out)?;
        self.add_curvature(at, memory_of(memory)?, multipliers, out)
    }
    fn hold(&self, at: At<'_>, memory: &mut Memory, u: &mut [f64]) -> Result<(), NodeError> {
        u.fill(0.0);
        let Some(step) = self.step.as_ref().filter(|step| step.accelerates() && step.controls() > 0) else {
            return Ok(());
        };
        let memory = memory_of(memory)?;
        let (q, v, _) = self.space().split(at.x);
        self.settle(At { u, ..at }, memory)?;
        let rest = vec![0.0; v.len()];
        let still = memory.varied.as_ref().map_or_else(|| u.to_vec(), |varied| varied.u.clone());
        // Accelerations at rest are linear in controls: a = a₀ + a_u u.
        let mut out = Quadratic::new(Dims { nu: still.len(), ..self.dims() }, false);
        let StageMemory { model, workspace, derivatives, step: own, a, f, by, .. } = memory;
        let mut on = StepView { model, at, q, v: &rest, u: &still, workspace, derivatives, own: &mut **own, a, f };
        step.linearize(&mut on, by, &mut out)?;
        let svd = by.a_u.columns(0, u.len()).into_owned().svd(true, true);
        // Below a relative 1e-9, singular values are those of directions that controls cannot move.
        let least = 1e-9 * svd.singular_values.max();
        let a0 = DVector::from_column_slice(a);
        if let Ok(x) = svd.solve(&a0, least) {
            u.iter_mut().zip(x.iter()).for_each(|(u, x)| *u = -x);
        }
        Ok(())
    }
    fn gradients(&self, at: At<'_>, memory: &mut Memory) -> Result<Vec<(String, f64)>, NodeError> {
        let mut out = Quadratic::new(self.dims(), self.is_last());
        let mut parameters = at.parameters.to_vec();
        let mut gradients = Vec::with_capacity(self.terms.len());
        // Each with its weight, and with none of the others.
        for term in &self.terms {
            for other in &self.terms {
                parameters[other.weight] = if other.weight == term.weight { at.parameters[term.weight] } else { 0.0 };
            }
            self.linearize(At { parameters: &parameters, ..at }, memory, &mut out)?;
            let largest = out.lx.iter().chain(out.lu.iter()).fold(0.0_f64, |most, x| most.max(x.abs()));
            gradients.push((term.name.clone(), largest));
        }
        Ok(gradients)
    }
    fn costs(&self, at: At<'_>, memory: &mut Memory) -> Result<Vec<(String, f64)>, NodeError> {
        let (at, dims) = (self.timed(at)?, self.dims());
        let mut next = vec![0.0; if self.is_last() { 0 } else { dims.nx }];
        let memory = memory_of(memory)?;
        self.advance(at, memory, &mut next, &mut vec![0.0; dims.n_eq])?;
        let mut costs = Vec::new();
        for (term, TermMemory { own, r, .. }) in self.terms.iter().zip(&mut memory.terms) {
            let weight = term.weight_at(&at);
            if weight > 0.0 {
                term.residual.value(&mut view!(self, at, memory, term, own), r).map_err(|reason| term.error(reason))?;
                costs.push((term.name.clone(), weight * term.loss.value(r)));
            }
        }
        Ok(costs)
    }
    fn forces(&self, at: At<'_>, memory: &mut Memory) -> Result<Vec<f64>, NodeError> {
        let (at, dims) = (self.timed(at)?, self.dims());
        let mut next = vec![0.0; if self.is_last() { 0 } else { dims.nx }];
        let memory = memory_of(memory)?;
        self.advance(at, memory, &mut next, &mut vec![0.0; dims.n_eq])?;
        Ok(memory.f.clone())
    }
}
