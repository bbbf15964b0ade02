//! What holds of constraints of any kind: their rows, the equations of motion, impulses, dual numbers, errors.

use super::{constraints, four_bar, size, standing};
use gradyn::dynamics::{
    Constraint, Workspace, constraint_bias, constraint_dynamics, constraint_error, constraint_jacobian,
    forward_kinematics, impulse_dynamics, rnea,
};
use gradyn::joint::{Axis, Revolute};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{BodyKey, InputError, Model, ModelBuilder};
use gradyn::once;
use gradyn::partials::{State, StateFunction, by_differences, by_duals};
use gradyn::spatial::{Inertia, Transform};
use gradyn_derivatives::Scalar;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use testing::{assert_near, assert_same, dual, eps, models, moved, regular, rng, robot, state, transform};

/// Errors are positions of the points, taken from forward kinematics, and their rates are `J q̇`.
#[test]
fn jacobian_is_the_derivative_of_the_error() {
    for (what, model) in models() {
        let (q, v, _) = state(&model, 1);
        let list = constraints(&model, 1);
        let mut ws = Workspace::new(&model);
        let rate = constraint_jacobian(&model, &mut ws, &q, &list[..2]).expect("runs") * DVector::from_column_slice(&v);
        let along = moved(&model, &q, &v);
        let mut dual_ws = Workspace::new(&model);
        let by = eps(constraint_error(&model, &mut dual_ws, &along, &list[..2]).expect("runs"));
        // Rounding along chains of up to sixty bodies.
        assert_near(rate.as_slice(), &by, 1e-12, &what);

        // The rotation vector has the rate ω_b − ω_a where it is zero.
        let (n, rng) = (model.bodies().len(), &mut rng(5));
        // A robot of one body is held to the world.
        let a = if n > 1 { model.body_id(0) } else { None };
        let b = model.body_id(n - 1).expect("is there");
        let kinematics = forward_kinematics(&model, &mut ws, &q, &v, &v).expect("runs");
        let x_wa = a.map_or(Transform::identity(), |a| kinematics.pose(a).expect("is there"));
        let (x_wb, x_a) = (kinematics.pose(b).expect("is there"), transform(rng));
        let closed = [Constraint::frame(a, x_a, b, x_wb.inv_mul(&(x_wa * x_a)))];
        let error = constraint_error(&model, &mut ws, &q, &closed).expect("runs");
        assert!(size(error) < 1e-12, "{what}: {error:?}");
        let rate = constraint_jacobian(&model, &mut ws, &q, &closed).expect("runs") * DVector::from_column_slice(&v);
        let by = eps(constraint_error(&model, &mut dual_ws, &along, &closed).expect("runs"));
        assert_near(rate.as_slice(), &by, 1e-12, &what);
    }
}

/// Without gains, the bias is the derivative of `J q̇` along the motion; gains add the rate and the error.
#[test]
fn bias_is_the_rate_of_the_jacobian() {
    for (what, model) in models() {
        let (q, v, _) = state(&model, 2);
        let list = constraints(&model, 2);
        let bare: Vec<_> = list.iter().map(|c| c.with_gains(0.0, 0.0)).collect();
        let (mut ws, mut dual_ws) = (Workspace::new(&model), Workspace::new(&model));
        let along = moved(&model, &q, &v);
        let rate = constraint_jacobian(&model, &mut dual_ws, &along, &bare).expect("runs").map(|x| x.eps);
        let expected = rate * DVector::from_column_slice(&v);
        let bias = constraint_bias(&model, &mut ws, &q, &v, &bare).expect("runs").to_vec();
        // Rounding along chains of up to sixty bodies, twice.
        assert_near(&bias, expected.as_slice(), 1e-11, &what);

        let error = constraint_error(&model, &mut ws, &q, &list).expect("runs").to_vec();
        let rate = constraint_jacobian(&model, &mut ws, &q, &list).expect("runs") * DVector::from_column_slice(&v);
        let gains = |r: usize| if r < 6 { (5.0, 0.5) } else { (7.0, 3.0) };
        let sum: Vec<_> = (0..12).map(|r| bias[r] + gains(r).0 * error[r] + gains(r).1 * rate[r]).collect();
        assert_near(constraint_bias(&model, &mut ws, &q, &v, &list).expect("runs"), &sum, 1e-13, &what);
    }
}

