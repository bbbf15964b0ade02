//! Calls one function of one robot so many times, to have its instructions counted: `instructions.py` does it.
//!
//!     instructions FUNCTION ROBOT CALLS

use gradyn::batch::{Batch, BatchDerivatives};
use gradyn::dynamics::{Constraint, Workspace, aba, coriolis_matrix, crba, minv, rnea, rnea_gradient};
use gradyn::model::Model;
use gradyn::model::urdf::UrdfOptions;
use gradyn::partials::{
    DerivativeWorkspace, Method, SecondOrderWorkspace, aba_derivatives, constraint_dynamics_derivatives,
    rnea_derivatives, rnea_second_derivatives,
};
use gradyn_derivatives::Dual8;
use nalgebra::Vector3;
use std::hint::black_box;
use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|x| !x.starts_with("--")).collect();
    let [function, robot, calls] = &arguments[..] else {
        // `cargo bench` runs all benches without arguments of theirs.
        println!("instructions FUNCTION ROBOT CALLS; see benches/instructions.py");
        return;
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots").join(format!("{robot}.urdf"));
    let options = UrdfOptions::new().floating_base(robot != "panda");
    let model = Model::from_urdf_file(path, &options).expect("a robot of this repository").model;
    run(&model, function, calls.parse().expect("a number"));
}

/// The same state each time: fixed, and with every joint moving.
fn run(model: &Model, function: &str, calls: usize) {
    let nv = model.nv();
    let number = |k: usize| ((k * 7 + 3) % 11) as f64 / 11.0 - 0.4;
    let v: Vec<f64> = (0..nv).map(number).collect();
    let q = model.integrate(&model.neutral::<f64>(), &v).expect("fits");
    let (v, a, tau) = (&v[..], &v[..], &v[..]);
    let ws = &mut Workspace::<f64>::new(model);
    let dws = &mut DerivativeWorkspace::new(model);
    let mut sws = SecondOrderWorkspace::new(model);
    let batch = &mut Batch::with_threads(model, 1);
    let held: Vec<Constraint> = ["FL_FOOT", "HR_FOOT"]
        .iter()
        .filter_map(|name| model.frames()[model.find_frame(name)?.index()].body())
        .map(|foot| Constraint::contact(foot, Vector3::new(0.0, 0.0, -0.16), Vector3::zeros()))
        .collect();
    let array = |x: &[f64]| x.repeat(8);
    let (q8, v8) = (array(&q), array(v));
    let eight = |x: &[f64]| x.iter().enumerate().map(|(k, x)| Dual8::variable(*x, k % 8)).collect::<Vec<_>>();
    let (q8d, v8d, ws8) = (&eight(&q)[..], &eight(v)[..], &mut Workspace::<Dual8>::new(model));
    let (mut tau8, mut m) = (vec![0.0; 8 * nv], [0; 3].map(|_| vec![0.0; 8 * nv * nv]));
    for _ in 0..calls {
        let q = black_box(&q[..]);
        match function {
            "rnea" => black_box(rnea(model, ws, q, v, a, &[]).expect("finite")[0]),
            "rnea/dual8" => black_box(rnea(model, ws8, q8d, v8d, v8d, &[]).expect("finite")[0].value()),
            "crba" => black_box(crba(model, ws, q).expect("finite")[0]),
            "aba" => black_box(aba(model, ws, q, v, tau, &[]).expect("finite")[0]),
            "minv" => black_box(minv(model, ws, q).expect("finite")[0]),
            "coriolis_matrix" => black_box(coriolis_matrix(model, ws, q, v).expect("finite")[0]),
            "rnea_gradient" => black_box(rnea_gradient(model, ws, q, v, a, tau, &[]).expect("finite").value),
            "rnea_derivatives" | "rnea_derivatives/dual" => {
                let method = if function.ends_with("dual") { Method::Dual } else { Method::Analytical };
                black_box(rnea_derivatives(model, dws, method, q, v, a, &[]).expect("finite").tau[0])
            }
            "aba_derivatives" => {
                let by = aba_derivatives(model, dws, Method::Analytical, q, v, tau, &[]);
                black_box(by.expect("finite").ddq[0])
            }
            "constraint_dynamics_derivatives" => {
                let by = constraint_dynamics_derivatives(model, dws, Method::Analytical, q, v, tau, &held, &[]);
                black_box(by.expect("finite").ddq[0])
            }
            "rnea_second_derivatives" => {
                let by = rnea_second_derivatives(model, &mut sws, Method::Analytical, q, v, a, &[]);
                black_box(by.expect("finite").d2tau_dqdq.as_slice()[0])
            }
            "batch/rnea" => {
                batch.rnea(model, black_box(&q8), &v8, &v8, &mut tau8).expect("fits");
                black_box(tau8[0])
            }
            "batch/rnea_derivatives" => {
                let [dtau_dq, dtau_dv, dtau_da] = &mut m;
                let to = BatchDerivatives { tau: &mut tau8, dtau_dq, dtau_dv, dtau_da };
                batch.rnea_derivatives(model, black_box(&q8), &v8, &v8, to).expect("fits");
                black_box(m[0][0])
            }
            _ => panic!("unknown function {function}"),
        };
    }
}
