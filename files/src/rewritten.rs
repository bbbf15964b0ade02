//! A robot's own file with other numbers.

use crate::error::Error;
use crate::robot::{Origin, Robot};
use gradyn::model::urdf::{RewriteError, Rewritten};
use gradyn::model::{Model, mjcf, urdf};
use gradyn::text::one_line;
use gradyn_sensitivity::Parameters;
use std::path::Path;

/// The text of the robot's file with the parameters of `model`, all else unchanged: URDF and MJCF, in the format that was read.
///
/// # Errors
/// What cannot be written, and that SDF files are read alone.
pub fn rewritten(robot: &Robot, model: &Model) -> Result<Rewritten, Error> {
    let refuse = |reason: String| Error::content(robot.path.display().to_string(), reason);
    attempt(robot, model)?.map_err(|error| refuse(error.to_string()))
}

fn attempt(robot: &Robot, model: &Model) -> Result<Result<Rewritten, RewriteError>, Error> {
    match &robot.origin {
        Origin::Urdf { text, options, .. } => Ok(urdf::rewrite(text, options, model)),
        Origin::Mjcf { text, options, .. } => Ok(mjcf::rewrite(text, options, model)),
        Origin::Sdf(_) => {
            let reason =
                "SDF files are read, not written: `gradyn convert` makes a URDF or MJCF file of it, which is written";
            Err(Error::content(robot.path.display().to_string(), reason))
        }
    }
}

/// Checks, before they are estimated, that the parameters have a place in the robot's file, and that `to` has no name of another
/// format.
///
/// Each is moved a little and written. What makes a robot that no file may say, as an inertia of no body, is no fault of a
/// parameter: its estimate may be another.
///
/// # Errors
/// The first parameter that has none, and why.
pub fn writable(robot: &Robot, parameters: &Parameters, to: &Path) -> Result<(), Error> {
    let (format, others): (_, &[&str]) = match &robot.origin {
        Origin::Urdf { .. } => ("URDF", &["mjcf", "sdf"]),
        Origin::Mjcf { .. } => ("MJCF", &["urdf", "sdf"]),
        Origin::Sdf(_) => ("SDF", &[]),
    };
    let ending = to.extension().map(|ending| ending.to_ascii_lowercase());
    if let Some(ending) = ending.as_ref().and_then(|ending| ending.to_str()).filter(|ending| others.contains(ending)) {
        let reason = format!("its name ends with .{ending}, and the robot is written as it was read: {format}");
        return Err(Error::write(to, reason));
    }
    let nominal = parameters.nominal();
    let moved = |k: Option<usize>| {
        let mut values = nominal.clone();
        for (_, x) in values.iter_mut().enumerate().filter(|(j, _)| k.is_none_or(|k| k == *j)) {
            *x = if *x == 0.0 { SMALL } else { *x * (1.0 + SMALL) };
        }
        parameters.robot_at(&values)
    };
    let before = match parameters.robot_at(&nominal) {
        Ok(model) => attempt(robot, &model)?.map(|new| new.not_written).unwrap_or_default(),
        Err(_) => Vec::new(),
    };
    // Why a parameter has no place; none if it has one, or if nothing can be told.
    let lost = |k: Option<usize>| -> Result<Option<String>, Error> {
        let Ok(model) = moved(k) else { return Ok(None) };
        Ok(match attempt(robot, &model)? {
            Ok(new) => {
                let first = new.not_written.iter().find(|of| !before.contains(of));
                first.map(|of| format!("{}: {}", of.what, of.reason))
            }
            Err(error @ (RewriteError::Elsewhere { .. } | RewriteError::NotReproduced { .. })) => {
                Some(error.to_string())
            }
            Err(_) if k.is_none() => Some(String::new()), // whose fault it is shows below
            Err(_) => None,
        })
    };
    if lost(None)?.is_none() {
        return Ok(());
    }
    for (k, parameter) in parameters.iter().enumerate() {
        if let Some(why) = lost(Some(k))? {
            let reason = format!("`{}` cannot be written to this {format} file: {why}", one_line(parameter.name()));
            return Err(Error::content(robot.path.display().to_string(), reason));
        }
    }
    Ok(())
}

/// How far a parameter is moved, relative to it where it is not zero: far above the rounding of a file's numbers, 1e-8, and so little
/// that an inertia stays one of a body.
const SMALL: f64 = 1e-5;
