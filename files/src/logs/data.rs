//! Measured motion from CSV files.

use super::columns::Columns;
use crate::Error;
use crate::csv::records;
use crate::input;
use crate::robot::Robot;
use gradyn::dynamics::ReferenceFrame;
use gradyn_sensitivity::SensitivityError;
use gradyn_sensitivity::identify::{ContactForces, Data};
use std::path::Path;

/// How files are to be read.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    /// Whether angles are in degrees.
    pub degrees: bool,
    /// Seconds that one unit of `time` is.
    pub time: f64,
    /// Axes of contact forces.
    pub forces: ReferenceFrame,
}

/// Samples of all files, one after the other with a gap between.
pub struct Files {
    /// All samples.
    pub data: Data,
    /// Where the last file begins.
    pub last: usize,
    /// Whether there are forces of contacts.
    pub forces: bool,
    /// Whether the wrench on a floating base was taken for zero.
    pub free: bool,
    /// What is odd about them.
    pub warnings: Vec<String>,
}

/// Motion and torques of all files.
pub fn read_all(paths: &[&Path], robot: &Robot, units: Units) -> Result<Files, Error> {
    let mut warnings = Vec::new();
    let (mut last, mut forces, mut free) = (0, false, false);
    let mut all: Option<Data> = None;
    for path in paths {
        let (mut data, columns) = read(path, robot, units, &mut warnings)?;
        forces |= !columns.contacts.is_empty();
        free |= columns.is_free();
        last = all.as_ref().map_or(0, Data::len);
        match &mut all {
            None => all = Some(data),
            Some(all) => {
                if all.measured != data.measured {
                    let reason =
                        "its torques are of other joints than those of the files before: give the same columns";
                    return Err(Error::content(path.display().to_string(), reason));
                }
                // A file begins a hundred steps behind the one before, so that no difference reaches across.
                let end = all.time.last().copied().unwrap_or(0.0);
                let step = (data.time[data.len() - 1] - data.time[0]) / (data.len() - 1) as f64;
                let shift = end + 100.0 * step - data.time[0];
                all.time.extend(data.time.iter().map(|t| t + shift));
                all.q.append(&mut data.q);
                all.v.append(&mut data.v);
                all.a.append(&mut data.a);
                all.tau.append(&mut data.tau);
            }
        }
    }
    // Clap asks for one at least.
    Ok(Files { data: all.unwrap_or_default(), last, forces, free, warnings })
}

/// Commas between names, or semicolons as spreadsheets write them where the comma is the decimal sign, or tabs.
fn separator(heading: &str) -> char {
    let count = |sign: char| heading.matches(sign).count();
    [';', '\t'].into_iter().find(|sign| count(*sign) > count(',')).unwrap_or(',')
}

/// A table, in text.
pub struct Table {
    /// Its name for messages.
    pub file: String,
    /// The line of the heading, from 1 on.
    pub line: usize,
    /// Names of columns.
    pub heading: Vec<String>,
    /// What stands between fields.
    pub separator: char,
    /// Each with its place in the file, from zero on.
    pub rows: Vec<(usize, Vec<String>)>,
}

impl Table {
    /// Reads a heading, then a line a row with as many fields.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (file, bytes) = input::bytes(path)?;
        let refuse = |line: usize, reason: String| Error::in_line(&file, line, reason);
        let text = String::from_utf8(bytes).map_err(|_| refuse(1, "expected UTF-8 text".into()))?;
        let separator = separator(text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default());
        let mut records = records(&text, separator).map_err(|reason| Error::content(&file, reason))?.into_iter();
        let clean = |fields: Vec<String>| -> Vec<String> {
            fields.iter().map(|field| field.trim().trim_matches('"').trim().to_owned()).collect()
        };
        let Some((first, heading)) = records.next() else {
            return Err(refuse(1, "expected a heading, found nothing".into()));
        };
        let heading = clean(heading);
        let mut rows = Vec::new();
        for (line, fields) in records {
            if fields.len() != heading.len() {
                let (expected, found) = (heading.len(), fields.len());
                let reason = format!("expected {expected} numbers, as many as names, found {found}");
                return Err(refuse(line, reason));
            }
            rows.push((line - 1, clean(fields)));
        }
        Ok(Self { file, line: first, heading, separator, rows })
    }
}

