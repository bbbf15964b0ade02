//! The form over `f64`, eight joints at a time, is the plain form.

mod common;

use gradyn::dynamics::{Workspace, rnea_with};
use gradyn::partials::{DerivativeWorkspace, Method, rnea_derivatives};
use gradyn_derivatives::Level;
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::with_level;

/// Torques over `f64` are those over dual numbers, which go through the plain form, at every level.
#[test]
fn torques_are_those_of_the_plain_form() {
    for (what, model) in common::models() {
        for seed in 0..3 {
            let ((q, v, a), wrenches) = (common::state(&model, seed), common::wrenches(&model, seed));
            let lifted: Vec<_> = wrenches.iter().map(|w| w.lift::<Dual64>()).collect();
            let lift = |x: &[f64]| common::lift::<Dual64>(x);
            let mut ws = Workspace::<Dual64>::new(&model);
            let plain = rnea_with(&model, &mut ws, &lift(&q), &lift(&v), &lift(&a), &lifted).expect("valid");
            let plain: Vec<f64> = plain.iter().map(|x| x.re).collect();
            for level in Level::available() {
                let mut ws = Workspace::<f64>::new(&model);
                let found =
                    with_level(level, || rnea_with(&model, &mut ws, &q, &v, &a, &wrenches).expect("valid").to_vec());
                // Sums in another order, about another point: some hundred roundings.
                common::assert_near(&found, &plain, 1e-12, format!("{what}, state {seed}, {level}"));
            }
        }
    }
}

/// Analytical derivatives are those by dual numbers, which know nothing of this form, at every level.
#[test]
fn derivatives_are_those_by_dual_numbers() {
    for (what, model) in common::models() {
        for seed in 0..2 {
            let ((q, v, a), wrenches) = (common::state(&model, seed), common::wrenches(&model, seed));
            let mut ws = DerivativeWorkspace::new(&model);
            let by = |ws: &mut DerivativeWorkspace, method| {
                rnea_derivatives(&model, ws, method, &q, &v, &a, &wrenches).expect("valid").clone()
            };
            let dual = by(&mut ws, Method::Dual);
            for level in Level::available() {
                let mut ws = DerivativeWorkspace::new(&model);
                let found = with_level(level, || by(&mut ws, Method::Analytical));
                let what = format!("{what}, state {seed}, {level}");
                // Some thousand roundings of numbers that grow along chains.
                common::assert_near(found.tau.as_slice(), dual.tau.as_slice(), 1e-12, format!("{what}: tau"));
                let wrenches = found.dtau_df_ext.iter().zip(&dual.dtau_df_ext).map(|(x, y)| ("dtau_df_ext", x, y));
                let matrices =
                    found.matrices().into_iter().zip(dual.matrices()).map(|((name, x), (_, y))| (name, x, y));
                for (name, x, y) in matrices.chain(wrenches) {
                    let off = common::deviation(x, y);
                    assert!(off < 1e-12, "{what}: {name} deviates by {off:e}");
                }
            }
        }
    }
}
