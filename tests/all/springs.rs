//! Springs of joints: their formula, the energy they store, and what does not feel them.

use gradyn::dynamics::{
    Constraint, Workspace, generalized_gravity, impulse_dynamics, mechanical_energy, potential_energy, rnea,
    static_torque,
};
use gradyn::joint::*;
use gradyn::model::{BentSpring, InputError, Model, ModelBuilder, ModelError, PoseSpring};
use gradyn::once;
use gradyn::partials::{
    DerivativeWorkspace, HessianWorkspace, Method, SecondOrderWorkspace, aba_hessian_product,
    impulse_dynamics_derivatives, impulse_dynamics_hessian, rnea_hessian, rnea_hessian_product,
};
use gradyn::spatial::{Transform, exp3, jlog3, log3};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;
use testing::*;

/// Trees, which have springs on every third joint.
fn springy() -> Vec<(String, Model)> {
    let mut all: Vec<_> = trees().into_iter().filter(|(_, model)| model.has_springs()).collect();
    all.extend(afloat());
    assert!(all.len() > 8, "there are springs");
    all
}

fn torques(model: &Model, q: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
    rnea(model, &mut Workspace::new(model), q, v, a, &[]).expect("runs").to_vec()
}

/// Spring torques as a reader writes them down: by joints and their coordinates, mimic joints by their leaders'.
fn by_hand(model: &Model, q: &[f64]) -> Vec<f64> {
    let mut tau = vec![0.0; model.nv()];
    for (b, body) in model.bodies().iter().enumerate() {
        let id = model.body_id(b).expect("is there");
        let (k, offset) = match body.joint() {
            Joint::Mimic(mimic) => (mimic.multiplier(), mimic.offset()),
            _ => (1.0, 0.0),
        };
        let parts: Vec<Elementary> = match body.joint() {
            Joint::Composite(joint) => joint.parts().iter().map(|part| part.joint).collect(),
            Joint::Elementary(joint) => vec![*joint],
            Joint::Mimic(mimic) => vec![*mimic.inner()],
        };
        // Where coordinates and velocities of each part begin.
        let (mut at_q, mut at_v) = (body.q_range().start, 0);
        for part in parts {
            let (nq, nv) = (JointKind::<f64>::nq(&part), JointKind::<f64>::nv(&part));
            let constants: Vec<_> = (0..nv).filter_map(|i| model.spring_constants(id, at_v + i)).collect();
            if matches!(part, Elementary::Spherical(_) | Elementary::FreeFlyer(_)) && !constants.is_empty() {
                let pose = JointKind::<f64>::pose(&part, &q[at_q..at_q + nq]);
                let to = &mut tau[body.v_range().start + at_v..][..nv];
                of_pose(&pose, &constants).iter().zip(to).for_each(|(x, to)| *to += x);
                (at_q, at_v) = (at_q + nq, at_v + nv);
                continue;
            }
            for i in 0..nv {
                if let Some(spring) = model.spring_of(id, at_v + i) {
                    assert_eq!(nq, nv, "its coordinates are plain numbers");
                    let u = k * q[at_q + i] + offset;
                    tau[body.v_range().start + at_v + i] += k * spring.stiffness * (u - spring.reference);
                }
            }
            (at_q, at_v) = (at_q + nq, at_v + nv);
        }
    }
    tau
}

/// The torque of the springs of a pose, in its own axes, from rotation matrices.
fn of_pose(pose: &Transform<f64>, constants: &[[f64; 2]]) -> Vec<f64> {
    let vector = |first: usize, which: usize| Vector3::from_fn(|i, _| constants[first + i][which]);
    let turns = constants.len() - 3;
    let turn = log3(&(exp3(vector(turns, 1)).transpose() * pose.rotation));
    let mut tau = Vec::new();
    if turns > 0 {
        let apart = pose.translation - vector(0, 1);
        tau.extend_from_slice((pose.rotation.transpose() * vector(0, 0).component_mul(&apart)).as_slice());
    }
    tau.extend_from_slice((jlog3(turn).transpose() * vector(turns, 0).component_mul(&turn)).as_slice());
    tau
}

