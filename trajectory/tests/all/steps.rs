//! Steps: derivatives against differences and dual numbers, order of convergence, what is kept.

use crate::common::joints::{afloat, arm_on, kinds};
use crate::common::robot;
use gradyn::dynamics::{centroidal_momentum, mechanical_energy};
use gradyn::joint::{FreeFlyer, Spherical, Translation};
use gradyn::model::InputError;
use gradyn::partials::{State, StateFunction};
use gradyn::{Constraint, Model, Scalar, Transform, Workspace, aba};
use gradyn_trajectory::quadratic::Quadratic;
use gradyn_trajectory::step::{
    Actuation, Contact, Euler, ForwardDynamics, ImplicitMidpoint, Impulse, InverseDynamics, OwnAcceleration, Rk4,
    SemiImplicitEuler, Step,
};
use gradyn_trajectory::{Phase, Problem, guess};
use rand::RngExt;
use testing::{numbers, rng};

/// Forward dynamics as a function of one's own.
#[derive(Debug)]
struct Free;

impl StateFunction for Free {
    fn outputs(&self, model: &Model) -> usize {
        model.nv()
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        State { q, v, u, .. }: State<'_, T>,
        a: &mut [T],
    ) -> Result<(), InputError> {
        a.copy_from_slice(aba(model, ws, q, v, u, &[])?);
        Ok(())
    }
}

/// A problem of one node with this step.
fn one_step(model: &Model, step: Box<dyn Step>, dt: f64) -> Problem {
    Problem::builder(model).phase(Phase::boxed("step", 1, dt, step)).build().expect("is a problem")
}

fn dynamics(model: &Model, contacts: &[Contact]) -> ForwardDynamics {
    ForwardDynamics::new(Actuation::Full(model.nv())).with_contacts(contacts)
}

/// All steps of a robot, by name.
fn steps(model: &Model, contacts: &[Contact]) -> Vec<(&'static str, f64, Box<dyn Step>)> {
    let a = || dynamics(model, contacts);
    // Motors on the last three degrees of freedom, so that there are torques that must be zero.
    let nv = model.nv();
    let motors = Actuation::Joints { nv, dofs: (nv - 3..nv).collect() };
    vec![
        ("euler", 0.05, Box::new(Euler::new(model, a()))),
        ("semi-implicit", 0.05, Box::new(SemiImplicitEuler::new(model, a()))),
        ("rk4", 0.05, Box::new(Rk4::new(model, a()))),
        ("midpoint", 0.05, Box::new(ImplicitMidpoint::new(a()))),
        ("inverse dynamics", 0.05, Box::new(InverseDynamics::new(model, motors, contacts))),
        ("impulse", 0.0, Box::new(Impulse::new(contacts, 0.3))),
    ]
}

/// A, B, equalities, and derivatives of accelerations and multipliers: every step, every kind of joint, free and under
/// a contact.
#[test]
fn derivatives_of_every_step_and_joint() {
    let (mut derivatives, mut entries) = (0, 0);
    for (seed, (name, joint)) in kinds().into_iter().enumerate() {
        let model = arm_on(name, joint);
        let rng = &mut rng(seed as u64 + 1);
        let (q, v) = (model.random(rng), numbers(rng, model.nv()));
        let tip = model.find_body("link2").expect("is there");
        let point = Constraint::contact(tip, [0.2, 0.05, -0.1].into(), [0.3, 0.2, 0.1].into());
        let held = Contact::new("tip", point).with_gains(4.0, 3.0);
        for contacts in [vec![], vec![held]] {
            for (step, dt, made) in steps(&model, &contacts) {
                let mut problem = one_step(&model, made, dt);
                problem.set_start(&q, &v).expect("is a state");
                let mut at = guess::standing(&problem);
                let u = numbers(rng, at.u(0).len());
                at.u_mut(0).copy_from_slice(&u);
                let check = problem.check_at(&at, &[0]).expect("fits");
                assert!(check.agrees(), "{name}, {step}, {} contacts: {check}", contacts.len());
                derivatives += check.checked.len();
                for checked in &check.checked {
                    let counts = checked.report.as_ref().expect("was checked").counts;
                    assert_eq!(counts.cannot_tell, 0, "{name}, {step}: {checked}");
                    entries += counts.agree;
                }
            }
        }
    }
    println!("{derivatives} derivatives, {entries} entries");
    assert!(entries > 20_000, "{entries}");
}

fn linearized(problem: &Problem, u: &[f64]) -> Quadratic {
    let mut out = Quadratic::new(problem.dims(0), false);
    problem.linearize(0, problem.start(), u, &mut problem.memory(), &mut out).expect("runs");
    out
}

