//! `gradyn convert`: a robot of one format, written in another.

use super::Report;
use crate::args::Convert;
use crate::error::{Error, one_line};
use crate::output::Output;
use gradyn::model::source::{Format, Rank};
use gradyn::model::write::{LeaveOut, WriteOptions, Written};
use gradyn::text::count;
use gradyn_files::robot::{Configuration, FILE};
use std::path::Path;

pub(crate) fn convert(args: &Convert) -> Result<Report, Error> {
    let (to, format) = (args.output.as_path(), format(&args.output)?);
    let mut output = Output::new(Some(to), &[&args.robot.robot])?;
    if !args.force && to.symlink_metadata().is_ok() {
        return Err(Error::write(to, "it exists; --force replaces it"));
    }
    let robot = args.robot.load()?;
    let loops = robot.loops();
    if let (Some(first), false) = (loops.first(), args.leave_out) {
        return Err(Error::write(to, format!("{first} {BESIDE}; --leave-out writes the tree alone")));
    }
    let leave_out = if args.leave_out { LeaveOut::Anything } else { LeaveOut::NotDynamics };
    let written = robot.model.write(format, &WriteOptions::new().leave_out(leave_out));
    let Written { text, left_out, restated, .. } = written.map_err(|error| Error::write(to, error))?;
    output.write(|file| file.write_all(text.as_bytes()))?;
    output.finish()?;
    let mut warnings = robot.warnings();
    warnings.extend(left_out.iter().map(|unsaid| format!("{}: left out ({}): {unsaid}", to.display(), unsaid.rank)));
    warnings.extend(restated.iter().map(|joint| format!("{}: {joint}", to.display())));
    // Of MJCF and SDF files: what readers start from as it is.
    let is_lost = |of: &&Configuration| of.name != FILE || of.q != robot.model.neutral::<f64>();
    let names: Vec<&str> = robot.configurations.iter().filter(is_lost).map(|of| of.name.as_str()).collect();
    if let [first, others @ ..] = &names[..] {
        let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        let what = format!("configuration `{}`{more}: names of configurations are not written", one_line(first));
        warnings.push(format!("{}: left out ({}): {what}", to.display(), Rank::NotDynamics));
    }
    let left_out = loops.iter().map(|closed| format!("{closed} {BESIDE}"));
    warnings.extend(left_out.map(|what| format!("{}: left out ({}): {what}", to.display(), Rank::ChangesDynamics)));
    let (bodies, freedoms) = (count(robot.model.bodies().len(), "moving body"), robot.model.nv());
    let text = format!("{}  {bodies}, {}\n", to.display(), degrees(freedoms));
    Ok(Report { text, warnings, ..Report::default() })
}

/// Why loops are not written.
const BESIDE: &str = "is a constraint beside the tree of bodies, and is not written";

/// "1 degree of freedom".
fn degrees(n: usize) -> String {
    if n == 1 { "1 degree of freedom".to_owned() } else { format!("{n} degrees of freedom") }
}

/// The format of a file that is to be written, by the ending of its name.
fn format(path: &Path) -> Result<Format, Error> {
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    match ending.as_deref().and_then(|ending| ending.to_str()) {
        Some("urdf") => Ok(Format::Urdf),
        Some("xml" | "mjcf") => Ok(Format::Mjcf),
        _ => Err(Error::write(
            path,
            "its name says no format: expected one that ends with .urdf (URDF), .xml or .mjcf (MJCF)",
        )),
    }
}
