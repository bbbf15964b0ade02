//! Solutions moved in time, and feedback.

use super::{Random, arm};
use crate::fault::Reason;
use crate::quadratic::Multipliers;
use crate::riccati::Riccati;
use crate::solver::algorithm::Limits;
use crate::solver::cycle::{feedback, fits, take};
use crate::solver::evaluator::Evaluator;
use crate::solver::state::State;
use crate::{Problem, Trajectory, guess};
use nalgebra::DVector;

/// A solution whose numbers tell their node: states, controls, multipliers.
fn numbered(problem: &Problem) -> State {
    let evaluator = Evaluator::new(problem, 1, false);
    let mut state = State::new(problem, evaluator.dims(), Limits { iterations: 1, time: None, threads: 1 });
    state.iterate.copy_from(&guess::standing(problem));
    for k in 0..=problem.steps() {
        let number = k as f64;
        state.iterate.x_mut(k).fill(0.1 * number);
        state.iterate.u_mut(k).fill(number);
        state.costates[k].fill(number);
        state.multipliers[k].eq.fill(number);
        state.multipliers[k].next.fill(number);
    }
    state
}

#[test]
fn nodes_take_what_later_ones_have_and_the_last_ones_keep_theirs() {
    let problem = arm(4, &[("there", [0.4, 0.3, 0.5])]);
    for nodes in [0, 1, 3, 4, 9, usize::MAX] {
        let mut state = numbered(&problem);
        let mut rows = Vec::new();
        state.plan().shift(nodes, |k, from| rows.push((k, from)));
        let from = |k: usize| k.saturating_add(nodes).min(4);
        for k in 0..=4 {
            assert_eq!(state.iterate.x(k)[0], 0.1 * from(k) as f64, "{nodes}, {k}");
            // The last node has no controls: the one before it keeps its own.
            let of = if from(k) < 4 { from(k) } else { k };
            assert!(state.iterate.u(k).iter().all(|u| *u == of as f64), "{nodes}, {k}");
            assert!(state.costates[k].iter().all(|x| *x == from(k) as f64), "{nodes}, {k}");
        }
        assert_eq!(rows, (0..4).map(|k| (k, from(k))).filter(|(k, from)| k != from).collect::<Vec<_>>());
        // Equalities of the last node stay its own: no other has such.
        assert!(state.multipliers[4].eq.iter().all(|x| *x == 4.0));
    }
}

#[test]
fn between_nodes_states_and_controls_are_on_straight_lines() {
    let problem = arm(4, &[]);
    // Steps of 20 ms.
    for (seconds, at) in [(0.0, 0.0), (0.005, 0.25), (0.012, 0.6), (0.02, 1.0), (0.05, 2.5), (1.0, 50.0)] {
        let mut state = numbered(&problem);
        let mut rows = Vec::new();
        state.plan().shift_by(&problem, seconds, |k, from| rows.push((k, from))).expect("runs");
        for k in 0..=4 {
            let wanted = f64::min(k as f64 + at, 4.0);
            let x = state.iterate.x(k)[0];
            // One product and one sum of numbers of size 1.
            assert!((x - 0.1 * wanted).abs() < 1e-14, "{seconds}, {k}: {x}");
            // Controls go on until the last of them.
            let held = f64::min(wanted, 3.0);
            assert!(state.iterate.u(k).iter().all(|u| (u - held).abs() < 1e-12), "{seconds}, {k}");
        }
        assert!(
            rows.iter().all(|(k, from)| k < from && (*from as f64 - (*k as f64 + at).min(4.0)).abs() <= 0.5 + 1e-9)
        );
    }
    for seconds in [-1e-9, f64::NAN, f64::INFINITY] {
        let error = numbered(&problem).plan().shift_by(&problem, seconds, |_, _| {}).expect_err("is no time");
        assert!(matches!(*error.reason, Reason::InvalidShift { .. }), "{error}");
    }
}

#[test]
fn multipliers_of_other_sizes_stay() {
    let of = |n: usize, x: f64| DVector::from_element(n, x);
    let mut to = Multipliers { next: of(2, 1.0), eq: of(3, 1.0), ineq: of(1, 1.0) };
    take(&mut to, &Multipliers { next: of(2, 5.0), eq: of(2, 5.0), ineq: of(1, 5.0) });
    assert_eq!(to, Multipliers { next: of(2, 5.0), eq: of(3, 1.0), ineq: of(1, 5.0) });
}

#[test]
fn feedback_is_its_formula_between_the_bounds() {
    let problem = arm(2, &[]);
    let mut random = Random::new(1);
    let iterate = guess::standing(&problem);
    let mut node = Riccati::new(&[problem.dims(0)]).nodes[0].clone();
    (node.k, node.gain) = (random.vector(7), random.matrix(7, 14));
    let (off, mut scaled, mut u) = (random.vector(14), vec![0.0; 14], [0.0; 7]);
    let mut x = iterate.x(0).to_vec();
    problem.space().integrate(iterate.x(0), off.as_slice(), &mut x).expect("is a state");
    let at = (&iterate, &node);
    feedback(&problem, true, at, &x, &mut u, &mut scaled).expect("is prepared");
    let expected = -&node.k - &node.gain * &off;
    for (i, found) in u.iter().enumerate() {
        // Fourteen products of numbers below 1.
        assert!((found - expected[i]).abs() < 1e-14, "{i}");
    }
    node.k.fill(-1e3);
    feedback(&problem, true, (&iterate, &node), &x, &mut u, &mut scaled).expect("is prepared");
    assert_eq!(u, [87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0]);
    for (prepared, x, n, expected) in [
        (false, &x[..], 7, "nothing has been prepared"),
        (true, &x[1..], 7, "a state of 13 and controls of 7 numbers, expected (14, 7)"),
        (true, &x[..], 6, "a state of 14 and controls of 6 numbers, expected (14, 7)"),
    ] {
        let error = feedback(&problem, prepared, (&iterate, &node), x, &mut u[..n], &mut scaled);
        assert_eq!(error.expect_err("is refused").reason.to_string(), expected);
    }
    assert!(fits(&iterate, &problem).is_ok() && fits(&Trajectory::EMPTY, &problem).is_err());
}
