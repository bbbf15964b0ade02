//! Every number that MuJoCo 4.0.0 wrote for a robot with springs (`tests/golden/mujoco`).

use gradyn::joint::{Axis, Composite, Joint, Prismatic, Revolute};
use gradyn::model::{BodyKey, Model, ModelBuilder};
use gradyn::once;
use gradyn::partials::{DerivativeWorkspace, Method, aba_derivatives, rnea_derivatives};
use gradyn::spatial::{Inertia, Quaternion, Symmetric3, Transform};
use nalgebra::{DMatrix, Vector3};
use serde_json::Value;
use testing::{assert_close, assert_near, path};

/// As MJCF has them: w first; xx yy zz xy xz yz.
fn placement(p: [f64; 3], [w, x, y, z]: [f64; 4]) -> Transform<f64> {
    Transform::new(Quaternion::from_array([x, y, z, w]).rotation(), p.into())
}

fn inertia(com: [f64; 3], mass: f64, [xx, yy, zz, xy, xz, yz]: [f64; 6]) -> Inertia<f64> {
    Inertia::new(mass, com.into(), Symmetric3::new(xx, xy, xz, yy, yz, zz))
}

/// A body, and stiffness, reference, armature and damping of its joint.
fn add(
    builder: &mut ModelBuilder,
    (parent, name): (Option<BodyKey>, &str),
    placement: Transform<f64>,
    joint: Joint,
    inertia: Inertia<f64>,
    [stiffness, reference, armature, damping]: [&[f64]; 4],
) -> BodyKey {
    let key = builder.add_body(parent, name, format!("joint of {name}"), placement, joint, inertia).expect("fits");
    builder.set_stiffness(key, stiffness).expect("fits").set_spring_reference(key, reference).expect("fits");
    builder.set_armature(key, armature).expect("fits").set_damping(key, damping).expect("fits");
    key
}

/// The robot of `generate.py`.
fn model() -> Model {
    let axis = |x, y, z| Axis::Any(Vector3::new(x, y, z));
    let mut builder = ModelBuilder::new("springs");
    builder.set_gravity(Vector3::new(0.3, -0.5, -9.6));
    let cart = add(
        &mut builder,
        (None, "cart"),
        placement([0.1, -0.2, 0.3], [1.0, 0.0, 0.0, 0.0]),
        Prismatic { axis: axis(0.6, 0.0, 0.8) }.into(),
        inertia([0.05, 0.02, -0.03], 1.5, [0.02, 0.03, 0.025, 0.001, -0.002, 0.003]),
        [&[35.0], &[-0.2], &[0.4], &[0.7]],
    );
    let upper = add(
        &mut builder,
        (Some(cart), "upper"),
        placement([0.2, 0.1, 0.05], [0.8, 0.0, 0.6, 0.0]),
        Revolute { axis: axis(0.0, 0.8, 0.6) }.into(),
        inertia([0.1, 0.03, 0.2], 0.9, [0.012, 0.015, 0.008, 0.0005, 0.001, -0.0004]),
        [&[12.0], &[0.4], &[0.0], &[0.2]],
    );
    let wrist = [Revolute { axis: Axis::X }, Revolute { axis: axis(0.0, 0.6, 0.8) }];
    add(
        &mut builder,
        (Some(upper), "fore"),
        placement([0.05, -0.1, 0.4], [1.0, 0.0, 0.0, 0.0]),
        Composite::new(wrist.map(Into::into)).into(),
        inertia([0.02, 0.01, 0.15], 0.5, [0.004, 0.005, 0.003, 0.0002, 0.0001, -0.0003]),
        [&[3.5, 7.0], &[0.0, -0.9], &[0.03, 0.02], &[0.0, 0.1]],
    );
    add(
        &mut builder,
        (Some(upper), "fin"),
        placement([-0.1, 0.2, 0.1], [0.6, 0.8, 0.0, 0.0]),
        Revolute { axis: Axis::Z }.into(),
        inertia([0.0, 0.1, 0.02], 0.2, [0.001, 0.0012, 0.0009, 0.0, 0.0, 0.0]),
        [&[1.2], &[1.5], &[0.0], &[0.0]],
    );
    builder.build().expect("builds")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("is a list").iter().map(|x| x.as_f64().expect("is a number")).collect()
}

fn matrix(value: &Value) -> DMatrix<f64> {
    let rows: Vec<_> = value.as_array().expect("is a list").iter().map(numbers).collect();
    DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

#[test]
fn springs_are_those_of_mujoco() {
    let text = std::fs::read_to_string(path("tests/golden/mujoco/springs.json")).expect("is readable");
    let content: Value = serde_json::from_str(&text).expect("is JSON");
    let model = model();
    let states = content["states"].as_array().expect("is a list");
    assert_eq!((states.len(), model.nv()), (4, 5));
    for (k, at) in states.iter().enumerate() {
        let [q, v, a, tau] = ["q", "v", "a", "tau"].map(|name| numbers(&at[name]));
        let energy = at["potential_energy"].as_f64().expect("is a number");
        // Two programs that sum in another order.
        assert_close(once::potential_energy(&model, &q).expect("runs"), energy, 1e-12, 1.0 + energy.abs(), k);
        assert_near(&once::rnea(&model, &q, &v, &a, &[]).expect("runs"), &numbers(&at["inverse"]), 1e-12, k);
        // And through a mass matrix of condition 1e2.
        assert_near(&once::aba(&model, &q, &v, &tau, &[]).expect("runs"), &numbers(&at["forward"]), 1e-11, k);
        for method in Method::ALL {
            let mut ws = DerivativeWorkspace::new(&model);
            let near = |found: &DMatrix<f64>, name: &str| {
                // Differences with errors of 0.005⁶ and of 1e-16 over 0.005, of torques of up to 50 and accelerations of up to 1e3.
                assert_near(
                    found.as_slice(),
                    matrix(&at[name]).as_slice(),
                    1e-8,
                    format!("state {k}, {method}: {name}"),
                );
            };
            let by = rnea_derivatives(&model, &mut ws, method, &q, &v, &a, &[]).expect("runs");
            near(&by.dtau_dq, "inverse_dq");
            near(&by.dtau_dv, "inverse_dv");
            let by = aba_derivatives(&model, &mut ws, method, &q, &v, &tau, &[]).expect("runs");
            near(&by.ddq_dq, "forward_dq");
            near(&by.ddq_dv, "forward_dv");
        }
    }
}
