//! `gradyn identify`: parameters from measured torques.

mod output_error;
mod poses;

use super::Report;
use crate::args::Identify;
use crate::error::{Error, one_line};
use crate::output::Output;
use crate::table::{Align, Cell, Table};
use gradyn_files::identify::{self as answer, Told, half_width, is_good, verdict};
use gradyn_files::logs;
use gradyn_files::number;
use gradyn_files::priors;
use gradyn_files::rewritten::{rewritten, writable};
use gradyn_files::robot::Robot;
use gradyn_sensitivity::estimate::Loss;
use gradyn_sensitivity::identify::{Data, Fit, FitOptions, Validation, fit};
use gradyn_sensitivity::{Parameters, Prior, SensitivityError};
use std::path::Path;

pub(crate) fn identify(args: &Identify) -> Result<Report, Error> {
    let robot = args.robot.load()?;
    let usage = |error: SensitivityError| Error::Usage(error.to_string());
    let parameters = robot.parameters().select_all(&args.parameters).map_err(usage)?;
    if !(args.confidence > 0.0 && args.confidence < 1.0) {
        return Err(Error::Usage(format!("--confidence is {}: expected a level between 0 and 1", args.confidence)));
    }
    if let Some(file) = &args.poses {
        return poses::calibrate(args, &robot, &parameters, file);
    }
    let units = logs::Units { degrees: args.degrees, time: args.time_unit.seconds(), forces: args.force_axes.into() };
    let mut paths: Vec<&Path> = args.data.iter().map(|path| &**path).collect();
    paths.extend(args.held_out.as_deref());
    let logs::Files { data, last, forces, free, warnings: mut odd } = logs::read_all(&paths, &robot, units)?;
    if forces && parameters.moves_geometry() {
        let reason =
            "contact forces depend on the geometry of the robot, which must not vary: leave out placements and axes";
        return Err(Error::Usage(reason.into()));
    }
    let held_out = args.held_out.as_ref().map(|_| last..data.len());
    let mut inputs = vec![&*robot.path];
    inputs.extend(paths);
    if args.output_error {
        return output_error::fit(args, &robot, &parameters, (&data, odd), &inputs);
    }
    let to = Output::new(args.output.as_deref(), &inputs)?;
    let mut page = args.report.as_deref().map(|path| Output::new(Some(path), &inputs)).transpose()?;
    let mut new = new_robot(args, &robot, &parameters, &inputs)?;
    let prior = args.prior.as_deref().map(|prior| deviations(prior, &parameters)).transpose()?;
    let loss = args.robust.map_or(Loss::Quadratic, |width| Loss::Huber { width });
    let options = FitOptions {
        loss,
        prior,
        entropic: args.entropic,
        hold_out: args.hold_out,
        blocks: args.blocks as usize,
        held_out,
        color: !args.assume_white,
        delay: !args.no_delay,
        low_pass: args.low_pass,
        every: args.every as usize,
        ..FitOptions::default()
    };
    let found = fit(&parameters, &data, &options).map_err(usage)?;
    let mut failed = !is_good(&found);
    let Validation { fitted, held_out: tried, .. } = found.validation;
    // What a wrench leaves that was not measured is no rounding.
    if free && if tried.is_nan() { fitted } else { tried } > UNEXPLAINED {
        odd.push(format!(
            "{}: no wrench on the base was measured (`tau.…`, `f.FRAME.…`): it was taken for zero, as in free flight",
            files(args)
        ));
    }
    let mut warnings = robot.warnings();
    warnings.extend(odd);
    let files = files(args);
    warnings.extend(found.warnings.iter().map(|warning| format!("{files}: {warning}")));
    let mut changes = Vec::new();
    if new.is_some() {
        let values = to_write(&parameters, &found, &mut warnings);
        changes = written(&robot, &parameters, &values, &mut new, &mut warnings)?;
        failed |= new.is_none();
    }
    if let Some(file) = &mut page {
        let html = answer::page(&robot, &parameters, &data, &found, args.confidence, &warnings);
        file.write(|to| to.write_all(html.as_bytes()))?;
    }
    for file in [new, page].into_iter().flatten() {
        file.finish()?;
    }
    let text = if args.json {
        let Identify { confidence, low_pass, every, .. } = args;
        let told = Told {
            level: *confidence,
            low_pass: *low_pass,
            every: *every as usize,
            warnings: &warnings,
            changes: &changes,
        };
        format!("{:#}\n", answer::json(&parameters, &found, &told))
    } else {
        readable(&robot, &parameters, &data, &found, args, &changes)
    };
    reported(args, to, text, warnings, failed)
}

