//! From the description to the model: fixed links merged, joints turned into ours.

use super::ROOT_JOINT;
use super::description::{Description, JointElement};
use super::error::UrdfError;
use super::options::{ContinuousForm, UrdfOptions};
use crate::joint::{Axis, Continuous, Fixed, FreeFlyer, Joint, Planar, Prismatic, Revolute};
use crate::model::source::JointType;
use crate::model::source::{merge, text::Owner};
use crate::model::{BodyKey, Model, ModelBuilder};
use crate::spatial::{Inertia, Transform};
use std::collections::HashSet;

/// The link that gives a body its name and frame; the others of the body are fixed to it.
#[derive(Clone, Copy)]
pub(super) struct Seat {
    /// That link.
    pub(super) link: usize,
    /// Pose in it.
    pub(super) pose: Transform<f64>,
}

/// Builds the model.
pub(super) fn model(description: &Description, options: &UrdfOptions) -> Result<Model, UrdfError> {
    let Description { name, links, joints, root, motors } = description;
    let seats = seats(description, options.merge_fixed_joints)?;
    let inertias = merged(description, &seats)?;
    let seat = |link: usize| seats.get(link).copied().unwrap_or(Seat { link, pose: Transform::identity() });
    let inertia = |link: usize| inertias.get(link).copied().flatten().unwrap_or_else(Inertia::zero);
    let link_name = |link: usize| links.get(link).map(|link| link.name.as_str()).unwrap_or_default();

    let mut builder = ModelBuilder::new(name);
    let mut keys = vec![None; links.len()]; // the body whose link it is; none for the world's
    if options.floating_base {
        let key =
            builder.add_body(None, link_name(*root), ROOT_JOINT, Transform::identity(), FreeFlyer, inertia(*root))?;
        set(&mut keys, *root, key);
        if let Some(armature) = options.armature.get(ROOT_JOINT) {
            builder.set_armature(key, armature)?;
        }
    } else {
        builder.add_fixed_inertia(inertia(*root));
    }
    let mut moved_by = vec![None; joints.len()]; // the body of each joint that is not merged
    for (j, joint) in joints.iter().enumerate() {
        if seat(joint.child).link != joint.child {
            continue; // merged
        }
        let parent = seat(joint.parent);
        let placement = parent.pose * joint.placement;
        check(&placement, joint)?;
        let carrier = keys.get(parent.link).copied().flatten();
        let kind = kind(joint, options.continuous)?;
        let key = builder.add_body(
            carrier,
            link_name(joint.child),
            joint.name.as_str(),
            placement,
            kind,
            inertia(joint.child),
        )?;
        set(&mut keys, joint.child, key);
        set(&mut moved_by, j, key);
        constants(&mut builder, key, joint, options.continuous)?;
        if let Some(armature) = options.armature.get(&joint.name) {
            builder.set_armature(key, armature)?;
        }
    }
    for (joint, key) in joints.iter().zip(&moved_by) {
        if let (Some(mimic), Some(key)) = (joint.mimic, *key)
            && let Some(leader) = moved_by.get(mimic.joint).copied().flatten()
        {
            builder.set_mimic(key, leader, mimic.multiplier, mimic.offset)?;
        }
    }

    for motor in motors {
        let (Some(joint), Some(key)) = (joints.get(motor.joint), moved_by.get(motor.joint).copied().flatten()) else {
            continue;
        };
        let number = builder.add_actuator(motor.name.as_str(), &[(key, 0, motor.gear)])?;
        // The limit of the joint, as the motor feels it.
        if let Some(most) = joint.limits.effort.map(|effort| effort / motor.gear.abs()).filter(|most| most.is_finite())
        {
            builder.set_actuator_limits(number, -most, most)?;
        }
    }

    // Links that are not separate bodies, then joints, except where a link has the name.
    let mut names = HashSet::new();
    for (i, link) in links.iter().enumerate() {
        names.insert(link.name.as_str());
        let is_body = keys.get(i).copied().flatten().is_some();
        if !is_body {
            let Seat { link: carrier, pose } = seat(i);
            builder.add_frame(keys.get(carrier).copied().flatten(), link.name.as_str(), pose)?;
        }
    }
    let own = options.floating_base.then_some((ROOT_JOINT, *root));
    for (name, child) in own.into_iter().chain(joints.iter().map(|joint| (joint.name.as_str(), joint.child))) {
        if names.insert(name) {
            let Seat { link: carrier, pose } = seat(child);
            builder.add_frame(keys.get(carrier).copied().flatten(), name, pose)?;
        }
    }
    Ok(builder.build()?)
}

fn set(keys: &mut [Option<BodyKey>], i: usize, key: BodyKey) {
    if let Some(place) = keys.get_mut(i) {
        *place = Some(key);
    }
}

