//! Swing-ups by motors that are too weak to lift what they lift: the way is there and back. Not all that are drawn have
//! a solution.

use super::{Made, problems};
use gradyn_trajectory::residual::{Control, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Loss, PathConstraint, Phase, Problem};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use std::f64::consts::PI;

/// A pole on a cart, up and at rest at the end, on a rail that is short.
pub(super) fn cart_pole(rng: &mut ChaCha8Rng) -> Made<Problem> {
    let model = problems::robot("cart_pole", false)?;
    let (force, rail) = (rng.random_range(5.0..10.0), rng.random_range(0.3..0.6));
    let free = f64::INFINITY;
    let still = StateError::at(&model, &[0.0; 2], &[0.0; 2]);
    let calm = Loss::Diagonal(vec![0.0, 0.0, 0.05, 0.01]);
    let swing = Phase::new("swing", 60, 0.04, step(&model, "slider")?)
        .cost(Cost::new("force", Control::zero()).weight(1e-2))
        .cost(Cost::new("calm", StateError::neutral(&model)).loss(calm))
        .constraint(PathConstraint::within("rail", still, &[-rail, -free, -free, -free], &[rail, free, free, free]))
        .control_bounds(&[-force], &[force]);
    let start = [rng.random_range(-0.1..0.1), rng.random_range(-0.5..0.5)];
    Ok(Problem::builder(&model)
        .start(&start, &[0.0; 2])
        .phase(swing)
        .last_constraint(PathConstraint::equal("up", StateError::at(&model, &[0.0, PI], &[0.0; 2])))
        .build()?)
}

/// Two links with a motor at the elbow, up and at rest at the end.
pub(super) fn acrobot(rng: &mut ChaCha8Rng) -> Made<Problem> {
    let model = problems::robot("double_pendulum", false)?;
    let torque = rng.random_range(5.0..12.0);
    let swing = Phase::new("swing", 80, 0.05, step(&model, "elbow")?)
        .cost(Cost::new("torque", Control::zero()).weight(1e-2))
        .control_bounds(&[-torque], &[torque]);
    let start = [rng.random_range(-0.3..0.3), rng.random_range(-0.3..0.3)];
    Ok(Problem::builder(&model)
        .start(&start, &[0.0; 2])
        .phase(swing)
        .last_constraint(PathConstraint::equal("up", StateError::at(&model, &[PI, 0.0], &[0.0; 2])))
        .build()?)
}

fn step(model: &gradyn::Model, joint: &str) -> Made<SemiImplicitEuler<ForwardDynamics>> {
    Ok(SemiImplicitEuler::new(model, ForwardDynamics::new(Actuation::joints(model, &[joint])?)))
}
