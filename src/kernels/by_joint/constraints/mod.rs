//! Motions under constraints, eight rows or columns at a time.

pub(crate) mod derivatives;
pub(crate) mod factors;
pub(crate) mod operators;
pub(crate) mod rows;
pub(crate) mod solve;
