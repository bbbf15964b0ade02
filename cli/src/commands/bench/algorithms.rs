//! Every algorithm, by the name that Pinocchio has for the same question, or by its own.

use super::clock::Clock;
use gradyn::batch::{Batch, BatchDerivatives, BatchGradient};
use gradyn::derivatives::Dual8;
use gradyn::dynamics::{self as dy, Constraint, ReferenceFrame, Workspace};
use gradyn::model::{BodyId, InputError, Model};
use gradyn::partials::{self, DerivativeWorkspace, HessianWorkspace, Method, SecondOrderWorkspace};
use gradyn::spatial::Force;
use gradyn_files::states::State;
use nalgebra::{DMatrix, Vector3};
use std::hint::black_box;

/// For more degrees of freedom, tensors of third order take hundreds of megabytes, and differences seconds a call.
const LARGE: usize = 128;

/// A state of inverse and of forward dynamics, and where a step leads.
struct Point {
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
    q_next: Vec<f64>,
}

/// Times all that is asked for.
pub(super) fn measure(model: &Model, states: &[State], clock: &mut Clock<'_>) {
    let points: Vec<Point> = (0..states.len())
        .map(|k| {
            let State { q, v, a, tau, .. } = states[k].clone();
            let q_next = states[(k + 1) % states.len()].q.clone();
            Point { tau: tau.unwrap_or_else(|| a.clone()), q, v, a, q_next }
        })
        .collect();
    values(model, &points, clock);
    eight(model, &points, clock);
    kinematics(model, &points, clock);
    manifold(model, &points, clock);
    first(model, &points, clock);
    held(model, &points, clock);
    contractions(model, &points, clock);
    second(model, &points, clock);
    batches(model, &points, clock);
}

/// An algorithm at one state.
type Call<'a> = dyn FnMut(&mut Workspace<f64>, &Point) -> Result<(), InputError> + 'a;

/// Makes sure that the result is computed.
fn used<T>(result: Result<T, InputError>) -> Result<(), InputError> {
    result.map(|value| {
        black_box(&value);
    })
}

fn values(model: &Model, points: &[Point], clock: &mut Clock<'_>) {
    let ws = &mut Workspace::<f64>::new(model);
    let mut time = |name: &str, call: &mut Call<'_>| {
        clock.time(name, points, 1, |p| call(ws, p));
    };
    time("rnea", &mut |ws, p| used(dy::rnea(model, ws, &p.q, &p.v, &p.a, &[])));
    time("crba", &mut |ws, p| used(dy::crba(model, ws, &p.q)));
    time("aba", &mut |ws, p| used(dy::aba(model, ws, &p.q, &p.v, &p.tau, &[])));
    time("computeMinverse", &mut |ws, p| used(dy::minv(model, ws, &p.q)));
    time("nonLinearEffects", &mut |ws, p| used(dy::bias(model, ws, &p.q, &p.v, &[])));
    time("computeGeneralizedGravity", &mut |ws, p| used(dy::generalized_gravity(model, ws, &p.q)));
    time("computeStaticTorque", &mut |ws, p| used(dy::static_torque(model, ws, &p.q, &[])));
    time("computeCoriolisMatrix", &mut |ws, p| used(dy::coriolis_matrix(model, ws, &p.q, &p.v)));
    time("crba+cholesky", &mut |ws, p| used(dy::factorize_mass_matrix(model, ws, &p.q)));
    let mut x = vec![0.0; model.nv()];
    time("crba+cholesky+solve", &mut |ws, p| {
        x.copy_from_slice(&p.tau);
        dy::factorize_mass_matrix(model, ws, &p.q)?.solve(&mut x)
    });
    time("ccrba", &mut |ws, p| used(dy::centroidal_momentum_matrix(model, ws, &p.q)));
    time("dccrba", &mut |ws, p| used(dy::centroidal(model, ws, &p.q, &p.v, &p.a)));
    time("computeCentroidalMomentumTimeVariation", &mut |ws, p| {
        used(dy::centroidal_momentum(model, ws, &p.q, &p.v, &p.a))
    });
    time("centerOfMass", &mut |ws, p| used(dy::center_of_mass(model, ws, &p.q, &p.v, &p.a)));
    time("jacobianCenterOfMass", &mut |ws, p| used(dy::com_jacobian(model, ws, &p.q, None)));
    time("computeKineticEnergy", &mut |ws, p| used(dy::kinetic_energy(model, ws, &p.q, &p.v)));
    time("computePotentialEnergy", &mut |ws, p| used(dy::potential_energy(model, ws, &p.q)));
    time("computeMechanicalEnergy", &mut |ws, p| used(dy::mechanical_energy(model, ws, &p.q, &p.v)));
    time("computeJointTorqueRegressor", &mut |ws, p| used(dy::torque_regressor(model, ws, &p.q, &p.v, &p.a)));
    time("computeStaticRegressor", &mut |ws, p| used(dy::com_regressor(model, ws, &p.q)));
    time("computeKineticEnergyRegressor", &mut |ws, p| used(dy::kinetic_energy_regressor(model, ws, &p.q, &p.v)));
    time("computePotentialEnergyRegressor", &mut |ws, p| used(dy::potential_energy_regressor(model, ws, &p.q)));
}

