//! `compiler` and `option`: what holds for the whole file.

use super::element::{Attribute, Element, Values};
use super::error::{Fault, MjcfError};
use crate::model::source::Owner;
use nalgebra::Vector3;

/// Whether inertias come from geoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FromGeom {
    Never,
    Always,
    /// Of bodies without `inertial`.
    Auto,
}

/// One of three rotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// 0, 1, 2 for x, y, z.
    pub(super) axis: usize,
    /// Whether the axis turns along.
    pub(super) intrinsic: bool,
}

/// What the compiler is told.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// What an angle of the file is in rad.
    pub(super) angle: f64,
    pub(super) autolimits: bool,
    pub(super) euler: [Turn; 3],
    pub(super) from_geom: FromGeom,
    /// Groups of geoms that have mass.
    pub(super) groups: [f64; 2],
    pub(super) least_mass: f64,
    pub(super) least_moment: f64,
    pub(super) balance: bool,
    /// None: as it is.
    pub(super) total_mass: Option<f64>,
    pub(super) align_free: bool,
    /// With its slash; empty for none.
    pub(super) mesh_folder: String,
    pub(super) strip_path: bool,
}

/// The world, and what acts in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct World {
    /// m/s²
    pub(super) gravity: Vector3<f64>,
    /// s
    pub(super) timestep: f64,
    pub(super) springs: bool,
    pub(super) dampers: bool,
    pub(super) friction: bool,
}

/// All sections of a kind as one: of several values the last counts.
fn joined(root: &Element, name: &'static str, within: Option<&'static str>) -> Option<Element> {
    let sections = root.each(name);
    let parts: Vec<&Element> = match within {
        Some(within) => sections.flat_map(|section| section.each(within)).collect(),
        None => sections.collect(),
    };
    let first = parts.first()?;
    let mut attributes: Vec<Attribute> = Vec::new();
    for attribute in parts.iter().flat_map(|part| &part.attributes) {
        attributes.retain(|old| old.spec.name != attribute.spec.name);
        attributes.push(attribute.clone());
    }
    Some(Element { spec: first.spec, place: first.place.clone(), attributes, children: Vec::new() })
}

impl Settings {
    pub(super) fn of(root: &Element) -> Result<Self, MjcfError> {
        let section = joined(root, "compiler", None);
        let none = Element {
            spec: super::table::compiler(),
            place: root.place.clone(),
            attributes: Vec::new(),
            children: Vec::new(),
        };
        let section = section.as_ref().unwrap_or(&none);
        let values = section.plain();
        if values.word("coordinate")? == "global" {
            return Err(Fault::GlobalCoordinates.at(values.place("coordinate")));
        }
        let degree = values.word("angle")? == "degree";
        let total = values.number("settotalmass")?;
        let folder = values.text("meshdir").or_else(|| values.text("assetdir")).unwrap_or_default();
        Ok(Self {
            angle: if degree { std::f64::consts::PI / 180.0 } else { 1.0 },
            autolimits: values.flag("autolimits")?,
            euler: sequence(&values)?,
            from_geom: match values.word("inertiafromgeom")? {
                "true" => FromGeom::Always,
                "false" => FromGeom::Never,
                _ => FromGeom::Auto,
            },
            groups: values.array("inertiagrouprange")?,
            least_mass: values.number("boundmass")?,
            least_moment: values.number("boundinertia")?,
            balance: values.flag("balanceinertia")?,
            total_mass: (total > 0.0).then_some(total),
            align_free: values.flag("alignfree")?,
            mesh_folder: if folder.is_empty() || folder.ends_with(['/', '\\']) {
                folder.to_owned()
            } else {
                format!("{folder}/")
            },
            strip_path: values.flag("strippath")?,
        })
    }
}

/// The axes of `eulerseq`.
fn sequence(values: &Values) -> Result<[Turn; 3], MjcfError> {
    let text = values.text("eulerseq").unwrap_or("xyz");
    let turn = |c: char| {
        let axis = "xyz".find(c.to_ascii_lowercase())?;
        Some(Turn { axis, intrinsic: c.is_ascii_lowercase() })
    };
    match text.chars().map(turn).collect::<Vec<_>>()[..] {
        [Some(a), Some(b), Some(c)] => Ok([a, b, c]),
        _ => {
            let owner = Owner::Element("compiler".to_owned(), String::new());
            let (found, expected) = (text.to_owned(), "three letters of x, y, z, X, Y, Z".to_owned());
            Err(Fault::UnknownWord { owner, attribute: "eulerseq", found, expected }.at(values.place("eulerseq")))
        }
    }
}

impl World {
    pub(super) fn of(root: &Element) -> Result<Self, MjcfError> {
        let mut world = Self {
            gravity: Vector3::new(0.0, 0.0, -9.81),
            timestep: 0.002,
            springs: true,
            dampers: true,
            friction: true,
        };
        if let Some(section) = joined(root, "option", None) {
            world.gravity = section.plain().vector("gravity")?;
            world.timestep = section.plain().number("timestep")?;
        }
        if let Some(flags) = joined(root, "option", Some("flag")) {
            let is_on = |name| flags.plain().word(name).map(|word| word != "disable");
            if !is_on("gravity")? {
                world.gravity = Vector3::new(0.0, 0.0, 0.0);
            }
            let passive = is_on("passive")?;
            (world.springs, world.dampers) = (is_on("spring")? && passive, is_on("damper")? && passive);
            world.friction = is_on("frictionloss")?;
        }
        Ok(world)
    }
}
