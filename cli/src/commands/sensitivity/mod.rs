//! `gradyn sensitivity`: which parameters matter.

mod page;
mod resume;

use super::Report;
use crate::args::{Asked, Global, Sensitivity};
use crate::error::{Error, one_line};
use crate::number;
use crate::output::Output;
use crate::robot::Robot;
use crate::states::{self, NEUTRAL, RANDOM, State};
use crate::table::{Align, Cell, Table};
use gradyn::dynamics::FrameRef;
use gradyn_sensitivity::global::{Morris, Run, Saltelli};
use gradyn_sensitivity::{Interval, Output as Of, Parameters, Prior, Resampling, evaluate_many, local};
use serde_json::{Value, json};
use std::path::Path;

/// What is known of one parameter.
struct Finding {
    name: String,
    unit: &'static str,
    held: &'static str,
    value: f64,
    sd: f64,
    /// What it is sorted by: its share of the variance, or its mean effect.
    size: f64,
    /// The share of the variance that it makes alone, of the output's rows together.
    first: Option<Interval>,
    /// With all others.
    total: Option<Interval>,
    /// The row that it moves most, and the derivative, or the mean effect, there.
    row: String,
    derivative: f64,
}

/// The whole answer.
struct Answer {
    title: String,
    findings: Vec<Finding>,
    /// Derivatives, or effects, row by row.
    rows: Vec<String>,
    matrix: Vec<Vec<f64>>,
    what: &'static str,
    warnings: Vec<String>,
}

pub(crate) fn sensitivity(args: &Sensitivity) -> Result<Report, Error> {
    let robot = Robot::load(&args.robot)?;
    let usage = |error: gradyn_sensitivity::SensitivityError| Error::Usage(error.to_string());
    let parameters = Parameters::of(&robot.model).select_all(&args.parameters).map_err(usage)?;
    if parameters.is_empty() {
        return Err(Error::Usage("--parameters names none".into()));
    }
    if args.share.is_nan() || args.share <= 0.0 || args.share.is_infinite() {
        return Err(Error::Usage(format!("--share is {}: expected a positive number", args.share)));
    }
    let (state, title) = state(args, &robot)?;
    let tau = match &state.tau {
        Some(tau) => tau.clone(),
        None => gradyn::once::rnea(&robot.model, &state.q, &state.v, &state.a, &[])
            .map_err(|error| Error::Input { place: title.clone(), error })?,
    };
    let (q, v, a) = (&state.q[..], &state.v[..], &state.a[..]);
    let output = match args.of {
        Asked::Tau => Of::Torques { q, v, a },
        Asked::Ddq => Of::Accelerations { q, v, tau: &tau },
        Asked::MassMatrix => Of::MassMatrix { q },
        Asked::Energy => Of::Energy { q, v },
        Asked::Pose => Of::Pose { q, frame: frame(args, &robot)? },
    };
    let outputs = || -> Result<_, Error> {
        let to = Output::new(args.output.as_deref(), &[&robot.path])?;
        let page = args.report.as_deref().map(|path| Output::new(Some(path), &[&robot.path])).transpose()?;
        Ok((to, page))
    };
    let question = format!("{} of {}: {title}, {}", output.name(), robot.path.display(), args.parameters);
    // Before the work, to see that they can be written; behind it where Ctrl-C is to be heeded by the samples.
    let early = if args.resume.is_none() { Some(outputs()?) } else { None };
    let nominal = parameters.nominal();
    let deviations: Vec<f64> = nominal.iter().map(|x| args.share * if *x == 0.0 { 1.0 } else { x.abs() }).collect();
    let mut answer = match args.global {
        None => at_state(args, &parameters, &deviations, output)?,
        Some(method) => match over_prior((args, &question), method, &parameters, &deviations, output)? {
            Found::All(answer) => *answer,
            Found::Stopped(text) => return Ok(Report { text, failed: true, ..Report::default() }),
        },
    };
    let (mut to, mut page) = match early {
        Some(early) => early,
        None => outputs()?,
    };
    answer.title = format!("{} of {}: {title}", output.name(), robot.model.name());
    answer.findings.sort_by(|a, b| b.size.total_cmp(&a.size));
    let mut warnings = robot.warnings();
    warnings.append(&mut answer.warnings);
    if let Some(page) = &mut page {
        let html = page::write(&answer, args.global);
        page.write(|to| to.write_all(html.as_bytes()))?;
    }
    if let Some(page) = page {
        page.finish()?;
    }
    let text = if args.json {
        format!("{:#}\n", to_json(&answer, &robot, output.name()))
    } else if args.csv {
        to_csv(&answer)
    } else {
        readable(&answer, args.top)
    };
    if args.json || args.csv || args.output.is_some() {
        let plain = anstream::adapter::strip_str(&text).to_string();
        to.write(|to| to.write_all(plain.as_bytes()))?;
        return Ok(Report { data: to.finish()?, warnings, ..Report::default() });
    }
    Ok(Report { text, warnings, ..Report::default() })
}

