//! Comparisons of two robots: the same tree, what has no place in a file, and numbers read back.

use super::nearest::same;
use super::{NotWritten, RewriteError};
use crate::joint::Joint;
use crate::model::{Body, DofDynamics, JointConstant, Model};
use crate::spatial::{Inertia, Transform, vector as v3};
use std::collections::HashMap;

/// What a number read back may differ by, relative to the size of its kind. What can be written comes back to a few
/// 1e-16; poses and axes are accepted by a model with errors of 1e-9, and the reader makes them exact.
const WITHIN: f64 = 1e-8;

/// What the joint of a body has by itself at its `k`-th degree of freedom.
pub(in crate::model) fn dof(model: &Model, body: usize, k: usize) -> DofDynamics {
    let entry = model.joint_entry(body, k).ok().and_then(|at| model.joint_dynamics().get(at));
    entry.copied().unwrap_or(DofDynamics::none(k, 1.0))
}

/// The poses of frames, by their names.
pub(in crate::model) fn frame_poses(model: &Model) -> HashMap<&str, Transform<f64>> {
    model.frames().iter().map(|frame| (frame.name(), *frame.placement())).collect()
}

fn kind(joint: &Joint) -> String {
    match joint {
        Joint::Mimic(mimic) => format!("mimic of a {} joint", Joint::Elementary(*mimic.inner()).kind()),
        other => other.kind().to_owned(),
    }
}

/// Checks that the model is that of the file, with other numbers.
pub(in crate::model) fn tree(file: &Model, model: &Model) -> Result<(), RewriteError> {
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

pub(in crate::model) fn pose_text(x: &Transform<f64>) -> String {
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
pub(in crate::model) fn frames(base: &Model, read: &Model, model: &Model, not_written: &mut Vec<NotWritten>) {
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
pub(in crate::model) fn numbers(read: &Model, model: &Model, not_written: &[NotWritten]) -> Result<(), RewriteError> {
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
                let what = format!("{what} of joint `{}`", b.joint_name());
                if !(listed(&what) || near(x, y, y.abs())) {
                    return fail(what, y.to_string(), x.to_string());
                }
            }
        }
    }
    Ok(())
}

/// How a list of what is not written names it.
pub(in crate::model) fn placement_of(joint: &str) -> String {
    format!("placement of joint `{joint}`")
}

/// How a list of what is not written names it.
pub(in crate::model) fn armature_of(joint: &str) -> String {
    format!("armature of joint `{joint}`")
}

/// Checks what MJCF has and URDF has not, springs and gravity, up to rounding.
pub(in crate::model) fn springs_and_gravity(read: &Model, model: &Model) -> Result<(), RewriteError> {
    let fail = |what: String, wanted: String, read: String| Err(RewriteError::NotReproduced { what, wanted, read });
    let (g, wanted) = (read.gravity(), model.gravity());
    if !g.iter().zip(wanted.iter()).all(|(a, b)| near(*a, *b, b.abs())) {
        return fail("gravity".into(), format!("{:?}", wanted.as_slice()), format!("{:?}", g.as_slice()));
    }
    for (i, body) in model.bodies().iter().enumerate().filter(|(_, body)| body.v_range().len() == 1) {
        let (a, b) = (spring(read, i), spring(model, i));
        if !(near(a[0], b[0], b[0].abs()) && near(a[1], b[1], b[1].abs().max(1.0))) {
            let text = |[stiffness, reference]: [f64; 2]| format!("stiffness {stiffness}, reference {reference}");
            return fail(format!("spring of joint `{}`", body.joint_name()), text(b), text(a));
        }
    }
    Ok(())
}

/// Stiffness and reference of the spring of a joint of one degree of freedom; without stiffness there is none, and no reference.
pub(in crate::model) fn spring(model: &Model, body: usize) -> [f64; 2] {
    let spring = model.body_id(body).and_then(|id| model.spring_constants(id, 0));
    spring.filter(|[stiffness, _]| *stiffness != 0.0).unwrap_or_default()
}
