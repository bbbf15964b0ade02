//! The exact Hessian of a node's Lagrangian against differences of its gradient: every step, every kind of joint.

use crate::common::joints::{arm_on, kinds, rough};
use crate::common::robot;
use gradyn::derivatives::difference::{Euclidean, Method, jacobian};
use gradyn::dynamics::ReferenceFrame;
use gradyn::joint::{Axis, Revolute};
use gradyn::model::InputError;
use gradyn::partials::{State, StateFunction};
use gradyn::{Constraint, Model, Scalar, Transform, Workspace};
use gradyn_trajectory::problem::ProblemMemory;
use gradyn_trajectory::quadratic::{Multipliers, Quadratic};
use gradyn_trajectory::residual::{
    CenterOfMass, ContactForce, Control, FrameAcceleration, FramePlacement, FrameTranslation, FrameVelocity, StateError,
};
use gradyn_trajectory::step::{
    Actuation, Contact, Euler, ForwardDynamics, ImplicitMidpoint, Impulse, InverseDynamics, OwnAcceleration, Rk4,
    SemiImplicitEuler, Step,
};
use gradyn_trajectory::{Cost, Loss, PathConstraint, Phase, Problem};
use nalgebra::{DMatrix, DVector};
use testing::{numbers, rng};

/// `∇L` by state and controls, in the tangent spaces at this point.
fn gradient(
    problem: &Problem,
    k: usize,
    memory: &mut ProblemMemory,
    x: &[f64],
    u: &[f64],
    by: &Multipliers,
) -> DVector<f64> {
    let mut node = Quadratic::new(problem.dims(k), false);
    problem.linearize(k, x, u, memory, &mut node).expect("runs");
    let lx = &node.lx + node.a.tr_mul(&by.next) + node.eq_x.tr_mul(&by.eq) + node.ineq_x.tr_mul(&by.ineq);
    let lu = &node.lu + node.b.tr_mul(&by.next) + node.eq_u.tr_mul(&by.eq) + node.ineq_u.tr_mul(&by.ineq);
    DVector::from_iterator(lx.len() + lu.len(), lx.iter().chain(lu.iter()).copied())
}

/// The Hessian along `x ⊕ δx`, `u + δu`: differences of gradients, of which only the symmetric part is that of a
/// function, and the estimated error of each entry.
fn by_differences(problem: &Problem, k: usize, x: &[f64], u: &[f64], by: &Multipliers) -> [DMatrix<f64>; 2] {
    let (space, mut memory) = (problem.space(), problem.memory());
    let (ndx, n) = (space.ndx(), space.ndx() + u.len());
    let moved = |z: &[f64], out: &mut [f64]| {
        let mut to = x.to_vec();
        space.integrate(x, &z[..ndx], &mut to).expect("moves");
        let u: Vec<f64> = u.iter().zip(&z[ndx..]).map(|(u, z)| u + z).collect();
        out.copy_from_slice(gradient(problem, k, &mut memory, &to, &u, by).as_slice());
    };
    // Steps from 1/32 on: durations stay positive.
    let method = Method::Ridders { step: 1.0 / 32.0, rows: 8 };
    let by = jacobian(method, &Euclidean(n), &Euclidean(n), moved, &vec![0.0; n]).expect("differs");
    [by.value, by.error].map(|m| {
        let m = DMatrix::from_row_slice(n, n, &m);
        (&m + m.transpose()) * 0.5
    })
}

/// The largest difference of both in parts of what is allowed, and whether the node knows its curvature.
fn difference(problem: &Problem, k: usize, x: &[f64], u: &[f64], seed: u64) -> (f64, bool) {
    let (dims, rng) = (problem.dims(k), &mut rng(seed));
    let mut by = Multipliers::new(dims, false);
    for part in [&mut by.next, &mut by.eq, &mut by.ineq] {
        let random = numbers(rng, part.len());
        part.copy_from_slice(&random);
    }
    let mut node = Quadratic::exact(dims, false);
    let known = problem.linearize_exact(k, x, u, &by, &mut problem.memory(), &mut node).expect("runs");
    let n = dims.ndx + dims.nu;
    let mut exact = DMatrix::zeros(n, n);
    for (first, m) in [
        ((0, 0), &node.lxx + &node.curvature.xx),
        ((0, dims.ndx), &node.lxu + &node.curvature.xu),
        ((dims.ndx, 0), (&node.lxu + &node.curvature.xu).transpose()),
        ((dims.ndx, dims.ndx), &node.luu + &node.curvature.uu),
    ] {
        exact.view_mut(first, m.shape()).copy_from(&m);
    }
    let [expected, error] = by_differences(problem, k, x, u, &by);
    let size = expected.amax().max(1.0);
    assert!(error.amax() < 1e-4 * size, "differences do not settle: {:e} of {size:e}", error.amax());
    // An estimate is one of the size; gradients of light links on heavy ones lose some seven digits.
    let parts = exact.zip_map(&expected, |x, y| (x - y).abs()).zip_map(&error, |d, e| d / (10.0 * e + 1e-8 * size));
    (parts.amax(), known)
}

