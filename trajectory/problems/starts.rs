//! Random starts of four problems: a state to start at, and controls to begin with; all states of the guess are the
//! start.

use gradyn_trajectory::{Problem, Trajectory, guess};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::error::Error;

/// So far configurations and velocities of a humanoid's upper body are off, rad and rad/s.
const UPPER_BODY: (f64, f64) = (0.3, 0.5);

/// Where one solution begins.
pub(crate) struct Start {
    /// The first state, nx.
    pub(crate) x: Vec<f64>,
    /// Controls of the steps.
    pub(crate) u: Vec<Vec<f64>>,
}

impl Start {
    /// Moves the problem's start there; the guess.
    pub(crate) fn apply(&self, problem: &mut Problem) -> Result<Trajectory, Box<dyn Error>> {
        let nq = problem.model().nq();
        problem.set_start(&self.x[..nq], &self.x[nq..])?;
        let mut guess = guess::standing(problem);
        for (k, u) in self.u.iter().enumerate() {
            guess.u_mut(k).copy_from_slice(u);
        }
        Ok(guess)
    }
}

/// Starts of a problem of `problems::by_name`, the same in each call.
pub(crate) fn starts(name: &str, problem: &Problem, count: usize) -> Vec<Start> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    (0..count).map(|_| start(name, problem, &mut rng)).collect()
}

fn start(name: &str, problem: &Problem, rng: &mut ChaCha8Rng) -> Start {
    let model = problem.model();
    let nq = model.nq();
    let mut x = problem.start().to_vec();
    let mut near = |center: f64, width: f64| center + width * rng.random_range(-1.0..1.0);
    // Middle and half width of the controls' range.
    let (rest, width) = match name {
        // Anywhere, turning.
        "double_pendulum" => {
            x[..2].fill_with(|| near(0.0, std::f64::consts::PI));
            x[2..].fill_with(|| near(0.0, 2.0));
            (0.0, 2.0)
        }
        // Anywhere within a meter of the start, in any attitude, moving and turning.
        "quadrotor" => {
            x[..3].iter_mut().for_each(|p| *p = near(*p, 1.0));
            let turn = loop {
                let turn: [f64; 4] = std::array::from_fn(|_| near(0.0, 1.0));
                let size = turn.iter().map(|a| a * a).sum::<f64>().sqrt();
                // Of a ball, directions are uniform.
                if (0.1..1.0).contains(&size) {
                    break turn.map(|a| a / size);
                }
            };
            x[3..7].copy_from_slice(&turn);
            x[7..].fill_with(|| near(0.0, 1.0));
            (2.4525, 1.0)
        }
        // The middle 0.8 of all joints' ranges, at rest.
        "panda_reach" => {
            let limits = model.limits();
            for (i, q) in x[..nq].iter_mut().enumerate() {
                let (low, high) = (limits.q_lower[i], limits.q_upper[i]);
                *q = near(0.5 * (low + high), 0.4 * (high - low));
            }
            (0.0, 5.0)
        }
        // The upper body is off; legs and feet stay where they are.
        _ => {
            let legs = ["hip", "knee", "ankle"];
            let upper = |joint: &str| !legs.iter().any(|part| joint.contains(part));
            for body in model.bodies().iter().filter(|b| b.parent().is_some() && upper(b.joint_name())) {
                x[body.q_range()].iter_mut().for_each(|q| *q = near(*q, UPPER_BODY.0));
                x[nq..][body.v_range()].iter_mut().for_each(|v| *v = near(0.0, UPPER_BODY.1));
            }
            (0.0, 5.0)
        }
    };
    let u = (0..problem.steps()).map(|k| (0..problem.dims(k).nu).map(|_| near(rest, width)).collect()).collect();
    Start { x, u }
}
