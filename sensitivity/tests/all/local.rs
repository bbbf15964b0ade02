//! Three methods, one result: formulas, dual numbers over the model, differences.

use crate::common::*;
use gradyn::joint::*;
use gradyn::spatial::{Inertia, Symmetric3, exp6};
use gradyn::{Constraint, Method, Model, ModelBuilder, Motion, Transform};
use gradyn_sensitivity::{Output as _, Parameters, SensitivityError, StateOutput, evaluate_many, local, local_second};
use nalgebra::DMatrix;
use testing::{numbers, rng, vector};

/// All that there are, but of two charts of one inertia one: linear parameters of even bodies, the standard chart of
/// odd ones.
fn everything(model: &Model, log: bool) -> Parameters {
    let mut p = Parameters::of(model);
    for (b, body) in model.bodies().iter().enumerate() {
        let chart: &[&str] = match b % 3 {
            0 => &["pi.*"],
            1 => &["mass", "com.*", "inertia.*"],
            _ if log => &["log_cholesky.*"],
            _ => &["density"],
        };
        for kind in chart {
            p = p.select(&format!("{}.{kind}", body.name())).expect("is there");
        }
        p = p.select(&format!("{}.payload.*", body.name())).expect("is there");
        p = p.select(&format!("{}.placement.*", body.joint_name())).expect("is there");
    }
    for pattern in ["*.axis*", "*.pitch*", "*.ratio", "*.offset", "*.friction", "*.damping", "*.armature", "gravity.*"]
    {
        p = match p.clone().select(pattern) {
            Ok(more) => more,
            Err(_) => p,
        };
    }
    p.select("friction_width").expect("is there")
}

/// Values beside the nominal ones: deviations too.
fn beside(p: &Parameters, seed: u64) -> Vec<f64> {
    let rng = &mut rng(seed);
    let beside = |(p, d): (&gradyn_sensitivity::Parameter, f64)| match (p.nominal(), p.unit()) {
        // Moments that leave the inertia physical.
        (0.0, "kg m^2" | "kg m") => 0.0,
        (0.0, _) => 0.02 * (1.0 + d),
        (x, _) => x * (1.0 + 0.02 * d),
    };
    p.iter().zip(numbers(rng, p.len())).map(beside).collect()
}

fn assert_near(what: &str, found: &DMatrix<f64>, expected: &DMatrix<f64>, tolerance: f64, p: &Parameters) {
    let scale = expected.amax().max(1.0);
    for k in 0..found.ncols() {
        let error = (found.column(k) - expected.column(k)).amax();
        assert!(error <= tolerance * scale, "{what} by {}: {error:e} of {scale}", p.names()[k]);
    }
}

#[test]
fn three_methods_say_the_same_of_every_parameter() {
    for (n, model) in [tree(1), tree(2), robot("panda", false), robot("solo12", true)].into_iter().enumerate() {
        let p = everything(&model, true);
        assert!(p.len() > 100, "{}", p.len());
        let (q, v, a) = state(&model, n as u64 + 5);
        let frame = model.frame_id(model.frames().len() - 1).expect("is there");
        let outputs = [
            StateOutput::Torques { q: &q, v: &v, a: &a },
            StateOutput::Accelerations { q: &q, v: &v, tau: &a },
            StateOutput::MassMatrix { q: &q },
            StateOutput::Pose { q: &q, frame: frame.into() },
        ];
        for values in [p.nominal(), beside(&p, 3)] {
            for output in outputs {
                let what = format!("{} of {}", output.name(), model.name());
                let of = |method| local(&p, &values, output, method).expect("runs");
                let (formula, dual) = (of(Method::Analytical), of(Method::Dual));
                // Mass matrices of the trees have conditions of up to 1e4.
                let tolerance = if matches!(output, StateOutput::Accelerations { .. }) { 1e-10 } else { 1e-12 };
                assert_near(&what, &formula.jacobian, &dual.jacobian, tolerance, &p);
                assert_eq!(formula.rows.len(), formula.value.len());
            }
        }
        // Differences are slow, so that a tree and an arm have to do, and good to 1e-9 of an output.
        for output in outputs.into_iter().filter(|_| n % 2 == 0) {
            let of = |method| local(&p, &p.nominal(), output, method).expect("runs").jacobian;
            assert_near(output.name(), &of(Method::Difference), &of(Method::Dual), 1e-7, &p);
        }
    }
}

