//! The number of independent rows of constraints, its margin, and whether it is the same near a configuration.

use super::constraint::{Constraint, rows_of};
use super::margin::RankMargin;
use super::solve::impulse_dynamics;
use crate::dynamics::Workspace;
use crate::model::{InputError, Model};

/// The rank of constraints at a configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstraintRank {
    /// How many rows are independent.
    pub rank: usize,
    /// How clear that is.
    pub margin: RankMargin,
    /// Whether it is the same at all nearby configurations.
    ///
    /// If not, accelerations and multipliers there are others than here, however near: as functions of the
    /// configuration they have no derivative. A robot that stands on two legs side by side, each foot held as a frame,
    /// is such a case.
    pub is_locally_constant: bool,
}

/// By how much a neighbor is off, rad and m: far enough that a part which grows with the third power of that is above
/// 1e-8.
const NEAR: f64 = 1.0 / 128.0;

/// The rank of constraints at a configuration, how clear it is, and whether it stays the same near by.
///
/// `q`: nq. Ranks do not fall on the way to a neighbor, and nearly all neighbors have one and the same, so where rows
/// are dropped one neighbor is looked at. Cost that of [`impulse_dynamics`], three times where rows are dropped.
///
/// # Errors
/// As [`impulse_dynamics`].
pub fn constraint_rank(
    model: &Model,
    ws: &mut Workspace<f64>,
    q: &[f64],
    constraints: &[Constraint],
) -> Result<ConstraintRank, InputError> {
    // Moved out, so that the algorithm can have the workspace; allocates the first time only.
    let [mut still, mut near] = ws.constraints.as_deref_mut().map(|m| std::mem::take(&mut m.near)).unwrap_or_default();
    still.clear();
    still.resize(model.nv, 0.0);
    let found = impulse_dynamics(model, ws, q, &still, 0.0, constraints).map(|by| (by.rank, by.margin));
    let found = found.map(|(rank, margin)| {
        let most = rows_of(constraints).min(model.nv);
        let is_locally_constant =
            rank == most || rank_beside(model, ws, q, constraints, [&mut still, &mut near]) == Some(rank);
        ConstraintRank { rank, margin, is_locally_constant }
    });
    if let Some(memory) = ws.constraints.as_deref_mut() {
        memory.near = [still, near];
    }
    found
}

/// The rank at a neighbor in a direction that no symmetry of a robot has; `None` if there is no dynamics.
fn rank_beside(
    model: &Model,
    ws: &mut Workspace<f64>,
    q: &[f64],
    constraints: &[Constraint],
    [still, near]: [&mut Vec<f64>; 2],
) -> Option<usize> {
    /// The golden ratio, whose multiples are spread evenly.
    const GOLDEN: f64 = 1.618_033_988_749_895;
    let mut turn = 0.0;
    for x in still.iter_mut() {
        turn += GOLDEN;
        *x = 2.0 * NEAR * (turn % 1.0 - 0.5);
    }
    near.clear();
    near.resize(model.nq, 0.0);
    model.integrate_into(q, still, near).ok()?;
    still.fill(0.0);
    impulse_dynamics(model, ws, near, still, 0.0, constraints).ok().map(|by| by.rank)
}
