//! The outputs of derivatives of inverse dynamics.
//! Serves: `kernels/by_joint/derivatives.rs`, `kernels/by_copy/bodies/derivatives.rs`. Test:
//! `plan::every_kernel_gives_what_its_page_gives`.

/// Where the results go: torques, and matrices nv × nv, column by column. Entries that the structure of the tree makes
/// zero are not written. The mass matrix may be left out: then there is no room for it.
pub(crate) struct Results<'a> {
    pub(crate) tau: &'a mut [f64],
    pub(crate) dtau_dq: &'a mut [f64],
    pub(crate) dtau_dv: &'a mut [f64],
    pub(crate) dtau_da: &'a mut [f64],
}
