//! Small dense products and factors: the building blocks of the [linear-quadratic kernel](crate::riccati).

mod cholesky;
mod congruence;
mod ldl;
mod panel;
mod plain;
mod product;
mod qr;

pub(crate) use cholesky::{add_times, back, eliminate, forward, subtract_square};
pub(crate) use congruence::Congruence;
pub(crate) use ldl::Ldl;
pub(crate) use panel::{Lanes, Panel, write_symmetric, write_transposed};
pub(crate) use plain::{add_matrix_times, is_finite};
pub(crate) use product::{Blocks, Into, product};
pub(crate) use qr::{Qr, add, dot};

#[cfg(test)]
#[path = "../../tests/unit/dense.rs"]
mod tests;
