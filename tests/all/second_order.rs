//! Second derivatives of inverse dynamics: closed form, dual numbers and differences agree, with what they must be.

use gradyn::dynamics::{self, ExternalWrench, RneaSecondDerivatives, Tensor3, Workspace, rnea};
use gradyn::joint::{FreeFlyer, Joint, Prismatic, Revolute, Spherical};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{InputError, Model, ModelBuilder};
use gradyn::partials::{HessianWorkspace, Method, SecondOrderWorkspace, rnea_hessian, rnea_second_derivatives};
use gradyn::spatial::Transform;
use gradyn_derivatives::num_dual::{Dual, Dual64};
use gradyn_derivatives::simd::{Level, with_level};
use gradyn_derivatives::{Dual8, Lanes, Real};
use nalgebra::Vector3;
use testing::{assert_near, assert_same, lift, models, moderate, state, wrenches};

/// A second derivative: one direction outside, eight inside.
type Nested = Dual<Dual8>;

/// Models with more degrees of freedom take most of the time of differences.
const LARGE: usize = 30;

/// What the definition says: `d/dε d/dδ` of torques over nested dual numbers, ε in lanes, δ outside.
fn by_nested_duals(model: &Model, q: &[f64], v: &[f64], a: &[f64], wrenches: &[ExternalWrench]) -> [Tensor3; 4] {
    let nv = model.nv();
    let mut ws = Workspace::<Nested>::new(model);
    let wrenches: Vec<ExternalWrench<Nested>> = wrenches.iter().map(ExternalWrench::lift).collect();
    let mut tensors = [(); 4].map(|()| Tensor3::zeros([nv; 3]));
    let along =
        |k: usize, dot: Nested| -> Vec<Nested> { (0..nv).map(|i| if i == k { dot } else { Nested::zero() }).collect() };
    let outside = Nested::new(Dual8::from(0.0), Dual8::from(1.0));
    let (constant_v, constant_a) = (lift::<Nested>(v), lift::<Nested>(a));
    let sum = |x: &[Nested], dx: &[Nested]| x.iter().zip(dx).map(|(x, dx)| *x + *dx).collect::<Vec<_>>();
    for start in (0..nv).step_by(8) {
        let inside: Vec<Nested> = (0..nv)
            .map(|k| {
                let lane = if (start..start + 8).contains(&k) { k - start } else { 8 };
                Nested::from_re(Dual8::new(0.0.into(), Lanes::unit(lane)))
            })
            .collect();
        let q_k = model.integrate(&lift::<Nested>(q), &inside).expect("fits");
        let v_k = sum(&constant_v, &inside);
        for j in 0..nv {
            let e_j = along(j, outside);
            let q_kj = model.integrate(&q_k, &e_j).expect("fits");
            let q_j = model.integrate(&lift::<Nested>(q), &e_j).expect("fits");
            let (v_kj, a_j) = (sum(&v_k, &e_j), sum(&constant_a, &e_j));
            let states = [
                (&q_kj, &constant_v, &constant_a),
                (&q_j, &v_k, &constant_a),
                (&lift(q), &v_kj, &constant_a),
                (&q_k, &constant_v, &a_j),
            ];
            for (tensor, (q, v, a)) in tensors.iter_mut().zip(states) {
                let tau = rnea(model, &mut ws, q, v, a, &wrenches).expect("valid");
                for (i, tau) in tau.iter().enumerate() {
                    let lanes = tau.eps.eps.to_array();
                    for k in start..nv.min(start + 8) {
                        tensor[(i, j, k)] = lanes[k - start];
                    }
                }
            }
        }
    }
    tensors
}

/// The closed form is what nested dual numbers give, on trees of every joint and on robots, wrenches,
/// friction and mimic joints included.
#[test]
fn closed_form_is_what_nested_duals_give() {
    for (what, model) in moderate(models()) {
        let ((q, v, a), f_ext) = (state(&model, 7), wrenches(&model, 7));
        let expected = by_nested_duals(&model, &q, &v, &a, &f_ext);
        let mut ws = Workspace::new(&model);
        let found = dynamics::rnea_second_derivatives(&model, &mut ws, &q, &v, &a, &f_ext).expect("valid");
        for ((name, found), expected) in found.tensors().into_iter().zip(&expected) {
            // Rounding of sums over up to forty bodies.
            assert_near(found.as_slice(), expected.as_slice(), 1e-12, format!("{what}: {name}"));
        }
    }
}

