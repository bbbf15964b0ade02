//! Many states in one call: the same as one by one.

use gradyn::UrdfOptions;
use gradyn::batch::{Batch, BatchDerivatives, BatchGradient};
use gradyn::dynamics::{Workspace, aba, crba, rnea, rnea_gradient};
use gradyn::joint::{Axis, FreeFlyer, Joint, JointKind, Prismatic, Revolute};
use gradyn::model::{InputError, Model, ModelBuilder};
use gradyn::partials::{DerivativeWorkspace, Method, rnea_derivatives};
use gradyn_derivatives::simd::{Level, with_level};
use nalgebra::Vector3;
use testing::{assert_near, axis, inertia, models, rng, robot, state, transform, uniform};

/// States one after the other.
#[derive(Clone)]
struct States {
    n: usize,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    lambda: Vec<f64>,
}

fn states(model: &Model, n: usize) -> States {
    let mut all = States { n, q: vec![], v: vec![], a: vec![], lambda: vec![] };
    let rng = &mut rng(5);
    for s in 0..n {
        let (q, v, a) = state(model, s as u64);
        all.q.extend(q);
        all.v.extend(v);
        all.a.extend(a);
        all.lambda.extend((0..model.nv()).map(|_| uniform(rng)));
    }
    all
}

/// All that a batch can compute, and which states are not finite.
#[derive(Clone, Debug, PartialEq)]
struct Results {
    arrays: Vec<(&'static str, usize, Vec<f64>)>,
    exceptions: Vec<Vec<usize>>,
}

fn compute(batch: &mut Batch, model: &Model, s: &States) -> Result<Results, InputError> {
    let (n, nv) = (s.n, model.nv());
    let zeros = |size: usize| vec![0.0; n * size];
    let (mut tau, mut mass, mut ddq, mut tau_2) = (zeros(nv), zeros(nv * nv), zeros(nv), zeros(nv));
    let (mut dq, mut dv, mut da) = (zeros(nv * nv), zeros(nv * nv), zeros(nv * nv));
    let (mut value, mut gq, mut gv, mut ga) = (zeros(1), zeros(nv), zeros(nv), zeros(nv));
    let to = BatchDerivatives { tau: &mut tau_2, dtau_dq: &mut dq, dtau_dv: &mut dv, dtau_da: &mut da };
    let by = BatchGradient { value: &mut value, dq: &mut gq, dv: &mut gv, da: &mut ga };
    let exceptions = vec![
        batch.rnea(model, &s.q, &s.v, &s.a, &mut tau)?.exceptions().collect(),
        batch.crba(model, &s.q, &mut mass)?.exceptions().collect(),
        batch.aba(model, &s.q, &s.v, &s.a, &mut ddq)?.exceptions().collect(),
        batch.rnea_derivatives(model, &s.q, &s.v, &s.a, to)?.exceptions().collect(),
        batch.rnea_gradient(model, &s.q, &s.v, &s.a, &s.lambda, by)?.exceptions().collect(),
    ];
    let m = nv * nv;
    let arrays = vec![
        ("tau", nv, tau),
        ("mass matrix", m, mass),
        ("ddq", nv, ddq),
        ("tau, with derivatives", nv, tau_2),
        ("dtau_dq", m, dq),
        ("dtau_dv", m, dv),
        ("dtau_da", m, da),
        ("value", 1, value),
        ("gradient by q", nv, gq),
        ("gradient by v", nv, gv),
        ("gradient by a", nv, ga),
    ];
    Ok(Results { arrays, exceptions })
}

/// The same of one state, in the same order, by the functions for one.
fn single(model: &Model, s: &States, k: usize) -> Vec<Vec<f64>> {
    let (nq, nv) = (model.nq(), model.nv());
    let of = |x: &[f64], n: usize| x[k * n..(k + 1) * n].to_vec();
    let (q, v, a, lambda) = (of(&s.q, nq), of(&s.v, nv), of(&s.a, nv), of(&s.lambda, nv));
    let mut ws = Workspace::new(model);
    let tau = rnea(model, &mut ws, &q, &v, &a, &[]).expect("finite").to_vec();
    let mass = crba(model, &mut ws, &q).expect("finite").as_slice().to_vec();
    let ddq = aba(model, &mut ws, &q, &v, &a, &[]).map_or_else(|_| vec![f64::NAN; nv], <[f64]>::to_vec);
    let by = rnea_gradient(model, &mut ws, &q, &v, &a, &lambda, &[]).expect("finite");
    let gradient = [vec![by.value], by.dq.to_vec(), by.dv.to_vec(), by.da.to_vec()];
    let mut ws = DerivativeWorkspace::new(model);
    let by = rnea_derivatives(model, &mut ws, Method::Analytical, &q, &v, &a, &[]).expect("finite");
    let matrices = [&by.dtau_dq, &by.dtau_dv, &by.dtau_da].map(|m| m.as_slice().to_vec());
    [tau.clone(), mass, ddq, tau].into_iter().chain(matrices).chain(gradient).collect()
}

fn agree(what: &str, model: &Model, s: &States, results: &Results) {
    for k in 0..s.n {
        for ((name, size, array), expected) in results.arrays.iter().zip(single(model, s, k)) {
            let found = &array[k * size..(k + 1) * size];
            if expected.iter().any(|x| x.is_nan()) {
                assert!(found.iter().all(|x| x.is_nan()), "{what}: {name} of state {k}");
                continue;
            }
            // Another order of sums, fused or not: roundings of the largest entry; forward dynamics divides by
            // inertias.
            let scale = expected.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            let tolerance = if *name == "ddq" { 1e-7 } else { 1e-11 } * scale;
            assert_near(found, &expected, tolerance, format!("{what}: {name} of state {k} of {}", s.n));
        }
    }
}

/// Every model, with states in the last block that fill it, or do not.
#[test]
fn batches_equal_single_states() {
    for (what, model) in models() {
        let mut batch = Batch::with_threads(&model, 1);
        let s = states(&model, 9);
        if model.nq() == 0 {
            continue;
        }
        agree(&what, &model, &s, &compute(&mut batch, &model, &s).expect("lengths fit"));
    }
}

/// Robots of hinges and slides, for which batches have forms of their own: several trees, on joints and free bodies,
/// branches, any axis, armature and friction; mounted turned, and too large for matrices of eight states at once.
#[test]
fn batches_of_hinges_and_slides_equal_single_states() {
    for (seed, bodies, roots) in [(1, 1, 1), (2, 2, 2), (3, 7, 1), (4, 12, 3), (5, 23, 2), (6, 70, 2)] {
        for free in [false, true] {
            let model = forest(seed, bodies, roots, free);
            let (what, s) = (format!("{bodies} bodies, {roots} roots, free: {free}"), states(&model, 9));
            for level in Level::available() {
                with_level(level, || {
                    let batch = &mut Batch::with_threads(&model, 1);
                    agree(&format!("{what}, {level}"), &model, &s, &compute(batch, &model, &s).expect("fits"));
                });
            }
        }
    }
}

/// Trees of hinges and slides along random axes; every second tree, from the first on, begins with a free body if asked
/// for.
fn forest(seed: u64, bodies: usize, roots: usize, free: bool) -> Model {
    let rng = &mut rng(seed);
    let mut builder = ModelBuilder::new("forest");
    builder.set_gravity(Vector3::new(0.3, -0.5, -9.6)).set_friction_width(0.4);
    let mut keys = Vec::new();
    for i in 0..bodies {
        // Often the newest body, so that there are long branches too.
        let parent = (i >= roots).then(|| keys[if i % 3 == 0 { i / 2 } else { i - 1 }]);
        let joint: Joint = if parent.is_none() && free && i % 2 == 0 {
            FreeFlyer.into()
        } else {
            let axes = [Axis::X, Axis::Y, Axis::Z, axis(rng)];
            // Both kinds on each axis, at roots too.
            if (i + i / 4 + roots).is_multiple_of(3) {
                Prismatic { axis: axes[i % 4] }.into()
            } else {
                Revolute { axis: axes[i % 4] }.into()
            }
        };
        let (nv, x, y) = (joint.nv(), transform(rng), inertia(rng));
        let key = builder.add_body(parent, format!("body{i}"), format!("joint{i}"), x, joint, y).expect("builds");
        if i % 2 == 1 {
            let mut numbers = || (0..nv).map(|_| 0.5 + 0.4 * uniform(rng)).collect::<Vec<_>>();
            builder.set_armature(key, &numbers()).expect("fits");
            builder.set_damping(key, &numbers()).expect("fits");
            builder.set_friction(key, &numbers()).expect("fits");
        }
        keys.push(key);
    }
    builder.build().expect("builds")
}

/// Sizes around the width, at every level; the same to the last bit wherever a state stands and on however many
/// threads.
#[test]
fn neither_size_nor_threads_nor_place_matter() {
    let model = robot("solo12", &UrdfOptions::new().floating_base(true));
    for level in Level::available() {
        with_level(level, || {
            // Enough work for seven threads, and for two by the quickest function.
            let most = 3000;
            let all = compute(&mut Batch::with_threads(&model, 1), &model, &states(&model, most)).expect("fits");
            for n in [0, 1, 7, 8, 9, 17, 40, 1003, most] {
                let s = states(&model, n);
                for threads in [1, 2, 3, 7] {
                    let results = compute(&mut Batch::with_threads(&model, threads), &model, &s).expect("fits");
                    assert!(results.exceptions.iter().all(Vec::is_empty));
                    for ((name, size, found), (_, _, expected)) in results.arrays.iter().zip(&all.arrays) {
                        assert_eq!(found[..], expected[..n * size], "{name}, {n} states, {threads} threads, {level}");
                    }
                }
                agree(&level.to_string(), &model, &s, &compute(&mut Batch::new(&model), &model, &s).expect("fits"));
            }
        });
    }
}

/// A number that is not finite, in any argument, or a result that overflows: its state is NaN and named, all others are
/// the same to the last bit.
#[test]
fn a_bad_state_touches_no_other() {
    bad_states_touch_no_other(&robot("panda", &UrdfOptions::new()));
    bad_states_touch_no_other(&forest(4, 12, 3, true));
}

fn bad_states_touch_no_other(model: &Model) {
    let (good, nv) = (states(model, 17), model.nv());
    let expected = compute(&mut Batch::with_threads(model, 1), model, &good).expect("fits");
    let batch = &mut Batch::with_threads(model, 1);
    for (k, bad) in [(3, 1e300), (0, f64::NAN), (7, f64::INFINITY), (8, f64::NEG_INFINITY), (16, f64::NAN)] {
        let mut s = good.clone();
        s.v[k * nv + nv - 1] = bad; // of a hinge, whose square overflows
        let found = compute(batch, model, &s).expect("fits");
        for (function, exceptions) in found.exceptions.iter().enumerate() {
            // The mass matrix does not depend on v.
            assert_eq!(*exceptions, if function == 1 { vec![] } else { vec![k] }, "function {function}, {bad}");
        }
        for ((name, size, found), (_, _, expected)) in found.arrays.iter().zip(&expected.arrays) {
            for state in (0..good.n).filter(|state| *state != k) {
                let range = state * size..(state + 1) * size;
                assert_eq!(found[range.clone()], expected[range], "{name} of state {state}");
            }
            let of_bad = &found[k * size..(k + 1) * size];
            assert!(*name == "mass matrix" || of_bad.iter().all(|x| x.is_nan()), "{name}: {of_bad:?}");
        }
    }
    // Nothing of them stays in the memory.
    let again = compute(batch, model, &good).expect("fits");
    for ((name, _, found), (_, _, expected)) in again.arrays.iter().zip(&expected.arrays) {
        assert_eq!(found, expected, "{name}");
    }
}

/// One memory for a model and for others of its structure, one after the other.
#[test]
fn batches_serve_other_constants() {
    let model = forest(3, 7, 1, true);
    let (body, rng) = (model.body_id(3).expect("is there"), &mut rng(8));
    let others = [
        model.clone(),
        model.clone().with_gravity(Vector3::new(1.0, 2.0, -3.0)),
        model.clone().with_inertia(body, inertia(rng)).expect("is there"),
        model.clone().with_placement(body, transform(rng)).expect("is there"),
        model.clone().with_joint_friction(false),
    ];
    let batch = &mut Batch::with_threads(&model, 1);
    for model in others.iter().chain(others.iter().rev()) {
        let s = states(model, 9);
        agree("other constants", model, &s, &compute(batch, model, &s).expect("fits"));
    }
}

/// Wrong lengths are named with what was expected.
#[test]
fn lengths_are_checked() {
    let model = robot("panda", &UrdfOptions::new());
    let (s, batch) = (states(&model, 3), &mut Batch::new(&model));
    let mut tau = vec![0.0; 21];
    let wrong = |found: Result<_, InputError>, what: &str| match found.map(|_: ()| ()) {
        Err(error) => assert!(error.to_string().contains(what), "{error}"),
        Ok(()) => panic!("{what} has not been checked"),
    };
    wrong(batch.rnea(&model, &s.q[1..], &s.v, &s.a, &mut tau).map(drop), "q");
    wrong(batch.rnea(&model, &s.q, &s.v[1..], &s.a, &mut tau).map(drop), "v");
    wrong(batch.rnea(&model, &s.q, &s.v, &s.a, &mut tau[1..]).map(drop), "tau");
    let other = robot("ur5", &UrdfOptions::new());
    assert!(batch.rnea(&other, &s.q, &s.v, &s.a, &mut tau).is_err());
}
