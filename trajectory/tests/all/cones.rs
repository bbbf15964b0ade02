//! Second-order cones: closed forms, conditions of optimality by differences, other formulations of the same problem,
//! infeasible ones.

use crate::common::puck::{conditions, puck, random_problem};
use crate::common::robot;
use gradyn::model::InputError;
use gradyn::{Model, Scalar};
use gradyn_trajectory::residual::{
    Affine, AutodiffResidual, Control, CoulombCone, FrictionCone, Quantity, QuantityPoint, StateError,
};
use gradyn_trajectory::residual::{Depends, FrameTranslation};
use gradyn_trajectory::step::{Actuation, Contact, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{
    Cost, Fddp, FddpOptions, Newton, NewtonOptions, PathConstraint, Phase, Problem, Proximal, ProximalOptions, Report,
    Status, Trajectory, guess,
};
use nalgebra::{DMatrix, DVector, Vector3};

/// Solves from the standing guess with default options.
fn solve(problem: &Problem) -> (Newton, Report) {
    let mut solver = Newton::new(problem, NewtonOptions::default());
    let report = solver.solve(problem, &guess::standing(problem));
    (solver, report)
}

fn identity(n: usize) -> Affine {
    Affine::new(Control::zero(), DMatrix::identity(n, n), DVector::zeros(n))
}

/// `min ½ |u − a|²` with u in the cone: one node of a puck that floats.
fn projection(a: [f64; 3]) -> Problem {
    let model = puck();
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::Full(3)));
    let phase = Phase::new("push", 1, 0.1, step)
        .cost(Cost::new("near", Control::at(&a)).only_at(&[0]))
        .constraint(PathConstraint::second_order_cone("cone", identity(3)));
    Problem::builder(&model).phase(phase).build().expect("a problem")
}

/// The projection onto `t ≥ |w|`: the point itself inside, the tip from the polar cone, and else
/// `½ (1 + t/|w|) (|w|, w)`. Its multiplier is what is left, turned round.
#[test]
fn projections_are_those_in_closed_form() {
    let cases: [([f64; 3], Option<[f64; 3]>); 7] = [
        ([2.0, 1.0, 0.5], Some([2.0, 1.0, 0.5])),
        ([30.0, 1.0, -20.0], Some([30.0, 1.0, -20.0])),
        ([-2.0, 1.0, 0.5], Some([0.0; 3])),
        ([-300.0, 10.0, 5.0], Some([0.0; 3])),
        ([1.0, 3.0, 4.0], None),
        ([-1.0, 3.0, 4.0], None),
        ([0.0, -60.0, 80.0], None),
    ];
    for (a, known) in cases {
        let size = f64::hypot(a[1], a[2]);
        let share = 0.5 * (1.0 + a[0] / size);
        let expected = known.unwrap_or([share * size, share * a[1], share * a[2]]);
        let problem = projection(a);
        let (solver, report) = solve(&problem);
        assert_eq!(report.status, Status::Converged, "{a:?}");
        assert!(report.iterations <= 15, "{a:?}: {} iterations", report.iterations);
        let (u, y) = (solver.trajectory().u(0), &solver.multipliers(0).ineq);
        println!("{a:?}: {} iterations, {u:?}, multiplier {:?}", report.iterations, y.as_slice());
        // The cone is 1e-8 wider, and the barrier ends at 1e-9 of a cost that is scaled by up to 1/3 to 1/100: some
        // 1e-7.
        for i in 0..3 {
            assert!((u[i] - expected[i]).abs() < 2e-7, "{a:?}: {u:?} {expected:?}");
            // u − a + y = 0
            assert!((y[i] + expected[i] - a[i]).abs() < 1e-6, "{a:?}: {y:?}");
        }
    }
}

/// From the tip itself, from far outside, and from the boundary.
#[test]
fn any_start_will_do() {
    let problem = projection([1.0, 3.0, 4.0]);
    for u in [[0.0; 3], [0.0, 100.0, 0.0], [-1e3, 0.0, 0.0], [1.0, 1.0, 0.0], [5.0, 3.0, 4.0]] {
        let mut start = guess::standing(&problem);
        start.u_mut(0).copy_from_slice(&u);
        let mut solver = Newton::new(&problem, NewtonOptions::default());
        let report = solver.solve(&problem, &start);
        assert_eq!(report.status, Status::Converged, "{u:?}");
        assert!(report.iterations <= 25, "{u:?}: {} iterations", report.iterations);
        let found = solver.trajectory().u(0);
        assert!(found.iter().zip([3.0, 1.8, 2.4]).all(|(a, b)| (a - b).abs() < 2e-7), "{u:?}: {found:?}");
    }
}

