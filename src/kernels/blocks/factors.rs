//! Sparse factors `M = Lᵀ D L` of the mass matrix in blocks, and solutions with them (RBDA, table 6.3).
//!
//! `L` has entries where the mass matrix has them: along the paths to the root. Degrees of freedom are taken eight at a time,
//! and blocks that hold nothing of any path are left out.

use crate::kernels::blocks::inverse::{inversion, product, sparse_product};
use crate::kernels::blocks::substitution::{forth, scale, solve, take};
use crate::kernels::blocks::{self, Block};
use crate::kernels::by_joint::memory::{Row, from_rows, to_rows};
use crate::kernels::outcome::{Lost, Outcome};
use crate::plan::dof_tree::DofTree;
use crate::plan::factors_pay;
use crate::plan::floating::Floating;
use gradyn_derivatives::Lanes;
use gradyn_derivatives::simd::{Register, WIDTH};
use nalgebra::DMatrix;
use std::ops::Range;

/// Factors of one mass matrix after the other, and the last one's inverse.
///
/// Block (g, c) of a matrix is its entry `g · width + c`.
#[derive(Clone, Debug)]
pub(crate) struct Factors {
    pub(crate) tree: DofTree,
    /// Columns side by side, and runs of their rows that the tree leaves other than zero: the same ones; made when first needed.
    pub(crate) coupled: Vec<(Range<usize>, Vec<Range<usize>>)>,
    /// Blocks a row.
    pub(crate) width: usize,
    /// Of each group of eight rows the groups above it that its paths go through, last first.
    pub(crate) above: Vec<Vec<usize>>,
    /// Has that block of `L` entries? All on the diagonal have.
    related: Vec<bool>,
    pays: bool,
    /// What is eliminated, where lanes are not degrees of freedom.
    folded: Vec<Row>,
    /// What the pivots are compared with.
    pub(crate) scale: Vec<Row>,
    /// `L` without its diagonal.
    pub(crate) l: Vec<Block>,
    /// `1 / D`, zero where rows fill up the last block.
    pub(crate) reciprocal: Vec<Row>,
    /// `L⁻¹`
    pub(crate) w: Vec<Block>,
    /// `D⁻¹ L⁻ᵀ`
    pub(crate) y: Vec<Block>,
    /// Block (g, c) is entry `c · width + g`: rows of a block of columns stand one after the other. With zeros in rows and columns that
    /// fill up the last block.
    pub(crate) inverse: Vec<Block>,
    /// One right-hand side.
    x: Vec<Row>,
    /// Eight columns of a matrix that is multiplied, each a row here.
    pub(crate) columns: Vec<Block>,
}

impl Factors {
    pub(crate) fn new(tree: &DofTree) -> Self {
        Self::of_tree(tree.clone())
    }

    /// Of a matrix without zeros.
    pub(crate) fn dense(rows: usize) -> Self {
        let mut factors = Self::of_tree(DofTree::chain(rows));
        factors.size();
        factors
    }

    fn of_tree(tree: DofTree) -> Self {
        let nv = tree.start.len() - 1;
        let width = nv.div_ceil(WIDTH);
        let mut related = vec![false; width * width];
        for k in 0..nv {
            for i in tree.path(k) {
                related[k / WIDTH * width + i / WIDTH] = true;
            }
        }
        let above: Vec<Vec<usize>> =
            (0..width).map(|g| (0..g).rev().filter(|c| related[g * width + c]).collect()).collect();
        Self {
            coupled: Vec::new(),
            width,
            related,
            pays: factors_pay(tree.block_products(), nv),
            above,
            folded: Vec::new(),
            scale: vec![Row::ZERO; width],
            l: Vec::new(),
            reciprocal: vec![Row::ZERO; width],
            w: Vec::new(),
            y: Vec::new(),
            inverse: Vec::new(),
            x: vec![Row::ZERO; width],
            columns: vec![blocks::ZERO; width],
            tree,
        }
    }

    /// Memory for matrices: whoever finds that they do not pay needs none.
    fn size(&mut self) {
        let blocks = self.width * self.width;
        if self.l.len() == blocks {
            return;
        }
        for matrix in [&mut self.l, &mut self.w, &mut self.y, &mut self.inverse] {
            matrix.resize(blocks, blocks::ZERO);
        }
        self.folded.resize(blocks * WIDTH, Row::ZERO);
    }

    /// Degrees of freedom.
    pub(crate) fn nv(&self) -> usize {
        self.tree.start.len() - 1
    }

    /// Is this a faster way to accelerations than the articulated-body algorithm?
    pub(crate) fn pays(&self) -> bool {
        self.pays
    }

