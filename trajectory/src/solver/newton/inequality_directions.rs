//! Directions of slacks and multipliers.

use super::cones::ConePoint;
use super::elastic::Elastic;
use super::inequalities::Inequalities;
use crate::quadratic::Quadratic;
use crate::solver::condense::row_dot;
use nalgebra::DVector;

impl Inequalities {
    /// `δs` and `δz` of a step; `more`: what a correction adds to `g − s`.
    pub(super) fn directions(
        &mut self,
        node: &Quadratic,
        dx: &DVector<f64>,
        du: &DVector<f64>,
        mu: f64,
        more: Option<&[f64]>,
    ) {
        let n = self.controls.len();
        for i in 0..self.s.len() {
            if !self.is_bounded(i) {
                continue;
            }
            let moved = match self.controls.get(i) {
                Some(k) => du[*k],
                None => row_dot(&node.ineq_x, i - n, dx) + row_dot(&node.ineq_u, i - n, du),
            };
            let ds = moved + self.residual(i) + more.map_or(0.0, |more| more[i]);
            let [low, high] = self.slacks(i);
            self.ds[i] = ds;
            self.dz[0][i] = if low.is_finite() { (mu - self.z[0][i] * ds) / low - self.z[0][i] } else { 0.0 };
            self.dz[1][i] = if high.is_finite() { (mu + self.z[1][i] * ds) / high - self.z[1][i] } else { 0.0 };
        }
        let Self { cones, s, z: [z, _], g, ds, dz: [dz, _], .. } = self;
        for cone in cones {
            cone.directions((node, dx, du), ConePoint { s, z, g }, [ds, dz], (n, more));
        }
    }

    /// The same where g is elastic, `g − s = p − n`: what is given up has its own share in each row.
    pub(super) fn elastic_directions(
        &mut self,
        node: &Quadratic,
        dx: &DVector<f64>,
        du: &DVector<f64>,
        mu: f64,
        elastic: &mut Elastic,
    ) {
        let n = self.controls.len();
        self.directions(node, dx, du, mu, None);
        for i in n..self.s.len() {
            if !self.is_bounded(i) {
                continue;
            }
            let moved = row_dot(&node.ineq_x, i - n, dx) + row_dot(&node.ineq_u, i - n, du);
            let y = self.sigma[i] * moved + self.push[i];
            elastic.set_multiplier(elastic.equalities() + i - n, y, mu);
            let [low, high] = self.slacks(i);
            let [sigma, b] = self.own(i, mu);
            let ds = (y - b) / sigma;
            self.ds[i] = ds;
            self.dz[0][i] = if low.is_finite() { (mu - self.z[0][i] * ds) / low - self.z[0][i] } else { 0.0 };
            self.dz[1][i] = if high.is_finite() { (mu + self.z[1][i] * ds) / high - self.z[1][i] } else { 0.0 };
        }
        let Self { cones, s, z: [z, _], g, ds, dz: [dz, _], .. } = self;
        for cone in cones {
            cone.elastic_directions((node, dx, du), ConePoint { s, z, g }, [ds, dz], (n, mu, elastic));
        }
    }
}
