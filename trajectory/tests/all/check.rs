//! The check of problems finds wrong derivatives, and says where.

use crate::common::{reach, robot};
use gradyn::derivatives::check::Verdict;
use gradyn::{Method, Transform};
use gradyn::{Model, aba, aba_derivatives};
use gradyn_trajectory::residual::{Control, Depends, FnResidual, FramePlacement, FrameTranslation, StateError};
use gradyn_trajectory::step::{Acceleration, Actuation, Engine, ForwardDynamics, SemiImplicitEuler, Sensitivities};
use gradyn_trajectory::{Cost, PathConstraint, Phase, Problem, Reason, guess};

/// `r = (q₀ v₁, u₂²)`, whose Jacobian `change` may spoil.
fn product(depends: Depends, change: fn(&mut gradyn_trajectory::residual::Jacobian)) -> FnResidual {
    FnResidual::new(
        2,
        depends,
        |on, r| {
            r[0] = on.q[0] * on.v[1];
            r[1] = on.u.get(2).map_or(0.0, |u| u * u);
            Ok(())
        },
        move |on, by| {
            by.dq[(0, 0)] = on.v[1];
            if by.dv.ncols() > 0 {
                by.dv[(0, 1)] = on.q[0];
            }
            if by.du.ncols() > 2 {
                by.du[(1, 2)] = 2.0 * on.u[2];
            }
            change(by);
            Ok(())
        },
    )
}

const ALL: Depends = Depends { u: true, ..Depends::QV };

/// What is wrong with it, in the arm's problem: row, column, claimed, found.
fn found(given: FnResidual) -> Vec<(usize, usize, f64, f64)> {
    let model = robot("panda", false);
    let problem = reach(&model, 4, Some(Cost::new("product", given))).build().expect("is a problem");
    let mut at = guess::standing(&problem);
    for k in 0..=problem.steps() {
        at.x_mut(k)[0] = 0.7;
        at.x_mut(k)[8] = 0.4;
        at.u_mut(k).iter_mut().for_each(|u| *u = 1.5);
    }
    let check = problem.check(&at).expect("fits");
    let mut wrong = Vec::new();
    for checked in check.failures().filter(|checked| checked.node == 0) {
        assert_eq!((checked.phase.as_str(), checked.term.as_deref()), ("reach", Some("product")), "{check}");
        let report = checked.report.as_ref().expect("was checked");
        let entries = report.worst().into_iter().filter(|entry| entry.verdict == Verdict::Disagrees);
        wrong.extend(entries.map(|entry| (entry.row, entry.column, entry.claimed, entry.found)));
    }
    assert_eq!(check.agrees(), wrong.is_empty(), "{check}");
    wrong
}

#[test]
fn a_right_jacobian_agrees() {
    assert!(found(product(ALL, |_| ())).is_empty());
}

#[test]
fn a_wrong_entry_is_found() {
    let wrong = found(product(ALL, |by| by.dv[(0, 1)] *= 1.001));
    let [(0, 8, claimed, found)] = wrong[..] else { panic!("{wrong:?}") }; // v of the second joint: 7 + 1
    assert!((claimed - 0.7007).abs() < 1e-12 && (found - 0.7).abs() < 1e-9, "{claimed} {found}");
    let wrong = found_columns(product(ALL, |by| by.dq.fill(0.0)));
    assert_eq!(wrong, [(0, 0)]);
}

fn found_columns(given: FnResidual) -> Vec<(usize, usize)> {
    found(given).into_iter().map(|(row, column, ..)| (row, column)).collect()
}

/// A dependence that is not told is a column of zeros that should be none.
#[test]
fn a_dependence_that_is_not_told_is_found() {
    assert_eq!(found_columns(product(Depends { u: true, ..Depends::Q }, |_| ())), [(0, 8)]);
    assert_eq!(found_columns(product(Depends::QV, |_| ())), [(1, 16)]); // q and v, seven each, then u
}

/// Forward dynamics with `∂a/∂v` left out.
#[derive(Debug)]
struct Forgetful;

impl Acceleration for Forgetful {
    fn controls(&self) -> usize {
        2
    }
    fn value(&self, on: &mut Engine<'_>, [q, v, u]: [&[f64]; 3], a: &mut [f64], _f: &mut [f64]) -> Result<(), Reason> {
        a.copy_from_slice(aba(on.model, on.workspace, q, v, u, &[])?);
        Ok(())
    }
    fn derivatives(
        &self,
        on: &mut Engine<'_>,
        [q, v, u]: [&[f64]; 3],
        a: &mut [f64],
        _f: &mut [f64],
        by: &mut Sensitivities,
    ) -> Result<(), Reason> {
        let d = aba_derivatives(on.model, on.derivatives, Method::Analytical, q, v, u, &[])?;
        a.copy_from_slice(d.ddq.as_slice());
        by.a_q.copy_from(&d.ddq_dq);
        by.a_u.copy_from(&d.ddq_dtau);
        Ok(())
    }
}

