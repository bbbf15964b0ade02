//! Joints as files have them: each in as many steps as it takes, a hinge, a slide, and so on, with nothing but a place between them.

use super::Writing;
use super::names::Taken;
use crate::joint::*;
use crate::model::draft::Draft;
use crate::model::joint_dynamics::JointConstant;
use crate::model::source::{Owner, Rank};
use crate::model::write::WriteError;
use crate::spatial::{Transform, vector as v3};
use nalgebra::Vector3;
use std::ops::Range;

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Motion {
    Fixed,
    Hinge(Vector3<f64>),
    Slide(Vector3<f64>),
    Planar(Planar),
    Ball,
    Free,
}

/// A step of a joint, and what is its own.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Name of the joint in the file.
    pub(super) name: String,
    /// Pose of its mounting frame in the frame behind the step before, of the first in the parent.
    pub(super) placement: Transform<f64>,
    pub(super) motion: Motion,
    /// One entry a degree of freedom.
    pub(super) dofs: Vec<Dof>,
    /// One entry a coordinate.
    pub(super) q_limits: Vec<(f64, f64)>,
    /// Name of the joint whose coordinate it follows, multiplier and offset.
    pub(super) follows: Option<(String, f64, f64)>,
    /// Whether its axis stands still where that of the model's joint turns with the body.
    pub(super) is_apart: bool,
}

/// What is a degree of freedom's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dof {
    pub(super) armature: f64,
    pub(super) damping: f64,
    pub(super) friction: f64,
    /// Stiffness and reference.
    pub(super) spring: Option<[f64; 2]>,
    pub(super) velocity: f64,
    pub(super) effort: f64,
}

/// A number of a degree of freedom.
pub(super) type NumberOf = fn(&Dof) -> f64;

impl Dof {
    /// Where its spring is at rest; zero if it has no stiffness.
    pub(super) fn reference(&self) -> f64 {
        self.spring.filter(|[stiffness, _]| *stiffness != 0.0).map_or(0.0, |[_, reference]| reference)
    }

    /// That of its spring.
    pub(super) fn stiffness(&self) -> f64 {
        self.spring.map_or(0.0, |[stiffness, _]| stiffness)
    }

    /// Without anything.
    const NONE: Self = Self {
        armature: 0.0,
        damping: 0.0,
        friction: 0.0,
        spring: None,
        velocity: f64::INFINITY,
        effort: f64::INFINITY,
    };
}

/// The steps of each body's joint, in the order of the bodies. `taken`: names that joints of several steps may not give to these.
pub(super) fn of_bodies(writing: &mut Writing, taken: &mut Taken) -> Result<Vec<Vec<Step>>, WriteError> {
    let dof_names = writing.model.dof_names();
    let mut all = Vec::with_capacity(writing.builder.bodies.len());
    let bodies = writing.model.bodies();
    for (draft, body) in writing.builder.bodies.iter().zip(bodies) {
        let names = if body.owns_coordinates { &dof_names[body.v.clone()] } else { &[] };
        all.push(of_joint(draft, names, writing.model.has_joint_friction(), taken));
    }
    let leader = |body: usize| -> Option<String> {
        let leads = |step: &&Step| step.dofs.len() == 1 && step.follows.is_none();
        Some(all.get(body)?.iter().find(leads)?.name.clone())
    };
    let follows: Vec<_> = writing.builder.bodies.iter().map(|draft| draft.mimic).collect();
    let follows: Vec<_> = follows.into_iter().map(|rule| rule.and_then(|(l, k, b)| Some((leader(l)?, k, b)))).collect();
    for (steps, rule) in all.iter_mut().zip(follows) {
        if let (Some(rule), Some(step)) = (rule, steps.first_mut()) {
            step.follows = Some(rule);
        }
    }
    for body in bodies.iter().filter(|body| body.owns_coordinates) {
        let turns = |joint: &Elementary| matches!(joint, Elementary::Continuous(_));
        let has_circle = match &body.joint {
            Joint::Elementary(joint) => turns(joint),
            Joint::Composite(joint) => joint.parts().iter().any(|part| turns(&part.joint)),
            Joint::Mimic(_) => false,
        };
        if has_circle {
            let owner = Owner::Joint(body.joint_name.clone());
            writing.restate(owner, "its coordinate is one angle instead of (cos, sin)");
        }
    }
    beside(writing)?;
    Ok(all)
}

