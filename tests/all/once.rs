//! Forms without a workspace give what those with one give.

use gradyn::dynamics::{self, Constraint, ExternalWrench, ReferenceFrame, Workspace, forward_kinematics};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{FrameId, InputError, Model, ModelBuilder};
use gradyn::once::partials as by_method;
use gradyn::partials::{self, DerivativeWorkspace, Method};
use gradyn::spatial::{Force, Inertia, Transform};
use gradyn::{joint, once};
use gradyn_derivatives::Scalar;
use gradyn_derivatives::num_dual::Dual64;
use nalgebra::Vector3;
use std::fmt::Debug;
use testing::{lift, state, wrenches};

/// An arm, a robot that floats, one whose mass matrix is singular, and trees with mimic joints and several roots.
fn models() -> Vec<(String, Model)> {
    let floating = UrdfOptions::new().floating_base(true);
    vec![
        ("panda".to_owned(), testing::robot("panda", &UrdfOptions::new())),
        ("solo12, floating base".to_owned(), testing::robot("solo12", &floating)),
        ("pendulum, floating base".to_owned(), testing::robot("pendulum", &floating)),
        ("every joint".to_owned(), testing::tree_of_every_joint(2)),
        ("9 bodies".to_owned(), testing::tree_of(9, 9)),
    ]
}

/// The same text: that of a number names its bits, and structs of one name with the same fields look the same.
#[track_caller]
fn assert_same(found: impl Debug, expected: impl Debug, what: &str) {
    let (found, expected) = (format!("{found:?}"), format!("{expected:?}"));
    assert!(found == expected, "{what}: {found} instead of {expected}");
}

/// Both forms of each function, with these arguments; errors too.
macro_rules! compare {
    ($what:expr, $once:ident, $module:ident, $model:expr, $workspace:ident, $($name:ident($($argument:expr),*);)*) => { $(
        let ws = &mut $workspace::new($model);
        let what = format!("{}: {}", $what, stringify!($name));
        assert_same($once::$name($model, $($argument),*), $module::$name($model, ws, $($argument),*), &what);
    )* };
}

fn compare_dynamics<T: Scalar>(what: &str, model: &Model) {
    let (q, v, a) = state(model, 3);
    let (q, v, a): (Vec<T>, Vec<T>, Vec<T>) = (lift(&q), lift(&v), lift(&a));
    let (q, v, a) = (&q[..], &v[..], &a[..]);
    let f_ext: Vec<ExternalWrench<T>> = wrenches(model, 3).iter().map(ExternalWrench::lift).collect();
    let (first, last) =
        (model.body_id(0).expect("is there"), model.body_id(model.bodies().len() - 1).expect("is there"));
    let (point, world) = (Vector3::new(0.1, 0.2, 0.3), ReferenceFrame::World);
    let force = Force::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(-1.0, 0.5, 0.2)).lift::<T>();
    let contact = [Constraint::contact(last, point, Vector3::zeros()).with_gains(4.0, 2.0)];
    compare! { what, once, dynamics, model, Workspace,
        rnea(q, v, a, &f_ext);
        aba(q, v, a, &f_ext);
        bias(q, v, &f_ext);
        generalized_gravity(q);
        static_torque(q, &f_ext);
        crba(q);
        minv(q);
        coriolis_matrix(q, v);
        kinetic_energy(q, v);
        potential_energy(q);
        mechanical_energy(q, v);
        frame_jacobian(q, last, world);
        joint_jacobians(q);
        point_jacobian(q, last, point, world);
        relative_jacobian(q, first, last, world);
        frame_jacobian_rate(q, v, last, world);
        frame_bias_acceleration(q, v, last, world);
        com_jacobian(q, None);
        com_jacobian(q, Some(last));
        centroidal_momentum_matrix(q);
        centroidal_derivatives(q, v, a);
        center_of_mass_derivatives(q, v, a, None);
        frame_derivatives(q, v, a, last, world);
        classical_frame_derivatives(q, v, a, last, world);
        point_derivatives(q, v, a, last, point, world);
        jacobian_transpose_derivatives(q, last, world, force);
        rnea_second_derivatives(q, v, a, &f_ext);
        torque_regressor(q, v, a);
        static_torque_regressor(q);
        frame_wrench_regressor(q, v, a, last);
        kinetic_energy_regressor(q, v);
        potential_energy_regressor(q);
        kinematic_regressor(q, last, world);
        constraint_error(q, &contact);
        constraint_jacobian(q, &contact);
        constraint_bias(q, v, &contact);
        rnea_gradient(q, v, a, v, &f_ext);
        aba_gradient(q, v, a, v, &f_ext);
        centroidal(q, v, a);
        constraint_dynamics(q, v, a, &contact, &f_ext);
        impulse_dynamics(q, v, 0.5, &contact);
        // Errors.
        rnea(q, &v[1..], a, &f_ext);
        aba_gradient(q, v, a, &v[1..], &f_ext);
        impulse_dynamics(q, v, 2.0, &contact);
    }

    let ws = &mut Workspace::new(model);
    let by = dynamics::rnea_derivatives(model, ws, q, v, a, &f_ext).expect("valid");
    let own = once::rnea_derivatives(model, q, v, a, &f_ext).expect("valid");
    let flat: Vec<T> = own.dtau_df_ext.iter().flat_map(|m| m.iter().copied()).collect();
    for (found, expected) in [(&own.dtau_dq, by.dtau_dq), (&own.dtau_dv, by.dtau_dv), (&own.dtau_da, by.dtau_da)] {
        assert_same(found.as_slice(), expected, &format!("{what}: rnea_derivatives"));
    }
    assert_same((own.tau, flat), (by.tau, by.dtau_df_ext), &format!("{what}: rnea_derivatives"));

    let kinematics = forward_kinematics(model, ws, q, v, a).expect("valid");
    let pose = once::frame_pose(model, q, last).ok();
    assert_same(pose, kinematics.pose(last), &format!("{what}: frame_pose"));
    for reference in ReferenceFrame::ALL {
        let own = [
            once::frame_velocity(model, q, v, last, reference).ok(),
            once::frame_acceleration(model, q, v, a, last, reference).ok(),
            once::classical_frame_acceleration(model, q, v, a, last, reference).ok(),
        ];
        let by = [
            kinematics.velocity_in(last, reference),
            kinematics.acceleration_in(last, reference),
            kinematics.classical_acceleration_in(last, reference),
        ];
        assert_same(own, by, &format!("{what}: motion of a frame"));
    }
    if let Some(frame) = (!model.frames().is_empty()).then(|| model.find_frame(model.frames()[0].name())).flatten() {
        assert_same(once::frame_pose(model, q, frame).ok(), kinematics.frame_pose(frame), what);
    }

    let centers = dynamics::center_of_mass(model, ws, q, v, a).expect("has mass");
    assert_same(once::center_of_mass(model, q, v, a, None).ok(), Some(centers.whole), what);
    assert_same(once::center_of_mass(model, q, v, a, Some(first)).ok(), centers.subtree(first), what);

    let mut solved = a.to_vec();
    let factors = dynamics::factorize_mass_matrix(model, ws, q);
    let expected = factors.and_then(|factors| factors.solve(&mut solved)).map(|()| solved);
    assert_same(once::solve_mass_matrix(model, q, a), expected, &format!("{what}: solve_mass_matrix"));
}

