//! Inertias of rotors and torque constants of motors: three methods say the same, roll-outs and fits too, and what no data can tell is said.

use crate::common::*;
use gradyn::joint::{Axis, Revolute};
use gradyn::model::ModelBuilder;
use gradyn::{Constraint, Method, Model};
use gradyn_sensitivity::identify::{FitOptions, fit, structure};
use gradyn_sensitivity::{
    Feedback, Output as _, Parameters, QuadraticCost, Rollout, Scheme, SensitivityError, StateMemory, StateOutput,
    TrajectoryCost, evaluate_many, local,
};
use nalgebra::{DMatrix, DVector};
use testing::{numbers, rng};

/// An arm with motors behind gears, of 2, 3, … N m a unit of control, and rotors on every second joint.
fn geared() -> Model {
    let model = robot("panda", false);
    let mut builder = model.to_builder();
    for (b, body) in model.bodies().iter().enumerate().filter(|(_, body)| body.v_range().len() == 1) {
        let key = builder.key(b).expect("is there");
        builder.add_actuator(format!("motor {b}"), &[(key, 0, 2.0 + b as f64)]).expect("fits");
        if b % 2 == 0 && body.owns_coordinates() {
            builder.set_rotor_inertia(key, &[2e-5], &[100.0]).expect("fits");
        }
    }
    builder.build().expect("builds")
}

fn chosen(model: &Model) -> Parameters {
    Parameters::of(model)
        .select_all("*.rotor_inertia, *.torque_constant, panda_joint2.armature, *.mass")
        .expect("are there")
}

fn beside(p: &Parameters) -> Vec<f64> {
    p.nominal().iter().zip(numbers(&mut rng(4), p.len())).map(|(x, d)| x * (1.0 + 0.1 * d)).collect()
}

/// A floating base without motors, legs with.
fn legged() -> (Model, Vec<f64>, [Constraint; 2]) {
    let (model, q, front, _) = standing();
    (model, q, front)
}

#[test]
fn three_methods_say_the_same() {
    let model = geared();
    let p = chosen(&model);
    let (q, v, a) = state(&model, 5);
    let outputs = [
        StateOutput::Torques { q: &q, v: &v, a: &a },
        StateOutput::Accelerations { q: &q, v: &v, tau: &a },
        StateOutput::MassMatrix { q: &q },
        StateOutput::Energy { q: &q, v: &v },
    ];
    for values in [p.nominal(), beside(&p)] {
        for output in outputs {
            let of = |method| local(&p, &values, output, method).expect("runs").jacobian;
            let (formula, dual, difference) = (of(Method::Analytical), of(Method::Dual), of(Method::Difference));
            let scale = dual.amax().max(1.0);
            assert!((&formula - &dual).amax() <= 1e-12 * scale, "{}", output.name());
            // Differences are good to 1e-9 of an output, by steps of an eighth of 2e-5 kg m².
            for k in 0..p.len() {
                let size = dual.column(k).amax().max(1.0);
                let off = (difference.column(k) - dual.column(k)).amax();
                assert!(off <= 1e-6 * size, "{} by {}: {off:e} of {size}", output.name(), p.names()[k]);
            }
        }
    }
    // A unit of a rotor's inertia is 100² of armature; a motor of twice the constant makes twice the torque.
    let by = |name: &str| {
        let p = Parameters::of(&model).select(name).expect("is there");
        let output = StateOutput::Accelerations { q: &q, v: &v, tau: &a };
        local(&p, &p.nominal(), output, Method::Analytical).expect("runs").jacobian.column(0).into_owned()
    };
    let (rotor, armature) = (by("panda_joint3.rotor_inertia"), by("panda_joint3.armature"));
    assert!((&rotor - 1e4 * &armature).amax() <= 1e-13 * rotor.amax());
    let p = Parameters::of(&model).select("*.torque_constant").expect("are there");
    let mut of_torque = DVector::zeros(model.nv());
    let jacobian = local(&p, &p.nominal(), StateOutput::Accelerations { q: &q, v: &v, tau: &a }, Method::Dual);
    let jacobian = jacobian.expect("runs").jacobian;
    p.nominal().iter().enumerate().for_each(|(k, x)| of_torque += *x * jacobian.column(k));
    // Σ k ∂q̈/∂k = M⁻¹ τ
    let acceleration = |scale: f64| {
        let tau: Vec<f64> = a.iter().map(|x| scale * x).collect();
        gradyn::once::aba(&model, &q, &v, &tau, &[]).expect("runs")
    };
    let (two, one) = (acceleration(2.0), acceleration(1.0));
    let expected = DVector::from_iterator(model.nv(), two.iter().zip(&one).map(|(two, one)| two - one));
    assert!((of_torque - &expected).amax() <= 1e-11 * expected.amax());
}