#[test]
fn torques_are_those_of_the_formula() {
    let mut followers = 0;
    for (n, (what, model)) in springy().into_iter().enumerate() {
        let (q, v, a) = state(&model, n as u64);
        let rigid = model.clone().without_springs();
        let of_joints = by_hand(&model, &q);
        let expected: Vec<f64> = torques(&rigid, &q, &v, &a).iter().zip(&of_joints).map(|(x, y)| x + y).collect();
        // One sum more.
        assert_near(&torques(&model, &q, &v, &a), &expected, 1e-12, &what);
        // Switched-off friction leaves them.
        let smooth = model.clone().with_joint_friction(false);
        let smooth_rigid = rigid.clone().with_joint_friction(false);
        let expected: Vec<f64> =
            torques(&smooth_rigid, &q, &v, &a).iter().zip(&of_joints).map(|(x, y)| x + y).collect();
        assert_near(&torques(&smooth, &q, &v, &a), &expected, 1e-12, &what);
        followers += model.springs().iter().filter(|spring| (spring.multiplier - 1.0).abs() > 0.1).count();
        // Accelerations are those that they leave torques for.
        let left: Vec<f64> = a.iter().zip(&of_joints).map(|(x, y)| x - y).collect();
        if let (Ok(found), Ok(expected)) = (once::aba(&model, &q, &v, &a, &[]), once::aba(&rigid, &q, &v, &left, &[])) {
            // The same algorithm on torques that differ by a rounding, as bad as M is conditioned: up to 1e4.
            assert_near(&found, &expected, 1e-10, format!("{what}: accelerations"));
        }
    }
    assert!(followers > 0, "a mimic joint has a spring");
}

/// `∂U/∂q` is the static torque, and generalized gravity what gravity has of it.
#[test]
fn torques_at_rest_are_the_gradient_of_the_energy() {
    for (n, (what, model)) in springy().into_iter().enumerate() {
        let (q, v, _) = state(&model, n as u64);
        let energy = |model: &Model| -> Vec<f64> {
            let by = |k: usize| {
                let moved = moved(model, &q, &unit(model.nv(), k));
                potential_energy(model, &mut Workspace::<Dual64>::new(model), &moved).expect("runs").eps
            };
            (0..model.nv()).map(by).collect()
        };
        let mut ws = Workspace::new(&model);
        let found = static_torque(&model, &mut ws, &q, &[]).expect("runs").to_vec();
        assert_near(&found, &energy(&model), 1e-12, format!("{what}: static torque"));
        let found = generalized_gravity(&model, &mut ws, &q).expect("runs").to_vec();
        assert_near(&found, &energy(&model.clone().without_springs()), 1e-12, format!("{what}: gravity"));
        // Springs store what they are bent by.
        let stored: f64 = model.springs().iter().map(|spring| spring.energy(q[spring.coordinate])).sum::<f64>()
            + model.pose_springs().iter().map(|spring| at(spring, &q).energy()).sum::<f64>();
        let more = |f: &dyn Fn(&Model) -> f64| f(&model) - f(&model.clone().without_springs());
        let potential = more(&|model| once::potential_energy(model, &q).expect("runs"));
        let mechanical = more(&|model| mechanical_energy(model, &mut Workspace::new(model), &q, &v).expect("runs"));
        let scale = once::potential_energy(&model, &q).expect("runs").abs() + 1.0;
        assert!(stored > 0.0, "{what}");
        for found in [potential, mechanical] {
            assert_close(found, stored, 1e-11, scale.max(stored), &what); // a difference of energies
        }
    }
}

