//! From nodes with names to a description: names looked up, poses in the world.

use super::collect::{Collected, Collector};
use super::description::{Description, Frame, Joint, Link};
use super::error::{SdfError, SdfFault};
use super::frames::Frames;
use super::joint::{JointType, RawJoint};
use super::options::SdfOptions;
use crate::joint::{Axis, Elementary, Helical, Prismatic, Revolute, Spherical, Universal};
use crate::model::source::{LoadReport, NoteKind, Owner, Rank};
use crate::spatial::vector as v3;
use nalgebra::Vector3;

/// Reads a text.
pub(super) fn description(text: &str, options: &SdfOptions) -> Result<(Description, LoadReport), SdfError> {
    let Collected { mut frames, name, gravity, links: raw_links, joints: raw_joints, named_frames, mut report } =
        Collector::collect(text, options)?;
    frames.resolve()?;
    let is_static = |link: Option<usize>| link.and_then(|i| raw_links.get(i)).is_none_or(|link| link.is_static);
    let mut joints = Vec::new();
    for raw in raw_joints {
        let owner = Owner::Joint(raw.name.clone());
        let place = raw.place.clone();
        let [parent, child] = [&raw.parent, &raw.child].map(|name| {
            let node = frames.find(name, &owner, &place)?;
            Ok::<_, SdfError>(frames.link(node))
        });
        let (parent, child) = match (parent?, child?) {
            // Nothing moves there.
            (parent, child) if is_static(parent) && is_static(child) && raw.is_static => continue,
            (parent, Some(child)) => (parent, child),
            (Some(parent), None) if raw.joint_type == JointType::Fixed => (None, parent),
            (_, None) => {
                let reason = "its child is the world: exchange parent and child";
                return Err(place.fault(SdfFault::Joint { owner, reason }));
            }
        };
        if parent == Some(child) {
            return Err(place.fault(SdfFault::Circle { owner, what: "parent and child: the joint" }));
        }
        joints.push(joint(raw, (parent, child), &frames, &mut report)?);
    }
    let links = raw_links.into_iter().map(|raw| {
        let place = frames.nodes.get(raw.node).map(|node| node.place.clone());
        let place = place.unwrap_or(super::element::Place { file: None, line: 1 });
        Link { name: raw.name, place, pose: frames.pose(raw.node), inertia: raw.inertia, is_static: raw.is_static }
    });
    let links = links.collect();
    let frames = named_frames
        .into_iter()
        .map(|(name, node)| Ok(Frame { name, link: frames.link(node), pose: frames.pose(node) }));
    let frames = frames.collect::<Result<_, SdfError>>()?;
    Ok((Description { name: name.unwrap_or_default(), gravity, links, joints, frames }, report))
}

fn joint(
    raw: RawJoint,
    (parent, child): (Option<usize>, usize),
    frames: &Frames,
    report: &mut LoadReport,
) -> Result<Joint, SdfError> {
    let owner = Owner::Joint(raw.name.clone());
    let pose = frames.pose(raw.node);
    let scope = raw.scope;
    let mut directions = Vec::new();
    let mut axes = Vec::new();
    for axis in raw.axes {
        let direction = match &axis.expressed_in {
            None => axis.direction,
            Some(name) => {
                let node = frames.find(name, &owner, &raw.place)?;
                v3::rotate_back(&pose.rotation, v3::rotate(&frames.pose(node).rotation, axis.direction))
            }
        };
        directions.push(direction);
        let mut numbers = axis.numbers;
        if let Some((leader, ..)) = &mut numbers.mimic {
            *leader = frames.full(scope, leader);
        }
        axes.push(numbers);
    }
    let along = |direction: Vector3<f64>| {
        let zero = || raw.place.fault(SdfFault::ZeroAxis { owner: owner.clone(), what: "axis" });
        Axis::along(direction).ok_or_else(zero)
    };
    let first = || along(directions.first().copied().unwrap_or_else(Vector3::z));
    let joint: Option<Elementary<f64>> = match raw.joint_type {
        JointType::Fixed => None,
        JointType::Revolute => Some(Revolute { axis: first()? }.into()),
        JointType::Prismatic => Some(Prismatic { axis: first()? }.into()),
        JointType::Ball => Some(Spherical.into()),
        JointType::Screw(pitch) => Some(Helical { axis: first()?, pitch }.into()),
        JointType::TwoAxes => {
            let second = along(directions.get(1).copied().unwrap_or_else(Vector3::z))?;
            Some(Universal { first: first()?, second }.into())
        }
    };
    let has_spring = axes.iter().any(|axis| axis.stiffness > 0.0);
    if has_spring && matches!(raw.joint_type, JointType::Screw(_)) {
        let (element, attribute) = (String::from("spring_stiffness"), None);
        let reason = "the spring of a screw is by its angle alone";
        let kind = NoteKind::NotUsed { owner, element, attribute, rank: Rank::Dubious, reason };
        report.push_in(raw.place.file.as_ref(), raw.place.line, kind);
    }
    Ok(Joint { name: raw.name, place: raw.place, parent, child, pose, at_child: raw.at_child, joint, axes })
}
