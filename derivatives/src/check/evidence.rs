//! The estimate of a derivative by differences, entry by entry, with its error.

use super::smooth::Sides;
use super::{Options, Reason};
use crate::difference::{self, DifferenceError, Differenced, Manifold, Path, Table, representable};
use std::fmt::{Debug, Display};

/// The number of halvings of the step that are always evaluated, unless the first ones converge.
const ROWS: usize = 10;
/// The most halvings: from 1/8 down to 1e-8.
const MOST_ROWS: usize = 24;
/// If inputs are so small that this is still too long, halving continues down to this share of the input. Zero has no
/// size.
const FURTHEST: usize = 200;
const NEAREST: f64 = 1e-5;
/// This many roundings of an output look like a jump, where it is a sum of larger terms.
const JUMP: f64 = 1e4;
/// The number of steps from which a single side is known.
const ALONE: usize = 4;
/// A difference is accurate enough if its estimated error, relative to the largest of its column, is below this.
const ENOUGH: f64 = 1e-10;

/// What is known of one derivative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// The derivative, or NaN.
    pub(super) value: f64,
    /// Estimate of its error.
    pub(super) error: f64,
    /// The effect of rounding inside the function, however it is computed, if that is known.
    pub(super) rounding: f64,
    /// The part of the difference between the derivatives from the two sides that does not vanish with the step;
    /// infinite at a jump.
    pub(super) kink: f64,
    /// The size of the jump, where `kink` is infinite.
    pub(super) jump: f64,
    /// Whether there are values on one side of the point only. Then this is the one-sided derivative.
    pub(super) one_sided: bool,
    /// Whether the value at the point differs from the limit of those around it.
    pub(super) apart: bool,
    /// Why the error is large, if it is.
    pub(super) reason: Reason,
    /// The number of evaluated steps.
    pub(super) rows: usize,
}

impl Found {
    /// Nothing could be evaluated.
    pub(super) const NOTHING: Self = Self {
        value: f64::NAN,
        error: f64::INFINITY,
        rounding: 0.0,
        kink: 0.0,
        jump: 0.0,
        one_sided: false,
        apart: false,
        reason: Reason::NonFinite,
        rows: 0,
    };

    /// The allowed deviation of a claim.
    pub(super) fn bound(&self, options: &Options, scale: f64) -> f64 {
        self.sharp_bound(options, scale)
            .max(options.tolerance * self.value.abs() + options.floor * scale + options.safety * self.rounding)
    }

    /// The same without the effect of rounding inside the function.
    pub(super) fn sharp_bound(&self, options: &Options, scale: f64) -> f64 {
        options.tolerance * self.value.abs() + options.floor * scale + options.safety * self.error
    }

    /// The same derivative, also with other steps: differences between the tables count as error.
    pub(super) fn confirmed_by<const N: usize>(self, others: [Self; N]) -> Self {
        let mut best = self;
        // A table that converges at once to a wrong value has too few steps to tell why.
        let mut longest = self;
        for other in others {
            best = if other.error < best.error { other } else { best };
            longest = if longest.rows < other.rows { other } else { longest };
        }
        let mut found = Self { reason: longest.reason, apart: true, ..best };
        for table in [self].into_iter().chain(others) {
            found.error = found.error.max((table.value - best.value).abs());
            found.rounding = found.rounding.max(table.rounding);
            found.kink = found.kink.min(table.kink);
            found.apart &= table.apart;
        }
        found
    }
}

/// A matrix of what is known.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    pub(super) columns: usize,
    /// Row by row.
    pub(super) found: Vec<Found>,
    /// The magnitude of each output.
    pub(super) magnitude: Vec<f64>,
    /// The size of each input, the unit of steps along it.
    pub(super) lengths: Vec<f64>,
    /// Whether outputs may be small because terms of unknown size cancel. Then all have the scale of the largest.
    pub(super) shared: bool,
}

impl Evidence {
    /// The scale of each entry, row by row: the change of its output along any input of that input's size, or its
    /// magnitude if that is larger, over the size of its own input. Outputs and inputs in other units have other
    /// scales.
    pub(super) fn scales(&self) -> Vec<f64> {
        if self.shared {
            let entries = self.found.iter().map(|found| found.value.abs()).filter(|x| x.is_finite());
            let largest = entries.chain(self.magnitude.iter().copied()).fold(0.0, f64::max);
            return vec![largest; self.found.len()];
        }
        self.outputs().into_iter().flat_map(|output| self.lengths.iter().map(move |length| output / length)).collect()
    }

    /// The scale of each output: its change along any input of that input's size, or its magnitude if that is larger.
    fn outputs(&self) -> Vec<f64> {
        let output = |(row, magnitude): (&[Found], &f64)| {
            let changes = row.iter().zip(&self.lengths).map(|(found, length)| found.value.abs() * length);
            changes.filter(|x| x.is_finite()).fold(*magnitude, f64::max)
        };
        self.found.chunks(self.columns.max(1)).zip(&self.magnitude).map(output).collect()
    }
}

