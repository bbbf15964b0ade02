//! `gradyn check --function`: a Jacobian that another program claims of any function, against that function's own
//! values.

use super::against::{self, Subject};
use crate::args::Check;
use crate::commands::Report;
use crate::error::{Error, one_line};
use anstyle::Style;
use gradyn::derivatives::check::{CheckError, Claim, Options, sampled_jacobian};
use gradyn_files::check::{Checked, Overall};
use gradyn_files::input;
use gradyn_files::json::{self, Json};
use gradyn_files::number::count;
use std::path::Path;

/// What a file holds.
#[derive(Debug, Default)]
struct Table {
    program: Option<String>,
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// How long inputs are, and the longest steps that count: one an input, or none.
    scale: Vec<f64>,
    steps: Vec<f64>,
    states: Vec<State>,
}

/// A point, the Jacobian that is claimed there, and values: at the point first.
#[derive(Debug)]
struct State {
    jacobian: Vec<Vec<f64>>,
    samples: Vec<(Vec<f64>, Vec<f64>)>,
}

/// Keys of a file.
const KEYS: [&str; 7] = ["program", "comment", "inputs", "outputs", "scale", "steps", "states"];

pub(super) fn check(args: &Check, path: &Path) -> Result<Report, Error> {
    let (file, bytes) = input::bytes(path)?;
    let refused = |reason: String| Error::content(file.clone(), reason);
    let text = String::from_utf8(bytes).map_err(|_| refused(String::from("it is not UTF-8 text")))?;
    let table = read(&text).map_err(refused)?;
    let options = Options::new("∂y/∂x")
        .rows(table.outputs.iter().map(|name| one_line(name)))
        .columns(table.inputs.iter().map(|name| one_line(name)))
        .tolerance(args.tolerance)
        .floor(args.floor)
        .scales(table.scale.iter().copied())
        .steps(table.steps.iter().copied())
        .pictures(0, 0);
    let mut checked = Vec::with_capacity(table.states.len());
    for (k, state) in table.states.iter().enumerate() {
        let report =
            examine(&options, state).map_err(|error| refused(format!("state {k}: {}", said(&error, &table))))?;
        checked.push(Checked { state: k, name: String::from("jacobian"), report });
    }
    let failed = Overall::of(&checked).fails(args.allow_unclear);
    let program = table.program.as_deref().unwrap_or("a function");
    if args.json {
        let data = against::json(Subject::Program(program), &file, table.states.len(), &checked)?;
        return Ok(Report { data, failed, ..Report::default() });
    }
    let bold = Style::new().bold();
    let heading = format!(
        "{bold}{}{bold:#}  {}, {}; {} of {}",
        one_line(program),
        count(table.inputs.len(), "input"),
        count(table.outputs.len(), "output"),
        count(table.states.len(), "state"),
        one_line(&file),
    );
    let text = against::readable(&heading, args, table.states.len(), &checked);
    Ok(Report { text, failed, ..Report::default() })
}

fn examine(options: &Options, state: &State) -> Result<gradyn::derivatives::check::Report, CheckError> {
    let columns = state.jacobian.first().map_or(0, Vec::len);
    let claim = Claim::new(state.jacobian.len(), columns, &state.jacobian.concat())?;
    sampled_jacobian(options, &state.samples, &claim)
}

/// The error with the input's name.
fn said(error: &CheckError, table: &Table) -> String {
    match error {
        CheckError::Sample { input, step } => {
            let name = table.inputs.get(*input).map_or("", String::as_str);
            let sign = if *step > 0.0 { '+' } else { '-' };
            format!("key `samples`: there is no value at `{}` {sign} {}", one_line(name), step.abs())
        }
        other => other.to_string(),
    }
}

