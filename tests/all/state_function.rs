//! Any quantity's derivatives: by dual numbers, by differences, and as the algorithm's own call gives them.

use gradyn::dynamics::{Workspace, rnea};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{InputError, Model};
use gradyn::partials::{DerivativeWorkspace, Method, State, StateFunction, by_differences, by_duals, rnea_derivatives};
use gradyn_derivatives::Scalar;

/// Inverse dynamics as a quantity.
struct Torques;

impl StateFunction for Torques {
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
        out.copy_from_slice(rnea(model, ws, state.q, state.v, state.u, state.wrenches)?);
        Ok(())
    }
}

/// Both general methods give what the derivatives of inverse dynamics are, wrenches included, on trees of every joint.
#[test]
fn general_derivatives_are_those_of_inverse_dynamics() {
    for seed in 0..3 {
        let model = testing::tree_of_every_joint(seed);
        let ((q, v, a), wrenches) = (testing::state(&model, seed), testing::wrenches(&model, seed));
        let mut ws = DerivativeWorkspace::new(&model);
        let expected = rnea_derivatives(&model, &mut ws, Method::Dual, &q, &v, &a, &wrenches).expect("valid");
        let state = State { q: &q, v: &v, u: &a, wrenches: &wrenches };
        let duals = by_duals(&model, &Torques, state).expect("valid");
        let (differences, errors) = by_differences(&model, &Torques, state).expect("valid");
        // Rounding of torques of a few hundred, and of Ridders' table.
        for (found, tolerance) in [(&duals, 1e-12), (&differences, 1e-9)] {
            assert!(testing::deviation(&found.dq, &expected.dtau_dq) < tolerance, "dq");
            assert!(testing::deviation(&found.dv, &expected.dtau_dv) < tolerance, "dv");
            assert!(testing::deviation(&found.du, &expected.dtau_da) < tolerance, "du");
            for (found, expected) in found.df_ext.iter().zip(&expected.dtau_df_ext) {
                assert!(testing::deviation(found, expected) < tolerance, "df_ext");
            }
        }
        assert!(errors.dq.iter().all(|e| e.is_finite()));
    }
}

/// Slices that a quantity does not need may be empty; other wrong lengths are named.
#[test]
fn lengths_are_checked() {
    let model = testing::tree_of_every_joint(1);
    let (q, v, a) = testing::state(&model, 1);
    let error = by_duals(&model, &Torques, State { q: &q[1..], v: &v, u: &a, wrenches: &[] }).expect_err("short");
    assert!(error.to_string().contains("`q`"), "{error}");
    let error = by_duals(&model, &Torques, State { q: &q, v: &v, u: &a[1..], wrenches: &[] }).expect_err("short");
    assert!(error.to_string().contains("`u`"), "{error}");
}

/// The root of an angle, and a number that is none.
struct Roots;

impl StateFunction for Roots {
    fn outputs(&self, _model: &Model) -> usize {
        2
    }
    fn evaluate<T: Scalar>(
        &self,
        _model: &Model,
        _ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        out[0] = state.q[0];
        out[1] = state.q[1].sqrt();
        Ok(())
    }
}

/// Where a function has no derivative, or no value, both methods say so.
#[test]
fn derivatives_that_are_not_there_are_named() {
    let model = testing::robot("panda", &UrdfOptions::new());
    let mut q = [0.5; 7];
    let at = |q: &[f64]| {
        let state = State { q, v: &[], u: &[], wrenches: &[] };
        (by_duals(&model, &Roots, state), by_differences(&model, &Roots, state))
    };
    let (dual, difference) = at(&q);
    assert!(dual.is_ok() && difference.is_ok());
    q[1] = 0.0;
    let (dual, difference) = at(&q);
    assert!(matches!(dual, Err(InputError::NoDerivative { what: "dq", row: 1, .. })), "{dual:?}");
    assert!(difference.is_err());
    q[1] = -1.0;
    let (dual, difference) = at(&q);
    assert!(matches!(dual, Err(InputError::Overflow { what: "value", index: 1, .. })), "{dual:?}");
    assert!(difference.is_err());
}
