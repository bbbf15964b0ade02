//! The interior point: optimal, within limits, quadratic at the end, and infeasible problems by name.

use crate::problems;
use gradyn_trajectory::quadratic::Quadratic;
use gradyn_trajectory::residual::StateError;
use gradyn_trajectory::solver::{Hessian, RollOut};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Newton, NewtonOptions, PathConstraint, Phase, Problem, Status, guess};
use nalgebra::DVector;

fn options(hessian: Hessian) -> NewtonOptions {
    let mut options = NewtonOptions::default();
    options.hessian = hessian;
    options
}

/// What is left of the conditions of optimality at the solver's trajectory and multipliers, from the problem's own
/// derivatives: dual, primal, and the largest product of a multiplier and its slack; and how many bounds are active.
fn optimality(problem: &Problem, solver: &Newton) -> ([f64; 3], usize) {
    let (at, mut memory) = (solver.trajectory(), problem.memory());
    let last = problem.steps();
    let (mut dual, mut primal, mut product, mut active): (f64, f64, f64, usize) = (0.0, 0.0, 0.0, 0);
    let mut reached = problem.start().to_vec();
    for k in 0..=last {
        let dims = problem.dims(k);
        let mut node = Quadratic::new(dims, k == last);
        problem.linearize(k, at.x(k), at.u(k), &mut memory, &mut node).expect("runs");
        let by = solver.multipliers(k);
        let mut lx = &node.lx + node.eq_x.tr_mul(&by.eq) + node.ineq_x.tr_mul(&by.ineq);
        let mut lu = &node.lu + node.eq_u.tr_mul(&by.eq) + node.ineq_u.tr_mul(&by.ineq);
        if k < last {
            lx += node.a.tr_mul(&by.next);
            lu += node.b.tr_mul(&by.next);
        }
        if k > 0 {
            lx -= &solver.multipliers(k - 1).next;
            dual = dual.max(lx.amax());
        }
        let mut bound = |value: f64, low: f64, high: f64, y: f64| {
            primal = primal.max(low - value).max(value - high);
            // Of both signs of a multiplier, one belongs to each bound.
            let slack = if y < 0.0 { value - low } else { high - value };
            if slack.is_finite() {
                product = product.max((y * slack).abs());
                active += usize::from(slack < 1e-6 && y.abs() > 1e-6);
            } else {
                product = product.max(y.abs());
            }
        };
        if let Some((low, high)) = problem.node(k).control_bounds() {
            for (i, u) in at.u(k).iter().enumerate() {
                let y = solver.control_multiplier(k, i).unwrap_or(0.0);
                lu[i] += y;
                bound(*u, low[i], high[i], y);
            }
        }
        let (mut low, mut high) = (vec![0.0; dims.n_in], vec![0.0; dims.n_in]);
        problem.bounds(k, &mut low, &mut high);
        for i in 0..dims.n_in {
            bound(node.ineq[i], low[i], high[i], by.ineq[i]);
        }
        if dims.nu > 0 {
            dual = dual.max(lu.amax());
        }
        let mut gap = DVector::zeros(dims.ndx);
        problem.space().difference(at.x(k), &reached, gap.as_mut_slice()).expect("runs");
        primal = primal.max(gap.amax()).max(node.eq.amax());
        reached.clone_from(&node.next);
    }
    ([dual, primal, product], active)
}

#[test]
fn limits_hold_at_an_optimum() {
    for name in ["panda_limits", "panda_capsule"] {
        let problem = problems::by_name(name).expect("a problem");
        let start = guess::standing(&problem);
        for roll_out in [RollOut::Nonlinear, RollOut::Linear] {
            let mut options = NewtonOptions::default();
            options.roll_out = roll_out;
            let mut solver = Newton::new(&problem, options);
            let report = solver.solve(&problem, &start);
            assert_eq!(report.status, Status::Converged, "{name}");
            assert!(report.iterations <= 150, "{name}: {}", report.iterations);
            let ([dual, primal, product], active) = optimality(&problem, &solver);
            // The tolerance is 1e-8 of a problem whose multipliers are some 100 on average; bounds are 1e-8 wider than
            // they are given.
            assert!(dual < 1e-6, "{name}: dual {dual:e}");
            assert!(primal < 5e-8, "{name}: primal {primal:e}");
            assert!(product < 1e-6, "{name}: products {product:e}");
            assert!(active >= 10, "{name}: only {active} bounds are active");
        }
    }
}