/// Accelerations of one's own, of every entry of the state.
#[derive(Debug)]
struct Own;

impl StateFunction for Own {
    fn outputs(&self, model: &Model) -> usize {
        model.nv()
    }
    fn evaluate<T: Scalar>(
        &self,
        _model: &Model,
        _ws: &mut Workspace<T>,
        State { q, v, u, .. }: State<'_, T>,
        a: &mut [T],
    ) -> Result<(), InputError> {
        for (k, a) in a.iter_mut().enumerate() {
            let (next, q) = (v[(k + 1) % v.len()], q[k % q.len()]);
            *a = u[k] * (q * 0.3 + 1.0) - v[k] * next * 0.5 + q.sin() * next;
        }
        Ok(())
    }
}

fn dynamics(model: &Model) -> ForwardDynamics {
    ForwardDynamics::new(Actuation::Full(model.nv()))
}

/// Every step, by name.
fn steps(model: &Model) -> Vec<(&'static str, Box<dyn Step>)> {
    let nv = model.nv();
    let motors = Actuation::Joints { nv, dofs: (nv - 3..nv).collect() };
    let mixed = Actuation::Matrix(DMatrix::from_fn(nv, 2, |i, j| 0.3 + 0.1 * i as f64 - 0.2 * j as f64));
    vec![
        ("euler", Box::new(Euler::new(model, dynamics(model)))),
        ("semi-implicit", Box::new(SemiImplicitEuler::new(model, dynamics(model)))),
        ("semi-implicit, mixed motors", Box::new(SemiImplicitEuler::new(model, ForwardDynamics::new(mixed)))),
        ("rk4", Box::new(Rk4::new(model, dynamics(model)))),
        ("midpoint", Box::new(ImplicitMidpoint::new(dynamics(model)))),
        ("inverse dynamics", Box::new(InverseDynamics::new(model, motors, &[]))),
        ("own, semi-implicit", Box::new(SemiImplicitEuler::new(model, OwnAcceleration::new(model, Own)))),
        ("own, rk4", Box::new(Rk4::new(model, OwnAcceleration::new(model, Own)))),
    ]
}

/// Every step under these contacts, by name.
fn steps_under(model: &Model, held: &[Contact]) -> Vec<(&'static str, Box<dyn Step>)> {
    let (nv, moves) = (model.nv(), || dynamics(model).with_contacts(held));
    let motors = Actuation::Joints { nv, dofs: (nv - 3..nv).collect() };
    vec![
        ("euler", Box::new(Euler::new(model, moves()))),
        ("semi-implicit", Box::new(SemiImplicitEuler::new(model, moves()))),
        ("rk4", Box::new(Rk4::new(model, moves()))),
        ("midpoint", Box::new(ImplicitMidpoint::new(moves()))),
        ("inverse dynamics", Box::new(InverseDynamics::new(model, motors, held))),
    ]
}

#[test]
fn steps_of_every_joint() {
    let mut compared = 0;
    for (seed, (name, joint)) in kinds().into_iter().enumerate() {
        let model = arm_on(name, joint);
        let rng = &mut rng(seed as u64 + 1);
        let x = [model.random(rng), numbers(rng, model.nv())].concat();
        for (step, made) in steps(&model) {
            let problem = Problem::builder(&model).phase(Phase::boxed("step", 1, 0.05, made)).build().expect("is one");
            let u = numbers(rng, problem.dims(0).nu);
            let (off, known) = difference(&problem, 0, &x, &u, seed as u64 + 100);
            assert!(known, "{name}, {step}");
            assert!(off < 1.0, "{name}, {step}: {off:e}");
            compared += 1;
        }
    }
    assert!(compared > 80, "{compared}");
}

