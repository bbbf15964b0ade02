//! Derivatives of inverse dynamics: methods against each other, structure, levels, memory, misuse.

use gradyn::dynamics::{
    ExternalWrench, Workspace, WrenchFrame, aba, bias, coriolis_matrix, crba, forward_kinematics, generalized_gravity,
    minv, rnea,
};
use gradyn::joint::{Axis, Joint, Planar, Prismatic, Revolute, Translation, Universal};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{InputError, Model, ModelBuilder};
use gradyn::once;
use gradyn::partials::{
    DerivativeWorkspace, Method, RneaDerivatives, SecondOrderWorkspace, aba_derivatives, mass_product_derivatives,
    rnea_derivatives, rnea_second_derivatives, static_torque_derivatives,
};
use gradyn::spatial::{Force, Transform};
use gradyn_derivatives::Dual8;
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::{Level, with_level};
use nalgebra::{DMatrix, Vector3};
use testing::{
    assert_near, assert_same, deviation, dual, eps, lift, models, moved, state, tree_of, tree_of_every_joint, trees,
    unit, wrenches,
};

fn at(model: &Model, method: Method, seed: u64, wrenches: &[ExternalWrench]) -> RneaDerivatives {
    let (q, v, a) = state(model, seed);
    let mut ws = DerivativeWorkspace::new(model);
    rnea_derivatives(model, &mut ws, method, &q, &v, &a, wrenches).expect("runs").clone()
}

/// Every matrix, those of wrenches too.
fn matrices(d: &RneaDerivatives) -> Vec<(String, &DMatrix<f64>)> {
    let mut all: Vec<_> = d.matrices().into_iter().map(|(what, m)| (what.to_owned(), m)).collect();
    all.extend(d.dtau_df_ext.iter().enumerate().map(|(k, m)| (format!("dtau_df_ext[{k}]"), m)));
    all
}

fn assert_same_bits(a: &RneaDerivatives, b: &RneaDerivatives, what: &str) {
    assert_same(a.tau.as_slice(), b.tau.as_slice(), format!("{what}: tau"));
    assert_eq!(a.dtau_df_ext.len(), b.dtau_df_ext.len(), "{what}");
    for ((name, x), (_, y)) in matrices(a).into_iter().zip(matrices(b)) {
        assert_same(x.as_slice(), y.as_slice(), format!("{what}: {name}"));
    }
}

/// Dual numbers give what differences converge to: every kind of joint, moving and not at the root, friction, armature,
/// mimic joints, wrenches of both kinds.
#[test]
fn dual_derivatives_are_what_differences_converge_to() {
    for (what, model) in models() {
        // Twenty runs a column: one state of the large ones.
        for seed in 0..if model.nv() > 30 { 1 } else { 4 } {
            let wrenches = wrenches(&model, seed);
            let dual = at(&model, Method::Dual, seed, &wrenches);
            let difference = at(&model, Method::Difference, seed, &wrenches);
            for ((name, x), (_, y)) in matrices(&dual).into_iter().zip(matrices(&difference)) {
                // Ridders' method reaches 1e-12 of the torques' scale; torques are up to 100 times an entry.
                let d = deviation(x, y);
                assert!(d < 1e-9, "{what}, state {seed}: {name} deviates by {d:e}");
            }
        }
    }
}

