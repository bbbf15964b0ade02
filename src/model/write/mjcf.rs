//! MJCF: bodies within bodies.

use super::Writing;
use super::error::WriteError;
use super::joint_frames::Frames;
use super::mjcf_actuators::Drives;
use super::mjcf_joints::{self as joints, places};
use super::names::{Taken, check};
use super::steps::{self, Motion, Step};
use super::xml::{Element, Xml};
use crate::joint::JointKind;
use crate::model::source::{Format, Owner, Rank, physical};
use crate::model::{Frame, Model};
use crate::spatial::{Inertia, Transform, vector as v3};
use std::collections::HashSet;

/// MuJoCo's bound of masses and moments of bodies that move, kg and kg m².
const LEAST: f64 = 1e-15;
/// MuJoCo's bound of principal moments that `fullinertia` gives, kg m².
const LEAST_FULL: f64 = 1e-14;
/// So many bodies may stand one within the other: MuJoCo's parser takes elements 500 deep.
const DEEPEST: usize = 495;

/// The text of the file.
pub(super) fn text(writing: &mut Writing) -> Result<String, WriteError> {
    let model = writing.model;
    check(Format::Mjcf, "robot", model.name())?;
    let mut taken = Taken::default();
    for body in model.bodies() {
        check(Format::Mjcf, "body", body.name())?;
        check(Format::Mjcf, "joint", body.joint_name())?;
        if body.name() == "world" {
            let (name, reason) = (body.name().to_owned(), "MJCF calls the world so, and a body has another name");
            return Err(WriteError::Name { what: "body", name, reason });
        }
        taken.insert(body.joint_name());
    }
    for frame in model.frames() {
        check(Format::Mjcf, "frame", frame.name())?;
        taken.insert(frame.name());
    }
    let mut all = Vec::with_capacity(model.bodies().len());
    let folded = folded(writing)?;
    for (b, steps) in steps::of_bodies(writing, &mut taken)?.into_iter().enumerate() {
        let body = &model.bodies()[b];
        let is_alone = body.parent().is_none() && steps.len() == 1 && !folded[b];
        all.push(joints::taken_apart(writing, steps, is_alone, &mut taken)?);
    }
    let names: HashSet<String> =
        all.iter().flatten().filter(|step| step.motion != Motion::Fixed).map(|step| step.name.clone()).collect();
    let frames = Frames::of(model, |body, name| {
        let is_it =
            |steps: &Vec<Step>| matches!(&steps[..], [step] if step.name == name && step.motion != Motion::Fixed);
        !folded[body] && all.get(body).is_some_and(is_it)
    });

    if all.iter().flatten().flat_map(|step| &step.dofs).any(|dof| dof.friction != 0.0) {
        let how =
            format!("dry friction has no width: read the file with that of this robot, {}", model.friction_width());
        writing.restate(Owner::Robot(model.name().to_owned()), how);
    }
    let drives = Drives::of(writing, &all, &frames, &names, &mut taken)?;
    let mut file = File { xml: Xml::new(), joint_names: names };
    file.xml.open(Element::new("mujoco").text("model", model.name()));
    file.xml.leaf(Element::new("compiler").text("angle", "radian").text("autolimits", "true"));
    file.xml.leaf(Element::new("option").numbers("gravity", model.gravity().as_slice()));
    file.xml.open(Element::new("worldbody"));
    file.world(writing, &frames, &mut taken)?;
    file.bodies(writing, &frames, &all, &folded, &drives)?;
    file.xml.close();
    file.equalities(&all)?;
    drives.write(&mut file.xml);
    Ok(file.xml.finish())
}