#[test]
fn contact_forces_and_many_robots_know_motors() {
    let (model, q, front) = legged();
    let p = Parameters::of(&model).select_all("*_KFE.torque_constant, base_link.mass").expect("are there");
    let (_, v, tau) = state(&model, 6);
    let output = StateOutput::ContactForces { q: &q, v: &v, tau: &tau, constraints: &front };
    let values: Vec<f64> = p.nominal().iter().map(|x| 1.1 * x).collect();
    let of = |method| local(&p, &values, output, method).expect("runs").jacobian;
    let (formula, dual, difference) = (of(Method::Analytical), of(Method::Dual), of(Method::Difference));
    assert!(dual.columns(0, 4).amax() > 1e-3);
    assert!((&formula - &dual).amax() <= 1e-11 * dual.amax());
    assert!((&difference - &dual).amax() <= 1e-8 * dual.amax());

    let output = StateOutput::Accelerations { q: &q, v: &v, tau: &tau };
    let samples: Vec<f64> = (0..11).flat_map(|k| values.iter().map(move |x| x * (1.0 + 0.01 * f64::from(k)))).collect();
    let mut many = vec![0.0; 11 * model.nv()];
    evaluate_many(&p, output, &samples, &mut many);
    for (found, values) in many.chunks(model.nv()).zip(samples.chunks(p.len())) {
        let alone = local(&p, values, output, Method::Dual).expect("runs").value;
        assert!((DVector::from_column_slice(found) - &alone).amax() <= 1e-11 * alone.amax());
    }
}

/// Forward by formulas, by dual numbers, and the adjoint; with feedback, by every scheme.
#[test]
fn roll_outs_know_motors_and_rotors() {
    let model = geared();
    let p = chosen(&model);
    let values = beside(&p);
    let (q0, v0, _) = state(&model, 3);
    let (steps, nv) = (20, model.nv());
    let nu = model.actuators().len();
    let feedback = Feedback {
        gains: (0..steps).map(|_| DMatrix::from_vec(nu, 2 * nv, numbers(&mut rng(8), 2 * nu * nv)) * 0.02).collect(),
        q: vec![state(&model, 6).0; steps],
        v: vec![vec![0.1; nv]; steps],
    };
    for scheme in [Scheme::SemiImplicitEuler, Scheme::Euler, Scheme::Rk4] {
        for law in [None, Some(feedback.clone())] {
            let mut run = Rollout::new(&p, scheme, 5e-3, controls(&model, steps, 1.0)).expect("fits");
            if let Some(law) = law {
                run = run.feedback(law).expect("fits");
            }
            let cost = QuadraticCost { control: 0.0, ..cost(&model, 5) };
            let adjoint = run.adjoint(&values, &q0, &v0, &cost, StateMemory::default()).expect("runs").by_parameters;
            let adjoint = DVector::from_vec(adjoint);
            for duals in [false, true] {
                let forward =
                    if duals { run.forward_by_duals(&values, &q0, &v0) } else { run.forward(&values, &q0, &v0) };
                let forward = forward.expect("runs");
                let robot = p.robot_at(&values).expect("fits");
                let mut sum = DVector::zeros(p.len());
                for (node, (q, v)) in forward.states.iter().enumerate() {
                    let mut of_x = vec![0.0; 2 * nv];
                    match node == run.steps() {
                        true => cost.end(&robot, (q, v), &mut of_x).expect("fits"),
                        false => cost.running(&robot, node, (q, v), &[], &mut of_x, &mut []).expect("fits"),
                    };
                    sum += forward.by[node].columns(0, p.len()).tr_mul(&DVector::from_vec(of_x));
                }
                let off = (&sum - &adjoint).amax();
                assert!(off <= 1e-10 * adjoint.amax(), "{scheme:?}, duals {duals}: {off:e}");
            }
        }
    }
}

