//! Optimized parameters: closed forms, searches over problems where they are fixed, bounds and their multipliers.

use crate::common::robot;
use gradyn::{Inertia, Model};
use gradyn_trajectory::residual::{Control, FrameTranslation, MinusParameter, ParameterValue, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, Rk4, SemiImplicitEuler};
use gradyn_trajectory::{
    Cost, Fddp, FddpOptions, Newton, NewtonOptions, Parameter, ParameterId, PathConstraint, Phase, Problem,
    ProblemBuilder, ProblemError, Status, Trajectory, guess,
};
use nalgebra::DMatrix;

fn dynamics(model: &Model) -> ForwardDynamics {
    ForwardDynamics::new(Actuation::of(model))
}

/// Newton's solution from where everything stands still.
fn solved(problem: &Problem) -> (Newton, f64) {
    let mut solver = Newton::new(problem, NewtonOptions::default());
    let report = solver.solve(problem, &guess::standing(problem));
    assert_eq!(report.status, Status::Converged, "{report:?}");
    (solver, report.cost)
}

/// A pendulum is held at one radian for 1 s, and each kilogram of its counterweight has a price: ½ w M².
fn held(price: f64) -> ProblemBuilder {
    let model = robot("../examples/robots/balanced_pendulum", false);
    let weight = ParameterId::PointMass(model.find_frame("weight").expect("is there"));
    let still = || PathConstraint::equal("still", StateError::at(&model, &[1.0], &[0.0]));
    let hold = Phase::new("hold", 20, 0.05, SemiImplicitEuler::new(&model, dynamics(&model)))
        .cost(Cost::new("effort", Control::zero()))
        .constraint(still().only_at(&(1..20).collect::<Vec<_>>()));
    Problem::builder(&model)
        .start(&[1.0], &[0.0])
        .parameter(Parameter::of_robot("counterweight", weight))
        .phase(hold)
        .last(Cost::new("price", ParameterValue::new("counterweight", 1)).weight(price))
        .last_constraint(still())
}

/// `min ½ (A − M B)² + ½ w M²` over one second: `M = A B / (B² + w)`, with `A = m c g sin q` and `B = b g sin q`.
#[test]
fn a_counterweight_is_that_of_the_closed_form() {
    for price in [0.5, 3.0] {
        let problem = held(price).build().expect("is a problem");
        let (solver, cost) = solved(&problem);
        let found = problem.parameter("counterweight", solver.trajectory()).expect("is one")[0];
        let (a, b) = (9.81 * 1.0_f64.sin(), 3.924 * 1.0_f64.sin());
        let expected = a * b / (b * b + price);
        // The barrier of a mass that is far from zero ends at 1e-9.
        assert!((found - expected).abs() < 1e-7, "{found} {expected}");
        let least = 0.5 * (a - expected * b).powi(2) + 0.5 * price * expected * expected;
        assert!((cost - least).abs() < 1e-7, "{cost} {least}");
    }
}

/// The robot with another number, by other ways than parameters go.
fn other(model: &Model, number: ParameterId, x: f64) -> Model {
    let inertia = |body: gradyn::BodyId| *model.bodies()[body.index()].inertia();
    let model = model.clone();
    let changed = match number {
        ParameterId::Mass(body) => {
            let y = inertia(body);
            model.with_inertia(body, Inertia::new(x, y.com, y.rotational))
        }
        ParameterId::Density(body) => {
            let y = inertia(body);
            model.with_inertia(body, Inertia::new(x * y.mass, y.com, y.rotational.scale::<f64>(x)))
        }
        ParameterId::Center(body, k) => {
            let mut y = inertia(body);
            y.com[k] = x;
            model.with_inertia(body, y)
        }
        ParameterId::Moment(body, _) => {
            let mut y = inertia(body);
            y.rotational.yy = x;
            model.with_inertia(body, y)
        }
        ParameterId::PointMass(frame) => {
            model.attach(frame, Inertia::point_mass(x, nalgebra::Vector3::zeros()).expect("is one"))
        }
        ParameterId::Armature(body, _) => model.with_armature(body, &[x]),
        ParameterId::Damping(body, _) => model.with_damping(body, &[x]),
        ParameterId::Friction(body, _) => model.with_friction(body, &[x]),
        _ => unreachable!("all numbers are above"),
    };
    changed.expect("is a robot")
}

