//! From the description to the model: fixed links merged, joints turned into ours, loops into constraints.

use super::description::{Description, Joint};
use super::error::{SdfError, SdfFault};
use super::options::SdfOptions;
use super::tree::{Tree, tree};
use crate::joint::{Fixed, FreeFlyer};
use crate::model::source::{LoadReport, LoopJoint, NoteKind, Owner, Rank, merge};
use crate::model::urdf::ROOT_JOINT;
use crate::model::{BodyId, BodyKey, Model, ModelBuilder};
use crate::spatial::{Inertia, Transform};
use std::collections::{HashMap, HashSet};

/// A link, by the one that carries it (none: the world), and its pose there.
#[derive(Clone, Copy)]
struct Seat {
    link: Option<usize>,
    pose: Transform<f64>,
}

/// The model, and what else a file says.
pub(super) struct Assembled {
    pub(super) model: Model,
    pub(super) loops: Vec<LoopJoint>,
    pub(super) configuration: Vec<f64>,
}

/// Puts links and joints together.
pub(super) fn assemble(
    description: &Description,
    options: &SdfOptions,
    report: &mut LoadReport,
) -> Result<Assembled, SdfError> {
    let Tree { order, loops } = tree(description)?;
    let seats = seats(description, options, &order);
    let (inertias, fixed) = merged(description, &seats)?;
    let mut assembly = Assembly {
        description,
        seats,
        builder: ModelBuilder::new(&description.name),
        keys: vec![None; description.links.len()],
        joint_keys: HashMap::new(),
        free: Vec::new(),
        frames: description.links.iter().map(|link| link.name.clone()).collect(),
        joints: description.joints.iter().map(|joint| joint.name.clone()).collect(),
    };
    if let Some(gravity) = description.gravity {
        assembly.builder.set_gravity(gravity);
    }
    if let Some(fixed) = fixed {
        assembly.builder.add_fixed_inertia(fixed);
    }
    for (link, carrier) in &order {
        let inertia = inertias.get(*link).copied().flatten().unwrap_or_else(Inertia::zero);
        assembly.link(*link, *carrier, inertia)?;
    }
    assembly.frames(report)?;
    assembly.follow(report)?;
    let Assembly { builder, seats, keys, free, .. } = assembly;
    let model = builder.build()?;
    let body = |link: Option<usize>| -> Option<BodyId> {
        let key: BodyKey = keys.get(link?).copied().flatten()?;
        model.body_id(key.0)
    };
    let loops = loops.iter().filter_map(|j| description.joints.get(*j));
    let loops = loops.map(|joint| loop_joint(description, &seats, joint, body, report)).collect();
    let mut configuration = model.neutral();
    for (link, key) in free {
        let range = model.bodies().get(key.0).map(crate::model::Body::q_range);
        let place = range.and_then(|range| configuration.get_mut(range));
        if let (Some(place), Some(link)) = (place, description.links.get(link)) {
            let (p, q) = (link.pose.translation, link.pose.quaternion());
            let [x, y, z, w] = q.to_array();
            for (to, from) in place.iter_mut().zip([p.x, p.y, p.z, x, y, z, w]) {
                *to = from;
            }
        }
    }
    Ok(Assembled { model, loops, configuration })
}

/// Where each link is.
fn seats(description: &Description, options: &SdfOptions, order: &[(usize, Option<usize>)]) -> Vec<Seat> {
    let world = Seat { link: None, pose: Transform::identity() };
    let mut seats = vec![world; description.links.len()];
    for (i, carrier) in order {
        let Some(link) = description.links.get(*i) else { continue };
        let joint = carrier.and_then(|j| description.joints.get(j));
        let own = Seat { link: Some(*i), pose: Transform::identity() };
        let in_world = Seat { link: None, pose: link.pose };
        let seat = match joint {
            None if options.fixed_base || link.is_static => in_world,
            None => own,
            Some(Joint { joint: Some(_), .. }) => own,
            Some(Joint { parent: None, .. }) => in_world,
            Some(Joint { parent: Some(parent), .. }) => match (seats.get(*parent), description.links.get(*parent)) {
                (Some(seat), Some(parent)) => Seat { pose: seat.pose * parent.pose.inv_mul(&link.pose), ..*seat },
                _ => own,
            },
        };
        if let Some(place) = seats.get_mut(*i) {
            *place = seat;
        }
    }
    seats
}

type Merged = (Vec<Option<Inertia<f64>>>, Option<Inertia<f64>>);

