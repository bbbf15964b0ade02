//! Checks of functions that are known by a table of values only.

use super::evidence::{Evidence, Found};
use super::judge::{expect_shape, judge};
use super::{CheckError, Claim, Options, Reason, Report, Verdict};
use crate::difference::Table;

/// The number of steps that are required along each input, on at least one side.
const LEAST: usize = 4;
/// The number of steps that are required for a table of differences besides the first.
const SHORT: usize = 3;
/// The allowed distance of a sample from the line along its input, and from its partner on the other side, relative to
/// the step.
const NEAR: f64 = 1e-6;
/// The next step of a table is at most this share of the one before.
const SHRINK: f64 = 0.55;
/// Differences have converged if their error is below this share of the derivative, or of the change of the output.
/// Otherwise no verdict is possible.
const SETTLED: [f64; 2] = [1e-3, 1e-6];
/// A decimal fraction of more digits than this is not a rounded one: 15 digits always survive in a `f64`.
const DIGITS: usize = 15;
/// A constant of fewer digits than this is exact, not rounded: one in a thousand of the values rounded to six digits is
/// shorter than four.
const SHORT_CONSTANT: usize = 4;
/// The largest relative change that a constant may hide, over the input's own size: that of single precision at default
/// steps.
const FLAT: f64 = 1e-5;
/// A constant of more digits than this has those of a `f64`: rounded values have three, six or nine.
const LONG_CONSTANT: usize = 9;

/// Checks a claimed Jacobian of a function that cannot be called, from values at some points, `(x, f(x))`.
///
/// The first is the point itself. Along each input `k` there must be four or more at other `x_k`, best at `x ± h e_k`
/// with `h = s, s/2, s/4, …`, where the function hardly bends over the longest step `s`: an eighth of the input's own
/// scale ([`Options::scales`], or `|x_k|`) unless [`Options::steps`] says otherwise. Steps need not be halves, but the
/// next has to be at most 0.55 of the one before; those in between, such as 0.61 and 0.83 of them, make separate
/// tables, which are compared. Samples that do not exist, as those of a logarithm left of zero, are omitted.
///
/// If differences do not converge as steps shrink, the verdict is [`Reason::StepTooLarge`] or [`Reason::Noise`], and a
/// note says which samples to add. If the differences ahead and behind converge to different numbers, the function is
/// not smooth, and a note has both.
///
/// ```
/// use gradyn_derivatives::check::{Claim, Options, sampled_jacobian};
///
/// let f = |x: f64| vec![x.exp(), x * x];
/// let mut samples = vec![(vec![0.5], f(0.5))];
/// for i in 0..6 {
///     let h = 0.0625 * 0.5_f64.powi(i);
///     samples.extend([0.5 + h, 0.5 - h].map(|x| (vec![x], f(x))));
/// }
/// let (right, wrong) = (Claim::new(2, 1, &[0.5_f64.exp(), 1.0])?, Claim::new(2, 1, &[0.5_f64.exp(), 0.9])?);
/// assert!(sampled_jacobian(&Options::new("∂y/∂x"), &samples, &right)?.agrees());
/// assert_eq!(sampled_jacobian(&Options::new("∂y/∂x"), &samples, &wrong)?.counts.disagree, 1);
/// # Ok::<(), gradyn_derivatives::check::CheckError>(())
/// ```
///
/// # Errors
/// [`CheckError`] if shapes do not fit, or the point is not finite; [`CheckError::Sample`] if there are too few values along an input.
pub fn sampled_jacobian(
    options: &Options,
    samples: &[(Vec<f64>, Vec<f64>)],
    claim: &Claim,
) -> Result<Report, CheckError> {
    let Some((x, y)) = samples.first() else {
        return Err(CheckError::Size { what: "samples", expected: 1, found: 0 });
    };
    for (at, value) in samples {
        for (what, expected, found) in [("x of a sample", x.len(), at.len()), ("y of a sample", y.len(), value.len())] {
            if expected != found {
                return Err(CheckError::Size { what, expected, found });
            }
        }
    }
    for (what, numbers) in [("x", x), ("y", y)] {
        if let Some(index) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(CheckError::Number { what, index, value: numbers[index], rule: "it must be finite" });
        }
    }
    expect_shape(options, claim, (y.len(), x.len()), (y.len(), x.len()))?;
    let lines: Vec<Line<'_>> = (0..x.len()).map(|k| Line::new(options, samples, k)).collect();
    let mut evidence = Evidence {
        columns: x.len(),
        found: Vec::with_capacity(x.len() * y.len()),
        magnitude: (0..y.len()).map(|i| largest(samples.iter().map(|(_, y)| y[i]))).collect(),
        lengths: lines.iter().map(|line| line.longest() / options.step).collect(),
        shared: false,
    };
    for line in &lines {
        if let Some(step) = line.missing() {
            return Err(CheckError::Sample { input: line.input, step });
        }
    }
    let resolutions = resolutions(samples);
    let seen: Vec<Seen> = (0..y.len())
        .flat_map(|i| {
            let rounding = resolutions[i].rounding;
            lines.iter().map(move |line| line.see(i, rounding))
        })
        .collect();
    evidence.found.extend(seen.iter().map(|seen| seen.found));
    // Differences that have not converged cannot contradict either. A kink that is larger than the error counts,
    // however coarse the values.
    let changes: Vec<f64> = (0..y.len()).map(|i| largest(lines.iter().map(|line| line.change(i)))).collect();
    for (k, found) in evidence.found.iter_mut().enumerate() {
        let (row, line) = (k / x.len(), &lines[k % x.len()]);
        let scale = (SETTLED[1] * changes[row] + options.floor * evidence.magnitude[row]) / line.length();
        let is_constant = resolutions[row].constant.is_some();
        let is_kink = found.kink > options.safety * found.error;
        if !is_constant && !is_kink && options.safety * found.error > SETTLED[0] * found.value.abs() + scale {
            found.error = f64::INFINITY;
        }
    }
    let mut report = judge(options, &evidence, claim);
    for (k, (entry, seen)) in report.entries.iter_mut().zip(&seen).enumerate() {
        entry.error = seen.found.error;
        // Rounding can hide that a constant changes, unless it is exact.
        match resolutions[k / x.len()].constant {
            Some(true) if entry.claimed == 0.0 => entry.verdict = Verdict::Agrees,
            Some(false) if matches!(entry.verdict, Verdict::Agrees | Verdict::CannotTell(Reason::Noise)) => {
                let line = &lines[k % x.len()];
                let hidden = options.safety * resolutions[k / x.len()].rounding / line.longest() * line.length();
                let is_fine = entry.claimed == 0.0 && hidden <= FLAT * y[k / x.len()].abs();
                entry.verdict = if is_fine { Verdict::Agrees } else { Verdict::CannotTell(Reason::Noise) };
            }
            _ => {}
        }
        if seen.one_sided && entry.verdict == Verdict::Agrees {
            entry.verdict = Verdict::CannotTell(Reason::OneSided);
        }
    }
    report.count();
    report.explain(options, &[]);
    note(options, &lines, &seen, &mut report);
    Ok(report)
}