/// The plain form of it: the algorithm over dual numbers, one direction at a time, knowing nothing of the tree.
#[test]
fn derivatives_are_those_of_the_algorithm_run_over_dual_numbers() {
    for (what, model) in models() {
        let wrenches = wrenches(&model, 7);
        let lifted: Vec<ExternalWrench<Dual64>> = wrenches.iter().map(ExternalWrench::lift).collect();
        let (q, v, a) = state(&model, 7);
        let d = at(&model, Method::Dual, 7, &wrenches);
        let mut ws = Workspace::new(&model);
        let nv = model.nv();
        // Velocities grow along chains; each entry sums some hundred products: a few thousand roundings.
        let tolerance = 1e-12;
        let near = |m: &DMatrix<f64>, k: usize, found: &[Dual64], name: &str| {
            let scale = m.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
            let (found, column): (Vec<_>, Vec<_>) =
                found.iter().zip(m.column(k).iter()).map(|(x, y)| (x.eps / scale, y / scale)).unzip();
            assert_near(&column, &found, tolerance, format!("{what}: {name}, column {k}"));
        };
        for k in 0..nv {
            let e = unit(nv, k);
            let run = |ws: &mut Workspace<Dual64>, q: &[Dual64], v: &[Dual64], a: &[Dual64]| {
                rnea(&model, ws, q, v, a, &lifted).expect("runs").to_vec()
            };
            near(&d.dtau_dq, k, &run(&mut ws, &moved(&model, &q, &e), &lift(&v), &lift(&a)), "dtau_dq");
            near(&d.dtau_dv, k, &run(&mut ws, &lift(&q), &dual(&v, &e), &lift(&a)), "dtau_dv");
            near(&d.dtau_da, k, &run(&mut ws, &lift(&q), &lift(&v), &dual(&a, &e)), "dtau_da");
        }
        for (w, m) in d.dtau_df_ext.iter().enumerate() {
            for k in 0..6 {
                let mut varied = lifted.clone();
                let part = if k < 3 { &mut varied[w].wrench.linear } else { &mut varied[w].wrench.angular };
                part[k % 3].eps = 1.0;
                let tau = rnea(&model, &mut ws, &lift(&q), &lift(&v), &lift(&a), &varied).expect("runs");
                near(m, k, tau, &format!("dtau_df_ext[{w}]"));
            }
        }
    }
}

/// An entry (i, j) can differ from zero only if a body driven by i lies on one path to the root with one driven by j.
#[test]
fn entries_that_the_tree_makes_zero_are_exactly_zero() {
    let mut zeros = 0;
    for (what, model) in models() {
        let wrenches = wrenches(&model, 11);
        let related = |i: usize, j: usize| {
            let driven =
                |dof: usize| model.bodies().iter().enumerate().filter(move |(_, b)| b.v_range().contains(&dof));
            let id = |index| model.body_id(index).expect("is there");
            driven(i).any(|(a, _)| driven(j).any(|(b, _)| model.supports(id(a), id(b)) || model.supports(id(b), id(a))))
        };
        let mut ws = DerivativeWorkspace::new(&model);
        let (q, v, a) = state(&model, 11);
        // Other methods leave nothing behind either.
        for method in [Method::Analytical, Method::Dual, Method::Difference, Method::Analytical, Method::Dual] {
            let d = rnea_derivatives(&model, &mut ws, method, &q, &v, &a, &wrenches).expect("runs");
            for i in 0..model.nv() {
                for j in 0..model.nv() {
                    if related(i, j) {
                        continue;
                    }
                    zeros += 1;
                    for (name, m) in d.matrices() {
                        assert!(m[(i, j)] == 0.0, "{what}, {method}: {name}[{i}, {j}] = {:e}", m[(i, j)]);
                    }
                }
            }
            for (w, m) in wrenches.iter().zip(&d.dtau_df_ext) {
                for i in 0..model.nv() {
                    let carried = |b: usize| model.supports(model.body_id(b).expect("is there"), w.body);
                    let reached =
                        model.bodies().iter().enumerate().any(|(b, body)| body.v_range().contains(&i) && carried(b));
                    assert!(reached || m.row(i).iter().all(|x| *x == 0.0), "{what}, {method}: dtau_df_ext row {i}");
                }
            }
        }
    }
    assert!(zeros > 1000, "the trees branch");
}

#[test]
fn levels_agree_to_rounding_and_each_repeats_its_bits() {
    for (what, model) in models() {
        let wrenches = wrenches(&model, 13);
        let plain = with_level(Level::Plain, || at(&model, Method::Dual, 13, &wrenches));
        for level in Level::available() {
            let (once, again) = with_level(level, || {
                (at(&model, Method::Dual, 13, &wrenches), at(&model, Method::Dual, 13, &wrenches))
            });
            assert_same_bits(&once, &again, &format!("{what}, {level}, again"));
            assert_near(once.tau.as_slice(), plain.tau.as_slice(), 1e-12, format!("{what}, {level}: tau"));
            for ((name, x), (_, y)) in matrices(&once).into_iter().zip(matrices(&plain)) {
                // Fused products round once instead of twice.
                let d = deviation(x, y);
                assert!(d < 1e-12, "{what}, {level}: {name} deviates by {d:e}");
            }
        }
    }
}

