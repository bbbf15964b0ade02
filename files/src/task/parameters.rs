//! Parameters that the solver chooses: numbers of the robot, or numbers of their own.

use super::named;
use super::source::{Item, Sign, Table};
use crate::error::Error;
use gradyn::model::{BodyId, Model};
use gradyn_trajectory::{Parameter, ParameterId};

/// A parameter of the task.
#[derive(Clone, Debug)]
pub struct ParameterTask {
    /// The parameter of the problem.
    pub parameter: Parameter,
    /// Its kind in the file.
    pub kind: &'static str,
    /// The part of the robot that it belongs to; empty if it is not a robot's.
    pub of: String,
    /// Its unit; empty without one.
    pub unit: &'static str,
    /// Lower and upper, one a number.
    pub bounds: [Vec<f64>; 2],
    /// How many numbers it has.
    pub numbers: usize,
    /// Where it stands in the file.
    pub(super) span: usize,
    pub(super) key: String,
}

/// What a kind is of: its key, and keys of its own.
enum Of {
    Nothing,
    Link(&'static [&'static str]),
    Frame,
    Joint,
}

/// A kind of parameter.
struct ParameterKind {
    name: &'static str,
    unit: &'static str,
    of: Of,
    make: fn(BodyId, usize) -> Option<ParameterId>,
}

/// All kinds. That of a frame is made elsewhere.
static KINDS: [ParameterKind; 14] = [
    ParameterKind { name: "numbers", unit: "", of: Of::Nothing, make: |_, _| None },
    ParameterKind { name: "mass", unit: "kg", of: Of::Link(&[]), make: |body, _| Some(ParameterId::Mass(body)) },
    ParameterKind { name: "density", unit: "", of: Of::Link(&[]), make: |body, _| Some(ParameterId::Density(body)) },
    ParameterKind {
        name: "center",
        unit: "m",
        of: Of::Link(&["x", "y", "z"]),
        make: |body, k| Some(ParameterId::Center(body, k)),
    },
    ParameterKind {
        name: "moment",
        unit: "kg m²",
        of: Of::Link(&["xx", "xy", "xz", "yy", "yz", "zz"]),
        make: |body, k| Some(ParameterId::Moment(body, k)),
    },
    ParameterKind { name: "point-mass", unit: "kg", of: Of::Frame, make: |_, _| None },
    ParameterKind {
        name: "armature",
        unit: "kg m²|kg",
        of: Of::Joint,
        make: |body, k| Some(ParameterId::Armature(body, k)),
    },
    ParameterKind {
        name: "damping",
        unit: "N m s/rad|N s/m",
        of: Of::Joint,
        make: |body, k| Some(ParameterId::Damping(body, k)),
    },
    ParameterKind {
        name: "friction",
        unit: "N m|N",
        of: Of::Joint,
        make: |body, k| Some(ParameterId::Friction(body, k)),
    },
    ParameterKind {
        name: "stiffness",
        unit: "N m/rad|N/m",
        of: Of::Joint,
        make: |body, k| Some(ParameterId::Stiffness(body, k)),
    },
    ParameterKind {
        name: "spring-reference",
        unit: "rad|m",
        of: Of::Joint,
        make: |body, k| Some(ParameterId::SpringReference(body, k)),
    },
    ParameterKind {
        name: "stribeck",
        unit: "N m|N",
        of: Of::Joint,
        make: |body, k| Some(ParameterId::Stribeck(body, k)),
    },
    ParameterKind {
        name: "stribeck-velocity",
        unit: "rad/s|m/s",
        of: Of::Joint,
        make: |body, k| Some(ParameterId::StribeckVelocity(body, k)),
    },
    ParameterKind {
        name: "friction-asymmetry",
        unit: "N m|N",
        of: Of::Joint,
        make: |body, k| Some(ParameterId::FrictionAsymmetry(body, k)),
    },
];

