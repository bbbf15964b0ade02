//! The parameters that data identify, by the singular values of the Jacobian.
//!
//! The columns of J are scaled to unit length, so that units do not matter: `J D⁻¹ = U Σ Vᵀ`. Singular values below a
//! tolerance count as zero; `D⁻¹ v` of these are directions along which parameters can move without moving a residual.

use super::EstimateError;
use super::error::{expect_finite, expect_positive};
use super::singular::{Singular, singular};
use nalgebra::DMatrix;
use std::fmt::Write;

/// The parameters that data identify.
#[derive(Clone, Debug, PartialEq)]
pub struct Identifiability {
    /// The number of identifiable combinations of parameters.
    pub rank: usize,
    /// Singular values of the Jacobian with its columns scaled to unit length, in descending order.
    pub singular_values: Vec<f64>,
    /// The ratio of the first of them to the last that counts: how much more noise the worst combination has. One if
    /// nothing is identifiable.
    pub condition: f64,
    /// An orthonormal basis of the unidentifiable directions, k × (k − rank).
    pub null_space: DMatrix<f64>,
    /// The same space for people: in each, one parameter has the coefficient 1, and that parameter is in no other.
    pub cannot_tell: Vec<Vec<(usize, f64)>>,
    /// Identifiable combinations, as many as the rank: in each, one parameter has the coefficient 1, and that parameter
    /// is in no other. The rest of each are parameters that the data cannot identify by themselves.
    pub can_tell: Vec<Vec<(usize, f64)>>,
}

/// Entries of a basis below this are rounding: a direction has an error of about `1e-16 / tolerance` at most.
const NEGLIGIBLE: f64 = 1e-6;

impl Identifiability {
    /// Whether this parameter can be identified: no unidentifiable direction moves it.
    #[must_use]
    pub fn is_told(&self, parameter: usize) -> bool {
        parameter < self.null_space.nrows() && self.null_space.row(parameter).amax() <= NEGLIGIBLE
    }

    /// One parameter of each unidentifiable direction, which is in no other: with these held, all others are
    /// identifiable.
    #[must_use]
    pub fn pivots(&self) -> Vec<usize> {
        let only = |k: usize, at: usize| {
            self.cannot_tell.iter().enumerate().all(|(i, of)| i == at || of.iter().all(|(other, _)| *other != k))
        };
        let of = |(at, direction): (usize, &Vec<(usize, f64)>)| {
            direction.iter().find(|(k, c)| c.to_bits() == 1.0_f64.to_bits() && only(*k, at)).map(|(k, _)| *k)
        };
        self.cannot_tell.iter().enumerate().filter_map(of).collect()
    }

    /// The unidentifiable combinations, by parameter names: "`a` + 0.5 `b` can move together without moving a
    /// residual". A parameter without a name is named by its index.
    #[must_use]
    pub fn sentences(&self, names: &[impl AsRef<str>]) -> Vec<String> {
        let sentence = |direction: &Vec<(usize, f64)>| {
            let text = in_names(direction, names);
            match direction.len() {
                1 => format!("{text} does not move a residual"),
                _ => format!("{text} can move together without moving a residual"),
            }
        };
        self.cannot_tell.iter().map(sentence).collect()
    }

    /// The identifiable combinations, by parameter names: "`b` - 0.5 `a`".
    #[must_use]
    pub fn base_sentences(&self, names: &[impl AsRef<str>]) -> Vec<String> {
        self.can_tell.iter().map(|combination| in_names(combination, names)).collect()
    }
}

