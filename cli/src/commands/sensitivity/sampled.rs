//! Over the whole prior, by samples.

use super::own::Own;
use super::question::Question;
use super::{columns, groups, resume};
use crate::args::{Global, Sensitivity};
use crate::commands::progress;
use crate::error::Error;
use crate::memory::MemoryLimit;
use gradyn_files::sensitivity::{Answer, ByOutput, Column};
use gradyn_sensitivity::global::{
    Dgsm, Effects, GlobalError, Morris, Plan, Rule, Run, Saltelli, Sampling, SobolIndices, Warning, dgsm,
    morris_effects, sobol_indices,
};
use gradyn_sensitivity::{Interval, Parameters, Prior, Resampling};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::ControlFlow;

/// What samples have come to.
pub(super) enum Found {
    All(Box<Answer>),
    /// By a signal: what to say of it.
    Stopped(String),
}

/// What each method finds.
enum Analysis {
    Sobol(SobolIndices),
    Morris(Effects),
    Dgsm(Dgsm),
}

/// Of a motion: samples that left every bound, and all.
struct Exploded {
    count: usize,
    total: usize,
}

pub(super) fn over_prior(
    (args, asked, model): (&Sensitivity, &str, &gradyn::Model),
    method: Global,
    parameters: &Parameters,
    priors: &[Prior],
    question: &dyn Question,
) -> Result<Found, Error> {
    let (m, k) = (question.rows().len(), parameters.len());
    let groups = groups::of(&args.group, parameters)?;
    let members: Vec<Vec<usize>> = groups.iter().map(|(_, members)| members.clone()).collect();
    let resampling = Resampling { times: 100, level: args.confidence, seed: args.seed };
    let f = |x: &[f64], y: &mut [f64]| question.evaluate(x, y);
    let with_derivatives = |x: &[f64], y: &mut [f64]| {
        let samples = x.chunks_exact(k).zip(y.chunks_exact_mut(m * (k + 1)));
        samples.for_each(|(x, y)| question.evaluate_with_derivatives(x, y));
    };
    let width = if method == Global::Dgsm { m.saturating_mul(k + 1) } else { m };
    let sobol = Saltelli {
        groups: members.clone(),
        second_order: args.second_order,
        ..Saltelli::new(priors.to_vec(), args.samples, args.seed)
    };
    let layout = sobol.layout();
    let morris = Morris { priors: priors.to_vec(), paths: args.samples, levels: 4, seed: args.seed };
    let sampling = Sampling { priors: priors.to_vec(), samples: args.samples, rule: Rule::Random, seed: args.seed };

    let (found, evaluations) = if let Some(path) = &args.sample_file {
        let own = Own::read(path, parameters)?;
        let each: Vec<Vec<usize>> = if members.is_empty() { (0..k).map(|j| vec![j]).collect() } else { members };
        if method == Global::Sobol {
            own.check_pattern(layout, &each)?;
        }
        check_memory(args, &own, width)?;
        let run = Run::new(own, width).map_err(usage)?;
        let run = match method {
            Global::Dgsm => at_once(run, with_derivatives)?,
            _ => at_once(run, f)?,
        };
        let (own, y) = (run.plan(), run.values().map_err(usage)?);
        let sd: Vec<f64> = priors.iter().map(|prior| prior.variance().sqrt()).collect();
        let found = match method {
            Global::Sobol => sobol_indices(y, m, layout, &resampling).map(Analysis::Sobol),
            Global::Morris => {
                let units: Vec<f64> = own.values.iter().zip(sd.iter().cycle()).map(|(x, sd)| x / sd).collect();
                morris_effects(&units, k, y, m, &resampling).map(Analysis::Morris)
            }
            Global::Dgsm => dgsm(priors, &own.values, y, m, &resampling).map(Analysis::Dgsm),
        };
        (exploded(found, question).map_err(|error| own.refuse(&error)), own.samples().map_err(usage)?)
    } else {
        match method {
            Global::Sobol => {
                let run = match evaluated((args, asked, model), sobol, (width, &f), (parameters, priors), question)? {
                    Ok(run) => run,
                    Err(stopped) => return Ok(Found::Stopped(stopped)),
                };
                let found = run.indices(&resampling).map(Analysis::Sobol);
                (exploded(found, question).map_err(usage), run.plan().samples().map_err(usage)?)
            }
            Global::Morris => {
                let run = match evaluated((args, asked, model), morris, (width, &f), (parameters, priors), question)? {
                    Ok(run) => run,
                    Err(stopped) => return Ok(Found::Stopped(stopped)),
                };
                let found = run.effects(&resampling).map(Analysis::Morris);
                (exploded(found, question).map_err(usage), run.plan().samples().map_err(usage)?)
            }
            Global::Dgsm => {
                let plan = (width, &with_derivatives as &Evaluation<'_>);
                let run = match evaluated((args, asked, model), sampling, plan, (parameters, priors), question)? {
                    Ok(run) => run,
                    Err(stopped) => return Ok(Found::Stopped(stopped)),
                };
                let found = run.derivative_bounds(&resampling).map(Analysis::Dgsm);
                (exploded(found, question).map_err(usage), run.plan().samples().map_err(usage)?)
            }
        }
    };
    let found = found?;
    let columns = groups::columns(&groups, columns(parameters, priors));
    let mut answer = answer(found, question, columns, method)?;
    answer.samples = Some((args.samples, evaluations));
    if args.sample_file.is_some() {
        answer.samples = Some((evaluations, evaluations));
        if method == Global::Morris {
            answer.per = "standard deviation";
        }
    }
    Ok(Found::All(Box::new(answer)))
}

fn usage(error: GlobalError) -> Error {
    Error::Usage(error.to_string())
}

/// `f(x, y)` of [`Run::advance`].
type Evaluation<'a> = dyn Fn(&[f64], &mut [f64]) + Sync + 'a;

/// Checks that there is memory for it.
fn check_memory(args: &Sensitivity, plan: &impl Plan, width: usize) -> Result<(), Error> {
    let (samples, bytes) = (plan.samples().map_err(usage)?, plan.bytes(width).map_err(usage)?);
    let what = || match &args.sample_file {
        Some(file) => format!("{samples} samples of {} with {width} numbers each", file.display()),
        None => format!("--samples {}: {samples} samples with {width} numbers each", args.samples),
    };
    MemoryLimit::new(args.robot.max_memory)
        .check(bytes)
        .map_err(|reason| Error::Memory { what: format!("{},", what()), reason })
}

/// Evaluates a plan, from where `--resume` says it was left. What to say if it was stopped.
fn evaluated<P: Plan + Serialize + DeserializeOwned + PartialEq>(
    (args, asked, model): (&Sensitivity, &str, &gradyn::Model),
    plan: P,
    (width, f): (usize, &Evaluation<'_>),
    (parameters, priors): (&Parameters, &[Prior]),
    question: &dyn Question,
) -> Result<Result<Run<P>, String>, Error> {
    check_memory(args, &plan, width)?;
    let fingerprint = match args.resume {
        Some(_) => {
            // At the middle of the priors, and beside it.
            let nominal = parameters.nominal();
            let beside = nominal.iter().zip(priors).map(|(x, prior)| x + 0.1 * prior.variance().sqrt());
            let both = nominal.iter().copied().chain(beside).collect::<Vec<f64>>();
            let mut values = vec![f64::NAN; 2 * question.rows().len()];
            question.evaluate(&both, &mut values);
            resume::fingerprint(model, &values)
        }
        None => 0,
    };
    let run = Run::new(plan, width).map_err(usage)?;
    resume::evaluated(run, (args.resume.as_deref(), asked, fingerprint), f)
}

/// Evaluates samples that are given.
fn at_once<P: Plan>(mut run: Run<P>, f: impl Fn(&[f64], &mut [f64]) + Sync) -> Result<Run<P>, Error> {
    let bar = progress(run.progress().map_err(usage)?.total as u64, "samples");
    let done = run.advance(f, |progress| {
        bar.set_position(progress.done as u64);
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    done.map_err(usage).map(|_| run)
}

/// A motion of which more than 1 % of the samples leave every bound has no index; at a state that is an error.
fn exploded(
    found: Result<Analysis, GlobalError>,
    question: &dyn Question,
) -> Result<Result<Analysis, Exploded>, GlobalError> {
    match found {
        Ok(found) => Ok(Ok(found)),
        Err(GlobalError::Failed { count, total, .. }) if question.is_motion() => Ok(Err(Exploded { count, total })),
        Err(error) => Err(error),
    }
}

/// What was found, by outputs.
fn answer(
    found: Result<Analysis, Exploded>,
    question: &dyn Question,
    columns: Vec<Column>,
    method: Global,
) -> Result<Answer, Error> {
    let (rows, units, rounding) = (question.rows(), question.units(), question.rounding()?);
    let k = columns.len();
    let row = |r: usize, of: &[Interval]| of[r * k..][..k].to_vec();
    let values = |r: usize, of: &[Interval]| row(r, of).iter().map(|x| x.value).collect::<Vec<f64>>();
    let mut outputs: Vec<ByOutput> =
        rows.iter().enumerate().map(|(r, name)| ByOutput::new(name, units[r], rounding[r], None)).collect();
    let (measure, with) = match method {
        Global::Sobol => ("first", Some("total")),
        Global::Morris => ("effect", None),
        Global::Dgsm => ("bound", None),
    };
    let what = match method {
        Global::Sobol => "total index",
        Global::Morris => "mean effect",
        Global::Dgsm => "bound of the total index",
    };
    let (matrix, warnings) = match found {
        Err(Exploded { count, total }) => {
            for output in &mut outputs {
                output.without = Some(format!("{count} of {total} samples have no finite output"));
                output.measures.push((measure, vec![gradyn_files::sensitivity::NONE; k]));
                output.measures.extend(with.map(|with| (with, vec![gradyn_files::sensitivity::NONE; k])));
            }
            let matrix = vec![vec![f64::NAN; k]; rows.len()];
            let mut answer = Answer::new(columns, outputs, (what, matrix), measure, with);
            // Said once of all.
            answer.warnings.clear();
            answer.exploded = Some(format!(
                "not trustworthy: {count} of {total} simulations have no finite output, so no output has an index"
            ));
            return Ok(answer);
        }
        Ok(Analysis::Sobol(found)) => {
            let found = found.above_rounding(&rounding);
            let pairs = k * (k - 1) / 2;
            for (r, output) in outputs.iter_mut().enumerate() {
                output.sd = Some(found.variance[r].sqrt());
                output.measures = vec![("first", row(r, &found.first)), ("total", row(r, &found.total))];
                if !found.second.is_empty() {
                    output.pairs = found.second[r * pairs..][..pairs].to_vec();
                }
            }
            ((0..rows.len()).map(|r| values(r, &found.total)).collect::<Vec<_>>(), found.warnings)
        }
        Ok(Analysis::Morris(found)) => {
            let found = found.above_rounding(&rounding);
            for (r, output) in outputs.iter_mut().enumerate() {
                output.measures = vec![
                    ("effect", row(r, &found.magnitude)),
                    ("signed_effect", row(r, &found.mean)),
                    ("effect_sd", row(r, &found.deviation)),
                ];
            }
            ((0..rows.len()).map(|r| values(r, &found.magnitude)).collect(), found.warnings)
        }
        Ok(Analysis::Dgsm(found)) => {
            let found = found.above_rounding(&rounding);
            for (r, output) in outputs.iter_mut().enumerate() {
                output.sd = Some(found.variance[r].sqrt());
                output.measures = vec![("bound", row(r, &found.bounds)), ("squares", row(r, &found.squares))];
            }
            ((0..rows.len()).map(|r| values(r, &found.bounds)).collect(), found.warnings)
        }
    };
    let mut others = Vec::new();
    for warning in warnings {
        match warning {
            Warning::Constant { output } => outputs[output].without = Some("it does not vary".into()),
            Warning::Dominated { output } => {
                (outputs[output].dominated, outputs[output].sd) = (true, None);
                outputs[output].without = Some("one sample makes its scatter".into());
            }
            Warning::Rounding { output } => outputs[output].without_by_rounding(),
            other => others.push(other.to_string()),
        }
    }
    let mut answer = Answer::new(columns, outputs, (what, matrix), measure, with);
    answer.warnings.extend(others);
    Ok(answer)
}
