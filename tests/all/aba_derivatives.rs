//! Derivatives of forward dynamics: methods against each other, against the mass matrix, structure, levels, misuse.

use gradyn::dynamics::{ExternalWrench, Workspace, WrenchFrame, forward_kinematics, frame_jacobian};
use gradyn::joint::{Axis, FreeFlyer, Joint, Revolute, Spherical};
use gradyn::model::{BodyKey, InputError, Model, ModelBuilder};
use gradyn::once;
use gradyn::partials::{AbaDerivatives, DerivativeWorkspace, Method, SparsityPattern, aba_derivatives};
use gradyn::spatial::Transform;
use gradyn_derivatives::simd::{Level, with_level};
use nalgebra::{DMatrix, Vector3};
use testing::{SINGULAR, assert_same, deviation, models, moderate, regular, state, wrenches};

fn at(model: &Model, method: Method, seed: u64, wrenches: &[ExternalWrench]) -> AbaDerivatives {
    let (q, v, tau) = state(model, seed);
    let mut ws = DerivativeWorkspace::new(model);
    aba_derivatives(model, &mut ws, method, &q, &v, &tau, wrenches).expect("runs").clone()
}

/// Every matrix, those of wrenches too.
fn matrices(d: &AbaDerivatives) -> Vec<(String, &DMatrix<f64>)> {
    let mut all: Vec<_> = d.matrices().into_iter().map(|(what, m)| (what.to_owned(), m)).collect();
    all.extend(d.ddq_df_ext.iter().enumerate().map(|(k, m)| (format!("ddq_df_ext[{k}]"), m)));
    all
}

/// Of the mass matrix at a state.
fn condition(model: &Model, seed: u64) -> f64 {
    testing::condition(&once::crba(model, &state(model, seed).0).expect("runs"))
}

/// The closed form is what dual numbers through forward dynamics give, for every kind of joint, mimic joints, friction,
/// armature, wrenches of both kinds.
#[test]
fn analytical_derivatives_are_those_by_dual_numbers() {
    for (what, model) in regular() {
        for seed in 0..2 {
            let wrenches = wrenches(&model, seed);
            let analytical = at(&model, Method::Analytical, seed, &wrenches);
            let dual = at(&model, Method::Dual, seed, &wrenches);
            // Two ways to the same number, each with errors that grow with the condition: some thousand roundings; and
            // the derivative by q has the condition squared, as it goes through accelerations that have it once.
            let tolerance = (1000.0 * f64::EPSILON * condition(&model, seed)).max(1e-12);
            testing::assert_near(analytical.ddq.as_slice(), dual.ddq.as_slice(), tolerance, &what);
            for ((name, x), (_, y)) in matrices(&analytical).into_iter().zip(matrices(&dual)) {
                let d = deviation(x, y);
                assert!(d < tolerance, "{what}, state {seed}: {name} deviates by {d:e}, tolerance {tolerance:e}");
            }
        }
    }
}

/// Differences converge to it.
#[test]
fn differences_converge_to_the_analytical_derivatives() {
    for (what, model) in moderate(regular()) {
        let wrenches = wrenches(&model, 3);
        let analytical = at(&model, Method::Analytical, 3, &wrenches);
        let difference = at(&model, Method::Difference, 3, &wrenches);
        let errors = difference.errors.as_ref().expect("estimated");
        for (((name, x), (_, y)), (_, error)) in
            matrices(&analytical).into_iter().zip(matrices(&difference)).zip(matrices(errors))
        {
            // Ridders' method reaches 1e-10 of the scale of accelerations and says itself where it does not.
            let scale = x.abs().max().max(analytical.ddq.abs().max()).max(1.0);
            let off = (x - y).abs().max() / scale;
            let tolerance = 1e-8 + 10.0 * error.abs().max() / scale;
            assert!(off < tolerance, "{what}: {name} is off by {off:e}, tolerance {tolerance:e}");
        }
    }
}

