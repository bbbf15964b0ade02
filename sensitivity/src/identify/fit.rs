//! Parameters that explain measured torques.
//!
//! `min Σ ρ((τ_j − τ_j(q, v, a; p))/σ_j) + ½ (p − p₀)ᵀ Λ (p − p₀) + γ Σ D(P ‖ P₀)`, with σ of each joint from the
//! residuals of a first fit, and D the [`divergence`](super::divergence()) of each link whose inertia varies. With
//! log-Cholesky parameters, or with γ > 0, every iterate is physical. Friction and armature are parameters like others.

use super::color::{Color, correct};
use super::delay::Delay;
use super::entropic::Entropic;
use super::filter::Filter;
use super::rows::{Row, errors, filtered, sizes};
use super::verdict::Verdict;
use super::{Data, FitOptions, Warning};
use crate::error::SensitivityError;
use crate::estimate::{Estimate, Loss, Options, Regularizer, levenberg_marquardt_with};
use crate::parameters::Parameters;
use gradyn::derivatives::difference::Euclidean;
use nalgebra::DMatrix;
use std::ops::Range;

/// The errors of predicted torques of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointError {
    /// The joint.
    pub joint: String,
    /// Root mean square over the fitted data, N m.
    pub fitted: f64,
    /// Over the held-out data, N m; NaN if there are none.
    pub held_out: f64,
    /// The same for the given robot.
    pub before: f64,
}

/// The same over all joints, relative to the measured torques.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Validation {
    /// `|τ − τ̂| / |τ|` over the fitted data.
    pub fitted: f64,
    /// Over the held-out data; NaN if there are none.
    pub held_out: f64,
    /// For the given robot, over the held-out data, or over all if there are none.
    pub before: f64,
}

/// One sample of measured torques and of those predicted by the fitted robot, both after the low-pass and with the
/// removed delay.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Its index in the data.
    pub sample: usize,
    /// Measured torques of the joints of [`Fit::joints`], N m.
    pub measured: Vec<f64>,
    /// Predicted torques of the same, N m.
    pub predicted: Vec<f64>,
}

/// The result of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Names of the parameters.
    pub parameters: Vec<String>,
    /// Estimates, their covariance, and identifiability.
    pub estimate: Estimate,
    /// Noise of each joint whose torque was measured, N m.
    pub noise: Vec<f64>,
    /// Errors by joint, of those whose torques were measured.
    pub joints: Vec<JointError>,
    /// Errors of the whole.
    pub validation: Validation,
    /// Samples that were held out, in order.
    pub held_out: Vec<Range<usize>>,
    /// Measured and predicted torques, as compared: delayed and low-pass filtered.
    pub compared: Vec<Compared>,
    /// Warnings about the data.
    pub warnings: Vec<Warning>,
    /// Combinations that the data cannot identify, in words.
    pub cannot_tell: Vec<String>,
    /// Frictions, dampings and armatures that would fit better below zero, by their indices; they are zero.
    pub at_zero: Vec<usize>,
    /// Bodies whose inertia is not physical, and why.
    pub not_physical: Vec<(String, String)>,
    /// Parameters, by their indices, that the data cannot identify and that keep their values.
    pub held: Vec<usize>,
    /// The number of evaluations of torques and their derivatives for all samples, over all steps of the fit.
    pub evaluations: usize,
    /// The delay of torques; `None` if it was not requested, or if the data are too short.
    pub delay: Option<Delay>,
    /// The effective number of independent samples, by joint.
    pub effective_samples: Vec<f64>,
    /// The distance of the data's estimate from the prior, in standard deviations of both together; `None` without a
    /// prior.
    pub from_prior: Vec<Option<f64>>,
    /// Whether the remaining error on held-out data is clearly smaller than before: less than 90 % of it, or 5 % of the
    /// torques, with no explanation of the data that leaves less than half of it; and less than 30 % of the torques,
    /// unless the residuals are noise, but never all of them.
    pub explains: bool,
    /// Changes of the data with which the robot would explain them: a sign, a unit, a column, in words.
    pub explanations: Vec<String>,
}

