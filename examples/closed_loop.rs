//! How do I close a loop, and differentiate its dynamics?
//!
//! Two cranks hang from the world, a bar between them: a parallelogram, cut at one hinge so that it is a tree, and closed
//! there by a [`Constraint`]. It swings as a pendulum. Expect the acceleration of the textbook, `−g l (m + M) sin θ` over
//! `m l² / 2 + M l²`, its derivative by θ when the loop stays closed, and two independent rows of the hinge's five: in a
//! plane a loop needs no more.
//!
//! `cargo run --release --example closed_loop`

use gradyn::dynamics::{Constraint, Workspace, constraint_dynamics};
use gradyn::joint::{Axis, Revolute};
use gradyn::nalgebra::{DVector, Vector3};
use gradyn::partials::constraint_dynamics_derivatives;
use gradyn::{DerivativeWorkspace, Inertia, Method, Model, ModelBuilder, Transform};
use std::error::Error;

pub(crate) const CRANK: f64 = 2.0; // kg, each
pub(crate) const BAR: f64 = 3.0; // kg
pub(crate) const LENGTH: f64 = 0.5; // m, of a crank
pub(crate) const ANGLE: f64 = 0.4; // rad

fn main() -> Result<(), Box<dyn Error>> {
    let swing = run()?;
    println!("acceleration {:.12} rad/s², by the angle {:.12} 1/s²", swing.acceleration, swing.slope);
    println!(
        "force of the hinge on the rocker {:.3?} N, {} of {} rows independent",
        swing.force, swing.rank, swing.rows
    );
    Ok(())
}

/// What [`run`] finds.
pub(crate) struct Swing {
    pub(crate) acceleration: f64,
    /// Its derivative by the angle, the loop staying closed.
    pub(crate) slope: f64,
    pub(crate) force: [f64; 3],
    pub(crate) rank: usize,
    pub(crate) rows: usize,
}

/// The tree, and the hinge that closes it.
fn parallelogram() -> Result<(Model, Constraint), Box<dyn Error>> {
    let at = |x, z| Transform::from_translation(Vector3::new(x, 0.0, z));
    let mass = |m, x, z| Inertia::point_mass(m, Vector3::new(x, 0.0, z));
    let hinge = Revolute { axis: Axis::Y };
    let mut builder = ModelBuilder::new("parallelogram");
    let crank = builder.add_body(None, "crank", "a", at(0.0, 0.0), hinge, mass(CRANK, 0.0, -LENGTH / 2.0)?)?;
    builder.add_body(Some(crank), "bar", "b", at(0.0, -LENGTH), hinge, mass(BAR, 0.4, 0.0)?)?;
    builder.add_body(None, "rocker", "c", at(0.8, 0.0), hinge, mass(CRANK, 0.0, -LENGTH / 2.0)?)?;
    let model = builder.build()?;
    let (bar, rocker) = (model.find_body("bar").ok_or("no bar")?, model.find_body("rocker").ok_or("no rocker")?);
    let closing = Constraint::joint(bar, at(0.8, 0.0), rocker, at(0.0, -LENGTH), hinge)?;
    // Should the loop drift open, it is drawn together within a tenth of a second.
    Ok((model, closing.with_gains(400.0, 40.0)))
}

/// The parallelogram at an angle, swinging.
pub(crate) fn run() -> Result<Swing, Box<dyn Error>> {
    let (model, closing) = parallelogram()?;
    let (q, v, tau) = ([ANGLE, -ANGLE, ANGLE], [1.0, -1.0, 1.0], [0.0; 3]);
    let mut memory = Workspace::new(&model);
    let by = constraint_dynamics(&model, &mut memory, &q, &v, &tau, &[closing], &[])?;
    let (acceleration, force, rank, rows) =
        (by.ddq[0], [by.lambda[0], by.lambda[1], by.lambda[2]], by.rank, by.lambda.len());

    let mut memory = DerivativeWorkspace::new(&model);
    let state = (&q[..], &v[..], &tau[..]);
    let by = constraint_dynamics_derivatives(
        &model,
        &mut memory,
        Method::Analytical,
        state.0,
        state.1,
        state.2,
        &[closing],
        &[],
    )?;
    let along = DVector::from_vec(vec![1.0, -1.0, 1.0]); // the one way in which the closed loop moves
    let slope = (&by.ddq_dq * along)[0];
    Ok(Swing { acceleration, slope, force, rank, rows })
}
