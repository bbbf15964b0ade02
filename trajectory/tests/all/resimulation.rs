//! Steps of a trajectory, integrated again.

use crate::common::{puck::puck, robot};
use gradyn::Model;
use gradyn_trajectory::residual::{Capsule, Control, Distance, JointLimits, StateError};
use gradyn_trajectory::resimulation::{SUBSTEPS, StepsCheck, Tolerances, check_steps, follow, pieces, split};
use gradyn_trajectory::step::{
    Actuation, Contact, Euler, ForwardDynamics, ImplicitMidpoint, Impulse, InverseDynamics, Rk4, SemiImplicitEuler,
    Step,
};
use gradyn_trajectory::{
    Cost, Newton, NewtonOptions, Parameter, ParameterId, PathConstraint, Phase, Problem, Trajectory, guess,
};
use nalgebra::{DMatrix, Vector3};

fn dynamics(model: &Model) -> ForwardDynamics {
    ForwardDynamics::new(Actuation::Full(model.nv()))
}

/// A pendulum that falls from a place in steps of this length.
fn falls(step: impl Fn(&Model) -> Box<dyn Step>, h: f64) -> StepsCheck {
    let model = robot("pendulum", false);
    let phase = Phase::boxed("fall", 4, h, step(&model));
    let problem = Problem::builder(&model).start(&[1.0], &[0.7]).phase(phase).build().expect("is a problem");
    let at = guess::roll_out(&problem, &guess::standing(&problem)).expect("runs");
    check_steps(&problem, &at, SUBSTEPS).expect("fits")
}

type Make = fn(&Model) -> Box<dyn Step>;

/// The relative defect of a step falls by `2^order` with half its length, and of semi-implicit Euler it is what theory
/// says: `h² a/2` of the configuration, `h² ȧ/2` of the velocity.
#[test]
fn defects_fall_with_the_order() {
    let all: [(&str, Make, f64, u32); 4] = [
        ("euler", |model| Box::new(Euler::new(model, dynamics(model))), 0.02, 1),
        ("semi-implicit", |model| Box::new(SemiImplicitEuler::new(model, dynamics(model))), 0.02, 1),
        ("midpoint", |_| Box::new(ImplicitMidpoint::new(ForwardDynamics::new(Actuation::Full(1)))), 0.04, 2),
        ("rk4", |model| Box::new(Rk4::new(model, dynamics(model))), 0.1, 4),
    ];
    for (name, make, h, order) in all {
        let of = |h: f64| falls(make, h).defects[0].clone();
        let (long, short) = (of(h), of(0.5 * h));
        assert_eq!(long.order, order, "{name}");
        let found = (long.relative / short.relative).log2();
        // The next power of h adds some per cent.
        assert!((found - f64::from(order)).abs() < 0.15, "{name}: {found}");
    }
    let (h, model) = (0.02, robot("pendulum", false));
    let acceleration = |q: f64| {
        let mut ws = gradyn::Workspace::new(&model);
        gradyn::aba(&model, &mut ws, &[q], &[0.0], &[0.0], &[]).expect("runs")[0]
    };
    let (a, slope) = (acceleration(1.0), (acceleration(1.0 + 1e-6) - acceleration(1.0 - 1e-6)) / 2e-6);
    let expected = 0.5 * h * h * f64::hypot(a, slope * 0.7);
    let found = falls(|model| Box::new(SemiImplicitEuler::new(model, dynamics(model))), h).defects[0].defect;
    // The next power of h, 0.02 times rates of a few 1/s.
    assert!((found / expected - 1.0).abs() < 0.05, "{found:e}, {expected:e}");
}

/// A puck of radius 5 cm that goes around a pillar of radius 30 cm, at the start or free to begin elsewhere, in ten
/// steps of 0.1 s.
fn around(nodes: usize) -> Problem {
    let model = puck();
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::Full(3)));
    let body = model.find_frame("z").expect("is there");
    let pillar = Capsule::fixed([[0.0, 0.0, -1.0].into(), [0.0, 0.0, 1.0].into()], 0.3);
    let apart = || {
        PathConstraint::at_least("pillar", Distance::new(Capsule::sphere(body, Vector3::zeros(), 0.05), pillar), 0.0)
    };
    let at: Vec<usize> = (1..nodes).collect();
    let phase = Phase::new("go", nodes, 1.0 / nodes as f64, step)
        .cost(Cost::new("force", Control::zero()).weight(1e-3))
        .constraint(apart().only_at(&at));
    Problem::builder(&model)
        .start(&[-1.0, 0.0, 0.0], &[0.0; 3])
        .phase(phase)
        .last(Cost::new("goal", StateError::at(&model, &[1.0, 0.05, 0.0], &[0.0; 3])).weight(1e3))
        .last_constraint(apart())
        .build()
        .expect("is a problem")
}

