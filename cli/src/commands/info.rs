//! `gradyn info`: what a robot is made of.

use super::Report;
use super::joint_forces::{CurveAnswer, LoopAnswer, SpringAnswer};
use crate::args::Info;
use crate::error::{Error, one_line};
use crate::table::{Align, Table};
use anstyle::{AnsiColor, Style};
use gradyn::joint::{Elementary, Joint};
use gradyn::model::urdf::Severity;
use gradyn::model::{Body, DofDynamics, Frame, FrictionCurve};
use gradyn::plan::Plan;
use gradyn::spatial::Symmetric3;
use gradyn::text::count;
use gradyn_files::answer::{self, JointAnswer, MimicAnswer};
use gradyn_files::number::{five, short};
use gradyn_files::robot::Robot;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

pub(crate) fn info(args: &Info) -> Result<Report, Error> {
    let robot = args.robot.load()?;
    if args.json {
        let mut data = serde_json::to_vec_pretty(&answer(&robot)).map_err(|error| Error::Stdout(error.into()))?;
        data.push(b'\n');
        return Ok(Report { data, warnings: robot.warnings(), ..Report::default() });
    }
    if args.plan {
        return Ok(Report { text: format!("{}\n", Plan::of(&robot.model)), ..Report::default() });
    }
    Ok(Report { text: readable(&robot), ..Report::default() })
}

fn total_mass(robot: &Robot) -> f64 {
    robot.model.bodies().iter().map(|body| body.inertia().mass).sum()
}

/// The kind of a joint, a mimic joint's own.
fn kind(body: &Body) -> &'static str {
    match body.joint() {
        Joint::Mimic(mimic) => mimic.inner().name(),
        joint => joint.kind(),
    }
}

/// The axis of a joint that has one, the normal of a planar joint; of a mimic joint its own.
fn axis(body: &Body) -> Option<[f64; 3]> {
    let kind = match body.joint() {
        Joint::Mimic(mimic) => mimic.inner(),
        Joint::Elementary(kind) => kind,
        Joint::Composite(_) => return None,
    };
    let axis = match kind {
        Elementary::Revolute(joint) => joint.axis,
        Elementary::Continuous(joint) => joint.axis,
        Elementary::Prismatic(joint) => joint.axis,
        Elementary::Planar(joint) => joint.normal(),
        _ => return None,
    };
    // Adding zero takes the sign from −0.
    Some(axis.vector().map(|x| x + 0.0).into())
}

