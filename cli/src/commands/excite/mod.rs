//! `gradyn excite`: the motion that tells the most.

mod page;
mod settings;
mod stance;

use super::{Report, progress};
use crate::args::Excite;
use crate::error::{Error, one_line};
use crate::output::Output;
use crate::table::{Align, Cell, Table};
use gradyn_files::number;
use gradyn_files::robot::Robot;
use gradyn_sensitivity::excite::{
    Excitation, ExciteOptions, JointLimits, LimitKind, Progress, Quality, excite as find, excite_stance,
};
use gradyn_sensitivity::{Parameters, SensitivityError};
use serde_json::{Value, json};
use stance::HeldFeet;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;

pub(crate) fn excite(args: &Excite) -> Result<Report, Error> {
    let robot = args.robot.load()?;
    let usage = |error: SensitivityError| Error::Usage(error.to_string());
    let parameters = robot.parameters().select_all(&args.parameters).map_err(usage)?;
    let held = HeldFeet::of(args, &robot)?;
    let options = options(args, &robot, held.as_ref())?;
    let inputs: Vec<&Path> = [&*robot.path].into_iter().chain(args.held.constraints.as_deref()).collect();
    let mut to = Output::new(args.output.as_deref(), &inputs)?;
    let mut csv = args.csv.as_deref().map(|path| Output::new(Some(path), &inputs)).transpose()?;
    let mut page = args.report.as_deref().map(|path| Output::new(Some(path), &inputs)).transpose()?;
    let bar = progress(args.iterations as u64, "steps");
    let step = |progress: Progress| {
        bar.set_position(progress.iterations as u64);
        ControlFlow::Continue(())
    };
    let found = match &held {
        None => find(&parameters, &options, step),
        Some(held) => excite_stance(&parameters, &options, &held.stance, step),
    };
    bar.finish_and_clear();
    let found = found.map_err(usage)?;
    let failed = !found.status.converged() || found.found.rank < found.base.len();
    let mut data = Vec::new();
    if let Some(mut file) = csv.take() {
        file.write(|to| to.write_all(table_of(&robot, held.as_ref(), &found).as_bytes()))?;
        data.extend(file.finish()?);
    }
    if let Some(mut file) = page.take() {
        file.write(|to| to.write_all(page::write(&robot, (&options, held.as_ref()), &found).as_bytes()))?;
        data.extend(file.finish()?);
    }
    let warnings = robot.warnings();
    if args.json {
        let text = format!("{:#}\n", to_json(&robot, (&parameters, held.as_ref()), &options, &found));
        to.write(|to| to.write_all(text.as_bytes()))?;
        data.extend(to.finish()?);
        return Ok(Report { data, warnings, failed, ..Report::default() });
    }
    let text = readable(&robot, &parameters, (&options, args.share), &found);
    if args.output.is_some() {
        let plain = anstream::adapter::strip_str(&text).to_string();
        to.write(|to| to.write_all(plain.as_bytes()))?;
        data.extend(to.finish()?);
        return Ok(Report { data, warnings, failed, ..Report::default() });
    }
    Ok(Report { text, data, warnings, failed })
}

fn options(args: &Excite, robot: &Robot, held: Option<&HeldFeet>) -> Result<ExciteOptions, Error> {
    if !(args.share > 0.0 && args.share <= 1.0) {
        return Err(Error::Usage(format!("--share is {}: expected a share above 0, to 1", args.share)));
    }
    let names = robot.model.dof_names();
    let mut limits = match held {
        None => JointLimits::of(&robot.model).map_err(|error: SensitivityError| {
            let hint =
                if args.robot.floating_base { " (--contact FRAME holds the feet of a floating base)" } else { "" };
            Error::Usage(format!("{error}{hint}"))
        })?,
        Some(held) => held.stance.limits(&robot.model),
    };
    settings::limit(&mut limits, &args.limits, &names)?;
    let options = ExciteOptions::with_limits(limits.clone());
    Ok(ExciteOptions {
        period: args.period,
        harmonics: args.harmonics,
        rate: args.rate,
        noise: settings::noise(&args.noise, &names, options.noise.first().copied().unwrap_or(1.0))?,
        start: if held.is_some() { None } else { args.start.clone() },
        limits: limits.shared(args.share),
        seed: args.seed,
        iterations: args.iterations,
    })
}

/// Columns as `gradyn identify --data` reads them.
fn table_of(robot: &Robot, held: Option<&HeldFeet>, found: &Excitation) -> String {
    let names = robot.model.dof_names();
    let heading = |what: &'static str| names.iter().map(move |joint| format!("{what}.{joint}"));
    let mut columns: Vec<String> = ["v", "a"].into_iter().flat_map(heading).collect();
    match held {
        None => columns = heading("q").chain(columns).chain(heading("tau")).collect(),
        Some(held) => {
            columns = held.coordinates(&robot.model).into_iter().chain(columns).collect();
            columns.extend(held.motors(&robot.model).map(|dof| format!("tau.{}", names[dof])));
            columns.extend(held.force_names());
        }
    }
    let mut text = format!("time,{}\n", columns.join(","));
    let samples = &found.samples;
    for (i, time) in samples.time.iter().enumerate() {
        let _ = write!(text, "{time:?}");
        let motion = [&samples.q[i], &samples.v[i], &samples.a[i]].into_iter().flatten().copied();
        let row: Vec<f64> = match (held, &found.loads) {
            (Some(held), Some(loads)) => {
                let motors = held.motors(&robot.model).map(|dof| loads.motors[i][dof]);
                motion.chain(motors).chain(loads.forces[i].iter().copied()).collect()
            }
            _ => motion.chain(samples.tau[i].iter().copied()).collect(),
        };
        for x in row {
            let _ = write!(text, ",{x:?}");
        }
        text.push('\n');
    }
    text
}

