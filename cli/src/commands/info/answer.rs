//! A robot for programs.

use super::super::joint_forces::{CurveAnswer, LoopAnswer, SpringAnswer};
use super::{axis, total_mass};
use gradyn::model::urdf::Severity;
use gradyn::model::{Actuator, Body};
use gradyn::spatial::Symmetric3;
use gradyn_files::answer::{self, JointAnswer, MimicAnswer};
use gradyn_files::robot::{Configuration, Robot};
use serde::Serialize;
use std::collections::BTreeMap;

/// All of it for programs. Limits that do not exist are null.
#[derive(Serialize)]
pub(super) struct Answer<'a> {
    robot: &'a str,
    nq: usize,
    nv: usize,
    gravity: [f64; 3],
    joint_friction: bool,
    total_mass: f64,
    joints: Vec<JointAnswer<'a>>,
    mimic: Vec<MimicAnswer<'a>>,
    bodies: Vec<BodyAnswer<'a>>,
    frames: Vec<FrameAnswer<'a>>,
    limits: Limits<'a>,
    joint_dynamics: Vec<DofAnswer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    springs: Vec<SpringAnswer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    friction_curves: Vec<CurveAnswer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    loops: Vec<LoopAnswer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    actuators: Vec<ActuatorAnswer<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    configurations: Vec<ConfigurationAnswer<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<&'a str>,
    report: ReportAnswer<'a>,
}

#[derive(Serialize)]
struct BodyAnswer<'a> {
    name: &'a str,
    joint: &'a str,
    /// Of the joint; the normal of a planar one.
    #[serde(skip_serializing_if = "Option::is_none")]
    axis: Option<[f64; 3]>,
    parent: Option<&'a str>,
    mass: f64,
    /// Center of mass, in the frame of the body.
    com: [f64; 3],
    /// About the center of mass, in the axes of the body.
    inertia: Moments,
}

#[derive(Serialize)]
struct Moments {
    ixx: f64,
    ixy: f64,
    ixz: f64,
    iyy: f64,
    iyz: f64,
    izz: f64,
}

#[derive(Serialize)]
struct FrameAnswer<'a> {
    name: &'a str,
    body: Option<&'a str>,
}

#[derive(Serialize)]
struct Limits<'a> {
    q_lower: &'a [f64],
    q_upper: &'a [f64],
    velocity: &'a [f64],
    effort: &'a [f64],
}

#[derive(Serialize)]
struct DofAnswer {
    v_index: usize,
    multiplier: f64,
    armature: f64,
    damping: f64,
    friction: f64,
}

/// A control, and what it drives.
#[derive(Serialize)]
struct ActuatorAnswer<'a> {
    name: &'a str,
    drives: Vec<DriveAnswer>,
    /// Of the control; null where there is none.
    lower: f64,
    upper: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stall_torque: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_load_speed: Option<f64>,
}

#[derive(Serialize)]
struct DriveAnswer {
    v_index: usize,
    gear: f64,
}

impl<'a> ActuatorAnswer<'a> {
    fn of(actuator: &'a Actuator) -> Self {
        let (lower, upper) = actuator.limits;
        let line = actuator.speed_torque;
        Self {
            name: &actuator.name,
            drives: actuator
                .gears
                .iter()
                .map(|(v_index, gear)| DriveAnswer { v_index: *v_index, gear: *gear })
                .collect(),
            lower,
            upper,
            stall_torque: line.map(|line| line.stall),
            no_load_speed: line.map(|line| line.no_load),
        }
    }
}

/// What `--state` takes by its name.
#[derive(Serialize)]
struct ConfigurationAnswer<'a> {
    name: &'a str,
    q: &'a [f64],
    v: &'a [f64],
}

impl<'a> ConfigurationAnswer<'a> {
    fn of(Configuration { name, q, v, .. }: &'a Configuration) -> Self {
        Self { name, q, v }
    }
}

#[derive(Serialize)]
struct ReportAnswer<'a> {
    /// How many there are, those included that are not listed.
    warning_count: usize,
    counts: BTreeMap<&'a str, usize>,
    /// Of each kind the first hundred.
    warnings: Vec<NoteAnswer<'a>>,
    information: Vec<NoteAnswer<'a>>,
    ignored_elements: BTreeMap<&'a str, Vec<u32>>,
}

#[derive(Serialize)]
struct NoteAnswer<'a> {
    /// If it is not the robot's own: an included one, an SRDF file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    line: u32,
    kind: &'static str,
    message: String,
}

fn moments(i: &Symmetric3<f64>) -> Moments {
    Moments { ixx: i.xx, ixy: i.xy, ixz: i.xz, iyy: i.yy, iyz: i.yz, izz: i.zz }
}

pub(super) fn answer(robot: &Robot) -> Answer<'_> {
    let (model, limits) = (&robot.model, robot.model.limits());
    let name = |id: gradyn::model::BodyId| model.bodies().get(id.index()).map(Body::name);
    let notes = |severity: Severity| {
        let notes = robot.report.notes().iter().filter(|note| note.severity() == severity);
        notes
            .map(|note| {
                let (file, message) = (note.file.as_deref(), note.kind.to_string());
                NoteAnswer { file, line: note.line, kind: note.kind.code(), message }
            })
            .collect()
    };
    Answer {
        robot: model.name(),
        nq: model.nq(),
        nv: model.nv(),
        gravity: model.gravity().into(),
        joint_friction: model.has_joint_friction(),
        total_mass: total_mass(robot),
        joints: answer::joints(robot),
        mimic: answer::mimics(robot),
        bodies: model
            .bodies()
            .iter()
            .map(|body| BodyAnswer {
                name: body.name(),
                joint: body.joint_name(),
                parent: body.parent().and_then(name),
                axis: axis(body),
                mass: body.inertia().mass,
                com: body.inertia().com.into(),
                inertia: moments(&body.inertia().rotational),
            })
            .collect(),
        frames: model
            .frames()
            .iter()
            .map(|frame| FrameAnswer { name: frame.name(), body: frame.body().and_then(name) })
            .collect(),
        limits: Limits {
            q_lower: &limits.q_lower,
            q_upper: &limits.q_upper,
            velocity: &limits.velocity,
            effort: &limits.effort,
        },
        joint_dynamics: model
            .joint_dynamics()
            .iter()
            .map(|dof| DofAnswer {
                v_index: dof.index,
                multiplier: dof.multiplier,
                armature: dof.armature,
                damping: dof.damping,
                friction: dof.friction,
            })
            .collect(),
        springs: SpringAnswer::all(model),
        friction_curves: model.friction_curves().iter().map(CurveAnswer::of).collect(),
        loops: robot.loops().into_iter().map(LoopAnswer::of).collect(),
        actuators: model.actuators().iter().map(ActuatorAnswer::of).collect(),
        configurations: robot.configurations.iter().map(ConfigurationAnswer::of).collect(),
        groups: robot.groups.iter().map(String::as_str).collect(),
        report: ReportAnswer {
            warning_count: robot.report.warning_count(),
            counts: robot.report.counts(),
            warnings: notes(Severity::Warning),
            information: notes(Severity::Information),
            ignored_elements: robot.report.ignored_elements(),
        },
    }
}
