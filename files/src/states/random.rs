//! States that a seed gives.

use super::{LinkWrench, State};
use crate::robot::{LinkPlace, Robot};
use gradyn::dynamics::WrenchFrame;
use gradyn::model::Model;
use gradyn::spatial::Transform;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The word for a random state.
pub const RANDOM: &str = "random";
/// The word for the neutral state.
pub const NEUTRAL: &str = "neutral";

/// All joints in their zero position, at rest.
pub fn neutral(model: &Model) -> State {
    let zeros = vec![0.0; model.nv()];
    State {
        q: model.neutral::<f64>(),
        v: zeros.clone(),
        a: zeros,
        tau: None,
        f_ext: None,
        lambda: None,
        direction: None,
    }
}

/// State `index` of those that `seed` gives: `q` within the limits, `v` and `a` in ±1, and wrenches in ±1 on two
/// bodies, the first fixed in its body, the second in the world.
///
/// Each state has a stream of its own: it is the same however many others are made.
pub fn random(robot: &Robot, seed: u64, index: u64) -> State {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(index);
    let model = &robot.model;
    let q = model.random(&mut rng);
    let mut unit = || rng.random_range(-1.0..1.0);
    let v: Vec<f64> = (0..model.nv()).map(|_| unit()).collect();
    let a: Vec<f64> = (0..model.nv()).map(|_| unit()).collect();

    let bodies = model.bodies();
    let mut chosen: Vec<usize> = Vec::new();
    for _ in 0..bodies.len().min(2) {
        let body = rng.random_range(0..bodies.len());
        if !chosen.contains(&body) {
            chosen.push(body);
        }
    }
    let f_ext = chosen.into_iter().zip([WrenchFrame::Body, WrenchFrame::World]).map(|(i, frame)| LinkWrench {
        link: bodies[i].name().to_owned(),
        wrench: std::array::from_fn(|_| rng.random_range(-1.0..1.0)),
        frame,
        place: LinkPlace { body: model.body_id(i), placement: Transform::identity() },
    });
    State { q, v, a, tau: None, f_ext: Some(f_ext.collect()), lambda: None, direction: None }
}

/// State `index` of those that `seed` gives, with torques and `lambda` in ±1, which [`random`] does not have.
pub fn random_whole(robot: &Robot, seed: u64, index: u64) -> State {
    // A stream of their own: the rest of the state is that of `random`.
    let mut rng = ChaCha8Rng::seed_from_u64(!seed);
    rng.set_stream(index);
    let mut units = || Some((0..robot.model.nv()).map(|_| rng.random_range(-1.0..1.0)).collect());
    let (tau, lambda) = (units(), units());
    State { tau, lambda, ..random(robot, seed, index) }
}
