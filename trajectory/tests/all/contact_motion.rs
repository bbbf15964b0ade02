//! What contacts do along a trajectory, in closed form: 1 kg that slides along x, y and z, without gravity.

use crate::common::puck::puck;
use gradyn::Constraint;
use gradyn_trajectory::contact_motion::{Peak, contact_motion};
use gradyn_trajectory::step::{Actuation, Contact, ForwardDynamics, Impulse, SemiImplicitEuler};
use gradyn_trajectory::{Phase, Problem, Reason, Trajectory, guess};
use nalgebra::Vector3;

/// The mass hits the ground at this velocity, and is then held for four steps.
const HIT: [f64; 3] = [1.0, -2.0, -3.0];

fn problem() -> Problem {
    let model = puck();
    let body = model.find_body("z").expect("is there");
    let foot = || Contact::new("foot", Constraint::contact(body, Vector3::zeros(), Vector3::zeros()));
    let held = ForwardDynamics::new(Actuation::Full(3)).with_contacts(&[foot()]);
    Problem::builder(&model)
        .start(&[0.0; 3], &HIT)
        .phase(Phase::jump("hit", Impulse::new(&[foot()], 0.0)))
        .phase(Phase::new("stand", 4, 0.1, SemiImplicitEuler::new(&model, held)))
        .build()
        .expect("is a problem")
}

/// States and controls as they are given, whether the dynamics make them or not.
fn given(problem: &Problem) -> Trajectory {
    let mut at = guess::standing(problem);
    for k in 1..=problem.steps() {
        let s = k as f64;
        // Off by 0.01, 0.02, … from node 1 on, at speeds that fall.
        at.x_mut(k).copy_from_slice(&[0.01 * s, 0.0, 0.0, 0.0, 0.5 / s, 0.0]);
    }
    for (k, u) in [(1, [3.0, 4.0, -10.0]), (2, [0.0, 0.0, -2.0]), (3, [1.0, 0.0, -10.0]), (4, [0.0, 0.0, -5.0])] {
        at.u_mut(k).copy_from_slice(&u);
    }
    at
}

/// A held mass takes the force that pushes it, so the contact's force is minus the control; errors are those of the
/// states.
#[test]
fn held_frames_are_measured_at_their_states() {
    let problem = problem();
    let motion = contact_motion(&problem, &given(&problem)).expect("runs");
    let [foot] = &motion.contacts[..] else { panic!("{motion:?}") };
    assert_eq!((foot.name.as_str(), foot.nodes.clone()), ("foot", 1..5));
    let close = |found: Peak, value: f64, node: usize| {
        // Rounding of numbers of at most ten.
        assert!((found.value - value).abs() < 1e-13 && found.node == node, "{found:?}: {value} at {node}");
    };
    close(foot.drift, 0.04, 5);
    close(foot.speed, 0.5, 1);
    close(foot.friction, 0.5, 1);
    close(foot.least_normal, 2.0, 2);
    assert_eq!((foot.turn, foot.angular_speed), (None, None));
    assert!(motion.loops.is_empty());
}

/// Without restitution, an impulse takes all of the momentum, and nothing is left to slip.
#[test]
fn impulses_take_the_momentum() {
    let problem = problem();
    let motion = contact_motion(&problem, &given(&problem)).expect("runs");
    let [hit] = &motion.impulses[..] else { panic!("{motion:?}") };
    assert_eq!((hit.name.as_str(), hit.node), ("foot", 0));
    for (impulse, v) in hit.impulse.iter().zip(HIT) {
        // Rounding of momenta of a few N s.
        assert!((impulse + v).abs() < 1e-14, "{impulse} {v}");
    }
    assert!((hit.normal + HIT[2]).abs() < 1e-14, "{}", hit.normal);
}

/// A force that pulls has no share of friction, and a trajectory of another problem is refused.
#[test]
fn forces_that_pull_and_other_sizes() {
    let problem = problem();
    let mut at = given(&problem);
    at.u_mut(3).copy_from_slice(&[0.0, 0.0, 1.0]);
    let motion = contact_motion(&problem, &at).expect("runs");
    assert_eq!(motion.contacts[0].friction, Peak { value: f64::INFINITY, node: 3 });
    assert!((motion.contacts[0].least_normal.value + 1.0).abs() < 1e-13);

    let model = puck();
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::Full(3)));
    let other = Problem::builder(&model).phase(Phase::new("fly", 3, 0.1, step)).build().expect("is a problem");
    let fault = contact_motion(&problem, &guess::standing(&other)).expect_err("has other sizes");
    assert!(matches!(*fault.reason, Reason::Problem(_)), "{fault}");
}
