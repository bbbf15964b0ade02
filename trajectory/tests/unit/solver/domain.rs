//! Steps that end where durations and parameters lose their meaning.

use super::arm;
use crate::residual::{Control, StateError};
use crate::solver::domain::{carry, is_physical, longest};
use crate::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use crate::{Cost, Parameter, ParameterId, Phase, Problem, Trajectory, guess};
use gradyn::UrdfOptions;
use nalgebra::DVector;

/// A pendulum with a free duration, a mass, a moment of inertia and an own number.
fn free() -> Problem {
    let model = testing::robot("pendulum", &UrdfOptions::new());
    let rod = model.find_body("rod").expect("is there");
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let phase = Phase::new("swing", 3, 0.1, step)
        .cost(Cost::new("torque", Control::zero()))
        .cost(Cost::new("state", StateError::neutral(&model)))
        .free_duration(0.1, 1.0);
    Problem::builder(&model)
        .phase(phase)
        .parameter(Parameter::of_robot("mass", ParameterId::Mass(rod)).within(&[0.5], &[2.0]))
        .parameter(Parameter::of_robot("xx", ParameterId::Moment(rod, 0)).within(&[0.0], &[9.0]))
        .parameter(Parameter::new("own", &[0.5]).within(&[-1.0], &[1.0]))
        .build()
        .expect("a problem")
}

/// A direction that moves one control of the node that chooses, and one number that a state carries.
fn direction(problem: &Problem, control: (usize, f64), state: (usize, usize, f64)) -> [Vec<DVector<f64>>; 2] {
    let dims: Vec<_> = (0..=problem.steps()).map(|k| problem.dims(k)).collect();
    let mut dx: Vec<_> = dims.iter().map(|d| DVector::zeros(d.ndx)).collect();
    let mut du: Vec<_> = dims.iter().map(|d| DVector::zeros(d.nu)).collect();
    du[0][control.0] = control.1;
    let (node, number, by) = state;
    let first = dims[node].ndx - problem.carried();
    dx[node][first + number] = by;
    [dx, du]
}

/// Duration, mass, moment, own number of the guess.
fn chosen(problem: &Problem) -> (Trajectory, [f64; 4]) {
    let guess = guess::standing(problem);
    let chosen = [0, 1, 2, 3].map(|i| guess.u(0)[i]);
    (guess, chosen)
}

#[test]
fn steps_go_nine_tenths_of_the_way_to_where_a_number_loses_its_meaning() {
    let problem = free();
    let (guess, [duration, mass, ..]) = chosen(&problem);
    let of = |control, state| {
        let [dx, du] = direction(&problem, control, state);
        longest(&problem, &guess, [&dx, &du], 1.0)
    };
    let still = (1, 0, 0.0);
    for (control, state, expected) in [
        ((0, 0.0), still, 1.0),
        // More of anything, and less that stays above zero, is as long as wanted.
        ((0, 5.0), still, 1.0),
        ((0, -0.5 * duration), still, 1.0),
        ((0, -2.0 * duration), still, 0.45),
        ((1, -3.0 * mass), still, 0.3),
        // What states carry has its limits too, at any node.
        ((0, 0.0), (2, 0, -4.0 * duration), 0.225),
        // A user's own number may have any value.
        ((3, -100.0), still, 1.0),
    ] {
        let found = of(control, state);
        assert!((found - expected).abs() < 1e-12, "{control:?}, {state:?}: {found}");
    }
    // Without anything to choose there is no limit.
    let other = arm(2, &[]);
    let zero = direction_of_zeros(&other);
    assert_eq!(longest(&other, &guess::standing(&other), [&zero[0], &zero[1]], 64.0), 64.0);
}

fn direction_of_zeros(problem: &Problem) -> [Vec<DVector<f64>>; 2] {
    let dims = (0..=problem.steps()).map(|k| problem.dims(k));
    dims.map(|d| (DVector::zeros(d.ndx), DVector::zeros(d.nu))).unzip().into()
}

#[test]
fn moments_stop_where_no_body_has_them() {
    let problem = free();
    let (guess, [.., moment, _]) = chosen(&problem);
    assert!(is_physical(&problem, guess.u(0)));
    let physical = |moment: f64| {
        let mut u = guess.u(0).to_vec();
        u[2] = moment;
        is_physical(&problem, &u)
    };
    // Far beyond the sum of the others.
    let far = moment + 100.0;
    assert!(!physical(far));
    let [dx, du] = direction(&problem, (2, 100.0), (1, 0, 0.0));
    let step = longest(&problem, &guess, [&dx, &du], 1.0);
    assert!(step > 0.0 && step < 1.0 && physical(moment + 100.0 * step), "{step}");
    // It is found by halves: no less than 0.45 of the way is left out.
    assert!(!physical(moment + 100.0 * step / 0.44), "{step}");
}

#[test]
fn states_carry_what_the_first_node_chooses() {
    let problem = free();
    let (mut guess, _) = chosen(&problem);
    let numbers = [0.7, 1.5, 0.2, -0.3];
    guess.u_mut(0).copy_from_slice(&numbers);
    let before = guess.clone();
    carry(&problem, &mut guess);
    for k in 0..=problem.steps() {
        let first = guess.x(k).len() - problem.carried();
        let carried = &guess.x(k)[first..];
        // The start is given.
        if k > 0 {
            assert_eq!(carried, numbers, "{k}");
        } else {
            assert_eq!(guess.x(0), before.x(0));
        }
        assert_eq!(guess.x(k)[..first], before.x(k)[..first]);
    }
}
