//! Regressors times parameters are what the algorithms give, and parameters that are always physical.

use gradyn::dynamics::{
    FrameRef, ReferenceFrame, Workspace, center_of_mass, com_regressor, forward_kinematics, frame_wrench_regressor,
    kinematic_regressor, kinetic_energy, kinetic_energy_regressor, potential_energy, potential_energy_regressor, rnea,
    static_torque_regressor, torque_regressor,
};
use gradyn::model::{InputError, Model};
use gradyn::spatial::{
    Force, Inertia, InertiaError, LogCholesky, Motion, Symmetric3, Transform, exp6, log6, power_regressor,
    wrench_regressor,
};
use gradyn_derivatives::num_dual::Dual64;
use nalgebra::{DMatrix, DVector, Matrix4, Vector3};
use testing::{assert_near, models, state, uniform};

/// The same robot without armature, damping, friction and springs, which regressors leave out.
fn bare(model: Model) -> Model {
    model.without_springs().without_friction_curves().with_joint_dynamics(Vec::new()).expect("no entries")
}

fn parameters(model: &Model) -> DVector<f64> {
    DVector::from_vec(model.inertial_parameters())
}

/// `Y π` are the torques of inverse dynamics, moving and at rest.
#[test]
fn torques_are_the_regressor_times_the_parameters() {
    for (what, model) in models() {
        let model = bare(model);
        let ((q, v, a), pi) = (state(&model, 1), parameters(&model));
        let zero = vec![0.0; model.nv()];
        let mut ws = Workspace::new(&model);
        let moving = torque_regressor(&model, &mut ws, &q, &v, &a).expect("valid") * &pi;
        let still = static_torque_regressor(&model, &mut ws, &q).expect("valid") * &pi;
        // Rounding of sums over the bodies.
        let tau = rnea(&model, &mut ws, &q, &v, &a, &[]).expect("valid");
        assert_near(moving.as_slice(), tau, 1e-12, &what);
        let tau = rnea(&model, &mut ws, &q, &zero, &zero, &[]).expect("valid");
        assert_near(still.as_slice(), tau, 1e-12, format!("{what}, at rest"));
    }
}

/// Each column of the regressor is the derivative of the torques by that parameter: dual numbers through the model.
#[test]
fn columns_are_derivatives_by_the_parameters() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 3);
        let mut ws = Workspace::new(&model);
        let regressor = torque_regressor(&model, &mut ws, &q, &v, &a).expect("valid").clone();
        let lifted: Model<Dual64> = model.lift();
        let (q, v, a) = (testing::lift(&q), testing::lift(&v), testing::lift(&a));
        let mut ws = Workspace::<Dual64>::new(&lifted);
        for b in 0..model.bodies().len() {
            if model.bodies()[b].inertia().mass <= 0.0 {
                continue; // has no mass center
            }
            for k in 0..10 {
                let mut pi = lifted.bodies()[b].inertia().to_parameters();
                pi[k].eps = 1.0;
                let body = model.body_id(b).expect("is there");
                let varied = lifted.clone().with_inertia(body, Inertia::from_parameters(pi)).expect("is there");
                let tau = rnea(&varied, &mut ws, &q, &v, &a, &[]).expect("valid");
                let column: Vec<f64> = regressor.column(10 * b + k).iter().copied().collect();
                // Through mass centers the derivatives are quotients: more rounding.
                assert_near(&column, &testing::eps(tau), 1e-11, format!("{what}, body {b}, parameter {k}"));
            }
        }
    }
}

/// Energies are rows times the parameters.
#[test]
fn energies_are_linear_in_the_parameters() {
    for (what, model) in models() {
        let model = bare(model);
        let ((q, v, _), pi) = (state(&model, 2), parameters(&model));
        let mut ws = Workspace::new(&model);
        let kinetic = (kinetic_energy_regressor(&model, &mut ws, &q, &v).expect("valid") * &pi)[0];
        let potential = (potential_energy_regressor(&model, &mut ws, &q).expect("valid") * &pi)[0];
        // Rounding of sums over the bodies.
        let expected = kinetic_energy(&model, &mut ws, &q, &v).expect("valid");
        assert_near(&[kinetic], &[expected], 1e-12, format!("{what}: kinetic"));
        let expected = potential_energy(&model, &mut ws, &q).expect("valid");
        assert_near(&[potential], &[expected], 1e-12, format!("{what}: potential"));
    }
}

/// `Y p` is the center of mass, `p` the masses and first moments.
#[test]
fn centers_of_mass_are_linear_in_masses_and_first_moments() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 3);
        let p: Vec<f64> = model.inertial_parameters().chunks(10).flat_map(|of_body| of_body[..4].to_vec()).collect();
        let mut ws = Workspace::new(&model);
        let found = com_regressor(&model, &mut ws, &q).expect("valid") * DVector::from_vec(p);
        let expected = center_of_mass(&model, &mut ws, &q, &v, &a).expect("valid").whole.position;
        // Rounding of sums over the bodies.
        assert_near(found.as_slice(), expected.as_slice(), 1e-12, what);
    }
}

