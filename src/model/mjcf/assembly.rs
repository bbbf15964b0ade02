//! From the description to the model: bodies without joints merged, several joints of a body in a row.

use super::description::{BodyElement, Description, JointElement, JointKind};
use super::drives::Places;
use super::error::{Fault, MjcfError};
use super::keys::{Coordinates, JointCoordinates, places};
use super::options::MjcfOptions;
use super::tree::{body_owner, unused};
use crate::joint::{Axis, Elementary, Fixed, FreeFlyer, Prismatic, Revolute, Spherical, Translation};
use crate::model::source::{LoadReport, Owner, Rank, merge};
use crate::model::{BodyKey, Model, ModelBuilder};
use crate::spatial::so3::{about_axis, log3};
use crate::spatial::{Inertia, Transform, vector as v3};
use nalgebra::Vector3;
use std::collections::HashMap;

/// MuJoCo's bound for a mass that is none.
const NO_MASS: f64 = 1e-15;

/// Where a body of the file is: on which body of the model (none: the world), and its pose there.
#[derive(Clone, Copy)]
pub(super) struct Seat {
    pub(super) key: Option<BodyKey>,
    pub(super) pose: Transform<f64>,
}

/// The model as it grows.
pub(super) struct Assembly<'d> {
    pub(super) description: &'d Description,
    pub(super) options: &'d MjcfOptions,
    pub(super) builder: ModelBuilder,
    pub(super) seats: Vec<Seat>,
    /// Names of bodies and frames, and of joints.
    pub(super) frames: HashMap<String, ()>,
    pub(super) joints: HashMap<String, ()>,
    /// The bodies that each joint moves: of a free joint in two parts, that of its translation first.
    pub(super) keys: Vec<Vec<BodyKey>>,
    pub(super) report: LoadReport,
}

/// The model, and where the joints of the file are in it.
pub(super) struct Assembled {
    pub(super) model: Model,
    pub(super) coordinates: Coordinates,
    /// Index in the model of the body that each body of the file is on, none for the world, and its pose there.
    pub(super) bodies: Vec<(Option<usize>, Transform<f64>)>,
    pub(super) report: LoadReport,
}

impl<'d> Assembly<'d> {
    pub(super) fn new(description: &'d Description, options: &'d MjcfOptions) -> Self {
        let mut builder = ModelBuilder::new(&description.name);
        builder.set_gravity(description.gravity);
        if let Some(width) = options.friction_width {
            builder.set_friction_width(width);
        }
        Self {
            description,
            options,
            builder,
            seats: Vec::with_capacity(description.bodies.len()),
            frames: description.bodies.iter().map(|body| (body.name.clone(), ())).collect(),
            joints: description.joints.iter().map(|joint| (joint.name.clone(), ())).collect(),
            keys: vec![Vec::new(); description.joints.len()],
            report: LoadReport::default(),
        }
    }

    /// Puts bodies, joints and frames together.
    pub(super) fn assemble(mut self) -> Result<Assembled, MjcfError> {
        let inertias = self.merged()?;
        let mut of_body: Vec<Vec<usize>> = vec![Vec::new(); self.description.bodies.len()];
        for (j, joint) in self.description.joints.iter().enumerate() {
            if let Some(joints) = of_body.get_mut(joint.body) {
                joints.push(j);
            }
        }
        let description = self.description;
        for (i, body) in description.bodies.iter().enumerate() {
            let joints = of_body.get(i).map_or(&[][..], |joints| joints);
            let inertia = inertias.get(i).copied().flatten().unwrap_or_else(Inertia::zero);
            if joints.is_empty() {
                let parent = self.seat(body.parent);
                let pose = parent.pose * body.pose;
                finite(body, &pose)?;
                let seat = Seat { pose, ..parent };
                self.seats.push(seat);
                self.builder.add_frame(seat.key, body.name.as_str(), pose)?;
                continue;
            }
            if inertia.mass < NO_MASS {
                return Err(Fault::NoMass { body: body.name.clone() }.at(&body.place));
            }
            let key = self.chain(body, joints, inertia)?;
            self.seats.push(Seat { key: Some(key), pose: Transform::identity() });
        }
        self.frames_of_joints()?;
        self.frames_of_sites()?;
        super::following::follow(description, self.options, &mut self.builder, &self.keys, &mut self.report)?;
        let followers = super::following::followers(description, self.options);
        let keys = self.keys;
        let seats: Vec<_> = self.seats.iter().map(|seat| (seat.key, seat.pose)).collect();
        let mut model = self.builder.build()?;
        let place = place_of(&model);
        let coordinates = coordinates(description, &keys, &followers, &model, &place);
        let bodies: Vec<_> =
            seats.iter().map(|(key, pose)| (key.and_then(|key| place.get(key.0).copied()), *pose)).collect();
        let mut report = self.report;
        let places = Places { joints: &keys, bodies: &bodies };
        super::drives::add(description, &places, &mut model, &mut report)?;
        Ok(Assembled { model, coordinates, bodies, report })
    }

