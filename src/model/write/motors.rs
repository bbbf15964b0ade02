//! Motors of one joint each, which URDF says as transmissions with a reduction.

use super::Writing;
use super::error::WriteError;
use super::names::check;
use super::xml::{Element, Xml};
use crate::joint::{Elementary, Joint};
use crate::model::source::Format;
use crate::model::{Actuator, Body, Model};

/// Whether the file says all of it.
pub(super) fn is_said(actuator: &Actuator, model: &Model) -> bool {
    joint(model, actuator).is_some()
}

/// The joint that it drives, and its gear: a hinge or slide, with the limits that readers give to the motor of this joint.
fn joint<'m>(model: &'m Model, actuator: &Actuator) -> Option<(&'m Body, f64)> {
    let [(dof, gear)] = actuator.gears[..] else { return None };
    let body = model.bodies().get(model.joint_of_dof(dof)?.index())?;
    let is_one = matches!(
        body.joint(),
        Joint::Elementary(Elementary::Revolute(_) | Elementary::Continuous(_) | Elementary::Prismatic(_))
    );
    let effort = model.limits().effort.get(dof).copied().unwrap_or(f64::INFINITY);
    let most = effort / gear.abs();
    let (lower, upper) = actuator.limits;
    let limits_are_those = lower.to_bits() == (-most).to_bits() && upper.to_bits() == most.to_bits();
    (is_one && gear != 0.0 && actuator.speed_torque.is_none() && limits_are_those).then_some((body, gear))
}

/// Writes them.
pub(super) fn write(writing: &Writing, xml: &mut Xml) -> Result<(), WriteError> {
    for actuator in writing.model.actuators() {
        let Some((body, gear)) = joint(writing.model, actuator) else { continue };
        check(Format::Urdf, "actuator", &actuator.name)?;
        xml.open(Element::new("transmission").text("name", &actuator.name));
        xml.value(Element::new("type"), "transmission_interface/SimpleTransmission");
        xml.leaf(Element::new("joint").text("name", body.joint_name()));
        xml.open(Element::new("actuator").text("name", &actuator.name));
        xml.value(Element::new("mechanicalReduction"), &super::xml::list(&[gear]));
        xml.close();
        xml.close();
    }
    Ok(())
}
