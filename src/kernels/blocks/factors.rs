//! Sparse factors `M = Lᵀ D L` of the mass matrix in blocks, and solutions with them (RBDA, table 6.3).
//! Page: `dynamics/ltl.rs`. Test: `forward_dynamics::factors_of_the_mass_matrix`.
//!
//! `L` has entries where the mass matrix has them: along the paths to the root. Degrees of freedom are processed eight
//! at a time, and blocks without entries of any path are omitted.

use crate::kernels::blocks::{self, Block};
use crate::plan::{DofTree, Row, factors_pay};
use gradyn_derivatives::WIDTH;
use std::ops::Range;

/// Factors of one mass matrix after the other, and the last one's inverse.
///
/// Block (g, c) of a matrix is its entry `g · width + c`.
#[derive(Clone, Debug)]
pub(crate) struct Factors {
    pub(crate) tree: DofTree,
    /// Columns side by side, and runs of their rows that the tree leaves other than zero: the same ones; made when
    /// first needed.
    pub(crate) coupled: Vec<(Range<usize>, Vec<Range<usize>>)>,
    /// Blocks a row.
    pub(crate) width: usize,
    /// Of each group of eight rows the groups above it that its paths go through, last first.
    pub(crate) above: Vec<Vec<usize>>,
    /// Whether that block of `L` has entries. All diagonal blocks have.
    pub(super) related: Vec<bool>,
    pays: bool,
    /// What is eliminated, where lanes are not degrees of freedom.
    pub(super) folded: Vec<Row>,
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
    /// Block (g, c) is entry `c · width + g`: rows of a block of columns stand one after the other. With zeros in rows
    /// and columns that fill up the last block.
    pub(crate) inverse: Vec<Block>,
    /// One right-hand side.
    pub(super) x: Vec<Row>,
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
    pub(super) fn size(&mut self) {
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

    /// Whether this gives accelerations faster than the articulated-body algorithm.
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

    /// Whether paths of the group `g` go through `c`.
    #[inline(always)]
    pub(crate) fn goes_through(&self, g: usize, c: usize) -> bool {
        self.related[g * self.width + c]
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
}
