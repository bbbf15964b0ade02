//! The coordinates of a robot in as few pieces as can be.

use super::Body;
use crate::joint::{Geometry, Joint, JointKind};
use gradyn_derivatives::Real;

/// Coordinates that one step of moving along configurations deals with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Run {
    /// Plain numbers of joints side by side: `q ⊕ v = q + v`, from these indices of `q` and `v` on.
    Flat { q: usize, v: usize, len: usize },
    /// The joint of a body.
    Joint(usize),
}

/// The coordinates of all joints that own some.
pub(crate) fn runs<P: Real>(bodies: &[Body<P>]) -> Vec<Run> {
    let mut runs = Vec::new();
    for (i, body) in bodies.iter().enumerate().filter(|(_, body)| body.owns_coordinates) {
        let (start, dofs) = (body.q.start, body.v.start);
        let flat = matches!(body.joint, Joint::Elementary(_))
            && JointKind::<P>::geometry(&body.joint) == Geometry::Flat
            && body.q.len() == body.v.len();
        match runs.last_mut() {
            _ if !flat => runs.push(Run::Joint(i)),
            Some(Run::Flat { q, v, len }) if *q + *len == start && *v + *len == dofs => *len += body.q.len(),
            _ => runs.push(Run::Flat { q: start, v: dofs, len: body.q.len() }),
        }
    }
    runs
}
