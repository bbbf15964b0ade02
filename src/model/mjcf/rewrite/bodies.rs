//! Inertias and poses of bodies.

use super::{Robot, elsewhere, in_body};
use crate::model::mjcf::description::BodyElement;
use crate::model::mjcf::orientation::of_wxyz;
use crate::model::mjcf::tree::body_owner;
use crate::model::rewrite::RewriteError;
use crate::model::rewrite::edits::{EditTarget, Edits, Numbers, attribute, child};
use crate::model::rewrite::nearest::nearest;
use crate::model::rewrite::shares::{Part, Shares};
use crate::spatial::{Inertia, Symmetric3, Transform};
use nalgebra::Vector3;
use std::collections::HashMap;

/// Attributes that turn an element.
const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];

/// Writes the inertias that differ.
pub(super) fn inertias<'a, 'i>(robot: &Robot<'a, 'i>, edits: &mut Edits<'a, 'i>) -> Result<(), RewriteError> {
    let mut of_body: Vec<Vec<Part>> = robot.base.bodies().iter().map(|_| Vec::new()).collect();
    let mut of_world = Vec::new();
    for (link, ((body, pose), element)) in robot.places.iter().zip(&robot.description.bodies).enumerate() {
        let inertia = Some(element.inertia).filter(|inertia| *inertia != Inertia::zero());
        let parts = match body {
            Some(body) => of_body.get_mut(*body),
            None => Some(&mut of_world),
        };
        if let Some(parts) = parts {
            parts.push(Part { link, pose: *pose, inertia });
        }
    }
    let of_body = of_body.into_iter().zip(robot.model.bodies());
    let all = of_body.map(|(parts, body)| (parts, *body.inertia()));
    for (parts, wanted) in all.chain([(of_world, *robot.model.fixed_inertia())]) {
        // The first one is the body itself; others are fixed to it.
        let Some(own) = parts.first().map(|part| part.link) else { continue };
        let name = robot.description.bodies.get(own).map_or("", |body| body.name.as_str());
        let shares = Shares { own, parts, wanted, name };
        if shares.differ()
            && let Some((part, rest)) = shares.taker(|link| Some(robot.description.bodies.get(link)?.name.clone()))?
        {
            write_inertia(&shares, part, &rest, robot, edits)?;
        }
    }
    Ok(())
}

/// Mass, center of mass and tensor, in the order of `fullinertia`.
type Ten = [f64; 10];

fn ten(y: &Inertia<f64>) -> Ten {
    let (c, r) = (y.com, y.rotational);
    [y.mass, c.x, c.y, c.z, r.xx, r.yy, r.zz, r.xy, r.xz, r.yz]
}

fn inertia([mass, x, y, z, xx, yy, zz, xy, xz, yz]: &Ten) -> Inertia<f64> {
    Inertia::new(*mass, Vector3::new(*x, *y, *z), Symmetric3::new(*xx, *xy, *xz, *yy, *yz, *zz))
}

/// Writes what one body of the file is to have.
fn write_inertia<'a, 'i>(
    shares: &Shares,
    part: &Part,
    rest: &Inertia<f64>,
    robot: &Robot<'a, 'i>,
    edits: &mut Edits<'a, 'i>,
) -> Result<(), RewriteError> {
    let Some(element) = robot.description.bodies.get(part.link) else { return Ok(()) };
    let owner = body_owner(&element.name);
    let node = robot.nodes.bodies.get(part.link).copied().flatten();
    let node = node.ok_or_else(|| elsewhere(owner.clone(), &element.place))?;
    let inertial = child(node, "inertial");
    let old = ten(&element.inertia);
    let with = |ten: &Ten| shares.sum(|other| if other.link == part.link { Some(inertia(ten)) } else { other.inertia });
    let mut guess = ten(rest);
    // Taking off what others weigh leaves roundings: such a tensor has not changed.
    let size: f64 = shares.wanted.rotational.to_array().iter().map(|x| x.abs()).sum();
    let same_tensor = guess[4..].iter().zip(&old[4..]).all(|(new, old)| (new - old).abs() <= 1e-14 * size);
    if same_tensor {
        guess[4..].copy_from_slice(&old[4..]);
    }
    let mut new = nearest(guess, old, |ten| shares.distance(&with(ten)));
    if same_tensor {
        new[4..].copy_from_slice(&old[4..]);
    }
    if let Some(value) = new.iter().copied().find(|x| !x.is_finite()) {
        return Err(RewriteError::Unwritable { owner, what: "its inertia", value, rule: "numbers are finite" });
    }

    let whole_body = shares.whole_body();
    let place = EditTarget { owner, parent: node, within: None, element: "inertial", whole_body };
    let numbers = |attribute, range: std::ops::Range<usize>| Numbers {
        attribute,
        old: old.get(range.clone()).unwrap_or_default(),
        new: new.get(range).unwrap_or_default(),
    };
    let (pos, mass) = (numbers("pos", 1..4), numbers("mass", 0..1));
    let Some(inertial) = inertial else {
        edits.set_all(&place, &[pos, mass, numbers("fullinertia", 4..10)], true);
        return Ok(());
    };
    if same_tensor {
        edits.set_on(&place, inertial, &[pos, mass]);
        return Ok(());
    }
    let turned = ORIENTATIONS.iter().any(|name| attribute(inertial, name).is_some());
    let is_diagonal = |ten: &Ten| ten[7..].iter().all(|x| *x == 0.0);
    if attribute(inertial, "fullinertia").is_none() && !turned && is_diagonal(&new) {
        edits.set_on(&place, inertial, &[pos, mass, numbers("diaginertia", 4..7)]);
        return Ok(());
    }
    edits.set_on(&place, inertial, &[pos, mass, numbers("fullinertia", 4..10)]);
    for name in ORIENTATIONS.into_iter().chain(["diaginertia"]) {
        edits.remove(inertial, name);
    }
    Ok(())
}

