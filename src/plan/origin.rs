//! Where the coordinates that all bodies of a tree share have their origin `O`.
//!
//! A moment of inertia about a point far away is a small difference of large numbers: of a hand at the end of a gantry, 8 m from where
//! it is fixed, `m d²` is 10⁵ times the hand's own inertia, and as many digits are lost. So `O` goes along as far as bodies only
//! translate, each with one child: to the last body of which all that turns hangs, which is the root where that turns or flies.

use crate::joint::{Elementary, Joint};
use crate::model::Body;
use gradyn_derivatives::Real;

/// For each body that `O` goes along with, after the root, the first body of its tree; for all others the body itself.
pub(crate) fn trunks<P: Real>(bodies: &[Body<P>]) -> Vec<usize> {
    let mut first = Vec::<usize>::with_capacity(bodies.len());
    for (i, body) in bodies.iter().enumerate() {
        first.push(match body.parent {
            Some(p) if goes_along(bodies, &first, p) && only_translates(body) && is_only_child(bodies, p, i) => {
                first[p]
            }
            _ => i,
        });
    }
    first
}

/// Is `O` at this body, so far?
fn goes_along<P: Real>(bodies: &[Body<P>], first: &[usize], i: usize) -> bool {
    first[i] < i || bodies[i].parent.is_none() && only_translates(&bodies[i])
}

fn only_translates<P: Real>(body: &Body<P>) -> bool {
    matches!(
        body.joint,
        Joint::Elementary(Elementary::Fixed(_) | Elementary::Prismatic(_) | Elementary::Translation(_))
    )
}

fn is_only_child<P: Real>(bodies: &[Body<P>], parent: usize, i: usize) -> bool {
    i == parent + 1 && bodies[parent].subtree_end == bodies[i].subtree_end
}