/// The list `parameters`.
pub(super) fn read(root: &Table<'_>, model: &Model) -> Result<Vec<ParameterTask>, Error> {
    let Some(item) = root.get("parameters") else { return Ok(Vec::new()) };
    let mut all: Vec<ParameterTask> = Vec::new();
    for item in item.list("a list of parameters: `[[parameters]]`")? {
        let new = one(&item.table("a table")?, model)?;
        if all.iter().any(|other| other.parameter.name() == new.parameter.name()) {
            let name = new.parameter.name();
            return Err(item.refuse(format!("a parameter `{name}` already exists: give it another name")));
        }
        all.push(new);
    }
    Ok(all)
}

fn one(table: &Table<'_>, model: &Model) -> Result<ParameterTask, Error> {
    let (kind, number, of) = match table.get("of") {
        Some(item) => {
            table.only(&["name", "of", "guess", "lower", "upper"])?;
            by_name(&item, model)?
        }
        None => by_kind(table, model)?,
    };
    let name = match table.get("name") {
        Some(item) => item.text("a name")?.to_owned(),
        None if table.get("of").is_some() => of.clone(),
        None => table.need("name", "a name")?.text("a name")?.to_owned(),
    };
    // One number, or a list of them.
    let list = |item: Item<'_>, sign: Sign| match item.is_list() {
        true => item.numbers_of(None, "numbers", sign),
        false => Ok(vec![item.number(sign)?]),
    };
    let guess = table.get("guess").map(|item| list(item, Sign::Any)).transpose()?;
    let numbers = match (&number, &guess) {
        (Some(_), _) => 1,
        (None, Some(guess)) => guess.len(),
        (None, None) => return Err(table.refuse("missing key `guess`, expected where its numbers begin")),
    };
    let mut parameter = match number {
        Some(number) => Parameter::of_robot(name, number),
        None => Parameter::new(name, guess.as_deref().unwrap_or(&[])),
    };
    if let Some(guess) = guess.filter(|_| number.is_some()) {
        parameter = parameter.beginning_at(&guess);
    }
    let least = if number.is_some_and(ParameterId::is_never_negative) { 0.0 } else { f64::NEG_INFINITY };
    let side = |key: &str, otherwise: f64| match table.get(key) {
        None => Ok(vec![otherwise; numbers]),
        Some(item) if item.is_list() => list(item, Sign::Bound),
        Some(item) => Ok(vec![item.number(Sign::Bound)?; numbers]),
    };
    let bounds = [side("lower", least)?, side("upper", f64::INFINITY)?];
    let parameter = parameter.within(&bounds[0], &bounds[1]);
    let (span, key) = (table.span.start, table.key.clone());
    Ok(ParameterTask { parameter, kind: kind.name, of, unit: kind.unit, bounds, numbers, span, key })
}

/// A number of the robot by the name that `--parameters` takes, and its kind.
fn by_name(item: &Item<'_>, model: &Model) -> Result<(&'static ParameterKind, Option<ParameterId>, String), Error> {
    let name = item.text("the name of a number of the robot")?;
    let all = model.parameters();
    let of_kind = |id: ParameterId| {
        let kind = match id {
            ParameterId::Mass(_) => "mass",
            ParameterId::Density(_) => "density",
            ParameterId::Center(..) => "center",
            ParameterId::Moment(..) => "moment",
            ParameterId::PointMass(_) => "point-mass",
            ParameterId::Armature(..) => "armature",
            ParameterId::Damping(..) => "damping",
            ParameterId::Friction(..) => "friction",
            ParameterId::Stiffness(..) => "stiffness",
            ParameterId::SpringReference(..) => "spring-reference",
            ParameterId::Stribeck(..) => "stribeck",
            ParameterId::StribeckVelocity(..) => "stribeck-velocity",
            ParameterId::FrictionAsymmetry(..) => "friction-asymmetry",
            _ => return None,
        };
        KINDS.iter().find(|known| known.name == kind)
    };
    let known = all.iter().filter(|(_, id, _)| of_kind(*id).is_some()).map(|(name, ..)| name.as_str());
    let Some((_, id, _)) = all.iter().find(|(known, ..)| known == name) else {
        return Err(item.unknown("number of the robot", name, known));
    };
    let kind = of_kind(*id).ok_or_else(|| {
        item.refuse(format!(
            "a solver cannot choose `{name}`: expected a mass, density, center, moment, point mass, armature, damping, friction or spring"
        ))
    })?;
    Ok((kind, Some(*id), name.to_owned()))
}

