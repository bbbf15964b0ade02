//! Inertias of bodies, shared out among the links that are fixed to each other.

use super::edits::{EditTarget, Edits, Numbers, attribute, child};
use super::nearest::nearest;
use super::{RewriteError, Robot};
use crate::model::source::number::numbers;
use crate::model::source::text::Owner;
use crate::model::source::xml::Reader;
use crate::model::source::{merge, physical};
use crate::model::urdf::link::ENTRIES;
use crate::model::urdf::placement;
use crate::spatial::{Inertia, Symmetric3, Transform, vector as v3};
use nalgebra::{Matrix3, Vector3};
use roxmltree::Node;
use std::cmp::Ordering::Equal;
use std::collections::HashMap;

/// A link of a body.
struct Part {
    link: usize,
    /// Its pose in the body.
    pose: Transform<f64>,
    /// Its inertia, as the file has it.
    inertia: Option<Inertia<f64>>,
}

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
        Body { own, parts, wanted: *wanted, on_world, name: &element.name }.write(robot, edits)?;
    }
    Ok(())
}

/// A body, or what is fixed to the world.
struct Body<'n> {
    /// The link that gives it its name.
    own: usize,
    /// Its links, in the file's order.
    parts: Vec<Part>,
    wanted: Inertia<f64>,
    on_world: bool,
    name: &'n str,
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

impl Body<'_> {
    fn write<'a, 'i>(&self, robot: &Robot<'a, 'i>, edits: &mut Edits<'a, 'i>) -> Result<(), RewriteError> {
        if self.distance(&self.sum(|part| part.inertia)) <= 0.0 {
            return Ok(());
        }
        let mut order: Vec<_> = self.parts.iter().collect();
        let mass = |part: &Part| part.inertia.map_or(0.0, |y| y.mass);
        order
            .sort_by(|a, b| (b.link == self.own, mass(b)).partial_cmp(&(a.link == self.own, mass(a))).unwrap_or(Equal));
        let rests: Vec<_> = order.into_iter().map(|part| (part, self.rest_without(part))).collect();
        let fits = |rest: &Inertia<f64>| {
            rest.mass >= 0.0 && physical::fault(rest.mass, physical::principal_moments(&rest.rotational)).is_none()
        };
        // What no rigid body has can still be written; a negative mass cannot.
        let chosen = rests.iter().find(|(_, rest)| fits(rest)).or(rests.iter().find(|(_, rest)| rest.mass >= 0.0));
        match (chosen, rests.first()) {
            (Some((part, rest)), _) => self.write_link(part, rest, robot, edits),
            (None, Some((part, rest))) => Err(RewriteError::NegativeMass {
                body: self.name.to_owned(),
                mass: self.wanted.mass,
                link: robot.description.links.get(part.link).map(|link| link.name.clone()).unwrap_or_default(),
                left: rest.mass,
                others: self.wanted.mass - rest.mass,
            }),
            (None, None) => Ok(()),
        }
    }

    /// The sum over the links, as the reader forms it.
    fn sum(&self, inertia: impl Fn(&Part) -> Option<Inertia<f64>>) -> Inertia<f64> {
        let each = self.parts.iter().filter_map(|part| inertia(part).map(|y| part.pose.act(y)));
        let sum = each.reduce(|sum, y| merge::sum(&sum, &y)).unwrap_or_else(Inertia::zero);
        if self.on_world { Inertia::zero() + sum } else { sum }
    }

    /// How far an inertia is from the wanted one: relative errors of mass, center of mass and tensor, added up.
    fn distance(&self, y: &Inertia<f64>) -> f64 {
        let relative = |differences: &[f64], of: &[f64]| {
            let size: f64 = of.iter().map(|x| x.abs()).sum();
            differences.iter().map(|x| x.abs()).sum::<f64>() / if size > 0.0 { size } else { 1.0 }
        };
        let (w, dc, di) = (&self.wanted, v3::sub(y.com, self.wanted.com), y.rotational - self.wanted.rotational);
        relative(&[y.mass - w.mass], &[w.mass])
            + relative(dc.as_slice(), w.com.as_slice())
            + relative(&di.to_array(), &w.rotational.to_array())
    }

    /// What is left for one link, in the axes of its frame: the wanted inertia without the others. With `M = m + m₂`,
    /// `c = C + (m₂/m)(C − c₂)` and `I = I_M − I₂ + (m m₂/M) [c − c₂]×²`.
    fn rest_without(&self, part: &Part) -> Inertia<f64> {
        let (whole, others) = (&self.wanted, self.sum(|other| other.inertia.filter(|_| other.link != part.link)));
        let mut rest = *whole;
        rest.mass = whole.mass - others.mass;
        rest.rotational = whole.rotational - others.rotational;
        if others.mass > 0.0 {
            let away = v3::sub(whole.com, others.com);
            // Without mass there is no center.
            rest.com = if rest.mass > 0.0 {
                v3::scale_plus(others.mass / rest.mass, away, whole.com)
            } else {
                part.pose.translation
            };
            let apart = Symmetric3::minus_skew_squared(v3::sub(rest.com, others.com));
            rest.rotational =
                rest.rotational - apart.scale(rest.mass * (others.mass / whole.mass.max(f64::MIN_POSITIVE)));
        }
        part.pose.inv_act(rest)
    }

    fn write_link<'a, 'i>(
        &self,
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
            |ten: &Ten| self.sum(|other| if other.link == part.link { Some(says.read(ten)) } else { other.inertia });
        let new = nearest(says.guess(rest), old, |ten| self.distance(&with(ten)));
        if let Some(value) = new.iter().copied().find(|x| !x.is_finite()) {
            return Err(RewriteError::Unwritable { owner, what: "its inertia", value, rule: "numbers are finite" });
        }

        let place = |element| EditTarget {
            owner: owner.clone(),
            parent: inertial.unwrap_or(node),
            within: if inertial.is_none() { Some("inertial") } else { None },
            element,
            whole_body: (self.parts.iter().filter(|part| part.inertia.is_some() || part.link == self.own).count() > 1)
                .then(|| self.name.to_owned()),
        };
        edits.set(&place("origin"), &[Numbers { attribute: "xyz", old: &old[1..4], new: &new[1..4] }]);
        // Where there is neither, a mass alone would be read as a mistake.
        let neither = element.inertia.is_none();
        edits.set_all(&place("mass"), &[Numbers { attribute: "value", old: &old[..1], new: &new[..1] }], neither);
        let entry = |k: usize| Numbers { attribute: ENTRIES[k], old: &old[4 + k..5 + k], new: &new[4 + k..5 + k] };
        edits.set_all(&place("inertia"), &[0, 1, 2, 3, 4, 5].map(entry), neither);
        Ok(())
    }
}

/// The number of an attribute.
pub(super) fn number(node: Node, name: &str) -> Option<f64> {
    attribute(node, name).and_then(|attribute| numbers(attribute.value()).ok()).map(|[x]| x)
}
