//! Building models, and what they know of their tree.

use gradyn::dynamics::{
    Constraint, ReferenceFrame, Workspace, aba, bias, constraint_bias, constraint_dynamics, constraint_error,
    constraint_jacobian, crba, forward_kinematics, frame_jacobian, frame_wrench_regressor, generalized_gravity,
    kinematic_regressor, mechanical_energy, point_derivatives, point_jacobian, potential_energy, rnea,
};
use gradyn::joint::*;
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{BodyKey, InputError, Model, ModelBuilder, ModelError};
use gradyn::once;
use gradyn::partials::{DerivativeWorkspace, Method, constraint_dynamics_derivatives, rnea_derivatives};
use gradyn::spatial::{Inertia, Symmetric3, Transform};
use gradyn_derivatives::num_dual::Dual64;
use nalgebra::{Matrix3, Vector3};
use std::collections::HashSet;
use testing::{assert_near, assert_same, inertia, models, rng, state, transform, tree_of, unit};

const HINGE: Revolute = Revolute { axis: Axis::Z };

/// A body by this joint, named after it.
fn add(builder: &mut ModelBuilder, parent: Option<BodyKey>, name: &str, joint: impl Into<Joint>) -> BodyKey {
    let y = inertia(&mut rng(name.len() as u64));
    let placement = Transform::new(Matrix3::identity(), Vector3::new(0.1, 0.2, 0.3));
    builder.add_body(parent, name, format!("j {name}"), placement, joint, y).expect("builds")
}

fn names(model: &Model) -> Vec<&str> {
    model.bodies().iter().map(|body| body.name()).collect()
}

/// The derivatives work too, with every matrix of this size.
fn run_everything(model: &Model) {
    let (q, v, a) = state(model, 0);
    let (nq, nv) = (model.nq(), model.nv());
    assert_eq!(rnea(model, &mut Workspace::new(model), &q, &v, &a, &[]).expect("runs").len(), nv);
    assert_eq!(once::rnea(model, &q, &v, &a, &[]).expect("runs").len(), nv);
    let mut ws = Workspace::new(model);
    let kinematics = forward_kinematics(model, &mut ws, &q, &v, &a).expect("runs");
    assert!(model.body_id(model.bodies().len()).is_none());
    for frame in model.frames() {
        assert!(kinematics.frame_pose(model.find_frame(frame.name()).expect("is there")).is_some());
    }
    let ws = &mut Workspace::new(model);
    let bodies = || (0..model.bodies().len()).filter_map(|k| model.body_id(k));
    for b in bodies() {
        let (world, p) = (ReferenceFrame::World, Vector3::x());
        assert_eq!(frame_jacobian(model, ws, &q, b, world).expect("runs").shape(), (6, nv));
        assert_eq!(point_jacobian(model, ws, &q, b, p, world).expect("runs").shape(), (3, nv));
        let by = point_derivatives(model, ws, &q, &v, &a, b, p, world).expect("runs");
        assert!(by.matrices().iter().all(|(_, m)| m.shape() == (3, nv)));
        assert_eq!(frame_wrench_regressor(model, ws, &q, &v, &a, b).expect("runs").shape(), (6, 10));
        assert_eq!(kinematic_regressor(model, ws, &q, b, world).expect("runs").ncols(), 6 * model.bodies().len());
    }
    let held: Vec<Constraint> = bodies().map(|b| Constraint::contact(b, Vector3::x(), Vector3::y())).collect();
    let rows = 3 * held.len();
    assert_eq!(constraint_error(model, ws, &q, &held).expect("runs").len(), rows);
    assert_eq!(constraint_jacobian(model, ws, &q, &held).expect("runs").shape(), (rows, nv));
    assert_eq!(constraint_bias(model, ws, &q, &v, &held).expect("runs").len(), rows);
    assert_eq!(constraint_dynamics(model, ws, &q, &v, &a, &held, &[]).expect("runs").lambda.len(), rows);
    let mut ws = DerivativeWorkspace::new(model);
    let (method, at) = (Method::Analytical, (&q[..], &v[..], &a[..]));
    let by = constraint_dynamics_derivatives(model, &mut ws, method, at.0, at.1, at.2, &held, &[]).expect("runs");
    assert_eq!(by.lambda.len(), rows);
    for method in Method::ALL {
        let d = rnea_derivatives(model, &mut ws, method, &q, &v, &a, &[]).expect("runs");
        assert!(d.matrices().iter().all(|(_, m)| m.shape() == (nv, nv)), "{method}");
    }
    assert_eq!(model.integrate(&q, &v).expect("fits").len(), nq);
    assert_eq!(model.difference(&q, &q).expect("fits"), vec![0.0; nv]);
    assert_eq!(model.interpolate(&q, &q, 0.5).expect("fits").len(), nq);
    assert_eq!(model.integrate_dq(&v).expect("fits").shape(), (nv, nv));
    assert_eq!(model.difference_dq0(&q, &q).expect("fits").shape(), (nv, nv));
    assert_eq!(model.neutral::<f64>().len(), nq);
    assert_eq!(model.dof_names().len(), nv);
    assert_eq!(model.lift::<Dual64>().nv(), nv);
    model.check_configuration(&q).expect("is valid");
    model.check_tangent("v", &v).expect("is valid");
    model.normalize(&mut q.clone()).expect("fits");
}

