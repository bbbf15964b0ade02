//! Robots whose branches go abreast: what they give is what the plain form gives.

use gradyn::dynamics::{Workspace, aba, crba, minv, rnea};
use gradyn::joint::{Axis, FreeFlyer, Joint, Revolute};
use gradyn::model::{BodyKey, Model, ModelBuilder};
use gradyn::partials::{DerivativeWorkspace, Method, aba_derivatives, rnea_derivatives};
use gradyn::spatial::{Inertia, Symmetric3, Transform};
use gradyn_derivatives::Level;
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::with_level;
use nalgebra::Vector3;
use rand::RngExt;
use testing::{assert_near, state};

/// Trees of hinges: each hangs from one of the last `spread` bodies before it, or from the base or the world.
fn trees() -> Vec<(String, Model)> {
    let mut models = Vec::new();
    for (seed, hinges, spread) in [(0, 4, 4), (1, 9, 9), (2, 12, 4), (3, 20, 8), (4, 30, 30), (5, 43, 5), (6, 60, 20)] {
        for floats in [false, true] {
            let rng = &mut testing::rng(seed);
            let mut builder = ModelBuilder::new("limbs");
            let mut bodies = Vec::new();
            for k in 0..hinges + usize::from(floats) {
                let joint: Joint =
                    if floats && k == 0 { FreeFlyer.into() } else { Revolute { axis: testing::axis(rng) }.into() };
                let parent = match k {
                    0 => None,
                    _ => {
                        let first = k.saturating_sub(spread);
                        let at = rng.random_range(first..k + usize::from(!floats));
                        bodies.get(at).copied()
                    }
                };
                let (x, y) = (testing::transform(rng), testing::inertia(rng));
                let body =
                    builder.add_body(parent, format!("body{k}"), format!("joint{k}"), x, joint, y).expect("fits");
                if k % 3 == 1 {
                    resist(&mut builder, body);
                }
                bodies.push(body);
            }
            models.push((format!("{hinges} hinges, base floats: {floats}"), builder.build().expect("builds")));
        }
    }
    models.extend(testing::models().into_iter().filter(|(what, _)| what.contains("solo12") || what.contains("g1")));
    models
}

/// A joint with armature, damping and friction.
fn resist(builder: &mut ModelBuilder, body: BodyKey) {
    builder.set_armature(body, &[0.1]).expect("fits");
    builder.set_damping(body, &[0.2]).expect("fits");
    builder.set_friction(body, &[0.3]).expect("fits");
}

/// Chains of so many hinges each, on a free base or on the world.
fn spider(limbs: &[usize], floats: bool) -> Model {
    let rng = &mut testing::rng(limbs.len() as u64);
    let mut builder = ModelBuilder::new("spider");
    let mut add = |parent, name: String, joint: Joint| {
        let (x, y) = (testing::transform(rng), testing::inertia(rng));
        let body = builder.add_body(parent, &name, format!("to {name}"), x, joint, y).expect("fits");
        if name.ends_with('1') {
            resist(&mut builder, body);
        }
        body
    };
    let mut rng = testing::rng(99);
    let base = floats.then(|| add(None, "base".into(), FreeFlyer.into()));
    for (limb, joints) in limbs.iter().enumerate() {
        let mut last = base;
        for k in 0..*joints {
            last = Some(add(last, format!("{limb}.{k}"), Revolute { axis: testing::axis(&mut rng) }.into()));
        }
    }
    builder.build().expect("builds")
}