/// The Jacobian of `f` at `x` by differences.
///
/// A function that fails beside the point is not evaluated there; one that fails at the point is an error.
pub(super) fn jacobian<E: Debug + Display>(
    options: &Options,
    inputs: &dyn Manifold,
    outputs: &dyn Manifold,
    f: &mut Differenced<'_, E>,
    x: &[f64],
) -> Result<Evidence, DifferenceError<E>> {
    let (rows, columns) = (outputs.directions(), inputs.directions());
    let mut evidence = Evidence {
        columns,
        found: vec![Found::NOTHING; rows * columns],
        magnitude: vec![0.0; rows],
        // If the sizes of terms are known, they are the unit of rounding.
        shared: options.size == 0.0 && options.sizes.is_empty(),
        lengths: (0..columns).map(|k| length(options, inputs, x, k)).collect(),
    };
    if columns == 0 {
        let mut y = vec![f64::NAN; outputs.coordinates()];
        f(x, &mut y).map_err(|error| DifferenceError::Function { direction: 0, step: 0.0, error })?;
    }
    for k in 0..columns {
        let (column, magnitude) = self::column(options, 1.0, (inputs, outputs), f, x, k)?;
        for (most, magnitude) in evidence.magnitude.iter_mut().zip(magnitude) {
            *most = most.max(magnitude);
        }
        for (i, found) in column.into_iter().enumerate() {
            evidence.found[i * columns + k] = found;
        }
    }
    evidence.forget_roundings();
    Ok(evidence)
}

/// The size of an input, in units of which it is stepped.
fn length(options: &Options, inputs: &dyn Manifold, x: &[f64], k: usize) -> f64 {
    options.scales.get(k).copied().unwrap_or_else(|| inputs.magnitude(x, k).max(1.0))
}

/// One column of the Jacobian, with first steps shorter by a factor, and the magnitudes of outputs.
pub(super) fn column<E: Debug + Display>(
    options: &Options,
    shorter: f64,
    (inputs, outputs): (&dyn Manifold, &dyn Manifold),
    f: &mut Differenced<'_, E>,
    x: &[f64],
    k: usize,
) -> Result<(Vec<Found>, Vec<f64>), DifferenceError<E>> {
    let mut moved = x.to_vec();
    let mut tangent = vec![0.0; inputs.directions()];
    let magnitude = inputs.magnitude(x, k);
    let mut path = |t: f64, y: &mut [f64]| {
        tangent[k] = t;
        inputs.integrate(x, &tangent, &mut moved);
        f(&moved, y)
    };
    let start = representable(shorter * options.step * length(options, inputs, x, k), magnitude);
    along(start, outputs, magnitude, &mut path)
}

/// `d/dt y(t)` at `t = 0`, and the magnitudes of outputs there.
///
/// Ridders' table of central differences for each output, halving the step from `start`. It continues to shorter steps
/// if the table has not converged, or if the two sides do not converge to each other: then a kink is near, and shorter
/// steps tell whether it is at the point itself.
pub(super) fn along<'a, E: Debug + Display>(
    start: f64,
    outputs: &'a dyn Manifold,
    origin: f64,
    path: &'a mut difference::Curve<'a, E>,
) -> Result<(Vec<Found>, Vec<f64>), DifferenceError<E>> {
    let mut path = Path::open(outputs, origin, path)?;
    let magnitude = path.center().iter().map(|y| y.abs()).filter(|y| y.is_finite()).fold(0.0, f64::max);
    let magnitudes = (0..path.directions()).map(|i| outputs.magnitude(path.center(), i));
    let magnitudes = magnitudes.map(|y| if y.is_finite() { y } else { 0.0 }).collect();
    let mut tracks: Vec<Track> = vec![Track::default(); path.directions()];
    let mut h = start;
    for row in 0..FURTHEST {
        let done = origin == 0.0 || h < NEAREST * origin || tracks.iter().all(|track| !track.is_coarse());
        if row >= MOST_ROWS && done {
            break;
        }
        path.sides(h);
        for (i, track) in tracks.iter_mut().enumerate() {
            let (ahead, behind) = path.pair(i);
            // An output may be small because larger terms cancel.
            let shared = f64::EPSILON * magnitude / h;
            if ahead.is_finite() && behind.is_finite() {
                let quotient = (ahead - behind) / (2.0 * h);
                track.extend(h, (ahead, behind), path.rounding(i, h, quotient), shared);
            } else {
                track.interrupt();
                for (side, quotient) in track.alone.iter_mut().zip([-behind / h, ahead / h]) {
                    if quotient.is_finite() {
                        side.extend(h, quotient, path.rounding(i, h, quotient).max(shared));
                    }
                }
            }
        }
        let largest = tracks.iter().map(|track| track.value.abs()).filter(|x| x.is_finite()).fold(0.0, f64::max);
        let settled = |track: &Track| {
            track.sides.meet()
                && (track.table.complete || row + 1 >= ROWS && track.error <= ENOUGH * largest.max(track.value.abs()))
        };
        if row >= 2 && tracks.iter().all(settled) {
            break;
        }
        h *= 0.5;
    }
    Ok((tracks.into_iter().map(Track::finish).collect(), magnitudes))
}

