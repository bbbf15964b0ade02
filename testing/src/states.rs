//! States of robots, and wrenches on them.

use crate::{rng, uniform, vector};
use gradyn::dynamics::ExternalWrench;
use gradyn::model::Model;
use gradyn::spatial::Force;

/// A random state: q within limits, v and a in ±1.
pub fn state(model: &Model, seed: u64) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let rng = &mut rng(seed.wrapping_add(1000));
    let q = model.random(rng);
    let mut tangent = || (0..model.nv()).map(|_| uniform(rng)).collect::<Vec<_>>();
    let v = tangent();
    (q, v, tangent())
}

/// A wrench of each kind on random bodies, and a second one on one of them.
pub fn wrenches(model: &Model, seed: u64) -> Vec<ExternalWrench> {
    let rng = &mut rng(seed.wrapping_add(2000));
    let n = model.bodies().len();
    let mut wrench = || Force::new(vector(rng) * 5.0, vector(rng) * 5.0);
    let at = |i: usize| model.body_id(i).expect("is there");
    vec![
        ExternalWrench::in_body(at(n - 1), wrench()),
        ExternalWrench::in_world(at(n / 2), wrench()),
        ExternalWrench::in_world(at(n - 1), wrench()),
        ExternalWrench::in_body(at(n / 3), wrench()),
    ]
}