/// What a model has beside what files say of joints.
fn beside(writing: &mut Writing) -> Result<(), WriteError> {
    let joint_friction = writing.model.has_joint_friction();
    for i in 0..writing.builder.bodies.len() {
        let Draft { joint_name, more, curves, .. } = &writing.builder.bodies[i];
        let owner = Owner::Joint(joint_name.clone());
        let entries = more.len();
        let rubs = curves.iter().flatten().filter(|[stribeck, _, asymmetry]| *stribeck != 0.0 || *asymmetry != 0.0);
        let curves: Vec<[f64; 3]> = rubs.filter(|_| joint_friction).copied().collect();
        if entries > 0 {
            let what = format!("entries of armature, damping and friction beside its own ({entries})");
            let reason = "a joint has one of each for a degree of freedom";
            writing.leave_out(owner.clone(), what, reason, Rank::ChangesDynamics)?;
        }
        for [stribeck, velocity, asymmetry] in curves {
            let what = format!("Stribeck friction {stribeck} below {velocity} rad/s or m/s with asymmetry {asymmetry}");
            writing.leave_out(
                owner.clone(),
                what,
                "its dry friction is the same at all speeds",
                Rank::ChangesDynamics,
            )?;
        }
    }
    Ok(())
}

/// The steps of one joint.
fn of_joint(draft: &Draft<f64>, dof_names: &[String], joint_friction: bool, taken: &mut Taken) -> Vec<Step> {
    let parts: Vec<(Transform<f64>, Elementary)> = match &draft.joint {
        Joint::Elementary(joint) => vec![(draft.placement, *joint)],
        Joint::Composite(joint) if joint.parts().is_empty() => vec![(draft.placement, Fixed.into())],
        Joint::Composite(joint) => {
            let place = |(n, part): (usize, &Part)| match n {
                0 => (draft.placement * part.placement, part.joint),
                _ => (part.placement, part.joint),
            };
            joint.parts().iter().enumerate().map(place).collect()
        }
        // A builder has the joint itself.
        Joint::Mimic(joint) => vec![(draft.placement, *joint.inner())],
    };
    let moves: Vec<Vec<Move>> = parts.iter().map(|(_, joint)| of_kind(joint)).collect();
    let is_single = moves.iter().map(Vec::len).sum::<usize>() == 1;
    let (mut steps, mut q, mut v) = (Vec::new(), 0, 0);
    for ((mut placement, _), moves) in parts.into_iter().zip(moves) {
        let mut hinge = None;
        for Move { motion, nq, nv, advance } in moves {
            let name = match dof_names.get(v..v + nv) {
                _ if is_single => draft.joint_name.clone(),
                _ if advance.is_some() => taken.unused(&format!("{}.advance", draft.joint_name)),
                Some([name]) if *name != draft.joint_name => taken.unused(name),
                // The only one of its joint that has a coordinate.
                Some([_]) | None if nv == 1 => draft.joint_name.clone(),
                _ if nv == 0 => taken.unused(&format!("{}.fixed", draft.joint_name)),
                _ => taken.unused(&format!("{}.{v}", draft.joint_name)),
            };
            steps.push(Step {
                placement: std::mem::replace(&mut placement, Transform::identity()),
                motion,
                dofs: match advance {
                    Some(_) => vec![Dof::NONE],
                    None => dofs(draft, v..v + nv, joint_friction),
                },
                q_limits: match advance {
                    Some(_) => vec![(f64::NEG_INFINITY, f64::INFINITY)],
                    None => draft.q_limits.get(q..q + nq).unwrap_or(&[]).to_vec(),
                },
                follows: advance.and_then(|pitch| Some((hinge.clone()?, pitch, 0.0))),
                is_apart: false,
                name: name.clone(),
            });
            hinge = Some(name);
            (q, v) = (q + nq, v + nv);
        }
    }
    steps
}