/// One output along a path.
#[derive(Clone)]
struct Track {
    table: Table,
    value: f64,
    error: f64,
    /// The rounding of the difference from which `value` and `error` are computed.
    rounding: f64,
    sides: Sides,
    /// The number of steps at which the function was finite on both sides.
    rows: usize,
    /// Behind and ahead, at steps without a value on the other side.
    alone: [Alone; 2],
}

impl Default for Track {
    fn default() -> Self {
        let (table, sides, alone) = (Table::default(), Sides::default(), Default::default());
        Self { table, value: f64::NAN, error: f64::INFINITY, rounding: 0.0, sides, rows: 0, alone }
    }
}

/// One side of an output.
#[derive(Clone)]
struct Alone {
    table: Table,
    value: f64,
    error: f64,
    rows: usize,
}

impl Default for Alone {
    fn default() -> Self {
        Self { table: Table::in_powers_of_step(1), value: f64::NAN, error: f64::INFINITY, rows: 0 }
    }
}

impl Alone {
    fn extend(&mut self, h: f64, quotient: f64, rounding: f64) {
        self.table.extend(h, quotient, rounding, (&mut self.value, &mut self.error));
        self.rows += 1;
    }

    /// The derivative from this side, if it converged.
    fn found(&self) -> Option<Found> {
        let known = self.rows >= ALONE && self.value.is_finite() && self.error.is_finite();
        let Self { value, error, rows, .. } = *self;
        known.then_some(Found { value, error, rows, one_sided: true, reason: Reason::OneSided, ..Found::NOTHING })
    }
}

impl Track {
    fn extend(&mut self, h: f64, (ahead, behind): (f64, f64), rounding: f64, shared: f64) {
        let before = self.error;
        self.table.extend(h, (ahead - behind) / (2.0 * h), rounding, (&mut self.value, &mut self.error));
        if self.error < before {
            self.rounding = rounding;
        }
        self.sides.extend(h, ahead, behind, rounding.max(shared));
        self.rows += 1;
    }

    /// Whether the function varies over the steps so far as much as before, and the table has not converged.
    fn is_coarse(&self) -> bool {
        self.sides.wild() && self.error > 1e-4 * self.value.abs()
    }

    /// Starts the table anew, because the function is not finite at this step.
    fn interrupt(&mut self) {
        self.table = Table::default();
        self.sides = Sides::default();
    }

    fn finish(self) -> Found {
        if !(self.value.is_finite() && self.error.is_finite()) {
            return match self.alone {
                [side, Alone { rows: 0, .. }] | [Alone { rows: 0, .. }, side] if self.rows == 0 => side.found(),
                _ => None,
            }
            .unwrap_or(Found::NOTHING);
        }
        let reason = if self.sides.wild() { Reason::StepTooLarge } else { Reason::Noise };
        let (kink, apart) = (self.sides.kink(), self.sides.is_apart());
        let (value, error, jump) = (self.value, self.error, self.sides.jump());
        Found { value, error, kink, jump, apart, reason, rows: self.rows, ..Found::NOTHING }
    }
}

impl Evidence {
    /// Raises the rounding of each entry to at least this.
    pub(super) fn blur(&mut self, rounding: &[f64]) {
        for (found, rounding) in self.found.iter_mut().zip(rounding) {
            found.rounding = found.rounding.max(*rounding);
        }
    }

    /// Ignores jumps that are rounding: if larger terms of an output cancel, their roundings look like jumps. A jump
    /// that is no larger than these, judged by the change of the output with other inputs, is not a jump.
    fn forget_roundings(&mut self) {
        let outputs = self.outputs();
        for (row, output) in self.found.chunks_mut(self.columns.max(1)).zip(outputs) {
            for found in row.iter_mut().filter(|found| found.jump <= JUMP * f64::EPSILON * output) {
                (found.kink, found.apart) =
                    if found.kink == f64::INFINITY { (0.0, false) } else { (found.kink, found.apart) };
            }
        }
    }

    /// Records that there is no derivative, because the value at the point differs from those around it.
    pub(super) fn set_apart(&mut self) {
        for found in &mut self.found {
            (found.kink, found.apart) = (f64::INFINITY, true);
        }
    }

    /// Replaces differences by exact derivatives where the two do not contradict each other. Returns the number of
    /// places where they do.
    pub(super) fn refine(&mut self, options: &Options, exact: &[f64]) -> usize {
        let scales = self.scales();
        let mut contradictions = 0;
        for (k, (found, exact)) in
            self.found.iter_mut().zip(exact).enumerate().filter(|(_, (_, exact))| exact.is_finite())
        {
            let bound = found.bound(options, scales[k].max(options.size_of(k)));
            if found.kink > bound || found.value.is_nan() {
                continue;
            }
            if (found.value - exact).abs() <= bound {
                (found.value, found.error) = (*exact, f64::EPSILON * exact.abs());
            } else {
                contradictions += 1;
            }
        }
        contradictions
    }
}
