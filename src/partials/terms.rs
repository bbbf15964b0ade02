//! Derivatives of the parts that torques are made of: inverse dynamics at rest, without weight, without acceleration.

use super::result::DerivativeErrors;
use super::{DerivativeWorkspace, Method, RneaDerivatives, analytical, compute};
use crate::dynamics::{ExternalWrench, state_not_finite};
use crate::formulas::force_field::ForceField;
use crate::kernels::by_joint::derivatives::Reuse;
use crate::model::{InputError, Model};
use nalgebra::{DMatrix, DVector, Vector3};

/// Bias forces and their derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BiasDerivatives<'w> {
    /// `c(q, v) − Σ Jᵀ φ`, nv.
    pub bias: &'w DVector<f64>,
    /// By q, nv × nv, along `q ⊕ ε e_k`.
    pub dbias_dq: &'w DMatrix<f64>,
    /// By v, nv × nv.
    pub dbias_dv: &'w DMatrix<f64>,
    /// By each external wrench, nv × 6, columns force then moment: minus the transposed Jacobian.
    pub dbias_df_ext: &'w [DMatrix<f64>],
    /// Estimated errors, of `dbias_dq` in `dtau_dq` and so on, from the method of differences.
    pub errors: Option<&'w DerivativeErrors>,
}

/// Torques that hold the robot at rest, and their derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticTorqueDerivatives<'w> {
    /// `g(q) + springs − Σ Jᵀ φ`, nv.
    pub tau: &'w DVector<f64>,
    /// `∂τ/∂q`, nv × nv, along `q ⊕ ε e_k`.
    pub dtau_dq: &'w DMatrix<f64>,
    /// `∂τ/∂φ` for each external wrench, nv × 6, columns force then moment: minus the transposed Jacobian.
    pub dtau_df_ext: &'w [DMatrix<f64>],
    /// Estimated errors, from the method of differences.
    pub errors: Option<&'w DerivativeErrors>,
}

/// `M(q) a` and its derivative at fixed `a`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProductDerivatives<'w> {
    /// `M a`, nv.
    pub product: &'w DVector<f64>,
    /// `∂(M a)/∂q`, nv × nv, along `q ⊕ ε e_k`.
    pub dproduct_dq: &'w DMatrix<f64>,
    /// `∂(M a)/∂a = M`, nv × nv, armature included.
    pub mass_matrix: &'w DMatrix<f64>,
    /// Estimated errors, of `∂(M a)/∂q` in `dtau_dq` and of `M` in `dtau_da`, from the method of differences.
    pub errors: Option<&'w DerivativeErrors>,
}

/// Derivatives of [`bias`](crate::dynamics::bias): `c(q, v) − Σ Jᵀ φ = rnea(q, v, 0, φ, &[])`, nonlinear effects with gravity, and
/// with damping and friction of the joints if the model has them switched on.
///
/// `q`: nq, `v`: nv. A second call with a method other than differences allocates nothing, as long as there are no more
/// wrenches than ever before.
///
/// # Errors
/// As [`rnea_derivatives`](super::rnea_derivatives).
pub fn bias_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    wrenches: &[ExternalWrench],
) -> Result<BiasDerivatives<'w>, InputError> {
    let rest = Rest::take(model, ws);
    let outcome = compute(model, ws, method, (q, v, &rest.0), wrenches).map(|_| ());
    let by = rest.put_back(ws, outcome)?;
    let RneaDerivatives { tau: bias, dtau_dq: dbias_dq, dtau_dv: dbias_dv, dtau_df_ext: dbias_df_ext, errors, .. } = by;
    Ok(BiasDerivatives { bias, dbias_dq, dbias_dv, dbias_df_ext, errors: errors.as_deref() })
}