/// Where each link sits: on itself, or with its parent if a fixed joint is merged.
pub(super) fn seats(description: &Description, merge: bool) -> Result<Vec<Seat>, UrdfError> {
    let own = |link| Seat { link, pose: Transform::identity() };
    let mut seats: Vec<_> = (0..description.links.len()).map(own).collect();
    for joint in &description.joints {
        if joint.joint_type != JointType::Fixed || !merge {
            continue;
        }
        let Some(Seat { link, pose }) = seats.get(joint.parent).copied() else { continue };
        let pose = pose * joint.placement;
        check(&pose, joint)?;
        if let Some(seat) = seats.get_mut(joint.child) {
            *seat = Seat { link, pose };
        }
    }
    Ok(seats)
}

/// A pose composed of finite ones may overflow.
fn check(pose: &Transform<f64>, joint: &JointElement) -> Result<(), UrdfError> {
    if pose.translation.iter().chain(pose.rotation.iter()).all(|x| x.is_finite()) {
        return Ok(());
    }
    Err(UrdfError::Overflow { line: joint.line, owner: Owner::Joint(joint.name.clone()), what: "its placement" })
}

/// The inertia of each link with those of the links that sit on it.
fn merged(description: &Description, seats: &[Seat]) -> Result<Vec<Option<Inertia<f64>>>, UrdfError> {
    let mut merged = vec![None; description.links.len()];
    for (link, seat) in description.links.iter().zip(seats) {
        let Some(y) = link.inertia.as_ref().map(|y| seat.pose.act(*y)) else { continue };
        let Some(place) = merged.get_mut(seat.link) else { continue };
        let sum = place.map_or(y, |other| merge::sum(&other, &y));
        let r = sum.rotational;
        let numbers = [sum.mass, sum.com.x, sum.com.y, sum.com.z, r.xx, r.xy, r.xz, r.yy, r.yz, r.zz];
        if !numbers.iter().all(|x| x.is_finite()) {
            let (owner, what) = (Owner::Link(link.name.clone()), "its inertia, merged with that of its body,");
            return Err(UrdfError::Overflow { line: link.line, owner, what });
        }
        *place = Some(sum);
    }
    Ok(merged)
}

/// The kind of joint.
fn kind(joint: &JointElement, form: ContinuousForm) -> Result<Joint, UrdfError> {
    let axis = || {
        let zero = || UrdfError::ZeroAxis { line: joint.line, joint: joint.name.clone() };
        Axis::along(joint.axis).ok_or_else(zero)
    };
    Ok(match (joint.joint_type, form) {
        (JointType::Fixed, _) => Fixed.into(),
        (JointType::Revolute, _) | (JointType::Continuous, ContinuousForm::Angle) => Revolute { axis: axis()? }.into(),
        // What follows has no coordinates of its own: nothing to give a form to.
        (JointType::Continuous, ContinuousForm::CosSin) if joint.mimic.is_some() => Revolute { axis: axis()? }.into(),
        (JointType::Continuous, ContinuousForm::CosSin) => Continuous { axis: axis()? }.into(),
        (JointType::Prismatic, _) => Prismatic { axis: axis()? }.into(),
        (JointType::Planar, _) => Planar::new(axis()?).into(),
        (JointType::Floating, _) => FreeFlyer.into(),
    })
}

/// Limits, damping, friction and armature: all of joints with one degree of freedom.
fn constants(
    builder: &mut ModelBuilder,
    key: BodyKey,
    joint: &JointElement,
    form: ContinuousForm,
) -> Result<(), UrdfError> {
    match (joint.joint_type, form) {
        (JointType::Fixed | JointType::Planar | JointType::Floating, _) => return Ok(()),
        (JointType::Continuous, ContinuousForm::CosSin) => {}
        (JointType::Revolute | JointType::Continuous | JointType::Prismatic, _) => {
            if let Some([lower, upper]) = joint.limits.position {
                builder.set_q_limits(key, &[(lower, upper)])?;
            }
        }
    }
    if let Some(velocity) = joint.limits.velocity {
        builder.set_velocity_limits(key, &[velocity])?;
    }
    if let Some(effort) = joint.limits.effort {
        builder.set_effort_limits(key, &[effort])?;
    }
    if joint.damping > 0.0 {
        builder.set_damping(key, &[joint.damping])?;
    }
    if joint.friction > 0.0 {
        builder.set_friction(key, &[joint.friction])?;
    }
    if joint.armature > 0.0 {
        builder.set_armature(key, &[joint.armature])?;
    }
    if let Some(ratio) = joint.gear_ratio.filter(|ratio| (ratio * ratio).is_normal()) {
        builder.set_gear_ratios(key, &[Some(ratio)])?;
    }
    Ok(())
}
