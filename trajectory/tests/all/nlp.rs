//! The nonlinear program of a problem: derivatives against differences, patterns, multipliers, and what it leaves out.

use crate::common::{ARM, robot};
use gradyn::Model;
use gradyn_trajectory::nlp::NlpMultipliers;
use gradyn_trajectory::residual::{Control, FramePlacement, FrameTranslation, StateError};
use gradyn_trajectory::step::{Actuation, Euler, ForwardDynamics, ImplicitMidpoint, Rk4, SemiImplicitEuler, Step};
use gradyn_trajectory::{
    Cost, Loss, Newton, NewtonOptions, Nlp, PathConstraint, Phase, Problem, Status, Trajectory, guess,
};
use nalgebra::{DMatrix, DVector};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// An arm within limits that is to reach a place; one constraint counts at one node only, one cost is flat where the
/// arm is.
fn arm() -> Problem {
    let model = robot("panda", false);
    let hand = model.find_frame("panda_link8").expect("a hand");
    let limits = model.limits();
    let lower = [&limits.q_lower[..], &[-1.0; 7]].concat();
    let upper = [&limits.q_upper[..], &[1.0; 7]].concat();
    let place = || FrameTranslation::new(hand, [0.4, 0.3, 0.5].into());
    let barrier = Loss::QuadraticBarrier { lower: vec![-3.5; 14], upper: vec![3.5; 14] };
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let state = || StateError::at(&model, &ARM, &[0.0; 7]);
    Problem::builder(&model)
        .start(&ARM, &[0.0; 7])
        .phase(
            Phase::new("reach", 4, 0.05, step)
                .cost(Cost::new("state", state()).weight(0.1))
                .cost(Cost::new("torque", Control::zero()).weight(1e-2))
                .cost(Cost::new("hand", place()).weight(3.0).only_at(&[2]))
                .cost(Cost::new("barrier", StateError::neutral(&model)).loss(barrier).weight(10.0))
                .constraint(
                    PathConstraint::within("limits", StateError::neutral(&model), &lower, &upper).only_at(&[1, 2]),
                )
                .constraint(PathConstraint::equal("there", place()).only_at(&[3]))
                .control_bounds(&[-40.0; 7], &[40.0; 7]),
        )
        .last(Cost::new("state", state()).weight(0.1))
        .last_constraint(PathConstraint::equal("place", place()))
        .build()
        .expect("a problem")
}

fn step_of(model: &Model, which: usize, actuation: Actuation) -> Box<dyn Step> {
    let dynamics = ForwardDynamics::new(actuation);
    match which {
        0 => Box::new(SemiImplicitEuler::new(model, dynamics)),
        1 => Box::new(Euler::new(model, dynamics)),
        2 => Box::new(Rk4::new(model, dynamics)),
        _ => Box::new(ImplicitMidpoint::new(dynamics)),
    }
}

/// A body that flies and turns, with a pose to hold at the end.
fn flight(which: usize) -> Problem {
    let model = robot("quadrotor", true);
    let trunk = model.find_frame("trunk").expect("a trunk");
    let goal = gradyn::Transform::from_rpy([0.7, 0.2, -0.4], [0.5, 0.2, 0.3].into());
    let mut thrusts = DMatrix::zeros(6, 4);
    for (k, (x, y, moment)) in
        [(0.18, 0.18, 0.016), (0.18, -0.18, -0.016), (-0.18, 0.18, -0.016), (-0.18, -0.18, 0.016)]
            .into_iter()
            .enumerate()
    {
        thrusts.column_mut(k).copy_from_slice(&[0.0, 0.0, 1.0, y, -x, moment]);
    }
    let (least, most) = ([-5.0; 3], [5.0; 3]);
    Problem::builder(&model)
        .start(&[0.1, 0.0, 1.0, 0.0, 0.0, 0.2_f64.sin(), 0.2_f64.cos()], &[0.3, 0.1, -0.2, 0.4, -0.3, 0.2])
        .phase(
            Phase::boxed("fly", 3, 0.1, step_of(&model, which, Actuation::Matrix(thrusts)))
                .cost(Cost::new("calm", StateError::neutral(&model)))
                .cost(Cost::new("thrust", Control::at(&[2.4525; 4])).weight(0.05))
                .constraint(PathConstraint::norm_at_most("strength", Control::zero(), 12.0))
                .constraint(PathConstraint::within(
                    "near",
                    FrameTranslation::new(trunk, [0.0; 3].into()),
                    &least,
                    &most,
                )),
        )
        .last(Cost::new("hover", StateError::neutral(&model)).weight(10.0))
        .last_constraint(PathConstraint::equal("gate", FramePlacement::new(trunk, goal)))
        .last_constraint(PathConstraint::norm_at_most("ball", FrameTranslation::new(trunk, [0.1; 3].into()), 4.0))
        .build()
        .expect("a problem")
}

