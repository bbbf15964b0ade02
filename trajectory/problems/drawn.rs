//! Problems with constraints, drawn by a seed: what is to be done, where it starts, and the guess.

mod arms;
mod complementarity;
mod convex;
mod floating;
mod weak;

use super::problems;
use super::starts;
use gradyn::Model;
use gradyn::dynamics::{Workspace, frame_pose};
use gradyn_trajectory::residual::{Control, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Cost, PathConstraint, Phase, Problem, Trajectory, guess};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::error::Error;
use std::f64::consts::PI;

type Made<T> = Result<T, Box<dyn Error>>;

/// Names, and how many of 300 problems each has.
pub(crate) const FAMILIES: [(&str, u64); 9] = [
    ("panda_limits", 50),
    ("panda_capsule", 25),
    ("ur5_limits", 25),
    ("ur5_hurry", 20),
    ("quadrotor", 25),
    ("quadrotor_limits", 25),
    ("quadruped", 10),
    ("double_pendulum", 60),
    ("cart_pole", 60),
];

/// A problem of a family, with its guess: the start at all nodes, and controls as drawn. Beside those above,
/// `ur5_reach` and `ur5_reach_bounded` of `arms.rs`, `convex`, those of `complementarity.rs`, and all of
/// `problems/mod.rs`.
pub(crate) fn drawn(family: &str, seed: u64) -> Made<(Problem, Trajectory)> {
    let mut rng = ChaCha8Rng::seed_from_u64(1000 + seed);
    if let Some(made) = other(family, seed, &mut rng) {
        return made;
    }
    let mut near = |center: f64, width: f64| center + width * rng.random_range(-1.0..1.0);
    match family {
        // To a place that the hand has at joints not far away, from another such place, at rest.
        "panda_limits" => {
            let mut problem = problems::panda_limits(Some([0.4, 0.3, 0.5]))?;
            let q: Vec<f64> = problem.start()[..7].iter().map(|q| near(*q, 0.2)).collect();
            let goal: Vec<f64> = q.iter().map(|q| near(*q, 0.4)).collect();
            let place = place(problem.model(), "panda_link8", &goal)?;
            problem = problems::panda_limits(Some(place))?;
            problem.set_start(&q, &[0.0; 7])?;
            let guess = guess::standing(&problem);
            Ok((problem, guess))
        }
        // Around the post, from a start a little aside.
        "panda_capsule" => {
            let mut problem = problems::panda_limits(None)?;
            let q: Vec<f64> = problem.start()[..7].iter().map(|q| near(*q, 0.1)).collect();
            problem.set_start(&q, &[0.0; 7])?;
            let guess = guess::standing(&problem);
            Ok((problem, guess))
        }
        "quadrotor" | "double_pendulum" => {
            let mut problem = problems::by_name(family)?;
            let start = starts::starts(family, &problem, usize::try_from(seed)? + 1).pop().ok_or("no start")?;
            let guess = start.apply(&mut problem)?;
            Ok((problem, guess))
        }
        // Up, exactly and at rest, with a force that is small and a rail that is short.
        "cart_pole" => {
            let model = problems::robot("cart_pole", false)?;
            let up = || StateError::at(&model, &[0.0, PI], &[0.0; 2]);
            let dynamics = ForwardDynamics::new(Actuation::joints(&model, &["slider"])?);
            let (least, most) = ([-1.5, -20.0, -10.0, -30.0], [1.5, 20.0, 10.0, 30.0]);
            let still = StateError::at(&model, &[0.0; 2], &[0.0; 2]);
            let swing = Phase::new("swing", 100, 0.03, SemiImplicitEuler::new(&model, dynamics))
                .cost(Cost::new("force", Control::zero()).weight(1e-2))
                .cost(Cost::new("calm", up()).weight(1e-2))
                .constraint(PathConstraint::within("rail", still, &least, &most))
                .control_bounds(&[-15.0], &[15.0]);
            let start = [near(0.0, 0.5), near(0.0, 1.0)];
            let problem = Problem::builder(&model)
                .start(&start, &[near(0.0, 0.5), near(0.0, 1.0)])
                .phase(swing)
                .last_constraint(PathConstraint::equal("up", up()))
                .build()?;
            let mut guess = guess::standing(&problem);
            (0..problem.steps()).for_each(|k| guess.u_mut(k)[0] = near(0.0, 2.0));
            Ok((problem, guess))
        }
        // As they are, whatever the seed: from a stand with the torques that it takes, others without.
        "solo12_jump" | "g1_reach" => {
            let problem = problems::by_name(family)?;
            let guess = guess::with_static_controls(&problem, guess::standing(&problem))?;
            Ok((problem, guess))
        }
        _ => {
            let problem = problems::by_name(family)?;
            let guess = guess::standing(&problem);
            Ok((problem, guess))
        }
    }
}

/// Families that have files of their own.
fn other(family: &str, seed: u64, rng: &mut ChaCha8Rng) -> Option<Made<(Problem, Trajectory)>> {
    if let Some(made) = complementarity::complementarity(family, rng) {
        return Some(made);
    }
    let problem = match family {
        "ur5_reach" => arms::reach(&mut of_reach(seed), false),
        "ur5_reach_bounded" => arms::reach(&mut of_reach(seed), true),
        "ur5_limits" => arms::limited(rng, false),
        "ur5_hurry" => arms::limited(rng, true),
        "quadrotor_limits" => floating::quadrotor(rng),
        "quadruped" => floating::quadruped(rng),
        "convex" => convex::convex(seed),
        "cart_pole_weak" => weak::cart_pole(rng),
        "acrobot_weak" => weak::acrobot(rng),
        _ => return None,
    };
    let with_guess = |problem: Problem| {
        let mut guess = guess::standing(&problem);
        match family {
            "quadrotor_limits" => (0..problem.steps()).for_each(|k| guess.u_mut(k).fill(2.4525)),
            "quadruped" => guess = guess::with_static_controls(&problem, guess)?,
            _ => (),
        }
        Ok((problem, guess))
    };
    Some(problem.and_then(with_guess))
}

/// The seed as there, and places the same for both.
fn of_reach(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(42 + seed)
}

/// Where `ur5_reach` and `ur5_reach_bounded` take the tool.
pub(crate) fn reach_target(seed: u64) -> Made<[f64; 3]> {
    arms::reach_target(&mut of_reach(seed))
}

fn place(model: &Model, frame: &str, q: &[f64]) -> Made<[f64; 3]> {
    let frame = model.find_frame(frame).ok_or("no such frame")?;
    Ok(frame_pose(model, &mut Workspace::new(model), q, frame)?.translation.into())
}
