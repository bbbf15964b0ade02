//! Actuators of the model: which joints those of the file drive by which gear, and what their controls are.

use super::description::{ActuatorElement, Description, JointKind, Transmission};
use super::error::{Fault, MjcfError};
use super::load::not_used;
use super::tree::unused;
use crate::model::constant_wrench::{Seat, TwoPlaces};
use crate::model::source::{LoadReport, Owner, Rank};
use crate::model::{Actuator, BodyKey, Model};
use crate::spatial::Force;
use nalgebra::Vector3;
use std::collections::{BTreeMap, HashMap};

/// What stands in the model: the bodies that joints move, and where the bodies of the file are.
pub(super) struct Places<'a> {
    pub(super) joints: &'a [Vec<BodyKey>],
    pub(super) bodies: &'a [Seat],
}

/// Degrees of freedom with their gears, if these are constant.
type Gears = Option<Vec<(usize, f64)>>;

/// Gives the model the actuators whose effect on its joints does not depend on the configuration. Others are noted.
pub(super) fn add(
    description: &Description,
    places: &Places,
    model: &mut Model,
    report: &mut LoadReport,
) -> Result<(), MjcfError> {
    let mut names: HashMap<String, ()> = HashMap::new();
    for actuator in &description.actuators {
        let Some(name) = &actuator.name else { continue };
        if names.insert(name.clone(), ()).is_some() {
            let same = |other: &&ActuatorElement| other.name.as_ref() == Some(name);
            let first = description.actuators.iter().find(same).map(|first| first.place.clone()).unwrap_or_default();
            return Err(Fault::DuplicateName { what: "actuator", name: name.clone(), first }.at(&actuator.place));
        }
    }
    let mut actuators = Vec::with_capacity(description.actuators.len());
    // Made for the first site.
    let mut two = None;
    for (n, actuator) in description.actuators.iter().enumerate() {
        let Some((unit, limits)) = control(actuator) else { continue };
        let gears = match &actuator.transmission {
            Transmission::Joint { joint, in_parent } => {
                of_joint(description, places, model, (*joint, *in_parent), actuator.gear)
            }
            Transmission::Site { site, reference } => {
                let two = two.get_or_insert_with(|| TwoPlaces::of(model));
                of_site(description, places, two, (*site, *reference), actuator.gear)
            }
            Transmission::FixedTendon(drives) => of_tendon(description, places, model, drives, actuator.gear[0]),
            Transmission::Other(_) => continue,
        };
        let owner = || Owner::Element(actuator.kind.to_owned(), actuator.name.clone().unwrap_or_default());
        let Some(gears) = gears else {
            let reason = "how it drives the joints depends on the configuration: it is data without effect";
            let kind = not_used(owner(), actuator.kind, None, (Rank::Dubious, reason));
            report.push_in(actuator.place.file.as_ref(), actuator.place.line, kind);
            continue;
        };
        let gears: Vec<(usize, f64)> = gears.into_iter().map(|(dof, gear)| (dof, gear * unit)).collect();
        if gears.iter().any(|(_, gear)| !gear.is_finite()) {
            return Err(Fault::Overflow { owner: owner(), what: "its gear, times its gain," }.at(&actuator.place));
        }
        let name = actuator.name.clone().unwrap_or_else(|| unused(format!("actuator_{n}"), &names));
        names.insert(name.clone(), ());
        actuators.push(Actuator { name, gears, limits, speed_torque: actuator.speed_torque });
    }
    model.actuators = actuators;
    Ok(())
}

/// What one unit of the control is, in units of the force before the gear, and the least and the greatest control; none if nothing in the
/// model corresponds to it.
///
/// Where the force is a multiple of the control of the file, that is the control. Else, as of servos, the control is the force itself.
/// MuJoCo brings the control into its range first, and then the force into its own.
fn control(actuator: &ActuatorElement) -> Option<(f64, (f64, f64))> {
    let range =
        |range: Option<[f64; 2]>| range.map_or((f64::NEG_INFINITY, f64::INFINITY), |[lower, upper]| (lower, upper));
    let (controls, forces) = (range(actuator.control_range), range(actuator.force_range));
    if matches!(actuator.kind, "muscle" | "damper" | "orientation") {
        return None;
    }
    Some(match actuator.law {
        Some(law) if is_zero(&law.bias) && law.gain == 0.0 => (0.0, controls),
        Some(law) if is_zero(&law.bias) => {
            (law.gain, within(controls, sorted(forces.0 / law.gain, forces.1 / law.gain)))
        }
        Some(law) if is_zero(&law.bias[1..]) => {
            let (lower, upper) = match law.gain {
                0.0 => (0.0, 0.0),
                gain => sorted(controls.0 * gain, controls.1 * gain),
            };
            (1.0, within((lower + law.bias[0], upper + law.bias[0]), forces))
        }
        _ => (1.0, forces),
    })
}

