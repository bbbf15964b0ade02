//! What a semi-implicit step `δq⁺ = D δq + h J δv⁺`, `δv⁺ = G (δx, δu)` leaves of products with its A and B:
//!
//! ```text
//! [A B]ᵀ V [A B] = Gᵀ S G + (Gᵀ W D E) + (Gᵀ W D E)ᵀ + Eᵀ Dᵀ V_qq D E        E = [1 0 0]: (δq, δv, δu) to δq
//! S = h² Jᵀ V_qq J + h (Jᵀ V_qv + V_vq J) + V_vv ,    W = h Jᵀ V_qq + V_vq
//! ```
//!
//! S and W are nv × nv, and D and J are the identity but for a few blocks, so two products of G are left of those with A and B: a
//! third of the operations of a robot with 49 degrees of freedom.

use super::Stagewise;
use crate::quadratic::{Quadratic, Structure};
use nalgebra::{DMatrix, DVector};
use std::ops::Range;

/// Memory for nodes of one size, and what [`Self::prepare`] has found.
#[derive(Debug)]
pub(super) struct Structured {
    nv: usize,
    /// Blocks of D and J that are not the identity.
    blocks: Vec<Range<usize>>,
    /// `S`
    pub(super) s: DMatrix<f64>,
    /// `Dᵀ Wᵀ`
    pub(super) w: DMatrix<f64>,
    /// `Dᵀ V_qq D`
    pub(super) d: DMatrix<f64>,
    /// `h Jᵀ v_q + v_v`
    pub(super) v: DVector<f64>,
    /// `Dᵀ v_q`
    pub(super) p: DVector<f64>,
    sums: Vec<f64>,
}

impl Structured {
    pub(super) fn new(nv: usize) -> Self {
        Self {
            nv,
            blocks: Vec::with_capacity(nv),
            s: DMatrix::zeros(nv, nv),
            w: DMatrix::zeros(nv, nv),
            d: DMatrix::zeros(nv, nv),
            v: DVector::zeros(nv),
            p: DVector::zeros(nv),
            sums: vec![0.0; nv],
        }
    }

    /// Has the node this structure, and does it remember nothing beside configuration and velocity?
    pub(super) fn applies(&self, lq: &Quadratic) -> bool {
        let fits = |m: &DMatrix<f64>| m.is_empty() || m.shape() == (self.nv, self.nv);
        matches!(lq.structure, Structure::SemiImplicit { nv, .. } if nv == self.nv)
            && lq.a.shape() == (2 * self.nv, 2 * self.nv)
            && lq.step_dq.is_empty() == lq.step_dv.is_empty()
            && fits(&lq.step_dq)
            && fits(&lq.step_dv)
    }

    pub(super) fn prepare(&mut self, lq: &Quadratic, next: &Stagewise) {
        let Structure::SemiImplicit { h, .. } = lq.structure else { return };
        let Self { nv, blocks, s, w, d, v, p, sums } = self;
        let nv = *nv;
        find_blocks(lq, blocks);
        let (dq, dv) = (&lq.step_dq, &lq.step_dv);
        // V_qq J and V_vq J, W = ..., all by columns.
        let (q, velocities) = (next.vxx.rows(0, nv), next.vxx.rows(nv, nv));
        w.copy_from(&q.columns(0, nv));
        s.copy_from(&velocities.columns(0, nv));
        d.copy_from(w);
        for block in blocks.iter() {
            mix_columns(w, dv, block, sums);
            mix_columns(s, dv, block, sums);
            mix_columns(d, dq, block, sums);
            mix_rows(d, dq, block, sums);
        }
        for j in 0..nv {
            for (w, v) in w.column_mut(j).iter_mut().zip(q.column(nv + j).iter()) {
                *w = h * *w + v;
            }
        }
        // S = h Jᵀ Wᵀ + h V_vq J + V_vv: Jᵀ Wᵀ is Wᵀ but for its blocks.
        for j in 0..nv {
            for ((s, w), v) in s.column_mut(j).iter_mut().zip(w.column(j).iter()).zip(velocities.column(nv + j).iter())
            {
                *s = h * (*s + w) + v;
            }
        }
        for block in blocks.iter() {
            for j in 0..nv {
                let column = w.column(j);
                for (i, s) in block.clone().zip(&mut sums[..]) {
                    *s = block.clone().map(|l| dv[(l, i)] * column[l]).sum::<f64>() - column[i];
                }
                for (i, x) in block.clone().zip(&sums[..]) {
                    s[(i, j)] += h * x;
                }
            }
            mix_rows(w, dq, block, sums);
        }
        p.copy_from(&next.vx.rows(0, nv));
        v.copy_from(p);
        for block in blocks.iter() {
            mix_vector(p.as_mut_slice(), dq, block, sums);
            mix_vector(v.as_mut_slice(), dv, block, sums);
        }
        for (v, x) in v.iter_mut().zip(next.vx.rows(nv, nv).iter()) {
            *v = h * *v + x;
        }
    }
}

/// The least blocks along the diagonal outside of which D and J are the identity.
fn find_blocks(lq: &Quadratic, blocks: &mut Vec<Range<usize>>) {
    blocks.clear();
    for j in 0..lq.step_dq.ncols() {
        let mut block = j..j;
        for m in [&lq.step_dq, &lq.step_dv] {
            for (i, x) in m.column(j).iter().enumerate() {
                // NaN is no entry of the identity either.
                if *x != f64::from(u8::from(i == j)) {
                    block = block.start.min(i)..block.end.max(i + 1).max(j + 1);
                }
            }
        }
        if block.is_empty() {
            continue;
        }
        while let Some(last) = blocks.pop_if(|last| last.end > block.start) {
            block = block.start.min(last.start)..block.end.max(last.end);
        }
        blocks.push(block);
    }
}

/// Columns of a block, `m := m J`.
fn mix_columns(m: &mut DMatrix<f64>, by: &DMatrix<f64>, block: &Range<usize>, sums: &mut [f64]) {
    for i in 0..m.nrows() {
        for (j, sum) in block.clone().zip(&mut sums[..]) {
            *sum = block.clone().map(|l| m[(i, l)] * by[(l, j)]).sum();
        }
        for (j, sum) in block.clone().zip(&sums[..]) {
            m[(i, j)] = *sum;
        }
    }
}

/// Rows of a block, `m := Jᵀ m`.
fn mix_rows(m: &mut DMatrix<f64>, by: &DMatrix<f64>, block: &Range<usize>, sums: &mut [f64]) {
    for mut column in m.column_iter_mut() {
        mix_vector(column.as_mut_slice(), by, block, sums);
    }
}

/// `x := Jᵀ x` of a block.
fn mix_vector(x: &mut [f64], by: &DMatrix<f64>, block: &Range<usize>, sums: &mut [f64]) {
    for (j, sum) in block.clone().zip(&mut sums[..]) {
        *sum = block.clone().map(|l| by[(l, j)] * x[l]).sum();
    }
    x[block.clone()].copy_from_slice(&sums[..block.len()]);
}
