//! Samples along one input, and what their differences say.

use super::super::evidence::Found;
use super::super::{Options, Reason};
use super::largest;
use super::limit::{Limit, Quotient, ladders, limit};

/// So many steps must be there along each input, on one side at least.
const LEAST: usize = 4;
/// How far a sample may be from the line along its input, and from its partner on the other side, relative to the step.
const NEAR: f64 = 1e-6;

/// What is known of one derivative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) found: Found,
    /// The derivatives behind and ahead, where they differ.
    pub(super) sides: Option<[f64; 2]>,
    pub(super) one_sided: bool,
}

/// Samples along one input.
pub(super) struct Line<'s> {
    pub(super) input: usize,
    /// The point's own coordinate, and the function there.
    pub(super) x: f64,
    y: &'s [f64],
    /// Its default longest step, and what that is of the input's own scale.
    pub(super) step: f64,
    share: f64,
    /// Whether the input has a scale of its own: it is not zero, or the scale is given.
    scaled: bool,
    /// Steps and values, longest first.
    pub(super) ahead: Vec<(f64, &'s [f64])>,
    pub(super) behind: Vec<(f64, &'s [f64])>,
}

impl<'s> Line<'s> {
    pub(super) fn new(options: &Options, samples: &'s [(Vec<f64>, Vec<f64>)], input: usize) -> Self {
        let (x, y) = (&samples[0].0, &samples[0].1);
        let own = if x[input] == 0.0 { 1.0 } else { x[input].abs() };
        let step = options.step * options.scales.get(input).copied().unwrap_or(own);
        let longest = options.steps.get(input).copied().unwrap_or(f64::INFINITY);
        let step = step.min(longest);
        let scaled = x[input] != 0.0 || input < options.scales.len();
        let mut line =
            Self { input, x: x[input], y, step, share: options.step, scaled, ahead: Vec::new(), behind: Vec::new() };
        for (at, value) in &samples[1..] {
            let h = at[input] - x[input];
            let off = |k: usize| if k == input { 0.0 } else { (at[k] - x[k]).abs() };
            let is_along = (0..x.len()).all(|k| off(k) <= NEAR * h.abs());
            if h != 0.0 && h.is_finite() && is_along && h.abs() <= longest * (1.0 + NEAR) {
                let side = if h > 0.0 { &mut line.ahead } else { &mut line.behind };
                side.push((h.abs(), value.as_slice()));
            }
        }
        for side in [&mut line.ahead, &mut line.behind] {
            side.sort_by(|a, b| b.0.total_cmp(&a.0));
            side.dedup_by(|a, b| (a.0 - b.0).abs() <= NEAR * b.0);
        }
        line
    }

    pub(super) fn steps(&self) -> impl Iterator<Item = f64> + '_ {
        self.ahead.iter().chain(&self.behind).map(|(h, _)| *h)
    }

    pub(super) fn longest(&self) -> f64 {
        let longest = self.steps().fold(0.0, f64::max);
        if longest > 0.0 { longest } else { self.step }
    }

    /// The length that belongs to the longest step, or the input's own scale, if it is larger.
    pub(super) fn length(&self) -> f64 {
        (if self.scaled { self.longest().max(self.step) } else { self.longest() }) / self.share
    }

    /// How much an output changes over that length, if it goes on as over the samples.
    pub(super) fn change(&self, output: usize) -> f64 {
        let changes = self.ahead.iter().chain(&self.behind).map(|(_, values)| values[output] - self.y[output]);
        largest(changes) / self.longest() * self.length()
    }

    /// The step ahead, or minus that behind, of which there is no value though there are too few.
    pub(super) fn missing(&self) -> Option<f64> {
        let enough = |side: &[(f64, &[f64])]| ladders(side.iter().map(|(h, _)| *h)).any(|ladder| ladder.len() >= LEAST);
        if enough(&self.ahead) || enough(&self.behind) {
            return None;
        }
        let steps = (0..).map(|half| self.step * 0.5_f64.powi(half));
        let lacks = |side: &[(f64, &[f64])], step: f64| side.iter().all(|(h, _)| (h - step).abs() > NEAR * step);
        let mut missing = steps.flat_map(|h| {
            [lacks(&self.ahead, h).then_some(h), lacks(&self.behind, h).then_some(-h)].into_iter().flatten()
        });
        missing.next()
    }

    /// What the differences of one output say, whose values are rounded by so much.
    pub(super) fn see(&self, output: usize, rounded: f64) -> Seen {
        let y = self.y[output];
        let of = |side: &[(f64, &[f64])]| -> Vec<(f64, f64)> {
            side.iter().map(|(h, values)| (*h, values[output])).filter(|(_, y)| y.is_finite()).collect()
        };
        let (ahead, behind) = (of(&self.ahead), of(&self.behind));
        let largest = ahead.iter().chain(&behind).fold(y.abs(), |most, (_, y)| most.max(y.abs()));
        let point = |h: f64, quotient: f64| Quotient {
            h,
            value: quotient,
            // Of values, of the points that they are taken at, and of the quotient.
            rounding: f64::EPSILON * ((largest + self.x.abs() * quotient.abs()) / h + quotient.abs()) + rounded / h,
        };
        let (mut central, mut gap) = (Vec::new(), Vec::new());
        for (h, right) in &ahead {
            let Some((_, left)) = behind.iter().find(|(other, _)| (other - h).abs() <= NEAR * h) else { continue };
            let quotient = (right - left) / (2.0 * h);
            central.push(point(*h, quotient));
            gap.push(Quotient { value: ((right - y) - (y - left)) / h, ..point(*h, quotient) });
        }
        let sides = [
            behind.iter().map(|(h, left)| point(*h, (y - left) / h)).collect::<Vec<_>>(),
            ahead.iter().map(|(h, right)| point(*h, (right - y) / h)).collect(),
        ];
        let noise = |trend: &Limit| if trend.is_noise(largest) { Reason::Noise } else { Reason::StepTooLarge };
        let (central, gap, sides) = (limit(&central, 2), limit(&gap, 1), sides.map(|side| limit(&side, 1)));
        let plain = |of: &Limit, reason| Found {
            value: of.value,
            error: if of.diverges { f64::INFINITY } else { of.error },
            reason,
            rows: of.steps,
            ..Found::NOTHING
        };
        match (central, gap, sides) {
            (Some(central), Some(gap), _) => {
                let size = central.value.abs().max(gap.largest);
                let unsettled = gap.diverges || 10.0 * gap.error > 0.1 * size && !gap.falls;
                let scatter = central.scatter.max(gap.scatter);
                let unsettling = if unsettled { Limit { scatter, ..gap } } else { central };
                let mut found = plain(&central, noise(&unsettling));
                let mut sides = None;
                if unsettled {
                    found.error = f64::INFINITY;
                } else if gap.value.abs() > 10.0 * (gap.error + central.error) + 1e-6 * size && !gap.vanishes {
                    found.kink = gap.value.abs();
                    sides = Some([central.value - 0.5 * gap.value, central.value + 0.5 * gap.value]);
                }
                Seen { found, sides, one_sided: false }
            }
            (_, _, [Some(behind), Some(ahead)]) => {
                let kink = (ahead.value - behind.value).abs();
                let error = behind.error.max(ahead.error);
                let unsettled = behind.diverges || ahead.diverges;
                let reason = noise(if behind.diverges { &behind } else { &ahead });
                let (value, error) =
                    (0.5 * (ahead.value + behind.value), if unsettled { f64::INFINITY } else { error });
                let mut found = Found { value, error, reason, ..plain(&ahead, reason) };
                let size = ahead.value.abs().max(behind.value.abs());
                let differ = !unsettled && kink > 20.0 * error + 1e-6 * size;
                found.kink = if differ { kink } else { 0.0 };
                Seen { found, sides: differ.then_some([behind.value, ahead.value]), one_sided: false }
            }
            (_, _, [Some(side), None] | [None, Some(side)]) => {
                Seen { found: plain(&side, noise(&side)), sides: None, one_sided: true }
            }
            _ => Seen { found: Found::NOTHING, sides: None, one_sided: false },
        }
    }
}
