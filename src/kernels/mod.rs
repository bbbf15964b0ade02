//! Fast forms over `f64` that fill vector registers. `tests/all/plan.rs` compares each with its page in
//! [`dynamics`](crate::dynamics).
//! Page: `dynamics/mod.rs`. Test: `plan::every_kernel_gives_what_its_page_gives`.
//!
//! ```text
//!   one robot, one state                          one robot, one state             one robot, many states
//!   by_joint                                      by_copy::bodies                  by_copy::states
//!
//!   lane   0   1   2   3   4   5   6   7          lane   0    1    2    3          lane   0    1    2  …  7
//!         j1→ j2→ j3→ j4→ j5→ j6→ j7   –                hip  hip  hip  hip               q⁰   q¹   q² …  q⁷
//!         axes of the world; a sum along                knee knee knee knee              the page, step by step,
//!         the chain takes three steps                   foot foot foot foot              each lane a state
//!         a register                                    the page, depth by depth
//! ```
//!
//! - [`by_joint`] fills registers on any tree, including a serial arm: sums over ancestors and subtrees are prefix
//!   sums.
//! - [`by_copy`] is the page itself with something else in the lanes: bodies of equal depth, or states of a batch.
//! - [`blocks`] is linear algebra on the sparsity of a tree, in blocks of eight by eight. It does not depend on robots.
//!
//! A kernel gets its constants from [`plan`](crate::plan), scratch memory, and slices whose lengths have been checked.
//! It has no access to the model, the workspace or errors. It returns whether its results are certainly finite, or
//! which pivot it lost. The page is then called again, and reports the reason. [`by_plan`](crate::dynamics::by_plan) is
//! the path from a page to here.

#[macro_use]
pub(crate) mod macros;
pub(crate) mod blocks;
pub(crate) mod by_copy;
pub(crate) mod by_joint;
pub(crate) mod finite;
pub(crate) mod outcome;
pub(crate) mod results;
pub(crate) mod rows;

pub(crate) use outcome::Outcome;
