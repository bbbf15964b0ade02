//! Formulas that a page and its kernels share, over any number type: each stands here once.

pub(crate) mod articulated_body;
pub(crate) mod constraints;
pub(crate) mod external_wrench;
pub(crate) mod floating_base;
pub(crate) mod force_field;
pub(crate) mod frame_column;
pub(crate) mod frame_view;
pub(crate) mod joint_dynamics;
pub(crate) mod joint_forces;
pub(crate) mod mass_moments;
pub(crate) mod reference_frame;
pub(crate) mod singular;
pub(crate) mod torque_hessian;