/// Linear-quadratic problems by seed, with cones of controls, balls of controls and of states: all are solved, and the
/// conditions of optimality hold by differences.
#[test]
fn forty_random_convex_problems_are_solved() {
    let (mut most, mut all, mut tight) = (0, 0, 0);
    for seed in 0..40 {
        let problem = random_problem(seed);
        let (solver, report) = solve(&problem);
        assert_eq!(report.status, Status::Converged, "seed {seed}: {report:?}");
        assert!(report.kkt_error.unwrap_or(f64::NAN) <= 1e-8, "seed {seed}: {report:?}");
        let found = conditions(&problem, &solver);
        assert!(found.stationarity < 1e-6 * found.scale, "seed {seed}: {found:?}");
        // Cones are 1e-8 wider than they are given.
        assert!(found.outside < 3e-8 && found.multipliers_outside <= 0.0, "seed {seed}: {found:?}");
        assert!(found.products < 1e-6 * found.scale, "seed {seed}: {found:?}");
        (most, all, tight) = (most.max(report.iterations), all + report.iterations, tight + found.tight);
    }
    println!("{} iterations on average, {most} at most; {tight} cones are tight", f64::from(all as u32) / 40.0);
    assert!(tight > 100, "{tight}");
    assert!(most <= 40, "{most}");
}

/// `(t, t² − |w|²)`, to be at least zero: the same cone as two rows that are smooth.
#[derive(Debug)]
struct Smooth;

impl Quantity for Smooth {
    fn rows(&self, _model: &Model) -> usize {
        2
    }
    fn depends(&self) -> Depends {
        Depends::U
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        r[0] = on.u[0];
        r[1] = on.u[0] * on.u[0] - on.u[1] * on.u[1] - on.u[2] * on.u[2];
        Ok(())
    }
}

/// A puck is thrown toward a place, by forces in a cone about x.
fn throw(constraint: impl Fn(&Model) -> PathConstraint) -> Problem {
    let model = puck();
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::Full(3)));
    let phase = Phase::new("push", 10, 0.1, step)
        .cost(Cost::new("force", Control::at(&[1.0, 3.0, 0.0])))
        .constraint(constraint(&model));
    Problem::builder(&model)
        .start(&[0.0; 3], &[0.0, 0.3, 0.1])
        .phase(phase)
        .last(Cost::new("there", StateError::at(&model, &[0.4, 0.8, -0.5], &[0.0; 3])).weight(10.0))
        .build()
        .expect("a problem")
}

#[test]
fn smooth_rows_have_the_same_optimum() {
    let (cone, smooth) = (
        throw(|_| PathConstraint::second_order_cone("cone", identity(3))),
        throw(|model| PathConstraint::at_least("smooth", AutodiffResidual::new(model, Smooth), 0.0)),
    );
    let ((by_cone, report), (by_rows, other)) = (solve(&cone), solve(&smooth));
    println!("{} iterations by the cone, {} by smooth rows", report.iterations, other.iterations);
    assert_eq!((&report.status, &other.status), (&Status::Converged, &Status::Converged));
    // The smooth rows are wider by 1e-8 in the square: 1e-4 at the tip, where some nodes are.
    assert!((report.cost - other.cost).abs() < 1e-5 * report.cost, "{} {}", report.cost, other.cost);
    assert!(report.iterations <= other.iterations, "{} {}", report.iterations, other.iterations);
    let found = conditions(&cone, &by_cone);
    assert!(found.tight >= 5, "{found:?}");
    for k in 0..10 {
        let off = by_cone.trajectory().u(k).iter().zip(by_rows.trajectory().u(k)).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f64::max) < 2e-3, "{k}: {:?} {:?}", by_cone.trajectory().u(k), by_rows.trajectory().u(k));
    }
}