#[test]
fn models_without_bodies_or_without_freedom_work() {
    let empty = ModelBuilder::<f64>::new("empty").build().expect("builds");
    assert_eq!((empty.nq(), empty.nv(), empty.bodies().len()), (0, 0, 0));
    assert!(empty.joint_of_dof(0).is_none() && empty.find_body("a").is_none() && empty.find_frame("a").is_none());
    run_everything(&empty);

    let mut builder = ModelBuilder::new("statue");
    let key = add(&mut builder, None, "stone", Fixed);
    let key = add(&mut builder, Some(key), "arm", Fixed);
    run_everything(&builder.clone().build().expect("builds"));
    add(&mut builder, Some(key), "row", Composite::new([Fixed.into(), Fixed.into()]));
    builder.add_frame(None, "world frame", transform(&mut rng(1))).expect("builds");
    let statue = builder.build().expect("builds");
    assert_eq!((statue.nq(), statue.nv(), statue.bodies().len()), (0, 0, 3));
    run_everything(&statue);
    let mut ws = Workspace::new(&statue);
    let kinematics = forward_kinematics(&statue, &mut ws, &[], &[], &[]).expect("runs");
    let arm = kinematics.pose(statue.find_body("arm").expect("is there")).expect("is there");
    assert_near(arm.translation.as_slice(), &[0.2, 0.4, 0.6], 1e-15, "arm");
}

/// Deep trees are loops, not recursions.
#[test]
fn a_chain_of_ten_thousand_bodies_builds_and_runs() {
    const N: usize = 10_000;
    let mut builder = ModelBuilder::new("chain");
    let link = Inertia::new(1.0, Vector3::new(0.0, 0.0, -0.5), Symmetric3::diagonal(0.1, 0.1, 0.1));
    let step = Transform::new(Matrix3::identity(), Vector3::new(0.0, 0.0, -1.0));
    let mut last = None;
    for i in 0..N {
        let placement = if i == 0 { Transform::identity() } else { step };
        let joint = Prismatic { axis: Axis::X };
        last = Some(builder.add_body(last, format!("b{i}"), format!("j{i}"), placement, joint, link).expect("builds"));
    }
    let model = builder.build().expect("builds");
    assert_eq!(model.nv(), N);
    assert_eq!(model.subtree(model.body_id(0).expect("is there")), 0..N);
    let zero = vec![0.0; N];
    let kick = unit(N, N - 1);
    let tau = once::rnea(&model, &zero, &zero, &kick, &[]).expect("runs");
    // All carry the last mass of 1 kg.
    assert!(tau.iter().all(|tau| (tau - 1.0).abs() < 1e-12), "every joint carries the last link");
    let mut ws = Workspace::new(&model);
    let kinematics = forward_kinematics(&model, &mut ws, &zero, &zero, &zero).expect("runs");
    let tip = kinematics.pose(model.body_id(N - 1).expect("is there")).expect("is there").translation;
    assert_near(tip.as_slice(), &[0.0, 0.0, -(N as f64 - 1.0)], 1e-12, "tip");
}

