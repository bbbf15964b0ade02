//! Eight states abreast.
mod derivatives;
mod mass_matrix;
mod moments;
mod rnea;
mod table;
pub(crate) use derivatives::{Derivatives, Memory};
pub(crate) use mass_matrix::{MassMatrix, Masses};
pub(crate) use rnea::{Body, Rnea};
pub(crate) use table::Table;
use gradyn_derivatives::Lanes;

/// Numbers of eight states.
pub(crate) type Numbers<'a, R> = &'a [Lanes<R>];