/// The inverse of the mass matrix, and derivatives of forward dynamics, by limbs.
#[test]
fn derivatives_of_accelerations_of_limbs_are_those_by_dual_numbers() {
    let spiders: [&[usize]; 8] = [
        &[3, 3, 3, 3],
        &[3, 3, 3, 2],
        &[4, 4],
        &[3, 2, 1],
        &[3, 3, 2, 1, 4, 2, 2],
        &[2; 8],
        &[1, 1, 1, 1, 1],
        &[1, 3, 2],
    ];
    let on_the_world = |limbs: &[usize]| {
        let limb_of: Vec<_> = limbs.iter().enumerate().flat_map(|(limb, n)| vec![limb; *n]).collect();
        (format!("{limbs:?} on the world"), spider(limbs, false), limb_of)
    };
    let afloat = |limbs: &[usize]| (format!("{limbs:?} afloat"), spider(limbs, true), Vec::new());
    let mut models: Vec<_> = spiders.iter().flat_map(|limbs| [on_the_world(limbs), afloat(limbs)]).collect();
    let solo12 = testing::models().into_iter().filter(|(what, _)| what.contains("solo12"));
    models.extend(solo12.map(|(what, model)| (what.to_string(), model, Vec::new())));
    for (what, model, limb_of) in models {
        for seed in 0..2 {
            let (q, v, tau) = state(&model, seed);
            let first = &mut DerivativeWorkspace::new(&model);
            let by_duals = aba_derivatives(&model, first, Method::Dual, &q, &v, &tau, &[]).expect("valid").clone();
            for level in Level::available() {
                let what = format!("{what}, state {seed}, {level}");
                with_level(level, || {
                    // Nothing that the other method has left.
                    let (ws, first) = (&mut Workspace::<f64>::new(&model), &mut DerivativeWorkspace::new(&model));
                    let inverse = minv(&model, ws, &q).expect("valid").clone();
                    let mass = crba(&model, ws, &q).expect("valid").clone();
                    assert_eq!(inverse, inverse.transpose(), "{what}");
                    // A thousand roundings, each as bad as M is conditioned.
                    let tolerance = 1000.0 * f64::EPSILON * testing::condition(&mass);
                    let one = mass.map(|_| 0.0) + nalgebra::DMatrix::identity(model.nv(), model.nv());
                    let off = testing::deviation(&(&mass * &inverse), &one);
                    assert!(off < tolerance, "{what}: M⁻¹ M deviates by {off:e} from 1");
                    let found = aba_derivatives(&model, first, Method::Analytical, &q, &v, &tau, &[]).expect("valid");
                    assert_near(found.ddq.as_slice(), by_duals.ddq.as_slice(), tolerance, format!("{what}: ddq"));
                    assert_eq!(found.ddq_dtau, found.ddq_dtau.transpose(), "{what}");
                    for ((name, x), (_, y)) in found.matrices().into_iter().zip(by_duals.matrices()) {
                        let off = testing::deviation(x, y);
                        assert!(off < tolerance, "{what}: {name} deviates by {off:e}");
                        for (i, j) in (0..model.nv()).flat_map(|i| (0..i).map(move |j| (i, j))) {
                            let apart = limb_of.get(i) != limb_of.get(j);
                            assert!(!apart || x[(i, j)] == 0.0 && x[(j, i)] == 0.0, "{what}: {name} couples limbs");
                        }
                    }
                });
            }
        }
    }
}

