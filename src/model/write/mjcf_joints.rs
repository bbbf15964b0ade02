//! Joints as MJCF has them: hinges, slides, balls and free joints, several of one body, whose axes and anchors are those of the body.

use super::Writing;
use super::error::WriteError;
use super::names::Taken;
use super::steps::{Dof, Least, Motion, NumberOf, Step};
use super::xml::{Element, Xml, list};
use crate::model::source::{Owner, Rank};
use crate::spatial::{Transform, exp3, vector as v3};
use nalgebra::Vector3;

/// A number of a degree of freedom, to be changed.
type NumberIn = fn(&mut Dof) -> &mut f64;

/// Takes apart what MJCF has no joint for: a planar joint into two slides and a hinge, a free joint that MJCF has not into three slides and a ball.
pub(super) fn taken_apart(
    writing: &mut Writing,
    steps: Vec<Step>,
    is_alone: bool,
    taken: &mut Taken,
) -> Result<Vec<Step>, WriteError> {
    let mut all = Vec::with_capacity(steps.len());
    for step in steps {
        match step.motion {
            Motion::Planar(joint) => {
                writing.restate(
                    Owner::Joint(step.name.clone()),
                    "its coordinates are those of two slides and a hinge: an angle instead of (cos, sin), linear velocity in the axes of the mounting frame",
                );
                let (first, second) = joint.in_plane();
                let motions = [Motion::Slide(first), Motion::Slide(second), Motion::Hinge(joint.normal().vector())];
                all.extend(apart(writing, &step, &motions, taken)?);
            }
            Motion::Free if !(is_alone && is_free(&step)) => {
                writing.restate(
                    Owner::Joint(step.name.clone()),
                    "its coordinates are those of three slides and a ball: linear velocity in the axes of the mounting frame, not in those of the body",
                );
                let [x, y, z] = [0, 1, 2].map(|k| Motion::Slide(v3::column(&v3::identity(), k)));
                all.extend(apart(writing, &step, &[x, y, z, Motion::Ball], taken)?);
            }
            _ => all.push(step),
        }
    }
    Ok(all)
}

/// Whether a free joint of the world is one in MJCF: it stands at the origin, and has one damping and one stiffness at most.
fn is_free(step: &Step) -> bool {
    let damping = step.dofs.first().map_or(0.0, |dof| dof.damping);
    let stiffness = step.dofs.first().map_or(0.0, Dof::stiffness);
    let plain = |dof: &Dof| {
        dof.armature == 0.0
            && dof.friction == 0.0
            && dof.damping.to_bits() == damping.to_bits()
            && dof.stiffness().to_bits() == stiffness.to_bits()
    };
    let unlimited = |(lower, upper): &(f64, f64)| !lower.is_finite() && !upper.is_finite();
    step.placement == Transform::identity() && step.dofs.iter().all(plain) && step.q_limits.iter().all(unlimited)
}

/// Slides, and a rotation after them: their linear velocity is in the axes of the mounting frame, no longer in those of the body.
fn apart(writing: &mut Writing, step: &Step, motions: &[Motion], taken: &mut Taken) -> Result<Vec<Step>, WriteError> {
    let slides = motions.len() - 1;
    let (linear, angular) = step.dofs.split_at(slides.min(step.dofs.len()));
    let mut linear = linear.to_vec();
    let moving = "the axes of the body turn, those of slides do not";
    let first_damping = linear.first().map_or(0.0, |dof| dof.damping);
    let constants: [(&str, NumberIn, f64, Rank); 4] = [
        ("armature", |dof| &mut dof.armature, 0.0, Rank::ChangesDynamics),
        ("friction", |dof| &mut dof.friction, 0.0, Rank::ChangesDynamics),
        // The same in all directions is the same in all axes.
        ("damping", |dof| &mut dof.damping, first_damping, Rank::ChangesDynamics),
        ("effort limit", |dof| &mut dof.effort, f64::INFINITY, Rank::NotDynamics),
    ];
    for (what, of, same, rank) in constants {
        let numbers: Vec<f64> = linear.iter_mut().map(|dof| *of(dof)).collect();
        if numbers.iter().any(|x| x.to_bits() != same.to_bits()) {
            let (owner, what) = (Owner::Joint(step.name.clone()), format!("{what} {}", list(&numbers)));
            writing.leave_out(owner, what, moving, rank)?;
            let none = if rank == Rank::NotDynamics { f64::INFINITY } else { 0.0 };
            linear.iter_mut().for_each(|dof| *of(dof) = none);
        }
    }
    let suffixes = [".vx", ".vy", ".vz"];
    let part = |(n, motion): (usize, &Motion)| {
        let is_slide = n < slides;
        let suffix = suffixes.get(n).filter(|_| is_slide).copied().unwrap_or(".w");
        Step {
            name: taken.unused(&format!("{}{suffix}", step.name)),
            placement: if n == 0 { step.placement } else { Transform::identity() },
            motion: *motion,
            dofs: if is_slide { linear.get(n).copied().into_iter().collect() } else { angular.to_vec() },
            q_limits: step
                .q_limits
                .get(if is_slide { n..n + 1 } else { slides..step.q_limits.len() })
                .unwrap_or(&[])
                .to_vec(),
            follows: None,
            is_apart: is_slide,
        }
    };
    Ok(motions.iter().enumerate().map(part).collect())
}