/// Inverse dynamics with its derivatives in eight directions, along degree of freedom `k` in direction `k mod 8`.
fn eight(model: &Model, points: &[Point], clock: &mut Clock<'_>) {
    let units: Vec<f64> =
        (0..8).flat_map(|k| (0..model.nv()).map(move |dof| f64::from(u8::from(dof % 8 == k)))).collect();
    let along = |x: &[f64]| x.iter().enumerate().map(|(dof, x)| Dual8::variable(*x, dof % 8)).collect::<Vec<_>>();
    let at = points.iter().filter_map(|p| {
        let mut rates = vec![[0.0; 8]; model.nq()];
        let mut rate = vec![0.0; model.nq()];
        for (k, unit) in units.chunks(model.nv().max(1)).enumerate() {
            model.q_dot_into(&p.q, unit, &mut rate).ok()?;
            rates.iter_mut().zip(&rate).for_each(|(to, from)| to[k] = *from);
        }
        let q = p.q.iter().zip(rates).map(|(x, rates)| Dual8::from_parts(*x, rates)).collect::<Vec<_>>();
        Some((q, along(&p.v), along(&p.a)))
    });
    let at = at.collect::<Vec<_>>();
    let ws = &mut Workspace::<Dual8>::new(model);
    clock.time("rnea/dual8", &at, 1, |(q, v, a)| used(dy::rnea(model, ws, q, v, a, &[])));
}

