//! The exact Hessian of a node's Lagrangian against differences of its gradient: every step, every kind of joint.

mod common;
#[path = "common/joints.rs"]
mod joints;

use common::robot;
use gradyn::dynamics::ReferenceFrame;
use gradyn::{Constraint, Model};
use gradyn_trajectory::problem::ProblemMemory;
use gradyn_trajectory::quadratic::{Multipliers, Quadratic};
use gradyn_trajectory::residual::{
    CenterOfMass, ContactForce, Control, FrameAcceleration, FramePlacement, FrameTranslation, FrameVelocity, StateError,
};
use gradyn_trajectory::step::{
    Actuation, Contact, Euler, ForwardDynamics, Impulse, InverseDynamics, Rk4, SemiImplicitEuler, Step,
};
use gradyn_trajectory::{Cost, Loss, PathConstraint, Phase, Problem};
use joints::{arm_on, kinds, numbers, rng};
use nalgebra::{DMatrix, DVector};

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

/// The Hessian along `x ⊕ δx`, `u + δu`: differences of gradients, of which only the symmetric part is that of a function.
fn by_differences(problem: &Problem, k: usize, x: &[f64], u: &[f64], by: &Multipliers) -> DMatrix<f64> {
    let (space, mut memory) = (problem.space(), problem.memory());
    let (ndx, n) = (space.ndx(), space.ndx() + u.len());
    // Central differences leave h² f‴ + ε/h: some 1e-9 at this length, where third derivatives are some 10.
    let h = 1e-5;
    let mut hessian = DMatrix::zeros(n, n);
    for j in 0..n {
        let [plus, minus] = [h, -h].map(|h| {
            let (mut dx, mut u, mut to) = (vec![0.0; ndx], u.to_vec(), x.to_vec());
            if j < ndx {
                dx[j] = h
            } else {
                u[j - ndx] += h
            }
            space.integrate(x, &dx, &mut to).expect("moves");
            gradient(problem, k, &mut memory, &to, &u, by)
        });
        hessian.set_column(j, &((plus - minus) / (2.0 * h)));
    }
    (&hessian + hessian.transpose()) * 0.5
}

/// The largest difference of both, relative to the largest entry, and whether the node knows its curvature.
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
    let expected = by_differences(problem, k, x, u, &by);
    ((&exact - &expected).amax() / expected.amax().max(1.0), known)
}

fn dynamics(model: &Model) -> ForwardDynamics {
    ForwardDynamics::new(Actuation::Full(model.nv()))
}

/// Steps that know their curvature, by name.
fn steps(model: &Model) -> Vec<(&'static str, Box<dyn Step>)> {
    let nv = model.nv();
    let motors = Actuation::Joints { nv, dofs: (nv - 3..nv).collect() };
    let mixed = Actuation::Matrix(DMatrix::from_fn(nv, 2, |i, j| 0.3 + 0.1 * i as f64 - 0.2 * j as f64));
    vec![
        ("euler", Box::new(Euler::new(model, dynamics(model)))),
        ("semi-implicit", Box::new(SemiImplicitEuler::new(model, dynamics(model)))),
        ("semi-implicit, mixed motors", Box::new(SemiImplicitEuler::new(model, ForwardDynamics::new(mixed)))),
        ("rk4", Box::new(Rk4::new(model, dynamics(model)))),
        ("inverse dynamics", Box::new(InverseDynamics::new(model, motors, &[]))),
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
            if step == "rk4" && !known {
                continue; // joints that turn in space
            }
            assert!(known, "{name}, {step}");
            // Differences leave 1e-9, and small links on large ones lose some three digits.
            assert!(off < 1e-6, "{name}, {step}: {off:e}");
            compared += 1;
        }
    }
    assert!(compared > 40, "{compared}");
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
        let moves = dynamics(&model).with_contacts(&held);
        let steps: [(Phase, &str); 2] = [
            (Phase::new("step", 1, 0.05, SemiImplicitEuler::new(&model, moves)), "contact"),
            (Phase::jump("land", Impulse::new(&held, 0.3)), "impact"),
        ];
        for (phase, what) in steps {
            let force = ContactForce::new("tip").towards(&[0.1, -0.2, 3.0]);
            let phase = phase.cost(Cost::new("force", force).weight(0.1));
            let problem = Problem::builder(&model).phase(phase).build().expect("is one");
            let u = numbers(rng, problem.dims(0).nu);
            let (off, known) = difference(&problem, 0, &x, &u, seed as u64 + 100);
            assert!(known, "{name}, {what}");
            // Contact forces of light links lose some digits more than accelerations.
            assert!(off < 3e-6, "{name}, {what}: {off:e}");
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
            assert!(off < 1e-6, "{name}: {off:e}");
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
        assert!(off < 1e-6, "{name}: {off:e}");
    }
}
