//! States that are none, and ids of another model: errors that name the thing, never a wrong number.

use gradyn::batch::Batch;
use gradyn::dynamics::{
    Constraint, ReferenceFrame, Workspace, constraint_dynamics, constraint_rank, factorize_mass_matrix,
    forward_kinematics, rnea,
};
use gradyn::joint::{Axis, Composite, Continuous, FreeFlyer, Prismatic};
use gradyn::model::{InputError, Model, ModelBuilder};
use gradyn::num_dual::Dual64;
use gradyn::partials::{
    DerivativeWorkspace, Method, constraint_dynamics_derivatives, impulse_dynamics_derivatives, rnea_derivatives,
};
use gradyn::{ExternalWrench, Force, Scalar, Transform, UrdfOptions, once};
use gradyn_derivatives::Dual8;
use nalgebra::{DMatrix, Vector3};
use rand::RngExt;
use testing::{assert_near, inertia, models, rng, state, transform, tree_of_every_joint};

fn solo12() -> Model {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/solo12.urdf");
    Model::from_urdf_file(file, &UrdfOptions::new().floating_base(true)).expect("is good").model
}

/// Inverse dynamics of a state.
fn torques<T: Scalar>(model: &Model, q: &[T], v: &[T], a: &[T]) -> Result<Vec<T>, InputError> {
    once::rnea(model, q, v, a, &[])
}

/// The length that the error names.
fn length<R>(result: Result<R, InputError>) -> Option<f64> {
    match result {
        Err(InputError::NotNormalized { norm, .. }) => Some(norm),
        _ => None,
    }
}

/// The message, word for word.
#[test]
fn a_quaternion_of_another_length_is_named_with_its_joint_and_its_length() {
    let model = solo12();
    let (mut q, v) = (model.neutral::<f64>(), vec![0.0; model.nv()]);
    let zeros = torques(&model, &vec![0.0; model.nq()], &v, &v).expect_err("no rotation");
    let text = "joint `root_joint`: the quaternion in q[3..7] has length 0, not 1 (tolerance 1e-6); `Model::normalize` makes it so";
    assert_eq!(zeros.to_string(), text);
    q[6] = 1.1;
    let long = torques(&model, &q, &v, &v).expect_err("no rotation");
    assert_eq!(long.to_string(), text.replace("length 0", "length 1.1"));
    model.normalize(&mut q).expect("finite");
    assert_eq!(q, model.neutral::<f64>());
    let named = model.difference(&model.neutral::<f64>(), &vec![0.0; model.nq()]).expect_err("none").to_string();
    assert_eq!(named, text.replace("q[3..7]", "q1[3..7]"));
}

/// So is a (cos, sin) pair, also one within a composite, over any number type, and also where numbers are too large to
/// be squared.
#[test]
fn a_direction_within_a_composite_is_named_over_every_number_type() {
    let mut builder = ModelBuilder::new("row");
    let parts =
        Composite::new([Prismatic { axis: Axis::X }.into(), FreeFlyer.into(), Continuous { axis: Axis::Z }.into()]);
    builder.add_body(None, "body", "joint", transform(&mut rng(1)), parts, inertia(&mut rng(0))).expect("fits");
    let model = builder.build().expect("builds");
    let v = vec![0.1; model.nv()];
    let named = |q: &[f64]| {
        let plain = torques(&model, q, &v, &v).expect_err("no configuration");
        let dual = |x: &[f64]| x.iter().map(|x| Dual64::new(*x, 0.3)).collect::<Vec<_>>();
        let wide = |x: &[f64]| x.iter().map(|x| Dual8::from(*x)).collect::<Vec<_>>();
        assert_eq!(torques(&model, &dual(q), &dual(&v), &dual(&v)).as_ref(), Err(&plain));
        assert_eq!(torques(&model, &wide(q), &wide(&v), &wide(&v)).as_ref(), Err(&plain));
        plain.to_string()
    };
    let mut q = model.neutral::<f64>();
    q[8..].copy_from_slice(&[0.3, -0.4]);
    assert!(named(&q).starts_with("joint `joint`: the (cos, sin) in q[8..10] has length 0.5, not 1"), "{}", named(&q));
    q[8..].copy_from_slice(&[0.0, 1e300]);
    assert!(named(&q).contains("q[8..10] has length 1000"), "{}", named(&q));
    q[8] = f64::NEG_INFINITY;
    assert_eq!(named(&q), "`q[8]` (joint joint) is -inf, which is not finite");
}