/// One method's tensors in memory of their own.
fn by(method: Method, model: &Model, seed: u64) -> RneaSecondDerivatives {
    let ((q, v, a), f_ext) = (state(model, seed), wrenches(model, seed));
    let mut ws = SecondOrderWorkspace::new(model);
    rnea_second_derivatives(model, &mut ws, method, &q, &v, &a, &f_ext).expect("valid").clone()
}

#[track_caller]
fn assert_tensors_near(found: &RneaSecondDerivatives, expected: &RneaSecondDerivatives, tolerance: f64, what: &str) {
    for ((name, found), (_, expected)) in found.tensors().into_iter().zip(expected.tensors()) {
        assert_near(found.as_slice(), expected.as_slice(), tolerance, format!("{what}: {name}"));
    }
}

/// The three methods agree, differences within what they know of their errors.
#[test]
fn methods_agree() {
    for (what, model) in models() {
        let expected = by(Method::Dual, &model, 3);
        // Rounding of sums over up to sixty bodies.
        assert_tensors_near(&by(Method::Analytical, &model, 3), &expected, 1e-12, &what);
        // Twenty runs a column: of the trees of every joint, one.
        if model.nv() > LARGE && what != "every joint, seed 0" {
            continue;
        }
        let ((q, v, a), f_ext) = (state(&model, 3), wrenches(&model, 3));
        let mut ws = SecondOrderWorkspace::new(&model);
        let found = rnea_second_derivatives(&model, &mut ws, Method::Difference, &q, &v, &a, &f_ext).expect("valid");
        // What Ridders' table reaches from first derivatives that are right to rounding.
        assert_tensors_near(found, &expected, 1e-9, &what);
        assert!(ws.rnea_errors().is_some_and(|errors| errors.tensors()[0].1.as_slice().iter().all(|e| e.is_finite())));
    }
}

/// `∂²τ/∂v²` is symmetric in the velocities, `∂M/∂q` is that of a symmetric matrix, and `∂²τ/∂q²` is symmetric where
/// both directions belong to different joints, or to one axis after the other.
#[test]
fn symmetries_hold() {
    for (what, model) in models() {
        let second = by(Method::Analytical, &model, 5);
        let nv = model.nv();
        let scale = |t: &Tensor3| t.as_slice().iter().fold(1.0, |s: f64, x| s.max(x.abs()));
        let commute = |j: usize, k: usize| {
            let joint = |dof| model.joint_of_dof(dof).map(|body| (body, model.bodies()[body.index()].joint().kind()));
            let (a, b) = (joint(j), joint(k));
            j == k || a != b || a.is_some_and(|(_, kind)| matches!(kind, "cylindrical" | "translation" | "universal"))
        };
        let commutes: Vec<bool> = (0..nv * nv).map(|at| commute(at / nv, at % nv)).collect();
        let (qq, vv, aq) = (&second.d2tau_dqdq, &second.d2tau_dvdv, &second.d2tau_dadq);
        let (of_qq, of_vv, of_aq) = (scale(qq), scale(vv), scale(aq));
        // Both orders are the same sums, rounded differently.
        let near = |x: f64, y: f64, scale: f64| (x - y).abs() < 1e-12 * scale;
        for i in 0..nv {
            for j in 0..nv {
                for k in 0..nv {
                    assert!(near(vv[(i, j, k)], vv[(i, k, j)], of_vv), "{what}: vv {i} {j} {k}");
                    assert!(near(aq[(i, j, k)], aq[(j, i, k)], of_aq), "{what}: aq {i} {j} {k}");
                    let same = near(qq[(i, j, k)], qq[(i, k, j)], of_qq);
                    assert!(same || !commutes[j * nv + k], "{what}: qq {i} {j} {k}");
                }
            }
        }
    }
}

