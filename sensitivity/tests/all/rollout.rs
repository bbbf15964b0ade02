//! Along trajectories: forward by formulas, forward by dual numbers, and the adjoint say the same; known solutions.

use crate::common::*;
use gradyn::joint::{Axis, Elementary, Helical, Revolute, Universal};
use gradyn::spatial::{Inertia, Symmetric3, exp6};
use gradyn::{Constraint, Model, ModelBuilder, Motion, Transform};
use gradyn_sensitivity::{Adjoint, Feedback, Parameters, QuadraticCost, Rollout, Scheme, StateMemory, TrajectoryCost};
use nalgebra::{DMatrix, DVector, Vector3};
use testing::{numbers, rng, vector};

/// The gradient by forward sensitivities: costs of each node by its state, times what moves the state.
fn by_forward(
    run: &Rollout<'_>,
    p: &Parameters,
    start: (&[f64], &[f64]),
    cost: &QuadraticCost,
    duals: bool,
) -> DVector<f64> {
    let (q0, v0) = start;
    let values = p.nominal();
    let forward = if duals { run.forward_by_duals(&values, q0, v0) } else { run.forward(&values, q0, v0) };
    let forward = forward.expect("runs");
    let model = p.robot_at(&values).expect("fits");
    let mut sum = DVector::zeros(forward.by[0].ncols());
    for (node, (q, v)) in forward.states.iter().enumerate() {
        let mut of_x = vec![0.0; 2 * model.nv()];
        if node == run.steps() {
            cost.end(&model, (q, v), &mut of_x).expect("fits");
        } else {
            cost.running(&model, node, (q, v), &[], &mut of_x, &mut []).expect("fits");
        }
        sum += forward.by[node].tr_mul(&DVector::from_vec(of_x));
    }
    sum
}

fn flat(a: &Adjoint) -> DVector<f64> {
    DVector::from_iterator(
        a.by_parameters.len() + 2 * a.by_q0.len(),
        a.by_parameters.iter().chain(&a.by_q0).chain(&a.by_v0).copied(),
    )
}

fn assert_near(what: &str, found: &DVector<f64>, expected: &DVector<f64>, tolerance: f64) {
    let error = (found - expected).amax() / expected.amax();
    assert!(error <= tolerance, "{what}: {error:e}");
}

#[test]
fn adjoint_and_forward_agree_over_a_thousand_steps() {
    let model = robot("panda", false);
    let p = some_of_every_kind(&model);
    let (q0, v0, _) = state(&model, 3);
    let run = Rollout::new(&p, Scheme::SemiImplicitEuler, 1e-3, controls(&model, 1000, 3.0)).expect("fits");
    let cost = QuadraticCost { control: 0.0, ..cost(&model, 5) };
    let adjoint = run.adjoint(&p.nominal(), &q0, &v0, &cost, StateMemory::default()).expect("runs");
    assert!(adjoint.is_trustworthy() && adjoint.repeated_steps == 0);
    // Sums of thousands of products each, in other orders.
    assert_near("forward", &by_forward(&run, &p, (&q0, &v0), &cost, false), &flat(&adjoint), 1e-11);
    assert_near("duals", &by_forward(&run, &p, (&q0, &v0), &cost, true), &flat(&adjoint), 1e-11);
    // With memory for a few states: the same bits, a sweep more.
    let little = run.adjoint(&p.nominal(), &q0, &v0, &cost, StateMemory(10_000)).expect("runs");
    assert!((500..=1000).contains(&little.repeated_steps), "{}", little.repeated_steps);
    assert_eq!(Adjoint { repeated_steps: 0, ..little }, adjoint);
}

