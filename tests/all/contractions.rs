//! Gradient and Hessian of `λᵀ τ` without matrices and tensors of derivatives.

use gradyn::dynamics::{self, ExternalWrench, Workspace, WrenchFrame};
use gradyn::joint::{Axis, Prismatic, Revolute};
use gradyn::model::{InputError, Model, ModelBuilder};
use gradyn::partials::{
    DerivativeWorkspace, HessianWorkspace, Method, SecondOrderWorkspace, mass_product_derivatives, rnea_derivatives,
    rnea_hessian, rnea_hessian_product, rnea_second_derivatives,
};
use gradyn::plan::{Only, with_only};
use gradyn::spatial::{Force, Motion, Transform};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::{Level, with_level};
use nalgebra::{DMatrix, DVector, Vector3};
use testing::{
    assert_near, assert_same, constant_subspaces, deviation, eps, lift, models, moved, state, tree_of_every_joint,
    unit, wrenches,
};

fn weights(model: &Model, seed: u64) -> Vec<f64> {
    state(model, seed + 300).1
}

/// The gradient is λᵀ times the matrices, which come from dual numbers through the algorithm.
#[test]
fn gradient_is_the_combination_of_derivatives() {
    for (what, model) in models() {
        for seed in 0..3 {
            let ((q, v, a), wrenches, lambda) = (state(&model, seed), wrenches(&model, seed), weights(&model, seed));
            let mut ws = DerivativeWorkspace::new(&model);
            let by = rnea_derivatives(&model, &mut ws, Method::Dual, &q, &v, &a, &wrenches).expect("runs");
            let l = DVector::from_column_slice(&lambda);
            let mut ws = Workspace::new(&model);
            let found = dynamics::rnea_gradient(&model, &mut ws, &q, &v, &a, &lambda, &wrenches).expect("runs");
            let near = |found: &[f64], m: &DMatrix<f64>, name: &str| {
                let (expected, size) = (m.tr_mul(&l), m.amax().max(1.0));
                let scaled = |x: &[f64]| x.iter().map(|x| x / size).collect::<Vec<_>>();
                // Sums of nv entries, a few thousand roundings each.
                assert_near(&scaled(found), &scaled(expected.as_slice()), 1e-12, format!("{what}: {name}"));
            };
            near(found.dq, &by.dtau_dq, "dq");
            near(found.dv, &by.dtau_dv, "dv");
            near(found.da, &by.dtau_da, "da");
            for (k, m) in by.dtau_df_ext.iter().enumerate() {
                near(&found.df_ext[6 * k..6 * k + 6], m, "df_ext");
            }
            assert_near(&[found.value], &[l.dot(&by.tau)], 1e-12 * by.tau.amax().max(1.0), format!("{what}: value"));
        }
    }
}

/// Over dual numbers through the matrices in closed form: every block of the Hessian.
#[test]
fn hessian_is_the_combination_of_second_derivatives() {
    for (what, model) in models() {
        let ((q, v, a), wrenches, lambda) = (state(&model, 4), wrenches(&model, 4), weights(&model, 4));
        let mut ws = HessianWorkspace::new(&model);
        let hessian = rnea_hessian(&model, &mut ws, &q, &v, &a, &lambda, &wrenches).expect("runs").clone();
        let (nv, l) = (model.nv(), DVector::from_column_slice(&lambda));
        let lifted: Vec<ExternalWrench<Dual64>> = wrenches.iter().map(ExternalWrench::lift).collect();
        let mut dual_ws = Workspace::new(&model);
        let mut along = |q: &[Dual64], v: &[Dual64]| {
            let by = dynamics::rnea_derivatives(&model, &mut dual_ws, q, v, &lift(&a), &lifted).expect("runs");
            [by.dtau_dq, by.dtau_dv, by.dtau_da].map(|m| DMatrix::from_vec(nv, nv, eps(m)).tr_mul(&l))
        };
        let mut expected = vec![DMatrix::zeros(nv, nv); 6];
        for j in 0..nv {
            let e = unit(nv, j);
            let by_q = along(&moved(&model, &q, &e), &lift(&v));
            let by_v = along(&lift(&q), &testing::dual(&v, &e));
            for (m, column) in expected.iter_mut().zip(by_q.iter().chain(&by_v)) {
                m.set_column(j, column);
            }
        }
        let scale = expected.iter().fold(1.0, |s: f64, m| s.max(m.amax()));
        let near = |found: &DMatrix<f64>, expected: &DMatrix<f64>, name: &str| {
            let d = (found - expected).abs().max() / scale;
            assert!(nv == 0 || d < 1e-12, "{what}: {name} deviates by {d:e}");
        };
        near(&hessian.dqq, &expected[0], "dqq");
        near(&hessian.dvq, &expected[1], "dvq");
        near(&hessian.daq, &expected[2], "daq");
        near(&hessian.dvv, &expected[4], "dvv");
        near(&hessian.dvq.transpose(), &expected[3], "dqv");
        near(&DMatrix::zeros(nv, nv), &expected[5], "dav");
        near(&hessian.dvv.transpose(), &hessian.dvv, "dvv is symmetric");
    }
}

