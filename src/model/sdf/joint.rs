//! A joint of a file.

use super::description::Axis;
use super::element::{Element, Place};
use super::error::{SdfError, SdfFault};
use super::frames::Reference;
use crate::model::source::rotation::unit;
use crate::model::source::{LoadReport, NoteKind, Owner, Rank};
use nalgebra::Vector3;
use std::f64::consts::TAU;

/// From here on, a limit is none.
const NO_LIMIT: f64 = 1e16;

/// The type of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum JointType {
    Fixed,
    Revolute,
    Prismatic,
    Ball,
    /// With its pitch, m/rad.
    Screw(f64),
    /// About the first axis, then about the second.
    TwoAxes,
}

/// A joint before poses are known.
#[derive(Debug)]
pub(super) struct RawJoint {
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) node: usize,
    pub(super) scope: usize,
    pub(super) parent: Reference,
    pub(super) child: Reference,
    pub(super) at_child: bool,
    pub(super) joint_type: JointType,
    pub(super) axes: Vec<RawAxis>,
    pub(super) is_static: bool,
}

/// An axis before frames are known.
#[derive(Debug)]
pub(super) struct RawAxis {
    pub(super) direction: Vector3<f64>,
    /// The frame of `direction`; none for that of the joint.
    pub(super) expressed_in: Option<Reference>,
    pub(super) numbers: Axis,
}

/// Reads a joint; none for one that only couples others.
pub(super) fn read(
    element: &Element,
    (name, node, scope): (String, usize, usize),
    child: Reference,
    at_child: bool,
    version: (u32, u32),
    report: &mut LoadReport,
) -> Result<Option<RawJoint>, SdfError> {
    let owner = element.owner();
    let parent = Reference { scope, name: element.required("parent")?.0.to_owned(), what: "parent" };
    let place = element.place.clone();
    let word = element.attribute("type").unwrap_or_default();
    let joint_type = match word {
        "fixed" => JointType::Fixed,
        "revolute" | "continuous" => JointType::Revolute,
        "prismatic" => JointType::Prismatic,
        "ball" => JointType::Ball,
        "universal" | "revolute2" => JointType::TwoAxes,
        "screw" => JointType::Screw(pitch(element, &owner)?),
        "gearbox" => {
            let (element, attribute) = (String::from("joint"), Some(String::from("type")));
            let reason = "a gearbox that couples two joints is left out: both move by themselves";
            let kind = NoteKind::NotUsed { owner, element, attribute, rank: Rank::ChangesDynamics, reason };
            report.push_in(place.file.as_ref(), place.line, kind);
            return Ok(None);
        }
        found => {
            let expected = "`revolute`, `continuous`, `prismatic`, `ball`, `universal`, `revolute2`, `screw`, `gearbox` or `fixed`";
            let found = found.to_owned();
            return Err(place.fault(SdfFault::Word { owner, what: "type", found, expected }));
        }
    };
    let names: &[&'static str] = match joint_type {
        JointType::Fixed | JointType::Ball => &[],
        JointType::TwoAxes => &["axis", "axis2"],
        _ => &["axis"],
    };
    let mut axes = Vec::new();
    for name in names {
        let mut axis = axis(element, name, &owner, (scope, version), report)?;
        if word == "continuous" {
            axis.numbers.limits = (f64::NEG_INFINITY, f64::INFINITY);
        }
        axes.push(axis);
    }
    Ok(Some(RawJoint { name, place, node, scope, parent, child, at_child, joint_type, axes, is_static: false }))
}

/// Translation by angle of a screw, m/rad: of `screw_thread_pitch`, m a turn, or of the older `thread_pitch`, rad/m with the other
/// sign.
fn pitch(element: &Element, owner: &Owner) -> Result<f64, SdfError> {
    if element.child("screw_thread_pitch").is_some() || element.child("thread_pitch").is_none() {
        return Ok(element.number("screw_thread_pitch", owner)? / TAU);
    }
    let old = element.number("thread_pitch", owner)?;
    let pitch = -1.0 / old;
    if pitch.is_finite() {
        return Ok(pitch);
    }
    let rule = "expected a number that one can be divided by";
    Err(element.place.fault(SdfFault::Number { owner: owner.clone(), what: "thread_pitch", value: old, rule }))
}