/// Accelerations and multipliers solve the equations of motion, by inverse dynamics, and leave nothing of the
/// constraints, or the least sum of squares; where the rows are independent, they are what a dense solve of all
/// equations gives.
#[test]
fn accelerations_are_those_of_a_dense_solve() {
    let (mut full, mut deficient) = (0, 0);
    for (what, model) in regular() {
        let (mut ws, nv) = (Workspace::new(&model), model.nv());
        for (seed, count) in [(0, 3), (1, 3), (2, 3), (0, 1), (1, 1)] {
            let (q, v, tau) = state(&model, seed);
            let (mut list, wrenches) = (constraints(&model, seed), testing::wrenches(&model, seed));
            // All of them, or one point only, which most robots can hold.
            list.truncate(count);
            let rows = list.iter().map(Constraint::rows).sum();
            let jacobian = constraint_jacobian(&model, &mut ws, &q, &list).expect("runs").clone();
            let gamma = DVector::from_column_slice(constraint_bias(&model, &mut ws, &q, &v, &list).expect("runs"));
            let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &list, &wrenches).expect("runs");
            let (ddq, lambda) = (DVector::from_column_slice(by.ddq), DVector::from_column_slice(by.lambda));
            let (rank, residual) = (by.rank, by.residual);

            let m = once::crba(&model, &q).expect("runs");
            // Errors of accelerations, as large as the mass matrix makes them; the worst tree has 1e6.
            let values = m.clone().symmetric_eigenvalues();
            let condition = values.max() / values.min();
            let what = format!("{what}, state {seed}, rank {rank} of {rows}, condition {condition:.0e}");
            let tau_c = rnea(&model, &mut ws, &q, &v, by_slice(&ddq), &wrenches).expect("runs");
            let force = DVector::from_column_slice(tau_c) - DVector::from_column_slice(&tau);
            let scale = size(&tau).max(size(&ddq) * size(&m)).max(size(&lambda) * size(&jacobian));
            let off = size(&(&force - jacobian.transpose() * &lambda)) / scale;
            assert!(off < 1e-12 * condition.sqrt(), "{what}: equations of motion {off:e}");

            let left = &jacobian * &ddq + &gamma;
            let scale = size(&jacobian) * size(&ddq) + size(&gamma);
            let off = size(&(jacobian.transpose() * &left)) / (scale * size(&jacobian));
            assert!(off < 1e-14 * condition.max(1e2), "{what}: least squares {off:e}");
            assert!((size(&left) - residual).abs() < 1e-14 * condition.max(1e2) * scale, "{what}: residual");
            if rank < rows {
                deficient += 1;
                continue;
            }
            full += 1;
            let off = residual / scale;
            assert!(off < 1e-14 * condition.max(1e2), "{what}: constraints {off:e}");
            let mut kkt = DMatrix::zeros(nv + rows, nv + rows);
            kkt.view_mut((0, 0), (nv, nv)).copy_from(&m);
            kkt.view_mut((nv, 0), (rows, nv)).copy_from(&jacobian);
            kkt.view_mut((0, nv), (nv, rows)).copy_from(&-jacobian.transpose());
            let c = rnea(&model, &mut ws, &q, &v, &vec![0.0; nv], &wrenches).expect("runs");
            let mut rhs = DVector::zeros(nv + rows);
            rhs.rows_mut(0, nv).copy_from(&(DVector::from_column_slice(&tau) - DVector::from_column_slice(c)));
            rhs.rows_mut(nv, rows).copy_from(&-gamma);
            let kkt_condition = kkt.clone().svd(false, false).singular_values;
            let kkt_condition = kkt_condition.max() / kkt_condition.min();
            let solved = kkt.lu().solve(&rhs).expect("is regular");
            // A dense solve is that inaccurate.
            let tolerance = 1e-15 * kkt_condition.max(1e3);
            let both: Vec<_> = ddq.iter().chain(&lambda).copied().collect();
            assert_near(&both, solved.as_slice(), tolerance, &what);
        }
    }
    assert!(full > 0 && deficient > 0, "both cases occur: {full}, {deficient}");
}

