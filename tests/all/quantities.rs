//! All quantities of kinematics, mass centers, momenta, energy and constraints: the same state again, eight states in
//! one number, and a robot far away.

use gradyn::dynamics::{
    Constraint, ExternalWrench, FrameRef, ReferenceFrame, Workspace, center_of_mass, center_of_mass_derivatives,
    centroidal, centroidal_derivatives, centroidal_momentum_matrix, classical_frame_derivatives, com_jacobian,
    constraint_bias, constraint_dynamics, constraint_error, constraint_jacobian, forward_kinematics,
    frame_bias_acceleration, frame_derivatives, frame_jacobian, frame_jacobian_rate, generalized_gravity,
    jacobian_transpose_derivatives, kinematic_regressor, kinetic_energy, kinetic_energy_regressor, mechanical_energy,
    point_derivatives, point_jacobian, potential_energy, relative_jacobian, static_torque,
};
use gradyn::joint::{Axis, Helical, Revolute};
use gradyn::model::Model;
use gradyn::partials::{DerivativeWorkspace, Method, constraint_dynamics_derivatives, impulse_dynamics_derivatives};
use gradyn::spatial::{Force, Transform};
use gradyn_derivatives::simd::Baseline;
use gradyn_derivatives::{Lanes, Scalar};
use nalgebra::Vector3;
use testing::{assert_near, assert_same, force, models, motion, robots, state};

/// A state.
type Vectors = (Vec<f64>, Vec<f64>, Vec<f64>);

/// Numbers by the name of what they are.
type Named<T> = Vec<(String, Vec<T>)>;

/// Loops between the first body and others, and between the last and the first.
fn loops(model: &Model) -> Vec<Constraint> {
    let id = |i: usize| model.body_id(i).expect("is there");
    let last = model.bodies().len() - 1;
    let at = |x: f64, y: f64, z: f64| Transform::from_rpy([x, -y, z], Vector3::new(y, z, x));
    let hinge = Revolute { axis: Axis::Y };
    let thread = Helical { axis: Axis::Z, pitch: 0.3 };
    vec![
        Constraint::point(id(0), Vector3::new(0.1, 0.2, 0.3), id(last), Vector3::x()).with_gains(3.0, 2.0),
        Constraint::joint(id(last / 2), at(0.1, 0.2, 0.3), id(last), at(0.3, 0.1, 0.2), hinge).expect("can"),
        Constraint::joint(id(0), at(0.2, 0.2, 0.1), id(last), at(0.1, 0.3, 0.1), thread).expect("can"),
    ]
}

