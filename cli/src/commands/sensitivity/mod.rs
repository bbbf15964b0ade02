//! `gradyn sensitivity`: which parameters matter.

mod along;
mod answer;
mod page;
mod question;
mod resume;
mod uncertainty;

use super::Report;
use crate::args::{Asked, Global, Sensitivity};
use crate::error::{Error, one_line};
use crate::nearest::nearest;
use crate::output::Output;
use crate::robot::Robot;
use crate::task::Task;
use crate::{priors, states};
use answer::{Answer, Finding, readable, to_csv, to_json};
use gradyn::dynamics::FrameRef;
use gradyn_sensitivity::global::{Morris, Run, Saltelli};
use gradyn_sensitivity::{Interval, Output as Of, Parameters, Prior, Resampling, SensitivityError};
use question::{AtState, First, Question};
use std::path::Path;

pub(crate) fn sensitivity(args: &Sensitivity) -> Result<Report, Error> {
    if args.share.is_nan() || args.share <= 0.0 || args.share.is_infinite() {
        return Err(Error::Usage(format!("--share is {}: expected a positive number", args.share)));
    }
    let usage = |error: SensitivityError| Error::Usage(error.to_string());
    let chosen = |robot: &Robot| {
        let parameters = Parameters::of(&robot.model).select_all(&args.parameters).map_err(usage)?;
        if parameters.is_empty() {
            return Err(Error::Usage("--parameters names none".into()));
        }
        Ok(parameters)
    };
    if let Some(file) = &args.task {
        let task = Task::read(file)?;
        along::same_robot(&task, &args.robot.robot, file)?;
        let frame = match args.of {
            None | Some(Asked::Configuration) => None,
            Some(Asked::Pose) => Some(frame(args, &task.robot)?),
            Some(_) => return Err(Error::Usage("--of, along a task: expected `configuration` or `pose`".into())),
        };
        let parameters = chosen(&task.robot)?;
        let mut along = along::Along::new(&task, &parameters, frame, args.closed_loop)?;
        let mut warnings = task.robot.warnings();
        warnings.append(&mut along.warnings);
        return answered(args, &task.robot, &parameters, &along, warnings);
    }
    let robot = Robot::load(&args.robot)?;
    let parameters = chosen(&robot)?;
    let (state, place) = states::asked(&args.state, args.seed, &robot)?;
    let tau = match &state.tau {
        Some(tau) => tau.clone(),
        None => gradyn::once::rnea(&robot.model, &state.q, &state.v, &state.a, &[])
            .map_err(|error| Error::Input { place: place.clone(), error })?,
    };
    let (q, v, a) = (&state.q[..], &state.v[..], &state.a[..]);
    let output = match args.of.unwrap_or(Asked::Tau) {
        Asked::Tau => Of::Torques { q, v, a },
        Asked::Ddq => Of::Accelerations { q, v, tau: &tau },
        Asked::MassMatrix => Of::MassMatrix { q },
        Asked::Energy => Of::Energy { q, v },
        Asked::Pose => Of::Pose { q, frame: frame(args, &robot)? },
        Asked::Configuration => {
            return Err(Error::Usage("--of configuration needs --task: at a state it is what was given".into()));
        }
    };
    let question = AtState { parameters: &parameters, output, method: args.method, place };
    answered(args, &robot, &parameters, &question, robot.warnings())
}

/// Finds the answer, and writes it.
fn answered(
    args: &Sensitivity,
    robot: &Robot,
    parameters: &Parameters,
    question: &dyn Question,
    mut warnings: Vec<String>,
) -> Result<Report, Error> {
    let title = format!("{} of {}: {}", question.name(), robot.model.name(), question.place());
    let mut inputs: Vec<&Path> = vec![&robot.path];
    inputs.extend(args.task.as_deref().into_iter().chain(args.prior.as_deref()));
    let outputs = || -> Result<_, Error> {
        let to = Output::new(args.output.as_deref(), &inputs)?;
        let page = args.report.as_deref().map(|path| Output::new(Some(path), &inputs)).transpose()?;
        Ok((to, page))
    };
    // Before the work, to see that they can be written; behind it where signals are to be heeded by the samples.
    let early = if args.resume.is_none() { Some(outputs()?) } else { None };
    let priors = priors_of(args, parameters)?;
    let sd: Vec<f64> = priors.iter().map(|prior| prior.variance().sqrt()).collect();
    let mut answer = match args.global {
        None => {
            let first = question.first_order()?;
            let uncertainty = match args.uncertainty {
                true => Some(uncertainty::of(question, (&first, parameters, &priors), args)?),
                false => None,
            };
            Answer { uncertainty, ..to_first_order(parameters, &sd, question, first) }
        }
        Some(method) => {
            let asked =
                format!("{} of {}: {}, {}", question.name(), robot.path.display(), question.place(), args.parameters);
            match over_prior((args, &asked, &robot.model), method, parameters, &priors, question)? {
                Found::All(answer) => *answer,
                Found::Stopped(text) => return Ok(Report { text, failed: true, ..Report::default() }),
            }
        }
    };
    let (mut to, mut page) = match early {
        Some(early) => early,
        None => outputs()?,
    };
    answer.title = title;
    answer.findings.sort_by(|a, b| b.size.total_cmp(&a.size));
    warnings.append(&mut answer.warnings);
    let failed = !answer.doubts().is_empty();
    if let Some(page) = &mut page {
        let html = page::write(&answer, args.global);
        page.write(|to| to.write_all(html.as_bytes()))?;
    }
    if let Some(page) = page {
        page.finish()?;
    }
    let text = if args.json {
        format!("{:#}\n", to_json(&answer, robot, question.name()))
    } else if args.csv {
        to_csv(&answer)
    } else {
        readable(&answer, args.top)
    };
    if args.json || args.csv || args.output.is_some() {
        let plain = anstream::adapter::strip_str(&text).to_string();
        to.write(|to| to.write_all(plain.as_bytes()))?;
        return Ok(Report { data: to.finish()?, warnings, failed, ..Report::default() });
    }
    Ok(Report { text, warnings, failed, ..Report::default() })
}

