//! Motions under constraints, eight rows or columns at a time.
//! Page: `dynamics/constraints/solve.rs`, `partials/constrained/analytical.rs`. Test:
//! `plan::every_kernel_gives_what_its_page_gives`.

pub(crate) mod derivatives;
pub(crate) mod factors;
pub(crate) mod operators;
pub(crate) mod rows;
pub(crate) mod solve;
