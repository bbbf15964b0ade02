//! `gradyn bench`: how long each algorithm takes on this robot and this machine.

mod algorithms;
mod clock;

use super::Report;
use crate::args::Bench;
use crate::error::{Error, one_line};
use crate::table::{Align, Table};
use anstyle::Style;
use clock::{Clock, Timing};
use gradyn::derivatives::Level;
use gradyn::derivatives::simd::with_level;
use gradyn_files::input;
use gradyn_files::json::Entries;
use gradyn_files::robot::Robot;
use gradyn_files::states::{self, State};
use serde::Serialize;

/// How many states take turns, if no file gives them.
const STATES: u64 = 16;

#[derive(Debug, Serialize)]
struct Answer<'a> {
    robot: &'a str,
    floating_base: bool,
    nq: usize,
    nv: usize,
    level: String,
    results: Entries<Timing>,
    /// What was not measured, and why.
    skipped: Entries<String>,
}

pub(crate) fn bench(args: &Bench) -> Result<Report, Error> {
    let robot = args.robot.load()?;
    let states = states(args, &robot)?;
    let level = args.level.unwrap_or_else(Level::active);
    let mut clock = Clock::new(&args.only);
    with_level(level, || algorithms::measure(&robot.model, &states, &mut clock));
    if clock.results.is_empty() && clock.skipped.is_empty() {
        let asked = args.only.join(", ");
        return Err(Error::Usage(format!("no algorithm's name contains `{asked}`; see `gradyn bench --help`")));
    }
    let answer = Answer {
        robot: robot.model.name(),
        floating_base: args.robot.floating_base,
        nq: robot.model.nq(),
        nv: robot.model.nv(),
        level: level.to_string(),
        results: Entries(clock.results),
        skipped: Entries(clock.skipped),
    };
    let warnings = robot.warnings();
    if args.json {
        let mut data = serde_json::to_vec_pretty(&answer).map_err(|error| Error::Stdout(error.into()))?;
        data.push(b'\n');
        return Ok(Report { data, warnings, ..Report::default() });
    }
    Ok(Report { text: readable(&answer), warnings, ..Report::default() })
}

/// Those of the file, or random ones of a fixed seed.
fn states(args: &Bench, robot: &Robot) -> Result<Vec<State>, Error> {
    let Some(path) = &args.states else {
        return Ok((0..STATES).map(|k| states::random(robot, 0, k)).collect());
    };
    let states = states::read(path, robot)?;
    if states.is_empty() {
        let reason = String::from("it holds no state, expected one at least");
        return Err(Error::content(input::name(path), reason));
    }
    Ok(states)
}

fn readable(answer: &Answer<'_>) -> String {
    let bold = Style::new().bold();
    let mut text = format!(
        "{bold}{}{bold:#}  nq {}, nv {}; level {}; one thread, µs a call\n\n",
        one_line(answer.robot),
        answer.nq,
        answer.nv,
        answer.level,
    );
    let mut table = Table::new([("", Align::Left), ("median", Align::Right), ("least", Align::Right)]);
    for (name, timing) in &answer.results.0 {
        table.row([name.as_str().into(), micros(timing.median_ns).into(), micros(timing.min_ns).into()]);
    }
    table.render(0, &mut text);
    if !answer.skipped.0.is_empty() {
        text.push_str("\nnot measured:\n");
    }
    for (name, reason) in &answer.skipped.0 {
        text.push_str(&format!("  {name}: {}\n", one_line(reason)));
    }
    text
}

fn micros(ns: f64) -> String {
    let us = ns * 1e-3;
    let digits: usize = match us {
        us if us < 10.0 => 3,
        us if us < 1000.0 => 1,
        _ => 0,
    };
    format!("{us:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::micros;

    #[test]
    fn times_have_about_four_digits() {
        assert_eq!([12.3, 1234.5, 123_456.0, 1.2e8].map(micros), ["0.012", "1.234", "123.5", "120000"]);
    }
}