/// By torques it is the inverse of the mass matrix, symmetric to the last bit; by wrenches, `M⁻¹ Jᵀ`.
#[test]
fn derivatives_by_torques_and_wrenches() {
    for (what, model) in regular() {
        let (q, v, tau) = state(&model, 4);
        let body = model.body_id(model.bodies().len() - 1).expect("is there");
        let wrench = ExternalWrench::in_body(body, wrenches(&model, 4)[0].wrench);
        let mut ws = DerivativeWorkspace::new(&model);
        let by = aba_derivatives(&model, &mut ws, Method::Analytical, &q, &v, &tau, &[wrench]);
        let by = by.expect("runs").clone();
        assert_same(by.ddq.as_slice(), &once::aba(&model, &q, &v, &tau, &[wrench]).expect("runs"), &what);
        assert!(by.ddq_dtau == by.ddq_dtau.transpose(), "{what}");
        let inverse = once::minv(&model, &q).expect("regular");
        // Some thousand roundings, each as bad as the matrix is conditioned.
        let tolerance = 1000.0 * f64::EPSILON * condition(&model, 4);
        assert!(deviation(&by.ddq_dtau, &inverse) < tolerance, "{what}");
        let mut kinematics = gradyn::dynamics::Workspace::new(&model);
        let local = gradyn::dynamics::ReferenceFrame::Local;
        let jacobian = frame_jacobian(&model, &mut kinematics, &q, body, local).expect("runs");
        assert!(deviation(&by.ddq_df_ext[0], &(inverse * jacobian.transpose())) < tolerance, "{what}");
    }
}

/// Degrees of freedom of trees that hang from the world separately do not couple: outside the pattern entries are
/// exactly zero, and so few are left that the trees do matter.
#[test]
fn entries_between_separate_trees_are_exactly_zero() {
    let mut zeros = 0;
    for (what, model) in regular() {
        let pattern = SparsityPattern::accelerations(&model);
        for method in [Method::Analytical, Method::Dual] {
            let by = at(&model, method, 5, &[]);
            for (name, m) in by.matrices() {
                for (i, j) in (0..model.nv()).flat_map(|i| (0..model.nv()).map(move |j| (i, j))) {
                    if !pattern.contains(i, j) {
                        assert!(m[(i, j)] == 0.0, "{what}, {method}: {name}[{i}, {j}] = {:e}", m[(i, j)]);
                        zeros += 1;
                    }
                }
            }
        }
    }
    assert!(zeros > 100, "some trees are several");
}

/// Inside the pattern `M⁻¹` is dense where axes are skew, and a mimic joint couples two trees.
#[test]
fn trees_that_a_mimic_joint_couples_push_on_each_other() {
    let rng = &mut testing::rng(7);
    let mut builder = ModelBuilder::new("three arms");
    let mut shoulders = Vec::new();
    for arm in 0..3 {
        let mut last = None;
        for k in 0..2 {
            let joint = Revolute { axis: testing::axis(rng) };
            let (x, inertia) = (testing::transform(rng), testing::inertia(rng));
            let names = (format!("b{arm}{k}"), format!("j{arm}{k}"));
            let body = builder.add_body(last, names.0, names.1, x, joint, inertia).expect("builds");
            shoulders.extend(last.is_none().then_some(body));
            last = Some(body);
        }
    }
    builder.set_mimic(shoulders[1], shoulders[0], 2.0, 0.1).expect("can follow");
    let model = builder.build().expect("builds");
    let pattern = SparsityPattern::accelerations(&model);
    let by = at(&model, Method::Analytical, 1, &[]);
    // Two degrees of freedom of the first arm and one of the second; two of the third.
    assert_eq!((model.nv(), pattern.nonzeros()), (5, 9 + 4));
    for (i, j) in (0..5).flat_map(|i| (0..5).map(move |j| (i, j))) {
        assert_eq!(by.ddq_dtau[(i, j)] != 0.0, pattern.contains(i, j), "{i}, {j}");
    }
}

/// Every level of vector instructions gives the same to rounding, and the same bits at each call.
#[test]
fn levels_agree() {
    for (what, model) in regular() {
        let wrenches = wrenches(&model, 6);
        let reference = at(&model, Method::Analytical, 6, &wrenches);
        let tolerance = (1000.0 * f64::EPSILON * condition(&model, 6)).max(1e-13);
        for level in Level::available() {
            with_level(level, || {
                let by = at(&model, Method::Analytical, 6, &wrenches);
                let again = at(&model, Method::Analytical, 6, &wrenches);
                for (((name, x), (_, y)), (_, z)) in
                    matrices(&by).into_iter().zip(matrices(&reference)).zip(matrices(&again))
                {
                    assert!(deviation(x, y) < tolerance, "{what}, {level}: {name}");
                    assert_same(x.as_slice(), z.as_slice(), format!("{what}, {level}: {name}"));
                }
            });
        }
    }
}

