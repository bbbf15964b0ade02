//! Axes, damping, armature, springs and dry friction of joints.

use super::{Robot, elsewhere, in_body};
use crate::joint::Axis;
use crate::model::Model;
use crate::model::mjcf::description::{JointElement, JointKind};
use crate::model::rewrite::RewriteError;
use crate::model::rewrite::edits::{EditTarget, Edits, Numbers, attribute};
use crate::model::rewrite::nearest::{nearest, same};
use crate::model::rewrite::same::{dof, spring};
use crate::model::source::Owner;
use crate::model::source::number::{list, numbers};
use crate::model::source::rotation::unit;
use crate::spatial::vector as v3;
use nalgebra::Vector3;
use roxmltree::Node;
use std::collections::HashMap;

/// Writes what differs of hinges and slides.
pub(super) fn constants<'a, 'i>(robot: &Robot<'a, 'i>, edits: &mut Edits<'a, 'i>) -> Result<(), RewriteError> {
    let by_joint: HashMap<_, _> =
        robot.base.bodies().iter().enumerate().map(|(i, body)| (body.joint_name(), i)).collect();
    for (joint, node) in robot.description.joints.iter().zip(&robot.nodes.joints) {
        if !matches!(joint.kind, JointKind::Hinge | JointKind::Slide) {
            continue;
        }
        let Some(&body) = by_joint.get(joint.name.as_str()) else { continue };
        let one = One { robot, joint, node: *node, body };
        one.axis(edits)?;
        one.numbers(edits)?;
    }
    Ok(())
}

/// A hinge or slide.
struct One<'r, 'a, 'i> {
    robot: &'r Robot<'a, 'i>,
    joint: &'r JointElement,
    node: Option<Node<'a, 'i>>,
    body: usize,
}

impl<'a, 'i> One<'_, 'a, 'i> {
    fn owner(&self) -> Owner {
        Owner::Joint(self.joint.name.clone())
    }

    fn place(&self) -> Result<(EditTarget<'a, 'i>, Node<'a, 'i>), RewriteError> {
        let node = self.node.ok_or_else(|| elsewhere(self.owner(), &self.joint.place))?;
        Ok((EditTarget { owner: self.owner(), parent: node, within: None, element: "joint", whole_body: None }, node))
    }

    fn axis(&self, edits: &mut Edits<'a, 'i>) -> Result<(), RewriteError> {
        let axis = |model: &Model| {
            let axes = model.bodies().get(self.body).map(|body| body.joint().axes()).unwrap_or_default();
            axes.first().map(Axis::vector)
        };
        let (Some(before), Some(wanted)) = (axis(self.robot.base), axis(self.robot.model)) else { return Ok(()) };
        if before == wanted {
            return Ok(());
        }
        let (place, node) = self.place()?;
        in_body(node, &place.owner)?;
        let old: [f64; 3] =
            attribute(node, "axis").and_then(|axis| numbers(axis.value()).ok()).unwrap_or_else(|| before.into());
        let new = nearest(wanted.into(), old, |axis: &[f64; 3]| {
            let read = unit(Vector3::from(*axis)).and_then(Axis::along);
            read.map_or(f64::INFINITY, |a| v3::sub(a.vector(), wanted).iter().map(|x| x.abs()).sum())
        });
        edits.set_on(&place, node, &[Numbers { attribute: "axis", old: &old, new: &new }]);
        Ok(())
    }

    fn numbers(&self, edits: &mut Edits<'a, 'i>) -> Result<(), RewriteError> {
        let (before, now) = (dof(self.robot.base, self.body, 0), dof(self.robot.model, self.body, 0));
        let (spring_before, spring_now) = (spring(self.robot.base, self.body), spring(self.robot.model, self.body));
        let angle = if self.joint.kind == JointKind::Hinge { self.robot.angle } else { 1.0 };
        // A spring that was none before stands at what the element says.
        let reference = if spring_before[0] == 0.0 { self.joint.spring_reference } else { spring_before[1] };
        let wanted_reference = if spring_now[0] == 0.0 { reference } else { spring_now[1] };
        self.number(edits, "damping", [before.damping, now.damping], 1.0)?;
        if !self.robot.options.armature.contains_key(&self.joint.name) {
            self.number(edits, "armature", [before.armature, now.armature], 1.0)?;
        }
        if self.robot.options.friction_width.is_some() {
            self.number(edits, "frictionloss", [before.friction, now.friction], 1.0)?;
        }
        self.number(edits, "stiffness", [spring_before[0], spring_now[0]], 1.0)?;
        self.number(edits, "springref", [reference, wanted_reference], angle)
    }

    /// Writes a number that is so many `unit`s. What the model has beside that of the attribute, from actuators, stays.
    fn number(
        &self,
        edits: &mut Edits<'a, 'i>,
        name: &'static str,
        [before, now]: [f64; 2],
        in_units: f64,
    ) -> Result<(), RewriteError> {
        if same(before, now) {
            return Ok(());
        }
        if !now.is_finite() || (now < 0.0 && name != "springref") {
            let (what, rule) = (name, "MJCF has finite ones alone, and but for references none below zero");
            return Err(RewriteError::Unwritable { owner: self.owner(), what, value: now, rule });
        }
        let (place, node) = self.place()?;
        let mut old = attribute(node, name).and_then(|found| list(found.value()).ok()).unwrap_or_default();
        if old.is_empty() {
            old.push(before / in_units);
        }
        let mut new = old.clone();
        if let (Some(old), Some(new)) = (old.first().copied(), new.first_mut()) {
            let beside = if same(old, before / in_units) { 0.0 } else { before - old * in_units };
            [*new] = nearest([(now - beside) / in_units], [old], |[x]| (x * in_units + beside - now).abs());
        }
        edits.set_on(&place, node, &[Numbers { attribute: name, old: &old, new: &new }]);
        Ok(())
    }
}
