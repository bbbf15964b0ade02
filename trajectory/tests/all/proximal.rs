//! The augmented Lagrangian: the optimum of the interior point, dependent rows, warm starts, and infeasible problems by
//! name.

use crate::common::{ARM, reach, robot};
use crate::problems;
use gradyn_trajectory::quadratic::Multipliers;
use gradyn_trajectory::residual::{Control, FrameTranslation, StateError};
use gradyn_trajectory::solver::{Hessian, RollOut};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{
    Cost, Newton, NewtonOptions, PathConstraint, Phase, Problem, ProblemBuilder, Proximal, ProximalOptions, Reason,
    Status, guess,
};

/// The largest difference of two sets of multipliers, and the largest of them.
fn difference(steps: usize, a: impl Fn(usize) -> Multipliers, b: impl Fn(usize) -> Multipliers) -> (f64, f64) {
    let (mut most, mut size): (f64, f64) = (0.0, 0.0);
    for k in 0..=steps {
        let (a, b) = (a(k), b(k));
        for (a, b) in [(&a.next, &b.next), (&a.eq, &b.eq), (&a.ineq, &b.ineq)] {
            for (a, b) in a.iter().zip(b.iter()) {
                (most, size) = (most.max((a - b).abs()), size.max(a.abs()));
            }
        }
    }
    (most, size)
}

/// The arm's hand to places at the end, as often as they are given.
fn towards(places: &[(&str, [f64; 3])]) -> Problem {
    let model = robot("panda", false);
    let torque = [87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0];
    let hand = model.find_frame("panda_link8").expect("a hand");
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let reach = Phase::new("reach", 40, 0.02, step)
        .cost(Cost::new("state", StateError::at(&model, &ARM, &[0.0; 7])).weight(0.1))
        .cost(Cost::new("torque", Control::zero()).weight(1e-3))
        .control_bounds(&torque.map(|x| -x), &torque);
    let builder = Problem::builder(&model).start(&ARM, &[0.0; 7]).phase(reach);
    let with = |builder: ProblemBuilder, (name, at): &(&str, [f64; 3])| {
        builder.last_constraint(PathConstraint::equal(*name, FrameTranslation::new(hand, (*at).into())))
    };
    places.iter().fold(builder, with).build().expect("a problem")
}

/// The interior point to a tenth of its tolerance: barriers leave what they end at, in each bound.
fn newton(problem: &Problem) -> Newton {
    let mut options = NewtonOptions::default();
    options.tolerance = 1e-9;
    Newton::new(problem, options)
}

#[test]
fn it_finds_the_optimum_of_the_interior_point() {
    // With limits; with none; with equalities and bounds.
    let problems = [
        ("panda_limits", problems::by_name("panda_limits").expect("a problem")),
        ("panda_reach", problems::by_name("panda_reach").expect("a problem")),
        ("quadrotor", problems::by_name("quadrotor").expect("a problem")),
        ("towards", towards(&[("place", [0.4, 0.3, 0.5])])),
    ];
    for (name, problem) in problems {
        let start = guess::standing(&problem);
        let mut newton = newton(&problem);
        let mut solver = Proximal::new(&problem, ProximalOptions::default());
        let (expected, found) = (newton.solve(&problem, &start), solver.solve(&problem, &start));
        assert_eq!((&expected.status, &found.status), (&Status::Converged, &Status::Converged), "{name}");
        println!("{name}: {} against {} iterations", found.iterations, expected.iterations);
        // Bounds of `Newton` are 1e-8 wider.
        let off = (found.cost - expected.cost).abs() / expected.cost.abs();
        assert!(off < 1e-7, "{name}: {} and {}", found.cost, expected.cost);
        let of = |k: usize| newton.multipliers(k).clone();
        let (most, size) = difference(problem.steps(), of, |k| solver.multipliers(k).clone());
        assert!(most < 1e-4 * size.max(1.0), "{name}: {most:e} of {size:e}");
    }
}

