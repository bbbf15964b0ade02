//! What drives the joints, as MJCF has it: motors of joints, and of sites of free bodies.

use super::Writing;
use super::error::WriteError;
use super::joint_frames::Frames;
use super::names::{Taken, check};
use super::steps::{Motion, Step};
use super::xml::{Element, Xml};
use crate::model::source::{Format, Owner, Rank};
use crate::model::{Actuator, Model};
use crate::spatial::Transform;
use crate::text::count;
use std::collections::HashSet;

/// The motors of a file, and the tendons that some of them drive.
pub(super) struct Drives {
    motors: Vec<Motor>,
    /// Sites that are not frames of the model: body and name.
    sites: Vec<(usize, String)>,
}

/// One motor.
struct Motor {
    name: String,
    on: Target,
    gear: Vec<f64>,
    range: Option<[f64; 2]>,
}

/// What a motor drives, by name.
enum Target {
    Joint(String),
    Site(String),
    /// Joints of a tendon of the actuator's name, with their coefficients.
    Tendon(Vec<(String, f64)>),
}

/// Where a degree of freedom is in the file.
#[derive(Clone, Copy)]
struct At<'s> {
    step: &'s Step,
    /// Its number in the step.
    k: usize,
    body: usize,
}

impl Drives {
    /// `all`: the steps of each body; `joints`: names of joints, which no site has.
    pub(super) fn of(
        writing: &mut Writing,
        all: &[Vec<Step>],
        frames: &Frames,
        joints: &HashSet<String>,
        taken: &mut Taken,
    ) -> Result<Self, WriteError> {
        let model: &Model = writing.model;
        let places = places(model, all);
        let mut drives = Self { motors: Vec::new(), sites: Vec::new() };
        for actuator in model.actuators() {
            check(Format::Mjcf, "actuator", &actuator.name)?;
            let owner = || Owner::Element("actuator".to_owned(), actuator.name.clone());
            let at: Vec<(At, f64)> =
                actuator.gears.iter().filter_map(|(dof, gear)| Some(((*places.get(*dof)?)?, *gear))).collect();
            let Some((first, _)) = at.first().copied().filter(|_| at.len() == actuator.gears.len()) else {
                let what = format!("its drive by {}", count(actuator.gears.len(), "gear"));
                writing.leave_out(
                    owner(),
                    what,
                    "no joint of the file has that degree of freedom",
                    Rank::NotDynamics,
                )?;
                continue;
            };
            let is_coupled = at.iter().any(|(at, _)| at.step.name != first.step.name);
            if is_coupled && at.iter().any(|(at, _)| at.step.dofs.len() > 1) {
                let what = format!("its drive by {}", count(actuator.gears.len(), "gear"));
                writing.leave_out(owner(), what, "a fixed tendon is of hinges and slides", Rank::NotDynamics)?;
                continue;
            }
            if at.iter().any(|(at, _)| at.step.is_apart) {
                let (what, reason) = ("its gear".to_owned(), "the axes of the body turn, those of slides do not");
                writing.leave_out(owner(), what, reason, Rank::NotDynamics)?;
                continue;
            }
            if is_coupled {
                let on = at.iter().map(|(at, gear)| (at.step.name.clone(), *gear)).collect();
                let (name, range) = (actuator.name.clone(), range(writing, actuator)?);
                drives.motors.push(Motor { name, on: Target::Tendon(on), gear: vec![1.0], range });
                continue;
            }
            let mut gear = vec![0.0; first.step.dofs.len()];
            at.iter().for_each(|(at, x)| gear[at.k] = *x);
            let is_force = first.step.motion == Motion::Free && gear[..3].iter().any(|x| *x != 0.0);
            let on = match is_force {
                // Of a free joint the force of a motor is in axes of the world.
                true => Target::Site(drives.site(frames, joints, taken, (first.body, &actuator.name))),
                false => Target::Joint(first.step.name.clone()),
            };
            let range = range(writing, actuator)?;
            drives.motors.push(Motor { name: actuator.name.clone(), on, gear, range });
        }
        Ok(drives)
    }

