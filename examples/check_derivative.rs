//! Which entry of my own derivative is wrong?
//!
//! A hand-written `∂τ/∂v` of the double pendulum, with a mistake, is held against two witnesses that share no derivation:
//! dual numbers, and differences with estimates of their errors. Where the witnesses agree with each other and not with
//! the formula, the formula is wrong. Expect one entry to be reported, with its row and column by joint name. The last
//! line is its deviation, which a test compares with the term that the formula lacks.
//!
//! `cargo run --release --example check_derivative`

use gradyn::nalgebra::Matrix2;
use gradyn::{DerivativeWorkspace, Method, Model, UrdfOptions, rnea_derivatives};
use std::error::Error;

const ROBOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/double_pendulum.urdf");
pub(crate) const Q: [f64; 2] = [0.4, -1.1];
pub(crate) const V: [f64; 2] = [0.7, 1.9];

fn main() -> Result<(), Box<dyn Error>> {
    let (_, _, deviation) = run()?;
    println!("deviation: {deviation:.12} N m s");
    Ok(())
}

/// By hand, with `h = m₂ l₁ c₂ = 0.6`: from `τ₁ = … − h sin q₂ (2 v₁ v₂ + v₂²)`, `τ₂ = … + h sin q₂ v₁²`.
fn my_dtau_dv() -> Matrix2<f64> {
    let h_sin = 0.6 * Q[1].sin();
    Matrix2::new(
        -2.0 * h_sin * V[1],
        -2.0 * h_sin * V[1], // the mistake: 2 v₁ v₂ depends on v₂ as well
        2.0 * h_sin * V[0],
        0.0,
    )
}

/// Row, column and deviation of the worst entry.
pub(crate) fn run() -> Result<(usize, usize, f64), Box<dyn Error>> {
    let model = Model::from_urdf_file(ROBOT, &UrdfOptions::new())?.model;
    let (mut memory, a) = (DerivativeWorkspace::new(&model), [0.0; 2]);
    let dual = rnea_derivatives(&model, &mut memory, Method::Dual, &Q, &V, &a, &[])?.dtau_dv.clone();
    let difference = rnea_derivatives(&model, &mut memory, Method::Difference, &Q, &V, &a, &[])?;
    let errors = difference.errors.as_ref().ok_or("differences come with estimates of their errors")?;

    let (mine, names) = (my_dtau_dv(), model.dof_names());
    let mut worst = (0, 0, 0.0_f64);
    println!("row, column            mine       dual  difference  its error");
    for (i, row) in names.iter().enumerate() {
        for (j, column) in names.iter().enumerate() {
            let deviation = mine[(i, j)] - dual[(i, j)];
            let (by_difference, error) = (difference.dtau_dv[(i, j)], errors.dtau_dv[(i, j)]);
            // A deviation counts if the witnesses' own disagreement cannot explain it.
            let doubt = (by_difference - dual[(i, j)]).abs().max(10.0 * error) + 1e-12;
            let verdict = if deviation.abs() > doubt { "  <- wrong" } else { "" };
            let (mine, dual) = (mine[(i, j)], dual[(i, j)]);
            println!("{row:9} {column:9} {mine:10.6} {dual:10.6}  {by_difference:10.6}  {error:9.0e}{verdict}");
            if deviation.abs() > worst.2.abs() {
                worst = (i, j, deviation);
            }
        }
    }
    Ok(worst)
}