    /// The groups above `g` that its paths go through, last first.
    #[inline(always)]
    pub(crate) fn above(&self, g: usize) -> &[usize] {
        &self.above[g]
    }

    /// How many rows of the group `g` do not just fill it up.
    #[inline(always)]
    pub(crate) fn live(&self, g: usize) -> usize {
        WIDTH.min(self.nv() - g * WIDTH)
    }

    /// Block (g, c) of `L`, without its diagonal.
    #[inline(always)]
    pub(crate) fn l_of(&self, g: usize, c: usize) -> &Block {
        &self.l[g * self.width + c]
    }

    /// Do paths of the group `g` go through `c`?
    #[inline(always)]
    pub(crate) fn goes_through(&self, g: usize, c: usize) -> bool {
        self.related[g * self.width + c]
    }

    /// Eliminates the mass matrix, whose blocks have their rows one after the other in `rows`, and `x := M⁻¹ x` of a right-hand
    /// side, or of none. The error is the first degree of freedom whose pivot is lost, and the pivot.
    pub(crate) fn factorize(&mut self, rows: &mut [Row], x: &mut [f64]) -> Outcome {
        self.size();
        let outcome = if x.is_empty() {
            elimination::<false>(self, &mut *rows)
        } else {
            // What fills up the last row would keep what is no number, and hand it on.
            to_rows(x, &mut self.x);
            let outcome = elimination::<true>(self, &mut *rows);
            from_rows(&self.x, x);
            outcome
        };
        if outcome.is_lost() {
            // Numbers that are none would stay where the tree makes zeros, which nobody writes.
            rows.fill(Row::ZERO);
        }
        outcome
    }

    /// Copies `L` into rows along the paths, with the pivots in the place of its diagonal, and one over the pivots.
    pub(crate) fn copy_paths(&self, rows: &mut [f64], reciprocal: &mut [f64]) {
        for (k, reciprocal) in reciprocal.iter_mut().enumerate() {
            let (g, lane) = (k / WIDTH, k % WIDTH);
            let range = self.tree.start[k]..self.tree.start[k + 1];
            for (to, i) in rows[range.clone()].iter_mut().zip(&self.tree.paths[range]) {
                *to = self.l[g * self.width + i / WIDTH][lane].0[i % WIDTH];
            }
            *reciprocal = self.reciprocal[g].0[lane];
            rows[self.tree.start[k + 1] - 1] = reciprocal.recip();
        }
    }

    /// `x := M⁻¹ x`
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        to_rows(x, &mut self.x);
        solution(self);
        from_rows(&self.x, x);
    }

    /// Eliminates a matrix nv × nv, as [`Self::factorize`].
    pub(crate) fn factorize_matrix(&mut self, m: &DMatrix<f64>, x: &mut [f64]) -> Outcome {
        self.size();
        let mut rows = std::mem::take(&mut self.folded);
        read_matrix(m.as_slice(), self.nv(), self.width, &mut rows);
        let done = self.factorize(&mut rows, x);
        self.folded = rows;
        done
    }

    /// The inverse of the mass matrix, nv × nv, symmetric to the bit.
    pub(crate) fn invert(&mut self, to: &mut DMatrix<f64>) {
        inversion(self, to.as_mut_slice());
    }

    /// `to = −M⁻¹ from` after [`Self::invert`], for the derivatives of torques by configurations and velocities, which have the
    /// zeros of the mass matrix; columns that are `known` are not written. Are both, and so the inverse, finite?
    pub(crate) fn multiply(
        &mut self,
        from: [&DMatrix<f64>; 2],
        to: [&mut DMatrix<f64>; 2],
        known: &[Floating],
    ) -> Outcome {
        if self.coupled.is_empty() {
            self.coupled = coupled(&self.tree);
        }
        let (from, to) = (from.map(DMatrix::as_slice), to.map(DMatrix::as_mut_slice));
        sparse_product(self, from, to, known)
    }

    /// The same for a matrix of any shape and without zeros.
    pub(crate) fn multiply_full(&mut self, from: &DMatrix<f64>, to: &mut DMatrix<f64>) {
        product(self, from.as_slice(), to.as_mut_slice());
    }
}