    /// A site at the origin of a body and in its axes: a frame that is there, else a new one.
    fn site(
        &mut self,
        frames: &Frames,
        joints: &HashSet<String>,
        taken: &mut Taken,
        (body, actuator): (usize, &str),
    ) -> String {
        let there = self.sites.iter().find(|(of, _)| *of == body).map(|(_, name)| name.clone());
        let stands_there = |name: &&str| !joints.contains(*name);
        let at_origin = frames.of_body(body).filter(|frame| *frame.placement() == Transform::identity());
        let frame = at_origin.map(|frame| frame.name()).find(stands_there).map(str::to_owned);
        frame.or(there).unwrap_or_else(|| {
            let name = taken.unused(actuator);
            self.sites.push((body, name.clone()));
            name
        })
    }

    /// Names of the new sites of a body.
    pub(super) fn sites_of(&self, body: usize) -> impl Iterator<Item = &str> {
        self.sites.iter().filter(move |(of, _)| *of == body).map(|(_, name)| name.as_str())
    }

    /// Writes the section.
    pub(super) fn write(&self, xml: &mut Xml) {
        if self.motors.is_empty() {
            return;
        }
        let tendons = self.motors.iter().filter_map(|motor| match &motor.on {
            Target::Tendon(joints) => Some((&motor.name, joints)),
            Target::Joint(_) | Target::Site(_) => None,
        });
        let mut is_first = true;
        for (name, joints) in tendons {
            if std::mem::take(&mut is_first) {
                xml.open(Element::new("tendon"));
            }
            xml.open(Element::new("fixed").text("name", name));
            for (joint, coefficient) in joints {
                xml.leaf(Element::new("joint").text("joint", joint).number("coef", *coefficient));
            }
            xml.close();
        }
        if !is_first {
            xml.close();
        }
        xml.open(Element::new("actuator"));
        for motor in &self.motors {
            let element = Element::new("motor").text("name", &motor.name);
            let element = match &motor.on {
                Target::Joint(name) => element.text("joint", name),
                Target::Site(name) => element.text("site", name),
                Target::Tendon(_) => element.text("tendon", &motor.name),
            };
            let element = element.numbers("gear", &motor.gear);
            xml.leaf(match &motor.range {
                Some(range) => element.numbers("ctrlrange", range),
                None => element,
            });
        }
        xml.close();
    }
}

/// For each degree of freedom where it is in the file.
fn places<'s>(model: &Model, all: &'s [Vec<Step>]) -> Vec<Option<At<'s>>> {
    let mut places = vec![None; model.nv()];
    for (b, (body, steps)) in
        model.bodies().iter().zip(all).enumerate().filter(|(_, (body, _))| body.owns_coordinates())
    {
        let own = steps.iter().filter(|step| step.follows.is_none());
        let each = own.flat_map(|step| (0..step.dofs.len()).map(move |k| At { step, k, body: b }));
        places[body.v_range()].iter_mut().zip(each).for_each(|(place, at)| *place = Some(at));
    }
    places
}

/// The range of the control. What a range cannot say, and a speed-torque line, are left out.
fn range(writing: &mut Writing, actuator: &Actuator) -> Result<Option<[f64; 2]>, WriteError> {
    let owner = || Owner::Element("actuator".to_owned(), actuator.name.clone());
    if let Some(line) = actuator.speed_torque {
        let what = format!("its speed-torque line from {} at rest to {} without load", line.stall, line.no_load);
        writing.leave_out(owner(), what, "a motor has the same limits at all speeds", Rank::NotDynamics)?;
    }
    let (lower, upper) = actuator.limits;
    if lower.is_finite() && upper.is_finite() && lower < upper {
        return Ok(Some([lower, upper]));
    }
    if lower.is_finite() || upper.is_finite() {
        let (what, reason) = (format!("limits {lower} to {upper}"), "a range has two finite ends, and is not empty");
        writing.leave_out(owner(), what, reason, Rank::NotDynamics)?;
    }
    Ok(None)
}