/// The quadruped leans to its side within a cone of each foot.
fn lean(cone: impl Fn(&str) -> PathConstraint) -> Problem {
    let model = robot("solo12", true);
    let mut q = model.neutral::<f64>();
    q[2] = 0.24;
    for (leg, sign) in [(0, 1.0), (1, 1.0), (2, -1.0), (3, -1.0)] {
        (q[7 + 3 * leg + 1], q[7 + 3 * leg + 2]) = (0.8 * sign, -1.6 * sign);
    }
    let feet = ["FL", "FR", "HL", "HR"];
    let at = |foot: &&str| {
        let name = format!("{foot}_FOOT");
        Contact::point_at(&model, &name, &q).expect("is there").with_default_gains(0.02)
    };
    let contacts: Vec<_> = feet.iter().map(at).collect();
    let dynamics = ForwardDynamics::new(Actuation::of(&model)).with_contacts(&contacts);
    let mut aside = q.clone();
    aside[1] += 0.05;
    aside[0] += 0.03;
    let weights: Vec<f64> = (0..36).map(|k| if k < 3 { 100.0 } else { 0.1 }).collect();
    let mut phase = Phase::new("lean", 12, 0.02, SemiImplicitEuler::new(&model, dynamics))
        .cost(Cost::new("torque", Control::zero()).weight(1e-2))
        .cost(
            Cost::new("aside", StateError::at(&model, &aside, &[0.0; 18]))
                .loss(gradyn_trajectory::Loss::Diagonal(weights))
                .weight(10.0),
        );
    for foot in feet {
        phase = phase.constraint(cone(&format!("{foot}_FOOT")));
    }
    Problem::builder(&model).start(&q, &[0.0; 18]).phase(phase).build().expect("a problem")
}

/// A cone lies between pyramids of many sides outside and inside of it, and so does its optimum.
#[test]
fn the_cone_of_a_foot_lies_between_pyramids() {
    const MU: f64 = 0.4;
    let pyramid = |cone: FrictionCone, foot: &str| {
        let (lower, upper) = match cone.loss() {
            gradyn_trajectory::Loss::QuadraticBarrier { lower, upper } => (lower, upper),
            other => panic!("{other:?}"),
        };
        PathConstraint::within(format!("{foot} cone"), cone, &lower, &upper)
    };
    let outside = |foot: &str| pyramid(FrictionCone::of(foot).friction(MU).facets(24), foot);
    let inside = |foot: &str| pyramid(FrictionCone::of(foot).friction(MU).facets(24).inside(), foot);
    let cone =
        |foot: &str| PathConstraint::second_order_cone(format!("{foot} cone"), CoulombCone::of(foot).friction(MU));
    let problem = lean(cone);
    let ((solver, report), (_, outer), (_, inner)) = (solve(&problem), solve(&lean(outside)), solve(&lean(inside)));
    println!("{outer:?}\n{report:?}\n{inner:?}");
    for found in [&report, &outer, &inner] {
        assert_eq!(found.status, Status::Converged);
    }
    assert!(report.iterations <= 60, "{}", report.iterations);
    // Both pyramids differ from the cone by 1 − cos(π/24), that is 0.9 % of friction.
    let slack = 1e-7 * report.cost;
    assert!(outer.cost <= report.cost + slack && report.cost <= inner.cost + slack, "{outer:?} {report:?} {inner:?}");
    assert!(inner.cost - outer.cost < 0.05 * report.cost && inner.cost - outer.cost > 1e-6 * report.cost);
    proximal_agrees(&problem, &report);
    let found = conditions(&problem, &solver);
    assert!(found.tight >= 4 && found.outside < 1e-6 && found.multipliers_outside <= 0.0, "{found:?}");
    assert!(found.products < 1e-6 * found.scale, "{found:?}");
}

/// The augmented Lagrangian finds the same solution.
fn proximal_agrees(problem: &Problem, newton: &Report) {
    let mut solver = Proximal::new(problem, ProximalOptions::default());
    let report = solver.solve(problem, &guess::standing(problem));
    println!("{report:?}");
    assert_eq!(report.status, Status::Converged);
    // Both end where the conditions of optimality hold to 1e-8 of a cost that is scaled.
    assert!((report.cost - newton.cost).abs() < 1e-5 * newton.cost, "{} {}", report.cost, newton.cost);
    assert!(report.iterations <= 150, "{}", report.iterations);
    let from = solver.warm_start().expect("has ended");
    let again = Proximal::new(problem, ProximalOptions::default()).solve_warm(problem, &from);
    assert!(again.status == Status::Converged && again.iterations <= 5, "{again:?}");
}

