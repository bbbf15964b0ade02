//! A node as solvers see it: Jacobians of its constraints by state and controls, and second derivatives of its
//! Lagrangian.

use super::NodeCheck;
use super::inputs::{Inputs, claim, dofs, joined, lambda, numbers};
use crate::fault::Reason;
use crate::node::{At, ConstraintRow, Node, NodeError};
use crate::quadratic::{Multipliers, Quadratic};
use gradyn::derivatives::check::{self, Options, Report};
use gradyn::derivatives::difference::Euclidean;
use nalgebra::{DMatrix, DVector};

fn failed(error: NodeError) -> String {
    error.reason.to_string()
}

impl NodeCheck<'_> {
    /// Names of directions of states and controls.
    fn directions(&self) -> Vec<String> {
        let (model, dims) = (self.model, self.stage.dims());
        let rest = dims.ndx - 2 * model.nv();
        [dofs(model, "q"), dofs(model, "v"), numbers("w", rest), numbers("u", dims.nu)].concat()
    }

    /// Equalities and inequality constraints by state and controls, with the step inserted.
    pub(super) fn rows(&mut self, push: &mut dyn FnMut(Report)) -> Result<(), String> {
        let columns = self.directions();
        let Self { stage, at, model, memory } = self;
        let dims = stage.dims();
        let of = |row: ConstraintRow| stage.constraint(row).map(str::to_owned);
        let all = (0..dims.n_eq).map(ConstraintRow::Equality).chain((0..dims.n_in).map(ConstraintRow::Inequality));
        // Rows of the step have no name, and are looked at with it.
        let named: Vec<(usize, String)> =
            all.enumerate().filter_map(|(k, row)| of(row).map(|name| (k, name))).collect();
        if named.is_empty() {
            return Ok(());
        }
        let mut lq = Quadratic::new(dims, stage.is_last());
        stage.linearize(*at, memory, &mut lq).map_err(failed)?;
        let both = |eq: &DMatrix<f64>, ineq: &DMatrix<f64>, n: usize| {
            let mut m = DMatrix::zeros(named.len(), n);
            for (to, (k, _)) in named.iter().enumerate() {
                let row = if *k < dims.n_eq { eq.row(*k) } else { ineq.row(k - dims.n_eq) };
                m.row_mut(to).copy_from(&row);
            }
            m
        };
        let (by_x, by_u) = (both(&lq.eq_x, &lq.ineq_x, dims.ndx), both(&lq.eq_u, &lq.ineq_u, dims.nu));
        let whole = joined(named.len(), &[(&by_x, dims.ndx), (&by_u, dims.nu)]);
        let name = |(at, (_, name)): (usize, &(usize, String))| {
            format!("{name}[{}]", named[..at].iter().filter(|(_, other)| other == name).count())
        };
        let options = Options::new("Jacobian by states and controls").rows(named.iter().enumerate().map(name));
        let options = options.columns(columns).pictures(0, 0);
        let (mut next, mut rows) = (lq.next.clone(), vec![0.0; dims.n_eq + dims.n_in]);
        let value = |x: &[f64], y: &mut [f64]| {
            let (x, u) = x.split_at(dims.nx);
            stage.value(At { x, u, ..*at }, memory, &mut next, &mut rows).map_err(|error| error.reason)?;
            y.iter_mut().zip(&named).for_each(|(y, (k, _))| *y = rows[*k]);
            Ok::<(), Reason>(())
        };
        let inputs = Inputs::new(model, dims.nx - model.nq() + dims.nu);
        let point = [at.x, at.u].concat();
        let report = check::jacobian(&options, &inputs, &Euclidean(named.len()), value, &point, &claim(&whole));
        push(report.map_err(|error| error.to_string())?);
        Ok(())
    }

    /// The Hessian of `L = ℓ + λ⁺ᵀ (f ⊖ f₀) + νᵀ c + yᵀ g` along `x ⊕ δx` and `u + δu`, against differences of its
    /// gradient. Skipped if the node does not provide it.
    pub(super) fn lagrangian(&mut self, push: &mut dyn FnMut(Report)) -> Result<(), String> {
        let names = self.directions();
        let Self { stage, at, model, memory } = self;
        let (dims, last, nv) = (stage.dims(), stage.is_last(), model.nv());
        let mut multipliers = Multipliers::new(dims, last);
        let Multipliers { next, eq, ineq } = &mut multipliers;
        let all = lambda(next.len() + eq.len() + ineq.len());
        next.iter_mut().chain(eq.iter_mut()).chain(ineq.iter_mut()).zip(all).for_each(|(to, x)| *to = x);
        let mut lq = Quadratic::exact(dims, last);
        if !stage.linearize_exact(*at, memory, &multipliers, &mut lq).map_err(failed)? {
            return Ok(());
        }
        let (ndx, n) = (dims.ndx, dims.ndx + dims.nu);
        let mut hessian = DMatrix::zeros(n, n);
        let (xu, curvature) = (&lq.lxu + &lq.curvature.xu, &lq.curvature);
        hessian.view_mut((0, 0), (ndx, ndx)).copy_from(&(&lq.lxx + &curvature.xx));
        hessian.view_mut((0, ndx), (ndx, dims.nu)).copy_from(&xu);
        hessian.view_mut((ndx, 0), (dims.nu, ndx)).copy_from(&xu.transpose());
        hessian.view_mut((ndx, ndx), (dims.nu, dims.nu)).copy_from(&(&lq.luu + &curvature.uu));

        let (from, nq) = (lq.next.clone(), model.nq());
        let (mut x, mut moved) = (at.x.to_vec(), Quadratic::new(dims, last));
        let gradient = |d: &[f64], y: &mut [f64]| {
            let (dx, du) = d.split_at(ndx);
            model.integrate_into(&at.x[..nq], &dx[..nv], &mut x[..nq])?;
            x[nq..].iter_mut().zip(&at.x[nq..]).zip(&dx[nv..]).for_each(|((x, from), d)| *x = from + d);
            let u: Vec<f64> = at.u.iter().zip(du).map(|(u, d)| u + d).collect();
            stage.linearize(At { x: &x, u: &u, ..*at }, memory, &mut moved).map_err(|error| error.reason)?;
            let Multipliers { next, eq, ineq } = &multipliers;
            let mut by_x = &moved.lx + moved.eq_x.tr_mul(eq) + moved.ineq_x.tr_mul(ineq);
            let mut by_u = &moved.lu + moved.eq_u.tr_mul(eq) + moved.ineq_u.tr_mul(ineq);
            if !last {
                // λᵀ (f ⊖ f₀), whose first part is in the tangent space at f.
                let mut weights = next.clone();
                let turned = model.difference_dq1(&from[..nq], &moved.next[..nq])?;
                weights.rows_mut(0, nv).copy_from(&turned.tr_mul(&next.rows(0, nv)));
                by_x += moved.a.tr_mul(&weights);
                by_u += moved.b.tr_mul(&weights);
            }
            let along: DVector<f64> = model.integrate_dv(&dx[..nv])?.tr_mul(&by_x.rows(0, nv));
            by_x.rows_mut(0, nv).copy_from(&along);
            y[..ndx].copy_from_slice(by_x.as_slice());
            y[ndx..].copy_from_slice(by_u.as_slice());
            Ok::<(), Reason>(())
        };
        let options = Options::new("Hessian by states and controls").rows(names.clone()).columns(names).pictures(0, 0);
        let report = check::jacobian(&options, &Euclidean(n), &Euclidean(n), gradient, &vec![0.0; n], &claim(&hessian));
        push(report.map_err(|error| error.to_string())?);
        Ok(())
    }
}
