//! Keyframes, and the coordinates of MuJoCo as ours.

use super::description::{Description, JointElement, JointKind, KeyElement};
use super::element::Element;
use super::error::{Fault, MjcfError};
use super::load::not_used;
use super::place::Place;
use crate::model::source::{LoadReport, Owner, Rank};
use crate::model::{Body, Model};
use crate::spatial::{Quaternion, vector as v3};
use nalgebra::Vector3;
use std::collections::HashMap;
use std::ops::Range;

/// Reads all keyframes.
pub(super) fn all<'e>(elements: impl Iterator<Item = &'e Element>) -> Result<Vec<KeyElement>, MjcfError> {
    let mut places: HashMap<&str, &Place> = HashMap::new();
    let mut keys = Vec::new();
    for (n, element) in elements.enumerate() {
        if let Some(name) = element.name()
            && let Some(first) = places.insert(name, &element.place)
        {
            let (name, first) = (name.to_owned(), first.clone());
            return Err(element.fault(Fault::DuplicateName { what: "key", name, first }));
        }
        keys.push(read(element, n)?);
    }
    Ok(keys)
}

/// Reads a keyframe; `n`: its number.
fn read(element: &Element, n: usize) -> Result<KeyElement, MjcfError> {
    let values = element.plain();
    Ok(KeyElement {
        place: element.place.clone(),
        name: element.name().map_or_else(|| format!("key_{n}"), str::to_owned),
        qpos: values.list("qpos")?,
        qvel: values.list("qvel")?,
    })
}

/// Keyframes in coordinates of the model. Those of another length are noted, and left out; so is what joints that follow others would do
/// by themselves.
pub(super) fn configurations(
    description: &Description,
    model: &Model,
    coordinates: &Coordinates,
    reference: &[f64],
    report: &mut LoadReport,
) -> Vec<Configuration> {
    let mut found = Vec::with_capacity(description.keyframes.len());
    let followers = coordinates.followers(description, model);
    for key in &description.keyframes {
        let mut note = |attribute, reason| {
            let owner = Owner::Element("keyframe".to_owned(), key.name.clone());
            let kind = not_used(owner, "key", Some(attribute), (Rank::Dubious, reason));
            report.push_in(key.place.file.as_ref(), key.place.line, kind);
        };
        let qpos = key.qpos.as_deref().unwrap_or(reference);
        let Some(q) = coordinates.q_of(model, qpos) else {
            note("qpos", "it is left out: its length is not that of the coordinates");
            continue;
        };
        let still = vec![0.0; coordinates.nv()];
        let Some(mut v) = coordinates.v_of(&q, key.qvel.as_deref().unwrap_or(&still)) else {
            note("qvel", "it is left out: its length is not that of the velocities");
            continue;
        };
        v.resize(model.nv(), 0.0);
        let is_off = |(from, body): &(usize, &Body)| qpos.get(*from).is_some_and(|x| body.is_elsewhere(&q, *x));
        if key.qpos.is_some() && followers.iter().any(is_off) {
            note("qpos", "a joint that follows another is not where it belongs, and goes there");
        }
        found.push(Configuration { name: key.name.clone(), q, v });
    }
    found
}

/// A named state, in coordinates of the model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Configuration {
    /// Its name in the file.
    pub name: String,
    /// The configuration (nq).
    pub q: Vec<f64>,
    /// The velocity (nv); zero where the file says none.
    pub v: Vec<f64>,
}

/// Where the coordinates of MuJoCo, `qpos` and `qvel`, are in the model.
///
/// A quaternion of MuJoCo is `w x y z`, of the model `x y z w`. The linear velocity of a free joint is in axes of the world, of the
/// model in those of the body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coordinates {
    pub(super) nq: usize,
    pub(super) nv: usize,
    pub(super) joints: Vec<JointCoordinates>,
}

