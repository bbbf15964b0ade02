//! Tests of trajectory optimization.
//!
//! One program, since each links everything that is tested.

mod algorithms;
mod allocation;
mod bounds;
mod check;
mod chosen;
mod common;
mod cones;
mod contact_motion;
mod crocoddyl;
mod curvature;
mod failures;
mod guesses;
mod implicit_friction;
mod losses;
mod newton;
mod newton_drawn;
mod nlp;
mod own_node;
mod parameters;
mod parameters_allocation;
mod parameters_curvature;
mod places;
mod proximal;
mod residual_hessians;
mod residuals;
mod resimulation;
mod riccati;
mod riccati_allocation;
mod robustness;
mod space;
mod speed_torque;
mod steps;
mod steps_page;
mod verdict;
mod warm;

#[path = "../../problems/drawn.rs"]
#[allow(dead_code, reason = "tests share them with benchmarks")]
mod drawn;
#[path = "../../examples/own_algorithm.rs"]
#[allow(dead_code, unreachable_pub, reason = "an example, whose main function is not called")]
mod own_algorithm;
#[path = "../../problems/mod.rs"]
#[allow(dead_code, reason = "tests share them with benchmarks")]
mod problems;
#[path = "../../problems/starts.rs"]
#[allow(dead_code, reason = "tests share them with benchmarks")]
mod starts;
#[path = "../../problems/verdicts.rs"]
mod verdicts;

#[global_allocator]
static ALLOCATOR: testing::Counting = testing::Counting;
