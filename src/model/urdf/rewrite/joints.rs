//! Placements, axes, dynamics, limits and mimic functions of joints.

use super::Robot;
use crate::joint::{Axis, Joint, mimic};
use crate::model::DofDynamics;
use crate::model::rewrite::edits::{EditTarget, Edits, Numbers, attribute, child, number, singles};
use crate::model::rewrite::nearest::{nearest, same};
use crate::model::rewrite::same::{armature_of, dof};
use crate::model::rewrite::{NotWritten, RewriteError};
use crate::model::source::number::numbers;
use crate::model::source::rotation::unit;
use crate::model::source::text::Owner;
use crate::model::source::xml::full_name;
use crate::model::source::{JointType, rotation};
use crate::model::urdf::description::JointElement;
use crate::model::urdf::{MimicForm, rotor};
use crate::spatial::so3::rpy3;
use crate::spatial::{Quaternion, Transform, vector as v3};
use nalgebra::{Matrix3, Vector3};
use roxmltree::Node;
use std::f64::consts::{PI, TAU};

/// The place of an element of a joint.
fn place<'a, 'i>(joint: &JointElement, parent: Node<'a, 'i>, element: &'static str) -> EditTarget<'a, 'i> {
    EditTarget { owner: Owner::Joint(joint.name.clone()), parent, within: None, element, whole_body: None }
}

/// Writes the placements that differ; gives the pose of each link in its body, as the changed file has it.
pub(super) fn placements<'a, 'i>(
    robot: &Robot<'a, 'i>,
    edits: &mut Edits<'a, 'i>,
) -> Result<Vec<Transform<f64>>, RewriteError> {
    let mut poses: Vec<_> = robot.seats.iter().map(|_| Transform::identity()).collect();
    for (joint, node, body) in robot.joints() {
        let Some(x_bl) = poses.get(joint.parent).copied() else { continue };
        let wanted = match body {
            Some(body) => robot.model.bodies().get(body).map(|body| *body.placement()),
            None => robot.wanted_pose(joint),
        };
        let Some(wanted) = wanted else { continue };
        let mut written = joint.placement;
        if x_bl * written != wanted {
            written = write_origin(edits, joint, node, &x_bl, &wanted);
        }
        if let (None, Some(pose)) = (body, poses.get_mut(joint.child)) {
            *pose = x_bl * written;
        }
    }
    Ok(poses)
}

/// Sum of the absolute entries of a difference.
fn difference(a: &Matrix3<f64>, b: &Matrix3<f64>) -> f64 {
    a.iter().zip(b.iter()).map(|(a, b)| (a - b).abs()).sum()
}

/// Writes the origin that makes the pose behind `x_bl` the wanted one; gives what it is.
fn write_origin<'a, 'i>(
    edits: &mut Edits<'a, 'i>,
    joint: &JointElement,
    node: Node<'a, 'i>,
    x_bl: &Transform<f64>,
    wanted: &Transform<f64>,
) -> Transform<f64> {
    let origin = child(node, "origin");
    let of = |name| origin.and_then(|origin| attribute(origin, name));
    let guess = x_bl.inv_mul(wanted);

    let old = joint.placement.translation;
    let old = [old.x, old.y, old.z];
    let new = nearest(guess.translation.into(), old, |p: &[f64; 3]| {
        let reached = v3::add(x_bl.translation, v3::rotate(&x_bl.rotation, Vector3::from(*p)));
        v3::sub(reached, wanted.translation).iter().map(|x| x.abs()).sum()
    });
    let xyz = Numbers { attribute: "xyz", old: &old, new: &new };

    let off = |r: &Matrix3<f64>| difference(&v3::product(&x_bl.rotation, r), &wanted.rotation);
    let place = place(joint, node, "origin");
    let rotation = if let Some(quat) = of("quat_xyzw") {
        let old: [f64; 4] = numbers(quat.value()).unwrap_or_default();
        let q = Quaternion::from_rotation(&guess.rotation).to_array();
        // Of the two that are one rotation the nearer one.
        let along: f64 = q.iter().zip(&old).map(|(a, b)| a * b).sum();
        let q = if along < 0.0 { q.map(|x| -x) } else { q };
        let read = |q: &[f64; 4]| rotation::of_quaternion(*q).map(|(r, _)| r);
        let new = nearest(q, old, |q| read(q).map_or(f64::INFINITY, |r| off(&r)));
        edits.set(&place, &[xyz, Numbers { attribute: "quat_xyzw", old: &old, new: &new }]);
        read(&new)
    } else {
        let old: [f64; 3] = of("rpy").and_then(|rpy| numbers(rpy.value()).ok()).unwrap_or_default();
        let read = |rpy: &[f64; 3]| rotation::of_rpy(Vector3::from(*rpy));
        let new = nearest(angles(&guess, old), old, |rpy| off(&read(rpy)));
        edits.set(&place, &[xyz, Numbers { attribute: "rpy", old: &old, new: &new }]);
        Some(read(&new))
    };
    Transform::new(rotation.unwrap_or(joint.placement.rotation), Vector3::from(new))
}

