//! Closed loops: a parallelogram, and joints that close a loop.

use super::{four_bar, size};
use gradyn::dynamics::{
    Constraint, Workspace, constraint_bias, constraint_dynamics, constraint_error, constraint_jacobian,
    impulse_dynamics,
};
use gradyn::joint::{
    Axis, Cylindrical, Elementary, FreeFlyer, Helical, Joint, JointKind, Prismatic, Revolute, Translation,
};
use gradyn::model::{InputError, ModelBuilder};
use gradyn::once;
use gradyn::spatial::{Inertia, Symmetric3, Transform};
use gradyn_derivatives::Level;
use gradyn_derivatives::simd::with_level;
use nalgebra::{DVector, Vector3};
use rand::RngExt;
use testing::{assert_near, eps, every_joint, inertia, models, moved, rng, state, transform};

/// A parallelogram is a pendulum: `(2 m l²/4 + m_b l²) θ̈ = −g l (m + m_b) sin θ`, m of each crank, m_b of the bar.
#[test]
fn four_bar_moves_as_a_pendulum() {
    let (model, list) = four_bar();
    let mut ws = Workspace::new(&model);
    for (angle, rate) in [(0.4, 0.0), (0.4, 1.3), (-1.1, 2.0)] {
        let (q, v) = ([angle, -angle, angle], [rate, -rate, rate]);
        let error = constraint_error(&model, &mut ws, &q, &list).expect("runs");
        assert!(size(error) < 1e-15, "closes: {error:?}");
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &[0.0; 3], &list, &[]).expect("runs");
        // The loop does not resist across its plane.
        assert_eq!(by.rank, 2);
        assert!(by.residual < 1e-13);
        assert!(by.lambda[1].abs() <= 0.0, "exactly zero");
        let (m, bar, l) = (2.0, 3.0, 0.5);
        let expected = -9.81 * l * (m + bar) * f64::sin(angle) / (m * l * l / 2.0 + bar * l * l);
        // A few roundings.
        assert_near(by.ddq, &[expected, -expected, expected], 1e-13, format!("angle {angle}"));
    }
}

/// Where all bars lie on one line, one row more is lost, and said to be.
#[test]
fn four_bar_is_singular_where_it_is_flat() {
    let (model, list) = four_bar();
    let (mut ws, angle) = (Workspace::new(&model), std::f64::consts::FRAC_PI_2);
    let by =
        constraint_dynamics(&model, &mut ws, &[angle, -angle, angle], &[0.0; 3], &[0.0; 3], &list, &[]).expect("runs");
    assert_eq!(by.rank, 1);
    assert!(by.ddq.iter().chain(by.lambda).all(|x| x.abs() < 1e3), "{by:?}");
}

/// Energy of a closed loop is conserved while Baumgarte's terms hold it closed.
#[test]
fn energy_of_the_loop_is_conserved() {
    let (model, list) = four_bar();
    let list = [list[0].with_gains(400.0, 40.0)];
    let mut ws = Workspace::new(&model);
    let (mut q, mut v) = (vec![0.9, -0.9, 0.9], vec![1.0, -1.0, 1.0]);
    let energy = |q: &[f64], v: &[f64]| {
        let mut ws = Workspace::new(&model);
        gradyn::dynamics::mechanical_energy(&model, &mut ws, q, v).expect("runs")
    };
    let (before, h) = (energy(&q, &v), 1e-3);
    for _ in 0..1000 {
        // Runge-Kutta, second order.
        let a = constraint_dynamics(&model, &mut ws, &q, &v, &[0.0; 3], &list, &[]).expect("runs").ddq.to_vec();
        let mid: Vec<_> = q.iter().zip(&v).map(|(q, v)| q + h / 2.0 * v).collect();
        let mid_v: Vec<_> = v.iter().zip(&a).map(|(v, a)| v + h / 2.0 * a).collect();
        let a = constraint_dynamics(&model, &mut ws, &mid, &mid_v, &[0.0; 3], &list, &[]).expect("runs").ddq.to_vec();
        (0..3).for_each(|k| {
            q[k] += h * mid_v[k];
            v[k] += h * a[k];
        });
    }
    // Of the integrator: second order in a step of 1e-3, over one second of a motion at some 5 rad/s.
    let off = (energy(&q, &v) - before).abs();
    assert!(off < 1e-3, "off by {off:e} J of {before} J");
    let error = size(constraint_error(&model, &mut ws, &q, &list).expect("runs"));
    assert!(error < 1e-6, "opens by {error:e} m");
}