/// One workspace through changing states, lists of wrenches, methods and levels gives the bits of a fresh one.
#[test]
fn nothing_stays_behind_in_a_workspace() {
    for (what, model) in trees() {
        let all = wrenches(&model, 17);
        let lists: [&[ExternalWrench]; 5] = [&all, &[], &all[1..2], &all[..1], &all[2..]];
        let mut ws = DerivativeWorkspace::new(&model);
        let mut plain = Workspace::new(&model);
        for turn in 0..10 {
            let (q, v, a) = state(&model, 17 + turn % 3);
            let list = lists[turn as usize % 5];
            let fresh = at(&model, Method::Dual, 17 + turn % 3, list);
            if turn % 4 == 3 && model.nv() < 30 {
                rnea_derivatives(&model, &mut ws, Method::Difference, &q, &v, &a, &all).expect("runs");
                // A failed call in between, too.
                let bad = vec![f64::NAN; model.nv()];
                rnea_derivatives(&model, &mut ws, Method::Dual, &q, &bad, &a, &all).expect_err("NaN");
                let huge = vec![1e200; model.nv()];
                let _ = rnea_derivatives(&model, &mut ws, Method::Dual, &q, &huge, &huge, &all);
            }
            let found = rnea_derivatives(&model, &mut ws, Method::Dual, &q, &v, &a, list).expect("runs");
            assert_same_bits(found, &fresh, &format!("{what}, turn {turn}"));
            // The algorithms share their workspace.
            forward_kinematics(&model, &mut plain, &q, &a, &v).expect("runs");
            let tau = rnea(&model, &mut plain, &q, &v, &a, list).expect("runs");
            let alone = rnea(&model, &mut Workspace::new(&model), &q, &v, &a, list).expect("runs").to_vec();
            assert_same(tau, &alone, format!("{what}, turn {turn}: rnea"));
            let mut lower = DerivativeWorkspace::new(&model);
            for level in Level::available() {
                with_level(level, || {
                    let d = rnea_derivatives(&model, &mut lower, Method::Dual, &q, &v, &a, list).expect("runs");
                    let mut fresh = DerivativeWorkspace::new(&model);
                    let fresh = rnea_derivatives(&model, &mut fresh, Method::Dual, &q, &v, &a, list).expect("runs");
                    assert_same_bits(d, fresh, &format!("{what}, turn {turn}, {level}"));
                });
            }
        }
    }
}

/// Smooth Coulomb friction has the derivative f/w at rest, and no error of a square root at zero.
#[test]
fn friction_at_rest_has_its_derivative() {
    let mut builder = ModelBuilder::new("slider");
    let key = builder
        .add_body(
            None,
            "body",
            "slide",
            Transform::identity(),
            Prismatic { axis: Axis::X },
            testing::inertia(&mut testing::rng(0)),
        )
        .expect("builds");
    builder.set_friction(key, &[3.0]).expect("fits");
    builder.set_damping(key, &[0.5]).expect("fits");
    builder.set_friction_width(0.02);
    let model = builder.build().expect("builds");
    let mut ws = DerivativeWorkspace::new(&model);
    let d = rnea_derivatives(&model, &mut ws, Method::Dual, &[0.1], &[0.0], &[0.0], &[]).expect("runs");
    assert_near(d.dtau_dv.as_slice(), &[0.5 + 3.0 / 0.02], 1e-15, "dtau_dv");
    for (what, model) in models() {
        let (q, v, a) = state(&model, 19);
        let still = vec![0.0; v.len()];
        let mut ws = DerivativeWorkspace::new(&model);
        let off = model.clone().with_joint_friction(false);
        let without = rnea_derivatives(&off, &mut ws, Method::Dual, &q, &still, &a, &[]);
        let without = without.expect("a switch does not change the structure").dtau_dv.clone();
        let with = rnea_derivatives(&model, &mut ws, Method::Dual, &q, &still, &a, &[]).expect("runs");
        for i in 0..model.nv() {
            let own = |x: &&gradyn::model::DofDynamics| x.index == i;
            let slope: f64 = model
                .joint_dynamics()
                .iter()
                .filter(own)
                .map(|x| x.multiplier.powi(2) * (x.damping + x.friction / model.friction_width()))
                .sum();
            // At rest all of the breakaway friction is there, and friction of two sides is flat.
            let curves = model.friction_curves().iter().filter(|x| x.index == i);
            let slope = slope + curves.map(|x| x.multiplier.powi(2) * x.stribeck / model.friction_width()).sum::<f64>();
            let found = with.dtau_dv[(i, i)] - without[(i, i)];
            // A difference of entries up to a hundred.
            assert_near(&[found], &[slope], 1e-12, format!("{what}: slope {i}"));
        }
    }
}

