//! Trials: straight ones keep shares of gaps to first order, those by the dynamics exactly.

use super::arm;
use crate::guess;
use crate::riccati::LqSolution;
use crate::solver::algorithm::{Context, Limits};
use crate::solver::evaluator::Evaluator;
use crate::solver::state::State;
use crate::solver::trial::{TrialNode, by_dynamics, is_tiny, straight};

/// The arm at rest with no torques, so that it falls: each node has a gap.
fn with_gaps<R>(see: impl FnOnce(&mut Context<'_>, &mut [TrialNode]) -> R) -> R {
    let problem = arm(5, &[]);
    let evaluator = Evaluator::new(&problem, 1, false);
    let limits = Limits { iterations: 1, time: None, threads: 1 };
    let mut state = State::new(&problem, evaluator.dims(), limits);
    let mut values: Vec<_> = evaluator.dims().iter().map(TrialNode::new).collect();
    state.iterate.copy_from(&guess::standing(&problem));
    let at = &mut Context { problem: &problem, evaluator: &evaluator, state: &mut state };
    at.state.linearize(&evaluator, &problem).expect("runs");
    let State { riccati, gaps, lq, .. } = &mut *at.state;
    for k in (0..=problem.steps()).rev() {
        riccati.sweep_node(k, &evaluator.node(&problem, k), gaps.get(k), 0.0).expect("is positive");
    }
    riccati.begin_roll_out(gaps.first(), lq).expect("runs");
    for k in 0..=problem.steps() {
        riccati.roll_out_node(k, &evaluator.node(&problem, k), gaps.get(k), lq);
    }
    see(at, &mut values)
}

#[test]
fn by_the_dynamics_a_share_of_each_gap_is_left() {
    with_gaps(|at, values| {
        let before: Vec<f64> = at.state.gaps.iter().map(|gap| gap.amax()).collect();
        assert!(before[1..].iter().all(|gap| *gap > 1e-3), "{before:?}");
        for step in [1.0, 0.25] {
            by_dynamics(at, None, step, values, |_, _| {}).expect("runs");
            let space = at.problem.space();
            let mut gap = vec![0.0; space.ndx()];
            for k in 1..=at.problem.steps() {
                // The gap of the trial, measured anew from its own states.
                space.difference(at.state.trial.x(k), &values[k - 1].next, &mut gap).expect("is a state");
                for (found, gap) in gap.iter().zip(at.state.gaps[k].iter()) {
                    // One integration and one difference of numbers of size 1.
                    assert!((found - (1.0 - step) * gap).abs() < 1e-14, "{k}: {found} {gap}");
                }
            }
        }
    });
}

#[test]
fn straight_trials_close_gaps_to_first_order() {
    with_gaps(|at, values| {
        let left = |at: &mut Context<'_>, values: &mut [TrialNode], step: f64| {
            straight(at, None, step, values).expect("runs");
            let off = |(k, value): (usize, &TrialNode)| {
                let each = value.gap.iter().zip(at.state.gaps[k].iter());
                each.map(|(found, gap)| (found - (1.0 - step) * gap).abs()).fold(0.0, f64::max)
            };
            values.iter().enumerate().map(off).fold(0.0, f64::max)
        };
        // What is left is of second order: a tenth of the step leaves a hundredth of it.
        let [long, short] = [1e-1, 1e-2].map(|step| left(at, values, step));
        assert!(short < 0.02 * long, "{short:e} of {long:e}");
    });
}

#[test]
fn bounds_of_a_trial_by_the_dynamics_are_kept() {
    with_gaps(|at, values| {
        by_dynamics(at, None, 1.0, values, |_, u| u.iter_mut().for_each(|u| *u = u.clamp(-1.0, 1.0))).expect("runs");
        assert!((0..at.problem.steps()).all(|k| at.state.trial.u(k).iter().all(|u| u.abs() <= 1.0)));
    });
}

#[test]
fn directions_of_rounding_are_tiny() {
    with_gaps(|at, _| {
        assert!(!is_tiny(&at.state.iterate, &at.state.lq));
        let mut zero = LqSolution::new(at.evaluator.dims());
        assert!(is_tiny(&at.state.iterate, &zero));
        zero.du[2][0] = 1e-12;
        assert!(!is_tiny(&at.state.iterate, &zero));
    });
}
