//! Results that own what those of the same names show of their workspaces.

use crate::dynamics::{self, PointMass};
use crate::spatial::{Force, Inertia, Momentum};
use gradyn_derivatives::Real;
use nalgebra::DMatrix;

/// Torques of inverse dynamics and their derivatives: [`dynamics::RneaDerivatives`], as matrices.
#[derive(Clone, Debug, PartialEq)]
pub struct RneaDerivatives<T> {
    /// `τ`, nv.
    pub tau: Vec<T>,
    /// `∂τ/∂q`, nv × nv, along `q ⊕ ε e_j`.
    pub dtau_dq: DMatrix<T>,
    /// `∂τ/∂v`, nv × nv.
    pub dtau_dv: DMatrix<T>,
    /// `∂τ/∂a`, nv × nv: the mass matrix, armature included.
    pub dtau_da: DMatrix<T>,
    /// `∂τ/∂φ` for each wrench, nv × 6, columns force then moment, in the wrench's own coordinates.
    pub dtau_df_ext: Vec<DMatrix<T>>,
}

impl<T: Real> From<dynamics::RneaDerivatives<'_, T>> for RneaDerivatives<T> {
    fn from(by: dynamics::RneaDerivatives<'_, T>) -> Self {
        let dynamics::RneaDerivatives { tau, dtau_dq, dtau_dv, dtau_da, dtau_df_ext } = by;
        let nv = tau.len();
        let square = |m: &[T]| DMatrix::from_column_slice(nv, nv, m);
        Self {
            tau: tau.to_vec(),
            dtau_dq: square(dtau_dq),
            dtau_dv: square(dtau_dv),
            dtau_da: square(dtau_da),
            dtau_df_ext: dtau_df_ext
                .chunks_exact((6 * nv).max(1))
                .map(|m| DMatrix::from_column_slice(nv, 6, m))
                .collect(),
        }
    }
}

/// `λᵀ τ` and its gradient: [`dynamics::RneaGradient`].
#[derive(Clone, Debug, PartialEq)]
pub struct RneaGradient<T> {
    /// `λᵀ τ`
    pub value: T,
    /// `∂(λᵀ τ)/∂q`, nv, along `q ⊕ ε e_k`.
    pub dq: Vec<T>,
    /// `∂(λᵀ τ)/∂v`, nv.
    pub dv: Vec<T>,
    /// `∂(λᵀ τ)/∂a = M λ`, nv.
    pub da: Vec<T>,
    /// `∂(λᵀ τ)/∂φ`, six numbers a wrench, force then moment, in the wrench's own coordinates.
    pub df_ext: Vec<T>,
}

impl<T: Real> From<dynamics::RneaGradient<'_, T>> for RneaGradient<T> {
    fn from(by: dynamics::RneaGradient<'_, T>) -> Self {
        let dynamics::RneaGradient { value, dq, dv, da, df_ext } = by;
        Self { value, dq: dq.to_vec(), dv: dv.to_vec(), da: da.to_vec(), df_ext: df_ext.to_vec() }
    }
}

/// `λᵀ q̈` and its gradient: [`dynamics::AbaGradient`].
#[derive(Clone, Debug, PartialEq)]
pub struct AbaGradient<T> {
    /// `λᵀ q̈`
    pub value: T,
    /// `∂(λᵀ q̈)/∂q`, nv, along `q ⊕ ε e_k`.
    pub dq: Vec<T>,
    /// `∂(λᵀ q̈)/∂v`, nv.
    pub dv: Vec<T>,
    /// `∂(λᵀ q̈)/∂τ = M⁻¹ λ`, nv.
    pub dtau: Vec<T>,
    /// `∂(λᵀ q̈)/∂φ`, six numbers a wrench, force then moment, in the wrench's own coordinates.
    pub df_ext: Vec<T>,
}

impl<T: Real> From<dynamics::AbaGradient<'_, T>> for AbaGradient<T> {
    fn from(by: dynamics::AbaGradient<'_, T>) -> Self {
        let dynamics::AbaGradient { value, dq, dv, dtau, df_ext } = by;
        Self { value, dq: dq.to_vec(), dv: dv.to_vec(), dtau: dtau.to_vec(), df_ext: df_ext.to_vec() }
    }
}

/// A robot seen from its center of mass, in axes of the world: [`dynamics::Centroidal`].
#[derive(Clone, Debug, PartialEq)]
pub struct Centroidal<T> {
    /// Mass, and the center of mass with its velocity and acceleration, in the world.
    pub com: PointMass<T>,
    /// Inertia of the robot, its joints locked, about the center of mass.
    pub inertia: Inertia<T>,
    /// Momentum `h_G`; the angular part is about the center of mass.
    pub momentum: Momentum<T>,
    /// Its rate of change `ḣ_G`.
    pub momentum_rate: Force<T>,
    /// The centroidal momentum matrix `A_G`, 6 × nv, linear rows first: `h_G = A_G q̇`.
    pub matrix: DMatrix<T>,
    /// Its derivative in time `Ȧ_G`, 6 × nv.
    pub matrix_rate: DMatrix<T>,
}

impl<T: Real> From<dynamics::Centroidal<'_, T>> for Centroidal<T> {
    fn from(by: dynamics::Centroidal<'_, T>) -> Self {
        let dynamics::Centroidal { com, inertia, momentum, momentum_rate, matrix, matrix_rate } = by;
        Self { com, inertia, momentum, momentum_rate, matrix: matrix.clone(), matrix_rate: matrix_rate.clone() }
    }
}

/// Accelerations under constraints, and the forces that hold them: [`dynamics::ConstraintDynamics`].
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintDynamics<T> {
    /// Joint accelerations `q̈`, nv.
    pub ddq: Vec<T>,
    /// Multipliers `λ`, one entry a row, N and N m.
    pub lambda: Vec<T>,
    /// How many rows are independent.
    pub rank: usize,
    /// How clear that is.
    pub margin: dynamics::RankMargin,
    /// The largest entry of `|J q̈ + γ|`.
    pub residual: T,
}

impl<T: Real> From<dynamics::ConstraintDynamics<'_, T>> for ConstraintDynamics<T> {
    fn from(by: dynamics::ConstraintDynamics<'_, T>) -> Self {
        let dynamics::ConstraintDynamics { ddq, lambda, rank, margin, residual } = by;
        Self { ddq: ddq.to_vec(), lambda: lambda.to_vec(), rank, margin, residual }
    }
}

/// Velocities after an impact under constraints, and the impulses: [`dynamics::ImpulseDynamics`].
#[derive(Clone, Debug, PartialEq)]
pub struct ImpulseDynamics<T> {
    /// Velocities after it, `v⁺`, nv.
    pub v: Vec<T>,
    /// Impulses `Λ`, one entry a row, N s and N m s.
    pub impulse: Vec<T>,
    /// How many rows are independent.
    pub rank: usize,
    /// How clear that is.
    pub margin: dynamics::RankMargin,
    /// The largest entry of `|J v⁺ + ε J v⁻|`.
    pub residual: T,
}

impl<T: Real> From<dynamics::ImpulseDynamics<'_, T>> for ImpulseDynamics<T> {
    fn from(by: dynamics::ImpulseDynamics<'_, T>) -> Self {
        let dynamics::ImpulseDynamics { v, impulse, rank, margin, residual } = by;
        Self { v: v.to_vec(), impulse: impulse.to_vec(), rank, margin, residual }
    }
}