    pub(super) fn seat(&self, body: Option<usize>) -> Seat {
        let world = Seat { key: None, pose: Transform::identity() };
        body.and_then(|i| self.seats.get(i)).copied().unwrap_or(world)
    }

    /// The inertia of each body with those of the bodies fixed to it; what is fixed to the world goes there.
    fn merged(&mut self) -> Result<Vec<Option<Inertia<f64>>>, MjcfError> {
        let bodies = &self.description.bodies;
        let mut moves = vec![false; bodies.len()];
        for joint in &self.description.joints {
            if let Some(moves) = moves.get_mut(joint.body) {
                *moves = true;
            }
        }
        let mut seats: Vec<(Option<usize>, Transform<f64>)> = Vec::with_capacity(bodies.len());
        let mut merged: Vec<Option<Inertia<f64>>> = vec![None; bodies.len()];
        let mut fixed: Option<Inertia<f64>> = None;
        for (i, body) in bodies.iter().enumerate() {
            let above = body.parent.and_then(|parent| seats.get(parent)).copied();
            let seat = match (moves.get(i), above) {
                (Some(true), _) => (Some(i), Transform::identity()),
                (_, Some((carrier, pose))) => (carrier, pose * body.pose),
                (_, None) => (None, body.pose),
            };
            seats.push(seat);
            if body.inertia == Inertia::zero() {
                continue;
            }
            let own = seat.1.act(body.inertia);
            let place = match seat.0 {
                Some(carrier) => merged.get_mut(carrier),
                None => Some(&mut fixed),
            };
            if let Some(place) = place {
                let sum = place.map_or(own, |others| merge::sum(&others, &own));
                let r = sum.rotational;
                let numbers = [sum.mass, sum.com.x, sum.com.y, sum.com.z, r.xx, r.xy, r.xz, r.yy, r.yz, r.zz];
                if !numbers.iter().all(|x| x.is_finite()) {
                    let (owner, what) = (body_owner(&body.name), "its inertia, merged with that of its body,");
                    return Err(Fault::Overflow { owner, what }.at(&body.place));
                }
                *place = Some(sum);
            }
        }
        if let Some(fixed) = fixed {
            self.builder.add_fixed_inertia(fixed);
        }
        Ok(merged)
    }

    /// The joints of a body, one after the other: all but the last one move bodies without mass.
    fn chain(&mut self, body: &BodyElement, joints: &[usize], inertia: Inertia<f64>) -> Result<BodyKey, MjcfError> {
        let description = self.description;
        let parent = self.seat(body.parent);
        let mut carrier = parent.key;
        let mut at = parent.pose * body.pose;
        // Where the origin of the body is in the frame of the last joint.
        let mut origin = v3::zero();
        for (n, &j) in joints.iter().enumerate() {
            let Some(joint) = description.joints.get(j) else { continue };
            let is_last = n + 1 == joints.len();
            let anchor = match joint.kind {
                JointKind::Hinge | JointKind::Ball => joint.position,
                // Where they are mounted makes no difference.
                JointKind::Slide | JointKind::Free => v3::zero(),
            };
            // From the frame of the joint before to the anchor of this one.
            at.translation = v3::add(at.translation, v3::rotate(&at.rotation, v3::add(origin, anchor)));
            origin = v3::scale(-1.0, anchor);
            let at_origin = anchor == v3::zero();
            let (own, inertia) =
                if is_last && at_origin { (Some(body.name.as_str()), inertia) } else { (None, Inertia::zero()) };
            let key = match joint.kind {
                JointKind::Free => self.free((joint, at), j, own, inertia)?,
                _ => {
                    let mut placement = at;
                    let kind: Elementary = kind(joint, &mut placement, body)?;
                    finite(body, &placement)?;
                    self.add(carrier, joint, j, own, placement, kind, inertia)?
                }
            };
            carrier = Some(key);
            at = Transform::identity();
        }
        if origin == v3::zero() {
            return carrier.ok_or_else(|| Fault::NoMass { body: body.name.clone() }.at(&body.place));
        }
        let joint = unused(format!("{}_fixed", body.name), &self.joints);
        self.joints.insert(joint.clone(), ());
        let placement = Transform::from_translation(origin);
        Ok(self.builder.add_body(carrier, body.name.as_str(), joint, placement, Fixed, inertia)?)
    }

