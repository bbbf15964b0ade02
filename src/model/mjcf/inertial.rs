//! Inertias of bodies: those that the file gives, and those of shapes.

use super::document::Document;
use super::element::{Element, Values};
use super::error::{Fault, MjcfError};
use super::mesh::{MeshMass, Meshes};
use super::orientation;
use super::settings::{FromGeom, Settings};
use super::shape::{Shape, from_z_between};
use crate::model::source::{merge, physical};
use crate::spatial::{Inertia, Symmetric3, Transform, vector as v3};
use nalgebra::Vector3;

/// Masses below are none: MuJoCo's bound.
const NONE: f64 = 1e-14;

/// What `inertial` says, in the axes of the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inertial {
    inertia: Inertia<f64>,
}

/// A geom that may have mass.
pub(super) struct Geom<'d> {
    pub(super) values: Values<'d>,
    pub(super) document: &'d Document,
    /// Pose of its frame in the body.
    pub(super) frame: Transform<f64>,
}

/// The inertia of a body.
pub(super) struct Found {
    pub(super) inertia: Inertia<f64>,
    /// Why the mass of a shape was left out.
    pub(super) left_out: Option<&'static str>,
}

/// Reads `inertial`. The frame that it stands in does not move it: MuJoCo has it so.
pub(super) fn read(values: &Values, settings: &Settings) -> Result<Inertial, MjcfError> {
    for attribute in ["pos", "mass"] {
        if values.find(attribute).is_none() {
            return Err(values.lacks(attribute));
        }
    }
    let (mass, com) = (values.not_negative("mass")?, values.vector("pos")?);
    let full = values.given::<6>("fullinertia")?;
    let diagonal = values.given::<3>("diaginertia")?;
    let rotation = orientation::rotation(values, settings)?;
    let owner = || values.element.owner();
    let rotational = match (full, diagonal) {
        (Some(_), Some([x, y, z])) if x != 0.0 || y != 0.0 || z != 0.0 => {
            let reason = "both `fullinertia` and `diaginertia` are given: expected one of them";
            return Err(values.element.fault(Fault::Misplaced { owner: owner(), reason }));
        }
        (Some([xx, yy, zz, xy, xz, yz]), _) => {
            let turned = ["axisangle", "xyaxes", "zaxis", "euler"].iter().any(|name| values.find(name).is_some());
            if turned {
                let reason = "`fullinertia` is in the axes of the body: no orientation may be given";
                return Err(values.element.fault(Fault::Misplaced { owner: owner(), reason }));
            }
            Symmetric3::new(xx, xy, xz, yy, yz, zz)
        }
        (None, diagonal) => {
            let [x, y, z] = diagonal.unwrap_or_default();
            Symmetric3::diagonal(x, y, z).rotated(&rotation)
        }
    };
    Ok(Inertial { inertia: Inertia::new(mass, com, rotational) })
}

/// The inertia of a body, bounded and balanced as the compiler is told.
pub(super) fn of_body(
    body: &Element,
    inertial: Option<Inertial>,
    geoms: &[Geom],
    settings: &Settings,
    meshes: &mut Meshes,
    is_fixed: bool,
) -> Result<Found, MjcfError> {
    let mut left_out = None;
    let from_geoms = match settings.from_geom {
        FromGeom::Always => true,
        FromGeom::Never => false,
        FromGeom::Auto => inertial.is_none(),
    };
    let mut sum: Option<Inertia<f64>> = None;
    for geom in geoms.iter().filter(|_| from_geoms) {
        match mass_of(geom, settings, meshes) {
            Ok(None) => {}
            Ok(Some(own)) => sum = Some(sum.map_or(own, |others| merge::sum(&others, &own))),
            // A body that never moves needs no mass.
            Err(error) if error.is_of_file() && is_fixed && settings.total_mass.is_none() => {
                left_out = Some("its mass is left out: its mesh cannot be read, and it never moves");
            }
            Err(error) => return Err(error),
        }
    }
    let given = inertial.map(|inertial| inertial.inertia);
    // What the compiler gives to a body that has no mass is where the file puts the body in its parent: MuJoCo has it so.
    let at = if settings.least_mass > 0.0 { body.plain().vector("pos")? } else { v3::zero() };
    let found = sum.or(given).unwrap_or_else(|| Inertia::new(0.0, at, Symmetric3::zero()));
    let inertia = bounded(body, found, settings)?;
    Ok(Found { inertia, left_out })
}

