//! Motors behind gears: transmissions that state a reduction drive joints.
//!
//! `mechanicalReduction` of ROS is the torque at the joint for one of the motor, so that of an actuator of the model has this gear. Where
//! one transmission of a robot states a reduction, all that drive one joint by one actuator are motors, those without with a gear of 1. A
//! robot whose transmissions state none has a motor on every joint, as one without transmissions. Drake's `drake:gear_ratio` reflects a
//! rotor and no torque: it is none.

use super::description::{JointElement, MotorElement};
use super::error::UrdfError;
use super::rotor::{first, named};
use crate::model::source::text::{Owner, kept};
use crate::model::source::xml::Reader;
use crate::model::source::{JointType, NoteKind, SourceError};
use roxmltree::Node;
use std::collections::{HashMap, HashSet};

/// The element that gives the reduction, of the actuator before that of the joint, as ROS has it.
const REDUCTION: [&str; 1] = ["mechanicalReduction"];

/// A transmission that drives one joint by one actuator.
pub(super) struct Motor {
    line: u32,
    transmission: String,
    actuator: String,
    joint: String,
    /// None where no reduction is stated.
    gear: Option<f64>,
}

impl Motor {
    pub(super) fn states_a_reduction(&self) -> bool {
        self.gear.is_some()
    }
}

/// Reads a `transmission`: none if it drives several joints or none, or if its reduction makes no sense.
pub(super) fn read(reader: &mut Reader, node: Node) -> Result<Option<Motor>, UrdfError> {
    let transmission = kept(node.attribute("name").unwrap_or_default());
    let actuators: Vec<_> = named(node, "actuator").collect();
    let joints: Vec<_> = named(node, "joint").collect();
    let places: Vec<_> = actuators.iter().chain(&joints).copied().chain([node]).collect();
    let reduction = first(&places, &REDUCTION);
    let owner = Owner::Transmission(transmission.clone());
    let line = reader.line(reduction.unwrap_or(node));
    let ([joint], [actuator]) = (&joints[..], &actuators[..]) else {
        if reduction.is_some() {
            unused(reader, line, transmission, "it has not one joint and one actuator");
        }
        return Ok(None);
    };
    let gear = match reduction.map(|reduction| reader.value(reduction, &owner)?.number()).transpose() {
        Ok(Some(0.0)) => {
            unused(reader, line, transmission, "it is zero");
            return Ok(None);
        }
        Ok(gear) => gear,
        Err(error @ SourceError::Xacro { .. }) => return Err(error.into()),
        Err(_) => {
            unused(reader, line, transmission, "it is no number");
            return Ok(None);
        }
    };
    let name = |node: &Node| kept(node.attribute("name").unwrap_or_default());
    Ok(Some(Motor { line, transmission, actuator: name(actuator), joint: name(joint), gear }))
}

fn unused(reader: &mut Reader, line: u32, transmission: String, reason: &'static str) {
    reader.report.push(line, NoteKind::UnusedReduction { transmission, reason });
}

/// The motors of joints that can be driven, if one of them states a reduction. Names are those of actuators, or where these are taken
/// or missing, of transmissions and joints.
pub(super) fn mount(motors: Vec<Motor>, joints: &[JointElement], reader: &mut Reader) -> Vec<MotorElement> {
    if !motors.iter().any(Motor::states_a_reduction) {
        return Vec::new();
    }
    let by_name: HashMap<_, _> = joints.iter().enumerate().map(|(i, joint)| (joint.name.as_str(), i)).collect();
    let (mut mounted, mut taken) = (Vec::new(), HashSet::new());
    for Motor { line, transmission, actuator, joint, gear } in motors {
        let found = by_name.get(joint.as_str()).and_then(|i| Some((*i, joints.get(*i)?.joint_type)));
        let reason = match found {
            None => "its joint is not declared",
            Some((_, JointType::Fixed)) => "its joint is fixed",
            Some((_, JointType::Planar | JointType::Floating)) => "its joint has more than one degree of freedom",
            Some((joint_index, _)) => {
                let names = [&actuator, &transmission, &joint];
                let unused = names.into_iter().find(|name| !name.is_empty() && !taken.contains(*name));
                let mut name = unused.unwrap_or(&joint).clone();
                while !taken.insert(name.clone()) {
                    name.push('_');
                }
                mounted.push(MotorElement { line, name, joint: joint_index, gear: gear.unwrap_or(1.0) });
                continue;
            }
        };
        unused(reader, line, transmission, reason);
    }
    mounted
}
