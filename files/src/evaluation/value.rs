//! What was computed, in the form that it is answered in.

use crate::json::{Entries, Rows};
use crate::quantity::{Parts, Quantity};
use gradyn::dynamics::Tensor3;
use gradyn::spatial::{Force, Motion};
use nalgebra::DMatrix;
use serde::{Serialize, Serializer};

/// A quantity's value.
#[derive(Clone, Debug)]
pub enum Value {
    /// A word.
    Text(&'static str),
    /// A number.
    Number(f64),
    /// A count.
    Count(usize),
    /// A list of numbers.
    Numbers(Vec<f64>),
    /// A list of rows.
    Matrix(DMatrix<f64>),
    /// A derivative, with its error where the method has one.
    Derivative(Derivative),
    /// A tensor, its second and third index along the columns of a matrix.
    Second(Derivative),
    /// Values by name.
    Fields(Entries<Value>),
}

/// A derivative by some method.
#[derive(Clone, Debug)]
pub struct Derivative {
    /// Rows: outputs. Columns: inputs.
    pub value: DMatrix<f64>,
    /// Its estimated error, entry by entry, if the method has it.
    pub error: Option<DMatrix<f64>>,
    /// The largest entry of what is differentiated.
    pub size: f64,
}

impl Derivative {
    pub(super) fn new(value: &DMatrix<f64>, error: Option<&DMatrix<f64>>, size: f64) -> Self {
        Self { value: value.clone(), error: error.cloned(), size }
    }

    /// A tensor, without its error.
    pub(super) fn of_tensor(value: &Tensor3, size: f64) -> Self {
        Self { value: flat(value), error: None, size }
    }
}

/// A tensor as a matrix, row by row of its first index.
pub(super) fn flat(tensor: &Tensor3) -> DMatrix<f64> {
    let [n, m, k] = tensor.dims();
    DMatrix::from_row_slice(n, m * k, tensor.as_slice())
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
            Self::Count(count) => count.serialize(serializer),
            Self::Numbers(numbers) => numbers.serialize(serializer),
            Self::Matrix(matrix) | Self::Derivative(Derivative { value: matrix, .. }) => {
                Rows(matrix).serialize(serializer)
            }
            Self::Second(tensor) => {
                let slices = tensor.value.row_iter().map(|row| {
                    let n = tensor.value.nrows();
                    Self::Matrix(DMatrix::from_row_iterator(n, row.len() / n, row.iter().copied()))
                });
                serializer.collect_seq(slices)
            }
            Self::Fields(fields) => fields.serialize(serializer),
        }
    }
}

impl Value {
    pub(super) fn fields<const N: usize>(fields: [(&str, Self); N]) -> Self {
        Self::Fields(Entries(fields.map(|(name, value)| (name.to_owned(), value)).into()))
    }

    pub(super) fn matrix(matrix: &DMatrix<f64>) -> Self {
        Self::Matrix(matrix.clone())
    }

    pub(super) fn numbers<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> Self {
        Self::Numbers(numbers.into_iter().copied().collect())
    }

    /// Linear part first.
    pub(super) fn force(force: &Force<f64>) -> Self {
        Self::numbers(&force.to_array())
    }

    /// Linear part first.
    pub(super) fn motion(motion: &Motion<f64>) -> Self {
        Self::numbers(&motion.to_array())
    }

    /// The part of this name; the whole, if the name is empty.
    pub fn part(self, name: &str) -> Option<Self> {
        match self {
            whole if name.is_empty() => Some(whole),
            Self::Fields(Entries(fields)) => fields.into_iter().find(|(field, _)| field == name).map(|(_, part)| part),
            _ => None,
        }
    }

    /// Everything in it that is a derivative, with the name of its part.
    pub fn derivatives(self) -> Vec<(String, Derivative)> {
        let parts = match self {
            Self::Fields(Entries(parts)) => parts,
            whole => vec![(String::new(), whole)],
        };
        let derivative = |(part, value)| match value {
            Self::Derivative(derivative) | Self::Second(derivative) => Some((part, derivative)),
            _ => None,
        };
        parts.into_iter().filter_map(derivative).collect()
    }
}

/// A derivative, with its estimated error if the method has it.
pub(super) type ByMethod<'m> = (Quantity, &'m DMatrix<f64>, Option<&'m DMatrix<f64>>);

/// Quantities with their values, as they are computed.
#[derive(Debug)]
pub(super) struct Answers<'a> {
    asked: &'a [Quantity],
    /// Those of one piece.
    values: Vec<(Quantity, Value)>,
    /// Those with parts.
    parts: Vec<(Quantity, Vec<(String, Value)>)>,
}

impl<'a> Answers<'a> {
    /// The values asked for. Quantities with parts may have none; `wrenches`: the state has some.
    pub(super) fn new(asked: &'a [Quantity], wrenches: bool) -> Self {
        let has_parts = |quantity: &&Quantity| match quantity.parts() {
            Parts::Whole | Parts::Fields(_) => false,
            Parts::Wrenches => wrenches,
            Parts::Frames | Parts::Places | Parts::Points | Parts::Pairs | Parts::Subtrees | Parts::Bodies => true,
        };
        let parts = asked.iter().filter(has_parts).map(|quantity| (*quantity, Vec::new())).collect();
        Self { asked, values: Vec::new(), parts }
    }

    /// Whether one of these is requested.
    pub(super) fn ask(&self, quantities: &[Quantity]) -> bool {
        quantities.iter().any(|quantity| self.asked.contains(quantity))
    }

    /// Of what is not asked for there is no value.
    pub(super) fn put(&mut self, quantity: Quantity, value: impl FnOnce() -> Value) {
        if self.asked.contains(&quantity) {
            self.values.push((quantity, value()));
        }
    }

    /// A part of a quantity that has several; the whole, if the name is empty.
    pub(super) fn part(&mut self, quantity: Quantity, name: &str, value: impl FnOnce() -> Value) {
        if name.is_empty() {
            return self.put(quantity, value);
        }
        if self.asked.contains(&quantity) {
            self.parts(quantity).push((name.to_owned(), value()));
        }
    }

    /// The parts of a quantity so far.
    fn parts(&mut self, quantity: Quantity) -> &mut Vec<(String, Value)> {
        let before = self.parts.iter().position(|(of, _)| *of == quantity);
        let at = before.unwrap_or_else(|| {
            self.parts.push((quantity, Vec::new()));
            self.parts.len() - 1
        });
        &mut self.parts[at].1
    }

    /// Derivatives of a value with entries up to `size`.
    pub(super) fn derivatives<const N: usize>(&mut self, part: &str, size: f64, derivatives: [ByMethod<'_>; N]) {
        for (quantity, value, error) in derivatives {
            self.part(quantity, part, || Value::Derivative(Derivative::new(value, error, size)));
        }
    }

    /// In the order of the table.
    pub(super) fn finish(mut self) -> Vec<(Quantity, Value)> {
        let parts = self.parts.into_iter().map(|(quantity, parts)| (quantity, Value::Fields(Entries(parts))));
        self.values.extend(parts);
        self.values.sort_by_key(|(quantity, _)| *quantity);
        self.values
    }
}

/// The largest entry.
pub(super) fn largest<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> f64 {
    numbers.into_iter().fold(0.0, |largest: f64, x| largest.max(x.abs()))
}
