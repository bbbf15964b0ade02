//! Rows of constraints between two sides: errors, rates, accelerations, wrenches, and how these vary.

mod joint_row;
mod relation;
mod row_derivatives;
mod screw;
mod side;

pub(crate) use joint_row::Row;
pub(crate) use relation::{Axes, Part, Relation};
pub(crate) use row_derivatives::{AtState, BodyState, Rows, Varied, VariedAxes, in_body};
pub(crate) use side::Side;
