//! A jump and a reach of robots on feet, within cones of forces and limits of torques: what
//! `examples/tasks/solo12_jump_cones.toml` and `g1_reach_cones.toml` ask for, with pyramids in place of round cones,
//! which programs for other solvers can keep too.

use super::{Made, robot};
use gradyn::Model;
use gradyn::dynamics::{Workspace, center_of_mass, frame_pose};
use gradyn_trajectory::residual::{CenterOfMass, Control, FrameTranslation, FrictionCone, StateError, WrenchCone};
use gradyn_trajectory::step::{Actuation, Contact, ForwardDynamics, Impulse, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Loss, PathConstraint, Phase, Problem};
use nalgebra::{Matrix3, Vector3};

fn position(model: &Model, frame: &str, q: &[f64]) -> Made<Vector3<f64>> {
    let id = model.find_frame(frame).ok_or_else(|| format!("no {frame}"))?;
    Ok(frame_pose(model, &mut Workspace::new(model), q, id)?.translation)
}

/// A quadruped trots: two steps of 25 nodes of 20 ms, each on two feet while the other two move 50 mm forward. Torques
/// within 2.7 N m.
pub(super) fn solo12_mpc() -> Made<Problem> {
    const DT: f64 = 0.02;
    const STEP: usize = 25;
    let model = robot("solo12", true)?;
    let (q, still) = (crouched(&model)?, vec![0.0; model.nv()]);
    let nv = model.nv();
    let posture = [vec![0.0; 3], vec![1.0; 3], vec![0.1; nv - 6], vec![0.05; nv]].concat();
    let stop = [vec![0.0; 2], vec![10.0; 4], vec![1.0; nv - 6], vec![1.0; nv]].concat();
    let near = |name, weights| Cost::new(name, StateError::at(&model, &q, &still)).loss(Loss::Diagonal(weights));
    let mut builder = Problem::builder(&model).start(&q, &still);
    for (name, stand, swing) in [
        ("first", ["FL_FOOT", "HR_FOOT"], ["FR_FOOT", "HL_FOOT"]),
        ("second", ["FR_FOOT", "HL_FOOT"], ["FL_FOOT", "HR_FOOT"]),
    ] {
        let held = stand.map(|foot| Contact::point_at(&model, foot, &q).map(|foot| foot.with_gains(0.0, 0.5 / DT)));
        let held = held.into_iter().collect::<Result<Vec<_>, _>>()?;
        let dynamics = ForwardDynamics::new(Actuation::of(&model)).with_contacts(&held);
        let mut phase = Phase::new(name, STEP, DT, SemiImplicitEuler::new(&model, dynamics))
            .cost(near("posture", posture.clone()))
            .cost(Cost::new("torque", Control::zero()).weight(2e-2))
            .control_bounds(&[-2.7; 12], &[2.7; 12]);
        for foot in swing {
            phase = phase.cost(swings(&model, foot, position(&model, foot, &q)?, [0.05, 0.2], STEP)?);
        }
        builder = builder.phase(phase);
    }
    Ok(builder.last(near("stop", stop)).build()?)
}

/// On bent legs, with feet on the ground.
fn crouched(model: &Model) -> Made<Vec<f64>> {
    let (front, hind) = ([0.0, 0.7, -1.4], [0.0, -0.7, 1.4]);
    let mut q = [&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0][..], &front, &front, &hind, &hind].concat();
    q[2] = -position(model, "FL_FOOT", &q)?.z;
    Ok(q)
}

/// A foot goes forth from a place, along a parabola `rise s (1 − s)`.
fn swings(model: &Model, foot: &str, from: Vector3<f64>, [forth, rise]: [f64; 2], nodes: usize) -> Made<Cost> {
    let id = model.find_frame(foot).ok_or("no foot")?;
    let mut swing = Cost::new(format!("{foot} swing"), FrameTranslation::new(id, from)).weight(1e2);
    for k in 0..nodes {
        let share = k as f64 / (nodes - 1) as f64;
        let goal = from + Vector3::new(forth * share, 0.0, rise * share * (1.0 - share));
        swing = swing.goal_at(k, goal.as_slice().to_vec());
    }
    Ok(swing)
}