#[test]
fn the_last_iterations_are_quadratic() {
    for name in ["double_pendulum", "panda_reach", "quadrotor"] {
        let problem = problems::by_name(name).expect("a problem");
        let start = guess::standing(&problem);
        let mut solver = Newton::new(&problem, options(Hessian::Automatic));
        assert_eq!(solver.solve(&problem, &start).status, Status::Converged, "{name}");
        // The last whole step doubles the digits: the logarithm grows by more than 3/2, until what is left is the
        // rounding of sums of multipliers, some 1e-10.
        let [.., before, last] = solver.history() else { panic!("{name}") };
        assert!(before.exact && before.step >= 1.0 && before.regularization <= 0.0, "{name}: {before:?}");
        assert!((1e-8..1e-3).contains(&before.kkt_error.unwrap_or(f64::NAN)), "{name}: {before:?}");
        assert!(
            last.kkt_error.unwrap_or(f64::NAN) < before.kkt_error.unwrap_or(f64::NAN).powf(1.5).max(1e-9),
            "{name}: {before:?} {last:?}"
        );
    }
}

#[test]
fn exact_second_derivatives_take_fewer_iterations() {
    let mut fewer = 0;
    for name in ["double_pendulum", "panda_reach", "quadrotor", "panda_limits"] {
        let problem = problems::by_name(name).expect("a problem");
        let start = guess::standing(&problem);
        let [exact, gauss] = [Hessian::Automatic, Hessian::GaussNewton].map(|hessian| {
            let mut solver = Newton::new(&problem, options(hessian));
            let report = solver.solve(&problem, &start);
            // Gauss and Newton need more than 500 for the pendulum.
            assert!(hessian == Hessian::GaussNewton || report.status == Status::Converged, "{name}: {}", report.status);
            report.iterations
        });
        println!("{name}: {exact} against {gauss} iterations");
        fewer += usize::from(exact < gauss);
    }
    assert!(fewer >= 3, "{fewer}");
}

#[test]
fn a_moved_solution_is_nearly_one() {
    let mut problem = problems::by_name("panda_limits").expect("a problem");
    let start = guess::standing(&problem);
    let mut solver = Newton::new(&problem, NewtonOptions::default());
    let cold = solver.solve(&problem, &start).iterations;
    let first = solver.trajectory().clone();
    // The state after two thirds of a step more than two steps; the end stays where it is in time, so the problem is
    // another one.
    let space = problem.space();
    let (mut off, mut x) = (vec![0.0; space.ndx()], vec![0.0; space.nx()]);
    space.difference(first.x(2), first.x(3), &mut off).expect("runs");
    off.iter_mut().for_each(|x| *x *= 2.0 / 3.0);
    space.integrate(first.x(2), &off, &mut x).expect("runs");
    solver.shift_by(&problem, 0.01 * (2.0 + 2.0 / 3.0)).expect("fits");
    let moved = solver.trajectory().x(0);
    assert!(moved.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-12));
    problem.set_start(&x[..7], &x[7..]).expect("is a state");
    let report = solver.resolve(&problem, &start);
    assert_eq!(report.status, Status::Converged);
    assert!(report.iterations < cold, "{} against {cold}", report.iterations);
    // Feedback at the state that was prepared for is the plan, and answers to others by the gains of the sweep.
    solver.prepare(&problem).expect("runs");
    let (mut u, mut other) = (vec![0.0; 7], vec![0.0; 7]);
    solver.feedback(&problem, &x, &mut u).expect("is prepared");
    let plan = solver.trajectory().u(0);
    // What was solved to 1e-8 leaves some 1e-4 of torques that cost little.
    assert!(u.iter().zip(plan).all(|(a, b)| (a - b).abs() < 1e-3), "{u:?} {plan:?}");
    let gain = solver.riccati().nodes[0].gain.clone();
    x[1] += 1e-4;
    solver.feedback(&problem, &x, &mut other).expect("is prepared");
    for i in 0..7 {
        // Bounds cut it where the plan is at one.
        let expected = (u[i] - 1e-4 * gain[(i, 1)]).clamp(-40.0, 40.0);
        assert!((other[i] - expected).abs() < 1e-5 || other[i].abs() > 1.99, "{i}: {} {expected}", other[i]);
    }
    // However far a state is, controls stay between their bounds, to the last bit: those of the solver are a little
    // wider.
    x[7..].iter_mut().for_each(|v| *v += 30.0);
    solver.feedback(&problem, &x, &mut other).expect("is prepared");
    let (lower, upper) = problem.node(0).control_bounds().expect("has bounds");
    assert!((0..7).all(|i| (lower[i]..=upper[i]).contains(&other[i])), "{other:?}");
    assert!((0..7).any(|i| other[i] <= lower[i] || other[i] >= upper[i]), "{other:?} is at no bound");
}