/// For the columns of a matrix with the zeros of the mass matrix runs of their other rows, ascending; columns side by side with the
/// same rows go together.
fn coupled(tree: &DofTree) -> Vec<(Range<usize>, Vec<Range<usize>>)> {
    let nv = tree.start.len() - 1;
    let mut rows = vec![Vec::<Range<usize>>::new(); nv];
    let mut add = |column: usize, row: usize| match rows[column].last_mut() {
        Some(run) if run.end == row => run.end = row + 1,
        _ => rows[column].push(row..row + 1),
    };
    for k in 0..nv {
        for &i in tree.path(k) {
            add(k, i);
            if i != k {
                add(i, k);
            }
        }
    }
    let mut alike: Vec<(Range<usize>, Vec<Range<usize>>)> = Vec::new();
    for (j, rows) in rows.into_iter().enumerate() {
        match alike.last_mut() {
            Some((columns, first)) if *first == rows => columns.end = j + 1,
            _ => alike.push((j..j + 1, rows)),
        }
    }
    alike
}

kernel!(
    active,
    /// Reads a matrix nv × nv into blocks.
    fn read_matrix<'a, R: Register>(m: &'a [f64], nv: usize, width: usize, rows: &'a mut [Row]) {
        for (k, m) in m.chunks_exact(nv.max(1)).enumerate() {
            for (b, from) in m.chunks(WIDTH).enumerate() {
                rows[blocks::place(width, k, b)].store(Lanes(R::load_first(from)));
            }
        }
    }
);

kernel!(
    active,
    /// `M = Lᵀ D L`, last degrees of freedom first, in blocks (g, c):
    ///
    /// ```text
    /// H_gg = L_ggᵀ D_g L_gg ;  H_gc := L_gg⁻ᵀ H_gc ,  L_gc = D_g⁻¹ H_gc ;  H_cb −= H_gcᵀ L_gb    for c, b above g
    /// ```
    ///
    /// With `SOLVE`, `x := M⁻¹ x`, and its first half goes along: its steps wait for nothing but rows that are there already.
    pub(crate) fn elimination<'a, R: Register, const SOLVE: bool>(
        factors: &'a mut Factors,
        rows: &'a mut [Row],
    ) -> Outcome {
        Outcome::of_pivots(eliminate_rows::<R, SOLVE>(factors, rows))
    }
);

/// The same, within a kernel.
#[inline(always)]
pub(crate) fn eliminate_rows<R: Register, const SOLVE: bool>(factors: &mut Factors, rows: &mut [Row]) -> Option<Lost> {
    let mut x = std::mem::take(&mut factors.x);
    let lost = eliminate::<R, SOLVE>(factors, rows, &mut x);
    if SOLVE && lost.is_none() {
        scale::<R>(&mut x, &factors.reciprocal);
        forth::<R>(factors, &mut x);
    }
    factors.x = x;
    lost
}

/// The factors, and with `SOLVE` `x := L⁻ᵀ x`.
#[inline(always)]
fn eliminate<R: Register, const SOLVE: bool>(factors: &mut Factors, rows: &mut [Row], x: &mut [Row]) -> Option<Lost> {
    let (nv, Factors { width, above, related, scale, l, reciprocal, .. }) = (factors.nv(), factors);
    let (width, (h, _)) = (*width, rows.as_chunks_mut::<WIDTH>());
    for g in (0..width).rev() {
        let (before, own) = h.split_at_mut(g * width);
        let (l, live) = (&mut l[g * width..(g + 1) * width], nv - g * WIDTH);
        let mut own_x = x[g].load::<R>().0;
        let lost = blocks::eliminate::<R, SOLVE>(&own[g], &mut l[g], &mut reciprocal[g], &scale[g], live, &mut own_x);
        if let Some((k, pivot)) = lost {
            return Some((g * WIDTH + k, pivot));
        }
        if SOLVE {
            x[g].store(Lanes(own_x));
        }
        let own_x = own_x.neg().to_array();
        for &c in &above[g] {
            let mut rows = blocks::load::<R>(&own[c]);
            blocks::solve_transposed(&l[g], &mut rows);
            blocks::store(&mut own[c], &rows);
            blocks::scale(&mut rows, &reciprocal[g]);
            blocks::store(&mut l[c], &rows);
            if SOLVE {
                x[c].store(Lanes(take::<R>(x[c].load().0, &rows, &own_x)));
            }
        }
        for &c in &above[g] {
            for &b in &above[g] {
                if b <= c && related[c * width + b] {
                    let to = &mut before[c * width + b];
                    let mut sums = blocks::load::<R>(to);
                    blocks::add_product::<R, true, true>(&mut sums, &own[c], &l[b], (WIDTH, live));
                    blocks::store(to, &sums);
                }
            }
        }
    }
    None
}

kernel!(
    active,
    /// `x := M⁻¹ x`
    fn solution<'a, R: Register>(factors: &'a mut Factors) {
        let mut x = std::mem::take(&mut factors.x);
        solve::<R>(factors, &mut x);
        factors.x = x;
    }
);
