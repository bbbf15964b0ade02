//! The forms of [`dynamics`].

use super::{AbaGradient, Centroidal, ConstraintDynamics, ImpulseDynamics, RneaDerivatives, RneaGradient};
use crate::dynamics::rnea::check_finite_dofs;
use crate::dynamics::{
    self, BiasAcceleration, CenterOfMassDerivatives, CentroidalDerivatives, Constraint, ExternalWrench,
    FrameDerivatives, FrameRef, JacobianTransposeDerivatives, PointDerivatives, ReferenceFrame, RneaSecondDerivatives,
    Workspace,
};
use crate::model::{BodyId, InputError, Model};
use crate::spatial::Force;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{DMatrix, Vector3};

/// Makes a workspace, calls, and keeps the result by the method named first.
macro_rules! forms {
    ($keep:ident: $($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => { $(
        $(#[$doc])*
        #[doc = concat!("[`dynamics::", stringify!($name), "`](fn@crate::dynamics::", stringify!($name), ") in memory of its own.")]
        ///
        /// # Errors
        /// Those of the form with a workspace.
        pub fn $name<P: Real, T: Scalar<P>>(model: &Model<P>, $($argument: $type),*) -> Result<$result, InputError> {
            Ok(dynamics::$name(model, &mut Workspace::new(model), $($argument),*)?.$keep())
        }
    )* };
}

forms! { to_owned:
    /// Joint torques `τ = M(q) a + c(q, v) − Σ Jᵀ φ`, nv. `q`: nq, `v`, `a`: nv. O(n).
    rnea(q: &[T], v: &[T], a: &[T], wrenches: &[ExternalWrench<T>]) -> Vec<T>;

    /// Joint accelerations `M⁻¹ (τ − c + Σ Jᵀ φ)`, nv. `q`: nq, `v`, `tau`: nv. O(n) without mimic joints.
    aba(q: &[T], v: &[T], tau: &[T], wrenches: &[ExternalWrench<T>]) -> Vec<T>;

    /// Bias torques `c(q, v) − Σ Jᵀ φ`, nv. `q`: nq, `v`: nv. O(n).
    bias(q: &[T], v: &[T], wrenches: &[ExternalWrench<T>]) -> Vec<T>;

    /// Torques of gravity, `g(q) = rnea(q, 0, 0)`, nv. `q`: nq. O(n).
    generalized_gravity(q: &[T]) -> Vec<T>;

    /// Torques that hold the robot at rest, `g(q) − Σ Jᵀ φ`, nv. `q`: nq. O(n).
    static_torque(q: &[T], wrenches: &[ExternalWrench<T>]) -> Vec<T>;

    /// The mass matrix `M(q)`, nv × nv. `q`: nq. O(n d), d the depth of the tree.
    crba(q: &[T]) -> DMatrix<T>;

    /// `M(q)⁻¹`, nv × nv. `q`: nq. O(nv²) without mimic joints.
    minv(q: &[T]) -> DMatrix<T>;

    /// The Coriolis matrix, `C(q, v) v = c(q, v) − g(q)`, nv × nv. `q`: nq, `v`: nv.
    coriolis_matrix(q: &[T], v: &[T]) -> DMatrix<T>;

    /// `½ vᵀ M v`, J. `q`: nq, `v`: nv. O(n).
    kinetic_energy(q: &[T], v: &[T]) -> T;

    /// Potential energy in the gravitational field, J. `q`: nq. O(n).
    potential_energy(q: &[T]) -> T;

    /// The sum of both energies, J. `q`: nq, `v`: nv. O(n).
    mechanical_energy(q: &[T], v: &[T]) -> T;

    /// Jacobian of a frame or a body in the reference, 6 × nv, linear rows first. `q`: nq.
    frame_jacobian(q: &[T], frame: impl Into<FrameRef>, reference: ReferenceFrame) -> DMatrix<T>;

    /// The columns of all joints in the world, 6 × nv. `q`: nq.
    joint_jacobians(q: &[T]) -> DMatrix<T>;

    /// Jacobian of a point fixed in a body, 3 × nv. `q`: nq; `point`: in coordinates of the body, m.
    point_jacobian(q: &[T], body: BodyId, point: Vector3<P>, reference: ReferenceFrame) -> DMatrix<T>;

    /// Jacobian of the motion of one frame seen from another, 6 × nv. `q`: nq.
    relative_jacobian(q: &[T], a: impl Into<FrameRef>, b: impl Into<FrameRef>, reference: ReferenceFrame) -> DMatrix<T>;

    /// Time derivative `J̇(q, q̇)` of the Jacobian of a frame, 6 × nv. `q`: nq, `v`: nv.
    frame_jacobian_rate(q: &[T], v: &[T], frame: impl Into<FrameRef>, reference: ReferenceFrame) -> DMatrix<T>;

    /// Acceleration of a frame at `q̈ = 0`, gravity left out. `q`: nq, `v`: nv.
    frame_bias_acceleration(q: &[T], v: &[T], frame: impl Into<FrameRef>, reference: ReferenceFrame) -> BiasAcceleration<T>;

    /// Jacobian of the center of mass in the world, 3 × nv. `q`: nq; `subtree`: its root, `None` for the
    /// robot.
    com_jacobian(q: &[T], subtree: Option<BodyId>) -> DMatrix<T>;

    /// The centroidal momentum matrix `A_G(q)`, 6 × nv, linear rows first. `q`: nq.
    centroidal_momentum_matrix(q: &[T]) -> DMatrix<T>;

    /// Derivatives of the centroidal momentum and of its rate, 6 × nv each. `q`: nq, `v`, `a`: nv.
    centroidal_derivatives(q: &[T], v: &[T], a: &[T]) -> CentroidalDerivatives<T>;

    /// Derivatives of a center of mass, its velocity and acceleration, 3 × nv each. `q`: nq, `v`, `a`: nv.
    center_of_mass_derivatives(q: &[T], v: &[T], a: &[T], subtree: Option<BodyId>) -> CenterOfMassDerivatives<T>;

    /// Derivatives of the velocity and the spatial acceleration of a frame, 6 × nv each. `q`: nq, `v`, `a`: nv.
    frame_derivatives(q: &[T], v: &[T], a: &[T], frame: impl Into<FrameRef>, reference: ReferenceFrame) -> FrameDerivatives<T>;

    /// Derivatives of the velocity and the classical acceleration of a frame, 6 × nv each. `q`: nq, `v`, `a`: nv.
    classical_frame_derivatives(q: &[T], v: &[T], a: &[T], frame: impl Into<FrameRef>, reference: ReferenceFrame) -> FrameDerivatives<T>;

    /// Derivatives of the velocity and the acceleration of a point fixed in a body, 3 × nv each. `q`: nq, `v`, `a`: nv;
    /// `point`: in coordinates of the body, m.
    point_derivatives(q: &[T], v: &[T], a: &[T], body: BodyId, point: Vector3<P>, reference: ReferenceFrame) -> PointDerivatives<T>;

    /// Torques `Jᵀ f` of a wrench on a frame, and `∂(Jᵀ f)/∂q`, nv × nv. `q`: nq.
    jacobian_transpose_derivatives(q: &[T], frame: impl Into<FrameRef>, reference: ReferenceFrame, force: Force<T>) -> JacobianTransposeDerivatives<T>;

    /// Second derivatives of the torques of inverse dynamics, four tensors nv × nv × nv. `q`: nq, `v`, `a`: nv. O(n
    /// d²).
    rnea_second_derivatives(q: &[T], v: &[T], a: &[T], wrenches: &[ExternalWrench<T>]) -> RneaSecondDerivatives<T>;

    /// `Y` with `τ = Y π`, π the bodies' inertial parameters, nv × 10 n. `q`: nq, `v`, `a`: nv.
    torque_regressor(q: &[T], v: &[T], a: &[T]) -> DMatrix<T>;

    /// `Y` with `g(q) = Y π`, nv × 10 n. `q`: nq.
    static_torque_regressor(q: &[T]) -> DMatrix<T>;

    /// `W` with `f = W π_F`, the wrench that the body of a frame F needs for its motion, 6 × 10. `q`: nq, `v`, `a`: nv.
    frame_wrench_regressor(q: &[T], v: &[T], a: &[T], frame: impl Into<FrameRef>) -> DMatrix<T>;

    /// `w` with `½ vᵀ M v = w π`, J, 1 × 10 n. `q`: nq, `v`: nv.
    kinetic_energy_regressor(q: &[T], v: &[T]) -> DMatrix<T>;

    /// `w` with the potential energy `w π`, J, 1 × 10 n. `q`: nq.
    potential_energy_regressor(q: &[T]) -> DMatrix<T>;

    /// How a frame moves by small errors of the joints' placements, 6 × 6 n, linear rows first. `q`: nq.
    kinematic_regressor(q: &[T], frame: impl Into<FrameRef>, reference: ReferenceFrame) -> DMatrix<T>;

    /// Errors `e(q)` of constraints, m and rad, one entry a row. `q`: nq.
    constraint_error(q: &[T], constraints: &[Constraint<P>]) -> Vec<T>;

    /// Jacobian `J(q)` of constraints, rows × nv. `q`: nq.
    constraint_jacobian(q: &[T], constraints: &[Constraint<P>]) -> DMatrix<T>;

    /// `γ = J̇ q̇ + k_d J q̇ + k_p e` of constraints, one entry a row. `q`: nq, `v`: nv.
    constraint_bias(q: &[T], v: &[T], constraints: &[Constraint<P>]) -> Vec<T>;
}

forms! { into:
    /// Torques of inverse dynamics and their derivatives in closed form, nv × nv each. `q`: nq, `v`, `a`: nv. O(n d).
    rnea_derivatives(q: &[T], v: &[T], a: &[T], wrenches: &[ExternalWrench<T>]) -> RneaDerivatives<T>;

    /// `λᵀ τ`, `τ = rnea(q, v, a, φ)`, and its gradient. `q`: nq, `v`, `a`, `lambda`: nv. O(n).
    rnea_gradient(q: &[T], v: &[T], a: &[T], lambda: &[T], wrenches: &[ExternalWrench<T>]) -> RneaGradient<T>;

    /// `λᵀ q̈`, `q̈ = aba(q, v, τ, φ)`, and its gradient. `q`: nq, `v`, `tau`, `lambda`: nv. O(n) without mimic joints.
    aba_gradient(q: &[T], v: &[T], tau: &[T], lambda: &[T], wrenches: &[ExternalWrench<T>]) -> AbaGradient<T>;

    /// Centroidal momentum, its rate, its matrix `A_G` and that one's rate. `q`: nq, `v`, `a`: nv. O(n).
    centroidal(q: &[T], v: &[T], a: &[T]) -> Centroidal<T>;

    /// Accelerations and multipliers of `M q̈ + c = τ + Σ Jᵀ φ + Jᵀ λ` with `J q̈ = −γ`. `q`: nq, `v`, `tau`: nv.
    constraint_dynamics(q: &[T], v: &[T], tau: &[T], constraints: &[Constraint<P>], wrenches: &[ExternalWrench<T>]) -> ConstraintDynamics<T>;

    /// Velocities and impulses of `M (v⁺ − v⁻) = Jᵀ Λ` with `J v⁺ = −ε J v⁻`. `q`: nq, `v` before: nv; `restitution`:
    /// ε.
    impulse_dynamics(q: &[T], v: &[T], restitution: P, constraints: &[Constraint<P>]) -> ImpulseDynamics<T>;
}

/// `M(q)⁻¹ b`, nv. `q`: nq, `b`: nv. O(n d²).
/// [`dynamics::factorize_mass_matrix`](crate::dynamics::factorize_mass_matrix) in memory of its own, and one solution.
///
/// # Errors
/// Those of the form with a workspace, and if `b` has another length, or it or the solution is not finite.
pub fn solve_mass_matrix<P: Real, T: Scalar<P>>(model: &Model<P>, q: &[T], b: &[T]) -> Result<Vec<T>, InputError> {
    model.check_length("b", "nv", b.len(), model.nv())?;
    check_finite_dofs(model, "b", b)?;
    let mut x = b.to_vec();
    let solved = dynamics::factorize_mass_matrix(model, &mut Workspace::new(model), q)?.solve(&mut x);
    // By the name of the joint, which the factors do not know.
    let named = |error| match error {
        InputError::Overflow { what, index, .. } => InputError::Overflow { what, index, joint: model.dof_label(index) },
        error => error,
    };
    solved.map_err(named).map(|()| x)
}