/// `W π_F` is Newton's and Euler's law in the frame, for the body's parameters as that frame sees them; in a frame of
/// the world, it holds the body.
#[test]
fn frame_wrenches_are_newtons_and_eulers() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 5);
        let mut ws = Workspace::new(&model);
        for (f, frame) in model.frames().iter().enumerate() {
            let id = model.find_frame(frame.name()).expect("is there");
            let (v_f, a_f, y) = {
                let kinematics = forward_kinematics(&model, &mut ws, &q, &v, &a).expect("valid");
                let x_wf = kinematics.frame_pose(id).expect("is there");
                let minus_g = x_wf.inv_act(Motion::new(-model.gravity(), Vector3::zeros()));
                let y = frame.body().map_or_else(Inertia::zero, |b| *model.bodies()[b.index()].inertia());
                let v_f = kinematics.frame_velocity(id).expect("is there");
                let a_f = kinematics.frame_acceleration(id).expect("is there") + minus_g;
                (v_f, a_f, frame.placement().inv_act(y))
            };
            let found = frame_wrench_regressor(&model, &mut ws, &q, &v, &a, id).expect("valid")
                * DVector::from_row_slice(&y.to_parameters());
            let expected: Force<f64> = y.newton_euler(v_f, a_f);
            // Rounding.
            assert_near(found.as_slice(), &testing::force(expected), 1e-12, format!("{what}, frame {f}"));
        }
    }
}

/// A row of the power regressor is the power of the wrench regressor's columns on the motion.
#[test]
fn powers_are_those_of_the_wrenches() {
    let rng = &mut testing::rng(4);
    for _ in 0..20 {
        let mut motion = || {
            let mut vector = || Vector3::new(uniform(rng), uniform(rng), uniform(rng));
            Motion::new(vector(), vector())
        };
        let (s, v, a) = (motion(), motion(), motion());
        let expected: Vec<f64> = wrench_regressor(v, a).into_iter().map(|f: Force<f64>| s.power(f)).collect();
        // A dozen roundings of numbers of size one.
        assert_near(&power_regressor(s, v, a), &expected, 1e-14, "row");
    }
}

/// Columns of the kinematic regressor are how the frame moves when a placement does: dual numbers through the model.
#[test]
fn kinematic_columns_are_derivatives_by_placements() {
    for (what, model) in models() {
        let (q, v, _) = state(&model, 6);
        let last = model.body_id(model.bodies().len() - 1).expect("is there");
        let frame = FrameRef::from(last);
        let mut ws = Workspace::new(&model);
        let x_wf = forward_kinematics(&model, &mut ws, &q, &v, &v).expect("valid").pose(last).expect("is there");
        let lifted: Model<Dual64> = model.lift();
        let (q_dual, still) = (testing::lift::<Dual64>(&q), vec![Dual64::from(0.0); model.nv()]);
        let mut ws_dual = Workspace::<Dual64>::new(&lifted);
        for reference in ReferenceFrame::ALL {
            let found = kinematic_regressor(&model, &mut ws, &q, frame, reference).expect("valid").clone();
            for b in 0..model.bodies().len() {
                for k in 0..6 {
                    let (placed, e) = (*lifted.bodies()[b].placement(), testing::unit(6, k));
                    let e: Vec<Dual64> = e.iter().map(|x| Dual64::new(0.0, *x)).collect();
                    let error = Motion::new(Vector3::new(e[0], e[1], e[2]), Vector3::new(e[3], e[4], e[5]));
                    let body = model.body_id(b).expect("is there");
                    let moved = lifted.clone().with_placement(body, placed * exp6(error)).expect("is there");
                    let kinematics = forward_kinematics(&moved, &mut ws_dual, &q_dual, &still, &still).expect("valid");
                    let x: Transform<Dual64> = kinematics.pose(last).expect("is there");
                    let local = log6(&(x_wf.inverse().lift::<Dual64>() * x));
                    let local = testing::eps(&testing::motion(local));
                    let local = Motion::new(
                        Vector3::new(local[0], local[1], local[2]),
                        Vector3::new(local[3], local[4], local[5]),
                    );
                    let expected = testing::motion(reference.motion_from_local(&x_wf, local));
                    let column: Vec<f64> = found.column(6 * b + k).iter().copied().collect();
                    // Rounding along a chain of some twenty poses.
                    assert_near(&column, &expected, 1e-12, format!("{what}, {reference}, body {b}, error {k}"));
                }
            }
        }
    }
}

/// A second call gives the same bits, whatever was asked in between.
#[test]
fn results_do_not_depend_on_earlier_calls() {
    let model = testing::tree_of_every_joint(2);
    let ((q, v, a), (q1, v1, a1)) = (state(&model, 1), state(&model, 2));
    let mut ws = Workspace::new(&model);
    let first = torque_regressor(&model, &mut ws, &q, &v, &a).expect("valid").clone();
    torque_regressor(&model, &mut ws, &q1, &v1, &a1).expect("valid");
    kinetic_energy_regressor(&model, &mut ws, &q1, &v1).expect("valid");
    let again = torque_regressor(&model, &mut ws, &q, &v, &a).expect("valid");
    testing::assert_same(again.as_slice(), first.as_slice(), "torque regressor");
}