/// The Hessian of `λᵀ τ` is that without them, its gradient and value are not; products with directions know both. Of joints with plain
/// coordinates, that is.
#[test]
fn torques_of_springs_are_linear() {
    let of_plain_coordinates = |model: &Model| model.nv() < 60 && model.pose_springs().is_empty();
    for (n, (what, model)) in springy().into_iter().enumerate().filter(|(_, (_, model))| of_plain_coordinates(model)) {
        let rng = &mut rng(n as u64);
        let (q, v, a) = state(&model, n as u64);
        let lambda: Vec<f64> = v.iter().map(|_| uniform(rng)).collect();
        let along = |rng: &mut _| v.iter().map(|_| uniform(rng)).collect::<Vec<f64>>();
        let (dq, dv, da) = (along(rng), along(rng), along(rng));
        let rigid = model.clone().without_springs();
        let by = |model: &Model| {
            let mut ws = HessianWorkspace::new(model);
            let h = rnea_hessian(model, &mut ws, &q, &v, &a, &lambda, &[]).expect("runs").clone();
            let p =
                rnea_hessian_product(model, &mut ws, &q, &v, &a, &lambda, &dq, &dv, &da, &[]).expect("runs").clone();
            (h, p)
        };
        let ((soft, soft_product), (hard, hard_product)) = (by(&model), by(&rigid));
        for (x, y) in [(&soft.dqq, &hard.dqq), (&soft.dvq, &hard.dvq), (&soft.daq, &hard.daq), (&soft.dvv, &hard.dvv)] {
            assert_eq!(x, y, "{what}");
        }
        assert_eq!(soft_product, hard_product, "{what}");
        let mut expected = hard.dq.clone();
        for spring in model.springs() {
            expected[spring.index] += lambda[spring.index] * spring.multiplier.powi(2) * spring.stiffness;
        }
        assert_near(soft.dq.as_slice(), expected.as_slice(), 1e-13, format!("{what}: gradient"));
        let power: f64 = by_hand(&model, &q).iter().zip(&lambda).map(|(x, y)| x * y).sum();
        assert_close(soft.value - hard.value, power, 1e-11, 1.0 + soft.value.abs() + hard.value.abs(), &what);
    }
}

/// The product of the Hessian of accelerations with a direction is a derivative of the gradient along it.
#[test]
fn second_derivatives_of_accelerations_know_them() {
    for (n, (what, model)) in springy().into_iter().enumerate().filter(|(_, (_, model))| model.nv() < 40) {
        let rng = &mut rng(n as u64 + 5);
        let (q, v, tau) = state(&model, n as u64);
        let mut along = || v.iter().map(|_| uniform(rng)).collect::<Vec<f64>>();
        let (lambda, dq, dv, dtau) = (along(), along(), along(), along());
        let mut ws = SecondOrderWorkspace::new(&model);
        let Ok(found) = aba_hessian_product(&model, &mut ws, &q, &v, &tau, &lambda, &dq, &dv, &dtau, &[]) else {
            continue;
        };
        let lift = |x: &[f64]| testing::lift::<Dual64>(x);
        let moved_q = moved(&model, &q, &dq);
        let by = once::aba_gradient(&model, &moved_q, &dual(&v, &dv), &dual(&tau, &dtau), &lift(&lambda), &[]);
        let by = by.expect("runs");
        // Condition of up to 1e4 of the mass matrix, squared.
        let near = |x: &[f64], y: &[Dual64], name: &str| assert_near(x, &eps(y), 1e-7, format!("{what}: {name}"));
        near(found.dq.as_slice(), &by.dq, "dq");
        near(found.dv.as_slice(), &by.dv, "dv");
        near(found.dtau.as_slice(), &by.dtau, "dtau");
    }
}

/// An impulse takes no time: a spring does nothing meanwhile.
#[test]
fn impulses_do_not_feel_them() {
    for (n, (what, model)) in afloat().into_iter().enumerate() {
        let (q, v, _) = state(&model, n as u64);
        let rigid = model.clone().without_springs();
        let last = model.bodies().len() - 1;
        let by = |model: &Model| {
            let body = model.body_id(last).expect("is there");
            let contact = Constraint::frame_contact(model, body, Vector3::new(0.1, 0.2, -0.1)).expect("is there");
            let contacts = [contact];
            let mut ws = Workspace::new(model);
            let value = impulse_dynamics(model, &mut ws, &q, &v, 0.3, &contacts).expect("runs").v.to_vec();
            let mut all = vec![value];
            for method in Method::ALL {
                let mut ws = DerivativeWorkspace::new(model);
                let by = impulse_dynamics_derivatives(model, &mut ws, method, &q, &v, 0.3, &contacts).expect("runs");
                all.extend(by.matrices().map(|(_, matrix)| matrix.as_slice().to_vec()));
            }
            let mut ws = SecondOrderWorkspace::new(model);
            let weights = (vec![0.7; model.nv()], [0.3, -0.4, 0.2]);
            let by = impulse_dynamics_hessian(model, &mut ws, &q, &v, 0.3, &weights.0, &weights.1, &contacts);
            let by = by.expect("runs");
            all.extend([by.dqq.as_slice().to_vec(), by.dvq.as_slice().to_vec()]);
            all
        };
        assert_eq!(by(&model), by(&rigid), "{what}");
    }
}