#[test]
fn every_kind_of_joint_and_both_schemes() {
    for (n, scheme) in [Scheme::SemiImplicitEuler, Scheme::Euler, Scheme::Rk4].into_iter().enumerate() {
        let model = tree(n as u64 + 1);
        let p = some_of_every_kind(&model);
        let (q0, v0, _) = state(&model, 4);
        let v0: Vec<f64> = v0.iter().map(|v| 0.3 * v).collect();
        let controls = controls(&model, 16, 0.5);
        let nu = controls[0].len();
        let rng = &mut rng(8);
        let feedback = Feedback {
            gains: (0..16)
                .map(|_| DMatrix::from_vec(nu, 2 * model.nv(), numbers(rng, 2 * nu * model.nv())) * 0.02)
                .collect(),
            q: vec![state(&model, 6).0; 16],
            v: vec![vec![0.1; model.nv()]; 16],
        };
        for law in [None, Some(feedback)] {
            let mut run = Rollout::new(&p, scheme, 5e-3, controls.clone()).expect("fits");
            if let Some(law) = law {
                run = run.feedback(law).expect("fits");
            }
            let cost = QuadraticCost { control: 0.0, ..cost(&model, 5) };
            let adjoint = run.adjoint(&p.nominal(), &q0, &v0, &cost, StateMemory::default()).expect("runs");
            for duals in [false, true] {
                let forward = by_forward(&run, &p, (&q0, &v0), &cost, duals);
                assert_near(&format!("{scheme:?}, duals {duals}"), &forward, &flat(&adjoint), 1e-10);
            }
        }
    }
}

#[test]
fn contacts_impacts_and_controls() {
    let (model, q0, front, hind) = standing();
    let v0 = vec![0.05; model.nv()];
    let p = Parameters::of(&model)
        .select_all("*.mass, base_link.com.*, HL_UPPER_LEG.inertia.xx, gravity.*, FL_HFE.placement.*, HR_KFE.axis.*")
        .and_then(|p| p.select_all("*_KFE.armature, *_HFE.damping, state.q.FL_HFE"))
        .expect("are there");
    for scheme in [Scheme::SemiImplicitEuler, Scheme::Rk4] {
        let run = Rollout::new(&p, scheme, 2e-3, controls(&model, 20, 0.2))
            .expect("fits")
            .hold(0..10, &front)
            .hold(10..20, &hind)
            .impact(10, &hind, 0.0);
        let cost = QuadraticCost { control: 0.0, ..cost(&model, 5) };
        let adjoint = run.adjoint(&p.nominal(), &q0, &v0, &cost, StateMemory::default()).expect("runs");
        let forward = by_forward(&run, &p, (&q0, &v0), &cost, false);
        assert_near(&format!("{scheme:?}"), &forward, &flat(&adjoint), 1e-10);
        // Controls by differences of the whole: the cost is some 10, steps of 1e-3 leave 1e-10.
        let mut moved = run.clone();
        for (step, motor) in [(0, 3), (9, 5), (19, 11)] {
            let mut at = |t: f64| {
                let mut u = controls(&model, 20, 0.2);
                u[step][motor] += t;
                moved = Rollout::new(&p, scheme, 2e-3, u)
                    .expect("fits")
                    .hold(0..10, &front)
                    .hold(10..20, &hind)
                    .impact(10, &hind, 0.0);
                moved.adjoint(&p.nominal(), &q0, &v0, &cost, StateMemory::default()).expect("runs").cost
            };
            let h = 1e-3;
            let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
            let found = adjoint.by_controls[step][motor];
            assert!((slope - found).abs() <= 1e-7 * slope.abs().max(1.0), "{step}, {motor}: {slope} against {found}");
        }
    }
}

