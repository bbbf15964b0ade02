//! Motions under constraints, eight rows or columns at a time.

pub(crate) mod derivatives;
pub(crate) mod held;
pub(crate) mod operators;
pub(crate) mod rows;
pub(crate) mod solve;
