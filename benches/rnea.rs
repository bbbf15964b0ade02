//! Inverse dynamics and its derivatives. Ids: `algorithm/method/robot`; the method of values is their number type.
//!
//! Set-up stays outside the clock; states alternate, so that nothing is learnt by heart.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use gradyn::dynamics::{Workspace, rnea};
use gradyn::model::Model;
use gradyn::model::urdf::UrdfOptions;
use gradyn::partials::{DerivativeWorkspace, Method, rnea_derivatives};
use gradyn_derivatives::num_dual::{Derivative, DualSVec64};
use gradyn_derivatives::simd::{Kernel, Register, dispatch, with_level};
use gradyn_derivatives::{Level, Scalar, VectorDual};
use rand::{RngExt, SeedableRng};
use std::hint::black_box;
use std::path::Path;

const STATES: usize = 16;

struct State<T> {
    q: Vec<T>,
    v: Vec<T>,
    a: Vec<T>,
}

fn robot(file: &str, floating: bool) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots").join(file);
    let mut options = UrdfOptions::new();
    options.floating_base = floating;
    Model::from_urdf_file(path, &options).expect("a robot of this repository").model
}

fn states(model: &Model) -> Vec<State<f64>> {
    let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(1);
    let state = |_| {
        let q = model.random(&mut rng);
        let mut tangent = || (0..model.nv()).map(|_| rng.random_range(-1.0..1.0)).collect();
        State { q, v: tangent(), a: tangent() }
    };
    (0..STATES).map(state).collect()
}

/// RNEA over one scalar: what each costs.
fn over<T: Scalar>(c: &mut Criterion, model: &Model, scalar: &str, name: &str, seed: impl Fn(f64, usize) -> T) {
    let lift = |x: &[f64]| x.iter().enumerate().map(|(k, x)| seed(*x, k)).collect::<Vec<T>>();
    let states: Vec<State<T>> =
        states(model).iter().map(|s| State { q: lift(&s.q), v: lift(&s.v), a: lift(&s.a) }).collect();
    let mut ws = Workspace::<T>::new(model);
    let mut next = 0;
    c.bench_function(&format!("rnea/{scalar}/{name}"), |b| {
        b.iter(|| {
            next = (next + 1) % STATES;
            let s = black_box(&states[next]);
            black_box(rnea(model, &mut ws, &s.q, &s.v, &s.a, &[]).expect("sizes fit")[0]);
        });
    });
}

struct OverRegister<'a>(&'a mut Criterion, &'a Model, String, &'a str);

impl Kernel for OverRegister<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        over(self.0, self.1, &self.2, self.3, |x, k| VectorDual::<R>::variable(x, k % 8));
    }
}

fn num_dual8(x: f64, k: usize) -> DualSVec64<8> {
    let mut y = DualSVec64::<8>::from(x);
    let mut eps = [0.0; 8];
    eps[k % 8] = 1.0;
    y.eps = Derivative::some(eps.into());
    y
}

fn rnea_by_scalar(c: &mut Criterion) {
    let model = robot("panda.urdf", false);
    over(c, &model, "f64", "panda", |x, _| x);
    for level in Level::available() {
        with_level(level, || dispatch(OverRegister(c, &model, format!("dual8-{level}"), "panda")));
    }
    over(c, &model, "num_dual8", "panda", num_dual8);
    over(c, &robot("solo12.urdf", true), "f64", "solo12", |x, _| x);
    over(c, &robot("g1.urdf", true), "f64", "g1", |x, _| x);
}

fn derivatives_by_method(c: &mut Criterion) {
    let mut group = c.benchmark_group("rnea_derivatives");
    for (name, model) in [
        ("panda", robot("panda.urdf", false)),
        ("ur5", robot("ur5.urdf", false)),
        ("solo12", robot("solo12.urdf", true)),
        ("g1", robot("g1.urdf", true)),
    ] {
        let states = states(&model);
        for method in Method::ALL {
            if method == Method::Difference && name != "panda" {
                continue;
            }
            let mut ws = DerivativeWorkspace::new(&model);
            let mut next = 0;
            group.bench_function(BenchmarkId::new(method.name(), name), |b| {
                b.iter(|| {
                    next = (next + 1) % STATES;
                    let s = black_box(&states[next]);
                    let d = rnea_derivatives(&model, &mut ws, method, &s.q, &s.v, &s.a, &[]).expect("sizes fit");
                    black_box(d.dtau_dq[0]);
                });
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(2));
    targets = rnea_by_scalar, derivatives_by_method
}
criterion_main!(benches);
