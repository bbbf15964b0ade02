//! `gradyn identify --poses`: geometry from measured poses of a frame.

use super::{new_robot, written};
use crate::args::Identify;
use crate::commands::Report;
use crate::error::{Error, one_line};
use crate::output::Output;
use crate::table::{Align, Cell, Table as Grid};
use gradyn::Transform;
use gradyn::dynamics::FrameRef;
use gradyn::nalgebra::{Quaternion, UnitQuaternion, Vector3};
use gradyn_files::logs::{Configuration, Table, need, number_in, odd, quaternion};
use gradyn_files::nearest::nearest;
use gradyn_files::number;
use gradyn_files::page::{Line, Plot, document, escape, row, table};
use gradyn_files::robot::Robot;
use gradyn_sensitivity::estimate::Estimate;
use gradyn_sensitivity::identify::{PoseFit, Poses, fit_poses};
use gradyn_sensitivity::{Parameters, SensitivityError};
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn calibrate(args: &Identify, robot: &Robot, parameters: &Parameters, file: &Path) -> Result<Report, Error> {
    let usage = |error: SensitivityError| Error::Usage(error.to_string());
    let mut warnings = robot.warnings();
    let poses = read(args, robot, file, &mut warnings)?;
    let inputs = [&*robot.path, file];
    let to = Output::new(args.output.as_deref(), &inputs)?;
    let mut page = args.report.as_deref().map(|path| Output::new(Some(path), &inputs)).transpose()?;
    let mut new = new_robot(args, robot, parameters, &inputs)?;
    let found = fit_poses(parameters, &poses, args.hold_out).map_err(usage)?;
    let mut failed = !is_good(&found);
    let mut changes = Vec::new();
    if new.is_some() {
        let values = if found.explains { found.estimate.parameters.clone() } else { parameters.nominal() };
        if !found.explains {
            warnings.push("nothing is written: the fit does not explain the poses".to_owned());
        }
        changes = written(robot, parameters, &values, &mut new, &mut warnings)?;
        failed |= new.is_none();
    }
    if let Some(to) = &mut page {
        let html = html(robot, parameters, &found, args.confidence, &warnings);
        to.write(|to| to.write_all(html.as_bytes()))?;
    }
    for file in [new, page].into_iter().flatten() {
        file.finish()?;
    }
    let text = if args.json {
        format!("{:#}\n", to_json(parameters, &found, args, &warnings, &changes))
    } else {
        readable(robot, parameters, &poses, &found, args, &changes)
    };
    super::reported(args, to, text, warnings, failed)
}

fn is_good(found: &PoseFit) -> bool {
    found.cannot_tell.is_empty() && found.explains && found.estimate.status.converged()
}

/// Columns `q.JOINT`, `pose.x`, `.y`, `.z`, and `pose.qx`, `.qy`, `.qz`, `.qw`, all of them or none.
fn read(args: &Identify, robot: &Robot, path: &Path, warnings: &mut Vec<String>) -> Result<Poses, Error> {
    let Some(name) = &args.frame else {
        return Err(Error::Usage("--poses needs --frame, the name of the link or joint whose poses they are".into()));
    };
    let model = &robot.model;
    let frame = model.find_frame(name).map(FrameRef::from).or_else(|| model.find_body(name).map(FrameRef::from));
    let frame = frame.ok_or_else(|| {
        let nearest = nearest(name, model.frames().iter().map(|frame| frame.name())).unwrap_or_default();
        Error::Usage(format!("--frame: there is no link or joint `{name}`{nearest}"))
    })?;
    let Table { file, heading, separator, rows, .. } = Table::read(path)?;
    let refuse = |line: usize, reason: String| Error::in_line(&file, line, reason);
    let heading_says = |reason: String| refuse(1, reason);
    let pose = |suffix: &str| format!("pose.{suffix}");
    let mut known = Vec::new();
    let configuration = Configuration::new(&heading, model, &mut known).map_err(heading_says)?;
    let column = |suffix: &str| need(&heading, &pose(suffix)).map_err(heading_says);
    let place = [column("x")?, column("y")?, column("z")?];
    const TURN: [&str; 4] = ["qx", "qy", "qz", "qw"];
    let rotations = TURN.iter().any(|suffix| heading.contains(&pose(suffix)));
    let turn =
        if rotations { Some([column(TURN[0])?, column(TURN[1])?, column(TURN[2])?, column(TURN[3])?]) } else { None };
    known.extend(["x", "y", "z"].iter().chain(&TURN).map(|suffix| pose(suffix)));
    warnings.extend(odd(&heading, &known).into_iter().map(|what| format!("{file}: {what}")));
    let mut poses = Poses { frame, q: vec![], poses: vec![], rotations };
    for (number, fields) in &rows {
        let of = |column: usize| number_in(&heading, fields, separator, column);
        let refuse = |reason: String| refuse(number + 1, reason);
        let q = configuration.read(args.degrees, &of).map_err(refuse)?;
        let mut at = Transform::identity();
        at.translation =
            Vector3::new(of(place[0]).map_err(refuse)?, of(place[1]).map_err(refuse)?, of(place[2]).map_err(refuse)?);
        if let Some(columns) = &turn {
            let [x, y, z, w] = quaternion(columns, &of).map_err(refuse)?;
            at.rotation =
                UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z)).to_rotation_matrix().into_inner();
        }
        poses.q.push(q);
        poses.poses.push(at);
    }
    if poses.q.is_empty() {
        return Err(refuse(1, "expected one pose at least, found none".into()));
    }
    Ok(poses)
}