/// The inertia of each link with those of the links fixed to it, and of what is fixed to the world.
fn merged(description: &Description, seats: &[Seat]) -> Result<Merged, SdfError> {
    let mut merged = vec![None; description.links.len()];
    let mut fixed = None;
    for (link, seat) in description.links.iter().zip(seats) {
        let own = seat.pose.act(link.inertia);
        let place = match seat.link {
            Some(carrier) => merged.get_mut(carrier),
            None => Some(&mut fixed),
        };
        let Some(place) = place else { continue };
        let sum = place.map_or(own, |others| merge::sum(&others, &own));
        let r = sum.rotational;
        let numbers = [sum.mass, sum.com.x, sum.com.y, sum.com.z, r.xx, r.xy, r.xz, r.yy, r.yz, r.zz];
        if !numbers.iter().all(|x| x.is_finite()) {
            let (owner, what) = (Owner::Link(link.name.clone()), "its inertia, merged with that of its body,");
            return Err(link.place.fault(SdfFault::Overflow { owner, what }));
        }
        *place = Some(sum);
    }
    Ok((merged, fixed))
}

struct Assembly<'d> {
    description: &'d Description,
    seats: Vec<Seat>,
    builder: ModelBuilder,
    /// The body of each link that has one.
    keys: Vec<Option<BodyKey>>,
    /// The body that each joint moves.
    joint_keys: HashMap<usize, BodyKey>,
    /// Links that move freely.
    free: Vec<(usize, BodyKey)>,
    frames: HashSet<String>,
    joints: HashSet<String>,
}

impl Assembly<'_> {
    /// The body of the link that another one is on.
    fn key(&self, link: Option<usize>) -> Option<BodyKey> {
        self.keys.get(link?).copied().flatten()
    }

    /// The pose of a joint in the body that carries its parent.
    fn mounting(&self, joint: &Joint) -> (Option<BodyKey>, Transform<f64>) {
        let parent = joint.parent.and_then(|i| Some((self.seats.get(i)?, self.description.links.get(i)?)));
        match parent {
            Some((seat, link)) => (self.key(seat.link), seat.pose * link.pose.inv_mul(&joint.pose)),
            None => (None, joint.pose),
        }
    }

    fn link(&mut self, i: usize, carrier: Option<usize>, inertia: Inertia<f64>) -> Result<(), SdfError> {
        let description = self.description;
        let (Some(link), Some(seat)) = (description.links.get(i), self.seats.get(i).copied()) else { return Ok(()) };
        if seat.link != Some(i) {
            self.builder.add_frame(self.key(seat.link), link.name.as_str(), seat.pose)?;
            return Ok(());
        }
        let joint = carrier.and_then(|j| Some((j, description.joints.get(j)?)));
        let Some((j, joint)) = joint else {
            let name = if self.free.is_empty() { ROOT_JOINT.to_owned() } else { format!("{}_{ROOT_JOINT}", link.name) };
            let name = unused(name, &mut self.joints);
            let key = self.builder.add_body(None, &link.name, name, Transform::identity(), FreeFlyer, inertia)?;
            self.set(i, key);
            self.free.push((i, key));
            return Ok(());
        };
        let Some(kind) = joint.joint else { return Ok(()) };
        let (parent, placement) = self.mounting(joint);
        finite(joint, &placement)?;
        if joint.at_child {
            let key = self.builder.add_body(parent, &link.name, &joint.name, placement, kind, inertia)?;
            self.constants(key, joint)?;
            self.joint_keys.insert(j, key);
            self.set(i, key);
            return Ok(());
        }
        // The joint has a frame of its own: that of the link is fixed to it.
        let name = unused(joint.name.clone(), &mut self.frames);
        let moved = self.builder.add_body(parent, name, &joint.name, placement, kind, Inertia::zero())?;
        self.constants(moved, joint)?;
        self.joint_keys.insert(j, moved);
        let name = unused(format!("{}_fixed", joint.name), &mut self.joints);
        let placement = joint.pose.inv_mul(&link.pose);
        let key = self.builder.add_body(Some(moved), &link.name, name, placement, Fixed, inertia)?;
        self.set(i, key);
        Ok(())
    }

    fn set(&mut self, link: usize, key: BodyKey) {
        if let Some(place) = self.keys.get_mut(link) {
            *place = Some(key);
        }
    }

    /// Limits, damping, friction and springs.
    fn constants(&mut self, key: BodyKey, joint: &Joint) -> Result<(), SdfError> {
        if joint.axes.is_empty() {
            return Ok(());
        }
        let each = |of: fn(&super::description::Axis) -> f64| joint.axes.iter().map(of).collect::<Vec<_>>();
        let limits: Vec<_> = joint.axes.iter().map(|axis| axis.limits).collect();
        self.builder.set_q_limits(key, &limits)?;
        self.builder.set_effort_limits(key, &each(|axis| axis.effort))?;
        self.builder.set_velocity_limits(key, &each(|axis| axis.velocity))?;
        let any = |numbers: &[f64]| numbers.iter().any(|x| *x != 0.0);
        let [damping, friction, stiffness] =
            [each(|axis| axis.damping), each(|axis| axis.friction), each(|axis| axis.stiffness)];
        if any(&damping) {
            self.builder.set_damping(key, &damping)?;
        }
        if any(&friction) {
            self.builder.set_friction(key, &friction)?;
        }
        if any(&stiffness) {
            self.builder.set_stiffness(key, &stiffness)?;
            self.builder.set_spring_reference(key, &each(|axis| axis.spring_reference))?;
        }
        Ok(())
    }

    /// Joints and frames of the file are frames; where a link has the name of a joint, the link's.
    fn frames(&mut self, report: &mut LoadReport) -> Result<(), SdfError> {
        let description = self.description;
        let at = |of: &Self, link: Option<usize>, pose: &Transform<f64>| {
            let found = link.and_then(|i| Some((of.seats.get(i)?, description.links.get(i)?)));
            match found {
                Some((seat, link)) => (of.key(seat.link), seat.pose * link.pose.inv_mul(pose)),
                None => (None, *pose),
            }
        };
        for joint in &description.joints {
            if !self.frames.insert(joint.name.clone()) {
                let child = description.links.get(joint.child);
                if description.links.iter().any(|link| link.name == joint.name)
                    && child.is_none_or(|child| child.name != joint.name)
                {
                    let kind = NoteKind::NameOfLink { joint: joint.name.clone() };
                    report.push_in(joint.place.file.as_ref(), joint.place.line, kind);
                }
                continue;
            }
            let (key, pose) = at(self, Some(joint.child), &joint.pose);
            self.builder.add_frame(key, joint.name.as_str(), pose)?;
        }
        for frame in &description.frames {
            let (key, pose) = at(self, frame.link, &frame.pose);
            let name = unused(frame.name.clone(), &mut self.frames);
            self.builder.add_frame(key, name, pose)?;
        }
        Ok(())
    }

    /// Joints that follow others.
    fn follow(&mut self, report: &mut LoadReport) -> Result<(), SdfError> {
        let description = self.description;
        for (j, joint) in description.joints.iter().enumerate() {
            for axis in &joint.axes {
                let Some((leader, multiplier, offset)) = &axis.mimic else { continue };
                let found = description.joints.iter().position(|joint| joint.name == *leader);
                let keys = (self.joint_keys.get(&j), found.and_then(|found| self.joint_keys.get(&found)));
                if let (Some(own), Some(found), 1) = (keys.0, keys.1, joint.axes.len()) {
                    self.builder.set_mimic(*own, *found, *multiplier, *offset)?;
                    continue;
                }
                let reason = "it moves by itself: only joints of one axis that carry a link follow one another";
                let (owner, attribute) = (Owner::Joint(joint.name.clone()), None);
                let element = String::from("mimic");
                let kind = NoteKind::NotUsed { owner, element, attribute, rank: Rank::ChangesDynamics, reason };
                report.push_in(joint.place.file.as_ref(), joint.place.line, kind);
            }
        }
        Ok(())
    }
}

