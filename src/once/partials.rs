//! The forms of [`partials`]: derivatives over `f64`, by the method that is named.

use crate::dynamics::{
    CenterOfMassDerivatives, CentroidalDerivatives, Constraint, ExternalWrench, FrameDerivatives, FrameRef,
    JacobianTransposeDerivatives, PointDerivatives, ReferenceFrame,
};
use crate::model::{BodyId, InputError, Model};
use crate::partials::{
    self, AbaDerivatives, ConstraintDynamicsDerivatives, DerivativeErrors, DerivativeWorkspace,
    ImpulseDynamicsDerivatives, Method, RneaDerivatives,
};
use crate::spatial::Force;
use nalgebra::{DMatrix, DVector, Vector3};

/// Makes a workspace, calls, and keeps the result by the method named first.
macro_rules! forms {
    ($keep:ident: $($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => { $(
        $(#[$doc])*
        #[doc = concat!("[`partials::", stringify!($name), "`](fn@crate::partials::", stringify!($name), ") in memory of its own.")]
        ///
        /// # Errors
        /// Those of the form with a workspace.
        #[allow(clippy::too_many_arguments, reason = "of some: a state, and what is asked of it")]
        pub fn $name(model: &Model, method: Method, $($argument: $type),*) -> Result<$result, InputError> {
            Ok(partials::$name(model, &mut DerivativeWorkspace::new(model), method, $($argument),*)?.$keep())
        }
    )* };
}

forms! { to_owned:
    /// Torques of inverse dynamics and their derivatives, nv × nv, nv × 6 a wrench. `q`: nq, `v`, `a`: nv.
    rnea_derivatives(q: &[f64], v: &[f64], a: &[f64], wrenches: &[ExternalWrench]) -> RneaDerivatives;

    /// Accelerations of forward dynamics and their derivatives, nv × nv, nv × 6 a wrench. `q`: nq, `v`, `tau`: nv.
    aba_derivatives(q: &[f64], v: &[f64], tau: &[f64], wrenches: &[ExternalWrench]) -> AbaDerivatives;

    /// Accelerations and multipliers under constraints, and their derivatives. `q`: nq, `v`, `tau`: nv.
    constraint_dynamics_derivatives(q: &[f64], v: &[f64], tau: &[f64], constraints: &[Constraint], wrenches: &[ExternalWrench]) -> ConstraintDynamicsDerivatives;

    /// Velocities and impulses of an impact under constraints, and their derivatives. `q`: nq, `v` before: nv.
    impulse_dynamics_derivatives(q: &[f64], v: &[f64], restitution: f64, constraints: &[Constraint]) -> ImpulseDynamicsDerivatives;

    /// Velocity and spatial acceleration of a frame, and their derivatives, 6 × nv. `q`: nq, `v`, `a`: nv.
    frame_derivatives(q: &[f64], v: &[f64], a: &[f64], frame: impl Into<FrameRef>, reference: ReferenceFrame) -> FrameDerivatives;

    /// Velocity and classical acceleration of a frame, and their derivatives, 6 × nv. `q`: nq, `v`, `a`: nv.
    classical_frame_derivatives(q: &[f64], v: &[f64], a: &[f64], frame: impl Into<FrameRef>, reference: ReferenceFrame) -> FrameDerivatives;

    /// Velocity and acceleration of a point fixed in a body, and their derivatives, 3 × nv. `q`: nq, `v`, `a`: nv;
    /// `point`: in coordinates of the body, m.
    point_derivatives(q: &[f64], v: &[f64], a: &[f64], body: BodyId, point: Vector3<f64>, reference: ReferenceFrame) -> PointDerivatives;

    /// Torques `Jᵀ f` of a wrench on a frame, and `∂(Jᵀ f)/∂q`, nv × nv. `q`: nq.
    jacobian_transpose_derivatives(q: &[f64], frame: impl Into<FrameRef>, reference: ReferenceFrame, force: Force<f64>) -> JacobianTransposeDerivatives;

    /// The centroidal momentum, its rate, and their derivatives, 6 × nv. `q`: nq, `v`, `a`: nv.
    centroidal_derivatives(q: &[f64], v: &[f64], a: &[f64]) -> CentroidalDerivatives;

    /// A center of mass, its velocity and acceleration, and their derivatives, 3 × nv. `q`: nq, `v`, `a`: nv;
    /// `subtree`: its root, `None` for the robot.
    center_of_mass_derivatives(q: &[f64], v: &[f64], a: &[f64], subtree: Option<BodyId>) -> CenterOfMassDerivatives;
}

forms! { into:
    /// Bias torques `c(q, v) − Σ Jᵀ φ` and their derivatives, nv × nv, nv × 6 a wrench. `q`: nq, `v`: nv.
    bias_derivatives(q: &[f64], v: &[f64], wrenches: &[ExternalWrench]) -> BiasDerivatives;

    /// Torques of gravity and their derivative, nv × nv. `q`: nq.
    generalized_gravity_derivatives(q: &[f64]) -> StaticTorqueDerivatives;

    /// Torques `g(q) − Σ Jᵀ φ` that hold the robot at rest and their derivatives, nv × nv, nv × 6 a wrench. `q`: nq.
    static_torque_derivatives(q: &[f64], wrenches: &[ExternalWrench]) -> StaticTorqueDerivatives;

    /// `M(q) a` and `∂(M a)/∂q` at fixed `a`, nv × nv. `q`: nq, `a`: nv.
    mass_product_derivatives(q: &[f64], a: &[f64]) -> MassProductDerivatives;
}

/// Bias torques and their derivatives: [`partials::BiasDerivatives`].
#[derive(Clone, Debug, PartialEq)]
pub struct BiasDerivatives {
    /// `c(q, v) − Σ Jᵀ φ`, nv.
    pub bias: DVector<f64>,
    /// By q, nv × nv, along `q ⊕ ε e_k`.
    pub dbias_dq: DMatrix<f64>,
    /// By v, nv × nv.
    pub dbias_dv: DMatrix<f64>,
    /// By each external wrench, nv × 6, columns force then moment: minus the transposed Jacobian.
    pub dbias_df_ext: Vec<DMatrix<f64>>,
    /// Estimated errors, of `dbias_dq` in `dtau_dq` and so on, from the method of differences.
    pub errors: Option<DerivativeErrors>,
}

impl From<partials::BiasDerivatives<'_>> for BiasDerivatives {
    fn from(by: partials::BiasDerivatives<'_>) -> Self {
        let partials::BiasDerivatives { bias, dbias_dq, dbias_dv, dbias_df_ext, errors } = by;
        Self {
            bias: bias.clone(),
            dbias_dq: dbias_dq.clone(),
            dbias_dv: dbias_dv.clone(),
            dbias_df_ext: dbias_df_ext.to_vec(),
            errors: errors.cloned(),
        }
    }
}

/// Torques that hold the robot at rest, and their derivatives: [`partials::StaticTorqueDerivatives`].
#[derive(Clone, Debug, PartialEq)]
pub struct StaticTorqueDerivatives {
    /// `g(q) − Σ Jᵀ φ`, nv.
    pub tau: DVector<f64>,
    /// `∂τ/∂q`, nv × nv, along `q ⊕ ε e_k`.
    pub dtau_dq: DMatrix<f64>,
    /// `∂τ/∂φ` for each external wrench, nv × 6, columns force then moment: minus the transposed Jacobian.
    pub dtau_df_ext: Vec<DMatrix<f64>>,
    /// Estimated errors, from the method of differences.
    pub errors: Option<DerivativeErrors>,
}

impl From<partials::StaticTorqueDerivatives<'_>> for StaticTorqueDerivatives {
    fn from(by: partials::StaticTorqueDerivatives<'_>) -> Self {
        let partials::StaticTorqueDerivatives { tau, dtau_dq, dtau_df_ext, errors } = by;
        Self { tau: tau.clone(), dtau_dq: dtau_dq.clone(), dtau_df_ext: dtau_df_ext.to_vec(), errors: errors.cloned() }
    }
}

/// `M(q) a` and its derivative at fixed `a`: [`partials::MassProductDerivatives`].
#[derive(Clone, Debug, PartialEq)]
pub struct MassProductDerivatives {
    /// `M a`, nv.
    pub product: DVector<f64>,
    /// `∂(M a)/∂q`, nv × nv, along `q ⊕ ε e_k`.
    pub dproduct_dq: DMatrix<f64>,
    /// `∂(M a)/∂a = M`, nv × nv, armature included.
    pub mass_matrix: DMatrix<f64>,
    /// Estimated errors, of `∂(M a)/∂q` in `dtau_dq` and of `M` in `dtau_da`, from the method of differences.
    pub errors: Option<DerivativeErrors>,
}

impl From<partials::MassProductDerivatives<'_>> for MassProductDerivatives {
    fn from(by: partials::MassProductDerivatives<'_>) -> Self {
        let partials::MassProductDerivatives { product, dproduct_dq, mass_matrix, errors } = by;
        Self {
            product: product.clone(),
            dproduct_dq: dproduct_dq.clone(),
            mass_matrix: mass_matrix.clone(),
            errors: errors.cloned(),
        }
    }
}