/// Writes the poses of bodies whose first joint is mounted elsewhere.
pub(super) fn poses<'a, 'i>(robot: &Robot<'a, 'i>, edits: &mut Edits<'a, 'i>) -> Result<(), RewriteError> {
    let by_joint: HashMap<_, _> =
        robot.base.bodies().iter().enumerate().map(|(i, body)| (body.joint_name(), i)).collect();
    let mut last = None;
    for joint in &robot.description.joints {
        // Joints stand in the order of their bodies.
        if last.replace(joint.body) == Some(joint.body) {
            continue;
        }
        let placement = |bodies: &[crate::model::Body], i: usize| bodies.get(i).map(|body| *body.placement());
        let Some(&i) = by_joint.get(joint.name.as_str()) else { continue };
        let (Some(before), Some(wanted)) = (placement(robot.base.bodies(), i), placement(robot.model.bodies(), i))
        else {
            continue;
        };
        let Some(element) = robot.description.bodies.get(joint.body).filter(|_| before != wanted) else { continue };
        let seat = element.parent.and_then(|parent| robot.places.get(parent)).map(|(_, pose)| *pose);
        let seat = seat.unwrap_or_else(Transform::identity);
        // The placement is `seat · pose · c`, with `c` from the body to the joint: pose₁ = seat⁻¹ W₁ W₀⁻¹ seat pose₀.
        let pose = seat.inv_mul(&(wanted * before.inv_mul(&(seat * element.pose))));
        let node = robot.nodes.bodies.get(joint.body).copied().flatten();
        let owner = body_owner(&element.name);
        let node = in_body(node.ok_or_else(|| elsewhere(owner.clone(), &element.place))?, &owner)?;
        let place = EditTarget { owner, parent: node, within: None, element: "body", whole_body: None };
        write_pose(&place, element, &pose, edits);
    }
    Ok(())
}

fn write_pose<'a, 'i>(
    place: &EditTarget<'a, 'i>,
    element: &BodyElement,
    pose: &Transform<f64>,
    edits: &mut Edits<'a, 'i>,
) {
    let node = place.parent;
    let at = |p: Vector3<f64>| [p.x, p.y, p.z];
    let (old, guess) = (at(element.pose.translation), at(pose.translation));
    let new = nearest(guess, old, |p| p.iter().zip(&guess).map(|(a, b)| (a - b).abs()).sum());
    edits.set_on(place, node, &[Numbers { attribute: "pos", old: &old, new: &new }]);

    let off = |r: &nalgebra::Matrix3<f64>| r.iter().zip(pose.rotation.iter()).map(|(a, b)| (a - b).abs()).sum::<f64>();
    // Entries of a rotation are of size one: this is rounding of the products above.
    if off(&element.pose.rotation) <= 1e-14 {
        return;
    }
    let wxyz = |x: &Transform<f64>| {
        let [x, y, z, w] = x.quaternion().to_array();
        [w, x, y, z]
    };
    let (old, guess) = (wxyz(&element.pose), wxyz(pose));
    // Of the two that are one rotation the nearer one.
    let along: f64 = guess.iter().zip(&old).map(|(a, b)| a * b).sum();
    let guess = if along < 0.0 { guess.map(|x| -x) } else { guess };
    let new = nearest(guess, old, |q| of_wxyz(*q).map_or(f64::INFINITY, |r| off(&r)));
    edits.set_on(place, node, &[Numbers { attribute: "quat", old: &old, new: &new }]);
    for name in ORIENTATIONS.into_iter().filter(|name| *name != "quat") {
        edits.remove(node, name);
    }
}