fn error(model: &Model, q: &[f64], v: &[f64], a: &[f64]) -> InputError {
    let mut ws = DerivativeWorkspace::new(model);
    let error = rnea_derivatives(model, &mut ws, Method::Dual, q, v, a, &[]).expect_err("must be refused");
    let mut ws = DerivativeWorkspace::new(model);
    let same = rnea_derivatives(model, &mut ws, Method::Difference, q, v, a, &[]).expect_err("must be refused");
    assert_eq!(error.to_string(), same.to_string());
    let of_rnea = once::rnea(model, q, v, a, &[]).expect_err("must be refused");
    assert_eq!(error.to_string(), of_rnea.to_string());
    error
}

#[test]
fn wrong_lengths_are_named_with_both_numbers() {
    let model = tree_of_every_joint(1);
    let (q, v, a) = state(&model, 1);
    let (nq, nv) = (model.nq(), model.nv());
    let cases = [
        (error(&model, &q[1..], &v, &a), "q", "nq", nq, nq - 1),
        (error(&model, &q, &[&v[..], &[0.0]].concat(), &a), "v", "nv", nv, nv + 1),
        (error(&model, &q, &v, &[]), "a", "nv", nv, 0),
    ];
    for (error, what, size, expected, found) in cases {
        assert_eq!(error, InputError::Length { what, size, expected, found });
        let message = error.to_string();
        assert!(message.contains(&expected.to_string()) && message.contains(&found.to_string()), "{message}");
    }
    let mut out = vec![0.0; nq];
    for error in [
        model.integrate_into(&q, &v[1..], &mut out).expect_err("short v"),
        model.difference_into(&q, &q, &mut out).expect_err("nq instead of nv").clone(),
        model.q_dot_into(&q, &v, &mut out[1..]).expect_err("short out"),
        model.normalize(&mut out[1..]).expect_err("short q"),
        model.check_configuration(&q[1..]).expect_err("short q"),
        model.check_tangent("tau", &v[1..]).expect_err("short tau"),
    ] {
        assert!(matches!(error, InputError::Length { .. }), "{error}");
    }
}

#[test]
fn what_is_not_finite_is_named_with_its_joint() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for seed in 0..3 {
            let model = tree_of_every_joint(seed);
            let (q, v, a) = state(&model, seed);
            for body in model.bodies().iter().filter(|body| body.owns_coordinates() && !body.v_range().is_empty()) {
                for (what, range) in [("q", body.q_range()), ("v", body.v_range()), ("a", body.v_range())] {
                    let index = range.end - 1;
                    let (mut q, mut v, mut a) = (q.clone(), v.clone(), a.clone());
                    match what {
                        "q" => q[index] = bad,
                        "v" => v[index] = bad,
                        _ => a[index] = bad,
                    }
                    let error = error(&model, &q, &v, &a);
                    let message = error.to_string();
                    let InputError::NotFinite { what: found, index: place, joint, value } = error else {
                        panic!("{what}[{index}] = {bad}: {message}")
                    };
                    assert_eq!((found, place), (what, index));
                    assert_eq!(joint, format!("joint {}", body.joint_name()));
                    assert_eq!(value.to_string(), bad.to_string(), "{message}");
                    let mut ws = Workspace::new(&model);
                    let same = forward_kinematics(&model, &mut ws, &q, &v, &a).expect_err("must be refused");
                    assert_eq!(same.to_string(), message);
                }
            }
        }
    }
    // In a wrench, which names its body.
    let model = tree_of_every_joint(0);
    let (q, v, a) = state(&model, 0);
    let mut list = wrenches(&model, 0);
    list[1].wrench.angular.y = f64::NEG_INFINITY;
    let error = once::rnea(&model, &q, &v, &a, &list).expect_err("must be refused");
    let joint = format!("body {}", model.bodies()[list[1].body.index()].name());
    assert_eq!(error, InputError::NotFinite { what: "wrenches", index: 1, joint, value: f64::NEG_INFINITY });
}