/// Each form of the Hessian, at each level, against dual numbers through the gradient, and against the tensors of
/// second derivatives.
#[test]
fn hessian_is_that_of_the_gradient_and_of_the_tensors() {
    for (what, model) in models().into_iter().chain(constant_subspaces()) {
        let ((q, v, a), wrenches, lambda) = (state(&model, 6), wrenches(&model, 6), weights(&model, 6));
        let (nv, lifted) = (model.nv(), wrenches.iter().map(ExternalWrench::lift).collect::<Vec<_>>());
        let mut ws = Workspace::new(&model);
        let mut along = |q: &[Dual64], v: &[Dual64]| {
            let by = dynamics::rnea_gradient(&model, &mut ws, q, v, &lift(&a), &lift(&lambda), &lifted).expect("runs");
            [by.dq, by.dv, by.da].map(|x| DVector::from_vec(eps(x)))
        };
        let [mut dqq, mut dvq, mut daq, mut dvv] = [(); 4].map(|()| DMatrix::zeros(nv, nv));
        for j in 0..nv {
            let [by_q, by_v, by_a] = along(&moved(&model, &q, &unit(nv, j)), &lift(&v));
            dqq.set_column(j, &by_q);
            dvq.set_column(j, &by_v);
            daq.set_column(j, &by_a);
            dvv.set_column(j, &along(&lift(&q), &testing::dual(&v, &unit(nv, j)))[1]);
        }
        let mut ws = SecondOrderWorkspace::new(&model);
        let tensors = rnea_second_derivatives(&model, &mut ws, Method::Analytical, &q, &v, &a, &wrenches);
        let tensors = tensors.expect("runs");
        let sum = |entry: &dyn Fn(usize, usize, usize) -> f64| {
            DMatrix::from_fn(nv, nv, |i, j| (0..nv).map(|t| lambda[t] * entry(t, i, j)).sum::<f64>())
        };
        let by_tensors = [
            sum(&|t, i, j| tensors.d2tau_dqdq[(t, i, j)]),
            sum(&|t, i, j| tensors.d2tau_dqdv[(t, j, i)]),
            sum(&|t, i, j| tensors.d2tau_dadq[(t, i, j)]),
            sum(&|t, i, j| tensors.d2tau_dvdv[(t, i, j)]),
        ];
        let by_duals = [dqq, dvq, daq, dvv];
        let scale = by_duals.iter().fold(1.0, |s: f64, m| s.max(m.amax()));
        let run = |form: &str| {
            let mut ws = HessianWorkspace::new(&model);
            let h = rnea_hessian(&model, &mut ws, &q, &v, &a, &lambda, &wrenches).expect("runs");
            for (k, m) in [&h.dqq, &h.dvq, &h.daq, &h.dvv].into_iter().enumerate() {
                for (witness, by) in [("duals", &by_duals), ("tensors", &by_tensors)] {
                    let d = (m - &by[k]).amax() / scale;
                    assert!(nv == 0 || d < 1e-12, "{what}, {form}: block {k} is {d:e} off {witness}");
                }
            }
        };
        with_only(Only::Book, || run("book"));
        for level in Level::available() {
            with_level(level, || run(&level.to_string()));
        }
    }
}