/// Children in the order of adding, each subtree in one piece.
#[test]
fn bodies_stand_depth_first_whatever_order_they_were_added_in() {
    let mut builder = ModelBuilder::new("tree");
    let a = add(&mut builder, None, "a", HINGE);
    let b = add(&mut builder, None, "b", HINGE);
    let a1 = add(&mut builder, Some(a), "a1", FreeFlyer);
    let b1 = add(&mut builder, Some(b), "b1", Spherical);
    let a2 = add(&mut builder, Some(a), "a2", HINGE);
    let a11 = add(&mut builder, Some(a1), "a11", HINGE);
    add(&mut builder, Some(b1), "b11", HINGE);
    add(&mut builder, Some(a2), "a21", HINGE);
    add(&mut builder, Some(a1), "a12", HINGE);
    builder.set_q_limits(a11, &[(-0.5, 0.25)]).expect("fits");
    builder.set_effort_limits(b1, &[1.0, 2.0, 3.0]).expect("fits");
    builder.set_velocity_limits(a2, &[7.0]).expect("fits");
    let model = builder.build().expect("builds");
    assert_eq!(names(&model), ["a", "a1", "a11", "a12", "a2", "a21", "b", "b1", "b11"]);
    let id = |name: &str| model.find_body(name).expect("is there");
    assert_eq!(id("j a12"), id("a12"));
    let parents: Vec<_> =
        model.bodies().iter().map(|body| body.parent().map_or("", |p| model.bodies()[p.index()].name())).collect();
    assert_eq!(parents, ["", "a", "a1", "a1", "a", "a2", "", "b", "b1"]);
    assert_eq!([model.subtree(id("a")), model.subtree(id("a1")), model.subtree(id("b11"))], [0..6, 1..4, 8..9]);
    let (mut q, mut v) = (0, 0);
    for body in model.bodies() {
        assert_eq!((body.q_range().start, body.v_range().start), (q, v), "{}", body.name());
        (q, v) = (body.q_range().end, body.v_range().end);
    }
    assert_eq!((model.nq(), model.nv()), (q, v));
    // Limits went with their joints.
    let (q, v) = (model.bodies()[2].q_range().start, model.bodies()[7].v_range());
    assert_eq!((model.limits().q_lower[q], model.limits().q_upper[q]), (-0.5, 0.25));
    assert_eq!(&model.limits().effort[v], [1.0, 2.0, 3.0]);
    assert_eq!(&model.limits().velocity[model.bodies()[4].v_range()], [7.0]);
    assert_eq!(model.limits().q_lower.iter().filter(|x| x.is_finite()).count(), 1);
    assert_eq!((model.limits().velocity.len(), model.limits().effort.len()), (model.nv(), model.nv()));
    let names = model.dof_names();
    assert_eq!(names[1..8], ["j a1.vx", "j a1.vy", "j a1.vz", "j a1.wx", "j a1.wy", "j a1.wz", "j a11"]);
    assert_eq!(model.joint_of_dof(3), Some(id("a1")));
    assert_eq!(model.joint_of_dof(model.nv()), None);
    run_everything(&model);
}

#[test]
fn subtrees_and_supports_are_those_of_the_parents() {
    for (what, model) in models() {
        let n = model.bodies().len();
        let mut seen = HashSet::new();
        for (i, body) in model.bodies().iter().enumerate() {
            assert!(body.parent().is_none_or(|p| p.index() < i), "{what}: body {i} stands before its parent");
            assert!(seen.insert(body.name().to_owned()), "{what}: {}", body.name());
        }
        for i in 0..n {
            for j in 0..n {
                let mut up = Some(j);
                while let Some(k) = up.filter(|k| *k != i) {
                    up = model.bodies()[k].parent().map(|p| p.index());
                }
                let (a, b) = (model.body_id(i).expect("is there"), model.body_id(j).expect("is there"));
                assert_eq!(model.supports(a, b), up.is_some(), "{what}: body {i} supports {j}");
                assert_eq!(model.subtree(a).contains(&j), up.is_some(), "{what}: {j} in the subtree of {i}");
            }
        }
        for dof in 0..model.nv() {
            let body = &model.bodies()[model.joint_of_dof(dof).expect("somebody's").index()];
            assert!(body.owns_coordinates() && body.v_range().contains(&dof), "{what}: dof {dof}");
        }
        let names: HashSet<_> = model.dof_names().into_iter().collect();
        assert_eq!(names.len(), model.nv(), "{what}: each degree of freedom has a name of its own");
    }
}

