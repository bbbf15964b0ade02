//! Samples whose outputs are not finite: excluded and counted, up to 1 % of all.

use super::GlobalError;

/// The number of samples that a message names.
const NAMED: usize = 10;

/// The samples whose outputs are all finite.
#[derive(Debug)]
pub(super) struct Finite {
    /// One flag per sample.
    pub(super) flags: Vec<bool>,
    /// The number of samples with nonfinite outputs.
    pub(super) failed: usize,
}

impl Finite {
    /// The flags of outputs, sample after sample, with this many each.
    pub(super) fn of(outputs: &[f64], each: usize) -> Result<Self, GlobalError> {
        if each == 0 {
            return Err(GlobalError::Count { what: "the number of outputs", value: 0, rule: "there must be one" });
        }
        if !outputs.len().is_multiple_of(each) {
            return Err(GlobalError::Multiple { what: "the list of outputs", unit: each, found: outputs.len() });
        }
        let flags: Vec<bool> = outputs.chunks_exact(each).map(|y| y.iter().all(|y| y.is_finite())).collect();
        let total = flags.len();
        let failed = flags.iter().filter(|finite| !**finite).count();
        if failed > total / 100 {
            let samples = (0..total).filter(|i| !flags[*i]).take(NAMED).collect();
            return Err(GlobalError::Failed { samples, count: failed, total });
        }
        Ok(Self { flags, failed })
    }
}

/// One output of all samples, centered at its mean over the finite ones and divided by the largest distance from it, so
/// that no square overflows. Nonfinite values become zero.
#[derive(Debug)]
pub(super) struct Centered {
    /// One flag per sample.
    pub(super) values: Vec<f64>,
    /// The subtracted mean.
    pub(super) mean: f64,
    /// The divisor; one if all are the same.
    pub(super) scale: f64,
    /// Whether all are the same, up to rounding.
    pub(super) constant: bool,
    /// Whether one sample makes the scatter.
    pub(super) dominated: bool,
}

/// From this many samples, one that makes more than half of all squared distances from the mean is an outlier: for
/// smooth functions of bounded or normal parameters, none does.
const MANY: usize = 16;

impl Centered {
    pub(super) fn of(outputs: &[f64], each: usize, output: usize, finite: &Finite) -> Self {
        let n = finite.flags.len() - finite.failed;
        let column = outputs.iter().skip(output).step_by(each).zip(&finite.flags);
        let mut values: Vec<f64> = column.map(|(y, finite)| if *finite { *y } else { 0.0 }).collect();
        let largest = values.iter().fold(0.0_f64, |largest, y| largest.max(y.abs()));
        if largest <= 0.0 {
            return Self { values, mean: 0.0, scale: 1.0, constant: true, dominated: false };
        }
        // Halves, because the difference of two doubles of opposite signs may overflow.
        let unit = |y: f64| 0.5 * (y / largest);
        values.iter_mut().for_each(|y| *y = unit(*y));
        let mean = crate::statistics::sum(&values) / n.max(1) as f64;
        values.iter_mut().zip(&finite.flags).for_each(|(y, finite)| *y = if *finite { *y - mean } else { 0.0 });
        let distance = values.iter().fold(0.0_f64, |distance, y| distance.max(y.abs()));
        // A few roundings of numbers of unit size are not a scatter.
        let constant = distance <= 16.0 * f64::EPSILON;
        if constant {
            values.fill(0.0);
            return Self { values, mean: 2.0 * mean * largest, scale: 1.0, constant, dominated: false };
        }
        values.iter_mut().for_each(|y| *y /= distance);
        // The largest square is one.
        let dominated = n >= MANY && values.iter().map(|y| y * y).sum::<f64>() < 2.0;
        Self { values, mean: 2.0 * mean * largest, scale: 2.0 * distance * largest, constant, dominated }
    }
}