fn by_slice(x: &DVector<f64>) -> &[f64] {
    x.as_slice()
}

/// A constraint given again changes no acceleration and no rank, and the multipliers are shared.
#[test]
fn redundant_constraints_change_nothing() {
    for (what, model) in regular() {
        let (q, v, tau) = state(&model, 3);
        let once = constraints(&model, 3);
        let twice = [&once[..], &once[..]].concat();
        let mut ws = Workspace::new(&model);
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &once, &[]).expect("runs");
        let (ddq, lambda, rank) = (by.ddq.to_vec(), by.lambda.to_vec(), by.rank);
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &twice, &[]).expect("runs");
        assert_eq!(by.rank, rank, "{what}");
        let values = once::crba(&model, &q).expect("runs").symmetric_eigenvalues();
        // Rounding errors, as large as the mass matrix makes them.
        let tolerance = 1e-14 * (values.max() / values.min()).max(1e3);
        assert_near(by.ddq, &ddq, tolerance, &what);
        assert_near(&by.lambda[..12], &by.lambda[12..], 1e-9, &what);
        let sum: Vec<_> = (0..12).map(|r| by.lambda[r] + by.lambda[r + 12]).collect();
        // Multipliers lose twice the digits.
        assert_near(&sum, &lambda, 1e-7, &what);
    }
}

/// A point on the axis that a body turns about stays where it is: its rows consist of rounding errors, hold nothing,
/// and do not change what other rows hold.
#[test]
fn rows_of_rounding_errors_hold_nothing() {
    let mut noise = 0;
    for seed in 0..40 {
        let rng = &mut rng(seed);
        let axes = [0, 1, 2].map(|_| testing::axis(rng));
        let (builder, _) = chain(axes.map(|axis| (transform(rng), axis, testing::inertia(rng))));
        let model = builder.build().expect("builds");
        let [first, .., last] = [0, 1, 2].map(|k| model.body_id(k).expect("is there"));
        let (q, v, tau) = state(&model, seed);
        let on_axis = Constraint::contact(first, axes[0].vector() * 0.37, testing::vector(rng));
        let tip = Constraint::contact(last, testing::vector(rng), testing::vector(rng));
        let mut ws = Workspace::new(&model);
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &[on_axis], &[]).expect("runs");
        assert_eq!((by.rank, by.lambda), (0, &[0.0; 3][..]), "seed {seed}");
        let one = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &[tip], &[]).expect("runs");
        let (ddq, lambda, rank) = (one.ddq.to_vec(), one.lambda.to_vec(), one.rank);
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &[on_axis, tip], &[]).expect("runs");
        assert_eq!(by.rank, rank, "seed {seed}");
        // Of least norm: what their rounding errors do for the tip, 1e-16 of it.
        assert!(by.lambda[..3].iter().all(|x| x.abs() < 1e-12 * size(&lambda)), "seed {seed}: {:?}", by.lambda);
        // Three joints of one size: some hundred roundings of the largest entry.
        assert_near(by.ddq, &ddq, 1e-12, format!("seed {seed}"));
        assert_near(&by.lambda[3..], &lambda, 1e-9, format!("seed {seed}"));
        let rows = constraint_jacobian(&model, &mut ws, &q, &[on_axis]).expect("runs");
        noise += usize::from(rows.amax() > 0.0);
    }
    assert!(noise > 10, "rows are not exactly zero: {noise}");
}

