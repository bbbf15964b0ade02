//! Products with the Hessian of a cost along a trajectory: symmetric, and what Taylor's series says.

use crate::common::*;
use gradyn::Model;
use gradyn_sensitivity::{
    Direction, Feedback, Parameters, QuadraticCost, Rollout, Scheme, SensitivityError, StateMemory, TrajectoryCost,
};
use nalgebra::DMatrix;
use testing::{numbers, rng};

/// A direction that moves each parameter by about a hundredth of its size, and none that must not fall below zero.
fn direction(run: &Rollout<'_>, p: &Parameters, seed: u64) -> Direction {
    let rng = &mut rng(seed);
    let mut d = Direction::zero(run);
    let (values, names) = (p.nominal(), p.names());
    for (k, x) in numbers(rng, p.len()).into_iter().enumerate() {
        let at_zero = values[k] == 0.0 && ["armature", "friction", "damping"].iter().any(|s| names[k].ends_with(s));
        d.parameters[k] = if at_zero { 0.0 } else { x * values[k].abs().max(0.05) };
    }
    d.q0 = numbers(rng, d.q0.len());
    d.v0 = numbers(rng, d.v0.len());
    d.controls.iter_mut().for_each(|u| *u = numbers(rng, u.len()));
    d
}

fn dot(x: &Direction, y: &Direction) -> f64 {
    x.to_vec().iter().zip(y.to_vec()).map(|(x, y)| x * y).sum()
}

/// `aᵀ H b = bᵀ H a`, and `H a` is the derivative of gradients that the adjoint over values gives.
fn is_symmetric(run: &Rollout<'_>, p: &Parameters, start: (&[f64], &[f64]), cost: &QuadraticCost) {
    let values = p.nominal();
    let product =
        |d: &Direction| run.hessian_product(&values, start.0, start.1, cost, d, StateMemory::default()).expect("runs");
    let (a, b) = (direction(run, p, 1), direction(run, p, 2));
    let (by_a, by_b) = (product(&a), product(&b));
    let (left, right) = (dot(&b, &by_a.product), dot(&a, &by_b.product));
    // Sums of some thousand products of other sizes than their sum.
    let size = norm(&a) * norm(&by_b.product);
    assert!((left - right).abs() <= 1e-11 * size, "{left} against {right}, of {size}");
    assert!(left.abs() > 1e-9 * size, "{left} of {size}: says nothing");
    // Values of the pass with dual numbers are those of the pass without.
    let adjoint = run.adjoint(&values, start.0, start.1, cost, StateMemory::default()).expect("runs");
    let gradient = Direction {
        parameters: adjoint.by_parameters,
        q0: adjoint.by_q0,
        v0: adjoint.by_v0,
        controls: adjoint.by_controls,
    };
    assert!((adjoint.cost - by_a.cost).abs() <= 1e-12 * adjoint.cost, "{} against {}", adjoint.cost, by_a.cost);
    let off = gradient.to_vec().iter().zip(by_a.gradient.to_vec()).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
    assert!(off <= 1e-11 * norm(&gradient), "{off}");
    let slope = dot(&gradient, &a);
    assert!((slope - by_a.slope).abs() <= 1e-11 * norm(&gradient) * norm(&a), "{slope} against {}", by_a.slope);
}

fn norm(d: &Direction) -> f64 {
    dot(d, d).sqrt()
}

fn law(model: &Model, steps: usize, nu: usize) -> Feedback {
    let rng = &mut rng(8);
    let nv = model.nv();
    let mut gain = || DMatrix::from_vec(nu, 2 * nv, numbers(rng, 2 * nu * nv)) * 0.02;
    Feedback {
        gains: (0..steps).map(|_| gain()).collect(),
        q: vec![state(model, 6).0; steps],
        v: vec![vec![0.1; nv]; steps],
    }
}

#[test]
fn symmetric_for_every_kind_of_joint() {
    for (n, scheme) in [Scheme::SemiImplicitEuler, Scheme::Euler, Scheme::Rk4].into_iter().enumerate() {
        let model = tree(n as u64 + 1);
        let p = some_of_every_kind(&model);
        let (q0, v0, _) = state(&model, 4);
        let v0: Vec<f64> = v0.iter().map(|v| 0.3 * v).collect();
        let u = controls(&model, 20, 0.5);
        let nu = u[0].len();
        let run = Rollout::new(&p, scheme, 5e-3, u).expect("fits");
        is_symmetric(&run, &p, (&q0, &v0), &cost(&model, 5));
        let run = run.feedback(law(&model, 20, nu)).expect("fits");
        is_symmetric(&run, &p, (&q0, &v0), &cost(&model, 5));
    }
}

#[test]
fn symmetric_over_a_thousand_steps() {
    let model = robot("panda", false);
    let p = some_of_every_kind(&model);
    let (q0, v0, _) = state(&model, 3);
    let run = Rollout::new(&p, Scheme::SemiImplicitEuler, 1e-3, controls(&model, 1000, 3.0)).expect("fits");
    is_symmetric(&run, &p, (&q0, &v0), &cost(&model, 5));
}