#[test]
fn energies_by_every_parameter() {
    for (n, model) in [tree(1), tree(4), robot("panda", false), robot("solo12", true)].into_iter().enumerate() {
        let p = everything(&model, true);
        let (q, v, _) = state(&model, n as u64 + 20);
        let output = StateOutput::Energy { q: &q, v: &v };
        for values in [p.nominal(), beside(&p, 4)] {
            let of = |method| local(&p, &values, output, method).expect("runs").jacobian;
            // Sums over the bodies, of terms of their own size.
            assert_near(&format!("energy of {}", model.name()), &of(Method::Analytical), &of(Method::Dual), 1e-12, &p);
        }
        if n % 2 == 1 {
            continue;
        }
        let of = |method| local(&p, &p.nominal(), output, method).expect("runs").jacobian;
        // Differences are good to 1e-9 of an output.
        assert_near("energy", &of(Method::Difference), &of(Method::Analytical), 1e-7, &p);
    }
}

/// Formula against dual numbers, at the robot's values and beside them; and against differences.
fn assert_contact_forces(
    what: &str,
    p: &Parameters,
    (q, v, tau): (&[f64], &[f64], &[f64]),
    constraints: &[Constraint],
    differences: bool,
) {
    let output = StateOutput::ContactForces { q, v, tau, constraints };
    for values in [p.nominal(), beside(p, 7)] {
        let of = |method| local(p, &values, output, method).expect("runs").jacobian;
        // Conditions of `J M⁻¹ Jᵀ`, up to 1e5 of the trees, times rounding.
        assert_near(what, &of(Method::Analytical), &of(Method::Dual), 1e-9, p);
    }
    if differences {
        let of = |method| local(p, &p.nominal(), output, method).expect("runs").jacobian;
        // Forces of some 100 N by masses of some grams.
        assert_near(what, &of(Method::Difference), &of(Method::Analytical), 1e-6, p);
    }
}

/// A pose that is like no other.
fn somewhere(seed: u64) -> Transform<f64> {
    let rng = &mut rng(seed);
    exp6(Motion::new(vector(rng), vector(rng)))
}

#[test]
fn contact_forces_of_feet_and_hands_by_every_parameter() {
    let (model, _, front, hind) = standing();
    let p = everything(&model, true);
    let state_of_it = state(&model, 8);
    let (q, v, tau) = (&state_of_it.0[..], &state_of_it.1[..], &state_of_it.2[..]);
    assert_contact_forces("feet", &p, (q, v, tau), &[front[0], hind[1]], true);
    let [left, right] = ["FL_FOOT", "HR_FOOT"].map(|name| model.find_frame(name).expect("is there"));
    let tied = Constraint::connect(&model, left, right).expect("fits").with_gains(30.0, 7.0);
    assert_contact_forces("feet tied to each other, and one that stands", &p, (q, v, tau), &[tied, front[1]], false);

    let model = robot("panda", false);
    let p = everything(&model, true);
    let (q, v, tau) = state(&model, 3);
    let hand = model.find_body("panda_joint6").expect("is there");
    let held = Constraint::frame(None, somewhere(1), hand, somewhere(2)).with_gains(50.0, 12.0);
    assert_contact_forces("a hand that is held", &p, (&q, &v, &tau), &[held], true);
    // What is held to the world from the other side.
    let held = Constraint::frame(hand, somewhere(2), None, somewhere(1)).with_gains(50.0, 12.0);
    assert_contact_forces("a hand that holds", &p, (&q, &v, &tau), &[held], false);
}

/// Joints of each kind between a body and another one, and in another tree between one and the world, on either side in
/// turn.
#[test]
fn contact_forces_of_closed_loops_by_every_parameter() {
    let rng = &mut rng(5);
    let mut axis = || Axis::along(vector(rng)).expect("not zero");
    let joints: [(&str, Elementary); 9] = [
        ("revolute", Revolute { axis: axis() }.into()),
        ("prismatic", Prismatic { axis: axis() }.into()),
        ("cylindrical", Cylindrical { axis: axis() }.into()),
        ("universal", Universal { first: axis(), second: axis() }.into()),
        ("planar", Planar::new(axis()).into()),
        ("spherical", Spherical.into()),
        ("translation", Translation.into()),
        ("fixed", Fixed.into()),
        ("thread", Helical { axis: axis(), pitch: 0.2 }.into()),
    ];
    for seed in [1, 6] {
        let model = tree(seed);
        let p = everything(&model, true);
        let (q, v, tau) = state(&model, seed + 30);
        let body = |name: &str| Some(model.find_body(name).expect("is there"));
        for (k, (what, joint)) in joints.into_iter().enumerate() {
            let (a, b) = match (seed, k % 2) {
                (1, _) => (body("body10"), body("body7")),
                (_, 0) => (None, body("body10")),
                _ => (body("body9"), None),
            };
            let closed = Constraint::joint(a, somewhere(seed + 40), b, somewhere(seed + 50), joint).expect("fits");
            let closed = [closed.with_gains(20.0, 6.0)];
            assert_contact_forces(&format!("{what} of {}", model.name()), &p, (&q, &v, &tau), &closed, false);
        }
        let [last, other] = [body("body10"), body("body7")];
        let loops = [
            Constraint::point(other, vector(&mut testing::rng(1)), last, vector(&mut testing::rng(2))),
            Constraint::frame_contact(&model, model.find_frame("body9").expect("is there"), [0.1, 0.2, 0.3].into())
                .expect("fits")
                .with_gains(100.0, 0.0),
        ];
        assert_contact_forces(&format!("loops of {}", model.name()), &p, (&q, &v, &tau), &loops, seed == 1);
    }
}

