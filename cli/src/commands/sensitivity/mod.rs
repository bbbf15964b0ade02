//! `gradyn sensitivity`: which parameters matter.

mod along;
mod groups;
mod own;
mod question;
mod resume;
mod sampled;
mod show;
mod uncertainty;

use super::Report;
use crate::args::{Global, OutputArg, Sensitivity};
use crate::error::{Error, one_line};
use crate::output::Output;
use gradyn::dynamics::FrameRef;
use gradyn_files::robot::Robot;
use gradyn_files::sensitivity::{
    self as answers, Answer, ByOutput, CLEAR, Column, Method, to_csv, to_csv_by_outputs, to_json,
};
use gradyn_files::task::Task;
use gradyn_files::{priors, states};
use gradyn_sensitivity::{Interval, Parameters, Prior, SensitivityError, StateOutput as Of};
use question::{AtState, First, Question};
use sampled::Found;
use serde_json::json;
use show::{by_outputs, readable};
use std::path::Path;

pub(crate) fn sensitivity(args: &Sensitivity) -> Result<Report, Error> {
    if args.share.is_nan() || args.share <= 0.0 || args.share.is_infinite() {
        return Err(Error::Usage(format!("--share is {}: expected a positive number", args.share)));
    }
    let usage = |error: SensitivityError| Error::Usage(error.to_string());
    let chosen = |robot: &Robot| {
        let parameters = robot.parameters().select_all(&args.parameters).map_err(usage)?;
        if parameters.is_empty() {
            return Err(Error::Usage("--parameters names none".into()));
        }
        Ok(parameters)
    };
    if args.frame.is_some() && args.of != Some(OutputArg::Pose) {
        return Err(Error::Usage("--frame is of poses: expected --of pose".into()));
    }
    let forces = args.of == Some(OutputArg::ContactForces);
    if args.held.is_given() != forces {
        return Err(Error::Usage(match forces {
            true => "--of contact-forces needs --contact, --contact-frame or --constraints, what is held".into(),
            false => "--contact, --contact-frame and --constraints are of forces: expected --of contact-forces".into(),
        }));
    }
    if args.global != Some(Global::Sobol) && (args.second_order || !args.group.is_empty()) {
        let what = if args.second_order { "--second-order" } else { "--group" };
        return Err(Error::Usage(format!("{what} is of Sobol's indices: expected --global sobol")));
    }
    if let Some(file) = &args.task {
        if args.global == Some(Global::Dgsm) {
            return Err(Error::Usage("--global dgsm is of states: expected `sobol` or `morris` along a task".into()));
        }
        let task = Task::read(file)?;
        along::same_robot(&task, &args.robot.robot, file)?;
        let frame = match args.of {
            None | Some(OutputArg::Configuration) => None,
            Some(OutputArg::Pose) => Some(frame(args, &task.robot)?),
            Some(_) => return Err(Error::Usage("--of, along a task: expected `configuration` or `pose`".into())),
        };
        let parameters = chosen(&task.robot)?;
        let mut along = along::Along::new(&task, &parameters, frame, args.closed_loop)?;
        let mut warnings = task.robot.warnings();
        warnings.append(&mut along.warnings);
        return answered(args, &task.robot, &parameters, &along, warnings);
    }
    let robot = args.robot.load()?;
    let parameters = chosen(&robot)?;
    let (state, place) = states::asked(&args.state, args.seed, &robot)?;
    let tau = match &state.tau {
        Some(tau) => tau.clone(),
        None => gradyn::once::rnea(&robot.model, &state.q, &state.v, &state.a, &[])
            .map_err(|error| Error::input(place.clone(), error))?,
    };
    let (q, v, a) = (&state.q[..], &state.v[..], &state.a[..]);
    let held = args.held.constraints(&robot)?;
    let output = match args.of.unwrap_or(OutputArg::Tau) {
        OutputArg::Tau => Of::Torques { q, v, a },
        OutputArg::Ddq => Of::Accelerations { q, v, tau: &tau },
        OutputArg::MassMatrix => Of::MassMatrix { q },
        OutputArg::Energy => Of::Energy { q, v },
        OutputArg::ContactForces => Of::ContactForces { q, v, tau: &tau, constraints: &held.list },
        OutputArg::Pose => Of::Pose { q, frame: frame(args, &robot)? },
        OutputArg::Configuration => {
            return Err(Error::Usage("--of configuration needs --task: at a state it is what was given".into()));
        }
    };
    let given = json!({ "state": { "q": q, "v": v, "a": a, "tau": tau } });
    let rows = forces.then(|| held.rows.clone());
    let question = AtState { parameters: &parameters, output, rows, method: args.method, place, given };
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
    let mut answer = match args.global {
        None => {
            let first = question.first_order()?;
            let scatter = match args.uncertainty {
                true => Some(uncertainty::of(question, (&first, parameters, &priors), args)?),
                false => None,
            };
            let mut answer = to_first_order(parameters, &priors, question, first)?;
            match scatter {
                Some(Ok(found)) => answer.uncertainty = Some(found),
                Some(Err(why)) => answer.exploded = Some(why),
                None => {}
            }
            answer
        }
        Some(method) => {
            let asked =
                format!("{} of {}: {}, {}", question.name(), robot.path.display(), question.place(), args.parameters);
            match sampled::over_prior((args, &asked, &robot.model), method, parameters, &priors, question)? {
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
    answer.given = question.given();
    (answer.place, answer.seed) = (question.place().to_owned(), args.seed);
    if args.global.is_some() || args.uncertainty {
        answer.confidence = Some(args.confidence);
    }
    warnings.append(&mut answer.warnings);
    let failed = !answer.doubts().is_empty();
    let method = args.global.map_or(Method::FirstOrder, Method::from);
    if let Some(page) = &mut page {
        let html = answers::write(&answer, method);
        page.write(|to| to.write_all(html.as_bytes()))?;
    }
    if let Some(page) = page {
        page.finish()?;
    }
    let text = if args.json {
        format!("{:#}\n", to_json(&answer, robot, question.name(), method.name()))
    } else if args.csv && args.by_output {
        to_csv_by_outputs(&answer)
    } else if args.csv {
        to_csv(&answer)
    } else if args.by_output {
        by_outputs(&answer, args.top)
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

/// Of each parameter what the file says, or `--share` of its value, within what it can be.
fn priors_of(args: &Sensitivity, parameters: &Parameters) -> Result<Vec<Prior>, Error> {
    let given = match &args.prior {
        Some(file) => priors::read(file, parameters)?,
        None => vec![None; parameters.len()],
    };
    let priors = given.into_iter().zip(parameters.default_priors(args.share)).map(|(prior, own)| prior.unwrap_or(own));
    let priors: Vec<Prior> = priors.collect();
    if args.global.is_some() || args.uncertainty {
        // More than 1 % of all samples without an output are refused.
        let leaves = |prior: &Prior| prior.quantile(0.01).is_some_and(|x| x < 0.0);
        let mut all = parameters.iter().zip(&priors);
        if let Some((p, prior)) = all.find(|(p, prior)| p.is_never_negative() && leaves(prior)) {
            return Err(Error::Usage(format!(
                "`{}` is never negative, and of its {} prior more than 1 % is below zero: expected `factor`, `scale`, or `low` of zero or more",
                one_line(p.name()),
                prior.name()
            )));
        }
    }
    Ok(priors)
}

/// Each parameter as a column.
fn columns(parameters: &Parameters, priors: &[Prior]) -> Vec<Column> {
    let column = |(p, prior): (&gradyn_sensitivity::Parameter, &Prior)| Column {
        name: p.name().to_owned(),
        unit: p.unit(),
        held: p.held(),
        value: Some(p.nominal()),
        prior: Some(*prior),
        members: Vec::new(),
    };
    parameters.iter().zip(priors).map(column).collect()
}

/// To first order, at the robot's own values.
fn to_first_order(
    parameters: &Parameters,
    priors: &[Prior],
    question: &dyn Question,
    first: First,
) -> Result<Answer, Error> {
    let (by, rounding) = (&first.jacobian, question.rounding()?);
    let variances: Vec<f64> = priors.iter().map(Prior::variance).collect();
    let (rows, units) = (question.rows(), question.units());
    let output = |r: usize| {
        let parts: Vec<f64> = by.row(r).iter().zip(&variances).map(|(x, variance)| x * x * variance).collect();
        let whole: f64 = parts.iter().sum();
        let mut output = ByOutput::new(&rows[r], units[r], rounding[r], Some(whole.sqrt()));
        let share = |part: &f64| Interval { value: part / whole, half_width: None };
        output.measures.push(("share", parts.iter().map(share).collect()));
        output.drop_if_rounding();
        output
    };
    let outputs: Vec<ByOutput> = (0..rows.len()).map(output).collect();
    let matrix = by.row_iter().map(|row| row.iter().copied().collect()).collect();
    // What moves every output by less than its rounding does nothing.
    let is_lost = |k: usize| {
        let moved = |r: usize| by[(r, k)].abs() * variances[k].sqrt() <= CLEAR * rounding[r];
        !question.is_motion() && (0..rows.len()).all(moved)
    };
    let names = parameters.names();
    let still = (0..names.len()).filter(|k| first.without_effect.contains(&names[*k]) || is_lost(*k));
    let warnings: Vec<String> =
        still.map(|k| format!("`{}` does nothing to {} here", one_line(&names[k]), question.name())).collect();
    let mut answer = Answer::new(columns(parameters, priors), outputs, ("derivative", matrix), "share", None);
    answer.warnings.extend(warnings);
    answer.series = first.series;
    Ok(answer)
}

fn frame(args: &Sensitivity, robot: &Robot) -> Result<FrameRef, Error> {
    let Some(name) = &args.frame else {
        return Err(Error::Usage("--of pose needs --frame, the name of a link or joint".into()));
    };
    super::frame_named(robot, name)
}
