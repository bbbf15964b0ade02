//! Which entries of a derivative can differ from zero.

use crate::model::{BodyId, InputError, Model};
use nalgebra::DMatrix;
use std::ops::Range;

/// The places of a matrix whose entries can differ from zero, column by column, rows ascending: the compressed-column
/// order of sparse solvers.
///
/// The torque of joint `i` depends on joint `j` only if one of them carries the other: entry `(i, j)` of `∂τ/∂q`, `∂τ/∂v`
/// and `M` can differ from zero only if a body that `i` drives and one that `j` drives lie on one path to the root. A
/// mimic joint drives its bodies by the leader's coordinate. All other entries are exactly zero, by every method.
/// [`accelerations`](Self::accelerations) and [`frame`](Self::frame) are the patterns of other derivatives.
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
    /// Of `∂τ/∂q`, `∂τ/∂v` and `∂τ/∂a = M`, nv × nv, and of the derivatives of bias forces, gravity and static torque. The
    /// pattern is symmetric.
    ///
    /// Cost O(nv²), and O(n d) for depth d.
    #[must_use]
    pub fn torques(model: &Model) -> Self {
        let nv = model.nv();
        let mut can = vec![false; nv * nv];
        for (below, body) in model.bodies().iter().enumerate() {
            let mut above = Some(below);
            while let Some(b) = above {
                for i in model.bodies()[b].v_range() {
                    for j in body.v_range() {
                        can[i + nv * j] = true;
                        can[j + nv * i] = true;
                    }
                }
                above = model.bodies()[b].parent().map(BodyId::index);
            }
        }
        Self::from_flags(nv, nv, |i, j| can[i + nv * j])
    }

    /// The lower triangle of [`torques`](Self::torques), diagonal included: of the symmetric matrix `M`.
    #[must_use]
    pub fn torques_lower(model: &Model) -> Self {
        let whole = Self::torques(model);
        Self::from_flags(whole.rows, whole.columns(), |i, j| i >= j && whole.contains(i, j))
    }

    /// Of `∂τ/∂φ` for a wrench on a body, nv × 6: the rows of the joints that carry the body.
    #[must_use]
    pub fn wrench(model: &Model, body: BodyId) -> Self {
        let mut carries = vec![false; model.nv()];
        let mut next = model.bodies().get(body.index());
        while let Some(b) = next {
            carries[b.v_range()].fill(true);
            next = b.parent().map(|p| &model.bodies()[p.index()]);
        }
        Self::from_flags(model.nv(), 6, |i, _| carries[i])
    }

    /// Of `∂q̈/∂q`, `∂q̈/∂v` and `∂q̈/∂τ = M⁻¹`, nv × nv: all joints of a tree push on each other. Trees that hang from the world
    /// separately do not, unless a mimic joint couples them. The pattern is symmetric.
    ///
    /// Cost O(nv²).
    #[must_use]
    pub fn accelerations(model: &Model) -> Self {
        let (nv, bodies) = (model.nv(), model.bodies());
        let mut group: Vec<usize> = (0..nv).collect();
        let mut first_of_tree: Vec<Option<usize>> = vec![None; bodies.len()];
        let mut root = Vec::with_capacity(bodies.len());
        for (b, body) in bodies.iter().enumerate() {
            root.push(body.parent().map_or(b, |p| root[p.index()]));
            for dof in body.v_range() {
                let first = *first_of_tree[root[b]].get_or_insert(dof);
                let (from, to) = (group[dof], group[first]);
                group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
        }
        Self::from_flags(nv, nv, |i, j| group[i] == group[j])
    }

    /// Of the Jacobian of a frame or point on a body, its rate, and the derivatives of its motion, 6 × nv: the columns of the
    /// joints that carry the body.
    #[must_use]
    pub fn frame(model: &Model, body: BodyId) -> Self {
        let wrench = Self::wrench(model, body);
        Self::from_flags(6, model.nv(), |_, j| wrench.contains(j, 0))
    }

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
    /// Can this entry differ from zero? No, if there is no such entry.
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
        for (what, expected, found) in lengths {
            if expected != found {
                let size = "sparsity pattern";
                return Err(InputError::Length { what, size, expected, found });
            }
        }
        for (to, place) in values.iter_mut().zip(self.coordinates()) {
            *to = matrix[place];
        }
        Ok(())
    }

    fn range(&self, column: usize) -> Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }
}