/// By formulas and by dual numbers of the accelerations, A and B are the same.
#[test]
fn own_accelerations_give_the_same_steps() {
    for (seed, (name, joint)) in kinds().into_iter().enumerate() {
        let model = arm_on(name, joint);
        let rng = &mut rng(seed as u64 + 50);
        let (q, v, u) = (model.random(rng), numbers(rng, model.nv()), numbers(rng, model.nv()));
        let own = || OwnAcceleration::new(&model, Free);
        let a = || dynamics(&model, &[]);
        let pairs: [(Box<dyn Step>, Box<dyn Step>); 3] = [
            (Box::new(SemiImplicitEuler::new(&model, a())), Box::new(SemiImplicitEuler::new(&model, own()))),
            (Box::new(Rk4::new(&model, a())), Box::new(Rk4::new(&model, own()))),
            (Box::new(ImplicitMidpoint::new(a())), Box::new(ImplicitMidpoint::new(own()))),
        ];
        for (by_formulas, by_duals) in pairs {
            let [x, y] = [by_formulas, by_duals].map(|step| {
                let mut problem = one_step(&model, step, 0.05);
                problem.set_start(&q, &v).expect("is a state");
                linearized(&problem, &u)
            });
            // Accelerations of small links on others lose some three digits to the mass matrix.
            let (scale_a, scale_b) = (y.a.amax(), y.b.amax());
            assert!((&x.a - &y.a).amax() < 1e-11 * scale_a, "{name}: A {:e}", (&x.a - &y.a).amax());
            assert!((&x.b - &y.b).amax() < 1e-11 * scale_b, "{name}: B {:e}", (&x.b - &y.b).amax());
        }
    }
}

/// The state after so many steps of a time, with constant controls.
fn after(model: &Model, step: Box<dyn Step>, n: usize, time: f64, (x, u): (&[f64], &[f64])) -> Vec<f64> {
    let problem = one_step(model, step, time / n as f64);
    let (mut memory, mut x) = (problem.memory(), x.to_vec());
    let mut next = x.clone();
    for _ in 0..n {
        problem.value(0, &x, u, &mut memory, &mut next, &mut []).expect("runs");
        std::mem::swap(&mut x, &mut next);
    }
    x
}

fn distance(model: &Model, x: &[f64], y: &[f64]) -> f64 {
    let nq = model.nq();
    let dq = model.difference(&x[..nq], &y[..nq]).expect("are configurations");
    let dv = x[nq..].iter().zip(&y[nq..]).map(|(x, y)| x - y);
    dq.into_iter().chain(dv).map(|d| d * d).sum::<f64>().sqrt()
}

type Make = fn(&Model) -> Box<dyn Step>;

/// The order of a method, from errors at a step and its half, against a reference.
fn order(model: &Model, make: Make, n: usize, reference: &[f64], at: (&[f64], &[f64])) -> [f64; 2] {
    let error = |n| distance(model, reference, &after(model, make(model), n, TIME, at));
    let errors = [error(n), error(2 * n), error(4 * n)];
    println!("{errors:?}");
    [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()]
}

const TIME: f64 = 0.4;

/// Errors at h, h/2 and h/4 against a fine reference: order 1, 1, 4 and 2, whatever joints turn in.
#[test]
fn orders_of_convergence() {
    let euler: Make = |model| Box::new(Euler::new(model, dynamics(model, &[])));
    let semi: Make = |model| Box::new(SemiImplicitEuler::new(model, dynamics(model, &[])));
    let rk4: Make = |model| Box::new(Rk4::new(model, dynamics(model, &[])));
    let midpoint: Make = |model| Box::new(ImplicitMidpoint::new(dynamics(model, &[])));
    for (seed, (name, joint)) in kinds().into_iter().enumerate() {
        let model = arm_on(name, joint);
        let rng = &mut rng(seed as u64 + 100);
        let x = [model.random(rng), numbers(rng, model.nv())].concat();
        let u = numbers(rng, model.nv());
        // Of order 4, 16 times as fine as the finest that it is compared with: its error is 1e-5 of theirs.
        let reference = after(&model, rk4(&model), 2048, TIME, (&x, &u));
        for (what, make, n, expected) in [
            ("euler", euler, 256, 1.0),
            ("semi-implicit", semi, 256, 1.0),
            ("rk4", rk4, 32, 4.0),
            ("midpoint", midpoint, 32, 2.0),
        ] {
            let found = order(&model, make, n, &reference, (&x, &u));
            // The next power of h adds a tenth or so at the finer steps, twice as much at the others.
            let near = (found[1] - expected).abs() < 0.25 && (found[0] - expected).abs() < 0.5;
            assert!(near, "{name}, {what}: {found:?}, expected {expected}");
        }
    }
}

