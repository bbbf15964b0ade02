//! Comparisons of two robots: the same tree, what has no place in a file, and numbers read back.

use super::nearest::same;
use super::{NotWritten, RewriteError};
use crate::joint::{Elementary, Joint};
use crate::model::urdf::{Description, JointElement, JointType};
use crate::model::{Body, DofDynamics, JointConstant, Model};
use crate::spatial::{Inertia, Transform, vector as v3};
use nalgebra::Vector3;
use std::collections::{HashMap, HashSet};

/// What a number read back may differ by, relative to the size of its kind. What can be written comes back to a few
/// 1e-16; poses and axes are accepted by a model with errors of 1e-9, and the reader makes them exact.
const WITHIN: f64 = 1e-8;

/// What the joint of a body has by itself at its `k`-th degree of freedom.
pub(super) fn dof(model: &Model, body: usize, k: usize) -> DofDynamics {
    let entry = model.joint_entry(body, k).ok().and_then(|at| model.joint_dynamics().get(at));
    entry.copied().unwrap_or(DofDynamics::none(k, 1.0))
}

/// The poses of frames, by their names.
pub(super) fn frame_poses(model: &Model) -> HashMap<&str, Transform<f64>> {
    model.frames().iter().map(|frame| (frame.name(), *frame.placement())).collect()
}

fn kind(joint: &Joint) -> String {
    match joint {
        Joint::Mimic(mimic) => format!("mimic of a {} joint", Joint::Elementary(*mimic.inner()).kind()),
        other => other.kind().to_owned(),
    }
}

