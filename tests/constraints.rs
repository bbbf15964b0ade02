//! Closed loops and contacts: the constraints, accelerations and impulses under them.

mod common;

use common::{
    assert_near, assert_same, dual, eps, every_joint, inertia, models, moved, rng, robot, state, transform, vector,
};
use gradyn::dynamics::{
    Constraint, Workspace, center_of_mass, centroidal, constraint_bias, constraint_dynamics, constraint_error,
    constraint_jacobian, forward_dynamics, forward_kinematics, impulse_dynamics, inverse_dynamics, kinetic_energy,
    mass_matrix, rnea_with,
};
use gradyn::joint::{Axis, Cylindrical, Elementary, FreeFlyer, Helical, Joint, JointKind, Revolute};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{BodyId, InputError, Model, ModelBuilder};
use gradyn::partials::{State, StateFunction, by_differences, by_duals};
use gradyn::spatial::{Inertia, Symmetric3, Transform};
use gradyn_derivatives::Scalar;
use nalgebra::{DMatrix, DVector, Vector3};
use rand::RngExt;

/// Constraints between random bodies, or one and the world; of points, and of frames.
fn constraints(model: &Model, seed: u64) -> Vec<Constraint> {
    let rng = &mut rng(seed.wrapping_add(3000));
    let n = model.bodies().len();
    let mut all = Vec::new();
    for k in 0..3 {
        let b = rng.random_range(0..n);
        let a = Some(rng.random_range(0..n)).filter(|a| *a != b && k != 1);
        let id = |i: usize| model.body_id(i).expect("is there");
        let (a, b): (Option<BodyId>, _) = (a.map(id), id(b));
        all.push(match k {
            2 => Constraint::frame(a, transform(rng), b, transform(rng)).with_gains(7.0, 3.0),
            _ => Constraint::point(a, vector(rng), b, vector(rng)).with_gains(5.0, 0.5),
        });
    }
    all
}

/// The largest entry of a matrix or vector.
fn size<'a>(x: impl IntoIterator<Item = &'a f64>) -> f64 {
    x.into_iter().fold(0.0, |s: f64, x| s.max(x.abs()))
}

/// A model whose mass matrix can be inverted.
fn regular() -> impl Iterator<Item = (String, Model)> {
    models().into_iter().filter(|(_, model)| {
        let (q, v, tau) = state(model, 0);
        forward_dynamics(model, &q, &v, &tau, &[]).is_ok()
    })
}

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

/// Accelerations and multipliers solve the equations of motion, by inverse dynamics, and leave nothing of the constraints, or
/// the least sum of squares; where the rows are independent, they are what a dense solve of all equations gives.
#[test]
fn accelerations_are_those_of_a_dense_solve() {
    let (mut full, mut deficient) = (0, 0);
    for (what, model) in regular() {
        let (mut ws, nv) = (Workspace::new(&model), model.nv());
        for (seed, count) in [(0, 3), (1, 3), (2, 3), (0, 1), (1, 1)] {
            let (q, v, tau) = state(&model, seed);
            let (mut list, wrenches) = (constraints(&model, seed), common::wrenches(&model, seed));
            // All of them, or one point only, which most robots can hold.
            list.truncate(count);
            let rows = list.iter().map(Constraint::rows).sum();
            let jacobian = constraint_jacobian(&model, &mut ws, &q, &list).expect("runs").clone();
            let gamma = DVector::from_column_slice(constraint_bias(&model, &mut ws, &q, &v, &list).expect("runs"));
            let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &wrenches, &list).expect("runs");
            let (ddq, lambda) = (DVector::from_column_slice(by.ddq), DVector::from_column_slice(by.lambda));
            let (rank, residual) = (by.rank, by.residual);

            let m = mass_matrix(&model, &q).expect("runs");
            // Errors of accelerations, as large as the mass matrix makes them; the worst tree has 1e6.
            let values = m.clone().symmetric_eigenvalues();
            let condition = values.max() / values.min();
            let what = format!("{what}, state {seed}, rank {rank} of {rows}, condition {condition:.0e}");
            let tau_c = rnea_with(&model, &mut ws, &q, &v, by_slice(&ddq), &wrenches).expect("runs");
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
            let c = rnea_with(&model, &mut ws, &q, &v, &vec![0.0; nv], &wrenches).expect("runs");
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
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &[], &once).expect("runs");
        let (ddq, lambda, rank) = (by.ddq.to_vec(), by.lambda.to_vec(), by.rank);
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &[], &twice).expect("runs");
        assert_eq!(by.rank, rank, "{what}");
        let values = mass_matrix(&model, &q).expect("runs").symmetric_eigenvalues();
        // Rounding errors, as large as the mass matrix makes them.
        let tolerance = 1e-14 * (values.max() / values.min()).max(1e3);
        assert_near(by.ddq, &ddq, tolerance, &what);
        assert_near(&by.lambda[..12], &by.lambda[12..], 1e-9, &what);
        let sum: Vec<_> = (0..12).map(|r| by.lambda[r] + by.lambda[r + 12]).collect();
        // Multipliers lose twice the digits.
        assert_near(&sum, &lambda, 1e-7, &what);
    }
}