/// Velocities enter the torques as `c(q, v)`, a quadratic form plus friction: without friction and wrenches
/// `Σ_jk vv_ijk v_j v_k = 2 (c(q, v) − c(q, 0))`, and `Σ_k qv_ijk v_k` is twice the derivative of that by `q`.
#[test]
fn velocity_terms_are_quadratic() {
    for (what, model) in models() {
        let model = model.with_joint_friction(false);
        let ((q, v, _), nv) = (state(&model, 9), model.nv());
        let zero = vec![0.0; nv];
        let mut ws = SecondOrderWorkspace::new(&model);
        let second = rnea_second_derivatives(&model, &mut ws, Method::Analytical, &q, &v, &zero, &[]).expect("valid");
        let mut ws = Workspace::new(&model);
        let moving = dynamics::rnea_derivatives(&model, &mut ws, &q, &v, &zero, &[]).expect("valid");
        let (tau, by_q) = (moving.tau.to_vec(), moving.dtau_dq.to_vec());
        let still = dynamics::rnea_derivatives(&model, &mut ws, &q, &zero, &zero, &[]).expect("valid");
        let (mut found, mut found_by_q) = (vec![0.0; nv], vec![0.0; nv * nv]);
        for ((i, j, k), x) in second.d2tau_dvdv.iter() {
            found[i] += x * v[j] * v[k];
        }
        for ((i, j, k), x) in second.d2tau_dqdv.iter() {
            found_by_q[i + nv * j] += x * v[k];
        }
        let twice = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| 2.0 * (a - b)).collect::<Vec<_>>();
        // Gravity is taken away from torques that hold it: its digits are lost.
        assert_near(&found, &twice(&tau, still.tau), 1e-11, format!("{what}: vv"));
        assert_near(&found_by_q, &twice(&by_q, still.dtau_dq), 1e-11, format!("{what}: qv"));
    }
}

/// Every level of registers gives what one number at a time gives, and the same bits again.
#[test]
fn levels_agree() {
    for (what, model) in models() {
        let ((q, v, a), f_ext) = (state(&model, 2), wrenches(&model, 2));
        let mut ws = Workspace::new(&model);
        let expected = dynamics::rnea_second_derivatives(&model, &mut ws, &q, &v, &a, &f_ext).expect("valid");
        for level in Level::available() {
            let run = || with_level(level, || by(Method::Analytical, &model, 2));
            let found = run();
            // Fused products round once.
            assert_tensors_near(&found, expected, 1e-12, &format!("{what}, {level}"));
            for ((name, a), (_, b)) in found.tensors().into_iter().zip(run().tensors()) {
                assert_same(a.as_slice(), b.as_slice(), format!("{what}, {level}: {name}"));
            }
        }
    }
}

/// Nothing is left in the memory by earlier calls, of whatever method and at whatever state; what the tree makes zero
/// is exactly zero.
#[test]
fn calls_do_not_depend_on_earlier_ones() {
    for (what, model) in moderate(models()) {
        let ((q, v, a), f_ext) = (state(&model, 8), wrenches(&model, 8));
        let expected = by(Method::Analytical, &model, 8);
        let mut ws = SecondOrderWorkspace::new(&model);
        // Differences are many calls of one formula: of the trees of every joint, one.
        let last = if model.nv() > LARGE && what != "every joint, seed 0" { Method::Dual } else { Method::Difference };
        for method in [Method::Analytical, Method::Dual, Method::Analytical, last, Method::Analytical] {
            let (q, v, a) = state(&model, 1);
            rnea_second_derivatives(&model, &mut ws, method, &q, &v, &a, &f_ext[..1]).expect("valid");
        }
        let found = rnea_second_derivatives(&model, &mut ws, Method::Analytical, &q, &v, &a, &f_ext).expect("valid");
        for ((name, found), (_, expected)) in found.tensors().into_iter().zip(expected.tensors()) {
            assert_same(found.as_slice(), expected.as_slice(), format!("{what}: {name}"));
        }
        let mut related = vec![false; model.nv() * model.nv()];
        let ids = || (0..model.bodies().len()).filter_map(|i| model.body_id(i));
        for (a, b) in ids().flat_map(|a| ids().map(move |b| (a, b))) {
            if model.supports(a, b) || model.supports(b, a) {
                for i in model.bodies()[a.index()].v_range() {
                    model.bodies()[b.index()].v_range().for_each(|j| related[i * model.nv() + j] = true);
                }
            }
        }
        let related = |i: usize, j: usize| related[i * model.nv() + j];
        for (name, tensor) in found.tensors() {
            for ((i, j, k), x) in tensor.iter() {
                let zero = !(related(i, j) && related(i, k) && related(j, k));
                assert!(!zero || x.to_bits() == 0, "{what}: {name}[{i}, {j}, {k}] = {x:e}");
            }
        }
    }
}

