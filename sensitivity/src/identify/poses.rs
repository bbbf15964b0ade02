//! Calibration: parameters with which a frame has its measured poses.
//!
//! ```text
//! min ½ Σ_k |(p_k(q_k; p) − p̂_k)/σ_p|² + |log(R_k R̂_kᵀ)/σ_R|²          δ log(R R̂ᵀ) = J_l⁻¹ θ
//! ```
//!
//! with θ the rotation of the frame in axes of the world. σ of positions and of rotations are from the residuals of a
//! first fit. (J. Hollerbach, W. Khalil, M. Gautier, *Model identification*, Springer Handbook of Robotics, 2016,
//! section 6.2.)

use crate::error::SensitivityError;
use crate::estimate::{Estimate, EstimateError, Options, levenberg_marquardt};
use crate::local::{StateOutput, local};
use crate::parameters::Parameters;
use gradyn::derivatives::difference::Euclidean;
use gradyn::dynamics::FrameRef;
use gradyn::once::frame_pose;
use gradyn::spatial::{jlog3, log3};
use gradyn::{Method, Transform};
use nalgebra::DMatrix;
use std::ops::Range;

/// Measured poses of a frame, in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Poses {
    /// The frame.
    pub frame: FrameRef,
    /// Configurations, nq each.
    pub q: Vec<Vec<f64>>,
    /// One pose per configuration.
    pub poses: Vec<Transform<f64>>,
    /// Whether rotations were measured. If not, those of `poses` do not count.
    pub rotations: bool,
}

/// Errors of poses, root mean square: of positions, m, and of rotations, rad. NaN if there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseError {
    /// m
    pub position: f64,
    /// rad
    pub rotation: f64,
}

/// The result of a calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseFit {
    /// The names of the parameters, in their order.
    pub parameters: Vec<String>,
    /// Estimates, their covariance, and identifiability.
    pub estimate: Estimate,
    /// The combinations that the poses cannot identify, in words. One parameter of each keeps its value.
    pub cannot_tell: Vec<String>,
    /// Parameters that keep their values, by their indices.
    pub held: Vec<usize>,
    /// Errors over the fitted poses.
    pub fitted: PoseError,
    /// Errors over the held-out poses.
    pub held_out: PoseError,
    /// Errors of the given robot, over the held-out poses, or over all if there are none.
    pub before: PoseError,
    /// The held-out poses.
    pub tried: Range<usize>,
    /// The distance of the frame from each pose, m and rad.
    pub errors: Vec<[f64; 2]>,
    /// Whether less than 90 % of the positions' error remains, on held-out poses.
    pub explains: bool,
}

/// A remaining error above this share of the one before is not a calibration.
const CLEARLY: f64 = 0.9;
/// Errors of positions below this, m, are rounding: there is nothing to calibrate.
const EXACT: f64 = 1e-9;

impl Poses {
    fn fits(&self, nq: usize) -> Result<(), SensitivityError> {
        if self.poses.len() != self.q.len() {
            let (expected, found) = (self.q.len(), self.poses.len());
            return Err(SensitivityError::Length { what: "the poses", expected, found });
        }
        match self.q.iter().find(|q| q.len() != nq) {
            Some(q) => Err(SensitivityError::Length { what: "q of a pose", expected: nq, found: q.len() }),
            None => Ok(()),
        }
    }

    /// Position and rotation from the measured pose to that of the frame.
    fn apart(&self, i: usize, is: &Transform<f64>) -> [f64; 6] {
        let measured = &self.poses[i];
        let position = is.translation - measured.translation;
        let turn =
            if self.rotations { log3(&(is.rotation * measured.rotation.transpose())) } else { Default::default() };
        [position.x, position.y, position.z, turn.x, turn.y, turn.z]
    }
}