/// So do those of the point in which the axes of a wrist meet, of which none depends on the others.
#[test]
fn independent_rounding_errors_hold_nothing() {
    let mut noise = 0;
    for seed in 0..40 {
        let rng = &mut rng(seed);
        let [a, b, c] = [0, 1, 2].map(|_| testing::axis(rng));
        let turned = |rng: &mut _, u: Vector3<f64>| Transform::new(transform(rng).rotation, u);
        // The second joint sits on the first axis, the axis of the third one goes through it.
        let third = turned(rng, Vector3::zeros());
        let along = third.rotation * c.vector() * -0.3;
        let places = [transform(rng), turned(rng, a.vector() * 0.4), Transform::new(third.rotation, along)];
        let (builder, _) = chain([a, b, c].into_iter().zip(places).map(|(axis, x)| (x, axis, testing::inertia(rng))));
        let model = builder.build().expect("builds");
        let last = model.body_id(2).expect("is there");
        let center = Constraint::contact(last, c.vector() * 0.3, testing::vector(rng));
        let (q, v, tau) = state(&model, seed);
        let mut ws = Workspace::new(&model);
        let rows = constraint_jacobian(&model, &mut ws, &q, &[center]).expect("runs");
        assert!(rows.amax() < 1e-15, "seed {seed}: {rows}");
        noise += usize::from(rows.rank(1e-18) == 3);
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &[center], &[]).expect("runs");
        assert_eq!((by.rank, by.lambda), (0, &[0.0; 3][..]), "seed {seed}");
    }
    assert!(noise > 10, "{noise} of them are of rank three");
}

/// So do those of a body that turns back what its parent turns, about the same line, rotations among them.
#[test]
fn rounding_errors_of_rotations_hold_nothing() {
    let mut noise = 0;
    for seed in 0..40 {
        let rng = &mut rng(seed);
        let a = testing::axis(rng);
        let x = Transform::new(transform(rng).rotation, a.vector() * 0.4);
        let back = Axis::along(x.rotation.transpose() * a.vector()).expect("not zero");
        let (mut builder, bodies) =
            chain([(transform(rng), a, testing::inertia(rng)), (x, back, testing::inertia(rng))]);
        builder.set_mimic(bodies[1], bodies[0], -1.0, 0.3).expect("is there");
        let model = builder.build().expect("builds");
        let last = model.body_id(1).expect("is there");
        let held = [Constraint::frame(None, transform(rng), last, transform(rng))];
        let (q, v, tau) = state(&model, seed);
        let mut ws = Workspace::new(&model);
        let rows = constraint_jacobian(&model, &mut ws, &q, &held).expect("runs");
        assert!(rows.amax() < 1e-14, "seed {seed}: {rows}");
        noise += usize::from(rows.rows(3, 3).amax() > 0.0);
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &held, &[]).expect("runs");
        assert_eq!((by.rank, by.lambda), (0, &[0.0; 6][..]), "seed {seed}");
    }
    assert!(noise > 10, "rows of rotations are not exactly zero: {noise}");
}

/// A chain of hinges, each at its place in the body before, and its bodies.
fn chain(hinges: impl IntoIterator<Item = (Transform<f64>, Axis<f64>, Inertia<f64>)>) -> (ModelBuilder, Vec<BodyKey>) {
    let (mut builder, mut bodies) = (ModelBuilder::new("chain"), Vec::new());
    for (k, (x, axis, y)) in hinges.into_iter().enumerate() {
        let (parent, joint) = (bodies.last().copied(), Revolute { axis });
        bodies.push(builder.add_body(parent, format!("{k}"), format!("{k}"), x, joint, y).expect("builds"));
    }
    (builder, bodies)
}

/// Without constraints: forward dynamics. The same call twice: the same bits.
#[test]
fn no_constraints_and_the_same_again() {
    for (what, model) in regular() {
        let (q, v, tau) = state(&model, 4);
        let mut ws = Workspace::new(&model);
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &[], &[]).expect("runs");
        assert_eq!((by.rank, by.lambda.len()), (0, 0));
        let torque = once::rnea(&model, &q, &v, by.ddq, &[]).expect("runs");
        let scale = size(&once::crba(&model, &q).expect("runs")) * size(by.ddq).max(1.0);
        for (found, expected) in torque.iter().zip(&tau) {
            // Rounding errors of what the torques are sums of.
            assert!((found - expected).abs() < 1e-11 * scale, "{what}");
        }
        let list = constraints(&model, 4);
        let run = |ws: &mut Workspace<f64>| {
            let by = constraint_dynamics(&model, ws, &q, &v, &tau, &list, &[]).expect("runs");
            [by.ddq, by.lambda].concat()
        };
        let first = run(&mut ws);
        assert_same(&run(&mut ws), &first, &what);
        assert_same(&run(&mut Workspace::new(&model)), &first, &what);
    }
}