/// Without brackets the classical method has order 2 on a body that turns in space: they are needed.
#[test]
fn without_brackets_the_order_is_two() {
    let model = afloat(Spherical);
    let x = [model.random(&mut rng(7)), vec![1.0, -2.0, 1.5]].concat();
    let plain = |n: usize| {
        let (h, mut ws) = (TIME / n as f64, Workspace::new(&model));
        let (mut q, mut v) = (x[..4].to_vec(), x[4..].to_vec());
        for _ in 0..n {
            let (mut k, mut l) = (vec![0.0; 3], vec![0.0; 3]);
            let (mut sum_k, mut sum_l) = (vec![0.0; 3], vec![0.0; 3]);
            for (c, b) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
                let theta: Vec<f64> = k.iter().map(|k| c * h * k).collect();
                let at = model.integrate(&q, &theta).expect("is a step");
                k = v.iter().zip(&l).map(|(v, l)| v + c * h * l).collect();
                l = aba(&model, &mut ws, &at, &k, &[0.0; 3], &[]).expect("runs").to_vec();
                sum_k.iter_mut().zip(&k).for_each(|(sum, k)| *sum += b * h / 6.0 * k);
                sum_l.iter_mut().zip(&l).for_each(|(sum, l)| *sum += b * h / 6.0 * l);
            }
            q = model.integrate(&q, &sum_k).expect("is a step");
            v.iter_mut().zip(&sum_l).for_each(|(v, l)| *v += l);
        }
        [q, v].concat()
    };
    let fine: Box<dyn Step> = Box::new(Rk4::new(&model, dynamics(&model, &[])));
    let reference = after(&model, fine, 2048, TIME, (&x, &[0.0; 3]));
    let errors = [16, 32, 64].map(|n| distance(&model, &reference, &plain(n)));
    let orders = [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()];
    assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.25), "{orders:?}");
}

/// Energies along a motion without controls.
fn energies(model: &Model, step: Box<dyn Step>, dt: f64, n: usize, x: &[f64]) -> Vec<f64> {
    let problem = one_step(model, step, dt);
    let (mut memory, mut ws) = (problem.memory(), Workspace::new(model));
    let (mut x, mut next) = (x.to_vec(), x.to_vec());
    let u = vec![0.0; model.nv()];
    let mut energies = Vec::new();
    for _ in 0..n {
        let (q, v) = x.split_at(model.nq());
        energies.push(mechanical_energy(model, &mut ws, q, v).expect("is a state"));
        problem.value(0, &x, &u, &mut memory, &mut next, &mut []).expect("runs");
        std::mem::swap(&mut x, &mut next);
    }
    energies
}

/// On a pendulum, whose mass matrix is constant, symplectic steps keep the energy near where it was for 500 swings;
/// explicit Euler does not.
#[test]
fn energy_of_a_pendulum_stays_bounded() {
    let model = robot("pendulum", false);
    let x = [vec![1.0; model.nq()], vec![0.0; model.nv()]].concat();
    let drift = |step: Box<dyn Step>| {
        let energies = energies(&model, step, 0.02, 20_000, &x);
        let off = |e: &[f64]| e.iter().map(|e| (e - energies[0]).abs()).fold(0.0, f64::max);
        [off(&energies[..2000]), off(&energies[18_000..])]
    };
    let a = || dynamics(&model, &[]);
    for step in [Box::new(SemiImplicitEuler::new(&model, a())) as Box<dyn Step>, Box::new(ImplicitMidpoint::new(a()))] {
        let [first, last] = drift(step);
        // The same oscillation, seen at other phases of swings.
        assert!(last < 1.05 * first && first > 0.0, "{first:e}, {last:e}");
    }
    let [first, last] = drift(Box::new(Euler::new(&model, a())));
    assert!(last > 2.0 * first, "{first:e}, {last:e}");
}

