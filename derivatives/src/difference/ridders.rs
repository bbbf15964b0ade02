//! Extrapolation of central differences to step zero.

use super::error::DifferenceError;
use super::estimate::Estimate;
use super::path::Path;
use std::fmt::{Debug, Display};

/// Derivatives by Ridders' method, each output with its own table.
///
/// `D(h) = y′ + c₁ h² + c₂ h⁴ + …`. With `A₀(i) = D(h / 2ⁱ)`, each column of the table removes one power:
/// `A_k(i) = (4ᵏ A_{k−1}(i) − A_{k−1}(i−1)) / (4ᵏ − 1)`. The error of an entry is estimated by its distance from the
/// two it was made of, plus the rounding of the shortest step used; the entry of least estimate is kept. A table is
/// complete when rounding at the present step is no longer small beside that estimate. (Stopping at the first row that
/// is worse than the one before, as is common, is deceived by two entries that agree by chance.)
///
/// Central differences do not look at the point itself. Where the function's value there stands apart from those around
/// it there is no derivative, and the error is infinite ([`Middle`]).
///
/// Source: Ridders, "Accurate computation of F′(x) and F′(x)F″(x)", Adv. Eng. Software 4 (1982) 75.
pub(super) fn ridders<E: Debug + Display>(
    path: &mut Path<'_, E>,
    step: f64,
    rows: usize,
) -> Result<Estimate, DifferenceError<E>> {
    let m = path.directions();
    let mut estimate = Estimate::zeros(m, 1);
    estimate.error.fill(f64::INFINITY);
    let mut tables = vec![Table::default(); m];
    let mut middles = vec![Middle::default(); m];
    let mut quotient = vec![0.0; m];
    let mut h = step;
    for row in 0..rows.max(2) {
        path.quotient(h, &mut quotient)?;
        for (i, middle) in middles.iter_mut().enumerate() {
            middle.extend(h, path.pair(i), h * path.rounding(i, h, quotient[i]));
        }
        for (i, table) in tables.iter_mut().enumerate().filter(|(_, table)| !table.complete) {
            let rounding = path.rounding(i, h, quotient[i]);
            let best = (&mut estimate.value[i], &mut estimate.error[i]);
            table.extend(h, quotient[i], rounding, best);
        }
        if row > 0 && tables.iter().all(|table| table.complete) {
            break;
        }
        h *= 0.5;
    }
    // Differences near the largest float overflow in the table.
    if let Some(output) = estimate.error.iter().position(|error| !error.is_finite()) {
        return Err(DifferenceError::NotFinite { output, value: quotient[output], direction: 0, step: h });
    }
    let largest = |of: fn(&Middle) -> f64| middles.iter().map(of).fold(0.0, f64::max);
    let (rounding, change) = (largest(|middle| middle.rounding), largest(|middle| middle.change));
    if middles.iter().any(|middle| middle.is_apart(rounding, change)) {
        // Two entries of a table may agree by chance, and values may be off by more than roundings: what stands apart
        // does so by the same distance from all that is near.
        let mut apart: Vec<bool> = middles.iter().map(|middle| middle.is_apart(rounding, change)).collect();
        let mut nearest = vec![None; m];
        for part in NEAREST {
            path.quotient(step * part, &mut quotient)?;
            for (i, apart) in apart.iter_mut().enumerate() {
                let (ahead, behind) = path.pair(i);
                let distance = ahead + behind;
                let first = *nearest[i].get_or_insert(distance);
                *apart &=
                    distance.abs() > 0.5 * middles[i].limit.abs() && (distance - first).abs() < 1e-2 * first.abs();
            }
        }
        for (error, _) in estimate.error.iter_mut().zip(apart).filter(|(_, apart)| *apart) {
            *error = f64::INFINITY;
        }
    }
    Ok(estimate)
}

/// So much of the first step is the nearest that values are looked at: what is smooth changes by a 10¹²th of its
/// curvature there.
const NEAREST: [f64; 5] = [1e-6, 0.9e-6, 0.7e-6, 0.5e-6, 0.4e-6];

/// What `(y(h) ⊖ y(0)) + (y(−h) ⊖ y(0))` goes to as the step shrinks, by a table of its own: it is an expansion in even
/// powers, too. Zero, unless the value at the point stands apart.
#[derive(Clone)]
struct Middle {
    table: Table,
    limit: f64,
    error: f64,
    rounding: f64,
    /// The largest change of the function.
    change: f64,
}

impl Default for Middle {
    fn default() -> Self {
        Self { table: Table::default(), limit: 0.0, error: f64::INFINITY, rounding: 0.0, change: 0.0 }
    }
}

impl Middle {
    /// One more step; `rounding`: of a value.
    fn extend(&mut self, h: f64, (ahead, behind): (f64, f64), rounding: f64) {
        self.table.extend(h, ahead + behind, 4.0 * rounding, (&mut self.limit, &mut self.error));
        self.rounding = self.rounding.max(4.0 * rounding);
        self.change = self.change.max(ahead.abs()).max(behind.abs());
    }

    /// Whether the limit differs from zero by more than its own error and that of `y(0)`, which all steps share: ten
    /// thousand roundings, or a ten millionth of the change of the function. Both are of the output where they are
    /// largest, because an output may be small by cancellation.
    fn is_apart(&self, rounding: f64, change: f64) -> bool {
        let limit = self.limit.abs();
        limit > 100.0 * self.error && limit > (1e4 * rounding).max(1e-7 * change)
    }
}

/// One output's table: its last row.
#[derive(Clone)]
pub(crate) struct Table {
    /// The expansion is one in powers of `hᵖ`.
    power: i32,
    steps: Vec<f64>,
    row: Vec<f64>,
    pub(crate) complete: bool,
}

impl Default for Table {
    /// Of an expansion in even powers.
    fn default() -> Self {
        Self::in_powers_of_step(2)
    }
}

impl Table {
    /// Of an expansion in powers of `hᵖ`: 2 for central differences, 1 for those ahead.
    pub(crate) fn in_powers_of_step(power: i32) -> Self {
        Self { power, steps: Vec::new(), row: Vec::new(), complete: false }
    }

    /// The next row, from its first entry at the step `h`, shorter than those before; improves `best = (value, error)`.
    pub(crate) fn extend(&mut self, h: f64, quotient: f64, rounding: f64, best: (&mut f64, &mut f64)) {
        let (value, error) = best;
        let mut entry = quotient;
        // Column k of this row is extrapolated from the k steps before: (h₋ₖ / h)ᵖ is 4ᵏ for halved steps.
        for (above, before) in self.row.iter_mut().zip(self.steps.iter().rev()) {
            let power = (before / h).powi(self.power);
            let next = (power * entry - *above) / (power - 1.0);
            let distance = (next - entry).abs().max((next - *above).abs()) + rounding;
            if distance <= *error {
                (*value, *error) = (next, distance);
            }
            *above = entry;
            entry = next;
        }
        self.complete = *error <= 4.0 * rounding;
        self.row.push(entry);
        self.steps.push(h);
    }
}