/// Where a floating base is changes no torque, and how it is turned only their part by gravity: exactly.
#[test]
fn a_floating_base_is_felt_through_gravity_alone() {
    let floating = models().into_iter().filter(|(what, _)| what.contains("floating base"));
    let mut seen = 0;
    for (what, model) in floating {
        let second = {
            let (q, v, a) = state(&model, 4);
            let mut ws = SecondOrderWorkspace::new(&model);
            rnea_second_derivatives(&model, &mut ws, Method::Analytical, &q, &v, &a, &[]).expect("valid").clone()
        };
        let zero = |name: &str, tensor: &Tensor3, is_zero: &dyn Fn(usize, usize) -> bool| {
            for ((i, j, k), x) in tensor.iter() {
                assert!(!is_zero(j, k) || *x == 0.0, "{what}: {name}[{i}, {j}, {k}] = {x:e}");
            }
        };
        zero("d2tau_dqdq", &second.d2tau_dqdq, &|j, k| j < 3 || k < 3);
        zero("d2tau_dqdv", &second.d2tau_dqdv, &|j, _| j < 6);
        zero("d2tau_dadq", &second.d2tau_dadq, &|_, k| k < 6);
        seen += 1;
    }
    assert!(seen > 0, "no robot floats");
}

/// Wrenches that stand still in the world add to entries that nothing else writes to: each call begins anew.
#[test]
fn wrenches_of_the_world_leave_nothing_behind() {
    for (what, model) in moderate(models()) {
        let ((q, v, a), f_ext) = (state(&model, 8), wrenches(&model, 8));
        let standing: Vec<_> = f_ext.iter().map(|w| ExternalWrench::in_world(w.body, w.wrench)).collect();
        let used = &mut SecondOrderWorkspace::new(&model);
        let calls = [&standing[..], &standing[..1], &[], &standing[..], &[]];
        for (call, wrenches) in calls.into_iter().enumerate() {
            let fresh = &mut SecondOrderWorkspace::new(&model);
            let at = |ws: &mut SecondOrderWorkspace| {
                rnea_second_derivatives(&model, ws, Method::Analytical, &q, &v, &a, wrenches).expect("valid").clone()
            };
            for ((name, found), (_, expected)) in at(used).tensors().into_iter().zip(at(fresh).tensors()) {
                assert_same(found.as_slice(), expected.as_slice(), format!("{what}: {name}, call {call}"));
            }
        }
    }
}

