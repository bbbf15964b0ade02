//! A node of a robot: its step, then its other parts.

use super::inputs::{Inputs, claim, dofs, joined, numbers};
use super::term::Of;
use super::{Checked, NodeCheck};
use crate::fault::Reason;
use crate::node::{At, Node, NodeError};
use crate::quadratic::Quadratic;
use gradyn::derivatives::check::{self, Options, Report};
use nalgebra::DMatrix;

impl NodeCheck<'_> {
    pub(super) fn run(mut self, phase: &str, out: &mut Vec<Checked>) {
        let (node, first) = (self.at.node, out.len());
        let mut push = |term: Option<&str>, report| {
            out.push(Checked { node, phase: phase.into(), term: term.map(Into::into), report });
        };
        let made = match self.step(&mut |report| push(None, Ok(report))) {
            Ok(made) => made,
            Err(why) => return push(None, Err(why)),
        };
        let stage = self.stage;
        let mut has_hessians = true;
        for (index, (name, slots, residual)) in stage.terms().enumerate() {
            if self.at.parameters[slots.weight] > 0.0 {
                has_hessians &= residual.has_hessian();
                let done = self.term(Of::Cost(index), residual, &made, &mut |report| push(Some(name), Ok(report)));
                done.unwrap_or_else(|why| push(Some(name), Err(why)));
            }
        }
        for (name, slots, residual) in stage.constraints() {
            if self.at.parameters[slots.counts] > 0.0 {
                has_hessians &= residual.has_hessian();
                let of = Of::constraint(self.model, residual, slots.goal);
                let done = self.term(of, residual, &made, &mut |report| push(Some(name), Ok(report)));
                done.unwrap_or_else(|why| push(Some(name), Err(why)));
            }
        }
        // Mistakes of parts are not reported again for the whole.
        if !out[first..].iter().all(Checked::agrees) {
            return;
        }
        let mut push = |term: &str, report| {
            out.push(Checked { node, phase: phase.into(), term: Some(term.into()), report });
        };
        let done = self.rows(&mut |report| push("constraints", Ok(report)));
        done.unwrap_or_else(|why| push("constraints", Err(why)));
        // An end without costs has no curvature.
        let empty = stage.is_last() && stage.terms().next().is_none() && stage.constraints().next().is_none();
        if has_hessians && !empty {
            let done = self.lagrangian(&mut |report| push("Lagrangian", Ok(report)));
            done.unwrap_or_else(|why| push("Lagrangian", Err(why)));
        }
    }

    /// Checks the step. Returns acceleration and multipliers at the node.
    fn step(&mut self, push: &mut dyn FnMut(Report)) -> Result<(Vec<f64>, Vec<f64>), String> {
        let Self { stage, at, model, memory } = self;
        let dims = stage.dims();
        let failed = |error: NodeError| error.reason.to_string();
        let reason = |error: Reason| error.to_string();
        if stage.is_last() {
            return stage.made(memory).map_err(reason);
        }
        let mut lq = Quadratic::new(dims, false);
        let by = stage.step_derivatives(*at, memory, &mut lq).map_err(failed)?;
        let (a, f) = stage.made(memory).map_err(reason)?;
        let (nv, memory_of_state) = (model.nv(), dims.ndx - 2 * model.nv());
        let columns =
            [dofs(model, "q"), dofs(model, "v"), numbers("w", memory_of_state), numbers("u", dims.nu)].concat();
        let inputs = Inputs::new(model, dims.nx - model.nq() + dims.nu);
        let point = [at.x, at.u].concat();
        let mut next = vec![0.0; dims.nx];
        let mut eq = vec![0.0; dims.n_eq];
        let mut made = vec![0.0; a.len() + f.len()];
        let mut check = |name: &str, rows: Vec<String>, outputs: &Inputs<'_>, m: &DMatrix<f64>, which: usize| {
            let options = Options::new(name).rows(rows).columns(columns.clone()).pictures(0, 0);
            let run = |x: &[f64], y: &mut [f64]| {
                let (x, u) = x.split_at(dims.nx);
                stage.step(At { x, u, ..*at }, memory, &mut next, &mut eq, &mut made).map_err(|e| e.reason)?;
                y.copy_from_slice([&next, &eq, &made][which]);
                Ok::<(), Reason>(())
            };
            let report = match which {
                0 => check::jacobian(&options, &inputs, outputs, run, &point, &claim(m)),
                _ => check::jacobian(&options, &inputs, &outputs.rest, run, &point, &claim(m)),
            };
            report.map(&mut *push).map_err(|error| error.to_string())
        };
        let rows = [dofs(model, "q⁺"), dofs(model, "v⁺"), numbers("w⁺", memory_of_state)].concat();
        let whole = joined(dims.ndx, &[(&lq.a, dims.ndx), (&lq.b, dims.nu)]);
        check("next state", rows, &Inputs::new(model, dims.nx - model.nq()), &whole, 0)?;
        if dims.n_eq > 0 {
            let whole = joined(dims.n_eq, &[(&lq.eq_x, dims.ndx), (&lq.eq_u, dims.nu)]);
            check("equalities", numbers("c", dims.n_eq), &Inputs::new(model, dims.n_eq), &whole, 1)?;
        }
        let ([a_w, a_u], [f_w, f_u]) =
            (stage.by_state_and_controls(*at, &by.a_u, &by.a_h), stage.by_state_and_controls(*at, &by.f_u, &by.f_h));
        let of_a = joined(nv, &[(&by.a_q, nv), (&by.a_v, nv), (&a_w, memory_of_state), (&a_u, dims.nu)]);
        let of_f = joined(f.len(), &[(&by.f_q, nv), (&by.f_v, nv), (&f_w, memory_of_state), (&f_u, dims.nu)]);
        let mut whole = DMatrix::zeros(nv + f.len(), of_a.ncols());
        whole.rows_mut(0, nv).copy_from(&of_a);
        whole.rows_mut(nv, f.len()).copy_from(&of_f);
        let rows = [dofs(model, "a"), numbers("f", f.len())].concat();
        check("acceleration and multipliers", rows, &Inputs::new(model, nv + f.len()), &whole, 2)?;
        Ok((a, f))
    }
}