/// What differences of the gradient along `q ⊕ t e_j` converge to: the ordered second derivative.
#[test]
fn hessian_is_what_differences_of_the_gradient_converge_to() {
    for seed in 0..4 {
        let model = tree_of_every_joint(seed);
        let ((q, v, a), wrenches, lambda) = (state(&model, seed), wrenches(&model, seed), weights(&model, seed));
        let mut ws = HessianWorkspace::new(&model);
        let hessian = rnea_hessian(&model, &mut ws, &q, &v, &a, &lambda, &wrenches).expect("runs").clone();
        let (nv, mut plain) = (model.nv(), Workspace::new(&model));
        let mut found = [DMatrix::zeros(nv, nv), DMatrix::zeros(nv, nv), DMatrix::zeros(nv, nv)];
        let h = 1e-4;
        for j in 0..nv {
            let mut at = |t: f64| {
                let (mut q_t, step) = (q.clone(), unit(nv, j).iter().map(|e| e * t).collect::<Vec<_>>());
                model.integrate_into(&q, &step, &mut q_t).expect("fits");
                let by = dynamics::rnea_gradient(&model, &mut plain, &q_t, &v, &a, &lambda, &wrenches).expect("runs");
                [by.dq, by.dv, by.da].map(DVector::from_column_slice)
            };
            let [far, close] = [2.0 * h, h].map(|t| [at(t), at(-t)]);
            for (n, m) in found.iter_mut().enumerate() {
                let column = ((&close[0][n] - &close[1][n]) * 8.0 - (&far[0][n] - &far[1][n])) / (12.0 * h);
                m.set_column(j, &column);
            }
        }
        for (m, expected) in found.iter().zip([&hessian.dqq, &hessian.dvq, &hessian.daq]) {
            // h⁴ and ε/h, times entries that grow along chains.
            let d = deviation(m, expected);
            assert!(d < 1e-9, "tree {seed}: deviates by {d:e}");
        }
    }
}

/// Entries (i, j) and (j, i) differ by the derivative along the Lie bracket of the two directions, and only within a
/// joint.
#[test]
fn order_matters_by_the_lie_bracket() {
    for seed in 0..4 {
        let model = tree_of_every_joint(seed);
        let ((q, v, a), lambda) = (state(&model, seed), weights(&model, seed));
        let mut ws = HessianWorkspace::new(&model);
        let by = rnea_hessian(&model, &mut ws, &q, &v, &a, &lambda, &wrenches(&model, seed)).expect("runs");
        let mut expected = DMatrix::zeros(model.nv(), model.nv());
        for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
            let free = body.joint().kind() == "free-flyer";
            if !free && body.joint().kind() != "spherical" {
                continue;
            }
            let (r, n) = (body.v_range(), body.v_range().len());
            let direction = |k: usize| {
                let e = |at: usize| if k == at { 1.0 } else { 0.0 };
                let [x, y, z] = if free { [3, 4, 5] } else { [0, 1, 2] }.map(e);
                let linear = if free { Vector3::new(e(0), e(1), e(2)) } else { Vector3::zeros() };
                Motion::new(linear, Vector3::new(x, y, z))
            };
            for i in 0..n {
                for j in 0..n {
                    let bracket = testing::motion(direction(j).cross(direction(i)));
                    let bracket = if free { &bracket[..] } else { &bracket[3..] };
                    let along: f64 = bracket.iter().zip(r.clone()).map(|(x, k)| x * by.dq[k]).sum();
                    expected[(r.start + i, r.start + j)] = along;
                }
            }
        }
        // Planar joints and composites do not commute either; they are left out.
        let mut found = &by.dqq - by.dqq.transpose();
        for body in model.bodies().iter().filter(|b| ["planar", "composite"].contains(&b.joint().kind())) {
            let (r, n) = (body.v_range(), body.v_range().len());
            found.view_mut((r.start, r.start), (n, n)).fill(0.0);
        }
        assert!(expected.amax() > 1e-3, "something does not commute");
        let d = (&found - &expected).amax() / by.dqq.amax();
        assert!(d < 1e-12, "tree {seed}: deviates by {d:e}");
    }
}

