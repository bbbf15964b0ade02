//! The memory of constrained dynamics.

use super::factor::Factor;
use super::rows::Rows;
use crate::default_fields::default_of_fields;

/// Factors of the mass matrix that motions under constraints are found by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FactorsOfMass {
    /// Along the paths of the tree, in `ws.ltl`; those of constraints are in `factor`.
    #[default]
    Paths,
    /// In blocks, those of constraints too; in `ws.by_joint`.
    Blocks,
}

/// What constrained dynamics is computed in.
#[derive(Clone, Debug)]
pub(crate) struct ConstraintsMemory<T> {
    pub(crate) rows: Rows<T>,
    pub(crate) factor: Factor<T>,
    /// For each block of rows: the sum of the squares of their entries, and of what they were summed from.
    pub(super) sums: Vec<(T, T)>,
    /// For each block of rows: below which sum of squares it counts as zero.
    pub(super) least: Vec<T>,
    /// What motions were found by.
    pub(crate) by: FactorsOfMass,
    /// Square roots of `1 / D` of the mass matrix, nv.
    pub(crate) root: Vec<T>,
    /// Right-hand side, one entry a row.
    pub(crate) rhs: Vec<T>,
    /// What is left of it, one entry a row.
    pub(super) left: Vec<T>,
    /// Accelerations, or velocities after an impulse, nv.
    pub(crate) motion: Vec<T>,
    /// What the constraints add to them, nv.
    pub(crate) change: Vec<T>,
    /// Multipliers, one entry a row.
    pub(crate) lambda: Vec<T>,
    /// A neighbor, and no velocity, for [`constraint_rank`](super::constraint_rank).
    pub(super) near: [Vec<T>; 2],
}

default_of_fields!(ConstraintsMemory: rows, factor, sums, least, by, root, rhs, left, motion, change, lambda, near);
