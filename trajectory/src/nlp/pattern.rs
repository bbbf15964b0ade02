//! The entries of a node's blocks that may differ from zero.
//!
//! They are found at a few states and controls around the base, with multipliers in all rows. An entry that is exactly
//! zero at each of these points is zero everywhere, except for losses that are flat somewhere, such as barriers. For
//! every cost that applies, the pattern therefore has all entries that the Jacobian and the second derivatives of its
//! residual make possible, for any loss. User-defined nodes are dense, and so are nodes that cannot be evaluated at any
//! of these points.

use super::block::{Block, Spot};
use super::chart::Chart;
use super::layout::Layout;
use crate::fault::Reason;
use crate::node::{At, Node};
use crate::problem::{Problem, ProblemMemory};
use crate::quadratic::{Dims, Quadratic};
use crate::residual::Jacobian;
use crate::stage::Stage;
use crate::step::Sensitivities;
use nalgebra::DMatrix;

/// Places that are looked at.
const PLACES: usize = 3;
/// Numbers of states are moved by up to this, controls by up to this and their size.
const FAR: f64 = 0.7;
const PUSH: f64 = 1.0;

/// The pattern of a node.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// Places of entries in the block of the Jacobian, column by column, and of the lower triangle of that of the
    /// Hessian.
    pub(super) jacobian: Vec<usize>,
    pub(super) hessian: Vec<usize>,
    /// The other ones, which stay zero; of rows that count.
    pub(super) rest: [Vec<usize>; 2],
    /// Whether it has its second derivatives.
    pub(super) knows: bool,
}

/// Numbers between −1 and 1, evenly spread, the same at each call: multiples of the golden ratio.
struct Spread(u64);

impl Spread {
    fn next(&mut self) -> f64 {
        self.0 += 1;
        2.0 * (self.0 as f64 * 0.618_033_988_749_894_9).fract() - 1.0
    }
}

impl Pattern {
    /// Of a node.
    pub(super) fn find(
        problem: &Problem,
        chart: &Chart,
        memory: &mut ProblemMemory,
        block: &mut Block,
        layout: &Layout,
        at: Spot<'_>,
    ) -> Self {
        let Dims { ndx, nu, .. } = layout.dims;
        let mut jacobian = block.jacobian.map(|_| false);
        let mut hessian = block.hessian.map(|_| false);
        let mut spread = Spread(0);
        let (mut seen, mut knows) = (0, true);
        for _ in 0..PLACES {
            let delta: Vec<f64> = (0..ndx).map(|_| FAR * spread.next()).collect();
            let u: Vec<f64> = at.u.iter().map(|u| u + (PUSH + u.abs()) * spread.next()).collect();
            let lambda: Vec<f64> = (0..block.rows.len()).map(|_| 1.0 + 0.5 * spread.next()).collect();
            let moved = Spot { delta: &delta, u: &u, ..at };
            let done = block.linearize(problem, chart, memory, moved);
            match done.and_then(|()| block.evaluate_hessian(problem, chart, memory, moved, (1.0, &lambda))) {
                Ok(known) => knows &= known,
                // Not every place is one where a robot can be.
                Err(_) => continue,
            }
            seen += 1;
            jacobian.zip_apply(&block.jacobian, |to, x| *to |= x != 0.0);
            hessian.zip_apply(&block.hessian, |to, x| *to |= x != 0.0);
            if let Some(stage) = problem.stage(at.k)
                && let Ok(terms) = of_terms(problem, stage, chart, moved)
            {
                hessian.zip_apply(&terms, |to, x| *to |= x);
            }
        }
        if seen == 0 || problem.stage(at.k).is_none() {
            jacobian.fill(true);
            hessian.fill(true);
        }
        Self::of(layout, &jacobian, &hessian, ndx + nu, knows)
    }

    fn of(layout: &Layout, jacobian: &DMatrix<bool>, hessian: &DMatrix<bool>, n: usize, knows: bool) -> Self {
        let mut out = Self { jacobian: Vec::new(), hessian: Vec::new(), rest: [Vec::new(), Vec::new()], knows };
        let rows: Vec<usize> = (0..layout.gaps).chain(layout.held.iter().copied()).collect();
        for j in 0..n {
            for i in &rows {
                let to = if jacobian[(*i, j)] { &mut out.jacobian } else { &mut out.rest[0] };
                to.push(i + j * jacobian.nrows());
            }
            for i in j..n {
                let to = if hessian[(i, j)] || hessian[(j, i)] { &mut out.hessian } else { &mut out.rest[1] };
                to.push(i + j * n);
            }
        }
        out
    }
}