/// Fits parameters to data, beginning at the robot's own values.
///
/// # Errors
/// Invalid data ([`Data::fits`]), options, or start; an inertia of the robot that is not physical, if it is regularized
/// entropically.
pub fn fit(parameters: &Parameters, data: &Data, options: &FitOptions) -> Result<Fit, SensitivityError> {
    let model = parameters.robot();
    if parameters.is_empty() {
        return Err(SensitivityError::Other("no parameter is selected for the fit".into()));
    }
    let mut warnings = data.check(model)?;
    if options.hold_out.is_nan() || !(0.0..1.0).contains(&options.hold_out) {
        let rule = "expected a share from 0 to below 1";
        return Err(SensitivityError::Number { what: "the share held out".into(), value: options.hold_out, rule });
    }
    if options.blocks == 0 {
        let rule = "expected one or more";
        return Err(SensitivityError::Number { what: "the number of blocks".into(), value: 0.0, rule });
    }
    let (all, dofs) = (data, data.rows(model.nv()));
    let (nv, np) = (dofs.len(), parameters.len());
    let (shown, held_out) = split(all.len(), options)?;
    let data = &all.only(&shown);
    let seen = data.len();
    let still = data.tau.iter().all(|tau| dofs.iter().all(|j| tau[*j] == 0.0));
    if still && parameters.scale_all_inertias() {
        let why = "all torques are zero, and all inertias vary: only their ratios can be identified; leave one link as it is, \
                   or give torques or contact forces";
        return Err(SensitivityError::Other(why.into()));
    }
    let sizes = sizes(parameters, data)?;
    if seen * nv < np {
        return Err(SensitivityError::Length { what: "torques to fit", expected: np, found: seen * nv });
    }
    let nominal = parameters.nominal();
    let pull = match &options.prior {
        None => None,
        Some(sd) if sd.len() != np => {
            return Err(SensitivityError::Length { what: "standard deviations", expected: np, found: sd.len() });
        }
        Some(sd) => {
            if let Some(k) = sd.iter().position(|sd| sd.is_nan() || *sd <= 0.0) {
                let what = format!("the standard deviation of `{}`", parameters.names()[k]);
                return Err(SensitivityError::Number { what, value: sd[k], rule: "expected a positive number" });
            }
            let information =
                DMatrix::from_diagonal(&nalgebra::DVector::from_iterator(np, sd.iter().map(|s| s.powi(-2))));
            Some(Regularizer { at: nominal.clone(), information })
        }
    };
    let entropic = options.entropic.map(|weight| Entropic::new(parameters, weight)).transpose()?;
    let entropic_rows = |p: &[f64]| entropic.as_ref()?.rows(p);
    let refuse = |e: crate::estimate::EstimateError| SensitivityError::Other(e.to_string());
    let mut filter = Filter::new(&data.time[..seen], 0.0, options.low_pass, options.every)?;
    let robust = options.loss != Loss::Quadratic;
    let never_negative: Vec<usize> = (0..np).filter(|k| parameters.is_never_negative(*k)).collect();
    let evaluations = std::cell::Cell::new(0);
    // Held parameters do not affect any row.
    let run = |filter: &Filter, sigma: &[f64], start: &[f64], loss: Loss, held: &[usize]| {
        let options =
            Options { loss, regularizer: pull.clone(), rank_tolerance: options.tolerance, ..Options::default() };
        let evaluate = |p: &[f64], r: &mut [f64], j: &mut DMatrix<f64>| {
            filtered(parameters, data, seen, filter, sigma, p, r, j).map_err(|e| e.to_string())?;
            held.iter().for_each(|k| j.column_mut(*k).fill(0.0));
            Ok(())
        };
        let own = if entropic.is_some() { Some(&entropic_rows as _) } else { None };
        let rows = filter.kept.len() * nv;
        if rows < np {
            return Err(SensitivityError::Length { what: "torques to fit", expected: np, found: rows });
        }
        let found = levenberg_marquardt_with(&Euclidean(np), start, rows, evaluate, own, &never_negative, &options)
            .map_err(refuse)?;
        evaluations.set(evaluations.get() + found.evaluations);
        Ok(found)
    };
    let both = |filter: &Filter, start: &[f64]| -> Result<(Estimate, Vec<f64>), SensitivityError> {
        // Noise of each joint from a first fit: torques of a wrist must not be weighted like those of a shoulder.
        let first = run(filter, &vec![1.0; nv], start, Loss::Quadratic, &[])?;
        let mut noise = deviations(&first.residuals, &vec![1.0; nv], robust);
        let mut estimate = run(filter, &noise, &first.parameters, options.loss, &[])?;
        if robust {
            // Outliers affect the first fit, so the noise is from a robust one.
            for _ in 0..2 {
                noise = deviations(&estimate.residuals, &noise, robust);
                estimate = run(filter, &noise, &estimate.parameters, options.loss, &[])?;
            }
        }
        Ok((estimate, noise))
    };
    let (mut estimate, mut noise) = both(&filter, &nominal)?;
    let mut delay = None;
    // Torques that are all zero have no delay.
    if options.delay && !still {
        // Parameters fitted with a wrong delay are wrong, and so is the delay estimated with them: two iterations are
        // enough.
        for _ in 0..2 {
            delay = super::delay::delay(parameters, data, seen, &noise, &estimate.parameters)?;
            let Some(late) = delay.filter(|delay| delay.significant) else { break };
            filter = Filter::new(&data.time[..seen], late.seconds, options.low_pass, options.every)?;
            (estimate, noise) = both(&filter, &estimate.parameters)?;
        }
        if let Some(Delay { seconds, deviation, .. }) = delay.filter(|delay| delay.significant) {
            warnings.push(Warning::Late { delay: seconds, deviation, corrected: true });
        } else if filter.is_late() {
            filter = Filter::new(&data.time[..seen], 0.0, options.low_pass, options.every)?;
            (estimate, noise) = both(&filter, &estimate.parameters)?;
        }
    }
    let rows = filter.kept.len() * nv;
    let identifiability_of_data = estimate.identifiability.clone();
    // One parameter of each unidentifiable direction keeps its value; the others are then identifiable.
    let mut cannot_tell = identifiability_of_data.sentences(&parameters.names());
    let mut held = Vec::new();
    let pulled = pull.is_some() || entropic.is_some();
    if !pulled {
        held = identifiability_of_data.pivots();
    }
    let size = |j: usize| sizes[j].iter().map(|size| (size / noise[j]).powi(2)).sum::<f64>();
    let measured = (0..nv).map(size).sum::<f64>().sqrt();
    let mut jacobian = DMatrix::zeros(rows, np);
    loop {
        if !held.is_empty() {
            let mut start = estimate.parameters.clone();
            held.iter().for_each(|k| start[*k] = nominal[*k]);
            estimate = run(&filter, &noise, &start, options.loss, &held)?;
            held.iter().for_each(|k| estimate.parameters[*k] = nominal[*k]);
        }
        let mut r = vec![0.0; rows];
        filtered(parameters, data, seen, &filter, &noise, &estimate.parameters, &mut r, &mut jacobian)?;
        held.iter().for_each(|k| jacobian.column_mut(*k).fill(0.0));
        // If one standard deviation of it moves torques by more than all measured ones, it is not identified.
        let effect = |k: &usize| estimate.deviation(*k).unwrap_or(0.0) * jacobian.column(*k).norm() / measured;
        // A regularizer determines what the data do not.
        let free = (0..np).filter(|k| !pulled && !held.contains(k) && effect(k).is_finite() && effect(k) > 1.0);
        match free.max_by(|a, b| effect(a).total_cmp(&effect(b))) {
            Some(k) if held.len() + 1 < np => {
                let name = &parameters.names()[k];
                cannot_tell
                    .push(format!("`{name}`: its standard deviation moves torques by more than all measured torques"));
                held.push(k);
            }
            _ => break,
        }
    }
    held.sort_unstable();
    estimate.identifiability = identifiability_of_data;
    let is_zero = |k: &usize| estimate.parameters[*k] <= 0.0 && !held.contains(k);
    let at_zero: Vec<usize> = never_negative.iter().copied().filter(is_zero).collect();
    let names: Vec<String> = {
        let all = model.dof_names();
        dofs.iter().map(|j| all[*j].clone()).collect()
    };
    let (mut effective_samples, mut correlations) = (vec![filter.kept.len() as f64; nv], vec![0.0; nv]);
    // Data d ± σ and a prior p₀ ± s give an estimate p of variance V with (p − p₀)² / (s² − V) = (d − p₀)² / (s² + σ²).
    let variance = |k: usize| Some(estimate.covariance.as_ref()?[(k, k)] / estimate.scale?.powi(2));
    let from_prior: Vec<Option<f64>> = (0..np)
        .map(|k| {
            let sd = options.prior.as_ref()?[k];
            let told = sd * sd - variance(k)?;
            let moved = estimate.parameters[k] - nominal[k];
            sd.is_finite().then(|| if told > 1e-9 * sd * sd { moved / told.sqrt() } else { 0.0 })
        })
        .collect();
    if options.color {
        let color = |j: usize| {
            let series: Vec<f64> =
                (j..rows).step_by(nv).map(|i| estimate.residuals[i] * estimate.weights[i].sqrt()).collect();
            Color::of(&series, &filter.kept_segments, nv)
        };
        let colors: Vec<Color> = (0..nv).map(color).collect();
        for (j, color) in colors.iter().enumerate() {
            effective_samples[j] = color.effective;
            correlations[j] = if color.white { 0.0 } else { color.correlation };
            let rms =
                |of: &dyn Fn(usize) -> f64, n: usize| ((0..n).map(|i| of(i).powi(2)).sum::<f64>() / n as f64).sqrt();
            let left = rms(&|i| estimate.residuals[i * nv + j] * noise[j], filter.kept.len());
            // Data without noise leave the error of differences of velocities.
            if !color.white && left > NOISE_FREE * rms(&|i| sizes[j][i], seen) {
                warnings.push(Warning::Color {
                    joint: names[j].clone(),
                    correlation: color.correlation,
                    effective: color.effective,
                    samples: filter.kept.len(),
                });
            }
        }
        correct(&mut estimate, &jacobian, &filter.kept_segments, &colors);
    }
    // Regularized and robust fits move differently with more noise.
    if !pulled && !robust {
        let free: Vec<usize> = (0..np).filter(|k| !held.contains(k) && !at_zero.contains(k)).collect();
        let moved = super::attenuation::attenuation(parameters, data, &filter, &noise, &estimate.parameters, &free)?;
        for (k, moved) in free.iter().zip(moved.into_iter().flatten()) {
            let deviations = estimate.deviation(*k).map_or(0.0, |sd| moved / sd);
            if deviations.is_finite() && deviations.abs() > PULLED {
                let parameter = parameters.names()[*k].clone();
                warnings.push(Warning::Attenuated { parameter, deviations });
            }
        }
    }
    for (k, deviations) in from_prior.iter().enumerate() {
        if let Some(deviations) = deviations.filter(|d| d.abs() > 3.0) {
            warnings.push(Warning::Prior { parameter: parameters.names()[k].clone(), deviations });
        }
    }
    let late = delay.filter(|delay| delay.significant).map_or(0.0, |delay| delay.seconds);
    let with_delay = Filter::new(&all.time, late, options.low_pass, options.every)?;
    let as_given = Filter::new(&all.time, 0.0, options.low_pass, options.every)?;
    let fitted = errors(parameters, all, &with_delay, &estimate.parameters)?;
    let before = errors(parameters, all, &as_given, &nominal)?;
    let found = Verdict::of(parameters, all, [&fitted, &before], (&held_out, &names, &correlations))?;
    let Verdict { joints, validation, explanations, explains, warnings: unexplained } = found;
    warnings.extend(unexplained);
    let robot = parameters.robot_at(&estimate.parameters)?;
    let changed: Vec<usize> = parameters.bodies();
    let why = |b: &usize| {
        let body = &robot.bodies()[*b];
        body.inertia().validity().err().map(|e| (body.name().to_owned(), e.to_string()))
    };
    Ok(Fit {
        parameters: parameters.names(),
        noise,
        joints,
        validation,
        held_out,
        compared: fitted.into_iter().map(Row::compared).collect(),
        warnings,
        cannot_tell,
        at_zero,
        not_physical: changed.iter().filter_map(why).collect(),
        held,
        evaluations: evaluations.get(),
        delay,
        effective_samples,
        from_prior,
        explains,
        explanations,
        estimate,
    })
}

