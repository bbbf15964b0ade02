//! Centers of mass, centroidal momentum, and their derivatives.

use gradyn::dynamics::{
    self, ExternalWrench, Workspace, WrenchFrame, center_of_mass, centroidal, centroidal_momentum,
    centroidal_momentum_matrix, com_jacobian, forward_kinematics, rnea,
};
use gradyn::joint::{Axis, FreeFlyer, JointKind, Prismatic, Revolute};
use gradyn::model::{BodyId, InputError, Model, ModelBuilder};
use gradyn::partials::{DerivativeWorkspace, Method, center_of_mass_derivatives, centroidal_derivatives};
use gradyn::spatial::{Force, Inertia, Symmetric3, Transform};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::with_level;
use gradyn_derivatives::{Level, Scalar};
use nalgebra::{DMatrix, Vector3};
use testing::{
    assert_near, deviation, dual, eps, force, joined, lift, models, moved, robots, state, tree, unit, wrenches,
};

/// Rounding of sums over up to 60 bodies.
const EXACT: f64 = 1e-12;

/// Mass and center of mass of what hangs from a body, body by body.
fn com_of<T: Scalar>(model: &Model, q: &[T], subtree: Option<BodyId>) -> (f64, Vector3<T>) {
    let mut ws = Workspace::new(model);
    let zero = vec![T::zero(); model.nv()];
    let kinematics = forward_kinematics(model, &mut ws, q, &zero, &zero).expect("valid");
    let bodies = subtree.map_or(0..model.bodies().len(), |body| model.subtree(body));
    let (mut mass, mut moment) = (0.0, Vector3::from_element(T::zero()));
    for i in bodies {
        let inertia = model.bodies()[i].inertia();
        let c = kinematics.point(model.body_id(i).expect("is there"), inertia.com).expect("is there");
        mass += inertia.mass;
        for k in 0..3 {
            moment[k] += c[k] * inertia.mass;
        }
    }
    (mass, Vector3::new(moment[0] / mass, moment[1] / mass, moment[2] / mass))
}

/// The robot, and some subtrees: of the first body, of the last one and of some between.
fn subtrees(model: &Model) -> Vec<Option<BodyId>> {
    let n = model.bodies().len();
    let mut chosen = vec![None];
    for i in [0, n / 3, n / 2, n - 1] {
        let body = model.body_id(i).expect("is there");
        if model.subtree(body).any(|i| model.bodies()[i].inertia().mass > 0.0) {
            chosen.push(Some(body));
        }
    }
    chosen
}

fn times(j: &DMatrix<f64>, v: &[f64]) -> Vec<f64> {
    (j * DMatrix::from_column_slice(v.len(), 1, v)).as_slice().to_vec()
}

/// The momentum alone is what comes with the matrices, and those times the velocities.
#[test]
fn momentum_without_matrices_is_that_with_them() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 9);
        let mut ws = Workspace::new(&model);
        let h = centroidal_momentum(&model, &mut ws, &q, &v, &a).expect("valid");
        let c = centroidal(&model, &mut ws, &q, &v, &a).expect("valid");
        let position = [h.com.position, c.com.position].map(|x| x.iter().copied().collect::<Vec<f64>>());
        assert_near(&position[0], &position[1], EXACT, format!("{what}: position"));
        assert_near(&[h.com.mass], &[c.com.mass], EXACT, format!("{what}: mass"));
        assert_near(&h.inertia.to_parameters(), &c.inertia.to_parameters(), EXACT, format!("{what}: inertia"));
        assert_near(&force(h.momentum), &times(c.matrix, &v), EXACT, format!("{what}: A v"));
        let rate: Vec<f64> = times(c.matrix, &a).iter().zip(times(c.matrix_rate, &v)).map(|(x, y)| x + y).collect();
        // Of two terms that may be larger than their sum.
        assert_near(&force(h.momentum_rate), &rate, 10.0 * EXACT, format!("{what}: A a + A' v"));
    }
}

