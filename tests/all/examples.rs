//! The numbers that the examples print are right.

macro_rules! examples {
    ($($name:ident: $path:literal;)*) => { $(
        #[path = $path]
        #[expect(dead_code, reason = "an example's main is not called here")]
        mod $name;
    )* };
}
examples! {
    build_robot: "../../examples/build_robot.rs";
    check_derivative: "../../examples/check_derivative.rs";
    checked_frames: "../../examples/checked_frames.rs";
    closed_loop: "../../examples/closed_loop.rs";
    configurations: "../../examples/configurations.rs";
    inverse_dynamics: "../../examples/inverse_dynamics.rs";
    own_function: "../../examples/own_function.rs";
    parameter_sensitivities: "../../examples/parameter_sensitivities.rs";
    second_derivatives: "../../examples/second_derivatives.rs";
    trajectory: "../../examples/trajectory.rs";
    unusual_joints: "../../examples/unusual_joints.rs";
}

use gradyn::{Model, UrdfOptions};

/// Rounding of a few dozen operations on numbers of size ten.
const ROUNDING: f64 = 1e-12;

fn close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < ROUNDING, "{what}: {found} instead of {expected}");
}

/// `M e_k` is the difference of the torques with and without the acceleration `e_k`, at rest or not.
#[test]
fn mass_matrix_has_the_columns_of_unit_accelerations() {
    use inverse_dynamics::{Q, ROBOT, run};
    let model = Model::from_urdf_file(ROBOT, &UrdfOptions::new()).unwrap().model;
    let tau = |a: &[f64; 7]| gradyn::once::rnea(&model, &Q, &[0.0; 7], a, &[]).unwrap();
    let rest = tau(&[0.0; 7]);
    let trace = (0..7).map(|k| tau(&std::array::from_fn(|i| f64::from(i == k)))[k] - rest[k]).sum();
    close(run().unwrap(), trace, "trace of the mass matrix");
}

#[test]
fn torques_at_rest_are_proportional_to_masses() {
    close(parameter_sensitivities::run().unwrap(), 0.0, "τ − Σ m ∂τ/∂m");
}

/// The closed form at the top of `robots/double_pendulum.urdf`, differentiated twice by `q₂`.
#[test]
fn second_derivative_has_its_closed_form() {
    use second_derivatives::{A, LAMBDA, Q, V, run};
    let (h, weight) = (0.6, 9.81 * 0.6); // m₂ l₁ c₂, g m₂ c₂
    let gravity = -weight * (Q[0] + Q[1]).sin();
    let (sin, cos) = Q[1].sin_cos();
    let tau_1 = -2.0 * h * cos * A[0] - h * cos * A[1] + h * sin * (2.0 * V[0] * V[1] + V[1] * V[1]) + gravity;
    let tau_2 = -h * cos * A[0] - h * sin * V[0] * V[0] + gravity;
    close(run().unwrap(), LAMBDA[0] * tau_1 + LAMBDA[1] * tau_2, "∂²(λᵀτ)/∂q₂²");
}

#[test]
fn wrong_entry_is_found_and_lacks_the_coriolis_term() {
    use check_derivative::{Q, V, run};
    let (row, column, deviation) = run().unwrap();
    assert_eq!((row, column), (0, 1));
    close(deviation, 2.0 * 0.6 * Q[1].sin() * V[0], "deviation");
}

#[test]
fn sums_leave_the_sphere_and_integration_does_not() {
    let (length, round_trip) = configurations::run().unwrap();
    close(length, 1.01_f64.sqrt(), "length of the quaternion");
    close(round_trip, 0.0, "(q ⊕ dq) ⊖ q − dq");
}

/// `[[M + m, m l cos θ], [·, m l²]]`; the cart's acceleration of 1 m/s² carries both masses along.
#[test]
fn cart_and_pole_have_their_closed_form() {
    use build_robot::{CART, LENGTH, POLE, run};
    let (m, force) = run().unwrap();
    close(m[(0, 0)], CART + POLE, "M₁₁");
    close(m[(0, 1)], POLE * LENGTH, "M₁₂");
    close(m[(1, 0)], POLE * LENGTH, "M₂₁");
    close(m[(1, 1)], POLE * LENGTH * LENGTH, "M₂₂");
    close(force, CART + POLE, "force on the cart");
}

#[test]
fn newtons_method_brings_the_gradient_to_zero() {
    // Where nothing is optimized, dual numbers of dual numbers in registers take megabytes of the stack.
    let run = || own_function::run().map_err(|error| error.to_string());
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap();
    assert!(thread.join().unwrap().unwrap() < 1e-12);
}

#[test]
fn checked_frames_change_no_result() {
    let (checked, plain) = checked_frames::run().unwrap();
    close(checked, plain, "height of the bolt");
}

/// Closed form, dual numbers and differences agree for joints whose motion subspace depends on the configuration, at
/// the root and below it, moving and at rest.
#[test]
fn unusual_joints_have_right_derivatives() {
    let chains = unusual_joints::chains().unwrap();
    assert_eq!(chains.len(), 22);
    for chain in chains {
        let [dual, difference] = chain.deviations().unwrap();
        // A few dozen roundings; what extrapolated differences reach.
        assert!(dual < 1e-13, "{}: {dual:e} from dual numbers", chain.name());
        assert!(difference < 1e-9, "{}: {difference:e} from differences", chain.name());
    }
}

/// A parallelogram is a pendulum: `(m l²/2 + M l²) θ̈ = −g l (m + M) sin θ`.
#[test]
fn parallelogram_swings_as_a_pendulum() {
    use closed_loop::{ANGLE, BAR, CRANK, LENGTH, run};
    let swing = run().unwrap();
    let stiffness = 9.81 * LENGTH * (CRANK + BAR) / (LENGTH * LENGTH * (CRANK / 2.0 + BAR));
    close(swing.acceleration, -stiffness * ANGLE.sin(), "acceleration");
    close(swing.slope, -stiffness * ANGLE.cos(), "its derivative");
    assert_eq!((swing.rank, swing.rows), (2, 5));
}

/// With a robot and functions from the root of the crate.
#[test]
fn gradient_of_a_trajectory_is_what_its_cost_changes_by_and_leads_down() {
    let by = trajectory::run().unwrap();
    // What Ridders' extrapolation reaches, and ten times what it thinks of it.
    assert!(by.error < 1e-9 * by.exact.abs(), "{}", by.error);
    assert!((by.exact - by.by_difference).abs() < 10.0 * by.error, "{} instead of {}", by.exact, by.by_difference);
    assert!(by.after < 0.5 * by.before, "from {} to {}", by.before, by.after);
}
