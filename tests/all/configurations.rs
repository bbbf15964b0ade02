//! Configurations: whether they are valid, moving along them, and the Jacobians of that.

use gradyn::joint::*;
use gradyn::model::{InputError, ModelBuilder};
use gradyn_derivatives::num_dual::Dual64;
use nalgebra::DMatrix;
use rand::RngExt;
use std::f64::consts::PI;
use testing::{
    assert_near, assert_same, dual, eps, inertia, lift, models, moved, rng, state, transform, tree_of_every_joint, unit,
};

#[test]
fn configurations_off_their_manifold_are_named() {
    for seed in 0..3 {
        let model = tree_of_every_joint(seed);
        let (q, v, _) = state(&model, seed);
        model.check_configuration(&q).expect("is valid");
        for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
            let range = body.q_range();
            let mut bad = q.clone();
            bad[range.clone()].iter_mut().for_each(|x| *x *= 1.01);
            match model.check_configuration(&bad) {
                Ok(()) => assert!(range.len() == body.v_range().len(), "{}", body.joint_name()),
                Err(InputError::NotNormalized { joint, norm, start, .. }) => {
                    // Positions stand before the direction.
                    let positions = match body.joint().kind() {
                        "free-flyer" => 3,
                        "planar" => 2,
                        _ => 0,
                    };
                    assert_eq!((joint.as_str(), start), (body.joint_name(), range.start + positions));
                    // The length that is off, of the direction alone.
                    let composite = body.joint().kind() == "composite";
                    assert!(composite || (norm - 1.01).abs() < 1e-12, "{joint}: length {norm}");
                }
                Err(error) => panic!("{error}"),
            }
            if !range.is_empty() {
                let mut bad = q.clone();
                bad[range.end - 1] = f64::NAN;
                let error = model.check_configuration(&bad).expect_err("NaN").to_string();
                assert!(error.contains(body.joint_name()), "{error}");
            }
        }
        let mut bad = v.clone();
        bad[4] = f64::INFINITY;
        let error = model.check_tangent("tau", &bad).expect_err("infinite").to_string();
        assert!(error.contains("tau[4]") && error.contains("inf"), "{error}");
    }
}

/// Jacobians of `q ⊕ v` and `q₁ ⊖ q₀` against dual numbers through the functions themselves: random, tiny, near a full
/// turn of π, and at zero.
#[test]
fn jacobians_of_configuration_functions_are_their_derivatives() {
    for (what, model) in models() {
        let nv = model.nv();
        let (q, v, w) = state(&model, 31);
        for scale in [0.0, 1e-9, 1e-4, 1.0, 1.6] {
            let v: Vec<_> = v.iter().map(|v| v * scale).collect();
            let what = format!("{what}, step of {scale}");
            let reached = model.integrate(&q, &v).expect("fits");
            let fixed = lift::<Dual64>(&reached);
            let (by_q, by_v) = (model.integrate_dq(&v).expect("fits"), model.integrate_dv(&v).expect("fits"));
            let d = model.difference(&q, &reached).expect("fits");
            let by_start = model.difference_dq0(&q, &reached).expect("fits");
            let by_end = model.difference_dq1(&q, &reached).expect("fits");
            for k in 0..nv {
                let e = unit(nv, k);
                let column = |m: &DMatrix<f64>| m.column(k).iter().copied().collect::<Vec<_>>();
                let seen = |q: Vec<Dual64>| eps(&model.difference(&fixed, &q).expect("fits"));
                let moved_q = moved(&model, &q, &e);
                // Some hundred roundings of 1e-16.
                let near = |m: &DMatrix<f64>, expected: Vec<f64>, name: &str| {
                    assert_near(&column(m), &expected, 1e-13, format!("{what}: {name}, column {k}"));
                };
                near(&by_q, seen(model.integrate(&moved_q, &lift(&v)).expect("fits")), "integrate_dq");
                near(&by_v, seen(model.integrate(&lift(&q), &dual(&v, &e)).expect("fits")), "integrate_dv");
                near(&by_start, eps(&model.difference(&moved_q, &fixed).expect("fits")), "difference_dq0");
                let moved_end = moved(&model, &reached, &e);
                near(&by_end, eps(&model.difference(&lift(&q), &moved_end).expect("fits")), "difference_dq1");
            }
            // The same by products.
            let x = DMatrix::from_fn(nv, 2, |i, j| if j == 0 { w[i] } else { w[i] * w[i] });
            let (dq, dv) = (model.transport_dq(&v, &x).expect("fits"), model.transport_dv(&v, &x).expect("fits"));
            assert_near(dq.as_slice(), (&by_q * &x).as_slice(), 1e-14, format!("{what}: transport_dq"));
            assert_near(dv.as_slice(), (&by_v * &x).as_slice(), 1e-14, format!("{what}: transport_dv"));
            // difference undoes integrate, in derivatives too.
            let back = &by_end * &by_v;
            if d.iter().zip(&v).all(|(d, v)| (d - v).abs() < 1e-9) {
                let one = DMatrix::<f64>::identity(nv, nv);
                assert_near(back.as_slice(), one.as_slice(), 1e-13, format!("{what}: inverse"));
            }
        }
        let (short, long) = (vec![0.0; nv + 1], DMatrix::zeros(nv + 1, 2));
        let length = |e: Option<InputError>| assert!(matches!(e, Some(InputError::Length { .. })), "{what}: {e:?}");
        length(model.integrate_dq(&short).err());
        length(model.integrate_dv(&short).err());
        length(model.difference_dq0(&q, &[&q[..], &[0.0]].concat()).err());
        length(model.difference_dq1(&[&q[..], &[0.0]].concat(), &q).err());
        length(model.transport_dq(&v, &long).err());
        length(model.transport_dv(&v, &long).err());
    }
}

