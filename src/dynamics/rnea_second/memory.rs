//! The memory of the sweep, in addition to the workspace.

use super::column::{Column, MOTIONS, Motions};
use super::result::RneaSecondDerivatives;
use crate::dynamics::placed::Placed;
use crate::joint::{Elementary, Joint};
use crate::model::Model;
use crate::spatial::{BodyCoriolis, Force, InertiaAboutOrigin};
use gradyn_derivatives::{Real, WIDTH};

/// The column at one place of a path from the world to a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The column, counted over all links.
    pub(super) column: usize,
    /// Its degree of freedom `k`.
    pub(super) dof: usize,
    /// `n k`, where row `k` of a slab of a tensor begins.
    pub(super) row: usize,
    /// `n² k`, where slab `k` of a tensor begins.
    pub(super) slab: usize,
    /// The places of its link's columns.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) moves: Moves,
}

/// What a degree of freedom moves. Torques do not depend on where a floating base is, and on how it is turned only
/// through gravity: not together with velocities, which are in its own axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moves {
    Joint,
    BasePosition,
    BaseOrientation,
}

/// Sizes of the blocks of [`RneaSecondMemory::rows`] and [`RneaSecondMemory::ancestors`], per column; of [`RneaSecondMemory::path`] it is
/// [`MOTIONS`].
pub(super) const ROWS: usize = 11;
pub(super) const FACTORS: usize = 3 * 3 + 5 * 6;

/// So many columns of a path are multiplied with a block before their entries are written.
pub(super) const AT_ONCE: usize = 32;

/// Memory of [`rnea_second_derivatives`](super::rnea_second_derivatives).
#[derive(Clone, Debug)]
pub(crate) struct RneaSecondMemory<T> {
    /// Columns from the world to each link, its own included.
    pub(super) depth: Vec<usize>,
    /// The columns from the world to a link.
    pub(super) steps: Vec<Step>,
    /// `S`, `Ψ̇`, `Ψ̈`, `Ψ̇ + Ṡ` of these columns, component by component in blocks of a pack.
    pub(super) path: Vec<T>,
    /// What one column of the link makes of each column of its path, in the same blocks.
    pub(super) ancestors: Vec<T>,
    /// For each of some columns of its path, products of that one and a block.
    pub(super) rows: Vec<T>,
    /// Sums over subtrees: inertia, Coriolis matrix, force; unused where columns are made eight at a time.
    pub(super) inertia: Vec<InertiaAboutOrigin<T>>,
    pub(super) coriolis: Vec<BodyCoriolis<T>>,
    pub(super) force: Vec<Force<T>>,
    /// Of each column of the links.
    pub(crate) columns: Vec<Column<T>>,
    /// And its motions.
    pub(crate) motions: Vec<Motions<T>>,
    /// What each column moves.
    pub(super) moves: Vec<Moves>,
    /// Forces that stand still in the world, summed over subtrees.
    pub(super) still: Vec<Force<T>>,
    /// Two degrees of freedom share a coordinate: entries are sums.
    pub(super) shares: bool,
    /// Only the entries that the analytical form writes may be other than zero.
    pub(crate) sparse: bool,
    pub(crate) result: RneaSecondDerivatives<T>,
}

impl<T: Real> RneaSecondMemory<T> {
    pub(crate) fn new<P: Real>(model: &Model<P>, placed: &Placed<T>) -> Self {
        let n = model.bodies.len();
        let mut depth: Vec<usize> = Vec::with_capacity(placed.links.len());
        for link in &placed.links {
            let above = link.parent.map_or(0, |p| depth[p]);
            depth.push(above + link.columns.len());
        }
        let deepest = depth.iter().copied().max().unwrap_or(0);
        let padded = deepest.next_multiple_of(WIDTH);
        let shares = model.bodies.iter().any(|body| !body.owns_coordinates && !body.v.is_empty());
        Self {
            depth,
            steps: vec![Step { column: 0, dof: 0, row: 0, slab: 0, start: 0, end: 0, moves: Moves::Joint }; deepest],
            path: vec![T::zero(); padded * MOTIONS],
            ancestors: vec![T::zero(); padded * FACTORS],
            rows: vec![T::zero(); WIDTH * ROWS * AT_ONCE],
            inertia: vec![InertiaAboutOrigin::zero(); n],
            coriolis: vec![BodyCoriolis::zero(); n],
            force: vec![Force::zero(); n],
            columns: vec![Column::zero(); placed.dof.len()],
            motions: vec![[T::zero(); MOTIONS]; placed.dof.len()],
            moves: moves(model, placed),
            still: vec![Force::zero(); n],
            shares,
            sparse: true,
            result: RneaSecondDerivatives::zeros(model.nv),
        }
    }
}

/// Where [`RneaSecondMemory::rows`] of column `t` and a block of `width` begin.
#[inline(always)]
pub(super) fn rows_at(t: usize, width: usize) -> usize {
    t % AT_ONCE * (ROWS * width)
}

/// What each column of the links moves.
fn moves<P: Real, T: Real>(model: &Model<P>, placed: &Placed<T>) -> Vec<Moves> {
    let mut moves = vec![Moves::Joint; placed.dof.len()];
    for (body, of_body) in model.bodies.iter().zip(&placed.of_body) {
        if body.parent.is_none() && matches!(body.joint, Joint::Elementary(Elementary::FreeFlyer(_))) {
            for column in placed.links[of_body.clone()].iter().flat_map(|link| link.columns.clone()) {
                let is_linear = placed.dof[column] < body.v.start + 3;
                moves[column] = if is_linear { Moves::BasePosition } else { Moves::BaseOrientation };
            }
        }
    }
    moves
}