/// Of the body with the longest way to the root where one is asked for.
fn kinematics(model: &Model, points: &[Point], clock: &mut Clock<'_>) {
    let world = ReferenceFrame::World;
    let ids = (0..model.bodies().len()).filter_map(|k| model.body_id(k));
    let depth = |body: BodyId| std::iter::successors(Some(body), |b| model.bodies()[b.index()].parent()).count();
    let Some(deepest) = ids.max_by_key(|body| depth(*body)) else { return };

    let ws = &mut Workspace::<f64>::new(model);
    let mut time = |name: &str, call: &mut Call<'_>| {
        clock.time(name, points, 1, |p| call(ws, p));
    };
    time("forwardKinematics", &mut |ws, p| used(dy::forward_kinematics(model, ws, &p.q, &p.v, &p.a)));
    time("computeFrameJacobian", &mut |ws, p| used(dy::frame_jacobian(model, ws, &p.q, deepest, world)));
    time("computeJointJacobians", &mut |ws, p| used(dy::joint_jacobians(model, ws, &p.q)));
    time("computeJointJacobiansTimeVariation", &mut |ws, p| {
        used(dy::frame_jacobian_rate(model, ws, &p.q, &p.v, deepest, world))
    });
    time("computeForwardKinematicsDerivatives", &mut |ws, p| {
        used(dy::frame_derivatives(model, ws, &p.q, &p.v, &p.a, deepest, world))
    });
    time("frame_bias_acceleration", &mut |ws, p| {
        used(dy::frame_bias_acceleration(model, ws, &p.q, &p.v, deepest, world))
    });
    let force = Force::new(Vector3::new(1.0, -0.5, 0.25), Vector3::new(0.3, -0.2, 0.1));
    time("jacobian_transpose_derivatives", &mut |ws, p| {
        used(dy::jacobian_transpose_derivatives(model, ws, &p.q, deepest, world, force))
    });
    let parent = model.bodies()[deepest.index()].parent();
    time("jacobianSubtreeCenterOfMass", &mut |ws, p| used(dy::com_jacobian(model, ws, &p.q, parent)));
    let at = Vector3::new(0.1, -0.2, 0.3);
    time("getPointClassicAccelerationDerivatives", &mut |ws, p| {
        let aligned = ReferenceFrame::LocalWorldAligned;
        used(dy::point_derivatives(model, ws, &p.q, &p.v, &p.a, deepest, at, aligned))
    });
    time("jointBodyRegressor", &mut |ws, p| used(dy::frame_wrench_regressor(model, ws, &p.q, &p.v, &p.a, deepest)));
    time("computeJointKinematicRegressor", &mut |ws, p| used(dy::kinematic_regressor(model, ws, &p.q, deepest, world)));
    time("computeCentroidalDynamicsDerivatives", &mut |ws, p| {
        used(dy::centroidal_derivatives(model, ws, &p.q, &p.v, &p.a))
    });
    time("getCenterOfMassVelocityDerivatives", &mut |ws, p| {
        used(dy::center_of_mass_derivatives(model, ws, &p.q, &p.v, &p.a, None))
    });
}

/// Moving along configurations, and derivatives of it.
fn manifold(model: &Model, points: &[Point], clock: &mut Clock<'_>) {
    let (mut q, mut v) = (vec![0.0; model.nq()], vec![0.0; model.nv()]);
    clock.time("integrate", points, 1, |p| model.integrate_into(&p.q, &p.v, black_box(&mut q)));
    clock.time("difference", points, 1, |p| model.difference_into(&p.q, &p.q_next, black_box(&mut v)));
    clock.time("interpolate", points, 1, |p| model.interpolate_into(&p.q, &p.q_next, 0.3, black_box(&mut q)));
    clock.time("normalize", points, 1, |p| {
        q.copy_from_slice(&p.q);
        model.normalize(black_box(&mut q))
    });
    let x = DMatrix::from_element(model.nv(), model.nv(), 1.0);
    let (mut first, mut second) = (x.clone(), x.clone());
    clock.time("dIntegrateTransport", points, 1, |p| model.transport_dq_into(&p.v, &x, black_box(&mut first)));
    clock.time("dIntegrate", points, 1, |p| {
        model.integrate_derivatives_into(&p.v, black_box(&mut first), black_box(&mut second))
    });
    clock.time("dDifference", points, 1, |p| {
        model.difference_derivatives_into(&p.q, &p.q_next, black_box(&mut first), black_box(&mut second))
    });
}

/// The analytical method has Pinocchio's name alone.
fn named(name: &str, method: Method) -> String {
    if method == Method::Analytical { name.to_owned() } else { format!("{name}/{method}") }
}

