//! The gradient of `λᵀ q̈`, a combination of the accelerations of forward dynamics, without matrices.
//!
//! Differentiating `rnea(q, v, q̈) = τ` at fixed torques gives `M ∂q̈ = −∂τ`. With `μ = M⁻¹ λ`, the gradient of `λᵀ q̈`
//! is therefore minus that of `μᵀ τ` at the accelerations `q̈`, and `μ` itself by the torques
//! ([`rnea_gradient`](super::rnea_gradient())). The method that found the accelerations, the articulated bodies or the
//! factors of `M`, gives `μ` too.

use super::rnea_gradient::gradient;
use super::slice_ops::{dot, first_not_finite, negate};
use super::{ExternalWrench, Workspace, aba, check_finite_dofs, external};
use crate::default_fields::default_of_fields;
use crate::model::{InputError, Model};
use gradyn_derivatives::{Real, Scalar};

/// `λᵀ q̈` and its gradient; borrows from the workspace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AbaGradient<'w, T> {
    /// `λᵀ q̈`
    pub value: T,
    /// `∂(λᵀ q̈)/∂q`, nv, along `q ⊕ ε e_k`.
    pub dq: &'w [T],
    /// `∂(λᵀ q̈)/∂v`, nv.
    pub dv: &'w [T],
    /// `∂(λᵀ q̈)/∂τ = M⁻¹ λ`, nv.
    pub dtau: &'w [T],
    /// `∂(λᵀ q̈)/∂φ`, six numbers a wrench, force then moment, in the wrench's own coordinates.
    pub df_ext: &'w [T],
}

/// Results of this file.
#[derive(Clone, Debug)]
pub(crate) struct AbaGradientMemory<T> {
    ddq: Vec<T>,
    dq: Vec<T>,
    dv: Vec<T>,
    dtau: Vec<T>,
    df_ext: Vec<T>,
}

/// Gradient of `λᵀ q̈`, `q̈ = `[`aba`](super::aba())`(q, v, τ, φ)`, with respect to `q`, `v`, `τ` and the wrenches, in
/// any number type: over dual numbers it gives columns of the Hessian.
///
/// `q`: nq, `v`, `tau`, `lambda`: nv. Right for every kind of joint; wrenches of both kinds, armature, damping,
/// friction and mimic joints are included. Cost O(n); with mimic joints O(n d²), d the depth of the tree. A second call
/// with as many wrenches allocates nothing.
///
/// # Errors
/// As [`aba`](super::aba()), and if a number of `lambda` is not finite.
#[inline(never)]
#[doc(alias("adjoint", "vector-Jacobian product", "VJP"))]
pub fn aba_gradient<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    lambda: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<AbaGradient<'w, T>, InputError> {
    model.check_length("lambda", "nv", lambda.len(), model.nv)?;
    check_finite_dofs(model, "lambda", lambda)?;
    let mut memory = std::mem::take(&mut ws.aba_gradient);
    let done = fill(model, ws, &mut memory, (q, v, tau), lambda, wrenches);
    ws.aba_gradient = memory;
    let value = done?;
    let by = ws.aba_gradient.results(value);
    let AbaGradient { dq, dv, dtau, df_ext, .. } = by;
    for (what, x) in [("d(lambda ddq)/dq", dq), ("d(lambda ddq)/dv", dv), ("d(lambda ddq)/dtau", dtau)] {
        if let Some(index) = first_not_finite(x) {
            return Err(model.overflow(what, index));
        }
    }
    if !value.is_finite() {
        return Err(model.overflow_of("lambda ddq", 0, model.whole_label()));
    }
    if let Some(index) = first_not_finite(df_ext) {
        return Err(external::overflow(model, wrenches, "d(lambda ddq)/df_ext", index));
    }
    Ok(by)
}

default_of_fields!(AbaGradientMemory: ddq, dq, dv, dtau, df_ext);

impl<T> AbaGradientMemory<T> {
    /// `q̈` and `μ = M⁻¹ λ`.
    pub(super) fn accelerations_and_multipliers(&self) -> (&[T], &[T]) {
        (&self.ddq, &self.dtau)
    }
    pub(super) fn results(&self, value: T) -> AbaGradient<'_, T> {
        let Self { dq, dv, dtau, df_ext, .. } = self;
        AbaGradient { value, dq, dv, dtau, df_ext }
    }
}

/// Fills in the gradient; returns `λᵀ q̈`.
fn fill<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    memory: &mut AbaGradientMemory<T>,
    (q, v, tau): (&[T], &[T], &[T]),
    lambda: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<T, InputError> {
    let AbaGradientMemory { ddq, dq, dv, dtau, df_ext } = memory;
    copy(aba::aba_kept(model, ws, q, v, tau, wrenches)?, ddq);
    copy(lambda, dtau);
    aba::solve(model, ws, dtau); // μ = M⁻¹ λ
    let by = gradient(model, ws, (q, v, ddq), dtau, wrenches);
    for (from, to) in [(by.dq, dq), (by.dv, dv), (by.df_ext, df_ext)] {
        copy(from, to);
        negate(to);
    }
    Ok(dot(lambda, ddq))
}

fn copy<T: Copy>(from: &[T], to: &mut Vec<T>) {
    to.clear();
    to.extend_from_slice(from);
}