#[test]
fn a_wrong_step_is_found_and_printed() {
    let model: Model = robot("double_pendulum", false);
    let step = SemiImplicitEuler::new(&model, Forgetful);
    let start = ([0.3, 0.8], [1.0, -2.0]);
    let problem = Problem::builder(&model).start(&start.0, &start.1).phase(Phase::new("swing", 5, 0.01, step));
    let problem = problem.build().expect("is a problem");
    let check = problem.check(&guess::standing(&problem)).expect("fits");
    assert!(check.failures().all(|checked| checked.term.is_none()));
    // The next state and the acceleration, at the first, the middle and the last node.
    assert_eq!(check.failures().map(|checked| checked.node).collect::<Vec<_>>(), [0, 0, 2, 2, 4, 4]);
    let text = check.to_string();
    assert!(text.starts_with("6 of 6 derivatives DISAGREE"), "{text}");
    assert!(text.contains("node 2 (phase `swing`), step: next state: "), "{text}");
    assert!(text.contains("by v "), "{text}");
}

/// What cannot be evaluated is told in its place, and does not stop the check of the rest.
#[test]
fn a_term_that_fails_is_told() {
    let model = robot("panda", false);
    let hand = model.find_frame("panda_link8").expect("is there");
    let here = gradyn::dynamics::frame_pose(&model, &mut gradyn::Workspace::new(&model), &crate::common::ARM, hand);
    let here = here.expect("runs");
    let turned = here.rotation * gradyn::spatial::exp3(nalgebra::Vector3::new(0.0, std::f64::consts::PI, 0.0));
    let goal = Transform::new(turned, here.translation);
    let problem = reach(&model, 4, Some(Cost::new("turned", FramePlacement::new(hand, goal)))).build().expect("is");
    let check = problem.check_at(&guess::standing(&problem), &[1]).expect("fits");
    let failures: Vec<_> = check.failures().collect();
    assert_eq!(failures.len(), 1, "{check}");
    assert_eq!(failures[0].term.as_deref(), Some("turned"));
    assert!(failures[0].to_string().contains("cannot be checked: it is half a turn from its goal"), "{}", failures[0]);
}

/// A constraint is a term like a cost; a right one is looked at with the step, and with all second derivatives of its
/// node.
#[test]
fn constraints_are_looked_at() {
    for (name, floating) in [("panda", false), ("solo12", true)] {
        let model = robot(name, floating);
        let frame = model.frames().last().expect("has frames").name().to_owned();
        let frame = model.find_frame(&frame).expect("is there");
        let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
        let place = || FrameTranslation::new(frame, [0.3, 0.1, 0.2].into());
        let problem = |wrong: bool| {
            let mut phase = Phase::new("move", 3, 0.02, step.clone())
                .cost(Cost::new("torque", Control::zero()))
                .constraint(PathConstraint::at_most("place", place(), 5.0))
                .constraint(PathConstraint::equal("still", StateError::neutral(&model)).only_at(&[1]));
            if wrong {
                phase =
                    phase.constraint(PathConstraint::at_most("product", product(ALL, |by| by.dq[(0, 0)] *= 2.0), 9.0));
            }
            let start = (model.neutral::<f64>(), vec![0.3; model.nv()]);
            let builder = Problem::builder(&model).start(&start.0, &start.1).phase(phase);
            builder.last_constraint(PathConstraint::equal("there", place())).build().expect("is a problem")
        };
        let right = problem(false);
        let check = right.check(&guess::standing(&right)).expect("fits");
        assert!(check.agrees(), "{name}: {check}");
        for term in ["place", "still", "there", "constraints", "Lagrangian"] {
            assert!(check.checked.iter().any(|checked| checked.term.as_deref() == Some(term)), "{name}: {term}");
        }
        let wrong = problem(true);
        let check = wrong.check(&guess::standing(&wrong)).expect("fits");
        assert!(!check.agrees());
        assert!(check.failures().all(|checked| checked.term.as_deref() == Some("product")), "{name}: {check}");
    }
}

#[test]
fn guesses_and_nodes_that_do_not_fit_are_refused() {
    let model = robot("panda", false);
    let [four, five] = [4, 5].map(|nodes| reach(&model, nodes, None).build().expect("is a problem"));
    assert!(four.check(&guess::standing(&five)).expect_err("is longer").to_string().contains("is 5"));
    assert!(four.check_at(&guess::standing(&four), &[9]).expect_err("is none").to_string().contains("a node is 9"));
}