/// What is written into given storage is what the forms with new storage return, whatever was there before.
#[test]
fn given_storage_is_written_entirely() {
    for (what, model) in models() {
        let (nq, nv) = (model.nq(), model.nv());
        let (mut out, mut pair) = (vec![7.0; nq], [(); 2].map(|()| DMatrix::from_element(nv, nv, 7.0)));
        for (seed, scale) in [(50, 1.0), (51, 1e-5), (52, 0.0)] {
            let (q, v, w) = state(&model, seed);
            let v: Vec<_> = v.iter().map(|v| v * scale).collect();
            let other = model.integrate(&q, &v).expect("fits");
            let what = format!("{what}, step of {scale}");

            out.fill(7.0);
            model.interpolate_into(&q, &other, 0.3, &mut out).expect("fits");
            assert_same(&out, &model.interpolate(&q, &other, 0.3).expect("fits"), &what);
            let step: Vec<_> = model.difference(&q, &other).expect("fits").iter().map(|x| x * 0.3).collect();
            assert_same(&out, &model.integrate(&q, &step).expect("fits"), format!("{what}: by its steps"));

            let by_step = [model.integrate_dq(&v).expect("fits"), model.integrate_dv(&v).expect("fits")];
            let by_ends =
                [model.difference_dq0(&q, &other).expect("fits"), model.difference_dq1(&q, &other).expect("fits")];
            type Write<'a> = &'a dyn Fn(&mut DMatrix<f64>, &mut DMatrix<f64>) -> Result<(), InputError>;
            let calls: [(&str, &[DMatrix<f64>; 2], Write<'_>); 4] = [
                ("integrate", &by_step, &|first, second| {
                    model.integrate_dq_into(&v, first)?;
                    model.integrate_dv_into(&v, second)
                }),
                ("integrate, both", &by_step, &|first, second| model.integrate_derivatives_into(&v, first, second)),
                ("difference", &by_ends, &|first, second| {
                    model.difference_dq0_into(&q, &other, first)?;
                    model.difference_dq1_into(&q, &other, second)
                }),
                ("difference, both", &by_ends, &|first, second| {
                    model.difference_derivatives_into(&q, &other, first, second)
                }),
            ];
            for (name, expected, write) in calls {
                let [first, second] = &mut pair;
                first.fill(7.0);
                second.fill(7.0);
                write(first, second).expect("fits");
                for (found, expected) in pair.iter().zip(expected) {
                    assert_same(found.as_slice(), expected.as_slice(), format!("{what}: {name}"));
                    for (i, j) in (0..nv).flat_map(|j| (0..nv).map(move |i| (i, j))) {
                        let apart = model.joint_of_dof(i) != model.joint_of_dof(j);
                        assert!(!apart || found[(i, j)].to_bits() == 0, "{what}: {name} at {i}, {j}");
                    }
                }
            }

            for columns in [0, 1, 3, nv] {
                let x = DMatrix::from_fn(nv, columns, |i, j| w[i] * (j as f64 + 0.5).cos());
                let mut out = DMatrix::from_element(nv, columns, 7.0);
                model.transport_dq_into(&v, &x, &mut out).expect("fits");
                assert_same(out.as_slice(), model.transport_dq(&v, &x).expect("fits").as_slice(), &what);
                assert_near(out.as_slice(), (&by_step[0] * &x).as_slice(), 1e-14, format!("{what}: transport_dq"));
                out.fill(7.0);
                model.transport_dv_into(&v, &x, &mut out).expect("fits");
                assert_same(out.as_slice(), model.transport_dv(&v, &x).expect("fits").as_slice(), &what);
                assert_near(out.as_slice(), (&by_step[1] * &x).as_slice(), 1e-14, format!("{what}: transport_dv"));
            }
        }
    }
}

/// Rows and columns each; nothing is written.
#[test]
fn given_storage_of_another_shape_is_refused() {
    for (what, model) in models() {
        let (nq, nv) = (model.nq(), model.nv());
        let (q, v, _) = state(&model, 53);
        let seven = |rows, columns| DMatrix::from_element(rows, columns, 7.0);
        let refused = |result: Result<(), InputError>, name: &str, expected: usize| {
            let length = matches!(&result, Err(InputError::Length { what, expected: n, found, .. })
                if *what == name && *n == expected && *found == expected + 1);
            assert!(length, "{what}: {name}: {result:?}");
        };
        for (name, rows, columns) in [("rows", nv + 1, nv), ("columns", nv, nv + 1)] {
            let (mut bad, mut good) = (seven(rows, columns), seven(nv, nv));
            let of = |matrix: &str| format!("{name} of {matrix}");
            refused(model.integrate_dq_into(&v, &mut bad), &of("out"), nv);
            refused(model.integrate_dv_into(&v, &mut bad), &of("out"), nv);
            refused(model.difference_dq0_into(&q, &q, &mut bad), &of("out"), nv);
            refused(model.difference_dq1_into(&q, &q, &mut bad), &of("out"), nv);
            refused(model.integrate_derivatives_into(&v, &mut bad, &mut good), &of("dq"), nv);
            refused(model.integrate_derivatives_into(&v, &mut good, &mut bad), &of("dv"), nv);
            refused(model.difference_derivatives_into(&q, &q, &mut bad, &mut good), &of("dq0"), nv);
            refused(model.difference_derivatives_into(&q, &q, &mut good, &mut bad), &of("dq1"), nv);
            let x = seven(nv, columns);
            if name == "rows" {
                refused(model.transport_dq_into(&v, &x, &mut bad), &of("out"), nv);
                refused(model.transport_dv_into(&v, &x, &mut bad), &of("out"), nv);
            } else {
                let error = InputError::Columns { what: "out", like: "x", expected: columns, found: nv };
                let mut narrow = seven(nv, nv);
                assert_eq!(model.transport_dq_into(&v, &x, &mut narrow), Err(error.clone()), "{what}");
                assert_eq!(model.transport_dv_into(&v, &x, &mut narrow), Err(error), "{what}");
                assert_eq!(narrow, good, "{what}");
            }
            assert_eq!((&bad, &good), (&seven(rows, columns), &seven(nv, nv)), "{what}: {name}");
        }
        let (mut square, mut out) = (seven(nv, nv), vec![7.0; nq + 1]);
        let (long_q, long_v) = ([&q[..], &[0.0]].concat(), [&v[..], &[0.0]].concat());
        refused(model.interpolate_into(&q, &q, 0.5, &mut out), "out", nq);
        refused(model.interpolate_into(&long_q, &q, 0.5, &mut out), "q0", nq);
        refused(model.interpolate_into(&q, &long_q, 0.5, &mut out), "q1", nq);
        refused(model.difference_derivatives_into(&q, &long_q, &mut square.clone(), &mut square), "q1", nq);
        refused(model.integrate_derivatives_into(&long_v, &mut square.clone(), &mut square), "v", nv);
        refused(model.transport_dv_into(&v, &seven(nv + 1, nv), &mut square), "rows of x", nv);
    }
}

/// Directions of every length down to the smallest and up to the largest, and what is none.
#[test]
fn directions_of_every_length_are_normalized() {
    let (mut builder, rng) = (ModelBuilder::new("directions"), &mut rng(4));
    let joints: [(&str, Joint); 2] = [("turn", Continuous { axis: Axis::Z }.into()), ("rotation", Spherical.into())];
    for (name, joint) in joints {
        builder.add_body(None, name, format!("j {name}"), transform(rng), joint, inertia(rng)).expect("builds");
    }
    let model = builder.build().expect("builds");
    for scale in [1e-320, 1e-300, 1e-101, 1e-99, 1e-8, 1.0, 1.5, 1e8, 1e99, 1e101, 1e307] {
        let mut q = [0.6, -0.8, 0.1, -0.5, 0.7, 0.5].map(|x: f64| x * scale);
        model.normalize(&mut q).expect("fits");
        // A denormal number has some digits less.
        let within = if scale < 1e-310 { 1e-3 } else { 1e-15 };
        assert_near(&q, &[0.6, -0.8, 0.1, -0.5, 0.7, 0.5], within, format!("directions of length {scale}"));
    }
    let mut q = [0.0; 6];
    model.normalize(&mut q).expect("fits");
    assert_eq!(q.to_vec(), model.neutral::<f64>(), "directions of length zero");
    for none in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let (mut q, before) = ([0.6, 0.8, 3.0, 0.0, none, 0.0], [0.6, 0.8, 3.0, 0.0]);
        let error = model.normalize(&mut q).expect_err("no number").to_string();
        assert_eq!(error, format!("`q[4]` (joint j rotation) is {none}, which is not finite"));
        assert_eq!(q[..4], before, "left as it was");
    }
}

