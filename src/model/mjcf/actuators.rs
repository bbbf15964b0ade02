//! Actuators: what drives the joints, as plain data.

use super::description::{ActuatorElement, ActuatorLaw, JointElement, JointKind, Transmission};
use super::element::{Element, Values};
use super::error::{Fault, MjcfError};
use super::joint::linear;
use super::load::not_used;
use super::names::{Lookup, What};
use super::settings::Settings;
use crate::model::SpeedTorque;
use crate::model::source::{LoadReport, Rank};
use std::collections::HashMap;

/// Where what actuators drive is looked for.
#[derive(Clone, Copy)]
pub(super) struct Targets<'t, 'd> {
    pub(super) lookup: Lookup<'t, 'd>,
    /// Fixed tendons of the file by their names.
    pub(super) tendons: &'t HashMap<&'d str, &'d Element>,
}

/// Reads an actuator, once for each replica of what it drives. Its armature and damping go to `joints`.
pub(super) fn read(
    values: &Values,
    settings: &Settings,
    Targets { lookup, tendons }: Targets,
    joints: &mut [JointElement],
    report: &mut LoadReport,
) -> Result<Vec<ActuatorElement>, MjcfError> {
    let element = values.element;
    let joint = ["joint", "jointinparent"].into_iter().find(|name| values.text(name).is_some());
    let of = |name: &'static str| values.text(name);
    let tendon: Option<Vec<Values>> = of("tendon")
        .and_then(|name| tendons.get(name))
        .map(|tendon| tendon.each("joint").map(Element::plain).collect());
    let endings = match (joint, &tendon) {
        (Some(name), _) => lookup.endings(&[(What::Joint, of(name))]),
        (None, Some(parts)) => {
            lookup.endings(&parts.iter().map(|part| (What::Joint, part.text("joint"))).collect::<Vec<_>>())
        }
        (None, None) => lookup.endings(&[(What::Site, of("site")), (What::Site, of("refsite"))]),
    };
    let mut read = Vec::with_capacity(endings.len());
    for ending in endings {
        let transmission = if let Some(attribute) = joint {
            match lookup.find(values, attribute, What::Joint, &ending)? {
                Some(joint) => Transmission::Joint { joint, in_parent: attribute == "jointinparent" },
                None => continue,
            }
        } else if of("site").is_some() {
            let Some(site) = lookup.find(values, "site", What::Site, &ending)? else { continue };
            let reference = match of("refsite") {
                Some(_) => lookup.find(values, "refsite", What::Site, &ending)?,
                None => None,
            };
            Transmission::Site { site, reference }
        } else if let Some(parts) = &tendon {
            let mut drives = Vec::with_capacity(parts.len());
            for part in parts {
                if part.find("coef").is_none() {
                    return Err(part.lacks("coef"));
                }
                if let Some(joint) = lookup.find(part, "joint", What::Joint, &ending)? {
                    drives.push((joint, part.number("coef")?));
                }
            }
            if drives.len() < parts.len() {
                continue;
            }
            Transmission::FixedTendon(drives)
        } else {
            let others = [("tendon", "spatial tendon"), ("cranksite", "slider and crank"), ("body", "body")];
            let found = others.into_iter().find(|(name, _)| of(name).is_some());
            Transmission::Other(found.map_or("nothing", |(_, what)| what))
        };
        let gear: [f64; 6] = values.array("gear")?;
        mount(values, &transmission, gear[0], joints, report)?;
        let law = law(values)?;
        let own_range = range(values, ["ctrllimited", "ctrlrange"], settings, report)?;
        let control_range = own_range.or(inherited_range(values, &transmission, joints)?);
        if let Some((rank, reason)) = left_out(element.spec.name, &transmission, law) {
            let kind = not_used(element.owner(), element.spec.name, None, (rank, reason));
            report.push_in(element.place.file.as_ref(), element.place.line, kind);
        }
        read.push(ActuatorElement {
            place: element.place.clone(),
            name: element.name().map(|name| format!("{}{ending}", lookup.names.full(name))),
            kind: element.spec.name,
            transmission,
            gear,
            law,
            control_range,
            force_range: match element.spec.name {
                "dcmotor" => saturation(values)?,
                _ => range(values, ["forcelimited", "forcerange"], settings, report)?,
            },
            speed_torque: if element.spec.name == "dcmotor" { line(values, control_range)? } else { None },
        });
    }
    Ok(read)
}

