//! A call that fails leaves nothing behind: the next one gives what it gives in new memory, to the bit.

use gradyn::dynamics::*;
use gradyn::joint::Revolute;
use gradyn::model::{BodyId, InputError, Model, ModelBuilder};
use gradyn::partials::{
    DerivativeWorkspace, Method, SecondOrderWorkspace, aba_derivatives, aba_second_derivatives, bias_derivatives,
    centroidal_derivatives, constraint_dynamics_derivatives, frame_derivatives, impulse_dynamics_derivatives,
    mass_product_derivatives, rnea_derivatives, rnea_second_derivatives, static_torque_derivatives,
};
use gradyn::spatial::Force;
use gradyn_derivatives::simd::{Level, with_level};
use nalgebra::Vector3;
use std::fmt::Debug;
use testing::{regular, state};

/// Everything that calls keep between each other.
struct Memory {
    ws: Workspace<f64>,
    first: DerivativeWorkspace,
    second: SecondOrderWorkspace,
}

impl Memory {
    fn new(model: &Model) -> Self {
        Self {
            ws: Workspace::new(model),
            first: DerivativeWorkspace::new(model),
            second: SecondOrderWorkspace::new(model),
        }
    }
}

type State = (Vec<f64>, Vec<f64>, Vec<f64>);

/// A result to the last digit, or why there is none.
fn digits<R: Debug>(result: Result<R, InputError>) -> String {
    match result {
        Ok(result) => format!("{result:?}"),
        Err(error) => format!("error: {error}"),
    }
}

/// A point of each of two bodies, held.
fn held(model: &Model) -> Vec<Constraint> {
    let point = |body: BodyId| Constraint::contact(body, Vector3::new(0.1, 0.2, -0.1), Vector3::zeros());
    [model.bodies().len() - 1, model.bodies().len() / 2]
        .into_iter()
        .filter_map(|k| model.body_id(k))
        .map(point)
        .collect()
}