fn verdict(found: &PoseFit) -> String {
    if !found.cannot_tell.is_empty() {
        let (some, all) = (found.cannot_tell.len(), found.parameters.len());
        return format!("not identifiable: {some} of {all} combinations cannot be identified from these poses");
    }
    if !found.estimate.status.converged() {
        return found.estimate.status.to_string();
    }
    let left = if found.tried.is_empty() { found.fitted } else { found.held_out };
    let how = if found.explains { "calibrated" } else { "not calibrated" };
    let where_ = if found.tried.is_empty() { "" } else { " of poses held out" };
    let (left, before) = (number::five(1e3 * left.position), number::five(1e3 * found.before.position));
    format!("{how}: {left} mm remain{where_} (before: {before} mm)")
}

/// Half the width of an interval; `None` where there is none.
fn half(estimate: &Estimate, k: usize, level: f64) -> Option<f64> {
    estimate.half_width(k, level).filter(|half| half.is_finite())
}

/// The same in words.
fn half_in_words(estimate: &Estimate, at_zero: &[usize], k: usize, level: f64) -> String {
    if at_zero.contains(&k) {
        return "at zero".to_owned();
    }
    half(estimate, k, level).map_or("not identifiable".to_owned(), number::five)
}

/// Estimates for people.
pub(super) fn parameter_table(
    parameters: &Parameters,
    estimate: &Estimate,
    at_zero: &[usize],
    level: f64,
    to: &mut String,
) {
    let interval = format!("± {} %", number::five(100.0 * level));
    let mut grid = Grid::new([
        ("parameter", Align::Left),
        ("before", Align::Right),
        ("found", Align::Right),
        (interval.as_str(), Align::Right),
        ("unit", Align::Left),
    ]);
    for (k, p) in parameters.iter().enumerate() {
        let cells: [Cell; 5] = [
            one_line(p.name()).into(),
            number::five(p.nominal()).into(),
            number::five(estimate.parameters[k]).into(),
            half_in_words(estimate, at_zero, k, level).into(),
            p.unit().into(),
        ];
        grid.row(cells);
    }
    grid.render(0, to);
}

/// The same in JSON.
pub(super) fn estimates(parameters: &Parameters, estimate: &Estimate, at_zero: &[usize], level: f64) -> Vec<Value> {
    let of = |(k, p): (usize, &gradyn_sensitivity::Parameter)| {
        json!({
            "name": p.name(), "unit": p.unit(), "before": p.nominal(), "value": estimate.parameters[k],
            "half_width": half(estimate, k, level), "at_zero": at_zero.contains(&k),
        })
    };
    parameters.iter().enumerate().map(of).collect()
}