#[test]
fn frames_move_with_their_bodies() {
    let rng = &mut rng(4);
    let mut builder = ModelBuilder::new("framed");
    let a = add(&mut builder, None, "a", HINGE);
    let b = add(&mut builder, Some(a), "b", Spherical);
    let (x_b, x_w) = (transform(rng), transform(rng));
    builder.add_frame(Some(b), "tool", x_b).expect("builds").add_frame(None, "table", x_w).expect("builds");
    let model = builder.build().expect("builds");
    let frames: Vec<_> = model.frames().iter().map(|frame| frame.name()).collect();
    assert_eq!(frames, ["a", "b", "tool", "table"]);
    let (q, v, acceleration) = state(&model, 4);
    let mut ws = Workspace::new(&model);
    let kinematics = forward_kinematics(&model, &mut ws, &q, &v, &acceleration).expect("runs");
    let id = |name: &str| model.find_frame(name).expect("is there");
    let body = model.find_body("b").expect("is there");
    let expected = kinematics.pose(body).unwrap() * x_b;
    let tool = kinematics.frame_pose(id("tool")).unwrap();
    assert_near(tool.translation.as_slice(), expected.translation.as_slice(), 1e-15, "tool");
    assert_near(tool.rotation.as_slice(), expected.rotation.as_slice(), 1e-15, "tool");
    let velocity = x_b.inv_act(kinematics.velocity(body).unwrap());
    let found = kinematics.frame_velocity(id("tool")).unwrap();
    assert_near(&testing::motion(found), &testing::motion(velocity), 1e-15, "tool's velocity");
    assert_eq!(kinematics.frame_pose(id("table")), Some(x_w));
    let still = testing::motion(kinematics.frame_velocity(id("table")).unwrap());
    assert_same(&still, &[0.0; 6], "the world does not move");
    assert_eq!(model.frames()[2].body(), Some(body));
    assert_eq!(model.frames()[3].body(), None);
    // A frame of a larger model is not there.
    let larger = tree_of(9, 0);
    let far = larger.find_frame("body8").expect("is there");
    assert!(kinematics.frame_pose(far).is_none() && kinematics.pose(larger.body_id(8).expect("is there")).is_none());
}

/// `set` must fail; what it says.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, ModelError>, words: &[&str]) -> ModelError {
    let error = result.expect_err("must be refused");
    let message = error.to_string();
    assert!(words.iter().all(|word| message.contains(word)), "{message:?} has not all of {words:?}");
    error
}