/// Two robots that float, mounted turned, with a load that floats from a hand, and a pendulum that is held.
fn floating(hold: fn(&mut ModelBuilder, BodyKey)) -> Model {
    let rng = &mut testing::rng(11);
    let mut builder = ModelBuilder::new("floating");
    builder.set_gravity(testing::vector(rng));
    let mut add = |name: &str, parent: Option<BodyKey>, joint: Joint| {
        let joint_name = format!("{name} joint");
        let (placement, inertia) = (testing::transform(rng), testing::inertia(rng));
        builder.add_body(parent, name, joint_name, placement, joint, inertia).expect("is new")
    };
    let base = add("base", None, FreeFlyer.into());
    let arm = add("arm", Some(base), Revolute { axis: Axis::X }.into());
    add("load", Some(arm), FreeFlyer.into());
    add("leg", Some(base), Spherical.into());
    add("pendulum", None, Revolute { axis: Axis::Z }.into());
    let other = add("other", None, FreeFlyer.into());
    add("wheel", Some(other), Revolute { axis: Axis::Y }.into());
    hold(&mut builder, base);
    builder.build().expect("is sound")
}

/// Accelerations do not depend on where a base floats; its attitude turns gravity and nothing else, and its speed only
/// the axes that accelerations are told in: `∂v̇/∂φ = [Rᵀ g]×` and `∂v̇/∂v = −[ω]×`, with zeros everywhere else. Not so
/// where something holds the base, or where a wrench stands still in the world.
#[test]
fn columns_of_a_floating_base() {
    type Hold = fn(&mut ModelBuilder, BodyKey);
    let ways: [(&str, Hold); 4] = [
        ("nothing", |_, _| ()),
        ("armature", |b, key| drop(b.set_armature(key, &[0.3, 0.0, 0.0, 0.0, 0.2, 0.0]).map(|_| ()))),
        ("damping", |b, key| drop(b.set_damping(key, &[0.0, 0.4, 0.0, 0.0, 0.0, 0.0]).map(|_| ()))),
        ("friction", |b, key| drop(b.set_friction(key, &[0.0, 0.0, 0.5, 0.0, 0.0, 0.0]).map(|_| ()))),
    ];
    for (hold, model) in ways.map(|(what, hold)| (what, floating(hold))) {
        let (q, v, tau) = state(&model, 8);
        let all = wrenches(&model, 3);
        let (of_body, standing): (Vec<_>, Vec<_>) = all.iter().partition(|w| w.frame == WrenchFrame::Body);
        assert!(!of_body.is_empty() && !standing.is_empty(), "both kinds");
        for external in [&[][..], &of_body, &standing, &all] {
            let analytical = at(&model, Method::Analytical, 8, external);
            let dual = at(&model, Method::Dual, 8, external);
            // As for all models: some thousand roundings, as bad as the mass matrix is conditioned.
            let tolerance = (1000.0 * f64::EPSILON * condition(&model, 8)).max(1e-12);
            for ((name, x), (_, y)) in matrices(&analytical).into_iter().zip(matrices(&dual)) {
                let d = deviation(x, y);
                assert!(d < tolerance, "held by {hold}: {name} deviates by {d:e}, tolerance {tolerance:e}");
            }
            if external.iter().any(|w| w.frame == WrenchFrame::World) {
                continue;
            }
            let mut kinematics = Workspace::new(&model);
            let placed = forward_kinematics(&model, &mut kinematics, &q, &v, &tau).expect("runs");
            for (i, body) in
                model.bodies().iter().enumerate().filter(|(_, body)| ["base", "other"].contains(&body.name()))
            {
                let (k, nv) = (body.v_range().start, model.nv());
                let pose = placed.pose(model.body_id(i).expect("is there")).expect("is there");
                let (mut dq, mut dv) = (DMatrix::zeros(nv, 6), DMatrix::zeros(nv, 3));
                let fall = pose.rotation.transpose() * model.gravity();
                dq.view_mut((k, 3), (3, 3)).copy_from(&fall.cross_matrix());
                let turning = Vector3::from_column_slice(&v[k + 3..k + 6]);
                dv.view_mut((k, 0), (3, 3)).copy_from(&-turning.cross_matrix());
                // That of the solutions which the other methods, and levels without vectors, take.
                let far = |m: &DMatrix<f64>, expected: &DMatrix<f64>| {
                    (m.columns(k, expected.ncols()) - expected).amax() / m.amax() > tolerance
                };
                let differs = [far(&analytical.ddq_dq, &dq), far(&analytical.ddq_dv, &dv)];
                let held = |by: &[&str]| body.name() == "base" && by.contains(&hold);
                let expected = [held(&["armature"]), held(&["armature", "damping", "friction"])];
                assert_eq!(differs, expected, "{} held by {hold}, {} wrenches", body.name(), external.len());
            }
        }
    }
}

