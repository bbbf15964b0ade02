//! Links and joints put together: names looked up, one root, no loops, joints in depth-first order.

use super::description::{JointElement, LinkElement};
use super::error::UrdfError;
use super::joint::RawJoint;
use super::mimic;
use super::options::{JointOrder, UrdfOptions};
use super::tree_error::TreeError;
use crate::model::source::report::LoadReport;
use std::collections::HashMap;

/// A joint between links that exist.
struct Edge {
    joint: RawJoint,
    parent: usize,
    child: usize,
}

/// Looks up names, checks that the links form one tree, and sorts the joints. Returns them and the root.
pub(super) fn assemble(
    links: &mut [LinkElement],
    joints: Vec<RawJoint>,
    options: &UrdfOptions,
    report: &mut LoadReport,
) -> Result<(Vec<JointElement>, usize), UrdfError> {
    let edges = connect(links, joints)?;
    let incoming = incoming(links, &edges)?;
    let root = root(links, &edges, &incoming)?;
    let order = depth_first(links, &edges, root, options.joint_order);
    let mut place = vec![None; edges.len()]; // of each edge among the sorted joints
    for (sorted, e) in order.iter().enumerate() {
        if let Some(place) = place.get_mut(*e) {
            *place = Some(sorted);
        }
    }
    // A link that the root does not reach has a parent that the root does not reach, and so on: round a loop.
    if let Some((lost, _)) = edges.iter().zip(&place).find(|(_, place)| place.is_none())
        && let Some(edge) = on_loop(&edges, &incoming, lost.parent)
    {
        let (line, joint) = (edge.joint.line, edge.joint.name.clone());
        return Err(TreeError::Loop { line, joint, link: edge.joint.child.name.clone() }.into());
    }

    let sorted_joint =
        |link: usize| incoming.get(link).copied().flatten().and_then(|e| place.get(e).copied().flatten());
    for (i, link) in links.iter_mut().enumerate() {
        link.joint = sorted_joint(i);
    }

    let mut unsorted: Vec<_> = edges.into_iter().map(Some).collect();
    let mut follows = Vec::with_capacity(order.len());
    let mut joints = Vec::with_capacity(order.len());
    for e in order {
        let Some(Edge { joint, parent, child }) = unsorted.get_mut(e).and_then(Option::take) else { continue };
        follows.push(joint.mimic);
        joints.push(JointElement {
            line: joint.line,
            name: joint.name,
            joint_type: joint.joint_type,
            parent,
            child,
            parent_joint: sorted_joint(parent),
            placement: joint.placement,
            axis: joint.axis,
            limits: joint.limits,
            damping: joint.dynamics.damping,
            friction: joint.dynamics.friction,
            armature: joint.dynamics.armature.unwrap_or_default(),
            gear_ratio: joint.dynamics.gear_ratio,
            mimic: None,
        });
    }
    mimic::resolve(&mut joints, follows, options, report)?;
    Ok((joints, root))
}

/// Looks up the links of every joint.
fn connect(links: &[LinkElement], joints: Vec<RawJoint>) -> Result<Vec<Edge>, TreeError> {
    let by_name: HashMap<&str, usize> = links.iter().enumerate().map(|(i, link)| (link.name.as_str(), i)).collect();
    let connect = |joint: RawJoint| {
        let name = || joint.name.clone();
        let Some(parent) = by_name.get(joint.parent.name.as_str()) else {
            let (line, parent) = (joint.parent.line, joint.parent.name.clone());
            return Err(TreeError::UnknownParent { line, joint: name(), parent });
        };
        let Some(child) = by_name.get(joint.child.name.as_str()) else {
            let (line, child) = (joint.child.line, joint.child.name.clone());
            return Err(TreeError::UnknownChild { line, joint: name(), child });
        };
        if parent == child {
            let (line, link) = (joint.line, joint.child.name.clone());
            return Err(TreeError::ParentIsChild { line, joint: name(), link });
        }
        Ok(Edge { parent: *parent, child: *child, joint })
    };
    joints.into_iter().map(connect).collect()
}

/// The joint that leads to each link.
fn incoming(links: &[LinkElement], edges: &[Edge]) -> Result<Vec<Option<usize>>, TreeError> {
    let mut incoming = vec![None::<usize>; links.len()];
    for (e, edge) in edges.iter().enumerate() {
        let Some(place) = incoming.get_mut(edge.child) else { continue };
        if let Some(first) = place.and_then(|first| edges.get(first)) {
            return Err(TreeError::TwoParents {
                line: edge.joint.line,
                joint: edge.joint.name.clone(),
                link: edge.joint.child.name.clone(),
                first_joint: first.joint.name.clone(),
                first_line: first.joint.line,
            });
        }
        *place = Some(e);
    }
    Ok(incoming)
}

/// The one link that no joint leads to.
fn root(links: &[LinkElement], edges: &[Edge], incoming: &[Option<usize>]) -> Result<usize, TreeError> {
    let mut roots = links.iter().enumerate().zip(incoming).filter(|(_, joint)| joint.is_none()).map(|(link, _)| link);
    match (roots.next(), roots.next()) {
        (Some((root, _)), None) => Ok(root),
        (Some((_, first)), Some((_, second))) => Err(TreeError::TwoRoots {
            line: second.line,
            link: second.name.clone(),
            first_link: first.name.clone(),
            first_line: first.line,
        }),
        (None, _) => {
            let (line, joint, link) = on_loop(edges, incoming, 0)
                .map(|edge| (edge.joint.line, edge.joint.name.clone(), edge.joint.child.name.clone()))
                .unwrap_or_default();
            Err(TreeError::NoRoot { line, joint, link })
        }
    }
}

/// The joint that closes the loop above a link from which no way leads up to a root: the last one of it in the file.
fn on_loop<'a>(edges: &'a [Edge], incoming: &[Option<usize>], start: usize) -> Option<&'a Edge> {
    let up = |link: usize| incoming.get(link).copied().flatten().and_then(|e| edges.get(e).map(|edge| (e, edge)));
    let mut link = start;
    for _ in 0..edges.len() {
        link = up(link)?.1.parent; // after as many steps as there are joints, we are on the loop
    }
    let (mut last, first) = (up(link)?, link);
    loop {
        let edge = up(link)?;
        last = if edge.0 > last.0 { edge } else { last };
        link = edge.1.parent;
        if link == first {
            return Some(last.1);
        }
    }
}

/// Joints reached from the root, depth first. Not recursive: a chain may be as long as the file.
fn depth_first(links: &[LinkElement], edges: &[Edge], root: usize, order: JointOrder) -> Vec<usize> {
    let mut outgoing = vec![Vec::new(); links.len()];
    for (e, edge) in edges.iter().enumerate() {
        if let Some(joints) = outgoing.get_mut(edge.parent) {
            joints.push((e, edge));
        }
    }
    if order == JointOrder::Pinocchio {
        for joints in &mut outgoing {
            joints.sort_by(|(_, a), (_, b)| a.joint.name.as_bytes().cmp(b.joint.name.as_bytes()));
        }
    }
    let children = |link: usize| outgoing.get(link).into_iter().flatten().rev();
    let mut sorted = Vec::with_capacity(edges.len());
    let mut stack: Vec<_> = children(root).collect();
    while let Some((e, edge)) = stack.pop() {
        sorted.push(*e);
        stack.extend(children(edge.child));
    }
    sorted
}