/// Positions are sums over the bodies; velocities and accelerations their derivatives in time; Jacobians give
/// velocities.
#[test]
fn centers_of_mass_are_means_and_move_so() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 1);
        let (mut ws, mut duals, mut of_jacobian) =
            (Workspace::new(&model), Workspace::new(&model), Workspace::new(&model));
        let found = center_of_mass(&model, &mut ws, &q, &v, &a).expect("has mass");
        let (q_t, v_t) = (moved(&model, &q, &v), dual(&v, &a));
        let along = center_of_mass(&model, &mut duals, &q_t, &v_t, &lift(&a)).expect("has mass");
        for subtree in subtrees(&model) {
            let what = format!("{what}, {subtree:?}");
            let (of, along) = match subtree {
                None => (found.whole, along.whole),
                Some(body) => (found.subtree(body).expect("has mass"), along.subtree(body).expect("has mass")),
            };
            let (mass, position) = com_of(&model, &q_t, subtree);
            assert_near(&[of.mass], &[mass], EXACT, &what);
            assert_near(of.position.as_slice(), position.map(|x| x.re).as_slice(), EXACT, &what);
            assert_near(of.velocity.as_slice(), &eps(position.as_slice()), EXACT, &what);
            assert_near(of.acceleration.as_slice(), &eps(along.velocity.as_slice()), EXACT, &what);
            let j = com_jacobian(&model, &mut of_jacobian, &q, subtree).expect("has mass");
            assert_near(&times(j, &v), of.velocity.as_slice(), EXACT, &what);
        }
    }
}

/// `A_G q̇` is the sum of the bodies' momenta about the center of mass, its linear rows are m times the Jacobian of the
/// center of mass, and `Ȧ_G` is its derivative along `q ⊕ t v`.
#[test]
fn centroidal_matrices_give_momenta() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 2);
        let mut ws = Workspace::new(&model);
        let (mass, c) = com_of(&model, &q, None);
        let kinematics = forward_kinematics(&model, &mut ws, &q, &v, &a).expect("valid");
        let mut sum = Force::zero();
        for (i, body) in model.bodies().iter().enumerate() {
            let id = model.body_id(i).expect("is there");
            let momentum = *body.inertia() * kinematics.velocity(id).expect("is there");
            sum += kinematics.pose(id).expect("is there").act(momentum);
        }
        let expected = force(sum.shifted(c));
        let matrix = centroidal_momentum_matrix(&model, &mut ws, &q).expect("has mass").clone();
        assert_near(&times(&matrix, &v), &expected, EXACT, &what);
        let j = com_jacobian(&model, &mut ws, &q, None).expect("has mass") * mass;
        assert_near(matrix.rows(0, 3).into_owned().as_slice(), j.as_slice(), EXACT, &what);

        let of = centroidal(&model, &mut ws, &q, &v, &a).expect("has mass");
        assert_near(&force(of.momentum), &expected, EXACT, &what);
        assert_near(of.matrix.as_slice(), matrix.as_slice(), EXACT, &what);
        let mut duals = Workspace::new(&model);
        let along = centroidal_momentum_matrix(&model, &mut duals, &moved(&model, &q, &v)).expect("has mass");
        let rate: Vec<f64> = along.iter().map(|x| x.eps).collect();
        assert_near(of.matrix_rate.as_slice(), &rate, EXACT, &what);
        // ḣ = A q̈ + Ȧ q̇
        let (by_a, by_v) = (times(of.matrix, &a), times(of.matrix_rate, &v));
        let sum: Vec<f64> = by_a.iter().zip(&by_v).map(|(x, y)| x + y).collect();
        assert_near(&sum, &force(of.momentum_rate), EXACT, &what);
        // And it is the derivative of h in time.
        let (q_t, v_t): (Vec<Dual64>, _) = (moved(&model, &q, &v), dual(&v, &a));
        let along = centroidal(&model, &mut duals, &q_t, &v_t, &lift(&a)).expect("has mass");
        assert_near(&eps(&force(along.momentum)), &force(of.momentum_rate), EXACT, &what);
    }
}

/// On a body that floats, momentum about the center of mass changes by weight, by wrenches, and by what inverse
/// dynamics asks of the floating joint: every model, wrenches of both kinds.
#[test]
fn momentum_changes_by_the_wrenches_from_outside() {
    for (seed, (what, model)) in (0..).zip(models()) {
        let model = joined(&tree(seed, vec![FreeFlyer.into()]), &model, Some(0));
        let ((q, v, a), f_ext) = (state(&model, seed), wrenches(&model, seed));
        let (mut ws, mut of_poses) = (Workspace::new(&model), Workspace::new(&model));
        let of = centroidal(&model, &mut ws, &q, &v, &a).expect("has mass");
        let (rate, com) = (of.momentum_rate, of.com);
        let kinematics = forward_kinematics(&model, &mut of_poses, &q, &v, &a).expect("valid");
        let tau = rnea(&model, &mut ws, &q, &v, &a, &f_ext).expect("valid");
        let held = Force::new(Vector3::new(tau[0], tau[1], tau[2]), Vector3::new(tau[3], tau[4], tau[5]));
        let held = ExternalWrench::in_body(model.body_id(0).expect("is there"), held);
        // About the center of mass, gravity has no moment.
        let mut outside = Force::new(model.gravity() * com.mass, Vector3::zeros());
        for w in f_ext.iter().chain([&held]) {
            let about_origin = match w.frame {
                WrenchFrame::Body => kinematics.pose(w.body).expect("is there").act(w.wrench),
                WrenchFrame::World => w.wrench,
            };
            outside += about_origin.shifted(com.position);
        }
        // Rounding of weights of some hundred.
        assert_near(&force(outside), &force(rate), 1e-11, &what);
    }
}