/// Without constraints: forward dynamics. The same call twice: the same bits.
#[test]
fn no_constraints_and_the_same_again() {
    for (what, model) in regular() {
        let (q, v, tau) = state(&model, 4);
        let mut ws = Workspace::new(&model);
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &[], &[]).expect("runs");
        assert_eq!((by.rank, by.lambda.len()), (0, 0));
        let torque = inverse_dynamics(&model, &q, &v, by.ddq, &[]).expect("runs");
        let scale = size(&mass_matrix(&model, &q).expect("runs")) * size(by.ddq).max(1.0);
        for (found, expected) in torque.iter().zip(&tau) {
            // Rounding errors of what the torques are sums of.
            assert!((found - expected).abs() < 1e-11 * scale, "{what}");
        }
        let list = constraints(&model, 4);
        let run = |ws: &mut Workspace<f64>| {
            let by = constraint_dynamics(&model, ws, &q, &v, &tau, &[], &list).expect("runs");
            [by.ddq, by.lambda].concat()
        };
        let first = run(&mut ws);
        assert_same(&run(&mut ws), &first, &what);
        assert_same(&run(&mut Workspace::new(&model)), &first, &what);
    }
}

/// Two cranks of 0.5 m, 0.8 m apart, and a bar between them: a parallelogram in the plane of x and z, hanging down.
fn four_bar() -> (Model, Vec<Constraint>) {
    let mut builder = ModelBuilder::new("four-bar");
    let point = |m, x, z| Inertia::new(m, Vector3::new(x, 0.0, z), Symmetric3::diagonal(0.0, 0.0, 0.0));
    let at = |x, z| Transform::from_translation(Vector3::new(x, 0.0, z));
    let joint = Revolute { axis: Axis::Y };
    let crank = builder.add_body(None, "crank", "a", at(0.0, 0.0), joint, point(2.0, 0.0, -0.25)).expect("builds");
    builder.add_body(Some(crank), "bar", "b", at(0.0, -0.5), joint, point(3.0, 0.3, -0.1)).expect("builds");
    builder.add_body(None, "rocker", "c", at(0.8, 0.0), joint, point(2.0, 0.0, -0.25)).expect("builds");
    let model = builder.build().expect("builds");
    let id = |name| model.find_body(name).expect("is there");
    let loop_joint =
        Constraint::point(id("bar"), Vector3::new(0.8, 0.0, 0.0), id("rocker"), Vector3::new(0.0, 0.0, -0.5));
    (model.clone(), vec![loop_joint])
}

