//! The quantities that can be checked, and the names of their rows and columns.

use crate::dynamics::{FrameRef, ReferenceFrame};
use crate::model::Model;

/// A quantity of a robot that another program may have computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quantity {
    /// `τ(q, v, a)`, nv × 1.
    Tau,
    /// `∂τ/∂q`, nv × nv.
    DtauDq,
    /// `∂τ/∂v`, nv × nv.
    DtauDv,
    /// `∂τ/∂a`, nv × nv.
    DtauDa,
    /// `∂τ/∂φ` of the wrench with this index in the state, nv × 6.
    DtauDfExt(usize),
    /// `M(q)`, nv × nv.
    MassMatrix,
    /// `M⁻¹`, nv × nv.
    MassMatrixInverse,
    /// `q̈(q, v, τ)`, nv × 1.
    Ddq,
    /// `∂q̈/∂q`, nv × nv.
    DdqDq,
    /// `∂q̈/∂v`, nv × nv.
    DdqDv,
    /// `∂q̈/∂τ`, nv × nv.
    DdqDtau,
    /// `∂q̈/∂φ` of the wrench with this index in the state, nv × 6.
    DdqDfExt(usize),
    /// The bias `c(q, v) = τ(q, v, 0)`, nv × 1.
    Bias,
    /// Generalized gravity `g(q)`, nv × 1.
    Gravity,
    /// A Coriolis matrix `C(q, v)`, nv × nv: any matrix with the right product `C v`.
    Coriolis,
    /// The center of mass in the world, 3 × 1.
    Com,
    /// Its Jacobian, 3 × nv.
    ComJacobian,
    /// The Jacobian of a frame in a reference, 6 × nv, linear rows first.
    FrameJacobian(FrameRef, ReferenceFrame),
}

impl Quantity {
    /// Its name, as `gradyn evaluate` writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tau => "tau",
            Self::DtauDq => "dtau_dq",
            Self::DtauDv => "dtau_dv",
            Self::DtauDa => "dtau_da",
            Self::DtauDfExt(_) => "dtau_df_ext",
            Self::MassMatrix => "mass_matrix",
            Self::MassMatrixInverse => "mass_matrix_inverse",
            Self::Ddq => "ddq",
            Self::DdqDq => "ddq_dq",
            Self::DdqDv => "ddq_dv",
            Self::DdqDtau => "ddq_dtau",
            Self::DdqDfExt(_) => "ddq_df_ext",
            Self::Bias => "bias",
            Self::Gravity => "gravity",
            Self::Coriolis => "coriolis",
            Self::Com => "com",
            Self::ComJacobian => "com_jacobian",
            Self::FrameJacobian(..) => "frame_jacobian",
        }
    }

    /// Names of its rows: joints with their directions, or directions in space.
    #[must_use]
    pub fn rows(self, model: &Model) -> Vec<String> {
        match self {
            Self::Com | Self::ComJacobian => named(&["x", "y", "z"]),
            Self::FrameJacobian(..) => named(&["vx", "vy", "vz", "wx", "wy", "wz"]),
            _ => model.dof_names(),
        }
    }

    /// Names of its columns; for vectors, one name without meaning.
    #[must_use]
    pub fn columns(self, model: &Model) -> Vec<String> {
        match self {
            Self::Tau | Self::Ddq | Self::Bias | Self::Gravity | Self::Com => named(&["value"]),
            Self::DtauDfExt(_) | Self::DdqDfExt(_) => named(&["fx", "fy", "fz", "nx", "ny", "nz"]),
            _ => model.dof_names(),
        }
    }

    /// The number of its rows and columns.
    #[must_use]
    pub fn shape(self, model: &Model) -> (usize, usize) {
        (self.rows(model).len(), self.columns(model).len())
    }

    /// Whether it is symmetric.
    pub(super) fn is_symmetric(self) -> bool {
        matches!(self, Self::MassMatrix | Self::MassMatrixInverse | Self::DtauDa | Self::DdqDtau)
    }
}

fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}