/// The centroidal inertia is what the momentum of a robot with locked joints says.
#[test]
fn centroidal_inertia_is_that_of_locked_joints() {
    for (what, model) in robots() {
        let base = &model.bodies()[0];
        if base.joint().kind() != "free-flyer" || model.bodies().iter().filter(|b| b.parent().is_none()).count() > 1 {
            continue;
        }
        let (q, ..) = state(&model, 4);
        let mut ws = Workspace::new(&model);
        let x_wb: Transform<f64> = *base.placement() * base.joint().pose(&q[base.q_range()]);
        for k in 0..6 {
            let v = unit(model.nv(), k);
            let of = centroidal(&model, &mut ws, &q, &v, &vec![0.0; model.nv()]).expect("has mass");
            assert_near(&[of.inertia.com.norm()], &[0.0], 0.0, &what);
            let w = if k < 3 { Vector3::zeros() } else { x_wb.rotation.column(k - 3).into_owned() };
            let expected = Force::new(of.com.velocity * of.com.mass, of.inertia.rotational.times(w));
            assert_near(&force(of.momentum), &force(expected), EXACT, format_args!("{what}, direction {k}"));
        }
    }
}

/// A robot that has gone 1000 km keeps its digits: momenta are not formed about the origin of the world.
#[test]
fn momentum_keeps_its_digits_far_away() {
    for (what, model) in robots().into_iter().filter(|(_, model)| model.bodies()[0].joint().kind() == "free-flyer") {
        let (mut q, v, a) = state(&model, 5);
        let mut ws = Workspace::new(&model);
        let of = centroidal(&model, &mut ws, &q, &v, &a).expect("has mass");
        let near = [force(of.momentum), force(of.momentum_rate)].concat();
        q[0] += 1e6;
        let of = centroidal(&model, &mut ws, &q, &v, &a).expect("has mass");
        let far = [force(of.momentum), force(of.momentum_rate)].concat();
        assert_near(&far, &near, EXACT, &what);
    }
}

/// Derivatives of the momentum and of its rate: the three methods agree.
#[test]
fn centroidal_derivatives_agree() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 6);
        let mut ws = DerivativeWorkspace::new(&model);
        let mut run = |method| centroidal_derivatives(&model, &mut ws, method, &q, &v, &a).expect("has mass").clone();
        let (exact, dual) = (run(Method::Analytical), run(Method::Dual));
        assert_near(&force(exact.momentum), &force(dual.momentum), EXACT, &what);
        assert_near(&force(exact.momentum_rate), &force(dual.momentum_rate), EXACT, &what);
        assert_agree(exact.matrices(), dual.matrices(), EXACT, &what);
        // What Ridders' extrapolation reaches.
        assert_agree(run(Method::Difference).matrices(), dual.matrices(), 1e-8, &what);
    }
}

/// Derivatives of the center of mass of the robot and of subtrees: the three methods agree.
#[test]
fn com_derivatives_agree() {
    for (what, model) in models() {
        let (q, v, a) = state(&model, 7);
        let mut ws = DerivativeWorkspace::new(&model);
        for subtree in subtrees(&model) {
            let mut run = |method| {
                center_of_mass_derivatives(&model, &mut ws, method, &q, &v, &a, subtree).expect("has mass").clone()
            };
            let what = format!("{what}, {subtree:?}");
            let (exact, dual) = (run(Method::Analytical), run(Method::Dual));
            assert_near(exact.position.as_slice(), dual.position.as_slice(), EXACT, &what);
            assert_near(exact.velocity.as_slice(), dual.velocity.as_slice(), EXACT, &what);
            assert_near(exact.acceleration.as_slice(), dual.acceleration.as_slice(), EXACT, &what);
            assert_agree(exact.matrices(), dual.matrices(), EXACT, &what);
            // What Ridders' extrapolation reaches.
            assert_agree(run(Method::Difference).matrices(), dual.matrices(), 1e-8, &what);
        }
    }
}