fn solved(problem: &Problem) -> Newton {
    let mut solver = Newton::new(problem, NewtonOptions::default());
    let report = solver.solve(problem, &guess::standing(problem));
    assert!(report.status.is_solved(), "{report:?}");
    solver
}

/// Between nodes the puck is inside of the pillar, though no node is; half as long steps are a quarter as deep, and the
/// pieces say how many are needed.
#[test]
fn an_obstacle_between_nodes_is_found() {
    let deepest = |problem: &Problem, at: &Trajectory| {
        let check = check_steps(problem, at, SUBSTEPS).expect("fits");
        assert!(check.between.iter().all(|found| found.at_nodes < 1e-6 && found.share > 0.0 && found.share < 1.0));
        (check.between.iter().map(|found| found.violation).fold(0.0, f64::max), check)
    };
    let coarse = around(10);
    let solver = solved(&coarse);
    let (deep, check) = deepest(&coarse, solver.trajectory());
    // A chord of 0.3 m beside a circle of 0.35 m is 3.4 cm inside.
    assert!(deep > 0.02 && deep < 0.06, "{deep}");
    let mut tolerances = Tolerances::of(&coarse);
    tolerances.step_defect = 1.0;
    let pieces = pieces(&coarse, &check, &tolerances);
    let worst = check.violated(&tolerances).max_by(|a, b| a.violation.total_cmp(&b.violation)).expect("is there").node;
    // With the square of the step's length.
    assert_eq!(pieces[worst], (deep / 1e-3).sqrt().ceil() as usize, "{pieces:?}");
    // Two pieces everywhere: the guess is where the solution is.
    let fine = around(20);
    let made = split(&coarse, solver.trajectory(), &[2; 10], &fine).expect("fits");
    for k in 0..=10 {
        assert_eq!(made.x(2 * k), solver.trajectory().x(k), "{k}");
    }
    assert_eq!(made.u(7), solver.trajectory().u(3));
    let finer = solved(&fine);
    let (less, _) = deepest(&fine, finer.trajectory());
    assert!(less < 0.5 * deep, "{less} {deep}");
}

/// Limits of joints are told of with the joint; what a phase does not ask for at both nodes does not count between
/// them.
#[test]
fn limits_between_nodes_name_the_joint() {
    let mut builder = gradyn::ModelBuilder::new("slider");
    builder.set_gravity(Vector3::zeros());
    let mass = gradyn::Inertia::point_mass(1.0, Vector3::zeros()).expect("is an inertia");
    let axis = gradyn::joint::Axis::X;
    let body =
        builder.add_body(None, "cart", "rail", gradyn::Transform::identity(), gradyn::joint::Prismatic { axis }, mass);
    let body = body.expect("is valid");
    builder.set_q_limits(body, &[(-1.0, 0.1)]).expect("fits");
    let model = builder.build().expect("is a robot");
    let of = |held: PathConstraint| {
        // From 0 m at 1 m/s, back by a force: 0.125 m in the middle, 0 m at the end of the step.
        let step = Rk4::new(&model, dynamics(&model));
        let phase = Phase::new("turn", 2, 0.5, step).constraint(held);
        let problem = Problem::builder(&model).start(&[0.0], &[1.0]).phase(phase).build().expect("is a problem");
        let mut at = guess::standing(&problem);
        at.u_mut(0)[0] = -4.0;
        let at = guess::roll_out(&problem, &at).expect("runs");
        check_steps(&problem, &at, SUBSTEPS).expect("fits").between
    };
    let limits = || {
        let residual = JointLimits::of_positions(&model);
        let (lower, upper) = residual.bounds();
        let (lower, upper) = (lower.to_vec(), upper.to_vec());
        PathConstraint::within("limits", residual, &lower, &upper)
    };
    for (held, count) in [(limits(), 1), (limits().only_at(&[0, 1]), 1), (limits().only_at(&[0]), 0)] {
        let found = of(held);
        assert_eq!(found.len(), count, "{found:?}");
        for found in found {
            assert_eq!((found.row.as_deref(), found.node, found.share), (Some("rail"), 0, 0.5));
            // A parabola, which the method has to rounding.
            assert!((found.violation - 0.025).abs() < 1e-12, "{found:?}");
        }
    }
}

