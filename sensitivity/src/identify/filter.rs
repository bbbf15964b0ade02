//! Operations on rows of torques along time: the model's rows are delayed, both are low-pass filtered, and some are
//! kept.
//!
//! All operations are linear, and the same for predicted torques and for their derivatives by parameters.

use super::differences::segments;
use crate::error::SensitivityError;
use std::ops::Range;

/// Rows at each side of a delay that interpolation needs.
const SIDE: usize = 2;

/// Operators along time, for one set of samples.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    /// Rows without a gap between them.
    pub(super) segments: Vec<Range<usize>>,
    /// For each segment, the delay in samples.
    delays: Vec<f64>,
    /// Coefficients of the low-pass by segment.
    low_pass: Vec<Option<Butterworth>>,
    /// The remaining rows.
    pub(super) kept: Vec<usize>,
    /// The same, by segment, as ranges of the remaining rows.
    pub(super) kept_segments: Vec<Range<usize>>,
}

impl Filter {
    /// A filter with `low_pass` in Hz, which keeps one row of `every`.
    pub(super) fn new(time: &[f64], delay: f64, low_pass: Option<f64>, every: usize) -> Result<Self, SensitivityError> {
        let segments = segments(time);
        let (mut delays, mut low, mut kept, mut kept_segments) = (vec![], vec![], vec![], vec![]);
        for range in &segments {
            let step = match range.len() {
                0 | 1 => 1.0,
                n => (time[range.end - 1] - time[range.start]) / (n - 1) as f64,
            };
            let shift = delay / step;
            delays.push(shift);
            low.push(low_pass.map(|hertz| Butterworth::new(hertz, step)).transpose()?);
            // Rows whose neighbors are beyond the ends are dropped.
            let side = if delay == 0.0 { 0 } else { shift.abs().ceil() as usize + SIDE };
            // A low-pass settles after about a period of its corner.
            let settled = low_pass.map_or(0, |hertz| (0.5 / (hertz * step)).ceil() as usize);
            let margin = side + settled;
            let first = kept.len();
            if range.len() > 2 * margin {
                kept.extend((range.start + margin..range.end - margin).step_by(every.max(1)));
            }
            kept_segments.push(first..kept.len());
        }
        Ok(Self { segments, delays, low_pass: low, kept, kept_segments })
    }

    /// Whether it leaves all rows unchanged.
    pub(super) fn is_nothing(&self) -> bool {
        let rows: usize = self.segments.iter().map(Range::len).sum();
        !self.is_late() && self.low_pass.iter().all(Option::is_none) && self.kept.len() == rows
    }

    /// Whether the model's rows are delayed.
    pub(super) fn is_late(&self) -> bool {
        self.delays.iter().any(|shift| *shift != 0.0)
    }

    /// Delays a series of the model like the measured ones.
    pub(super) fn late(&self, series: &mut [f64]) {
        for (range, shift) in self.segments.iter().zip(&self.delays) {
            if *shift == 0.0 || range.len() < 2 * SIDE {
                continue;
            }
            let from = series[range.clone()].to_vec();
            for (i, to) in series[range.clone()].iter_mut().enumerate() {
                *to = interpolated(&from, i as f64 - shift);
            }
        }
    }

    /// Removes frequencies above the corner from a series.
    pub(super) fn smooth(&self, series: &mut [f64]) {
        for (range, low) in self.segments.iter().zip(&self.low_pass) {
            if let Some(low) = low {
                low.forwards_and_backwards(&mut series[range.clone()]);
            }
        }
    }
}