/// Of each parameter what the file says, or a share of its value.
fn priors_of(args: &Sensitivity, parameters: &Parameters) -> Result<Vec<Prior>, Error> {
    let given = match &args.prior {
        Some(file) => priors::read(file, parameters)?,
        None => vec![None; parameters.len()],
    };
    let share = |x: f64| Prior::Normal { mean: x, sd: args.share * if x == 0.0 { 1.0 } else { x.abs() } };
    Ok(given.into_iter().zip(parameters.nominal()).map(|(prior, x)| prior.unwrap_or_else(|| share(x))).collect())
}

/// What samples have come to.
enum Found {
    All(Box<Answer>),
    /// By a signal: what to say of it.
    Stopped(String),
}

/// To first order, at the robot's own values.
fn to_first_order(parameters: &Parameters, sd: &[f64], question: &dyn Question, first: First) -> Answer {
    let (by, rows) = (&first.jacobian, question.rows());
    let scaled = |k: usize| by.column(k) * sd[k];
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
            row: rows[row].clone(),
            derivative: by[(row, k)],
        }
    });
    let findings = findings.collect();
    let still = &first.without_effect;
    let warnings = still.iter().map(|name| format!("`{}` does nothing to {} here", one_line(name), question.name()));
    let matrix = by.row_iter().map(|row| row.iter().copied().collect()).collect();
    Answer {
        title: String::new(),
        findings,
        warnings: warnings.collect(),
        matrix,
        rows,
        what: "derivative",
        selected: parameters.names().into_iter().zip(sd.iter().copied()).collect(),
        series: first.series,
        plane: Vec::new(),
        uncertainty: None,
    }
}

/// Over the whole prior, by samples.
fn over_prior(
    (args, asked, model): (&Sensitivity, &str, &gradyn::Model),
    method: Global,
    parameters: &Parameters,
    priors: &[Prior],
    question: &dyn Question,
) -> Result<Found, Error> {
    let usage = |error: gradyn_sensitivity::global::GlobalError| Error::Usage(error.to_string());
    let rows = question.rows();
    let nominal = parameters.nominal();
    let sd: Vec<f64> = priors.iter().map(|prior| prior.variance().sqrt()).collect();
    let priors = priors.to_vec();
    let resampling = Resampling { times: 100, level: args.confidence, seed: args.seed };
    let f = |x: &[f64], y: &mut [f64]| question.evaluate(x, y);
    let (k, m) = (nominal.len(), rows.len());
    let fingerprint = if args.resume.is_some() {
        // At the middle of the priors, and beside it.
        let beside: Vec<f64> = nominal.iter().zip(&sd).map(|(x, sd)| x + 0.1 * sd).collect();
        let mut values = vec![f64::NAN; 2 * m];
        f(&[nominal.clone(), beside].concat(), &mut values);
        resume::fingerprint(model, &values)
    } else {
        0
    };
    let mut plane = Vec::new();
    let (sizes, first, total, matrix, warnings) = match method {
        Global::Sobol => {
            let run = Run::new(Saltelli::new(priors, args.samples, args.seed), m).map_err(usage)?;
            let run = match resume::evaluated(run, (args.resume.as_deref(), asked, fingerprint), f)? {
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
            let run = match resume::evaluated(
                Run::new(plan, m).map_err(usage)?,
                (args.resume.as_deref(), asked, fingerprint),
                f,
            )? {
                Ok(run) => run,
                Err(stopped) => return Ok(Found::Stopped(stopped)),
            };
            let found = run.effects(&resampling).map_err(usage)?;
            let matrix: Vec<Vec<f64>> =
                (0..m).map(|r| (0..k).map(|p| found.magnitude[r * k + p].value).collect()).collect();
            let length =
                |of: &[Interval], p: usize| (0..m).map(|r| of[r * k + p].value).map(|x| x * x).sum::<f64>().sqrt();
            let both = |(p, name)| (name, length(&found.magnitude, p), length(&found.deviation, p));
            plane = parameters.names().into_iter().enumerate().map(both).collect();
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
    Ok(Found::All(Box::new(Answer {
        title: String::new(),
        findings,
        rows,
        matrix,
        what,
        warnings,
        selected: parameters.names().into_iter().zip(sd.iter().copied()).collect(),
        series: None,
        plane,
        uncertainty: None,
    })))
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
        let nearest = nearest(name, names).unwrap_or_default();
        Error::Usage(format!("there is no link or joint `{name}`{nearest}"))
    })
}