/// Lengths off by no more than single precision leave are taken as they are, and what they change is of that size: at
/// most four times as much, by two turns of gravity and of forces with an error of twice the length's each.
#[test]
fn lengths_within_the_tolerance_pass_and_change_results_by_as_much() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 5);
        let at_one = torques(&model, &q, &v, &a).expect("valid");
        let size = at_one.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for (off, passes) in
            [(1e-7, true), (-9e-7, true), (1.1e-6, false), (-1.1e-6, false), (0.1, false), (-1.0, false)]
        {
            let mut q = q.clone();
            for body in
                model.bodies().iter().filter(|body| body.owns_coordinates() && body.joint().kind() != "composite")
            {
                let at = match body.joint().kind() {
                    "free-flyer" => 3..7,
                    "planar" => 2..4,
                    "spherical" | "continuous" => 0..body.q_range().len(),
                    _ => continue,
                };
                let own = &mut q[body.q_range()];
                let range = if body.joint().kind() == "continuous" && own.len() == 1 { 0..0 } else { at };
                own[range].iter_mut().for_each(|x| *x *= 1.0 + off);
            }
            let there = model.nq() > model.nv();
            match torques(&model, &q, &v, &a) {
                Ok(tau) => {
                    assert!(passes || q == state(&model, 5).0, "{what}: {off:e} passes");
                    assert_near(&tau, &at_one, 20.0 * off.abs() * (1.0 + size), format!("{what}: {off:e}"));
                }
                Err(error) => assert!(!passes && there, "{what}: {off:e}: {error}"),
            }
        }
    }
}

/// Every public function that takes a configuration asks whether it is one.
#[test]
fn every_function_refuses_a_quaternion_of_length_zero() {
    let model = solo12();
    let (nq, nv) = (model.nq(), model.nv());
    let (q, x, good) = (vec![0.0; nq], vec![0.1; nv], model.neutral::<f64>());
    let (body, frame) = (model.body_id(3).expect("is there"), model.find_frame("FL_FOOT").expect("is there"));
    let (local, p) = (ReferenceFrame::Local, Vector3::new(0.1, 0.2, 0.3));
    let held = [Constraint::contact(body, p, p)];
    let m = &model;
    macro_rules! refused {
        ($($call:expr),* $(,)?) => { [$((stringify!($call), length($call))),*] };
    }
    let asked = refused![
        torques(m, &q, &x, &x),
        once::aba(m, &q, &x, &x, &[]),
        once::crba(m, &q),
        once::minv(m, &q),
        once::bias(m, &q, &x, &[]),
        once::generalized_gravity(m, &q),
        once::static_torque(m, &q, &[]),
        once::coriolis_matrix(m, &q, &x),
        once::solve_mass_matrix(m, &q, &x),
        once::rnea_derivatives(m, &q, &x, &x, &[]),
        once::rnea_gradient(m, &q, &x, &x, &x, &[]),
        once::aba_gradient(m, &q, &x, &x, &x, &[]),
        once::kinetic_energy(m, &q, &x),
        once::potential_energy(m, &q),
        once::mechanical_energy(m, &q, &x),
        once::centroidal(m, &q, &x, &x),
        once::centroidal_derivatives(m, &q, &x, &x),
        once::frame_pose(m, &q, frame),
        once::frame_velocity(m, &q, &x, frame, local),
        once::frame_acceleration(m, &q, &x, &x, frame, local),
        once::jacobian_transpose_derivatives(m, &q, frame, local, gradyn::Force::zero()),
        once::rnea_second_derivatives(m, &q, &x, &x, &[]),
        once::centroidal_momentum_matrix(m, &q),
        once::com_jacobian(m, &q, None),
        once::frame_jacobian(m, &q, frame, local),
        once::point_jacobian(m, &q, body, p, local),
        once::joint_jacobians(m, &q),
        once::torque_regressor(m, &q, &x, &x),
        once::constraint_error(m, &q, &held),
        once::constraint_jacobian(m, &q, &held),
        once::constraint_bias(m, &q, &x, &held),
        once::constraint_dynamics(m, &q, &x, &x, &held, &[]),
        once::impulse_dynamics(m, &q, &x, 0.0, &held),
        m.integrate(&q, &x),
        m.difference(&q, &good),
        m.difference(&good, &q),
        m.interpolate(&q, &good, 0.5),
        m.interpolate(&good, &q, 0.5),
        m.difference_dq0(&q, &good),
        m.difference_dq1(&good, &q),
        m.q_dot_into(&q, &x, &mut vec![0.0; nq]),
        m.check_configuration(&q),
        factorize_mass_matrix(m, &mut Workspace::new(m), &q),
        rnea_derivatives(m, &mut DerivativeWorkspace::new(m), Method::Analytical, &q, &x, &x, &[]),
        rnea_derivatives(m, &mut DerivativeWorkspace::new(m), Method::Dual, &q, &x, &x, &[]),
        rnea_derivatives(m, &mut DerivativeWorkspace::new(m), Method::Difference, &q, &x, &x, &[]),
    ];
    for (call, length) in asked {
        assert_eq!(length, Some(0.0), "{call}");
    }
}