#[test]
fn numbers_too_large_are_an_overflow_and_never_nan() {
    for (what, model) in models().into_iter().filter(|(_, model)| model.nv() > 0) {
        let (q, v, a) = state(&model, 23);
        let huge: Vec<_> = v.iter().map(|v| v.signum() * 1e200).collect();
        for (v, a) in [(&huge, &a), (&v, &huge), (&huge, &huge)] {
            let mut ws = DerivativeWorkspace::new(&model);
            match rnea_derivatives(&model, &mut ws, Method::Dual, &q, v, a, &[]) {
                Ok(d) => {
                    let finite = matrices(d).iter().all(|(_, m)| m.iter().all(|x| x.is_finite()));
                    assert!(finite && d.tau.iter().all(|x| x.is_finite()), "{what}");
                }
                Err(error) => assert!(matches!(error, InputError::Overflow { .. }), "{what}: {error}"),
            }
        }
    }
    // Coriolis forces of two joints whose squares overflow.
    let model = tree_of_every_joint(0);
    let (q, _, a) = state(&model, 0);
    let huge = vec![1e200; model.nv()];
    assert!(matches!(error_of_dual(&model, &q, &huge, &a), InputError::Overflow { what: "tau", .. }));
    // A wrench whose moments overflow in between.
    let mut far = q;
    let translation = model.bodies().iter().find(|body| body.joint().kind() == "translation").expect("one of each");
    far[translation.q_range()].fill(1e200);
    let body = model.find_body(translation.name()).expect("is there");
    let push = ExternalWrench::in_body(body, Force::new(Vector3::new(1e200, -1e200, 1e200), Vector3::zeros()));
    let mut ws = DerivativeWorkspace::new(&model);
    let zero = vec![0.0; model.nv()];
    let result = rnea_derivatives(&model, &mut ws, Method::Dual, &far, &zero, &zero, &[push]);
    assert!(matches!(result, Err(InputError::Overflow { .. })), "{result:?}");

    // Levers too long for a number.
    let mut builder = ModelBuilder::new("levers");
    let joints: [gradyn::joint::Joint; 3] = [Revolute { axis: Axis::Z }.into(), Translation.into(), Translation.into()];
    let mut last = None;
    for (i, joint) in joints.into_iter().enumerate() {
        let (x, y) = (Transform::identity(), testing::inertia(&mut testing::rng(1)));
        last = Some(builder.add_body(last, format!("b{i}"), format!("j{i}"), x, joint, y).expect("builds"));
    }
    let model = builder.set_gravity(Vector3::zeros()).clone().build().expect("builds");
    let mut far = vec![1.2e308; 7];
    far[0] = 0.0;
    let push = ExternalWrench::in_body(model.body_id(2).expect("is there"), Force::zero());
    // In coordinates of the bodies nothing gets too long: without vector registers there is a result, the right one.
    match once::rnea(&model, &far, &[0.0; 7], &[0.0; 7], &[push]) {
        Ok(tau) => assert_eq!(tau.as_slice(), [0.0; 7]),
        Err(error) => assert!(matches!(error, InputError::Overflow { .. }), "{error}"),
    }
    let mut ws = DerivativeWorkspace::new(&model);
    let result = rnea_derivatives(&model, &mut ws, Method::Dual, &far, &[0.0; 7], &[0.0; 7], &[push]);
    assert!(matches!(result, Err(InputError::Overflow { .. })), "{result:?}");
}

fn error_of_dual(model: &Model, q: &[f64], v: &[f64], a: &[f64]) -> InputError {
    let mut ws = DerivativeWorkspace::new(model);
    rnea_derivatives(model, &mut ws, Method::Dual, q, v, a, &[]).expect_err("must be refused")
}

