//! What the tests of several crates of this workspace need: no part of the library, and never published.
//!
//! Random numbers are drawn from seeds, and tests name these. What is drawn from a seed is not to change: bounds and tolerances of
//! tests have been seen to hold for it. Names that two crates give to different things stay with the tests of each.
//!
//! - [`Counting`], [`allocations`]: an allocator that counts
//! - [`Random`]: random numbers, the same everywhere
//! - [`assert_near`], [`assert_close`], [`assert_same`] and others: comparisons that say what differs
//! - [`at_every_level`]: all that this processor's registers can be
//! - [`Running`], [`within_limit`]: programs and threads that are waited for, and not for ever
//! - with the feature `robots`, which needs the engine: random trees that hold every kind of joint, the robots of this repository,
//!   their states, random poses and inertias, and `Precise`, a number of twice the digits

mod allocation;
mod compare;
mod levels;
mod limit;
mod random;

#[cfg(feature = "robots")]
mod draw;
#[cfg(feature = "robots")]
mod duals;
#[cfg(feature = "robots")]
mod matrices;
#[cfg(feature = "robots")]
mod parts;
#[cfg(feature = "robots")]
mod precise;
#[cfg(feature = "robots")]
mod robots;
#[cfg(feature = "robots")]
mod states;

pub use allocation::{Counting, allocated_bytes, allocation_count, allocations};
pub use compare::{assert_close, assert_near, assert_same, same, ulps};
pub use levels::{at_every_level, rounds};
pub use limit::{Running, within_limit};
pub use random::Random;

#[cfg(feature = "robots")]
pub use {
    draw::{axis, inertia, numbers, rng, rotation, transform, uniform, vector},
    duals::{dual, entries, eps, force, lift, motion, moved, unit},
    matrices::{condition, deviation},
    parts::{Part, assembled, joined, of_part, parts},
    precise::Precise,
    robots::{
        SINGULAR, afloat, constant_subspaces, every_joint, models, moderate, path, regular, robot, robots,
        shuffled_joints, tree, tree_builder, tree_of, tree_of_every_joint, trees,
    },
    states::{state, wrenches},
};
