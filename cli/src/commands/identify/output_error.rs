//! `gradyn identify --output-error`: the simulation of a log fitted to its motion.

use super::poses::{estimates, list, parameter_table};
use super::{files, new_robot, written};
use crate::args::Identify;
use crate::commands::Report;
use crate::error::{Error, one_line};
use crate::output::Output;
use crate::table::{Align, Cell, Table as Grid};
use gradyn_files::number;
use gradyn_files::page::{Line, Plot, document, escape};
use gradyn_files::robot::Robot;
use gradyn_sensitivity::identify::{Data, OutputErrorFit, OutputErrorOptions, PositionError, fit_output_error};
use gradyn_sensitivity::{Parameters, SensitivityError};
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn fit(
    args: &Identify,
    robot: &Robot,
    parameters: &Parameters,
    (data, odd): (&Data, Vec<String>),
    inputs: &[&Path],
) -> Result<Report, Error> {
    let usage = |error: SensitivityError| Error::Usage(error.to_string());
    let to = Output::new(args.output.as_deref(), inputs)?;
    let mut page = args.report.as_deref().map(|path| Output::new(Some(path), inputs)).transpose()?;
    let mut new = new_robot(args, robot, parameters, inputs)?;
    let options = OutputErrorOptions { samples: args.piece as usize, hold_out: args.hold_out };
    let found = fit_output_error(parameters, data, &options).map_err(usage)?;
    let files = files(args);
    let mut warnings = robot.warnings();
    warnings.extend(odd);
    warnings.extend(found.warnings.iter().map(|warning| format!("{files}: {warning}")));
    let impossible = not_physical(parameters, &found)?;
    let mut failed = !is_good(&found) || impossible.is_some();
    if let Some(why) = &impossible {
        warnings.push(format!("not physical: {why}"));
    }
    let mut changes = Vec::new();
    if new.is_some() {
        let good = found.explains && found.motion.cannot_tell.is_empty() && impossible.is_none();
        let values = if good { found.motion.estimate.parameters.clone() } else { parameters.nominal() };
        if !good {
            warnings.push(format!("nothing is written: {}", verdict(&found)));
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
        readable(robot, parameters, data, &found, args, &changes)
    };
    super::reported(args, to, text, warnings, failed)
}

/// A body whose inertia is not physical, and why.
fn not_physical(parameters: &Parameters, found: &OutputErrorFit) -> Result<Option<String>, Error> {
    let usage = |error: SensitivityError| Error::Usage(error.to_string());
    let robot = parameters.robot_at(&found.motion.estimate.parameters).map_err(usage)?;
    let why =
        |b: usize| robot.bodies()[b].inertia().validity().err().map(|e| format!("{}: {e}", robot.bodies()[b].name()));
    Ok(parameters.bodies().into_iter().find_map(why))
}

fn is_good(found: &OutputErrorFit) -> bool {
    let motion = &found.motion;
    motion.cannot_tell.is_empty() && found.explains && motion.trustworthy && motion.estimate.status.converged()
}

fn verdict(found: &OutputErrorFit) -> String {
    let motion = &found.motion;
    if !motion.cannot_tell.is_empty() {
        let (some, all) = (motion.cannot_tell.len(), motion.parameters.len());
        return format!("not identifiable: {some} of {all} combinations cannot be identified from these data");
    }
    if !motion.estimate.status.converged() {
        return motion.estimate.status.to_string();
    }
    if !motion.trustworthy {
        let growth = number::five(motion.amplification);
        return format!("not trustworthy: errors grow {growth} times over a piece: take shorter ones (--piece)");
    }
    let tried = found.held_out < found.pieces.len();
    let sum = |of: &dyn Fn(&PositionError) -> f64| found.joints.iter().map(|j| of(j).powi(2)).sum::<f64>().sqrt();
    let left = if tried { sum(&|j| j.held_out) } else { sum(&|j| j.fitted) };
    let how = if found.explains { "fitted" } else { "not fitted" };
    let of = if tried { " of pieces held out" } else { "" };
    let (left, before) = (number::five(left), number::five(sum(&|j| j.before)));
    format!("{how}: positions are off by {left} rad (m){of} (before: {before})")
}

fn readable(
    robot: &Robot,
    parameters: &Parameters,
    data: &Data,
    found: &OutputErrorFit,
    args: &Identify,
    changes: &[String],
) -> String {
    let bold = anstyle::Style::new().bold();
    let (all, held) = (found.pieces.len(), found.pieces.len() - found.held_out);
    let (name, files) = (robot.model.name(), files(args));
    let title = format!("{name}: {} samples of {files} in {all} pieces, {held} held out", data.len());
    let mut text = format!("{bold}{}{bold:#}\n\n", one_line(&title));
    parameter_table(parameters, &found.motion.estimate, &found.motion.at_zero, args.confidence, &mut text);
    text.push('\n');
    let mut grid = Grid::new([
        ("joint", Align::Left),
        ("off by, rad (m)", Align::Right),
        ("held out", Align::Right),
        ("before", Align::Right),
    ]);
    for joint in &found.joints {
        let held = if joint.held_out.is_nan() { String::new() } else { number::five(joint.held_out) };
        let (fitted, before) = (number::five(joint.fitted), number::five(joint.before));
        let cells: [Cell; 4] = [one_line(&joint.joint).into(), fitted.into(), held.into(), before.into()];
        grid.row(cells);
    }
    grid.render(0, &mut text);
    for sentence in &found.motion.cannot_tell {
        text.push_str(&format!("cannot tell: {}\n", one_line(sentence)));
    }
    for change in changes {
        text.push_str(&format!("written: {}\n", one_line(change)));
    }
    let growth = number::five(found.motion.amplification);
    text + &format!(
        "\nerrors of the start grow {growth} times over a piece\n{bold}{}{bold:#}\n",
        one_line(&verdict(found))
    )
}

fn to_json(
    parameters: &Parameters,
    found: &OutputErrorFit,
    args: &Identify,
    warnings: &[String],
    changes: &[String],
) -> Value {
    let number = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let joint = |j: &PositionError| {
        let (fitted, held_out, before) = (number(j.fitted), number(j.held_out), number(j.before));
        json!({ "joint": j.joint, "fitted": fitted, "held_out": held_out, "before": before })
    };
    let motion = &found.motion;
    json!({
        "verdict": verdict(found),
        "status": motion.estimate.status.to_string(),
        "level": args.confidence,
        "parameters": estimates(parameters, &motion.estimate, &motion.at_zero, args.confidence),
        "explains": found.explains,
        "amplification": number(motion.amplification),
        "trustworthy": motion.trustworthy,
        "pieces": found.pieces.iter().map(|range| [range.start, range.end]).collect::<Vec<_>>(),
        "first_held_out": found.held_out,
        "joints": found.joints.iter().map(joint).collect::<Vec<_>>(),
        "rank": motion.estimate.identifiability.rank,
        "condition": number(motion.estimate.identifiability.condition),
        "cannot_tell": motion.cannot_tell,
        "warnings": warnings,
        "changes": changes,
    })
}

fn html(robot: &Robot, parameters: &Parameters, found: &OutputErrorFit, level: f64, warnings: &[String]) -> String {
    let rows = super::poses::rows(parameters, &found.motion.estimate, &found.motion.at_zero, level);
    // What is left of positions, one after the other, by joint.
    let nv = found.joints.len();
    let residuals = &found.motion.estimate.residuals;
    let figures: String = found
        .joints
        .iter()
        .enumerate()
        .map(|(k, joint)| {
            let of = residuals.iter().skip(k).step_by(2 * nv).enumerate();
            let plot = Plot {
                x: "sample that was fitted".into(),
                y: format!("residual of {}, deviations", joint.joint),
                lines: vec![Line { class: "found", points: of.map(|(i, r)| (i as f64, *r)).collect() }],
                ..Plot::default()
            };
            let left = number::five(joint.fitted);
            plot.figure(&format!(
                "Simulated less measured position, in units of its standard deviation: {left} rad (m)."
            ))
        })
        .collect();
    let title = format!("gradyn identify: {}", robot.model.name());
    let body = format!(
        "<main>\n<h1>{}</h1>\n<p class=\"verdict {}\">{}</p>\n{}{}<h2>Estimates</h2>\n{rows}<h2>Positions</h2>\n\
         <div class=\"figures\">\n{figures}</div>\n</main>\n",
        escape(&title),
        if is_good(found) { "good" } else { "bad" },
        escape(&verdict(found)),
        list("Combinations that these data cannot identify", &found.motion.cannot_tell),
        list("What is odd about the data", warnings),
    );
    document(&title, "", &body)
}
