//! What a solver says where it cannot solve: the right status, with names, and the best iterate kept.

use crate::common::{ARM, reach, robot};
use gradyn::Transform;
use gradyn_trajectory::residual::{Control, Depends, FnResidual, FramePlacement, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, Impulse, SemiImplicitEuler};
use gradyn_trajectory::{
    Control as Wish, Cost, Fddp, FddpOptions, Loss, Newton, NewtonOptions, Phase, Problem, ProblemError, Reason,
    Status, guess,
};

/// A cost that is no number wherever this holds of time and first angle.
fn undefined(at: impl Fn(f64, f64) -> bool + Send + Sync + 'static) -> Cost {
    let residual = FnResidual::new(
        2,
        Depends::Q,
        move |on, r| {
            r.fill(0.0);
            if at(on.time, on.q[0]) {
                r[1] = f64::NAN;
            }
            Ok(())
        },
        |_, out| {
            out.dq.fill(0.0);
            Ok(())
        },
    );
    Cost::new("mine", residual)
}

#[test]
fn a_number_that_is_none_is_named_by_node_term_and_entry() {
    let model = robot("panda", false);
    // Nodes are 0.01 s apart: the first one after 0.165 s is the seventeenth.
    let problem = reach(&model, 100, Some(undefined(|time, _| time > 0.165))).build().expect("a problem");
    let start = guess::standing(&problem);
    let reports = [
        Fddp::new(&problem, FddpOptions::default()).solve(&problem, &start),
        Newton::new(&problem, NewtonOptions::default()).solve(&problem, &start),
    ];
    for report in reports {
        let Status::Fault(fault) = &report.status else { panic!("{report:?}") };
        assert_eq!((fault.node, fault.phase.as_str(), fault.entry()), (17, "reach", Some(1)));
        assert_eq!(fault.term.as_deref(), Some("mine"));
        let text = report.status.to_string();
        assert!(text.contains("node 17") && text.contains("`mine`"), "{text}");
    }
}

#[test]
fn where_a_trial_cannot_be_evaluated_the_last_good_trajectory_is_kept() {
    let model = robot("panda", false);
    let problem = reach(&model, 100, Some(undefined(|_, angle| angle != 0.0))).build().expect("a problem");
    let start = guess::standing(&problem);
    let mut solver = Fddp::new(&problem, FddpOptions::default());
    let report = solver.solve(&problem, &start);
    assert!(matches!(&report.status, Status::Fault(fault) if fault.term.as_deref() == Some("mine")), "{report:?}");
    assert!(report.cost.is_finite() && solver.trajectory() == &start);
    let mut solver = Newton::new(&problem, NewtonOptions::default());
    let report = solver.solve(&problem, &start);
    assert!(matches!(&report.status, Status::Fault(fault) if fault.term.as_deref() == Some("mine")), "{report:?}");
    assert!(report.cost.is_finite() && solver.trajectory() == &start);
}

#[test]
fn a_goal_out_of_reach_is_approached() {
    let model = robot("panda", false);
    let mut problem = reach(&model, 50, None).build().expect("a problem");
    let far = FramePlacement::goal_of(&Transform::from_translation([1.2, 0.0, 0.3].into()));
    (0..=50).for_each(|k| problem.set_goal(k, "hand", &far).expect("a goal"));
    let mut solver = Fddp::new(&problem, FddpOptions::default());
    let report = solver.solve(&problem, &guess::standing(&problem));
    // Gauss-Newton is slow where residuals stay large.
    assert!(matches!(report.status, Status::Converged | Status::IterationLimit), "{report:?}");
    let hand = model.find_frame("panda_link8").expect("a hand");
    let mut workspace = gradyn::Workspace::new(&model);
    let mut at = |k: usize| {
        let q = &solver.trajectory().x(k)[..7];
        gradyn::dynamics::frame_pose(&model, &mut workspace, q, hand).expect("a pose").translation
    };
    let goal = nalgebra::Vector3::new(1.2, 0.0, 0.3);
    // Link 8 is 0.107 m behind the wrist, which can be 0.855 m from the shoulder at 0.333 m: some 0.96 m in all.
    let (before, after) = ((at(0) - goal).norm(), (at(50) - goal).norm());
    assert!(before > 0.6 && (0.24..0.4).contains(&after), "{before} m, then {after} m");
}