/// The four thrusts of a quadrotor together are at most 6 N: less than the free optimum takes, more than hovering.
#[test]
fn a_quadrotor_within_the_norm_of_its_thrusts() {
    let model = robot("quadrotor", true);
    let mut thrusts = DMatrix::zeros(6, 4);
    for (k, (x, y, moment)) in
        [(0.18, 0.18, 0.016), (0.18, -0.18, -0.016), (-0.18, 0.18, -0.016), (-0.18, -0.18, 0.016)]
            .into_iter()
            .enumerate()
    {
        thrusts.column_mut(k).copy_from_slice(&[0.0, 0.0, 1.0, y, -x, moment]);
    }
    let there = [1.0, 0.5, 1.5, 0.0, 0.0, 0.0, 1.0];
    let make = |most: Option<f64>| {
        let dynamics = ForwardDynamics::new(Actuation::Matrix(thrusts.clone()));
        let mut phase = Phase::new("fly", 40, 0.025, SemiImplicitEuler::new(&model, dynamics))
            .cost(Cost::new("thrust", Control::at(&[2.4525; 4])).weight(0.05));
        if let Some(most) = most {
            phase = phase.constraint(PathConstraint::norm_at_most("thrust", Control::zero(), most));
        }
        Problem::builder(&model)
            .start(&[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], &[0.0; 6])
            .phase(phase)
            .last(Cost::new("there", StateError::at(&model, &there, &[0.0; 6])).weight(100.0))
            .build()
            .expect("a problem")
    };
    let most = |solver: &Newton| {
        let norm = |k| solver.trajectory().u(k).iter().map(|u| u * u).sum::<f64>().sqrt();
        (0..40).map(norm).fold(0.0, f64::max)
    };
    let (free, report) = solve(&make(None));
    assert_eq!(report.status, Status::Converged);
    let radius = 6.0;
    assert!(most(&free) > radius + 0.1, "{}", most(&free));
    let problem = make(Some(radius));
    let (held, bounded) = solve(&problem);
    println!("{} iterations free, {} within {radius} of {}", report.iterations, bounded.iterations, most(&free));
    assert_eq!(bounded.status, Status::Converged);
    assert!(bounded.iterations <= 60 && bounded.cost > report.cost, "{bounded:?} {report:?}");
    assert!((most(&held) - radius).abs() < 1e-6, "{}", most(&held));
    proximal_agrees(&problem, &bounded);
    let found = conditions(&problem, &held);
    assert!(found.tight >= 2 && found.multipliers_outside <= 0.0 && found.products < 1e-6 * found.scale, "{found:?}");
}

#[test]
fn cones_that_block_are_named() {
    let model = puck();
    let step = || SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::Full(3)));
    let reach = |most: f64| {
        let phase = Phase::new("push", 10, 0.1, step())
            .cost(Cost::new("force", Control::zero()))
            .constraint(PathConstraint::norm_at_most("strength", Control::zero(), most));
        let there = PathConstraint::equal("there", StateError::at(&model, &[3.0, 1.0, 0.0], &[0.0; 3]));
        Problem::builder(&model).phase(phase).last_constraint(there).build().expect("a problem")
    };
    // From rest to rest over 3.2 m in 1 s takes some 13 N.
    assert_eq!(solve(&reach(20.0)).1.status, Status::Converged);
    // u is within 1 of zero, and in a cone whose tip is at 3.
    let away = Affine::new(Control::zero(), DMatrix::identity(3, 3), DVector::from_column_slice(&[-3.0, 0.0, 0.0]));
    let phase = Phase::new("push", 3, 0.1, step())
        .cost(Cost::new("force", Control::zero()))
        .constraint(PathConstraint::norm_at_most("ball", Control::zero(), 1.0))
        .constraint(PathConstraint::second_order_cone("away", away));
    let apart = Problem::builder(&model).phase(phase).build().expect("a problem");
    for (problem, names) in [(reach(5.0), ["strength", "there"]), (apart, ["ball", "away"])] {
        let proximal = Proximal::new(&problem, ProximalOptions::default()).solve(&problem, &guess::standing(&problem));
        for report in [solve(&problem).1, proximal] {
            let Status::NoFeasiblePoint { constraints } = &report.status else {
                panic!("{names:?}: {}", report.status)
            };
            println!("{constraints:?} after {} iterations", report.iterations);
            for name in names {
                assert!(constraints.iter().any(|found| found.contains(&format!("`{name}`"))), "{constraints:?}");
            }
        }
    }
}

#[test]
fn other_solvers_refuse_cones_by_name() {
    let problem = projection([1.0, 3.0, 4.0]);
    let start = guess::standing(&problem);
    let status = Fddp::new(&problem, FddpOptions::default()).solve(&problem, &start).status;
    let Status::Fault(fault) = status else { panic!("{status}") };
    assert_eq!(fault.term.as_deref(), Some("cone"));
    assert!(fault.to_string().contains("Newton"), "{fault}");
}

