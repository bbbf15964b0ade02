//! The iterate and what belongs to it: multipliers, scales, deadlines, the line of the history.

use super::{Random, limited};
use crate::guess;
use crate::solver::algorithm::Limits;
use crate::solver::evaluator::Evaluator;
use crate::solver::state::State;
use crate::solver::{Status, WarmNode, WarmStart};
use std::time::Duration;

fn state(time: Option<Duration>) -> (crate::Problem, Evaluator, State) {
    let problem = limited(3);
    let evaluator = Evaluator::new(&problem, 1, false);
    let state = State::new(&problem, evaluator.dims(), Limits { iterations: 4, time, threads: 1 });
    (problem, evaluator, state)
}

#[test]
fn the_scale_keeps_the_gradient_below_a_hundred() {
    let (_, _, mut state) = state(None);
    for (steepest, scale) in [(0.0, 1.0), (100.0, 1.0), (1e4, 1e-2), (f64::INFINITY, 0.0), (f64::NAN, 1.0)] {
        state.scale_by(steepest);
        assert_eq!(state.now.scale, scale, "{steepest}");
    }
}

#[test]
fn multipliers_lose_their_scale_and_are_forgotten() {
    let (_, _, mut state) = state(None);
    let mut random = Random::new(1);
    for m in &mut state.multipliers {
        (m.next, m.eq, m.ineq) = (random.vector(m.next.len()), random.vector(m.eq.len()), random.vector(m.ineq.len()));
    }
    state.unscale(0.25);
    for (unscaled, m) in state.unscaled.iter().zip(&state.multipliers) {
        assert_eq!((&unscaled.next, &unscaled.eq), (&(4.0 * &m.next), &(4.0 * &m.eq)));
        assert_eq!(unscaled.ineq, 4.0 * &m.ineq);
    }
    state.forget_multipliers();
    let all = state.multipliers.iter().chain(&state.unscaled).flat_map(|m| [&m.next, &m.eq, &m.ineq]);
    assert!(all.chain(&state.costates).flat_map(|m| m.iter()).all(|x| *x == 0.0));
}

#[test]
fn another_solution_is_taken_over_with_its_scale() {
    let (problem, _, mut state) = state(None);
    let mut random = Random::new(2);
    let mut trajectory = guess::standing(&problem);
    trajectory.u_mut(1)[2] = 3.0;
    let nodes = (0..=3).map(|k| {
        let dims = problem.dims(k);
        let mut of = |n: usize| random.vector(n).as_slice().to_vec();
        WarmNode { costate: of(dims.ndx), equalities: of(dims.n_eq), ..WarmNode::default() }
    });
    let from = WarmStart { trajectory, mu: 1e-3, scale: 0.5, nodes: nodes.collect() };
    let mut seen = Vec::new();
    state.take_over(&from, |k, _, ineq| {
        ineq.fill(7.0);
        seen.push(k);
    });
    assert_eq!((seen, state.now.scale, &state.iterate), (vec![0, 1, 2, 3], 0.5, &from.trajectory));
    for (k, node) in from.nodes.iter().enumerate() {
        let half = |x: &[f64]| x.iter().map(|x| 0.5 * x).collect::<Vec<_>>();
        assert_eq!(state.costates[k].as_slice(), half(&node.costate));
        assert_eq!(state.multipliers[k].eq.as_slice(), half(&node.equalities));
        assert!(state.multipliers[k].ineq.iter().all(|y| *y == 7.0));
        // The multiplier of a step is that of the state that it makes.
        if k < 3 {
            assert_eq!(state.multipliers[k].next, state.costates[k + 1]);
        }
    }
}

#[test]
fn deadlines_are_those_of_the_limit() {
    for (time, late) in [(None, false), (Some(Duration::ZERO), true), (Some(Duration::from_secs(3600)), false)] {
        let (_, _, mut state) = state(time);
        assert!(!state.is_late());
        state.set_deadline();
        assert_eq!(state.is_late(), late, "{time:?}");
    }
    // One that no clock can tell is none.
    let (_, _, mut state) = state(Some(Duration::MAX));
    state.set_deadline();
    assert!(!state.is_late());
}

#[test]
fn lines_count_on_and_stalls_have_their_reason() {
    let (problem, evaluator, mut state) = state(None);
    state.iterate.copy_from(&guess::standing(&problem));
    (state.now.cost, state.now.step, state.now.kkt_error) = (2.0, 0.5, 3.0);
    let first = state.line(0.25, true);
    assert_eq!((first.iteration, first.cost, first.gap, first.step, first.accepted), (0, 2.0, 0.25, 0.5, true));
    assert_eq!((first.kkt_error, first.mu, first.penalty, first.expected_decrease), (Some(3.0), None, None, None));
    state.history.push(first);
    assert_eq!(state.line(0.0, false).iteration, 1);
    // The node whose gradient by controls is largest.
    state.riccati.nodes[2].qu[3] = -4.0;
    state.riccati.nodes[1].qu[0] = 3.0;
    assert_eq!(state.worst(), 2);
    assert_eq!(state.stalled(&evaluator, &problem, 2), Status::Stalled { node: 2, term: None });
    state.now.kkt_error = 1e-7;
    assert_eq!(state.stalled(&evaluator, &problem, 2), Status::Acceptable);
    // A trial that could not be evaluated is the reason, once.
    let fault = crate::solver::support::size_mismatch(&problem);
    state.fault = Some(fault.clone());
    assert_eq!(state.stalled(&evaluator, &problem, 2), Status::Fault(fault));
    assert_eq!(state.stalled(&evaluator, &problem, 2), Status::Acceptable);
}
