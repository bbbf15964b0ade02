//! `gradyn info`: what a robot is made of.

mod answer;
mod tables;

use super::Report;
use crate::args::Info;
use crate::error::{Error, one_line};
use anstyle::{AnsiColor, Style};
use gradyn::joint::{Elementary, Joint};
use gradyn::model::{Body, Frame};
use gradyn::plan::Plan;
use gradyn::text::count;
use gradyn_files::number::short;
use gradyn_files::robot::Robot;
use std::collections::HashSet;

pub(crate) fn info(args: &Info) -> Result<Report, Error> {
    let robot = args.robot.load()?;
    if args.json {
        let mut data =
            serde_json::to_vec_pretty(&answer::answer(&robot)).map_err(|error| Error::Stdout(error.into()))?;
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
        tables::joints(robot, &mut text);
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
        tables::inertias(robot, &mut text);
    }

    if !model.actuators().is_empty() {
        text.push_str(&format!(
            "\n{bold}Actuators{bold:#}  one control each: torque, or what a gear makes one; limits of the control\n"
        ));
        tables::actuators(robot, &mut text);
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
