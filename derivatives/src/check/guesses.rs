//! Which of the usual mistakes explains what disagrees?

use super::{Claim, Entry, Guess, Options, Report, Verdict};

/// A mistake explains an entry if it brings it so much nearer.
const NEARER: f64 = 1e-3;

/// Adds the mistakes that explain every entry that disagrees.
pub(super) fn add(options: &Options, report: &mut Report, claim: &Claim, known: &[(Guess, Vec<f64>)]) {
    let disagreeing: Vec<&Entry> = report.entries.iter().filter(|entry| entry.verdict == Verdict::Disagrees).collect();
    if disagreeing.is_empty() {
        return;
    }
    let error = report.entries.iter().map(|entry| entry.error).filter(|x| x.is_finite()).fold(0.0, f64::max);
    let found: Vec<f64> = report.entries.iter().map(|entry| entry.found).collect();
    let explains = |values: &dyn Fn(&Entry) -> f64| {
        disagreeing.iter().all(|entry| {
            let left = (entry.claimed - values(entry)).abs();
            left <= NEARER * entry.deviation() || left <= 10.0 * options.safety * error
        }) && disagreeing
            .iter()
            .any(|entry| (entry.claimed - values(entry)).abs() <= NEARER * entry.deviation() && entry.claimed != 0.0)
    };
    let at = |i: usize, j: usize| found[i * claim.columns + j];
    let mut guesses = Vec::new();
    let mut offer = |guess: Guess, values: &dyn Fn(&Entry) -> f64| {
        if explains(values) {
            guesses.push(guess);
        }
    };
    offer(Guess::WrongSign, &|entry| -entry.found);
    for factor in [2.0, 0.5] {
        offer(Guess::Factor { factor }, &|entry| factor * entry.found);
    }
    let degree = std::f64::consts::PI / 180.0;
    for factor in [degree, 1.0 / degree] {
        offer(Guess::Degrees, &|entry| factor * entry.found);
    }
    if claim.rows == claim.columns {
        offer(Guess::Transposed, &|entry| at(entry.column, entry.row));
    }
    for (guess, values) in known {
        offer(guess.clone(), &|entry| values[entry.row * claim.columns + entry.column]);
    }
    report.guesses.extend(guesses);
}