/// Also one with as many bodies and degrees of freedom, whose joints are of other kinds.
#[test]
fn a_workspace_of_another_model_is_refused() {
    let body = || testing::inertia(&mut testing::rng(0));
    let pair = |first: gradyn::joint::Joint, second: gradyn::joint::Joint| {
        let mut builder = ModelBuilder::new("pair");
        let key = builder.add_body(None, "a", "ja", Transform::identity(), first, body()).expect("builds");
        builder.add_body(Some(key), "b", "jb", Transform::identity(), second, body()).expect("builds");
        builder.build().expect("builds")
    };
    let turn = |axis| gradyn::joint::Joint::from(Revolute { axis });
    let models = [
        pair(turn(Axis::X), turn(Axis::Y)),
        pair(turn(Axis::X), Prismatic { axis: Axis::Y }.into()),
        pair(Prismatic { axis: Axis::X }.into(), Prismatic { axis: Axis::Y }.into()),
        pair(gradyn::joint::Fixed.into(), Universal { first: Axis::X, second: Axis::Y }.into()),
        pair(Planar::new(Axis::X).into(), gradyn::joint::Fixed.into()),
        pair(gradyn::joint::Fixed.into(), Translation.into()),
        tree_of(9, 3),
    ];
    for (i, mine) in models.iter().enumerate() {
        for (j, other) in models.iter().enumerate() {
            let (q, v, a) = state(mine, 0);
            let mut ws = Workspace::new(other);
            let found = rnea(mine, &mut ws, &q, &v, &a, &[]).map(<[f64]>::to_vec);
            let mut derivatives = DerivativeWorkspace::new(other);
            let of_derivatives = rnea_derivatives(mine, &mut derivatives, Method::Dual, &q, &v, &a, &[]).cloned();
            let mut ws = Workspace::new(other);
            let of_kinematics = forward_kinematics(mine, &mut ws, &q, &v, &a).map(|_| ());
            if i == j {
                assert!(found.is_ok() && of_derivatives.is_ok() && of_kinematics.is_ok(), "model {i}");
                continue;
            }
            let what = format!("model {i} with the workspace of {j}");
            assert!(matches!(found, Err(InputError::Workspace { .. })), "{what}: {found:?}");
            assert!(matches!(of_derivatives, Err(InputError::Workspace { .. })), "{what}: {of_derivatives:?}");
            assert!(matches!(of_kinematics, Err(InputError::Workspace { .. })), "{what}: {of_kinematics:?}");
        }
    }
    // The same robot made twice, changed where its structure stays, or over other numbers, is the same to a workspace.
    let (model, again) = (tree_of_every_joint(5), tree_of_every_joint(5));
    let (q, v, a) = state(&model, 0);
    let mut ws = Workspace::<f64>::new(&again.with_gravity(Vector3::new(1.0, 2.0, 3.0)).with_joint_friction(false));
    let reused = rnea(&model, &mut ws, &q, &v, &a, &[]).expect("runs").to_vec();
    assert_same(&reused, &once::rnea(&model, &q, &v, &a, &[]).expect("runs"), "another workspace of the same");
    let mut ws = Workspace::<Dual64>::new(&model);
    let lifted = model.lift::<Dual64>();
    let tau = rnea(&lifted, &mut ws, &lift(&q), &dual(&v, &a), &lift(&a), &[]).expect("runs").to_vec();
    let direct = once::rnea(&model, &lift(&q), &dual(&v, &a), &lift::<Dual64>(&a), &[]).expect("runs");
    // Products of constants and variables in one form or the other.
    assert_near(&eps(&tau), &eps(&direct), 1e-13, "over duals");
}

#[test]
fn wrenches_on_bodies_that_are_not_there_are_refused() {
    let (small, large) = (tree_of(3, 1), tree_of(30, 1));
    let (q, v, a) = state(&small, 0);
    let body = large.body_id(29).expect("is there");
    for frame in [WrenchFrame::Body, WrenchFrame::World] {
        let wrench = ExternalWrench { body, frame, wrench: Force::zero() };
        let error = once::rnea(&small, &q, &v, &a, &[wrench]).expect_err("of another model");
        assert!(matches!(error, InputError::OtherModel { what: "body", index: 29, .. }), "{error}");
        let mut ws = DerivativeWorkspace::new(&small);
        for method in Method::ALL {
            assert_eq!(rnea_derivatives(&small, &mut ws, method, &q, &v, &a, &[wrench]), Err(error.clone()));
        }
    }
}