/// An estimate that is biased by more than this share of its standard deviation has an interval with less coverage: 83
/// % instead of 95 % at one.
const PULLED: f64 = 1.0;
/// The relative residual of data without noise, but with differences for derivatives, is below this.
const NOISE_FREE: f64 = 1e-4;
/// The standard deviation of each joint's noise; of a robust fit by the median of the absolute residuals.
fn deviations(residuals: &[f64], sigma: &[f64], robust: bool) -> Vec<f64> {
    let nv = sigma.len();
    let of = |j: usize| {
        let mut r: Vec<f64> = residuals.iter().skip(j).step_by(nv).map(|r| (r * sigma[j]).abs()).collect();
        let size = if robust {
            r.sort_by(f64::total_cmp);
            // Half of all normal numbers are within 0.6745 standard deviations.
            r.get(r.len() / 2).copied().unwrap_or(0.0) / 0.6745
        } else {
            (r.iter().map(|r| r * r).sum::<f64>() / r.len() as f64).sqrt()
        };
        // Noise-free data leave rounding.
        size.max(1e-9)
    };
    (0..nv).map(of).collect()
}

/// Samples, in order.
type Ranges = Vec<Range<usize>>;

/// The ranges that are fitted and held out, of n samples.
fn split(n: usize, options: &FitOptions) -> Result<(Ranges, Ranges), SensitivityError> {
    let held: Ranges = match &options.held_out {
        Some(range) => {
            if range.start > range.end || range.end > n {
                let rule = "expected a range within the data";
                let what = "the end of the samples held out".to_owned();
                return Err(SensitivityError::Number { what, value: range.end as f64, rule });
            }
            vec![range.clone()]
        }
        None => {
            let end = |block: usize| (block + 1) * n / options.blocks;
            let of = |block: usize| {
                let length = end(block) - block * n / options.blocks;
                end(block) - (options.hold_out * length as f64).round() as usize..end(block)
            };
            (0..options.blocks.min(n)).map(of).collect()
        }
    };
    let held: Ranges = held.into_iter().filter(|range| !range.is_empty()).collect();
    let ends = std::iter::once(0).chain(held.iter().map(|range| range.end));
    let starts = held.iter().map(|range| range.start).chain(std::iter::once(n));
    Ok((ends.zip(starts).map(|(from, to)| from..to).filter(|range| !range.is_empty()).collect(), held))
}