/// Derivatives of [`generalized_gravity`](crate::dynamics::generalized_gravity), `g(q)`: [`static_torque_derivatives`] without springs and
/// wrenches. Friction is zero at rest.
///
/// `q`: nq. A second call allocates nothing with the analytical method, and with dual numbers of a robot without springs; else they work
/// on a copy of the model without springs.
///
/// # Errors
/// As [`rnea_derivatives`](super::rnea_derivatives).
#[doc(alias = "computeGeneralizedGravityDerivatives")]
pub fn generalized_gravity_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
) -> Result<StaticTorqueDerivatives<'w>, InputError> {
    if !model.has_springs() {
        return static_torque_derivatives(model, ws, method, q, &[]);
    }
    let rest = Rest::take(model, ws);
    let outcome = match method {
        Method::Analytical => in_field(ForceField::of_gravity(model), model, ws, (q, &rest.0, &rest.0)),
        _ => {
            let rigid = model.clone().without_springs();
            compute(&rigid, ws, method, (q, &rest.0, &rest.0), &[]).map(|_| ())
        }
    };
    Ok(StaticTorqueDerivatives::of(rest.put_back(ws, outcome)?))
}

/// Derivatives of [`static_torque`](crate::dynamics::static_torque), `τ(q, φ) = g(q) + springs − Σ Jᵀ φ = rnea(q, 0, 0, φ)`.
///
/// `q`: nq. A second call with a method other than differences allocates nothing, as long as there are no more wrenches
/// than ever before.
///
/// # Errors
/// As [`rnea_derivatives`](super::rnea_derivatives).
#[doc(alias = "computeStaticTorqueDerivatives")]
pub fn static_torque_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    wrenches: &[ExternalWrench],
) -> Result<StaticTorqueDerivatives<'w>, InputError> {
    let rest = Rest::take(model, ws);
    let outcome = compute(model, ws, method, (q, &rest.0, &rest.0), wrenches).map(|_| ());
    Ok(StaticTorqueDerivatives::of(rest.put_back(ws, outcome)?))
}

impl<'w> StaticTorqueDerivatives<'w> {
    fn of(by: &'w RneaDerivatives) -> Self {
        let RneaDerivatives { tau, dtau_dq, dtau_df_ext, errors, .. } = by;
        Self { tau, dtau_dq, dtau_df_ext, errors: errors.as_deref() }
    }
}

/// `M(q) a`, inverse dynamics at rest and without weight, with `∂(M a)/∂q` at fixed `a`: the derivative of the mass matrix
/// along one vector, without the tensor.
///
/// `q`: nq, `a`: nv. The analytical method costs O(n d) for depth d, and allocates nothing the second time; the others
/// work on a copy of the model without gravity.
///
/// # Errors
/// As [`rnea_derivatives`](super::rnea_derivatives).
pub fn mass_product_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    a: &[f64],
) -> Result<MassProductDerivatives<'w>, InputError> {
    let rest = Rest::take(model, ws);
    let outcome = match method {
        Method::Analytical => in_field(ForceField::none(), model, ws, (q, &rest.0, a)),
        _ => {
            let floating = model.clone().with_gravity(Vector3::zeros()).without_springs();
            compute(&floating, ws, method, (q, &rest.0, a), &[]).map(|_| ())
        }
    };
    let by = rest.put_back(ws, outcome)?;
    let RneaDerivatives { tau: product, dtau_dq: dproduct_dq, dtau_da: mass_matrix, errors, .. } = by;
    Ok(MassProductDerivatives { product, dproduct_dq, mass_matrix, errors: errors.as_deref() })
}

/// A velocity or acceleration of zero, out of the workspace while that is in use.
struct Rest(Vec<f64>);

impl Rest {
    fn take(model: &Model, ws: &mut DerivativeWorkspace) -> Self {
        let mut zeros = std::mem::take(&mut ws.rest);
        zeros.resize(model.nv(), 0.0);
        Self(zeros)
    }

    fn put_back(
        self,
        ws: &mut DerivativeWorkspace,
        outcome: Result<(), InputError>,
    ) -> Result<&RneaDerivatives, InputError> {
        ws.rest = self.0;
        outcome.map(|()| &ws.result)
    }
}

/// Inverse dynamics in closed form, in some field.
fn in_field(
    field: ForceField<'_>,
    model: &Model,
    ws: &mut DerivativeWorkspace,
    (q, v, a): (&[f64], &[f64], &[f64]),
) -> Result<(), InputError> {
    model.check_state(q, v, a)?;
    ws.base.check(model)?;
    if let Some(error) = state_not_finite(model, q, v, a) {
        return Err(error);
    }
    ws.result.errors = None;
    ws.begin(0)?;
    analytical::rnea_derivatives(field, model, ws, (q, v, a), &[], Reuse::Nothing);
    ws.result.check_finite(model)
}
