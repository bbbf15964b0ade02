//! What are the second derivatives of the torques?
//!
//! Optimal control asks for the Hessian of `λᵀτ(q)`, a weighted sum of torques. The driver [`weighted_hessian`] runs
//! inverse dynamics over dual numbers of dual numbers and never forms the third-order tensor. The same entry is then
//! computed by hand, with nested numbers of the `num-dual` crate. Expect the two to agree to rounding; the last line is
//! that entry, `∂²(λᵀτ)/∂q₂²` of the double pendulum, which a test compares with its closed form.
//!
//! `cargo run --example second_derivatives`

use gradyn::derivatives::drivers::weighted_hessian;
use gradyn::num_dual::{Dual, Dual64};
use gradyn::{Function, Model, Scalar, UrdfOptions, inverse_dynamics};
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

/// Torques as a function of the configuration, for any number type.
struct Torques<'a> {
    model: &'a Model,
}

impl Function for Torques<'_> {
    fn inputs(&self) -> usize {
        self.model.nv()
    }
    fn outputs(&self) -> usize {
        self.model.nv()
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, q: &[T], tau: &mut [T]) {
        // An output that is not written is reported by the driver.
        if let Ok(result) = inverse_dynamics(self.model, q, &V.map(T::from), &A.map(T::from), &[]) {
            tau.copy_from_slice(&result);
        }
    }
}

/// `∂²(λᵀτ)/∂q₂²`.
pub(crate) fn run() -> Result<f64, Box<dyn Error>> {
    let model = Model::from_urdf_file(ROBOT, &UrdfOptions::new())?.model;
    // Each joint has one angle, so that q + ε e is the way to move; for quaternions see `configurations.rs`.
    let result = weighted_hessian(&Torques { model: &model }, &Q, &LAMBDA)?;
    println!("∂(λᵀτ)/∂q   = {:.6?}", result.gradient);
    println!("∂²(λᵀτ)/∂q² = {:.6?}", result.hessian);

    // By hand: q₂ varies by ε₁ and by ε₂; the derivative is the coefficient of ε₁ ε₂.
    type D = Dual<Dual64>;
    let q = [D::from(Q[0]), D::new(Dual64::new(Q[1], 1.0), Dual64::new(1.0, 0.0))];
    let tau = inverse_dynamics(&model, &q, &V.map(D::from), &A.map(D::from), &[])?;
    let by_hand = LAMBDA[0] * tau[0].eps.eps + LAMBDA[1] * tau[1].eps.eps;
    println!("by hand - by the driver: {:.1e}", by_hand - result.hessian[3]);
    Ok(by_hand)
}