fn is_zero(numbers: &[f64]) -> bool {
    numbers.iter().all(|x| *x == 0.0)
}

fn sorted(a: f64, b: f64) -> (f64, f64) {
    (a.min(b), a.max(b))
}

/// Both ends brought into a range.
fn within((lower, upper): (f64, f64), (least, greatest): (f64, f64)) -> (f64, f64) {
    let bring = |x: f64| x.max(least).min(greatest);
    (bring(lower), bring(upper))
}

fn of_joint(
    description: &Description,
    places: &Places,
    model: &Model,
    (joint, in_parent): (usize, bool),
    gear: [f64; 6],
) -> Gears {
    let (kind, keys) = (description.joints.get(joint)?.kind, places.joints.get(joint)?);
    let body = |key: Option<&BodyKey>| model.bodies.get(key?.0);
    let (first, last) = (body(keys.first())?, body(keys.last())?);
    let [a, b, c, d, e, f] = gear;
    let (start, gears) = match kind {
        JointKind::Hinge | JointKind::Slide => (last.v.start, vec![a * last.joint.multiplier()]),
        // Axes of the parent turn against those of the body, in which angular velocities are; the linear velocity of a free joint is in
        // those of the body too, and its force in those of the world.
        JointKind::Ball if !in_parent || is_zero(&[a, b, c]) => (last.v.start, vec![a, b, c]),
        JointKind::Free if (!in_parent || is_zero(&[d, e, f])) && (keys.len() > 1 || is_zero(&[a, b, c])) => {
            (first.v.start, gear.to_vec())
        }
        JointKind::Ball | JointKind::Free => return None,
    };
    Some(kept(gears.into_iter().enumerate().map(|(k, gear)| (start + k, gear)).collect()))
}

/// Each joint of a fixed tendon, a hinge or a slide, by its coefficient.
fn of_tendon(description: &Description, places: &Places, model: &Model, drives: &[(usize, f64)], gear: f64) -> Gears {
    let mut gears = BTreeMap::new();
    for (joint, coefficient) in drives {
        let is_plain = matches!(description.joints.get(*joint)?.kind, JointKind::Hinge | JointKind::Slide);
        let own = [gear * coefficient, 0.0, 0.0, 0.0, 0.0, 0.0];
        for (dof, x) in is_plain.then(|| of_joint(description, places, model, (*joint, false), own))?? {
            *gears.entry(dof).or_insert(0.0) += x;
        }
    }
    Some(kept(gears.into_iter().collect()))
}

fn of_site(
    description: &Description,
    places: &Places,
    two: &TwoPlaces,
    (site, reference): (usize, Option<usize>),
    [a, b, c, d, e, f]: [f64; 6],
) -> Gears {
    let wrench = Force::new(Vector3::new(a, b, c), Vector3::new(d, e, f));
    let seat = |site: usize| -> Option<Seat> {
        let site = description.sites.get(site)?;
        let Some(body) = site.body else { return Some((None, site.pose)) };
        let (carrier, pose) = places.bodies.get(body)?;
        Some((*carrier, *pose * site.pose))
    };
    let torques = match reference {
        None => two.in_frame(seat(site)?, wrench)?,
        Some(reference) => two.between(seat(site)?, seat(reference)?, wrench)?,
    };
    Some(kept(torques.into_iter().collect()))
}

/// Without gears of zero; one of these, if there is no other.
fn kept(gears: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    let first = gears.first().copied();
    let driven: Vec<(usize, f64)> = gears.into_iter().filter(|(_, gear)| *gear != 0.0).collect();
    if driven.is_empty() { first.into_iter().collect() } else { driven }
}
