//! A mass that slides freely in space, random convex problems of it, and the conditions of optimality of problems with
//! cones.

use gradyn::joint::{Axis, FreeFlyer, Prismatic};
use gradyn::spatial::Symmetric3;
use gradyn::{Inertia, Model, ModelBuilder, Transform};
use gradyn_trajectory::residual::{Affine, Control, Residual, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Newton, PathConstraint, Phase, Problem};
use nalgebra::{DMatrix, DVector, Vector3};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// 1 kg that slides along x, y and z, without gravity: its accelerations are its three controls.
pub(crate) fn puck() -> Model {
    let mut builder = ModelBuilder::new("puck");
    builder.set_gravity(Vector3::zeros());
    let mut parent = None;
    for (name, axis) in [("x", Axis::X), ("y", Axis::Y), ("z", Axis::Z)] {
        let mass = if name == "z" { 1.0 } else { 0.0 };
        let inertia = Inertia::point_mass(mass, Vector3::zeros()).expect("is an inertia");
        let body = builder.add_body(parent, name, name, Transform::identity(), Prismatic { axis }, inertia);
        parent = Some(body.expect("is valid"));
    }
    builder.build().expect("is a robot")
}

/// 1 kg with moments of 0.1 kg m² that moves freely, without gravity.
pub(crate) fn free_body() -> Model {
    let mut builder = ModelBuilder::new("body");
    builder.set_gravity(Vector3::zeros());
    let inertia = Inertia::new(1.0, Vector3::zeros(), Symmetric3::diagonal(0.1, 0.1, 0.1));
    builder.add_body(None, "body", "root", Transform::identity(), FreeFlyer, inertia).expect("is valid");
    builder.build().expect("is a robot")
}

fn numbers(rng: &mut ChaCha8Rng, n: usize, size: f64) -> Vec<f64> {
    (0..n).map(|_| size * rng.random_range(-1.0..1.0)).collect()
}

/// Linear dynamics, quadratic costs, and cones that some forces drawn at random keep strictly.
pub(crate) fn random_problem(seed: u64) -> Problem {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let model = puck();
    let (n, h) = (rng.random_range(3..12_usize), 0.1);
    let (q0, v0) = (numbers(rng, 3, 1.0), numbers(rng, 3, 1.0));
    // A trajectory that keeps all cones.
    let inside: Vec<Vec<f64>> = (0..n).map(|_| numbers(rng, 3, 2.0)).collect();
    let mut states = vec![[q0.clone(), v0.clone()].concat()];
    for u in &inside {
        let mut x = states[states.len() - 1].clone();
        for i in 0..3 {
            x[3 + i] += h * u[i];
            x[i] += h * x[3 + i];
        }
        states.push(x);
    }
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::Full(3)));
    let (target, force) = (numbers(rng, 3, 5.0), numbers(rng, 3, 3.0));
    let mut phase = Phase::new("push", n, h, step)
        .cost(Cost::new("force", Control::at(&force)).weight(rng.random_range(0.01..1.0)))
        .cost(Cost::new("there", StateError::at(&model, &target, &[0.0; 3])).weight(rng.random_range(0.1..20.0)));
    for k in 0..rng.random_range(1..4_usize) {
        let of_state = rng.random_range(0.0..1.0) < 0.4;
        let (rows, columns) = (rng.random_range(1..5_usize), if of_state { 6 } else { 3 });
        let matrix = DMatrix::from_fn(rows, columns, |_, _| rng.random_range(-1.0..1.0));
        let mut offset = DVector::from_vec(numbers(rng, rows, 1.0));
        // The first row is at least the norm of the others, and some more, everywhere.
        let points = if of_state { &states[..n] } else { &inside[..] };
        let least = points.iter().map(|x| {
            let r = &matrix * DVector::from_column_slice(x) + &offset;
            r[0] - r.rows(1, rows - 1).norm()
        });
        offset[0] += rng.random_range(0.01..0.5) - least.fold(f64::INFINITY, f64::min);
        let residual: Box<dyn Residual> =
            if of_state { Box::new(StateError::at(&model, &[0.0; 3], &[0.0; 3])) } else { Box::new(Control::zero()) };
        let affine = Affine::boxed(residual, matrix, offset);
        phase = phase.constraint(PathConstraint::second_order_cone(format!("cone {k}"), affine));
    }
    let most = inside.iter().map(|u| Vector3::from_column_slice(u).norm()).fold(0.0, f64::max);
    phase = phase.constraint(PathConstraint::norm_at_most("strength", Control::zero(), most + 0.01));
    if rng.random_range(0.0..1.0) < 0.3 {
        phase = phase.control_bounds(&[-2.1; 3], &[2.1; 3]);
    }
    let mut builder = Problem::builder(&model).start(&q0, &v0).phase(phase);
    if rng.random_range(0.0..1.0) < 0.3 {
        let end = &states[n];
        let arrive = PathConstraint::equal("arrive", StateError::at(&model, &end[..3], &end[3..]));
        builder = builder.last_constraint(arrive);
    }
    builder.build().expect("a problem")
}