/// A combination of parameters: "`a` + 0.5 `b`".
fn in_names(combination: &[(usize, f64)], names: &[impl AsRef<str>]) -> String {
    let mut text = String::new();
    for (i, (parameter, coefficient)) in combination.iter().enumerate() {
        let sign = match (i, *coefficient < 0.0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        let size = coefficient.abs();
        let size = if (size - 1.0).abs() < 1e-9 { String::new() } else { format!("{} ", four_digits(size)) };
        let name = names.get(*parameter).map_or_else(|| format!("#{parameter}"), |name| name.as_ref().to_string());
        // Writing to a string cannot fail.
        let _ = write!(text, "{sign}{size}`{name}`");
    }
    text
}

/// At most four digits after the point, without trailing zeros; in scientific notation where these are too few.
pub(crate) fn four_digits(x: f64) -> String {
    if !(1e-2..1e4).contains(&x) {
        return format!("{x:.3e}");
    }
    let text = format!("{x:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Computes which parameters data with this Jacobian identify; rows: residuals in units of their noise, columns:
/// parameters. O(rows k² + k³).
///
/// # Errors
/// An entry that is not finite; a tolerance that is not positive.
pub fn identifiability(jacobian: &DMatrix<f64>, tolerance: f64) -> Result<Identifiability, EstimateError> {
    expect_finite("the Jacobian", jacobian.as_slice())?;
    expect_positive("the tolerance of the rank", tolerance)?;
    Ok(of_triangle(triangle(jacobian.clone()), tolerance).0)
}

/// `R` of `A = Q R`, k × k, whatever the number of rows.
pub(crate) fn triangle(a: DMatrix<f64>) -> DMatrix<f64> {
    let k = a.ncols();
    let rows = a.nrows().max(k);
    let a = a.resize(rows, k, 0.0);
    if k == 0 { DMatrix::zeros(0, 0) } else { a.qr().unpack_r() }
}

/// The lengths of columns, or one where a column is zero.
pub(super) fn lengths(r: &DMatrix<f64>) -> Vec<f64> {
    let length = |column: nalgebra::DVectorView<'_, f64>| match column.amax() {
        largest if largest > 0.0 => largest * column.unscale(largest).norm(),
        _ => 1.0,
    };
    r.column_iter().map(length).collect()
}

/// The same from the triangle, with the factors of the scaled triangle, and the scales D.
pub(super) fn of_triangle(mut r: DMatrix<f64>, tolerance: f64) -> (Identifiability, Singular, Vec<f64>) {
    let k = r.ncols();
    let scale = lengths(&r);
    r.column_iter_mut().zip(&scale).for_each(|(mut column, scale)| column /= *scale);
    let factors = singular(r);
    let largest = factors.values.iter().fold(0.0_f64, |largest, value| largest.max(*value));
    let rank = factors.values.iter().filter(|value| **value > tolerance * largest).count();
    let mut null = factors.v.columns(rank, k - rank).into_owned();
    null.row_iter_mut().zip(&scale).for_each(|(mut row, scale)| row /= *scale);
    let null_space = orthonormal(null);
    let (pivots, cannot_tell) = reduced(&null_space);
    let can_tell = complement(k, &pivots, &cannot_tell);
    let found = Identifiability {
        rank,
        condition: if rank == 0 { 1.0 } else { largest / factors.values[rank - 1] },
        cannot_tell,
        can_tell,
        singular_values: factors.values.iter().copied().collect(),
        null_space,
    };
    (found, factors, scale)
}

fn orthonormal(null: DMatrix<f64>) -> DMatrix<f64> {
    if null.ncols() == 0 {
        return null;
    }
    // Units may differ by orders of magnitude, and so may directions.
    let mut null = null;
    null.column_iter_mut().for_each(|mut column| {
        let length = column.norm();
        if length > 0.0 {
            column /= length;
        }
    });
    null.qr().q()
}

/// The reduced echelon form of the directions, with the largest entry as pivot each time; pivots first.
fn reduced(null_space: &DMatrix<f64>) -> (Vec<usize>, Vec<Vec<(usize, f64)>>) {
    let mut rows = null_space.transpose();
    let mut pivots = Vec::with_capacity(rows.nrows());
    for i in 0..rows.nrows() {
        let (pivot, column) = rows.rows_range(i..).iamax_full();
        rows.swap_rows(i, i + pivot);
        pivots.push(column);
        let value = rows[(i, column)];
        if value == 0.0 {
            continue;
        }
        rows.row_mut(i).unscale_mut(value);
        let own = rows.row(i).into_owned();
        for other in (0..rows.nrows()).filter(|other| *other != i) {
            let factor = rows[(other, column)];
            let mut row = rows.row_mut(other);
            row -= factor * &own;
        }
    }
    let direction = |row: nalgebra::MatrixView<'_, f64, nalgebra::U1, nalgebra::Dyn, nalgebra::U1, nalgebra::Dyn>| {
        row.iter().copied().enumerate().filter(|(_, x)| x.abs() > NEGLIGIBLE).collect()
    };
    let directions = rows.row_iter().map(direction).collect();
    (pivots, directions)
}

/// The orthogonal complement of directions in reduced echelon form: for `e_pivot + Σ c_m e_m`, for each other m
/// `e_m − Σ c_m e_pivot`.
fn complement(k: usize, pivots: &[usize], directions: &[Vec<(usize, f64)>]) -> Vec<Vec<(usize, f64)>> {
    let others = (0..k).filter(|m| !pivots.contains(m));
    let combination = |m: usize| {
        let of = |(pivot, direction): (&usize, &Vec<(usize, f64)>)| {
            direction.iter().find(|(at, _)| *at == m).map(|(_, c)| (*pivot, -c))
        };
        let mut entries: Vec<(usize, f64)> = pivots.iter().zip(directions).filter_map(of).collect();
        entries.push((m, 1.0));
        entries.sort_unstable_by_key(|(at, _)| *at);
        entries
    };
    others.map(combination).collect()
}
