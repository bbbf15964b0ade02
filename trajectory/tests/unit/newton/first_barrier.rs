//! The first μ, and how it shrinks.

use crate::residual::Control;
use crate::solver::algorithm::{Algorithm, Context, Limits};
use crate::solver::evaluator::Evaluator;
use crate::solver::newton::{InteriorPoint, NewtonOptions};
use crate::solver::state::State;
use crate::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use crate::{Cost, Phase, Problem, guess};
use gradyn::UrdfOptions;

/// A pendulum whose torque costs `½ weight u²` a second and is above this.
fn above(lower: f64, upper: f64, weight: f64) -> Problem {
    let model = testing::robot("pendulum", &UrdfOptions::new());
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let phase = Phase::new("swing", 3, 0.1, step)
        .cost(Cost::new("torque", Control::zero()).weight(weight))
        .control_bounds(&[lower], &[upper]);
    Problem::builder(&model).phase(phase).build().expect("a problem")
}

fn begun<R>(problem: &Problem, see: impl FnOnce(&mut InteriorPoint, &mut Context<'_>) -> R) -> R {
    let options = NewtonOptions::default();
    let evaluator = Evaluator::new(problem, 1, true);
    let mut state = State::new(problem, evaluator.dims(), Limits { iterations: 9, time: None, threads: 1 });
    let mut solver = InteriorPoint::new(problem, &options);
    state.iterate.copy_from(&guess::standing(problem));
    let at = &mut Context { problem, evaluator: &evaluator, state: &mut state };
    solver.start(at);
    solver.linearize(at, true).expect("runs");
    see(&mut solver, at)
}

/// `½ h s² − μ ln s` is least at the slack of the guess if `μ = h s²`, with h the weight times the step.
#[test]
fn slacks_of_one_bound_keep_their_size() {
    for (lower, weight, expected) in [
        // The slack is 2 at no torque, and h is 0.1 of the weight.
        (-2.0, 1e-2, 4e-3),
        (-2.0, 1e-3, 4e-4),
        // Slacks below 1 count as 1.
        (-0.5, 1e-2, 1e-3),
        // At most that of the options, and at least 1e-6.
        (-2.0, 10.0, 0.1),
        (-2.0, 1e-9, 1e-6),
    ] {
        let problem = above(lower, f64::INFINITY, weight);
        let mu = begun(&problem, |solver, _| solver.run.mu);
        // Bounds are wider by 1e-8.
        assert!((mu / expected - 1.0).abs() < 1e-6, "{lower}, {weight}: {mu:e}");
    }
    // Between two bounds nothing can grow, without cost nobody knows; without bounds there is no barrier.
    assert_eq!(begun(&above(-2.0, 2.0, 1e-3), |solver, _| solver.run.mu), 0.1);
    assert_eq!(begun(&above(-2.0, f64::INFINITY, 0.0), |solver, _| solver.run.mu), 0.1);
    let free = above(f64::NEG_INFINITY, f64::INFINITY, 1.0);
    assert_eq!(begun(&free, |solver, _| solver.run.mu), 0.0);
}

/// Wächter and Biegler (2006), equation (7): `μ⁺ = max(ε/10, min(0.2 μ, μ^1.5))` where the error is below 10 μ.
#[test]
fn the_barrier_shrinks_where_its_problem_is_solved() {
    begun(&above(-2.0, 2.0, 1.0), |solver, at| {
        // The guess leaves more than 10 μ: gravity moves the pendulum.
        (solver.run.mu, at.state.now.gap) = (1e-6, 0.0);
        solver.shrink_barrier(at.state);
        assert_eq!(solver.run.mu, 1e-6);
        // Nothing is left of anything: it goes down to a tenth of the tolerance.
        at.state.now.optimality = Default::default();
        solver.rows.iter_mut().for_each(|rows| rows.center(1e-4));
        solver.run.mu = 1e-4;
        solver.run.directions = 5;
        solver.shrink_barrier(at.state);
        // z s = 1e-4 is off by less than 10 μ until μ is 1e-5 or less: one step of μ^1.5 = 1e-6.
        assert!((solver.run.mu / 1e-6 - 1.0).abs() < 1e-12, "{:e}", solver.run.mu);
        // Another barrier problem begins.
        assert_eq!(solver.run.directions, 0);
        solver.rows.iter_mut().for_each(|rows| rows.center(1e-9));
        solver.shrink_barrier(at.state);
        assert_eq!(solver.run.mu, 1e-9);
    });
}