/// A number of the robot by kind and element, or numbers that are none of it.
fn by_kind(table: &Table<'_>, model: &Model) -> Result<(&'static ParameterKind, Option<ParameterId>, String), Error> {
    let names = KINDS.each_ref().map(|kind| kind.name);
    let kind = &KINDS[table.get("kind").map_or(Ok(0), |item| item.one_of("kind", &names))?];
    let own: &[&str] = match kind.of {
        Of::Nothing => &["of"],
        Of::Link([]) => &["link"],
        Of::Link(_) => &["link", "entry"],
        Of::Frame => &["frame"],
        Of::Joint => &["joint", "entry"],
    };
    table.only(&[&["name", "kind", "guess", "lower", "upper"], own].concat())?;
    let (number, of) = number(table, kind, model)?;
    Ok((kind, number, of))
}

/// Which number of the robot it is, and what that is called.
fn number(table: &Table<'_>, kind: &ParameterKind, model: &Model) -> Result<(Option<ParameterId>, String), Error> {
    let entry = |known: &[&str]| table.need("entry", &known.join(", ")).and_then(|item| item.one_of("entry", known));
    match kind.of {
        Of::Nothing => Ok((None, String::new())),
        Of::Link(entries) => {
            let item = table.need("link", "the name of a link")?;
            let name = item.text("the name of a link")?;
            let links = model.bodies().iter().map(gradyn::model::Body::name);
            let body = model.find_body(name).filter(|body| model.bodies()[body.index()].name() == name);
            let body = body.ok_or_else(|| item.unknown("link that moves by itself", name, links))?;
            let k = if entries.is_empty() { 0 } else { entry(entries)? };
            let which = entries.get(k).map_or_else(String::new, |entry| format!(".{entry}"));
            Ok(((kind.make)(body, k), format!("{name}{which}")))
        }
        Of::Frame => {
            let item = table.need("frame", "the name of a link or joint")?;
            let name = item.text("the name of a link or joint")?;
            Ok((Some(ParameterId::PointMass(named::frame(&item, name, model)?)), name.to_owned()))
        }
        Of::Joint => {
            let item = table.need("joint", "the name of a joint")?;
            let name = item.text("the name of a joint")?;
            let joint = named::joint(&item, name, model)?;
            let (dofs, body) = (joint.v_range().len(), model.find_body(joint.name()));
            let k = match table.get("entry") {
                None => 0,
                Some(item) => {
                    let k = usize::try_from(item.integer()?).ok().filter(|k| *k < dofs);
                    k.ok_or_else(|| item.expected(&format!("a degree of freedom of `{name}` from 0 to {}", dofs - 1)))?
                }
            };
            let which = if dofs > 1 { format!(".{k}") } else { String::new() };
            Ok((body.and_then(|body| (kind.make)(body, k)), format!("{name}{which}")))
        }
    }
}

/// The parameter of this name.
pub(super) fn find<'p>(item: &Item<'_>, all: &'p [ParameterTask]) -> Result<&'p ParameterTask, Error> {
    let name = item.text("the name of a parameter")?;
    let names = all.iter().map(|of| of.parameter.name());
    all.iter().find(|of| of.parameter.name() == name).ok_or_else(|| item.unknown("parameter", name, names))
}
