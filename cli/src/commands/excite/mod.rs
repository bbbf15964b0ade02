//! `gradyn excite`: the motion that tells the most.

mod settings;

use super::{Report, progress};
use crate::args::Excite;
use crate::error::{Error, one_line};
use crate::output::Output;
use crate::table::{Align, Cell, Table};
use gradyn_files::excite::{self as answer, HeldFeet, finite, verdict};
use gradyn_files::number;
use gradyn_files::robot::Robot;
use gradyn_sensitivity::excite::{
    Excitation, ExciteOptions, JointLimits, LimitKind, Progress, Quality, excite as find, excite_stance,
};
use gradyn_sensitivity::{Parameters, SensitivityError};
use std::ops::ControlFlow;
use std::path::Path;

pub(crate) fn excite(args: &Excite) -> Result<Report, Error> {
    let robot = args.robot.load()?;
    let usage = |error: SensitivityError| Error::Usage(error.to_string());
    let parameters = robot.parameters().select_all(&args.parameters).map_err(usage)?;
    let held = held_feet(args, &robot)?;
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
        file.write(|to| to.write_all(answer::csv(&robot, held.as_ref(), &found).as_bytes()))?;
        data.extend(file.finish()?);
    }
    if let Some(mut file) = page.take() {
        file.write(|to| to.write_all(answer::page(&robot, (&options, held.as_ref()), &found).as_bytes()))?;
        data.extend(file.finish()?);
    }
    let warnings = robot.warnings();
    if args.json {
        let text = format!("{:#}\n", answer::json(&robot, (&parameters, held.as_ref()), &options, &found));
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

/// What the command line holds; `None` if that is nothing.
fn held_feet(args: &Excite, robot: &Robot) -> Result<Option<HeldFeet>, Error> {
    let given = args.held.constraints(robot)?.given.unwrap_or_default();
    if given.is_empty() {
        if args.held.constraints.is_some() {
            return Err(Error::Usage("--constraints: the list is empty, expected contacts".into()));
        }
        return Ok(None);
    }
    HeldFeet::new(&given, args.start.as_deref(), &robot.model).map(Some).map_err(Error::Usage)
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