#[test]
fn random_and_neutral_configurations_are_valid_and_within_limits() {
    for (what, model) in models() {
        let rng = &mut rng(40);
        let neutral: Vec<f64> = model.neutral();
        model.check_configuration(&neutral).unwrap_or_else(|e| panic!("{what}: {e}"));
        for _ in 0..20 {
            let q = model.random(rng);
            model.check_configuration(&q).unwrap_or_else(|e| panic!("{what}: {e}"));
            let limits = model.limits();
            for (i, x) in q.iter().enumerate() {
                let (lower, upper) = (limits.q_lower[i], limits.q_upper[i]);
                assert!((lower..=upper).contains(x), "{what}: q[{i}] = {x} of {lower}..{upper}");
            }
            let other = model.random(rng);
            let half = model.interpolate(&q, &other, 0.5).expect("fits");
            let (there, back) =
                (model.difference(&q, &half).expect("fits"), model.difference(&other, &half).expect("fits"));
            let opposite: Vec<_> = back.iter().map(|x| -x).collect();
            // Half way is as far from both ends, for steps short of a half turn; poses in space move along screws.
            if there.iter().all(|x| x.abs() < PI / 2.0) {
                assert_near(&there, &opposite, 1e-12, format!("{what}: half way"));
            }
            let mut off: Vec<_> = q.iter().map(|x| x + 1e-3 * rng.random::<f64>()).collect();
            model.normalize(&mut off).expect("fits");
            model.check_configuration(&off).unwrap_or_else(|e| panic!("{what}: {e}"));
        }
    }
}

