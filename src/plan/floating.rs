//! Floating bases: which bodies float.

use crate::joint::{Elementary, Joint};
use crate::model::Model;

/// A body that floats in the world, and that nothing holds there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floating {
    pub(crate) body: usize,
    /// The first of its degrees of freedom.
    pub(crate) v: usize,
}

impl Floating {
    /// All of a model; a base with armature, damping or friction does not count.
    pub(crate) fn all(model: &Model) -> Vec<Self> {
        let floats = |joint: &Joint| matches!(joint, Joint::Elementary(Elementary::FreeFlyer(_)));
        let bodies = model.bodies.iter().enumerate().filter(|(_, body)| body.parent.is_none() && floats(&body.joint));
        let held = |v: usize| model.dofs.iter().any(|dof| (v..v + 6).contains(&dof.index));
        bodies.map(|(body, of)| Self { body, v: of.v.start }).filter(|base| !held(base.v)).collect()
    }

    /// Whether it is this one.
    pub(crate) fn is(&self, body: usize) -> bool {
        self.body == body
    }

    /// Whether the columns `j` of derivatives by configurations, and by velocities, are those of equation (1).
    pub(crate) fn knows(&self, j: usize) -> [bool; 2] {
        [(self.v..self.v + 6).contains(&j), (self.v..self.v + 3).contains(&j)]
    }
}