/// What does not depend on where the robot is, if `far`; everything, else.
fn quantities<T: Scalar>(model: &Model, ws: &mut Workspace<T>, (q, v, a): (&[T], &[T], &[T]), far: bool) -> Named<T> {
    let mut all = Named::new();
    let mut put = |name: String, numbers: &[T]| all.push((name, numbers.to_vec()));
    let last = model.body_id(model.bodies().len() - 1).expect("is there");
    let middle = model.find_frame(model.frames()[model.frames().len() / 2].name()).expect("is there");
    let references = ReferenceFrame::ALL.into_iter().filter(|reference| !far || *reference != ReferenceFrame::World);
    let (point, wrench) = (Vector3::new(0.1, 0.2, 0.3), Force::new(Vector3::x(), Vector3::y()));
    let wrench = Force::new(wrench.linear.map(T::from), wrench.angular.map(T::from));
    for reference in references {
        for frame in [FrameRef::Body(last), middle.into()] {
            let name = |what: &str| format!("{what}, {frame:?}, {reference}");
            let kinematics = forward_kinematics(model, ws, q, v, a).expect("valid");
            put(name("velocity"), &motion(kinematics.velocity_in(frame, reference).expect("is there")));
            put(name("acceleration"), &motion(kinematics.acceleration_in(frame, reference).expect("is there")));
            let classical = kinematics.classical_acceleration_in(frame, reference).expect("is there");
            put(name("classical acceleration"), &motion(classical));
            put(name("J"), frame_jacobian(model, ws, q, frame, reference).expect("valid").as_slice());
            put(name("J̇"), frame_jacobian_rate(model, ws, q, v, frame, reference).expect("valid").as_slice());
            let bias = frame_bias_acceleration(model, ws, q, v, frame, reference).expect("valid");
            put(name("J̇ q̇"), &[motion(bias.spatial), motion(bias.classical)].concat());
            // But for the placement of the root, by which all moves.
            let regressor = kinematic_regressor(model, ws, q, frame, reference).expect("valid");
            put(name("calibration"), &regressor.as_slice()[if far { 36 } else { 0 }..]);
            let by = frame_derivatives(model, ws, q, v, a, frame, reference).expect("valid");
            by.matrices().into_iter().for_each(|(what, m)| put(name(what), m.as_slice()));
            let by = classical_frame_derivatives(model, ws, q, v, a, frame, reference).expect("valid");
            by.matrices().into_iter().for_each(|(what, m)| put(name(&format!("{what}, classical")), m.as_slice()));
            let by = jacobian_transpose_derivatives(model, ws, q, frame, reference, wrench).expect("valid");
            put(name("Jᵀ f"), by.torque.as_slice());
            put(name("∂(Jᵀ f)/∂q"), by.dtorque_dq.as_slice());
        }
        let name = |what: &str| format!("{what}, {reference}");
        let j = point_jacobian(model, ws, q, last, point, reference).expect("valid");
        put(name("J of a point"), j.as_slice());
        let first = model.body_id(0).expect("is there");
        put(name("relative J"), relative_jacobian(model, ws, q, first, last, reference).expect("valid").as_slice());
        let by = point_derivatives(model, ws, q, v, a, last, point, reference).expect("valid");
        by.matrices().into_iter().for_each(|(what, m)| put(name(&format!("{what} of a point")), m.as_slice()));
    }

    put("J of the mass center".into(), com_jacobian(model, ws, q, None).expect("has mass").as_slice());
    let of = center_of_mass(model, ws, q, v, a).expect("has mass").whole;
    put("mass center".into(), &[of.velocity.as_slice(), of.acceleration.as_slice()].concat());
    let by = center_of_mass_derivatives(model, ws, q, v, a, None).expect("has mass");
    by.matrices().into_iter().for_each(|(what, m)| put(format!("{what} of the mass center"), m.as_slice()));
    let of = centroidal(model, ws, q, v, a).expect("has mass");
    put("momentum".into(), &[force(of.momentum), force(of.momentum_rate)].concat());
    put("centroidal matrix".into(), of.matrix.as_slice());
    put("its rate".into(), of.matrix_rate.as_slice());
    put("Ag".into(), centroidal_momentum_matrix(model, ws, q).expect("has mass").as_slice());
    let by = centroidal_derivatives(model, ws, q, v, a).expect("has mass");
    by.matrices().into_iter().for_each(|(what, m)| put(what.to_owned(), m.as_slice()));

    put("kinetic energy".into(), &[kinetic_energy(model, ws, q, v).expect("valid")]);
    put("kinetic regressor".into(), kinetic_energy_regressor(model, ws, q, v).expect("valid").as_slice());
    put("gravity".into(), generalized_gravity(model, ws, q).expect("valid"));
    let pushed = [ExternalWrench::in_body(last, wrench)];
    put("static torque".into(), static_torque(model, ws, q, &pushed).expect("valid"));
    if !far {
        put("potential energy".into(), &[potential_energy(model, ws, q).expect("valid")]);
        put("energy".into(), &[mechanical_energy(model, ws, q, v).expect("valid")]);
        put(
            "place of the mass center".into(),
            center_of_mass(model, ws, q, v, a).expect("has mass").whole.position.as_slice(),
        );
    }
    if model.bodies().len() > 2 {
        let list = loops(model);
        put("e".into(), constraint_error(model, ws, q, &list).expect("valid"));
        put("J of loops".into(), constraint_jacobian(model, ws, q, &list).expect("valid").as_slice());
        put("γ".into(), constraint_bias(model, ws, q, v, &list).expect("valid"));
    }
    all
}

/// The same state gives the same bits, whatever was computed before, in another workspace too.
#[test]
fn the_same_state_gives_the_same_bits() {
    for (what, model) in models() {
        let (state, other) = (state(&model, 31), state(&model, 32));
        let (at, elsewhere) = ((&state.0[..], &state.1[..], &state.2[..]), (&other.0[..], &other.1[..], &other.2[..]));
        let mut ws = Workspace::<f64>::new(&model);
        let first = quantities(&model, &mut ws, at, false);
        quantities(&model, &mut ws, elsewhere, false);
        let again = quantities(&model, &mut ws, at, false);
        let fresh = quantities(&model, &mut Workspace::new(&model), at, false);
        for (((name, first), (_, again)), (_, fresh)) in first.iter().zip(&again).zip(&fresh) {
            assert_same(again, first, format_args!("{what}: {name}"));
            assert_same(fresh, first, format_args!("{what}: {name}"));
        }
    }
}

