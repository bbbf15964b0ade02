//! Parameters that explain measured torques.
//!
//! `min Σ ρ((τ_j − τ_j(q, v, a; p))/σ_j) + ½ (p − p₀)ᵀ Λ (p − p₀) + γ Σ D(P ‖ P₀)`, σ of each joint found from the residuals of a first
//! fit, D the [`divergence`](super::divergence()) of each link whose inertia varies. With log-Cholesky parameters, or with γ above zero,
//! every iterate is physical. Friction and armature are parameters like others.

use super::entropic::Entropic;
use super::{Data, Warning};
use crate::error::SensitivityError;
use crate::estimate::{Estimate, Loss, Options, Pull, identifiability, levenberg_marquardt_with};
use crate::local::torques_by_parameters;
use crate::parameters::Parameters;
use gradyn::derivatives::difference::Euclidean;
use gradyn::{Workspace, rnea};
use nalgebra::DMatrix;
use std::ops::Range;

/// How to fit.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// What a residual costs, in units of its joint's noise.
    pub loss: Loss,
    /// Standard deviations about the robot's own values, one a parameter; infinite: none.
    pub prior: Option<Vec<f64>>,
    /// γ of an entropic pull of each inertia that varies towards the robot's own, in units of half a squared residual: whatever the units,
    /// frames and charts. Data take over as it goes to zero; where they say nothing, any γ above zero does.
    pub entropic: Option<f64>,
    /// The share of the data, at the end, that the fit does not see.
    pub hold_out: f64,
    /// Directions along which the data say less than this part of the best are not identifiable.
    pub tolerance: f64,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { loss: Loss::Quadratic, prior: None, entropic: None, hold_out: 0.3, tolerance: 1e-10 }
    }
}

/// How far predicted torques are from measured ones.
#[derive(Clone, Debug, PartialEq)]
pub struct JointError {
    /// The joint.
    pub joint: String,
    /// Root mean square over what was fitted, N m.
    pub fitted: f64,
    /// Over what was held out, N m; not a number if nothing was.
    pub held_out: f64,
    /// The same of the robot as it was given.
    pub before: f64,
}

/// The same over all joints, relative to the measured torques.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Validation {
    /// `|τ − τ̂| / |τ|` over what was fitted.
    pub fitted: f64,
    /// Over what was held out; not a number if nothing was.
    pub held_out: f64,
    /// Over what was held out, or all if nothing was, of the robot as it was given.
    pub before: f64,
}

/// What a fit found.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Names of the parameters.
    pub parameters: Vec<String>,
    /// Estimates, certainty, what cannot be told.
    pub estimate: Estimate,
    /// Noise of each joint, N m.
    pub noise: Vec<f64>,
    /// Errors by joint.
    pub joints: Vec<JointError>,
    /// Errors of the whole.
    pub validation: Validation,
    /// Samples that were held out.
    pub held_out: Range<usize>,
    /// What is odd about the data.
    pub warnings: Vec<Warning>,
    /// Combinations that the data cannot tell, in words.
    pub cannot_tell: Vec<String>,
    /// Frictions, dampings and armatures that would fit better below zero, by their places: they are zero.
    pub at_zero: Vec<usize>,
    /// Bodies whose inertia is not physical, and why.
    pub not_physical: Vec<(String, String)>,
}

