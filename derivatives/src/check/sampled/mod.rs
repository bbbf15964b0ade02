//! Checks of functions that are known by a table of values only.

mod limit;
mod line;
mod resolution;

use super::evidence::Evidence;
use super::judge::{expect_shape, judge};
use super::{CheckError, Claim, Options, Reason, Report, Verdict};
use line::{Line, Seen};
use resolution::resolutions;

/// Differences have settled to so much of the derivative, or of what the output changes by; else nothing can be said,
/// neither way.
const SETTLED: [f64; 2] = [1e-3, 1e-6];
/// A constant that hides no change larger than this of itself, over the input's own size: that of single precision at
/// default steps.
const FLAT: f64 = 1e-5;

/// Checks a claimed Jacobian of a function that cannot be called: what is known are values at some points, `(x, f(x))`.
///
/// The first is the point itself. Along each input `k` there must be four or more at other `x_k`, best at `x ± h e_k`
/// with `h = s, s/2, s/4, …`, where the function hardly bends over the longest step `s`: an eighth of the input's own
/// scale ([`Options::scales`], or `|x_k|`) unless [`Options::steps`] says otherwise. Steps need not be halves, but the
/// next has to be at most 0.55 of the one before; those in between, such as 0.61 and 0.83 of them, make tables of their
/// own, which are compared. Samples that do not exist, as those of a logarithm left of zero, are left out.
///
/// Where differences do not settle as steps shrink, the verdict is [`Reason::StepTooLarge`] or [`Reason::Noise`], and a
/// note says which samples to add. Where the differences ahead and behind settle to different numbers, the function is
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
/// [`CheckError`] if shapes do not fit, or the point is not finite; [`CheckError::Sample`] if there are too few values
/// along an input.
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
    // What has not settled cannot contradict either. A kink that is larger than the error is one, however coarse the
    // values.
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

/// The largest magnitude of those that are finite.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.map(f64::abs).filter(|value| value.is_finite()).fold(0.0, f64::max)
}

/// What to add to the samples, and derivatives on one side.
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

/// A number as short as it can be.
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
