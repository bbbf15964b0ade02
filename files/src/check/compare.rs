//! One quantity by two methods.

use super::methods::{Conditions, Derivatives};
use crate::labels::Labels;
use crate::quantity::{Axis, Family, Quantity};
use gradyn::partials::Method;
use nalgebra::DMatrix;
use serde::Serialize;

/// An entry may differ by so many times the error that differences estimate for themselves.
const ESTIMATES: f64 = 10.0;
/// And by so much of the largest entry: estimates are estimates.
const RELATIVE: f64 = 1e-9;
/// And by so much of what is differentiated, at its largest: derivatives that cancel to zero are zero to a few hundred
/// roundings of it.
const ROUNDING: f64 = 1e-13;
/// And by so much of what cancels in it, where little or nothing is left: by formulas and dual numbers, and by
/// differences.
const CANCELLED: [f64; 2] = [1e-14, 1e-12];
/// Extrapolation makes a few thousand of those of motions, which are sums of products; solutions have as many.
const EXTRAPOLATED: f64 = 1e-12;
/// Accelerations are solved for: a few roundings for each unit of the condition, of the mass matrix or of the
/// constraints.
const SOLVED: f64 = 1e-15;
/// Second derivatives multiply by the inverse three times.
const SOLVED_TWICE: f64 = 1e-14;
/// Differences divide roundings by their step, and extrapolation adds to them: up to 2e-13 were seen on some hundred
/// robots.
const SOLVED_DIFFERENCES: f64 = 1e-12;

/// The entry where two methods are furthest apart, measured by what is allowed there.
#[derive(Clone, Debug)]
pub struct Worst {
    /// The state's number.
    pub state: u64,
    /// Of a quantity that has several.
    pub part: String,
    /// The row.
    pub row: usize,
    /// The column.
    pub column: usize,
    /// By both methods.
    pub values: [f64; 2],
    /// How far they are apart.
    pub deviation: f64,
    /// Of the matrix.
    pub largest: f64,
    /// How far they may be.
    pub tolerance: f64,
    /// What allows that.
    pub by: By,
}

/// Which bound a tolerance is: the largest of three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A share of the largest entry.
    Size,
    /// The error that differences estimate for themselves.
    Estimate,
    /// What rounding may do.
    Rounding,
}

impl By {
    /// For programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Estimate => "estimate",
            Self::Rounding => "rounding",
        }
    }
}

impl Worst {
    /// Whether it is within its tolerance.
    pub fn agrees(&self) -> bool {
        self.deviation <= self.tolerance
    }

    /// The deviation relative to the largest entry.
    pub fn relative(&self) -> f64 {
        if self.largest > 0.0 { self.deviation / self.largest } else { self.deviation }
    }

    /// More than one deviates. Two zeros are no deviation at all.
    fn ratio(&self) -> f64 {
        if self.deviation == 0.0 { 0.0 } else { self.deviation / self.tolerance }
    }
}

/// One quantity by two methods.
#[derive(Debug)]
pub struct Comparison {
    /// What is compared.
    pub quantity: Quantity,
    /// By which methods.
    pub methods: [Method; 2],
    /// The entry nearest to deviating, or the one that deviates most.
    pub worst: Option<Worst>,
}

/// Every quantity by every pair of methods.
pub fn all(quantities: &[Quantity]) -> Vec<Comparison> {
    let mut comparisons = Vec::new();
    for quantity in quantities {
        for (n, a) in Method::ALL.into_iter().enumerate() {
            for b in Method::ALL.into_iter().skip(n + 1) {
                comparisons.push(Comparison { quantity: *quantity, methods: [a, b], worst: None });
            }
        }
    }
    comparisons
}

/// What rounding may do to a derivative of a quantity of this size.
fn rounding(quantity: Quantity, size: f64, methods: [Method; 2], conditions: &Conditions) -> f64 {
    let cancelled = CANCELLED[usize::from(methods.contains(&Method::Difference))];
    (cancelled * conditions.cancels(quantity)).max(of_size(quantity, methods, conditions) * size)
}