/// Into the file that was asked for, or for the terminal.
fn reported(
    args: &Identify,
    mut to: Output,
    text: String,
    warnings: Vec<String>,
    failed: bool,
) -> Result<Report, Error> {
    if args.json || args.output.is_some() {
        let plain = anstream::adapter::strip_str(&text).to_string();
        to.write(|to| to.write_all(plain.as_bytes()))?;
        return Ok(Report { data: to.finish()?, warnings, failed, ..Report::default() });
    }
    Ok(Report { text, warnings, failed, ..Report::default() })
}

/// The file that takes the robot, if one was asked for: what cannot be written to it is said before the work.
fn new_robot(
    args: &Identify,
    robot: &Robot,
    parameters: &Parameters,
    inputs: &[&Path],
) -> Result<Option<Output>, Error> {
    let Some(path) = args.write_robot.as_deref() else { return Ok(None) };
    writable(robot, parameters, path)?;
    Output::new(Some(path), inputs).map(Some)
}

/// Writes the robot's file with these values; what has changed there. What cannot be written is a warning, and leaves no file: the
/// answer is not lost.
fn written(
    robot: &Robot,
    parameters: &Parameters,
    values: &[f64],
    file: &mut Option<Output>,
    warnings: &mut Vec<String>,
) -> Result<Vec<String>, Error> {
    let Some(to) = file else { return Ok(Vec::new()) };
    let identified = parameters.robot_at(values).map_err(|error| Error::Usage(error.to_string()))?;
    let new = match rewritten(robot, &identified) {
        Ok(new) => new,
        Err(error) => {
            warnings.push(format!("nothing is written: {error}"));
            *file = None;
            return Ok(Vec::new());
        }
    };
    warnings.extend(new.not_written.iter().map(|what| format!("not written: {what}")));
    to.write(|to| to.write_all(new.text.as_bytes()))?;
    Ok(new.changes.iter().map(ToString::to_string).collect())
}

/// Where more than this part of the torques is left, the base may have been held by something.
const UNEXPLAINED: f64 = 0.05;

