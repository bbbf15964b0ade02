//! Robots that fly and walk, within limits: drawn goals of a quadrotor with weak motors, and a step of a quadruped
//! inside friction cones.

use super::Made;
use super::problems;
use gradyn::Constraint;
use gradyn::dynamics::{Workspace, frame_pose};
use gradyn_trajectory::residual::{CenterOfMass, Control, FrameTranslation, FrictionCone, StateError};
use gradyn_trajectory::step::{Actuation, Contact, ForwardDynamics, Impulse, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Loss, PathConstraint, Phase, Problem};
use nalgebra::{DMatrix, Vector3};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

/// From rest in some attitude to a place within 2 m, hovering, in 40 steps of 0.04 s, with thrusts from 0 to 8 N each
/// (hovering takes 2.45).
pub(crate) fn quadrotor(rng: &mut ChaCha8Rng) -> Made<Problem> {
    let model = problems::robot("quadrotor", true)?;
    let mut near = |center: f64, width: f64| center + width * rng.random_range(-1.0..1.0);
    let mut thrusts = DMatrix::zeros(6, 4);
    // As in `problems/mod.rs`.
    for (k, (x, y, moment)) in
        [(0.18, 0.18, 0.016), (0.18, -0.18, -0.016), (-0.18, 0.18, -0.016), (-0.18, -0.18, 0.016)].iter().enumerate()
    {
        thrusts.column_mut(k).copy_from_slice(&[0.0, 0.0, 1.0, *y, -x, *moment]);
    }
    let turn = [near(0.0, 0.4), near(0.0, 0.4), near(0.0, 0.4)];
    let size = (1.0 + turn.iter().map(|a| a * a).sum::<f64>()).sqrt();
    let start = [0.0, 0.0, 1.0, turn[0] / size, turn[1] / size, turn[2] / size, 1.0 / size];
    let goal = [near(0.0, 2.0), near(0.0, 2.0), near(1.0, 1.0), 0.0, 0.0, 0.0, 1.0];
    let calm = Loss::Diagonal([vec![0.0; 6], vec![0.05; 6]].concat());
    let dynamics = ForwardDynamics::new(Actuation::Matrix(thrusts));
    let fly = Phase::new("fly", 40, 0.04, SemiImplicitEuler::new(&model, dynamics))
        .cost(Cost::new("calm", StateError::neutral(&model)).loss(calm))
        .cost(Cost::new("thrust", Control::at(&[2.4525; 4])).weight(0.05))
        .control_bounds(&[0.0; 4], &[8.0; 4]);
    let problem = Problem::builder(&model)
        .start(&start, &[0.0; 6])
        .phase(fly)
        .last_constraint(PathConstraint::equal("hover", StateError::at(&model, &goal, &[0.0; 6])))
        .build()?;
    Ok(problem)
}

/// Stands on four feet, lifts two that are across, sets them down at drawn places, and stands: forces inside cones of
/// friction 0.6, torques within 2.7 N m, feet exactly where they shall land.
pub(crate) fn quadruped(rng: &mut ChaCha8Rng) -> Made<Problem> {
    let model = problems::robot("solo12", true)?;
    let mut near = |center: f64, width: f64| center + width * rng.random_range(-1.0..1.0);
    let (front, hind) = ([0.0, 0.8, -1.6], [0.0, -0.8, 1.6]);
    let q = [&[0.0, 0.0, 0.24, 0.0, 0.0, 0.0, 1.0][..], &front, &front, &hind, &hind].concat();
    let rest = vec![0.0; model.nv()];
    let (names, swings) = (["FL", "FR", "HL", "HR"], ["FR", "HL"]);
    let mut workspace = Workspace::new(&model);
    let mut feet = Vec::new();
    for name in names {
        let frame = model.find_frame(&format!("{name}_FOOT")).ok_or("no foot")?;
        let at = frame_pose(&model, &mut workspace, &q, frame)?.translation;
        let to = if swings.contains(&name) {
            Vector3::new(near(0.04, 0.04), near(0.0, 0.02), 0.0)
        } else {
            Vector3::zeros()
        };
        feet.push((name, frame, at, at + to));
    }
    let contacts = |stand: &[&str], damping: f64, landed: bool| -> Made<Vec<Contact>> {
        let mut contacts = Vec::new();
        for (name, frame, before, after) in feet.iter().filter(|foot| stand.contains(&foot.0)) {
            let place = if landed { after } else { before };
            contacts
                .push(Contact::new(*name, Constraint::frame_contact(&model, *frame, *place)?.with_gains(0.0, damping)));
        }
        Ok(contacts)
    };
    let center = feet.iter().map(|foot| foot.3).sum::<Vector3<f64>>() / 4.0 + Vector3::new(0.0, 0.0, 0.24);
    let phase = |name: &str, nodes: usize, stand: &[&str], landed: bool| -> Made<Phase> {
        let dynamics = ForwardDynamics::new(Actuation::of(&model)).with_contacts(&contacts(stand, 50.0, landed)?);
        let mut phase = Phase::new(name, nodes, 0.01, SemiImplicitEuler::new(&model, dynamics))
            .cost(Cost::new("posture", StateError::at(&model, &q, &rest)).weight(0.1))
            .cost(Cost::new("torque", Control::zero()).weight(0.01))
            .control_bounds(&[-2.7; 12], &[2.7; 12]);
        for foot in stand {
            let (least, most) = ([f64::NEG_INFINITY; 4], [0.0; 4]);
            let (lower, upper) = ([&least[..], &[0.0]].concat(), [&most[..], &[f64::INFINITY]].concat());
            let cone = FrictionCone::of(*foot).friction(0.6);
            phase = phase.constraint(PathConstraint::within(format!("{foot} cone"), cone, &lower, &upper));
        }
        Ok(phase)
    };
    let mut lands = Phase::jump("land", Impulse::new(&contacts(&swings, 0.0, true)?, 0.0));
    for (name, frame, _, after) in feet.iter().filter(|foot| swings.contains(&foot.0)) {
        lands = lands.constraint(PathConstraint::equal(*name, FrameTranslation::new(*frame, *after)));
    }
    let stands: Vec<&str> = names.iter().copied().filter(|name| !swings.contains(name)).collect();
    let problem = Problem::builder(&model)
        .start(&q, &rest)
        .phase(phase("stand", 10, &names, false)?)
        .phase(phase("swing", 15, &stands, false)?)
        .phase(lands)
        .phase(phase("stand again", 15, &names, true)?)
        .last(Cost::new("center", CenterOfMass::new(center)).weight(1e2))
        .last(Cost::new("rest", StateError::at(&model, &q, &rest)).weight(0.1))
        .build()?;
    Ok(problem)
}