/// What rounding may do, of its size.
pub fn of_size(quantity: Quantity, methods: [Method; 2], conditions: &Conditions) -> f64 {
    let Conditions { mass, held, .. } = *conditions;
    let solved = match quantity.is_second_derivative() {
        _ if methods.contains(&Method::Difference) => SOLVED_DIFFERENCES,
        true => SOLVED_TWICE,
        false => SOLVED,
    };
    if quantity.needs_constraints() {
        // Squared in derivatives by q.
        EXTRAPOLATED.max(SOLVED * held * held.min(1e4)).max(solved * mass)
    } else if quantity.needs_tau() {
        EXTRAPOLATED.max(solved * mass)
    } else if quantity.family() != Family::Torques && methods.contains(&Method::Difference) {
        EXTRAPOLATED
    } else {
        ROUNDING
    }
}

impl Comparison {
    /// Compares at one more state, and whether the methods agree there.
    pub fn look(&mut self, by_method: &[Derivatives], conditions: Conditions, state: u64) -> bool {
        let of = |method| by_method.iter().find(|by| by.method == method);
        let [Some(a), Some(b)] = self.methods.map(of) else { return true };
        let mut agree = true;
        for ((part, x), (_, y)) in a.of(self.quantity).iter().zip(b.of(self.quantity)) {
            let size = x.size.max(y.size);
            let rounding = rounding(self.quantity, size, self.methods, &conditions);
            let errors = [x, y].map(|by| by.error.as_ref());
            for worst in entries(&x.value, &y.value, errors, rounding, state) {
                agree &= worst.agrees();
                if self.worst.as_ref().is_none_or(|before| worst.ratio() > before.ratio()) {
                    self.worst = Some(Worst { part: part.clone(), ..worst });
                }
            }
        }
        agree
    }

    /// More than one deviates.
    pub fn ratio(&self) -> f64 {
        self.worst.as_ref().map_or(0.0, Worst::ratio)
    }

    /// Whether no entry has deviated.
    pub fn agrees(&self) -> bool {
        self.worst.as_ref().is_none_or(Worst::agrees)
    }

    /// What its worst row and column are called.
    pub fn places(&self, labels: &Labels) -> Option<[String; 2]> {
        let worst = self.worst.as_ref()?;
        let (rows, columns) = self.quantity.axes();
        let name = |axis, index: usize| labels.along(axis).into_iter().nth(index).unwrap_or_default();
        let (mut row, mut column) = (name(rows, worst.row), name(columns, worst.column));
        if !worst.part.is_empty() {
            let named = if columns == Axis::Wrench { &mut column } else { &mut row };
            *named = format!("{named}, {}", worst.part);
        }
        Some([row, column])
    }

    /// For programs; `labels` name its row and column.
    pub fn answer(&self, labels: &Labels) -> Answer {
        let worst = self.worst.as_ref().zip(self.places(labels)).map(|(worst, [row, column])| WorstAnswer {
            state: worst.state,
            row,
            column,
            values: worst.values,
            deviation: worst.deviation,
            relative: worst.relative(),
            tolerance: worst.tolerance,
            tolerance_by: worst.by.name(),
        });
        let (quantity, methods) = (self.quantity.name(), self.methods.map(Method::name));
        Answer { quantity, methods, agrees: self.agrees(), worst }
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
        let size = (RELATIVE * largest, By::Size);
        let estimated = errors.iter().flatten().filter_map(|error| error.as_slice().get(at)).sum::<f64>();
        let larger = |a: (f64, By), b: (f64, By)| if b.0 > a.0 { b } else { a };
        let (tolerance, by) = larger(larger(size, (ESTIMATES * estimated, By::Estimate)), (rounding, By::Rounding));
        Worst {
            state,
            part: String::new(),
            row: at % rows,
            column: at / rows,
            values: [*x, *y],
            deviation: (x - y).abs(),
            largest,
            tolerance,
            by,
        }
    })
}

/// For programs.
#[derive(Serialize)]
pub struct Answer {
    quantity: &'static str,
    methods: [&'static str; 2],
    agrees: bool,
    worst: Option<WorstAnswer>,
}

#[derive(Serialize)]
struct WorstAnswer {
    state: u64,
    row: String,
    column: String,
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