/// Which bodies have no mass and move: MuJoCo moves none, so that their joints become those of the one body that they carry.
fn folded(writing: &Writing) -> Result<Vec<bool>, WriteError> {
    let bodies = writing.model.bodies();
    let is_fixed = |b: usize| JointKind::<f64>::nv(&writing.builder.bodies[b].joint) == 0;
    let (mut children, mut any, mut enough) =
        (vec![0; bodies.len()], vec![false; bodies.len()], vec![false; bodies.len()]);
    let mut moves = vec![false; bodies.len()];
    // Bodies fixed to one lend it their mass.
    for (b, body) in bodies.iter().enumerate().rev() {
        any[b] |= *body.inertia() != Inertia::zero();
        enough[b] |=
            body.inertia().mass >= LEAST && physical::principal_moments(&body.inertia().rotational)[0] >= LEAST;
        if let Some(parent) = body.parent() {
            children[parent.index()] += 1;
            any[parent.index()] |= is_fixed(b) && any[b];
            enough[parent.index()] |= is_fixed(b) && enough[b];
        }
    }
    let mut folded = vec![false; bodies.len()];
    for (b, body) in bodies.iter().enumerate() {
        let parent_is_folded = body.parent().is_some_and(|parent| folded[parent.index()]);
        moves[b] = !is_fixed(b) || parent_is_folded;
        if !moves[b] || enough[b] {
            continue;
        }
        let owner = || Owner::Element("body".to_owned(), body.name().to_owned());
        let Inertia { mass, rotational, .. } = *body.inertia();
        if any[b] {
            let moments = physical::principal_moments(&rotational);
            let what = format!("mass {mass} kg with principal moments {} kg m²", super::xml::list(&moments));
            let reason = "MuJoCo moves no body whose mass, or one of whose moments, is below 1e-15";
            return Err(writing.refuse(owner(), what, reason));
        }
        if children[b] != 1 {
            let what = format!("a body without mass that carries {} others", children[b]);
            return Err(writing.refuse(owner(), what, "MuJoCo moves no body without mass"));
        }
        folded[b] = true;
    }
    Ok(folded)
}

/// The file as it grows.
struct File {
    xml: Xml,
    joint_names: HashSet<String>,
}

impl File {
    /// What is fixed to the world.
    fn world(&mut self, writing: &mut Writing, frames: &Frames, taken: &mut Taken) -> Result<(), WriteError> {
        let model: &Model = writing.model;
        let fixed = model.fixed_inertia();
        let mut seat = None;
        if *fixed != Inertia::zero() {
            let stands_there = |frame: &&Frame| *frame.placement() == Transform::identity() && frame.name() != "world";
            seat = frames.of_world().find(stands_there).map(|frame| frame.name().to_owned());
            let name = seat.clone().unwrap_or_else(|| taken.unused("base"));
            self.xml.open(Element::new("body").text("name", &name));
            self.inertial(writing, &name, fixed)?;
            self.xml.close();
        }
        for frame in frames.of_world().filter(|frame| seat.as_deref() != Some(frame.name())) {
            self.site(writing, frame)?;
        }
        Ok(())
    }

    /// The tree. Not recursive: a chain may be long.
    fn bodies(
        &mut self,
        writing: &mut Writing,
        frames: &Frames,
        all: &[Vec<Step>],
        folded: &[bool],
        drives: &Drives,
    ) -> Result<(), WriteError> {
        let model: &Model = writing.model;
        let mut ends: Vec<usize> = Vec::new(); // of the subtrees of the bodies that are open
        let mut row: Vec<Step> = Vec::new();
        let mut carried: Vec<(usize, usize)> = Vec::new(); // bodies without mass, and where their steps end
        for (b, body) in model.bodies().iter().enumerate() {
            row.extend(all[b].iter().cloned());
            if folded[b] {
                carried.push((b, row.len()));
                continue;
            }
            while ends.pop_if(|end| *end <= b).is_some() {
                self.xml.close();
            }
            ends.push(body.subtree_end);
            if ends.len() > DEEPEST {
                let owner = Owner::Element("body".to_owned(), body.name().to_owned());
                let what = format!("a body within {DEEPEST} others");
                return Err(writing.refuse(owner, what, "MuJoCo reads no deeper"));
            }
            joints::check(writing, &row, body.name())?;
            let (places, pose) = places(&row);
            let element = Element::new("body").text("name", body.name());
            self.xml.open(placed(element, &(joints::rest(&row) * pose)));
            for (step, place) in row.iter().zip(&places) {
                joints::write(writing, &mut self.xml, step, place)?;
            }
            for (b, end) in carried.drain(..) {
                let last = end.checked_sub(1).and_then(|n| row.get(n).zip(places.get(n)));
                lost_frames(writing, frames, b, last)?;
            }
            if *body.inertia() != Inertia::zero() {
                self.inertial(writing, body.name(), body.inertia())?;
            }
            for frame in frames.of_body(b) {
                self.site(writing, frame)?;
            }
            drives.sites_of(b).for_each(|name| self.xml.leaf(Element::new("site").text("name", name)));
            row.clear();
        }
        ends.iter().for_each(|_| self.xml.close());
        Ok(())
    }

