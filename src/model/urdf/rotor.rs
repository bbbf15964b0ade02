//! Rotors that turn with joints: `transmission` elements, and what they add to the inertia of a joint.
//!
//! A rotor of inertia `I` behind a gear of ratio `n` turns at `n q̇`, so its kinetic energy is `½ n² I q̇²`: armature `n² I` at the
//! joint. URDF itself has no element for `I`. What is read is Drake's (`drake:rotor_inertia` and `drake:gear_ratio` of an
//! `actuator`) and the same without prefix beside `mechanicalReduction`, which ROS has, or `motorInertia`, as exporters write it.

use super::ROOT_JOINT;
use super::description::JointElement;
use super::error::UrdfError;
use super::options::UrdfOptions;
use crate::model::source::JointType;
use crate::model::source::note::NoteKind;
use crate::model::source::text::{Owner, kept};
use crate::model::source::xml::{Attribute, Named, Reader, full_name};
use roxmltree::Node;
use std::collections::HashMap;

/// Names of the inertia of a rotor, as a child of `transmission`, `actuator` or `joint`.
pub(super) const ROTOR: [&str; 4] = ["drake:rotor_inertia", "rotor_inertia", "rotorInertia", "motorInertia"];
/// Names of the ratio of a gear, the first of which counts.
const RATIO: [&str; 5] = ["drake:gear_ratio", "gear_ratio", "gearRatio", "mechanicalReduction", "mechanical_reduction"];

/// Armature that a transmission gives to a joint.
pub(super) struct Rotor {
    transmission: String,
    joint: Named,
    armature: f64,
    ratio: f64,
}

/// Inertia of a rotor, or of all that is reflected to the joint: not negative.
pub(super) fn inertia(attribute: &Attribute, what: &'static str) -> Result<f64, UrdfError> {
    let value = attribute.number()?;
    if value < 0.0 {
        return Err(UrdfError::NegativeArmature { line: attribute.line, owner: attribute.owner.clone(), what, value });
    }
    Ok(value)
}

/// `n² I` and n, with `n = 1` where none is given.
pub(super) fn reflected(rotor: &Attribute, ratio: Option<&Attribute>) -> Result<(f64, f64), UrdfError> {
    let owner = || rotor.owner.clone();
    let rotor_inertia = inertia(rotor, "rotor inertia")?;
    let n = ratio.map_or(Ok(1.0), Attribute::number)?;
    if let Some(ratio) = ratio.filter(|_| n == 0.0) {
        return Err(UrdfError::ZeroGearRatio { line: ratio.line, owner: owner() });
    }
    let armature = n * rotor_inertia * n;
    if !armature.is_finite() {
        return Err(UrdfError::Overflow { line: rotor.line, owner: owner(), what: "the inertia of its rotor" });
    }
    Ok((armature, n))
}

/// Reads a `transmission`: none if it says nothing about a rotor, or nothing clear.
pub(super) fn read(reader: &mut Reader, node: Node) -> Result<Option<Rotor>, UrdfError> {
    let name = kept(node.attribute("name").unwrap_or_default());
    let owner = Owner::Transmission(name.clone());
    let Some((rotor, ratio)) = site(node) else { return Ok(None) };
    let line = reader.line(rotor);
    let (mut joints, actuators) = (named(node, "joint"), named(node, "actuator").count());
    let joint = match (joints.next(), joints.next()) {
        (Some(joint), None) if actuators <= 1 => joint.attribute("name").unwrap_or_default().to_owned(),
        (None, _) => return unused(reader, line, name, "it names no joint"),
        _ => {
            return unused(reader, line, name, "it has several joints or actuators, whose speeds depend on each other");
        }
    };
    let rotor = reader.value(rotor, &owner)?;
    let ratio = ratio.map(|ratio| reader.value(ratio, &owner)).transpose()?;
    let (armature, ratio) = reflected(&rotor, ratio.as_ref())?;
    Ok(Some(Rotor { transmission: name, joint: Named { line, name: joint }, armature, ratio }))
}