/// In lanes there are eight states at once, each with what its own run gives.
#[test]
fn lanes_hold_independent_states() {
    for (what, model) in models() {
        let states: Vec<_> = (0..8).map(|lane| state(&model, 40 + lane)).collect();
        let pack = |of: fn(&Vectors) -> &Vec<f64>| -> Vec<Lanes<Baseline>> {
            let n = of(&states[0]).len();
            (0..n).map(|i| Lanes::from_array(std::array::from_fn(|lane| of(&states[lane])[i]))).collect()
        };
        let (q, v, a) = (pack(|s| &s.0), pack(|s| &s.1), pack(|s| &s.2));
        let many = quantities(&model, &mut Workspace::<Lanes<Baseline>>::new(&model), (&q, &v, &a), false);
        let mut ws = Workspace::<f64>::new(&model);
        for (lane, (q, v, a)) in states.iter().enumerate() {
            let alone = quantities(&model, &mut ws, (q, v, a), false);
            for ((name, many), (_, alone)) in many.iter().zip(&alone) {
                let many: Vec<_> = many.iter().map(|x| x.to_array()[lane]).collect();
                // Fused products round once instead of twice, on paths of up to 60 bodies.
                assert_near(&many, alone, 1e-12, format_args!("{what}, lane {lane}: {name}"));
            }
        }
    }
}

/// A robot that has gone 1000 km keeps the digits of what does not depend on where it is: over numbers and over duals.
#[test]
fn digits_are_kept_far_away() {
    for (what, model) in robots() {
        if model.bodies()[0].joint().kind() != "free-flyer" {
            continue;
        }
        let (q, v, a) = state(&model, 33);
        let mut away = q.clone();
        away[0] += 1e6;
        away[1] -= 1e6;
        let mut ws = Workspace::<f64>::new(&model);
        let near = quantities(&model, &mut ws, (&q, &v, &a), true);
        let far = quantities(&model, &mut ws, (&away, &v, &a), true);
        for ((name, far), (_, near)) in far.iter().zip(&near) {
            assert_near(far, near, 1e-12, format_args!("{what}: {name}"));
        }
    }
}

/// So do robots in loops: accelerations, forces, impulses and their derivatives.
#[test]
fn loops_keep_their_digits_far_away() {
    let mut looked_at = 0;
    for (what, model) in robots() {
        if model.bodies()[0].joint().kind() != "free-flyer" || model.bodies().len() < 4 {
            continue;
        }
        let list = loops(&model);
        let (q, v, tau) = state(&model, 34);
        let mut away = q.clone();
        away[0] += 1e6;
        let (mut ws, mut derivatives) = (Workspace::<f64>::new(&model), DerivativeWorkspace::new(&model));
        let mut numbers = |q: &[f64]| {
            let Ok(by) = constraint_dynamics(&model, &mut ws, q, &v, &tau, &list, &[]) else { return None };
            let mut all = vec![(String::from("ddq, λ"), [by.ddq, by.lambda].concat())];
            for method in [Method::Analytical, Method::Dual] {
                let state = (q, &v[..], &tau[..]);
                let by = constraint_dynamics_derivatives(
                    &model,
                    &mut derivatives,
                    method,
                    state.0,
                    state.1,
                    state.2,
                    &list,
                    &[],
                );
                let matrices =
                    by.expect("runs").matrices().map(|(name, m)| (format!("{name}, {method}"), m.as_slice().to_vec()));
                all.extend(matrices);
                let by = impulse_dynamics_derivatives(&model, &mut derivatives, method, q, &v, 0.5, &list);
                let matrices =
                    by.expect("runs").matrices().map(|(name, m)| (format!("{name}, {method}"), m.as_slice().to_vec()));
                all.extend(matrices);
            }
            Some(all)
        };
        let (Some(near), Some(far)) = (numbers(&q), numbers(&away)) else { continue };
        looked_at += 1;
        for ((name, far), (_, near)) in far.iter().zip(&near) {
            // What is lost has conditions of loops on it, and not the distance: seven digits at this one, squared in
            // derivatives.
            assert_near(far, near, 1e-10, format_args!("{what}: {name}"));
        }
    }
    assert!(looked_at >= 3, "{looked_at}");
}