/// The joint between two links that others carry.
fn loop_joint(
    description: &Description,
    seats: &[Seat],
    joint: &Joint,
    body: impl Fn(Option<usize>) -> Option<BodyId>,
    report: &mut LoadReport,
) -> LoopJoint {
    let at = |link: Option<usize>| {
        let found = link.and_then(|i| Some((seats.get(i)?, description.links.get(i)?)));
        match found {
            Some((seat, link)) => (body(seat.link), seat.pose * link.pose.inv_mul(&joint.pose)),
            None => (None, joint.pose),
        }
    };
    let acts =
        |axis: &super::description::Axis| [axis.damping, axis.friction, axis.stiffness].iter().any(|x| *x != 0.0);
    if joint.axes.iter().any(acts) {
        let (owner, attribute) = (Owner::Joint(joint.name.clone()), None);
        let (element, reason) =
            (String::from("dynamics"), "a joint that closes a loop has no damping, friction or spring");
        let kind = NoteKind::NotUsed { owner, element, attribute, rank: Rank::ChangesDynamics, reason };
        report.push_in(joint.place.file.as_ref(), joint.place.line, kind);
    }
    let ((a, x_a), (b, x_b)) = (at(joint.parent), at(Some(joint.child)));
    let kind = joint.joint.unwrap_or(Fixed.into());
    LoopJoint { name: joint.name.clone(), bodies: [a, b], placements: [x_a, x_b], joint: kind }
}

/// A pose composed of finite ones may overflow.
fn finite(joint: &Joint, pose: &Transform<f64>) -> Result<(), SdfError> {
    if pose.translation.iter().chain(pose.rotation.iter()).all(|x| x.is_finite()) {
        return Ok(());
    }
    Err(joint.place.fault(SdfFault::Overflow { owner: Owner::Joint(joint.name.clone()), what: "its pose" }))
}

/// The name, or a longer one that nothing has.
fn unused(name: String, taken: &mut HashSet<String>) -> String {
    let mut found = name;
    while !taken.insert(found.clone()) {
        found.push('_');
    }
    found
}