/// The elements of a transmission that give the inertia of a rotor and the ratio of its gear.
pub(super) fn site<'a, 'i>(transmission: Node<'a, 'i>) -> Option<(Node<'a, 'i>, Option<Node<'a, 'i>>)> {
    // The ratio of the actuator comes before that of the joint, as ROS has it.
    let below = named(transmission, "actuator").chain(named(transmission, "joint"));
    let places: Vec<_> = below.chain([transmission]).collect();
    first(&places, &ROTOR).map(|rotor| (rotor, first(&places, &RATIO)))
}

/// The children of this name.
pub(super) fn named<'a, 'i>(within: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    within.children().filter(move |child| child.is_element() && full_name(*child) == name)
}

/// The child of the first place that has one, by the first of the names.
pub(super) fn first<'a, 'i>(places: &[Node<'a, 'i>], names: &[&'static str]) -> Option<Node<'a, 'i>> {
    places.iter().find_map(|place| names.iter().find_map(|name| named(*place, name).next()))
}

fn unused(
    reader: &mut Reader,
    line: u32,
    transmission: String,
    reason: &'static str,
) -> Result<Option<Rotor>, UrdfError> {
    reader.report.push(line, NoteKind::UnusedRotor { transmission, reason });
    Ok(None)
}

/// Adds the rotors to the joints that they turn with. What `dynamics` says of the armature of a joint comes before.
pub(super) fn mount(rotors: Vec<Rotor>, joints: &mut [JointElement], reader: &mut Reader) -> Result<(), UrdfError> {
    let by_name: HashMap<String, usize> = joints.iter().enumerate().map(|(i, joint)| (joint.name.clone(), i)).collect();
    let given: Vec<_> = joints.iter().map(|joint| joint.armature > 0.0).collect();
    for Rotor { transmission, joint: Named { line, name }, armature, ratio } in rotors {
        let found = by_name.get(&name).and_then(|i| Some((joints.get_mut(*i)?, given.get(*i).copied()?)));
        let reason = match found {
            None => "its joint is not declared",
            Some((_, true)) => "the `dynamics` of its joint have an armature",
            Some((joint, false)) => match joint.joint_type {
                JointType::Fixed => "its joint is fixed",
                JointType::Planar | JointType::Floating => "its joint has more than one degree of freedom",
                JointType::Revolute | JointType::Continuous | JointType::Prismatic => {
                    // Of several rotors one number tells the inertia if their gears are the same.
                    let is_first = joint.armature == 0.0;
                    joint.gear_ratio = Some(ratio).filter(|ratio| is_first || joint.gear_ratio == Some(*ratio));
                    joint.armature += armature;
                    if !joint.armature.is_finite() {
                        let owner = Owner::Joint(joint.name.clone());
                        return Err(UrdfError::Overflow { line, owner, what: "the inertia of its rotors" });
                    }
                    continue;
                }
            },
        };
        reader.report.push(line, NoteKind::UnusedRotor { transmission, reason });
    }
    Ok(())
}

/// Sets what the options say, instead of what the file says.
pub(super) fn set(options: &UrdfOptions, joints: &mut [JointElement]) -> Result<(), UrdfError> {
    if options.armature.is_empty() {
        return Ok(());
    }
    let mut by_name: HashMap<_, _> = joints.iter_mut().map(|joint| (joint.name.clone(), joint)).collect();
    for (name, armature) in &options.armature {
        let (mut joint, name) = (by_name.get_mut(name), name.clone());
        let joint_type = joint.as_ref().map(|joint| joint.joint_type);
        let expected = match joint_type {
            Some(joint_type) => joint_type.degrees_of_freedom(),
            None if options.floating_base && name == ROOT_JOINT => JointType::Floating.degrees_of_freedom(),
            None => return Err(UrdfError::ArmatureOfUnknown { joint: name }),
        };
        if armature.len() != expected {
            return Err(UrdfError::ArmatureLength { joint: name, expected, found: armature.len() });
        }
        if let Some(value) = armature.iter().copied().find(|x| !(x.is_finite() && *x >= 0.0)) {
            return Err(UrdfError::BadArmature { joint: name, value });
        }
        if let (Some(joint), [armature]) = (&mut joint, armature.as_slice()) {
            joint.armature = *armature;
        }
    }
    Ok(())
}
