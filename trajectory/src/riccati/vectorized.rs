//! One node of the sweep on registers: the results of [`dense`](super::dense), computed as products of panels.
//!
//! All second derivatives are in one lower half, controls first: `Z = [B A]`,
//!
//! ```text
//! [Qᵤᵤ      ]   [lᵤᵤ      ]                        [L  ]
//! [Qₓᵤ  Qₓₓ ] = [lₓᵤ  lₓₓ ] + (Zᵀ V) Z ,   = ... = [Y  ·] ,    Vₓₓ = Qₓₓ − Y Yᵀ ,   Kᵀ = Y L⁻¹
//! ```
//!
//! so that one elimination gives L and `Y = Qₓᵤ L⁻ᵀ` together. For a step with [structure](super::structured), Z has
//! rows of velocities only.
//!
//! Times per node in microseconds (`benches/sweep.rs`, one core of a Xeon with AVX-512, shared machine, least of many
//! sweeps), dense and with structure: 1.1 and 1.1 for 14 directions and 7 controls, 6.3 and 7.0 for 36 and 12, 98 and
//! 76 for 98 and 43.

use super::structured::Structured;
use super::{Quadratics, Right, Stagewise};
use crate::dense::{self, Blocks, Into, Lanes, Panel};
use crate::quadratic::Quadratic;
use gradyn::derivatives::simd::WIDTH;
use nalgebra::DMatrix;

/// Memory for nodes of one size.
#[derive(Debug)]
pub(super) struct Vectorized {
    ndx: usize,
    nu: usize,
    behind: usize,
    /// Blocks of eight controls: states begin after them.
    first: usize,
    /// Q, then L, Y, `Vₓₓ`.
    q: Panel,
    gradient: Vec<Lanes>,
    /// `Zᵀ`
    z: Panel,
    /// `Zᵀ V`
    zv: Panel,
    /// V, or S of a step with structure.
    v: Panel,
    reciprocal: Vec<Lanes>,
    turned: Panel,
    /// Columns of `Kᵀ`, below them k.
    gain: Panel,
    structured: Option<Structured>,
    /// `Dᵀ Wᵀ`, where states begin.
    w: Panel,
}

impl Vectorized {
    /// `behind`: ndx of the next node.
    pub(super) fn new(ndx: usize, nu: usize, behind: usize) -> Self {
        let blocks = |n: usize| n.div_ceil(WIDTH);
        let first = blocks(nu);
        let height = first + blocks(ndx);
        let structured = (behind == ndx && ndx > 0).then(|| Structured::new(ndx / 2));
        Self {
            ndx,
            nu,
            behind,
            first,
            q: Panel::new(height, first * WIDTH + ndx),
            gradient: vec![Lanes::ZERO; height],
            z: Panel::new(height, behind),
            zv: Panel::new(height, behind),
            v: Panel::new(blocks(behind), behind),
            reciprocal: vec![Lanes::ZERO; first],
            turned: Panel::new(first, nu),
            gain: Panel::new(blocks(ndx + 1), nu),
            w: Panel::new(height, if structured.is_some() { ndx / 2 } else { 0 }),
            structured,
        }
    }

    /// Whether it is made for such nodes.
    pub(super) fn fits(&self, ndx: usize, nu: usize, behind: usize) -> bool {
        (self.ndx, self.nu, self.behind) == (ndx, nu, behind)
    }