/// `H x` without `H`.
#[test]
fn products_are_those_of_the_matrix() {
    for (what, model) in models() {
        let ((q, v, a), wrenches, lambda) = (state(&model, 5), wrenches(&model, 5), weights(&model, 5));
        let mut ws = HessianWorkspace::new(&model);
        let h = rnea_hessian(&model, &mut ws, &q, &v, &a, &lambda, &wrenches).expect("runs").clone();
        let along = [weights(&model, 6), weights(&model, 7), weights(&model, 8)];
        let directions = (&along[0][..], &along[1][..], &along[2][..]);
        let found = rnea_hessian_product(
            &model,
            &mut ws,
            &q,
            &v,
            &a,
            &lambda,
            directions.0,
            directions.1,
            directions.2,
            &wrenches,
        )
        .expect("runs")
        .clone();
        let [x, y, z] = along.map(DVector::from_vec);
        let size = h.dqq.amax().max(h.dvq.amax()).max(1.0);
        let near = |found: &DVector<f64>, expected: DVector<f64>, name: &str| {
            let (found, expected) = (found / size, expected / size);
            assert_near(found.as_slice(), expected.as_slice(), 1e-12, format!("{what}: {name}"));
        };
        near(&found.dq, &h.dqq * &x + h.dvq.tr_mul(&y) + h.daq.tr_mul(&z), "dq");
        near(&found.dv, &h.dvq * &x + &h.dvv * &y, "dv");
        near(&found.da, &h.daq * &x, "da");
    }
}

/// `∂(M λ)/∂q` is a block of the Hessian, and what the derivatives of a product with the mass matrix say.
#[test]
fn block_of_accelerations_is_that_of_the_mass_matrix() {
    for (what, model) in models() {
        let ((q, v, a), lambda) = (state(&model, 9), weights(&model, 9));
        let mut ws = HessianWorkspace::new(&model);
        let h = rnea_hessian(&model, &mut ws, &q, &v, &a, &lambda, &[]).expect("runs");
        let mut ws = DerivativeWorkspace::new(&model);
        let by = mass_product_derivatives(&model, &mut ws, Method::Analytical, &q, &lambda).expect("runs");
        let d = deviation(&h.daq, by.dproduct_dq);
        assert!(d < 1e-12, "{what}: deviates by {d:e}");
        assert_near(h.da.as_slice(), by.product.as_slice(), 1e-12, what);
    }
}

/// Each level repeats its bits, with wrenches and without, and levels agree to rounding.
#[test]
fn levels_agree_and_nothing_stays_behind() {
    for seed in 0..3 {
        let model = tree_of_every_joint(seed);
        let ((q, v, a), all, lambda) = (state(&model, seed), wrenches(&model, seed), weights(&model, seed));
        let fresh = |wrenches: &[ExternalWrench]| {
            let mut ws = HessianWorkspace::new(&model);
            rnea_hessian(&model, &mut ws, &q, &v, &a, &lambda, wrenches).expect("runs").clone()
        };
        let plain = with_level(Level::Plain, || fresh(&all));
        let mut shared = HessianWorkspace::new(&model);
        for level in Level::available() {
            with_level(level, || {
                for list in [&all[..], &[], &all[1..2]] {
                    let expected = fresh(list);
                    let (other, _, _) = state(&model, seed + 70);
                    rnea_hessian(&model, &mut shared, &other, &a, &v, &v, &all).expect("runs");
                    let found = rnea_hessian(&model, &mut shared, &q, &v, &a, &lambda, list).expect("runs");
                    for (x, y) in
                        [(&found.dqq, &expected.dqq), (&found.dvq, &expected.dvq), (&found.dvv, &expected.dvv)]
                    {
                        assert_same(x.as_slice(), y.as_slice(), format!("{level}"));
                    }
                }
                let d = deviation(&fresh(&all).dqq, &plain.dqq);
                // Fused products round once instead of twice.
                assert!(d < 1e-12, "{level} deviates by {d:e}");
            });
        }
    }
}