#[test]
fn what_is_no_cone_is_refused() {
    let model = puck();
    let refused = |constraint: PathConstraint| {
        let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::Full(3)));
        let phase = Phase::new("push", 2, 0.1, step).constraint(constraint);
        Problem::builder(&model).phase(phase).build().expect_err("is refused").to_string()
    };
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = refused(PathConstraint::norm_at_most("ball", Control::zero(), radius));
        assert!(error.contains("`push`") && error.contains(&format!("{radius}")), "{error}");
    }
    let affine = |rows, columns, offset| {
        let m = Affine::new(Control::zero(), DMatrix::zeros(rows, columns), DVector::zeros(offset));
        refused(PathConstraint::second_order_cone("cone", m))
    };
    assert!(affine(3, 4, 3).contains('4') && affine(3, 3, 2).contains('2'), "{}", affine(3, 4, 3));
    assert!(refused(PathConstraint::second_order_cone("cone", CoulombCone::of("foot"))).contains("`foot`"));
    let cone = |friction| PathConstraint::second_order_cone("cone", CoulombCone::of("foot").friction(friction));
    assert!(refused(cone(0.0)).contains('0') && refused(cone(f64::NAN)).contains("NaN"));
}

/// A cone at some nodes only, and one of states at the end; a solution that is moved on is nearly one.
#[test]
fn cones_move_with_the_horizon() {
    let model = puck();
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::Full(3)));
    let phase = Phase::new("push", 20, 0.1, step)
        .cost(Cost::new("force", Control::zero()).weight(0.05))
        .cost(Cost::new("there", StateError::at(&model, &[0.5, 1.0, 0.2], &[0.0; 3])))
        .constraint(PathConstraint::second_order_cone("cone", identity(3)).only_at(&[2, 3, 4, 5, 6]))
        .constraint(PathConstraint::norm_at_most("strength", Control::zero(), 3.0));
    let mut problem = Problem::builder(&model).phase(phase).build().expect("a problem");
    let (mut solver, cold) = solve(&problem);
    assert_eq!(cold.status, Status::Converged);
    let found = conditions(&problem, &solver);
    assert!(found.tight >= 3 && found.stationarity < 1e-6 * found.scale, "{found:?}");
    // Of the nodes outside of the list none is in the cone.
    assert!(solver.trajectory().u(12)[0] < 0.0 || solver.trajectory().u(0)[1] > solver.trajectory().u(0)[0]);
    let next: Vec<f64> = solver.trajectory().x(1).to_vec();
    solver.shift(&problem, 1).expect("fits");
    problem.set_start(&next[..3], &next[3..]).expect("is a state");
    let start: Trajectory = guess::standing(&problem);
    let warm = solver.resolve(&problem, &start);
    println!("{} iterations cold, {} warm", cold.iterations, warm.iterations);
    assert_eq!(warm.status, Status::Converged);
    assert!(warm.iterations < cold.iterations, "{} {}", warm.iterations, cold.iterations);
}

/// A residual that bends: the hand of an arm stays in a ball; exact second derivatives end quadratically.
#[test]
fn residuals_that_bend_are_kept_with_their_curvature() {
    let model = robot("panda", false);
    let hand = model.find_frame("panda_link8").expect("a hand");
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let (middle, radius) = (Vector3::new(0.45, 0.0, 0.5), 0.2);
    let phase = Phase::new("reach", 25, 0.03, step)
        .cost(Cost::new("hand", FrameTranslation::new(hand, [0.4, 0.5, 0.4].into())).weight(20.0))
        .cost(Cost::new("state", StateError::at(&model, &crate::common::ARM, &[0.0; 7])).weight(0.1))
        .cost(Cost::new("torque", Control::zero()).weight(1e-3))
        .constraint(
            PathConstraint::norm_at_most("ball", FrameTranslation::new(hand, middle), radius)
                .only_at(&(1..25).collect::<Vec<_>>()),
        );
    let problem =
        Problem::builder(&model).start(&crate::common::ARM, &[0.0; 7]).phase(phase).build().expect("a problem");
    let (solver, report) = solve(&problem);
    println!("{report:?}");
    assert_eq!(report.status, Status::Converged);
    assert!(report.iterations <= 60, "{}", report.iterations);
    let found = conditions(&problem, &solver);
    assert!(found.tight >= 5 && found.outside < 5e-8 && found.multipliers_outside <= 0.0, "{found:?}");
    let [.., before, last] = solver.history() else { panic!("{report:?}") };
    assert!(
        before.exact && last.kkt_error.unwrap_or(f64::NAN) < before.kkt_error.unwrap_or(f64::NAN).powf(1.5).max(1e-8),
        "{before:?} {last:?}"
    );
    // The checker knows the cone's residual, and the curvature of its multiplier.
    let check = problem.check_at(solver.trajectory(), &[5]).expect("fits");
    assert!(check.agrees(), "{check}");
}
