//! A body of a robot, and what is fixed to it.

use super::{BodyId, Number};
use crate::joint::{Elementary, Joint};
use crate::spatial::{Inertia, Transform};
use gradyn_derivatives::Real;
use std::ops::Range;

/// A body and its joint.
#[derive(Clone, Debug)]
pub struct Body<P = f64> {
    /// Of the model that it is of.
    pub(crate) model: Number,
    pub(crate) name: String,
    pub(crate) joint_name: String,
    pub(crate) parent: Option<usize>,
    pub(crate) placement: Transform<P>,
    pub(crate) joint: Joint<P>,
    pub(crate) inertia: Inertia<P>,
    pub(crate) q: Range<usize>,
    pub(crate) v: Range<usize>,
    pub(crate) subtree_end: usize,
    pub(crate) owns_coordinates: bool,
    /// Whether the joint's motion subspace depends on q.
    pub(crate) subspace_varies: bool,
    /// Turns of the rotor per turn of each degree of freedom, of those whose armature is a rotor's; empty if none is.
    pub(crate) gear_ratios: Vec<Option<f64>>,
}

impl<P: Real> PartialEq for Body<P> {
    /// Whatever models they are of.
    fn eq(&self, other: &Self) -> bool {
        let Self { model: _, name, joint_name, parent, placement, joint, inertia, q, v, gear_ratios, .. } = self;
        // What is left out follows from the tree and the joint.
        (name, joint_name, parent) == (&other.name, &other.joint_name, &other.parent)
            && (placement, joint, inertia) == (&other.placement, &other.joint, &other.inertia)
            && (q, v, gear_ratios) == (&other.q, &other.v, &other.gear_ratios)
    }
}

impl<P: Real> Body<P> {
    /// Calls with each joint that its joint consists of, or with itself if it is not composite, and where the
    /// coordinates and velocities stand. A mimic joint has none of its own.
    #[inline]
    pub(crate) fn each_part(&self, mut call: impl FnMut(&Elementary<P>, Range<usize>, Range<usize>)) {
        match &self.joint {
            Joint::Elementary(joint) => call(joint, self.q.clone(), self.v.clone()),
            Joint::Composite(joint) => {
                let at = |start: usize, part: Range<usize>| start + part.start..start + part.end;
                for (part, q, v) in joint.blocks() {
                    call(part, at(self.q.start, q), at(self.v.start, v));
                }
            }
            Joint::Mimic(_) => {}
        }
    }

    /// Name of the body.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Name of its joint.
    #[must_use]
    pub fn joint_name(&self) -> &str {
        &self.joint_name
    }
    /// Its parent; `None` for the world.
    #[must_use]
    pub fn parent(&self) -> Option<BodyId> {
        self.parent.map(|parent| BodyId::new(self.model, parent))
    }
    /// Pose of the joint's mounting frame in the parent, `x_pf`.
    #[must_use]
    pub fn placement(&self) -> &Transform<P> {
        &self.placement
    }
    /// Its joint.
    #[must_use]
    pub fn joint(&self) -> &Joint<P> {
        &self.joint
    }
    /// Its inertia, in its own frame; bodies welded to it are included.
    #[must_use]
    pub fn inertia(&self) -> &Inertia<P> {
        &self.inertia
    }
    /// Where its joint's coordinates stand in `q`. A mimic joint has its leader's.
    #[must_use]
    pub fn q_range(&self) -> Range<usize> {
        self.q.clone()
    }
    /// Where its joint's velocities stand in `v`. A mimic joint has its leader's.
    #[must_use]
    pub fn v_range(&self) -> Range<usize> {
        self.v.clone()
    }
    /// Turns of a rotor per turn of the `k`-th degree of freedom of its joint, if the armature is known to be that of a rotor:
    /// `armature = ratio² inertia`.
    #[must_use]
    pub fn gear_ratio(&self, k: usize) -> Option<f64> {
        self.gear_ratios.get(k).copied().flatten()
    }
    /// The coordinate of a joint that follows another, at a configuration of the model; none for other joints.
    fn mimicked(&self, q: &[P]) -> Option<P> {
        match &self.joint {
            Joint::Mimic(mimic) => q.get(self.q.clone()).map(|q| mimic.inner_q(q)[0]),
            _ => None,
        }
    }
    /// Whether the joint has its own coordinates. A mimic joint does not.
    #[must_use]
    pub fn owns_coordinates(&self) -> bool {
        self.owns_coordinates
    }
}

impl Body {
    /// Whether a joint that follows another is said to be at `x`, though at this configuration of the model it is elsewhere.
    ///
    /// By more than 0.01 rad or m: keyframes that MuJoCo writes hold soft equalities to about this, and people round.
    pub(crate) fn is_elsewhere(&self, q: &[f64], x: f64) -> bool {
        self.mimicked(q).is_some_and(|expected| (expected - x).abs() > 0.01)
    }
}

/// A frame fixed to a body or to the world: each body's own, links welded to it, and whatever was added.
#[derive(Clone, Debug)]
pub struct Frame<P = f64> {
    /// Of the model that it is of.
    pub(crate) model: Number,
    pub(crate) name: String,
    pub(crate) body: Option<usize>,
    pub(crate) placement: Transform<P>,
}

impl<P: Real> PartialEq for Frame<P> {
    /// Whatever models they are of.
    fn eq(&self, other: &Self) -> bool {
        let Self { model: _, name, body, placement } = self;
        (name, body, placement) == (&other.name, &other.body, &other.placement)
    }
}

impl<P: Real> Frame<P> {
    /// Name of the frame.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The body it is fixed to; `None` for the world.
    #[must_use]
    pub fn body(&self) -> Option<BodyId> {
        self.body.map(|body| BodyId::new(self.model, body))
    }
    /// Its pose in that body.
    #[must_use]
    pub fn placement(&self) -> &Transform<P> {
        &self.placement
    }
}