/// Loops, a thread among them, rows twice, a bounce.
#[test]
fn closed_loops_by_geometry() {
    let model = tree(1);
    let p = some_of_every_kind(&model);
    let (q0, v0, _) = state(&model, 4);
    let v0: Vec<f64> = v0.iter().map(|v| 0.3 * v).collect();
    let somewhere = |seed| {
        let rng = &mut rng(seed);
        exp6(Motion::new(vector(rng), vector(rng)))
    };
    let [last, other] = ["body10", "body7"].map(|name| model.find_body(name).expect("is there"));
    let loop_of = |joint: Elementary| {
        let closed = Constraint::joint(other, somewhere(1), last, somewhere(2), joint).expect("fits");
        closed.with_gains(5.0, 4.0)
    };
    let universal = loop_of(Universal { first: Axis::X, second: Axis::Y }.into());
    let thread = loop_of(Helical { axis: Axis::Z, pitch: 0.3 }.into());
    let stands = Constraint::contact(last, vector(&mut rng(3)), vector(&mut rng(4))).with_gains(20.0, 5.0);
    for (what, held) in
        [("a loop", vec![universal]), ("a contact twice", vec![stands, stands]), ("a thread", vec![thread])]
    {
        for scheme in [Scheme::SemiImplicitEuler, Scheme::Rk4] {
            let run = Rollout::new(&p, scheme, 2e-3, controls(&model, 12, 0.2)).expect("fits");
            let run = run.hold(0..9, &held).impact(4, &[stands], 0.4).impact(9, &held, 0.7);
            let cost = QuadraticCost { control: 0.0, ..cost(&model, 5) };
            let adjoint = run.adjoint(&p.nominal(), &q0, &v0, &cost, StateMemory::default()).expect("runs");
            let forward = by_forward(&run, &p, (&q0, &v0), &cost, true);
            // Conditions of `J M⁻¹ Jᵀ` of the trees times rounding.
            assert_near(&format!("{what}, {scheme:?}"), &forward, &flat(&adjoint), 1e-9);
        }
    }
}

/// Derivatives by (m₁, m₂, l₁, l₂, g) of θ and ω at t = 2, which CasADi gave (RK4, 4000 steps): printed digits.
const GOLDEN: [[f64; 5]; 4] = [
    [-0.834730, 0.834730, -1.010110, -1.619885, 0.268093],
    [1.270289, -1.270289, -0.761121, -0.191938, 0.097152],
    [-4.110484, 4.110484, -3.149870, -4.202075, 0.749434],
    [6.752724, -6.752724, 2.382515, 5.251936, -0.778232],
];

fn double_pendulum() -> Model {
    let mut builder = ModelBuilder::new("double pendulum");
    builder.set_gravity(Vector3::new(0.0, 0.0, -9.81));
    let point = || Inertia::new(1.0, Vector3::new(0.0, 0.0, -1.0), Symmetric3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0));
    let hinge = || Revolute { axis: Axis::Y };
    let end = Transform::from_translation(Vector3::new(0.0, 0.0, -1.0));
    let upper = builder.add_body(None, "upper", "shoulder", Transform::identity(), hinge(), point()).expect("builds");
    builder.add_body(Some(upper), "lower", "elbow", end, hinge(), point()).expect("builds");
    builder.build().expect("builds")
}

#[test]
fn the_golden_double_pendulum() {
    let model = double_pendulum();
    let p = Parameters::of(&model)
        .select_all("upper.mass, lower.mass, upper.com.z, elbow.placement.z, lower.com.z, gravity.z")
        .expect("are there");
    let at_end = |steps: usize| -> DMatrix<f64> {
        let run = Rollout::new(&p, Scheme::Rk4, 2.0 / steps as f64, vec![vec![0.0; 2]; steps]).expect("fits");
        let forward = run.forward(&p.nominal(), &[1.0, -0.5], &[0.0, 0.0]).expect("runs");
        let by = forward.by_parameters(steps);
        // From the chosen to (m₁, m₂, l₁, l₂, g), from relative angles to those from the vertical.
        let mut five = DMatrix::zeros(4, 5);
        for (row, whole) in [(0, 0..1), (1, 0..2), (2, 2..3), (3, 2..4)] {
            for i in whole {
                let r = by.row(i);
                let columns = [r[0], r[1], -(r[2] + r[3]), -r[4], -r[5]];
                columns.into_iter().enumerate().for_each(|(k, x)| five[(row, k)] += x);
            }
        }
        five
    };
    let found: DMatrix<f64> = at_end(4000);
    for (i, row) in GOLDEN.iter().enumerate() {
        for (k, expected) in row.iter().enumerate() {
            assert!((found[(i, k)] - expected).abs() < 1e-6, "{i}, {k}: {} against {expected}", found[(i, k)]);
        }
    }
    // Only the ratio of masses counts, and both are one.
    assert!((found.column(0) + found.column(1)).amax() < 1e-9);
    // Of fourth order, sensitivities too.
    let errors: Vec<f64> = [400, 800].iter().map(|n| (at_end(*n) - &found).amax()).collect();
    let order = (errors[0] / errors[1]).log2();
    assert!((order - 4.0).abs() < 0.1, "{order}");
}