/// Two rods go from rest to rest; `parameter` is chosen, and costs what it is off from `near`.
fn move_rods(model: &Model, parameter: Option<(Parameter, f64)>) -> ProblemBuilder {
    let go = Phase::new("go", 20, 0.05, SemiImplicitEuler::new(model, dynamics(model)))
        .cost(Cost::new("effort", Control::zero()));
    let there = PathConstraint::equal("there", StateError::at(model, &[-0.4, 0.5], &[0.0; 2]));
    let builder = Problem::builder(model).start(&[0.6, 0.1], &[0.0; 2]).phase(go).last_constraint(there);
    match parameter {
        None => builder,
        Some((parameter, near)) => {
            let off = ParameterValue::new(parameter.name(), 1).towards(&[near]);
            builder.last(Cost::new("off", off).weight(PRICE)).parameter(parameter)
        }
    }
}

/// Of the square of what a parameter is off, halved.
const PRICE: f64 = 40.0;

/// The least cost with the number fixed, and what that number costs.
fn fixed(model: &Model, number: ParameterId, x: f64, near: f64) -> f64 {
    let problem = move_rods(&other(model, number, x), None).build().expect("is a problem");
    solved(&problem).1 + 0.5 * PRICE * (x - near) * (x - near)
}

/// The same, from a solution with the parameter, whose first node chooses it: rods have several ways.
fn fixed_from(at: &Trajectory, model: &Model, number: ParameterId, x: f64, near: f64) -> f64 {
    let problem = move_rods(&other(model, number, x), None).build().expect("is a problem");
    let mut start = guess::standing(&problem);
    for k in 0..=problem.steps() {
        start.x_mut(k).copy_from_slice(&at.x(k + 1)[..4]);
        start.u_mut(k).copy_from_slice(at.u(k + 1));
    }
    let report = Newton::new(&problem, NewtonOptions::default()).solve(&problem, &start);
    assert_eq!(report.status, Status::Converged, "{report:?}");
    report.cost + 0.5 * PRICE * (x - near) * (x - near)
}

/// Every kind of number: the optimum is where the slope of the least costs of problems in which it is fixed vanishes.
#[test]
fn a_number_is_that_of_a_search_over_problems_where_it_is_fixed() {
    let model = robot("double_pendulum", false).with_joint_friction(true);
    let rod = model.find_body("rod_2").expect("is there");
    let tip = model.find_frame("tip").expect("is there");
    let cases = [
        (ParameterId::Mass(rod), 1.0, [0.3, 2.0]),
        (ParameterId::Density(rod), 1.0, [0.3, 2.0]),
        (ParameterId::Center(rod, 2), -0.6, [-1.0, -0.1]),
        (ParameterId::Moment(rod, 3), 0.3, [0.0, 1.0]),
        (ParameterId::PointMass(tip), 1.5, [0.0, 2.0]),
        (ParameterId::Armature(rod, 0), 0.5, [0.0, 1.5]),
        (ParameterId::Damping(rod, 0), 0.6, [0.0, 2.0]),
        (ParameterId::Friction(rod, 0), 0.6, [0.0, 2.0]),
    ];
    for (number, near, [lower, upper]) in cases {
        let parameter = Parameter::of_robot("number", number).beginning_at(&[near]).within(&[lower], &[upper]);
        let problem = move_rods(&model, Some((parameter, near))).build().expect("is a problem");
        let (solver, cost) = solved(&problem);
        let found = problem.parameter("number", solver.trajectory()).expect("is one")[0];
        assert!(found > lower + 1e-3 && found < upper - 1e-3, "{number:?}: {found}");
        // Least costs are known to some 1e-9, so that the slope is to 1e-6.
        let least = |x: f64| fixed_from(solver.trajectory(), &model, number, x, near);
        let slope = |x: f64| (least(x + 1e-3) - least(x - 1e-3)) / 2e-3;
        let (mut low, mut high) = (found - 0.01, found + 0.01);
        assert!(slope(low) < 0.0 && slope(high) > 0.0, "{number:?}: no minimum near {found}");
        for _ in 0..14 {
            let middle = f64::midpoint(low, high);
            if slope(middle) < 0.0 { low = middle } else { high = middle }
        }
        // Differences of the slope leave 1e-6 J‴ / (6 J″).
        assert!((found - low).abs() < 1e-5, "{number:?}: {found} {low}");
        let least = least(found);
        assert!((cost - least).abs() < 1e-6 * least, "{number:?}: {cost} {least}");
    }
}

