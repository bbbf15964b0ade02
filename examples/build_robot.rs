//! How do I describe a robot in code, without a file?
//!
//! A cart on a rail with a pole hinged on it, made with [`ModelBuilder`]: bodies, joints, a frame, damping, limits. Expect
//! the mass matrix of the textbooks at `q = 0`, pole upright: `[[M + m, m l], [m l, m l²]]` for a point mass. The last
//! line is the force that pushes the cart when the pole is held at 0.2 rad and the cart accelerates at 1 m/s².
//!
//! `cargo run --release --example build_robot`

use gradyn::joint::{Axis, Prismatic, Revolute};
use gradyn::nalgebra::{DMatrix, Vector3};
use gradyn::{DerivativeWorkspace, Inertia, Method, Model, ModelBuilder, Transform, once, rnea_derivatives};
use std::error::Error;

pub(crate) const CART: f64 = 1.5; // kg
pub(crate) const POLE: f64 = 0.2; // kg
pub(crate) const LENGTH: f64 = 0.6; // m

fn main() -> Result<(), Box<dyn Error>> {
    let (mass_matrix, force) = run()?;
    println!("mass matrix, pole upright:{mass_matrix:.4}");
    println!("force on the cart: {force:.12} N");
    Ok(())
}

fn cart_pole() -> Result<Model, Box<dyn Error>> {
    let at_tip = Vector3::new(0.0, 0.0, LENGTH);
    let mut builder = ModelBuilder::new("cart_pole"); // gravity 9.81 m/s² along −z
    let cart = builder.add_body(
        None, // hangs from the world
        "cart",
        "rail",
        Transform::identity(),
        Prismatic { axis: Axis::X },
        Inertia::solid_box(CART, [0.3, 0.2, 0.1])?,
    )?;
    let pole = builder.add_body(
        Some(cart),
        "pole",
        "hinge",
        Transform::from_translation(Vector3::new(0.0, 0.0, 0.05)), // the hinge, in the cart
        Revolute { axis: Axis::Y },
        Inertia::point_mass(POLE, at_tip)?,
    )?;
    builder.set_damping(cart, &[0.1])?;
    builder.set_q_limits(cart, &[(-2.0, 2.0)])?;
    builder.add_frame(Some(pole), "tip", Transform::from_translation(at_tip))?;
    Ok(builder.build()?)
}

/// The mass matrix at `q = 0`, and the force on the cart.
pub(crate) fn run() -> Result<(DMatrix<f64>, f64), Box<dyn Error>> {
    let model = cart_pole()?;
    let mut memory = DerivativeWorkspace::new(&model);
    let upright = rnea_derivatives(&model, &mut memory, Method::Dual, &[0.0; 2], &[0.0; 2], &[0.0; 2], &[])?;
    let mass_matrix = upright.dtau_da.clone();

    let tau = once::rnea(&model, &[0.0, 0.2], &[0.0; 2], &[1.0, 0.0], &[])?;
    Ok((mass_matrix, tau[0]))
}
