//! Second derivatives of inverse dynamics: closed form, dual numbers and differences agree, with what they must be.

mod common;

use common::{assert_near, lift, state, wrenches};
use gradyn::dynamics::{ExternalWrench, Tensor3, Workspace, rnea_second_derivatives, rnea_with};
use gradyn::model::Model;
use gradyn_derivatives::num_dual::Dual;
use gradyn_derivatives::{Dual8, Lanes, Real};

/// A second derivative: one direction outside, eight inside.
type Nested = Dual<Dual8>;

/// Trees of every kind of joint and robots, those that nested dual numbers get through in time.
fn models() -> Vec<(String, Model)> {
    common::models().into_iter().filter(|(_, model)| model.nv() <= 50).collect()
}

/// What the definition says: `d/dε d/dδ` of torques over nested dual numbers, ε in lanes, δ outside.
fn by_nested_duals(model: &Model, q: &[f64], v: &[f64], a: &[f64], wrenches: &[ExternalWrench]) -> [Tensor3; 4] {
    let nv = model.nv();
    let mut ws = Workspace::<Nested>::new(model);
    let wrenches: Vec<ExternalWrench<Nested>> = wrenches.iter().map(ExternalWrench::lift).collect();
    let mut tensors = [(); 4].map(|()| Tensor3::zeros([nv; 3]));
    let along = |k: usize, dot: Nested| -> Vec<Nested> {
        (0..nv).map(|i| if i == k { dot } else { Nested::zero() }).collect()
    };
    let outside = Nested::new(Dual8::from(0.0), Dual8::from(1.0));
    let (constant_v, constant_a) = (lift::<Nested>(v), lift::<Nested>(a));
    let sum = |x: &[Nested], dx: &[Nested]| x.iter().zip(dx).map(|(x, dx)| *x + *dx).collect::<Vec<_>>();
    for start in (0..nv).step_by(8) {
        let inside: Vec<Nested> = (0..nv)
            .map(|k| {
                let lane = if (start..start + 8).contains(&k) { k - start } else { 8 };
                Nested::from_re(Dual8::new(0.0.into(), Lanes::unit(lane)))
            })
            .collect();
        let q_k = model.integrate(&lift::<Nested>(q), &inside).expect("fits");
        let v_k = sum(&constant_v, &inside);
        for j in 0..nv {
            let e_j = along(j, outside);
            let q_kj = model.integrate(&q_k, &e_j).expect("fits");
            let q_j = model.integrate(&lift::<Nested>(q), &e_j).expect("fits");
            let (v_kj, a_j) = (sum(&v_k, &e_j), sum(&constant_a, &e_j));
            let states = [
                (&q_kj, &constant_v, &constant_a),
                (&q_j, &v_k, &constant_a),
                (&lift(q), &v_kj, &constant_a),
                (&q_k, &constant_v, &a_j),
            ];
            for (tensor, (q, v, a)) in tensors.iter_mut().zip(states) {
                let tau = rnea_with(model, &mut ws, q, v, a, &wrenches).expect("valid");
                for (i, tau) in tau.iter().enumerate() {
                    let lanes = tau.eps.eps.to_array();
                    for k in start..nv.min(start + 8) {
                        tensor[(i, j, k)] = lanes[k - start];
                    }
                }
            }
        }
    }
    tensors
}

/// The closed form is what nested dual numbers give, on trees of every joint and on robots, wrenches,
/// friction and mimic joints included.
#[test]
fn closed_form_is_what_nested_duals_give() {
    for (what, model) in models() {
        let ((q, v, a), f_ext) = (state(&model, 7), wrenches(&model, 7));
        let expected = by_nested_duals(&model, &q, &v, &a, &f_ext);
        let mut ws = Workspace::new(&model);
        let found = rnea_second_derivatives(&model, &mut ws, &q, &v, &a, &f_ext).expect("valid");
        for ((name, found), expected) in found.tensors().into_iter().zip(&expected) {
            // Rounding of sums over some ten bodies.
            assert_near(found.as_slice(), expected.as_slice(), 1e-12, format!("{what}: {name}"));
        }
    }
}
