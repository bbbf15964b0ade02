//! Eight joints of one robot at a time.
//! Page: `dynamics/rnea.rs`. Test: `plan::every_kernel_gives_what_its_page_gives`.
//!
//! In world coordinates, quantities of bodies are summed without transformations. Everything but the poses and the sums
//! along the tree is therefore the same computation for every joint. Eight joints share one register, with the same
//! formulas of [`spatial`](crate::spatial) that the pages use, over [`Lanes`](gradyn_derivatives::Lanes). A sum along a
//! chain takes three steps per register ([`outward`], [`inward`]), or at AVX2 one per lane ([`by_lane`]).
//! [`plan::lanes`](crate::plan::lanes) says which joint is in which lane, and [`plan::joints`](crate::plan::joints) has
//! constants lane by lane.
//!
//! | sweeps | |
//! |---|---|
//! | [`read`], [`poses`] | the state in lanes, and poses of bodies |
//! | [`outward`] | motions, forces, and inputs of derivatives, root to leaves |
//! | [`inward`] | sums over subtrees, leaves to root |
//! | [`by_lane`] | the sums of both, if permutations of lanes are expensive |
//! | [`sweeps`] | these, if many results begin with them |
//! | [`quantities`], [`memory`] | the rows of eight numbers that they write |
//! | [`floating_base`], [`floating_columns`] | fewer lanes for robots on a floating base; its columns, which need no solve |
//!
//! | results | page |
//! |---|---|
//! | [`rnea`], [`derivatives`], [`mass_matrix`], [`coriolis`] | `rnea`, `rnea_derivatives`, `crba`, `coriolis` |
//! | [`torque_hessian`], [`hessian_entries`] | `partials::rnea_hessian` |
//! | [`forward`] with [`blocks`](super::blocks), [`articulated`] for deep trees | `aba`, `minv` |
//! | [`bodies`], [`jacobians`], [`first_moments`], [`energies`], [`centroidal`], [`regressor`] | kinematics, gravity, energies, momentum, regressors |
//! | [`constraints`] | motions under constraints and their derivatives |
//!
//! [`subtree`] says which columns move a part of the robot. [`matrix`] and [`matrix_entries`] write results to their
//! places.
//!
//! Coordinates have world axes and their origin at the root body of each tree, so that a robot far from the world's
//! origin loses no digits. No returned value depends on that origin.

pub(crate) mod articulated;
pub(crate) mod bodies;
pub(crate) mod by_lane;
pub(crate) mod centroidal;
pub(crate) mod constraints;
pub(crate) mod contraction;
pub(crate) mod coriolis;
pub(crate) mod derivatives;
pub(crate) mod energies;
pub(crate) mod first_moments;
pub(crate) mod floating_base;
pub(crate) mod floating_columns;
pub(crate) mod forward;
pub(crate) mod hessian_entries;
pub(crate) mod inward;
pub(crate) mod jacobians;
pub(crate) mod mass_matrix;
pub(crate) mod matrix;
pub(crate) mod matrix_entries;
pub(crate) mod memory;
pub(crate) mod outward;
pub(crate) mod poses;
pub(crate) mod quantities;
pub(crate) mod read;
pub(crate) mod regressor;
pub(crate) mod rnea;
pub(crate) mod subtree;
pub(crate) mod sweeps;
pub(crate) mod torque_hessian;

pub(crate) use memory::JointsMemory;

/// A state, and a second rate: configuration, velocity, acceleration or torques.
pub(crate) type State<'a> = (&'a [f64], &'a [f64], &'a [f64]);