fn readable(robot: &Robot) -> String {
    let model = &robot.model;
    let bold = Style::new().bold();
    let mut text = format!("{bold}{}{bold:#}  {}\n", one_line(model.name()), robot.path.display());
    text.push_str(&model.summary());

    text.push_str(&format!("\n{bold}Tree{bold:#}  joint → body, its mass, and links fixed to it\n"));
    let links: HashSet<&str> = robot.link_names().into_iter().collect();
    let dim = Style::new().dimmed();
    let [on, off] = [format!("{dim}"), format!("{dim:#}")];
    let is_link = |frame: &Frame| links.contains(frame.name());
    text.push_str(&model.tree().dimmed(&on, &off).listing(&is_link).to_string());
    if !model.bodies().is_empty() {
        text.push_str(&format!("\n{bold}Joints{bold:#}  in rad, m, s, N m, N; empty where there is no limit\n"));
        joints(robot, &mut text);
    }
    let followers: Vec<_> = model.bodies().iter().filter(|body| matches!(body.joint(), Joint::Mimic(_))).collect();
    for body in followers {
        if let Joint::Mimic(mimic) = body.joint() {
            let (follower, leader) = (one_line(body.joint_name()), one_line(leader(robot, body)));
            let (k, b) = (short(mimic.multiplier()), mimic.offset());
            let sign = if b < 0.0 { '-' } else { '+' };
            let q = if mimic.is_of_direction() { "angle" } else { "q" };
            let own = axis(body).map(|axis| format!(" ({} {})", kind(body), axis.map(short).join(" ")));
            text.push_str(&format!(
                "  {follower}{} follows {leader}: q = {k} {q}({leader}) {sign} {}\n",
                own.unwrap_or_default(),
                short(b.abs())
            ));
        }
    }

    if !model.bodies().is_empty() {
        text.push_str(&format!(
            "\n{bold}Inertias{bold:#}  in kg, m, kg m²: about the mass center, in the axes of the body; k is the radius of gyration\n"
        ));
        inertias(robot, &mut text);
    }

    let list = |names: Vec<&str>| names.into_iter().map(one_line).collect::<Vec<_>>().join(", ");
    if !robot.configurations.is_empty() {
        let names = list(robot.configurations.iter().map(|of| of.name.as_str()).collect());
        text.push_str(&format!("\n{bold}Configurations{bold:#}  for `--state`: {names}\n"));
    }
    if !robot.groups.is_empty() {
        let names = list(robot.groups.iter().map(String::as_str).collect());
        text.push_str(&format!("\n{bold}Groups{bold:#}  {names}\n"));
    }

    let loops: Vec<String> = robot.loops().iter().map(ToString::to_string).collect();
    if !loops.is_empty() {
        text.push_str(&format!("\n{bold}Loops{bold:#}  beside the tree of bodies: {}\n", loops.join(", ")));
    }

    let warning = Style::new().fg_color(Some(AnsiColor::Yellow.into()));
    let warnings = robot.report.warning_count();
    text.push_str(&format!("\n{bold}File{bold:#}  "));
    text.push_str(&if warnings == 0 {
        String::from("no warnings\n")
    } else {
        format!("{}\n", count(warnings, "warning"))
    });
    for note in robot.report.warnings() {
        text.push_str(&format!("  {warning}{}{warning:#}\n", one_line(&note.to_string())));
    }
    let shown = robot.report.warnings().count();
    if warnings > shown {
        text.push_str(&format!("  … and {} more of these kinds\n", warnings - shown));
    }
    // The report's own last line.
    let report = robot.report.to_string();
    if let Some(line) = report.lines().rfind(|line| line.starts_with("not used: ")) {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

/// The joint whose coordinates a mimic joint has.
fn leader<'r>(robot: &'r Robot, body: &Body) -> &'r str {
    let leader = robot.model.joint_of_dof(body.v_range().start);
    leader.and_then(|id| robot.model.bodies().get(id.index())).map_or("", Body::joint_name)
}

/// A range of coordinates: `7`, `0..7`.
fn range(r: &Range<usize>) -> String {
    match r.len() {
        0 => String::new(),
        1 => r.start.to_string(),
        _ => format!("{}..{}", r.start, r.end),
    }
}

/// A limit; nothing if there is none.
fn limit(x: f64) -> String {
    if x.is_finite() { short(x) } else { String::new() }
}

/// Limits of the joint if it has one coordinate and one velocity.
fn single(limits: &[f64], range: &Range<usize>) -> Option<f64> {
    if range.len() == 1 { limits.get(range.start).copied() } else { None }
}