/// Roll, pitch and yaw, of all that are the same rotation the nearest to the old ones.
///
/// The two others follow from the yaw: `R_z(−yaw) R = R_y(pitch) R_x(roll)`. Near a pitch of ±π/2, where errors of yaw and roll are large
/// and cancel, they keep cancelling so.
fn angles(x: &Transform<f64>, old: [f64; 3]) -> [f64; 3] {
    let (cos, sin) = (x.rotation.m11, x.rotation.m21); // of the yaw, times the cosine of the pitch
    // 1e-15: below that they are roundings, and any yaw will do.
    let yaw = if cos.hypot(sin) < 1e-15 { old[2] } else { sin.atan2(cos) };
    let r = v3::product_tr(&rpy3(0.0, 0.0, yaw), &x.rotation);
    let (roll, pitch) = ((-r.m23).atan2(r.m22), (-r.m31).atan2(r.m11));
    let near = |angles: [f64; 3]| {
        let mut near = angles;
        for (x, old) in near.iter_mut().zip(old) {
            // Angles of many turns lose digits.
            if old.abs() <= TAU {
                *x += ((old - *x) / TAU).round() * TAU;
            }
        }
        let far: f64 = near.iter().zip(old).map(|(x, old)| (x - old).abs()).sum();
        (far, near)
    };
    let (first, second) = (near([roll, pitch, yaw]), near([roll + PI, PI - pitch, yaw + PI]));
    if second.0 < first.0 { second.1 } else { first.1 }
}

/// Writes axes, dynamics, limits and mimic functions that differ.
pub(super) fn constants<'a, 'i>(
    robot: &Robot<'a, 'i>,
    edits: &mut Edits<'a, 'i>,
    not_written: &mut Vec<NotWritten>,
) -> Result<(), RewriteError> {
    for (joint, node, body) in robot.joints() {
        let Some(body) = body else { continue };
        match joint.joint_type {
            JointType::Fixed | JointType::Planar | JointType::Floating => {}
            JointType::Revolute | JointType::Continuous | JointType::Prismatic => {
                let one = One { robot, joint, node, body };
                one.axis(edits);
                one.dynamics(edits, not_written)?;
                one.limits(edits)?;
                one.mimic(edits);
            }
        }
    }
    Ok(())
}

/// A joint of one degree of freedom.
struct One<'r, 'a, 'i> {
    robot: &'r Robot<'a, 'i>,
    joint: &'r JointElement,
    node: Node<'a, 'i>,
    body: usize,
}