/// What samples have come to.
enum Found {
    All(Box<Answer>),
    /// Ctrl-C: what to say of it.
    Stopped(String),
}

/// To first order, at the robot's own values.
fn at_state(args: &Sensitivity, parameters: &Parameters, sd: &[f64], output: Of<'_>) -> Result<Answer, Error> {
    let usage = |error: gradyn_sensitivity::SensitivityError| Error::Usage(error.to_string());
    let by = local(parameters, &parameters.nominal(), output, args.method).map_err(usage)?;
    let scaled = |k: usize| by.jacobian.column(k) * sd[k];
    let whole: f64 = (0..sd.len()).map(|k| scaled(k).norm_squared()).sum();
    let findings = parameters.iter().enumerate().map(|(k, p)| {
        let row = scaled(k).iamax();
        let share = if whole > 0.0 { scaled(k).norm_squared() / whole } else { 0.0 };
        Finding {
            name: p.name().to_owned(),
            unit: p.unit(),
            held: p.held(),
            value: p.nominal(),
            sd: sd[k],
            size: share,
            first: Some(Interval { value: share, half_width: None }),
            total: None,
            row: by.rows[row].clone(),
            derivative: by.jacobian[(row, k)],
        }
    });
    let findings = findings.collect();
    let still = by.without_effect();
    let warnings = still.iter().map(|name| format!("`{}` does nothing to {} here", one_line(name), output.name()));
    let matrix = by.jacobian.row_iter().map(|row| row.iter().copied().collect()).collect();
    Ok(Answer {
        title: String::new(),
        findings,
        warnings: warnings.collect(),
        matrix,
        rows: by.rows,
        what: "derivative",
    })
}

/// Over the whole prior, by samples.
fn over_prior(
    (args, question): (&Sensitivity, &str),
    method: Global,
    parameters: &Parameters,
    sd: &[f64],
    output: Of<'_>,
) -> Result<Found, Error> {
    let usage = |error: gradyn_sensitivity::global::GlobalError| Error::Usage(error.to_string());
    let rows = output.rows(parameters.robot());
    let nominal = parameters.nominal();
    let prior = |(mean, sd): (&f64, &f64)| Prior::Normal { mean: *mean, sd: *sd };
    let priors: Vec<Prior> = nominal.iter().zip(sd).map(prior).collect();
    let resampling = Resampling { times: 100, level: args.confidence, seed: args.seed };
    let f = |x: &[f64], y: &mut [f64]| evaluate_many(parameters, output, x, y);
    let (k, m) = (nominal.len(), rows.len());
    let (sizes, first, total, matrix, warnings) = match method {
        Global::Sobol => {
            let run = Run::new(Saltelli::new(priors, args.samples, args.seed), m).map_err(usage)?;
            let run = match resume::evaluated(run, (args.resume.as_deref(), question), f)? {
                Ok(run) => run,
                Err(stopped) => return Ok(Found::Stopped(stopped)),
            };
            let found = run.indices(&resampling).map_err(usage)?;
            // Of all rows together: shares of the sum of variances (F. Gamboa et al. 2014).
            let whole: f64 = found.variance.iter().sum();
            let together = |of: &[Interval], p: usize| {
                let part = |r: usize| of[r * k + p].value * found.variance[r];
                let half = |r: usize| of[r * k + p].half_width.unwrap_or(0.0) * found.variance[r];
                let sum = |of: &dyn Fn(usize) -> f64| (0..m).map(of).sum::<f64>() / whole.max(f64::MIN_POSITIVE);
                Interval { value: sum(&part), half_width: Some(sum(&half)) }
            };
            let first: Vec<Interval> = (0..k).map(|p| together(&found.first, p)).collect();
            let total: Vec<Interval> = (0..k).map(|p| together(&found.total, p)).collect();
            let matrix: Vec<Vec<f64>> =
                (0..m).map(|r| (0..k).map(|p| found.total[r * k + p].value).collect()).collect();
            let warnings: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
            (total.iter().map(|x| x.value).collect::<Vec<f64>>(), Some(first), Some(total), matrix, warnings)
        }
        Global::Morris => {
            let plan = Morris { priors, paths: args.samples, levels: 4, seed: args.seed };
            let run = match resume::evaluated(Run::new(plan, m).map_err(usage)?, (args.resume.as_deref(), question), f)?
            {
                Ok(run) => run,
                Err(stopped) => return Ok(Found::Stopped(stopped)),
            };
            let found = run.effects(&resampling).map_err(usage)?;
            let matrix: Vec<Vec<f64>> =
                (0..m).map(|r| (0..k).map(|p| found.magnitude[r * k + p].value).collect()).collect();
            let sizes = (0..k).map(|p| matrix.iter().map(|row| row[p] * row[p]).sum::<f64>().sqrt()).collect();
            (sizes, None, None, matrix, found.warnings.iter().map(ToString::to_string).collect())
        }
    };
    let findings = parameters.iter().enumerate().map(|(p, parameter)| {
        let row = (0..m).max_by(|a, b| matrix[*a][p].abs().total_cmp(&matrix[*b][p].abs())).unwrap_or(0);
        Finding {
            name: parameter.name().to_owned(),
            unit: parameter.unit(),
            held: parameter.held(),
            value: nominal[p],
            sd: sd[p],
            size: sizes[p],
            first: first.as_ref().map(|of| of[p]),
            total: total.as_ref().map(|of| of[p]),
            row: rows[row].clone(),
            derivative: matrix[row][p],
        }
    });
    let findings = findings.collect();
    let what = if method == Global::Sobol { "total index" } else { "mean effect" };
    Ok(Found::All(Box::new(Answer { title: String::new(), findings, rows, matrix, what, warnings })))
}

