//! The form of an algorithm that a call uses: decided once per model, for each quantity and level, and printed.
//!
//! Every algorithm is written once as in its source, generic over the number type: the page of the book, in
//! [`dynamics`](crate::dynamics). Over `f64` some have a faster form that fills vector registers, and is tested against
//! the page. There are two ways to fill a register:
//!
//! - **by joint**: eight joints of one robot, with sums along the tree as prefix sums;
//! - **by copy**: the page itself, with another body of equal depth in each lane, or another state of a batch.
//!
//! ```
//! # use gradyn::{Model, UrdfOptions};
//! use gradyn::derivatives::Level;
//! use gradyn::plan::{Form, Plan, Quantity};
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
//! # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
//! let plan = Plan::of(&model);
//! assert_eq!(plan.form(Quantity::InverseDynamics, Level::Avx512), Form::Joints);
//! println!("{plan}"); // as `gradyn info ROBOT --plan`
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`with_only`], or the environment variable `GRADYN_KERNEL` (`book`, `joints`, `copies`) for the whole process,
//! restricts calls to one way, for tests, benches and comparisons.

pub(crate) mod base_lanes;
pub(crate) mod bodies;
mod constants;
pub(crate) mod dof_tree;
pub(crate) mod floating;
mod forms;
pub(crate) mod joint_axes;
pub(crate) mod joint_numbers;
pub(crate) mod joints;
mod joints_of_model;
pub(crate) mod lanes;
mod only;
pub(crate) mod origin;
pub(crate) mod rows;
mod rules;
pub(crate) mod states;

pub(crate) use bodies::BodiesLayout;
pub(crate) use constants::JointConstants;
pub(crate) use dof_tree::DofTree;
pub(crate) use floating::Floating;
pub use forms::{Form, Plan, Quantity};
pub(crate) use joints::{Group, JointRows, JointsLayout, Pair};
pub(crate) use only::vector_level;
pub use only::{Only, with_only};
pub(crate) use rows::Row;
pub(crate) use rules::factors_pay;
pub(crate) use states::StatesLayout;