/// Long chains: what dual numbers give, at every level, with wrenches in both frames, whatever has been asked for
/// before; and what overflows is an error there too.
#[test]
fn long_chains_are_what_dual_numbers_give() {
    // 75 columns: rows do not fill the last register; joints of more columns lie across two.
    let mut builder = ModelBuilder::new("long chain");
    let (mut rng, mut last) = (testing::rng(75), None);
    for k in 0..64 {
        let joint: Joint = match k {
            0 => FreeFlyer.into(),
            20 | 21 | 40 => Spherical.into(),
            _ if k % 5 == 3 => Prismatic { axis: testing::axis(&mut rng) }.into(),
            _ => Revolute { axis: testing::axis(&mut rng) }.into(),
        };
        let place = Transform::new(testing::rotation(&mut rng).rotation(), testing::vector(&mut rng) * 0.2);
        let (name, inertia) = (format!("link {k}"), testing::inertia(&mut rng));
        last = Some(builder.add_body(last, &name, format!("to {name}"), place, joint, inertia).expect("a link"));
    }
    let model = builder.build().expect("builds");
    assert_eq!(model.nv(), 75);
    let ((q, v, a), f_ext) = (state(&model, 3), wrenches(&model, 3));
    let standing: Vec<_> = f_ext.iter().map(|w| ExternalWrench::in_world(w.body, w.wrench)).collect();
    for f_ext in [&f_ext, &standing] {
        let at = |ws: &mut SecondOrderWorkspace, method| {
            rnea_second_derivatives(&model, ws, method, &q, &v, &a, f_ext).expect("valid").clone()
        };
        let expected = at(&mut SecondOrderWorkspace::new(&model), Method::Dual);
        for level in Level::available() {
            with_level(level, || {
                let ws = &mut SecondOrderWorkspace::new(&model);
                // Rounding of sums over 64 bodies.
                assert_tensors_near(&at(ws, Method::Analytical), &expected, 1e-12, &format!("{level}"));
                at(ws, Method::Dual);
                assert_tensors_near(&at(ws, Method::Analytical), &expected, 1e-12, &format!("{level}, again"));
                let fast = vec![1e200; model.nv()];
                let found = rnea_second_derivatives(&model, ws, Method::Analytical, &q, &fast, &a, f_ext);
                assert!(matches!(found, Err(InputError::Overflow { .. })), "{level}: {found:?}");
                assert_tensors_near(&at(ws, Method::Analytical), &expected, 1e-12, &format!("{level}, after an error"));
            });
        }
    }
}

/// Over dual numbers the closed form is exact too: third derivatives.
#[test]
fn third_derivatives_come_from_dual_numbers() {
    let model = testing::tree_of_every_joint(1);
    let ((q, v, a), f_ext) = (state(&model, 4), wrenches(&model, 4));
    let (_, direction, _) = state(&model, 5);
    let mut ws = Workspace::<Dual64>::new(&model);
    let f_dual: Vec<ExternalWrench<Dual64>> = f_ext.iter().map(ExternalWrench::lift).collect();
    let (q_dual, v_dual, a_dual) = (testing::moved(&model, &q, &direction), lift(&v), lift(&a));
    let third =
        dynamics::rnea_second_derivatives(&model, &mut ws, &q_dual, &v_dual, &a_dual, &f_dual).expect("valid").clone();
    let mut ws = Workspace::new(&model);
    let mut at = |step: f64| {
        let along: Vec<f64> = direction.iter().map(|x| x * step).collect();
        let q = model.integrate(&q, &along).expect("fits");
        dynamics::rnea_second_derivatives(&model, &mut ws, &q, &v, &a, &f_ext).expect("valid").clone()
    };
    let h = 1e-3;
    let (values, near, far) = (at(0.0), [at(-h), at(h)], [at(-2.0 * h), at(2.0 * h)]);
    for (t, (name, third)) in third.tensors().into_iter().enumerate() {
        let re: Vec<f64> = third.as_slice().iter().map(|x| x.re).collect();
        assert_same(&re, values.tensors()[t].1.as_slice(), format!("{name}: values"));
        let at = |of: &RneaSecondDerivatives, e: usize| of.tensors()[t].1.as_slice()[e];
        let differences: Vec<f64> = (0..re.len())
            .map(|e| {
                let (one, two) = (at(&near[1], e) - at(&near[0], e), at(&far[1], e) - at(&far[0], e));
                (8.0 * one - two) / (12.0 * h)
            })
            .collect();
        let eps: Vec<f64> = third.as_slice().iter().map(|x| x.eps).collect();
        // Five points: h⁴ = 1e-12 of the fifth derivative, and rounding 1e-16 / h of sums of hundreds.
        assert_near(&eps, &differences, 1e-9, name);
    }
}

/// The tensors contracted with `λ` are the Hessian of `λᵀ τ`, which is computed without them.
#[test]
fn contracted_tensors_are_the_hessian_of_a_combination_of_torques() {
    for (what, model) in models() {
        let ((q, v, a), f_ext) = (state(&model, 6), wrenches(&model, 6));
        let (_, lambda, _) = state(&model, 7);
        let mut ws = HessianWorkspace::new(&model);
        let hessian = rnea_hessian(&model, &mut ws, &q, &v, &a, &lambda, &f_ext).expect("valid");
        let tensors = by(Method::Analytical, &model, 6);
        let contract = |tensor: &Tensor3| tensor.contract(&lambda).expect("nv entries");
        for (name, found, expected) in [
            ("qq", contract(&tensors.d2tau_dqdq), hessian.dqq.clone()),
            ("qv", contract(&tensors.d2tau_dqdv), hessian.dvq.transpose()),
            ("vv", contract(&tensors.d2tau_dvdv), hessian.dvv.clone()),
            ("aq", contract(&tensors.d2tau_dadq), hessian.daq.clone()),
        ] {
            // Rounding of sums over up to sixty bodies.
            assert_near(found.as_slice(), expected.as_slice(), 1e-11, format!("{what}: {name}"));
        }
    }
}