struct Random(ChaCha8Rng);

impl Random {
    fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }
    fn numbers(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| size * self.0.random_range(-1.0..1.0)).collect()
    }
}

/// A base that is not the start, also in attitude.
fn base(problem: &Problem, random: &mut Random) -> Trajectory {
    let mut base = guess::standing(problem);
    let space = problem.space();
    for k in 0..=problem.steps() {
        let x = base.x(k).to_vec();
        space.integrate(&x, &random.numbers(space.ndx(), 0.3), base.x_mut(k)).expect("a state");
        let u = random.numbers(base.u(k).len(), 1.0);
        base.u_mut(k).copy_from_slice(&u);
    }
    base
}

fn dense(pattern: &gradyn_trajectory::nlp::Triplets, values: &[f64], rows: usize, columns: usize) -> DMatrix<f64> {
    let mut m = DMatrix::zeros(rows, columns);
    for ((i, j), x) in pattern.rows.iter().zip(&pattern.columns).zip(values) {
        m[(*i, *j)] += x;
    }
    m
}

fn jacobian(nlp: &mut Nlp<'_>, w: &[f64]) -> DMatrix<f64> {
    let size = nlp.dimensions();
    let mut values = vec![0.0; size.jacobian];
    nlp.jacobian(w, &mut values).expect("a Jacobian");
    dense(nlp.jacobian_structure(), &values, size.rows, size.variables)
}

/// Both triangles.
fn hessian(nlp: &mut Nlp<'_>, w: &[f64], sigma: f64, lambda: &[f64]) -> DMatrix<f64> {
    let size = nlp.dimensions();
    let mut values = vec![0.0; size.hessian];
    nlp.hessian(w, sigma, lambda, &mut values).expect("a Hessian");
    let lower = dense(nlp.hessian_structure(), &values, size.variables, size.variables);
    &lower + lower.transpose() - DMatrix::from_diagonal(&lower.diagonal())
}

fn gradient(nlp: &mut Nlp<'_>, w: &[f64]) -> DVector<f64> {
    let mut out = vec![0.0; w.len()];
    nlp.gradient(w, &mut out).expect("a gradient");
    out.into()
}

