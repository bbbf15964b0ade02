//! The bias of estimates by noise of positions, velocities and accelerations: least squares is biased, mostly toward
//! zero.
//!
//! The noise of the data, as seen in their sixth differences, is added to them once more, and the estimate moves by
//! about as much again as it is biased already (simulation and extrapolation). The opposite noise is used too, so that
//! terms linear in it cancel.
//!
//! Source: J. Cook, L. Stefanski, *Simulation-extrapolation estimation in parametric measurement error models*, JASA
//! 89, 1994.

use super::Data;
use super::data::noise_of;
use super::differences::segments;
use super::filter::Filter;
use super::rows::filtered;
use crate::error::SensitivityError;
use crate::parameters::Parameters;
use crate::statistics::normal_quantile;
use nalgebra::{DMatrix, DVector};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Noise below this share of its signal biases by less than a deviation in any fit of fewer than 10⁶ samples: the bias
/// is about `noise/signal √n`.
const LEAST: f64 = 1e-3;

/// The approximate bias of each parameter of `free`; `None` if there is no significant noise.
pub(super) fn attenuation(
    parameters: &Parameters,
    data: &Data,
    filter: &Filter,
    noise: &[f64],
    p: &[f64],
    free: &[usize],
) -> Result<Option<Vec<f64>>, SensitivityError> {
    let model = parameters.robot();
    let (nv, n, segments) = (model.nv(), data.len(), segments(&data.time));
    let sd = |series: Vec<f64>| {
        let size = (series.iter().map(|x| x * x).sum::<f64>() / series.len() as f64).sqrt();
        noise_of(&series, &segments).filter(|sd| *sd > LEAST * size).unwrap_or(0.0)
    };
    let rates =
        |rows: &[Vec<f64>]| -> Vec<f64> { (0..nv).map(|j| sd(rows.iter().map(|row| row[j]).collect())).collect() };
    let mut of_q = vec![0.0; nv];
    for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
        // Poses of bases are ignored: they have less influence than their rates.
        if body.q_range().len() == body.v_range().len() {
            for (k, j) in body.q_range().zip(body.v_range()) {
                of_q[j] = sd(data.q.iter().map(|row| row[k]).collect());
            }
        }
    }
    let (of_v, of_a) = (rates(&data.v), rates(&data.a));
    if free.is_empty() || of_q.iter().chain(&of_v).chain(&of_a).all(|sd| *sd == 0.0) {
        return Ok(None);
    }
    let rows = filter.kept.len() * noise.len();
    let step = |data: &Data| -> Result<DVector<f64>, SensitivityError> {
        let (mut r, mut all) = (vec![0.0; rows], DMatrix::zeros(rows, p.len()));
        filtered(parameters, data, n, filter, noise, p, &mut r, &mut all)?;
        let qr = all.select_columns(free).qr();
        let b = qr.q().tr_mul(&DVector::from_vec(r));
        Ok(qr.r().solve_upper_triangular(&b).map_or_else(|| DVector::zeros(free.len()), |x| -x))
    };
    // The fit ended where the step is zero, up to its filter of delays.
    let here = step(data)?;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut draw = |sd: &[f64]| -> Vec<Vec<f64>> {
        let mut normal = |sd: &f64| sd * normal_quantile(rng.random_range(1e-12..1.0)).unwrap_or(0.0);
        (0..n).map(|_| sd.iter().map(&mut normal).collect()).collect()
    };
    let (dq, dv, da) = (draw(&of_q), draw(&of_v), draw(&of_a));
    let mut pulled = DVector::zeros(free.len());
    for sign in [1.0, -1.0] {
        let mut noisy = data.clone();
        for i in 0..n {
            let turn: Vec<f64> = dq[i].iter().map(|x| sign * x).collect();
            noisy.q[i] = model.integrate(&data.q[i], &turn)?;
            noisy.v[i].iter_mut().zip(&dv[i]).for_each(|(v, x)| *v += sign * x);
            noisy.a[i].iter_mut().zip(&da[i]).for_each(|(a, x)| *a += sign * x);
        }
        pulled += step(&noisy)? - &here;
    }
    Ok(Some((0.5 * pulled).as_slice().to_vec()))
}