/// Joints that can close a loop.
fn loop_joints(rng: &mut rand::rngs::ChaCha8Rng) -> Vec<Elementary> {
    let kinds = every_joint(rng).into_iter().filter_map(|joint| match joint {
        Joint::Elementary(kind) => Some(kind),
        _ => None,
    });
    kinds.filter(|kind| !matches!(kind, Elementary::FreeFlyer(_))).collect()
}

/// Wherever a joint of the tree is, the same joint as a constraint holds, and takes nothing away; with its own freedoms
/// its rows make six.
#[test]
fn loop_joints_allow_what_the_joint_does() {
    let rng = &mut rng(77);
    for (i, kind) in loop_joints(rng).into_iter().enumerate() {
        let (x_a, x_b) = (transform(rng), transform(rng));
        let mut builder = ModelBuilder::new("pair");
        let base = builder.add_body(None, "a", "base", transform(rng), FreeFlyer, inertia(rng)).expect("builds");
        builder.add_body(Some(base), "b", "joint", x_a, kind, inertia(rng)).expect("builds");
        let model = builder.build().expect("builds");
        let (a, b) = (model.body_id(0).expect("is there"), model.body_id(1).expect("is there"));
        let list = [Constraint::joint(a, x_a, b, Transform::identity(), kind).expect("can")];
        let (q, v, tau) = state(&model, i as u64);
        let mut ws = Workspace::new(&model);
        let what = kind.name();
        assert_eq!(list[0].rows() + kind.nv(), 6, "{what}");
        // A few roundings.
        let error = constraint_error(&model, &mut ws, &q, &list).expect("runs");
        assert!(size(error) < 1e-14, "{what}: {error:?}");
        let jacobian = constraint_jacobian(&model, &mut ws, &q, &list).expect("runs");
        assert!(size(jacobian) < 1e-14, "{what}: {jacobian}");
        let bias = constraint_bias(&model, &mut ws, &q, &v, &list).expect("runs");
        assert!(size(bias) < 1e-13, "{what}: {bias:?}");
        let free = once::aba(&model, &q, &v, &tau, &[]).expect("runs");
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &list, &[]).expect("runs");
        assert_eq!(by.rank, 0, "{what}");
        assert_near(by.ddq, &free, 1e-12, what);

        // Two bodies that float: of their twelve freedoms the rows are lost, here with B where the joint puts it.
        let mut builder = ModelBuilder::new("two");
        for name in ["a", "b"] {
            builder
                .add_body(None, name, format!("{name} floats"), Transform::identity(), FreeFlyer, inertia(rng))
                .expect("builds");
        }
        let two = builder.build().expect("builds");
        let pose = kind.pose(&q[7..]);
        let x_wa = transform(rng);
        let x_wb = x_wa * x_a * pose * x_b.inverse();
        let q: Vec<f64> =
            [x_wa, x_wb].iter().flat_map(|x| [x.translation.as_slice(), &x.quaternion().to_array()].concat()).collect();
        let (a, b) = (two.body_id(0).expect("is there"), two.body_id(1).expect("is there"));
        let list = [Constraint::joint(a, x_a, b, x_b, kind).expect("can")];
        let error = constraint_error(&two, &mut Workspace::new(&two), &q, &list).expect("runs").to_vec();
        assert!(size(&error) < 1e-13, "{what}: {error:?}");
        let (v, tau) = (vec![0.1; 12], vec![0.2; 12]);
        let mut ws = Workspace::new(&two);
        let by = constraint_dynamics(&two, &mut ws, &q, &v, &tau, &list, &[]).expect("runs");
        assert_eq!(by.rank, list[0].rows(), "{what}");
    }
}

/// Away from where they hold, too, rows of loop joints change by `J q̇`, and that by `J q̈ + γ`.
#[test]
fn rows_of_loop_joints_are_derivatives() {
    let rng = &mut rng(78);
    for (what, model) in models().into_iter().filter(|(_, model)| model.bodies().len() > 1) {
        let kinds = loop_joints(rng).into_iter().filter(|kind| !matches!(kind, Elementary::Fixed(_)));
        let id = |i: usize| model.body_id(i).expect("is there");
        let n = model.bodies().len();
        let list: Vec<_> = kinds
            .map(|kind| {
                let a = rng.random_range(0..n);
                let b = (a + rng.random_range(1..n)) % n;
                let a = if rng.random_range(0..3) == 0 { None } else { Some(id(a)) };
                Constraint::joint(a, transform(rng), id(b), transform(rng), kind).expect("can")
            })
            .collect();
        let (q, v, _) = state(&model, 13);
        let along = moved(&model, &q, &v);
        let (mut ws, mut dual_ws) = (Workspace::new(&model), Workspace::new(&model));
        let v_column = DVector::from_column_slice(&v);
        let rate = constraint_jacobian(&model, &mut ws, &q, &list).expect("runs") * &v_column;
        let by = eps(constraint_error(&model, &mut dual_ws, &along, &list).expect("runs"));
        // Rounding along chains of up to sixty bodies, and twice that.
        assert_near(rate.as_slice(), &by, 1e-12, &what);
        let jacobian = constraint_jacobian(&model, &mut dual_ws, &along, &list).expect("runs").map(|x| x.eps);
        let bias = constraint_bias(&model, &mut ws, &q, &v, &list).expect("runs");
        assert_near(bias, (jacobian * &v_column).as_slice(), 1e-11, &what);
    }
}

