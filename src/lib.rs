//! Dynamics of robots and their exact derivatives.
//!
//! A robot with configuration `q` (nq numbers), velocity `v` and acceleration `a` (nv numbers each) needs the joint
//! torques `τ`:
//!
//! ```text
//! M(q) a + c(q, v) = τ
//! ```
//!
//! `M` is the mass matrix; `c` holds gravity, Coriolis and centrifugal terms, and the friction of the joints. Under
//! external wrenches `φ` and contacts, `Jᵀ φ` and `Jᵀ λ` stand on the left, subtracted. gradyn computes all of this,
//! and its derivatives to rounding:
//!
//! | | values | derivatives by `q`, `v`, `a` or `τ`, and `φ` |
//! |---|---|---|
//! | inverse dynamics, `τ` | [`rnea`] | [`rnea_derivatives`], [`rnea_second_derivatives`], [`rnea_hessian`](partials::rnea_hessian) |
//! | forward dynamics, `q̈` | [`aba`] | [`aba_derivatives`], [`aba_second_derivatives`], [`aba_hessian`](partials::aba_hessian) |
//! | mass matrix, its inverse | [`crba`], [`minv`] | in the tensors of second derivatives |
//! | contacts and closed loops, impacts | [`constraint_dynamics`], [`impulse_dynamics`] | [`constraint_dynamics_derivatives`], [`impulse_dynamics_derivatives`], [`constraint_dynamics_hessian`](partials::constraint_dynamics_hessian) |
//! | motion of frames and points | [`forward_kinematics`], [`frame_jacobian`], [`point_jacobian`] | [`frame_derivatives`], [`point_derivatives`] |
//! | center of mass, momentum | [`center_of_mass`], [`centroidal`] | [`center_of_mass_derivatives`], [`centroidal_derivatives`] |
//! | bias, gravity, static torque, Coriolis matrix | [`bias`](dynamics::bias()), [`dynamics`] | [`bias_derivatives`](partials::bias_derivatives), [`partials`] |
//! | energies | [`kinetic_energy`](dynamics::kinetic_energy), [`potential_energy`](dynamics::potential_energy) | dual numbers |
//! | regressors: what is linear in masses and inertias | [`torque_regressor`](dynamics::torque_regressor) and others | dual numbers |
//! | steps `q ⊕ v`, differences of configurations | [`Model::integrate`], [`Model::difference`] | [`Model::integrate_dq`], [`Model::difference_dq0`], … |
//!
//! ```
//! use gradyn::{DerivativeWorkspace, Method, Model, UrdfOptions, Workspace, rnea, rnea_derivatives};
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
//! let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
//! let (q, v, a) = ([0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8], [0.2; 7], [0.0; 7]);
//!
//! let mut workspace = Workspace::new(&model);
//! let tau = rnea(&model, &mut workspace, &q, &v, &a, &[])?;
//!
//! let mut memory = DerivativeWorkspace::new(&model);
//! let derivatives = rnea_derivatives(&model, &mut memory, Method::Analytical, &q, &v, &a, &[])?;
//! assert!(derivatives.tau.iter().zip(tau).all(|(x, y)| (x - y).abs() < 1e-12));
//! println!("{:.3}", derivatives.dtau_dq); // 7 × 7
//! # assert_eq!(derivatives.dtau_dq.shape(), (7, 7));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each algorithm of [`dynamics`] is written as its source has it, generic over the number type: over `f64` it gives
//! values, over dual numbers derivatives, by the state or by the robot's own parameters, of first order or higher. Over
//! `f64` most of them have faster forms beside that one; tests hold them to it, and [`plan`] says which is taken.
//!
//! # Where to look
//!
//! From the top layer down; each looks only at those below it:
//!
//! | module | what it gives |
//! |---|---|
//! | [`batch`] | many states in one call: lanes, threads |
//! | [`check`](mod@check) | checks of quantities that any program computed **for a robot**: verdicts with names of joints |
//! | [`once`] | the forms of dynamics and derivatives that need no workspace, and allocate |
//! | [`partials`] | derivatives of the algorithms over `f64`: one call, several methods, one result |
//! | [`dynamics`] | the algorithms, and closed forms of their derivatives, over any number type |
//! | [`plan`] | the form that each algorithm takes over `f64`, decided once per model |
//! | [`model`] | the robot: builder, readers of URDF, MJCF, SDF and SRDF, writers, springs, actuators, moving along configurations |
//! | [`joint`] | kinds of joints, with their coordinates and conventions |
//! | [`spatial`] | motions, forces, inertias, poses; a layer that checks frames |
//! | [`derivatives`] | dual numbers, drivers for functions of your own, differences; knows no robots. Its [`check`](mod@derivatives::check) is for derivatives **of any function** |
//!
//! What a solver needs stands at the root as well; of derivatives, those of [`partials`].
//!
//! Arguments come in one order: the model, the workspace, the method, `q`, `v`, then `a` or `tau`, what else the
//! algorithm needs, and wrenches last. Derivatives are named after the algorithm.
//!
//! SI units and radians everywhere; 6-vectors with the linear part first; derivatives have nv columns, one per way to
//! move, never nq. The pages in `docs/` say the rest:
//!
//! | page | |
//! |---|---|
//! | `tangent-space.md` | configurations, velocities, and what a derivative by `q` is |
//! | `conventions.md` | units, frames, orders; coordinates of other programs |
//! | `notation.md` | the same quantity in the words of Pinocchio, Drake, RigidBodyDynamics.jl, and Featherstone's book |
//! | `from-pinocchio.md` | Pinocchio's functions and fields, name by name |
//! | `robots.md` | what is read of each format of files, and written; springs, rotors, actuators |
//! | `checking.md` | what a check of a derivative is worth |
//! | `generate.md` | functions of a robot as straight-line Rust, C and CasADi |
//! | `python.md` | the package for Python |
//! | `levels.md` | vector instructions without build flags |
//! | `building.md` | what is compiled where, how long that takes, faster edits |
//! | `architecture.md` | the layers, the way of `q` through them, what to change for what |
//!
//! `examples/` answers one question a file.
//!
//! Nothing public panics on its input: wrong lengths, numbers that are not finite, quaternions that
//! are not of unit length, and results that would not be finite come back as errors with names. Two
//! things panic, as in the standard library: indexing outside a matrix or a [`Tensor3`], and the methods of
//! a single [`JointKind`](joint::JointKind), which algorithms call with slices that have been checked.