/// The same problem by each solver, where bounds do not matter.
#[test]
fn all_solvers_find_the_same() {
    let model = robot("double_pendulum", false);
    let rod = model.find_body("rod_2").expect("is there");
    let build = |bounds: Option<[f64; 2]>| {
        let mut parameter = Parameter::of_robot("center", ParameterId::Center(rod, 2));
        if let Some([lower, upper]) = bounds {
            parameter = parameter.within(&[lower], &[upper]);
        }
        let go =
            Phase::new("go", 20, 0.05, Rk4::new(&model, dynamics(&model))).cost(Cost::new("effort", Control::zero()));
        let off = ParameterValue::new("center", 1).towards(&[-0.6]);
        let there = StateError::at(&model, &[-0.4, 0.5], &[0.0; 2]);
        let builder = Problem::builder(&model).start(&[0.6, 0.1], &[0.0; 2]).parameter(parameter).phase(go);
        builder
            .last(Cost::new("off", off).weight(PRICE))
            .last(Cost::new("there", there).weight(1e3))
            .build()
            .expect("is a problem")
    };
    let problem = build(None);
    let (solver, cost) = solved(&problem);
    let found = problem.parameter("center", solver.trajectory()).expect("is one")[0];
    let start = guess::standing(&problem);
    for bounds in [None, Some([-0.9, -0.2])] {
        let problem = build(bounds);
        let mut ddp = Fddp::new(&problem, FddpOptions::default());
        let report = ddp.solve(&problem, &start);
        assert_eq!(report.status, Status::Converged);
        let by_ddp = problem.parameter("center", ddp.trajectory()).expect("is one")[0];
        assert!((by_ddp - found).abs() < 1e-5, "{by_ddp} {found}");
        assert!((report.cost - cost).abs() < 1e-7 * cost, "{} {cost}", report.cost);
    }
}

/// At a bound the multiplier is what the least cost falls by where the bound is moved: negative at a lower one,
/// positive at an upper one.
#[test]
fn bounds_hold_and_their_multipliers_are_the_slope_of_the_cost() {
    let model = robot("double_pendulum", false);
    let rod = model.find_body("rod_2").expect("is there");
    let number = ParameterId::Mass(rod);
    // The unbounded optimum is between both.
    for ([lower, upper], bound, sign) in [([1.1, 2.0], 1.1, -1.0), ([0.2, 0.4], 0.4, 1.0)] {
        // Begins outside: the robot has 1 kg.
        let parameter = Parameter::of_robot("mass", number).beginning_at(&[3.0 - bound]).within(&[lower], &[upper]);
        let problem = move_rods(&model, Some((parameter, 1.0))).build().expect("is a problem");
        let (solver, _) = solved(&problem);
        let found = problem.parameter("mass", solver.trajectory()).expect("is one")[0];
        // Bounds are wider by 1e-8 of their size.
        assert!((found - bound).abs() < 1e-6 && found >= lower - 2e-8 && found <= upper + 2e-8, "{found}");
        let control = problem.parameter_control("mass", 0).expect("is one").expect("is chosen");
        let multiplier = solver.control_multiplier(0, control).expect("has bounds");
        let slope = (fixed(&model, number, bound + 1e-3, 1.0) - fixed(&model, number, bound - 1e-3, 1.0)) / 2e-3;
        assert!(multiplier * sign > 0.1, "{multiplier}");
        assert!((multiplier + slope).abs() < 1e-4 * slope.abs(), "{multiplier} {slope}");
    }
}

