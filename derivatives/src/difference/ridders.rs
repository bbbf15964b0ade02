//! Extrapolation of central differences to step zero.

use super::error::DifferenceError;
use super::method::Estimate;
use super::path::Path;
use std::fmt::{Debug, Display};

/// Derivatives by Ridders' method, each output with its own table.
///
/// `D(h) = y′ + c₁ h² + c₂ h⁴ + …`. With `A₀(i) = D(h / 2ⁱ)`, each column of the table removes one power:
/// `A_k(i) = (4ᵏ A_{k−1}(i) − A_{k−1}(i−1)) / (4ᵏ − 1)`. The error of an entry is estimated by its distance from the two
/// it was made of, plus the rounding of the shortest step used; the entry of least estimate is kept. A table is complete
/// when rounding at the present step is no longer small beside that estimate. (Stopping at the first row that is worse
/// than the one before, as is common, is deceived by two entries that agree by chance.)
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
    let mut quotient = vec![0.0; m];
    let mut h = step;
    for row in 0..rows.max(2) {
        path.quotient(h, &mut quotient)?;
        for (i, table) in tables.iter_mut().enumerate().filter(|(_, table)| !table.complete) {
            let rounding = path.rounding(i, h, quotient[i]);
            let best = (&mut estimate.value[i], &mut estimate.error[i]);
            table.extend(quotient[i], rounding, best);
        }
        if row > 0 && tables.iter().all(|table| table.complete) {
            break;
        }
        h *= 0.5;
    }
    // Differences near the largest float overflow in the table.
    match estimate.error.iter().position(|error| !error.is_finite()) {
        None => Ok(estimate),
        Some(output) => Err(DifferenceError::NotFinite { output, value: quotient[output], direction: 0, step: h }),
    }
}

/// One output's table: its last row.
#[derive(Clone, Default)]
pub(crate) struct Table {
    row: Vec<f64>,
    pub(crate) complete: bool,
}

impl Table {
    /// The next row, from its first entry; improves `best = (value, error)`.
    pub(crate) fn extend(&mut self, quotient: f64, rounding: f64, best: (&mut f64, &mut f64)) {
        let (value, error) = best;
        let mut entry = quotient;
        let mut power = 1.0; // 4ᵏ
        for above in &mut self.row {
            power *= 4.0;
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
    }
}
