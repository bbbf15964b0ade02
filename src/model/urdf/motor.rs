//! Motors behind gears: transmissions that state a reduction drive joints.
//!
//! `mechanicalReduction` of ROS (`mechanical_reduction` of ROS 2, whose transmissions stand in `ros2_control`) is the torque at the joint
//! for one of the motor, so that of an actuator of the model has this gear. Where one transmission of a robot states a reduction, all are motors, those without with a gear of 1; joints that no transmission names
//! have none. Of a differential, whose motors turn several joints together, each joint has a motor of its own. A robot whose transmissions
//! state no reduction has a motor on every joint, as one without transmissions. Drake's `drake:gear_ratio` reflects a rotor and no torque:
//! it is none.

use super::description::{JointElement, MotorElement};
use super::error::UrdfError;
use super::rotor::{first, named};
use crate::model::source::text::{Owner, kept};
use crate::model::source::xml::Reader;
use crate::model::source::{JointType, NoteKind, SourceError};
use roxmltree::Node;
use std::collections::{HashMap, HashSet};

/// The element that gives the reduction, of the actuator before that of the joint, as ROS has it.
const REDUCTION: [&str; 2] = ["mechanicalReduction", "mechanical_reduction"];
/// What counts for a differential.
const COUPLED: &str = "its motors turn its joints together, and each joint has a motor of its own instead";

/// A transmission.
pub(super) struct Motor {
    line: u32,
    transmission: String,
    actuator: String,
    joints: Vec<String>,
    gear: Gear,
}

/// What a transmission says of its reduction.
enum Gear {
    Stated(f64),
    None,
    /// It counts as 1, for this reason.
    NotUsed(&'static str),
}

/// Whether one of them states a reduction that can be used: all are motors then.
pub(super) fn have_gears(motors: &[Motor]) -> bool {
    motors.iter().any(|motor| matches!(motor.gear, Gear::Stated(_)))
}

/// Reads a `transmission`: none if it names no joint.
pub(super) fn read(reader: &Reader, node: Node) -> Result<Option<Motor>, UrdfError> {
    let name = |node: &Node| kept(node.attribute("name").unwrap_or_default());
    let (transmission, actuators) = (name(&node), named(node, "actuator").collect::<Vec<_>>());
    let joints: Vec<_> = named(node, "joint").collect();
    if joints.is_empty() {
        return Ok(None);
    }
    let owner = Owner::Transmission(transmission.clone());
    let places: Vec<_> = actuators.iter().chain(&joints).copied().chain([node]).collect();
    let reduction = first(&places, &REDUCTION);
    let gear = match reduction.map(|reduction| reader.value(reduction, &owner)?.number()).transpose() {
        Ok(None) => Gear::None,
        Ok(Some(_)) if joints.len() > 1 || actuators.len() > 1 => Gear::NotUsed(COUPLED),
        Ok(Some(0.0)) => Gear::NotUsed("it is zero, and 1 is taken"),
        Ok(Some(gear)) => Gear::Stated(gear),
        Err(error @ SourceError::Xacro { .. }) => return Err(error.into()),
        Err(_) => Gear::NotUsed("it is no number, and 1 is taken"),
    };
    let line = reader.line(reduction.unwrap_or(node));
    let actuator = actuators.first().map(name).unwrap_or_default();
    Ok(Some(Motor { line, transmission, actuator, joints: joints.iter().map(name).collect(), gear }))
}

/// The motors of joints that can be driven, if a transmission states a reduction. Names are those of actuators, or where these are taken
/// or missing, of transmissions and joints; where a transmission drives several joints, of these.
pub(super) fn mount(motors: Vec<Motor>, joints: &[JointElement], reader: &mut Reader) -> Vec<MotorElement> {
    if !have_gears(&motors) {
        for Motor { line, transmission, gear, .. } in motors {
            if let Gear::NotUsed(reason) = gear {
                reader.report.push(line, NoteKind::UnusedReduction { transmission, reason });
            }
        }
        return Vec::new();
    }
    let by_name: HashMap<_, _> = joints.iter().enumerate().map(|(i, joint)| (joint.name.as_str(), i)).collect();
    let (mut mounted, mut taken) = (Vec::new(), HashSet::new());
    for Motor { line, transmission, actuator, joints: driven, gear } in motors {
        let mut not_used = match gear {
            Gear::NotUsed(reason) => Some(reason),
            Gear::None if driven.len() > 1 => Some(COUPLED),
            Gear::Stated(_) | Gear::None => None,
        };
        for joint in &driven {
            let found = by_name.get(joint.as_str()).and_then(|i| Some((*i, joints.get(*i)?.joint_type)));
            match found {
                None => not_used = Some("its joint is not declared"),
                Some((_, JointType::Planar | JointType::Floating)) => {
                    not_used = Some("its joint has more than one degree of freedom");
                }
                Some((_, JointType::Fixed)) => {
                    let (owner, element) = (Owner::Transmission(transmission.clone()), REDUCTION[0].to_owned());
                    reader.report.push(line, NoteKind::IgnoredElement { owner, element, known: true });
                }
                Some((number, _)) => {
                    let names = if driven.len() == 1 { [&actuator, &transmission, joint] } else { [joint; 3] };
                    let free = names.into_iter().find(|name| !name.is_empty() && !taken.contains(*name));
                    let mut name = free.unwrap_or(joint).clone();
                    while !taken.insert(name.clone()) {
                        name.push('_');
                    }
                    let gear = if let Gear::Stated(gear) = gear { gear } else { 1.0 };
                    mounted.push(MotorElement { line, name, joint: number, gear });
                }
            }
        }
        if let Some(reason) = not_used {
            reader.report.push(line, NoteKind::UnusedReduction { transmission, reason });
        }
    }
    mounted
}
