//! The inertia of a link.

use super::element::Element;
use super::error::{SdfError, SdfFault};
use crate::model::source::{LoadReport, NoteKind, Owner, Rank, physical};
use crate::spatial::{Inertia, Symmetric3, vector as v3};

/// Entries of `inertia`.
const ENTRIES: [&str; 6] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];

/// The inertia of a link in its own axes. A link without `inertial` has what SDF gives it: 1 kg, and moments of 1 kg m².
pub(super) fn read(link: &Element, is_static: bool, report: &mut LoadReport) -> Result<Inertia<f64>, SdfError> {
    let owner = link.owner();
    let file = link.place.file.as_ref();
    let Some(inertial) = link.child("inertial") else {
        if !is_static {
            let reason = "the link has none: SDF's default counts, 1 kg and moments of 1 kg m²";
            let (element, attribute) = (String::from("inertial"), None);
            let kind = NoteKind::NotUsed { owner, element, attribute, rank: Rank::Dubious, reason };
            report.push_in(file, link.place.line, kind);
        }
        return Ok(Inertia::new(1.0, v3::zero(), Symmetric3::new(1.0, 0.0, 0.0, 1.0, 0.0, 1.0)));
    };
    let place = &inertial.place;
    if inertial.flag_attribute("auto", &owner)? {
        let (element, attribute) = (String::from("inertial"), Some(String::from("auto")));
        let reason = "the inertia of its collisions is not computed: that of the file, or the default, counts";
        let kind = NoteKind::NotUsed { owner: owner.clone(), element, attribute, rank: Rank::ChangesDynamics, reason };
        report.push_in(place.file.as_ref(), place.line, kind);
    }
    let mass = inertial.not_negative("mass", &owner)?;
    let moments = |name| match inertial.child("inertia") {
        Some(inertia) => inertia.number(name, &owner),
        None => Ok(if matches!(name, "ixx" | "iyy" | "izz") { 1.0 } else { 0.0 }),
    };
    let mut entries = [0.0; 6];
    for (entry, name) in entries.iter_mut().zip(ENTRIES) {
        *entry = moments(name)?;
    }
    let [xx, xy, xz, yy, yz, zz] = entries;
    let in_own_axes = Symmetric3::new(xx, xy, xz, yy, yz, zz);
    let principal = physical::principal_moments(&in_own_axes);
    if let Some(reason) = physical::fault(mass, principal) {
        let Owner::Link(link) = owner.clone() else { return Ok(Inertia::zero()) };
        let kind = NoteKind::UnphysicalInertia { link, mass, moments: principal, reason };
        report.push_in(place.file.as_ref(), place.line, kind);
    }
    let pose = inertial.pose(&owner, report)?;
    let turned = pose.act(Inertia::new(mass, v3::zero(), in_own_axes));
    if turned.rotational.matrix().iter().all(|x| x.is_finite()) {
        return Ok(turned);
    }
    Err(place.fault(SdfFault::Overflow { owner, what: "its inertia" }))
}