/// `f'(0)` along a direction, to fourth order.
fn difference(mut f: impl FnMut(f64) -> DVector<f64>) -> DVector<f64> {
    let h = 1e-3;
    ((f(h) - f(-h)) * 8.0 - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

fn moved(w: &[f64], j: usize, by: f64) -> Vec<f64> {
    let mut w = w.to_vec();
    w[j] += by;
    w
}

fn agree(what: &str, found: &DMatrix<f64>, expected: &DMatrix<f64>, tolerance: f64) {
    let off = (found - expected).amax() / expected.amax().max(1.0);
    assert!(off < tolerance, "{what}: {off:e}");
}

/// `false` if a step does not know its second derivatives, which then are refused.
fn check_derivatives(problem: &Problem, seed: u64, tolerance: f64) -> bool {
    let mut random = Random::new(seed);
    let base = base(problem, &mut random);
    let mut nlp = Nlp::new(problem, &base).expect("a program");
    let size = nlp.dimensions();
    let w = random.numbers(size.variables, 0.4);
    let lambda = random.numbers(size.rows, 1.0);
    let slopes: Vec<_> = (0..size.variables)
        .map(|j| {
            difference(|h| {
                let (w, mut rows) = (moved(&w, j, h), vec![0.0; size.rows + 1]);
                nlp.constraints(&w, &mut rows[..size.rows]).expect("rows");
                rows[size.rows] = nlp.objective(&w).expect("an objective");
                rows.into()
            })
        })
        .collect();
    let slopes = DMatrix::from_columns(&slopes);
    agree("Jacobian", &jacobian(&mut nlp, &w), &slopes.rows(0, size.rows).into_owned(), tolerance);
    let by_gradient = DMatrix::from_row_slice(1, size.variables, gradient(&mut nlp, &w).as_slice());
    agree("gradient", &by_gradient, &slopes.rows(size.rows, 1).into_owned(), tolerance);
    if !nlp.has_hessian() {
        assert!(nlp.hessian(&w, 1.0, &lambda, &mut vec![0.0; size.hessian]).is_err());
        return false;
    }
    // The objective once, hardly, and not at all.
    for sigma in [1.0, 0.3, 1e-9, 0.0] {
        let lagrangian = |nlp: &mut Nlp<'_>, w: &[f64]| {
            gradient(nlp, w) * sigma + jacobian(nlp, w).tr_mul(&DVector::from_column_slice(&lambda))
        };
        let bends: Vec<_> =
            (0..size.variables).map(|j| difference(|h| lagrangian(&mut nlp, &moved(&w, j, h)))).collect();
        let found = hessian(&mut nlp, &w, sigma, &lambda);
        agree(&format!("Hessian, σ = {sigma}"), &found, &DMatrix::from_columns(&bends), tolerance);
    }
    true
}

#[test]
fn derivatives_of_an_arm_are_those_of_differences() {
    assert!(check_derivatives(&arm(), 1, 1e-8));
}

#[test]
fn derivatives_of_what_turns_in_space_are_those_of_differences_far_from_the_base() {
    let known: Vec<_> = (0..4).map(|which| check_derivatives(&flight(which), 2 + which as u64, 1e-7)).collect();
    // Every step knows its second derivatives, of joints that turn in space too.
    assert_eq!(known, [true; 4]);
}

#[test]
fn every_entry_of_a_pattern_is_needed() {
    // Of the flight, what is zero in the direction of three axes at once is never seen to be needed; of the arm all is
    // but for the barrier, whose entries other terms have too.
    for problem in [arm(), flight(0)] {
        let mut random = Random::new(7);
        let base = base(&problem, &mut random);
        let mut nlp = Nlp::new(&problem, &base).expect("a program");
        let size = nlp.dimensions();
        let (mut first, mut second) = (vec![0.0_f64; size.jacobian], vec![0.0_f64; size.hessian]);
        for _ in 0..4 {
            let w = random.numbers(size.variables, 0.7);
            let lambda = random.numbers(size.rows, 1.0);
            let (mut jacobian, mut hessian) = (vec![0.0; size.jacobian], vec![0.0; size.hessian]);
            nlp.jacobian(&w, &mut jacobian).expect("a Jacobian");
            nlp.hessian(&w, 1.0, &lambda, &mut hessian).expect("a Hessian");
            first.iter_mut().zip(jacobian).for_each(|(most, x)| *most = most.max(x.abs()));
            second.iter_mut().zip(hessian).for_each(|(most, x)| *most = most.max(x.abs()));
        }
        let none = |x: &[f64]| x.iter().filter(|x| **x == 0.0).count();
        assert_eq!((none(&first), none(&second)), (0, 0), "of {size:?}");
    }
}

#[test]
fn triplets_are_sorted_by_columns_each_once_the_lower_triangle_of_the_hessian() {
    let problem = arm();
    let nlp = Nlp::new(&problem, &guess::standing(&problem)).expect("a program");
    for (pattern, lower) in [(nlp.jacobian_structure(), false), (nlp.hessian_structure(), true)] {
        let entries: Vec<_> = pattern.columns.iter().zip(&pattern.rows).collect();
        assert!(entries.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(!lower || entries.iter().all(|(column, row)| row >= column));
    }
}

#[test]
fn rows_that_do_not_count_are_left_out_and_controls_have_bounds() {
    let problem = arm();
    let nlp = Nlp::new(&problem, &guess::standing(&problem)).expect("a program");
    let size = nlp.dimensions();
    // Steps, the start, limits at two nodes, a place at one and at the end.
    assert_eq!(size.rows, 4 * 14 + 14 + 2 * 14 + 3 + 3);
    assert_eq!(size.variables, 5 * 14 + 4 * 7);
    assert_eq!(nlp.stages(), [[14, 7, 14], [14, 7, 14], [14, 7, 14], [14, 7, 3], [14, 0, 3]]);
    let (mut low, mut high) = (vec![0.0; size.variables], vec![0.0; size.variables]);
    nlp.variable_bounds(&mut low, &mut high);
    assert_eq!(high.iter().filter(|x| (**x - 40.0).abs() < 1e-12).count(), 4 * 7);
    assert_eq!(low.iter().filter(|x| x.is_infinite()).count(), 5 * 14);
}

#[test]
fn trajectories_and_multipliers_go_there_and_back() {
    let problem = flight(0);
    let mut random = Random::new(9);
    let base = base(&problem, &mut random);
    let nlp = Nlp::new(&problem, &base).expect("a program");
    let size = nlp.dimensions();
    let (w, lambda) = (random.numbers(size.variables, 0.5), random.numbers(size.rows, 1.0));
    let mut back = vec![0.0; size.variables];
    nlp.variables(&nlp.trajectory(&w).expect("a trajectory"), &mut back).expect("variables");
    assert!(w.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-12));
    let mut back = vec![0.0; size.rows];
    nlp.row_multipliers(&w, &nlp.multipliers(&w, &lambda).expect("multipliers"), &mut back).expect("rows");
    assert!(lambda.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-12));
}

