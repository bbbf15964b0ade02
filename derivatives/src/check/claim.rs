//! The claimed matrix, dense or with a declared sparsity pattern.

use super::CheckError;

/// A matrix that is claimed to be a derivative.
///
/// ```
/// use gradyn_derivatives::check::Claim;
///
/// let dense = Claim::new(1, 3, &[1.0, 0.0, 2.0])?;
/// let sparse = Claim::sparse(1, 3, &[(0, 0, 1.0), (0, 2, 2.0)])?;
/// assert_eq!(dense.values(), sparse.values());
/// # Ok::<(), gradyn_derivatives::check::CheckError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) values: Vec<f64>,
    /// Whether each entry may differ from zero. `None`: all may.
    pub(super) pattern: Option<Vec<bool>>,
}

impl Claim {
    /// All entries, rows × columns, row-major.
    ///
    /// # Errors
    /// [`CheckError::Size`] unless there are rows × columns values.
    pub fn new(rows: usize, columns: usize, values: &[f64]) -> Result<Self, CheckError> {
        if values.len() != rows * columns {
            return Err(CheckError::Size { what: "claimed values", expected: rows * columns, found: values.len() });
        }
        Ok(Self { rows, columns, values: values.to_vec(), pattern: None })
    }

    /// All entries, from a function of row and column.
    pub fn from_fn(rows: usize, columns: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let values = (0..rows * columns).map(|k| entry(k / columns, k % columns)).collect();
        Self { rows, columns, values, pattern: None }
    }

    /// Row, column and value of each entry that can differ from zero; the others are declared to be exactly zero at
    /// every point. Duplicate entries are added, as in the coordinate form of sparse matrices.
    ///
    /// # Errors
    /// [`CheckError::Place`] if an entry is outside.
    pub fn sparse(rows: usize, columns: usize, entries: &[(usize, usize, f64)]) -> Result<Self, CheckError> {
        let (mut values, mut pattern) = (vec![0.0; rows * columns], vec![false; rows * columns]);
        for (row, column, value) in entries {
            if *row >= rows || *column >= columns {
                return Err(CheckError::Place { row: *row, column: *column, rows, columns });
            }
            values[row * columns + column] += value;
            pattern[row * columns + column] = true;
        }
        Ok(Self { rows, columns, values, pattern: Some(pattern) })
    }

    /// The same with a declared pattern: entries elsewhere are zero at every point.
    #[must_use]
    pub fn with_pattern(mut self, can: impl Fn(usize, usize) -> bool) -> Self {
        let columns = self.columns;
        self.pattern = Some((0..self.values.len()).map(|k| can(k / columns, k % columns)).collect());
        self
    }

    /// How many rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// How many columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }
    /// The entries, row-major, zeros included.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}