/// At least as heavy as the compiler is told, and with moments that a rigid body can have.
fn bounded(body: &Element, found: Inertia<f64>, settings: &Settings) -> Result<Inertia<f64>, MjcfError> {
    let mass = found.mass.max(settings.least_mass);
    let mut rotational = found.rotational;
    if !(mass.is_finite() && found.com.iter().chain(rotational.matrix().iter()).all(|x| x.is_finite())) {
        return Err(body.fault(Fault::Overflow { owner: body.owner(), what: "its inertia" }));
    }
    let mut moments = physical::principal_moments(&rotational);
    if moments[0] < settings.least_moment {
        let (principal, axes) = rotational.eigen();
        let [a, b, c] = principal.map(|moment| moment.max(settings.least_moment));
        rotational = Symmetric3::diagonal(a, b, c).rotated(&axes);
        moments = moments.map(|moment| moment.max(settings.least_moment));
    }
    if let Some(reason) = physical::fault(mass, moments) {
        // That one moment exceeds the others together is all that is mended.
        if settings.balance && moments[0] >= 0.0 && mass > 0.0 {
            let mean = moments.iter().sum::<f64>() / 3.0;
            rotational = Symmetric3::diagonal(mean, mean, mean);
        } else {
            let name = body.name().unwrap_or_default().to_owned();
            return Err(body.fault(Fault::Unphysical { body: name, mass, moments, reason }));
        }
    }
    Ok(Inertia::new(mass, found.com, rotational))
}

/// The inertia of a geom in the axes of the body; none if it has no mass.
fn mass_of(geom: &Geom, settings: &Settings, meshes: &mut Meshes) -> Result<Option<Inertia<f64>>, MjcfError> {
    let values = &geom.values;
    let own = &geom.document.settings;
    let group = values.number("group")?;
    if group < settings.groups[0] || group > settings.groups[1] {
        return Ok(None);
    }
    let (mass, density) = (values.given::<1>("mass")?.map(|[mass]| mass), values.number("density")?);
    for (attribute, value) in [("mass", mass.unwrap_or_default()), ("density", density)] {
        if value < 0.0 {
            return Err(values.bad(attribute, value, "expected a number that is not negative"));
        }
    }
    if mass.unwrap_or(density) == 0.0 {
        return Ok(None);
    }
    let kind = values.word("type")?;
    if matches!(kind, "plane" | "hfield") {
        return Ok(None);
    }
    let (mut pose, shape) = match (kind, values.given::<6>("fromto")?) {
        ("mesh" | "sdf", _) => {
            let name = values.required("mesh")?;
            let mesh = meshes.find(geom.document, name, values)?;
            (orientation::pose(values, own)?, Shape::Mesh(mesh))
        }
        (kind, Some(ends)) => {
            let (pose, half) = between(values, ends)?;
            let [radius, ..] = values.array::<3>("size")?;
            let sizes = if matches!(kind, "box" | "ellipsoid") { [radius, radius, half] } else { [radius, half, 0.0] };
            (pose, Shape::of(kind, sizes, values)?)
        }
        (kind, None) => (orientation::pose(values, own)?, Shape::of(kind, values.array("size")?, values)?),
    };
    if values.text("mesh").is_some() && !matches!(kind, "mesh" | "sdf") {
        let reason = "a shape that is fitted to a mesh has no known size: write its size, or `inertial` of its body";
        return Err(values.element.fault(Fault::Misplaced { owner: values.element.owner(), reason }));
    }
    pose = geom.frame * pose;
    let volume = shape.volume(values.flag("shellinertia")?);
    let mass = match mass {
        Some(mass) if volume > NONE => mass,
        Some(_) => 0.0,
        None => density * volume,
    };
    if mass <= NONE {
        return Ok(None);
    }
    Ok(Some(pose.act(shape.inertia(mass, values.flag("shellinertia")?))))
}

/// The pose of a shape between two points, and half its length.
pub(super) fn between(values: &Values, ends: [f64; 6]) -> Result<(Transform<f64>, f64), MjcfError> {
    let [a, b, c, d, e, f] = ends;
    let (from, to) = (Vector3::new(a, b, c), Vector3::new(d, e, f));
    let zero = || Fault::Zero { owner: values.element.owner(), attribute: "fromto" }.at(values.place("fromto"));
    let (rotation, length) = from_z_between(from, to).ok_or_else(zero)?;
    let middle = v3::scale(0.5, v3::add(from, to));
    Ok((Transform::new(rotation, middle), 0.5 * length))
}

/// The mass of a mesh in the axes of its file.
pub(super) fn of_mesh(mesh: &MeshMass, mass: f64) -> Inertia<f64> {
    Inertia::new(mass, mesh.center, mesh.moments.scale(mass / mesh.volume))
}
