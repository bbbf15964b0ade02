//! Operations of the search on all cones of a node at once.

use super::cones::{Cone, MOST, slack};
use super::inequalities::Inequalities;
use super::lorentz::{Point, point};

impl Inequalities {
    /// Whether there are cones.
    pub(super) fn has_cones(&self) -> bool {
        !self.cones.is_empty()
    }
    /// Whether a row counts: it has a bound, or belongs to a cone.
    pub(super) fn counts(&self, row: usize) -> bool {
        self.is_bounded(row) || self.cones.iter().any(|cone| cone.rows.contains(&row))
    }
    /// Slacks of cones well inside, for restorations, which begin where slacks may be as near to the boundary as
    /// numbers can tell.
    pub(super) fn push_cones(&mut self) {
        self.cones.iter().for_each(|cone| cone.push_inside(&mut self.s));
    }
    /// Multipliers of cones on the central path.
    pub(super) fn center_cones(&mut self, mu: f64) {
        self.cones.iter().for_each(|cone| cone.center(&self.s, &mut self.z[0], mu));
    }
    /// The longest steps of slacks and multipliers that leave a share `1 − τ` of the way to the boundaries of cones.
    pub(super) fn longest_in_cones(&self, tau: f64) -> [f64; 2] {
        self.cones.iter().fold([1.0; 2], |[s, z], cone| {
            let rows = cone.rows.clone();
            let way = cone.slack(&self.s).way(&point(&self.ds[rows.clone()]));
            let way_z = point(&self.z[0][rows.clone()]).way(&point(&self.dz[0][rows]));
            [s.min(tau.min(MOST) * way), z.min(tau.min(MOST) * way_z)]
        })
    }
    /// Slacks of cones of the trial, as [`try_slacks`](Self::try_slacks).
    pub(super) fn try_cones(&mut self, step: f64, tau: f64, g: &[f64], elastic: bool) {
        let n = self.controls.len();
        let Self { cones, s, ds, trial, .. } = self;
        for cone in cones {
            let Cone { rows, memory: [to, ..], .. } = cone;
            let values = &g[rows.start - n..rows.end - n];
            let inside = slack(g, &(rows.start - n..rows.end - n)).is_inside();
            for (k, i) in rows.clone().enumerate() {
                to[k] = if inside && !elastic { values[k] - s[i] } else { step * ds[i] };
            }
            let way = (tau.min(MOST) * slack(s, rows).way(&point(to.as_slice()))).min(1.0);
            rows.clone().zip(to.iter()).for_each(|(i, to)| trial[i] = s[i] + way * to);
        }
    }
    /// `−½ Σ ln(t² − |w|²)` of these slacks.
    pub(super) fn barrier_of_cones(&self, s: &[f64]) -> f64 {
        let of = |s: Point<'_>| if s.is_inside() { -0.5 * s.det().ln() } else { f64::INFINITY };
        self.cones.iter().map(|cone| of(cone.slack(s))).sum()
    }
    /// Its slope: `−s⁻¹ᵀ δs`.
    pub(super) fn slope_of_cones(&self) -> f64 {
        let of = |cone: &Cone| {
            let (s, ds) = (cone.slack(&self.s), point(&self.ds[cone.rows.clone()]));
            -s.turned_dot(&ds) / s.det()
        };
        self.cones.iter().map(of).sum()
    }
    /// The largest entry of `s ∘ z − μ e`.
    pub(super) fn complementarity_of_cones(&self, mu: f64) -> f64 {
        let of = |cone: &Cone| {
            let (s, z) = (cone.slack(&self.s), point(&self.z[0][cone.rows.clone()]));
            let sides = s.w.iter().zip(z.w).map(|(w, x)| (s.t * x + z.t * w).abs());
            sides.fold((s.dot(&z) - mu).abs(), f64::max)
        };
        self.cones.iter().map(of).fold(0.0, f64::max)
    }
}