/// What costs make possible in the Hessian, whatever their losses, at a place.
fn of_terms(problem: &Problem, stage: &Stage, chart: &Chart, at: Spot<'_>) -> Result<DMatrix<bool>, Reason> {
    let dims = stage.dims();
    let space = problem.space();
    let mut x = vec![0.0; dims.nx];
    space.integrate(at.base, at.delta, &mut x)?;
    let spot: At<'_> = problem.at(at.k, &x, at.u);
    let mut memory = stage.memory();
    let mut out = Quadratic::new(dims, stage.is_last());
    let step = stage.step_derivatives(spot, &mut memory, &mut out).map_err(|error| error.reason)?;
    // By controls alone: what comes through parameters is in the columns by what states carry.
    let of_controls = |m: &DMatrix<f64>| m.columns(0, dims.nu).into_owned();
    let by = Sensitivities { a_u: of_controls(&step.a_u), f_u: of_controls(&step.f_u), ..step.clone() };
    let (a, f) = stage.made(&mut memory)?;
    let n = dims.ndx + dims.nu;
    let mut pattern = DMatrix::from_element(n, n, false);
    for (i, (_, slots, _)) in stage.terms().enumerate() {
        if spot.parameters[slots.weight] == 0.0 {
            continue;
        }
        let sizes = Sizes { nv: space.model.nv(), nu: dims.nu, remembered: space.memory, ndx: dims.ndx };
        let columns = stage.view(i, spot, (&a, &f), &mut memory, |residual, on| {
            let (m, nf) = (residual.rows(), f.len());
            let mut jacobian = Jacobian::new(m, stage.depends(residual), sizes.nv, sizes.nu, nf, sizes.remembered);
            residual.jacobian(on, &mut vec![0.0; m], &mut jacobian)?;
            stage.add_carried(spot, &step, &mut jacobian)?;
            let mut second = DMatrix::zeros(0, 0);
            if residual.has_hessian() {
                let size = 3 * sizes.nv + sizes.nu + nf;
                second = DMatrix::zeros(size, size);
                let mut spread = Spread(i as u64);
                let weights: Vec<f64> = (0..m).map(|_| 1.0 + 0.5 * spread.next()).collect();
                residual.hessian(on, &weights, &mut second)?;
            }
            Ok((sizes.columns(&jacobian, &by), sizes.second(&second, &by)))
        });
        let (columns, second) = columns?;
        for row in columns {
            for j in &row {
                row.iter().for_each(|i| pattern[(*i, *j)] = true);
            }
        }
        if !second.is_empty() {
            pattern.zip_apply(&second, |to, x| *to |= x);
        }
    }
    // Directions of a joint that turns in space go together.
    for block in chart.blocks() {
        for j in 0..n {
            let any = block.clone().any(|i| pattern[(i, j)]);
            block.clone().for_each(|i| pattern[(i, j)] |= any);
        }
        for i in 0..n {
            let any = block.clone().any(|j| pattern[(i, j)]);
            block.clone().for_each(|j| pattern[(i, j)] |= any);
        }
        // Whatever depends on it bends with it.
        if block.clone().any(|i| pattern[(i, i)]) {
            block.clone().for_each(|j| block.clone().for_each(|i| pattern[(i, j)] = true));
        }
    }
    Ok(pattern)
}

#[derive(Clone, Copy)]
struct Sizes {
    nv: usize,
    nu: usize,
    remembered: usize,
    ndx: usize,
}

impl Sizes {
    /// What each row of a residual depends on, accelerations and multipliers put in.
    fn columns(&self, by: &Jacobian, step: &Sensitivities) -> Vec<Vec<usize>> {
        let Self { nv, nu, remembered, ndx } = *self;
        let rows = [&by.dq, &by.dv, &by.du, &by.da, &by.df, &by.dw].iter().map(|m| m.nrows()).max().unwrap_or(0);
        let own = |m: &DMatrix<f64>, i: usize, j: usize| m.ncols() > j && m[(i, j)] != 0.0;
        let through = |m: &DMatrix<f64>, s: &DMatrix<f64>, i: usize, j: usize| {
            (0..m.ncols()).any(|k| m[(i, k)] != 0.0 && s[(k, j)] != 0.0)
        };
        let of = |i: usize| {
            let mut columns = Vec::new();
            for (first, n, direct, by_a, by_f) in [
                (0, nv, &by.dq, &step.a_q, &step.f_q),
                (nv, nv, &by.dv, &step.a_v, &step.f_v),
                (ndx, nu, &by.du, &step.a_u, &step.f_u),
            ] {
                let any =
                    |j: &usize| own(direct, i, *j) || through(&by.da, by_a, i, *j) || through(&by.df, by_f, i, *j);
                columns.extend((0..n).filter(any).map(|j| first + j));
            }
            columns.extend((0..remembered).filter(|j| own(&by.dw, i, *j)).map(|j| 2 * nv + j));
            columns
        };
        (0..rows).map(of).collect()
    }

    /// Second derivatives of a residual by `(q, v, u, a, f)`, accelerations and multipliers put in.
    fn second(&self, s: &DMatrix<f64>, step: &Sensitivities) -> DMatrix<bool> {
        let Self { nv, nu, ndx, .. } = *self;
        if s.is_empty() {
            return DMatrix::from_element(0, 0, false);
        }
        let z = 2 * nv + nu;
        // [1; D], as sizes: nothing cancels.
        let mut by = DMatrix::zeros(s.nrows(), z);
        by.fill_with_identity();
        for (first, by_a, by_f) in
            [(0, &step.a_q, &step.f_q), (nv, &step.a_v, &step.f_v), (2 * nv, &step.a_u, &step.f_u)]
        {
            by.view_mut((z, first), by_a.shape()).copy_from(&by_a.abs());
            by.view_mut((z + nv, first), by_f.shape()).copy_from(&by_f.abs());
        }
        let product = by.tr_mul(&(s.abs() * &by));
        let place = |k: usize| if k < 2 * nv { k } else { ndx + k - 2 * nv };
        let mut out = DMatrix::from_element(ndx + nu, ndx + nu, false);
        for j in 0..z {
            (0..z).for_each(|i| out[(place(i), place(j))] = product[(i, j)] != 0.0);
        }
        out
    }
}
