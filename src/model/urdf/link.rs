//! Reading a `link` element.

use super::description::LinkElement;
use super::error::UrdfError;
use super::physical;
use super::placement;
use super::report::NoteKind;
use super::text::Owner;
use super::xml::Reader;
use crate::spatial::{Inertia, Symmetric3, vector as v3};
use roxmltree::Node;

/// Reads a link.
pub(super) fn read(reader: &mut Reader, node: Node) -> Result<LinkElement, UrdfError> {
    let line = reader.line(node);
    let name = node.attribute("name").unwrap_or_default();
    if name.is_empty() {
        return Err(UrdfError::MissingName { line, element: "link" });
    }
    let owner = Owner::Link(name.to_owned());
    let _ = reader.attributes(node, &owner, ["name"]);
    let [inertial] = reader.once(node, &owner, ["inertial"])?;
    let inertia = inertial.map(|inertial| read_inertial(reader, inertial, &owner)).transpose()?;
    Ok(LinkElement { line, name: name.to_owned(), inertia, joint: None })
}

/// Mass, mass centre and rotational inertia, turned into the axes of the link.
fn read_inertial(reader: &mut Reader, node: Node, owner: &Owner) -> Result<Inertia<f64>, UrdfError> {
    let _ = reader.attributes(node, owner, []);
    let [origin, mass, inertia] = reader.once(node, owner, ["origin", "mass", "inertia"])?;
    let line = reader.line(node);
    let missing = |element| UrdfError::MissingElement { line, owner: owner.clone(), within: "inertial", element };
    let x_lc = placement::read(reader, origin, owner)?;
    let mass = read_mass(reader, mass.ok_or_else(|| missing("mass"))?, owner)?;
    let inertia = inertia.ok_or_else(|| missing("inertia"))?;
    let in_own_axes = read_tensor(reader, inertia, owner)?;

    let moments = physical::principal_moments(&in_own_axes);
    if let Some(reason) = physical::fault(mass, moments) {
        let link = owner.name().to_owned();
        reader.report.push(reader.line(inertia), NoteKind::UnphysicalInertia { link, mass, moments, reason });
    }

    let at_centre = Inertia::new(mass, v3::zero(), in_own_axes);
    let turned = x_lc.act(at_centre);
    if !turned.rotational.matrix().iter().all(|x| x.is_finite()) {
        return Err(UrdfError::Overflow { line: reader.line(inertia), owner: owner.clone(), what: "its inertia" });
    }
    Ok(turned)
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

/// The six entries of an `inertia` element; none has a default.
fn read_tensor(reader: &mut Reader, node: Node, owner: &Owner) -> Result<Symmetric3<f64>, UrdfError> {
    const ENTRIES: [&str; 6] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];
    let attributes = reader.leaf(node, owner, ENTRIES)?;
    let mut entries = [0.0; 6];
    for ((entry, attribute), name) in entries.iter_mut().zip(attributes).zip(ENTRIES) {
        *entry = reader.required(attribute, node, owner, name)?.number()?;
    }
    let [xx, xy, xz, yy, yz, zz] = entries;
    Ok(Symmetric3::new(xx, xy, xz, yy, yz, zz))
}
