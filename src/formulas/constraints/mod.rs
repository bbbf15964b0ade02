//! Rows of constraints between two sides: errors, rates, accelerations, wrenches, and how these vary.

mod relation;
mod row_derivatives;
mod screw;

pub(crate) use relation::{Axes, Part, Relation, Row, Side};
pub(crate) use row_derivatives::{AtState, BodyState, Rows, Varied, VariedAxes, in_body};