/// Each function's name and what it gives.
fn results(model: &Model, memory: &mut Memory, (q, v, a): &State) -> Vec<(&'static str, String)> {
    let Memory { ws, first, second } = memory;
    let held = held(model);
    let body = model.body_id(model.bodies().len() - 1).expect("has bodies");
    let world = ReferenceFrame::World;
    let push = Force::new(Vector3::new(1.0, -2.0, 0.5), Vector3::new(0.3, 0.1, -0.7));
    let pushed = &[ExternalWrench::in_body(body, push)];
    let mut all = vec![
        ("rnea", digits(rnea(model, ws, q, v, a, &[]))),
        ("crba", digits(crba(model, ws, q))),
        ("aba", digits(aba(model, ws, q, v, a, &[]))),
        ("minv", digits(minv(model, ws, q))),
        ("bias", digits(bias(model, ws, q, v, &[]))),
        ("coriolis_matrix", digits(coriolis_matrix(model, ws, q, v))),
        ("generalized_gravity", digits(generalized_gravity(model, ws, q))),
        ("mechanical_energy", digits(mechanical_energy(model, ws, q, v))),
        ("joint_jacobians", digits(joint_jacobians(model, ws, q))),
        ("frame_jacobian", digits(frame_jacobian(model, ws, q, body, world))),
        ("frame_jacobian_rate", digits(frame_jacobian_rate(model, ws, q, v, body, world))),
        ("kinematic_regressor", digits(kinematic_regressor(model, ws, q, body, world))),
        ("torque_regressor", digits(torque_regressor(model, ws, q, v, a))),
        ("centroidal_momentum", digits(centroidal_momentum(model, ws, q, v, a))),
        ("centroidal_momentum_matrix", digits(centroidal_momentum_matrix(model, ws, q))),
        ("com_jacobian", digits(com_jacobian(model, ws, q, None))),
        ("factorize_mass_matrix", {
            let x = factorize_mass_matrix(model, ws, q).and_then(|factors| {
                let mut x = a.clone();
                factors.solve(&mut x).map(|()| x)
            });
            digits(x)
        }),
        ("constraint_jacobian", digits(constraint_jacobian(model, ws, q, &held))),
        ("constraint_bias", digits(constraint_bias(model, ws, q, v, &held))),
        ("constraint_dynamics", digits(constraint_dynamics(model, ws, q, v, a, &held, &[]))),
        ("impulse_dynamics", digits(impulse_dynamics(model, ws, q, v, 0.0, &held))),
    ];
    for method in [Method::Analytical, Method::Dual] {
        all.extend([
            ("rnea_derivatives", digits(rnea_derivatives(model, first, method, q, v, a, &[]))),
            ("aba_derivatives", digits(aba_derivatives(model, first, method, q, v, a, &[]))),
            ("mass_product_derivatives", digits(mass_product_derivatives(model, first, method, q, a))),
            ("aba_derivatives under a wrench", digits(aba_derivatives(model, first, method, q, v, a, pushed))),
            ("static_torque_derivatives", digits(static_torque_derivatives(model, first, method, q, pushed))),
            ("bias_derivatives", digits(bias_derivatives(model, first, method, q, v, &[]))),
            ("centroidal_derivatives", digits(centroidal_derivatives(model, first, method, q, v, a))),
            ("frame_derivatives", digits(frame_derivatives(model, first, method, q, v, a, body, world))),
            (
                "constraint_dynamics_derivatives",
                digits(constraint_dynamics_derivatives(model, first, method, q, v, a, &held, &[])),
            ),
            (
                "impulse_dynamics_derivatives",
                digits(impulse_dynamics_derivatives(model, first, method, q, v, 0.0, &held)),
            ),
        ]);
    }
    if model.nv() <= 18 {
        let method = Method::Analytical;
        all.extend([
            ("rnea_second_derivatives", digits(rnea_second_derivatives(model, second, method, q, v, a, &[]))),
            ("aba_second_derivatives", digits(aba_second_derivatives(model, second, method, q, v, a, &[]))),
        ]);
    }
    all
}

/// Numbers that are none, too large in one place or in all, in each argument.
fn bad(model: &Model, good: &State) -> Vec<(String, State)> {
    let mut all = Vec::new();
    for (argument, k) in [("q", 0), ("v", 1), ("a", 2)] {
        for (number, places) in
            [(f64::NAN, &[false][..]), (f64::INFINITY, &[true]), (1e160, &[false, true]), (1e308, &[false, true])]
        {
            for everywhere in places.iter().copied() {
                let mut state = good.clone();
                let [x_q, x_v, x_a] = [&mut state.0, &mut state.1, &mut state.2];
                let x = if k == 0 {
                    x_q
                } else if k == 1 {
                    x_v
                } else {
                    x_a
                };
                let last = x.len() - 1;
                x[if everywhere { 0 } else { last }..].fill(number);
                all.push((format!("{argument} = {number}, everywhere: {everywhere}, nv {}", model.nv()), state));
            }
        }
    }
    all
}

/// Arms of so many hinges, side by side: the paths of some are the beginnings of registers that others fill.
fn arms(lengths: &[usize]) -> Model {
    let rng = &mut testing::rng(5);
    let mut builder = ModelBuilder::new("arms");
    for (arm, length) in lengths.iter().enumerate() {
        let mut last = None;
        for k in 0..*length {
            let (joint, x, y) = (Revolute { axis: testing::axis(rng) }, testing::transform(rng), testing::inertia(rng));
            let body = builder.add_body(last, format!("{arm}.{k}"), format!("joint {arm}.{k}"), x, joint, y);
            last = Some(body.expect("is new"));
        }
    }
    builder.build().expect("is sound")
}