/// A quadruped jumps 0.2 m forward, 30 steps on its feet, 25 in the air, 40 after the landing. Torques within 2.7 N m,
/// friction 0.7, feet exactly where they shall land.
pub(super) fn solo12_jump() -> Made<Problem> {
    const DT: f64 = 0.01;
    const JUMP: f64 = 0.2;
    const FEET: [&str; 4] = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"];
    let model = robot("solo12", true)?;
    let q = crouched(&model)?;
    let (nv, still) = (model.nv(), vec![0.0; model.nv()]);
    let center = center_of_mass(&model, &mut Workspace::new(&model), &q, &still, &still)?.whole.position;
    let landed: Vec<f64> = [&[q[0] + JUMP], &q[1..]].concat();

    let contacts =
        |q: &[f64]| FEET.iter().map(|foot| Contact::point_at(&model, foot, q)).collect::<Result<Vec<_>, _>>();
    let phase = |name: &str, nodes: usize, stands_at: Option<&[f64]>| -> Made<Phase> {
        let mut dynamics = ForwardDynamics::new(Actuation::of(&model));
        if let Some(q) = stands_at {
            let held: Vec<Contact> = contacts(q)?.into_iter().map(|foot| foot.with_gains(0.0, 0.5 / DT)).collect();
            dynamics = dynamics.with_contacts(&held);
        }
        let posture = Loss::Diagonal([vec![0.0; 3], vec![1.0; 3], vec![0.1; nv - 6], vec![0.05; nv]].concat());
        let mut phase = Phase::new(name, nodes, DT, SemiImplicitEuler::new(&model, dynamics))
            .cost(Cost::new("posture", StateError::at(&model, &q, &still)).loss(posture))
            .cost(Cost::new("torque", Control::zero()).weight(2e-2))
            .control_bounds(&[-2.7; 12], &[2.7; 12]);
        for foot in FEET.iter().filter(|_| stands_at.is_some()) {
            let cone = FrictionCone::of(*foot).friction(0.7).inside();
            let (lower, upper) = (
                [[f64::NEG_INFINITY; 4].as_slice(), &[0.0]].concat(),
                [[0.0; 4].as_slice(), &[f64::INFINITY]].concat(),
            );
            phase = phase.constraint(PathConstraint::within(format!("{foot} cone"), cone, &lower, &upper));
        }
        Ok(phase)
    };
    let apex = CenterOfMass::new(center + Vector3::new(0.1, 0.0, 0.1));
    let mut flight = phase("flight", 25, None)?.cost(Cost::new("apex", apex).weight(1e3).only_at(&[12]));
    let mut lands = Phase::jump("landing", Impulse::new(&contacts(&landed)?, 0.0));
    for foot in FEET {
        let id = model.find_frame(foot).ok_or("no foot")?;
        flight = flight.cost(swings(&model, foot, position(&model, foot, &q)?, [JUMP, 0.32], 25)?);
        let there = FrameTranslation::new(id, position(&model, foot, &landed)?);
        lands = lands.constraint(PathConstraint::equal(format!("{foot} lands"), there));
    }
    let stop = Loss::Diagonal([vec![0.0; 2], vec![10.0; 4], vec![1.0; nv - 6], vec![10.0; nv]].concat());
    let problem = Problem::builder(&model)
        .start(&q, &still)
        .phase(phase("push", 30, Some(&q))?)
        .phase(flight)
        .phase(lands)
        .phase(phase("land", 40, Some(&landed))?)
        .last(Cost::new("mass", CenterOfMass::new(center + Vector3::new(JUMP, 0.0, 0.0))).weight(1e3))
        .last(Cost::new("stop", StateError::at(&model, &q, &still)).loss(stop))
        .build()?;
    Ok(problem)
}

/// A humanoid reaches forward and down with its left hand, 50 steps on two flat feet: wrenches inside cones of
/// friction 0.7, torques within 0.8 of their limits, and no cost to keep its balance.
pub(super) fn g1_reach() -> Made<Problem> {
    const SOLES: [&str; 2] = ["left_ankle_roll_link", "right_ankle_roll_link"];
    const DT: f64 = 0.02;
    let model = robot("g1", true)?;
    let mut q = model.neutral();
    let angles = [
        ("hip_pitch", [-0.3; 2]),
        ("knee", [0.6; 2]),
        ("ankle_pitch", [-0.3; 2]),
        ("shoulder_roll", [0.2, -0.2]),
        ("elbow", [0.8; 2]),
    ];
    for (joint, [left, right]) in angles {
        for (side, angle) in [("left", left), ("right", right)] {
            let name = format!("{side}_{joint}_joint");
            let body = model.bodies().iter().find(|body| body.joint_name() == name).ok_or("no joint")?;
            q[body.q_range().start] = angle;
        }
    }
    q[2] = -position(&model, SOLES[0], &q)?.z;
    let (nv, still) = (model.nv(), vec![0.0; model.nv()]);
    let mut contacts = Vec::new();
    for sole in SOLES {
        contacts.push(Contact::frame_at(&model, sole, &q)?.with_default_gains(DT));
    }
    let most: Vec<f64> = model.limits().effort[6..].iter().map(|x| 0.8 * x).collect();
    let dynamics = ForwardDynamics::new(Actuation::of(&model)).with_contacts(&contacts);
    let posture = Loss::Diagonal([vec![0.0; 3], vec![1.0; 3], vec![0.1; nv - 6], vec![0.3; nv]].concat());
    let mut reach = Phase::new("reach", 50, DT, SemiImplicitEuler::new(&model, dynamics))
        .cost(Cost::new("posture", StateError::at(&model, &q, &still)).loss(posture))
        .cost(Cost::new("torque", Control::zero()).weight(1e-3))
        .control_bounds(&most.iter().map(|x| -x).collect::<Vec<_>>(), &most);
    for sole in SOLES {
        let cone = WrenchCone::new(sole, Matrix3::identity(), 0.08, 0.03, 0.7);
        reach = reach.constraint(PathConstraint::at_least(format!("{sole} cone"), cone, 0.0));
    }
    let hand = model.find_frame("left_hand_palm_link").ok_or("no hand")?;
    let place = position(&model, "left_hand_palm_link", &q)? + Vector3::new(0.15, 0.0, -0.05);
    let stop = Loss::Diagonal([vec![0.1; nv], vec![10.0; nv]].concat());
    let problem = Problem::builder(&model)
        .start(&q, &still)
        .phase(reach)
        .last(Cost::new("stop", StateError::at(&model, &q, &still)).loss(stop))
        .last_constraint(PathConstraint::equal("hand", FrameTranslation::new(hand, place)))
        .build()?;
    Ok(problem)
}
