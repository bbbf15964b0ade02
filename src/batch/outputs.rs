//! Where results of many states go that are several arrays.

#[cfg(doc)]
use super::Batch;

/// Where [`Batch::rnea_derivatives`] writes to, for N states.
#[derive(Debug)]
pub struct BatchDerivatives<'a> {
    /// `τ`, N × nv.
    pub tau: &'a mut [f64],
    /// `∂τ/∂q`, N × nv × nv.
    pub dtau_dq: &'a mut [f64],
    /// `∂τ/∂v`, N × nv × nv.
    pub dtau_dv: &'a mut [f64],
    /// `∂τ/∂a`, the mass matrices, N × nv × nv.
    pub dtau_da: &'a mut [f64],
}

/// Where [`Batch::rnea_gradient`] writes to, for N states.
#[derive(Debug)]
pub struct BatchGradient<'a> {
    /// `λᵀ τ`, N.
    pub value: &'a mut [f64],
    /// By `q`, N × nv.
    pub dq: &'a mut [f64],
    /// By `v`, N × nv.
    pub dv: &'a mut [f64],
    /// By `a`, N × nv.
    pub da: &'a mut [f64],
}

/// Where [`Batch::aba_derivatives`] writes to, for N states.
#[derive(Debug)]
pub struct BatchAbaDerivatives<'a> {
    /// `q̈`, N × nv.
    pub ddq: &'a mut [f64],
    /// `∂q̈/∂q`, N × nv × nv.
    pub ddq_dq: &'a mut [f64],
    /// `∂q̈/∂v`, N × nv × nv.
    pub ddq_dv: &'a mut [f64],
    /// `∂q̈/∂τ`, the inverse mass matrices, N × nv × nv.
    pub ddq_dtau: &'a mut [f64],
}

/// Where [`Batch::constraint_dynamics`] writes to, for N states under constraints with m rows.
#[derive(Debug)]
pub struct BatchConstraintDynamics<'a> {
    /// `q̈`, N × nv.
    pub ddq: &'a mut [f64],
    /// `λ`, N × m.
    pub lambda: &'a mut [f64],
    /// The largest entry of `|J q̈ + γ|`, N: rounding errors, unless constraints contradict each other.
    pub residual: &'a mut [f64],
}

/// Where [`Batch::constraint_dynamics_derivatives`] writes to, for N states under constraints with m rows. Matrices of m × nv are
/// column-major within their state: entry (i, j) is `x[(s * nv + j) * m + i]`.
#[derive(Debug)]
pub struct BatchConstraintDynamicsDerivatives<'a> {
    /// `q̈`, N × nv.
    pub ddq: &'a mut [f64],
    /// `λ`, N × m.
    pub lambda: &'a mut [f64],
    /// `∂q̈/∂q`, N × nv × nv.
    pub ddq_dq: &'a mut [f64],
    /// `∂q̈/∂v`, N × nv × nv.
    pub ddq_dv: &'a mut [f64],
    /// `∂q̈/∂τ`, N × nv × nv.
    pub ddq_dtau: &'a mut [f64],
    /// `∂λ/∂q`, N × m × nv.
    pub dlambda_dq: &'a mut [f64],
    /// `∂λ/∂v`, N × m × nv.
    pub dlambda_dv: &'a mut [f64],
    /// `∂λ/∂τ`, N × m × nv.
    pub dlambda_dtau: &'a mut [f64],
}