/// What is left of the conditions of optimality at a solution.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    /// The largest entry of the gradient of the Lagrangian, by differences of its values; of robots without
    /// quaternions.
    pub(crate) stationarity: f64,
    /// How far `(t, w)` is outside of its cone, and `z`, `|w| − t`, of multipliers that are not tiny.
    pub(crate) outside: f64,
    pub(crate) multipliers_outside: f64,
    /// The largest `sᵀ z`.
    pub(crate) products: f64,
    /// Cones whose slack and multiplier are both on the boundary, or whose slack is zero.
    pub(crate) tight: usize,
    /// 1, or the mean size of multipliers over 100 where that is more: what the tolerance is in proportion to.
    pub(crate) scale: f64,
}

/// Of rows in cones, bounds of controls and equalities, from values of the problem alone.
pub(crate) fn conditions(problem: &Problem, solver: &Newton) -> Conditions {
    let (at, mut memory) = (solver.trajectory(), problem.memory());
    let last = problem.steps();
    let flat = problem.space().nx() == problem.space().ndx();
    let mut found = Conditions::default();
    let (mut sum, mut count) = (0.0, 0);
    for k in 0..=last {
        let dims = problem.dims(k);
        let by = solver.multipliers(k);
        sum += by.next.iter().chain(by.eq.iter()).chain(by.ineq.iter()).map(|x| x.abs()).sum::<f64>();
        count += by.next.len() + by.eq.len() + by.ineq.len();
        let mut next = vec![0.0; if k == last { 0 } else { dims.nx }];
        let mut rows = vec![0.0; dims.n_eq + dims.n_in];
        problem.value(k, at.x(k), at.u(k), &mut memory, &mut next, &mut rows).expect("runs");
        let g = &rows[dims.n_eq..];
        let part = |x: &[f64], cone: &std::ops::Range<usize>| {
            let w = x[cone.start + 1..cone.end].iter().map(|x| x * x).sum::<f64>().sqrt();
            (x[cone.start], w)
        };
        for cone in problem.cones(k) {
            let z: Vec<f64> = by.ineq.iter().map(|y| -y).collect();
            let ((t, w), (zt, zw)) = (part(g, &cone), part(&z, &cone));
            found.outside = found.outside.max(w - t);
            found.multipliers_outside = found.multipliers_outside.max(zw - zt);
            let product: f64 = g[cone.clone()].iter().zip(&z[cone.clone()]).map(|(s, z)| s * z).sum();
            found.products = found.products.max(product.abs());
            found.tight += usize::from((t - w).abs() < 1e-5 && zt > 1e-4);
        }
        if !flat {
            continue;
        }
        let mut lagrangian = |x: &[f64], u: &[f64]| {
            let cost = problem.value(k, x, u, &mut memory, &mut next, &mut rows).expect("runs");
            let dot = |a: &[f64], b: &DVector<f64>| a.iter().zip(b.iter()).map(|(a, b)| a * b).sum::<f64>();
            cost + dot(&next, &by.next) + dot(&rows[..dims.n_eq], &by.eq) + dot(&rows[dims.n_eq..], &by.ineq)
        };
        // Quadratic in both: central differences are exact, but for rounding of 1e-16 over 1e-4.
        let step = 1e-4;
        let mut slope = |x: &[f64], u: &[f64], i: usize| {
            let (mut x, mut u) = (x.to_vec(), u.to_vec());
            let mut moved = |by: f64| {
                if i < dims.nx {
                    x[i] += by
                } else {
                    u[i - dims.nx] += by
                }
                lagrangian(&x, &u)
            };
            let ahead = moved(step);
            let behind = moved(-2.0 * step);
            (ahead - behind) / (2.0 * step)
        };
        for i in 0..dims.nx + dims.nu {
            let mut left = slope(at.x(k), at.u(k), i);
            match i.checked_sub(dims.nx) {
                None if k == 0 => continue,
                None => left -= solver.multipliers(k - 1).next[i],
                Some(i) => left += solver.control_multiplier(k, i).unwrap_or(0.0),
            }
            found.stationarity = found.stationarity.max(left.abs());
        }
    }
    found.scale = (sum / f64::from(count as u32) / 100.0).max(1.0);
    found
}
