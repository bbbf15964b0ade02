//! Floating bases: which bodies float, and the lanes of a robot on one base that leave five of its columns out.

use super::joints::{Carried, Pair};
use super::lanes::Lanes;
use crate::joint::{Elementary, Joint};
use crate::model::Model;
use gradyn_derivatives::simd::WIDTH;

/// The columns of a base that have no lane.
pub(crate) const LEFT_OUT: usize = 5;

/// A body that floats in the world, and that nothing holds there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floating {
    pub(crate) body: usize,
    /// The first of its degrees of freedom.
    pub(crate) v: usize,
}

impl Floating {
    /// All of a model; a base with armature, damping or friction is none.
    pub(crate) fn all(model: &Model) -> Vec<Self> {
        let floats = |joint: &Joint| matches!(joint, Joint::Elementary(Elementary::FreeFlyer(_)));
        let bodies = model.bodies.iter().enumerate().filter(|(_, body)| body.parent.is_none() && floats(&body.joint));
        let held = |v: usize| model.dofs.iter().any(|dof| (v..v + 6).contains(&dof.index));
        bodies.map(|(body, of)| Self { body, v: of.v.start }).filter(|base| !held(base.v)).collect()
    }

    /// Is it this one?
    pub(crate) fn is(&self, body: usize) -> bool {
        self.body == body
    }

    /// Are the columns `j` of derivatives by configurations, and by velocities, those of equation (1)?
    pub(crate) fn knows(&self, j: usize) -> [bool; 2] {
        [(self.v..self.v + 6).contains(&j), (self.v..self.v + 3).contains(&j)]
    }
}

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

/// Rows and columns of the base into the pairs of matrices, after those of the groups. So nobody else needs the first lane, which
/// all columns hang on.
pub(crate) fn add_base(pairs: &mut Vec<Vec<Pair>>, carried: &mut [Vec<Carried>]) {
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