#[test]
fn every_error_of_the_builder_names_its_culprit() {
    let mut builder = ModelBuilder::new("bad");
    let a = add(&mut builder, None, "a", HINGE);
    let b = add(&mut builder, Some(a), "b", Spherical);
    let mut longer = builder.clone();
    let foreign = add(&mut longer, None, "c", HINGE);
    let (x, y) = (Transform::identity(), inertia(&mut rng(0)));

    // Bodies that are not there.
    let unknown = |e: ModelError| assert!(matches!(e, ModelError::UnknownBody { .. }), "{e}");
    unknown(refused(builder.clone().add_body(Some(foreign), "c", "j c", x, HINGE, y), &["c"]));
    unknown(refused(builder.clone().add_frame(Some(foreign), "tool", x), &["tool"]));
    unknown(refused(builder.clone().set_armature(foreign, &[1.0]), &["armature"]));
    unknown(refused(builder.clone().set_damping(foreign, &[1.0]), &["damping"]));
    unknown(refused(builder.clone().set_friction(foreign, &[1.0]), &["friction"]));
    unknown(refused(builder.clone().set_q_limits(foreign, &[]), &["limits"]));
    unknown(refused(builder.clone().set_velocity_limits(foreign, &[]), &["limits"]));
    unknown(refused(builder.clone().set_effort_limits(foreign, &[]), &["limits"]));
    unknown(refused(builder.clone().set_mimic(foreign, a, 1.0, 0.0), &["mimic"]));
    unknown(refused(builder.clone().set_mimic(a, foreign, 1.0, 0.0), &["leader"]));

    // Lists of wrong lengths.
    let length = |e: ModelError| assert!(matches!(e, ModelError::Length { .. }), "{e}");
    length(refused(builder.clone().set_armature(b, &[1.0]), &["armature", "j b", "1", "3"]));
    length(refused(builder.clone().set_damping(a, &[1.0, 2.0]), &["damping", "j a", "1", "2"]));
    length(refused(builder.clone().set_friction(a, &[]), &["friction", "j a", "0", "1"]));
    length(refused(builder.clone().set_q_limits(b, &[(0.0, 1.0); 3]), &["limits", "j b", "3", "4"]));
    length(refused(builder.clone().set_velocity_limits(b, &[1.0; 4]), &["velocity", "j b", "4", "3"]));
    length(refused(builder.clone().set_effort_limits(a, &[1.0; 2]), &["effort", "j a", "2", "1"]));

    // Names twice.
    let twice = |name: &str, joint: &str, frame: &str| {
        let mut builder = builder.clone();
        builder.add_body(None, name, joint, x, HINGE, y).expect("found when built");
        builder.add_frame(None, frame, x).expect("found when built");
        builder.build()
    };
    let duplicate = |what, name: &str| ModelError::DuplicateName { what, name: name.to_owned() };
    assert_eq!(refused(twice("a", "j c", "f"), &["`a`"]), duplicate("body", "a"));
    assert_eq!(refused(twice("c", "j b", "f"), &["`j b`"]), duplicate("joint", "j b"));
    assert_eq!(refused(twice("c", "j c", "b"), &["`b`"]), duplicate("frame", "b"));
    twice("c", "j c", "f").expect("all different");

    // Numbers that are none.
    let number = |e: ModelError| assert!(matches!(e, ModelError::BadNumber { .. }), "{e}");
    number(refused(builder.clone().set_q_limits(a, &[(1.0, 0.0)]), &["j a", "1", "lower <= upper"]));
    number(refused(builder.clone().set_q_limits(a, &[(f64::NAN, 0.0)]), &["j a", "NaN"]));
    number(refused(builder.clone().set_q_limits(a, &[(f64::INFINITY, f64::INFINITY)]), &["lower limit", "j a", "inf"]));
    let none = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    number(refused(builder.clone().set_q_limits(a, &[none]), &["upper limit", "j a", "-inf"]));
    number(refused(builder.clone().set_velocity_limits(a, &[-1.0]), &["j a", "-1"]));
    number(refused(builder.clone().set_effort_limits(a, &[f64::NAN]), &["j a", "NaN"]));
    number(refused(builder.clone().set_mimic(a, a, f64::NAN, 0.0), &["j a"]));
    number(refused(builder.clone().set_mimic(a, a, 1.0, f64::INFINITY), &["j a"]));
    let nan = f64::NAN;
    let with = |x: Transform<f64>, joint: Joint, y: Inertia<f64>| {
        let mut builder = builder.clone();
        builder.add_body(None, "c", "j c", x, joint, y).expect("found when built");
        builder.build()
    };
    let bad_place = Transform::new(Matrix3::identity(), Vector3::new(0.0, nan, 0.0));
    let bad_turn = Transform::new(Matrix3::identity() * nan, Vector3::zeros());
    number(refused(with(bad_place, HINGE.into(), y), &["placement", "j c"]));
    number(refused(with(bad_turn, HINGE.into(), y), &["placement", "j c"]));
    number(refused(with(x, HINGE.into(), Inertia::new(nan, y.com, y.rotational)), &["mass", "c"]));
    number(refused(with(x, HINGE.into(), Inertia::new(1.0, y.com * nan, y.rotational)), &["mass center", "c"]));
    let rotational = Symmetric3::diagonal(1.0, f64::INFINITY, 1.0);
    number(refused(with(x, HINGE.into(), Inertia::new(1.0, y.com, rotational)), &["rotational inertia", "c"]));
    let bad_axis = Revolute { axis: Axis::Any(Vector3::new(nan, 0.0, 0.0)) };
    number(refused(with(x, bad_axis.into(), y), &["axis", "j c", "NaN"]));
    let long = Axis::Any(Vector3::new(0.0, 0.0, 2.0));
    let short = Axis::Any(Vector3::new(0.0, 1.0 - 1e-8, 0.0));
    for joint in [
        Revolute { axis: long }.into(),
        Continuous { axis: long }.into(),
        Prismatic { axis: long }.into(),
        Helical { axis: long, pitch: 0.1 }.into(),
        Cylindrical { axis: long }.into(),
        Universal { first: Axis::X, second: long }.into(),
        Universal { first: long, second: Axis::X }.into(),
        Joint::from(Planar::new(long)),
        Composite::new([HINGE.into(), Revolute { axis: long }.into()]).into(),
    ] {
        number(refused(with(x, joint, y), &["length of the axis", "j c", "is 2:"]));
    }
    number(refused(with(x, Revolute { axis: short }.into(), y), &["length of the axis", "j c", "0.99999999"]));
    with(x, Revolute { axis: Axis::Any(Vector3::new(0.0, 1.0 + 1e-10, 0.0)) }.into(), y).expect("ten digits will do");
    let placement = |e: ModelError| assert!(matches!(e, ModelError::Placement { .. }), "{e}");
    let stretched = Transform::new(Matrix3::identity() * 2.0, Vector3::zeros());
    let mirrored = Transform::new(-Matrix3::identity(), Vector3::zeros());
    placement(refused(with(stretched, HINGE.into(), y), &["placement", "j c", "not orthonormal"]));
    placement(refused(with(mirrored, HINGE.into(), y), &["placement", "j c", "reflection"]));
    let row = Composite::with_placements([(stretched, HINGE.into())]);
    placement(refused(with(x, row.into(), y), &["placement", "j c", "not orthonormal"]));
    let bad_pitch = Helical { axis: Axis::X, pitch: f64::INFINITY };
    number(refused(with(x, Composite::new([bad_pitch.into()]).into(), y), &["pitch", "j c", "inf"]));
    for set in [ModelBuilder::set_armature, ModelBuilder::set_damping, ModelBuilder::set_friction] {
        for value in [nan, f64::INFINITY, -1e-9] {
            let mut builder = builder.clone();
            set(&mut builder, a, &[value]).expect("found when built");
            number(refused(builder.build(), &["j a", &value.to_string()]));
        }
    }
    // The reader of files refuses these too.
    number(refused(
        with(x, HINGE.into(), Inertia::new(-1.0, y.com, y.rotational)),
        &["mass", "c", "-1", "not negative"],
    ));
    let mut negative = ModelBuilder::<Dual64>::new("dual");
    let hinge = Revolute::<Dual64> { axis: Axis::Z };
    let key = negative.add_body(None, "c", "j c", x.lift(), hinge, Inertia::zero()).expect("found when built");
    negative.set_damping(key, &[Dual64::new(-2.0, 1.0)]).expect("found when built");
    let error = refused(negative.build().map(|_| ()), &["damping", "j c", "not negative"]);
    number(error);
    let mut heavy = builder.clone();
    heavy.set_gravity(Vector3::new(0.0, nan, 0.0));
    number(refused(heavy.build(), &["gravity", "bad"]));
    // Width zero is the sign of the velocity, which has no derivative at rest.
    for width in [0.0, -0.1, f64::NAN, f64::INFINITY, 1e-154, 1e-200] {
        let mut builder = builder.clone();
        builder.set_friction_width(width);
        number(refused(builder.build(), &["friction width", "bad", &width.to_string()]));
    }
    let mut narrow = builder.clone();
    narrow.set_friction_width(1.6e-154);
    narrow.build().expect("its square is a number");
    let mut bad_frame = builder.clone();
    bad_frame.add_frame(Some(a), "tool", bad_place).expect("found when built");
    number(refused(bad_frame.build(), &["placement", "tool"]));
    let mut bad_frame = builder.clone();
    bad_frame.add_frame(Some(a), "tool", mirrored).expect("found when built");
    placement(refused(bad_frame.build(), &["placement", "tool", "reflection"]));
}

