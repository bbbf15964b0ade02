//! Which entries of a derivative can differ from zero.

mod groups;
mod matrices;
mod reach;
mod tensor;

pub use tensor::TensorPattern;

use crate::model::InputError;
use nalgebra::DMatrix;
use std::ops::Range;

/// The places of a matrix whose entries can differ from zero, column by column, rows ascending: the compressed-column
/// order of sparse solvers.
///
/// The torque of joint `i` depends on joint `j` only if one of them carries the other: entry `(i, j)` of `∂τ/∂q`,
/// `∂τ/∂v` and `M` can differ from zero only if a body that `i` drives and one that `j` drives lie on one path to the
/// root. A mimic joint drives its bodies by the leader's coordinate. All other entries are exactly zero, by every
/// method. Each pattern is of the tree alone: of hinges about skew axes, at most states, no entry of it is zero, but
/// for what is said with each. The kind of a joint (a slide turns nothing), axes that are parallel or meet, and bodies
/// without mass can make more of them zero.
///
/// | derivatives of | pattern |
/// |---|---|
/// | torques | [`torques`](Self::torques), [`torques_lower`](Self::torques_lower), [`wrench`](Self::wrench) |
/// | accelerations | [`accelerations`](Self::accelerations), [`constrained_accelerations`](Self::constrained_accelerations), [`accelerations_by_wrench`](Self::accelerations_by_wrench) |
/// | constraints, and what holds them | [`constraint_jacobian`](Self::constraint_jacobian), [`multipliers`](Self::multipliers), [`multipliers_by_wrench`](Self::multipliers_by_wrench) |
/// | motion of frames, of centers of mass, momentum | [`frame`](Self::frame), [`center_of_mass`](Self::center_of_mass), [`centroidal`](Self::centroidal) |
/// | what is linear in parameters | [`torque_regressor`](Self::torque_regressor), [`static_torque_regressor`](Self::static_torque_regressor), [`kinematic_regressor`](Self::kinematic_regressor), [`kinetic_energy_regressor`](Self::kinetic_energy_regressor), [`potential_energy_regressor`](Self::potential_energy_regressor), [`frame_wrench_regressor`](Self::frame_wrench_regressor) |
/// | second derivatives | [`TensorPattern`] |
///
/// ```
/// use gradyn::partials::SparsityPattern;
/// use gradyn::{DerivativeWorkspace, Method, Model, UrdfOptions, rnea_derivatives};
///
/// let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/solo12.urdf");
/// let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// let pattern = SparsityPattern::torques(&model);
/// assert_eq!((pattern.nonzeros(), model.nv() * model.nv()), (36, 144)); // four legs of three joints
///
/// let (q, rest) = (model.neutral(), vec![0.0; model.nv()]);
/// let mut workspace = DerivativeWorkspace::new(&model);
/// let by = rnea_derivatives(&model, &mut workspace, Method::Analytical, &q, &rest, &rest, &[])?;
/// let values = pattern.values(&by.dtau_dq)?;
/// for ((row, column), value) in pattern.coordinates().zip(&values) {
///     assert_eq!(*value, by.dtau_dq[(row, column)]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparsityPattern {
    rows: usize,
    starts: Vec<usize>,
    row_indices: Vec<usize>,
}

impl SparsityPattern {
    fn from_flags(rows: usize, columns: usize, can: impl Fn(usize, usize) -> bool) -> Self {
        let (mut starts, mut row_indices) = (vec![0], Vec::new());
        for j in 0..columns {
            row_indices.extend((0..rows).filter(|i| can(*i, j)));
            starts.push(row_indices.len());
        }
        Self { rows, starts, row_indices }
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.starts.len() - 1
    }
    /// Number of entries that can differ from zero.
    #[must_use]
    pub fn nonzeros(&self) -> usize {
        self.row_indices.len()
    }
    /// `col_ptr`: where each column starts in [`row_indices`](Self::row_indices), and after the last one the number of
    /// entries: columns + 1 numbers.
    #[must_use]
    pub fn column_starts(&self) -> &[usize] {
        &self.starts
    }
    /// `row_idx`: the row of each entry, ascending in each column.
    #[must_use]
    pub fn row_indices(&self) -> &[usize] {
        &self.row_indices
    }
    /// Row and column of each entry, in the same order: the coordinate form.
    pub fn coordinates(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.columns()).flat_map(move |j| self.row_indices[self.range(j)].iter().map(move |i| (*i, j)))
    }
    /// Whether this entry can differ from zero. False if there is no such entry.
    #[must_use]
    pub fn contains(&self, row: usize, column: usize) -> bool {
        column < self.columns() && self.row_indices[self.range(column)].binary_search(&row).is_ok()
    }

    /// The matrix's entries at these places, in this order. Entries elsewhere are not looked at.
    ///
    /// # Errors
    /// [`InputError::Length`] if the matrix has another shape.
    pub fn values(&self, matrix: &DMatrix<f64>) -> Result<Vec<f64>, InputError> {
        let mut values = vec![0.0; self.nonzeros()];
        self.values_into(matrix, &mut values)?;
        Ok(values)
    }

    /// [`values`](Self::values) into memory of the caller.
    ///
    /// # Errors
    /// As [`values`](Self::values), and if there is not one value an entry.
    pub fn values_into(&self, matrix: &DMatrix<f64>, values: &mut [f64]) -> Result<(), InputError> {
        let lengths = [
            ("rows of the matrix", self.rows, matrix.nrows()),
            ("columns of the matrix", self.columns(), matrix.ncols()),
            ("values", self.nonzeros(), values.len()),
        ];
        check_lengths(&lengths)?;
        for (to, place) in values.iter_mut().zip(self.coordinates()) {
            *to = matrix[place];
        }
        Ok(())
    }

    fn range(&self, column: usize) -> Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }
}

/// What, how many of it the pattern has, and how many there are.
fn check_lengths(lengths: &[(&'static str, usize, usize)]) -> Result<(), InputError> {
    match lengths.iter().find(|(_, expected, found)| expected != found) {
        Some(&(what, expected, found)) => Err(InputError::Length { what, size: "sparsity pattern", expected, found }),
        None => Ok(()),
    }
}