/// Rows that repeat each other, that contradict each other, and whose rank a parameter changes.
#[test]
fn contact_forces_of_rows_that_depend_on_each_other() {
    let (model, _, front, hind) = standing();
    let p = everything(&model, true);
    let (q, v, tau) = state(&model, 9);
    assert_contact_forces("a foot held twice", &p, (&q, &v, &tau), &[front[0], hind[0], front[0]], false);

    // One coordinate under six rows: five of them are left as they are.
    let model = tree(2);
    let p = everything(&model, true);
    let (q, v, tau) = state(&model, 10);
    let first = model.find_body("body0").expect("is there");
    let held = Constraint::frame(None, somewhere(3), first, somewhere(4)).with_gains(10.0, 3.0);
    let output = StateOutput::ContactForces { q: &q, v: &v, tau: &tau, constraints: &[held] };
    let rows = local(&p, &p.nominal(), output, Method::Dual).expect("runs").value.len();
    let residual = gradyn::once::constraint_dynamics(&model, &q, &v, &tau, &[held], &[]).expect("runs");
    assert!((rows, residual.rank) == (6, 1) && residual.residual > 0.1, "{residual:?}");
    assert_contact_forces("one coordinate held six times", &p, (&q, &v, &tau), &[held], true);

    // Four hinges in a plane: three rows too many, until one of them is tilted.
    let mut builder = ModelBuilder::new("bars");
    let mut parent = None;
    for i in 0..3 {
        let x = Transform::from_translation([if i == 0 { 0.0 } else { 0.4 }, 0.0, 0.0].into());
        let hinge = Revolute { axis: Axis::Z };
        let y = Inertia::new(1.0, [0.2, 0.0, 0.0].into(), Symmetric3::new(0.01, 0.0, 0.0, 0.02, 0.0, 0.02));
        parent = Some(builder.add_body(parent, format!("bar{i}"), format!("hinge{i}"), x, hinge, y).expect("builds"));
    }
    let bars = builder.build().expect("builds");
    let (ground, end) = ([0.5, 0.2, 0.0].into(), [0.4, 0.0, 0.0].into());
    let (ground, end) = (Transform::from_translation(ground), Transform::from_translation(end));
    let last = bars.find_body("bar2").expect("is there");
    let closed = Constraint::joint(None, ground, last, end, Revolute { axis: Axis::Z }).expect("fits");
    let (q, v, tau) = ([0.3, 0.5, -0.9], [0.1, -0.2, 0.3], [0.5, 0.2, -0.1]);
    let within =
        Parameters::of(&bars).select_all("bar*.mass, hinge*.placement.x, hinge*.placement.rz").expect("is there");
    assert_contact_forces("bars in their plane", &within, (&q, &v, &tau), &[closed], true);
    let tilted = within.select("hinge1.axis.1").expect("is there");
    let output = StateOutput::ContactForces { q: &q, v: &v, tau: &tau, constraints: &[closed] };
    let error = local(&tilted, &tilted.nominal(), output, Method::Analytical).expect_err("has none");
    assert!(error.to_string().contains("`hinge1.axis.1`"), "{error}");
}

#[test]
fn second_order_is_the_first_orders_slope() {
    let model = tree(3);
    let p = Parameters::of(&model)
        .select_all("body3.mass, body3.com.x, joint5.placement.ry, joint2.axis2.1, joint1.friction, gravity.y")
        .and_then(|p| p.select_all("body6.log_cholesky.d1, body6.log_cholesky.alpha"))
        .expect("are there");
    let (q, v, a) = state(&model, 4);
    let lambda = numbers(&mut rng(9), model.nv());
    let weight = DMatrix::from_row_slice(1, lambda.len(), &lambda);
    for output in [StateOutput::Torques { q: &q, v: &v, a: &a }, StateOutput::Accelerations { q: &q, v: &v, tau: &a }] {
        let values = beside(&p, 6);
        let hessian = local_second(&p, &values, output, &lambda).expect("runs");
        let h = 1e-5;
        for k in 0..p.len() {
            let at = |t: f64| {
                let mut moved = values.clone();
                moved[k] += t;
                &weight * local(&p, &moved, output, Method::Analytical).expect("runs").jacobian
            };
            let slope = (at(h) - at(-h)) / (2.0 * h);
            // Central differences of 1e-5 of functions of size 100: 1e-8 of rounding, 1e-8 of curvature.
            let error = (slope.transpose() - hessian.column(k)).amax();
            assert!(error <= 1e-6 * hessian.amax().max(1.0), "{}: {error:e}", p.names()[k]);
        }
    }
}

