//! Covariances by random samples.

use super::covariance::{check, root};
use super::error::{expect_finite, expect_size};
use super::expansion::symmetric;
use super::mean::mean;
use super::{Manifold, Moments, UncertaintyError};
use crate::global::open;
use crate::statistics::{Columns, Interval, Resampling, deviations, dot, multiplier, normal, stream};
use nalgebra::DMatrix;
use rand::RngExt;
use rayon::prelude::*;

/// Options: samples and intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MonteCarlo {
    /// The number of samples.
    pub samples: usize,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The options of intervals.
    pub resampling: Resampling,
}

/// The result of sampling.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// Mean and covariance.
    pub moments: Moments,
    /// Half the width of the interval of the mean, in each direction at the mean; empty if no intervals were requested.
    pub mean_half_width: Vec<f64>,
    /// The standard deviation in each direction, with its interval.
    pub deviation: Vec<Interval>,
    /// The number of excluded samples, whose outputs are not finite.
    pub kept_out: usize,
}

/// The number of samples that are evaluated together.
const BLOCK: usize = 64;

/// Mean and covariance of `y = f(x ⊕ δ)`, `δ ~ N(0, P)`, from random samples: the same bits for any number of threads.
///
/// `f(x, y)`: x holds at most 64 points one after the other; their outputs are written to y.
///
/// # Errors
/// As [`unscented`](super::unscented); fewer than two samples; an invalid level; more than 1 % of samples whose outputs
/// are not finite.
pub fn monte_carlo(
    inputs: &(impl Manifold + Sync),
    x: &[f64],
    p: &DMatrix<f64>,
    outputs: &impl Manifold,
    f: impl Fn(&[f64], &mut [f64]) + Sync,
    options: &MonteCarlo,
) -> Result<Sampled, UncertaintyError> {
    let (n, nx, ny) = (inputs.directions(), inputs.coordinates(), outputs.coordinates());
    let MonteCarlo { samples, seed, resampling } = *options;
    expect_size("the point", x.len(), nx)?;
    expect_finite("the point", x)?;
    check(p, n)?;
    check_options(options, nx.max(ny))?;
    let root = root(p)?;

    let mut y = Vec::new();
    let full =
        |_| UncertaintyError::Number { what: "the number of samples", value: samples as f64, rule: "memory is full" };
    y.try_reserve_exact(samples * ny).map_err(full)?;
    y.resize(samples * ny, f64::NAN);
    y.par_chunks_mut((BLOCK * ny).max(1)).enumerate().for_each(|(block, y)| {
        let mut rng = stream(seed, block as u64);
        let mut points = vec![0.0; y.len() / ny.max(1) * nx];
        let mut z = vec![0.0; n];
        for point in points.chunks_exact_mut(nx.max(1)) {
            z.iter_mut().for_each(|z| *z = normal::quantile(open(rng.random())));
            let step: Vec<f64> = root.row_iter().map(|row| row.iter().zip(&z).map(|(a, b)| a * b).sum()).collect();
            inputs.integrate(x, &step, point);
        }
        f(&points, y);
    });

    let kept_out = keep_finite(&mut y, ny)?;
    let count = samples - kept_out;
    let start = y[..ny].to_vec();
    let (mean, apart) = mean(outputs, &y, |_| 1.0 / count as f64, &start)?;
    let directions = outputs.directions();
    let by_direction: Vec<Vec<f64>> =
        (0..directions).map(|d| apart.iter().skip(d).step_by(directions).copied().collect()).collect();
    let freedom = (count - 1) as f64;
    let product = |i: usize, j: usize| dot(&by_direction[i], &by_direction[j]) / freedom;
    let covariance = symmetric(&DMatrix::from_fn(directions, directions, product));

    let mut half_widths = vec![];
    if resampling.times > 0 {
        let mut columns = Columns::new(count);
        by_direction.iter().for_each(|d| {
            columns.push(d.iter().copied());
            columns.push(d.iter().map(|d| d * d));
        });
        // Each pair of sums: the mean, and the standard deviation about it.
        let estimates = |sums: &Vec<f64>| -> Vec<f64> {
            let pair = |pair: &[f64]| {
                let mean = pair[0] / count as f64;
                [mean, ((pair[1] - mean * pair[0]).max(0.0) / freedom).sqrt()]
            };
            sums.as_chunks::<2>().0.iter().flat_map(|sums| pair(sums)).collect()
        };
        let again: Vec<Vec<f64>> = columns.resampled(&resampling).iter().map(estimates).collect();
        half_widths = deviations(&again).iter().map(|d| multiplier(resampling.level) * d).collect();
    }
    let deviation = (0..directions).map(|d| Interval {
        value: covariance[(d, d)].max(0.0).sqrt(),
        half_width: half_widths.get(2 * d + 1).copied(),
    });
    let deviation = deviation.collect();
    let mean_half_width = half_widths.iter().step_by(2).copied().collect();
    Ok(Sampled { moments: Moments { mean, covariance }, mean_half_width, deviation, kept_out })
}

fn check_options(options: &MonteCarlo, numbers: usize) -> Result<(), UncertaintyError> {
    let samples = options.samples;
    // A double has eight bytes, and the largest object is half of the address range.
    if samples < 2 || samples.checked_mul(numbers).is_none_or(|all| all > isize::MAX as usize / 8) {
        let (what, rule) = ("the number of samples", "it must be at least 2, and fit into memory");
        return Err(UncertaintyError::Number { what, value: samples as f64, rule });
    }
    if let Some((what, value, rule)) = options.resampling.fault() {
        return Err(UncertaintyError::Number { what, value, rule });
    }
    Ok(())
}

/// Removes samples that are not finite. Returns their number.
fn keep_finite(y: &mut Vec<f64>, each: usize) -> Result<usize, UncertaintyError> {
    if each == 0 {
        return Ok(0);
    }
    let total = y.len() / each;
    let finite = |y: &[f64]| y.iter().all(|y| y.is_finite());
    let failed: Vec<usize> = (0..total).filter(|i| !finite(&y[i * each..][..each])).collect();
    if failed.len() > total / 100 {
        return Err(UncertaintyError::Failed {
            samples: failed[..failed.len().min(10)].to_vec(),
            count: failed.len(),
            total,
        });
    }
    if !failed.is_empty() {
        *y = y.chunks_exact(each).filter(|y| finite(y)).flatten().copied().collect();
    }
    Ok(failed.len())
}