    /// A free joint. With armature its linear velocity has to be in axes of the world, as that of MuJoCo: translation and rotation
    /// are joints of their own.
    fn free(
        &mut self,
        (joint, pose): (&JointElement, Transform<f64>),
        j: usize,
        own: Option<&str>,
        inertia: Inertia<f64>,
    ) -> Result<BodyKey, MjcfError> {
        let identity = Transform::identity();
        let (p, turn) = (pose.translation, log3(&pose.rotation));
        if joint.armature == 0.0 {
            let key = self.add(None, joint, j, own, identity, FreeFlyer.into(), inertia)?;
            self.spring(key, joint, &[p.x, p.y, p.z, turn.x, turn.y, turn.z])?;
            return Ok(key);
        }
        let name = unused(format!("{}_translation", joint.name), &self.joints);
        self.joints.insert(name.clone(), ());
        let body = unused(name.clone(), &self.frames);
        self.frames.insert(body.clone(), ());
        let first = self.builder.add_body(None, body, name, identity, Translation, Inertia::zero())?;
        self.constants(first, joint, 3)?;
        self.spring(first, joint, p.as_slice())?;
        self.remember(j, first);
        let key = self.add(Some(first), joint, j, own, identity, Spherical.into(), inertia)?;
        self.spring(key, joint, turn.as_slice())?;
        Ok(key)
    }

    /// One joint, and the body that it moves: `own`, or one without mass and with the name of the joint.
    #[allow(clippy::too_many_arguments, reason = "those of a body of the builder, and whose they are")]
    fn add(
        &mut self,
        parent: Option<BodyKey>,
        joint: &JointElement,
        j: usize,
        own: Option<&str>,
        placement: Transform<f64>,
        kind: Elementary,
        inertia: Inertia<f64>,
    ) -> Result<BodyKey, MjcfError> {
        let name = match own {
            Some(name) => name.to_owned(),
            None => {
                let name = unused(joint.name.clone(), &self.frames);
                self.frames.insert(name.clone(), ());
                name
            }
        };
        let nv = crate::joint::JointKind::<f64>::nv(&kind);
        let key = self.builder.add_body(parent, name, joint.name.as_str(), placement, kind, inertia)?;
        self.constants(key, joint, nv)?;
        self.remember(j, key);
        Ok(key)
    }

    fn remember(&mut self, joint: usize, key: BodyKey) {
        if let Some(keys) = self.keys.get_mut(joint) {
            keys.push(key);
        }
    }

