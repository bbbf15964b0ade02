//! Rows of constraints between two sides: errors, rates, accelerations, wrenches, and how these vary.

mod relation;
mod screw;
mod vary;

pub(crate) use relation::{Axes, Part, Relation, Row, Side};
pub(crate) use vary::{AtState, BodyState, Rows, Varied, VariedAxes, in_body};