/// The largest finite magnitude.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.map(f64::abs).filter(|value| value.is_finite()).fold(0.0, f64::max)
}

/// The accuracy of the values of one output.
#[derive(Clone, Copy, Debug)]
struct Resolution {
    /// Half a unit of their last digit.
    rounding: f64,
    /// `Some` if all values are the same; `true` if they are exactly so.
    constant: Option<bool>,
}

/// The resolution of each output, by the digits of its values: of decimal fractions, of `f32`, or of `f64`.
///
/// Exact values of few digits, such as `x + 1` at `1 ± 1/8`, are taken as rounded ones; the error that this allows is
/// far below what differences need.
fn resolutions(samples: &[(Vec<f64>, Vec<f64>)]) -> Vec<Resolution> {
    let outputs = samples[0].1.len();
    let of = |i: usize| samples.iter().map(move |(_, y)| y[i]).filter(|y| y.is_finite());
    let digits = |i: usize| of(i).filter(|y| *y != 0.0).map(|y| decimal(y).0).max().unwrap_or(0);
    #[expect(clippy::float_cmp, clippy::cast_possible_truncation, reason = "the same number in fewer bits?")]
    let is_single = |i: usize| of(i).all(|y| f64::from(y as f32) == y);
    let others_full = (0..outputs).any(|i| digits(i) > DIGITS && !is_single(i));
    let resolution = |i: usize| {
        let (most, digits, single) = (largest(of(i)), digits(i), is_single(i));
        let is_constant = of(i).all(|y| y.to_bits() == samples[0].1[i].to_bits());
        let exact = digits < SHORT_CONSTANT || digits > LONG_CONSTANT && !single || others_full;
        let unit = if digits == 0 {
            // Zeros, which have no digits: of three decimals, as the coarsest tables have them.
            1e-3
        } else if is_constant && digits == 1 && most >= 1.0 {
            // Such as 1 or 20: exact.
            0.0
        } else if digits <= LONG_CONSTANT || digits <= DIGITS && !single {
            let decimals = of(i).filter(|y| *y != 0.0).map(|y| decimal(y).1).max().unwrap_or(0);
            10.0_f64.powi(-decimals).max(10.0_f64.powf(most.log10().floor()) * 0.1_f64.powi(length(digits) - 1))
        } else if single {
            most * f64::from(f32::EPSILON)
        } else {
            0.0
        };
        Resolution { rounding: 0.5 * unit, constant: is_constant.then_some(exact) }
    };
    (0..outputs).map(resolution).collect()
}