/// One workspace for a model and for others of its structure, with and without wrenches, after a call that failed, at
/// every level: what the last call has left is not taken for what this one needs.
#[test]
fn workspaces_serve_other_models_of_their_structure() {
    for (what, model) in regular().into_iter().filter(|(what, _)| what.contains("solo12") || what.contains("bodies")) {
        let body = model.body_id(0).expect("has bodies");
        let turned = Transform::from_rotation(testing::rotation(&mut testing::rng(4)).rotation());
        let other = model.clone().with_placement(body, turned).expect("is there");
        for level in Level::available() {
            with_level(level, || {
                let ws = &mut DerivativeWorkspace::new(&model);
                let (q, v, tau) = state(&model, 2);
                let wrong: Vec<f64> = v.iter().map(|_| 1e200).collect();
                let external = wrenches(&model, 2);
                for (k, model) in [&model, &other, &other, &model, &other].into_iter().enumerate() {
                    let of = |ws: &mut DerivativeWorkspace, v: &[f64], external: &[ExternalWrench]| {
                        aba_derivatives(model, ws, Method::Analytical, &q, v, &tau, external).cloned()
                    };
                    let external = if k % 2 == 0 { &external[..] } else { &[] };
                    assert!(of(ws, &wrong, external).is_err() || model.nv() == 0, "{what}, {level}");
                    let (found, expected) =
                        (of(ws, &v, external), of(&mut DerivativeWorkspace::new(model), &v, external));
                    let (found, expected) = (found.expect(&what), expected.expect(&what));
                    for ((name, a), (_, b)) in matrices(&found).into_iter().zip(matrices(&expected)) {
                        assert_eq!(a, b, "{what}, {level}, call {k}: {name}");
                        let negative = |x: &&f64| **x == 0.0 && x.is_sign_negative() && name != "ddq_df_ext[0]";
                        assert_eq!(a.iter().filter(negative).count(), 0, "{what}, {level}: {name} holds −0");
                    }
                }
            });
        }
    }
}

/// Misuse, and mass matrices that cannot be inverted, are named by every method, and the memory is as good as before.
#[test]
fn errors_name_what_is_wrong() {
    let model = testing::tree_of_every_joint(2);
    let (q, v, tau) = state(&model, 7);
    let mut ws = DerivativeWorkspace::new(&model);
    let (_, singular) = models().into_iter().find(|(what, _)| what == SINGULAR[0]).expect("is there");
    let mut singular_ws = DerivativeWorkspace::new(&singular);
    let (q1, v1, tau1) = state(&singular, 7);
    for method in Method::ALL {
        let error = aba_derivatives(&model, &mut ws, method, &q, &v, &tau[1..], &[]).expect_err("short");
        assert!(error.to_string().contains("`tau`"), "{method}: {error}");
        let error = aba_derivatives(&singular, &mut singular_ws, method, &q1, &v1, &tau1, &[]);
        let error = error.expect_err("singular");
        assert!(matches!(error, InputError::SingularMassMatrix { .. }), "{method}: {error}");
    }
    let huge: Vec<f64> = v.iter().map(|v| v * 1e200).collect();
    aba_derivatives(&model, &mut ws, Method::Analytical, &q, &huge, &tau, &[]).expect_err("too large");
    let by = aba_derivatives(&model, &mut ws, Method::Analytical, &q, &v, &tau, &[]).expect("runs").clone();
    let fresh = at(&model, Method::Analytical, 7, &[]);
    assert_same(by.ddq_dq.as_slice(), fresh.ddq_dq.as_slice(), "after errors");
}
