//! How many operations each algorithm takes, counted by a number type that counts; what the machine could do at most;
//! and what parts of inverse dynamics take.
//!
//! Prints JSON. The generic algorithms are counted, as they run over lanes and dual numbers; the forms over `f64` that
//! take eight joints at a time have about as many, and some to no use in lanes that are empty.

mod counted;
mod parts;
mod peak;

use counted::{Counted, counted};
use gradyn::dynamics::{self as dy, Workspace};
use gradyn::model::Model;
use gradyn::model::urdf::UrdfOptions;
use gradyn_derivatives::simd::{Level, dispatch};
use peak::Peak;
use std::hint::black_box;
use std::path::Path;

fn robot(name: &str, floating: bool) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots").join(format!("{name}.urdf"));
    let options = UrdfOptions::new().floating_base(floating);
    let model = Model::from_urdf_file(path, &options).expect("a robot of this repository").model;
    model.with_joint_friction(false)
}

/// A configuration and a velocity.
fn states(model: &Model) -> (Vec<f64>, Vec<f64>) {
    let v: Vec<f64> = (0..model.nv()).map(|k| 0.1 + 0.01 * k as f64).collect();
    (model.integrate(&model.neutral::<f64>(), &v).expect("fits"), v)
}

fn count(model: &Model) -> String {
    let (q, v) = states(model);
    let lift = |x: &[f64]| x.iter().map(|x| Counted(*x)).collect::<Vec<_>>();
    let (q, v) = (lift(&q), lift(&v));
    let (q, v, a) = (&q[..], &v[..], &v[..]);
    let ws = &mut Workspace::<Counted>::new(model);
    let mut x = v.to_vec();
    let all = [
        counted("forwardKinematics", || _ = black_box(dy::forward_kinematics(model, ws, q, v, a).expect("finite"))),
        counted("rnea", || _ = black_box(dy::rnea(model, ws, q, v, a, &[]).expect("finite"))),
        counted("crba", || _ = black_box(dy::crba(model, ws, q).expect("finite"))),
        counted("aba", || _ = black_box(dy::aba(model, ws, q, v, a, &[]).expect("finite"))),
        counted("computeMinverse", || _ = black_box(dy::minv(model, ws, q).expect("finite"))),
        counted("crba+cholesky", || _ = black_box(dy::factorize_mass_matrix(model, ws, q).expect("finite"))),
        counted("nonLinearEffects", || _ = black_box(dy::bias(model, ws, q, v, &[]).expect("finite"))),
        counted("computeGeneralizedGravity", || _ = black_box(dy::generalized_gravity(model, ws, q).expect("finite"))),
        counted("computeCoriolisMatrix", || _ = black_box(dy::coriolis_matrix(model, ws, q, v).expect("finite"))),
        counted("computeRNEADerivatives", || {
            _ = black_box(dy::rnea_derivatives(model, ws, q, v, a, &[]).expect("finite"));
        }),
        // Accelerations, factors of the mass matrix, derivatives of torques, and a solution for each of 3 nv columns.
        counted("computeABADerivatives", || {
            let ddq = dy::aba(model, ws, q, v, a, &[]).expect("finite").to_vec();
            _ = black_box(dy::rnea_derivatives(model, ws, q, v, &ddq, &[]).expect("finite"));
            let factors = dy::factorize_mass_matrix(model, ws, q).expect("finite");
            for _ in 0..3 * model.nv() {
                x.copy_from_slice(v);
                factors.solve(&mut x).expect("fits");
            }
        }),
        counted("ComputeRNEASecondOrderDerivatives", || {
            _ = black_box(dy::rnea_second_derivatives(model, ws, q, v, a, &[]).expect("finite"));
        }),
        counted("rnea_gradient", || _ = black_box(dy::rnea_gradient(model, ws, q, v, a, v, &[]).expect("finite"))),
        counted("aba_gradient", || _ = black_box(dy::aba_gradient(model, ws, q, v, a, v, &[]).expect("finite"))),
        counted("ccrba", || _ = black_box(dy::centroidal_momentum_matrix(model, ws, q).expect("finite"))),
        counted("dccrba", || _ = black_box(dy::centroidal(model, ws, q, v, a).expect("finite"))),
        counted("computeCentroidalDynamicsDerivatives", || {
            _ = black_box(dy::centroidal_derivatives(model, ws, q, v, a).expect("finite"));
        }),
        counted("jacobianCenterOfMass", || _ = black_box(dy::com_jacobian(model, ws, q, None).expect("finite"))),
        counted("computeMechanicalEnergy", || _ = black_box(dy::mechanical_energy(model, ws, q, v).expect("finite"))),
        counted("computeJointTorqueRegressor", || {
            _ = black_box(dy::torque_regressor(model, ws, q, v, a).expect("finite"));
        }),
    ];
    format!("{{{}}}", all.join(", "))
}

fn main() {
    let robots = [("panda", false), ("ur5", false), ("solo12", true), ("g1", true)];
    let robots = robots.map(|(name, floating)| (name, robot(name, floating)));
    let each = |of: fn(&Model) -> String| {
        let all = robots.each_ref().map(|(name, model)| format!(r#""{name}": {}"#, of(model)));
        format!("{{{}}}", all.join(", "))
    };
    let (level, peak) = (Level::active(), dispatch(Peak));
    println!(r#"{{"level": "{level}", "peak_flops_per_ns": {peak:.2}, "robots": {},"#, each(count));
    println!(r#""parts": {}, "chains": {}}}"#, each(parts::of_robot), parts::of_chains());
}
