//! What difference quotients go to as their steps go to zero.

use crate::difference::Table;

/// And so many for a table of differences beside the first.
const SHORT: usize = 3;
/// The next step of a table is at most so much of the one before.
const SHRINK: f64 = 0.55;

/// A difference quotient, and what rounding contributes to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quotient {
    pub(super) h: f64,
    pub(super) value: f64,
    pub(super) rounding: f64,
}

/// What quotients go to as their steps go to zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub(super) value: f64,
    pub(super) error: f64,
    pub(super) steps: usize,
    /// Whether they diverge, ever more, in one direction.
    pub(super) diverges: bool,
    /// Whether their changes become smaller.
    pub(super) falls: bool,
    /// Whether they themselves become smaller, as a sequence that goes to zero does.
    pub(super) vanishes: bool,
    /// The largest of them.
    pub(super) largest: f64,
    /// What rounding contributes to the value.
    pub(super) rounding: f64,
    /// Noise of values, as quotients of shorter steps than that of the value show it, and that step.
    pub(super) noise: f64,
    pub(super) step: f64,
    /// By how much values scatter, as the last quotients have it; zero if these change in one direction.
    pub(super) scatter: f64,
}

impl Limit {
    pub(super) fn is_noise(&self, largest: f64) -> bool {
        // The table's own error is no more than a few roundings, or values go up and down by little.
        self.error <= 4.0 * self.rounding || self.scatter > 0.0 && self.scatter <= 0.05 * largest
    }
}

/// Steps in tables: in each the next is at most [`SHRINK`] of the one before, as long as possible. By their places.
pub(super) fn ladders(steps: impl Iterator<Item = f64>) -> impl Iterator<Item = Vec<usize>> {
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

/// The limit by extrapolation, in powers of `hᵖ`: the best of several tables, which what the others differ by is an
/// error of.
pub(super) fn limit(quotients: &[Quotient], power: i32) -> Option<Limit> {
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

/// By one table: without the longest steps, if those after them settle to something else.
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

/// By all steps of a table, and whether shorter steps than those of the best extrapolation contradict it.
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
    // Quotients go to their limit like hᵖ. What those of shorter steps are further off by is noise of the values, which
    // the longer steps have, too, or a bend that these step over.
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
