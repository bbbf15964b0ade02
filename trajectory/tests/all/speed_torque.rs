//! Speed-torque lines of motors as constraints: what motors can do at each speed, and no more.

use crate::common::robot;
use gradyn::Model;
use gradyn::joint::{Axis, Prismatic};
use gradyn::model::{ModelBuilder, SpeedTorque};
use gradyn::spatial::{Inertia, Symmetric3, Transform};
use gradyn_trajectory::residual::{AutodiffResidual, Control, SpeedTorqueLines, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{
    Cost, Newton, NewtonOptions, PathConstraint, Phase, Problem, Proximal, ProximalOptions, Status, Trajectory, guess,
};
use nalgebra::Vector3;
use testing::{numbers, rng};

/// A robot with a motor on each joint, a drive of two of them, and lines for some.
pub(crate) fn geared(model: &Model) -> Model {
    let mut builder = model.to_builder();
    let keys: Vec<_> = (0..model.bodies().len()).filter(|b| model.bodies()[*b].v_range().len() == 1).collect();
    let key = |builder: &ModelBuilder, k: usize| builder.key(keys[k]).expect("is there");
    for k in 0..keys.len() {
        let of = key(&builder, k);
        let motor = builder.add_actuator(format!("motor {k}"), &[(of, 0, 10.0 + k as f64)]).expect("fits");
        if k % 2 == 0 {
            let line = SpeedTorque { stall: 1.0 + k as f64, no_load: 30.0 - k as f64 };
            builder.set_speed_torque(motor, line).expect("is positive");
        }
    }
    let (one, two) = (key(&builder, 0), key(&builder, 1));
    let belt = builder.add_actuator("belt", &[(one, 0, 3.0), (two, 0, -2.0)]).expect("fits");
    builder.set_speed_torque(belt, SpeedTorque { stall: 2.0, no_load: 7.0 }).expect("is positive");
    builder.build().expect("builds")
}

/// A cart of 1 kg behind a gear.
fn cart() -> Model {
    let mut builder = ModelBuilder::new("cart");
    let inertia = Inertia::new(1.0, Vector3::zeros(), Symmetric3::diagonal(0.1, 0.1, 0.1));
    let rail = Prismatic { axis: Axis::X };
    let cart = builder.add_body(None, "cart", "rail", Transform::identity(), rail, inertia).expect("fits");
    let motor = builder.add_actuator("motor", &[(cart, 0, 20.0)]).expect("fits");
    builder.set_speed_torque(motor, SpeedTorque { stall: 0.5, no_load: 24.0 }).expect("is positive");
    builder.build().expect("builds")
}

/// One meter in 1.2 s, from rest to rest, with the least torques.
fn drive(model: &Model, keeps_line: bool) -> Problem {
    let step = SemiImplicitEuler::new(model, ForwardDynamics::new(Actuation::of(model)));
    let mut phase = Phase::new("drive", 60, 0.02, step).cost(Cost::new("torque", Control::zero()));
    if keeps_line {
        let lines = SpeedTorqueLines::new(model);
        let (lower, upper) = lines.bounds();
        phase = phase.constraint(PathConstraint::within("lines", lines, &lower, &upper));
    }
    let there = StateError::at(model, &[1.0], &[0.0]);
    let there = PathConstraint::equal("there", there);
    Problem::builder(model).phase(phase).last_constraint(there).build().expect("is a problem")
}

/// The greatest share of what the motor can do, `u / stall + ω / no_load`.
fn greatest(model: &Model, found: &Trajectory) -> f64 {
    let motor = &model.actuators()[0];
    let line = motor.speed_torque.expect("has one");
    let share = |k: usize| found.u(k)[0] / line.stall + motor.speed(&found.x(k)[1..]) / line.no_load;
    (0..found.steps()).map(share).fold(f64::NEG_INFINITY, f64::max)
}

/// Rows are within −1 and 1 exactly where controls are within the bounds of the engine.
#[test]
fn rows_are_the_bounds_of_actuators() {
    let model = geared(&robot("panda", false));
    let lines = SpeedTorqueLines::new(&model);
    assert_eq!(gradyn_trajectory::residual::Residual::rows(&lines), 5);
    let problem = {
        let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
        // By formulas, and by dual numbers; the checker compares both with differences.
        let phase = Phase::new("move", 2, 0.01, step)
            .cost(Cost::new("lines", lines.clone()))
            .cost(Cost::new("lines by duals", AutodiffResidual::new(&model, lines.clone())));
        Problem::builder(&model).phase(phase).build().expect("is a problem")
    };
    let mut at = guess::standing(&problem);
    for k in 0..=2 {
        let x: Vec<f64> = numbers(&mut rng(k as u64), at.x(k).len()).iter().map(|x| 0.3 * x).collect();
        at.x_mut(k).iter_mut().zip(x).for_each(|(to, x)| *to += x);
        at.u_mut(k).iter_mut().enumerate().for_each(|(i, u)| *u = 0.1 * i as f64 - 0.3);
    }
    let check = problem.check_at(&at, &[0, 1]).expect("fits");
    assert!(check.agrees(), "{check}");

    let v = numbers(&mut rng(7), model.nv());
    for actuator in model.actuators() {
        let Some(line) = actuator.speed_torque else { continue };
        let speed = actuator.speed(&v);
        let (lower, upper) = actuator.bounds(speed);
        for (u, end) in [(lower, -1.0), (upper, 1.0)] {
            let row = u / line.stall + speed / line.no_load;
            assert!((row - end).abs() < 1e-14, "{}: {row}", actuator.name);
        }
    }
}

/// With the line the motor goes to its end and no further; the motion without it would need more than the motor can do.
#[test]
fn an_active_line_changes_the_motion() {
    let model = cart();
    let free = drive(&model, false);
    let mut solver = Newton::new(&free, NewtonOptions::default());
    assert_eq!(solver.solve(&free, &guess::standing(&free)).status, Status::Converged);
    // In closed form 1.085: u falls in a line from 6 m / (20 T²), the speed is a parabola.
    let without = greatest(&model, solver.trajectory());
    assert!((1.05..1.12).contains(&without), "{without}");
    let bound = drive(&model, true);
    let mut solver = Newton::new(&bound, NewtonOptions::default());
    assert_eq!(solver.solve(&bound, &guess::standing(&bound)).status, Status::Converged);
    // Newton's bounds are 1e-8 wider, and its barrier ends within 1e-6 of them.
    let with = greatest(&model, solver.trajectory());
    assert!((1.0 - 1e-5..1.0 + 1e-7).contains(&with), "{with}");
    let mut solver = Proximal::new(&bound, ProximalOptions::default());
    assert_eq!(solver.solve(&bound, &guess::standing(&bound)).status, Status::Converged);
    // Its tolerance of constraints is 1e-6.
    let with = greatest(&model, solver.trajectory());
    assert!((1.0 - 1e-4..1.0 + 1e-5).contains(&with), "{with}");
}
