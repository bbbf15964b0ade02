//! Recorded functions beside the engine, on every kind of joint.

use crate::common::{deviation, frames, inputs, panda, robots, slices, trees};
use gradyn::{Constraint, Method, Model, once};
use gradyn_codegen::{Frames, Function, Port, QUANTITIES, Request};
use gradyn_sensitivity::Parameters;
use testing::{every_joint, rng, tree, uniform};

/// The same operations in the same order, but for signs and products with ones: 1e-13 of the largest entry, and where a mass
/// matrix is inverted the condition of that times rounding, at each of the four stages of a step. Kernels of the engine round as registers
/// have it.
fn near(name: &str, model: &Model, q: &[f64]) -> f64 {
    if name.starts_with("contact") {
        // Forces of contacts that nearly depend on each other: ten digits are lost before `rank_lost` says so.
        return 1e-6;
    }
    let inverts = ["aba", "minv", "step"].iter().any(|start| name.starts_with(start));
    if !inverts || model.nv() == 0 {
        return 1e-13;
    }
    let moments = once::crba(model, q).expect("is computed").symmetric_eigenvalues();
    (moments.max() / moments.min() * 1e-14).clamp(1e-11, 1e-9)
}

#[test]
fn every_function_is_the_engines() {
    for model in robots() {
        for (name, _) in QUANTITIES {
            let request = Request::of(name, &model, &frames(&model)).expect(name);
            let (function, _) = request.record(&model, None).expect(name);
            for seed in 0..3 {
                let x = inputs(&model, &function, seed);
                let found = function.evaluate(&slices(&x)).expect("fits");
                let expected = request.by_engine(&model, None, &x).expect("is computed").expect("is a value");
                let off = deviation(&found, &expected);
                assert!(off <= near(name, &model, &x[0]), "{name} of {}: {off:e}", model.name());
            }
        }
    }
}

/// By formulas and by differentiation of what was recorded, and by the engine's dual numbers.
#[test]
fn both_forms_of_derivatives_agree() {
    for model in robots() {
        for name in ["rnea_derivatives", "aba_derivatives"] {
            let request = Request::of(name, &model, &Frames::default()).expect(name);
            let [formulas, recorded]: [Function; 2] =
                request.both_forms(&model, None).expect(name).map(|form| form.expect("is there"));
            let (_, forms) = request.record(&model, None).expect(name);
            let forms = forms.expect("has derivatives");
            assert_eq!(forms.formulas, Some(formulas.counts().cost()));
            assert_eq!(forms.recorded, recorded.counts().cost());
            for seed in 0..3 {
                let x = inputs(&model, &formulas, seed);
                let [found, other] = [&formulas, &recorded].map(|form| form.evaluate(&slices(&x)).expect("fits"));
                let off = deviation(&found, &other);
                // Other operations: conditions of mass matrices times rounding.
                assert!(
                    off <= if name.starts_with("aba") { 1e-8 } else { 1e-12 },
                    "{name} of {}: {off:e}",
                    model.name()
                );
                if name.starts_with("rnea") {
                    let by = once::partials::rnea_derivatives(&model, Method::Dual, &x[0], &x[1], &x[2], &[])
                        .expect("is computed");
                    let expected = [&by.dtau_dq, &by.dtau_dv, &by.dtau_da].map(|m| m.as_slice().to_vec());
                    let off = deviation(&found[1..], &expected);
                    assert!(off <= 1e-12, "dual numbers, {}: {off:e}", model.name());
                }
            }
        }
    }
}

/// The gradient of a weighted sum is the sum of the rows of the derivatives; its Hessian is theirs by differences, which
/// `verify` compares; panda's is symmetric.
#[test]
fn products_are_those_of_the_derivatives() {
    for model in [panda(), trees().remove(3)] {
        let record = |name: &str| {
            Request::of(name, &model, &Frames::default()).and_then(|r| r.record(&model, None)).expect(name).0
        };
        let (product, derivatives) = (record("rnea_product"), record("rnea_derivatives"));
        let x = inputs(&model, &product, 5);
        let found = product.evaluate(&slices(&x)).expect("fits");
        let by = derivatives.evaluate(&slices(&x[..3])).expect("fits");
        let (nv, lambda) = (model.nv(), &x[3]);
        let weighted =
            |m: &[f64]| m.chunks(nv).map(|c| c.iter().zip(lambda).map(|(x, w)| x * w).sum()).collect::<Vec<f64>>();
        let gradient: Vec<f64> = by[1..].iter().flat_map(|m| weighted(m)).collect();
        assert_eq!(found[1].len(), 3 * nv);
        let off = deviation(&[found[0].clone(), found[1].clone()], &[weighted(&by[0]), gradient]);
        assert!(off <= 1e-12, "{off:e}");
        if model.name() == "panda" {
            let n = 3 * nv;
            let scale = found[2].iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            for i in 0..n {
                for j in 0..n {
                    assert!((found[2][i * n + j] - found[2][j * n + i]).abs() <= 1e-13 * scale);
                }
            }
        }
    }
}

#[test]
fn parameters_are_inputs() {
    let model = panda();
    let chosen = Parameters::of(&model).select_all("*.mass, panda_joint2.damping, gravity.z, panda_joint3.placement.*");
    let chosen = chosen.expect("are there");
    let request = Request::of("rnea", &model, &Frames::default()).expect("is there");
    let (function, _) = request.record(&model, Some(&chosen)).expect("is recorded");
    assert_eq!(function.inputs()[3], Port::vector("p", chosen.len()));
    let mut x = inputs(&model, &function, 7);
    x[3] = chosen.nominal().iter().map(|p| p * 1.1 + 0.01).collect();
    let other = chosen.robot_at::<f64>(&x[3]).expect("is a robot");
    let expected = once::rnea(&other, &x[0], &x[1], &x[2], &[]).expect("is computed");
    let found = function.evaluate(&slices(&x)).expect("fits");
    // Positions are exponentials, which cancel some digits.
    assert!(deviation(&found, &[expected]) <= 1e-12);
    request.verify(&model, Some(&chosen), &function, 3).expect("agrees");
}