/// Lengths, numbers that are not finite, another model's workspace: as everywhere.
#[test]
fn misuse_is_named() {
    let (model, other) = (tree_of_every_joint(0), testing::tree_of(5, 1));
    let ((q, v, a), lambda) = (state(&model, 0), weights(&model, 0));
    let mut ws = HessianWorkspace::new(&model);
    let error = rnea_hessian(&model, &mut ws, &q, &v, &a, &lambda[1..], &[]).expect_err("short");
    assert!(matches!(error, InputError::Length { what: "lambda", .. }), "{error}");
    let mut bad = lambda.clone();
    bad[3] = f64::NAN;
    let error = rnea_hessian(&model, &mut ws, &q, &v, &a, &bad, &[]).expect_err("NaN");
    assert!(matches!(error, InputError::NotFinite { what: "lambda", index: 3, .. }), "{error}");
    let directions = (&v[1..], &v[..], &v[..]);
    let error =
        rnea_hessian_product(&model, &mut ws, &q, &v, &a, &lambda, directions.0, directions.1, directions.2, &[])
            .expect_err("short");
    assert!(matches!(error, InputError::Length { what: "along_q", .. }), "{error}");
    let mut foreign = HessianWorkspace::new(&other);
    let error = rnea_hessian(&model, &mut foreign, &q, &v, &a, &lambda, &[]).expect_err("another model's");
    assert!(matches!(error, InputError::Workspace { .. }), "{error}");
    let directions = (&v[..], &v[..], &v[..]);
    let error =
        rnea_hessian_product(&model, &mut foreign, &q, &v, &a, &lambda, directions.0, directions.1, directions.2, &[])
            .expect_err("another model's");
    assert!(matches!(error, InputError::Workspace { .. }), "{error}");
    let huge = vec![1e200; model.nv()];
    let error = rnea_hessian(&model, &mut ws, &q, &huge, &a, &lambda, &[]).expect_err("overflows");
    assert!(matches!(error, InputError::Overflow { .. }), "{error}");
    let mut wrenches = wrenches(&model, 0);
    wrenches[1].wrench.linear.x = f64::INFINITY;
    let error = rnea_hessian(&model, &mut ws, &q, &v, &a, &lambda, &wrenches).expect_err("infinite wrench");
    assert!(matches!(error, InputError::NotFinite { what: "wrenches", index: 1, .. }), "{error}");
    let still = gradyn::UrdfOptions::new();
    let rock =
        Model::from_urdf_text(r#"<robot name="still"><link name="rock"/></robot>"#, &still).expect("reads").model;
    let mut ws = HessianWorkspace::new(&rock);
    assert_eq!(rnea_hessian(&rock, &mut ws, &[], &[], &[], &[], &[]).expect("runs").dqq.len(), 0);
}

/// The value and the derivatives by wrenches are looked at as the others are.
#[test]
fn gradients_that_overflow_are_named() {
    let mut builder = ModelBuilder::new("crane");
    let (x, y) = (Transform::identity(), testing::inertia(&mut testing::rng(1)));
    let slide = builder.add_body(None, "slide", "j0", x, Prismatic { axis: Axis::X }, y).expect("fits");
    builder.set_gravity(Vector3::zeros());
    let slider = builder.clone().build().expect("builds");
    builder.add_body(Some(slide), "boom", "j1", x, Revolute { axis: Axis::Z }, y).expect("fits");
    let crane = builder.build().expect("builds");
    let body = crane.body_id(1).expect("is there");
    let hook = ExternalWrench { body, frame: WrenchFrame::World, wrench: Force::zero() };
    for level in Level::available() {
        let named = |found: Option<InputError>, what: &str| {
            assert!(matches!(found, Some(InputError::Overflow { .. })), "{level}, {what}: {found:?}");
        };
        with_level(level, || {
            let ws = &mut Workspace::new(&slider);
            let (still, large) = ([0.0], [1e200]);
            named(dynamics::aba_gradient(&slider, ws, &still, &still, &large, &large, &[]).err(), "accelerations");
            named(dynamics::rnea_gradient(&slider, ws, &still, &still, &large, &large, &[]).err(), "torques");
            let ws = &mut Workspace::new(&crane);
            let (far, still, weights) = ([1e200, 0.0], [0.0; 2], [0.0, 1e200]);
            let found = dynamics::aba_gradient(&crane, ws, &far, &still, &still, &weights, &[hook]).err();
            named(found, "accelerations by wrenches");
            let found = dynamics::rnea_gradient(&crane, ws, &far, &still, &still, &weights, &[hook]).err();
            named(found, "torques by wrenches");
        });
    }
}
