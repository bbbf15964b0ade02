//! Sparse factors `M = Lᵀ D L` of the mass matrix in rows of registers, and solutions with them.
//!
//! Each step of the elimination subtracts a multiple of one row from rows on its path to the root (RBDA, table 6.3); all of
//! them lie in the registers that the row itself has entries in.

use super::inverse::{Inversion, Product};
use super::memory::Row;
use crate::dynamics::dof_tree::DofTree;
use crate::dynamics::singular;
use crate::model::Model;
use gradyn_derivatives::Lanes;
use gradyn_derivatives::simd::{Kernel, Register, WIDTH, dispatch};
use nalgebra::DMatrix;
use std::ops::Range;

/// Up to this many steps of the elimination a degree of freedom, each on one register, it takes less time than the
/// articulated-body algorithm.
const STEPS: usize = 100;

/// Factors of one mass matrix after the other, and the last one's inverse.
#[derive(Clone, Debug)]
pub(crate) struct Factors {
    pub(crate) tree: DofTree,
    /// Registers a row.
    pub(super) width: usize,
    /// The path of each row above itself, in runs of rows that stand side by side in one register.
    pub(super) runs: Vec<Run>,
    /// Where those of each row start; one more at the end.
    pub(super) first_run: Vec<usize>,
    /// The register of the last row that hangs from each.
    pub(super) window: Vec<usize>,
    /// The last register of the tree that each belongs to.
    pub(super) tree_end: Vec<usize>,
    /// Of each column of a matrix that is multiplied, the rows that are not zero.
    pub(super) coupled: Vec<Range<usize>>,
    pub(super) first_coupled: Vec<usize>,
    pays: bool,
    /// What is eliminated, where lanes are not degrees of freedom.
    folded: Vec<Row>,
    pub(crate) scale: Vec<f64>,
    /// `L` without its diagonal.
    pub(super) l: Vec<Row>,
    /// `1 / D`
    pub(crate) reciprocal: Vec<f64>,
    /// With rows of zeros to the end of the last register.
    pub(super) inverse: Vec<Row>,
    /// One right-hand side.
    x: Vec<Row>,
}

/// Rows of one register that stand side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    register: usize,
    /// The first of them and the first after them.
    from: usize,
    to: usize,
}

impl Run {
    /// The first row.
    #[inline(always)]
    pub(super) fn row(&self) -> usize {
        self.register * WIDTH + self.from
    }
    /// The entries of the run, of a row of a matrix.
    #[inline(always)]
    pub(super) fn entries<'r>(&self, row: &'r [Row]) -> &'r [f64] {
        &row[self.register].0[self.from..self.to]
    }
}

/// Splits a path into runs.
fn runs(path: &[usize]) -> Vec<Run> {
    let mut runs = Vec::<Run>::new();
    for i in path {
        let (register, lane) = (i / WIDTH, i % WIDTH);
        match runs.last_mut().filter(|run| run.register == register && run.to == lane) {
            Some(run) => run.to += 1,
            None => runs.push(Run { register, from: lane, to: lane + 1 }),
        }
    }
    runs
}