/// Under a contact, with gains, and at an impact; costs see contact forces.
#[test]
fn contacts_and_impacts() {
    for (seed, (name, joint)) in kinds().into_iter().enumerate() {
        let model = arm_on(name, joint);
        let rng = &mut rng(seed as u64 + 1);
        let x = [model.random(rng), numbers(rng, model.nv())].concat();
        let tip = model.find_body("link2").expect("is there");
        let point = Constraint::contact(tip, [0.2, 0.05, -0.1].into(), [0.3, 0.2, 0.1].into());
        let held = [Contact::new("tip", point).with_gains(4.0, 3.0)];
        let steps =
            steps_under(&model, &held).into_iter().map(|(what, step)| (Phase::boxed("step", 1, 0.05, step), what));
        for (phase, what) in steps.chain([(Phase::jump("land", Impulse::new(&held, 0.3)), "impact")]) {
            let force = ContactForce::new("tip").towards(&[0.1, -0.2, 3.0]);
            let phase = phase.cost(Cost::new("force", force).weight(0.1));
            let problem = Problem::builder(&model).phase(phase).build().expect("is one");
            let u = numbers(rng, problem.dims(0).nu);
            let (off, known) = difference(&problem, 0, &x, &u, seed as u64 + 100);
            assert!(known, "{name}, {what}");
            assert!(off < 1.0, "{name}, {what}: {off:e}");
        }
    }
}

/// Feet and soles with gains, loops that a hinge closes, two contacts of one leg; a joint that follows another,
/// friction, damping, armature.
#[test]
fn soles_loops_and_followers() {
    let model = rough();
    let rng = &mut rng(3);
    let x = [model.random(rng), numbers(rng, model.nv())].concat();
    let body = |name: &str| model.find_body(name).expect("is there");
    let at = |p: [f64; 3]| Transform::from_translation(p.into());
    let point = |body, place: [f64; 3]| Constraint::contact(body, [0.2, 0.05, -0.1].into(), place.into());
    let sole = Constraint::frame(None, at([0.3, 0.1, 0.2]), Some(body("link01")), at([0.1, 0.0, -0.2]));
    let hinge = Revolute { axis: Axis::Z };
    let bar = Constraint::joint(Some(body("link01")), at([0.2, 0.1, 0.0]), body("link11"), at([0.0, 0.2, 0.1]), hinge);
    let sets = [
        ("feet", vec![point(body("link01"), [0.3, 0.2, 0.1]), point(body("link11"), [-0.3, 0.1, 0.1])]),
        ("sole", vec![sole]),
        ("bar", vec![bar.expect("closes")]),
    ];
    for (set, list) in sets {
        let held: Vec<Contact> = list
            .into_iter()
            .enumerate()
            .map(|(k, one)| Contact::new(format!("held{k}"), one.with_gains(4.0, 3.0)))
            .collect();
        let steps =
            steps_under(&model, &held).into_iter().map(|(what, step)| (Phase::boxed("step", 1, 0.02, step), what));
        for (phase, what) in steps.chain([(Phase::jump("land", Impulse::new(&held, 0.3)), "impact")]) {
            let problem = Problem::builder(&model).phase(phase).build().expect("is one");
            let u = numbers(rng, problem.dims(0).nu);
            let (off, known) = difference(&problem, 0, &x, &u, 100);
            assert!(known, "{set}, {what}");
            assert!(off < 1.0, "{set}, {what}: {off:e}");
        }
    }
}