/// The files of the data, for messages.
fn files(args: &Identify) -> String {
    args.data.iter().chain(&args.held_out).map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Values that may stand in a robot's file: those of a fit that explains the data, except those of bodies that are not
/// physical.
fn to_write(parameters: &Parameters, found: &Fit, warnings: &mut Vec<String>) -> Vec<f64> {
    let nominal = parameters.nominal();
    if !found.explains {
        warnings.push("nothing is written: the fit does not explain the data".to_owned());
        return nominal;
    }
    let mut values = found.estimate.parameters.clone();
    for (body, why) in &found.not_physical {
        let of_body: Vec<usize> = parameters
            .iter()
            .enumerate()
            .filter(|(_, p)| p.name().strip_prefix(body.as_str()).is_some_and(|rest| rest.starts_with('.')))
            .map(|(k, _)| k)
            .collect();
        of_body.iter().for_each(|k| values[*k] = nominal[*k]);
        warnings.push(format!("not written: the inertia of `{body}`, which is not physical: {why}"));
    }
    for k in &found.held {
        warnings.push(format!("not written: `{}`, which the data cannot identify", found.parameters[*k]));
    }
    values
}

/// Less than this part of the largest of its unit is near zero: a share of it says nothing.
const NEAR_ZERO: f64 = 1e-3;

/// What a fit is pulled with: a share of each value, or what a file says; infinite where it says nothing.
fn deviations(prior: &str, parameters: &Parameters) -> Result<Vec<f64>, Error> {
    let nominal = parameters.nominal();
    if let Ok(share) = prior.parse::<f64>() {
        let largest = |unit: &str| {
            let of_unit = parameters.iter().filter(|p| p.unit() == unit).map(|p| p.nominal().abs());
            of_unit.fold(0.0, f64::max)
        };
        // Log-Cholesky parameters are logarithms and shears: the share is their deviation.
        let of = |(p, x): (&gradyn_sensitivity::Parameter, &f64)| match x.abs() {
            _ if p.name().contains(".log_cholesky.") => share * if *x == 0.0 { 1.0 } else { x.abs() },
            size if size <= NEAR_ZERO * largest(p.unit()) => f64::INFINITY,
            size => share * size,
        };
        return Ok(parameters.iter().zip(&nominal).map(of).collect());
    }
    let found = priors::read(Path::new(prior), parameters)?;
    let of = |(found, p): (Option<Prior>, &gradyn_sensitivity::Parameter)| match found {
        None => Ok(f64::INFINITY),
        Some(Prior::Normal { mean, sd }) if mean.to_bits() == p.nominal().to_bits() => Ok(sd),
        Some(_) => {
            let reason = "a fit is pulled by normal priors about the robot's own values";
            Err(Error::Usage(format!("{prior}: `{}`: {reason}: give `sd` or `share`", p.name())))
        }
    };
    found.into_iter().zip(parameters.iter()).map(of).collect()
}

fn readable(
    robot: &Robot,
    parameters: &Parameters,
    data: &Data,
    found: &Fit,
    args: &Identify,
    changes: &[String],
) -> String {
    let bold = anstyle::Style::new().bold();
    let held: usize = found.held_out.iter().map(ExactSizeIterator::len).sum();
    let title = format!("{}: {} samples of {}, {} held out", robot.model.name(), data.len(), files(args), held);
    let mut text = format!("{bold}{}{bold:#}\n\n", one_line(&title));
    if !args.check_only {
        let level = format!("± {:.0} %", 100.0 * args.confidence);
        let heading = [
            ("parameter", Align::Left),
            ("before", Align::Right),
            ("found", Align::Right),
            (level.as_str(), Align::Right),
            ("unit", Align::Left),
            ("held", Align::Left),
        ];
        let mut table = Table::new(heading);
        for (k, p) in parameters.iter().enumerate() {
            let half = half_width(found, k, args.confidence).map_or("not identifiable".to_owned(), number::five);
            let half = if found.at_zero.contains(&k) { "at zero".to_owned() } else { half };
            let cells: [Cell; 6] = [
                one_line(p.name()).into(),
                number::five(p.nominal()).into(),
                number::five(found.estimate.parameters[k]).into(),
                half.into(),
                p.unit().into(),
                p.held().into(),
            ];
            table.row(cells);
        }
        table.render(0, &mut text);
        text.push('\n');
        let heading = [
            ("joint", Align::Left),
            ("left, N m", Align::Right),
            ("held out, N m", Align::Right),
            ("before, N m", Align::Right),
        ];
        let mut table = Table::new(heading);
        for joint in &found.joints {
            let held = if joint.held_out.is_nan() { String::new() } else { number::five(joint.held_out) };
            let cells: [Cell; 4] = [
                one_line(&joint.joint).into(),
                number::five(joint.fitted).into(),
                held.into(),
                number::five(joint.before).into(),
            ];
            table.row(cells);
        }
        table.render(0, &mut text);
    }
    for (a, b, correlation) in found.estimate.correlated(0.95).into_iter().take(5) {
        let (a, b) = (&found.parameters[a], &found.parameters[b]);
        text.push_str(&format!("`{}` and `{}` are correlated: {correlation:.3}\n", one_line(a), one_line(b)));
    }
    if let Some(delay) = &found.delay {
        let taken = if delay.significant { ", removed" } else { ": within its noise" };
        let (late, deviation) = (1e3 * delay.seconds, 1e3 * delay.deviation);
        text.push_str(&format!(
            "torques are {} ± {} ms late (one standard deviation){taken}\n",
            number::five(late),
            number::five(deviation)
        ));
    }
    for explanation in &found.explanations {
        text.push_str(&format!("explanation: {}\n", one_line(explanation)));
    }
    for sentence in &found.cannot_tell {
        text.push_str(&format!("cannot tell: {}\n", one_line(sentence)));
    }
    for change in changes {
        text.push_str(&format!("written: {}\n", one_line(change)));
    }
    text.push_str(&format!(
        "\nrank {} of {}, condition {}\n{bold}{}{bold:#}\n",
        found.estimate.identifiability.rank,
        found.parameters.len(),
        number::five(found.estimate.identifiability.condition),
        one_line(&verdict(found))
    ));
    text
}