/// A parallelogram is a pendulum: `(2 m l²/4 + m_b l²) θ̈ = −g l (m + m_b) sin θ`, m of each crank, m_b of the bar.
#[test]
fn four_bar_moves_as_a_pendulum() {
    let (model, list) = four_bar();
    let mut ws = Workspace::new(&model);
    for (angle, rate) in [(0.4, 0.0), (0.4, 1.3), (-1.1, 2.0)] {
        let (q, v) = ([angle, -angle, angle], [rate, -rate, rate]);
        let error = constraint_error(&model, &mut ws, &q, &list).expect("runs");
        assert!(size(error) < 1e-15, "closes: {error:?}");
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &[0.0; 3], &[], &list).expect("runs");
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
        constraint_dynamics(&model, &mut ws, &[angle, -angle, angle], &[0.0; 3], &[0.0; 3], &[], &list).expect("runs");
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
        let a = constraint_dynamics(&model, &mut ws, &q, &v, &[0.0; 3], &[], &list).expect("runs").ddq.to_vec();
        let mid: Vec<_> = q.iter().zip(&v).map(|(q, v)| q + h / 2.0 * v).collect();
        let mid_v: Vec<_> = v.iter().zip(&a).map(|(v, a)| v + h / 2.0 * a).collect();
        let a = constraint_dynamics(&model, &mut ws, &mid, &mid_v, &[0.0; 3], &[], &list).expect("runs").ddq.to_vec();
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

/// Four feet of a floating quadruped that stand where they are.
fn standing() -> (Model, Vec<f64>, Vec<Constraint>) {
    let model = robot("solo12", &UrdfOptions::new().floating_base(true));
    let (q, ..) = state(&model, 8);
    let mut ws = Workspace::new(&model);
    let still = vec![0.0; model.nv()];
    let kinematics = forward_kinematics(&model, &mut ws, &q, &still, &still).expect("runs");
    let feet = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"].map(|name| {
        let id = model.find_frame(name).expect("is there");
        let frame = &model.frames()[id.index()];
        let place = kinematics.frame_pose(id).expect("is there").translation;
        Constraint::contact(frame.body().expect("moves"), frame.placement().translation, place)
    });
    (model.clone(), q, feet.to_vec())
}

/// On four feet: twelve independent rows; the forces on the feet and the weight move the centre of mass.
#[test]
fn contact_forces_move_the_centre_of_mass() {
    let (model, q, feet) = standing();
    let (_, v, tau) = state(&model, 8);
    let mut ws = Workspace::new(&model);
    let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &[], &feet).expect("runs");
    assert_eq!(by.rank, 12);
    // Rounding errors against accelerations of about 100 m/s².
    assert!(by.residual < 1e-9, "{:e}", by.residual);
    let (ddq, lambda) = (by.ddq.to_vec(), by.lambda.to_vec());
    // What the torque of the floating base pushes with, in its own axes, comes from outside too.
    let kinematics = forward_kinematics(&model, &mut ws, &q, &v, &ddq).expect("runs");
    let base = kinematics.pose(model.body_id(0).expect("is there")).expect("is there");
    let push: Vector3<f64> = base.vector(Vector3::new(tau[0], tau[1], tau[2]));
    let force = lambda.chunks(3).fold(push, |sum, f| sum + Vector3::new(f[0], f[1], f[2]));
    let com = center_of_mass(&model, &mut ws, &q, &v, &ddq).expect("runs").whole;
    let mass: f64 = model.bodies().iter().map(|body| body.inertia().mass).sum();
    let expected = (com.acceleration - model.gravity()) * mass;
    // A few hundred roundings, and the condition of the mass matrix, 1e3.
    assert_near(force.as_slice(), expected.as_slice(), 1e-10, "forces");

    // A fifth contact on the sole of one foot repeats the first.
    let again = [&feet[..], &feet[..1]].concat();
    let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &[], &again).expect("runs");
    assert_eq!(by.rank, 12);
    assert_near(by.ddq, &ddq, 1e-10, "accelerations");
    assert_near(&by.lambda[..3], &lambda[..3].iter().map(|x| x / 2.0).collect::<Vec<_>>(), 1e-9, "shared");
}