/// The speed-torque line of a DC motor at its greatest voltage V: its torque is `K / R (V − K ω)`, with the constant K and the resistance R that the
/// file gives, or those of `nominal`: `K = V / no_load`, `R = V² / (stall no_load)` at a voltage V of its own. None where voltages have no
/// range about zero.
fn line(values: &Values, control_range: Option<[f64; 2]>) -> Result<Option<SpeedTorque>, MjcfError> {
    let [torque_constant, back_emf] = values.array("motorconst")?;
    let [voltage, stall, no_load] = values.array("nominal")?;
    let (own, resistance) = (values.find("motorconst").is_some(), values.number("resistance")?);
    let (attribute, constant, resistance) = match values.find("nominal").is_some() {
        false if back_emf != 0.0 => ("motorconst", (torque_constant * back_emf).sqrt(), resistance),
        false => ("motorconst", torque_constant, resistance),
        true if own || resistance != 0.0 => return Ok(None),
        true => ("nominal", voltage / no_load, voltage * voltage / (stall * no_load)),
    };
    for (attribute, x) in [(attribute, constant), (if own { "resistance" } else { attribute }, resistance)] {
        if !(x > 0.0 && x.is_finite()) {
            return Err(values.bad(
                attribute,
                x,
                "expected a positive constant and a positive resistance of the motor",
            ));
        }
    }
    let of = |voltage: f64| SpeedTorque { stall: constant * voltage / resistance, no_load: voltage / constant };
    let is_line = |line: &SpeedTorque| [line.stall, line.no_load].iter().all(|x| *x > 0.0 && x.is_finite());
    Ok(control_range.filter(|[lower, upper]| lower + upper == 0.0).map(|[_, upper]| of(upper)).filter(is_line))
}

/// The force at which a DC motor saturates.
fn saturation(values: &Values) -> Result<Option<[f64; 2]>, MjcfError> {
    let [force, ..]: [f64; 3] = values.array("saturation")?;
    Ok((force > 0.0).then_some([-force, force]))
}

/// The range of a joint about its middle, as much of it as `inheritrange` says: that of a position that is commanded.
fn inherited_range(
    values: &Values,
    transmission: &Transmission,
    joints: &[JointElement],
) -> Result<Option<[f64; 2]>, MjcfError> {
    let part = if values.element.spec.name == "position" { values.number("inheritrange")? } else { 0.0 };
    let joint = match transmission {
        Transmission::Joint { joint, .. } if part > 0.0 => joints.get(*joint),
        _ => None,
    };
    Ok(joint.and_then(|joint| joint.range).map(|[lower, upper]| {
        let (middle, half) = (0.5 * (lower + upper), 0.5 * part * (upper - lower));
        [middle - half, middle + half]
    }))
}