/// The polynomial of third degree through the four nearest samples.
fn interpolated(series: &[f64], at: f64) -> f64 {
    let last = series.len() as isize - 1;
    let base = (at.floor() as isize).clamp(1, (last - 2).max(1));
    let x = at.clamp(0.0, last as f64) - base as f64;
    let of = |k: isize| series[(base + k).clamp(0, last) as usize];
    let weights = [
        -x * (x - 1.0) * (x - 2.0) / 6.0,
        (x + 1.0) * (x - 1.0) * (x - 2.0) / 2.0,
        -(x + 1.0) * x * (x - 2.0) / 2.0,
        (x + 1.0) * x * (x - 1.0) / 6.0,
    ];
    weights.iter().zip(-1..).map(|(w, k)| w * of(k)).sum()
}

/// A Butterworth filter of second order by the bilinear transform; run forwards and backwards it has no delay, and half
/// the power at the corner each way. (A. Oppenheim, R. Schafer, *Discrete-time signal processing*, section 7.1.)
#[derive(Clone, Copy, Debug)]
struct Butterworth {
    b: [f64; 3],
    a: [f64; 2],
}

impl Butterworth {
    fn new(hertz: f64, step: f64) -> Result<Self, SensitivityError> {
        let nyquist = 0.5 / step;
        if !(hertz > 0.0 && hertz < nyquist) {
            let what = format!("the corner of the low-pass, in Hz, of samples {step} s apart,");
            let rule = "expected more than zero and less than half the rate of the samples";
            return Err(SensitivityError::Number { what, value: hertz, rule });
        }
        let w = (std::f64::consts::PI * hertz * step).tan();
        let norm = 1.0 / (1.0 + std::f64::consts::SQRT_2 * w + w * w);
        let b = w * w * norm;
        let a = [2.0 * (w * w - 1.0) * norm, (1.0 - std::f64::consts::SQRT_2 * w + w * w) * norm];
        Ok(Self { b: [b, 2.0 * b, b], a })
    }

    fn pass<'s>(&self, series: impl Iterator<Item = &'s mut f64>) {
        let (mut x, mut y): ([f64; 2], [f64; 2]) = ([0.0; 2], [0.0; 2]);
        for (i, value) in series.enumerate() {
            if i == 0 {
                // As for a constant past.
                (x, y) = ([*value; 2], [*value; 2]);
            }
            let out = self.b[0] * *value + self.b[1] * x[0] + self.b[2] * x[1] - self.a[0] * y[0] - self.a[1] * y[1];
            (x, y) = ([*value, x[0]], [out, y[0]]);
            *value = out;
        }
    }

    fn forwards_and_backwards(&self, series: &mut [f64]) {
        self.pass(series.iter_mut());
        self.pass(series.iter_mut().rev());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slow sine passes with the gain `1/(1 + (f/f₀)⁴)` and without delay; a delay of part of a sample is one.
    #[test]
    fn nothing_is_late_that_should_not_be() {
        let time: Vec<f64> = (0..2000).map(|i| 0.001 * f64::from(i)).collect();
        let wave = |hertz: f64, late: f64| -> Vec<f64> {
            time.iter().map(|t| (std::f64::consts::TAU * hertz * (t - late)).sin()).collect()
        };
        let filter = Filter::new(&time, 0.0, Some(20.0), 1).expect("fits");
        for hertz in [2.0, 20.0, 80.0_f64] {
            let mut series = wave(hertz, 0.0);
            filter.smooth(&mut series);
            let gain = 1.0 / (1.0 + (hertz / 20.0).powi(4));
            let off = (500..1500).map(|i| (series[i] - gain * wave(hertz, 0.0)[i]).abs()).fold(0.0, f64::max);
            // The bilinear transform bends frequencies by (π f h)²/3: 2 % at 80 Hz, of a gain of 0.004.
            assert!(off < 3e-3, "{hertz} Hz: {off}");
        }
        let filter = Filter::new(&time, 0.0123, None, 1).expect("fits");
        let mut series = wave(5.0, 0.0);
        filter.late(&mut series);
        for i in &filter.kept {
            // (w h)⁴/40 of the interpolation.
            assert!((series[*i] - wave(5.0, 0.0123)[*i]).abs() < 1e-6, "sample {i}");
        }
    }
}