/// For each step of a body the pose of its frame in the body, where all coordinates are zero; and the pose of the body in its parent there.
pub(super) fn places(steps: &[Step]) -> (Vec<Transform<f64>>, Transform<f64>) {
    let mut after = Transform::identity();
    let mut places = Vec::with_capacity(steps.len());
    for step in steps.iter().rev() {
        places.push(after.inverse());
        after = step.placement * after;
    }
    places.reverse();
    (places, after)
}

/// Where a free joint is at rest: the pose that its body has in the file. Nothing but its spring depends on it.
pub(super) fn rest(steps: &[Step]) -> Transform<f64> {
    match steps {
        [Step { motion: Motion::Free, dofs, .. }] => {
            let at = |k: usize| dofs.get(k).map_or(0.0, Dof::reference);
            Transform::new(exp3(Vector3::new(at(3), at(4), at(5))), Vector3::new(at(0), at(1), at(2)))
        }
        _ => Transform::identity(),
    }
}

/// Checks what MuJoCo asks of the joints of one body.
pub(super) fn check(writing: &Writing, steps: &[Step], body: &str) -> Result<(), WriteError> {
    let owner = || Owner::Element("body".to_owned(), body.to_owned());
    let freedoms: usize = steps.iter().map(|step| step.dofs.len()).sum();
    if freedoms > 6 {
        let what = format!("{freedoms} degrees of freedom");
        return Err(writing.refuse(owner(), what, "a body has at most six, and no body without mass can share them"));
    }
    let mut moving = steps.iter().skip_while(|step| step.motion != Motion::Ball).skip(1);
    if let Some(step) = moving.find(|step| matches!(step.motion, Motion::Hinge(_) | Motion::Ball)) {
        let what = format!("rotation by joint `{}` after a ball joint", step.name);
        return Err(writing.refuse(owner(), what, "a ball joint is the last rotation of a body"));
    }
    Ok(())
}

/// Writes the joint of a step, whose frame has this pose in the body.
pub(super) fn write(
    writing: &mut Writing,
    xml: &mut Xml,
    step: &Step,
    place: &Transform<f64>,
) -> Result<(), WriteError> {
    let owner = Owner::Joint(step.name.clone());
    let joint = Element::new("joint").text("name", &step.name);
    let position = place.translation.map(|x| x + 0.0); // no −0
    let axis = |a: &Vector3<f64>| v3::rotate(&place.rotation, *a).map(|x| x + 0.0);
    let mut joint = match &step.motion {
        Motion::Hinge(a) => {
            joint.text("type", "hinge").vector_unless_zero("pos", &position).numbers("axis", axis(a).as_slice())
        }
        Motion::Slide(a) => joint.text("type", "slide").numbers("axis", axis(a).as_slice()),
        Motion::Ball => {
            if place.rotation != v3::identity() {
                let reason = "the axes of its body are turned against its own, and would be those of its coordinates";
                return Err(writing.refuse(owner, "a spherical joint within a composite".to_owned(), reason));
            }
            joint.text("type", "ball").vector_unless_zero("pos", &position)
        }
        Motion::Free => joint.text("type", "free"),
        Motion::Fixed | Motion::Planar(_) => return Ok(()),
    };
    if let Some((lower, upper)) = step.range(writing, Least::Interval)? {
        joint = joint.numbers("range", &[lower, upper]);
    }
    let velocities: Vec<f64> = step.dofs.iter().map(|dof| dof.velocity).collect();
    if velocities.iter().any(|x| x.is_finite()) {
        let what = format!("velocity limit {}", list(&velocities));
        writing.leave_out(owner.clone(), what, "it has no limits of velocities", Rank::NotDynamics)?;
    }
    let efforts: Vec<f64> = step.dofs.iter().map(|dof| dof.effort).collect();
    match efforts[..] {
        [effort] if effort.is_finite() && effort > 0.0 => joint = joint.numbers("actuatorfrcrange", &[-effort, effort]),
        _ if efforts.iter().any(|x| x.is_finite()) => {
            let what = format!("effort limit {}", list(&efforts));
            let reason = "only hinges and slides have one, and it is not zero";
            writing.leave_out(owner.clone(), what, reason, Rank::NotDynamics)?;
        }
        _ => {}
    }
    if let [dof] = &step.dofs[..] {
        joint = joint.number_unless("springref", 0.0, dof.reference());
    } else if step.motion == Motion::Ball {
        let turns: Vec<f64> = step.dofs.iter().map(Dof::reference).collect();
        if turns.iter().any(|x| *x != 0.0) {
            let what = format!("the turn {} at which its spring is at rest", list(&turns));
            let reason = "springs of ball joints are at rest where the body has the pose of the file";
            writing.leave_out(owner.clone(), what, reason, Rank::ChangesDynamics)?;
        }
    }
    let constants: [(&str, &str, NumberOf); 4] = [
        ("stiffness", "stiffness", Dof::stiffness),
        ("damping", "damping", |dof| dof.damping),
        ("armature", "armature", |dof| dof.armature),
        ("friction", "frictionloss", |dof| dof.friction),
    ];
    for (what, attribute, of) in constants {
        let numbers: Vec<f64> = step.dofs.iter().map(of).collect();
        let Some(first) = numbers.first().copied() else { continue };
        if numbers.iter().any(|x| x.to_bits() != first.to_bits()) {
            let what = format!("{what} {}", list(&numbers));
            writing.leave_out(owner.clone(), what, "a joint has one for all its axes", Rank::ChangesDynamics)?;
            continue;
        }
        joint = joint.number_unless(attribute, 0.0, first);
    }
    xml.leaf(joint);
    Ok(())
}
