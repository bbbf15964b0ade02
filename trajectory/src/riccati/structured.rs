//! The products with A and B of a semi-implicit step `δq⁺ = D δq + h J δv⁺`, `δv⁺ = G (δx, δu)`, reduced by its
//! structure:
//!
//! ```text
//! [A B]ᵀ V [A B] = Gᵀ S G + (Gᵀ W D E) + (Gᵀ W D E)ᵀ + Eᵀ Dᵀ V_qq D E        E = [1 0 0]: (δq, δv, δu) to δq
//! S = h² Jᵀ V_qq J + h (Jᵀ V_qv + V_vq J) + V_vv ,    W = h Jᵀ V_qq + V_vq
//! ```
//!
//! S and W are nv × nv, and D and J are the identity except for a few blocks. Of the products with A and B, two
//! products with G remain: a third of the operations for a robot with 49 degrees of freedom.

use super::Stagewise;
use crate::dense::Lanes;
use crate::quadratic::{Quadratic, Structure};
use gradyn::derivatives::simd::{Kernel, Register, WIDTH, dispatch};
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
    scratch: Vec<Lanes>,
    /// A block of D or J by rows, eight columns a register.
    turned: Vec<Lanes>,
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
            scratch: vec![Lanes::ZERO; nv],
            turned: vec![Lanes::ZERO; nv * nv.div_ceil(WIDTH)],
        }
    }

    /// Whether the node has this structure, and carries nothing besides configuration and velocity.
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
        find_blocks(lq, &mut self.blocks);
        dispatch(Prepare { lq, vx: next.vx.as_slice(), vxx: next.vxx.as_slice(), h, of: self });
    }
}

/// See [`Structured::prepare`].
struct Prepare<'a> {
    lq: &'a Quadratic,
    vx: &'a [f64],
    vxx: &'a [f64],
    h: f64,
    of: &'a mut Structured,
}

impl Kernel for Prepare<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { lq, vx, vxx, h, of: Structured { nv, blocks, s, w, d, v, p, scratch, turned } } = self;
        let (nv, h) = (*nv, R::splat(h));
        let (dq, dv) = (lq.step_dq.as_slice(), lq.step_dv.as_slice());
        let (s, w, d) = (s.as_mut_slice(), w.as_mut_slice(), d.as_mut_slice());
        let (v, p) = (v.as_mut_slice(), p.as_mut_slice());
        // V_qq J and V_vq J, and V_qq D.
        let mut j = 0;
        while j < nv {
            let (q, x) = vxx[2 * nv * j..2 * nv * (j + 1)].split_at(nv);
            w[j * nv..(j + 1) * nv].copy_from_slice(q);
            d[j * nv..(j + 1) * nv].copy_from_slice(q);
            s[j * nv..(j + 1) * nv].copy_from_slice(x);
            j += 1;
        }
        for block in blocks.iter() {
            mix_columns::<R>(w, dv, block, scratch);
            mix_columns::<R>(s, dv, block, scratch);
            mix_columns::<R>(d, dq, block, scratch);
        }
        // Wᵀ = h V_qq J + V_qv; S = h (Wᵀ + V_vq J) + V_vv, where Jᵀ Wᵀ is Wᵀ but for the blocks.
        let mut j = 0;
        while j < nv {
            let (qv, vv) = vxx[2 * nv * (nv + j)..2 * nv * (nv + j + 1)].split_at(nv);
            let (s, w) = (&mut s[j * nv..(j + 1) * nv], &mut w[j * nv..(j + 1) * nv]);
            let mut i = 0;
            while i < nv {
                let sum = h.mul_add(R::load_first(&w[i..]), R::load_first(&qv[i..]));
                sum.store_first(&mut w[i..]);
                h.mul_add(R::load_first(&s[i..]).add(sum), R::load_first(&vv[i..])).store_first(&mut s[i..]);
                i += WIDTH;
            }
            j += 1;
        }
        p.copy_from_slice(&vx[..nv]);
        v.copy_from_slice(&vx[..nv]);
        for block in blocks.iter() {
            turn(dv, nv, block, turned);
            let mut j = 0;
            while j < nv {
                let (s, w) = (&mut s[j * nv..][block.clone()], &w[j * nv..][block.clone()]);
                mixed::<R>(w, turned, scratch);
                let mut i = 0;
                while i < s.len() {
                    let more = scratch[i / WIDTH].load::<R>().sub(R::load_first(&w[i..]));
                    h.mul_add(more, R::load_first(&s[i..])).store_first(&mut s[i..]);
                    i += WIDTH;
                }
                j += 1;
            }
            mix::<R>(&mut v[block.clone()], turned, scratch);
            turn(dq, nv, block, turned);
            let mut j = 0;
            while j < nv {
                mix::<R>(&mut w[j * nv..][block.clone()], turned, scratch);
                mix::<R>(&mut d[j * nv..][block.clone()], turned, scratch);
                j += 1;
            }
            mix::<R>(&mut p[block.clone()], turned, scratch);
        }
        let mut i = 0;
        while i < nv {
            h.mul_add(R::load_first(&v[i..]), R::load_first(&vx[nv + i..])).store_first(&mut v[i..]);
            i += WIDTH;
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
                // What is not a number is no entry of the identity either.
                let off = (*x - f64::from(u8::from(i == j))).abs();
                if off.is_nan() || off > 0.0 {
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

/// Columns of a block, `m := m J`, both n × n.
#[inline(always)]
fn mix_columns<R: Register>(m: &mut [f64], by: &[f64], block: &Range<usize>, scratch: &mut [Lanes]) {
    let n = scratch.len();
    let mut i = 0;
    while i < n {
        let mut l = block.start;
        while l < block.end {
            scratch[l].store(R::load_first(&m[l * n..(l + 1) * n][i..]));
            l += 1;
        }
        let mut j = block.start;
        while j < block.end {
            let mut sum = R::splat(0.0);
            let mut l = block.start;
            while l < block.end {
                sum = R::splat(by[j * n + l]).mul_add(scratch[l].load(), sum);
                l += 1;
            }
            sum.store_first(&mut m[j * n..(j + 1) * n][i..]);
            j += 1;
        }
        i += WIDTH;
    }
}

/// Rows of a block of J, eight columns of it a register.
fn turn(by: &[f64], n: usize, block: &Range<usize>, turned: &mut [Lanes]) {
    let width = block.len().div_ceil(WIDTH);
    for (l, row) in block.clone().zip(turned.chunks_exact_mut(width)) {
        row.fill(Lanes::ZERO);
        for (j, column) in block.clone().enumerate() {
            row[j / WIDTH].0[j % WIDTH] = by[column * n + l];
        }
    }
}

/// `Jᵀ x` of a block.
#[inline(always)]
fn mixed<R: Register>(x: &[f64], turned: &[Lanes], to: &mut [Lanes]) {
    let (n, width) = (x.len(), x.len().div_ceil(WIDTH));
    let mut b = 0;
    while b < width {
        let mut sum = R::splat(0.0);
        let mut l = 0;
        while l < n {
            sum = R::splat(x[l]).mul_add(turned[l * width + b].load(), sum);
            l += 1;
        }
        to[b].store(sum);
        b += 1;
    }
}

/// `x := Jᵀ x` of a block.
#[inline(always)]
fn mix<R: Register>(x: &mut [f64], turned: &[Lanes], scratch: &mut [Lanes]) {
    mixed::<R>(x, turned, scratch);
    let mut i = 0;
    while i < x.len() {
        scratch[i / WIDTH].load::<R>().store_first(&mut x[i..]);
        i += WIDTH;
    }
}