/// After an impulse `J v⁺ = −ε J v⁻`; momentum changes by `Jᵀ Λ`; energy does not grow, and is conserved by `ε = 1`.
#[test]
fn impulses_reflect_and_balance() {
    for (what, model) in regular() {
        let (q, v, _) = state(&model, 6);
        let list = constraints(&model, 6);
        let mut ws = Workspace::new(&model);
        let jacobian = constraint_jacobian(&model, &mut ws, &q, &list).expect("runs").clone();
        let (m, before) = (once::crba(&model, &q).expect("runs"), DVector::from_column_slice(&v));
        let values = m.clone().symmetric_eigenvalues();
        // Rounding errors, as large as the mass matrix makes them.
        let tolerance = 1e-14 * (values.max() / values.min()).max(1e3);
        for e in [0.0, 0.3, 1.0] {
            let by = impulse_dynamics(&model, &mut ws, &q, &v, e, &list).expect("runs");
            let (after, impulse) = (DVector::from_column_slice(by.v), DVector::from_column_slice(by.impulse));
            // J v⁻ is what J can do: nothing contradicts itself, whatever the rank.
            assert!(by.residual <= tolerance * size(&after).max(1.0) * size(&jacobian), "{what}: {:e}", by.residual);
            let (rebound, expected) = (&jacobian * &after, &jacobian * &before * -e);
            let scale = size(&jacobian) * size(&after).max(1.0);
            assert!(size(&(rebound - expected)) <= tolerance * scale, "{what}, {e}");
            let momentum = &m * (&after - &before);
            let scale = size(&momentum).max(size(&impulse) * size(&jacobian)).max(1.0);
            let off = size(&(momentum - jacobian.transpose() * &impulse)) / scale;
            assert!(off <= tolerance, "{what}, {e}: momentum {off:e}");
            let of = |v: &DVector<f64>| 0.5 * v.dot(&(&m * v));
            let lost = of(&before) - of(&after);
            let slack = tolerance * of(&before).max(of(&after)) * 10.0;
            assert!(lost >= -slack && (e < 1.0 || lost <= slack), "{what}, {e}: {lost:e}");
        }
    }
}

/// Accelerations and multipliers as a quantity.
struct Held<'a>(&'a [Constraint], usize);

impl StateFunction for Held<'_> {
    fn outputs(&self, model: &Model) -> usize {
        model.nv() + self.1
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let by = constraint_dynamics(model, ws, state.q, state.v, state.u, self.0, state.wrenches)?;
        out[..model.nv()].copy_from_slice(by.ddq);
        out[model.nv()..].copy_from_slice(by.lambda);
        Ok(())
    }
}

/// Dual numbers pass through: derivatives by q, v and τ are what differences converge to, at full rank and below it.
#[test]
fn dual_numbers_pass_through() {
    let (model, q, feet) = standing();
    let gained: Vec<_> = feet.iter().map(|c| c.with_gains(30.0, 4.0)).collect();
    let (loop_model, bar) = four_bar();
    let doubled = [bar[0].with_gains(30.0, 4.0); 2];
    let cases: [(&str, &Model, Vec<f64>, &[Constraint]); 3] = [
        ("feet", &model, q, &gained),
        ("four-bar", &loop_model, vec![0.4, -0.4, 0.4], &bar),
        ("four-bar, held twice", &loop_model, vec![0.5, -0.4, 0.2], &doubled),
    ];
    for (what, model, q, list) in cases {
        let (_, v, tau) = state(model, 11);
        let held = Held(list, 3 * list.len());
        let at = State { q: &q, v: &v, u: &tau, wrenches: &[] };
        let dual = by_duals(model, &held, at).expect("runs");
        let (difference, _) = by_differences(model, &held, at).expect("runs");
        for (by, d, x) in
            [("q", &dual.dq, &difference.dq), ("v", &dual.dv, &difference.dv), ("tau", &dual.du, &difference.du)]
        {
            // What extrapolated differences reach.
            let off = testing::deviation(x, d);
            assert!(off < 1e-8, "{what}, by {by}: {off:e}");
        }
        // ∂λ/∂τ = −(J M⁻¹ Jᵀ)⁺ J M⁻¹, and J ∂q̈/∂τ = 0.
        let mut ws = Workspace::new(model);
        let jacobian = constraint_jacobian(model, &mut ws, &q, list).expect("runs");
        let held_back = jacobian * dual.du.rows(0, model.nv());
        assert!(size(&held_back) < 1e-11 * size(&dual.du), "{what}: {held_back}");
    }
}

