//! Joints of a body.

use super::description::{JointElement, JointKind};
use super::element::{Element, Values};
use super::error::{Fault, MjcfError};
use super::load::not_used;
use super::settings::Settings;
use super::table::ONLY_LINEAR;
use crate::model::source::{LoadReport, Rank};
use crate::spatial::{Transform, vector as v3};

/// Reads a `joint` or a `freejoint`, which has no defaults. Its name and body are the caller's.
pub(super) fn read(
    values: &Values,
    settings: &Settings,
    frame: &Transform<f64>,
    report: &mut LoadReport,
) -> Result<JointElement, MjcfError> {
    let element = values.element;
    let mut joint = JointElement {
        place: element.place.clone(),
        name: String::new(),
        kind: JointKind::Free,
        body: 0,
        position: v3::zero(),
        axis: v3::column(&v3::identity(), 2),
        reference: 0.0,
        range: None,
        effort: None,
        armature: 0.0,
        gear_ratio: None,
        damping: 0.0,
        friction: 0.0,
        stiffness: 0.0,
        spring_reference: 0.0,
        spring_damper: None,
    };
    if element.spec.name == "freejoint" {
        return Ok(joint);
    }
    joint.kind = match values.word("type")? {
        "free" => JointKind::Free,
        "ball" => JointKind::Ball,
        "slide" => JointKind::Slide,
        _ => JointKind::Hinge,
    };
    let one_coordinate = matches!(joint.kind, JointKind::Hinge | JointKind::Slide);
    let unit = if matches!(joint.kind, JointKind::Hinge | JointKind::Ball) { settings.angle } else { 1.0 };
    if joint.kind != JointKind::Free {
        joint.position = frame.point(values.vector("pos")?);
        super::tree::finite(element, &Transform::from_translation(joint.position))?;
        joint.range = values.limits("limited", "range", settings.autolimits)?.map(|range| range.map(|x| x * unit));
    }
    if one_coordinate {
        joint.axis = frame.vector(values.direction("axis")?);
        joint.effort = values.limits("actuatorfrclimited", "actuatorfrcrange", settings.autolimits)?;
        (joint.reference, joint.spring_reference) = (values.number("ref")? * unit, values.number("springref")? * unit);
    }
    for (range, attribute) in [(joint.range.filter(|_| one_coordinate), "range"), (joint.effort, "actuatorfrcrange")] {
        if range.is_some_and(|[lower, upper]| lower >= upper) {
            let [lower, upper] = values.array(attribute)?; // in units of the file
            let fault = Fault::Range { owner: element.owner(), attribute, lower, upper };
            return Err(fault.at(values.place(attribute)));
        }
    }
    joint.armature = values.not_negative("armature")?;
    joint.friction = values.not_negative("frictionloss")?;
    (joint.damping, joint.stiffness) = (linear(values, "damping", report)?, linear(values, "stiffness", report)?);
    let [time, ratio] = values.array("springdamper")?;
    if time != 0.0 || ratio != 0.0 {
        if time <= 0.0 || ratio <= 0.0 {
            let rule = "expected two positive numbers";
            return Err(values.bad("springdamper", time.min(ratio), rule));
        }
        joint.spring_damper = Some([time, ratio]);
        // It stands in the place of both.
        (joint.stiffness, joint.damping) = (0.0, 0.0);
    }
    Ok(joint)
}

/// The first coefficient of a force. That there are more is noted.
pub(super) fn linear(values: &Values, attribute: &'static str, report: &mut LoadReport) -> Result<f64, MjcfError> {
    let [first, second, third] = values.array(attribute)?;
    if second != 0.0 || third != 0.0 {
        let (element, place) = (values.element, values.place(attribute));
        let kind = not_used(element.owner(), element.spec.name, Some(attribute), (Rank::ChangesDynamics, ONLY_LINEAR));
        report.push_in(place.file.as_ref(), place.line, kind);
    }
    if first < 0.0 {
        return Err(values.bad(attribute, first, "expected a number that is not negative"));
    }
    Ok(first)
}

/// Refuses what MuJoCo refuses: a free joint that is not alone or not at the top, more than six degrees of freedom, rotation
/// after a ball joint.
pub(super) fn check(
    of_body: &[usize],
    joints: &[JointElement],
    has_parent: bool,
    body: &Element,
) -> Result<(), MjcfError> {
    let mine = || of_body.iter().filter_map(|j| joints.get(*j));
    let refuse = |joint: &JointElement, reason| Err(Fault::Misplaced { owner: body.owner(), reason }.at(&joint.place));
    if let Some(free) = mine().find(|joint| is_free(joint)) {
        if has_parent {
            return refuse(free, "a free joint can only move a body of the world");
        }
        if of_body.len() > 1 {
            return refuse(free, "a free joint has to be the only joint of its body");
        }
    }
    let mut freedoms = 0;
    let mut has_ball = false;
    for joint in mine() {
        freedoms += joint.kind.degrees_of_freedom();
        if has_ball && matches!(joint.kind, JointKind::Ball | JointKind::Hinge) {
            return refuse(joint, "no rotation may follow a ball joint");
        }
        has_ball |= joint.kind == JointKind::Ball;
        if freedoms > 6 {
            return refuse(joint, "its joints have more than six degrees of freedom");
        }
    }
    Ok(())
}

impl JointKind {
    /// How many degrees of freedom it has.
    #[must_use]
    pub fn degrees_of_freedom(self) -> usize {
        match self {
            Self::Hinge | Self::Slide => 1,
            Self::Ball => 3,
            Self::Free => 6,
        }
    }
}

pub(super) fn is_free(joint: &JointElement) -> bool {
    joint.kind == JointKind::Free
}

/// Whether the free joint of a body asks for the frame of its inertia.
pub(super) fn aligned(body: &Element, align_free: bool) -> Result<bool, MjcfError> {
    match body.each("freejoint").next().map(|joint| joint.plain().word("align")).transpose()? {
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        _ => Ok(align_free),
    }
}