fn joints(robot: &Robot, text: &mut String) {
    use Align::{Left, Right};
    let (model, limits) = (&robot.model, robot.model.limits());
    let mut table = Table::new([
        ("joint", Left),
        ("kind", Left),
        ("axis", Left),
        ("q", Right),
        ("v", Right),
        ("lower", Right),
        ("upper", Right),
        ("velocity", Right),
        ("effort", Right),
        ("armature", Right),
        ("damping", Right),
        ("friction", Right),
        ("stiffness", Right),
        ("spring at", Right),
        ("Stribeck", Right),
        ("asymmetry", Right),
    ]);
    for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
        let (q, v) = (body.q_range(), body.v_range());
        let dynamics = model.joint_dynamics().iter().find(|dof| v.contains(&dof.index));
        let constant =
            |of: fn(&DofDynamics) -> f64| dynamics.map(of).filter(|x| *x != 0.0).map(short).unwrap_or_default();
        let springs: Vec<[f64; 2]> = model
            .find_body(body.name())
            .map(|id| (0..v.len()).filter_map(|k| model.spring_constants(id, k)).collect())
            .unwrap_or_default();
        // Often one stiffness for all turns.
        let spring = |which: usize| {
            let numbers: Vec<f64> = springs.iter().filter_map(|spring| spring.get(which).copied()).collect();
            let first = numbers.first().copied().unwrap_or_default();
            let shown = if numbers.iter().all(|x| x.to_bits() == first.to_bits()) { 1 } else { numbers.len() };
            numbers.into_iter().take(shown).map(short).collect::<Vec<_>>().join(" ")
        };
        let curves = model.friction_curves().iter().find(|curve| v.contains(&curve.index));
        let curve = |of: fn(&FrictionCurve) -> f64| curves.map(of).map(short).unwrap_or_default();
        let number = |limits: &[f64], range: &Range<usize>| single(limits, range).map(limit).unwrap_or_default();
        table.row([
            one_line(body.joint_name()).into(),
            kind(body).into(),
            axis(body).map(|axis| axis.map(short).join(" ")).unwrap_or_default().into(),
            range(&q).into(),
            range(&v).into(),
            number(&limits.q_lower, &q).into(),
            number(&limits.q_upper, &q).into(),
            number(&limits.velocity, &v).into(),
            number(&limits.effort, &v).into(),
            constant(|dof| dof.armature).into(),
            constant(|dof| dof.damping).into(),
            constant(|dof| dof.friction).into(),
            spring(0).into(),
            spring(1).into(),
            curve(|curve| curve.stribeck).into(),
            curve(|curve| curve.asymmetry).into(),
        ]);
    }
    table.without_empty_columns().render(2, text);
}

/// Mass, center of mass and moments of each body.
fn inertias(robot: &Robot, text: &mut String) {
    let numbers = ["mass", "x", "y", "z", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "k"];
    let mut table = Table::new([("body", Align::Left)].into_iter().chain(numbers.map(|name| (name, Align::Right))));
    for body in robot.model.bodies() {
        let (y, r) = (body.inertia(), body.inertia().rotational);
        // By the mean of the moments: tr I = 2 Σ m |r|².
        let k = (0.5 * (r.xx + r.yy + r.zz) / y.mass).sqrt();
        let k = if y.mass > 0.0 && k.is_finite() { five(k) } else { String::new() };
        let numbers = [y.mass, y.com.x, y.com.y, y.com.z, r.xx, r.yy, r.zz, r.xy, r.xz, r.yz].map(five);
        let cells = [one_line(body.name())].into_iter().chain(numbers).chain([k]);
        table.row(cells.map(Into::into));
    }
    table.render(2, text);
}

/// All of it for programs. Limits that do not exist are null.
#[derive(Serialize)]
struct Answer<'a> {
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

#[derive(Serialize)]
struct ReportAnswer<'a> {
    /// How many there are, those included that are not listed.
    warning_count: usize,
    counts: BTreeMap<&'a str, usize>,
    /// Of each kind the first hundred.
    warnings: Vec<NoteAnswer>,
    information: Vec<NoteAnswer>,
    ignored_elements: BTreeMap<&'a str, Vec<u32>>,
}

#[derive(Serialize)]
struct NoteAnswer {
    line: u32,
    kind: &'static str,
    message: String,
}

fn moments(i: &Symmetric3<f64>) -> Moments {
    Moments { ixx: i.xx, ixy: i.xy, ixz: i.xz, iyy: i.yy, iyz: i.yz, izz: i.zz }
}

fn answer(robot: &Robot) -> Answer<'_> {
    let (model, limits) = (&robot.model, robot.model.limits());
    let name = |id: gradyn::model::BodyId| model.bodies().get(id.index()).map(Body::name);
    let notes = |severity: Severity| {
        let notes = robot.report.notes().iter().filter(|note| note.severity() == severity);
        notes
            .map(|note| NoteAnswer { line: note.line, kind: note.kind.code(), message: note.kind.to_string() })
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
        report: ReportAnswer {
            warning_count: robot.report.warning_count(),
            counts: robot.report.counts(),
            warnings: notes(Severity::Warning),
            information: notes(Severity::Information),
            ignored_elements: robot.report.ignored_elements(),
        },
    }
}