/// A hinge that moves nothing is named, and what is asked for afterwards is right.
#[test]
fn a_limb_that_ends_in_nothing_is_an_error() {
    let askew = Vector3::new(0.3, -0.5, 0.8).normalize();
    let build = |hand: Inertia<f64>| {
        let mut builder = ModelBuilder::new("spider");
        let (x, y) = (Transform::from_translation(Vector3::new(0.1, 0.2, 0.3)), testing::inertia(&mut testing::rng(5)));
        let base = builder.add_body(None, "base", "root", x, FreeFlyer, y).expect("fits");
        for limb in 0..4 {
            let mut last = base;
            for k in 0..3 {
                let (name, y) = (format!("{limb}.{k}"), if (limb, k) == (2, 2) { hand } else { y });
                let axis = if k == 1 { Axis::X } else { Axis::along(askew).expect("not zero") };
                let hinge = Revolute { axis };
                last = builder.add_body(Some(last), &name, format!("to {name}"), x, hinge, y).expect("fits");
            }
        }
        builder.build().expect("builds")
    };
    // A point of mass on an axis that is none of the body's leaves a pivot of roundings.
    let point = Inertia::new(1.0, askew * 0.7, Symmetric3::diagonal(0.0, 0.0, 0.0));
    let whole = build(testing::inertia(&mut testing::rng(6)));
    let ends = [build(Inertia::zero()), build(point)];
    for (level, model) in Level::available().flat_map(|level| ends.iter().map(move |model| (level, model))) {
        with_level(level, || {
            let (q, v, tau) = state(model, 3);
            let (ws, first) = (&mut Workspace::<f64>::new(model), &mut DerivativeWorkspace::new(model));
            let errors = [
                aba(model, ws, &q, &v, &tau, &[]).expect_err("is singular"),
                minv(model, ws, &q).expect_err("is singular"),
                aba_derivatives(model, first, Method::Analytical, &q, &v, &tau, &[]).expect_err("is singular"),
            ];
            for error in errors {
                assert!(error.to_string().contains("to 2.2"), "{level}: {error}");
            }
            let ws = &mut Workspace::<f64>::new(&whole);
            let huge = vec![1e200; whole.nv()];
            aba(&whole, ws, &q, &huge, &tau, &[]).expect_err("overflows");
            minv(&whole, ws, &vec![f64::MAX; whole.nq()]).ok();
            let (found, mass) = (minv(&whole, ws, &q).expect("valid").clone(), crba(&whole, ws, &q).expect("valid"));
            let off = testing::deviation(&(mass * found), &nalgebra::DMatrix::identity(whole.nv(), whole.nv()));
            // A thousand roundings, each as bad as M is conditioned.
            let tolerance = 1000.0 * f64::EPSILON * testing::condition(mass);
            assert!(off < tolerance, "{level}: M⁻¹ M deviates by {off:e} from 1");
        });
    }
}

/// Over `f64` they are those over dual numbers, which go through the plain form, at every level.
#[test]
fn limbs_abreast_are_limbs_one_by_one() {
    for (what, model) in trees() {
        for seed in 0..2 {
            let (q, v, a) = state(&model, seed);
            let lift = |x: &[f64]| testing::lift::<Dual64>(x);
            let values = |x: &[Dual64]| x.iter().map(|x| x.re).collect::<Vec<_>>();
            let mut plain = Workspace::<Dual64>::new(&model);
            let torques = values(rnea(&model, &mut plain, &lift(&q), &lift(&v), &lift(&a), &[]).expect("valid"));
            let mass = values(crba(&model, &mut plain, &lift(&q)).expect("valid").as_slice());
            let ddq = values(aba(&model, &mut plain, &lift(&q), &lift(&v), &lift(&a), &[]).expect("valid"));
            let first = &mut DerivativeWorkspace::new(&model);
            let by_duals = rnea_derivatives(&model, first, Method::Dual, &q, &v, &a, &[]).expect("valid").clone();
            for level in Level::available() {
                let what = format!("{what}, state {seed}, {level}");
                let ws = &mut Workspace::<f64>::new(&model);
                with_level(level, || {
                    // Sums in another order, about other points: some hundred roundings.
                    assert_near(
                        rnea(&model, ws, &q, &v, &a, &[]).expect("valid"),
                        &torques,
                        1e-13,
                        format!("{what}: torques"),
                    );
                    // Some hundred roundings of numbers that grow along chains.
                    let found = rnea_derivatives(&model, first, Method::Analytical, &q, &v, &a, &[]).expect("valid");
                    assert_near(found.tau.as_slice(), &torques, 1e-13, format!("{what}: torques with derivatives"));
                    for ((name, x), (_, y)) in found.matrices().into_iter().zip(by_duals.matrices()) {
                        let off = testing::deviation(x, y);
                        assert!(off < 1e-13, "{what}: {name} deviates by {off:e}");
                    }
                    let m = crba(&model, ws, &q).expect("valid").clone();
                    assert_eq!(m, m.transpose(), "{what}");
                    assert_near(m.as_slice(), &mass, 1e-13, format!("{what}: mass matrix"));
                    // A thousand roundings, each as bad as M is conditioned.
                    let tolerance = 1000.0 * f64::EPSILON * testing::condition(&m);
                    let found = aba(&model, ws, &q, &v, &a, &[]).expect("valid");
                    assert_near(found, &ddq, tolerance, format!("{what}: accelerations"));
                });
            }
        }
    }
}
