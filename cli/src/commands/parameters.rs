//! `gradyn parameters`: names, values, units, and what is held.

use super::Report;
use crate::args::Parameters as Args;
use crate::error::{Error, one_line};
use crate::table::{Align, Cell, Table};
use gradyn_files::number;
use gradyn_files::robot::Robot;
use gradyn_sensitivity::{Parameter, SensitivityError};
use serde_json::{Value, json};

pub(crate) fn parameters(args: &Args) -> Result<Report, Error> {
    let robot = args.robot.load()?;
    let all: Vec<Parameter> = robot.parameters().listed().cloned().collect();
    let chosen: Vec<Parameter> = if args.patterns.is_empty() {
        all
    } else {
        // Charts of one inertia may be looked at together, which may not vary together.
        let mut chosen: Vec<Parameter> = Vec::new();
        for pattern in &args.patterns {
            let found = listed(&robot, &all, pattern)?;
            let new = found.into_iter().filter(|p| !chosen.iter().any(|old| old.name() == p.name()));
            let new: Vec<Parameter> = new.collect();
            chosen.extend(new);
        }
        chosen
    };
    let warnings = robot.warnings();
    if args.json {
        let list: Vec<Value> = chosen
            .iter()
            .map(|p| json!({ "name": p.name(), "value": p.nominal(), "unit": p.unit(), "held": p.held() }))
            .collect();
        let text = format!("{:#}\n", json!({ "robot": robot.model.name(), "parameters": list }));
        return Ok(Report { data: text.into_bytes(), warnings, ..Report::default() });
    }
    let columns = [("parameter", Align::Left), ("value", Align::Right), ("unit", Align::Left), ("held", Align::Left)];
    let mut table = Table::new(columns);
    for p in &chosen {
        let value = if p.nominal().is_nan() { "none".to_owned() } else { number::five(p.nominal()) };
        let cells: [Cell; 4] = [one_line(p.name()).into(), value.into(), p.unit().into(), p.held().into()];
        table.row(cells);
    }
    let mut text = String::new();
    table.render(0, &mut text);
    text.push_str(&format!("{} parameters\n", chosen.len()));
    Ok(Report { text, warnings, ..Report::default() })
}

/// Those that fit a pattern; one chart after the other, as charts of one inertia exclude each other.
fn listed(robot: &Robot, all: &[Parameter], pattern: &str) -> Result<Vec<Parameter>, Error> {
    match robot.parameters().select(pattern) {
        Ok(found) => Ok(found.iter().cloned().collect()),
        Err(SensitivityError::Overlap { .. } | SensitivityError::Chart { .. }) => {
            let fits = |p: &&Parameter| {
                let one = robot.parameters().select(p.name());
                let name = p.name();
                (one.is_ok() || name.contains(".log_cholesky.")) && matches(pattern, name)
            };
            Ok(all.iter().filter(fits).cloned().collect())
        }
        Err(error) => Err(Error::Usage(error.to_string())),
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    glob::Pattern::new(pattern).is_ok_and(|glob| glob.matches(name))
}