#[test]
fn names_are_looked_up_with_care() {
    let model = robot("panda", false);
    let of = || Parameters::of(&model);
    let error = of().select("panda_link3.mas").expect_err("is none").to_string();
    assert!(error.contains("panda_link3.mas") && error.contains("nearest is `panda_link3.mass`"), "{error}");
    let error = of().select("panda_link2.[mass").expect_err("is not a pattern");
    assert!(matches!(error, SensitivityError::Pattern { .. }), "{error}");
    let error = of().select("panda_link2.mass").and_then(|p| p.select("panda_link2.pi.m")).expect_err("overlap");
    assert!(matches!(error, SensitivityError::Overlap { .. }), "{error}");
    let p = of().select("panda_link[2-4].mass").expect("are there");
    assert_eq!(p.names(), ["panda_link2.mass", "panda_link3.mass", "panda_link4.mass"]);
    assert!(p.iter().all(|p| p.unit() == "kg" && !p.held().is_empty()));
    // Chosen twice is chosen once.
    assert_eq!(p.clone().select("panda_link3.*mass").expect("is there").len(), 3);
    let tied = p.clone().tie("panda_link2.mass", "panda_link4.mass").expect("fit");
    assert_eq!(tied.names(), ["panda_link2.mass", "panda_link3.mass"]);
    assert!(p.clone().tie("panda_link2.mass", "panda_link2.mass").is_err());
    assert!(p.clone().tie("panda_link2.mass", "panda_joint1.damping").is_err());
    // A tie is the sum of the columns.
    let (q, v, a) = state(&model, 1);
    let output = StateOutput::Torques { q: &q, v: &v, a: &a };
    let of = |p: &Parameters| local(p, &p.nominal(), output, Method::Analytical).expect("runs").jacobian;
    let (both, each) = (of(&tied), of(&p));
    assert!((both.column(0) - each.column(0) - each.column(2)).amax() < 1e-13);
    let still = Parameters::of(&model).select("panda_link8.placement.x").expect("is there");
    let by = local(&still, &still.nominal(), output, Method::Analytical).expect("runs");
    assert_eq!(by.without_effect(), ["panda_link8.placement.x"]);
}

/// The placement of a joint that is fixed is no number of the robot: it is not listed, and who asks for it is told why.
#[test]
fn placements_that_are_taken_out_are_told() {
    let model = robot("panda", false);
    let p = Parameters::of(&model).without_placement("panda_joint8", "it is fixed");
    assert!(p.listed().all(|p| !p.name().starts_with("panda_joint8.")));
    assert!(p.listed().any(|p| p.name() == "panda_link8.placement.x"));
    for asked in ["panda_joint8.placement.x", "panda_joint8.*"] {
        let message = p.clone().select(asked).expect_err("not listed").to_string();
        assert_eq!(message, "`panda_joint8.placement.x` is not a parameter: it is fixed");
    }
    assert_eq!(p.select("panda_*8.placement.x").expect("the link's").names(), ["panda_link8.placement.x"]);
}

/// Eight robots at a time are the robots one by one; one that is none leaves the others alone.
#[test]
fn many_robots_are_each_by_itself() {
    for (model, patterns) in [
        (robot("panda", false), "*.mass, *.friction, panda_joint3.placement.*"),
        (tree(1), "*.mass, joint5.axis.*, joint2.placement.rx, joint11.ratio"),
    ] {
        let p = Parameters::of(&model).select_all(patterns).expect("are there");
        let (q, v, tau) = state(&model, 3);
        let output = StateOutput::Accelerations { q: &q, v: &v, tau: &tau };
        let mut samples: Vec<f64> = (0..21).flat_map(|seed| beside(&p, seed)).collect();
        let friction = p.names().iter().position(|name| name.ends_with("friction"));
        if let Some(k) = friction {
            samples[10 * p.len() + k] = -1.0;
        }
        let nv = model.nv();
        let mut found = vec![0.0; 21 * nv];
        evaluate_many(&p, output, &samples, &mut found);
        for (i, (sample, found)) in samples.chunks_exact(p.len()).zip(found.chunks_exact(nv)).enumerate() {
            if i == 10 && friction.is_some() {
                assert!(found.iter().all(|x| x.is_nan()));
                continue;
            }
            let alone = local(&p, sample, output, Method::Dual).expect("runs").value;
            let scale = alone.amax();
            for (found, alone) in found.iter().zip(&alone) {
                // Conditions of mass matrices times rounding.
                assert!((found - alone).abs() <= 1e-10 * scale, "{}, {i}: {found} against {alone}", model.name());
            }
        }
    }
}