fn frame(args: &Sensitivity, robot: &Robot) -> Result<FrameRef, Error> {
    let Some(name) = &args.frame else {
        return Err(Error::Usage("--of pose needs --frame, the name of a link or joint".into()));
    };
    if let Some(frame) = robot.model.find_frame(name) {
        return Ok(frame.into());
    }
    robot.model.find_body(name).map(FrameRef::from).ok_or_else(|| {
        let names = robot.model.frames().iter().map(|frame| frame.name());
        let nearest = states::nearest(name, names).unwrap_or_default();
        Error::Usage(format!("there is no link or joint `{name}`{nearest}"))
    })
}

fn state(args: &Sensitivity, robot: &Robot) -> Result<(State, String), Error> {
    if args.state == Path::new(RANDOM) {
        let state = State { f_ext: None, ..states::random(robot, args.seed, 0) };
        return Ok((state, format!("random state (seed {})", args.seed)));
    }
    if args.state == Path::new(NEUTRAL) {
        return Ok((states::neutral(&robot.model), String::from("neutral state")));
    }
    let file = states::name(&args.state);
    match states::read(&args.state, robot)?.into_iter().next() {
        Some(state) => Ok((state, format!("state 0 of {file}"))),
        None => Err(Error::States { file, reason: String::from("it holds no state, expected one at least") }),
    }
}

/// A number with its interval, in percent.
fn percent(x: Option<Interval>) -> String {
    let Some(Interval { value, half_width }) = x else { return String::new() };
    match half_width {
        Some(half) => format!("{:.1} ± {:.1} %", 100.0 * value, 100.0 * half),
        None => format!("{:.1} %", 100.0 * value),
    }
}

fn readable(answer: &Answer, top: usize) -> String {
    let bold = anstyle::Style::new().bold();
    let mut text = format!("{bold}{}{bold:#}\n", one_line(&answer.title));
    let heading = [
        ("parameter", Align::Left),
        ("value", Align::Right),
        ("± sd", Align::Right),
        ("unit", Align::Left),
        ("share", Align::Right),
        ("with others", Align::Right),
        (answer.what, Align::Right),
        ("largest at", Align::Left),
        ("held", Align::Left),
    ];
    let mut table = Table::new(heading);
    for finding in answer.findings.iter().take(top.max(1)) {
        let cells: [Cell; 9] = [
            one_line(&finding.name).into(),
            number::five(finding.value).into(),
            number::five(finding.sd).into(),
            finding.unit.into(),
            percent(finding.first).into(),
            percent(finding.total).into(),
            number::five(finding.derivative).into(),
            one_line(&finding.row).into(),
            finding.held.into(),
        ];
        table.row(cells);
    }
    let mut body = String::new();
    table.without_empty_columns().render(0, &mut body);
    text.push_str(&body);
    if answer.findings.len() > top {
        text.push_str(&format!("… and {} parameters that matter less\n", answer.findings.len() - top));
    }
    text
}

fn to_json(answer: &Answer, robot: &Robot, output: &str) -> Value {
    let interval = |x: Option<Interval>| match x {
        Some(x) => json!({ "value": x.value, "half_width": x.half_width }),
        None => Value::Null,
    };
    let of = |f: &Finding| {
        json!({
            "name": f.name, "unit": f.unit, "held": f.held, "value": f.value, "sd": f.sd,
            "share": interval(f.first), "total": interval(f.total),
        })
    };
    json!({
        "robot": robot.model.name(),
        "output": output,
        "rows": answer.rows,
        "parameters": answer.findings.iter().map(of).collect::<Vec<_>>(),
        "matrix": { "of": answer.what, "order": "rows by parameters as selected", "values": answer.matrix },
    })
}

fn to_csv(answer: &Answer) -> String {
    let mut text =
        String::from("parameter,unit,value,sd,share,share_half_width,total,total_half_width,largest_at,largest\n");
    let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:?}"));
    for f in &answer.findings {
        let (first, total) = (f.first, f.total);
        text.push_str(&format!(
            "{},{},{:?},{:?},{},{},{},{},{},{:?}\n",
            quoted(&f.name),
            quoted(f.unit),
            f.value,
            f.sd,
            number(first.map(|x| x.value)),
            number(first.and_then(|x| x.half_width)),
            number(total.map(|x| x.value)),
            number(total.and_then(|x| x.half_width)),
            quoted(&f.row),
            f.derivative,
        ));
    }
    text
}

/// A field as RFC 4180 wants it.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
