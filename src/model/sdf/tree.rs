//! Which joints carry links, and which close loops.

use super::description::Description;
use super::error::{SdfError, SdfFault};
use crate::model::source::Owner;

/// The links in the order in which they are built, and the joints that are left.
pub(super) struct Tree {
    /// Links, each after the one that carries it, subtrees together, with the joint that carries it; none for a root.
    pub(super) order: Vec<(usize, Option<usize>)>,
    /// Joints whose child another joint carries already.
    pub(super) loops: Vec<usize>,
}

/// The first joint of the file whose child a link is carries it; the others close loops.
pub(super) fn tree(description: &Description) -> Result<Tree, SdfError> {
    let Description { links, joints, .. } = description;
    let mut carrier: Vec<Option<usize>> = vec![None; links.len()];
    let mut loops = Vec::new();
    let is_static = |link: usize| links.get(link).is_some_and(|link| link.is_static);
    for (j, joint) in joints.iter().enumerate() {
        match carrier.get_mut(joint.child) {
            Some(carrier @ None) if !is_static(joint.child) => *carrier = Some(j),
            _ => loops.push(j),
        }
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    let mut roots = Vec::new();
    for (link, carrier) in carrier.iter().enumerate() {
        if carrier.and_then(|j| joints.get(j)).is_none_or(|joint| joint.parent.is_none()) {
            roots.push(link);
        }
    }
    // By the order of the joints.
    for (j, joint) in joints.iter().enumerate() {
        let carries = carrier.get(joint.child).copied().flatten() == Some(j);
        if let Some(children) = joint.parent.and_then(|parent| children.get_mut(parent))
            && carries
        {
            children.push(joint.child);
        }
    }
    let mut order = Vec::with_capacity(links.len());
    let mut left: Vec<usize> = roots.into_iter().rev().collect();
    while let Some(link) = left.pop() {
        order.push((link, carrier.get(link).copied().flatten()));
        left.extend(children.get(link).into_iter().flatten().rev());
    }
    if order.len() == links.len() {
        return Ok(Tree { order, loops });
    }
    let mut reached = vec![false; links.len()];
    for (link, _) in &order {
        if let Some(reached) = reached.get_mut(*link) {
            *reached = true;
        }
    }
    let round = joints.iter().find(|joint| reached.get(joint.child) == Some(&false));
    let Some(joint) = round else { return Ok(Tree { order, loops }) };
    let what = "the chain of its parents";
    Err(joint.place.fault(SdfFault::Circle { owner: Owner::Joint(joint.name.clone()), what }))
}