impl<'a, 'i> One<'_, 'a, 'i> {
    fn place(&self, element: &'static str) -> EditTarget<'a, 'i> {
        place(self.joint, self.node, element)
    }

    fn axis(&self, edits: &mut Edits<'a, 'i>) {
        let axis = |model: &crate::model::Model| {
            let axes = model.bodies().get(self.body).map(|body| body.joint().axes()).unwrap_or_default();
            axes.first().map(Axis::vector)
        };
        let (Some(before), Some(wanted)) = (axis(self.robot.base), axis(self.robot.model)) else { return };
        if before == wanted {
            return;
        }
        let xyz = child(self.node, "axis").and_then(|axis| attribute(axis, "xyz"));
        let old: [f64; 3] = xyz.and_then(|xyz| numbers(xyz.value()).ok()).unwrap_or([1.0, 0.0, 0.0]);
        let new = nearest(wanted.into(), old, |axis: &[f64; 3]| {
            let read = unit(Vector3::from(*axis)).and_then(Axis::along);
            read.map_or(f64::INFINITY, |a| v3::sub(a.vector(), wanted).iter().map(|x| x.abs()).sum())
        });
        edits.set_all(&self.place("axis"), &[Numbers { attribute: "xyz", old: &old, new: &new }], false);
    }

    fn not_negative(&self, what: &'static str, value: f64) -> Result<f64, RewriteError> {
        if value >= 0.0 && value.is_finite() {
            return Ok(value);
        }
        let (owner, rule) = (Owner::Joint(self.joint.name.clone()), "URDF has none below zero");
        Err(RewriteError::Unwritable { owner, what, value, rule })
    }

    fn dynamics(&self, edits: &mut Edits<'a, 'i>, not_written: &mut Vec<NotWritten>) -> Result<(), RewriteError> {
        let (before, now) = (dof(self.robot.base, self.body, 0), dof(self.robot.model, self.body, 0));
        let changed = |of: fn(&DofDynamics) -> f64| !same(of(&before), of(&now));
        let mut all = Vec::new();
        if changed(|dof| dof.damping) {
            all.push(("damping", before.damping, self.not_negative("its damping", now.damping)?));
        }
        if changed(|dof| dof.friction) {
            all.push(("friction", before.friction, self.not_negative("its friction", now.friction)?));
        }
        if changed(|dof| dof.armature) {
            let new = self.not_negative("its armature", now.armature)?;
            if self.robot.options.armature.contains_key(&self.joint.name) {
                not_written.push(NotWritten {
                    what: armature_of(&self.joint.name),
                    file: before.armature.to_string(),
                    model: new.to_string(),
                    reason: "it comes from `UrdfOptions::armature`, not from the file",
                });
            } else {
                all.extend(self.armature(edits, before.armature, new));
            }
        }
        edits.set(&self.place("dynamics"), &singles(&all));
        Ok(())
    }

    /// Writes it where the file has it: the inertia of a rotor, of which the armature is `n² I`. Gives back what `dynamics` has to
    /// say of it.
    fn armature(&self, edits: &mut Edits<'a, 'i>, old: f64, new: f64) -> Option<(&'static str, f64, f64)> {
        let dynamics = child(self.node, "dynamics");
        let of = |name| dynamics.and_then(|dynamics| number(dynamics, name));
        let rotor_of = |inertia: f64, n: f64| {
            let [rotor] = nearest([new / n / n], [inertia], |[i]| (n * i * n - new).abs());
            rotor
        };
        let stands = ["rotor_inertia", "drake:rotor_inertia"].into_iter().find(|name| of(name).is_some());
        if let (None, Some(name)) = (of("armature"), stands) {
            let n = of("gear_ratio").or(of("drake:gear_ratio")).unwrap_or(1.0);
            let inertia = of(name).unwrap_or_default();
            if inertia > 0.0 || self.rotors().is_empty() {
                return Some((name, inertia, rotor_of(inertia, n)));
            }
        }
        // Transmissions count where `dynamics` says nothing, or zero.
        match (of("armature").filter(|armature| *armature > 0.0), &*self.rotors()) {
            (None, [(transmission, rotor, ratio)]) => {
                let value = |node: Node<'a, 'i>| {
                    let text = node.attribute("value").or_else(|| node.text()).unwrap_or_default();
                    numbers(text.trim()).map_or(1.0, |[x]| x)
                };
                let (inertia, n) = (value(*rotor), ratio.map_or(1.0, value));
                let element = rotor::ROTOR.into_iter().find(|name| *name == full_name(*rotor)).unwrap_or_default();
                let owner = Owner::Transmission(transmission.attribute("name").unwrap_or_default().to_owned());
                let place = EditTarget { owner, parent: *transmission, within: None, element, whole_body: None };
                edits.set_value(&place, *rotor, inertia, rotor_of(inertia, n));
                None
            }
            _ => Some(("armature", of("armature").unwrap_or(old), new)),
        }
    }

    /// The transmissions that name the joint and a rotor, with rotor and ratio.
    fn rotors(&self) -> Vec<(Node<'a, 'i>, Node<'a, 'i>, Option<Node<'a, 'i>>)> {
        let rotor = |transmission: &Node<'a, 'i>| {
            let joint = child(*transmission, "joint")?;
            let (rotor, ratio) = rotor::site(*transmission)?;
            (joint.attribute("name") == Some(&self.joint.name)).then_some((*transmission, rotor, ratio))
        };
        self.robot.transmissions.iter().filter_map(rotor).collect()
    }

    /// Limits that are finite: without one there is no attribute, and that of a file is not taken away.
    fn limits(&self, edits: &mut Edits<'a, 'i>) -> Result<(), RewriteError> {
        let Some(body) = self.robot.base.bodies().get(self.body).filter(|body| body.owns_coordinates()) else {
            return Ok(());
        };
        let (q, v) = (body.q_range(), body.v_range());
        let at = |of: fn(&crate::model::Limits) -> &Vec<f64>, k: usize| {
            let value = |model: &crate::model::Model| of(model.limits()).get(k).copied().unwrap_or(f64::INFINITY);
            (value(self.robot.base), value(self.robot.model))
        };
        let limit = child(self.node, "limit");
        let mut all = Vec::new();
        let bounded = matches!(self.joint.joint_type, JointType::Revolute | JointType::Prismatic);
        let (lower, upper) = (at(|l| &l.q_lower, q.start), at(|l| &l.q_upper, q.start));
        if bounded && lower.1.is_finite() && upper.1.is_finite() && !(same(lower.0, lower.1) && same(upper.0, upper.1))
        {
            let of = |name| limit.and_then(|limit| number(limit, name)).unwrap_or_default();
            // Reversed ones stay so.
            let (low, high) = if of("lower") > of("upper") { ("upper", "lower") } else { ("lower", "upper") };
            all.extend([(low, of(low), lower.1), (high, of(high), upper.1)]);
        }
        for (name, (before, now)) in
            [("effort", at(|l| &l.effort, v.start)), ("velocity", at(|l| &l.velocity, v.start))]
        {
            if !same(before, now) && now.is_finite() {
                all.push((name, before, self.not_negative("one of its limits", now)?));
            }
        }
        edits.set(&self.place("limit"), &singles(&all));
        Ok(())
    }

    /// `k` and `b` of the file, behind a joint that itself is at `k₁ q + b₁`: `(k k₁, k b₁ + b)` is wanted.
    fn mimic(&self, edits: &mut Edits<'a, 'i>) {
        let follows = |body: usize| match self.robot.model.bodies().get(body).map(|body| body.joint()) {
            Some(Joint::Mimic(mimic)) => Some((mimic.multiplier(), mimic.offset())),
            _ => None,
        };
        let element = child(self.node, "mimic").filter(|_| self.robot.options.mimic == MimicForm::Follow);
        let (Some(element), Some(wanted)) = (element, follows(self.body)) else { return };
        let target = attribute(element, "joint").and_then(|joint| self.robot.bodies.get(joint.value()));
        let of_target = target.and_then(|target| follows(*target)).unwrap_or((1.0, 0.0));
        let old = [number(element, "multiplier").unwrap_or(1.0), number(element, "offset").unwrap_or_default()];
        let k = if of_target.0 == 0.0 { old[0] } else { wanted.0 / of_target.0 };
        let new = nearest([k, wanted.1 - k * of_target.1], old, |[k, b]| {
            let (multiplier, offset) = mimic::compose((*k, *b), of_target);
            (multiplier - wanted.0).abs() + (offset - wanted.1).abs()
        });
        let number = |k: usize, attribute| Numbers { attribute, old: &old[k..=k], new: &new[k..=k] };
        edits.set(&self.place("mimic"), &[number(0, "multiplier"), number(1, "offset")]);
    }
}
