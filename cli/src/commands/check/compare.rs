//! One quantity by two methods.

use super::methods::{Derivatives, compared};
use crate::constraints::Constraints;
use crate::quantity::Quantity;
use gradyn::model::Model;
use gradyn::partials::Method;
use nalgebra::DMatrix;
use serde::Serialize;

/// An entry may differ by so many times the error that differences estimate for themselves.
const ESTIMATES: f64 = 10.0;
/// And by so much of the largest entry: estimates are estimates.
const RELATIVE: f64 = 1e-9;
/// And by so much of what is differentiated, at its largest: derivatives that cancel to zero are zero to a few hundred roundings
/// of it.
const ROUNDING: f64 = 1e-13;
/// Under constraints, which are solved for, by ten times that at least; more where they are nearly dependent.
const ROUNDING_OF_SOLUTIONS: f64 = 1e-12;
/// A few roundings.
const FEW: f64 = 1e-15;

/// The entry where two methods are furthest apart, measured by what is allowed there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worst {
    pub(super) state: u64,
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) values: [f64; 2],
    pub(super) deviation: f64,
    /// Of the matrix.
    pub(super) largest: f64,
    pub(super) tolerance: f64,
}

impl Worst {
    pub(super) fn agrees(&self) -> bool {
        self.deviation <= self.tolerance
    }

    /// The deviation relative to the largest entry.
    pub(super) fn relative(&self) -> f64 {
        if self.largest > 0.0 { self.deviation / self.largest } else { self.deviation }
    }

    /// Which of the two bounds the tolerance is: that of the estimated error?
    pub(super) fn by_estimate(&self) -> bool {
        self.tolerance > RELATIVE * self.largest
    }

    /// More than one deviates. Two zeros are no deviation at all.
    fn ratio(&self) -> f64 {
        if self.deviation == 0.0 { 0.0 } else { self.deviation / self.tolerance }
    }
}

/// One quantity by two methods.
#[derive(Debug)]
pub(super) struct Comparison {
    pub(super) quantity: Quantity,
    pub(super) methods: [Method; 2],
    pub(super) worst: Option<Worst>,
}

/// Every quantity by every pair of methods.
pub(super) fn all(constraints: &Constraints) -> Vec<Comparison> {
    let mut comparisons = Vec::new();
    for quantity in compared(constraints) {
        for (n, a) in Method::ALL.into_iter().enumerate() {
            for b in Method::ALL.into_iter().skip(n + 1) {
                comparisons.push(Comparison { quantity, methods: [a, b], worst: None });
            }
        }
    }
    comparisons
}

impl Comparison {
    /// Compares at one more state: do the methods agree there?
    pub(super) fn look(&mut self, by_method: &[Derivatives], state: u64) -> bool {
        let of = |method| by_method.iter().find(|by| by.method == method);
        let [Some(a), Some(b)] = self.methods.map(of) else { return true };
        let mut agree = true;
        let size = a.size(self.quantity).max(b.size(self.quantity));
        let rounding = match self.quantity.needs_constraints() {
            true => ROUNDING_OF_SOLUTIONS.max(FEW * a.amplification()),
            false => ROUNDING,
        };
        for (k, (x, y)) in a.matrices(self.quantity).iter().zip(b.matrices(self.quantity)).enumerate() {
            let errors = [a, b].map(|by| by.errors(self.quantity).get(k));
            for worst in entries(x, y, errors, rounding * size, state) {
                agree &= worst.agrees();
                if self.worst.is_none_or(|before| worst.ratio() > before.ratio()) {
                    self.worst = Some(worst);
                }
            }
        }
        agree
    }

    pub(super) fn answer<'a>(&self, names: &'a Names) -> Answer<'a> {
        Answer {
            quantity: self.quantity.name(),
            methods: self.methods.map(Method::name),
            agrees: self.worst.is_none_or(|worst| worst.agrees()),
            worst: self.worst.map(|worst| WorstAnswer {
                state: worst.state,
                row: names.row(self.quantity, worst.row),
                column: names.column(self.quantity, worst.column),
                values: worst.values,
                deviation: worst.deviation,
                relative: worst.relative(),
                tolerance: worst.tolerance,
                tolerance_by: if worst.by_estimate() { "estimate" } else { "size" },
            }),
        }
    }
}

