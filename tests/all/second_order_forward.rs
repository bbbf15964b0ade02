//! Second derivatives of forward dynamics: by formula, dual numbers and differences, and nested duals through ABA
//! itself.

use gradyn::dynamics::{ExternalWrench, Tensor3, Workspace, aba, aba_gradient};
use gradyn::model::Model;
use gradyn::model::urdf::UrdfOptions;
use gradyn::once;
use gradyn::partials::{
    AbaHessian, AbaHessianProduct, AbaSecondDerivatives, DerivativeWorkspace, Method, SecondOrderWorkspace,
    SparsityPattern, aba_derivatives, aba_hessian, aba_hessian_product, aba_second_derivatives,
};
use gradyn_derivatives::Real;
use gradyn_derivatives::difference::{self, Euclidean, along};
use gradyn_derivatives::num_dual::HyperDual64;
use nalgebra::{DMatrix, DVector};
use testing::{assert_near, assert_same, condition, lift, moderate, regular, state, wrenches};

/// Trees with more degrees of freedom take most of the time, and what they show smaller ones do.
const LARGE: usize = 30;

/// The directions of a model in which differences go: all, but one in 13 of models with more than [`LARGE`] degrees of
/// freedom, from another one on in each, and three of the tree of 60 bodies.
fn directions(model: &Model, number: usize) -> std::iter::StepBy<std::ops::Range<usize>> {
    if model.nv() <= LARGE {
        (0..model.nv()).step_by(1)
    } else {
        (3 * number % 13..model.nv()).step_by(if model.nv() < 100 { 13 } else { 43 })
    }
}

/// What two ways to the same number may differ by, of the largest entry: some ten thousand roundings, which solving
/// with the mass matrix makes larger by its condition number (of its diagonal scaled to one); never less than 1e-10, as
/// the terms of a sum can be a hundred times as large.
fn rounding(model: &Model, seed: u64) -> f64 {
    let m = once::crba(model, &state(model, seed).0).expect("runs");
    (1e4 * f64::EPSILON * condition(&m)).max(1e-10)
}

fn by(method: Method, model: &Model, seed: u64) -> AbaSecondDerivatives {
    let ((q, v, tau), f_ext) = (state(model, seed), wrenches(model, seed));
    let mut ws = SecondOrderWorkspace::new(model);
    aba_second_derivatives(model, &mut ws, method, &q, &v, &tau, &f_ext).expect("valid").clone()
}

#[track_caller]
fn assert_tensors_near(found: &AbaSecondDerivatives, expected: &AbaSecondDerivatives, tolerance: f64, what: &str) {
    for ((name, found), (_, expected)) in found.tensors().into_iter().zip(expected.tensors()) {
        assert_near(found.as_slice(), expected.as_slice(), tolerance, format!("{what}: {name}"));
    }
}

/// The formulas are what dual numbers through the first derivatives give.
#[test]
fn formulas_and_duals_agree() {
    for (what, model) in regular() {
        let tolerance = rounding(&model, 3);
        assert_tensors_near(&by(Method::Analytical, &model, 3), &by(Method::Dual, &model, 3), tolerance, &what);
    }
}