/// In a batch such a state is reported, and its results are no numbers; those beside it are what they are alone.
#[test]
fn a_batch_reports_states_that_are_none() {
    let model = solo12();
    let (nq, nv, n) = (model.nq(), model.nv(), 21);
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for s in 0..n {
        let (own_q, own_v, _) = state(&model, s);
        q.extend(own_q);
        v.extend(own_v);
    }
    let off = [(2, 1.1), (8, 0.0), (9, 1.0 + 1e-5), (20, 0.5)];
    for (s, length) in off {
        q[s * nq + 3..s * nq + 7].iter_mut().for_each(|x| *x *= length);
    }
    let mut tau = vec![0.0; 21 * nv];
    let mut matrices = vec![0.0; 21 * nv * nv];
    let mut batch = Batch::new(&model);
    let is_off = |s: usize| off.iter().any(|(other, _)| *other == s);
    let mut ws = Workspace::new(&model);
    let finite = batch.rnea(&model, &q, &v, &v, &mut tau).expect("fits");
    for s in 0..21 {
        assert_eq!(finite.state(s), !is_off(s), "state {s}");
        let (q, v) = (&q[s * nq..][..nq], &v[s * nv..][..nv]);
        match rnea(&model, &mut ws, q, v, v, &[]) {
            Ok(alone) => assert_near(&tau[s * nv..][..nv], alone, 1e-12, format!("state {s}")),
            Err(error) => assert!(is_off(s) && tau[s * nv..][..nv].iter().all(|x| x.is_nan()), "state {s}: {error}"),
        }
    }
    let finite = batch.crba(&model, &q, &mut matrices).expect("fits");
    for s in 0..21 {
        assert_eq!(finite.state(s), !is_off(s), "mass matrix of state {s}");
        assert_eq!(
            matrices[s * nv * nv..][..nv * nv].iter().all(|x| x.is_nan()),
            is_off(s),
            "mass matrix of state {s}"
        );
    }
}

/// Steps of all sizes, a million of them one after the other, leave quaternions and (cos, sin) pairs at length one, to
/// rounding; so does the first of them that begins within the tolerance.
#[test]
fn a_million_steps_end_at_a_configuration() {
    let model = tree_of_every_joint(3);
    let rng = &mut rng(9);
    let (mut q, _, _) = state(&model, 3);
    let mut next = q.clone();
    let steps: Vec<Vec<f64>> = (0..50)
        .map(|k| (0..model.nv()).map(|_| (rng.random::<f64>() - 0.5) * 10.0_f64.powi(2 - k % 6)).collect())
        .collect();
    for k in 0..1_000_000 / model.bodies().len() {
        model.integrate_into(&q, &steps[k % 50], &mut next).unwrap_or_else(|error| panic!("step {k}: {error}"));
        std::mem::swap(&mut q, &mut next);
        // Far from home positions lose digits, which is no matter of directions.
        if k % 1000 == 0 {
            let home = model.neutral::<f64>();
            for body in model.bodies().iter().filter(|body| body.q_range().len() == body.v_range().len()) {
                q[body.q_range()].copy_from_slice(&home[body.q_range()]);
            }
        }
    }
    for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
        let error = gradyn::joint::JointKind::norm_error(body.joint(), &q[body.q_range()]);
        assert!(error < 4.0 * f64::EPSILON, "{}: off by {error:e}", body.joint_name());
    }

    let model = solo12();
    let mut q = model.neutral::<f64>();
    q[6] = 1.0 - 9e-7;
    for k in 0..1_000_000 {
        let step = &steps[k % 50][..model.nv().min(steps[0].len())];
        let mut v = vec![0.0; model.nv()];
        v[3..6].copy_from_slice(&step[..3]);
        let mut to = vec![0.0; model.nq()];
        model.integrate_into(&q, &v, &mut to).unwrap_or_else(|error| panic!("step {k}: {error}"));
        q = to;
    }
    let norm = q[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!((norm - 1.0).abs() < 4.0 * f64::EPSILON, "length {norm}");
}

