//! Constraints of several rows together: in a second-order cone, or of a norm that is bounded.

use super::kinds::{COULOMB, TermKind};
use super::source::{Sign, Table};
use crate::error::Error;
use gradyn_trajectory::PathConstraint;
use gradyn_trajectory::residual::{Affine, Residual};
use nalgebra::{DMatrix, DVector};

/// Where the rows of a constraint shall be.
#[derive(Clone, Debug, PartialEq)]
pub enum Set {
    /// Each between its bounds.
    Between,
    /// All in a cone.
    Cone,
    /// The norm of these, of so many, at most the radius.
    Ball { radius: f64, rows: Vec<usize>, of: usize },
}

/// `norm_at_most`, with the `rows` that count; what is a cone has neither it nor bounds.
pub(super) fn read(
    table: &Table<'_>,
    kind: &TermKind,
    of: usize,
    chosen: impl FnOnce() -> Result<Option<Vec<usize>>, Error>,
) -> Result<Set, Error> {
    let is_cone = kind.name == COULOMB;
    let item = table.get("norm_at_most");
    let others = ["equal", "lower", "upper"].into_iter().chain(is_cone.then_some("rows"));
    if is_cone && let Some(item) = item {
        return Err(item.refuse(format!("a `{COULOMB}` is a cone, and has no other bound")));
    }
    if (is_cone || item.is_some())
        && let Some((key, other)) = others.filter_map(|key| Some((key, table.get(key)?))).next()
    {
        let what = if is_cone { format!("a `{COULOMB}` is a cone") } else { "expected `norm_at_most` alone".into() };
        return Err(other.refuse(format!("{what}, found `{key}`")));
    }
    let Some(item) = item else { return Ok(if is_cone { Set::Cone } else { Set::Between }) };
    let radius = item.number(Sign::Positive)?;
    let rows = chosen()?.unwrap_or_else(|| (0..of).collect());
    if rows.is_empty() { Err(item.refuse("no row counts")) } else { Ok(Set::Ball { radius, rows, of }) }
}

impl Set {
    /// The constraint; bounds are those of rows one by one.
    pub(super) fn constraint(
        &self,
        name: &str,
        residual: Box<dyn Residual>,
        lower: &[f64],
        upper: &[f64],
    ) -> PathConstraint {
        match self {
            Self::Between => PathConstraint::boxed(name, residual, lower.to_vec(), upper.to_vec()),
            Self::Cone => PathConstraint::boxed_cone(name, residual),
            Self::Ball { radius, rows, of } => {
                // (radius, the rows that count)
                let mut matrix = DMatrix::zeros(rows.len() + 1, *of);
                rows.iter().enumerate().for_each(|(k, row)| matrix[(k + 1, *row)] = 1.0);
                let mut offset = DVector::zeros(rows.len() + 1);
                offset[0] = *radius;
                PathConstraint::second_order_cone(name, Affine::boxed(residual, matrix, offset))
            }
        }
    }
    /// Bounds as text, but for those of rows one by one.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Between => None,
            Self::Cone => Some("in the cone".into()),
            Self::Ball { radius, rows, of } if rows.len() == *of => Some(format!("norm <= {radius}")),
            Self::Ball { radius, rows, of } => Some(format!("norm <= {radius} ({} of {of} rows)", rows.len())),
        }
    }
}