#[test]
fn mimic_joints_follow_through_chains_whatever_came_first() {
    let build = |followers_first: bool| {
        let mut builder = ModelBuilder::new("chain of followers");
        let mut key = |name| add(&mut builder, None, name, HINGE);
        let (leader, middle, last) = if followers_first {
            let (last, middle) = (key("last"), key("middle"));
            (key("leader"), middle, last)
        } else {
            (key("leader"), key("middle"), key("last"))
        };
        builder.set_mimic(last, middle, 3.0, 0.5).expect("one coordinate each");
        builder.set_mimic(middle, leader, -2.0, 0.1).expect("one coordinate each");
        builder.set_q_limits(last, &[(-0.1, 0.1)]).expect("its own, which the leader has not");
        builder.build().expect("builds")
    };
    for followers_first in [false, true] {
        let model = build(followers_first);
        assert_eq!((model.nq(), model.nv()), (1, 1));
        let body = |name: &str| &model.bodies()[model.find_body(name).expect("is there").index()];
        let Joint::Mimic(last) = body("last").joint() else { panic!("it follows") };
        // 3 (−2 q + 0.1) + 0.5
        assert_near(&[last.multiplier(), last.offset()], &[-6.0, 0.8], 1e-15, "last");
        assert!(body("leader").owns_coordinates() && !body("last").owns_coordinates());
        assert_eq!((body("last").q_range(), body("last").v_range()), (0..1, 0..1));
        assert_eq!(model.limits().q_upper, [f64::INFINITY]);
        assert_eq!(model.dof_names(), ["j leader"]);
        assert_eq!(model.joint_of_dof(0), model.find_body("leader"));
        let mut ws = Workspace::new(&model);
        let kinematics = forward_kinematics(&model, &mut ws, &[0.3], &[1.0], &[0.0]).expect("runs");
        let pose = kinematics.pose(model.find_body("last").expect("is there")).unwrap();
        let angle: f64 = -6.0 * 0.3 + 0.8;
        assert_near(&[pose.rotation[(1, 0)], pose.rotation[(0, 0)]], &[angle.sin(), angle.cos()], 1e-15, "angle");
        run_everything(&model);
    }

    // Circles, and what cannot follow or lead.
    let mimic = |e: ModelError| assert!(matches!(e, ModelError::Mimic { .. }), "{e}");
    let circle = |edges: &[(usize, usize)]| {
        let mut builder = ModelBuilder::new("circle");
        let keys: Vec<_> = ["a", "b", "c", "d"].map(|name| add(&mut builder, None, name, HINGE)).to_vec();
        for (follower, leader) in edges {
            builder.set_mimic(keys[*follower], keys[*leader], 1.0, 0.0).expect("found when built");
        }
        builder.build()
    };
    for edges in [&[(0, 0)][..], &[(0, 1), (1, 0)], &[(0, 1), (1, 2), (2, 0)], &[(3, 0), (0, 1), (1, 2), (2, 1)]] {
        mimic(refused(circle(edges), &["cannot follow"]));
    }
    mimic(refused(circle(&[(0, 0)]), &["j a", "it would follow itself"]));
    mimic(refused(circle(&[(0, 1), (1, 0)]), &["j a", "j b", "in a circle"]));
    circle(&[(0, 1), (1, 2), (2, 3)]).expect("a chain");
    // What is finite link by link, and not along the chain.
    for (k, b, what) in [(1e200, 0.0, "multiplier"), (-1e200, 0.0, "multiplier"), (1e200, 1e200, "offset")] {
        let mut builder = ModelBuilder::new("far");
        let keys = ["a", "b", "c"].map(|name| add(&mut builder, None, name, HINGE));
        let first = if b == 0.0 { k } else { 0.0 };
        builder.set_mimic(keys[2], keys[1], k, 0.0).expect("found when built");
        builder.set_mimic(keys[1], keys[0], first, b).expect("found when built");
        let error = refused(builder.build(), &[what, "j c", "inf"]);
        assert!(matches!(error, ModelError::BadNumber { .. }), "{error}");
    }
    let mut builder = ModelBuilder::new("wide");
    let (ball, hinge) = (add(&mut builder, None, "ball", Spherical), add(&mut builder, None, "hinge", HINGE));
    let row = add(&mut builder, None, "row", Composite::new([HINGE.into()]));
    mimic(refused(builder.clone().set_mimic(hinge, ball, 1.0, 0.0), &["j hinge", "j ball"]));
    for (follower, name) in [(ball, "j ball"), (row, "j row")] {
        let mut builder = builder.clone();
        builder.set_mimic(follower, hinge, 1.0, 0.0).expect("found when built");
        mimic(refused(builder.build(), &[name, "j hinge"]));
    }
    let lonely = Mimic::new(HINGE.into(), 2.0, 0.0).expect("one coordinate");
    let (x, y) = (Transform::identity(), inertia(&mut rng(0)));
    mimic(refused(builder.add_body(None, "c", "j c", x, lonely, y), &["j c", "set_mimic"]));
    assert!(Mimic::new(Spherical.into(), 1.0, 0.0).is_none());
}