/// Which joints have a spring, and what is said about the others.
#[test]
fn joints_without_displacements_have_none() {
    for kind in Elementary::every() {
        let mut builder = ModelBuilder::new("one");
        let (x, y) = (Transform::identity(), inertia(&mut rng(3)));
        let key = builder.add_body(None, "body", "hip", x, kind, y).expect("fits");
        let nv = JointKind::<f64>::nv(&kind);
        builder.set_stiffness(key, &vec![0.0; nv]).expect("no spring fits every joint");
        let found = builder.set_stiffness(key, &vec![2.0; nv]).map(|_| ());
        let model = builder.build().expect("builds");
        let id = model.body_id(0).expect("is there");
        let of_pose = matches!(kind, Elementary::Spherical(_) | Elementary::FreeFlyer(_));
        let plain = of_pose || !matches!(kind, Elementary::Continuous(_) | Elementary::Planar(_));
        assert_eq!(found.is_ok(), plain, "{}", kind.name());
        assert_eq!(model.springs().len(), if plain && !of_pose { nv } else { 0 }, "{}", kind.name());
        assert_eq!(model.pose_springs().len(), usize::from(of_pose), "{}", kind.name());
        let changed = model.clone().with_stiffness(id, &vec![2.0; nv]);
        assert_eq!(changed.is_ok(), plain, "{}", kind.name());
        if let (Err(of_builder), Err(of_model)) = (found, changed) {
            assert!(matches!(of_builder, ModelError::BadNumber { value: 2.0, .. }), "{of_builder}");
            assert!(matches!(of_model, InputError::Parameter { value: 2.0, .. }), "{of_model}");
            for text in [of_builder.to_string(), of_model.to_string()] {
                assert!(
                    text.contains("stiffness") && text.contains("hip") && text.contains("cannot have one"),
                    "{text}"
                );
            }
        }
    }
    // A follower of an angle with the coordinates (cos, sin), which the builder learns last.
    let mut builder = ModelBuilder::new("two");
    let (x, y) = (Transform::identity(), inertia(&mut rng(3)));
    let leader = builder.add_body(None, "leader", "wheel", x, Continuous { axis: Axis::X }, y).expect("fits");
    let follower = builder.add_body(None, "follower", "other", x, Revolute { axis: Axis::X }, y).expect("fits");
    builder.set_stiffness(follower, &[1.0]).expect("is plain").set_mimic(follower, leader, 1.0, 0.0).expect("fits");
    let error = builder.build().expect_err("has no coordinate").to_string();
    assert!(error.contains("other") && error.contains("cannot have one"), "{error}");
}