/// Wrong arguments come back as errors that name them.
#[test]
fn arguments_are_checked() {
    let model = testing::tree_of_every_joint(1);
    let (q, v, a) = state(&model, 1);
    let mut ws = SecondOrderWorkspace::new(&model);
    for method in Method::ALL {
        let mut run = |q: &[f64], v: &[f64], a: &[f64]| {
            rnea_second_derivatives(&model, &mut ws, method, q, v, a, &[]).expect_err("wrong").to_string()
        };
        assert!(run(&q, &v[1..], &a).contains("`v`"));
        let mut bad = a.clone();
        bad[3] = f64::NAN;
        assert!(run(&q, &v, &bad).contains("`a[3]`"));
        assert!(run(&q, &vec![1e200; v.len()], &a).contains("too large"), "{method}");
    }
    let other = testing::tree_of_every_joint(2);
    let (q, v, a) = state(&other, 1);
    let error = rnea_second_derivatives(&other, &mut ws, Method::Analytical, &q, &v, &a, &[]).expect_err("other");
    assert!(matches!(error, InputError::Workspace { .. }));
}

/// Entries of a result begin at different lines of a page; a tensor of one's own with the same ones is equal all the
/// same.
#[test]
fn tensors_are_equal_wherever_their_entries_begin() {
    let model = Model::from_urdf_file("robots/ur5.urdf", &UrdfOptions::new()).expect("readable").model;
    let (q, v, a) = state(&model, 1);
    let mut ws = SecondOrderWorkspace::new(&model);
    let second = rnea_second_derivatives(&model, &mut ws, Method::Analytical, &q, &v, &a, &[]).expect("finite");
    for (what, tensor) in second.tensors() {
        let mut own = Tensor3::zeros(tensor.dims());
        assert_ne!(&own, tensor, "{what}");
        own.as_mut_slice().copy_from_slice(tensor.as_slice());
        assert_eq!(&own, tensor, "{what}");
        assert_eq!(format!("{own:?}"), format!("{tensor:?}"), "{what}");
        assert_eq!(&tensor.clone(), tensor, "{what}");
        own[(5, 5, 5)] += 1.0;
        assert_ne!(&own, tensor, "{what}");
    }
}

/// A tensor's entries stand where its strides say, and contraction with `λ` is the sum over the first index.
#[test]
#[expect(clippy::float_cmp, reason = "whole numbers")]
fn tensors_are_indexed_as_documented() {
    let mut tensor = Tensor3::zeros([2, 3, 4]);
    for (n, x) in tensor.as_mut_slice().iter_mut().enumerate() {
        *x = n as f64;
    }
    assert_eq!(tensor.strides(), [12, 4, 1]);
    assert!(tensor.iter().all(|((i, j, k), x)| *x == tensor[(i, j, k)] && *x == (12 * i + 4 * j + k) as f64));
    assert_eq!(tensor.get(1, 2, 3), Some(&23.0));
    assert_eq!(tensor.get(0, 3, 0), None);
    assert_eq!((tensor.slice(1)[0], tensor.slice(2).len()), (12.0, 0));
    assert_eq!(tensor.matrix(1)[(2, 3)], 23.0);
    let sum = tensor.contract(&[1.0, -2.0]).expect("two entries");
    assert_eq!(sum[(1, 2)], 6.0 - 2.0 * 18.0);
    assert!(tensor.contract(&[1.0]).is_err());
}