/// A body in space that nothing acts on: the midpoint rule keeps its energy, and the magnitudes of both momenta, to
/// rounding; Euler's steps do not.
#[test]
fn a_body_in_space_keeps_energy_and_momenta() {
    let model = afloat(FreeFlyer);
    let x = [model.random(&mut rng(3)), vec![0.3, -0.2, 0.5, 1.0, 3.0, -2.0]].concat();
    let quantities = |x: &[f64]| {
        let (q, v) = x.split_at(model.nq());
        let mut ws = Workspace::new(&model);
        let momentum = centroidal_momentum(&model, &mut ws, q, v, &[0.0; 6]).expect("is a state").momentum;
        let energy = mechanical_energy(&model, &mut ws, q, v).expect("is a state");
        [energy, momentum.linear.norm(), momentum.angular.norm()]
    };
    let lost = |step: Box<dyn Step>| {
        let end = after(&model, step, 5000, 50.0, (&x, &[0.0; 6]));
        let pairs = quantities(&x).into_iter().zip(quantities(&end));
        pairs.map(|(x, y)| ((x - y) / x).abs()).fold(0.0, f64::max)
    };
    let midpoint = lost(Box::new(ImplicitMidpoint::new(dynamics(&model, &[]))));
    // 5000 steps, each of which may round once or twice, one way: 5000 × 2 × 1e-16.
    assert!(midpoint < 1e-12, "{midpoint:e}");
    let euler = lost(Box::new(SemiImplicitEuler::new(&model, dynamics(&model, &[]))));
    assert!(euler > 1e-3, "{euler:e}");
}

/// Impulses change the momentum of a robot in space by what they are.
#[test]
fn impulses_are_changes_of_momentum() {
    let model = robot("solo12", true);
    let rng = &mut rng(9);
    let (q, v) = (model.neutral::<f64>(), numbers(rng, model.nv()));
    let feet = ["FL_FOOT", "HR_FOOT"].map(|foot| Contact::point_at(&model, foot, &q).expect("is there"));
    let mut problem = one_step(&model, Box::new(Impulse::new(&feet, 0.0)), 0.0);
    problem.set_start(&q, &v).expect("is a state");
    let (mut memory, mut next) = (problem.memory(), problem.start().to_vec());
    problem.value(0, problem.start(), &[], &mut memory, &mut next, &mut []).expect("runs");
    let impulse = problem.forces(0, problem.start(), &[], &mut memory).expect("runs");
    let momentum = |v: &[f64]| {
        let still = vec![0.0; model.nv()];
        centroidal_momentum(&model, &mut Workspace::new(&model), &q, v, &still).expect("is a state").momentum.linear
    };
    let change = momentum(&next[model.nq()..]) - momentum(&v);
    for k in 0..3 {
        // Sums of a dozen numbers of size one.
        assert!((change[k] - impulse[k] - impulse[3 + k]).abs() < 1e-12, "{change} {impulse:?}");
    }
}

/// Inverse dynamics at a solution of forward dynamics: nothing is off, and the next state is the same.
#[test]
fn inverse_dynamics_accepts_solutions_of_forward_dynamics() {
    let model = robot("solo12", true);
    let rng = &mut rng(11);
    let (mut q, v) = (model.neutral::<f64>(), numbers(rng, model.nv()));
    q[7..].iter_mut().for_each(|x| *x = rng.random_range(-0.6..0.6));
    let foot = Contact::point_at(&model, "FL_FOOT", &q).expect("is there").with_default_gains(0.01);
    let flat = Contact::frame_at(&model, "HR_FOOT", &q).expect("is there");
    let (contacts, motors) = ([foot, flat], Actuation::of(&model));
    let tau = numbers(rng, motors.controls());
    let forward = ForwardDynamics::new(motors.clone()).with_contacts(&contacts);
    let mut problem = one_step(&model, Box::new(SemiImplicitEuler::new(&model, forward)), 0.01);
    problem.set_start(&q, &v).expect("is a state");
    let (mut memory, mut next) = (problem.memory(), problem.start().to_vec());
    problem.value(0, problem.start(), &tau, &mut memory, &mut next, &mut []).expect("runs");
    let force = problem.forces(0, problem.start(), &tau, &mut memory).expect("runs");
    let a: Vec<f64> = next[model.nq()..].iter().zip(&v).map(|(next, v)| (next - v) / 0.01).collect();

    let mut inverse = one_step(&model, Box::new(InverseDynamics::new(&model, motors, &contacts)), 0.01);
    inverse.set_start(&q, &v).expect("is a state");
    let (mut eq, mut other) = (vec![1.0; inverse.dims(0).n_eq], next.clone());
    assert_eq!(eq.len(), 6 + 9);
    let u = [a, force].concat();
    inverse.value(0, inverse.start(), &u, &mut inverse.memory(), &mut other, &mut eq).expect("runs");
    // Accelerations of some 1e2, read off velocities at a step of 0.01: 1e-16 × 1e2 × 1e2, times what the mass matrix
    // makes of it.
    assert!(eq.iter().all(|x| x.abs() < 1e-9), "{eq:?}");
    assert!(distance(&model, &next, &other) < 1e-12);
}