/// What is too large, or no number, is an error that names the joint: of every function that moves along
/// configurations.
#[test]
fn moving_by_what_is_too_large_is_an_error_that_names_the_joint() {
    for (what, model) in models() {
        let (q, v, _) = state(&model, 8);
        let (nq, nv) = (model.nq(), model.nv());
        let x = DMatrix::from_element(nv, 2, 0.5);
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e155, -1e200, f64::MAX] {
            for dof in 0..nv {
                let owner = model.joint_of_dof(dof).expect("has one");
                let name = model.bodies()[owner.index()].joint_name();
                let mut step = v.clone();
                step[dof] = value;
                let mut out = vec![0.0; nq];
                let (mut a, mut b) = (DMatrix::zeros(nv, nv), DMatrix::zeros(nv, nv));
                let results = [
                    ("integrate", model.integrate(&q, &step)),
                    ("q_dot", model.q_dot_into(&q, &step, &mut out).map(|()| out.clone())),
                    ("integrate_dq", model.integrate_dq(&step).map(|m| m.as_slice().to_vec())),
                    ("integrate_dv", model.integrate_dv(&step).map(|m| m.as_slice().to_vec())),
                    (
                        "integrate_derivatives",
                        model
                            .integrate_derivatives_into(&step, &mut a, &mut b)
                            .map(|()| [a.as_slice(), b.as_slice()].concat()),
                    ),
                    ("transport_dq", model.transport_dq(&step, &x).map(|m| m.as_slice().to_vec())),
                    ("transport_dv", model.transport_dv(&step, &x).map(|m| m.as_slice().to_vec())),
                ];
                for (call, result) in results {
                    finite_or_named(format!("{what}: {call} with v[{dof}] = {value:e}"), result, value, name);
                }
                let mut across = x.clone();
                across[(dof, 1)] = value;
                for (call, result) in [
                    ("transport_dq", model.transport_dq(&v, &across)),
                    ("transport_dv", model.transport_dv(&v, &across)),
                ] {
                    let result = result.map(|m| m.as_slice().to_vec());
                    finite_or_named(format!("{what}: {call} of x[{dof}] = {value:e}"), result, value, name);
                }
            }
            for index in 0..nq {
                let owner = model.bodies().iter().find(|b| b.owns_coordinates() && b.q_range().contains(&index));
                let name = owner.expect("has one").joint_name();
                let mut far = q.clone();
                far[index] = value;
                let mut opposite = q.clone();
                opposite[index] = -value;
                for (from, to) in [(&q, &far), (&far, &q), (&far, &opposite)] {
                    let results = [
                        ("difference", model.difference(from, to)),
                        ("interpolate", model.interpolate(from, to, 0.3)),
                        ("difference_dq0", model.difference_dq0(from, to).map(|m| m.as_slice().to_vec())),
                        ("difference_dq1", model.difference_dq1(from, to).map(|m| m.as_slice().to_vec())),
                    ];
                    for (call, result) in results {
                        finite_or_named(format!("{what}: {call} with q[{index}] = {value:e}"), result, value, name);
                    }
                }
                let mut mended = far.clone();
                let result = model.normalize(&mut mended).map(|()| mended);
                finite_or_named(format!("{what}: normalize with q[{index}] = {value:e}"), result, value, name);
            }
        }
        let half = model.interpolate(&q, &q, f64::NAN);
        assert!(nq == 0 || half.expect_err("no number").to_string().contains("`t[0]`"), "{what}");
    }
}

/// All numbers are finite, or the error names the joint; what is no number is never taken.
fn finite_or_named(what: String, result: Result<Vec<f64>, InputError>, value: f64, joint: &str) {
    match result {
        Ok(numbers) => {
            assert!(value.is_finite(), "{what} is taken");
            assert!(numbers.iter().all(|x| x.is_finite()), "{what} gives {numbers:?}");
        }
        Err(error) => assert!(error.to_string().contains(joint), "{what}: {error}"),
    }
}