/// Closed by a revolute joint the parallelogram moves as when it is closed by a point: three more rows are idle.
#[test]
fn four_bar_closes_by_a_revolute_joint() {
    let (model, by_point) = four_bar();
    let id = |name| model.find_body(name).expect("is there");
    let at = |x, z| Transform::from_translation(Vector3::new(x, 0.0, z));
    let hinge = [Constraint::joint(id("bar"), at(0.8, 0.0), id("rocker"), at(0.0, -0.5), Revolute { axis: Axis::Y })
        .expect("can")];
    let (mut ws, q, v) = (Workspace::new(&model), [0.4, -0.4, 0.4], [1.3, -1.3, 1.3]);
    let by = constraint_dynamics(&model, &mut ws, &q, &v, &[0.0; 3], &hinge, &[]).expect("runs");
    assert_eq!((by.lambda.len(), by.rank), (5, 2));
    assert!(by.residual < 1e-13, "{:e}", by.residual);
    let ddq = by.ddq.to_vec();
    let by = constraint_dynamics(&model, &mut ws, &q, &v, &[0.0; 3], &by_point, &[]).expect("runs");
    // A few roundings.
    assert_near(&ddq, by.ddq, 1e-13, "accelerations");
}

/// A thread holds on every turn, also without pitch; its row is what is left of the pitch times the angle.
#[test]
fn threads_hold_on_every_turn() {
    let mut builder = ModelBuilder::new("nut");
    let rng = &mut rng(79);
    let axis = testing::axis(rng);
    let joint = Cylindrical { axis };
    builder.add_body(None, "nut", "slides", Transform::identity(), joint, inertia(rng)).expect("builds");
    let model = builder.build().expect("builds");
    let (nut, here) = (model.body_id(0).expect("is there"), Transform::identity());
    let mut ws = Workspace::new(&model);
    // Translation, then rotation.
    let mut error = |pitch: f64, along: f64, angle: f64| {
        let list = [Constraint::joint(None, here, nut, here, Helical { axis, pitch }).expect("can")];
        constraint_error(&model, &mut ws, &[along, angle], &list).expect("runs")[2]
    };
    for pitch in [0.1, -0.3, 1e-3, 0.0] {
        for angle in [0.0, 3.0, 3.3, -3.3, 7.0, 100.0] {
            // Roundings of angles up to a hundred.
            assert!(error(pitch, pitch * angle, angle).abs() < 1e-13, "{pitch} {angle}");
            let left = error(pitch, pitch * angle + 1e-4, angle);
            assert!((left - 1e-4).abs() < 1e-13, "{pitch} {angle}: {left}");
        }
    }
}

/// A free joint is no loop joint, and said to be none.
#[test]
fn joints_that_close_no_loop_are_named() {
    let (model, _) = four_bar();
    let (a, b) = (model.body_id(0).expect("is there"), model.body_id(1).expect("is there"));
    let here = Transform::<f64>::identity();
    let e = Constraint::joint(a, here, b, here, FreeFlyer).expect_err("cannot");
    assert_eq!(e, InputError::LoopJoint { kind: Elementary::<f64>::from(FreeFlyer).name() });
}

/// Nor is one whose axis is no unit vector, or whose pitch is no number.
#[test]
fn loop_joints_of_bad_numbers_are_named() {
    let here = Transform::<f64>::identity();
    let bad = |joint: Elementary, words: &[&str]| {
        let (model, _) = four_bar();
        let (a, b) = (model.body_id(0).expect("is there"), model.body_id(1).expect("is there"));
        let error = Constraint::joint(a, here, b, here, joint).expect_err("refused");
        assert!(matches!(error, InputError::LoopNumber { .. }), "{error}");
        assert!(words.iter().all(|word| error.to_string().contains(word)), "{error}");
    };
    for (axis, length) in
        [(Vector3::new(0.0, 2.0, 0.0), "2"), (Vector3::zeros(), "0"), (Vector3::x() * f64::NAN, "NaN")]
    {
        bad(Revolute { axis: Axis::Any(axis) }.into(), &["axis", "revolute", length]);
        bad(Cylindrical { axis: Axis::Any(axis) }.into(), &["axis", "cylindrical", length]);
    }
    bad(Helical { axis: Axis::X, pitch: f64::INFINITY }.into(), &["pitch", "helical", "inf"]);
    bad(Helical { axis: Axis::X, pitch: f64::NAN }.into(), &["pitch", "helical", "NaN"]);
}

