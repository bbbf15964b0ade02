//! Register-wide forms over `f64`.

pub(crate) mod blocks;
pub(crate) mod by_copy;
pub(crate) mod by_joint;