/// After an impulse `J v⁺ = −ε J v⁻`; momentum changes by `Jᵀ Λ`; energy does not grow, and is conserved by `ε = 1`.
#[test]
fn impulses_reflect_and_balance() {
    for (what, model) in regular() {
        let (q, v, _) = state(&model, 6);
        let list = constraints(&model, 6);
        let mut ws = Workspace::new(&model);
        let jacobian = constraint_jacobian(&model, &mut ws, &q, &list).expect("runs").clone();
        let (m, before) = (mass_matrix(&model, &q).expect("runs"), DVector::from_column_slice(&v));
        let values = m.clone().symmetric_eigenvalues();
        // Rounding errors, as large as the mass matrix makes them.
        let tolerance = 1e-14 * (values.max() / values.min()).max(1e3);
        let energy = kinetic_energy(&model, &mut ws, &q, &v).expect("runs");
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
            let left = kinetic_energy(&model, &mut ws, &q, by_slice(&after)).expect("runs");
            let lost = energy - left;
            let expected = if e >= 1.0 { lost.abs() } else { -lost };
            // Armature has energy of its own, which `kinetic_energy` may leave out: by the mass matrix instead.
            let _ = expected;
            let of = |v: &DVector<f64>| 0.5 * v.dot(&(&m * v));
            let lost = of(&before) - of(&after);
            let slack = tolerance * of(&before).max(of(&after)) * 10.0;
            assert!(lost >= -slack && (e < 1.0 || lost <= slack), "{what}, {e}: {lost:e}");
        }
    }
}

/// The momentum of a robot changes by the impulses on its feet.
#[test]
fn impulses_on_feet_change_the_momentum() {
    let (model, q, feet) = standing();
    let (_, v, still) = state(&model, 9);
    let mut ws = Workspace::new(&model);
    let by = impulse_dynamics(&model, &mut ws, &q, &v, 0.2, &feet).expect("runs");
    assert_eq!(by.rank, 12);
    let (after, sum) =
        (by.v.to_vec(), by.impulse.chunks(3).fold([0.0; 3], |s, f| [s[0] + f[0], s[1] + f[1], s[2] + f[2]]));
    let mut momentum = |v: &[f64]| centroidal(&model, &mut ws, &q, v, &still).expect("runs").momentum.linear;
    let change = momentum(&after) - momentum(&v);
    // A few hundred roundings, and the condition of the mass matrix, 1e3.
    assert_near(change.as_slice(), &sum, 1e-10, "momentum");
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
        let by = constraint_dynamics(model, ws, state.q, state.v, state.u, state.wrenches, self.0)?;
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
            let off = common::deviation(x, d);
            assert!(off < 1e-8, "{what}, by {by}: {off:e}");
        }
        // ∂λ/∂τ = −(J M⁻¹ Jᵀ)⁺ J M⁻¹, and J ∂q̈/∂τ = 0.
        let mut ws = Workspace::new(model);
        let jacobian = constraint_jacobian(model, &mut ws, &q, list).expect("runs");
        let held_back = jacobian * dual.du.rows(0, model.nv());
        assert!(size(&held_back) < 1e-11 * size(&dual.du), "{what}: {held_back}");
    }
}

/// The value over dual numbers is that over numbers, to rounding: bias forces of `f64` are summed eight joints at a time.
#[test]
fn values_over_dual_numbers_are_the_same() {
    for (what, model) in regular() {
        let (q, v, tau) = state(&model, 12);
        let list = constraints(&model, 12);
        let zeros = |x: &[f64]| dual(x, &vec![0.0; x.len()]);
        let (mut ws, mut dual_ws) = (Workspace::new(&model), Workspace::new(&model));
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &[], &list).expect("runs");
        let of =
            constraint_dynamics(&model, &mut dual_ws, &zeros(&q), &zeros(&v), &zeros(&tau), &[], &list).expect("runs");
        let values = mass_matrix(&model, &q).expect("runs").symmetric_eigenvalues();
        // Rounding errors, as large as the mass matrix makes them; multipliers lose twice the digits.
        let tolerance = 1e-14 * (values.max() / values.min()).max(1e3);
        assert_near(&of.ddq.iter().map(|x| x.re).collect::<Vec<_>>(), by.ddq, tolerance, &what);
        assert_near(&of.lambda.iter().map(|x| x.re).collect::<Vec<_>>(), by.lambda, 1e-7, &what);
        assert_eq!(of.rank, by.rank, "{what}");
    }
}

