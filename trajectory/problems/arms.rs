//! UR5 reaches for drawn places: those of `Simple-Robotics/aligator-bench` (`benchmarks/ur5_problem.py`), plain and
//! with bounds of velocities, and some with more limits.

use super::problems;
use super::{Made, place};
use gradyn_trajectory::residual::{Control, FrameTranslation, JointLimits, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Cost, PathConstraint, Phase, Problem};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use std::f64::consts::PI;

/// Where `reach` takes the tool, drawn as there: where it is at first, times 0.1 to 0.95, turned about the vertical by
/// any angle.
pub(crate) fn reach_target(rng: &mut ChaCha8Rng) -> Made<[f64; 3]> {
    let there = place(&problems::robot("ur5", false)?, "tool0", &[0.0; 6])?;
    let (share, angle): (f64, f64) = (rng.random_range(0.1..0.95), rng.random_range(0.0..2.0 * PI));
    let (sin, cos) = angle.sin_cos();
    Ok([cos * there[0] - sin * there[1], sin * there[0] + cos * there[1], there[2]].map(|x| share * x))
}

/// The tool from the stretched arm to a place in one second, 100 steps, exactly. Costs as there: 1e-4 of states, 1e-3
/// of torques. `bounded`: velocities as the robot has them.
pub(crate) fn reach(rng: &mut ChaCha8Rng, bounded: bool) -> Made<Problem> {
    let model = problems::robot("ur5", false)?;
    let tool = model.find_frame("tool0").ok_or("no tool")?;
    let there = reach_target(rng)?;
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let mut phase = Phase::new("reach", 100, 0.01, step)
        .cost(Cost::new("state", StateError::neutral(&model)).weight(1e-4))
        .cost(Cost::new("torque", Control::zero()).weight(1e-3));
    if bounded {
        let limits = JointLimits::of_velocities(&model);
        let (lower, upper) = (limits.bounds().0.to_vec(), limits.bounds().1.to_vec());
        phase = phase.constraint(PathConstraint::within("velocities", limits, &lower, &upper));
    }
    let problem = Problem::builder(&model)
        .phase(phase)
        .last(Cost::new("state", StateError::neutral(&model)).weight(1e-8))
        .last_constraint(PathConstraint::equal("place", FrameTranslation::new(tool, there.into())))
        .build()?;
    Ok(problem)
}

/// From somewhere at rest to where the tool is at other joints, at rest, with positions, velocities and torques as the
/// robot has them. `hurry`: in the shortest time.
pub(crate) fn limited(rng: &mut ChaCha8Rng, hurry: bool) -> Made<Problem> {
    let model = problems::robot("ur5", false)?;
    let tool = model.find_frame("tool0").ok_or("no tool")?;
    let mut near = |center: f64, width: f64| center + width * rng.random_range(-1.0..1.0);
    let q = [0.0, -1.2, 1.4, -1.0, -1.5, 0.0].map(|q| near(q, 0.4));
    let goal = q.map(|q| near(q, 0.6));
    let limits = JointLimits::new(&model);
    let (lower, upper) = (limits.bounds().0.to_vec(), limits.bounds().1.to_vec());
    let torque = model.limits().effort.clone();
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let mut phase = Phase::new("reach", 50, 0.015, step)
        .cost(Cost::new("torque", Control::zero()).weight(1e-4))
        .constraint(PathConstraint::within("limits", limits, &lower, &upper))
        .control_bounds(&torque.iter().map(|t| -t).collect::<Vec<_>>(), &torque);
    if hurry {
        phase = phase.free_duration(0.1, 5.0).cost(Cost::duration("time"));
    }
    let problem = Problem::builder(&model)
        .start(&q, &[0.0; 6])
        .phase(phase)
        .last_constraint(PathConstraint::equal(
            "place",
            FrameTranslation::new(tool, place(&model, "tool0", &goal)?.into()),
        ))
        .last_constraint(PathConstraint::equal("rest", problems::rest(&model)))
        .build()?;
    Ok(problem)
}