/// Checks that the model is that of the file, with other numbers.
pub(super) fn tree(file: &Model, model: &Model) -> Result<(), RewriteError> {
    let other = |what: String, file: String, model: String| Err(RewriteError::OtherTree { what, file, model });
    let (in_file, in_model) = (file.bodies(), model.bodies());
    for (i, (a, b)) in in_file.iter().zip(in_model).enumerate() {
        if a.name() != b.name() {
            return other(format!("body {i}"), format!("`{}`", a.name()), format!("`{}`", b.name()));
        }
        if a.joint_name() != b.joint_name() {
            let what = format!("the joint of body `{}`", a.name());
            return other(what, format!("`{}`", a.joint_name()), format!("`{}`", b.joint_name()));
        }
        let parent = |of: &[Body], body: &Body| {
            let parent = body.parent().and_then(|parent| of.get(parent.index()));
            parent.map_or("the world".to_owned(), |parent| format!("`{}`", parent.name()))
        };
        let (pa, pb) = (parent(in_file, a), parent(in_model, b));
        if pa != pb {
            return other(format!("the parent of body `{}`", a.name()), pa, pb);
        }
        let (ka, kb) = (kind(a.joint()), kind(b.joint()));
        if ka != kb {
            return other(format!("joint `{}`", a.joint_name()), ka, kb);
        }
        if (a.q_range(), a.v_range()) != (b.q_range(), b.v_range()) {
            let what = format!("the place of joint `{}` in q and v", a.joint_name());
            let text = |body: &Body| format!("{:?} and {:?}", body.q_range(), body.v_range());
            return other(what, text(a), text(b));
        }
    }
    if in_file.len() != in_model.len() {
        return other("the number of bodies".into(), in_file.len().to_string(), in_model.len().to_string());
    }
    let by_name: HashMap<_, _> = model.frames().iter().map(|frame| (frame.name(), frame)).collect();
    for frame in file.frames() {
        let on = |of: &Model, body: Option<crate::model::BodyId>| match body.and_then(|b| of.bodies().get(b.index())) {
            Some(body) => format!("on body `{}`", body.name()),
            None => "on the world".to_owned(),
        };
        let found = by_name.get(frame.name());
        let (a, b) = (on(file, frame.body()), found.map_or("missing".to_owned(), |found| on(model, found.body())));
        if a != b {
            return other(format!("frame `{}`", frame.name()), a, b);
        }
    }
    Ok(())
}

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
            let text = |model: &Model| match model.body_id(i).and_then(|id| model.spring_of(id, k)) {
                Some(spring) => format!("stiffness {}, reference {}", spring.stiffness, spring.reference),
                None => "none".to_owned(),
            };
            differ(format!("spring {k} of joint `{}`", body.joint_name()), text(file), text(model), NONE);
            let text = |model: &Model| match model.body_id(i).and_then(|id| model.friction_curve_of(id, k)) {
                Some(of) => {
                    let (stribeck, velocity, asymmetry) = (of.stribeck, of.stribeck_velocity, of.asymmetry);
                    format!("stribeck {stribeck} at {velocity}, asymmetry {asymmetry}")
                }
                None => "none".to_owned(),
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

fn pose_text(x: &Transform<f64>) -> String {
    format!("xyz {:?}, rpy {:?}", x.translation.as_slice(), x.rpy())
}

/// How large the lengths of a robot are: the largest of its placements, centers of mass and frames.
fn reach(model: &Model) -> f64 {
    let bodies = model.bodies().iter().flat_map(|body| [body.placement().translation, body.inertia().com]);
    let all = bodies.chain(model.frames().iter().map(|frame| frame.placement().translation));
    all.map(|p| v3::norm_squared(p).sqrt()).fold(0.0, f64::max)
}

fn near(a: f64, b: f64, size: f64) -> bool {
    same(a, b) || (a - b).abs() <= WITHIN * size
}

fn near_pose(a: &Transform<f64>, b: &Transform<f64>, reach: f64) -> bool {
    a.rotation.iter().zip(b.rotation.iter()).all(|(a, b)| near(*a, *b, 1.0))
        && a.translation.iter().zip(b.translation.iter()).all(|(a, b)| near(*a, *b, reach))
}

/// Lists the frames that the changed text does not put where the model has them: those of joints that go with their
/// links, and of links that bodies are named after.
pub(super) fn frames(base: &Model, read: &Model, model: &Model, not_written: &mut Vec<NotWritten>) {
    let reach = reach(model);
    let (model, base) = (frame_poses(model), frame_poses(base));
    for frame in read.frames() {
        let (Some(wanted), Some(before)) = (model.get(frame.name()), base.get(frame.name())) else { continue };
        // One that stayed behind when the frame of its link moved was not meant to.
        if !near_pose(frame.placement(), wanted, reach) && wanted != before {
            not_written.push(NotWritten {
                what: format!("frame `{}`", frame.name()),
                file: pose_text(frame.placement()),
                model: pose_text(wanted),
                reason: "it goes with its link",
            });
        }
    }
}

/// Checks that the numbers are those of the model, up to rounding.
pub(super) fn numbers(read: &Model, model: &Model, not_written: &[NotWritten]) -> Result<(), RewriteError> {
    let fail = |what: String, wanted: String, read: String| Err(RewriteError::NotReproduced { what, wanted, read });
    let listed = |what: &str| not_written.iter().any(|listed| listed.what == what);
    let reach = reach(model);
    let inertia = |what: String, read: &Inertia<f64>, wanted: &Inertia<f64>| {
        let tensor: f64 = wanted.rotational.to_array().iter().map(|x| x.abs()).sum();
        // The tensor of several links is as exact as the largest of what is added up.
        let tensor = tensor + read.mass.abs() * reach * reach;
        let close = near(read.mass, wanted.mass, wanted.mass.abs())
            && read.com.iter().zip(wanted.com.iter()).all(|(a, b)| near(*a, *b, reach))
            && read.rotational.to_array().iter().zip(wanted.rotational.to_array()).all(|(a, b)| near(*a, b, tensor));
        let text = |y: &Inertia<f64>| {
            format!("mass {}, mass center {:?}, tensor {:?}", y.mass, y.com.as_slice(), y.rotational.to_array())
        };
        if close { Ok(()) } else { fail(what, text(wanted), text(read)) }
    };
    inertia("inertia of what is fixed to the world".into(), read.fixed_inertia(), model.fixed_inertia())?;
    for (i, (a, b)) in read.bodies().iter().zip(model.bodies()).enumerate() {
        inertia(format!("inertia of body `{}`", b.name()), a.inertia(), b.inertia())?;
        let what = placement_of(b.joint_name());
        if !near_pose(a.placement(), b.placement(), reach) && !listed(&what) {
            return fail(what, pose_text(b.placement()), pose_text(a.placement()));
        }
        for (x, y) in a.joint().axes().iter().zip(b.joint().axes()) {
            let (x, y) = (x.vector(), y.vector());
            if !x.iter().zip(y.iter()).all(|(x, y)| near(*x, *y, 1.0)) {
                let what = format!("axis of joint `{}`", b.joint_name());
                return fail(what, format!("{:?}", y.as_slice()), format!("{:?}", x.as_slice()));
            }
        }
        if let (Joint::Mimic(x), Joint::Mimic(y)) = (a.joint(), b.joint()) {
            let ((k, b0), (k1, b1)) = ((x.multiplier(), x.offset()), (y.multiplier(), y.offset()));
            if !(near(k, k1, k1.abs()) && near(b0, b1, b1.abs().max(1.0))) {
                let what = format!("mimic of joint `{}`", b.joint_name());
                return fail(what, format!("{k1} q + {b1}"), format!("{k} q + {b0}"));
            }
        }
        if b.v_range().len() == 1 {
            let (x, y) = (dof(read, i, 0), dof(model, i, 0));
            for constant in JointConstant::ALL.into_iter().rev() {
                let (what, x, y) = (constant.name(), *constant.of(&x), *constant.of(&y));
                let excused = constant == JointConstant::Armature && listed(&armature_of(b.joint_name()));
                if !(excused || near(x, y, y.abs())) {
                    return fail(format!("{what} of joint `{}`", b.joint_name()), y.to_string(), x.to_string());
                }
            }
        }
    }
    Ok(())
}

fn placement_of(joint: &str) -> String {
    format!("placement of joint `{joint}`")
}

/// How a list of what is not written names it.
pub(super) fn armature_of(joint: &str) -> String {
    format!("armature of joint `{joint}`")
}