/// Calibrates, beginning at the robot's own values, and holds out this share of the poses, the last ones.
///
/// # Errors
/// [`SensitivityError::Length`] for lists that do not fit the robot, or fewer numbers than parameters; a share that is
/// not from 0 to below 1; [`SensitivityError::Other`] for no parameter; input that the engine rejects.
pub fn fit_poses(parameters: &Parameters, poses: &Poses, hold_out: f64) -> Result<PoseFit, SensitivityError> {
    let np = parameters.len();
    if np == 0 {
        return Err(SensitivityError::Other("no parameter is selected for the fit".into()));
    }
    poses.fits(parameters.robot().nq())?;
    if hold_out.is_nan() || !(0.0..1.0).contains(&hold_out) {
        let rule = "expected a share from 0 to below 1";
        return Err(SensitivityError::Number { what: "the share held out".into(), value: hold_out, rule });
    }
    let n = poses.q.len();
    let seen = n - (hold_out * n as f64).round() as usize;
    let numbers = if poses.rotations { 6 } else { 3 };
    if seen * numbers < np {
        return Err(SensitivityError::Length { what: "numbers of poses to fit", expected: np, found: seen * numbers });
    }
    let refuse = |e: EstimateError| SensitivityError::Other(e.to_string());
    let run = |sigma: [f64; 2], start: &[f64], held: &[usize]| {
        let evaluate = |p: &[f64], r: &mut [f64], j: &mut DMatrix<f64>| {
            for i in 0..seen {
                let output = StateOutput::Pose { q: &poses.q[i], frame: poses.frame };
                let by = local(parameters, p, output, Method::Analytical).map_err(|e| e.to_string())?;
                let robot = parameters.robot_at(p).map_err(|e| e.to_string())?;
                let is = frame_pose(&robot, &poses.q[i], poses.frame).map_err(|e| e.to_string())?;
                let apart = poses.apart(i, &is);
                let mut block = by.jacobian.rows(0, numbers).into_owned();
                if poses.rotations {
                    let e = nalgebra::Vector3::new(apart[3], apart[4], apart[5]);
                    // J_l(e) = J_r(−e)
                    let turn = jlog3(-e) * block.rows(3, 3);
                    block.rows_mut(3, 3).copy_from(&turn);
                }
                for k in 0..numbers {
                    let sigma = sigma[k / 3];
                    r[numbers * i + k] = apart[k] / sigma;
                    j.row_mut(numbers * i + k).copy_from(&(block.row(k) / sigma));
                }
            }
            held.iter().for_each(|k| j.column_mut(*k).fill(0.0));
            Ok(())
        };
        levenberg_marquardt(&Euclidean(np), start, numbers * seen, evaluate, &Options::default()).map_err(refuse)
    };
    let nominal = parameters.nominal();
    let first = run([1.0; 2], &nominal, &[])?;
    let identifiability = first.identifiability.clone();
    let held = identifiability.pivots();
    let rms = |residuals: &[f64], of: usize| {
        let of: Vec<f64> =
            residuals.iter().enumerate().filter(|(k, _)| (k % numbers) / 3 == of).map(|(_, r)| r * r).collect();
        (of.iter().sum::<f64>() / of.len().max(1) as f64).sqrt().max(1e-12)
    };
    let mut start = first.parameters.clone();
    held.iter().for_each(|k| start[*k] = nominal[*k]);
    // With the held parameters, then in units of the residuals.
    let second = run([1.0; 2], &start, &held)?;
    let sigma = [rms(&second.residuals, 0), if poses.rotations { rms(&second.residuals, 1) } else { 1.0 }];
    let mut estimate = run(sigma, &second.parameters, &held)?;
    held.iter().for_each(|k| estimate.parameters[*k] = nominal[*k]);
    estimate.identifiability = identifiability;
    let errors = |p: &[f64]| -> Result<Vec<[f64; 2]>, SensitivityError> {
        let robot = parameters.robot_at(p)?;
        let of = |i: usize| {
            let apart = poses.apart(i, &frame_pose(&robot, &poses.q[i], poses.frame)?);
            let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
            Ok([norm(&apart[..3]), norm(&apart[3..])])
        };
        (0..n).map(of).collect()
    };
    let mean = |errors: &[[f64; 2]]| {
        let of = |k: usize| (errors.iter().map(|e| e[k] * e[k]).sum::<f64>() / errors.len() as f64).sqrt();
        PoseError { position: of(0), rotation: if poses.rotations { of(1) } else { f64::NAN } }
    };
    let (after, given) = (errors(&estimate.parameters)?, errors(&nominal)?);
    let (fitted, held_out) = (mean(&after[..seen]), mean(&after[seen..]));
    let before = mean(if seen < n { &given[seen..] } else { &given });
    let left = if seen < n { held_out } else { fitted };
    Ok(PoseFit {
        parameters: parameters.names(),
        cannot_tell: estimate.identifiability.sentences(&parameters.names()),
        estimate,
        held,
        fitted,
        held_out,
        before,
        tried: seen..n,
        errors: after,
        explains: left.position < EXACT || left.position < CLEARLY * before.position,
    })
}