    /// Q and its gradient; without `next`, costs alone.
    pub(super) fn assemble(&mut self, lq: &Quadratic, right: &Right, next: Option<&Stagewise>, delta: f64) {
        let Self { ndx, nu, behind, first, .. } = *self;
        let x = first * WIDTH;
        self.q.put(lq.luu.as_slice(), nu, (0, 0), false);
        self.q.put(lq.lxu.as_slice(), ndx, (first, 0), false);
        self.q.put(lq.lxx.as_slice(), ndx, (first, x), false);
        write(&mut self.gradient, 0, right.lu.as_slice());
        write(&mut self.gradient, first, right.lx.as_slice());
        for i in 0..nu {
            *self.q.at_mut(i, i) += delta;
        }
        let Some(next) = next else { return };
        let (end, all) = (x + ndx, self.q.height);
        let everywhere = Blocks { rows: (0, all), columns: (0, behind), lower: None };
        if let Some(structured) = self.structured.as_mut().filter(|s| s.applies(lq)) {
            let nv = ndx / 2;
            structured.prepare(lq, next);
            self.z.put_transposed(lq.b.as_slice(), behind, (nv, ndx), 0);
            self.z.put_transposed(lq.a.as_slice(), behind, (nv, ndx), first);
            self.v.put(structured.s.as_slice(), nv, (0, 0), false);
            self.w.put(structured.w.as_slice(), nv, (first, 0), false);
            // X = Zᵀ S + [0; Dᵀ Wᵀ; 0]
            self.zv.rows[..nv * all].copy_from_slice(&self.w.rows[..nv * all]);
            let everywhere = Blocks { columns: (0, nv), ..everywhere };
            dense::product(&self.z, (&self.v, 0), nv, &mut self.zv, everywhere, Into::Add);
            self.q.put(structured.d.as_slice(), nv, (first, x), true);
            let controls = Blocks { rows: (0, all), columns: (0, nu), lower: Some(0) };
            dense::product(&self.zv, (&self.z, 0), nv, &mut self.q, controls, Into::Add);
            let states = Blocks { rows: (0, all), columns: (x, end), lower: Some(0) };
            dense::product(&self.z, (&self.zv, first), nv, &mut self.q, states, Into::Add);
            let positions = Blocks { rows: (0, first + nv.div_ceil(WIDTH)), columns: (x, x + nv), lower: Some(0) };
            dense::product(&self.w, (&self.z, first), nv, &mut self.q, positions, Into::Add);
            dense::add_times(&self.z, structured.v.as_slice(), &mut self.gradient);
            for (i, p) in structured.p.iter().enumerate() {
                self.gradient[first + i / WIDTH].0[i % WIDTH] += p;
            }
            return;
        }
        self.z.put_transposed(lq.b.as_slice(), behind, (0, behind), 0);
        self.z.put_transposed(lq.a.as_slice(), behind, (0, behind), first);
        self.v.put(next.vxx.as_slice(), behind, (0, 0), false);
        self.zv.rows.fill(Lanes::ZERO);
        dense::product(&self.z, (&self.v, 0), behind, &mut self.zv, everywhere, Into::Add);
        let controls = Blocks { rows: (0, all), columns: (0, nu), lower: Some(0) };
        dense::product(&self.zv, (&self.z, 0), behind, &mut self.q, controls, Into::Add);
        let states = Blocks { rows: (0, all), columns: (x, end), lower: Some(0) };
        dense::product(&self.zv, (&self.z, first), behind, &mut self.q, states, Into::Add);
        dense::add_times(&self.z, next.vx.as_slice(), &mut self.gradient);
    }

    /// `k`, `K`, `vₓ`, `Vₓₓ` without δ. `None` if `Qᵤᵤ` is not positive definite.
    pub(super) fn eliminate(&mut self, here: &mut Stagewise) -> Option<()> {
        let Self { ndx, nu, first, q, gradient, reciprocal, turned, gain, .. } = self;
        let (ndx, nu, first) = (*ndx, *nu, *first);
        if nu > 0 {
            read(gradient, 0, here.qu.as_mut_slice());
            // As k solves it.
            here.quu_k.copy_from(&here.qu);
            dense::eliminate(q, nu, reciprocal)?;
            dense::forward(q, nu, reciprocal, gradient);
            // Y, and L⁻¹ Qᵤ as a row below it.
            for (j, column) in gain.rows.chunks_exact_mut(gain.height).take(nu).enumerate() {
                let from = &q.rows[j * q.height + first..(j + 1) * q.height];
                column[..from.len()].copy_from_slice(from);
                column[ndx / WIDTH].0[ndx % WIDTH] = gradient[j / WIDTH].0[j % WIDTH];
            }
            dense::back(q, nu, reciprocal, turned, gain);
            for (j, k) in here.k.iter_mut().enumerate() {
                *k = gain.at(ndx, j);
            }
            dense::write_transposed(gain, 0, &mut here.gain);
            dense::subtract_square(q, nu, (first, ndx));
        }
        read(gradient, first, here.vx.as_mut_slice());
        dense::write_symmetric(q, first, &mut here.vxx);
        Some(())
    }

    /// Q as plain matrices.
    pub(super) fn write(&self, to: &mut Quadratics) {
        let Self { ndx, nu, first, q, gradient, .. } = self;
        let x = first * WIDTH;
        read(gradient, 0, to.u.as_mut_slice());
        read(gradient, *first, to.x.as_mut_slice());
        dense::write_symmetric(q, *first, &mut to.xx);
        fill_lower(&mut to.uu, |i, j| q.at(i, j));
        for j in 0..*nu {
            for i in 0..*ndx {
                to.xu[(i, j)] = q.at(x + i, j);
            }
        }
    }
}

fn fill_lower(to: &mut DMatrix<f64>, entry: impl Fn(usize, usize) -> f64) {
    for j in 0..to.ncols() {
        for i in j..to.nrows() {
            let x = entry(i, j);
            (to[(i, j)], to[(j, i)]) = (x, x);
        }
    }
}

/// Numbers into rows from a block on.
fn write(to: &mut [Lanes], block: usize, from: &[f64]) {
    for (to, from) in to[block..].iter_mut().zip(from.chunks(WIDTH)) {
        to.0[..from.len()].copy_from_slice(from);
    }
}

/// And back.
fn read(from: &[Lanes], block: usize, to: &mut [f64]) {
    for (from, to) in from[block..].iter().zip(to.chunks_mut(WIDTH)) {
        to.copy_from_slice(&from.0[..to.len()]);
    }
}