/// A range, if it limits anything. One that is empty limits nothing in MuJoCo, unless the file says that it does.
fn range(
    values: &Values,
    [flag, name]: [&'static str; 2],
    settings: &Settings,
    report: &mut LoadReport,
) -> Result<Option<[f64; 2]>, MjcfError> {
    let Some([lower, upper]) = values.limits(flag, name, settings.autolimits)? else { return Ok(None) };
    if lower < upper {
        return Ok(Some([lower, upper]));
    }
    let (element, place) = (values.element, values.place(name));
    if values.flag(flag)? {
        return Err(Fault::Range { owner: element.owner(), attribute: name, lower, upper }.at(place));
    }
    let reason = "its lower end is not below the upper one: it limits nothing";
    let kind = not_used(element.owner(), element.spec.name, Some(name), (Rank::Dubious, reason));
    report.push_in(place.file.as_ref(), place.line, kind);
    Ok(None)
}

/// What of an actuator the model does not have, and what that means.
fn left_out(kind: &str, transmission: &Transmission, law: Option<ActuatorLaw>) -> Option<(Rank, &'static str)> {
    match (kind, transmission, law) {
        ("muscle", ..) => Some((Rank::ChangesDynamics, "forces of muscles are left out, those without control, too")),
        (_, Transmission::Other(_), _) => {
            Some((Rank::Dubious, "what it drives is no joint, site or fixed tendon: it is data without effect"))
        }
        ("damper" | "orientation", ..) => {
            Some((Rank::Dubious, "its force is no multiple of one control: it is data without effect"))
        }
        (_, _, Some(ActuatorLaw { bias: [0.0, 0.0, 0.0], .. })) => None,
        (_, _, Some(ActuatorLaw { bias: [_, 0.0, 0.0], .. })) => {
            Some((Rank::Dubious, "its force without control is left out: its control in the model is its force"))
        }
        (_, _, Some(_)) => Some((
            Rank::Dubious,
            "its law of position and velocity is left out: its control in the model is its force, before the gear",
        )),
        ("dcmotor", ..) => {
            Some((Rank::Dubious, "its control in the model is its force, before the gear, and no voltage"))
        }
        (_, _, None) => Some((
            Rank::Dubious,
            "its law, which is no straight line, is left out: its control in the model is its force, before the gear",
        )),
    }
}

/// Adds the armature and damping of an actuator to the joint that it drives: `gear²` of them.
fn mount(
    values: &Values,
    transmission: &Transmission,
    gear: f64,
    joints: &mut [JointElement],
    report: &mut LoadReport,
) -> Result<(), MjcfError> {
    let (armature, damping) = (values.not_negative("armature")?, linear(values, "damping", report)?);
    if armature == 0.0 && damping == 0.0 {
        return Ok(());
    }
    let joint = match transmission {
        Transmission::Joint { joint, .. } => joints.get_mut(*joint),
        _ => None,
    };
    match joint.filter(|joint| matches!(joint.kind, JointKind::Hinge | JointKind::Slide)) {
        Some(joint) => {
            if armature > 0.0 {
                let is_first = joint.armature == 0.0;
                joint.gear_ratio = Some(gear).filter(|gear| is_first || joint.gear_ratio == Some(*gear));
            }
            joint.armature += gear * gear * armature;
            joint.damping += gear * gear * damping;
        }
        None => {
            let reason = "armature and damping of actuators are used where these drive a hinge or a slide";
            let (element, rank) = (values.element, Rank::ChangesDynamics);
            let kind = not_used(element.owner(), element.spec.name, Some("armature"), (rank, reason));
            report.push_in(element.place.file.as_ref(), element.place.line, kind);
        }
    }
    Ok(())
}

/// The force of an actuator, if it is a straight line in control, length and rate.
fn law(values: &Values) -> Result<Option<ActuatorLaw>, MjcfError> {
    let own = |name: &'static str, or: f64| -> Result<f64, MjcfError> {
        if values.find(name).is_some() { values.number(name) } else { Ok(or) }
    };
    Ok(match values.element.spec.name {
        "motor" => Some(ActuatorLaw { gain: 1.0, bias: [0.0; 3] }),
        "position" => {
            let (kp, kv) = (own("kp", 1.0)?, own("kv", 0.0)?);
            // Damping by ratio depends on the inertia that is driven; a filter needs time.
            let is_line = values.number("dampratio")? == 0.0 && values.number("timeconst")? == 0.0;
            is_line.then_some(ActuatorLaw { gain: kp, bias: [0.0, -kp, -kv] })
        }
        "velocity" => {
            let kv = own("kv", 1.0)?;
            Some(ActuatorLaw { gain: kv, bias: [0.0, 0.0, -kv] })
        }
        "general" => {
            let words = [values.word("dyntype")?, values.word("gaintype")?, values.word("biastype")?];
            let first = |name, or: [f64; 3]| -> Result<[f64; 3], MjcfError> {
                let mut numbers = or;
                for (place, x) in numbers.iter_mut().zip(values.list(name)?.unwrap_or_default()) {
                    *place = x;
                }
                Ok(numbers)
            };
            let (gain, bias) = (first("gainprm", [1.0, 0.0, 0.0])?, first("biasprm", [0.0; 3])?);
            match words {
                ["none", "fixed", "none"] => Some(ActuatorLaw { gain: gain[0], bias: [0.0; 3] }),
                ["none", "fixed", "affine"] => Some(ActuatorLaw { gain: gain[0], bias }),
                _ => None,
            }
        }
        _ => None,
    })
}