/// Bit for bit, over `f64` and over dual numbers, errors among the results.
#[test]
fn algorithms_give_what_they_give_in_a_workspace() {
    for (what, model) in models() {
        compare_dynamics::<f64>(&what, &model);
        compare_dynamics::<Dual64>(&format!("{what}, dual numbers"), &model);
    }
}

/// Bit for bit, by every method, errors among the results.
#[test]
fn derivatives_are_what_they_are_in_a_workspace() {
    for (what, model) in models().into_iter().filter(|(_, model)| model.nv() <= 20) {
        let (state, f_ext) = (state(&model, 5), wrenches(&model, 5));
        let (q, v, a) = (&state.0[..], &state.1[..], &state.2[..]);
        let last = model.body_id(model.bodies().len() - 1).expect("is there");
        let (point, world) = (Vector3::new(0.1, 0.2, 0.3), ReferenceFrame::World);
        let force = Force::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(-1.0, 0.5, 0.2));
        let contact = [Constraint::contact(last, point, Vector3::zeros()).with_gains(4.0, 2.0)];
        for method in Method::ALL {
            let what = format!("{what}, {method}");
            compare! { what, by_method, partials, &model, DerivativeWorkspace,
                rnea_derivatives(method, q, v, a, &f_ext);
                aba_derivatives(method, q, v, a, &f_ext);
                constraint_dynamics_derivatives(method, q, v, a, &contact, &f_ext);
                impulse_dynamics_derivatives(method, q, v, 0.5, &contact);
                frame_derivatives(method, q, v, a, last, world);
                classical_frame_derivatives(method, q, v, a, last, world);
                point_derivatives(method, q, v, a, last, point, world);
                jacobian_transpose_derivatives(method, q, last, world, force);
                centroidal_derivatives(method, q, v, a);
                center_of_mass_derivatives(method, q, v, a, None);
                bias_derivatives(method, q, v, &f_ext);
                generalized_gravity_derivatives(method, q);
                static_torque_derivatives(method, q, &f_ext);
                mass_product_derivatives(method, q, a);
                // Errors.
                rnea_derivatives(method, q, &v[1..], a, &f_ext);
                impulse_dynamics_derivatives(method, q, v, 2.0, &contact);
            }
        }
    }
}

/// Frames, bodies and masses that are not there are named.
#[test]
fn what_is_not_there_is_named() {
    let (large, hinge) = (testing::robot("g1", &UrdfOptions::new()), joint::Revolute { axis: joint::Axis::X });
    let mut builder = ModelBuilder::new("rotor");
    let place = Transform::identity();
    let shaft =
        builder.add_body(None, "shaft", "bearing", place, hinge, Inertia::solid_sphere(1.0, 0.1).expect("a ball"));
    builder.add_body(Some(shaft.expect("builds")), "tag", "pin", place, hinge, Inertia::zero()).expect("builds");
    let model = builder.build().expect("builds");
    let (q, rest) = ([0.1; 2], [0.0; 2]);
    let body = large.body_id(20).expect("is there");
    let frame: FrameId = large.find_frame(large.frames()[20].name()).expect("is there");
    let error = once::frame_pose(&model, &q, body).expect_err("of another model");
    assert!(matches!(error, InputError::OtherModel { what: "body", index: 20, .. }), "{error}");
    let error = once::frame_velocity(&model, &q, &rest, frame, ReferenceFrame::World).expect_err("of another model");
    assert!(matches!(error, InputError::OtherModel { what: "frame", .. }), "{error}");
    let error = once::center_of_mass(&model, &q, &rest, &rest, Some(body)).expect_err("of another model");
    assert!(matches!(error, InputError::OtherModel { what: "body", index: 20, .. }), "{error}");
    let tag = model.find_body("tag");
    let error = once::center_of_mass(&model, &q, &rest, &rest, tag).expect_err("no mass");
    assert!(matches!(&error, InputError::Massless { body } if body == "tag"), "{error}");
    let error = once::solve_mass_matrix(&model, &q, &rest).expect_err("no inertia");
    assert!(error.to_string().contains("pin"), "{error}");
}