fn verdict(found: &Excitation) -> String {
    if found.found.rank < found.base.len() {
        return format!(
            "the motion does not identify everything: {} of {} base parameters ({})",
            found.found.rank,
            found.base.len(),
            found.status
        );
    }
    let gain = if found.gain.is_finite() {
        format!("deviations are {} times smaller in the mean than by the random motion", number::five(found.gain))
    } else {
        String::from("all base parameters are identifiable, which they are not by the random motion")
    };
    if found.status.converged() { gain } else { format!("{gain}, but the optimizer {}", found.status) }
}

/// A number, where it is one.
fn finite(x: f64) -> String {
    if x.is_finite() { number::five(x) } else { String::from("not identifiable") }
}

fn readable(
    robot: &Robot,
    parameters: &Parameters,
    (options, share): (&ExciteOptions, f64),
    found: &Excitation,
) -> String {
    let bold = anstyle::Style::new().bold();
    let title = format!(
        "{}: {} s, {} harmonics, {} samples, {} base parameters of {}",
        robot.model.name(),
        options.period,
        options.harmonics,
        found.samples.len(),
        found.base.len(),
        parameters.len()
    );
    let mut text = format!("{bold}{}{bold:#}\n\n", one_line(&title));
    let heading = [
        ("base parameter", Align::Left),
        ("± sd", Align::Right),
        ("random motion", Align::Right),
        ("value", Align::Right),
        ("unit", Align::Left),
    ];
    let mut table = Table::new(heading);
    let all: Vec<_> = parameters.iter().collect();
    for (at, name) in found.base.iter().enumerate() {
        let chosen = found.columns[at];
        // Of a combination the value of its first part says nothing.
        let value = if found.base[at] == found.parameters[chosen] {
            number::five(all[chosen].nominal())
        } else {
            String::new()
        };
        let cells: [Cell; 5] = [
            shortened(name).into(),
            finite(found.found.deviations[at]).into(),
            finite(found.random.deviations[at]).into(),
            value.into(),
            all[chosen].unit().into(),
        ];
        table.row(cells);
    }
    table.without_empty_columns().render(0, &mut text);
    text.push('\n');
    let mut table =
        Table::new([("joint", Align::Left)].into_iter().chain(LimitKind::ALL.map(|kind| (kind.name(), Align::Right))));
    for of in &found.uses {
        let used = of.largest.map(|used| used.map_or(String::new(), |used| format!("{:.1} %", 100.0 * used)).into());
        table.row([Cell::from(one_line(&of.joint))].into_iter().chain(used));
    }
    let mut body = String::new();
    table.without_empty_columns().render(0, &mut body);
    let line = |name: &str, of: &Quality| {
        format!("{name}: condition {}, log det {}\n", number::five(of.condition), finite(of.log_det))
    };
    text.push_str(&format!(
        "{bold}largest use of {} % of the limits{bold:#}\n{body}\n{}{}{} steps, {}\n{bold}{}{bold:#}\n",
        number::five(100.0 * share),
        line("random motion", &found.random),
        line("this motion", &found.found),
        found.iterations,
        found.status,
        one_line(&verdict(found))
    ));
    text
}

/// The first parts of a long combination.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 60;
    let name = one_line(name);
    match name.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{} …", name[..at].trim_end()),
        None => name,
    }
}

fn to_json(
    robot: &Robot,
    (parameters, held): (&Parameters, Option<&HeldFeet>),
    options: &ExciteOptions,
    found: &Excitation,
) -> Value {
    let number = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let quality =
        |of: &Quality| json!({ "rank": of.rank, "condition": number(of.condition), "log_det": number(of.log_det) });
    let base = |(at, name): (usize, &String)| {
        let (now, before) = (found.found.deviations[at], found.random.deviations[at]);
        json!({ "name": name, "parameter": found.parameters[found.columns[at]], "deviation": number(now), "random": number(before) })
    };
    let parameter = |(k, p): (usize, &gradyn_sensitivity::Parameter)| {
        let deviation = found.deviation(k).map_or(Value::Null, number);
        json!({ "name": p.name(), "unit": p.unit(), "value": p.nominal(), "deviation": deviation })
    };
    let used = |of: &gradyn_sensitivity::excite::Use| {
        let [position, velocity, acceleration, effort] = of.largest;
        json!({ "joint": of.joint, "position": position, "velocity": velocity, "acceleration": acceleration, "effort": effort })
    };
    let names = robot.model.dof_names();
    let joint = |(j, dof): (usize, &usize)| json!({ "joint": names[*dof], "start": found.series.start[j], "cosines": found.series.cosines[j], "sines": found.series.sines[j] });
    let mut answer = json!({
        "robot": robot.model.name(),
        "verdict": verdict(found),
        "status": found.status.to_string(),
        "converged": found.status.converged(),
        "iterations": found.iterations,
        "seed": options.seed,
        "period": options.period,
        "rate": options.rate,
        "noise": options.noise,
        "random": quality(&found.random),
        "found": quality(&found.found),
        "gain": number(found.gain),
        "base": found.base.iter().enumerate().map(base).collect::<Vec<_>>(),
        "parameters": parameters.iter().enumerate().map(parameter).collect::<Vec<_>>(),
        "limits": found.uses.iter().map(used).collect::<Vec<_>>(),
        "size": found.size,
        "series": found.degrees_of_freedom.iter().enumerate().map(joint).collect::<Vec<_>>(),
    });
    if let Some(held) = held {
        answer["contacts"] = json!(held.frames());
        answer["start"] = json!(found.samples.q.first());
    }
    answer
}
