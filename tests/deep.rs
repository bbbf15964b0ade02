//! Long chains, whose mass matrix has hardly a zero: its inverse, and solutions with it, come from sweeps along the tree, and
//! products are dense.

mod common;

use common::{assert_near, condition, deviation};
use gradyn::dynamics::{Workspace, aba_gradient, crba, minv};
use gradyn::joint::{Joint, Revolute};
use gradyn::model::{Model, ModelBuilder};
use gradyn::partials::{DerivativeWorkspace, Method, forward_dynamics_derivatives, rnea_derivatives};
use gradyn::spatial::Transform;
use gradyn_derivatives::Level;
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::with_level;
use nalgebra::{DMatrix, DVector};

/// Chains of `long` and of three hinges that hang from the world side by side.
fn chains(long: usize) -> Model {
    let mut rng = common::rng(long as u64);
    let mut builder = ModelBuilder::new("chains");
    for (chain, n) in [long, 3].into_iter().enumerate() {
        let mut parent = None;
        for k in 0..n {
            let (body, joint) = (format!("body {chain} {k}"), format!("joint {chain} {k}"));
            let place = Transform::new(common::rotation(&mut rng).rotation(), common::vector(&mut rng) * 0.2);
            let hinge: Joint = Revolute { axis: common::axis(&mut rng) }.into();
            let added = builder.add_body(parent, &body, &joint, place, hinge, common::inertia(&mut rng));
            parent = Some(added.expect("a link"));
        }
    }
    builder.build().expect("two chains")
}

/// So long that rows do not fill the last register, and columns not the last four.
const LENGTHS: [usize; 2] = [61, 80];

/// A thousand roundings, each as bad as M is conditioned.
fn tolerance(m: &DMatrix<f64>) -> f64 {
    1000.0 * f64::EPSILON * condition(m)
}

fn assert_apart(m: &DMatrix<f64>, long: usize, what: &str) {
    let apart = |(i, j): &(usize, usize)| (*i < long) != (*j < long);
    let entries = (0..m.nrows()).flat_map(|i| (0..m.ncols()).map(move |j| (i, j)));
    assert!(entries.filter(apart).all(|at| m[at] == 0.0), "{what}");
}

/// `M M⁻¹ = 1`; symmetric to the bit, and exactly zero between the chains.
#[test]
fn the_inverse_of_a_long_chains_mass_matrix_is_its_inverse() {
    for long in LENGTHS {
        let model = chains(long);
        let (q, ..) = common::state(&model, 1);
        for level in Level::available() {
            let what = format!("{long} hinges, {level}");
            let ws = &mut Workspace::<f64>::new(&model);
            let m = with_level(level, || crba(&model, ws, &q).expect("valid").clone());
            let inverse = with_level(level, || minv(&model, ws, &q).expect("regular").clone());
            assert_eq!(inverse, inverse.transpose(), "{what}");
            assert_apart(&inverse, long, &what);
            let one = DMatrix::<f64>::identity(model.nv(), model.nv());
            assert_near((&m * inverse).as_slice(), one.as_slice(), tolerance(&m), what);
        }
    }
}

/// `M ∂q̈/∂x = −∂τ/∂x` for configuration, velocity and wrenches, exactly zero between the chains.
#[test]
fn derivatives_of_a_long_chains_accelerations_solve_their_equation() {
    for long in LENGTHS {
        let model = chains(long);
        let ((q, v, tau), wrenches) = (common::state(&model, 2), common::wrenches(&model, 2));
        for level in Level::available() {
            let what = format!("{long} hinges, {level}");
            let (ws, inner) = (&mut DerivativeWorkspace::new(&model), &mut DerivativeWorkspace::new(&model));
            let method = Method::Analytical;
            let by = with_level(level, || {
                let by = forward_dynamics_derivatives(&model, ws, method, &q, &v, &tau, &wrenches).expect("regular");
                let first = by.clone();
                let again = forward_dynamics_derivatives(&model, ws, method, &q, &v, &tau, &wrenches);
                assert_eq!(&first, again.expect("regular"), "{what}");
                first
            });
            let torques = rnea_derivatives(&model, inner, method, &q, &v, by.ddq.as_slice(), &wrenches).expect("valid");
            let m = &torques.dtau_da;
            let pairs = [(&by.ddq_dq, &torques.dtau_dq), (&by.ddq_dv, &torques.dtau_dv)];
            for (ddq, dtau) in pairs.into_iter().chain(by.ddq_df_ext.iter().zip(&torques.dtau_df_ext)) {
                assert!(deviation(&(m * ddq), &-dtau) < tolerance(m), "{what}");
            }
            for matrix in [&by.ddq_dq, &by.ddq_dv, &by.ddq_dtau] {
                assert_apart(matrix, long, &what);
            }
        }
    }
}

/// The gradient of `λᵀ q̈` is `λᵀ` times the derivatives, by articulated bodies at every level, over dual numbers too.
#[test]
fn the_gradient_of_a_long_chains_accelerations_is_their_combination() {
    for long in LENGTHS {
        let model = chains(long);
        let ((q, v, tau), wrenches) = (common::state(&model, 3), common::wrenches(&model, 3));
        let (_, lambda, _) = common::state(&model, 4);
        let row = DVector::from_column_slice(&lambda);
        let ws = &mut DerivativeWorkspace::new(&model);
        let by =
            forward_dynamics_derivatives(&model, ws, Method::Analytical, &q, &v, &tau, &wrenches).expect("regular");
        let m = crba(&model, &mut Workspace::new(&model), &q).expect("valid").clone();
        let near = |found: [&[f64]; 3], df_ext: &[f64], what: &str| {
            for (found, matrix) in found.into_iter().zip([&by.ddq_dq, &by.ddq_dv, &by.ddq_dtau]) {
                assert_near(found, matrix.tr_mul(&row).as_slice(), tolerance(&m), what);
            }
            for (found, matrix) in df_ext.chunks_exact(6).zip(&by.ddq_df_ext) {
                assert_near(found, matrix.tr_mul(&row).as_slice(), tolerance(&m), what);
            }
        };
        for level in Level::available() {
            let ws = &mut Workspace::<f64>::new(&model);
            let by = with_level(level, || aba_gradient(&model, ws, &q, &v, &tau, &wrenches, &lambda));
            let by = by.expect("regular");
            near([by.dq, by.dv, by.dtau], by.df_ext, &format!("{long} hinges, {level}"));
        }
        let lift = common::lift::<Dual64>;
        let (q, v, tau, lambda) = (lift(&q), lift(&v), lift(&tau), lift(&lambda));
        let wrenches: Vec<_> = wrenches.iter().map(|w| w.lift::<Dual64>()).collect();
        let ws = &mut Workspace::new(&model);
        let by = aba_gradient(&model, ws, &q, &v, &tau, &wrenches, &lambda).expect("regular");
        let re = |x: &[Dual64]| x.iter().map(|x| x.re).collect::<Vec<_>>();
        near([&re(by.dq), &re(by.dv), &re(by.dtau)], &re(by.df_ext), &format!("{long} hinges, dual numbers"));
    }
}
