//! The form over `f64`, eight joints at a time, is the plain form.

mod common;

use gradyn::dynamics::{Workspace, rnea_with};
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
                let found = with_level(level, || {
                    rnea_with(&model, &mut ws, &q, &v, &a, &wrenches).expect("valid").to_vec()
                });
                let kinds: Vec<_> = model.bodies().iter().take(3).map(|b| (b.joint().kind(), b.parent(), b.joint())).collect();
                // Sums in another order, about another point: some hundred roundings.
                common::assert_near(&found, &plain, 1e-12, format!("{what}, state {seed}, {level}: {kinds:?}"));
            }
        }
    }
}
