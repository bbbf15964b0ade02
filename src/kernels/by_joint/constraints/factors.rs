//! The results of constraints, and the operators of their derivatives: see [`solve`](super::solve) and
//! [`operators`](super::operators).
//! Serves: `kernels/by_joint/constraints/solve.rs`, `kernels/by_joint/constraints/operators.rs`. Test:
//! `constrained::contacts_agree_with_dual_numbers_at_every_level`.

use crate::kernels::blocks::factors::Factors;
use crate::kernels::blocks::{self, Block};
use crate::plan::Row;
use gradyn_derivatives::WIDTH;

/// `G` and its factors.
#[derive(Clone, Debug)]
pub(crate) struct ConstraintFactors {
    /// Blocks a column of `G`.
    pub(crate) width: usize,
    /// `Jᵀ`: block (g, r) is entry `g · width + r`.
    pub(crate) jt: Vec<Block>,
    /// `Y`, so too.
    pub(crate) y: Vec<Block>,
    /// `D^(−1/2)`
    pub(crate) root: Vec<Row>,
    /// `E^(−1/2)`
    pub(crate) root_of_gram: Vec<Row>,
    pub(super) gram: Vec<Row>,
    /// Of `G`.
    pub(crate) factors: Factors,
    /// Squares of the rows of `J`.
    pub(super) squares: Vec<Row>,
    /// For each block of rows: the sum of the squares of the entries of `J`, and of `Y`.
    pub(super) sums: Vec<(f64, f64)>,
    /// What derivatives are multiplied by.
    pub(crate) projections: Projections,
    /// One entry a row.
    pub(super) b: Vec<Row>,
    pub(super) wanted: Vec<Row>,
    /// One entry a degree of freedom.
    pub(super) x: Vec<Row>,
}

impl ConstraintFactors {
    /// Memory for constraints of a robot with as many blocks of degrees of freedom.
    pub(super) fn new(rows: usize, groups: usize) -> Self {
        let width = rows.div_ceil(WIDTH);
        Self {
            width,
            jt: vec![blocks::ZERO; width * groups],
            y: vec![blocks::ZERO; width * groups],
            root: vec![Row::ZERO; groups],
            root_of_gram: vec![Row::ZERO; width],
            gram: vec![Row::ZERO; width * width * WIDTH],
            factors: Factors::dense(rows),
            squares: vec![Row::ZERO; width],
            sums: Vec::new(),
            projections: Projections::default(),
            b: vec![Row::ZERO; width],
            wanted: vec![Row::ZERO; width],
            x: vec![Row::ZERO; groups],
        }
    }
}

/// In blocks, and in blocks transposed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Projections {
    /// `N`: block (g, c) is entry `g · groups + c`.
    pub(super) free: Vec<Block>,
    /// `Z`, degrees of freedom by ranks: block (g, r) is entry `g · width + r`.
    pub(super) z: Vec<Block>,
    /// Rows of `Zᵀ`, so too.
    pub(super) zt: Vec<Block>,
    /// Rows of `J`, so too.
    pub(super) j: Vec<Block>,
    /// `V`, ranks by rows: block (r, c) is entry `r · width + c`.
    pub(super) v: Vec<Block>,
    /// Rows of `Vᵀ`: block (c, r), so too.
    pub(super) vt: Vec<Block>,
    /// Rows of `Qᵀ`: block (g, r) is entry `g · width + r`.
    pub(super) qt: Vec<Block>,
    /// Columns of `X`: block (c, g) is entry `c · groups + g`; then what `N` is multiplied from.
    pub(super) x: Vec<Block>,
    pub(super) xt: Vec<Block>,
    /// Eight columns of `E₁`, of what is multiplied by `Jᵀ`, of `E₂`, of `V E₂` and of what multipliers come from, each
    /// a row.
    pub(super) of_torques: Vec<Block>,
    pub(super) turned: Vec<Block>,
    pub(super) of_rows: Vec<Block>,
    pub(super) u: Vec<Block>,
    pub(super) t: Vec<Block>,
}

impl Projections {
    pub(super) fn is_empty(&self) -> bool {
        self.z.is_empty()
    }

    pub(super) fn new(groups: usize, width: usize) -> Self {
        let zeros = |count: usize| vec![blocks::ZERO; count];
        let [z, zt, j, qt] = [(); 4].map(|()| zeros(groups * width));
        let [free, x, xt] = [(); 3].map(|()| zeros(groups * groups));
        let [v, vt] = [(); 2].map(|()| zeros(width * width));
        let [turned, of_rows, u, t] = [(); 4].map(|()| zeros(width));
        Self { free, z, zt, j, v, vt, qt, x, xt, of_torques: zeros(groups), turned, of_rows, u, t }
    }
}
