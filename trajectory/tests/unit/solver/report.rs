//! How solutions end: words, sentences, and what is known of one.

use crate::fault::{Fault, Reason};
use crate::solver::{Iteration, Report, Status, Warning};

#[test]
fn every_status_has_a_word_and_a_sentence() {
    let fault = Fault { node: 3, phase: "walk".into(), term: None, reason: Box::new(Reason::NotPrepared) };
    let blocked = |names: &[&str]| Status::NoFeasiblePoint { constraints: names.iter().map(|x| (*x).into()).collect() };
    let cases = [
        (Status::Converged, "converged", "converged"),
        (Status::Acceptable, "acceptable", "acceptable: nothing improves any more, short of the tolerance"),
        (Status::Stalled { node: 4, term: None }, "stalled", "stalled: no step improves; most is missing at node 4"),
        (
            Status::Stalled { node: 4, term: Some("hand".into()) },
            "stalled",
            "stalled: no step improves; most is missing at node 4; `hand` is the steepest cost",
        ),
        (blocked(&[]), "no-feasible-point", "no feasible point found"),
        (blocked(&["`a`"]), "no-feasible-point", "no feasible point found: `a` could not be made to hold"),
        (
            blocked(&["`a`", "`b`"]),
            "no-feasible-point",
            "no feasible point found: `a`, `b` block each other where it ended",
        ),
        (Status::IterationLimit, "iteration-limit", "iteration limit"),
        (Status::TimeLimit, "time-limit", "time limit"),
        (Status::Diverged, "diverged", "diverged: the cost grows beyond all bounds"),
        (Status::Fault(fault), "fault", "fault: node 3 (phase `walk`), dynamics: nothing has been prepared"),
        (Status::Stopped, "stopped", "stopped by the caller"),
    ];
    for (status, name, text) in cases {
        assert_eq!((status.name(), status.to_string().as_str()), (name, text));
        assert_eq!(status.is_solved(), status == Status::Converged, "{name}");
    }
    let warning = Warning { about: "hand".into(), node: Some(2), text: "It drifts.".into() };
    assert_eq!(warning.to_string(), "It drifts.");
}

#[test]
fn a_report_is_that_of_the_last_line_and_of_nothing_without_one() {
    let nothing = Report::new(Status::TimeLimit, &[]);
    assert_eq!((nothing.iterations, nothing.kkt_error, nothing.mu), (0, None, None));
    assert!([nothing.cost, nothing.gap, nothing.violation].iter().all(|x| *x == f64::INFINITY));
    let line = |iteration: usize| {
        let x = iteration as f64;
        Iteration {
            iteration,
            cost: x,
            gap: 2.0 * x,
            violation: 3.0 * x,
            kkt_error: Some(4.0 * x),
            expected_decrease: None,
            stationarity: 0.0,
            step: 1.0,
            accepted: true,
            regularization: 0.0,
            mu: Some(5.0 * x),
            penalty: Some(6.0 * x),
            exact: false,
        }
    };
    let report = Report::new(Status::Converged, &[line(0), line(1)]);
    assert_eq!((report.iterations, report.cost, report.gap, report.violation), (2, 1.0, 2.0, 3.0));
    assert_eq!((report.kkt_error, report.expected_decrease), (Some(4.0), None));
    assert_eq!((report.mu, report.penalty), (Some(5.0), Some(6.0)));
    assert!(report.warnings.is_empty() && report.attempts.is_empty());
}