/// A motor that is weaker than its data sheet, and a rotor heavier: told by a payload that is known.
#[test]
fn a_fit_tells_constants_and_rotors() {
    let model = geared();
    let p = Parameters::of(&model)
        .select_all("panda_joint4.torque_constant, panda_joint6.torque_constant, panda_joint3.rotor_inertia")
        .expect("are there");
    let truth = [5.2, 7.9, 3.1e-5];
    let robot = p.robot_at(&truth).expect("fits");
    let mut data = sines(&robot, 200, 0.0, 3);
    // Torques are told by the constants of the given robot.
    for row in &mut data.tau {
        row[3] *= p.nominal()[0] / truth[0];
        row[5] *= p.nominal()[1] / truth[1];
    }
    let found = fit(&p, &data, &FitOptions::default()).expect("runs");
    assert!(found.cannot_tell.is_empty(), "{:?}", found.cannot_tell);
    for (found, truth) in found.estimate.parameters.iter().zip(truth) {
        assert!((found / truth - 1.0).abs() < 1e-9, "{found} {truth}");
    }
}

/// All motors stronger and all masses larger by one factor: no data tell these apart, and the fit says so. Armature and the inertia of a rotor are one
/// number, and are not chosen both.
#[test]
fn what_cannot_be_told_is_said() {
    let mut builder = ModelBuilder::new("arm");
    let rod = gradyn::spatial::Inertia::new(
        1.0,
        [0.0, 0.0, -0.5].into(),
        gradyn::spatial::Symmetric3::diagonal(0.1, 0.1, 0.01),
    );
    let hinge = Revolute { axis: Axis::Y };
    let key = builder.add_body(None, "rod", "hinge", gradyn::Transform::identity(), hinge, rod).expect("fits");
    builder.set_rotor_inertia(key, &[1e-4], &[50.0]).expect("fits");
    let model = builder.build().expect("builds");
    let p =
        Parameters::of(&model).select_all("rod.pi.mz, hinge.rotor_inertia, hinge.torque_constant").expect("are there");
    let found = fit(&p, &sines(&model, 100, 1e-6, 2), &FitOptions::default()).expect("runs");
    assert!(!found.cannot_tell.is_empty());
    assert!(found.cannot_tell.iter().any(|said| said.contains("`hinge.torque_constant`")), "{:?}", found.cannot_tell);
    let found = structure(&p, &p.nominal(), 1).expect("runs");
    assert_eq!((found.rank, found.parameters), (2, 3), "{:?}", found.cannot_tell);
    // With its masses known, all of a motor is told.
    let p = Parameters::of(&model).select_all("hinge.rotor_inertia, hinge.torque_constant").expect("are there");
    assert_eq!(structure(&p, &p.nominal(), 1).expect("runs").rank, 2);

    for (first, second) in [("hinge.armature", "hinge.rotor_inertia"), ("hinge.rotor_inertia", "hinge.armature")] {
        let error = Parameters::of(&model).select(first).and_then(|p| p.select(second)).expect_err("one number");
        assert_eq!(error, SensitivityError::SameNumber { first: first.to_owned(), second: second.to_owned() });
    }
}