#[test]
fn rows_that_are_there_twice_have_multipliers_of_least_norm() {
    let place = [0.4, 0.3, 0.5];
    let (once, twice) = (towards(&[("a", place)]), towards(&[("a", place), ("b", place)]));
    let [once, twice] = [once, twice].map(|problem| {
        let mut solver = Proximal::new(&problem, ProximalOptions::default());
        let report = solver.solve(&problem, &guess::standing(&problem));
        assert_eq!(report.status, Status::Converged);
        (report.cost, solver.multipliers(problem.steps()).eq.clone())
    });
    // The place is met to 1e-8, at the price of its multiplier.
    assert!((once.0 - twice.0).abs() < 1e-8 * once.1.amax(), "{} {}", once.0, twice.0);
    assert!(once.1.amax() > 0.01, "{}", once.1);
    for i in 0..3 {
        // Of all pairs with the same sum, two equal ones are the shortest.
        assert!((twice.1[i] - twice.1[i + 3]).abs() < 1e-6 * once.1.amax(), "{} {}", twice.1[i], twice.1[i + 3]);
        assert!((twice.1[i] + twice.1[i + 3] - once.1[i]).abs() < 1e-5 * once.1.amax(), "{}", once.1[i]);
    }
}

#[test]
fn a_warm_start_takes_few_iterations() {
    let mut problem = problems::by_name("panda_limits").expect("a problem");
    let start = guess::standing(&problem);
    let mut newton = newton(&problem);
    let mut solver = Proximal::new(&problem, ProximalOptions::default());
    let cold = solver.solve(&problem, &start).iterations;
    newton.solve(&problem, &start);
    let (mut by_newton, mut by_proximal) = (0, 0);
    for (joint, off) in [(0, 0.01), (1, -0.02), (3, 0.03), (5, -0.01)] {
        let mut x = problem.start().to_vec();
        x[joint] += off;
        problem.set_start(&x[..7], &x[7..]).expect("is a state");
        let (other, found) = (newton.resolve(&problem, &start), solver.resolve(&problem, &start));
        assert_eq!((&other.status, &found.status), (&Status::Converged, &Status::Converged), "{joint}");
        assert!((other.cost - found.cost).abs() < 1e-7 * other.cost, "{joint}: {} {}", other.cost, found.cost);
        (by_newton, by_proximal) = (by_newton + other.iterations, by_proximal + found.iterations);
    }
    println!("{by_proximal} against {by_newton} iterations of four warm starts, {cold} of a cold one");
    assert!(by_proximal < by_newton && by_proximal < 2 * cold, "{by_proximal} {by_newton} {cold}");
}

#[test]
fn any_second_derivatives_and_roll_out_lead_to_the_same_optimum() {
    let problem = towards(&[("place", [0.4, 0.3, 0.5])]);
    let start = guess::standing(&problem);
    let mut costs = Vec::new();
    for (hessian, roll_out) in [
        (Hessian::Automatic, RollOut::Automatic),
        (Hessian::Exact, RollOut::Linear),
        (Hessian::GaussNewton, RollOut::Automatic),
        (Hessian::Automatic, RollOut::Nonlinear),
    ] {
        let mut options = ProximalOptions::default();
        (options.hessian, options.roll_out) = (hessian, roll_out);
        let report = Proximal::new(&problem, options).solve(&problem, &start);
        assert_eq!(report.status, Status::Converged, "{hessian:?} {roll_out:?}");
        costs.push(report.cost);
    }
    // The place is met to 1e-8, at the price of its multiplier, which is some units.
    assert!(costs.iter().all(|cost| (cost - costs[0]).abs() < 1e-7 * costs[0]), "{costs:?}");
}

#[test]
fn bad_input_is_a_fault() {
    let model = robot("panda", false);
    let problem = towards(&[("place", [0.4, 0.3, 0.5])]);
    let other = reach(&model, 11, None).build().expect("a problem");
    let mut solver = Proximal::new(&problem, ProximalOptions::default());
    let status = solver.solve(&problem, &guess::standing(&other)).status;
    assert!(
        matches!(&status, Status::Fault(fault) if matches!(*fault.reason, Reason::SizeMismatch { .. })),
        "{status}"
    );
    let fault = solver.feedback(&problem, &[0.0; 14], &mut [0.0; 7]).expect_err("nothing is prepared");
    assert!(fault.to_string().contains("nothing has been prepared"), "{fault}");
    assert!(solver.shift(&other, 1).is_err() && solver.prepare(&other).is_err());
    let fault = solver.shift_by(&problem, f64::NAN).expect_err("no time");
    assert!(fault.to_string().contains("NaN"), "{fault}");
    solver.prepare(&problem).expect("runs");
    let fault = solver.feedback(&problem, &[0.0; 13], &mut [0.0; 7]).expect_err("a state is 14 numbers");
    assert!(fault.to_string().contains("13") && fault.to_string().contains("14"), "{fault}");
    solver.options_mut().mu_init = -1.0;
    let status = solver.solve(&problem, &guess::standing(&problem)).status.to_string();
    assert!(status.contains("`mu_init` is -1"), "{status}");
    assert!(solver.prepare(&problem).is_err());
}