/// An arm that reaches a place in one second, within limits.
fn reachable() -> Problem {
    let model = robot("panda", false);
    let hand = model.find_frame("panda_link8").expect("a hand");
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let state = || StateError::at(&model, &ARM, &[0.0; 7]);
    let torques = [30.0, 30.0, 30.0, 30.0, 5.0, 5.0, 5.0];
    Problem::builder(&model)
        .start(&ARM, &[0.0; 7])
        .phase(
            Phase::new("reach", 20, 0.05, step)
                .cost(Cost::new("state", state()).weight(0.1))
                .cost(Cost::new("torque", Control::zero()).weight(1e-2))
                .constraint(PathConstraint::within("near", state(), &[-0.7], &[0.7]))
                .control_bounds(&torques.map(|x| -x), &torques),
        )
        .last(Cost::new("state", state()).weight(0.1))
        .last_constraint(PathConstraint::equal("place", FrameTranslation::new(hand, [0.4, 0.3, 0.5].into())))
        .build()
        .expect("a problem")
}

/// At what `Newton` finds, with its multipliers, the conditions of optimality of the program hold.
#[test]
fn what_newton_finds_is_an_optimum_of_the_program() {
    let problem = reachable();
    let start = guess::standing(&problem);
    let mut newton = Newton::new(&problem, NewtonOptions::default());
    let report = newton.solve(&problem, &start);
    assert_eq!(report.status, Status::Converged);
    let mut nlp = Nlp::new(&problem, &start).expect("a program");
    let size = nlp.dimensions();
    let mut w = vec![0.0; size.variables];
    nlp.variables(newton.trajectory(), &mut w).expect("variables");
    let cost = nlp.objective(&w).expect("an objective");
    // The same sum of the same numbers but for the states, which went through the chart.
    assert!((cost - report.cost).abs() <= 1e-12 * cost.abs());

    let (mut rows, mut low, mut high) = (vec![0.0; size.rows], vec![0.0; size.rows], vec![0.0; size.rows]);
    nlp.constraints(&w, &mut rows).expect("rows");
    nlp.row_bounds(&mut low, &mut high);
    for (row, (low, high)) in rows.iter().zip(low.iter().zip(&high)) {
        // The solver's tolerance, and bounds that it takes 1e-8 wider.
        assert!(*row >= low - 5e-8 && *row <= high + 5e-8, "{low} {row} {high}");
    }

    let space = problem.space();
    let nodes = (0..=problem.steps()).map(|k| newton.multipliers(k).clone()).collect();
    let of = NlpMultipliers { start: vec![0.0; space.ndx()], nodes };
    let mut lambda = vec![0.0; size.rows];
    nlp.row_multipliers(&w, &of, &mut lambda).expect("multipliers");
    let (mut left, mut values) = (vec![0.0; size.variables], vec![0.0; size.jacobian]);
    nlp.gradient(&w, &mut left).expect("a gradient");
    nlp.jacobian(&w, &mut values).expect("a Jacobian");
    let pattern = nlp.jacobian_structure();
    for ((row, column), value) in pattern.rows.iter().zip(&pattern.columns).zip(&values) {
        left[*column] += value * lambda[*row];
    }
    let stride = space.ndx() + 7;
    let mut active = 0;
    for k in 0..problem.steps() {
        for i in 0..7 {
            let bound = newton.control_multiplier(k, i).expect("has bounds");
            left[k * stride + space.ndx() + i] += bound;
            active += usize::from(bound.abs() > 1e-4);
        }
        active += newton.multipliers(k).ineq.iter().filter(|y| y.abs() > 1e-4).count();
    }
    // Of the first state, the multiplier of the start is left out.
    for (i, x) in left.iter().enumerate().skip(space.ndx()) {
        // 1e-8 of a cost scaled to a gradient of 100, and of means of multipliers that are some hundreds.
        assert!(x.abs() < 1e-6, "{i}: {x}");
    }
    assert!(active >= 5, "only {active} bounds are active");
}

#[test]
fn a_base_of_other_sizes_is_refused() {
    let (problem, other) = (arm(), flight(0));
    assert!(Nlp::new(&problem, &guess::standing(&other)).is_err());
}
