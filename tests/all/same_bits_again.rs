//! The same input gives the same bits, whatever was asked in between.

use gradyn::dynamics::{
    ExternalWrench, ReferenceFrame, Workspace, aba, aba_gradient, bias, coriolis_matrix, crba, factorize_mass_matrix,
    frame_wrench_regressor, generalized_gravity, kinematic_regressor, kinetic_energy_regressor, minv,
    potential_energy_regressor, rnea, rnea_gradient, static_torque, static_torque_regressor, torque_regressor,
};
use gradyn::model::Model;
use gradyn::partials::{
    DerivativeWorkspace, HessianWorkspace, Method, SecondOrderWorkspace, aba_derivatives, aba_hessian,
    aba_hessian_product, rnea_derivatives, rnea_hessian, rnea_hessian_product,
};
use testing::{SINGULAR, assert_same, models, state, wrenches};

type State = (Vec<f64>, Vec<f64>, Vec<f64>);
type Results = Vec<(String, Vec<f64>)>;

/// What does not solve with the mass matrix.
fn inverse(model: &Model, ws: &mut Workspace<f64>, (q, v, a): &State, f_ext: &[ExternalWrench]) -> Results {
    let mut all = Results::new();
    let mut add = |what: &str, x: &[f64]| all.push((what.to_owned(), x.to_vec()));
    add("rnea", rnea(model, ws, q, v, a, f_ext).expect("valid"));
    add("crba", crba(model, ws, q).expect("valid").as_slice());
    add("coriolis_matrix", coriolis_matrix(model, ws, q, v).expect("valid").as_slice());
    add("bias", bias(model, ws, q, v, f_ext).expect("valid"));
    add("generalized_gravity", generalized_gravity(model, ws, q).expect("valid"));
    add("static_torque", static_torque(model, ws, q, f_ext).expect("valid"));
    add("torque_regressor", torque_regressor(model, ws, q, v, a).expect("valid").as_slice());
    add("static_torque_regressor", static_torque_regressor(model, ws, q).expect("valid").as_slice());
    add("kinetic_energy_regressor", kinetic_energy_regressor(model, ws, q, v).expect("valid").as_slice());
    add("potential_energy_regressor", potential_energy_regressor(model, ws, q).expect("valid").as_slice());
    let last = model.body_id(model.bodies().len() - 1).expect("is there");
    add("frame_wrench_regressor", frame_wrench_regressor(model, ws, q, v, a, last).expect("valid").as_slice());
    let world = ReferenceFrame::World;
    add("kinematic_regressor", kinematic_regressor(model, ws, q, last, world).expect("valid").as_slice());
    let by = rnea_gradient(model, ws, q, v, a, v, f_ext).expect("valid");
    add("rnea_gradient", &[&[by.value], by.dq, by.dv, by.da, by.df_ext].concat());
    all
}

/// What does.
fn forward(model: &Model, ws: &mut Workspace<f64>, (q, v, tau): &State, f_ext: &[ExternalWrench]) -> Results {
    let mut all = Results::new();
    let mut add = |what: &str, x: &[f64]| all.push((what.to_owned(), x.to_vec()));
    add("aba", aba(model, ws, q, v, tau, f_ext).expect("valid"));
    add("minv", minv(model, ws, q).expect("valid").as_slice());
    let mut x = tau.clone();
    factorize_mass_matrix(model, ws, q).expect("valid").solve(&mut x).expect("fits");
    add("solve", &x);
    let by = aba_gradient(model, ws, q, v, tau, v, f_ext).expect("valid");
    add("aba_gradient", &[&[by.value], by.dq, by.dv, by.dtau, by.df_ext].concat());
    all
}

/// Derivatives; those of forward dynamics where it is defined.
fn derivatives(
    model: &Model,
    (first, hessian, second): (&mut DerivativeWorkspace, &mut HessianWorkspace, &mut SecondOrderWorkspace),
    (q, v, a): &State,
    f_ext: &[ExternalWrench],
    regular: bool,
) -> Results {
    let mut all = Results::new();
    for method in [Method::Analytical, Method::Dual] {
        let by = rnea_derivatives(model, first, method, q, v, a, f_ext).expect("valid");
        all.extend(
            by.matrices().map(|(what, m)| (format!("rnea_derivatives, {method}: {what}"), m.as_slice().to_vec())),
        );
        if regular {
            let by = aba_derivatives(model, first, method, q, v, a, f_ext).expect("valid");
            let name = |what| format!("aba_derivatives, {method}: {what}");
            all.extend(by.matrices().map(|(what, m)| (name(what), m.as_slice().to_vec())));
        }
    }
    let by = rnea_hessian(model, hessian, q, v, a, v, f_ext).expect("valid");
    for (what, m) in [("dqq", &by.dqq), ("dvq", &by.dvq), ("daq", &by.daq), ("dvv", &by.dvv)] {
        all.push((format!("rnea_hessian: {what}"), m.as_slice().to_vec()));
    }
    let by = rnea_hessian_product(model, hessian, q, v, a, v, a, v, a, f_ext).expect("valid");
    for (what, x) in [("dq", &by.dq), ("dv", &by.dv), ("da", &by.da)] {
        all.push((format!("rnea_hessian_product: {what}"), x.as_slice().to_vec()));
    }
    if regular {
        let by = aba_hessian(model, second, Method::Analytical, q, v, a, v, f_ext).expect("valid");
        for (what, m) in [("dqq", &by.dqq), ("dvq", &by.dvq), ("dvv", &by.dvv), ("dtauq", &by.dtauq)] {
            all.push((format!("aba_hessian: {what}"), m.as_slice().to_vec()));
        }
        let by = aba_hessian_product(model, second, q, v, a, v, a, v, a, f_ext).expect("valid");
        for x in [&by.dq, &by.dv, &by.dtau] {
            all.push(("aba_hessian_product".to_owned(), x.as_slice().to_vec()));
        }
    }
    all
}

/// At one state, at another, at the first again, with the same workspaces and with new ones.
#[test]
fn results_have_the_same_bits_each_time() {
    for (what, model) in models().into_iter().filter(|(_, model)| model.nv() > 0) {
        let regular = !SINGULAR.contains(&what.as_str());
        let mut ws = Workspace::new(&model);
        let (mut first, mut hessian) = (DerivativeWorkspace::new(&model), HessianWorkspace::new(&model));
        let mut second = SecondOrderWorkspace::new(&model);
        let mut at = |seed: u64| {
            let (state, f_ext) = (state(&model, seed), wrenches(&model, seed));
            let mut all = inverse(&model, &mut ws, &state, &f_ext);
            if regular {
                all.extend(forward(&model, &mut ws, &state, &f_ext));
            }
            if model.nv() <= 60 {
                let workspaces = (&mut first, &mut hessian, &mut second);
                all.extend(derivatives(&model, workspaces, &state, &f_ext, regular));
            }
            all
        };
        let (before, other, after) = (at(21), at(22), at(21));
        assert!(before != other, "{what}: states matter");
        for ((name, x), (_, y)) in before.iter().zip(&after) {
            assert_same(y, x, format!("{what}: {name}"));
        }
        let new = inverse(&model, &mut Workspace::new(&model), &state(&model, 21), &wrenches(&model, 21));
        for ((name, x), (_, y)) in before.iter().zip(&new) {
            assert_same(y, x, format!("{what}, another workspace: {name}"));
        }
    }
}