/// Joints that can close a loop.
fn loop_joints(rng: &mut rand_chacha::ChaCha8Rng) -> Vec<Elementary> {
    let kinds = every_joint(rng).into_iter().filter_map(|joint| match joint {
        Joint::Elementary(kind) => Some(kind),
        _ => None,
    });
    kinds.filter(|kind| !matches!(kind, Elementary::FreeFlyer(_))).collect()
}

/// Wherever a joint of the tree is, the same joint as a constraint holds, and takes nothing away; with its own freedoms its
/// rows make six.
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
        let free = forward_dynamics(&model, &q, &v, &tau, &[]).expect("runs");
        let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &[], &list).expect("runs");
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
        let list = [Constraint::joint(a, x_a, b, x_b, kind).expect("can")];
        let error = constraint_error(&two, &mut Workspace::new(&two), &q, &list).expect("runs").to_vec();
        assert!(size(&error) < 1e-13, "{what}: {error:?}");
        let (v, tau) = (vec![0.1; 12], vec![0.2; 12]);
        let mut ws = Workspace::new(&two);
        let by = constraint_dynamics(&two, &mut ws, &q, &v, &tau, &[], &list).expect("runs");
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
    let by = constraint_dynamics(&model, &mut ws, &q, &v, &[0.0; 3], &[], &hinge).expect("runs");
    assert_eq!((by.lambda.len(), by.rank), (5, 2));
    assert!(by.residual < 1e-13, "{:e}", by.residual);
    let ddq = by.ddq.to_vec();
    let by = constraint_dynamics(&model, &mut ws, &q, &v, &[0.0; 3], &[], &by_point).expect("runs");
    // A few roundings.
    assert_near(&ddq, by.ddq, 1e-13, "accelerations");
}

/// A thread holds on every turn, also without pitch; its row is what is left of the pitch times the angle.
#[test]
fn threads_hold_on_every_turn() {
    let mut builder = ModelBuilder::new("nut");
    let rng = &mut rng(79);
    let axis = common::axis(rng);
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

/// What cannot be a constraint is named, with why.
#[test]
fn errors_name_the_constraint() {
    let (model, list) = four_bar();
    let mut ws = Workspace::new(&model);
    let (bar, zero) = (model.find_body("bar").expect("is there"), Vector3::zeros());
    let mut error = |c: Constraint| {
        let list = [list[0], c];
        constraint_dynamics(&model, &mut ws, &[0.0; 3], &[0.0; 3], &[0.0; 3], &[], &list).expect_err("is wrong")
    };
    let itself = error(Constraint::point(bar, zero, bar, zero));
    assert!(itself.to_string().starts_with("constraint 1, between `bar` and `bar`"), "{itself}");
    let nan = error(Constraint::contact(bar, Vector3::new(f64::NAN, 0.0, 0.0), zero));
    assert!(nan.to_string().contains("between `world` and `bar`: a number is not finite"), "{nan}");
    let gain = error(list[0].with_gains(-1.0, 0.0));
    assert!(gain.to_string().contains("a gain is negative"), "{gain}");
    let other = robot("solo12", &UrdfOptions::new()).body_id(7).expect("is there");
    assert_eq!(error(Constraint::contact(other, zero, zero)), InputError::UnknownBody { index: 7, bodies: 3 });
    let e = impulse_dynamics(&model, &mut ws, &[0.0; 3], &[0.0; 3], 1.5, &list).expect_err("is wrong");
    assert_eq!(e, InputError::Restitution);
    let e = constraint_dynamics(&model, &mut ws, &[0.0; 3], &[0.0; 3], &[0.0; 2], &[], &list).expect_err("is wrong");
    assert_eq!(e, InputError::Length { what: "tau", size: "nv", expected: 3, found: 2 });
    // And the workspace is as good as before.
    assert!(constraint_dynamics(&model, &mut ws, &[0.0; 3], &[0.0; 3], &[0.0; 3], &[], &list).is_ok());
}
