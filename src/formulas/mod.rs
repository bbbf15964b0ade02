//! Formulas that a page and its kernels share, over any number type: each stands here once.

pub(crate) mod articulated_body;
pub(crate) mod joint_dynamics;
pub(crate) mod singular;