/// Names of rows and columns.
#[derive(Debug)]
pub(super) struct Names {
    dofs: Vec<String>,
    /// Of constraints.
    rows: Vec<String>,
}

impl Names {
    pub(super) fn new(model: &Model, constraints: &Constraints) -> Self {
        Self { dofs: model.dof_names(), rows: constraints.rows.clone() }
    }

    pub(super) fn row(&self, quantity: Quantity, row: usize) -> &str {
        let names = if quantity.is_of_rows() { &self.rows } else { &self.dofs };
        names.get(row).map_or("", String::as_str)
    }

    pub(super) fn column(&self, quantity: Quantity, column: usize) -> &str {
        if quantity.is_by_wrench() {
            return ["fx", "fy", "fz", "nx", "ny", "nz"].get(column).copied().unwrap_or_default();
        }
        self.dofs.get(column).map_or("", String::as_str)
    }
}

/// Every entry of two matrices, with what is allowed there.
fn entries<'m>(
    x: &'m DMatrix<f64>,
    y: &'m DMatrix<f64>,
    errors: [Option<&'m DMatrix<f64>>; 2],
    rounding: f64,
    state: u64,
) -> impl Iterator<Item = Worst> + 'm {
    let largest = x.iter().chain(y.iter()).fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let rows = x.nrows().max(1);
    x.iter().zip(y.iter()).enumerate().map(move |(at, (x, y))| {
        let estimated = errors.iter().flatten().filter_map(|error| error.as_slice().get(at)).sum::<f64>();
        Worst {
            state,
            row: at % rows,
            column: at / rows,
            values: [*x, *y],
            deviation: (x - y).abs(),
            largest,
            tolerance: (ESTIMATES * estimated).max(RELATIVE * largest).max(rounding),
        }
    })
}

/// For programs.
#[derive(Serialize)]
pub(super) struct Answer<'a> {
    quantity: &'static str,
    methods: [&'static str; 2],
    agrees: bool,
    worst: Option<WorstAnswer<'a>>,
}

#[derive(Serialize)]
struct WorstAnswer<'a> {
    state: u64,
    row: &'a str,
    column: &'a str,
    values: [f64; 2],
    deviation: f64,
    relative: f64,
    tolerance: f64,
    tolerance_by: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beyond both bounds an entry deviates; within one of them it does not.
    #[test]
    fn an_entry_deviates_beyond_both_bounds() {
        let x = DMatrix::from_row_slice(1, 2, &[1.0, 100.0]);
        let compare = |off: f64, estimated: f64| {
            let y = DMatrix::from_row_slice(1, 2, &[1.0 + off, 100.0]);
            let error = DMatrix::from_element(1, 2, estimated);
            entries(&x, &y, [None, Some(&error)], 0.0, 3).all(|worst| worst.agrees())
        };
        assert!(compare(5e-8, 0.0) && compare(1e-3, 2e-4)); // 1e-9 of 100; ten times 2e-4
        assert!(!compare(2e-7, 1e-9) && !compare(1e-3, 5e-5));
    }

    /// What cancels to zero is zero to rounding of what it was made of, and no more.
    #[test]
    fn roundings_of_torques_agree() {
        let (zero, noise) = (DMatrix::zeros(1, 1), DMatrix::from_element(1, 1, 1e-15));
        let agree =
            |torque: f64| entries(&zero, &noise, [None, None], ROUNDING * torque, 0).all(|worst| worst.agrees());
        assert!(agree(1.0) && !agree(1e-3));
    }

    #[test]
    fn zeros_agree() {
        let zero = DMatrix::zeros(2, 2);
        assert!(entries(&zero, &zero, [None, None], 0.0, 0).all(|worst| worst.agrees() && worst.ratio() < 1.0));
    }
}