/// Those of a joint.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JointCoordinates {
    pub(super) kind: JointKind,
    /// First places in `qpos` and `qvel`.
    pub(super) mujoco: [usize; 2],
    /// Places in q and v; of one that follows another, none.
    pub(super) model: Option<[Range<usize>; 2]>,
    /// Whether translation and rotation are joints of their own, and so linear velocity in axes of the world.
    pub(super) is_split: bool,
}

impl Coordinates {
    /// Length of `qpos`.
    #[must_use]
    pub fn nq(&self) -> usize {
        self.nq
    }

    /// Length of `qvel`.
    #[must_use]
    pub fn nv(&self) -> usize {
        self.nv
    }

    /// Joints of one coordinate that follow others: where this is in `qpos`, and the body that each moves.
    fn followers<'m>(&self, description: &Description, model: &'m Model) -> Vec<(usize, &'m Body)> {
        let bodies: HashMap<&str, &Body> = model.bodies().iter().map(|body| (body.joint_name(), body)).collect();
        let all = self.joints.iter().zip(&description.joints).filter(|(joint, _)| joint.model.is_none());
        all.filter_map(|(joint, of)| Some((joint.mujoco[0], *bodies.get(of.name.as_str())?))).collect()
    }

    /// The configuration of the model at `qpos`; none for another length.
    #[must_use]
    pub fn q_of(&self, model: &Model, qpos: &[f64]) -> Option<Vec<f64>> {
        if qpos.len() != self.nq {
            return None;
        }
        let mut q = model.neutral();
        for joint in &self.joints {
            let Some([places, _]) = &joint.model else { continue };
            let (from, to) = (qpos.get(joint.mujoco[0]..)?, q.get_mut(places.clone())?);
            match (joint.kind, from, to) {
                (JointKind::Hinge | JointKind::Slide, [x, ..], [place]) => *place = *x,
                (JointKind::Ball, [w, x, y, z, ..], [a, b, c, d]) => (*a, *b, *c, *d) = (*x, *y, *z, *w),
                (JointKind::Free, [p0, p1, p2, w, x, y, z, ..], [a, b, c, d, e, f, g]) => {
                    (*a, *b, *c, *d, *e, *f, *g) = (*p0, *p1, *p2, *x, *y, *z, *w);
                }
                _ => return None,
            }
        }
        model.normalize(&mut q).ok()?;
        Some(q)
    }

    /// The velocity of the model at `qvel`, at a configuration of the model; none for another length.
    #[must_use]
    pub fn v_of(&self, q: &[f64], qvel: &[f64]) -> Option<Vec<f64>> {
        if qvel.len() != self.nv {
            return None;
        }
        let nv = self.joints.iter().filter_map(|joint| Some(joint.model.as_ref()?[1].end)).max().unwrap_or_default();
        let mut v = vec![0.0; nv];
        for joint in &self.joints {
            let Some([places, rates]) = &joint.model else { continue };
            let from = qvel.get(joint.mujoco[1]..)?.get(..rates.len())?;
            let to = v.get_mut(rates.clone())?;
            to.copy_from_slice(from);
            if joint.kind == JointKind::Free && !joint.is_split {
                let (Some(&[_, _, _, x, y, z, w]), [a, b, c, ..]) = (q.get(places.clone()), to) else { return None };
                let rotation = Quaternion::from_array([x, y, z, w]).rotation();
                let linear = v3::rotate_back(&rotation, Vector3::new(*a, *b, *c));
                (*a, *b, *c) = (linear.x, linear.y, linear.z);
            }
        }
        Some(v)
    }
}

/// The first places of each joint in `qpos` and `qvel`, and their lengths.
pub(super) fn places(joints: &[JointElement]) -> (Vec<[usize; 2]>, [usize; 2]) {
    let mut next = [0, 0];
    let places = joints.iter().map(|joint| {
        let place = next;
        let freedoms = joint.kind.degrees_of_freedom();
        // A quaternion has one number more.
        let coordinates = freedoms + usize::from(freedoms > 1);
        next = [next[0] + coordinates, next[1] + freedoms];
        place
    });
    (places.collect(), next)
}
