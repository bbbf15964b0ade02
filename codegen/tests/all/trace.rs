//! The number: what is folded, what is refused.

use crate::common::panda;
use gradyn::dynamics::Workspace;
use gradyn::{Real, rnea};
use gradyn_codegen::{CodegenError, Function, Port, Trace, TraceError, Tracer};

/// Nodes of a function of one number.
fn nodes(f: impl Fn(Trace) -> Trace) -> usize {
    let recorded =
        Function::record("f", vec![Port::vector("x", 1)], |x| Ok(vec![(Port::vector("y", 1), vec![f(x[0][0])])]));
    let recorded = recorded.expect("is recorded");
    // What the graph gives is what f64 gives.
    recorded.graph().nodes().len()
}

#[test]
fn what_is_known_is_folded() {
    assert_eq!(nodes(|x| x + 0.0), 1);
    assert_eq!(nodes(|x| x * 1.0 - 0.0), 1);
    assert_eq!(nodes(|x| -(-x)), 1);
    assert_eq!(nodes(|x| x - x), 1); // the constant
    assert_eq!(nodes(|x| x * 0.0), 1);
    assert_eq!(nodes(|x| x.recip() * 2.0 * 0.0 + 3.0), 1);
    // x, sin x, cos x, product, and the same product is one
    assert_eq!(nodes(|x| x.sin() * x.cos() + x.cos() * x.sin()), 5);
    // (−x) y and x y are one product
    assert_eq!(nodes(|x| (-x) * x.exp() + x * x.exp()), 1);
    assert_eq!(nodes(|x| x.select_lt(1.0, x, x)), 1);
    assert_eq!(nodes(|x| Trace::from(2.0).select_lt(1.0, x, -x)), 2);
    assert_eq!(nodes(|_| Trace::from(0.5).sin_cos().0), 1);
}

#[test]
fn a_number_of_another_tracer_is_an_error() {
    let tracer = Tracer::new().expect("is the first");
    assert_eq!(Tracer::new().err(), Some(TraceError::Nested));
    let kept = Trace::from(1.0) + Trace::from(2.0);
    assert_eq!(kept.value(), Some(3.0));
    tracer.finish(&[]).expect("is its own");
    // Without one.
    assert_eq!((kept + 1.0).value(), None);
    let mut tracer = Tracer::new().expect("the first has ended");
    let own = tracer.inputs(2);
    let sum = own[0] + kept;
    assert_eq!(tracer.finish(&[vec![sum]]).err(), Some(TraceError::Foreign));
    // On another thread.
    let mut tracer = Tracer::new().expect("the others have ended");
    let own = tracer.inputs(1)[0];
    let there = std::thread::spawn(move || {
        let tracer = Tracer::new().expect("is the first there");
        let sum = own + own;
        tracer.finish(&[vec![sum]]).err()
    });
    assert_eq!(there.join().expect("does not panic"), Some(TraceError::Foreign));
    assert!(tracer.finish(&[vec![own]]).is_ok());
}

#[test]
fn errors_of_the_engine_are_passed_on() {
    let model = panda();
    let error = Function::record("rnea", vec![Port::vector("q", 6)], |x| {
        let model = model.lift::<Trace>();
        let ws = &mut Workspace::new(&model);
        Ok(vec![(Port::vector("tau", 7), rnea(&model, ws, &x[0], &x[0], &x[0], &[])?.to_vec())])
    });
    let error = error.expect_err("q is too short");
    assert!(matches!(error, CodegenError::Engine { .. }));
    assert!(error.to_string().contains("`rnea`: `q` has 6 entries, expected 7"), "{error}");
}