/// Equal bounds fix a number: the problem is that of the other robot.
#[test]
fn equal_bounds_fix_a_number() {
    let model = robot("double_pendulum", false);
    let number = ParameterId::Mass(model.find_body("rod_2").expect("is there"));
    let parameter = Parameter::of_robot("mass", number).within(&[0.7], &[0.7]);
    let problem = move_rods(&model, Some((parameter, 0.0))).build().expect("is a problem");
    assert_eq!(problem.parameter_control("mass", 0), Ok(None));
    let (solver, cost) = solved(&problem);
    let mass = problem.parameter("mass", solver.trajectory()).expect("is one");
    assert!((mass[0] - 0.7).abs() < 1e-14, "{mass:?}");
    let expected = fixed(&model, number, 0.7, 0.0);
    assert!((cost - expected).abs() < 1e-8 * expected, "{cost} {expected}");
}

/// Where the tip comes down is chosen along a line, `p = M s`: as a search over problems whose place is given.
#[test]
fn a_place_is_that_of_a_search_over_places() {
    let model = robot("double_pendulum", false);
    let tip = model.find_frame("tip").expect("is there");
    let rows = [0.0, 0.0, -1.6];
    let build = |at: Option<f64>| {
        let go = Phase::new("go", 20, 0.05, SemiImplicitEuler::new(&model, dynamics(&model)))
            .cost(Cost::new("effort", Control::zero()));
        let place = |x: f64| FrameTranslation::new(tip, [x, rows[1], rows[2]].into());
        let rest = PathConstraint::within(
            "rest",
            StateError::at(&model, &[0.0; 2], &[0.0; 2]),
            &[f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0, 0.0],
            &[f64::INFINITY, f64::INFINITY, 0.0, 0.0],
        );
        let builder = Problem::builder(&model).start(&[0.6, 0.1], &[0.0; 2]).phase(go).last_constraint(rest);
        // The tip stays in its plane: of its y there is nothing to ask.
        let [low, high] = [[0.0, f64::NEG_INFINITY, 0.0], [0.0, f64::INFINITY, 0.0]];
        match at {
            Some(x) => builder.last_constraint(PathConstraint::within("place", place(x), &low, &high)),
            None => {
                let less =
                    MinusParameter::new(place(0.0), "x").times(DMatrix::from_column_slice(3, 1, &[1.0, 0.0, 0.0]));
                let off = ParameterValue::new("x", 1).towards(&[-0.3]);
                let builder = builder.parameter(Parameter::new("x", &[-0.4]).within(&[-0.8], &[0.8]));
                let builder = builder.last(Cost::new("off", off).weight(1e3));
                builder.last_constraint(PathConstraint::within("place", less, &low, &high))
            }
        }
        .build()
        .expect("is a problem")
    };
    let problem = build(None);
    let mut solver = Newton::new(&problem, NewtonOptions::default());
    let mut start = guess::standing(&problem);
    problem.set_parameter("x", &[-0.5], &mut start).expect("fits");
    let report = solver.solve(&problem, &start);
    assert_eq!(report.status, Status::Converged);
    let found = problem.parameter("x", solver.trajectory()).expect("is one")[0];
    let cost = |x: f64| solved(&build(Some(x))).1 + 0.5e3 * (x + 0.3) * (x + 0.3);
    let slope = |x: f64| (cost(x + 1e-3) - cost(x - 1e-3)) / 2e-3;
    assert!(found.abs() < 0.79, "{found}");
    assert!((report.cost - cost(found)).abs() < 1e-7 * report.cost, "{} {}", report.cost, cost(found));
    // Relative to how fast it changes.
    let (here, bend) = (slope(found), (slope(found + 0.01) - slope(found - 0.01)) / 0.02);
    assert!((here / bend).abs() < 1e-5, "{found}: {here} {bend}");
}

