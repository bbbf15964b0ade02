//! What differs between two robots and has no place in a URDF file.

use crate::joint::{Elementary, Joint};
use crate::model::rewrite::NotWritten;
use crate::model::rewrite::nearest::same;
use crate::model::rewrite::same::{dof, frame_poses, placement_of, pose_text};
use crate::model::urdf::{Description, JointElement, JointType};
use crate::model::{Body, DofDynamics, Model};
use nalgebra::Vector3;
use std::collections::HashSet;

/// What differs and has no place in a file.
pub(super) fn no_place(file: &Model, model: &Model, description: &Description) -> Vec<NotWritten> {
    let bounded = |joint: &&JointElement| matches!(joint.joint_type, JointType::Revolute | JointType::Prismatic);
    let bounded: HashSet<_> = description.joints.iter().filter(bounded).map(|joint| joint.name.as_str()).collect();
    let in_file: HashSet<_> = description.joints.iter().map(|joint| joint.name.as_str()).collect();
    let mut list = Vec::new();
    let mut differ = |what: String, file: String, model: String, reason: &'static str| {
        if file != model {
            list.push(NotWritten { what, file, model, reason });
        }
    };
    const NONE: &str = "URDF has no place for it";
    let text = |g: Vector3<f64>| format!("{:?}", [g.x + 0.0, g.y + 0.0, g.z + 0.0]);
    differ("the robot's name".into(), format!("{:?}", file.name()), format!("{:?}", model.name()), "names stay");
    differ("gravity".into(), text(file.gravity()), text(model.gravity()), NONE);
    let (a, b) = (file.friction_width(), model.friction_width());
    differ("the friction width".into(), a.to_string(), b.to_string(), NONE);
    let on = |model: &Model| if model.has_joint_friction() { "on" } else { "off" }.to_owned();
    differ("joint friction".into(), on(file), on(model), NONE);
    for (i, (a, b)) in file.bodies().iter().zip(model.bodies()).enumerate() {
        let normal = |body: &Body| match body.joint() {
            Joint::Elementary(Elementary::Planar(planar)) => Some(format!("{:?}", planar.normal().vector().as_slice())),
            _ => None,
        };
        if let (Some(from), Some(to)) = (normal(a), normal(b)) {
            differ(format!("the normal of joint `{}`", a.joint_name()), from, to, "placements turn it");
        }
        if !in_file.contains(a.joint_name()) {
            let (from, to) = (pose_text(a.placement()), pose_text(b.placement()));
            differ(placement_of(a.joint_name()), from, to, "the joint of a floating base is not in the file");
        }
        if a.v_range().len() > 1 {
            for k in 0..a.v_range().len() {
                let text = |model: &Model| {
                    let DofDynamics { armature, damping, friction, .. } = dof(model, i, k);
                    let [armature, damping, friction] = [armature, damping, friction].map(|x| x + 0.0);
                    format!("armature {armature}, damping {damping}, friction {friction}")
                };
                let what = format!("degree of freedom {k} of joint `{}`", a.joint_name());
                differ(what, text(file), text(model), "URDF has these for joints of one degree of freedom");
            }
        }
        if !a.owns_coordinates() {
            continue;
        }
        let bounded = bounded.contains(a.joint_name());
        let (q, v) = (a.q_range(), a.v_range());
        let places =
            [("least q", 0, q.clone()), ("greatest q", 1, q), ("greatest |v|", 2, v.clone()), ("greatest |τ|", 3, v)];
        for (what, which, range) in places {
            for k in range.clone() {
                let of = |model: &Model| {
                    let l = model.limits();
                    let list = [&l.q_lower, &l.q_upper, &l.velocity, &l.effort][which];
                    list.get(k).copied().unwrap_or(f64::INFINITY)
                };
                let (from, to) = (of(file), of(model));
                let written = to.is_finite() && range.len() == 1 && (bounded || which > 1);
                if !same(from, to) && !written {
                    let what = format!("{what} of joint `{}`", a.joint_name());
                    differ(
                        what,
                        from.to_string(),
                        to.to_string(),
                        "only finite limits of joints that have such ones are written",
                    );
                }
            }
        }
    }
    let more = |model: &Model| (0..model.joint_dynamics().len()).filter(|at| !model.is_of_a_joint(*at)).count();
    let reason = "they are no joint's own";
    differ("entries of joint dynamics".into(), more(file).to_string(), more(model).to_string(), reason);
    for (i, body) in model.bodies().iter().enumerate() {
        for k in 0..body.v_range().len() {
            let text = |model: &Model| match model.body_id(i).and_then(|id| model.spring_constants(id, k)) {
                Some([stiffness, reference]) if stiffness != 0.0 => {
                    format!("stiffness {stiffness}, reference {reference}")
                }
                _ => "none".to_owned(),
            };
            differ(format!("spring {k} of joint `{}`", body.joint_name()), text(file), text(model), NONE);
            let text = |model: &Model| match model.body_id(i).and_then(|id| model.friction_curve_of(id, k)) {
                Some(of) if of.stribeck != 0.0 || of.asymmetry != 0.0 => {
                    let (stribeck, velocity, asymmetry) = (of.stribeck, of.stribeck_velocity, of.asymmetry);
                    format!("stribeck {stribeck} at {velocity}, asymmetry {asymmetry}")
                }
                _ => "none".to_owned(),
            };
            differ(format!("friction curve {k} of joint `{}`", body.joint_name()), text(file), text(model), NONE);
        }
    }
    let known = frame_poses(file);
    for frame in model.frames() {
        if !known.contains_key(frame.name()) {
            differ(format!("frame `{}`", frame.name()), "not there".into(), "there".into(), "no link is added");
        }
    }
    list
}
