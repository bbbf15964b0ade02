//! From evidence to verdicts.

use super::evidence::{Evidence, Found};
use super::{CheckError, Claim, Entry, Guess, Options, Reason, Report, Verdict};

/// Evidence with a larger error than this, relative to the entry or to the scale, cannot confirm.
const COARSE: [f64; 2] = [1e-3, 1e-6];

/// Checks the shape of the claim, and the options.
pub(super) fn expect_shape(
    options: &Options,
    claim: &Claim,
    (rows, columns): (usize, usize),
    coordinates: (usize, usize),
) -> Result<(), CheckError> {
    options.check(rows, columns)?;
    if (claim.rows, claim.columns) == (rows, columns) {
        return Ok(());
    }
    let fits = |found: usize, right: usize, coordinates: usize| found == right || found == coordinates;
    let guess = if (claim.columns, claim.rows) == (rows, columns) {
        Some(Guess::Transposed)
    } else if fits(claim.rows, rows, coordinates.0) && fits(claim.columns, columns, coordinates.1) {
        Some(Guess::CoordinatesNotDirections)
    } else {
        None
    };
    Err(CheckError::Shape {
        name: options.name.clone(),
        rows,
        columns,
        found_rows: claim.rows,
        found_columns: claim.columns,
        guess,
    })
}

/// The verdict on one entry.
fn verdict(options: &Options, found: &Found, claimed: f64, scale: f64) -> Verdict {
    if !found.value.is_finite() {
        return Verdict::CannotTell(Reason::NonFinite);
    }
    let bound = found.bound(options, scale);
    if found.kink > bound {
        return Verdict::CannotTell(if found.apart { Reason::Isolated } else { Reason::NonSmooth });
    }
    let deviation = (claimed - found.value).abs();
    if deviation.is_nan() || deviation > bound {
        // Differences over steps that are all too long determine neither the derivative nor their own error.
        let settled = options.safety * found.error <= (COARSE[0] * found.value.abs()).max(COARSE[1] * scale);
        if found.reason == Reason::StepTooLarge && !settled {
            return Verdict::CannotTell(Reason::StepTooLarge);
        }
        return Verdict::Disagrees;
    }
    // A claim within the bound without rounding agrees, however large rounding may be.
    let sharp = deviation <= found.sharp_bound(options, scale);
    let error = options.safety * if sharp { found.error } else { found.error.max(found.rounding) };
    let size = found.value.abs().max(claimed.abs());
    if error <= (COARSE[0] * size).max(COARSE[1] * scale) { Verdict::Agrees } else { Verdict::CannotTell(found.reason) }
}

/// A verdict for each entry.
pub(super) fn judge(options: &Options, evidence: &Evidence, claim: &Claim) -> Report {
    let scales: Vec<f64> =
        evidence.scales().into_iter().enumerate().map(|(k, scale)| scale.max(options.size_of(k))).collect();
    let mut entries: Vec<Entry> = Vec::with_capacity(claim.values.len());
    for (k, (found, claimed)) in evidence.found.iter().zip(&claim.values).enumerate() {
        let (row, column, scale) = (k / evidence.columns, k % evidence.columns, scales[k]);
        entries.push(Entry {
            row,
            column,
            claimed: *claimed,
            found: found.value,
            error: found.error.max(found.rounding),
            bound: found.bound(options, scale),
            verdict: verdict(options, found, *claimed, scale),
        });
    }
    let mut notes = Vec::new();
    let mut guesses = Vec::new();
    outside_pattern(claim, &mut entries, &mut guesses);
    asymmetric(options, &scales, claim, &mut entries, &mut notes);
    let named = |names: &[String], letter: &str, n: usize| {
        if names.is_empty() { (0..n).map(|i| format!("{letter}[{i}]")).collect() } else { names.to_vec() }
    };
    let mut report = Report {
        name: options.name.clone(),
        rows: named(&options.rows, "y", claim.rows),
        columns: named(&options.columns, "x", claim.columns),
        entries,
        counts: super::Counts::default(),
        guesses,
        curves: Vec::new(),
        taylor: Vec::new(),
        notes,
        seed: options.seed,
    };
    report.count();
    let mut alone = report.entries.iter().zip(&evidence.found).filter(|(_, found)| found.one_sided);
    if let Some((first, _)) = alone.next() {
        let others = match alone.count() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let entry = format!("{} by {}", report.row_name(first), report.column_name(first));
        report.notes.push(format!("{entry}{others}: by values on one side only, as there are none on the other"));
    }
    report
}

/// Outside of the declared pattern the derivative must be zero.
fn outside_pattern(claim: &Claim, entries: &mut [Entry], guesses: &mut Vec<Guess>) {
    let Some(pattern) = &claim.pattern else { return };
    let mut outside = entries.iter_mut().zip(pattern).filter(|(_, can)| !**can);
    if outside.any(|(entry, _)| entry.verdict == Verdict::Disagrees) {
        guesses.push(Guess::Pattern);
    }
}

/// A matrix that is symmetric at every point must be symmetric to rounding, however noisy the function.
fn asymmetric(options: &Options, scales: &[f64], claim: &Claim, entries: &mut [Entry], notes: &mut Vec<String>) {
    if !options.symmetric || claim.rows != claim.columns {
        return;
    }
    let n = claim.rows;
    let mut count = 0;
    for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
        let (a, b) = (claim.values[i * n + j], claim.values[j * n + i]);
        let scale = scales[i * n + j].max(scales[j * n + i]);
        let allowed = 2.0 * (options.tolerance * a.abs().max(b.abs()) + options.floor * scale);
        if (a - b).abs() <= allowed {
            continue;
        }
        count += 1;
        let (k, l) = (i * n + j, j * n + i);
        if entries[k].verdict != Verdict::Disagrees && entries[l].verdict != Verdict::Disagrees {
            // One of them is wrong: the one with the larger deviation.
            let worse = if entries[k].deviation() >= entries[l].deviation() { k } else { l };
            if !matches!(entries[worse].verdict, Verdict::CannotTell(Reason::NonSmooth | Reason::Isolated)) {
                entries[worse].verdict = Verdict::Disagrees;
            }
        }
    }
    if count > 0 {
        notes.push(format!("a symmetric matrix is claimed asymmetrically: {count} pairs of entries differ"));
    }
}
