//! What are the second derivatives of the torques?
//!
//! Optimal control asks for the Hessian of `λᵀτ(q)`, a weighted sum of torques. Inverse dynamics runs over dual numbers
//! of dual numbers, once for each pair of directions: `q_i` varies by `ε₁`, `q_j` by `ε₂`, and the second derivative is
//! the coefficient of `ε₁ ε₂`. No third-order tensor is formed. Expect a symmetric matrix; the last line is
//! `∂²(λᵀτ)/∂q₂²` of the double pendulum, which a test compares with its closed form.
//!
//! `cargo run --release --example second_derivatives`

use gradyn::num_dual::{Dual, Dual64};
use gradyn::{Model, UrdfOptions, once};
use std::error::Error;

const ROBOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/double_pendulum.urdf");
pub(crate) const Q: [f64; 2] = [0.4, -1.1];
pub(crate) const V: [f64; 2] = [0.7, 1.9];
pub(crate) const A: [f64; 2] = [-0.5, 2.0];
pub(crate) const LAMBDA: [f64; 2] = [1.0, -3.0];

fn main() -> Result<(), Box<dyn Error>> {
    println!("∂²(λᵀτ)/∂q₂² = {:.12}", run()?);
    Ok(())
}

/// A number with two directions, `ε₁` outside and `ε₂` inside.
type Second = Dual<Dual64>;

/// `∂²(λᵀτ)/∂q_i ∂q_j`.
fn second_derivative(model: &Model, i: usize, j: usize) -> Result<f64, Box<dyn Error>> {
    // Each joint has one angle, so that q + ε e is the way to move; for quaternions see `configurations.rs`.
    let one = |on: bool| f64::from(u8::from(on));
    let q = [0, 1].map(|k| Second::new(Dual64::new(Q[k], one(k == j)), Dual64::new(one(k == i), 0.0)));
    let tau = once::rnea(model, &q, &V.map(Second::from), &A.map(Second::from), &[])?;
    Ok(tau.iter().zip(LAMBDA).map(|(tau, weight)| weight * tau.eps.eps).sum())
}

/// `∂²(λᵀτ)/∂q₂²`.
pub(crate) fn run() -> Result<f64, Box<dyn Error>> {
    let model = Model::from_urdf_file(ROBOT, &UrdfOptions::new())?.model;
    for i in 0..2 {
        println!("{:12.6} {:12.6}", second_derivative(&model, i, 0)?, second_derivative(&model, i, 1)?);
    }
    second_derivative(&model, 1, 1)
}