#[track_caller]
fn assert_agree<const N: usize>(
    found: [(&'static str, &DMatrix<f64>); N],
    expected: [(&'static str, &DMatrix<f64>); N],
    tolerance: f64,
    what: &str,
) {
    for ((name, found), (_, expected)) in found.into_iter().zip(expected) {
        let d = deviation(found, expected);
        assert!(d <= tolerance, "{what}: {name} deviates by {d:e}");
    }
}

/// The robot's own parameters can be the variables: one more kilogram of a body draws the center of mass toward that
/// body's.
#[test]
fn masses_can_be_varied() {
    for (what, model) in models() {
        let (q, _, _) = state(&model, 9);
        let (mass, com) = com_of(&model, &q, None);
        let n = model.bodies().len();
        for i in [0, n / 2, n - 1] {
            let body = model.body_id(i).expect("is there");
            let mut inertia: Inertia<Dual64> = model.bodies()[i].inertia().lift();
            inertia.mass.eps = 1.0;
            let lifted = model.lift::<Dual64>().with_inertia(body, inertia).expect("is there");
            let zero = vec![Dual64::from(0.0); model.nv()];
            let mut ws = Workspace::new(&lifted);
            let found = center_of_mass(&lifted, &mut ws, &lift(&q), &zero, &zero).expect("has mass").whole.position;
            let mut ws = Workspace::new(&model);
            let still = vec![0.0; model.nv()];
            let kinematics = forward_kinematics(&model, &mut ws, &q, &still, &still).expect("valid");
            let own = kinematics.point(body, model.bodies()[i].inertia().com).expect("is there");
            assert_near(
                &eps(found.as_slice()),
                ((own - com) / mass).as_slice(),
                EXACT,
                format_args!("{what}, body {i}"),
            );
        }
    }
}

/// What has no mass is named; bodies that are not there are refused.
#[test]
fn misuse_is_refused() {
    let mut builder = ModelBuilder::new("ghost");
    let hinge = Revolute { axis: Axis::Y };
    builder.add_body(None, "arm", "hinge", Transform::identity(), hinge, Inertia::zero()).expect("builds");
    let ghost = builder.build().expect("builds");
    let massless = InputError::Massless { body: String::from("ghost") };
    let mut ws = Workspace::new(&ghost);
    assert_eq!(center_of_mass(&ghost, &mut ws, &[0.1], &[0.2], &[0.3]).map(|_| ()), Err(massless.clone()));
    assert_eq!(com_jacobian(&ghost, &mut ws, &[0.1], None).map(|_| ()), Err(massless.clone()));
    assert_eq!(centroidal(&ghost, &mut ws, &[0.1], &[0.2], &[0.3]).map(|_| ()), Err(massless.clone()));
    assert_eq!(centroidal_momentum_matrix(&ghost, &mut ws, &[0.1]).map(|_| ()), Err(massless.clone()));
    let mut derivatives = DerivativeWorkspace::new(&ghost);
    for method in Method::ALL {
        let state: (&[f64], &[f64], &[f64]) = (&[0.1], &[0.2], &[0.3]);
        let error = centroidal_derivatives(&ghost, &mut derivatives, method, state.0, state.1, state.2).map(|_| ());
        assert_eq!(error, Err(massless.clone()));
        let arm = ghost.body_id(0);
        let error =
            center_of_mass_derivatives(&ghost, &mut derivatives, method, state.0, state.1, state.2, arm).map(|_| ());
        assert_eq!(error, Err(InputError::Massless { body: String::from("arm") }));
    }
    let (small, large) = (testing::tree_of(3, 1), testing::tree_of(30, 1));
    let (q, _, _) = state(&small, 8);
    let mut ws = Workspace::new(&small);
    let error = com_jacobian(&small, &mut ws, &q, large.body_id(20)).expect_err("refused");
    assert!(matches!(error, InputError::OtherModel { what: "body", index: 20, .. }), "{error}");
    // After an error, the workspace is as good as before.
    assert!(com_jacobian(&small, &mut ws, &q, small.body_id(1)).is_ok());
}

/// A center of mass that is too far away is said to be, beside derivatives that are not.
#[test]
fn centers_that_overflow_are_named() {
    let mut builder = ModelBuilder::new("slide");
    let far = Transform::from_translation(Vector3::new(1.5e308, 0.0, 0.0));
    let y = Inertia::new(1.0, Vector3::zeros(), Symmetric3::diagonal(1.0, 1.0, 1.0));
    builder.add_body(None, "b", "j", far, Prismatic { axis: Axis::X }, y).expect("fits");
    let model = builder.build().expect("builds");
    let (body, zero) = (model.body_id(0).expect("is there"), [0.0]);
    for level in Level::available() {
        for subtree in [None, Some(body)] {
            let found = with_level(level, || {
                let ws = &mut Workspace::new(&model);
                dynamics::center_of_mass_derivatives(&model, ws, &[1.5e308], &zero, &zero, subtree)
                    .map(|by| by.position)
            });
            assert!(matches!(found, Err(InputError::Overflow { what: "position", .. })), "{level}: {found:?}");
        }
    }
}