/// Errors and biases that are too large are said to be, with the constraint they are of.
#[test]
fn rows_that_overflow_are_named() {
    let mut builder = ModelBuilder::new("slides");
    for name in ["near", "far"] {
        let joint = Prismatic { axis: Axis::X };
        let y = inertia(&mut rng(1));
        builder.add_body(None, name, format!("to {name}"), Transform::identity(), joint, y).expect("builds");
    }
    let model = builder.build().expect("builds");
    let [near, far] = ["near", "far"].map(|name| model.find_body(name).expect("is there"));
    let here = Vector3::zeros();
    let list = [Constraint::contact(near, here, here), Constraint::point(near, here, far, here)];
    let mut ws = Workspace::new(&model);
    let error = constraint_error(&model, &mut ws, &[-1.5e308, 1.5e308], &list).expect_err("refused");
    let InputError::Overflow { what: "constraint_error", index: 3, joint } = &error else { panic!("{error}") };
    assert_eq!(joint, "constraint 1, between `near` and `far`");
    let stiff = list.map(|c| c.with_gains(1e300, 0.0));
    let error = constraint_bias(&model, &mut ws, &[0.0, 1e200], &[0.0; 2], &stiff).expect_err("refused");
    let InputError::Overflow { what: "constraint_bias", index: 3, joint } = &error else { panic!("{error}") };
    assert_eq!(joint, "constraint 1, between `near` and `far`");
}

/// Impulses that are too large are not given as results.
#[test]
fn impulses_that_overflow_are_named() {
    let mut builder = ModelBuilder::new("slide");
    let y = Inertia::new(1e200, Vector3::zeros(), Symmetric3::diagonal(1.0, 1.0, 1.0));
    builder.add_body(None, "b", "j", Transform::identity(), Prismatic { axis: Axis::X }, y).expect("builds");
    let model = builder.build().expect("builds");
    let body = model.body_id(0).expect("is there");
    let list = [Constraint::contact(body, Vector3::zeros(), Vector3::zeros())];
    for level in Level::available() {
        let found = with_level(level, || {
            let mut ws = Workspace::new(&model);
            impulse_dynamics(&model, &mut ws, &[0.0], &[1e200], 0.0, &list).map(|by| by.impulse.to_vec())
        });
        assert!(matches!(found, Err(InputError::Overflow { .. })), "{level}: {found:?}");
    }
}

/// Products of directions are zero after half turns and third turns too, as [`Constraint::joint`] says.
#[test]
fn products_of_directions_have_other_zeros() {
    let mut builder = ModelBuilder::new("free");
    builder.add_body(None, "b", "j", Transform::identity(), FreeFlyer, inertia(&mut rng(1))).expect("builds");
    let model = builder.build().expect("builds");
    let body = model.body_id(0).expect("is there");
    let here = Transform::<f64>::identity();
    let error = |joint: Elementary, turn: [f64; 4]| {
        let list = [Constraint::joint(None, here, body, here, joint).expect("closes")];
        let q: Vec<f64> = [0.0; 3].into_iter().chain(turn).collect();
        size(constraint_error(&model, &mut Workspace::new(&model), &q, &list).expect("runs"))
    };
    let half = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    // x → ±y → ±z → ±x
    let third = [[0.5, 0.5, 0.5, 0.5], [-0.5, -0.5, 0.5, 0.5], [-0.5, 0.5, -0.5, 0.5], [0.5, -0.5, -0.5, 0.5]];
    for turn in half.into_iter().chain(third) {
        assert!(error(Translation.into(), turn) < 1e-15, "{turn:?}");
    }
    assert!(error(Translation.into(), [-0.5, -0.5, -0.5, 0.5]) > 0.9, "the other way round");
    for joint in [Elementary::from(Revolute { axis: Axis::Z }), Cylindrical { axis: Axis::Z }.into()] {
        assert!(error(joint, half[0]) < 1e-15 && error(joint, third[0]) > 0.9);
    }
}
