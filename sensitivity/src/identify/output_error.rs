//! Output error of a log: the simulation, driven by the measured torques, is fitted to positions and velocities.
//!
//! The log is cut into pieces, each of which begins at its measured state, so that errors of the start do not grow
//! without bound. Torques are those of the middle of each step, `½ (τ_k + τ_{k+1})`, steps those of [`Scheme::Rk4`].
//! Residuals of positions and of velocities are in units of their own standard deviations by joint, from a first fit.

use super::differences::segments;
use super::motion::{Piece, fit_pieces};
use super::{Data, Measured, MotionFit, Warning};
use crate::error::SensitivityError;
use crate::estimate::Options;
use crate::parameters::Parameters;
use crate::rollout::{Rollout, Scheme};
use gradyn_trajectory::step::Actuation;
use std::ops::Range;

/// Options of a fit by output error.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputErrorOptions {
    /// Samples of a piece: two or more. Long pieces have more information on slow effects, and amplify errors of the
    /// start more.
    pub samples: usize,
    /// The share of the pieces, at the end, that is held out.
    pub hold_out: f64,
}

impl Default for OutputErrorOptions {
    fn default() -> Self {
        Self { samples: 50, hold_out: 0.3 }
    }
}

/// Errors of simulated positions of a joint, root mean square.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionError {
    /// The joint.
    pub joint: String,
    /// Over the fitted pieces, rad (m).
    pub fitted: f64,
    /// Over the held-out pieces; NaN if there are none.
    pub held_out: f64,
    /// The same for the given robot; over all if nothing was held out.
    pub before: f64,
}

/// The result of a fit by output error.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputErrorFit {
    /// Estimates, their covariance, identifiability, and the growth of errors over a piece.
    pub motion: MotionFit,
    /// Errors by joint.
    pub joints: Vec<PositionError>,
    /// Samples of each piece.
    pub pieces: Vec<Range<usize>>,
    /// The first held-out piece.
    pub held_out: usize,
    /// Warnings about the data.
    pub warnings: Vec<Warning>,
    /// Whether less than 90 % of the positions' errors remain, on held-out pieces.
    pub explains: bool,
}

/// A remaining error above this share of the one before is not a fit.
const CLEARLY: f64 = 0.9;
/// Errors of positions below this, rad or m, are rounding.
const EXACT: f64 = 1e-9;