/// The same on a page.
pub(super) fn rows(parameters: &Parameters, estimate: &Estimate, at_zero: &[usize], level: f64) -> String {
    let rows = parameters.iter().enumerate().map(|(k, p)| {
        let (before, value) = (number::five(p.nominal()), number::five(estimate.parameters[k]));
        let half = half_in_words(estimate, at_zero, k, level);
        row(&[p.name().to_owned(), before, value, half, p.unit().to_owned()], None)
    });
    let interval = format!("± (interval at {} %)", number::five(100.0 * level));
    table(&["parameter", "before", "found", interval.as_str(), "unit"], rows)
}

/// A list with a title, if there is something in it.
pub(super) fn list(title: &str, items: &[String]) -> String {
    let items: String = items.iter().map(|item| format!("<li>{}</li>\n", escape(item))).collect();
    if items.is_empty() { items } else { format!("<h2>{title}</h2>\n<ul>\n{items}</ul>\n") }
}

fn readable(
    robot: &Robot,
    parameters: &Parameters,
    poses: &Poses,
    found: &PoseFit,
    args: &Identify,
    changes: &[String],
) -> String {
    let bold = anstyle::Style::new().bold();
    let title = format!("{}: {} poses, {} held out", robot.model.name(), poses.q.len(), found.tried.len());
    let mut text = format!("{bold}{}{bold:#}\n\n", one_line(&title));
    parameter_table(parameters, &found.estimate, &[], args.confidence, &mut text);
    if poses.rotations {
        let (left, before) = (number::five(found.fitted.rotation), number::five(found.before.rotation));
        text.push_str(&format!("\nrotations are off by {left} rad over what was fitted (before: {before} rad)\n"));
    }
    for sentence in &found.cannot_tell {
        text.push_str(&format!("cannot tell: {}\n", one_line(sentence)));
    }
    for change in changes {
        text.push_str(&format!("written: {}\n", one_line(change)));
    }
    text + &format!("\n{bold}{}{bold:#}\n", one_line(&verdict(found)))
}

fn to_json(
    parameters: &Parameters,
    found: &PoseFit,
    args: &Identify,
    warnings: &[String],
    changes: &[String],
) -> Value {
    let number = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let error = |e: &gradyn_sensitivity::identify::PoseError| json!({ "position": number(e.position), "rotation": number(e.rotation) });
    json!({
        "verdict": verdict(found),
        "status": found.estimate.status.to_string(),
        "level": args.confidence,
        "frame": args.frame,
        "parameters": estimates(parameters, &found.estimate, &[], args.confidence),
        "stay": found.held.iter().map(|k| &found.parameters[*k]).collect::<Vec<_>>(),
        "explains": found.explains,
        "fitted": error(&found.fitted),
        "held_out": error(&found.held_out),
        "before": error(&found.before),
        "rank": found.estimate.identifiability.rank,
        "condition": number(found.estimate.identifiability.condition),
        "cannot_tell": found.cannot_tell,
        "warnings": warnings,
        "changes": changes,
    })
}

fn html(robot: &Robot, parameters: &Parameters, found: &PoseFit, level: f64, warnings: &[String]) -> String {
    let estimates = rows(parameters, &found.estimate, &[], level);
    let errors = |tried: bool| {
        let of = found.errors.iter().enumerate().filter(move |(k, _)| found.tried.contains(k) == tried);
        of.map(|(k, e)| (k as f64, 1e3 * e[0])).collect()
    };
    let plot = Plot {
        x: "pose".into(),
        y: "position is off by, mm".into(),
        lines: vec![Line { class: "found", points: errors(false) }, Line { class: "wrong", points: errors(true) }],
        ..Plot::default()
    };
    let title = format!("gradyn identify: {}", robot.model.name());
    let body = format!(
        "<main>\n<h1>{}</h1>\n<p class=\"verdict {}\">{}</p>\n{}{}<h2>Estimates</h2>\n{estimates}<h2>Poses</h2>\n\
         <div class=\"figures\">\n{}</div>\n</main>\n",
        escape(&title),
        if is_good(found) { "good" } else { "bad" },
        escape(&verdict(found)),
        list("Combinations that these poses cannot identify", &found.cannot_tell),
        list("What is odd about the data", warnings),
        plot.figure("How far the frame is from each measured pose; red: held out."),
    );
    document(&title, "", &body)
}
