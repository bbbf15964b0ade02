//! A residual of a cost or a constraint: its Jacobian and its Hessian by `(q, v, w, u, a, f)`.

use super::NodeCheck;
use super::inputs::{Inputs, claim, dofs, joined, lambda, numbers};
use crate::fault::Reason;
use crate::node::{At, Memory};
use crate::residual::{Jacobian, Residual, ResidualPoint};
use crate::stage::Stage;
use gradyn::derivatives::check::{self, Knowledge, Options, Report};
use gradyn::derivatives::difference::Euclidean;
use gradyn::{DerivativeWorkspace, Model, Workspace};
use nalgebra::DMatrix;
use std::any::Any;
use std::ops::Range;

/// The owner of a residual.
pub(super) enum Of<'a> {
    /// A cost of the stage, by number.
    Cost(usize),
    /// A constraint.
    Constraint(Box<ConstraintTerm<'a>>),
}

/// A constraint's residual, with memory of its own.
pub(super) struct ConstraintTerm<'a> {
    residual: &'a dyn Residual,
    goal: Range<usize>,
    own: Box<dyn Any + Send>,
    workspace: Workspace,
    derivatives: DerivativeWorkspace,
}

impl<'a> Of<'a> {
    /// A constraint; `goal`: its range in the parameters.
    pub(super) fn constraint(model: &Model, residual: &'a dyn Residual, goal: Range<usize>) -> Self {
        let (workspace, derivatives) = (Workspace::new(model), DerivativeWorkspace::new(model));
        Self::Constraint(Box::new(ConstraintTerm { residual, goal, own: residual.memory(), workspace, derivatives }))
    }

    /// Runs a function with a view of the node, for given acceleration and multipliers.
    fn view<R>(
        &mut self,
        (stage, model): (&Stage, &Model),
        at: At<'_>,
        (a, f): (&[f64], &[f64]),
        memory: &mut Memory,
        run: impl FnOnce(&dyn Residual, &mut ResidualPoint<'_>) -> Result<R, Reason>,
    ) -> Result<R, Reason> {
        let held = match self {
            Self::Cost(index) => return stage.view(*index, at, (a, f), memory, run),
            Self::Constraint(held) => held,
        };
        let (q, rest) = at.x.split_at(model.nq());
        let (v, w) = rest.split_at(model.nv());
        let (time, dt, goal) = (at.time, at.dt, &at.parameters[held.goal.clone()]);
        let ConstraintTerm { residual, own, workspace, derivatives, .. } = &mut **held;
        run(
            *residual,
            &mut ResidualPoint {
                model,
                q,
                v,
                w,
                u: at.u,
                a,
                f,
                time,
                dt,
                goal,
                workspace,
                derivatives,
                own: &mut **own,
            },
        )
    }
}

impl NodeCheck<'_> {
    /// Checks a residual's Jacobian and Hessian.
    pub(super) fn term(
        &mut self,
        mut of: Of<'_>,
        residual: &dyn Residual,
        (a, f): &(Vec<f64>, Vec<f64>),
        push: &mut dyn FnMut(Report),
    ) -> Result<(), String> {
        let Self { stage, at, model, memory, .. } = self;
        let place = (*stage, *model);
        let (m, nv, nx) = (residual.rows(), model.nv(), at.x.len());
        let nw = nx - model.nq() - nv;
        let (nu, nf) = (at.u.len(), f.len());
        let sizes = [nv, nv, nw, nu, nv, nf];
        let (mut r, mut by) = (vec![0.0; m], Jacobian::new(m, residual.depends(), nv, nu, nf, nw));
        let reason = |error: Reason| error.to_string();
        let error = |error: check::CheckError| error.to_string();
        let whole = |by: &Jacobian| {
            let blocks = [&by.dq, &by.dv, &by.dw, &by.du, &by.da, &by.df];
            joined(m, &blocks.into_iter().zip(sizes).collect::<Vec<_>>())
        };
        of.view(place, *at, (a, f), memory, |residual, on| residual.jacobian(on, &mut r, &mut by)).map_err(reason)?;
        if residual.jumps(&r) {
            return Err(String::from("it is half a turn from its goal, where it jumps: its derivatives are one-sided"));
        }
        let claimed = whole(&by);
        let mut exact = Jacobian::new(m, residual.depends(), nv, nu, nf, nw);
        let run = |residual: &dyn Residual, on: &mut ResidualPoint<'_>| {
            residual.jacobian_by_duals(on, &mut vec![0.0; m], &mut exact)
        };
        let is_generic = of.view(place, *at, (a, f), memory, run).map_err(reason)?;
        let knowledge = Knowledge {
            exact: is_generic.then(|| whole(&exact).transpose().as_slice().to_vec()),
            ..Knowledge::default()
        };
        let columns = [
            dofs(model, "q"),
            dofs(model, "v"),
            numbers("w", nw),
            numbers("u", nu),
            dofs(model, "a"),
            numbers("f", nf),
        ];
        let options = Options::new("Jacobian").rows(numbers("r", m)).columns(columns.concat()).pictures(0, 0);
        let inputs = Inputs::new(model, nv + nw + nu + nv + nf);
        let point = [at.x, at.u, a, f].concat();
        let value = |x: &[f64], y: &mut [f64]| {
            let (x, rest) = x.split_at(nx);
            let (u, rest) = rest.split_at(nu);
            let (a, f) = rest.split_at(nv);
            of.view(place, At { x, u, ..*at }, (a, f), memory, |residual, on| residual.value(on, y))
        };
        let report =
            check::jacobian_with(&options, &inputs, &Euclidean(m), value, &point, &claim(&claimed), &knowledge);
        push(report.map_err(error)?);
        if !residual.has_hessian() {
            return Ok(());
        }