/// Fits a log by output error, beginning at the robot's own values.
///
/// # Errors
/// Invalid data ([`Data::fits`]) or options; unmeasured torques of some joints; no piece to fit; a parameter of the
/// start of a trajectory, because each piece begins at its measured state; a simulation that cannot be computed at the
/// robot's own values.
pub fn fit_output_error(
    parameters: &Parameters,
    data: &Data,
    options: &OutputErrorOptions,
) -> Result<OutputErrorFit, SensitivityError> {
    let model = parameters.robot();
    let nv = model.nv();
    let warnings = data.check(model)?;
    if parameters.is_empty() {
        return Err(SensitivityError::Other("no parameter is selected for the fit".into()));
    }
    if let Some(start) = parameters.iter().find(|p| p.is_of_the_start()) {
        let why = "output error begins each piece at its measured state: leave out";
        return Err(SensitivityError::Other(format!("{why} `{}`", start.name())));
    }
    if data.rows(nv).len() < nv {
        return Err(SensitivityError::Other("output error needs the torques of all joints".into()));
    }
    if options.samples < 2 {
        let (what, value) = ("the number of samples of a piece".into(), options.samples as f64);
        return Err(SensitivityError::Number { what, value, rule: "expected two or more" });
    }
    if options.hold_out.is_nan() || !(0.0..1.0).contains(&options.hold_out) {
        let rule = "expected a share from 0 to below 1";
        return Err(SensitivityError::Number { what: "the share held out".into(), value: options.hold_out, rule });
    }
    let mut pieces = Vec::new();
    for segment in segments(&data.time) {
        let mut start = segment.start;
        // A piece ends where the next one begins.
        while start + 1 < segment.end {
            let end = (start + options.samples).min(segment.end);
            pieces.push(start..end);
            start = end - 1;
        }
    }
    let held_out = pieces.len() - (options.hold_out * pieces.len() as f64).round() as usize;
    let of = |range: &Range<usize>, sd_q: &[f64], sd_v: &[f64]| -> Result<Piece<'_>, SensitivityError> {
        let steps = range.start..range.end - 1;
        let between = |k: usize| data.tau[k].iter().zip(&data.tau[k + 1]).map(|(a, b)| 0.5 * (a + b)).collect();
        let controls: Vec<Vec<f64>> = steps.clone().map(between).collect();
        let lengths: Vec<f64> = steps.clone().map(|k| data.time[k + 1] - data.time[k]).collect();
        let run = Rollout::with_actuation(parameters, Scheme::Rk4, lengths[0], Actuation::Full(nv), controls)?;
        let state = |k: usize| (data.q[k].clone(), data.v[k].clone());
        let states = steps.map(|k| (k + 1 - range.start, state(k + 1))).collect();
        let measured = Measured { states, sd_q: sd_q.to_vec(), sd_v: sd_v.to_vec() };
        Ok(Piece { run: run.lengths(&lengths)?, start: state(range.start), measured })
    };
    let all = |ranges: &[Range<usize>], sd_q: &[f64], sd_v: &[f64]| {
        ranges.iter().map(|range| of(range, sd_q, sd_v)).collect::<Result<Vec<_>, _>>()
    };
    let ones = vec![1.0; nv];
    let solver = Options::default();
    let first = fit_pieces(&all(&pieces[..held_out], &ones, &ones)?, &solver)?;
    let residuals = &first.estimate.residuals;
    let sd = |from: usize, k: usize| {
        let of = residuals.iter().skip(from + k).step_by(2 * nv);
        let n = residuals.len() / (2 * nv);
        // Noise-free data leave rounding.
        (of.map(|r| r * r).sum::<f64>() / n as f64).sqrt().max(1e-9)
    };
    let (sd_q, sd_v): (Vec<f64>, Vec<f64>) = (0..nv).map(|k| (sd(0, k), sd(nv, k))).unzip();
    let motion = fit_pieces(&all(&pieces[..held_out], &sd_q, &sd_v)?, &solver)?;
    let squares = |p: &[f64], ranges: &[Range<usize>]| -> Result<(Vec<f64>, usize), SensitivityError> {
        let (mut sum, mut n) = (vec![0.0; nv], 0);
        for Piece { run, start, measured } in all(ranges, &ones, &ones)? {
            let states = run.simulate(p, &start.0, &start.1)?;
            for (node, (q, _)) in &measured.states {
                let apart = model.difference(q, &states[*node].0)?;
                sum.iter_mut().zip(&apart).for_each(|(sum, x)| *sum += x * x);
                n += 1;
            }
        }
        Ok((sum, n))
    };
    let rms = |(sum, n): &(Vec<f64>, usize)| sum.iter().map(|sum| (sum / *n as f64).sqrt()).collect::<Vec<f64>>();
    let found = &motion.estimate.parameters;
    let (fitted, rest) = (rms(&squares(found, &pieces[..held_out])?), rms(&squares(found, &pieces[held_out..])?));
    let tried = if held_out < pieces.len() { &pieces[held_out..] } else { &pieces[..] };
    let before = rms(&squares(&parameters.nominal(), tried)?);
    let left = if held_out < pieces.len() { &rest } else { &fitted };
    // Each joint in units of its own residuals: radians and meters do not mix.
    let total = |of: &[f64]| of.iter().zip(&sd_q).map(|(x, sd)| (x / sd).powi(2)).sum::<f64>().sqrt();
    let explains = left.iter().all(|x| *x < EXACT) || total(left) < CLEARLY * total(&before);
    let names = model.dof_names();
    let joint =
        |k: usize| PositionError { joint: names[k].clone(), fitted: fitted[k], held_out: rest[k], before: before[k] };
    let joints = (0..nv).map(joint).collect();
    Ok(OutputErrorFit { joints, pieces, held_out, warnings, explains, motion })
}