/// `|J(p + h d) − J − h g·d|` falls as h², and with the second-order term as h³.
#[test]
fn taylor_slope_is_two() {
    let model = robot("panda", false);
    let p = some_of_every_kind(&model);
    let (q0, v0, _) = state(&model, 3);
    let run = Rollout::new(&p, Scheme::Rk4, 2e-3, controls(&model, 100, 3.0)).expect("fits");
    let cost = cost(&model, 5);
    let values = p.nominal();
    let adjoint = run.adjoint(&values, &q0, &v0, &cost, StateMemory::default()).expect("runs");
    let never_below =
        |k: usize| values[k] == 0.0 && ["armature", "friction", "damping"].iter().any(|s| p.names()[k].ends_with(s));
    let direction: Vec<f64> = numbers(&mut rng(11), p.len())
        .iter()
        .enumerate()
        .map(|(k, d)| if never_below(k) { 0.0 } else { d * values[k].abs().max(0.05) })
        .collect();
    let slope: f64 = adjoint.by_parameters.iter().zip(&direction).map(|(g, d)| g * d).sum();
    let left = |h: f64| {
        let moved: Vec<f64> = values.iter().zip(&direction).map(|(x, d)| x + h * d).collect();
        let there = run.adjoint(&moved, &q0, &v0, &cost, StateMemory::default()).expect("runs").cost;
        (there - adjoint.cost - h * slope).abs()
    };
    let order = (left(1e-3) / left(5e-4)).log2();
    assert!((order - 2.0).abs() < 0.05, "{order}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let model = robot("panda", false);
    let p = Parameters::of(&model).select("*.mass").expect("are there");
    let run = || Rollout::new(&p, Scheme::SemiImplicitEuler, 0.01, vec![vec![0.0; 7]; 3]).expect("fits");
    let (values, q, v) = (p.nominal(), vec![0.1; 7], vec![0.0; 7]);
    let good = QuadraticCost::at_end(&model, &q);
    let ask = |cost: &QuadraticCost, values: &[f64], q: &[f64], v: &[f64]| {
        run().adjoint(values, q, v, cost, StateMemory::default()).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(ask(&good, &values, &q, &v), Ok(()));
    let short = QuadraticCost { end: vec![1.0; 3], ..good.clone() };
    for (found, part) in [
        (ask(&short, &values, &q, &v), "weights of the cost has 3 entries, expected 14"),
        (ask(&good, &values[..2], &q, &v), "parameters has 2 entries, expected 7"),
        (ask(&good, &values, &q[..6], &v), "expected"),
        (ask(&good, &values, &q, &v[..6]), "v at the start has 6 entries, expected 7"),
    ] {
        let error = found.expect_err("does not fit");
        assert!(error.contains(part), "{error}");
    }
    assert!(Rollout::new(&p, Scheme::Rk4, -0.1, vec![]).is_err_and(|e| e.to_string().contains("dt is -0.1")));
    assert!(Rollout::new(&p, Scheme::Rk4, 0.1, vec![vec![0.0; 6]]).is_err());
    let law = Feedback { gains: vec![DMatrix::zeros(7, 14); 3], q: vec![q.clone(); 3], v: vec![vec![0.0; 5]; 3] };
    assert!(run().feedback(law).is_err_and(|e| e.to_string().contains("v of a node has 5 entries, expected 7")));
    // No steps: the cost of the start.
    let none = Rollout::new(&p, Scheme::Rk4, 0.1, vec![]).expect("fits");
    let all = none.adjoint(&values, &q, &v, &good, StateMemory(0)).expect("runs");
    assert!(all.by_controls.is_empty() && all.cost.abs() < f64::MIN_POSITIVE && all.is_trustworthy());
}