/// Wrenches that stand still in the world are added when all else has been looked at: what is too large with them is an
/// error too.
#[test]
fn wrenches_that_overflow_are_an_error() {
    let mut refused = 0;
    for (what, model) in models() {
        let (q, v, a) = state(&model, 1);
        let mut f_ext = wrenches(&model, 3);
        f_ext.iter_mut().for_each(|w| w.wrench = w.wrench.scale(1e307));
        for level in Level::available() {
            let ws = &mut SecondOrderWorkspace::new(&model);
            let by = with_level(level, || {
                rnea_second_derivatives(&model, ws, Method::Analytical, &q, &v, &a, &f_ext).cloned()
            });
            match by {
                Ok(by) => {
                    let finite = by.tensors().iter().all(|(_, tensor)| tensor.as_slice().iter().all(|x| x.is_finite()));
                    assert!(finite, "{what}, {level}");
                }
                Err(error) => {
                    assert!(matches!(error, InputError::Overflow { .. }), "{what}, {level}: {error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 0, "none was too large");
}

/// Velocities whose squares overflow are an error on robots of any size, however few columns a register has to take.
#[test]
fn velocities_that_overflow_are_an_error() {
    for robot in ["pendulum", "double_pendulum", "ur5", "panda"] {
        let path = format!("{}/robots/{robot}.urdf", env!("CARGO_MANIFEST_DIR"));
        let model = Model::from_urdf_file(path, &UrdfOptions::new()).expect("loads").model;
        let (q, _, a) = state(&model, 2);
        let fast = vec![1e200; model.nv()];
        for level in Level::available() {
            let ws = &mut SecondOrderWorkspace::new(&model);
            let by = with_level(level, || {
                rnea_second_derivatives(&model, ws, Method::Analytical, &q, &fast, &a, &[]).cloned()
            });
            match by {
                // Of one joint no entry has a square of its velocity.
                Ok(by) => {
                    assert_eq!(robot, "pendulum", "{level}: {by:?}");
                    let finite = by.tensors().iter().all(|(_, tensor)| tensor.as_slice().iter().all(|x| x.is_finite()));
                    assert!(finite, "{robot}, {level}");
                }
                Err(error) => assert!(matches!(error, InputError::Overflow { .. }), "{robot}, {level}: {error}"),
            }
        }
    }
}

/// Velocities so large that each entry has to be looked at, whether it is finite, and is: without gravity and
/// accelerations, entries by `q` twice grow with the square of velocities, those by `q` and `v` with velocities, the
/// others not.
#[test]
#[expect(clippy::float_cmp, reason = "scaling by a power of two changes no digit")]
fn large_velocities_give_what_small_ones_do() {
    let large = 2f64.powi(400);
    for robot in ["double_pendulum", "ur5", "panda"] {
        let path = format!("{}/robots/{robot}.urdf", env!("CARGO_MANIFEST_DIR"));
        let model = Model::from_urdf_file(path, &UrdfOptions::new()).expect("loads").model;
        let model = model.with_gravity(Vector3::zeros());
        let (q, v, _) = state(&model, 2);
        let fast: Vec<f64> = v.iter().map(|v| v * large).collect();
        let still = vec![0.0; model.nv()];
        for level in Level::available() {
            let ws = &mut SecondOrderWorkspace::new(&model);
            let mut at = |v: &[f64]| {
                with_level(level, || {
                    rnea_second_derivatives(&model, ws, Method::Analytical, &q, v, &still, &[]).expect("finite").clone()
                })
            };
            let (slow, fast) = (at(&v), at(&fast));
            for (((what, slow), (_, fast)), order) in slow.tensors().into_iter().zip(fast.tensors()).zip([2, 1, 0, 0]) {
                let scale = large.powi(order);
                for (slow, fast) in slow.as_slice().iter().zip(fast.as_slice()) {
                    assert_eq!(slow * scale, *fast, "{robot}, {level}, {what}");
                }
            }
        }
    }
}

/// Slices outside are empty, however far.
#[test]
fn slices_outside_are_empty() {
    let t = Tensor3::<f64>::zeros([2, 3, 3]);
    assert_eq!(t.slice(1).len(), 9);
    for i in [2, usize::MAX / 9 + 1, usize::MAX] {
        assert!(t.slice(i).is_empty());
        assert_eq!(t.matrix(i).shape(), (3, 3));
    }
}