/// The number of digits, and how many of them are decimals: -2 for 1200.
fn decimal(x: f64) -> (usize, i32) {
    let text = format!("{:e}", x.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    (digits, length(digits) - 1 - exponent.parse::<i32>().unwrap_or(0))
}

/// A number of digits, of which a `f64` has 17.
fn length(digits: usize) -> i32 {
    i32::try_from(digits).unwrap_or(i32::MAX)
}

/// What is known of one derivative.
#[derive(Clone, Copy, Debug)]
struct Seen {
    found: Found,
    /// The derivatives behind and ahead, where they differ.
    sides: Option<[f64; 2]>,
    one_sided: bool,
}

/// Samples along one input.
struct Line<'s> {
    input: usize,
    /// The point's own coordinate, and the function there.
    x: f64,
    y: &'s [f64],
    /// Its default longest step, and its share of the input's own scale.
    step: f64,
    share: f64,
    /// Whether the input has its own scale: its value is not zero, or the scale is given.
    scaled: bool,
    /// Steps and values, longest first.
    ahead: Vec<(f64, &'s [f64])>,
    behind: Vec<(f64, &'s [f64])>,
}

impl<'s> Line<'s> {
    fn new(options: &Options, samples: &'s [(Vec<f64>, Vec<f64>)], input: usize) -> Self {
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

    fn steps(&self) -> impl Iterator<Item = f64> + '_ {
        self.ahead.iter().chain(&self.behind).map(|(h, _)| *h)
    }

    fn longest(&self) -> f64 {
        let longest = self.steps().fold(0.0, f64::max);
        if longest > 0.0 { longest } else { self.step }
    }

    /// The length that corresponds to the longest step, or the input's own scale if that is larger.
    fn length(&self) -> f64 {
        (if self.scaled { self.longest().max(self.step) } else { self.longest() }) / self.share
    }

    /// The change of an output over that length, extrapolated from the samples.
    fn change(&self, output: usize) -> f64 {
        let changes = self.ahead.iter().chain(&self.behind).map(|(_, values)| values[output] - self.y[output]);
        largest(changes) / self.longest() * self.length()
    }

    /// A missing step ahead, or minus one behind, if there are too few.
    fn missing(&self) -> Option<f64> {
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

    /// The differences of one output, whose values are rounded by `rounded`.
    fn see(&self, output: usize, rounded: f64) -> Seen {
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

/// A difference quotient, and what rounding contributes to it.
#[derive(Clone, Copy, Debug)]
struct Quotient {
    h: f64,
    value: f64,
    rounding: f64,
}

/// The limit of quotients as their steps go to zero.
#[derive(Clone, Copy, Debug)]
struct Limit {
    value: f64,
    error: f64,
    steps: usize,
    /// Whether they diverge, with growing differences in one direction.
    diverges: bool,
    /// Whether their changes decrease.
    falls: bool,
    /// Whether they decrease themselves, as a sequence that converges to zero does.
    vanishes: bool,
    /// The largest of them.
    largest: f64,
    /// What rounding contributes to the value.
    rounding: f64,
    /// Noise of values, as seen in quotients of shorter steps than that of the value, and that step.
    noise: f64,
    step: f64,
    /// The scatter of values in the last quotients; zero if these change in one direction.
    scatter: f64,
}

impl Limit {
    fn is_noise(&self, largest: f64) -> bool {
        // The table's own error is no more than a few roundings, or values go up and down by little.
        self.error <= 4.0 * self.rounding || self.scatter > 0.0 && self.scatter <= 0.05 * largest
    }
}

/// Steps in tables, by their indices: in each the next is at most [`SHRINK`] of the one before, as long as possible.
fn ladders(steps: impl Iterator<Item = f64>) -> impl Iterator<Item = Vec<usize>> {
    let steps: Vec<f64> = steps.collect();
    let mut left: Vec<usize> = (0..steps.len()).collect();
    std::iter::from_fn(move || {
        let mut ladder: Vec<usize> = Vec::new();
        left.retain(|i| {
            let next = ladder.last().is_none_or(|last| steps[*i] <= SHRINK * steps[*last]);
            ladder.extend(next.then_some(*i));
            !next
        });
        (!ladder.is_empty()).then_some(ladder)
    })
}

/// The limit by extrapolation, in powers of `hᵖ`: the best of several tables. Deviations of the others count as its
/// error.
fn limit(quotients: &[Quotient], power: i32) -> Option<Limit> {
    let of = |ladder: Vec<usize>| one(&ladder.into_iter().map(|i| quotients[i]).collect::<Vec<_>>(), power);
    let ladders = ladders(quotients.iter().map(|quotient| quotient.h)).filter(|ladder| ladder.len() >= SHORT);
    let all: Vec<Limit> = ladders.map(of).collect();
    let mut best = *all.iter().min_by(|a, b| a.error.total_cmp(&b.error))?;
    for other in &all {
        let apart = (other.value - best.value).abs();
        if apart > 10.0 * other.error {
            best.error = best.error.max(apart);
        }
        best.noise = best.noise.max(other.noise);
        best.diverges |= other.diverges;
        best.falls &= other.falls;
        best.vanishes &= other.vanishes;
        best.largest = best.largest.max(other.largest);
        best.scatter = best.scatter.max(other.scatter);
    }
    best.error += best.noise / best.step;
    Some(best)
}

/// The limit by one table: without the longest steps, if those after them converge to another value.
fn one(quotients: &[Quotient], power: i32) -> Limit {
    let (best, contradicted) = extrapolated(quotients, power);
    match quotients {
        [_, shorter @ ..] if contradicted && shorter.len() >= SHORT => {
            let of = one(shorter, power);
            Limit { scatter: of.scatter.max(best.scatter), ..of }
        }
        _ if contradicted => Limit { error: f64::INFINITY, ..best },
        _ => best,
    }
}

/// The limit by all steps of a table, and whether shorter steps than those of the best extrapolation contradict it.
fn extrapolated(quotients: &[Quotient], power: i32) -> (Limit, bool) {
    let mut table = Table::in_powers_of_step(power);
    let (mut value, mut error) = (f64::NAN, f64::INFINITY);
    let mut last = 0;
    for (k, Quotient { h, value: quotient, rounding }) in quotients.iter().enumerate() {
        let before = error;
        table.extend(*h, *quotient, *rounding, (&mut value, &mut error));
        if error < before {
            last = k;
        }
    }
    // Quotients approach their limit like hᵖ. A larger deviation at shorter steps is noise of the values, which the
    // longer steps have, too, or a bend that these step over.
    let (known, shorter) = quotients.split_at(quotients.len().min(last + 1));
    let excess = |of: &Quotient| {
        let expected = known.iter().map(|q| (q.value - value).abs() * (of.h / q.h).powi(power)).fold(0.0, f64::max);
        ((of.value - value).abs() - 2.0 * expected - error - 4.0 * of.rounding).max(0.0)
    };
    let noise = shorter.iter().map(|of| excess(of) * of.h).fold(0.0, f64::max);
    let rounding = known.last().map_or(0.0, |q| q.rounding);
    let step = known.last().map_or(f64::INFINITY, |q| q.h);
    let contradicted = match shorter {
        [.., before, last] => (last.value - before.value).abs() < 0.25 * excess(before).min(excess(last)),
        _ => false,
    };
    let changes: Vec<(f64, f64)> =
        quotients.windows(2).map(|pair| (pair[1].value - pair[0].value, 20.0 * pair[1].rounding)).collect();
    let beyond = changes.iter().all(|(change, rounding)| change.abs() > *rounding);
    let one_sign = changes.windows(2).all(|pair| pair[0].0 * pair[1].0 > 0.0);
    let grows = changes.windows(2).all(|pair| pair[1].0.abs() > 1.2 * pair[0].0.abs());
    let falls = match changes[..] {
        [.., (before, _), (last, rounding)] => last.abs() <= rounding || last.abs() < 0.75 * before.abs(),
        _ => false,
    };
    let vanishes = quotients
        .windows(2)
        .all(|pair| pair[1].value.abs() <= 20.0 * pair[1].rounding || pair[1].value.abs() < 0.75 * pair[0].value.abs());
    let scatter = match (quotients, &changes[..]) {
        ([.., last], [.., (change, _)]) if !one_sign => change.abs() * last.h,
        _ => 0.0,
    };
    let largest = quotients.iter().fold(0.0, |most: f64, quotient| most.max(quotient.value.abs()));
    let diverges = changes.len() >= 3 && beyond && one_sign && grows;
    (
        Limit {
            value,
            error,
            steps: quotients.len(),
            diverges,
            falls,
            vanishes,
            largest,
            rounding,
            noise,
            step,
            scatter,
        },
        contradicted,
    )
}

/// Adds notes: samples to add, and derivatives on one side.
fn note(options: &Options, lines: &[Line<'_>], seen: &[Seen], report: &mut Report) {
    let mut notes = Vec::new();
    for line in lines {
        let entries = || report.entries.iter().zip(seen).filter(|(entry, _)| entry.column == line.input);
        let name = report.columns[line.input].clone();
        let is = |reason| entries().any(|(entry, _)| entry.verdict == Verdict::CannotTell(reason));
        let shortest = line.steps().fold(f64::INFINITY, f64::min);
        if is(Reason::StepTooLarge) {
            // At the input's own scale, if the samples do not reach it.
            let own = line.x != 0.0 || !options.scales.is_empty() || !options.steps.is_empty();
            let first = if own && line.step < 4.0 * shortest { line.step.min(0.5 * shortest) } else { 0.5 * shortest };
            let steps: Vec<String> =
                (0..4).map(|half| format!("{:e}", shortened(first * 0.5_f64.powi(half)))).collect();
            notes.push(format!(
                "`{name}`: the samples are too far apart; add values at {} ± {}",
                plain(line.x),
                steps.join(", ")
            ));
        }
        if is(Reason::Noise) {
            notes.push(format!("`{name}`: the values scatter; give them with more digits, or at longer steps"));
        }
        if is(Reason::OneSided) {
            notes.push(format!(
                "`{name}`: values {} the point alone; the claim is the derivative from there",
                if line.behind.is_empty() { "ahead of" } else { "behind" }
            ));
        }
        for (entry, seen) in entries() {
            let Some([behind, ahead]) = seen.sides else { continue };
            let near = |side: f64| {
                (entry.claimed - side).abs() <= options.tolerance * side.abs() + options.safety * seen.found.error
            };
            let claimed = match (near(behind), near(ahead)) {
                (true, _) => "; the claim is the derivative from behind",
                (_, true) => "; the claim is the derivative from ahead",
                _ => "",
            };
            let row = report.row_name(entry);
            notes.push(format!("{row} by {name}: {} from behind, {} from ahead{claimed}", plain(behind), plain(ahead)));
        }
    }
    report.notes.extend(notes);
}

/// To three digits.
fn shortened(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

/// A number in its shortest form.
fn plain(x: f64) -> String {
    let x: f64 = format!("{x:.9e}").parse().unwrap_or(x);
    if x == 0.0 || (1e-3..1e6).contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(halves: i32) -> Vec<(Vec<f64>, Vec<f64>)> {
        let f = |x: [f64; 2]| (x.to_vec(), vec![(x[0] * x[1]).sin()]);
        let mut all = vec![f([3.0, 0.4])];
        for h in (0..halves).map(|i| 0.125 * 0.5_f64.powi(i)) {
            for t in [h, -h] {
                all.extend([f([3.0 + 3.0 * t, 0.4]), f([3.0, 0.4 + t])]);
            }
        }
        all
    }

    #[test]
    fn values_around_the_point_are_enough() {
        let cos = (3.0_f64 * 0.4).cos();
        let claim = |off: f64| Claim::new(1, 2, &[0.4 * cos, 3.0 * cos + off]).expect("fits");
        let options = Options::new("∂y/∂x");
        for halves in [6, 8] {
            let right = sampled_jacobian(&options, &samples(halves), &claim(0.0)).expect("runs");
            assert!(right.agrees() && right.counts.cannot_tell == 0, "{right}");
            let wrong = sampled_jacobian(&options, &samples(halves), &claim(1e-4)).expect("runs");
            assert_eq!((wrong.counts.agree, wrong.counts.disagree), (1, 1), "{wrong}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let claim = Claim::new(1, 2, &[0.0; 2]).expect("fits");
        let error = sampled_jacobian(&Options::default(), &samples(3), &claim).expect_err("too few");
        assert_eq!(error, CheckError::Sample { input: 0, step: 0.046_875 });
        let error = sampled_jacobian(&Options::default(), &[], &claim).expect_err("none");
        assert_eq!(error, CheckError::Size { what: "samples", expected: 1, found: 0 });
    }
}
