//! Parallel evaluation: the numbers of one thread, whatever the order in which nodes are taken.

use super::arm;
use crate::guess;
use crate::problem::{Problem, ProblemMemory};
use crate::quadratic::Quadratic;
use crate::solver::evaluator::{Evaluator, SecondTrial};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[test]
fn nodes_are_those_of_the_problem_for_any_number_of_threads() {
    testing::within_limit(|| {
        let problem = arm(9, &[("there", [0.4, 0.3, 0.5])]);
        let at = guess::standing(&problem);
        for threads in [1, 2, 5] {
            let evaluator = Evaluator::new(&problem, threads, false);
            let cost = evaluator.serve(&problem, None, || {
                evaluator.start(&at);
                evaluator.complete(&problem)
            });
            let (mut sum, mut memory) = (0.0, problem.memory());
            for k in 0..=problem.steps() {
                let mut expected = Quadratic::new(problem.dims(k), k == problem.steps());
                problem.linearize(k, at.x(k), at.u(k), &mut memory, &mut expected).expect("runs");
                let found = evaluator.node(&problem, k);
                assert_eq!((&found.lx, &found.a, &found.eq_x), (&expected.lx, &expected.a, &expected.eq_x), "{k}");
                sum += expected.cost;
            }
            assert_eq!(cost, Ok(sum), "{threads} threads");
        }
    });
}

#[test]
fn values_have_the_gaps_of_states_that_were_given() {
    let problem = arm(4, &[]);
    let at = guess::standing(&problem);
    let evaluator = Evaluator::new(&problem, 1, false);
    let (mut memory, mut reached) = (problem.memory(), problem.start().to_vec());
    let mut seen = 0;
    evaluator
        .evaluate(&problem, &at, |k, value| {
            let mut gap = vec![0.0; problem.space().ndx()];
            problem.space().difference(at.x(k), &reached, &mut gap).expect("is a state");
            assert_eq!(value.gap, gap, "{k}");
            let mut next = vec![0.0; value.next.len()];
            let cost = problem.value(k, at.x(k), at.u(k), &mut memory, &mut next, &mut []);
            assert_eq!((cost, &next), (Ok(value.cost), &value.next), "{k}");
            reached = next;
            seen += 1;
        })
        .expect("runs");
    assert_eq!(seen, 5);
}

#[test]
fn of_several_faults_that_of_the_first_node_is_told() {
    testing::within_limit(|| {
        let problem = arm(9, &[]);
        let mut at = guess::standing(&problem);
        for k in [7, 3, 5] {
            at.u_mut(k)[2] = f64::NAN;
        }
        for threads in [1, 4] {
            let evaluator = Evaluator::new(&problem, threads, false);
            let fault = evaluator.serve(&problem, None, || {
                evaluator.start(&at);
                evaluator.complete(&problem).expect_err("is not a number")
            });
            assert_eq!(fault.node, 3, "{threads} threads");
            // The next work is not affected.
            evaluator.start(&guess::standing(&problem));
            assert!(evaluator.complete(&problem).is_ok());
        }
    });
}

/// Notes the step that it is asked to try.
struct Noted(AtomicU64);

impl SecondTrial for Noted {
    fn evaluate(&self, _: &Problem, step: f64, _: &mut ProblemMemory, unwanted: &AtomicBool) {
        self.0.store(step.to_bits(), Ordering::SeqCst);
        // Goes on until it is told to stop.
        while !unwanted.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_second_trial_runs_beside_and_stops_when_it_is_not_wanted() {
    testing::within_limit(|| {
        let problem = arm(3, &[]);
        let evaluator = Evaluator::new(&problem, 2, false);
        let noted = Noted(AtomicU64::new(0));
        evaluator.serve(&problem, Some(&noted), || {
            evaluator.try_beside(0.25);
            evaluator.join_beside(false);
        });
        assert_eq!(noted.0.load(Ordering::SeqCst), 0.25_f64.to_bits());
    });
}

#[test]
fn threads_end_where_a_solver_panics() {
    testing::within_limit(|| {
        let problem = arm(3, &[]);
        let evaluator = Evaluator::new(&problem, 3, false);
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            evaluator.serve(&problem, None, || panic!("on purpose"));
        }));
        assert!(ended.is_err());
        // They serve again.
        evaluator.start(&guess::standing(&problem));
        assert!(evaluator.serve(&problem, None, || evaluator.complete(&problem)).is_ok());
    });
}

/// What would wait for itself forever is told at once.
#[test]
fn a_node_or_memory_that_is_borrowed_twice_is_an_error() {
    testing::within_limit(|| {
        let (problem, at) = (arm(3, &[]), guess::standing(&arm(3, &[])));
        for threads in [1, 3] {
            let evaluator = Evaluator::new(&problem, threads, false);
            let refuses = |what: &str, again: &dyn Fn()| {
                let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(again));
                let message = refused.expect_err(what);
                assert!(message.downcast_ref::<&str>().is_some_and(|x| x.contains("already borrowed")), "{what}");
            };
            // Nothing is waited for that nobody was asked for.
            assert_eq!(evaluator.node(&problem, 0).lx.amax(), 0.0);
            evaluator.start(&at);
            evaluator.complete(&problem).expect("runs");
            let node = evaluator.node(&problem, 1);
            // Another node is free, and this one is once it is released.
            drop(evaluator.node(&problem, 2));
            refuses("node", &|| drop(evaluator.node(&problem, 1)));
            refuses("start", &|| evaluator.start(&at));
            refuses("complete", &|| drop(evaluator.complete(&problem)));
            drop(node);
            drop(evaluator.node(&problem, 1));
            let memory = evaluator.memory();
            refuses("memory", &|| drop(evaluator.memory()));
            refuses("evaluate", &|| drop(evaluator.evaluate(&problem, &at, |_, _| {})));
            drop(memory);
            evaluator.start(&at);
            assert!(evaluator.complete(&problem).is_ok(), "{threads} threads");
        }
    });
}