#[test]
fn a_frame_turned_by_half_a_turn_is_a_fault_and_no_nan() {
    let model = robot("panda", false);
    let hand = model.find_frame("panda_link8").expect("a hand");
    let mut workspace = gradyn::Workspace::new(&model);
    let pose = gradyn::dynamics::frame_pose(&model, &mut workspace, &ARM, hand).expect("a pose");
    let turned = pose * Transform::from_rpy([std::f64::consts::PI, 0.0, 0.0], [0.0; 3].into());
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let problem = Problem::builder(&model)
        .start(&ARM, &[0.0; 7])
        .phase(Phase::new("turn", 5, 0.01, step).cost(Cost::new("hand", FramePlacement::new(hand, turned))))
        .build()
        .expect("a problem");
    let mut solver = Fddp::new(&problem, FddpOptions::default());
    let report = solver.solve(&problem, &guess::standing(&problem));
    // The rotation vector has length π here, and two directions: whichever it takes, all numbers are finite.
    match &report.status {
        Status::Fault(fault) => assert_eq!(fault.term.as_deref(), Some("hand")),
        _ => assert!(report.cost.is_finite(), "{report:?}"),
    }
}

#[test]
fn the_same_contact_twice_is_one_contact() {
    let model = robot("solo12", true);
    let foot = model.find_frame("FL_FOOT").expect("a foot");
    let contact = || {
        let constraint = gradyn::Constraint::frame_contact(&model, foot, [0.2, 0.1, 0.0].into());
        gradyn_trajectory::step::Contact::new("foot", constraint.expect("a contact"))
    };
    let dynamics = |count: usize| {
        let contacts: Vec<_> = (0..count).map(|_| contact()).collect();
        ForwardDynamics::new(Actuation::of(&model)).with_contacts(&contacts)
    };
    let cost = |count: usize| {
        let problem = Problem::builder(&model)
            .phase(
                Phase::new("stand", 10, 0.01, SemiImplicitEuler::new(&model, dynamics(count)))
                    .cost(Cost::new("state", StateError::neutral(&model)))
                    .cost(Cost::new("torque", Control::zero()).weight(1e-3)),
            )
            .build()
            .expect("a problem");
        let report = Fddp::new(&problem, FddpOptions::default()).solve(&problem, &guess::standing(&problem));
        assert!(report.cost.is_finite(), "{report:?}");
        report.cost
    };
    let (once, twice) = (cost(1), cost(2));
    // Both have the same accelerations, of which the cost is a function.
    assert!((once - twice).abs() < 1e-9 * once, "{once} {twice}");
}

#[test]
fn callers_can_stop_and_limits_hold() {
    let model = robot("panda", false);
    let problem = reach(&model, 100, None).build().expect("a problem");
    let start = guess::standing(&problem);
    let mut solver = Fddp::new(&problem, FddpOptions::default());
    let report = solver.solve_with(&problem, &start, |it| if it.iteration == 2 { Wish::Stop } else { Wish::Continue });
    assert_eq!((report.status, report.iterations), (Status::Stopped, 3));
    solver.options_mut().iterations = 2;
    let report = solver.solve(&problem, &start);
    assert_eq!((report.status, report.iterations), (Status::IterationLimit, 2));
    solver.options_mut().time = Some(std::time::Duration::ZERO);
    assert_eq!(solver.solve(&problem, &start).status, Status::TimeLimit);
}

#[test]
fn a_guess_of_another_problem_is_refused() {
    let model = robot("panda", false);
    let problem = reach(&model, 10, None).build().expect("a problem");
    let other = reach(&model, 11, None).build().expect("a problem");
    let mut solver = Fddp::new(&problem, FddpOptions::default());
    let status = solver.solve(&problem, &guess::standing(&other)).status;
    assert!(
        matches!(&status, Status::Fault(fault) if matches!(*fault.reason, Reason::SizeMismatch { .. })),
        "{status}"
    );
}

/// With no first multiple of the identity it would be raised from zero without an end.
#[test]
fn options_that_are_not_positive_are_named() {
    let model = robot("panda", false);
    let problem = reach(&model, 10, None).build().expect("a problem");
    let start = guess::standing(&problem);
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        for name in ["barrier", "regularization"] {
            let mut options = NewtonOptions::default();
            *(if name == "barrier" { &mut options.barrier } else { &mut options.regularization }) = value;
            let mut solver = Newton::new(&problem, options);
            let status = solver.solve(&problem, &start).status;
            let prepared = solver.prepare(&problem).expect_err("not with these");
            for said in [status.to_string(), prepared.to_string()] {
                assert!(said.contains(&format!("`{name}` is {value}")), "{said}");
            }
        }
    }
}