#[test]
fn what_is_wrong_is_said_by_name() {
    let model = robot("double_pendulum", false);
    let (rod, other) = (model.find_body("rod_2").expect("is there"), robot("panda", false));
    let error = |builder: ProblemBuilder| builder.build().expect_err("is refused").to_string();
    let with = |parameter: Parameter| error(move_rods(&model, None).parameter(parameter));
    let mass = || Parameter::of_robot("mass", ParameterId::Mass(rod));
    for (text, parts) in [
        (with(mass().within(&[2.0], &[1.0])), ["parameter `mass`", "2"]),
        (with(mass().within(&[-1.0], &[1.0])), ["parameter `mass`", "-1"]),
        (with(mass().within(&[0.5, 1.0], &[1.0])), ["expected 1", "2 entries"]),
        (with(mass().beginning_at(&[f64::NAN])), ["parameter `mass`", "finite"]),
        (with(Parameter::new("place", &[])), ["parameter `place`", "no number"]),
        (with(Parameter::of_robot("axis", ParameterId::Armature(rod, 1))), ["parameter `axis`", "number 1 of 1"]),
        (
            with(Parameter::of_robot("hand", ParameterId::Mass(other.find_body("panda_link7").expect("is there")))),
            ["parameter `hand`", "model"],
        ),
        (
            error(move_rods(&model, None).last(Cost::new("off", ParameterValue::new("mas", 1))).parameter(mass())),
            ["`mas`", "`mass`"],
        ),
        (
            error(move_rods(&model, None).last(Cost::new("off", ParameterValue::new("mass", 2))).parameter(mass())),
            ["parameter `mass`", "expected 2"],
        ),
        (error(move_rods(&model, None).parameter(mass()).parameter(mass())), ["two parameters", "`mass`"]),
        (
            error(
                move_rods(&model, None)
                    .parameter(mass())
                    .parameter(Parameter::of_robot("more", ParameterId::Mass(rod))),
            ),
            ["parameter `more`", "same number"],
        ),
        (
            error(
                move_rods(&model, None)
                    .parameter(mass())
                    .last(Cost::new("center", gradyn_trajectory::residual::CenterOfMass::new([0.0; 3].into()))),
            ),
            ["cost `center`", "numbers of the robot"],
        ),
    ] {
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
    let problem = held(1.0).build().expect("is a problem");
    let at = guess::standing(&problem);
    assert!(matches!(problem.parameter("nothing", &at), Err(ProblemError::Unknown { .. })));
    assert_eq!(problem.parameter_names().collect::<Vec<_>>(), ["counterweight"]);
    let mut solver = Newton::new(&problem, NewtonOptions::default());
    assert!(solver.shift(&problem, 1).expect_err("is refused").to_string().contains("parameters"));
}

/// Names of numbers of a robot lead to them and back, and values of parameters are those that the robot has.
#[test]
fn numbers_of_robots_have_names() {
    for (name, floating) in [("panda", false), ("solo12", true)] {
        let model = robot(name, floating).with_joint_friction(true);
        let all = model.parameters();
        assert!(all.iter().all(|(name, id, _)| model.find_parameter(name) == Some(*id)));
        for (name, id, value) in all {
            assert_eq!(model.parameter_name(id).as_deref(), Some(name.as_str()));
            let with = Problem::builder(&model).parameter(Parameter::of_robot(&name, id));
            let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
            match with.phase(Phase::new("move", 1, 0.1, step)).build() {
                // A guess below zero is at the bound.
                Ok(problem) => assert_eq!(problem.start().last(), Some(&value), "{name}"),
                Err(error) => {
                    let chosen = matches!(
                        id,
                        ParameterId::Mass(_)
                            | ParameterId::Density(_)
                            | ParameterId::Center(..)
                            | ParameterId::Moment(..)
                            | ParameterId::PointMass(_)
                    );
                    assert!(!chosen && !id.is_of_joint(), "{name}: {error}");
                    assert!(error.to_string().contains(&name), "{error}");
                }
            }
        }
        assert_eq!(model.find_parameter("nothing.mass"), None);
    }
}