/// A slide of 1 kg, 1 m from rest to rest by a force within 1 N: full forth, then full back, in 2 s. A semi-implicit
/// step of even number goes `h² (N/2)²`, so that this holds for it too.
#[test]
fn a_free_duration_becomes_the_shortest() {
    let mut builder = gradyn::ModelBuilder::new("slide");
    builder.set_gravity(nalgebra::Vector3::zeros());
    let mass = gradyn::Inertia::point_mass(1.0, nalgebra::Vector3::zeros());
    let slide = gradyn::joint::Prismatic { axis: gradyn::joint::Axis::X };
    builder
        .add_body(None, "body", "slide", gradyn::Transform::identity(), slide, mass.expect("is valid"))
        .expect("is valid");
    let model = builder.build().expect("is a robot");
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let there = PathConstraint::equal("there", StateError::at(&model, &[1.0], &[0.0]));
    let go = Phase::new("go", 40, 0.1, step)
        .free_duration(0.1, 10.0)
        .cost(Cost::duration("time"))
        .control_bounds(&[-1.0], &[1.0]);
    let problem = Problem::builder(&model).phase(go).last_constraint(there).build().expect("a problem");
    let mut solver = Newton::new(&problem, NewtonOptions::default());
    let report = solver.solve(&problem, &guess::standing(&problem));
    assert_eq!(report.status, Status::Converged);
    let time = problem.duration("go", solver.trajectory()).expect("there is");
    // Barriers end at 1e-9 a bound, which is some 1e-7 of a second, and bounds are 1e-8 wider.
    assert!((time - 2.0).abs() < 1e-6 && (report.cost - time).abs() < 1e-12, "{time} {}", report.cost);
    assert!((1..41).all(|k| (solver.trajectory().u(k)[0].abs() - 1.0).abs() < 1e-5), "bang-bang");
    // Node 0 chooses, and takes no time.
    let times = problem.times(solver.trajectory());
    assert_eq!((times.len(), times[0], times[1]), (42, 0.0, 0.0));
    // A sum of 40 numbers.
    assert!((2..42).all(|k| (times[k] - time * (k - 1) as f64 / 40.0).abs() < 1e-13), "{times:?}");
    // Where it begins can be set; at the solution there is nothing left to do.
    let mut guess = solver.trajectory().clone();
    problem.set_duration("go", 3.0, &mut guess).expect("is free");
    assert_eq!(
        (problem.duration("go", &guess), problem.times(&guess).pop()),
        (Ok(3.0), Some(problem.times(&guess)[41]))
    );
    assert!((problem.times(&guess)[41] - 3.0).abs() < 1e-13);
    for (name, seconds, said) in [("went", 3.0, "went"), ("go", -1.0, "-1"), ("go", f64::NAN, "NaN")] {
        let refused = problem.set_duration(name, seconds, &mut guess).expect_err("is refused").to_string();
        assert!(refused.contains(said), "{refused}");
    }
    let mut other = guess::standing(&problems::by_name("quadrotor").expect("a problem"));
    for refused in [problem.duration("go", &other).err(), problem.set_duration("go", 1.0, &mut other).err()] {
        assert!(refused.expect("is refused").to_string().contains("other sizes"));
    }
    assert_eq!(problem.times(&other).pop(), Some(problem.time(41)));
}