/// Fits parameters to data; starts at the robot's own values.
///
/// # Errors
/// What is wrong with the data ([`Data::fits`]), with the options, or with the start; an inertia of the robot that is not physical, where
/// there is an entropic pull towards it.
pub fn fit(parameters: &Parameters, data: &Data, options: &FitOptions) -> Result<Fit, SensitivityError> {
    let model = parameters.robot();
    if parameters.is_empty() {
        return Err(SensitivityError::Other("no parameter was chosen to be fitted".into()));
    }
    let warnings = data.check(model)?;
    if options.hold_out.is_nan() || !(0.0..1.0).contains(&options.hold_out) {
        let rule = "expected a share from 0 to below 1";
        return Err(SensitivityError::Number { what: "the share held out".into(), value: options.hold_out, rule });
    }
    let (nv, np, n) = (model.nv(), parameters.len(), data.len());
    let seen = n - (options.hold_out * n as f64).round() as usize;
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
            Some(Pull { at: nominal.clone(), information })
        }
    };
    let entropic = options.entropic.map(|weight| Entropic::new(parameters, weight)).transpose()?;
    let entropic_rows = |p: &[f64]| entropic.as_ref()?.rows(p);
    let refuse = |e: crate::estimate::EstimateError| SensitivityError::Other(e.to_string());
    let run = |sigma: &[f64], start: &[f64], loss: Loss| {
        let options = Options { loss, pull: pull.clone(), rank_tolerance: options.tolerance, ..Options::default() };
        let evaluate = |p: &[f64], r: &mut [f64], j: &mut DMatrix<f64>| {
            residuals(parameters, data, 0..seen, sigma, p, r, j).map_err(|e| e.to_string())
        };
        let own = if entropic.is_some() { Some(&entropic_rows as _) } else { None };
        levenberg_marquardt_with(&Euclidean(np), start, seen * nv, evaluate, own, &options).map_err(refuse)
    };
    // Noise of each joint from a first fit: torques of a wrist must not count as those of a shoulder.
    let first = run(&vec![1.0; nv], &nominal, Loss::Quadratic)?;
    let noise: Vec<f64> = (0..nv)
        .map(|j| {
            let of_joint = first.residuals.iter().skip(j).step_by(nv);
            let rms = (of_joint.map(|r| r * r).sum::<f64>() / seen as f64).sqrt();
            // Noise-free data leave rounding.
            rms.max(1e-9)
        })
        .collect();
    let mut estimate = run(&noise, &first.parameters, options.loss)?;
    let at_zero: Vec<usize> =
        (0..np).filter(|k| parameters.is_never_negative(*k) && estimate.parameters[*k] <= 0.0).collect();
    if !at_zero.is_empty() {
        at_zero.iter().for_each(|k| estimate.parameters[*k] = 0.0);
        // A fit that went below zero has seen nothing of what is there at zero.
        let (mut r, mut j) = (vec![0.0; seen * nv], DMatrix::zeros(seen * nv, np));
        residuals(parameters, data, 0..seen, &noise, &estimate.parameters, &mut r, &mut j)?;
        estimate.identifiability = identifiability(&j, options.tolerance).map_err(refuse)?;
    }
    let fitted = errors(parameters, data, &estimate.parameters)?;
    let before = errors(parameters, data, &nominal)?;
    let rms = |errors: &[Vec<f64>], range: Range<usize>, j: usize| {
        let count = range.len() as f64;
        (errors[range].iter().map(|row| row[j] * row[j]).sum::<f64>() / count).sqrt()
    };
    let relative = |errors: &[Vec<f64>], range: Range<usize>| {
        let square = |rows: &[Vec<f64>]| rows.iter().flatten().map(|x| x * x).sum::<f64>();
        (square(&errors[range.clone()]) / square(&data.tau[range])).sqrt()
    };
    let names = model.dof_names();
    let joint = |j: usize| JointError {
        joint: names[j].clone(),
        fitted: rms(&fitted, 0..seen, j),
        held_out: rms(&fitted, seen..n, j),
        before: rms(&before, 0..n, j),
    };
    let of_rest = if seen < n { seen..n } else { 0..n };
    let validation = Validation {
        fitted: relative(&fitted, 0..seen),
        held_out: relative(&fitted, seen..n),
        before: relative(&before, of_rest),
    };
    let cannot_tell = estimate.identifiability.sentences(&parameters.names());
    let robot = parameters.robot_at(&estimate.parameters)?;
    let changed: Vec<usize> = parameters.bodies();
    let why = |b: &usize| {
        let body = &robot.bodies()[*b];
        body.inertia().validity().err().map(|e| (body.name().to_owned(), e.to_string()))
    };
    Ok(Fit {
        parameters: parameters.names(),
        noise,
        joints: (0..nv).map(joint).collect(),
        validation,
        held_out: seen..n,
        warnings,
        cannot_tell,
        at_zero,
        not_physical: changed.iter().filter_map(why).collect(),
        estimate,
    })
}

/// `τ − τ(p)` of all samples.
fn errors(parameters: &Parameters, data: &Data, p: &[f64]) -> Result<Vec<Vec<f64>>, SensitivityError> {
    let (model, offsets) = (parameters.robot_at(p)?, parameters.torque_offsets(p)?);
    let ws = &mut Workspace::new(&model);
    let mut all = Vec::with_capacity(data.len());
    for i in 0..data.len() {
        let tau = rnea(&model, ws, &data.q[i], &data.v[i], &data.a[i], &[])?;
        let off = |(j, tau): (usize, &f64)| data.tau[i][j] - offsets[j] - tau;
        all.push(tau.iter().enumerate().map(off).collect());
    }
    Ok(all)
}

pub(super) fn residuals(
    parameters: &Parameters,
    data: &Data,
    range: Range<usize>,
    sigma: &[f64],
    p: &[f64],
    r: &mut [f64],
    jacobian: &mut DMatrix<f64>,
) -> Result<(), SensitivityError> {
    // Below zero there is no friction: there it is none, and does nothing.
    let still: Vec<usize> = (0..p.len()).filter(|k| parameters.is_never_negative(*k) && p[*k] < 0.0).collect();
    let mut at = p.to_vec();
    still.iter().for_each(|k| at[*k] = 0.0);
    let p = &at[..];
    let model = parameters.robot_at(p)?;
    let chain = parameters.chain(p)?;
    let by_regressor = parameters.are_standard();
    let (ws, nv) = (&mut Workspace::new(&model), model.nv());
    let (offsets, sensors) = (parameters.torque_offsets(p)?, parameters.of_torque_sensors());
    let mut by = DMatrix::zeros(nv, p.len());
    for (row, i) in range.enumerate() {
        let (q, v, a) = (&data.q[i], &data.v[i], &data.a[i]);
        let tau = rnea(&model, ws, q, v, a, &[])?;
        for (j, sigma) in sigma.iter().enumerate() {
            r[row * nv + j] = (tau[j] + offsets[j] - data.tau[i][j]) / sigma;
        }
        torques_by_parameters(&model, ws, &chain, by_regressor, (q, v, a), &mut by)?;
        sensors.iter().for_each(|(dof, k)| by[(*dof, *k)] = 1.0);
        let mut to = jacobian.rows_mut(row * nv, nv);
        to.copy_from(&by);
        for (j, sigma) in sigma.iter().enumerate() {
            to.row_mut(j).unscale_mut(*sigma);
        }
    }
    still.iter().for_each(|k| jacobian.column_mut(*k).fill(0.0));
    without_rounding(jacobian);
    Ok(())
}

/// Columns below this part of the longest are rounding: of a joint that stands upright to the last bit but one, or of axes written with
/// ten digits.
const NOTHING: f64 = 1e-9;

/// Sets columns that are rounding to zero: scaled to unit length they would look like the others.
pub(crate) fn without_rounding(jacobian: &mut DMatrix<f64>) {
    let lengths: Vec<f64> = jacobian.column_iter().map(|column| column.norm()).collect();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    for (k, length) in lengths.iter().enumerate() {
        if *length <= NOTHING * longest {
            jacobian.column_mut(k).fill(0.0);
        }
    }
}