impl Factors {
    pub(crate) fn new(model: &Model) -> Self {
        let tree = DofTree::new(model);
        let nv = model.nv;
        let width = nv.div_ceil(WIDTH);
        let (mut all_runs, mut first_run) = (Vec::new(), vec![0]);
        for k in 0..nv {
            let path = tree.path(k);
            all_runs.extend(runs(&path[..path.len() - 1]));
            first_run.push(all_runs.len());
        }
        let mut last: Vec<usize> = (0..nv).collect();
        for k in (0..nv).rev() {
            for i in tree.path(k) {
                last[*i] = last[*i].max(last[k]);
            }
        }
        let mut partners: Vec<_> = (0..nv).map(|k| tree.path(k).to_vec()).collect();
        for k in 0..nv {
            for i in tree.path(k).iter().filter(|i| **i < k) {
                partners[*i].push(k);
            }
        }
        let (mut coupled, mut first_coupled) = (Vec::<Range<usize>>::new(), vec![0]);
        for partners in &mut partners {
            let start = coupled.len();
            partners.sort_unstable();
            for i in partners {
                match coupled[start..].last_mut().filter(|range| range.end == *i) {
                    Some(range) => range.end += 1,
                    None => coupled.push(*i..*i + 1),
                }
            }
            first_coupled.push(coupled.len());
        }
        let steps: usize = (0..nv).map(|k| tree.path(k).len() * (first_run[k + 1] - first_run[k])).sum();
        let rows = || vec![Row::ZERO; nv * width];
        Self {
            width,
            runs: all_runs,
            first_run,
            window: last.iter().map(|last| last / WIDTH).collect(),
            tree_end: (0..nv).map(|k| last[tree.path(k)[0]] / WIDTH).collect(),
            coupled,
            first_coupled,
            pays: steps <= STEPS * nv,
            folded: rows(),
            scale: vec![0.0; nv],
            l: rows(),
            reciprocal: vec![0.0; nv],
            inverse: vec![Row::ZERO; width * WIDTH * width],
            x: vec![Row::ZERO; width],
            tree,
        }
    }

    /// Is this a faster way to accelerations than the articulated-body algorithm?
    pub(crate) fn pays(&self) -> bool {
        self.pays
    }

    /// Eliminates the mass matrix in `rows`. The error is the first degree of freedom whose pivot is lost, and the pivot.
    pub(crate) fn factorize(&mut self, rows: &mut [Row]) -> Result<(), (usize, f64)> {
        dispatch(Elimination { factors: self, rows }).map_or(Ok(()), Err)
    }

    /// Copies `L` into rows along the paths, with the pivots in the place of its diagonal.
    pub(crate) fn copy_paths(&self, rows: &mut [f64]) {
        for k in 0..self.reciprocal.len() {
            let range = self.tree.start[k]..self.tree.start[k + 1];
            for (to, i) in rows[range.clone()].iter_mut().zip(&self.tree.paths[range]) {
                *to = self.l[k * self.width + i / WIDTH].0[i % WIDTH];
            }
            rows[self.tree.start[k + 1] - 1] = self.reciprocal[k].recip();
        }
    }

    /// `x := M⁻¹ x`
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        for (row, x) in self.x.iter_mut().zip(x.chunks(WIDTH)) {
            row.0.iter_mut().zip(x).for_each(|(row, x)| *row = *x);
        }
        dispatch(Solve { factors: self });
        for (row, x) in self.x.iter().zip(x.chunks_mut(WIDTH)) {
            x.iter_mut().zip(row.0).for_each(|(x, row)| *x = row);
        }
    }

    /// Eliminates a matrix nv × nv, as [`Self::factorize`].
    pub(crate) fn factorize_matrix(&mut self, m: &DMatrix<f64>) -> Result<(), (usize, f64)> {
        let mut rows = std::mem::take(&mut self.folded);
        dispatch(Read { m: m.as_slice(), nv: self.reciprocal.len(), width: self.width, rows: &mut rows });
        let done = self.factorize(&mut rows);
        self.folded = rows;
        done
    }

    /// The inverse of the mass matrix, nv × nv, symmetric to the bit.
    pub(crate) fn invert(&mut self, to: &mut DMatrix<f64>) {
        dispatch(Inversion { factors: self, to: to.as_mut_slice() });
    }

    /// `to = −M⁻¹ from` after [`Self::invert`], for `from` nv × nv with the zeros of the mass matrix.
    pub(crate) fn multiply(&self, from: &DMatrix<f64>, to: &mut DMatrix<f64>) {
        dispatch(Product { factors: self, from: from.as_slice(), to: to.as_mut_slice(), full: false });
    }

    /// The same for a matrix of any shape and without zeros.
    pub(crate) fn multiply_full(&self, from: &DMatrix<f64>, to: &mut DMatrix<f64>) {
        dispatch(Product { factors: self, from: from.as_slice(), to: to.as_mut_slice(), full: true });
    }
}

/// Reads a matrix nv × nv into rows.
struct Read<'a> {
    m: &'a [f64],
    nv: usize,
    width: usize,
    rows: &'a mut [Row],
}