/// The length that is named is that of the direction which is off, also within a composite.
#[test]
fn directions_within_composites_are_measured_alone() {
    let mut builder = ModelBuilder::new("row");
    let joint =
        Composite::new([Prismatic { axis: Axis::X }.into(), FreeFlyer.into(), Continuous { axis: Axis::Z }.into()]);
    builder
        .add_body(None, "body", "joint", testing::transform(&mut rng(1)), joint, inertia(&mut rng(0)))
        .expect("fits");
    let model = builder.build().expect("builds");
    let (p, good) = (5.0, [0.0, 0.0, 0.0, 1.0]);
    let named = |direction: [f64; 4], turn: [f64; 2]| {
        let q: Vec<f64> = [p, p, p, p].into_iter().chain(direction).chain(turn).collect();
        match model.check_configuration(&q) {
            Err(InputError::NotNormalized { start, end, kind, norm, .. }) => (start..end, kind, norm),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(named([0.0, 0.0, 2.0, 0.0], [1.0, 0.0]), (4..8, "free-flyer", 2.0));
    assert_eq!(named(good, [0.0, 0.5]), (8..10, "continuous", 0.5));
    assert_eq!(named([0.0, 1e300, 0.0, 0.0], [1.0, 0.0]), (4..8, "free-flyer", 1e300));
}
