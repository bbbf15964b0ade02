//! Inertias of bodies, shared out among the links that are fixed to each other.

use super::{RewriteError, Robot};
use crate::model::rewrite::edits::{EditTarget, Edits, Numbers, child, number};
use crate::model::rewrite::nearest::nearest;
use crate::model::rewrite::shares::{Part, Shares};
use crate::model::source::text::Owner;
use crate::model::source::xml::Reader;
use crate::model::urdf::link::ENTRIES;
use crate::model::urdf::placement;
use crate::spatial::{Inertia, Symmetric3, Transform, vector as v3};
use nalgebra::{Matrix3, Vector3};
use std::collections::HashMap;

/// Writes the inertias that differ. `poses`: of each link in its body, as the changed file gives them.
pub(super) fn inertias<'a, 'i>(
    robot: &Robot<'a, 'i>,
    poses: &[Transform<f64>],
    edits: &mut Edits<'a, 'i>,
) -> Result<(), RewriteError> {
    let mut of_link: Vec<Vec<Part>> = robot.seats.iter().map(|_| Vec::new()).collect();
    for (link, ((seat, pose), element)) in robot.seats.iter().zip(poses).zip(&robot.description.links).enumerate() {
        if let Some(parts) = of_link.get_mut(seat.link) {
            parts.push(Part { link, pose: *pose, inertia: element.inertia });
        }
    }
    let root = robot.description.root;
    let body_of: HashMap<_, _> = robot.base.bodies().iter().enumerate().map(|(i, body)| (body.name(), i)).collect();
    for (own, parts) in of_link.into_iter().enumerate().filter(|(_, parts)| !parts.is_empty()) {
        let Some(element) = robot.description.links.get(own) else { continue };
        let on_world = own == root && !robot.options.floating_base;
        let wanted = if on_world {
            robot.model.fixed_inertia()
        } else {
            let Some(body) = body_of.get(element.name.as_str()).and_then(|i| robot.model.bodies().get(*i)) else {
                continue;
            };
            body.inertia()
        };
        let shares = Shares { own, parts, wanted: *wanted, name: &element.name };
        if shares.differ()
            && let Some((part, rest)) = shares.taker(|link| Some(robot.description.links.get(link)?.name.clone()))?
        {
            write_link(&shares, part, &rest, robot, edits)?;
        }
    }
    Ok(())
}

/// Mass, center of mass and the entries of the tensor, as a file has them.
type Ten = [f64; 10];

/// What a link's `inertial` says.
struct Inertial {
    /// The axes of the tensor in the link.
    axes: Matrix3<f64>,
}

impl Inertial {
    /// In the frame of the link, as the reader has it.
    fn read(&self, [mass, x, y, z, xx, xy, xz, yy, yz, zz]: &Ten) -> Inertia<f64> {
        let at_center = Inertia::new(*mass, v3::zero(), Symmetric3::new(*xx, *xy, *xz, *yy, *yz, *zz));
        Transform::new(self.axes, Vector3::new(*x, *y, *z)).act(at_center)
    }

    /// What it has to say to be this, up to roundings.
    fn guess(&self, y: &Inertia<f64>) -> Ten {
        let [xx, xy, xz, yy, yz, zz] = y.rotational.rotated_back(&self.axes).to_array();
        [y.mass, y.com.x, y.com.y, y.com.z, xx, xy, xz, yy, yz, zz]
    }
}

/// Writes what one link is to have.
fn write_link<'a, 'i>(
    shares: &Shares,
    part: &Part,
    rest: &Inertia<f64>,
    robot: &Robot<'a, 'i>,
    edits: &mut Edits<'a, 'i>,
) -> Result<(), RewriteError> {
    let Some(element) = robot.description.links.get(part.link) else { return Ok(()) };
    let Some(node) = robot.links.get(element.name.as_str()).copied() else { return Ok(()) };
    let inertial = child(node, "inertial");
    let owner = Owner::Link(element.name.clone());
    let origin = inertial.and_then(|inertial| child(inertial, "origin"));
    let x_lc = placement::read(&mut Reader::new(""), origin, &owner)?;
    let (p, mut old) = (x_lc.translation, [0.0; 10]);
    (old[1], old[2], old[3]) = (p.x, p.y, p.z);
    let of = |element, attribute| inertial.and_then(|inertial| number(child(inertial, element)?, attribute));
    old[0] = of("mass", "value").unwrap_or_default();
    for (entry, name) in old[4..].iter_mut().zip(ENTRIES) {
        *entry = of("inertia", name).unwrap_or_default();
    }

    let says = Inertial { axes: x_lc.rotation };
    let with =
        |ten: &Ten| shares.sum(|other| if other.link == part.link { Some(says.read(ten)) } else { other.inertia });
    let new = nearest(says.guess(rest), old, |ten| shares.distance(&with(ten)));
    if let Some(value) = new.iter().copied().find(|x| !x.is_finite()) {
        return Err(RewriteError::Unwritable { owner, what: "its inertia", value, rule: "numbers are finite" });
    }

    let place = |element| EditTarget {
        owner: owner.clone(),
        parent: inertial.unwrap_or(node),
        within: if inertial.is_none() { Some("inertial") } else { None },
        element,
        whole_body: shares.whole_body(),
    };
    edits.set(&place("origin"), &[Numbers { attribute: "xyz", old: &old[1..4], new: &new[1..4] }]);
    // Where there is neither, a mass alone would be read as a mistake.
    let neither = element.inertia.is_none();
    edits.set_all(&place("mass"), &[Numbers { attribute: "value", old: &old[..1], new: &new[..1] }], neither);
    let entry = |k: usize| Numbers { attribute: ENTRIES[k], old: &old[4 + k..5 + k], new: &new[4 + k..5 + k] };
    edits.set_all(&place("inertia"), &[0, 1, 2, 3, 4, 5].map(entry), neither);
    Ok(())
}
