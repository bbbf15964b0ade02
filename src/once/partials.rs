//! The forms of [`partials`].

use super::{BiasDerivatives, MassProductDerivatives, StaticTorqueDerivatives};
use crate::dynamics::{
    CentroidalDerivatives, ComDerivatives, Constraint, ExternalWrench, FrameDerivatives, FrameRef,
    JacobianTransposeDerivatives, PointDerivatives, ReferenceFrame,
};
use crate::model::{BodyId, InputError, Model};
use crate::partials::{
    self, ConstraintDynamicsDerivatives, DerivativeWorkspace, ForwardDynamicsDerivatives, ImpulseDynamicsDerivatives,
    Method, RneaDerivatives,
};
use crate::spatial::Force;
use nalgebra::Vector3;

/// Makes a workspace, calls, and keeps the result by the method named first.
macro_rules! forms {
    ($keep:ident: $($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => { $(
        $(#[$doc])*
        #[doc = concat!("[`partials::", stringify!($name), "`](fn@crate::partials::", stringify!($name), ") in memory of its own.")]
        ///
        /// # Errors
        /// Those of the form with a workspace.
        pub fn $name(model: &Model, method: Method, $($argument: $type),*) -> Result<$result, InputError> {
            Ok(partials::$name(model, &mut DerivativeWorkspace::new(model), method, $($argument),*)?.$keep())
        }
    )* };
}

/// Configuration, velocity, and acceleration or torques.
type State<'a> = (&'a [f64], &'a [f64], &'a [f64]);

forms! { to_owned:
    /// Torques of inverse dynamics and their derivatives, nv × nv, nv × 6 a wrench. `q`: nq, `v`, `a`: nv.
    rnea_derivatives(q: &[f64], v: &[f64], a: &[f64], wrenches: &[ExternalWrench]) -> RneaDerivatives;

    /// Accelerations of forward dynamics and their derivatives, nv × nv, nv × 6 a wrench. `q`: nq, `v`, `tau`: nv.
    forward_dynamics_derivatives(q: &[f64], v: &[f64], tau: &[f64], wrenches: &[ExternalWrench]) -> ForwardDynamicsDerivatives;

    /// Accelerations and multipliers under constraints, and their derivatives. State: `q`, nq, `v`, `tau`, nv each.
    constraint_dynamics_derivatives(state: State<'_>, wrenches: &[ExternalWrench], constraints: &[Constraint]) -> ConstraintDynamicsDerivatives;

    /// Velocities and impulses of an impact under constraints, and their derivatives. State: `q`, nq, `v` before, nv.
    impulse_dynamics_derivatives(state: (&[f64], &[f64]), restitution: f64, constraints: &[Constraint]) -> ImpulseDynamicsDerivatives;

    /// Velocity and spatial acceleration of a frame, and their derivatives, 6 × nv. State: `q`, nq, `v`, `a`, nv each.
    frame_derivatives(state: State<'_>, frame: impl Into<FrameRef>, reference: ReferenceFrame) -> FrameDerivatives;

    /// Velocity and classical acceleration of a frame, and their derivatives, 6 × nv. State: `q`, nq, `v`, `a`, nv each.
    classical_frame_derivatives(state: State<'_>, frame: impl Into<FrameRef>, reference: ReferenceFrame) -> FrameDerivatives;

    /// Velocity and acceleration of a point fixed in a body, and their derivatives, 3 × nv. State: `q`, nq, `v`, `a`, nv each;
    /// `point`: in coordinates of the body, m.
    point_derivatives(state: State<'_>, body: BodyId, point: Vector3<f64>, reference: ReferenceFrame) -> PointDerivatives;

    /// Torques `Jᵀ f` of a wrench on a frame, and `∂(Jᵀ f)/∂q`, nv × nv. `q`: nq.
    jacobian_transpose_derivatives(q: &[f64], frame: impl Into<FrameRef>, reference: ReferenceFrame, force: Force<f64>) -> JacobianTransposeDerivatives;

    /// The centroidal momentum, its rate, and their derivatives, 6 × nv. State: `q`, nq, `v`, `a`, nv each.
    centroidal_derivatives(state: State<'_>) -> CentroidalDerivatives;

    /// A centre of mass, its velocity and acceleration, and their derivatives, 3 × nv. State: `q`, nq, `v`, `a`, nv each;
    /// `subtree`: the body it hangs from, `None` for the robot.
    com_derivatives(state: State<'_>, subtree: Option<BodyId>) -> ComDerivatives;
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
