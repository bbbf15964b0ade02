//! Derivatives of inverse dynamics: methods against each other, structure, levels.

mod common;

use common::{deviation, state, tree_of_every_joint};
use gradyn::dynamics::ExternalWrench;
use gradyn::partials::{DerivativeWorkspace, Method, rnea_derivatives};
use gradyn::spatial::Force;

/// Dual numbers give what differences converge to: every kind of joint, moving and not at the root, friction, armature,
/// mimic joints, wrenches of both kinds.
#[test]
fn dual_derivatives_are_what_differences_converge_to() {
    for seed in 0..8 {
        let model = tree_of_every_joint(seed);
        let (q, v, a) = state(&model, seed);
        let rng = &mut common::rng(seed);
        let mut wrench = || Force::new(common::vector(rng), common::vector(rng));
        let n = model.bodies().len();
        let at = |i: usize| model.body_id(i).expect("is there");
        let wrenches = [
            ExternalWrench::in_body(at(n - 1), wrench()),
            ExternalWrench::in_world(at(n / 2), wrench()),
            ExternalWrench::in_world(at(n - 1), wrench()),
        ];
        let mut ws = DerivativeWorkspace::new(&model);
        let dual = rnea_derivatives(&model, &mut ws, Method::Dual, &q, &v, &a, &wrenches).expect("runs").clone();
        let difference = rnea_derivatives(&model, &mut ws, Method::Difference, &q, &v, &a, &wrenches).expect("runs");
        for ((what, x), (_, y)) in dual.matrices().into_iter().zip(difference.matrices()) {
            // Ridders' method reaches 1e-12 of the torques' scale; torques are up to 100 times an entry.
            let d = deviation(x, y);
            assert!(d < 1e-9, "seed {seed}: {what} deviates by {d:e}");
        }
        for (k, (x, y)) in dual.dtau_df_ext.iter().zip(&difference.dtau_df_ext).enumerate() {
            let d = deviation(x, y);
            assert!(d < 1e-9, "seed {seed}: dtau_df_ext[{k}] deviates by {d:e}");
        }
    }
}
