//! Runs: the same bits for any number of threads, and however often they were interrupted.

use gradyn_sensitivity::global::{GlobalError, Morris, Plan, Run, Saltelli};
use gradyn_sensitivity::{Prior, Resampling};
use std::ops::ControlFlow;

fn priors() -> Vec<Prior> {
    vec![
        Prior::Normal { mean: 0.3, sd: 1.1 },
        Prior::LogNormal { median: 2.0, log_sd: 0.3 },
        Prior::Uniform { low: -1.0, high: 1.0 },
        Prior::Fixed { value: 0.25 },
    ]
}

/// Two outputs; a few samples have none.
fn f(x: &[f64], y: &mut [f64]) {
    for (x, y) in x.chunks_exact(4).zip(y.chunks_exact_mut(2)) {
        y[0] = if x[0] > 3.2 { f64::NAN } else { (x[0] * x[1]).sin() + x[3] };
        y[1] = (x[1] + x[2]).exp();
    }
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

fn on_threads<T: Send>(threads: usize, f: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(f)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let all = |threads| {
        on_threads(threads, || {
            let plan = Saltelli { second_order: true, ..Saltelli::new(priors(), 200, 11) };
            let mut run = Run::new(plan, 2).expect("the plan is one").in_blocks_of(24).expect("nothing is evaluated");
            run.advance(f, |_| ControlFlow::Continue(())).expect("the plan is one");
            let found = run.indices(&Resampling::default()).expect("few samples are spoiled");
            assert!(!found.warnings.is_empty());
            let all = found.first.iter().chain(&found.total).chain(&found.second);
            let all: Vec<f64> = all.flat_map(|x| [x.value, x.half_width.expect("intervals are wanted")]).collect();
            assert!(all.iter().all(|x| x.is_finite()));
            (bits(run.values().expect("it is at its end")), bits(&all), bits(&found.variance))
        })
    };
    let one = all(1);
    assert_eq!(one, all(2));
    assert_eq!(one, all(8));
}

/// Stops after every possible number of blocks, writes, reads, and goes on with another number of threads.
#[test]
fn a_run_that_was_stopped_and_read_gives_the_same_bits() {
    let plan = Saltelli::new(priors(), 40, 2);
    let start = || Run::new(plan.clone(), 2).expect("the plan is one").in_blocks_of(16).expect("nothing is evaluated");
    let mut whole = start();
    assert_eq!(whole.advance(f, |_| ControlFlow::Continue(())), Ok(true));
    let total = plan.samples().expect("the plan is one");
    for stop in 1..=total.div_ceil(16) {
        let mut run = start();
        let mut blocks = 0;
        let done = on_threads(2, || {
            run.advance(f, |progress| {
                blocks += 1;
                assert_eq!((progress.done, progress.total), ((16 * blocks).min(total), total));
                if blocks == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        });
        assert_eq!(done, Ok(16 * stop >= total));
        let text = serde_json::to_string(&run).expect("a run can be written");
        let mut run: Run<Saltelli> = serde_json::from_str(&text).expect("what was written can be read");
        assert_eq!(run.progress().expect("it fits together").done, (16 * stop).min(total));
        assert_eq!(on_threads(8, || run.advance(f, |_| ControlFlow::Continue(()))), Ok(true));
        assert_eq!(bits(run.values().expect("it is at its end")), bits(whole.values().expect("it is at its end")));
    }
}

/// What was changed in a file does not go unnoticed.
#[test]
fn a_run_that_does_not_fit_together_is_refused() {
    let mut run = Run::new(Morris { priors: priors(), paths: 4, levels: 4, seed: 0 }, 2).expect("the plan is one");
    run = run.in_blocks_of(4).expect("nothing is evaluated");
    assert_eq!(run.advance(f, |_| ControlFlow::Break(())), Ok(false));
    let text = serde_json::to_string(&run).expect("a run can be written");
    for (from, to) in [
        ("\"done\":4", "\"done\":5"),
        ("\"done\":4", "\"done\":8"),
        ("\"done\":4", "\"done\":4000"),
        ("\"block\":4", "\"block\":0"),
        ("\"outputs\":2", "\"outputs\":3"),
        ("\"outputs\":2", "\"outputs\":0"),
        ("\"levels\":4", "\"levels\":3"),
        ("\"paths\":4", "\"paths\":0"),
    ] {
        assert!(text.contains(from), "{text}");
        let mut read: Run<Morris> = serde_json::from_str(&text.replace(from, to)).expect("it is JSON of that shape");
        assert!(read.advance(f, |_| ControlFlow::Continue(())).is_err(), "{from} as {to}");
        assert!(read.values().is_err());
    }
    assert!(matches!(run.values(), Err(GlobalError::Unfinished { done: 4, total: 20 })));
    assert!(run.in_blocks_of(8).is_err());
}

/// Outputs that a function forgets to write are not zeros.
#[test]
fn outputs_that_are_not_written_count_as_failed() {
    let mut run = Run::new(Saltelli::new(priors(), 8, 0), 2).expect("the plan is one");
    run.advance(|_, _| {}, |_| ControlFlow::Continue(())).expect("the plan is one");
    let error = run.indices(&Resampling::none()).expect_err("nothing was written");
    assert!(matches!(error, GlobalError::Failed { count: 48, total: 48, .. }), "{error}");
}
