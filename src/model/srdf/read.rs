//! Elements of SRDF.

use super::{Group, Srdf, SrdfError, State, StateJoint};
use crate::model::source::guard;
use crate::model::source::number::{BadNumber, list};
use crate::model::source::xml::{self, Reader, full_name};
use crate::model::source::{NoteKind, Owner, Rank, SourceError};
use roxmltree::Node;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Elements that SRDF knows and dynamics does not use.
const NOT_DYNAMICS: [&str; 11] = [
    "disable_collisions",
    "disable_collision",
    "enable_collisions",
    "disable_default_collisions",
    "end_effector",
    "virtual_joint",
    "link_sphere_approximation",
    "gripper",
    "joint_property",
    "size",
    "specificities",
];

pub(super) fn srdf(text: &str) -> Result<Srdf, SrdfError> {
    let checked = guard::check(text)?;
    let document = xml::document(&checked)?;
    let mut reader = Reader::of(&checked).knowing(|name| NOT_DYNAMICS.contains(&name));
    let root = document.root_element();
    let found = full_name(root);
    if found != "robot" {
        return Err(SrdfError::NotARobot { line: reader.line(root), found: found.to_owned() });
    }
    let robot = reader.name(root, "robot")?;
    let owner = Owner::Robot(robot.clone());
    let (mut groups, mut states) = (Vec::new(), Vec::new());
    let mut lines: HashMap<(String, String), u32> = HashMap::new();
    for node in root.children() {
        if !node.is_element() {
            reader.note_text(node, root, &owner);
            continue;
        }
        match full_name(node) {
            "group" => groups.push(group(&mut reader, node)?),
            "group_state" => {
                let state = state(&mut reader, node)?;
                if let Some(first_line) = lines.insert((state.group.clone(), state.name.clone()), state.line) {
                    let State { line, name, group, .. } = state;
                    return Err(SrdfError::RepeatedState { line, name, group, first_line });
                }
                states.push(state);
            }
            name @ ("rotor_params" | "passive_joint") => {
                let (rank, reason) = match name {
                    "rotor_params" => {
                        (Rank::ChangesDynamics, "rotors of SRDF are not read: set armature of joints instead")
                    }
                    _ => (Rank::Dubious, "the joint counts as driven, unless actuators say otherwise"),
                };
                let (owner, element) = (owner.clone(), name.to_owned());
                let kind = NoteKind::NotUsed { owner, element, attribute: None, rank, reason };
                reader.report.push(reader.line(node), kind);
            }
            _ => reader.note_element(node, &owner),
        }
    }
    let names: Vec<&str> = groups.iter().map(|group: &(Group, u32)| group.0.name.as_str()).collect();
    let unknown = |name: &str| !names.contains(&name);
    let mut notes = Vec::new();
    for (group, line) in &groups {
        for name in group.groups.iter().filter(|name| unknown(name)) {
            notes.push((*line, Owner::Element("group".to_owned(), group.name.clone()), name.clone()));
        }
    }
    for (line, owner, element) in notes {
        let (attribute, rank) = (None, Rank::Dubious);
        let reason = "there is no group of this name";
        reader.report.push(line, NoteKind::NotUsed { owner, element, attribute, rank, reason });
    }
    let mut report = reader.report;
    report.sort();
    Ok(Srdf { robot, groups: groups.into_iter().map(|(group, _)| group).collect(), states, report })
}

fn group(reader: &mut Reader, node: Node) -> Result<(Group, u32), SrdfError> {
    let name = reader.name(node, "group")?;
    let line = reader.line(node);
    let owner = Owner::Element("group".to_owned(), name.clone());
    let mut group = Group { name, ..Group::default() };
    for child in node.children() {
        if !child.is_element() {
            reader.note_text(child, node, &owner);
            continue;
        }
        match full_name(child) {
            "joint" => group.joints.push(reader.name(child, "joint")?),
            "link" => group.links.push(reader.name(child, "link")?),
            "group" => group.groups.push(reader.name(child, "group")?),
            "chain" => {
                let [base, tip] = reader.leaf(child, &owner, ["base_link", "tip_link"])?;
                let base = reader.required(base, child, &owner, "base_link")?.value.to_owned();
                let tip = reader.required(tip, child, &owner, "tip_link")?.value.to_owned();
                group.chains.push((base, tip));
            }
            _ => reader.note_element(child, &owner),
        }
    }
    Ok((group, line))
}

fn state(reader: &mut Reader, node: Node) -> Result<State, SrdfError> {
    let name = reader.name(node, "group_state")?;
    let line = reader.line(node);
    let owner = Owner::Element("group_state".to_owned(), name.clone());
    let [_, group] = reader.attributes(node, &owner, ["name", "group"])?;
    let group = group.map(|group| group.value.to_owned()).unwrap_or_default();
    let (mut joints, mut lines) = (Vec::new(), HashMap::new());
    for child in node.children() {
        if !child.is_element() {
            reader.note_text(child, node, &owner);
            continue;
        }
        if full_name(child) != "joint" {
            reader.note_element(child, &owner);
            continue;
        }
        let joint = reader.name(child, "joint")?;
        let of = Owner::Joint(joint.clone());
        let [_, value] = reader.leaf(child, &of, ["name", "value"])?;
        let value = reader.required(value, child, &of, "value")?;
        let values = list(value.value).map_err(|bad| {
            let (line, owner) = (value.line, of.clone());
            let (element, attribute) = (String::from("joint"), String::from("value"));
            match bad {
                BadNumber::NotFinite(found) => SourceError::NotFinite { line, owner, element, attribute, found },
                BadNumber::NotANumber(found) => SourceError::NotANumber { line, owner, element, attribute, found },
                BadNumber::WrongCount(found) => {
                    SourceError::WrongCount { line, owner, element, attribute, expected: 1, found }
                }
            }
        })?;
        let line = reader.line(child);
        match lines.entry(joint.clone()) {
            Entry::Occupied(first) => {
                let (owner, element, first_line) = (of, "joint", *first.get());
                reader.report.push(line, NoteKind::RepeatedElement { owner, element, first_line });
            }
            Entry::Vacant(place) => {
                place.insert(line);
                joints.push(StateJoint { line, name: joint, values });
            }
        }
    }
    Ok(State { line, name, group, joints })
}
