//! Columns of accelerations and multipliers by halves of solutions, for deep trees: O(n) a column and row of constraints.
//!
//! With `M⁻¹ = H Hᵀ` in sweeps along the tree ([kernels](crate::kernels)), `Y = Hᵀ Jᵀ`, and `Q`, `V` of [`Factor`] equation (3) of
//! [`analytical`](super::analytical) is, where wrenches of multipliers fall behind by `W` rows of them, `E₁ := E₁ + Jᵀ W`:
//!
//! ```text
//! A = Hᵀ E₁ + Y W ,  T = Qᵀ A − V E₂        dλ = Vᵀ T ,   dq̈ = −H (A − Q T)                          (4)
//! ```

use super::variation::Variation;
use crate::dynamics::by_plan::Kernels;
use crate::dynamics::constraints::{self, Factor};
use crate::dynamics::jacobian::clear;
use crate::kernels::blocks::product;
use crate::kernels::by_joint::matrix::shape;
use nalgebra::DMatrix;

/// What equation (4) multiplies by.
pub(super) struct Halves {
    /// `Y`, nv × rows.
    y: DMatrix<f64>,
    /// `Q`, nv × rank, and its transpose.
    q: DMatrix<f64>,
    qt: DMatrix<f64>,
    /// `V`, rank × rows, and its transpose.
    v: DMatrix<f64>,
    vt: DMatrix<f64>,
    /// `T`
    t: DMatrix<f64>,
    /// The same of six columns, by a wrench.
    t_wrench: DMatrix<f64>,
    /// `Hᵀ E`, and `E₂` with what dependent rows add to it.
    of_dependent: DMatrix<f64>,
    rows: DMatrix<f64>,
    /// `V`, row by row.
    by_row: Vec<f64>,
}

impl Default for Halves {
    fn default() -> Self {
        let [y, q, qt, v, vt, t, t_wrench, of_dependent, rows] = [(); 9].map(|()| DMatrix::default());
        Self { y, q, qt, v, vt, t, t_wrench, of_dependent, rows, by_row: Vec::new() }
    }
}

/// What columns come from. What is missing is zero.
#[derive(Clone, Copy, Default)]
pub(super) struct Terms<'a> {
    /// `E₁` without the following.
    pub(super) torques: Option<&'a DMatrix<f64>>,
    /// `W`
    pub(super) turned: Option<&'a DMatrix<f64>>,
    /// `E₂`
    pub(super) rows: Option<&'a DMatrix<f64>>,
    /// What dependent rows bring.
    pub(super) dependent: Option<(&'a Factor<f64>, &'a Variation)>,
}

impl Halves {
    /// From the factors of the constraints.
    pub(super) fn fill(&mut self, nv: usize, memory: &constraints::Memory<f64>) {
        let Self { y, q, qt, v, vt, by_row, .. } = self;
        let (factor, rank, rows) = (&memory.factor, memory.factor.rank, memory.lambda.len());
        clear(y, nv, rows);
        y.as_mut_slice().copy_from_slice(factor.half_of_rows());
        clear(q, nv, rank);
        q.as_mut_slice().copy_from_slice(factor.orthonormal());
        clear(qt, rank, nv);
        q.transpose_to(qt);
        factor.inverse(rows, by_row);
        clear(vt, rows, rank);
        vt.as_mut_slice().copy_from_slice(by_row);
        clear(v, rank, rows);
        vt.transpose_to(v);
    }

    /// By the torques, `E₁ = −1`: `H (1 − Q Qᵀ) Hᵀ`, symmetric to the bit, and `−Vᵀ Qᵀ Hᵀ`.
    pub(super) fn by_torques(
        &mut self,
        kernels: &mut Kernels<'_>,
        (motion, lambda): (&mut DMatrix<f64>, &mut DMatrix<f64>),
    ) -> Option<()> {
        let Self { q, qt, vt, t, .. } = self;
        kernels.half_of_identity(motion.as_mut_slice())?;
        shape(t, qt.nrows(), motion.ncols());
        product::negated_product(qt, motion, t); //                   −Qᵀ Hᵀ
        lambda.fill(0.0);
        product::add_product(1.0, vt, t, lambda);
        product::add_product(1.0, q, t, motion);
        kernels.other_half_symmetric(motion.as_mut_slice())
    }

    /// Equation (4); what accelerations and multipliers hold is written over.
    pub(super) fn all(
        &mut self,
        kernels: &mut Kernels<'_>,
        from: Terms<'_>,
        (motion, lambda): (&mut DMatrix<f64>, &mut DMatrix<f64>),
    ) -> Option<()> {
        let Self { y, q, qt, v, vt, t, t_wrench, of_dependent, rows: own, .. } = self;
        let t = if motion.ncols() == 6 { t_wrench } else { t };
        let Terms { torques, turned, rows, dependent } = from;
        shape(t, qt.nrows(), motion.ncols());
        let rows = match dependent {
            Some((_, by)) => {
                // G⁺ J M⁻¹ dJᵀ r = −Vᵀ Qᵀ Hᵀ E for E = −dJᵀ r
                of_dependent.clone_from(&by.torques_q);
                kernels.half(of_dependent.as_mut_slice())?;
                t.fill(0.0);
                product::add_product(1.0, qt, of_dependent, t);
                clear(own, vt.nrows(), motion.ncols());
                product::add_product(1.0, vt, t, own);
                rows.into_iter().for_each(|rows| *own += rows);
                Some(&*own)
            }
            None => rows,
        };
        match torques {
            Some(torques) => {
                motion.copy_from(torques);
                kernels.half(motion.as_mut_slice())?;
            }
            None => motion.fill(0.0),
        }
        if let Some(turned) = turned {
            product::add_product(1.0, y, turned, motion);
        }
        t.fill(0.0);
        if let Some(rows) = rows {
            product::negated_product(v, rows, t);
        }
        product::add_product(1.0, qt, motion, t);
        lambda.fill(0.0);
        product::add_product(1.0, vt, t, lambda);
        product::add_product(-1.0, q, t, motion);
        kernels.other_half(-1.0, motion.as_mut_slice())?;
        if let Some((factor, by)) = dependent {
            add_unreached(factor, by, (own, lambda));
        }
        Some(())
    }
}

/// The last term of equation (2): `(1 − P) dJ M⁻¹ Jᵀ G⁺ λ`. The rows are scratch of its shape.
pub(super) fn add_unreached(
    factor: &Factor<f64>,
    by: &Variation,
    (own, lambda): (&mut DMatrix<f64>, &mut DMatrix<f64>),
) {
    let count = lambda.nrows().max(1);
    own.copy_from(&by.rows_q);
    let columns = own.as_mut_slice().chunks_exact_mut(count).zip(lambda.as_mut_slice().chunks_exact_mut(count));
    for (rest, lambda) in columns {
        factor.out_of_reach(rest);
        lambda.iter_mut().zip(&*rest).for_each(|(x, y)| *x += y);
    }
}
