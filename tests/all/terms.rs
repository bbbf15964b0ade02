//! Derivatives of bias forces, gravity, static torque and `M a`; and which entries of all these can differ from zero.

use gradyn::dynamics::{self, Workspace, rnea};
use gradyn::joint::Revolute;
use gradyn::model::{BodyId, InputError, Model};
use gradyn::once;
use gradyn::partials::{
    DerivativeWorkspace, Method, SparsityPattern, State, StateFunction, bias_derivatives, by_duals,
    generalized_gravity_derivatives, mass_product_derivatives, rnea_derivatives, static_torque_derivatives,
};
use gradyn_derivatives::Scalar;
use nalgebra::{DMatrix, Vector3};
use testing::{assert_near, deviation, models, state, tree, unit, wrenches};

/// Matrices of one call.
type Found = Vec<(&'static str, DMatrix<f64>)>;

fn all(model: &Model, ws: &mut DerivativeWorkspace, method: Method, seed: u64) -> Found {
    let ((q, v, a), wrenches) = (state(model, seed), wrenches(model, seed));
    let mut found = Vec::new();
    let by = bias_derivatives(model, ws, method, &q, &v, &wrenches).expect("runs");
    let column = |x: &[f64]| DMatrix::from_column_slice(x.len(), 1, x);
    assert_eq!(by.errors.is_some(), method == Method::Difference);
    found.push(("c", column(by.bias.as_slice())));
    found.extend([("dc/dq", by.dbias_dq.clone()), ("dc/dv", by.dbias_dv.clone())]);
    found.extend(by.dbias_df_ext.iter().map(|m| ("dc/df", m.clone())));
    let by = generalized_gravity_derivatives(model, ws, method, &q).expect("runs");
    found.extend([("g", column(by.tau.as_slice())), ("dg/dq", by.dtau_dq.clone())]);
    assert!(by.dtau_df_ext.is_empty());
    let by = static_torque_derivatives(model, ws, method, &q, &wrenches).expect("runs");
    found.extend([("static", column(by.tau.as_slice())), ("dstatic/dq", by.dtau_dq.clone())]);
    found.extend(by.dtau_df_ext.iter().map(|m| ("dstatic/df", m.clone())));
    let by = mass_product_derivatives(model, ws, method, &q, &a).expect("runs");
    found.extend([("M a", column(by.product.as_slice())), ("d(M a)/dq", by.dproduct_dq.clone())]);
    found.push(("M", by.mass_matrix.clone()));
    found
}

/// Three methods, one result.
#[test]
fn methods_agree() {
    for (what, model) in models() {
        let mut ws = DerivativeWorkspace::new(&model);
        let analytical = all(&model, &mut ws, Method::Analytical, 1);
        let dual = all(&model, &mut ws, Method::Dual, 1);
        for ((name, x), (_, y)) in analytical.iter().zip(&dual) {
            // A few thousand roundings.
            let d = deviation(x, y);
            assert!(d < 1e-12, "{what}: {name} deviates by {d:e}");
        }
        let difference = all(&model, &mut ws, Method::Difference, 1);
        for ((name, x), (_, y)) in analytical.iter().zip(&difference) {
            // Ridders' method reaches 1e-12 of the torques' scale; torques are up to 100 times an entry.
            let d = deviation(x, y);
            assert!(d < 1e-9, "{what}: {name} deviates by {d:e} from differences");
        }
    }
}

/// Values are those of inverse dynamics with what is left out at zero; together they are the torques.
#[test]
fn values_are_the_parts_of_inverse_dynamics() {
    for (what, model) in models() {
        let ((q, v, a), zero) = (state(&model, 2), vec![0.0; model.nv()]);
        let mut ws = DerivativeWorkspace::new(&model);
        let tau = |v: &[f64], a: &[f64]| once::rnea(&model, &q, v, a, &[]).expect("runs");
        let weight = once::rnea(&model.clone().without_springs(), &q, &zero, &zero, &[]).expect("runs");
        for method in [Method::Analytical, Method::Dual] {
            let by = bias_derivatives(&model, &mut ws, method, &q, &v, &[]).expect("runs");
            let bias = by.bias.clone();
            assert_near(bias.as_slice(), &tau(&v, &zero), 1e-12, format!("{what}: c")); // sums in another order
            let by = generalized_gravity_derivatives(&model, &mut ws, method, &q).expect("runs");
            assert_near(by.tau.as_slice(), &weight, 1e-12, format!("{what}: g"));
            let by = mass_product_derivatives(&model, &mut ws, method, &q, &a).expect("runs");
            let sum = by.product + &bias;
            assert_near(sum.as_slice(), &tau(&v, &a), 1e-12, format!("{what}: M a + c"));
            let product = by.mass_matrix * nalgebra::DVector::from_column_slice(&a);
            assert_near(by.product.as_slice(), product.as_slice(), 1e-12, format!("{what}: M a"));
            // The functions that these are derivatives of.
            let (wrenches, mut plain) = (wrenches(&model, 2), Workspace::new(&model));
            let by = bias_derivatives(&model, &mut ws, method, &q, &v, &wrenches).expect("runs");
            let bias = dynamics::bias(&model, &mut plain, &q, &v, &wrenches).expect("runs");
            assert_near(by.bias.as_slice(), bias, 1e-12, format!("{what}: bias"));
            let by = static_torque_derivatives(&model, &mut ws, method, &q, &wrenches).expect("runs");
            let torque = dynamics::static_torque(&model, &mut plain, &q, &wrenches).expect("runs");
            assert_near(by.tau.as_slice(), torque, 1e-12, format!("{what}: static torque"));
            let by = generalized_gravity_derivatives(&model, &mut ws, method, &q).expect("runs");
            let gravity = dynamics::generalized_gravity(&model, &mut plain, &q).expect("runs");
            assert_near(by.tau.as_slice(), gravity, 1e-12, format!("{what}: gravity"));
        }
    }
}

/// `M(q) e_k` by an algorithm of its own: inverse dynamics over duals without gravity.
struct MassColumn(usize);

impl StateFunction for MassColumn {
    fn outputs(&self, model: &Model) -> usize {
        model.nv()
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let zero = vec![T::from(0.0); model.nv()];
        let e: Vec<T> = testing::lift(&unit(model.nv(), self.0));
        out.copy_from_slice(rnea(model, ws, state.q, &zero, &e, &[])?);
        Ok(())
    }
}

/// `∂(M a)/∂q` is the sum of the derivatives of the mass matrix's columns.
#[test]
fn derivative_of_the_product_is_that_of_the_matrix() {
    for (what, model) in models() {
        let (q, _, a) = state(&model, 3);
        let floating = model.clone().with_gravity(Vector3::zeros()).without_springs();
        let mut sum = DMatrix::zeros(model.nv(), model.nv());
        for (k, a) in a.iter().enumerate() {
            let at = State { q: &q, v: &[], u: &[], wrenches: &[] };
            sum += by_duals(&floating, &MassColumn(k), at).expect("runs").dq * *a;
        }
        let mut ws = DerivativeWorkspace::new(&model);
        let by = mass_product_derivatives(&model, &mut ws, Method::Analytical, &q, &a).expect("runs");
        let d = deviation(by.dproduct_dq, &sum);
        assert!(d < 1e-12, "{what}: deviates by {d:e}");
    }
}

/// The matrix with its entries at the pattern's places put back, and zero elsewhere.
fn rebuilt(pattern: &SparsityPattern, matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let mut m = DMatrix::zeros(pattern.rows(), pattern.columns());
    let values = pattern.values(matrix).expect("the shape fits");
    for (place, x) in pattern.coordinates().zip(&values) {
        m[place] = *x;
    }
    // The compressed form says the same.
    for j in 0..pattern.columns() {
        let range = pattern.column_starts()[j]..pattern.column_starts()[j + 1];
        for (i, x) in pattern.row_indices()[range.clone()].iter().zip(&values[range]) {
            assert!(m[(*i, j)].to_bits() == x.to_bits() && pattern.contains(*i, j));
        }
    }
    m
}

/// Outside the pattern every matrix is exactly zero, by every method.
#[test]
fn nothing_is_outside_the_pattern() {
    for (what, model) in models() {
        let pattern = SparsityPattern::torques(&model);
        let ((q, v, a), wrenches) = (state(&model, 4), wrenches(&model, 4));
        let mut ws = DerivativeWorkspace::new(&model);
        for method in Method::ALL {
            let by = rnea_derivatives(&model, &mut ws, method, &q, &v, &a, &wrenches).expect("runs");
            for (name, m) in by.matrices() {
                assert_eq!(&rebuilt(&pattern, m), m, "{what}, {method}: {name}");
            }
            for (w, m) in wrenches.iter().zip(&by.dtau_df_ext) {
                assert_eq!(&rebuilt(&SparsityPattern::wrench(&model, w.body), m), m, "{what}, {method}: dtau_df_ext");
            }
        }
        let lower = SparsityPattern::torques_lower(&model);
        assert_eq!(2 * lower.nonzeros(), pattern.nonzeros() + model.nv(), "{what}: symmetric, with its diagonal");
        assert!(lower.coordinates().all(|(i, j)| i >= j && pattern.contains(i, j) && pattern.contains(j, i)));
    }
}

/// Inside it, where axes are skew and wrenches stand still in the world, nothing is zero by accident.
#[test]
fn nothing_inside_the_pattern_is_zero() {
    let (mut dense, mut all) = (0, 0);
    for seed in 0..6 {
        let rng = &mut testing::rng(seed + 50);
        let joints = (0..12).map(|_| Revolute { axis: testing::axis(rng) }.into()).collect();
        let model = tree(seed, joints);
        let pattern = SparsityPattern::torques(&model);
        let ((q, v, a), wrenches) = (state(&model, seed), wrenches(&model, seed));
        let mut ws = DerivativeWorkspace::new(&model);
        let by = rnea_derivatives(&model, &mut ws, Method::Analytical, &q, &v, &a, &wrenches).expect("runs");
        for (place @ (i, j), (name, m)) in pattern.coordinates().flat_map(|p| by.matrices().map(|m| (p, m))) {
            // A lone link turning about a fixed axis has no Coriolis force.
            let root = |dof: usize| model.bodies().iter().any(|b| b.parent().is_none() && b.v_range().contains(&dof));
            if name == "dtau_dv" && i == j && root(i) {
                continue;
            }
            assert!(m[place] != 0.0, "tree {seed}: {name}[{i}, {j}] is zero");
        }
        for (w, m) in wrenches.iter().zip(&by.dtau_df_ext) {
            let pattern = SparsityPattern::wrench(&model, w.body);
            assert!(pattern.coordinates().all(|place| m[place] != 0.0), "tree {seed}: dtau_df_ext");
        }
        (dense, all) = (dense + pattern.nonzeros(), all + model.nv() * model.nv());
    }
    assert!(dense < all, "the trees branch");
}

/// Shapes are checked; a body that is not there carries nothing.
#[test]
fn wrong_shapes_are_named() {
    let model = testing::tree_of(5, 2);
    let pattern = SparsityPattern::torques(&model);
    let nv = model.nv();
    let error = pattern.values(&DMatrix::zeros(nv, nv + 1)).expect_err("too wide");
    let (what, size) = ("columns of the matrix", "sparsity pattern");
    assert_eq!(error, InputError::Length { what, size, expected: nv, found: nv + 1 });
    let error = pattern.values_into(&DMatrix::zeros(nv, nv), &mut []).expect_err("too short");
    assert!(matches!(error, InputError::Length { what: "values", .. }), "{error}");
    assert!(!pattern.contains(0, nv) && !pattern.contains(nv, 0));
    let foreign: BodyId = testing::tree_of(30, 1).body_id(29).expect("is there");
    assert_eq!(SparsityPattern::wrench(&model, foreign).nonzeros(), 0);
    let mut ws = DerivativeWorkspace::new(&testing::tree_of(9, 3));
    let (q, v, a) = state(&model, 0);
    let error = bias_derivatives(&model, &mut ws, Method::Analytical, &q, &v, &[]).expect_err("another model's");
    assert!(matches!(error, InputError::Workspace { .. }), "{error}");
    let error = mass_product_derivatives(&model, &mut ws, Method::Analytical, &q, &a).expect_err("another model's");
    assert!(matches!(error, InputError::Workspace { .. }), "{error}");
    let mut ws = DerivativeWorkspace::new(&model);
    let error = mass_product_derivatives(&model, &mut ws, Method::Analytical, &q, &a[1..]).expect_err("short");
    assert!(matches!(error, InputError::Length { what: "a", .. }), "{error}");
}