/// So is a right-hand side of the mass matrix.
#[test]
fn right_hand_sides_that_are_no_numbers_are_refused() {
    let model = solo12();
    let q = model.neutral::<f64>();
    for value in [f64::NAN, f64::INFINITY, f64::MAX] {
        let mut b = vec![1.0; model.nv()];
        b[8] = value;
        let error = once::solve_mass_matrix(&model, &q, &b).expect_err("no numbers").to_string();
        let expected = if value.is_finite() { "the result" } else { "`b[8]` (joint FL_KFE" };
        assert!(error.contains(expected) && error.contains("joint"), "{value}: {error}");
        let mut ws = Workspace::new(&model);
        let error = factorize_mass_matrix(&model, &mut ws, &q).expect("fits").solve(&mut b).expect_err("no numbers");
        assert!(error.to_string().contains("[8]") || value.is_finite(), "{error}");
    }
    let mut ws = Workspace::new(&model);
    let by = constraint_dynamics(&model, &mut ws, &q, &[0.0; 18], &[f64::NAN; 18], &[], &[]);
    assert!(by.is_err());
}

/// An id of another model is refused, whether that has a body at its place or not, by a message that names both.
#[test]
fn ids_of_other_models_are_refused_by_name() {
    let (mine, other) = (solo12(), solo12());
    let (body, frame) = (other.body_id(3).expect("is there"), other.find_frame("FL_FOOT").expect("is there"));
    let (q, x, p) = (mine.neutral::<f64>(), vec![0.0; mine.nv()], Vector3::zeros());
    let wrench = ExternalWrench::in_body(body, Force::zero());
    let refused = [
        once::frame_pose(&mine, &q, frame).map(|_| ()),
        once::frame_pose(&mine, &q, body).map(|_| ()),
        once::frame_jacobian(&mine, &q, frame, ReferenceFrame::Local).map(|_| ()),
        once::point_jacobian(&mine, &q, body, p, ReferenceFrame::Local).map(|_| ()),
        once::com_jacobian(&mine, &q, Some(body)).map(|_| ()),
        once::bias(&mine, &q, &x, &[wrench]).map(|_| ()),
        once::constraint_error(&mine, &q, &[Constraint::contact(body, p, p)]).map(|_| ()),
        mine.clone().with_inertia(body, *other.bodies()[3].inertia()).map(|_| ()),
        mine.clone().with_placement(body, *other.bodies()[3].placement()).map(|_| ()),
    ];
    for result in refused {
        let error = result.expect_err("of another model");
        assert!(matches!(error, InputError::OtherModel { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("is one of `solo12` (model ") && text.contains("not of `solo12` (model "), "{text}");
    }
    let mut ws = Workspace::new(&mine);
    let kinematics = forward_kinematics(&mine, &mut ws, &q, &x, &x).expect("valid");
    assert!(kinematics.pose(body).is_none() && kinematics.frame_pose(frame).is_none());
    assert_eq!((mine.subtree(body), mine.supports(body, body)), (0..0, false));
    assert_ne!(mine.body_id(3), Some(body));
    drop(other);
    let text = once::frame_pose(&mine, &q, body).expect_err("of another model").to_string();
    assert!(text.contains("one of a model that no longer exists"), "{text}");
}

/// Clones, lifted models and those with other parameters have the same bodies: they take each other's ids.
#[test]
fn variants_of_a_model_take_its_ids() {
    let model = solo12();
    let (body, frame) = (model.body_id(3).expect("is there"), model.find_frame("FL_FOOT").expect("is there"));
    let (q, inertia) = (model.neutral::<f64>(), *model.bodies()[3].inertia());
    let at = once::frame_pose(&model, &q, frame).expect("its own");
    let variants = [
        model.clone(),
        model.clone().with_gravity(Vector3::zeros()).with_joint_friction(false),
        model.clone().with_inertia(body, inertia).expect("its own"),
    ];
    for variant in variants {
        assert_eq!((variant.body_id(3), variant.find_frame("FL_FOOT")), (Some(body), Some(frame)));
        assert_eq!(once::frame_pose(&variant, &q, frame).as_ref(), Ok(&at));
        assert_eq!(variant.bodies()[4].parent(), model.bodies()[4].parent());
    }
    let lifted: Model<Dual64> = model.lift();
    let dual: Vec<Dual64> = q.iter().map(|x| Dual64::from(*x)).collect();
    assert_eq!(once::frame_pose(&lifted, &dual, frame).expect("its own").translation.map(|x| x.re), at.translation);
    assert_eq!(size_of::<Option<gradyn::model::BodyId>>(), 8);
}

/// Four feet held as frames, all legs alike: rows depend on each other here that are independent at every neighbor. The
/// result says that there are no derivatives, by every method, and how clear the rank is; beside it there are, and
/// methods agree.
#[test]
fn where_the_rank_of_contacts_changes_there_are_no_derivatives() {
    let model = solo12();
    let nv = model.nv();
    let feet = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"].map(|name| {
        let frame = &model.frames()[model.find_frame(name).expect("is there").index()];
        Constraint::frame(None, Transform::identity(), frame.body(), *frame.placement())
    });
    let mut q = model.neutral::<f64>();
    for leg in 0..4 {
        (q[7 + 3 * leg + 1], q[7 + 3 * leg + 2]) = (0.6, -1.2);
    }
    let (v, tau) = (vec![0.1; nv], vec![0.2; nv]);
    let mut ws = Workspace::new(&model);
    let rank = constraint_rank(&model, &mut ws, &q, &feet).expect("valid");
    assert!(rank.rank < nv && !rank.is_locally_constant, "{rank:?}");
    // Rounding was dropped; what was kept is clear.
    assert!(rank.margin.dropped < 1e-12 && rank.margin.kept > 1e-4, "{rank:?}");
    let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &feet, &[]).expect("valid");
    assert_eq!((by.rank, by.margin), (rank.rank, rank.margin));
    let mut ws = DerivativeWorkspace::new(&model);
    for method in Method::ALL {
        let by = constraint_dynamics_derivatives(&model, &mut ws, method, &q, &v, &tau, &feet, &[]).expect("valid");
        assert!(!by.rank_is_locally_constant && by.rank == rank.rank, "{method}");
        if let Some(errors) = &by.errors {
            assert!(errors.ddq_dq.iter().chain(&errors.dlambda_dq).all(|x| x.is_infinite()));
            assert!(errors.ddq_dtau.iter().all(|x| x.is_finite()));
        }
        let by = impulse_dynamics_derivatives(&model, &mut ws, method, &q, &v, 0.0, &feet).expect("valid");
        assert!(!by.rank_is_locally_constant, "{method}");
    }
    // Beside it.
    let step: Vec<f64> = (0..nv).map(|k| 0.3 * ((k * 7 + 3) % 11) as f64 / 11.0 - 0.15).collect();
    let beside = model.integrate(&q, &step).expect("valid");
    let rank = constraint_rank(&model, &mut Workspace::new(&model), &beside, &feet).expect("valid");
    assert!(rank.rank == nv && rank.is_locally_constant, "{rank:?}");
    let [exact, dual] = [Method::Analytical, Method::Dual].map(|method| {
        let by =
            constraint_dynamics_derivatives(&model, &mut ws, method, &beside, &v, &tau, &feet, &[]).expect("valid");
        assert!(by.rank_is_locally_constant);
        by.ddq_dq.clone()
    });
    // As many digits as the least part that was kept leaves, twice.
    let allowed = 1e-14 / (rank.margin.kept * rank.margin.kept) * (1.0 + dual.amax());
    assert!((exact - dual).amax() < allowed, "{rank:?}");
}