    /// Limits, armature, damping and friction.
    fn constants(&mut self, key: BodyKey, joint: &JointElement, nv: usize) -> Result<(), MjcfError> {
        let one_coordinate = matches!(joint.kind, JointKind::Hinge | JointKind::Slide);
        match joint.range {
            Some([lower, upper]) if one_coordinate => _ = self.builder.set_q_limits(key, &[(lower, upper)])?,
            Some(_) => self.note(joint, "range", Rank::Dubious, "the limit of its angle is left out"),
            None => {}
        }
        if let Some([lower, upper]) = joint.effort {
            if lower + upper != 0.0 {
                self.note(
                    joint,
                    "actuatorfrcrange",
                    Rank::Dubious,
                    "its force is bounded by the larger of both bounds",
                );
            }
            self.builder.set_effort_limits(key, &[lower.abs().max(upper.abs())])?;
        }
        if joint.armature > 0.0 {
            self.builder.set_armature(key, &vec![joint.armature; nv])?;
        }
        if let Some(ratio) = joint.gear_ratio.filter(|ratio| one_coordinate && (ratio * ratio).is_normal()) {
            self.builder.set_gear_ratios(key, &[Some(ratio)])?;
        }
        if joint.damping > 0.0 {
            self.builder.set_damping(key, &vec![joint.damping; nv])?;
        }
        if joint.friction > 0.0 {
            if self.options.friction_width.is_some() {
                self.builder.set_friction(key, &vec![joint.friction; nv])?;
            } else {
                let reason = "dry friction is left out: MuJoCo's has no width, and that of the model needs one";
                self.note(joint, "frictionloss", Rank::ChangesDynamics, reason);
            }
        }
        match joint.kind {
            JointKind::Hinge | JointKind::Slide => self.spring(key, joint, &[joint.spring_reference]),
            JointKind::Ball => self.spring(key, joint, &[0.0; 3]),
            JointKind::Free => Ok(()),
        }
    }

    /// The spring of a joint, at rest here: a ball joint where the body has the pose of the file, as a free one.
    fn spring(&mut self, key: BodyKey, joint: &JointElement, reference: &[f64]) -> Result<(), MjcfError> {
        if joint.stiffness > 0.0 {
            self.builder.set_stiffness(key, &vec![joint.stiffness; reference.len()])?;
            self.builder.set_spring_reference(key, reference)?;
        }
        Ok(())
    }
}

/// The joint of the model. Its mounting frame is moved so that the coordinate is `ref` where the body has the pose of the file.
fn kind(joint: &JointElement, placement: &mut Transform<f64>, body: &BodyElement) -> Result<Elementary, MjcfError> {
    let axis = || {
        let zero = Fault::Zero { owner: Owner::Joint(joint.name.clone()), attribute: "axis" }.at(&body.place);
        Axis::along(joint.axis).ok_or(zero)
    };
    Ok(match joint.kind {
        JointKind::Hinge => {
            if joint.reference != 0.0 {
                placement.rotation = v3::product(&placement.rotation, &about_axis(joint.axis, -joint.reference));
            }
            Revolute { axis: axis()? }.into()
        }
        JointKind::Slide => {
            let back: Vector3<f64> = v3::rotate(&placement.rotation, v3::scale(-joint.reference, joint.axis));
            placement.translation = v3::add(placement.translation, back);
            Prismatic { axis: axis()? }.into()
        }
        JointKind::Ball => Spherical.into(),
        JointKind::Free => FreeFlyer.into(),
    })
}

/// A pose composed of finite ones may overflow.
fn finite(body: &BodyElement, pose: &Transform<f64>) -> Result<(), MjcfError> {
    if pose.translation.iter().chain(pose.rotation.iter()).all(|x| x.is_finite()) {
        return Ok(());
    }
    Err(Fault::Overflow { owner: body_owner(&body.name), what: "its pose" }.at(&body.place))
}

/// The place in the model of the body of each key: bodies were added depth first, and so stay in order.
fn place_of(model: &Model) -> Vec<usize> {
    (0..model.bodies().len()).collect()
}

fn coordinates(
    description: &Description,
    keys: &[Vec<BodyKey>],
    followers: &[bool],
    model: &Model,
    place: &[usize],
) -> Coordinates {
    let (starts, [nq, nv]) = places(&description.joints);
    let body = |key: &BodyKey| place.get(key.0).and_then(|i| model.bodies().get(*i));
    let of = |(j, joint): (usize, &JointElement)| {
        let bodies: Vec<_> = keys.get(j).into_iter().flatten().filter_map(body).collect();
        let range = match (bodies.first(), bodies.last()) {
            (Some(first), Some(last)) => {
                Some([first.q_range().start..last.q_range().end, first.v_range().start..last.v_range().end])
            }
            _ => None,
        };
        JointCoordinates {
            kind: joint.kind,
            mujoco: starts.get(j).copied().unwrap_or_default(),
            model: range.filter(|_| !followers.get(j).copied().unwrap_or_default()),
            is_split: bodies.len() > 1,
        }
    };
    Coordinates { nq, nv, joints: description.joints.iter().enumerate().map(of).collect() }
}