        // The function x ↦ Jᵀ λ along q ⊕ x_q, of plain numbers: its Jacobian is symmetric, and one differentiation is
        // enough.
        let (lambda, sizes) = (lambda(m), [nv, nv, nu, nv, nf]);
        let n = sizes.iter().sum();
        let mut hessian = DMatrix::zeros(n, n);
        of.view(place, *at, (a, f), memory, |residual, on| residual.hessian(on, &lambda, &mut hessian))
            .map_err(reason)?;
        let names = [dofs(model, "q"), dofs(model, "v"), numbers("u", nu), dofs(model, "a"), numbers("f", nf)].concat();
        let options = Options::new("Hessian").rows(names.clone()).columns(names).pictures(0, 0);
        let mut x = at.x.to_vec();
        let gradient = |d: &[f64], y: &mut [f64]| {
            let mut parts = sizes.iter().scan(d, |rest, n| {
                let (part, after) = rest.split_at(*n);
                *rest = after;
                Some(part)
            });
            let mut next = || parts.next().unwrap_or(&[]);
            let (dq, dv, du, da, df) = (next(), next(), next(), next(), next());
            let plus = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(x, d)| x + d).collect::<Vec<f64>>();
            let nq = model.nq();
            model.integrate_into(&at.x[..nq], dq, &mut x[..nq])?;
            x[nq..nq + nv].copy_from_slice(&plus(&at.x[nq..], dv));
            let (u, a, f) = (plus(at.u, du), plus(a, da), plus(f, df));
            let at = At { x: &x, u: &u, ..*at };
            of.view(place, at, (&a, &f), memory, |residual, on| residual.jacobian(on, &mut r, &mut by))?;
            let turned = model.integrate_dv(dq)?;
            let along_q = if by.dq.ncols() > 0 { &by.dq * turned } else { DMatrix::zeros(0, 0) };
            let blocks = [&along_q, &by.dv, &by.du, &by.da, &by.df];
            let whole = joined(m, &blocks.into_iter().zip(sizes).collect::<Vec<_>>());
            for (y, column) in y.iter_mut().zip(whole.column_iter()) {
                *y = column.iter().zip(&lambda).map(|(j, l)| j * l).sum();
            }
            Ok::<(), Reason>(())
        };
        let report = check::jacobian(&options, &Euclidean(n), &Euclidean(n), gradient, &vec![0.0; n], &claim(&hessian));
        push(report.map_err(error)?);
        Ok(())
    }
}
