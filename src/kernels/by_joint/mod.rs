//! Kinematics, dynamics and derivatives over `f64`, eight joints at a time.
//!
//! In coordinates of the world what bodies share is summed up without being transformed, so all but the poses and the
//! sums along the tree is the same computation for every joint: eight of them go through one register, by the same
//! formulas of [`spatial`](crate::spatial) that the plain form uses, over [`Lanes`](gradyn_derivatives::Lanes). A sum
//! along a chain takes three steps a register ([`lanes`]), or at AVX2 one a lane ([`by_lane`]).
//!
//! - [`lanes`]: which degree of freedom stands in which lane, and who is summed up with whom
//! - [`layout`]: the constants lane by lane, and what bodies, groups and pairs of them take
//! - [`memory`]: rows of eight numbers
//! - [`outward`]: poses, then motions, forces, and what derivatives need, root to leaves
//! - [`inward`]: sums over subtrees, leaves to root
//! - [`by_lane`]: the sums of both, where permutations of lanes are dear
//! - [`sweeps`]: these, where many results begin with them
//! - [`rnea`], [`derivatives`], [`mass_matrix`], [`forward`], [`coriolis`]: the results
//! - [`part`]: what columns move of the robot or of a subtree
//! - [`bodies`], [`jacobians`], [`weights`], [`energies`], [`centroidal`], [`regressor`]: results with a column a degree of freedom, and
//!   what bodies do; [`matrix`] brings them to their places
//! - [`moving`], [`composites`]: poses, columns and motions body by body, or what second derivatives begin with column by
//!   column, for what goes on from there
//! - [`entries`]: what entries of matrices are made of, and how they come to their places
//! - [`blocks`], [`factors`], [`inverse`]: sparse factors of the mass matrix and its inverse, in blocks of eight by eight
//! - [`articulated`], [`pivots`]: forward dynamics, the inverse, and products with it, by articulated bodies, for deep trees
//! - [`halves`]: halves of these products, for motions of deep trees under constraints
//! - [`branches`](super::branches): bodies of several limbs at a time, where that takes fewer steps
//! - [`afloat`]: fewer lanes for robots on a floating base
//! - [`floating`]: columns of a floating base, which nothing has to be solved for
//! - [`anchors`], [`held`], [`variations`], [`projections`]: motions under constraints; how these vary, and what derivatives are multiplied by
//! - [`forward_mode`]: eight directional derivatives of inverse dynamics, by formulas
//! - [`finite`]: are numbers finite?
//! - [`product`]: products of matrices that have hardly a zero
//!
//! Coordinates have the axes of the world and their origin at the root body of each tree, so that a robot far from the
//! world's origin loses nothing; nothing that is returned depends on that origin. Models with joints whose motion subspace
//! depends on `q` go through the plain form, which this one is tested against; so does everything where the processor has
//! only the registers of the plain level, at which this one would be slower.
//!
//! The way in is [`of`]: it gives a [`Wide`] where numbers, constants and level are right, whose methods are in [`values`]
//! (inverse and forward dynamics, derivatives, matrices of the mass) and [`motions`] (kinematics, weights, momentum).

#[macro_use]
mod macros;
pub(crate) mod afloat;
pub(crate) mod articulated;
pub(crate) mod bodies;
pub(crate) mod by_lane;
pub(crate) mod centroidal;
pub(crate) mod composites;
pub(crate) mod constraints;
pub(crate) mod coriolis;
pub(crate) mod derivatives;
pub(crate) mod energies;
pub(crate) mod entries;
pub(crate) mod finite;
pub(crate) mod floating;
pub(crate) mod forward;
pub(crate) mod forward_mode;
pub(crate) mod inward;
pub(crate) mod jacobians;
pub(crate) mod mass_matrix;
pub(crate) mod matrix;
pub(crate) mod memory;
pub(crate) mod moving;
pub(crate) mod outward;
pub(crate) mod part;
pub(crate) mod regressor;
pub(crate) mod rnea;
pub(crate) mod sweeps;
pub(crate) mod weights;

/// A state, and a second rate: configuration, velocity, acceleration or torques.
pub(crate) type State<'a> = (&'a [f64], &'a [f64], &'a [f64]);

/// The first degree of freedom whose pivot is lost, and the pivot.
pub(crate) type Lost = (usize, f64);