/// What follows the angle of a joint is where it would be if that joint had the angle as its coordinate, and so are
/// forces and derivatives.
#[test]
fn joints_follow_angles_given_by_cosine_and_sine() {
    let build = |leader: Joint, follower: Joint| {
        let mut builder = ModelBuilder::new("geared");
        let wheel = add(&mut builder, None, "wheel", leader);
        let planet = add(&mut builder, Some(wheel), "planet", follower);
        let rack = add(&mut builder, Some(planet), "rack", Prismatic { axis: Axis::X });
        let last = add(&mut builder, None, "last", HINGE);
        add(&mut builder, Some(rack), "free", HINGE);
        builder.set_mimic(planet, wheel, -3.0, 0.4).expect("one degree of freedom each");
        builder.set_mimic(rack, planet, 0.5, 0.1).expect("one degree of freedom each");
        builder.set_mimic(last, wheel, 0.7, 0.0).expect("one degree of freedom each");
        builder.set_armature(last, &[0.2]).expect("one degree of freedom");
        builder.set_damping(planet, &[0.3]).expect("one degree of freedom");
        builder.build().expect("builds")
    };
    let (hinge, wheel) = (Revolute { axis: Axis::Y }, Continuous { axis: Axis::Y });
    let by_angle = build(hinge.into(), hinge.into());
    let by_direction = build(wheel.into(), wheel.into());
    assert_eq!((by_angle.nq(), by_direction.nq(), by_direction.nv()), (2, 3, 2));
    let (mut one, mut two) = (DerivativeWorkspace::new(&by_angle), DerivativeWorkspace::new(&by_direction));
    let (v, a) = ([0.7, -0.4], [1.1, 0.6]);
    for angle in [-3.0_f64, -0.5, 0.0, 1.3, 3.1] {
        let (q1, q2) = ([angle, 0.2], [angle.cos(), angle.sin(), 0.2]);
        for method in [Method::Analytical, Method::Dual, Method::Difference] {
            let expected = rnea_derivatives(&by_angle, &mut one, Method::Analytical, &q1, &v, &a, &[]).expect("runs");
            let found = rnea_derivatives(&by_direction, &mut two, method, &q2, &v, &a, &[]).expect("runs");
            // Some roundings of numbers up to 100, or what differences reach.
            let tolerance = if method == Method::Difference { 1e-6 } else { 1e-13 };
            assert_near(found.tau.as_slice(), expected.tau.as_slice(), 1e-13, format!("{angle}: tau"));
            for (x, y) in [
                (&found.dtau_dq, &expected.dtau_dq),
                (&found.dtau_dv, &expected.dtau_dv),
                (&found.dtau_da, &expected.dtau_da),
            ] {
                assert_near(x.as_slice(), y.as_slice(), tolerance, format!("{angle}: {method:?}"));
            }
        }
        let step = [0.3, 0.1];
        let end1: Vec<f64> = by_angle.integrate(&q1, &step).expect("fits");
        let end2: Vec<f64> = by_direction.integrate(&q2, &step).expect("fits");
        assert_near(&end2, &[end1[0].cos(), end1[0].sin(), end1[1]], 1e-15, "integrate");
        assert_near(&by_direction.difference(&q2, &end2).expect("fits"), &step, 1e-15, "difference");
    }
    run_everything(&by_direction);
}

