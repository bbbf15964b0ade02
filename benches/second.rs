//! Second derivatives and regressors. Ids: `algorithm/method/robot`; the method of values is their number type.

use criterion::{Criterion, criterion_group, criterion_main};
use gradyn::dynamics::{Workspace, torque_regressor};
use gradyn::model::Model;
use gradyn::model::urdf::UrdfOptions;
use gradyn::partials::{Method, SecondOrderWorkspace, aba_second_derivatives, rnea_second_derivatives};
use rand::{RngExt, SeedableRng};
use std::hint::black_box;
use std::path::Path;

fn robot(file: &str, floating: bool) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots").join(file);
    let options = UrdfOptions::new().floating_base(floating);
    Model::from_urdf_file(path, &options).expect("a robot of this repository").model
}

fn second(c: &mut Criterion) {
    for (name, file, floating) in [("panda", "panda.urdf", false), ("g1", "g1.urdf", true)] {
        let model = robot(file, floating);
        let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(1);
        let q = model.random(&mut rng);
        let mut tangent = || (0..model.nv()).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
        let (v, a) = (tangent(), tangent());
        let mut ws = SecondOrderWorkspace::new(&model);
        for method in [Method::Analytical, Method::Dual] {
            c.bench_function(&format!("rnea_second_derivatives/{method}/{name}"), |b| {
                b.iter(|| {
                    let second = rnea_second_derivatives(&model, &mut ws, method, black_box(&q), &v, &a, &[]);
                    second.expect("valid").d2tau_dqdq.as_slice()[0]
                });
            });
        }
        c.bench_function(&format!("aba_second_derivatives/analytical/{name}"), |b| {
            b.iter(|| {
                let method = Method::Analytical;
                let second = aba_second_derivatives(&model, &mut ws, method, black_box(&q), &v, &a, &[]);
                second.expect("valid").d2ddq_dqdq.as_slice()[0]
            });
        });
        let mut ws = Workspace::new(&model);
        c.bench_function(&format!("torque_regressor/f64/{name}"), |b| {
            b.iter(|| torque_regressor(&model, &mut ws, black_box(&q), &v, &a).expect("valid")[(0, 0)]);
        });
    }
}

criterion_group!(benches, second);
criterion_main!(benches);
