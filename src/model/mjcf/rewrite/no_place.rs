//! What differs between two robots and is not written to an MJCF file.

use crate::model::mjcf::MjcfOptions;
use crate::model::mjcf::description::Description;
use crate::model::rewrite::NotWritten;
use crate::model::rewrite::nearest::same;
use crate::model::rewrite::same::{armature_of, dof, frame_poses};
use crate::model::{DofDynamics, Model};
use std::collections::HashSet;

/// What differs and is not written.
pub(super) fn no_place(
    file: &Model,
    model: &Model,
    description: &Description,
    options: &MjcfOptions,
) -> Vec<NotWritten> {
    let mut list = Vec::new();
    let mut differ = |what: String, file: String, model: String, reason: &'static str| {
        if file != model {
            list.push(NotWritten { what, file, model, reason });
        }
    };
    const NO_WIDTH: &str = "MuJoCo's dry friction is a constraint, which has no width";
    const NONE: &str = "MJCF has no place for it";
    differ("the robot's name".into(), format!("{:?}", file.name()), format!("{:?}", model.name()), "names stay");
    let width = |model: &Model| model.friction_width().to_string();
    differ("the friction width".into(), width(file), width(model), NO_WIDTH);
    let on = |model: &Model| if model.has_joint_friction() { "on" } else { "off" }.to_owned();
    differ("joint friction".into(), on(file), on(model), NONE);
    let in_file: HashSet<_> = description.joints.iter().map(|joint| joint.name.as_str()).collect();
    for (i, body) in file.bodies().iter().enumerate() {
        let name = body.joint_name();
        let one = body.v_range().len() == 1 && in_file.contains(name);
        for k in 0..body.v_range().len() {
            let (a, b) = (dof(file, i, k), dof(model, i, k));
            if one {
                if options.friction_width.is_none() {
                    let what = format!("friction of joint `{name}`");
                    differ(what, (a.friction + 0.0).to_string(), (b.friction + 0.0).to_string(), NO_WIDTH);
                }
                if options.armature.contains_key(name) {
                    let reason = "it comes from `MjcfOptions::armature`, not from the file";
                    differ(armature_of(name), a.armature.to_string(), b.armature.to_string(), reason);
                }
            } else {
                let text = |DofDynamics { armature, damping, friction, .. }: DofDynamics| {
                    let [armature, damping, friction] = [armature, damping, friction].map(|x| x + 0.0);
                    format!("armature {armature}, damping {damping}, friction {friction}")
                };
                let reason = "numbers of hinges and slides alone are written";
                differ(format!("degree of freedom {k} of joint `{name}`"), text(a), text(b), reason);
                let text = |model: &Model| match model.body_id(i).and_then(|id| model.spring_constants(id, k)) {
                    Some([stiffness, reference]) if stiffness != 0.0 => {
                        format!("stiffness {stiffness}, reference {reference}")
                    }
                    _ => "none".to_owned(),
                };
                differ(format!("spring {k} of joint `{name}`"), text(file), text(model), reason);
            }
            let text = |model: &Model| match model.body_id(i).and_then(|id| model.friction_curve_of(id, k)) {
                Some(of) if of.stribeck != 0.0 || of.asymmetry != 0.0 => {
                    let (stribeck, velocity, asymmetry) = (of.stribeck, of.stribeck_velocity, of.asymmetry);
                    format!("stribeck {stribeck} at {velocity}, asymmetry {asymmetry}")
                }
                _ => "none".to_owned(),
            };
            differ(format!("friction curve {k} of joint `{name}`"), text(file), text(model), NONE);
        }
        let (q, v) = (body.q_range(), body.v_range());
        if !body.owns_coordinates() {
            continue;
        }
        let places =
            [("least q", 0, q.clone()), ("greatest q", 1, q), ("greatest |v|", 2, v.clone()), ("greatest |τ|", 3, v)];
        for (what, which, range) in places {
            for k in range {
                let of = |model: &Model| {
                    let l = model.limits();
                    let list = [&l.q_lower, &l.q_upper, &l.velocity, &l.effort][which];
                    list.get(k).copied().unwrap_or(f64::INFINITY)
                };
                let (from, to) = (of(file), of(model));
                if !same(from, to) {
                    let what = format!("{what} of joint `{name}`");
                    differ(what, from.to_string(), to.to_string(), "limits stay as the file has them");
                }
            }
        }
    }
    let more = |model: &Model| (0..model.joint_dynamics().len()).filter(|at| !model.is_of_a_joint(*at)).count();
    let reason = "they are no joint's own";
    differ("entries of joint dynamics".into(), more(file).to_string(), more(model).to_string(), reason);
    let known = frame_poses(file);
    for frame in model.frames().iter().filter(|frame| !known.contains_key(frame.name())) {
        differ(format!("frame `{}`", frame.name()), "not there".into(), "there".into(), "no site is added");
    }
    list
}
