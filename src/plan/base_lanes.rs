//! The lanes of a robot on one floating base, without five of its columns.

use crate::model::Model;
use crate::plan::floating::Floating;
use crate::plan::joints::{Carried, Pair};
use crate::plan::lanes::Lanes;
use gradyn_derivatives::WIDTH;

/// The columns of a base that have no lane.
pub(crate) const LEFT_OUT: usize = 5;

/// The lanes of such a robot, if they are fewer groups than `lanes`, which is all of them.
pub(crate) fn fewer_lanes(model: &Model, lanes: &Lanes) -> Option<Lanes> {
    let floats = Floating::all(model).iter().any(|base| base.is(0));
    let one_tree = model.bodies.iter().skip(1).all(|body| body.parent.is_some());
    if !floats || !one_tree {
        return None;
    }
    let fewer = Lanes::new(&model.bodies, LEFT_OUT);
    (fewer.body.len() < lanes.body.len()).then_some(fewer)
}

/// Rows and columns of the base into the pairs of matrices, after those of the groups. So nobody else needs the first
/// lane, which all columns descend from.
pub(crate) fn append_base_pairs(pairs: &mut Vec<Vec<Pair>>, carried: &mut [Vec<Carried>]) {
    if let Some(first) = carried.first_mut() {
        first.retain(|of| of.group == 0 || of.above.iter().any(|above| *above > 1));
    }
    let base = pairs.len() * WIDTH;
    let own = |of: Pair| (0..LEFT_OUT + 1).map(move |k| Pair { column: base + k, to: k, floating: k < 3, ..of });
    let mut all: Vec<Pair> = Vec::new();
    for (g, pairs) in pairs.iter_mut().enumerate() {
        let first = pairs.iter().position(|pair| pair.column == 0).map(|at| pairs.remove(at));
        if g == 0 {
            all.extend(pairs.iter().map(|pair| Pair { above: BASE, below: 0, ..*pair }));
            pairs.retain(|pair| (pair.above | pair.below) > 1);
        }
        if let Some(first) = first {
            pairs.extend(own(first));
        }
    }
    all.extend(own(Pair { column: 0, to: 0, above: BASE, below: 0, floating: false }));
    pairs.push(all);
}

/// Its six lanes.
pub(crate) const BASE: u8 = 0x3f;
