//! Second derivatives of `λᵀ q̈` times one direction, in closed form.
//!
//! The gradient of `λᵀ q̈` is minus that of `μᵀ τ` at the accelerations, with `μ = M⁻¹ λ`, and `μ` itself by the torques
//! ([`aba_gradient`](crate::dynamics::aba_gradient())). Along `(δq, δv, δτ)` accelerations and `μ` move by `δq̈` and `δμ`, where
//! `τ_q` and `τ_v` are derivatives of torques, and `h` is the Hessian of `μᵀ τ` with `μ` held:
//!
//! ```text
//! δq̈ = M⁻¹ (δτ − τ_q δq − τ_v δv)                           δμ = −M⁻¹ h_aq δq                              (1)
//! δ(∂/∂q) = −(h_qq δq + h_qv δv + h_qa δq̈) − ∂(δμᵀ τ)/∂q    δ(∂/∂τ) = δμ
//! δ(∂/∂v) = −(h_vq δq + h_vv δv) − ∂(δμᵀ τ)/∂v                                                             (2)
//! ```
//!
//! These are equations (1) and (2) of `contraction.rs` times the direction, without a matrix.

use super::super::HessianWorkspace;
use super::super::hessian::{Along, At};
use super::SecondOrderWorkspace;
use crate::dynamics::{ExternalWrench, aba_kept, solve_kept};
use crate::model::{InputError, Model};
use crate::slice_ops::negate;
use nalgebra::DVector;

/// The Hessian of `λᵀ q̈` times one direction `(δq, δv, δτ)`: the derivative of the gradient along it.
#[derive(Clone, Debug, PartialEq)]
pub struct AbaHessianProduct {
    /// `dqq δq + dvqᵀ δv + dtauqᵀ δτ`, nv, with the ordered `dqq`.
    pub dq: DVector<f64>,
    /// `dvq δq + dvv δv`, nv.
    pub dv: DVector<f64>,
    /// `dtauq δq`, nv.
    pub dtau: DVector<f64>,
}

/// Memory for [`aba_hessian_product`].
pub(super) struct AbaHessianProductMemory {
    inverse: HessianWorkspace,
    ddq: Vec<f64>,
    /// `μ`, `δμ` and `δq̈`.
    mu: Vec<f64>,
    d_mu: Vec<f64>,
    d_ddq: Vec<f64>,
    result: AbaHessianProduct,
}

impl AbaHessianProductMemory {
    fn new(model: &Model) -> Self {
        let (zeros, vector) = (vec![0.0; model.nv], DVector::zeros(model.nv));
        Self {
            inverse: HessianWorkspace::new(model),
            ddq: zeros.clone(),
            mu: zeros.clone(),
            d_mu: zeros.clone(),
            d_ddq: zeros,
            result: AbaHessianProduct { dq: vector.clone(), dv: vector.clone(), dtau: vector },
        }
    }
}

/// The Hessian of [`aba_hessian`](super::aba_hessian) times one direction of `(q, v, τ)`, without the Hessian.
///
/// `q`: nq, all others nv. In closed form: the gradient is differentiated along the direction, and the mass matrix is factored once, for
/// three solutions. Cost O(n); with mimic joints O(n d²), d the depth of the tree. A second call with no more wrenches allocates nothing.
///
/// # Errors
/// As [`aba_hessian`](super::aba_hessian).
#[expect(clippy::too_many_arguments, reason = "a state, a direction and wrenches")]
#[doc(alias("Hessian-vector product", "HVP"))]
pub fn aba_hessian_product<'w>(
    model: &Model,
    ws: &'w mut SecondOrderWorkspace,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    lambda: &[f64],
    along_q: &[f64],
    along_v: &[f64],
    along_tau: &[f64],
    wrenches: &[ExternalWrench],
) -> Result<&'w AbaHessianProduct, InputError> {
    model.check_state(q, v, v)?;
    ws.base.check(model)?;
    for (what, x) in
        [("tau", tau), ("lambda", lambda), ("along_q", along_q), ("along_v", along_v), ("along_tau", along_tau)]
    {
        model.check_tangent(what, x)?;
    }
    let SecondOrderWorkspace { base, along, .. } = ws;
    let AbaHessianProductMemory { inverse, ddq, mu, d_mu, d_ddq, result } =
        &mut **along.get_or_insert_with(|| Box::new(AbaHessianProductMemory::new(model)));
    ddq.copy_from_slice(aba_kept(model, base, q, v, tau, wrenches)?);
    mu.copy_from_slice(lambda);
    solve_kept(model, base, mu); //                                                                 μ = M⁻¹ λ
    model.check_result("d(lambda ddq)/dtau", mu)?;

    let mut torques = inverse.sweep(model, At { q, v, a: ddq, lambda: mu, wrenches });
    d_ddq.copy_from_slice(along_tau);
    torques.subtract_torques(along_q, along_v, d_ddq);
    solve_kept(model, base, d_ddq); //                                                              (1)
    model.check_result("ddq along the direction", d_ddq)?;
    let h = torques.product(Along { q: along_q, v: along_v, a: d_ddq });
    d_mu.copy_from_slice(h.da.as_slice());
    negate(d_mu);
    solve_kept(model, base, d_mu); //                                                               (1)
    model.check_result("dtau", d_mu)?;

    let h = torques.product_with_weights(d_mu);
    for (to, h) in [(&mut result.dq, &h.dq), (&mut result.dv, &h.dv)] {
        to.iter_mut().zip(h).for_each(|(to, h)| *to = -h); //                                       (2)
    }
    result.dtau.as_mut_slice().copy_from_slice(d_mu);
    model.check_result("dq", result.dq.as_slice())?;
    model.check_result("dv", result.dv.as_slice())?;
    Ok(result)
}