fn first(model: &Model, points: &[Point], clock: &mut Clock<'_>) {
    for method in Method::ALL {
        let names = ["computeRNEADerivatives", "computeABADerivatives"];
        let [inverse, forward] = names.map(|name| named(name, method));
        if method == Method::Difference && model.nv() > LARGE {
            for name in [inverse, forward] {
                clock.skip(&name, format!("differences of {} degrees of freedom take seconds a call", model.nv()));
            }
            continue;
        }
        let ws = &mut DerivativeWorkspace::new(model);
        clock.time(&inverse, points, 1, |p| used(partials::rnea_derivatives(model, ws, method, &p.q, &p.v, &p.a, &[])));
        clock
            .time(&forward, points, 1, |p| used(partials::aba_derivatives(model, ws, method, &p.q, &p.v, &p.tau, &[])));
    }
    let (method, ws) = (Method::Analytical, &mut DerivativeWorkspace::new(model));
    clock.time("computeGeneralizedGravityDerivatives", points, 1, |p| {
        used(partials::generalized_gravity_derivatives(model, ws, method, &p.q))
    });
    clock.time("computeStaticTorqueDerivatives", points, 1, |p| {
        used(partials::static_torque_derivatives(model, ws, method, &p.q, &[]))
    });
    clock.time("bias_derivatives", points, 1, |p| used(partials::bias_derivatives(model, ws, method, &p.q, &p.v, &[])));
    clock.time("mass_product_derivatives", points, 1, |p| {
        used(partials::mass_product_derivatives(model, ws, method, &p.q, &p.a))
    });
}

/// The origins of the first four leaves of the tree, held where they are.
fn held(model: &Model, points: &[Point], clock: &mut Clock<'_>) {
    let bodies = model.bodies();
    let is_leaf = |body: &BodyId| bodies.iter().all(|other| other.parent() != Some(*body));
    let leaves = (0..bodies.len()).filter_map(|k| model.body_id(k)).filter(is_leaf);
    let contact = |body| Constraint::contact(body, Vector3::zeros(), Vector3::zeros());
    let list: Vec<Constraint> = leaves.take(4).map(contact).collect();
    let ws = &mut Workspace::<f64>::new(model);
    clock.time("getConstraintsJacobian", points, 1, |p| used(dy::constraint_jacobian(model, ws, &p.q, &list)));
    clock.time("constraintDynamics", points, 1, |p| {
        used(dy::constraint_dynamics(model, ws, &p.q, &p.v, &p.tau, &list, &[]))
    });
    clock.time("impulseDynamics", points, 1, |p| used(dy::impulse_dynamics(model, ws, &p.q, &p.v, 0.0, &list)));
    let (method, ws) = (Method::Analytical, &mut DerivativeWorkspace::new(model));
    clock.time("computeConstraintDynamicsDerivatives", points, 1, |p| {
        used(partials::constraint_dynamics_derivatives(model, ws, method, &p.q, &p.v, &p.tau, &list, &[]))
    });
    clock.time("computeImpulseDynamicsDerivatives", points, 1, |p| {
        used(partials::impulse_dynamics_derivatives(model, ws, method, &p.q, &p.v, 0.0, &list))
    });
}

/// `λᵀ τ` and `λᵀ q̈`, with λ the torques.
fn contractions(model: &Model, points: &[Point], clock: &mut Clock<'_>) {
    let ws = &mut Workspace::<f64>::new(model);
    clock.time("rnea_gradient", points, 1, |p| used(dy::rnea_gradient(model, ws, &p.q, &p.v, &p.a, &p.tau, &[])));
    clock.time("aba_gradient", points, 1, |p| used(dy::aba_gradient(model, ws, &p.q, &p.v, &p.tau, &p.a, &[])));
    let ws = &mut HessianWorkspace::new(model);
    clock.time("rnea_hessian", points, 1, |p| used(partials::rnea_hessian(model, ws, &p.q, &p.v, &p.a, &p.tau, &[])));
    clock.time("rnea_hessian_product", points, 1, |p| {
        used(partials::rnea_hessian_product(model, ws, &p.q, &p.v, &p.a, &p.tau, &p.v, &p.a, &p.tau, &[]))
    });
    let ws = &mut SecondOrderWorkspace::new(model);
    clock.time("aba_hessian", points, 1, |p| {
        used(partials::aba_hessian(model, ws, Method::Analytical, &p.q, &p.v, &p.tau, &p.a, &[]))
    });
}