fn heavier(model: &Model) -> Model {
    let all = Parameters::of(model).select_all("*.mass").expect("are there");
    let mut masses = all.nominal();
    masses.iter_mut().for_each(|mass| *mass *= 1.01);
    all.robot_at(&masses).expect("is a robot")
}

#[test]
fn every_function_is_verified() {
    for model in [panda(), trees().remove(3)] {
        for name in [
            "crba_derivatives",
            "frame_pose_derivatives",
            "energy_product",
            "bias_derivatives",
            "aba_derivatives",
            "step_derivatives",
            "step_rk4_derivatives",
            "contact_dynamics_derivatives",
        ] {
            let request = Request::of(name, &model, &frames(&model)).expect(name);
            let (function, _) = request.record(&model, None).expect(name);
            request.verify(&model, None, &function, 2).unwrap_or_else(|error| panic!("{}: {error}", model.name()));
            // Another robot's function is found: one that is a hundredth heavier. A pose has no masses.
            let other = heavier(&model);
            let (wrong, _) = Request::of(name, &other, &frames(&other)).expect(name).record(&other, None).expect(name);
            assert_eq!(request.verify(&model, None, &wrong, 2).is_err(), name != "frame_pose_derivatives", "{name}");
        }
    }
}

#[test]
fn what_is_not_there_is_named() {
    let nothing = Request::of("rnae", &panda(), &Frames::default()).expect_err("is not there").to_string();
    assert!(
        nothing.starts_with("no function is called `rnae`; the nearest is `rnea`: expected some of rnea, aba"),
        "{nothing}"
    );
    let frame =
        Request::of("frame_pose_derivatives", &panda(), &Frames::default()).expect_err("needs a frame").to_string();
    assert_eq!(frame, "`frame_pose_derivatives`: it needs a frame (`--frame`)");
}

/// A quadruped that stands on its feet, beside the engine's form that finds ranks; on a foot twice, which is told.
#[test]
fn contacts_are_those_of_the_engine() {
    let model = testing::robot("solo12", &gradyn::UrdfOptions::new().floating_base(true));
    let feet: Vec<_> =
        ["FL_FOOT", "FR_FOOT", "HL_FOOT"].iter().map(|name| model.find_frame(name).expect("is there")).collect();
    let frames = Frames { frame: None, contacts: feet.iter().map(|foot| (*foot).into()).collect() };
    let request = Request::of("contact_dynamics", &model, &frames).expect("is there");
    let (function, _) = request.record(&model, None).expect("is recorded");
    let held: Vec<Constraint> = feet
        .iter()
        .map(|foot| Constraint::frame_contact(&model, *foot, nalgebra::Vector3::zeros()).expect("fits"))
        .collect();
    for seed in 0..5 {
        let x = inputs(&model, &function, seed);
        let expected = once::constraint_dynamics(&model, &x[0], &x[1], &x[2], &held, &[]).expect("is computed");
        let found = function.evaluate(&slices(&x)).expect("fits");
        // The condition of `J M⁻¹ Jᵀ`, some thousands, times rounding.
        let off = deviation(&found, &[expected.ddq.clone(), expected.lambda.clone(), vec![0.0]]);
        assert!(off <= 1e-9, "{off:e}");
    }
    let twice = Frames { frame: None, contacts: vec![feet[0].into(), feet[0].into()] };
    let request = Request::of("contact_dynamics", &model, &twice).expect("is there");
    let (function, _) = request.record(&model, None).expect("is recorded");
    let found = function.evaluate(&slices(&inputs(&model, &function, 1))).expect("fits");
    assert_eq!(found[2], [1.0]);
}

/// A and B of a step, beside the trajectory library's kernels.
#[test]
fn derivatives_of_steps() {
    let model = testing::robot("quadrotor", &gradyn::UrdfOptions::new().floating_base(true));
    for name in ["step_derivatives", "step_euler_derivatives", "step_rk4_derivatives"] {
        let request = Request::of(name, &model, &Frames::default()).expect(name);
        let (function, _) = request.record(&model, None).expect(name);
        let names: Vec<_> = function
            .outputs()
            .iter()
            .map(|output| (output.port.name.as_str(), output.port.rows, output.port.columns))
            .collect();
        assert!(names.contains(&("dq_next_dq", 6, 6)) && names.contains(&("dv_next_dtau", 6, 6)), "{names:?}");
        request.verify(&model, None, &function, 3).expect("agrees with differences");
    }
}

/// A thousand trees of random joints: three bodies each, with all that [`testing::tree`] gives to some of them.
#[test]
fn random_trees() {
    for seed in 0..1000 {
        let rng = &mut rng(seed);
        let mut joints = every_joint(rng);
        let some: Vec<_> =
            (0..3).map(|_| joints.swap_remove((uniform(rng).abs() * 0.999 * joints.len() as f64) as usize)).collect();
        let model = tree(seed, some);
        let names = if seed % 20 == 0 { &["rnea", "crba", "aba_derivatives", "step"][..] } else { &["rnea", "crba"] };
        for name in names {
            let request = Request::of(name, &model, &frames(&model)).expect(name);
            let (function, _) = request.record(&model, None).expect(name);
            request.verify(&model, None, &function, 1).unwrap_or_else(|error| panic!("tree {seed}: {error}"));
        }
    }
}