/// Rows that repeat each other at every configuration are dropped everywhere, and derivatives are what they are.
#[test]
fn rows_that_always_repeat_each_other_leave_derivatives_alone() {
    let model = solo12();
    let (q, v, tau) = state(&model, 4);
    let frame = &model.frames()[model.find_frame("FL_FOOT").expect("is there").index()];
    let contact = Constraint::contact(frame.body().expect("moves"), frame.placement().translation, Vector3::zeros());
    let twice = [contact, contact];
    let rank = constraint_rank(&model, &mut Workspace::new(&model), &q, &twice).expect("valid");
    assert!(rank.rank == 3 && rank.is_locally_constant && rank.margin.dropped < 1e-12, "{rank:?}");
    let once = constraint_rank(&model, &mut Workspace::new(&model), &q, &twice[..1]).expect("valid");
    assert!(once.rank == 3 && once.is_locally_constant && once.margin.dropped <= 0.0, "{once:?}");
    let mut ws = DerivativeWorkspace::new(&model);
    let by = |method, ws: &mut DerivativeWorkspace| {
        constraint_dynamics_derivatives(&model, ws, method, &q, &v, &tau, &twice, &[]).expect("valid").clone()
    };
    let (exact, differences) = (by(Method::Analytical, &mut ws), by(Method::Difference, &mut ws));
    assert!(exact.rank_is_locally_constant && differences.rank_is_locally_constant);
    let errors = differences.errors.expect("estimated");
    let worst = (exact.ddq_dq - differences.ddq_dq).amax();
    assert!(worst <= 10.0 * errors.ddq_dq.amax() + 1e-7, "{worst}");
}