    fn inertial(&mut self, writing: &Writing, body: &str, inertia: &Inertia<f64>) -> Result<(), WriteError> {
        let r = inertia.rotational;
        let moments = physical::principal_moments(&r);
        let is_diagonal = [r.xy, r.xz, r.yz].iter().all(|x| *x == 0.0);
        let [a, b, c] = moments;
        let reason = if a < 0.0 || inertia.mass <= 0.0 {
            Some("no rigid body has it")
        } else if a + b < c {
            Some("MuJoCo takes no moment above the sum of the others")
        } else if a < LEAST_FULL && !is_diagonal {
            Some("MuJoCo takes no moment below 1e-14 in axes other than the body's")
        } else {
            None
        };
        if let Some(reason) = reason {
            let owner = Owner::Element("body".to_owned(), body.to_owned());
            let what = format!("mass {} kg with principal moments {} kg m²", inertia.mass, super::xml::list(&moments));
            return Err(writing.refuse(owner, what, reason));
        }
        let element = Element::new("inertial").numbers("pos", inertia.com.as_slice()).number("mass", inertia.mass);
        self.xml.leaf(match is_diagonal {
            true => element.numbers("diaginertia", &[r.xx, r.yy, r.zz]),
            false => element.numbers("fullinertia", &[r.xx, r.yy, r.zz, r.xy, r.xz, r.yz]),
        });
        Ok(())
    }

    /// A frame.
    fn site(&mut self, writing: &mut Writing, frame: &Frame) -> Result<(), WriteError> {
        if self.joint_names.contains(frame.name()) {
            let reason = "a joint has its name, and readers make a frame of each joint";
            return writing.leave_out(owner_of(frame), "the frame".to_owned(), reason, Rank::NotDynamics);
        }
        self.xml.leaf(placed(Element::new("site").text("name", frame.name()), frame.placement()));
        Ok(())
    }

    /// Joints that follow others.
    fn equalities(&mut self, all: &[Vec<Step>]) -> Result<(), WriteError> {
        let mut is_first = true;
        for step in all.iter().flatten() {
            let Some((leader, multiplier, offset)) = &step.follows else { continue };
            if std::mem::take(&mut is_first) {
                self.xml.open(Element::new("equality"));
            }
            let joint = Element::new("joint").text("joint1", &step.name).text("joint2", leader);
            self.xml.leaf(joint.numbers("polycoef", &[*offset, *multiplier, 0.0, 0.0, 0.0]));
        }
        Ok(())
    }
}

/// An element where a pose says.
fn placed(element: Element, pose: &Transform<f64>) -> Element {
    let element = element.vector_unless_zero("pos", &pose.translation);
    if pose.rotation == v3::identity() {
        return element;
    }
    let [x, y, z, w] = pose.quaternion().to_array();
    element.numbers("quat", &[w, x, y, z])
}

/// Frames of a body without mass. Readers make one at its last joint.
fn lost_frames(
    writing: &mut Writing,
    frames: &Frames,
    b: usize,
    last: Option<(&Step, &Transform<f64>)>,
) -> Result<(), WriteError> {
    let model: &Model = writing.model;
    let is_made = |frame: &Frame| {
        *frame.placement() == Transform::identity()
            && last.is_some_and(|(step, place)| {
                let at_joint = match step.motion {
                    Motion::Hinge(_) | Motion::Ball => true,
                    Motion::Slide(_) => place.translation == v3::zero(),
                    Motion::Fixed | Motion::Planar(_) | Motion::Free => false,
                };
                at_joint && place.rotation == v3::identity() && step.name == frame.name()
            })
    };
    for frame in model.frames().get(b).into_iter().chain(frames.of_body(b)) {
        if !is_made(frame) {
            let reason = "it stands on a body without mass, whose joint becomes one of the body that it carries";
            writing.leave_out(owner_of(frame), "the frame".to_owned(), reason, Rank::NotDynamics)?;
        }
    }
    Ok(())
}

fn owner_of(frame: &Frame) -> Owner {
    Owner::Element("frame".to_owned(), frame.name().to_owned())
}