impl Kernel for Read<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { m, nv, width, rows } = self;
        for (rows, m) in rows.chunks_exact_mut(width.max(1)).zip(m.chunks_exact(nv.max(1))) {
            for (to, from) in rows.iter_mut().zip(m.chunks(WIDTH)) {
                to.store(Lanes(R::load_first(from)));
            }
        }
    }
}

/// `M = Lᵀ D L`, last degree of freedom first:
///
/// ```text
/// L[k, :] = H[k, :] / H[k, k] ;  H[i, :] −= H[k, i] L[k, :]    for i on the path of k
/// ```
struct Elimination<'a> {
    factors: &'a mut Factors,
    rows: &'a mut [Row],
}

impl Kernel for Elimination<'_> {
    type Output = Option<(usize, f64)>;
    #[inline(always)]
    fn run<R: Register>(self) -> Self::Output {
        let Self { factors: Factors { width, runs, first_run, scale, l, reciprocal, .. }, rows } = self;
        let (width, zero) = (*width, R::splat(0.0));
        for k in (0..reciprocal.len()).rev() {
            let (above, own) = rows.split_at_mut(k * width);
            let own = &mut own[..width];
            let pivot = own[k / WIDTH].0[k % WIDTH];
            if singular::is_lost(pivot, scale[k]) {
                return Some((k, pivot));
            }
            let inverse = pivot.recip();
            reciprocal[k] = inverse;
            // What stands right of the diagonal is no part of the row.
            let last = own[k / WIDTH].load::<R>().0.where_else(((1u32 << (k % WIDTH)) - 1) as u8, zero);
            own[k / WIDTH].store(Lanes(last));
            let l = &mut l[k * width..][..width];
            let runs = &runs[first_run[k]..first_run[k + 1]];
            let mut done = usize::MAX;
            for (first, run) in runs.iter().enumerate() {
                let b = run.register;
                if b == done {
                    continue;
                }
                done = b;
                let entries = own[b].load::<R>().0.mul(R::splat(inverse));
                l[b].store(Lanes(entries));
                let minus = entries.neg();
                for run in &runs[first..] {
                    let mut at = run.row() * width + b;
                    for h in run.entries(own) {
                        above[at].store(Lanes(R::splat(*h).mul_add(minus, above[at].load::<R>().0)));
                        at += width;
                    }
                }
            }
        }
        None
    }
}

/// `Lᵀ y = x`, `D z = y`, `L x = z`
struct Solve<'a> {
    factors: &'a mut Factors,
}

impl Kernel for Solve<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Factors { width, runs, first_run, l, reciprocal, x, .. } = self.factors;
        let (width, nv) = (*width, reciprocal.len());
        for k in (0..nv).rev() {
            let (minus, l) = (R::splat(-x[k / WIDTH].0[k % WIDTH]), &l[k * width..][..width]);
            let mut done = usize::MAX;
            for run in &runs[first_run[k]..first_run[k + 1]] {
                let b = run.register;
                if b != done {
                    let y = l[b].load::<R>().0.mul_add(minus, x[b].load::<R>().0);
                    x[b].store(Lanes(y));
                    done = b;
                }
            }
        }
        for k in 0..nv {
            let l = &l[k * width..][..width];
            let (mut sum, mut done) = (R::splat(0.0), usize::MAX);
            for run in &runs[first_run[k]..first_run[k + 1]] {
                let b = run.register;
                if b != done {
                    sum = l[b].load::<R>().0.mul_add(x[b].load::<R>().0, sum);
                    done = b;
                }
            }
            let [a, b, c, d, e, f, g, h] = sum.to_array();
            let sum = ((a + e) + (c + g)) + ((b + f) + (d + h));
            // The register as a whole: one number written by itself would hold up the next load of its register.
            let own = x[k / WIDTH].load::<R>().0;
            let x_k = R::splat(reciprocal[k]).mul_sub(own, R::splat(sum));
            x[k / WIDTH].store(Lanes(x_k.where_else(1 << (k % WIDTH), own)));
        }
    }
}