/// The number of a field, or why there is none.
pub fn number_in(heading: &[String], fields: &[String], separator: char, column: usize) -> Result<f64, String> {
    let field = &fields[column];
    let x: Option<f64> = match separator {
        ',' => field.parse().ok(),
        _ => field.replacen(',', ".", 1).parse().ok(),
    };
    x.filter(|x| x.is_finite())
        .ok_or_else(|| format!("`{field}` of column `{}` is not a finite number", heading[column]))
}

/// Reads `time`, `q.JOINT`, `v.JOINT`, `tau.JOINT`, and `a.JOINT` if it is there; of a floating base what [`Columns`]
/// says.
fn read(path: &Path, robot: &Robot, units: Units, warnings: &mut Vec<String>) -> Result<(Data, Columns), Error> {
    let Table { file, heading, separator, rows, .. } = Table::read(path)?;
    let refuse = |line: usize, reason: String| Error::in_line(&file, line, reason);
    let columns = Columns::new(&heading, &robot.model).map_err(|reason| refuse(1, reason))?;
    warnings.extend(columns.odd.iter().map(|what| format!("{file}: {what}")));
    let nv = robot.model.nv();
    let mut data = Data { measured: columns.measured(), ..Data::default() };
    let mut forces: Vec<Vec<[f64; 6]>> = vec![Vec::new(); columns.contacts.len()];
    let mut twice: Option<(usize, usize)> = None;
    let mut last = 0;
    for (number, fields) in &rows {
        let number = *number;
        let number_of = |column: usize| number_in(&heading, fields, separator, column);
        let refuse_line = |reason: String| refuse(number + 1, reason);
        let t = number_of(columns.time).map_err(refuse_line)? * units.time;
        if let Some(before) = data.time.last().filter(|before| t <= **before) {
            // The same sample again: a logger that asks twice before the robot has news.
            if t.to_bits() == before.to_bits() {
                twice = Some(twice.map_or((number + 1, 1), |(first, count)| (first, count + 1)));
                continue;
            }
            let reason = format!("time {t} s is before time {before} s of line {last}: expected times that grow");
            return Err(refuse(number + 1, reason));
        }
        last = number + 1;
        data.time.push(t);
        data.q.push(columns.q.read(units.degrees, &number_of).map_err(refuse_line)?);
        let rates = |of: &[Option<usize>]| columns.rates(of, units.degrees, &number_of);
        data.v.push(rates(&columns.v).map_err(refuse_line)?);
        data.a.push(rates(&columns.a).map_err(refuse_line)?);
        data.tau.push(columns.rates(&columns.tau, false, &number_of).map_err(refuse_line)?);
        for (contact, forces) in columns.contacts.iter().zip(&mut forces) {
            forces.push(contact.wrench(&number_of).map_err(refuse_line)?);
        }
    }
    if let Some((line, count)) = twice {
        let (s, these) = if count == 1 { ("", "it is") } else { ("s", "these are") };
        warnings.push(format!(
            "{file}: {count} time{s} the time of the line before, first in line {line}: {these} ignored"
        ));
    }
    if data.len() < 3 {
        return Err(refuse(1, format!("expected three samples at least, found {}", data.len())));
    }
    let samples = data.len();
    let engine = |error: SensitivityError| refuse(1, error.to_string());
    let contacts = columns.contacts.iter().zip(forces);
    let contacts: Vec<ContactForces> = contacts
        .map(|(contact, wrenches)| ContactForces { frame: contact.frame.into(), axes: units.forces, wrenches })
        .collect();
    let mut data = data.with_contact_forces(&robot.model, &contacts).map_err(engine)?;
    let missing = |of: &[Option<usize>]| (0..nv).filter(|dof| of[*dof].is_none()).collect::<Vec<_>>();
    let (v, a) = (missing(&columns.v), missing(&columns.a));
    if !v.is_empty() {
        data = data.with_differenced_velocities(&robot.model, &v).map_err(engine)?;
    }
    if !a.is_empty() {
        data = data.with_differenced_accelerations_of(&a);
    }
    if data.len() < 3 {
        let reason = format!(
            "{samples} samples leave {} with accelerations: differences need two neighbors on each side, \
             without a gap; give `a.JOINT`",
            data.len()
        );
        return Err(refuse(1, reason));
    }
    Ok((data, columns))
}