fn dofs(draft: &Draft<f64>, range: Range<usize>, joint_friction: bool) -> Vec<Dof> {
    let constant = |constant: JointConstant, k: usize| {
        let list = draft.constants.get(constant as usize).and_then(Option::as_ref);
        list.filter(|_| constant.counts(joint_friction)).and_then(|list| list.get(k)).copied().unwrap_or_default()
    };
    let dof = |k: usize| Dof {
        armature: constant(JointConstant::Armature, k),
        damping: constant(JointConstant::Damping, k),
        friction: constant(JointConstant::Friction, k),
        spring: draft.springs.get(k).copied().flatten(),
        velocity: draft.velocity_limits.get(k).copied().unwrap_or(f64::INFINITY),
        effort: draft.effort_limits.get(k).copied().unwrap_or(f64::INFINITY),
    };
    range.map(dof).collect()
}

/// A step of a kind of joint: its coordinates and degrees of freedom.
struct Move {
    motion: Motion,
    nq: usize,
    nv: usize,
    /// The pitch of a screw: it follows the step before.
    advance: Option<f64>,
}

/// The steps of an elementary joint.
fn of_kind(joint: &Elementary) -> Vec<Move> {
    let whole = |motion| vec![Move { motion, nq: joint.nq(), nv: joint.nv(), advance: None }];
    let one = |motion| Move { motion, nq: 1, nv: 1, advance: None };
    let axes = [0, 1, 2].map(|k| v3::column(&v3::identity(), k));
    match joint {
        Elementary::Fixed(_) => whole(Motion::Fixed),
        Elementary::Revolute(joint) => whole(Motion::Hinge(joint.axis.vector())),
        Elementary::Continuous(joint) => whole(Motion::Hinge(joint.axis.vector())),
        Elementary::Prismatic(joint) => whole(Motion::Slide(joint.axis.vector())),
        Elementary::Helical(joint) => {
            let axis = joint.axis.vector();
            let advance = Move { motion: Motion::Slide(axis), nq: 0, nv: 0, advance: Some(joint.pitch) };
            vec![one(Motion::Hinge(axis)), advance]
        }
        Elementary::Cylindrical(joint) => {
            let axis = joint.axis.vector();
            vec![one(Motion::Slide(axis)), one(Motion::Hinge(axis))]
        }
        Elementary::Universal(joint) => {
            [joint.first, joint.second].map(|axis| one(Motion::Hinge(axis.vector()))).into()
        }
        Elementary::Planar(joint) => whole(Motion::Planar(*joint)),
        Elementary::Translation(_) => axes.map(|axis| one(Motion::Slide(axis))).into(),
        Elementary::Spherical(_) => whole(Motion::Ball),
        Elementary::SphericalZyx(_) => {
            let [x, y, z] = axes;
            [z, y, x].map(|axis| one(Motion::Hinge(axis))).into()
        }
        Elementary::FreeFlyer(_) => whole(Motion::Free),
    }
}

impl Step {
    /// Its range if it has one coordinate; none where it has no limits. Limits of other coordinates, and limits on one side, are left out.
    pub(super) fn range(&self, writing: &mut Writing, least: Least) -> Result<Option<(f64, f64)>, WriteError> {
        let owner = Owner::Joint(self.name.clone());
        let mut leave_out = |what, reason| writing.leave_out(owner.clone(), what, reason, Rank::NotDynamics);
        let is_finite = |(lower, upper): &(f64, f64)| lower.is_finite() || upper.is_finite();
        match self.q_limits[..] {
            [(lower, upper)] if lower.is_finite() && upper.is_finite() => {
                let (reason, fits) = match least {
                    Least::Point => ("its readers want them in order", lower <= upper),
                    Least::Interval => ("its range is longer than zero", lower < upper),
                };
                if fits {
                    return Ok(Some((lower, upper)));
                }
                leave_out(format!("limits {lower} to {upper}"), reason)?;
            }
            [(lower, upper)] if is_finite(&(lower, upper)) => {
                leave_out(format!("limits {lower} to {upper}"), "a range has two finite ends")?;
            }
            _ if self.q_limits.iter().any(is_finite) => {
                leave_out(
                    "limits of coordinates".to_owned(),
                    "only hinges and slides have limits, and not (cos, sin)",
                )?;
            }
            _ => {}
        }
        Ok(None)
    }
}

/// The shortest range that a format has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Least {
    Point,
    Interval,
}
