//! Algorithms on the tree, one per file, generic over the scalar.
//!
//! Each has a form that works in a [`Workspace`], made once per thread, and allocates nothing. It returns views that
//! borrow from the workspace, so results cannot be used after the next call has overwritten them. The forms of the same
//! names in [`once`](crate::once) need no workspace, and allocate.
//!
//! Arguments have the same order everywhere: the model, the workspace, `q`, `v`, then `a` or `tau`, then other inputs
//! of the algorithm, and external wrenches last.
//!
//! A derivative has the name of its algorithm and `_derivatives`: [`rnea_derivatives`], [`frame_derivatives`],
//! [`centroidal_derivatives`]. Here they are closed forms over any number type. [`partials`](crate::partials) has them
//! over `f64` under the same names, with a choice of the method.
//!
//! Large generic functions are `#[inline(never)]`, so that dependents reuse the instances compiled here, over `f64` for
//! example.

mod aba;
pub(crate) mod aba_gradient;
mod bias;
pub(crate) mod by_plan;
mod cache_line;
pub(crate) mod centroidal;
pub(crate) mod centroidal_derivatives;
pub(crate) mod com;
pub(crate) mod constraints;
mod coriolis;
pub(crate) mod crba;
mod energy;
pub(crate) mod external;
mod forward_kinematics;
pub(crate) mod frame_derivatives;
mod frame_pose;
pub(crate) mod jacobian;
pub(crate) mod jacobian_rate;
pub(crate) mod jacobian_transpose;
pub(crate) mod ltl;
mod minv;
mod parameter_gradient;
pub(crate) mod placed;
pub(crate) mod reference;
pub(crate) mod regressor;
pub(crate) mod rnea;
pub(crate) mod rnea_derivatives;
pub(crate) mod rnea_gradient;
pub(crate) mod rnea_second;
pub(crate) mod step;
mod tensor3;
mod workspace;
pub(crate) mod world;

pub(crate) use crate::slice_ops::{self, first_not_finite, first_not_finite_on_diagonal};
pub use aba::aba;
pub(crate) use aba::{aba_kept, solve as solve_kept};
pub use aba_gradient::{AbaGradient, aba_gradient};
pub use bias::{bias, generalized_gravity, static_torque};
pub use centroidal::{Centroidal, CentroidalMomentum, centroidal, centroidal_momentum, centroidal_momentum_matrix};
pub use centroidal_derivatives::{
    CenterOfMassDerivatives, CentroidalDerivatives, center_of_mass_derivatives, centroidal_derivatives,
};
pub use com::{CentersOfMass, PointMass, center_of_mass, com_jacobian};
pub use constraints::{
    Constraint, ConstraintDynamics, ConstraintKind, ConstraintRank, ImpulseDynamics, RankMargin, constraint_bias,
    constraint_dynamics, constraint_error, constraint_jacobian, constraint_rank, impulse_dynamics,
};
pub use coriolis::coriolis_matrix;
pub use crba::crba;
pub use energy::{kinetic_energy, mechanical_energy, potential_energy};
pub(crate) use external::check as check_wrenches;
pub use external::{ExternalWrench, WrenchFrame};
pub use forward_kinematics::{Kinematics, forward_kinematics};
pub use frame_derivatives::{
    FrameDerivatives, PointDerivatives, classical_frame_derivatives, frame_derivatives, point_derivatives,
};
pub use frame_pose::{frame_pose, frame_pose_jacobian};
pub use jacobian::{frame_jacobian, joint_jacobians, point_jacobian, relative_jacobian};
pub use jacobian_rate::{BiasAcceleration, frame_bias_acceleration, frame_jacobian_rate};
pub use jacobian_transpose::{JacobianTransposeDerivatives, jacobian_transpose_derivatives};
pub use ltl::{MassFactors, factorize_mass_matrix};
pub use minv::minv;
pub use parameter_gradient::{
    AbaParameterGradient, RneaParameterGradient, aba_parameter_gradient, rnea_parameter_gradient,
};
pub use reference::{FrameRef, ReferenceFrame};
pub use regressor::{
    com_regressor, frame_wrench_regressor, kinematic_regressor, kinetic_energy_regressor, potential_energy_regressor,
    standard_regressor, static_torque_regressor, torque_regressor,
};
pub use rnea::rnea;
pub(crate) use rnea::{check_finite, check_finite_dofs, state_not_finite};
pub use rnea_derivatives::{RneaDerivatives, rnea_derivatives};
pub use rnea_gradient::{RneaGradient, rnea_gradient};
pub use rnea_second::{RneaSecondDerivatives, rnea_second_derivatives};
pub use tensor3::Tensor3;
pub use workspace::Workspace;
