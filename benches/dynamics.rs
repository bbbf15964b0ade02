//! Mass matrix, its factors and inverse, forward dynamics and its derivatives, bias terms. Ids: `algorithm/method/robot`; the
//! method of values is their number type.
//!
//! Set-up stays outside the clock; states alternate, so that nothing is learnt by heart.

use criterion::{Criterion, criterion_group, criterion_main};
use gradyn::dynamics::{Workspace, aba, coriolis_matrix, crba, factorize_mass_matrix, generalized_gravity, minv, rnea};
use gradyn::model::Model;
use gradyn::model::urdf::UrdfOptions;
use gradyn::partials::{DerivativeWorkspace, Method, forward_dynamics_derivatives, rnea_derivatives};
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
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
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
        each(c, &id("rnea"), &states, |q, v, a| rnea(&model, ws, q, v, a).expect("runs")[0]);
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
        each(c, &id("rnea_derivatives"), &states, |q, v, a| {
            rnea_derivatives(&model, ws, Method::Analytical, q, v, a, &[]).expect("runs").dtau_dq[0]
        });
        each(c, &id("forward_dynamics_derivatives"), &states, |q, v, tau| {
            forward_dynamics_derivatives(&model, ws, Method::Analytical, q, v, tau, &[]).expect("runs").ddq_dq[0]
        });
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