/// The plan follows itself where steps are fine; where gains are none a pendulum drifts away from it, and where they
/// are those of the solver less.
#[test]
fn plans_are_followed_under_their_gains() {
    let model = robot("pendulum", false);
    let step = |h: f64, n: usize| {
        let step = SemiImplicitEuler::new(&model, dynamics(&model));
        let phase = Phase::new("up", n, h, step).cost(Cost::new("torque", Control::zero()).weight(1e-2));
        let goal = StateError::at(&model, &[3.0], &[0.0]);
        let goal = Cost::new("up", goal).weight(1e3);
        Problem::builder(&model).start(&[0.0], &[0.0]).phase(phase).last(goal).build().expect("is a problem")
    };
    let ends = |problem: &Problem| {
        let solver = solved(problem);
        let gains: Vec<_> = solver.riccati().nodes.iter().take(problem.steps()).map(|node| node.gain.clone()).collect();
        let none: Vec<_> = gains.iter().map(|gain| DMatrix::zeros(gain.nrows(), gain.ncols())).collect();
        let of = |gains: &[DMatrix<f64>]| follow(problem, solver.trajectory(), gains, SUBSTEPS).expect("runs").position;
        let error =
            follow(problem, solver.trajectory(), &gains[1..], SUBSTEPS).expect_err("one is missing").to_string();
        assert!(error.contains("its gain is none, expected 1 × 2"), "{error}");
        (of(&gains), of(&none))
    };
    let (with, without) = ends(&step(0.05, 40));
    assert!(with < 0.5 * without, "{with} {without}");
    let (fine, _) = ends(&step(0.0125, 160));
    assert!(fine < 0.4 * with, "{fine} {with}");
}

/// Impacts, contacts, closed forms of accelerations, parameters and free durations: all steps are looked at in the mode
/// that they are of, and defects fall with the length of steps.
#[test]
fn all_kinds_of_phases_are_looked_at() {
    let model = robot("solo12", true);
    let mut q = model.neutral::<f64>();
    q[2] = 0.3;
    let feet = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"]
        .map(|foot| Contact::point_at(&model, foot, &q).expect("is there").with_gains(100.0, 20.0));
    let motors = || Actuation::of(&model);
    let body = model.find_body("base_link").expect("is there");
    let of = |n: usize| {
        let h = 0.04 / n as f64;
        let held = || ForwardDynamics::new(motors()).with_contacts(&feet);
        let problem = Problem::builder(&model)
            .start(&q, &vec![0.1; model.nv()])
            .parameter(Parameter::of_robot("load", ParameterId::Mass(body)))
            .phase(
                Phase::new("fly", n, h, SemiImplicitEuler::new(&model, ForwardDynamics::new(motors())))
                    .free_duration(0.01, 1.0),
            )
            .phase(Phase::new("stand", n, h, Euler::new(&model, held())))
            .phase(Phase::new("push", n, h, ImplicitMidpoint::new(held())));
        let problem = problem.build().expect("is a problem");
        let at = guess::roll_out(&problem, &guess::standing(&problem)).expect("runs");
        let check = check_steps(&problem, &at, SUBSTEPS).expect("fits");
        assert_eq!((check.defects.len(), check.unchecked, check.faults.len()), (3 * n, 0, 0));
        [1, 1 + n, 1 + 2 * n].map(|k| check.defects.iter().find(|of| of.node == k).expect("is there").relative)
    };
    let (long, short) = (of(4), of(8));
    for (k, order) in [1.0, 1.0].into_iter().enumerate() {
        let found = (long[k] / short[k]).log2();
        assert!((found - order).abs() < 0.4, "{k}: {long:?} {short:?}");
    }
    assert!(short[2] < 0.5 * long[2], "{long:?} {short:?}");
    // Jumps have no defect, nor have steps by inverse dynamics but that of their scheme.
    let chosen = InverseDynamics::new(&model, motors(), &feet);
    let problem = Problem::builder(&model)
        .start(&q, &vec![0.1; model.nv()])
        .phase(Phase::jump("land", Impulse::new(&feet, 0.0)))
        .phase(Phase::new("stand", 2, 0.01, chosen))
        .build()
        .expect("is a problem");
    let at = guess::roll_out(&problem, &guess::standing(&problem)).expect("runs");
    let check = check_steps(&problem, &at, SUBSTEPS).expect("fits");
    assert_eq!(check.defects.iter().map(|of| of.node).collect::<Vec<_>>(), [1, 2]);
    let gains: Vec<_> = (0..3).map(|k| DMatrix::zeros(problem.dims(k).nu, problem.space().ndx())).collect();
    follow(&problem, &at, &gains, SUBSTEPS).expect("runs");
}

/// Wrong sizes are errors.
#[test]
fn other_sizes_are_refused() {
    let (coarse, fine) = (around(10), around(20));
    let at = guess::standing(&coarse);
    let error = |of: Result<StepsCheck, gradyn_trajectory::ProblemError>| of.expect_err("does not fit").to_string();
    assert!(error(check_steps(&fine, &at, SUBSTEPS)).contains("other sizes"));
    assert!(error(check_steps(&coarse, &at, 0)).contains("the number of substeps"));
    let made =
        |pieces: &[usize], fine: &Problem| split(&coarse, &at, pieces, fine).expect_err("does not fit").to_string();
    assert!(made(&[2; 9], &fine).contains("the list of pieces has 9 entries, expected 10"));
    assert!(made(&[3; 10], &fine).contains("the list of steps has 20 entries, expected 30"));
}