/// Motors that are a matrix: what it leaves out, and its inverse.
#[test]
fn idle_torques_are_those_that_no_motor_makes() {
    let b = nalgebra::DMatrix::from_row_slice(4, 2, &[1.0, 0.5, -2.0, 0.0, 0.3, 1.0, 0.0, -0.7]);
    let by = Actuation::Matrix(b.clone());
    let (idle, inverse) = (by.idle(), by.inverse());
    assert_eq!(idle.shape(), (4, 2));
    // Rounding of numbers of size one.
    assert!((idle.transpose() * &b).amax() < 1e-14);
    assert!((idle.transpose() * &idle - nalgebra::DMatrix::identity(2, 2)).amax() < 1e-14);
    assert!((inverse * &b - nalgebra::DMatrix::identity(2, 2)).amax() < 1e-14);
}

/// `v̇ = v²` has no midpoint for long steps: `w = v + (h/2) w²` has no real solution for `2 h v > 1`.
#[derive(Debug)]
struct Burst;

impl StateFunction for Burst {
    fn outputs(&self, model: &Model) -> usize {
        model.nv()
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(
        &self,
        _model: &Model,
        _ws: &mut Workspace<T>,
        State { v, .. }: State<'_, T>,
        a: &mut [T],
    ) -> Result<(), InputError> {
        a.iter_mut().zip(v).for_each(|(a, v)| *a = *v * *v);
        Ok(())
    }
}

#[test]
fn a_midpoint_that_is_not_found_is_an_error() {
    let model = robot("pendulum", false);
    let solve = |h: f64| {
        let mut problem = one_step(&model, Box::new(ImplicitMidpoint::new(OwnAcceleration::new(&model, Burst))), h);
        problem.set_start(&[0.0], &[1.0]).expect("is a state");
        let mut next = problem.start().to_vec();
        problem.value(0, problem.start(), &[0.0], &mut problem.memory(), &mut next, &mut []).map(|_| next[1])
    };
    // (1 − √(1 − 2 h v))/h = w, v⁺ = 2 w − v, to rounding.
    let w = (1.0 - (1.0f64 - 0.8).sqrt()) / 0.4;
    assert!((solve(0.4).expect("has a solution") - (2.0 * w - 1.0)).abs() < 1e-14);
    let error = solve(3.0).expect_err("has none").to_string();
    assert!(error.contains("node 0 (phase `step`), dynamics: the equations of the midpoint"), "{error}");
}

/// A point that stands beside its place comes back as the documentation of default gains says: by its recurrence, to a
/// tenth in 16 steps, and for steps of up to 3.31 times the length.
#[test]
fn default_gains_are_stable() {
    let model = afloat(Translation);
    let body = model.find_body("body").expect("is there");
    let place = Constraint::contact(body, nalgebra::Vector3::zeros(), [0.0, 0.0, 1e-3].into());
    let held = [Contact::new("body", place).with_default_gains(0.01)];
    let run = |dt: f64, n: usize| {
        let problem = one_step(&model, Box::new(SemiImplicitEuler::new(&model, dynamics(&model, &held))), dt);
        let (mut memory, mut x) = (problem.memory(), problem.start().to_vec());
        let (mut next, mut errors) = (x.clone(), vec![1e-3 - x[2]]);
        for _ in 0..n {
            problem.value(0, &x, &[0.0; 3], &mut memory, &mut next, &mut []).expect("runs");
            std::mem::swap(&mut x, &mut next);
            errors.push(1e-3 - x[2]);
        }
        errors
    };
    let (z, errors) = (0.25, run(0.01, 16));
    for e in errors.windows(3) {
        // Rounding of numbers of size 1e-3.
        assert!((e[2] - (2.0 - 2.0 * z - z * z) * e[1] + (1.0 - 2.0 * z) * e[0]).abs() < 1e-17, "{e:?}");
        assert!(e[2] > 0.0 && e[2] < e[1]);
    }
    assert!(errors[16] < 0.1 * errors[0] && errors[15] > 0.1 * errors[0]);
    assert!(run(0.0330, 1000)[1000].abs() < 1e-7 && run(0.0333, 1000)[1000].abs() > 1.0);
}

#[test]
fn contacts_are_found_by_name() {
    let model = robot("solo12", true);
    let error = Contact::frame(&model, "FOOT", Transform::identity()).expect_err("there is none").to_string();
    assert_eq!(error, "contact: there is no frame `FOOT`");
}