fn axis(
    joint: &Element,
    name: &'static str,
    owner: &Owner,
    (scope, version): (usize, (u32, u32)),
    report: &mut LoadReport,
) -> Result<RawAxis, SdfError> {
    let element =
        joint.child(name).ok_or_else(|| joint.place.fault(SdfFault::Lacks { owner: owner.clone(), element: name }))?;
    let place = &element.place;
    let direction = Vector3::from(element.numbers::<3>("xyz", owner)?);
    let direction =
        unit(direction).ok_or_else(|| place.fault(SdfFault::ZeroAxis { owner: owner.clone(), what: name }))?;
    let in_model = Reference { scope, name: String::from("__model__"), what: "expressed_in" };
    let expressed_in = match element.child("xyz").and_then(|xyz| xyz.attribute("expressed_in")) {
        Some(name) => Some(Reference { scope, name: name.to_owned(), what: "expressed_in" }),
        // Axes were in the model's frame, then in that of the joint, unless asked otherwise.
        None if version <= (1, 4) || element.flag("use_parent_model_frame", owner)? => Some(in_model),
        None => None,
    };
    let mut numbers = Axis {
        limits: (f64::NEG_INFINITY, f64::INFINITY),
        effort: f64::INFINITY,
        velocity: f64::INFINITY,
        damping: 0.0,
        friction: 0.0,
        stiffness: 0.0,
        spring_reference: 0.0,
        mimic: None,
    };
    if let Some(limit) = element.child("limit") {
        let [lower, upper] = [limit.number("lower", owner)?, limit.number("upper", owner)?];
        let note = |report: &mut LoadReport, kind| report.push_in(limit.place.file.as_ref(), limit.place.line, kind);
        let joint = owner.name().to_owned();
        let (low, high) = if lower > upper {
            note(report, NoteKind::LimitsReversed { joint, lower, upper });
            (upper, lower)
        } else {
            (lower, upper)
        };
        let low = if low <= -NO_LIMIT { f64::NEG_INFINITY } else { low };
        let high = if high >= NO_LIMIT { f64::INFINITY } else { high };
        numbers.limits = (low, high);
        let bound = |value: f64| if (0.0..NO_LIMIT).contains(&value) { value } else { f64::INFINITY };
        numbers.effort = bound(limit.number("effort", owner)?);
        numbers.velocity = bound(limit.number("velocity", owner)?);
        let joint = || owner.name().to_owned();
        if numbers.effort == 0.0 {
            note(report, NoteKind::ZeroEffortLimit { joint: joint() });
        }
        if numbers.velocity == 0.0 {
            note(report, NoteKind::ZeroVelocityLimit { joint: joint() });
        }
    }
    if let Some(dynamics) = element.child("dynamics") {
        numbers.damping = dynamics.not_negative("damping", owner)?;
        numbers.friction = dynamics.not_negative("friction", owner)?;
        numbers.stiffness = dynamics.not_negative("spring_stiffness", owner)?;
        numbers.spring_reference = dynamics.number("spring_reference", owner)?;
    }
    if let Some(mimic) = element.child("mimic") {
        let leader = mimic
            .attribute("joint")
            .map(str::to_owned)
            .ok_or_else(|| mimic.place.fault(SdfFault::Lacks { owner: owner.clone(), element: "joint" }))?;
        let [multiplier, offset, reference] =
            [mimic.number("multiplier", owner)?, mimic.number("offset", owner)?, mimic.number("reference", owner)?];
        numbers.mimic = Some((leader, multiplier, offset - multiplier * reference));
    }
    Ok(RawAxis { direction, expressed_in, numbers })
}
