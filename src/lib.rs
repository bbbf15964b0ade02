//! Dynamics of robots and their exact derivatives.
//!
//! A robot with configuration `q` (nq numbers), velocity `v` and acceleration `a` (nv numbers each) needs the joint
//! torques `τ`:
//!
//! ```text
//! M(q) a + c(q, v) = τ
//! ```
//!
//! `M` is the mass matrix; `c` holds gravity, Coriolis and centrifugal terms, and the friction of the joints. gradyn
//! computes `τ` and its derivatives `∂τ/∂q`, `∂τ/∂v`, `∂τ/∂a` to rounding. Each algorithm is written once, generic over
//! the number type: over `f64` it gives values, over dual numbers derivatives, by the state or by the robot's own
//! parameters, of first order or higher.
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
//! let derivatives = rnea_derivatives(&model, &mut memory, Method::Dual, &q, &v, &a, &[])?;
//! assert!(derivatives.tau.iter().zip(tau).all(|(x, y)| (x - y).abs() < 1e-12));
//! println!("{:.3}", derivatives.dtau_dq); // 7 × 7
//! # assert_eq!(derivatives.dtau_dq.shape(), (7, 7));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where to look, from the top layer down; each looks only at those below it:
//!
//! | module | what it gives |
//! |---|---|
//! | [`batch`] | many states in one call: lanes, threads |
//! | [`once`] | the forms of dynamics and derivatives that need no workspace |
//! | [`check`] | is what somebody computed of a robot right? verdicts with names of joints |
//! | [`partials`] | derivatives of the algorithms: one call, several methods, one result |
//! | [`dynamics`] | inverse dynamics, mass matrix, forward kinematics, Jacobians, centre of mass, wrenches from outside |
//! | [`model`] | the robot: builder, URDF reader, moving along configurations, limits |
//! | [`joint`] | fourteen kinds of joints, with their coordinates and conventions |
//! | [`spatial`] | motions, forces, inertias, poses; a layer that checks frames |
//! | [`derivatives`] | dual numbers, drivers for functions of your own, differences; knows no robots |
//!
//! SI units and radians everywhere; 6-vectors with the linear part first; derivatives have nv columns, one per way to
//! move, never nq. The pages in `docs/` say the rest: `tangent-space.md`, `checking.md` (what a check of a derivative
//! is worth), `conventions.md` (with the way to and from
//! other programs), `levels.md` (vector instructions). `examples/` answers one question a file.
//!
//! Nothing public panics on its input: wrong lengths, numbers that are not finite, quaternions that
//! have not length one, and results that would not be finite come back as errors with names. Two
//! things do as the standard library's would: brackets outside a matrix or a [`Tensor3`](dynamics::Tensor3), and the methods of
//! a single [`JointKind`](joint::JointKind), which algorithms call with slices that have been checked.

pub mod batch;
pub mod check;
pub mod dynamics;
pub mod joint;
pub mod model;
pub mod once;
pub mod partials;
mod slices;
pub mod spatial;

pub use dynamics::{ExternalWrench, Workspace, forward_kinematics, rnea};
pub use model::urdf::UrdfOptions;
pub use model::{Model, ModelBuilder};
pub use partials::{DerivativeWorkspace, Method, rnea_derivatives};
pub use spatial::{Force, Inertia, Motion, Transform};

/// Dual numbers, drivers and differences: the crate `gradyn-derivatives`.
pub use gradyn_derivatives as derivatives;
/// The dual numbers of the `num-dual` crate, in the version used here.
pub use gradyn_derivatives::num_dual;
pub use gradyn_derivatives::{Function, Real, Scalar, ScalarFunction};
/// Vectors and matrices, in the version used here.
pub use nalgebra;

/// The README and the pages in `docs/`, whose code is compiled and run with the documentation's.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/checking.md")]
    struct Checking;
    #[doc = include_str!("../docs/conventions.md")]
    struct Conventions;
    #[doc = include_str!("../docs/levels.md")]
    struct Levels;
    #[doc = include_str!("../docs/tangent-space.md")]
    struct TangentSpace;
}