/// The value over dual numbers is that over numbers, to rounding: bias forces of `f64` are summed eight joints at a
/// time.
#[test]
fn values_over_dual_numbers_are_the_same() {
    for (what, model) in regular() {
        let (q, v, tau) = state(&model, 12);
        let list = constraints(&model, 12);
        let zeros = |x: &[f64]| dual(x, &vec![0.0; x.len()]);
        let (mut ws, mut dual_ws) = (Workspace::new(&model), Workspace::new(&model));
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &list, &[]).expect("runs");
        let of =
            constraint_dynamics(&model, &mut dual_ws, &zeros(&q), &zeros(&v), &zeros(&tau), &list, &[]).expect("runs");
        let values = once::crba(&model, &q).expect("runs").symmetric_eigenvalues();
        // Rounding errors, as large as the mass matrix makes them; multipliers lose twice the digits.
        let tolerance = 1e-14 * (values.max() / values.min()).max(1e3);
        assert_near(&of.ddq.iter().map(|x| x.re).collect::<Vec<_>>(), by.ddq, tolerance, &what);
        assert_near(&of.lambda.iter().map(|x| x.re).collect::<Vec<_>>(), by.lambda, 1e-7, &what);
        assert_eq!(of.rank, by.rank, "{what}");
    }
}

/// What cannot be a constraint is named, with why.
#[test]
fn errors_name_the_constraint() {
    let (model, list) = four_bar();
    let mut ws = Workspace::new(&model);
    let (bar, zero) = (model.find_body("bar").expect("is there"), Vector3::zeros());
    let mut error = |c: Constraint| {
        let list = [list[0], c];
        constraint_dynamics(&model, &mut ws, &[0.0; 3], &[0.0; 3], &[0.0; 3], &list, &[]).expect_err("is wrong")
    };
    let itself = error(Constraint::point(bar, zero, bar, zero));
    assert!(itself.to_string().starts_with("constraint 1, between `bar` and `bar`"), "{itself}");
    let nan = error(Constraint::contact(bar, Vector3::new(f64::NAN, 0.0, 0.0), zero));
    assert!(nan.to_string().contains("between `world` and `bar`: a number is not finite"), "{nan}");
    let gain = error(list[0].with_gains(-1.0, 0.0));
    assert!(gain.to_string().contains("a gain is negative"), "{gain}");
    let (here, stretched) = (Transform::identity(), Transform::new(Matrix3::identity() * 2.0, zero));
    let stretched = error(Constraint::frame(None, here, bar, stretched));
    assert!(stretched.to_string().contains("a placement is not a pose"), "{stretched}");
    let other = robot("solo12", &UrdfOptions::new()).body_id(7).expect("is there");
    let foreign = error(Constraint::contact(other, zero, zero));
    assert!(matches!(foreign, InputError::OtherModel { what: "body", index: 7, .. }), "{foreign}");
    let e = impulse_dynamics(&model, &mut ws, &[0.0; 3], &[0.0; 3], 1.5, &list).expect_err("is wrong");
    assert_eq!(e, InputError::Restitution);
    let e = constraint_dynamics(&model, &mut ws, &[0.0; 3], &[0.0; 3], &[0.0; 2], &list, &[]).expect_err("is wrong");
    assert_eq!(e, InputError::Length { what: "tau", size: "nv", expected: 3, found: 2 });
    // And the workspace is as good as before.
    assert!(constraint_dynamics(&model, &mut ws, &[0.0; 3], &[0.0; 3], &[0.0; 3], &list, &[]).is_ok());
}
