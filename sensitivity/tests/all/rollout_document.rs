//! Roll-outs as documents: the same states, bit for bit, and documents of another robot refused.

use crate::common::*;
use gradyn::joint::{Axis, Helical};
use gradyn::spatial::exp6;
use gradyn::{Constraint, Motion};
use gradyn_sensitivity::rollout::RolloutDocument;
use gradyn_sensitivity::{Feedback, Parameters, Rollout, Scheme};
use nalgebra::DMatrix;
use serde_json::{Value, json};
use testing::{rng, vector};

/// With constraints of each kind, an impact, feedback and lengths of steps of its own.
fn run_of(p: &Parameters) -> Rollout<'_> {
    let model = p.robot();
    let somewhere = |seed| {
        let rng = &mut rng(seed);
        exp6(Motion::new(vector(rng), vector(rng)))
    };
    let [last, other] = ["body10", "body7"].map(|name| model.find_body(name).expect("is there"));
    let thread = Helical { axis: Axis::Z, pitch: 0.3 };
    let thread = Constraint::joint(other, somewhere(1), last, somewhere(2), thread).expect("fits").with_gains(5.0, 4.0);
    let stands = Constraint::contact(last, vector(&mut rng(3)), vector(&mut rng(4))).with_gains(20.0, 5.0);
    let welded = Constraint::frame(None, somewhere(5), last, somewhere(6));
    let (q, v, _) = state(model, 4);
    let dt: Vec<f64> = (0..12).map(|k| 1e-3 + 1e-4 * f64::from(k)).collect();
    let run = Rollout::new(p, Scheme::SemiImplicitEuler, 2e-3, controls(model, 12, 0.2)).expect("fits");
    let nu = controls(model, 1, 0.2)[0].len();
    let law = Feedback {
        gains: vec![DMatrix::from_fn(nu, 2 * model.nv(), |i, j| 0.01 * (i as f64 - j as f64).cos()); 12],
        q: vec![q; 12],
        v: vec![v; 12],
    };
    let run = run.lengths(&dt).and_then(|run| run.feedback(law)).expect("fits");
    run.hold(0..4, &[thread]).hold(2..6, &[stands]).hold(7..8, &[welded]).impact(4, &[stands], 0.4)
}

fn chosen() -> Parameters {
    Parameters::of(&tree(1)).select_all("*.mass, gravity.z").expect("are there")
}

#[test]
fn a_document_gives_the_same_bits() {
    let p = chosen();
    let run = run_of(&p);
    let (q, v, _) = state(p.robot(), 4);
    let text = serde_json::to_string(&run.document()).expect("is written");
    let document: RolloutDocument = serde_json::from_str(&text).expect("is read");
    let again = document.rollout(&p).expect("fits");
    let states = run.simulate(&p.nominal(), &q, &v).expect("runs");
    assert_eq!(states, again.simulate(&p.nominal(), &q, &v).expect("runs"));
    // The feedback and the impact are felt: it is not the motion of controls alone.
    let free = Rollout::new(&p, Scheme::SemiImplicitEuler, 2e-3, controls(p.robot(), 12, 0.2)).expect("fits");
    assert_ne!(states, free.simulate(&p.nominal(), &q, &v).expect("runs"));
}

#[test]
fn damaged_documents_are_refused() {
    let p = chosen();
    let good = serde_json::to_value(run_of(&p).document()).expect("is written");
    let damaged = |pointer: &str, with: Value| {
        let mut document = good.clone();
        *document.pointer_mut(pointer).expect("is there") = with;
        let document: RolloutDocument = serde_json::from_value(document).expect("has the form");
        document.rollout(&p).expect_err(pointer).to_string()
    };
    for (pointer, with, needle) in [
        ("/scheme", json!("leapfrog"), "no scheme is called `leapfrog`"),
        ("/held/0/2/0/bodies/0", json!(1000), "a body of a constraint is 1000"),
        ("/feedback/gains/0", json!([2, 3, [1.0]]), "numbers of a matrix has 1 entries, expected 6"),
        ("/actuation", json!({ "full": 1000 }), "degrees of freedom of the actuation has 1000 entries"),
        ("/actuation", json!({ "joints": { "nv": p.robot().nv(), "dofs": [1000] } }), "has 1001 entries"),
        ("/dt", json!([]), "dt is NaN"),
        ("/dt", json!([1e-3, 1e-3]), "lengths of steps has 2 entries, expected 12"),
        ("/each_for", json!(0), "steps for each control is 0"),
    ] {
        let message = damaged(pointer, with);
        assert!(message.contains(needle), "{pointer}: {message}");
    }
}
