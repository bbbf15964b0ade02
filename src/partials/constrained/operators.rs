//! What all columns are multiplied by, as dense matrices: equation (3) of [`analytical`](super::analytical).

use super::row_derivatives::Variation;
use crate::dynamics::Workspace;
use crate::dynamics::constraints::Factor;
use crate::dynamics::jacobian::clear;
use crate::kernels::blocks::product;
use nalgebra::DMatrix;

/// What equation (3) multiplies by.
#[derive(Default)]
pub(super) struct Operators {
    /// `N`
    pub(super) free: DMatrix<f64>,
    /// `X`, and its transpose.
    x: DMatrix<f64>,
    xt: DMatrix<f64>,
    /// `Z`, and its transpose.
    pub(super) z: DMatrix<f64>,
    pub(super) zt: DMatrix<f64>,
    /// `V`, and its transpose.
    pub(super) v: DMatrix<f64>,
    pub(super) vt: DMatrix<f64>,
    /// `V E₂`, then what multipliers come from.
    pub(super) t: DMatrix<f64>,
    /// The same of six columns, by a wrench.
    t_wrench: DMatrix<f64>,
    /// `E₂` with what dependent rows add to it.
    rows: DMatrix<f64>,
    /// `V`, row by row.
    by_row: Vec<f64>,
}

impl Operators {
    /// From the factors of the mass matrix and of the constraints.
    pub(super) fn fill(&mut self, nv: usize, base: &Workspace<f64>) {
        let Self { free, x, xt, z, zt, v, vt, by_row, .. } = self;
        let Some(memory) = base.constraints.as_deref() else { return };
        let (rank, rows) = (memory.factor.rank, memory.lambda.len());
        clear(z, nv, rank);
        z.as_mut_slice().copy_from_slice(memory.factor.orthonormal());
        clear(zt, rank, nv);
        z.transpose_to(zt);
        clear(xt, nv, nv);
        xt.fill_with_identity();
        product::add_product(-1.0, z, zt, xt); //                     1 − Q Qᵀ, by rows
        base.ltl.other_half_of_rows(&memory.root, nv, xt.as_mut_slice());
        clear(x, nv, nv);
        xt.transpose_to(x);
        clear(free, nv, nv);
        product::add_product(1.0, x, xt, free);
        base.ltl.other_half_of_rows(&memory.root, rank, zt.as_mut_slice());
        zt.transpose_to(z);
        memory.factor.inverse(rows, by_row);
        clear(vt, rows, rank);
        vt.as_mut_slice().copy_from_slice(by_row);
        clear(v, rank, rows);
        vt.transpose_to(v);
    }

    /// All columns of accelerations and of multipliers, from those of `E₁` and `E₂`. What they hold is written over.
    pub(super) fn all(
        &mut self,
        (torques, rows): (&DMatrix<f64>, Option<&DMatrix<f64>>),
        dependent: Option<(&Factor<f64>, &Variation)>,
        (motion, lambda): (&mut DMatrix<f64>, &mut DMatrix<f64>),
    ) {
        let Self { free, z, zt, v, vt, t, t_wrench, rows: own, .. } = self;
        let t = if rows.is_some() { t } else { t_wrench };
        let columns = torques.ncols();
        if let Some((_, by)) = dependent {
            // G⁺ J M⁻¹ dJᵀ r = −Vᵀ Zᵀ E for E = −dJᵀ r
            clear(t, zt.nrows(), columns);
            product::add_product(1.0, zt, &by.torques_q, t);
            clear(own, vt.nrows(), columns);
            product::add_product(1.0, vt, t, own);
            rows.into_iter().for_each(|rows| *own += rows);
        }
        let rows = if dependent.is_some() { Some(&*own) } else { rows };
        product::negated_product(free, torques, motion);
        clear(t, zt.nrows(), columns);
        if let Some(rows) = rows {
            product::negated_product(v, rows, t);
            product::add_product(1.0, z, t, motion);
        }
        product::add_product(1.0, zt, torques, t);
        lambda.as_mut_slice().fill(0.0);
        product::add_product(1.0, vt, t, lambda);
        if let Some((factor, by)) = dependent {
            add_unreached(factor, by, (own, lambda));
        }
    }
}

/// The last term of equation (2): `(1 − P) dJ M⁻¹ Jᵀ G⁺ λ`. The rows are scratch of its shape.
fn add_unreached(factor: &Factor<f64>, by: &Variation, (own, lambda): (&mut DMatrix<f64>, &mut DMatrix<f64>)) {
    let count = lambda.nrows().max(1);
    own.copy_from(&by.rows_q);
    let columns = own.as_mut_slice().chunks_exact_mut(count).zip(lambda.as_mut_slice().chunks_exact_mut(count));
    for (rest, lambda) in columns {
        factor.out_of_reach(rest);
        lambda.iter_mut().zip(&*rest).for_each(|(x, y)| *x += y);
    }
}