#[test]
fn descriptions_that_are_no_problem_are_named() {
    let model = robot("panda", false);
    let step = || SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let build = |phase: Phase| Problem::builder(&model).phase(phase).build().expect_err("no problem").to_string();
    let cases = [
        (build(Phase::new("a", 0, 0.01, step())), "phase `a`: it has no node"),
        (build(Phase::new("a", 3, 0.0, step())), "phase `a`: the length of a step is 0: it must be positive, s"),
        (
            build(Phase::new("a", 3, 0.1, step()).steps(&[0.1, 0.2])),
            "phase `a`: the list of lengths of steps has 2 entries, expected 3",
        ),
        (
            build(Phase::new("a", 3, 0.1, step()).control_bounds(&[1.0; 7], &[-1.0; 7])),
            "phase `a`: a least control is 1: it must not be above the greatest",
        ),
        (
            build(Phase::jump("a", Impulse::new(&[], 0.0)).steps(&[0.1])),
            "phase `a`: the length of a step is 0.1: a jump takes no time",
        ),
        (
            build(Phase::new("a", 3, 0.1, step()).cost(Cost::new("c", Control::zero()).weight(-1.0))),
            "phase `a`, cost `c`: the weight is -1: it must be finite and not negative",
        ),
        (
            build(
                Phase::new("a", 3, 0.1, step())
                    .cost(Cost::new("c", Control::zero()).loss(Loss::Diagonal(vec![1.0; 6]))),
            ),
            "phase `a`, cost `c`: the list of weights has 6 entries, expected 7",
        ),
        (
            build(
                Phase::new("a", 3, 0.1, step())
                    .cost(Cost::new("c", Control::zero()))
                    .cost(Cost::new("c", Control::zero())),
            ),
            "phase `a`: there are two costs of the name `c`",
        ),
        (
            build(Phase::new("a", 3, 0.1, step()).cost(Cost::new("c", Control::at(&[0.0; 3])))),
            "phase `a`, cost `c`: the goal of controls has 3 entries, expected 7",
        ),
        (
            build(Phase::new("a", 3, 0.1, step()).cost(Cost::new("c", Control::zero()).only_at(&[3]))),
            "phase `a`, cost `c`: a node that it counts at is 3: the phase has fewer nodes",
        ),
        (
            build(Phase::new("a", 3, 0.1, SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::Full(6))))),
            "phase `a`: the actuation matrix, by rows, has 6 entries, expected 7",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
    let error = Problem::builder(&model).build().expect_err("no phase");
    assert_eq!(error, ProblemError::Missing { place: "the problem".into(), what: "it has no phase" });
    let error = Problem::builder(&model).start(&[f64::NAN; 7], &[0.0; 7]).phase(Phase::new("a", 1, 0.1, step()));
    assert!(error.build().expect_err("no start").to_string().starts_with("the start: "));
}

/// A stalled end names the cost that is steepest, not the one that is largest.
#[test]
fn a_stalled_end_names_a_cost_that_has_a_gradient() {
    let model = robot("pendulum", false);
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    // A derivative of the wrong sign: no step improves.
    let wrong = FnResidual::new(
        1,
        Depends::U,
        |on, r| {
            r[0] = on.u[0] - 1.0;
            Ok(())
        },
        |_, out| {
            out.du.fill(-1.0);
            Ok(())
        },
    );
    let large = FnResidual::new(
        1,
        Depends::Q,
        |_, r| {
            r[0] = 3.0;
            Ok(())
        },
        |_, out| {
            out.dq.fill(0.0);
            Ok(())
        },
    );
    let phase = Phase::new("move", 5, 0.1, step).cost(Cost::new("large", large)).cost(Cost::new("wrong", wrong));
    let problem = Problem::builder(&model).phase(phase).build().expect("is a problem");
    let start = guess::standing(&problem);
    let gradients = problem.gradients(0, start.x(0), start.u(0), &mut problem.memory()).expect("runs");
    // ½ h r², of which r is −1 and its derivative −1.
    assert_eq!(gradients[0], ("large".to_owned(), 0.0));
    assert!(gradients[1].0 == "wrong" && (gradients[1].1 - 0.1).abs() < 1e-15, "{gradients:?}");
    let report = Fddp::new(&problem, FddpOptions::default()).solve(&problem, &start);
    let Status::Stalled { term, .. } = &report.status else { panic!("{report:?}") };
    assert_eq!(term.as_deref(), Some("wrong"));
    let text = report.status.to_string();
    assert!(text.ends_with("; `wrong` is the steepest cost"), "{text}");
}