#[test]
fn changes_of_bodies_that_are_not_there_are_refused() {
    let (small, large) = (tree_of(3, 1), tree_of(30, 1));
    let body = large.body_id(20).expect("is there");
    let is_foreign = |error| matches!(error, Some(InputError::OtherModel { what: "body", index: 20, .. }));
    assert!(is_foreign(small.clone().with_inertia(body, inertia(&mut rng(0))).err()));
    assert!(is_foreign(small.clone().with_placement(body, Transform::identity()).err()));
    // Nor is what is no pose taken.
    let first = small.body_id(0).expect("is there");
    let nan = Transform::new(Matrix3::identity(), Vector3::new(0.0, f64::NAN, 0.0));
    for (x, words) in [(nan, "NaN"), (Transform::new(Matrix3::zeros(), Vector3::zeros()), "not orthonormal")] {
        let error = small.clone().with_placement(first, x).expect_err("no pose");
        let message = error.to_string();
        assert!(matches!(error, InputError::Placement { .. }), "{message}");
        assert!(message.contains("joint0") && message.contains(words), "{message}");
    }
    let mut dofs = large.joint_dynamics().to_vec();
    dofs.retain(|dof| dof.index >= small.nv());
    assert!(matches!(small.with_joint_dynamics(dofs), Err(InputError::Length { .. })));
}

/// Gravity that is no number is what errors name, whatever result it spoils.
#[test]
fn gravity_that_is_not_finite_is_named() {
    for (what, model) in [("tree", tree_of(4, 2)), ("panda", testing::robot("panda", &UrdfOptions::new()))] {
        let model = model.with_gravity(Vector3::new(0.0, f64::NAN, -9.81));
        let (q, v, a) = state(&model, 1);
        let ws = &mut Workspace::new(&model);
        let by = &mut DerivativeWorkspace::new(&model);
        let mut errors = vec![
            rnea(&model, ws, &q, &v, &a, &[]).map(|_| ()),
            aba(&model, ws, &q, &v, &a, &[]).map(|_| ()),
            bias(&model, ws, &q, &v, &[]).map(|_| ()),
            generalized_gravity(&model, ws, &q).map(|_| ()),
            potential_energy(&model, ws, &q).map(|_| ()),
            mechanical_energy(&model, ws, &q, &v).map(|_| ()),
        ];
        for method in Method::ALL {
            errors.push(rnea_derivatives(&model, by, method, &q, &v, &a, &[]).map(|_| ()));
        }
        for (k, found) in errors.into_iter().enumerate() {
            let error = found.expect_err("gravity is no number");
            assert!(matches!(error, InputError::NotFinite { what: "gravity", index: 1, .. }), "{what}, {k}: {error}");
        }
        // Other results do not depend on it.
        forward_kinematics(&model, ws, &q, &v, &a).expect("runs");
        crba(&model, ws, &q).expect("runs");
    }
}

/// Random coordinates are numbers within the limits, whatever these are.
#[test]
fn random_configurations_are_finite() {
    let inf = f64::INFINITY;
    for limits in [(-inf, inf), (3.0, inf), (-inf, -3.0), (2.0, 2.0), (-f64::MAX, f64::MAX), (f64::MAX, inf)] {
        let mut builder = ModelBuilder::new("limited");
        let key = add(&mut builder, None, "a", HINGE);
        builder.set_q_limits(key, &[limits]).expect("are limits");
        let model = builder.build().expect("builds");
        let q = model.random(&mut rng(3))[0];
        assert!(q.is_finite() && limits.0 <= q && q <= limits.1, "{limits:?}: {q}");
    }
}