#[test]
fn bad_numbers_are_refused() {
    let (_, model) = springy().swap_remove(0);
    let spring = model.springs()[0];
    let b = model.bodies().iter().position(|body| body.v_range().contains(&spring.index) && body.owns_coordinates());
    let (b, id) = (b.expect("is there"), model.body_id(b.expect("is there")).expect("is there"));
    let n = model.bodies()[b].v_range().len();
    let refuse = |stiffness: Vec<f64>| model.clone().with_stiffness(id, &stiffness).expect_err("is no stiffness");
    assert!(matches!(refuse(vec![1.0; n + 1]), InputError::JointLength { what: "stiffness", .. }));
    assert!(matches!(refuse(vec![f64::NAN; n]), InputError::NotFinite { what: "stiffness", .. }));
    let error = refuse(vec![-1.0; n]);
    assert!(matches!(error, InputError::Parameter { what: "stiffness", value: -1.0, .. }), "{error}");
    let builder = || model.to_builder();
    let key = builder().key(b).expect("is there");
    assert!(matches!(builder().set_stiffness(key, &vec![-1.0; n]), Err(ModelError::BadNumber { .. })));
    assert!(matches!(builder().set_stiffness(key, &vec![f64::INFINITY; n]), Err(ModelError::BadNumber { .. })));
    assert!(matches!(builder().set_spring_reference(key, &vec![f64::NAN; n]), Err(ModelError::BadNumber { .. })));
    assert!(matches!(builder().set_spring_reference(key, &vec![0.0; n + 1]), Err(ModelError::Length { .. })));
    // A reference may be anywhere.
    assert!(model.clone().with_spring_reference(id, &vec![-30.0; n]).is_ok());
}

/// What is too stiff for numbers is an error with the joint's name, from every way to torques.
#[test]
fn overflow_names_the_joint() {
    let model = robot("panda", &gradyn::UrdfOptions::new());
    let id = model.find_body("panda_joint3").expect("is there");
    let model =
        model.with_stiffness(id, &[1e308]).expect("is finite").with_spring_reference(id, &[-1e3]).expect("fits");
    let (q, v, a) = state(&model, 1);
    let text = |error: InputError| error.to_string();
    let names = |error: String| assert!(error.contains("panda_joint3"), "{error}");
    names(text(rnea(&model, &mut Workspace::new(&model), &q, &v, &a, &[]).expect_err("overflows")));
    names(text(static_torque(&model, &mut Workspace::new(&model), &q, &[]).expect_err("overflows")));
    for method in Method::ALL {
        let mut ws = DerivativeWorkspace::new(&model);
        let found = gradyn::partials::rnea_derivatives(&model, &mut ws, method, &q, &v, &a, &[]);
        names(text(found.expect_err("overflows")));
    }
    assert!(once::aba(&model, &q, &v, &a, &[]).is_err());
    assert!(once::potential_energy(&model, &q).is_err());
}

/// A spring at a configuration of its robot.
fn at<'a, P: Real, T: Scalar<P>>(spring: &'a PoseSpring<P>, q: &[T]) -> BentSpring<'a, P, T> {
    assert!(spring.at(&q[..spring.coordinate]).is_none());
    spring.at(q).expect("has these coordinates")
}

/// One body by a spherical or a floating joint, and one that it carries.
fn of_pose_kind(kind: Elementary, seed: u64) -> Model {
    let rng = &mut rng(seed);
    let mut builder = ModelBuilder::new("held");
    let nv = JointKind::<f64>::nv(&kind);
    let first = builder.add_body(None, "body", "ball", transform(rng), kind, inertia(rng)).expect("fits");
    builder
        .add_body(Some(first), "tip", "hinge", transform(rng), Revolute { axis: Axis::Y }, inertia(rng))
        .expect("fits");
    let mut some = |low: f64, high: f64| (0..nv).map(|_| low + (high - low) * uniform(rng).abs()).collect::<Vec<_>>();
    builder.set_stiffness(first, &some(1.0, 30.0)).expect("fits");
    builder.set_spring_reference(first, &some(-0.8, 0.8)).expect("fits");
    builder.build().expect("builds")
}