#[test]
fn symmetric_through_contacts_and_impacts() {
    let (model, q0, front, hind) = standing();
    let v0 = vec![0.05; model.nv()];
    let p = Parameters::of(&model)
        .select_all("base_link.mass, HL_UPPER_LEG.com.x, gravity.z, FL_HFE.placement.z, HR_KFE.axis.1")
        .and_then(|p| p.select_all("FL_KFE.armature, HR_HFE.damping, state.q.FL_HFE"))
        .expect("are there");
    for scheme in [Scheme::SemiImplicitEuler, Scheme::Rk4] {
        let run = Rollout::new(&p, scheme, 2e-3, controls(&model, 4, 0.2))
            .expect("fits")
            .hold(0..2, &front)
            .hold(2..4, &hind)
            .impact(2, &hind, 0.1);
        is_symmetric(&run, &p, (&q0, &v0), &cost(&model, 5));
    }
}

/// `|J(z + h d) − J − h g·d − ½ h² dᵀ H d|` falls as h³.
#[test]
fn taylor_slope_is_three() {
    let model = robot("panda", false);
    let p = some_of_every_kind(&model);
    let (q0, v0, _) = state(&model, 3);
    let u = controls(&model, 100, 3.0);
    let run = Rollout::new(&p, Scheme::Rk4, 2e-3, u.clone()).expect("fits");
    let (cost, values) = (cost(&model, 5), p.nominal());
    let d = direction(&run, &p, 11);
    let by = run.hessian_product(&values, &q0, &v0, &cost, &d, StateMemory::default()).expect("runs");
    let bend = dot(&d, &by.product);
    let left = |h: f64| {
        let moved = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(x, d)| x + h * d).collect::<Vec<f64>>();
        let step: Vec<f64> = d.q0.iter().map(|d| h * d).collect();
        let q = model.integrate(&q0, &step).expect("fits");
        let u = u.iter().zip(&d.controls).map(|(u, d)| moved(u, d)).collect();
        let there = Rollout::new(&p, Scheme::Rk4, 2e-3, u).expect("fits");
        let there = there
            .adjoint(&moved(&values, &d.parameters), &q, &moved(&v0, &d.v0), &cost, StateMemory::default())
            .expect("runs");
        (there.cost - by.cost - h * by.slope - 0.5 * h * h * bend).abs()
    };
    let order = (left(4e-3) / left(2e-3)).log2();
    assert!((order - 3.0).abs() < 0.1, "{order}");
}

#[test]
fn controls_that_hold_for_many_steps() {
    let model = robot("panda", false);
    let p = Parameters::of(&model).select_all("*.mass, *.damping").expect("are there");
    let (q0, v0, _) = state(&model, 3);
    let (few, cost) = (controls(&model, 4, 3.0), cost(&model, 5));
    let many: Vec<Vec<f64>> = few.iter().flat_map(|u| vec![u.clone(); 25]).collect();
    let run = |u: &[Vec<f64>]| Rollout::new(&p, Scheme::SemiImplicitEuler, 1e-3, u.to_vec()).expect("fits");
    let ask = |run: &Rollout<'_>| run.adjoint(&p.nominal(), &q0, &v0, &cost, StateMemory(3000)).expect("runs");
    let (short, long) = (ask(&run(&few).each_for(25).expect("fits")), ask(&run(&many)));
    assert_eq!((short.cost, &short.by_parameters), (long.cost, &long.by_parameters));
    for (row, u) in short.by_controls.iter().enumerate() {
        for (k, found) in u.iter().enumerate() {
            let sum: f64 = long.by_controls[25 * row..][..25].iter().map(|u| u[k]).sum();
            // The same 25 numbers, added in the other direction.
            assert!((found - sum).abs() <= 1e-13 * sum.abs().max(1e-3), "{found} against {sum}");
        }
    }
    let error = run(&few).each_for(0).expect_err("not even one");
    assert!(error.to_string().contains("steps for each control is 0"), "{error}");
    assert!(run(&few).each_for(usize::MAX).is_err());
}

#[test]
fn what_does_not_fit_is_refused() {
    struct Straight;
    impl TrajectoryCost for Straight {
        fn end(&self, _: &Model, _: (&[f64], &[f64]), by_x: &mut [f64]) -> Result<f64, SensitivityError> {
            by_x[0] += 1.0;
            Ok(0.0)
        }
    }
    let model = robot("panda", false);
    let p = Parameters::of(&model).select("*.mass").expect("are there");
    let run = Rollout::new(&p, Scheme::SemiImplicitEuler, 0.01, vec![vec![0.0; 7]; 3]).expect("fits");
    let (q, v) = (vec![0.1; 7], vec![0.0; 7]);
    let ask = |cost: &dyn TrajectoryCost, d: &Direction| {
        let found = run.hessian_product(&p.nominal(), &q, &v, cost, d, StateMemory::default());
        found.expect_err("does not fit").to_string()
    };
    let good = Direction::zero(&run);
    assert!(ask(&Straight, &good).contains("this cost has no second derivatives"));
    let cost = QuadraticCost::at_end(&model, &q);
    let short = Direction { q0: vec![0.0; 6], ..good.clone() };
    assert_eq!(ask(&cost, &short), "the direction of q0 has 6 entries, expected 7");
    let short = Direction { controls: vec![vec![0.0; 6]; 3], ..good.clone() };
    assert_eq!(ask(&cost, &short), "a direction of controls has 6 entries, expected 7");
    let long = Direction { parameters: vec![0.0; 8], ..good };
    assert_eq!(ask(&cost, &long), "the direction of parameters has 8 entries, expected 7");
}
