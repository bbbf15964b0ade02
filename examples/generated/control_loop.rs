//! A control loop for a machine without an operating system: no allocation, no standard library, generated dynamics of an arm.
//!
//! `examples/generated/run` generates `ur5.rs` beside a copy of this file, compiles it with `#![no_std]`, and runs the loop against
//! a simulation.
#![no_std]
#![forbid(unsafe_code)]

#[path = "ur5.rs"]
pub mod ur5;

/// Joints of the arm.
pub const JOINTS: usize = 6;
type Joints = [f64; JOINTS];

/// A wanted state: position, velocity, acceleration.
pub struct Wanted {
    pub q: Joints,
    pub v: Joints,
    pub a: Joints,
}

/// Torques that hold the arm on its path: inverse dynamics where it should be, and how these change where it is,
/// `τ = τ(q*, v*, a*) + ∂τ/∂q e + ∂τ/∂v ė + M (−k_p e − k_d ė)`. To first order the error then obeys `ë = −k_p e − k_d ė`.
pub fn torques(wanted: &Wanted, q: &Joints, v: &Joints, kp: f64, kd: f64) -> Joints {
    let mut tau = [0.0; JOINTS];
    let (mut by_q, mut by_v, mut by_a) = ([0.0; 36], [0.0; 36], [0.0; 36]);
    ur5::rnea_derivatives(&wanted.q, &wanted.v, &wanted.a, &mut tau, &mut by_q, &mut by_v, &mut by_a);
    for j in 0..JOINTS {
        let (e, de) = (q[j] - wanted.q[j], v[j] - wanted.v[j]);
        for i in 0..JOINTS {
            // Matrices are column by column.
            let k = j * JOINTS + i;
            tau[i] += by_q[k] * e + by_v[k] * de + by_a[k] * (-kp * e - kd * de);
        }
    }
    tau
}
