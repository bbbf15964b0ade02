//! Equalities: bodies that are held together, and joints that move together.

use super::description::{BodyElement, Equality, EqualityElement};
use super::element::Values;
use super::error::{Fault, MjcfError};
use super::names::{Lookup, What};
use super::orientation::of_wxyz;
use crate::spatial::{Transform, vector as v3};
use nalgebra::Vector3;

/// Reads an equality, once for each replica of what it holds.
pub(super) fn read(values: &Values, lookup: Lookup) -> Result<Vec<EqualityElement>, MjcfError> {
    let element = values.element;
    let kinds = [("body1", What::Body), ("body2", What::Body), ("site1", What::Site), ("site2", What::Site)];
    let joints = [("joint1", What::Joint), ("joint2", What::Joint)];
    let named: Vec<_> = if element.spec.name == "joint" { joints.to_vec() } else { kinds.to_vec() };
    let named: Vec<_> = named.into_iter().map(|(attribute, what)| (what, values.text(attribute))).collect();
    let mut read = Vec::new();
    for ending in lookup.endings(&named) {
        let holds = match element.spec.name {
            "joint" => joint(values, lookup, &ending)?,
            _ => places(values, lookup, &ending)?,
        };
        if let Some(holds) = holds {
            read.push(EqualityElement {
                place: element.place.clone(),
                name: element.name().map(|name| format!("{}{ending}", lookup.names.full(name))),
                active: values.flag("active")?,
                holds,
            });
        }
    }
    Ok(read)
}

fn joint(values: &Values, lookup: Lookup, ending: &str) -> Result<Option<Equality>, MjcfError> {
    let Some(joint) = lookup.find(values, "joint1", What::Joint, ending)? else { return Ok(None) };
    let of = match values.text("joint2") {
        Some(_) => match lookup.find(values, "joint2", What::Joint, ending)? {
            None => return Ok(None),
            some => some,
        },
        None => None,
    };
    Ok(Some(Equality::Joint { joint, of, coefficients: values.array("polycoef")? }))
}

/// `connect` and `weld`: of two bodies, the second of which may be the world, or of two sites.
fn places(values: &Values, lookup: Lookup, ending: &str) -> Result<Option<Equality>, MjcfError> {
    let is_weld = values.element.spec.name == "weld";
    let (bodies, frames) = if values.text("site1").is_some() {
        let mut sites = [(None, Transform::identity()); 2];
        for (place, attribute) in sites.iter_mut().zip(["site1", "site2"]) {
            let Some(index) = lookup.find(values, attribute, What::Site, ending)? else { return Ok(None) };
            let Some(site) = lookup.tree.sites.get(index) else { return Ok(None) };
            *place = (site.body, site.pose);
        }
        (sites.map(|(body, _)| body), sites.map(|(_, pose)| pose))
    } else {
        let mut bodies = [None; 2];
        for (place, attribute) in bodies.iter_mut().zip(["body1", "body2"]) {
            let is_world = values.text(attribute).is_none_or(|name| name == "world");
            if attribute == "body1" && values.text(attribute).is_none() {
                return Err(values.lacks("body1"));
            }
            if !is_world {
                *place = lookup.find(values, attribute, What::Body, ending)?;
                if place.is_none() {
                    return Ok(None);
                }
            }
        }
        let x_12 = pose_of(&lookup.tree.bodies, bodies[0]).inv_mul(&pose_of(&lookup.tree.bodies, bodies[1]));
        let anchor = values.given::<3>("anchor")?.map(Vector3::from);
        if is_weld {
            (bodies, weld(values, anchor.unwrap_or_else(v3::zero), x_12)?)
        } else {
            let Some(anchor) = anchor else { return Err(values.lacks("anchor")) };
            (bodies, [anchor, x_12.inverse().point(anchor)].map(Transform::from_translation))
        }
    };
    for frame in &frames {
        super::tree::finite(values.element, frame)?;
    }
    Ok(Some(if is_weld {
        Equality::Weld { bodies, frames }
    } else {
        Equality::Connect { bodies, points: frames.map(|frame| frame.translation) }
    }))
}

/// The frames of a weld: as `relpose` says, the pose of the second body in the first, or as the bodies stand in the file. `anchor` is
/// a point of the second body.
fn weld(values: &Values, anchor: Vector3<f64>, x_12: Transform<f64>) -> Result<[Transform<f64>; 2], MjcfError> {
    let [x, y, z, quaternion @ ..] = values.array::<7>("relpose")?;
    let relative = if quaternion.iter().all(|x| *x == 0.0) {
        x_12
    } else {
        let zero = || Fault::Zero { owner: values.element.owner(), attribute: "relpose" }.at(values.place("relpose"));
        Transform::new(of_wxyz(quaternion).ok_or_else(zero)?, Vector3::new(x, y, z))
    };
    let on_second = Transform::from_translation(anchor);
    Ok([relative * on_second, on_second])
}

/// The pose of a body in the world, all joints at their reference.
pub(super) fn pose_of(bodies: &[BodyElement], body: Option<usize>) -> Transform<f64> {
    let mut pose = Transform::identity();
    let mut at = body.and_then(|i| bodies.get(i));
    while let Some(body) = at {
        pose = body.pose * pose;
        at = body.parent.and_then(|i| bodies.get(i));
    }
    pose
}