#[doc(hidden)]
pub mod ahead;
pub mod batch;
pub mod check;
mod default_fields;
pub mod dynamics;
mod formulas;
pub mod joint;
mod kernels;
mod level;
pub mod model;
pub mod once;
pub mod partials;
pub mod plan;
mod slice_ops;
pub mod spatial;
#[doc(hidden)]
pub mod text;

pub use batch::{Batch, BatchDerivatives};
pub use dynamics::{
    BiasAcceleration, Constraint, ExternalWrench, FrameRef, Kinematics, ReferenceFrame, Tensor3, Workspace,
    WrenchFrame, aba, center_of_mass, centroidal, com_jacobian, constraint_dynamics, crba, forward_kinematics,
    frame_bias_acceleration, frame_jacobian, impulse_dynamics, minv, point_jacobian, rnea,
};
pub use model::mjcf::{MjcfError, MjcfOptions};
pub use model::urdf::{UrdfError, UrdfOptions};
pub use model::{BodyId, FrameId, InputError, Model, ModelBuilder, ModelError};
pub use partials::{
    AbaDerivatives, AbaSecondDerivatives, ConstraintDynamicsDerivatives, DerivativeWorkspace,
    ImpulseDynamicsDerivatives, Method, RneaDerivatives, SecondOrderWorkspace, SparsityPattern, aba_derivatives,
    aba_second_derivatives, center_of_mass_derivatives, centroidal_derivatives, constraint_dynamics_derivatives,
    frame_derivatives, impulse_dynamics_derivatives, point_derivatives, rnea_derivatives, rnea_second_derivatives,
};
pub use spatial::{Force, Inertia, Motion, Transform};

/// Dual numbers, drivers and differences: the crate `gradyn-derivatives`.
pub use gradyn_derivatives as derivatives;
/// The dual numbers of the `num-dual` crate, in the version used here.
pub use gradyn_derivatives::num_dual;
pub use gradyn_derivatives::{Dual8, Function, Real, Scalar, ScalarFunction};
/// Vectors and matrices, in the version used here.
pub use nalgebra;
/// Random numbers, of which [`Model::random`] takes a source, in the version used here.
pub use rand;

/// The README and the pages in `docs/`, whose code is compiled and run with the documentation's.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/checking.md")]
    struct Checking;
    #[doc = include_str!("../docs/conventions.md")]
    struct Conventions;
    #[doc = include_str!("../docs/from-pinocchio.md")]
    struct FromPinocchio;
    #[doc = include_str!("../docs/levels.md")]
    struct Levels;
    #[doc = include_str!("../docs/notation.md")]
    struct Notation;
    #[doc = include_str!("../docs/tangent-space.md")]
    struct TangentSpace;
}
