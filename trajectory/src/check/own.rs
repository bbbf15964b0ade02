//! A user-defined node: the gradient of its cost, its A and B, and its equalities, against differences.

use super::Checked;
use super::inputs::{Inputs, claim, dofs, joined, numbers};
use crate::fault::Reason;
use crate::node::{At, Memory, Node};
use crate::quadratic::Quadratic;
use gradyn::Model;
use gradyn::derivatives::check::{self, Options};
use gradyn::derivatives::difference::Euclidean;
use nalgebra::DMatrix;

/// Checks all of it.
pub(super) fn own_node(
    node: &dyn Node,
    at: At<'_>,
    model: &Model,
    mut memory: Memory,
    phase: &str,
    out: &mut Vec<Checked>,
) {
    let dims = node.dims();
    let mut push = |report| out.push(Checked { node: at.node, phase: phase.into(), term: None, report });
    let mut lq = Quadratic::new(dims, false);
    if let Err(error) = node.linearize(at, &mut memory, &mut lq) {
        return push(Err(error.reason.to_string()));
    }
    let rest = dims.ndx - 2 * model.nv();
    let columns = [dofs(model, "q"), dofs(model, "v"), numbers("w", rest), numbers("u", dims.nu)].concat();
    let states = |n: usize| Inputs::new(model, dims.nx - model.nq() + n);
    let point = [at.x, at.u].concat();
    let mut run = |name: &str, rows: Vec<String>, m: &DMatrix<f64>, which: usize| {
        let options = Options::new(name).rows(rows).columns(columns.clone()).pictures(0, 0);
        let (mut next, mut eq) = (vec![0.0; dims.nx], vec![0.0; dims.n_eq]);
        let value = |x: &[f64], y: &mut [f64]| {
            let (x, u) = x.split_at(dims.nx);
            let cost = node.value(At { x, u, ..at }, &mut memory, &mut next, &mut eq).map_err(|error| error.reason)?;
            y.copy_from_slice([&[cost][..], &next, &eq][which]);
            Ok::<(), Reason>(())
        };
        let report = match which {
            1 => check::jacobian(&options, &states(dims.nu), &states(0), value, &point, &claim(m)),
            _ => check::jacobian(&options, &states(dims.nu), &Euclidean(m.nrows()), value, &point, &claim(m)),
        };
        push(report.map_err(|error| error.to_string()));
    };
    let gradient = joined(
        1,
        &[
            (&DMatrix::from_row_slice(1, dims.ndx, lq.lx.as_slice()), dims.ndx),
            (&DMatrix::from_row_slice(1, dims.nu, lq.lu.as_slice()), dims.nu),
        ],
    );
    run("cost", vec!["cost".into()], &gradient, 0);
    let rows = [dofs(model, "q⁺"), dofs(model, "v⁺"), numbers("w⁺", rest)].concat();
    run("next state", rows, &joined(dims.ndx, &[(&lq.a, dims.ndx), (&lq.b, dims.nu)]), 1);
    if dims.n_eq > 0 {
        let whole = joined(dims.n_eq, &[(&lq.eq_x, dims.ndx), (&lq.eq_u, dims.nu)]);
        run("equalities", numbers("c", dims.n_eq), &whole, 2);
    }
}
