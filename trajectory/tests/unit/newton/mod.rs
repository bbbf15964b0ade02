//! Parts of Newton's method by themselves.

#![expect(clippy::float_cmp, reason = "numbers that are copied, or exact products and sums, are the same to the bit")]

mod bounds;
mod condensed;
mod first_barrier;
mod restoration;
mod strategies;

use crate::solver::newton::inequalities::Inequalities;
use crate::solver::tests::{Random, limited};

/// The bounds, rows and cone of a node of [`limited`], strictly inside, off the central path, with values that are not
/// the slacks.
pub(super) fn rows(random: &mut Random, mu: f64) -> Inequalities {
    let problem = limited(2);
    let mut rows = Inequalities::new(&problem, 1);
    rows.take_bounds(&problem, 1);
    let (mut u, g) = (random.vector(7), random.vector(rows.s.len() - rows.controls.len()));
    rows.read(u.as_slice(), g.as_slice());
    rows.push_controls(u.as_mut_slice());
    rows.begin(mu);
    for i in 0..rows.s.len() {
        rows.g[i] += if i < rows.controls.len() { 0.0 } else { random.number(-0.1, 0.1) };
        for z in &mut rows.z {
            // Less of the side of a cone than of its axis, so that it stays inside.
            z[i] *= random.number(0.5, 2.0);
        }
    }
    for cone in rows.cones.iter().map(|cone| cone.rows.clone()) {
        let side = cone.clone().skip(1).map(|i| rows.z[0][i].powi(2)).sum::<f64>().sqrt();
        rows.z[0][cone.start] = 1.1 * side + mu * random.number(0.1, 1.0);
    }
    rows
}