fn second(model: &Model, points: &[Point], clock: &mut Clock<'_>) {
    for method in [Method::Analytical, Method::Dual] {
        let names = ["ComputeRNEASecondOrderDerivatives", "aba_second_derivatives"];
        let [inverse, forward] = names.map(|name| named(name, method));
        if model.nv() > LARGE {
            for name in [inverse, forward] {
                clock.skip(&name, format!("its tensors have {}³ entries", model.nv()));
            }
            continue;
        }
        let ws = &mut SecondOrderWorkspace::new(model);
        clock.time(&inverse, points, 1, |p| {
            used(partials::rnea_second_derivatives(model, ws, method, &p.q, &p.v, &p.a, &[]))
        });
        clock.time(&forward, points, 1, |p| {
            used(partials::aba_second_derivatives(model, ws, method, &p.q, &p.v, &p.tau, &[]))
        });
    }
}

/// How many states a batch on one thread has,
const BATCH: usize = 128;
/// and one that is spread over threads, which each have something to do then,
const LARGE_BATCH: usize = 1024;
/// unless its matrices had more numbers than this.
const MOST: usize = 8_000_000;

/// Nanoseconds a state of a batch on one thread; and of larger ones on one thread and on as many as there are
/// processors.
fn batches(model: &Model, points: &[Point], clock: &mut Clock<'_>) {
    batch(model, points, (1, BATCH), "", clock);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    if processors > 1 {
        let states = (MOST / (model.nv() * model.nv()).max(1)).clamp(BATCH, LARGE_BATCH);
        batch(model, points, (1, states), "/1 thread", clock);
        batch(model, points, (processors, states), &format!("/{processors} threads"), clock);
    }
}

fn batch(model: &Model, points: &[Point], (threads, states): (usize, usize), name: &str, clock: &mut Clock<'_>) {
    let array = |x: fn(&Point) -> &[f64]| -> Vec<f64> {
        (0..states).flat_map(|s| x(&points[s % points.len()])).copied().collect()
    };
    let (q, v, a, tau) = (array(|p| &p.q), array(|p| &p.v), array(|p| &p.a), array(|p| &p.tau));
    let nv = model.nv();
    let vector = || vec![0.0; states * nv];
    let matrix = || vec![0.0; states * nv * nv];
    let (mut x, mut y, mut z, mut value) = (vector(), vector(), vector(), vec![0.0; states]);
    let (mut dq, mut dv, mut da) = (matrix(), matrix(), matrix());
    let batch = &mut Batch::with_threads(model, threads);
    let name = |what: &str| format!("batch/{what}{name}");
    let whole = &[()];
    clock.time(&name("rnea"), whole, states, |()| used(batch.rnea(model, &q, &v, &a, &mut x)));
    clock.time(&name("computeRNEADerivatives"), whole, states, |()| {
        let to = BatchDerivatives { tau: &mut x, dtau_dq: &mut dq, dtau_dv: &mut dv, dtau_da: &mut da };
        used(batch.rnea_derivatives(model, &q, &v, &a, to))
    });
    clock.time(&name("rnea_gradient"), whole, states, |()| {
        let to = BatchGradient { value: &mut value, dq: &mut x, dv: &mut y, da: &mut z };
        used(batch.rnea_gradient(model, &q, &v, &a, &tau, to))
    });
    clock.time(&name("crba"), whole, states, |()| used(batch.crba(model, &q, &mut da)));
    clock.time(&name("aba"), whole, states, |()| used(batch.aba(model, &q, &v, &tau, &mut x)));
}