/// Far from zero, too: a rotor that has turned 1e5 times, a robot that has gone 10 km. Steps of the differences do not
/// grow with the coordinates, and random configurations do not use limits of 1e16, by which some files say "none".
#[test]
fn methods_agree_far_from_zero() {
    let robot = r#"<robot name="rotor"> <link name="base"> <inertial> <mass value="1"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/> </inertial> </link>
        <link name="rotor"> <inertial> <origin xyz="0.1 0.2 0"/> <mass value="0.5"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2"/> </inertial> </link>
        <joint name="spin" type="revolute"> <parent link="base"/> <child link="rotor"/> <axis xyz="0 0 1"/>
        <limit lower="-1e16" upper="1e16" effort="1" velocity="1"/> </joint> </robot>"#;
    let mut options = gradyn::model::urdf::UrdfOptions::new();
    options.floating_base = true;
    let model = gradyn::Model::from_urdf_text(robot, &options).expect("a good file").model;
    let (mut q, v, a) = state(&model, 3);
    assert!(q[7].abs() <= std::f64::consts::PI, "random angle {}", q[7]);
    q[0] = 1e4;
    q[7] += 1e5 * std::f64::consts::TAU;
    let mut ws = DerivativeWorkspace::new(&model);
    let dual = rnea_derivatives(&model, &mut ws, Method::Dual, &q, &v, &a, &[]).expect("runs").clone();
    let difference = rnea_derivatives(&model, &mut ws, Method::Difference, &q, &v, &a, &[]).expect("runs");
    for ((what, x), (_, y)) in dual.matrices().into_iter().zip(difference.matrices()) {
        // An angle of 6e5 is known to 1e-10.
        let d = deviation(x, y);
        assert!(d < 1e-8, "{what} deviates by {d:e}");
    }
}

/// Where the base is matters to no torque; that it is nowhere is an error all the same, of every function and at every
/// level.
#[test]
fn a_base_that_is_nowhere_is_an_error() {
    let mut gantry = ModelBuilder::new("gantry");
    let rng = &mut testing::rng(3);
    let mut last = None;
    for k in 0..9 {
        let joint: Joint = if k == 0 { Prismatic { axis: Axis::X }.into() } else { Revolute { axis: Axis::Y }.into() };
        let (x, y) = (testing::transform(rng), testing::inertia(rng));
        last = Some(gantry.add_body(last, format!("b{k}"), format!("j{k}"), x, joint, y).expect("fits"));
    }
    let floating = UrdfOptions::new().floating_base(true);
    for model in
        [gantry.build().expect("builds"), testing::robot("solo12", &floating), testing::robot("panda", &floating)]
    {
        let (mut q, v, a) = state(&model, 1);
        for bad in [f64::NAN, f64::INFINITY] {
            q[0] = bad;
            for level in Level::available() {
                with_level(level, || {
                    let ws = &mut Workspace::<f64>::new(&model);
                    let of_duals = &mut Workspace::<Dual8>::new(&model);
                    let first = &mut DerivativeWorkspace::new(&model);
                    let second = &mut SecondOrderWorkspace::new(&model);
                    let [q_8, v_8, a_8] = [&q, &v, &a].map(|x| lift::<Dual8>(x));
                    let mut found: Vec<(&str, Result<(), InputError>)> = vec![
                        ("rnea", rnea(&model, ws, &q, &v, &a, &[]).map(|_| ())),
                        ("rnea over duals", rnea(&model, of_duals, &q_8, &v_8, &a_8, &[]).map(|_| ())),
                        ("bias", bias(&model, ws, &q, &v, &[]).map(|_| ())),
                        ("aba", aba(&model, ws, &q, &v, &a, &[]).map(|_| ())),
                        ("crba", crba(&model, ws, &q).map(|_| ())),
                        ("minv", minv(&model, ws, &q).map(|_| ())),
                        ("coriolis_matrix", coriolis_matrix(&model, ws, &q, &v).map(|_| ())),
                        ("generalized_gravity", generalized_gravity(&model, ws, &q).map(|_| ())),
                    ];
                    for method in [Method::Analytical, Method::Dual, Method::Difference] {
                        found.extend([
                            ("rnea_derivatives", rnea_derivatives(&model, first, method, &q, &v, &a, &[]).map(|_| ())),
                            ("aba_derivatives", aba_derivatives(&model, first, method, &q, &v, &a, &[]).map(|_| ())),
                            (
                                "mass_product_derivatives",
                                mass_product_derivatives(&model, first, method, &q, &a).map(|_| ()),
                            ),
                            (
                                "static_torque_derivatives",
                                static_torque_derivatives(&model, first, method, &q, &[]).map(|_| ()),
                            ),
                        ]);
                    }
                    found.push((
                        "rnea_second_derivatives",
                        rnea_second_derivatives(&model, second, Method::Analytical, &q, &v, &a, &[]).map(|_| ()),
                    ));
                    for (name, found) in found {
                        let named = matches!(found, Err(InputError::NotFinite { what: "q", index: 0, .. }));
                        assert!(named, "{}, {level}: {name} at {bad}: {found:?}", model.name());
                    }
                });
            }
        }
    }
}
