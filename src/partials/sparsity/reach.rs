//! Who moves what.

use crate::dynamics::jacobian::carries;
use crate::model::Model;

/// Whether `b` is on the path from the root to a body, itself included. False if there are no such bodies, and for the
/// world.
pub(super) fn on_path(model: &Model, b: usize, to: Option<usize>) -> bool {
    to.is_some_and(|to| b < model.bodies().len() && carries(&model.bodies, b, to))
}

/// The degrees of freedom that drive one of these bodies.
pub(super) fn movers(model: &Model, is_one: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut moves = vec![false; model.nv()];
    for (b, body) in model.bodies().iter().enumerate() {
        if is_one(b) {
            moves[body.v_range()].fill(true);
        }
    }
    moves
}