/// Where the duration is free, A has its column, and the Hessian its row.
#[test]
fn free_durations() {
    for (seed, (name, joint)) in kinds().into_iter().enumerate() {
        let model = arm_on(name, joint);
        let rng = &mut rng(seed as u64 + 1);
        let tip = model.find_body("link2").expect("is there");
        let steps: [Box<dyn Step>; 2] = [
            Box::new(SemiImplicitEuler::new(&model, dynamics(&model))),
            Box::new(Euler::new(&model, dynamics(&model))),
        ];
        for step in steps {
            let phase = Phase::boxed("step", 2, 0.05, step)
                .free_duration(0.01, 1.0)
                .cost(Cost::duration("time").weight(3.0))
                .cost(Cost::new("tip", FrameTranslation::new(tip, [0.1, 0.2, 0.3].into())).weight(2.0))
                .cost(Cost::new("once", Control::zero()).only_at(&[0]));
            let problem = Problem::builder(&model).phase(phase).build().expect("is one");
            // Node 0 chooses the duration.
            let x = [model.random(rng), numbers(rng, model.nv()), vec![0.13]].concat();
            let u = numbers(rng, problem.dims(1).nu);
            let (off, known) = difference(&problem, 1, &x, &u, seed as u64 + 100);
            assert!(known, "{name}");
            assert!(off < 1.0, "{name}: {off:e}");
            let mut at = gradyn_trajectory::guess::standing(&problem);
            at.x_mut(1).copy_from_slice(&x);
            at.u_mut(1).copy_from_slice(&u);
            let mut node = Quadratic::new(problem.dims(1), false);
            let mut memory = problem.memory();
            problem.linearize(1, &x, &u, &mut memory, &mut node).expect("runs");
            let (nx, h) = (x.len(), 1e-6);
            let ends = [h, -h].map(|h| {
                let (mut x, mut next) = (x.clone(), vec![0.0; nx]);
                x[nx - 1] += h;
                let cost = problem.value(1, &x, &u, &mut memory, &mut next, &mut []).expect("runs");
                (cost, next)
            });
            let mut column = vec![0.0; problem.space().ndx()];
            problem.space().difference(&ends[1].1, &ends[0].1, &mut column).expect("runs");
            // Central differences leave h² f‴ + ε/h: 1e-10 of numbers of some size.
            for (i, x) in column.iter().enumerate() {
                let a = node.a[(i, column.len() - 1)];
                assert!((x / (2.0 * h) - a).abs() < 1e-7 * a.abs().max(1.0), "{name}, {i}: {} {a}", x / (2.0 * h));
            }
            let slope = (ends[0].0 - ends[1].0) / (2.0 * h);
            assert!((slope - node.lx[column.len() - 1]).abs() < 1e-7 * slope.abs().max(1.0), "{name}: {slope}");
        }
    }
}

/// Costs that see accelerations, losses that bend, and constraints.
#[test]
fn costs_and_constraints() {
    for (name, floating) in [("panda", false), ("quadrotor", true)] {
        let model = robot(name, floating);
        let rng = &mut rng(5);
        let x = [model.random(rng), numbers(rng, model.nv())].concat();
        let frame = model.find_frame(if floating { "trunk" } else { "panda_link8" }).expect("a frame");
        let goal = gradyn::Transform::from_translation([0.4, 0.2, 0.4].into());
        let phase = Phase::new("step", 1, 0.05, SemiImplicitEuler::new(&model, dynamics(&model)))
            .cost(Cost::new("pose", FramePlacement::new(frame, goal)).weight(3.0))
            .cost(
                Cost::new("place", FrameTranslation::new(frame, [0.1, 0.2, 0.3].into()))
                    .loss(Loss::Huber { width: 0.1 }),
            )
            .cost(
                Cost::new("velocity", FrameVelocity::new(frame, ReferenceFrame::World, gradyn::Motion::zero()))
                    .weight(0.3),
            )
            .cost(Cost::new("center", CenterOfMass::new([0.1, 0.1, 0.2].into())).weight(10.0))
            .cost(Cost::new("state", StateError::neutral(&model)))
            .cost(Cost::new(
                "acceleration",
                FrameAcceleration::new(frame, ReferenceFrame::World, gradyn::Motion::zero()),
            ))
            .cost(Cost::new("control", Control::zero()))
            .constraint(PathConstraint::at_least("high", FrameTranslation::new(frame, [0.0, 0.0, 0.1].into()), 0.0))
            .constraint(PathConstraint::equal(
                "still",
                FrameVelocity::new(frame, ReferenceFrame::World, gradyn::Motion::zero()),
            ))
            .constraint(PathConstraint::within("states", StateError::neutral(&model), &[-2.0], &[2.0]));
        let problem = Problem::builder(&model).phase(phase).build().expect("is one");
        let u = numbers(rng, problem.dims(0).nu);
        let (off, known) = difference(&problem, 0, &x, &u, 7);
        assert!(known, "{name}");
        assert!(off < 1.0, "{name}: {off:e}");
    }
}
