//! The delay of torques.
//!
//! The model's torques and their derivatives by parameters are delayed by d seconds, and d minimizes the residual:
//! `min_d min_δ |r(d) + J(d) δ|²`, in units of each joint's noise. Measured torques are unchanged, because
//! interpolation would remove noise from them.

use super::Data;
use super::color::Color;
use super::filter::Filter;
use super::rows::residuals;
use crate::error::SensitivityError;
use crate::parameters::Parameters;
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// The delay of torques relative to positions, velocities and accelerations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Delay {
    /// The delay, s; negative if torques are early.
    pub seconds: f64,
    /// Its standard deviation, s.
    pub deviation: f64,
    /// Whether it is more than noise: five standard deviations, and a twentieth of a step.
    pub significant: bool,
}

/// The largest delay that is tried, in samples, late or early.
const FARTHEST: f64 = 10.0;
/// The most entries of a Jacobian that are used.
const NUMBERS: usize = 200_000;

/// Estimates the delay; `None` if the data are too short.
pub(super) fn delay(
    parameters: &Parameters,
    data: &Data,
    seen: usize,
    noise: &[f64],
    p: &[f64],
) -> Result<Option<Delay>, SensitivityError> {
    let (nv, np, dofs) = (noise.len(), p.len(), data.rows(parameters.robot().nv()));
    let n = seen.min((NUMBERS / (nv * np)).max(200));
    let mut steps: Vec<f64> = data.time[..n].windows(2).map(|t| t[1] - t[0]).collect();
    steps.sort_by(f64::total_cmp);
    let Some(step) = steps.get(steps.len() / 2).copied() else { return Ok(None) };
    let farthest = FARTHEST.min((n / 8) as f64).floor();
    let widest = Filter::new(&data.time[..n], farthest * step, None, 1)?;
    let rows = widest.kept.len();
    if farthest < 1.0 || rows * nv <= 2 * np {
        return Ok(None);
    }
    let (mut r, mut jacobian) = (vec![0.0; n * nv], DMatrix::zeros(n * nv, np));
    residuals(parameters, data, 0..n, noise, p, &mut r, &mut jacobian)?;
    // The remaining error with a delay, and the residuals by joint.
    let left = |samples: f64| -> Result<(f64, DVector<f64>), SensitivityError> {
        let filter = Filter::new(&data.time[..n], samples * step, None, 1)?;
        let mut a = DMatrix::zeros(rows * nv, np);
        let mut b = DVector::zeros(rows * nv);
        for j in 0..nv {
            let series = |of: &dyn Fn(usize) -> f64| {
                let mut series: Vec<f64> = (0..n).map(of).collect();
                filter.late(&mut series);
                series
            };
            let measured = |i: usize| data.tau[i][dofs[j]] / noise[j];
            let model = series(&|i| r[i * nv + j] + measured(i));
            for (row, i) in widest.kept.iter().enumerate() {
                b[row * nv + j] = model[*i] - measured(*i);
            }
            for k in 0..np {
                let column = series(&|i| jacobian[(i * nv + j, k)]);
                for (row, i) in widest.kept.iter().enumerate() {
                    a[(row * nv + j, k)] = column[*i];
                }
            }
        }
        let q = a.qr().q();
        let residual = &b - &q * q.tr_mul(&b);
        Ok((residual.norm_squared(), residual))
    };
    let (at_zero, _) = left(0.0)?;
    let (mut best, mut least) = (0.0, at_zero);
    for samples in 1..=farthest as i32 {
        // If one sample more or less leaves more, the minimum is near zero.
        if samples == 2 && least >= at_zero {
            break;
        }
        for samples in [f64::from(samples), -f64::from(samples)] {
            let (square, _) = left(samples)?;
            if square < least {
                (best, least) = (samples, square);
            }
        }
    }
    // Parabolas through three points, closer each time.
    let mut width = 0.5;
    let mut curvature = 0.0;
    for _ in 0..3 {
        let (before, (at, _), behind) = (left(best - width)?.0, left(best)?, left(best + width)?.0);
        curvature = (before - 2.0 * at + behind) / (width * width);
        if curvature > 0.0 {
            best += ((before - behind) / (2.0 * width * curvature)).clamp(-width, width);
        }
        best = best.clamp(-farthest, farthest);
        width *= 0.5;
    }
    let (least, residual) = left(best)?;
    let worth = (0..nv).map(|j| {
        let series: Vec<f64> = residual.iter().skip(j).step_by(nv).copied().collect();
        Color::of(&series, &widest.kept_segments, nv).effective
    });
    // Correlated noise makes delays seem more certain than they are.
    let share = (worth.fold(f64::INFINITY, f64::min) / rows as f64).min(1.0);
    let variance = least / ((rows * nv - np) as f64 * share);
    let deviation = if curvature > 0.0 { (2.0 * variance / curvature).sqrt() } else { f64::INFINITY };
    let significant = best.abs() > 0.05 && best.abs() > 5.0 * deviation && at_zero - least > 25.0 * variance;
    Ok(deviation.is_finite().then_some(Delay { seconds: best * step, deviation: deviation * step, significant }))
}