#[test]
fn nothing_is_left_of_a_call_that_failed() {
    let models = regular().into_iter().filter(|(what, model)| {
        let few = ["2 bodies", "5 bodies", "every joint, seed 1", "panda", "solo12, floating", "mimic"];
        model.nq() > 0 && few.iter().any(|name| what.starts_with(name))
    });
    let arms = [&[5, 3][..], &[3, 5], &[12, 3]].map(|lengths| (format!("arms of {lengths:?}"), arms(lengths)));
    let mut failures = 0;
    for (what, model) in models.chain(arms) {
        let good = state(&model, 3);
        for level in Level::available() {
            with_level(level, || {
                let expected = results(&model, &mut Memory::new(&model), &good);
                let memory = &mut Memory::new(&model);
                for (with, bad) in bad(&model, &good) {
                    failures += results(&model, memory, &bad).iter().filter(|(_, of)| of.starts_with("error")).count();
                    for ((name, found), (_, expected)) in results(&model, memory, &good).iter().zip(&expected) {
                        if found == expected {
                            continue;
                        }
                        // Where they begin to differ, with what stands before.
                        let at = found.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count();
                        let part = |of: &str| of[at.saturating_sub(80)..of.len().min(at + 40)].to_owned();
                        panic!("{what}, {level}: {name} after {with}\n{}\ninstead of\n{}", part(found), part(expected));
                    }
                }
            });
        }
    }
    assert!(failures > 5000, "only {failures} calls failed");
}

/// Nor of one function in another's memory: each bad state in each of them, then each of them at the good one.
#[test]
fn nothing_is_left_for_another_function() {
    type Function = fn(&Model, &mut DerivativeWorkspace, &State, &[ExternalWrench]) -> String;
    let functions: [(&str, Function); 6] = [
        ("rnea_derivatives", |m, ws, (q, v, a), w| digits(rnea_derivatives(m, ws, Method::Analytical, q, v, a, w))),
        ("mass_product_derivatives", |m, ws, (q, _, a), _| {
            digits(mass_product_derivatives(m, ws, Method::Analytical, q, a))
        }),
        ("static_torque_derivatives", |m, ws, (q, ..), w| {
            digits(static_torque_derivatives(m, ws, Method::Analytical, q, w))
        }),
        ("aba_derivatives", |m, ws, (q, v, a), w| digits(aba_derivatives(m, ws, Method::Analytical, q, v, a, w))),
        ("constraint_dynamics_derivatives", |m, ws, (q, v, a), w| {
            digits(constraint_dynamics_derivatives(m, ws, Method::Analytical, q, v, a, &held(m), w))
        }),
        ("impulse_dynamics_derivatives", |m, ws, (q, v, _), _| {
            digits(impulse_dynamics_derivatives(m, ws, Method::Analytical, q, v, 0.0, &held(m)))
        }),
    ];
    let models = regular().into_iter().filter(|(what, model)| {
        let few = ["5 bodies", "every joint, seed 1", "panda", "mimic", "prismatic"];
        model.nq() > 0 && few.iter().any(|name| what.starts_with(name))
    });
    let mut failures = 0;
    for (what, model) in models {
        let good = state(&model, 3);
        let body = model.body_id(model.bodies().len() - 1).expect("has bodies");
        let push = Force::new(Vector3::new(1.0, -2.0, 0.5), Vector3::new(0.3, 0.1, -0.7));
        let wrenches = [ExternalWrench::in_body(body, push)];
        for wrenches in [&[][..], &wrenches] {
            for (name, function) in functions {
                let expected = function(&model, &mut DerivativeWorkspace::new(&model), &good, wrenches);
                for (before, failing) in functions {
                    let ws = &mut DerivativeWorkspace::new(&model);
                    for (with, bad) in bad(&model, &good) {
                        failures += usize::from(failing(&model, ws, &bad, &[]).starts_with("error"));
                        let found = function(&model, ws, &good, wrenches);
                        assert!(found == expected, "{what}: {name} after {before} of {with}: {:.200}", found);
                    }
                }
            }
        }
    }
    assert!(failures > 5000, "only {failures} calls failed");
}