/// Wrong arguments come back as errors.
#[test]
fn arguments_are_checked() {
    let (model, other) = (testing::tree_of_every_joint(1), testing::tree_of(3, 5));
    let (q, v, a) = state(&model, 1);
    let mut ws = Workspace::new(&model);
    assert!(matches!(torque_regressor(&model, &mut ws, &q, &v[1..], &a), Err(InputError::Length { what: "v", .. })));
    let mut bad = q.clone();
    bad[0] = f64::NAN;
    assert!(matches!(potential_energy_regressor(&model, &mut ws, &bad), Err(InputError::NotFinite { .. })));
    let stranger = model.body_id(model.bodies().len() - 1).expect("is there");
    let (q, v, a) = state(&other, 1);
    let mut ws = Workspace::new(&other);
    let error = frame_wrench_regressor(&other, &mut ws, &q, &v, &a, stranger).expect_err("no such body");
    assert!(matches!(error, InputError::OtherModel { what: "body", .. }));
}

fn random_parameters(seed: u64) -> [f64; 10] {
    let rng = &mut testing::rng(seed);
    std::array::from_fn(|_| 2.0 * uniform(rng))
}

/// Any log-Cholesky parameters give a body that can exist: valid, its pseudo-inertia positive definite and `U Uᵀ`.
#[test]
fn log_cholesky_parameters_are_always_physical() {
    for seed in 0..200 {
        let theta = random_parameters(seed);
        let inertia = LogCholesky::from_array(theta).inertia();
        inertia.validity().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let pseudo = inertia.pseudo_inertia();
        assert!(pseudo.cholesky().is_some(), "seed {seed}: {pseudo}");
        let [alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3] = theta;
        #[rustfmt::skip]
        let u = Matrix4::new(
            d1.exp(), s12, s13, t1,
            0.0, d2.exp(), s23, t2,
            0.0, 0.0, d3.exp(), t3,
            0.0, 0.0, 0.0, 1.0,
        ) * alpha.exp();
        // Rounding.
        assert_near(pseudo.as_slice(), (u * u.transpose()).as_slice(), 1e-13, format!("seed {seed}"));
    }
}

/// From parameters to inertia and back, and from inertia to parameters and back.
#[test]
fn log_cholesky_parameters_and_inertias_are_one_to_one() {
    for seed in 0..200 {
        let theta = random_parameters(seed);
        let found = LogCholesky::from_array(theta).inertia().log_cholesky().expect("has extent").to_array();
        // Semi-axes differ by up to e⁴, whose square the subtractions lose.
        assert_near(&found, &theta, 1e-11, format!("seed {seed}: parameters"));
        let inertia = testing::inertia(&mut testing::rng(seed));
        let found = inertia.log_cholesky().expect("five points have extent").inertia();
        assert_near(&found.to_parameters(), &inertia.to_parameters(), 1e-13, format!("seed {seed}: inertia"));
    }
}

/// `∂π/∂θ` is what dual numbers give, and regular.
#[test]
fn log_cholesky_jacobian_is_that_of_dual_numbers() {
    for seed in 0..50 {
        let theta = random_parameters(seed);
        let jacobian = LogCholesky::from_array(theta).jacobian();
        let mut expected = DMatrix::zeros(10, 10);
        for k in 0..10 {
            let varied: [Dual64; 10] = std::array::from_fn(|i| Dual64::new(theta[i], if i == k { 1.0 } else { 0.0 }));
            let pi = LogCholesky::from_array(varied).inertia().to_parameters();
            expected.column_mut(k).copy_from_slice(&testing::eps(&pi));
        }
        // Rounding.
        assert_near(jacobian.as_slice(), expected.as_slice(), 1e-13, format!("seed {seed}"));
        let smallest = expected.clone().svd(false, false).singular_values.min();
        assert!(smallest > 0.0, "seed {seed}: {smallest}");
    }
}

/// Points, rods, plates and nothing at all have no finite log-Cholesky parameters.
#[test]
fn flat_bodies_are_refused() {
    let at = Vector3::new(0.1, 0.2, 0.3);
    for moments in [[0.0; 3], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0]] {
        let body = Inertia::new(2.0, at, Symmetric3::diagonal(moments[0], moments[1], moments[2]));
        assert!(matches!(body.log_cholesky(), Err(InertiaError::Flat { .. })), "{moments:?}");
    }
    assert!(matches!(Inertia::<f64>::zero().log_cholesky(), Err(InertiaError::Flat { .. })));
    let impossible = Inertia::new(2.0, at, Symmetric3::diagonal(1.0, 1.0, 3.0));
    assert!(matches!(impossible.log_cholesky(), Err(InertiaError::TriangleInequality { .. })));
}