/// A light base that carries heavy limbs which slide and turn (condition of the mass matrix 10⁵): solutions with the
/// mass matrix lose no more than one condition number of roundings, and products with its inverse lose a thousand times
/// as much.
#[test]
fn little_is_lost_on_a_light_base() {
    let joint = |k: usize, rpy: &str, axis: &str| {
        let masses = ["1.6", "2.1", "3.9"];
        let link = format!(
            r#"<link name="l{k}"><inertial><mass value="{}"/><origin xyz="0 0.1 0"/>
            <inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>"#,
            masses[k - 1]
        );
        let parent = k - 1;
        link + &format!(
            r#"<joint name="j{k}" type="planar"><parent link="l{parent}"/><child link="l{k}"/>
            <origin xyz="0.1 -0.2 0.3" rpy="{rpy}"/><axis xyz="{axis}"/></joint>"#
        )
    };
    let base = r#"<link name="l0"><inertial><origin xyz="0.9 0 0"/><mass value="0.27"/>
        <inertia ixx="0.0048" iyy="0.0028" izz="0.0033" ixy="0" ixz="0" iyz="0"/></inertial></link>"#;
    let joints = joint(1, "0.3 0.2 0.1", "1 1 1") + &joint(2, "0 1.57 0", "0 1 0") + &joint(3, "0 0 0", "0 0 1");
    let text = format!(r#"<robot name="light">{base}{joints}</robot>"#);
    let model = Model::from_urdf_text(&text, &UrdfOptions::new().floating_base(true)).expect("a robot").model;
    for seed in 0..8 {
        let (q, v, tau) = state(&model, seed);
        let m = once::crba(&model, &q).expect("runs");
        let tolerance = 1e1 * f64::EPSILON * m.singular_values().max() / m.singular_values().min();
        let mut ws = SecondOrderWorkspace::new(&model);
        let mut by =
            |method| aba_second_derivatives(&model, &mut ws, method, &q, &v, &tau, &[]).expect("valid").clone();
        let (formulas, duals) = (by(Method::Analytical), by(Method::Dual));
        assert_tensors_near(&formulas, &duals, tolerance, &format!("state {seed}"));
        let lambda = vec![1.0; model.nv()];
        let mut ws = SecondOrderWorkspace::new(&model);
        let mut by =
            |method| aba_hessian(&model, &mut ws, method, &q, &v, &tau, &lambda, &[]).expect("valid").dqq.clone();
        let (formulas, duals) = (by(Method::Analytical), by(Method::Dual));
        assert_near(formulas.as_slice(), duals.as_slice(), tolerance, format!("combined, state {seed}"));
    }
}

/// Differences of the first derivatives confirm them.
#[test]
fn formulas_and_differences_agree() {
    let mut sampled = 0;
    for (number, (what, model)) in regular().into_iter().enumerate() {
        // Ridders' table loses some four digits of the first derivatives.
        let tolerance = 1e4 * rounding(&model, 3);
        let expected = by(Method::Analytical, &model, 3);
        if directions(&model, number).len() == model.nv() {
            assert_tensors_near(&by(Method::Difference, &model, 3), &expected, tolerance, &what);
            continue;
        }
        sampled += 1;
        let ((q, v, tau), f_ext, nv) = (state(&model, 3), wrenches(&model, 3), model.nv());
        let mut ws = DerivativeWorkspace::new(&model);
        let mut slope = |k: usize, by_q: bool| {
            let path = |t: f64, out: &mut [f64]| {
                let mut e = vec![0.0; nv];
                e[k] = t;
                let (q, v) = if by_q {
                    (model.integrate(&q, &e).expect("fits"), v.clone())
                } else {
                    (q.clone(), v.iter().zip(&e).map(|(v, e)| v + e).collect())
                };
                let by = aba_derivatives(&model, &mut ws, Method::Analytical, &q, &v, &tau, &f_ext);
                let by = by.expect("runs");
                let (first, rest) = out.split_at_mut(nv * nv);
                first.copy_from_slice(by.ddq_dq.as_slice());
                rest[..nv * nv].copy_from_slice(by.ddq_dv.as_slice());
                rest[nv * nv..].copy_from_slice(by.ddq_dtau.as_slice());
            };
            let along = along(difference::Method::ridders(), &Euclidean(3 * nv * nv), path).expect("runs");
            let third = |n: usize| DMatrix::from_column_slice(nv, nv, &along.value[n * nv * nv..][..nv * nv]);
            [third(0), third(1), third(2)]
        };
        let tensors = expected.tensors().map(|(_, tensor)| tensor);
        let [qq, qv, vv, q_tau] = tensors;
        let at = |tensor: &Tensor3, index: &dyn Fn(usize, usize) -> (usize, usize, usize)| {
            DMatrix::from_fn(nv, nv, |i, j| tensor[index(i, j)])
        };
        for k in directions(&model, number) {
            let ([by_q, _, by_tau], [of_q, of_v, _]) = (slope(k, true), slope(k, false));
            let last = |i, j| (i, j, k);
            for (name, found, tensor, index) in [
                ("qq", by_q, qq, &last as &dyn Fn(usize, usize) -> _),
                ("qv", of_q, qv, &last),
                ("vv", of_v, vv, &last),
                ("qτ", by_tau, q_tau, &|i, j| (i, k, j)),
            ] {
                let tolerance = tolerance * (tensor.as_slice().iter().fold(0.0, |m: f64, x| m.max(x.abs())).max(1.0));
                let off = (found - at(tensor, index)).amax();
                assert!(off < tolerance, "{what}: {name} along {k} is off by {off:e}");
            }
        }
    }
    assert_eq!(sampled, 9, "trees of every joint, of 17 bodies and more, and the humanoid");
}

/// Nested dual numbers through the articulated-body algorithm give the same, in the order that is documented.
#[test]
fn formulas_are_what_nested_duals_through_aba_give() {
    for (what, model) in regular().into_iter().filter(|(_, model)| model.nv() <= LARGE) {
        let ((q, v, tau), f_ext) = (state(&model, 3), wrenches(&model, 3));
        let expected = by(Method::Analytical, &model, 3);
        let nv = model.nv();
        let mut ws = Workspace::<HyperDual64>::new(&model);
        let f_ext: Vec<ExternalWrench<HyperDual64>> = f_ext.iter().map(ExternalWrench::lift).collect();
        let (q, v, tau) = (lift::<HyperDual64>(&q), lift::<HyperDual64>(&v), lift::<HyperDual64>(&tau));
        let step = |k: usize, first: bool| -> Vec<HyperDual64> {
            let e = if first { HyperDual64::new(0.0, 1.0, 0.0, 0.0) } else { HyperDual64::new(0.0, 0.0, 1.0, 0.0) };
            (0..nv).map(|i| if i == k { e } else { HyperDual64::zero() }).collect()
        };
        let sum = |x: &[HyperDual64], dx: &[HyperDual64]| x.iter().zip(dx).map(|(x, dx)| *x + *dx).collect::<Vec<_>>();
        let mut tensors = [(); 4].map(|()| Tensor3::zeros([nv; 3]));
        for j in 0..nv {
            for k in 0..nv {
                let (e_j, e_k) = (step(j, false), step(k, true));
                let q_k = model.integrate(&q, &e_k).expect("fits");
                let (q_kj, q_j) =
                    (model.integrate(&q_k, &e_j).expect("fits"), model.integrate(&q, &e_j).expect("fits"));
                let v_k = sum(&v, &e_k);
                let states =
                    [(&q_kj, &v, &tau), (&q_j, &v_k, &tau), (&q, &sum(&v_k, &e_j), &tau), (&q_j, &v, &sum(&tau, &e_k))];
                for (tensor, (q, v, tau)) in tensors.iter_mut().zip(states) {
                    let ddq = aba(&model, &mut ws, q, v, tau, &f_ext).expect("valid");
                    ddq.iter().enumerate().for_each(|(i, ddq)| tensor[(i, j, k)] = ddq.eps1eps2);
                }
            }
        }
        for ((name, found), expected) in expected.tensors().into_iter().zip(&tensors) {
            assert_near(found.as_slice(), expected.as_slice(), rounding(&model, 3), format!("{what}: {name}"));
        }
    }
}

/// Trees that hang from the world separately do not couple: entries between them are exactly zero.
#[test]
fn entries_between_separate_trees_are_exactly_zero() {
    let mut zeros = 0;
    for (what, model) in moderate(regular()) {
        let pattern = SparsityPattern::accelerations(&model);
        for method in [Method::Analytical, Method::Dual] {
            let by = by(method, &model, 5);
            for (name, tensor) in by.tensors() {
                let n = model.nv();
                for (i, j, k) in (0..n * n * n).map(|at| (at / (n * n), at / n % n, at % n)) {
                    if !(pattern.contains(i, j) && pattern.contains(i, k)) {
                        assert!(tensor[(i, j, k)] == 0.0, "{what}, {method}: {name}[{i}, {j}, {k}]");
                        zeros += 1;
                    }
                }
            }
        }
    }
    assert!(zeros > 1000, "some trees are several");
}

/// `∂²q̈/∂v²` is symmetric in the velocities, and `∂(M⁻¹)/∂q` is that of a symmetric matrix.
#[test]
fn symmetries_hold() {
    for (what, model) in moderate(regular()) {
        let second = by(Method::Analytical, &model, 6);
        let largest = |t: &Tensor3| t.as_slice().iter().fold(1.0, |s: f64, x| s.max(x.abs()));
        let (vv, q_tau) = (&second.d2ddq_dvdv, &second.d2ddq_dqdtau);
        let (of_vv, of_q_tau, tolerance) = (largest(vv), largest(q_tau), rounding(&model, 6));
        for ((i, j, k), x) in vv.iter() {
            assert!((x - vv[(i, k, j)]).abs() < tolerance * of_vv, "{what}: vv {i} {j} {k}");
            let (a, b) = (q_tau[(i, j, k)], q_tau[(k, j, i)]);
            assert!((a - b).abs() < tolerance * of_q_tau, "{what}: qτ {i} {j} {k}: {a} {b}");
        }
    }
}

/// Earlier calls leave nothing behind, and wrong arguments are named.
#[test]
fn calls_are_independent_and_checked() {
    let model = testing::tree_of(9, 9);
    let ((q, v, tau), f_ext) = (state(&model, 8), wrenches(&model, 8));
    let expected = by(Method::Analytical, &model, 8);
    let mut ws = SecondOrderWorkspace::new(&model);
    for method in Method::ALL {
        let (q, v, tau) = state(&model, 1);
        aba_second_derivatives(&model, &mut ws, method, &q, &v, &tau, &[]).expect("valid");
        assert_eq!(ws.aba_errors().is_some(), method == Method::Difference);
    }
    let found = aba_second_derivatives(&model, &mut ws, Method::Analytical, &q, &v, &tau, &f_ext);
    for ((name, found), (_, expected)) in found.expect("valid").tensors().into_iter().zip(expected.tensors()) {
        assert_same(found.as_slice(), expected.as_slice(), name);
    }
    let error = aba_second_derivatives(&model, &mut ws, Method::Analytical, &q, &v[1..], &tau, &[]);
    assert!(error.expect_err("short").to_string().contains("`v`"));
}

/// `λᵀ q̈`: its gradient is `λᵀ` times the first derivatives, its Hessian `λᵀ` times the tensors; by three methods, and
/// times a direction.
#[test]
fn combinations_of_accelerations_are_contractions() {
    for (what, model) in moderate(regular()) {
        let ((q, v, tau), f_ext) = (state(&model, 5), wrenches(&model, 5));
        let (_, lambda, along_q) = state(&model, 6);
        let (_, along_v, along_tau) = state(&model, 7);
        let row = DVector::from_column_slice(&lambda);
        let mut first = DerivativeWorkspace::new(&model);
        let first = aba_derivatives(&model, &mut first, Method::Dual, &q, &v, &tau, &f_ext).expect("valid");
        let mut ws = SecondOrderWorkspace::new(&model);
        let found = aba_hessian(&model, &mut ws, Method::Analytical, &q, &v, &tau, &lambda, &f_ext).expect("valid");
        let found = found.clone();
        let tolerance = rounding(&model, 5);
        assert_near(&[found.value], &[first.ddq.dot(&row)], tolerance, format!("{what}: value"));
        for (name, found, matrix) in
            [("dq", &found.dq, &first.ddq_dq), ("dv", &found.dv, &first.ddq_dv), ("dtau", &found.dtau, &first.ddq_dtau)]
        {
            assert_near(found.as_slice(), matrix.tr_mul(&row).as_slice(), tolerance, format!("{what}: {name}"));
        }
        let gradient = {
            let mut ws = Workspace::new(&model);
            aba_gradient(&model, &mut ws, &q, &v, &tau, &lambda, &f_ext).expect("valid").df_ext.to_vec()
        };
        for (found, matrix) in gradient.chunks_exact(6).zip(&first.ddq_df_ext) {
            assert_near(found, matrix.tr_mul(&row).as_slice(), tolerance, format!("{what}: df_ext"));
        }

        let tensors = by(Method::Analytical, &model, 5);
        let contract = |tensor: &Tensor3| tensor.contract(&lambda).expect("nv entries");
        let expected = [
            ("dqq", contract(&tensors.d2ddq_dqdq)),
            ("dvq", contract(&tensors.d2ddq_dqdv).transpose()),
            ("dvv", contract(&tensors.d2ddq_dvdv)),
            ("dtauq", contract(&tensors.d2ddq_dqdtau).transpose()),
        ];
        let compare = |by: &AbaHessian, tolerance: f64, method: Method| {
            for ((name, expected), found) in expected.iter().zip([&by.dqq, &by.dvq, &by.dvv, &by.dtauq]) {
                assert_near(found.as_slice(), expected.as_slice(), tolerance, format!("{what}, {method}: {name}"));
            }
        };
        compare(&found, tolerance, Method::Analytical);
        let by = aba_hessian(&model, &mut ws, Method::Dual, &q, &v, &tau, &lambda, &f_ext).expect("valid");
        compare(by, tolerance, Method::Dual);
        // Two hundred gradients a column: of the trees of every joint, one.
        if model.nv() <= LARGE || what == "every joint, seed 0" {
            let by = aba_hessian(&model, &mut ws, Method::Difference, &q, &v, &tau, &lambda, &f_ext).expect("valid");
            // Ridders' table loses some four digits of the gradients.
            compare(by, 1e4 * tolerance, Method::Difference);
            assert!(by.errors.is_some());
        }

        let (x_q, x_v, x_tau) = (&along_q[..], &along_v[..], &along_tau[..]);
        let by = aba_hessian_product(&model, &mut ws, &q, &v, &tau, &lambda, x_q, x_v, x_tau, &f_ext).expect("valid");
        let AbaHessianProduct { dq, dv, dtau } = by.clone();
        let [along_q, along_v, along_tau] = [&along_q, &along_v, &along_tau].map(|x| DVector::from_column_slice(x));
        // Sums that cancel: measured by the size of their terms.
        let near = |found: &DVector<f64>, sums: &[(&DMatrix<f64>, &DVector<f64>)], what: String| {
            let sum = |f: fn(f64) -> f64| sums.iter().map(|(m, x)| m.map(f) * x.map(f)).sum::<DVector<f64>>();
            let size = sum(f64::abs).amax().max(1.0);
            let expected = sum(|x| x);
            assert_near((found / size).as_slice(), (expected / size).as_slice(), tolerance, what);
        };
        let (vq, tauq) = (found.dvq.transpose(), found.dtauq.transpose());
        near(&dq, &[(&found.dqq, &along_q), (&vq, &along_v), (&tauq, &along_tau)], format!("{what}: product by q"));
        near(&dv, &[(&found.dvq, &along_q), (&found.dvv, &along_v)], format!("{what}: product by v"));
        near(&dtau, &[(&found.dtauq, &along_q)], format!("{what}: product by tau"));
    }
}