fn read(text: &str) -> Result<Table, String> {
    let Json::Object(entries) = json::parse(text).map_err(|error| error.to_string())? else {
        return Err(String::from("expected an object with the keys `inputs`, `outputs` and `states`"));
    };
    let mut table = Table::default();
    for (key, value) in entries {
        match (key.as_str(), value) {
            ("program", Json::String(program)) => table.program = Some(program),
            ("comment", _) => {}
            ("inputs", value) => table.inputs = names(&key, value)?,
            ("outputs", value) => table.outputs = names(&key, value)?,
            ("scale", value) => table.scale = lengths(&key, value)?,
            ("steps", value) => table.steps = lengths(&key, value)?,
            ("states", Json::List(states)) => {
                let state = |(k, value)| state(value).map_err(|reason| format!("state {k}: {reason}"));
                table.states = states.into_iter().enumerate().map(state).collect::<Result<_, _>>()?;
            }
            (_, value) => {
                let nearest = gradyn_files::nearest::nearest(&key, KEYS.iter().copied());
                let meant = nearest.unwrap_or_default();
                return Err(format!(
                    "key `{}` ({}): expected `program`, `comment`, `inputs`, `outputs`, `scale`, `steps`, or `states`, a list of objects{meant}",
                    one_line(&key),
                    value.describe()
                ));
            }
        }
    }
    for (what, empty) in [
        ("inputs", table.inputs.is_empty()),
        ("outputs", table.outputs.is_empty()),
        ("states", table.states.is_empty()),
    ] {
        if empty {
            return Err(format!("missing key `{what}`"));
        }
    }
    for (what, numbers) in [("scale", &table.scale), ("steps", &table.steps)] {
        let (expected, found) = (table.inputs.len(), numbers.len());
        if found != 0 && found != expected {
            return Err(format!("key `{what}`: expected {expected} numbers, one an input, found {found}"));
        }
    }
    for (k, state) in table.states.iter().enumerate() {
        let numbers = state.samples.iter().enumerate();
        let lengths =
            numbers.flat_map(|(i, (x, y))| [(i, "x", x.len(), &table.inputs), (i, "y", y.len(), &table.outputs)]);
        for (i, what, found, names) in lengths {
            if found != names.len() {
                let place = if i == 0 { String::new() } else { format!("sample {}, ", i - 1) };
                return Err(format!("state {k}: {place}key `{what}`: expected {} numbers, found {found}", names.len()));
            }
        }
        let (rows, columns) = (table.outputs.len(), table.inputs.len());
        if state.jacobian.len() != rows || state.jacobian.iter().any(|row| row.len() != columns) {
            return Err(format!("state {k}: key `jacobian`: expected {rows} rows of {columns} numbers"));
        }
    }
    Ok(table)
}

/// Positive numbers.
fn lengths(key: &str, value: Json) -> Result<Vec<f64>, String> {
    let numbers = numbers(key, value)?;
    match numbers.iter().position(|x| !(*x > 0.0 && x.is_finite())) {
        Some(k) => Err(format!("key `{key}`: number {k} is {}, expected a positive one", numbers[k])),
        None if numbers.is_empty() => Err(format!("key `{key}`: expected numbers, one an input, found none")),
        None => Ok(numbers),
    }
}

fn names(key: &str, value: Json) -> Result<Vec<String>, String> {
    let wrong = |found: &Json| format!("key `{key}`: expected a list of names, found {}", found.describe());
    let Json::List(list) = value else { return Err(wrong(&value)) };
    let name = |value| if let Json::String(name) = value { Ok(name) } else { Err(wrong(&value)) };
    list.into_iter().map(name).collect()
}

fn state(value: Json) -> Result<State, String> {
    let mut fields = fields(value, &["x", "y", "jacobian", "samples"])?;
    let rows = match take(&mut fields, "jacobian")? {
        Json::List(rows) => rows,
        other => return Err(format!("key `jacobian`: expected a list of rows, found {}", other.describe())),
    };
    let jacobian = rows.into_iter().map(|row| numbers("jacobian", row)).collect::<Result<_, _>>()?;
    let Json::List(list) = take(&mut fields, "samples")? else {
        return Err(String::from("key `samples`: expected a list of objects with `x` and `y`"));
    };
    let mut samples = vec![point(&mut fields)?];
    for (i, sample) in list.into_iter().enumerate() {
        let sample = self::fields(sample, &["x", "y"]).and_then(|mut fields| point(&mut fields));
        samples.push(sample.map_err(|reason| format!("sample {i}: {reason}"))?);
    }
    Ok(State { jacobian, samples })
}

fn point(fields: &mut Vec<(String, Json)>) -> Result<(Vec<f64>, Vec<f64>), String> {
    Ok((numbers("x", take(fields, "x")?)?, numbers("y", take(fields, "y")?)?))
}

fn fields(value: Json, known: &[&str]) -> Result<Vec<(String, Json)>, String> {
    let Json::Object(fields) = value else {
        return Err(format!("expected an object, found {}", value.describe()));
    };
    match fields.iter().find(|(key, _)| !known.contains(&key.as_str())) {
        Some((key, _)) => Err(format!("unknown key `{}`, expected `{}`", one_line(key), known.join("`, `"))),
        None => Ok(fields),
    }
}

fn take(fields: &mut Vec<(String, Json)>, key: &str) -> Result<Json, String> {
    let at = fields.iter().position(|(name, _)| name == key).ok_or_else(|| format!("missing key `{key}`"))?;
    Ok(fields.swap_remove(at).1)
}

fn numbers(key: &str, value: Json) -> Result<Vec<f64>, String> {
    match value {
        Json::Numbers(numbers) => Ok(numbers),
        Json::List(list) => {
            let other = list.iter().enumerate().find(|(_, entry)| !matches!(entry, Json::Number(_)));
            let (k, found) = other.map_or((0, String::from("none")), |(k, entry)| (k, entry.describe()));
            let hint = if matches!(key, "x" | "y") { "; leave out samples that have no value" } else { "" };
            Err(format!("key `{key}`: entry {k} is {found}, expected a number{hint}"))
        }
        other => Err(format!("key `{key}`: expected a list of numbers, found {}", other.describe())),
    }
}
