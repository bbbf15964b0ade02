//! Reading a `link` element.

use super::description::LinkElement;
use super::error::UrdfError;
use super::placement;
use crate::model::source::note::NoteKind;
use crate::model::source::physical::{self, Unphysical};
use crate::model::source::text::Owner;
use crate::model::source::xml::Reader;
use crate::spatial::{Inertia, Symmetric3, vector as v3};
use roxmltree::Node;

/// Reads a link.
pub(super) fn read(reader: &mut Reader, node: Node) -> Result<LinkElement, UrdfError> {
    let line = reader.line(node);
    let name = reader.name(node, "link")?;
    let owner = Owner::Link(name.clone());
    let _ = reader.attributes(node, &owner, ["name"])?;
    let [inertial] = reader.once(node, &owner, ["inertial"])?;
    let inertia = inertial.map_or(Ok(None), |inertial| read_inertial(reader, inertial, &owner))?;
    Ok(LinkElement { line, name, inertia, joint: None })
}

/// Mass, center of mass and rotational inertia, turned into the axes of the link. Mass or inertia that is missing is
/// zero; without both there is nothing.
fn read_inertial(reader: &mut Reader, node: Node, owner: &Owner) -> Result<Option<Inertia<f64>>, UrdfError> {
    let _ = reader.attributes(node, owner, [])?;
    let [origin, mass, inertia] = reader.once(node, owner, ["origin", "mass", "inertia"])?;
    let (line, link) = (reader.line(node), owner.name().to_owned());
    let x_lc = placement::read(reader, origin, owner)?;
    let mass = mass.map(|mass| read_mass(reader, mass, owner)).transpose()?;
    let tensor = inertia.map(|inertia| read_tensor(reader, inertia, owner)).transpose()?;

    let missing = match (mass, tensor) {
        (Some(_), Some(_)) => None,
        (Some(mass), None) => Some(NoteKind::MissingInertia { link: link.clone(), mass }),
        (None, Some(_)) => Some(NoteKind::MissingMass { link: link.clone() }),
        (None, None) => {
            reader.report.push(line, NoteKind::EmptyInertial { link });
            return Ok(None);
        }
    };
    let complete = missing.is_none();
    if let Some(kind) = missing {
        reader.report.push(line, kind);
    }
    let (mass, in_own_axes) = (mass.unwrap_or_default(), tensor.unwrap_or_else(Symmetric3::zero));
    let line = inertia.map_or(line, |inertia| reader.line(inertia));
    let moments = physical::principal_moments(&in_own_axes);
    if let Some(reason) = physical::fault(mass, moments)
        && (complete || reason != Unphysical::MomentsWithoutMass)
    {
        reader.report.push(line, NoteKind::UnphysicalInertia { link, mass, moments, reason });
    }

    let at_center = Inertia::new(mass, v3::zero(), in_own_axes);
    let turned = x_lc.act(at_center);
    if !turned.rotational.matrix().iter().all(|x| x.is_finite()) {
        return Err(UrdfError::Overflow { line, owner: owner.clone(), what: "its inertia" });
    }
    Ok(Some(turned))
}

fn read_mass(reader: &mut Reader, node: Node, owner: &Owner) -> Result<f64, UrdfError> {
    let [value] = reader.leaf(node, owner, ["value"])?;
    let value = reader.required(value, node, owner, "value")?;
    let mass = value.number()?;
    if mass < 0.0 {
        return Err(UrdfError::NegativeMass { line: value.line, link: owner.name().to_owned(), mass });
    }
    Ok(mass)
}

/// Attributes of `inertia`.
pub(super) const ENTRIES: [&str; 6] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];

/// The six entries of an `inertia` element; none has a default.
fn read_tensor(reader: &mut Reader, node: Node, owner: &Owner) -> Result<Symmetric3<f64>, UrdfError> {
    let attributes = reader.leaf(node, owner, ENTRIES)?;
    let mut entries = [0.0; 6];
    for ((entry, attribute), name) in entries.iter_mut().zip(attributes).zip(ENTRIES) {
        *entry = reader.required(attribute, node, owner, name)?.number()?;
    }
    let [xx, xy, xz, yy, yz, zz] = entries;
    Ok(Symmetric3::new(xx, xy, xz, yy, yz, zz))
}