/// Each constant of the formula is in energy, torque, their derivatives and second derivatives, by duals of the level below.
#[test]
fn springs_of_poses_have_their_derivatives() {
    for seed in 0..20 {
        for kind in [Elementary::from(Spherical), FreeFlyer.into()] {
            let (what, model) = (format!("{}, {seed}", kind.name()), of_pose_kind(kind, seed));
            let (q, v, a) = state(&model, seed);
            let nv = model.nv();
            let spring = model.pose_springs()[0];
            let i = |k: usize| k + 6 - spring.dofs().len();
            let lambda: Vec<f64> = v.iter().map(|x| x + 0.3).collect();
            let lift = |x: &[f64]| testing::lift::<Dual64>(x);
            let (torque, slope) =
                (at(&spring, &q).torque().to_array(), at(&spring, &q).slope().map(|column| column.to_array()));
            for k in spring.dofs() {
                let moved_q = moved(&model, &q, &unit(nv, k));
                // A few roundings of numbers up to stiffness times π.
                assert_close(
                    torque[i(k)],
                    at(&spring, &moved_q).energy().eps,
                    1e-13,
                    100.0,
                    format!("{what}: torque {k}"),
                );
                let by = at(&spring, &moved_q).torque().to_array();
                for row in spring.dofs() {
                    let text = format!("{what}: slope {row} by {k}");
                    assert_close(slope[i(k)][i(row)], by[i(row)].eps, 1e-12, 100.0, text);
                }
                // The Hessian, against the gradient over dual numbers.
                let mut ws = HessianWorkspace::new(&model);
                let h = rnea_hessian(&model, &mut ws, &q, &v, &a, &lambda, &[]).expect("runs").clone();
                let by =
                    once::rnea_gradient(&model, &moved_q, &lift(&v), &lift(&a), &lift(&lambda), &[]).expect("runs");
                // Numbers of the size of the largest: up to stiffness times a few.
                let scale = 1e-12 * h.dqq.amax().max(100.0);
                for row in 0..nv {
                    assert!((h.dqq[(row, k)] - by.dq[row].eps).abs() < scale, "{what}: Hessian {row}, {k}");
                }
                let still = vec![0.0; nv];
                let product =
                    rnea_hessian_product(&model, &mut ws, &q, &v, &a, &lambda, &unit(nv, k), &still, &still, &[]);
                let product = product.expect("runs").dq.clone();
                for row in 0..nv {
                    assert!((h.dqq[(row, k)] - product[row]).abs() < scale, "{what}: product {row}, {k}");
                }
            }
            // By constants.
            let wide = spring.lift::<Dual64>();
            let (by_stiffness, by_reference) =
                (at(&spring, &q).torque_by_stiffness(), at(&spring, &q).torque_by_reference());
            let of_energy = at(&spring, &q).energy_by_constants();
            for k in i(0)..6 {
                let mut other = wide;
                other.stiffness[k].eps = 1.0;
                let text = format!("{what}: constant {k}");
                let close = |x: &[f64], y: &[Dual64]| assert_near(x, &eps(y), 1e-12, &text);
                close(&by_stiffness[k].to_array(), &at(&other, &lift(&q)).torque().to_array());
                close(&[of_energy.0[k]], &[at(&other, &lift(&q)).energy()]);
                let mut other = wide;
                other.reference[k].eps = 1.0;
                close(&by_reference[k].to_array(), &at(&other, &lift(&q)).torque().to_array());
                close(&[of_energy.1[k]], &[at(&other, &lift(&q)).energy()]);
            }
        }
    }
}

/// At rest nothing is bent, and with one stiffness for all turns the torque is that stiffness times the turn.
#[test]
fn one_stiffness_makes_torques_along_the_turn() {
    for seed in 0..20 {
        let model = of_pose_kind(Spherical.into(), seed);
        let id = model.body_id(0).expect("is there");
        let model = model.with_stiffness(id, &[7.0; 3]).expect("fits");
        let (q, ..) = state(&model, seed);
        let spring = model.pose_springs()[0];
        let r = JointKind::<f64>::pose(&Spherical, &q[..4]).rotation;
        let reference = exp3(Vector3::from_column_slice(&spring.reference[3..]));
        let turn = log3(&(reference.transpose() * r)) * 7.0;
        assert_near(at(&spring, &q).torque().angular.as_slice(), turn.as_slice(), 1e-13, seed);
        let mut at_rest = q.clone();
        at_rest[..4].copy_from_slice(&gradyn::spatial::Quaternion::from_rotation(&reference).to_array());
        // A rotation vector from a matrix, times seven.
        assert!(at(&spring, &at_rest).torque().angular.amax() < 1e-14, "{seed}");
        assert!(at(&spring, &at_rest).energy() < 1e-28, "{seed}");
    }
}
