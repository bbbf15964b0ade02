//! What both methods return.

/// Derivatives with estimates of their errors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Directions of the output space.
    pub rows: usize,
    /// Directions of the input space.
    pub columns: usize,
    /// The derivatives, rows × columns, row-major.
    pub value: Vec<f64>,
    /// The estimate of each one's absolute error, in the same order. It covers truncation as seen between two steps,
    /// and the rounding of a function that is right to the last digit; one that loses digits inside is seen by
    /// [`Method::Ridders`](super::Method::Ridders) only. Infinite where the value at the point stands apart from those
    /// around it, as that method sees: there is no derivative.
    pub error: Vec<f64>,
}

impl Estimate {
    /// All zero.
    pub(super) fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, value: vec![0.0; rows * columns], error: vec![0.0; rows * columns] }
    }
}
