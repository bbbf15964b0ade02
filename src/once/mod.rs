//! Each algorithm without a workspace: memory is made, used once, and the result is owned.
//!
//! ```
//! use gradyn::{Method, Model, UrdfOptions, once};
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
//! let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
//! let (q, v, a) = ([0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8], [0.2; 7], [0.1; 7]);
//!
//! let tau = once::rnea(&model, &q, &v, &a, &[])?;
//! let by = once::partials::rnea_derivatives(&model, Method::Analytical, &q, &v, &a, &[])?;
//! let hand = model.find_frame("panda_link8").expect("is there");
//! let place = once::frame_pose(&model, &q, hand)?;
//! println!("{tau:.3?} {:.3} {:.3}", by.dtau_dq, place.translation);
//! # assert_eq!((tau.len(), by.dtau_dq.shape()), (7, (7, 7)));
//! # assert!(place.translation.norm() < 1.5); // the arm's reach, m
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Names and arguments are those of [`dynamics`](crate::dynamics), but for the workspace; those of
//! [`partials`](crate::partials) are in [`once::partials`](mod@partials).
//! Every call allocates all memory of the algorithm and copies its result: inverse dynamics and its derivatives then take four
//! to eight times as long, on robots of 7 to 49 joints. In loops, use the forms with a
//! [`Workspace`](crate::dynamics::Workspace) or a [`DerivativeWorkspace`](crate::partials::DerivativeWorkspace), for many states
//! [`Batch`](crate::batch::Batch).
//!
//! Where the other form gives views into its workspace, a struct of the same name here owns what they show. Of
//! [`forward_kinematics`](crate::dynamics::forward_kinematics()) there are [`frame_pose`], [`frame_velocity`],
//! [`frame_acceleration`] and [`classical_frame_acceleration`]; of
//! [`factorize_mass_matrix`](crate::dynamics::factorize_mass_matrix) there is [`solve_mass_matrix`].

mod dynamics;
mod kinematics;
mod owned;
pub mod partials;

pub use dynamics::*;
pub use kinematics::*;
pub use owned::*;
