//! Mass matrix, its factors and inverse, forward dynamics and its derivatives, bias terms, and batches of states. Ids:
//! `algorithm/method/robot`; the method of values is their number type, or `batch`.
//!
//! Set-up stays outside the clock; states alternate, so that nothing is learnt by heart. Inverse dynamics of one state
//! is in `rnea.rs`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gradyn::batch::{Batch, BatchDerivatives, BatchGradient};
use gradyn::dynamics::{Workspace, aba, coriolis_matrix, crba, factorize_mass_matrix, generalized_gravity, minv};
use gradyn::model::Model;
use gradyn::model::urdf::UrdfOptions;
use gradyn::partials::{DerivativeWorkspace, Method, aba_derivatives};
use rand::{RngExt, SeedableRng};
use std::hint::black_box;
use std::path::Path;

const STATES: usize = 16;

fn robot(file: &str, floating: bool) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots").join(file);
    let options = UrdfOptions::new().floating_base(floating);
    Model::from_urdf_file(path, &options).expect("a robot of this repository").model
}

/// q, v and torques.
fn states(model: &Model) -> Vec<[Vec<f64>; 3]> {
    let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(1);
    let state = |_| {
        let q = model.random(&mut rng);
        let mut tangent = || (0..model.nv()).map(|_| rng.random_range(-1.0..1.0)).collect();
        [q, tangent(), tangent()]
    };
    (0..STATES).map(state).collect()
}

fn each(c: &mut Criterion, id: &str, states: &[[Vec<f64>; 3]], mut run: impl FnMut(&[f64], &[f64], &[f64]) -> f64) {
    let mut next = 0;
    c.bench_function(id, |b| {
        b.iter(|| {
            next = (next + 1) % STATES;
            let [q, v, tau] = black_box(&states[next]);
            black_box(run(q, v, tau))
        });
    });
}

fn all(c: &mut Criterion) {
    for (name, file, floating) in
        [("panda", "panda.urdf", false), ("solo12", "solo12.urdf", true), ("g1", "g1.urdf", true)]
    {
        let model = robot(file, floating);
        let (states, ws) = (states(&model), &mut Workspace::<f64>::new(&model));
        let id =
            |what: &str| format!("{what}/{}/{name}", if what.ends_with("derivatives") { "analytical" } else { "f64" });
        each(c, &id("crba"), &states, |q, _, _| crba(&model, ws, q).expect("runs")[0]);
        each(c, &id("minv"), &states, |q, _, _| minv(&model, ws, q).expect("runs")[0]);
        each(c, &id("aba"), &states, |q, v, tau| aba(&model, ws, q, v, tau, &[]).expect("runs")[0]);
        each(c, &id("coriolis_matrix"), &states, |q, v, _| coriolis_matrix(&model, ws, q, v).expect("runs")[0]);
        each(c, &id("generalized_gravity"), &states, |q, _, _| generalized_gravity(&model, ws, q).expect("runs")[0]);
        let mut x = vec![0.0; model.nv()];
        each(c, &id("factorize_and_solve"), &states, |q, v, _| {
            x.copy_from_slice(v);
            factorize_mass_matrix(&model, ws, q).expect("runs").solve(&mut x).expect("fits");
            x[0]
        });
        let ws = &mut DerivativeWorkspace::new(&model);
        each(c, &id("aba_derivatives"), &states, |q, v, tau| {
            aba_derivatives(&model, ws, Method::Analytical, q, v, tau, &[]).expect("runs").ddq_dq[0]
        });
        batches(c, &model, &states, name);
    }
}

/// 128 states at a time on one thread.
fn batches(c: &mut Criterion, model: &Model, states: &[[Vec<f64>; 3]], name: &str) {
    const N: usize = 128;
    let array = |k: usize| (0..N).flat_map(|s| states[s % STATES][k].iter().copied()).collect::<Vec<f64>>();
    let [q, v, a] = [0, 1, 2].map(array);
    let vector = || vec![0.0; N * model.nv()];
    let matrix = || vec![0.0; N * model.nv() * model.nv()];
    let (mut x, mut y, mut z, mut value) = (vector(), vector(), vector(), vec![0.0; N]);
    let (mut dq, mut dv, mut da) = (matrix(), matrix(), matrix());
    let mut batch = Batch::with_threads(model, 1);
    let mut time = |algorithm: &str, run: &mut dyn FnMut(&mut Batch) -> bool| {
        let mut group = c.benchmark_group(algorithm);
        group.throughput(Throughput::Elements(N as u64));
        group.bench_function(BenchmarkId::new("batch", name), |b| b.iter(|| assert!(run(&mut batch))));
    };
    time("rnea", &mut |batch| batch.rnea(model, black_box(&q), &v, &a, &mut x).expect("fits").all());
    time("aba", &mut |batch| batch.aba(model, black_box(&q), &v, &a, &mut x).expect("fits").all());
    time("crba", &mut |batch| batch.crba(model, black_box(&q), &mut da).expect("fits").all());
    time("rnea_derivatives", &mut |batch| {
        let to = BatchDerivatives { tau: &mut x, dtau_dq: &mut dq, dtau_dv: &mut dv, dtau_da: &mut da };
        batch.rnea_derivatives(model, black_box(&q), &v, &a, to).expect("fits").all()
    });
    time("rnea_gradient", &mut |batch| {
        let to = BatchGradient { value: &mut value, dq: &mut x, dv: &mut y, da: &mut z };
        batch.rnea_gradient(model, black_box(&q), &v, &a, &a, to).expect("fits").all()
    });
}

criterion_group!(benches, all);
criterion_main!(benches);
