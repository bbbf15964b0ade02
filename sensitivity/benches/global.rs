//! What sampling and analysis cost beside the function: Sobol indices of one output by 70 parameters from 73 728
//! samples.
//!
//! `cargo bench -p gradyn-sensitivity --bench global`. Each line is the median of 21 runs.

use gradyn_sensitivity::global::{Run, Saltelli};
use gradyn_sensitivity::{Prior, Resampling};
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

const PARAMETERS: usize = 70;
const ROWS: usize = 1024;

/// Cheap: one product a parameter.
fn weighted_sum(x: &[f64], y: &mut [f64]) {
    for (x, y) in x.chunks_exact(PARAMETERS).zip(y) {
        *y = x.iter().enumerate().map(|(i, x)| i as f64 * x).sum();
    }
}

fn median(name: &str, mut f: impl FnMut()) {
    let mut times: Vec<f64> = (0..21)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{name}: {:.2} ms", 1e3 * times[times.len() / 2]);
}

fn evaluated(priors: &[Prior]) -> Run<Saltelli> {
    let plan = Saltelli::new(priors.to_vec(), ROWS, 1);
    let mut run = Run::new(plan, 1).expect("the plan is one");
    run.advance(weighted_sum, |_| ControlFlow::Continue(())).expect("the plan is one");
    run
}

fn main() {
    for (name, prior) in
        [("uniform", Prior::Uniform { low: 0.0, high: 1.0 }), ("normal", Prior::Normal { mean: 0.0, sd: 1.0 })]
    {
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let priors = vec![prior; PARAMETERS];
                let run = evaluated(&priors);
                let label = format!("{name}/{threads} threads");
                median(&format!("sampling and evaluation/{label}"), || {
                    black_box(evaluated(&priors));
                });
                for resampling in [Resampling::none(), Resampling::default()] {
                    median(&format!("analysis, {} resamples/{label}", resampling.times), || {
                        black_box(run.indices(&resampling)).expect("outputs are finite");
                    });
                }
            });
        }
    }
}
