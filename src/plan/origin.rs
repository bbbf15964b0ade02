//! The origin `O` of the coordinates that all bodies of a tree share.
//!
//! A moment of inertia about a distant point is a small difference of large numbers. For a hand at the end of a gantry,
//! 8 m from its fixed point, `m d²` is 10⁵ times the hand's own inertia, and as many digits are lost. `O` therefore
//! moves along as long as bodies only translate, each with one child: to the last body that carries all rotating ones.
//! This is the root if the root rotates or is free.

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

/// Whether `O` is at this body, so far.
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
