//! Inequality rows of a node, each with a slack and two multipliers; and [cones](super::cones), whose slacks and
//! multipliers are stored among them, z like those of lower bounds.
//!
//! For `g(x, u) = s`, `L ≤ s ≤ U`, with `y` the multiplier of the first equation and `z` those of the bounds, the
//! conditions of the barrier problem are
//!
//! ```text
//! y = z_U − z_L ,    z_L (s − L) = μ ,    z_U (U − s) = μ ,    g − s = 0
//! ```
//!
//! Linearized, `δs = G δ + (g − s)`, and the remaining contribution of a row to the cost of its node is
//!
//! ```text
//! ½ δᵀ Gᵀ Σ G δ + (b + Σ (g − s))ᵀ G δ ,     Σ = z_L/(s − L) + z_U/(U − s) ,   b = μ/(U − s) − μ/(s − L)
//! ```
//!
//! A. Wächter and L. Biegler, *On the implementation of an interior-point filter line-search algorithm for large-scale
//! nonlinear programming*, Mathematical Programming 106 (2006), section 2.

use super::condense::{Cost, add_row};
use super::cones::{Cone, ConePoint};
use super::elastic::Elastic;
use crate::problem::Problem;
use crate::quadratic::Quadratic;

/// Slacks begin at least this share of a bound's size away from it, and of the distance between both (`κ₁`, `κ₂`).
const PUSH: f64 = 1e-2;
/// Bounds are wider by this share, so that there is room between them (`bound_relax_factor`).
const RELAX: f64 = 1e-8;
/// Multipliers stay within this factor of `μ / slack` (`κ_Σ`).
const FAR: f64 = 1e10;

/// All rows of a node: its controls with bounds first, then `g`.
#[derive(Debug)]
pub(in crate::solver) struct Inequalities {
    /// Which control each of the first rows is.
    pub(super) controls: Vec<usize>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    /// Values `g`.
    pub(super) g: Vec<f64>,
    pub(super) s: Vec<f64>,
    /// Slacks of the trial.
    pub(super) trial: Vec<f64>,
    pub(super) z: [Vec<f64>; 2],
    pub(super) ds: Vec<f64>,
    pub(super) dz: [Vec<f64>; 2],
    /// Σ, and `b + Σ (g − s)`.
    pub(super) sigma: Vec<f64>,
    pub(super) push: Vec<f64>,
    /// A row of G.
    line: Vec<f64>,
    pub(super) cones: Vec<Cone>,
}

impl Inequalities {
    pub(super) fn new(problem: &Problem, k: usize) -> Self {
        let dims = problem.dims(k);
        let (mut controls, mut lower, mut upper) = (Vec::new(), Vec::new(), Vec::new());
        if let Some((low, high)) = problem.node(k).control_bounds() {
            for (i, (l, u)) in low.iter().zip(high).enumerate().filter(|(_, (l, u))| l.is_finite() || u.is_finite()) {
                controls.push(i);
                lower.push(*l);
                upper.push(*u);
            }
        }
        let n = controls.len() + dims.n_in;
        lower.resize(n, f64::NEG_INFINITY);
        upper.resize(n, f64::INFINITY);
        let zeros = || vec![0.0; n];
        let line = Vec::with_capacity(dims.ndx + dims.nu);
        let (g, s, trial, ds, sigma, push) = (zeros(), zeros(), zeros(), zeros(), zeros(), zeros());
        let cones = Cone::all(problem, k, controls.len());
        Self {
            controls,
            lower,
            upper,
            g,
            s,
            trial,
            z: [zeros(), zeros()],
            ds,
            dz: [zeros(), zeros()],
            sigma,
            push,
            line,
            cones,
        }
    }

    /// Takes over bounds, which may have changed since the last solution.
    pub(super) fn take_bounds(&mut self, problem: &Problem, k: usize) {
        let n = self.controls.len();
        if let Some((low, high)) = problem.node(k).control_bounds() {
            for (row, i) in self.controls.iter().enumerate() {
                (self.lower[row], self.upper[row]) = (low[*i], high[*i]);
            }
        }
        problem.bounds(k, &mut self.lower[n..], &mut self.upper[n..]);
        for (l, u) in self.lower.iter_mut().zip(&mut self.upper) {
            *l -= RELAX * l.abs().max(1.0);
            *u += RELAX * u.abs().max(1.0);
        }
        // What has no meaning beyond its bound is not relaxed past it.
        if let Some(choice) = problem.choice().filter(|_| k == 0) {
            for (l, i) in self.lower.iter_mut().zip(&self.controls) {
                *l = l.max(choice.least(*i));
            }
        }
    }

    /// How many bounds there are, those of cones one a row.
    pub(super) fn bounds(&self) -> usize {
        let finite = self.lower.iter().chain(&self.upper).filter(|x| x.is_finite()).count();
        finite + self.cones.iter().map(|cone| cone.rows.len()).sum::<usize>()
    }
    /// Whether a row has a bound.
    pub(super) fn is_bounded(&self, row: usize) -> bool {
        self.lower[row].is_finite() || self.upper[row].is_finite()
    }

    /// Values at a point: its controls, and `g`.
    pub(super) fn read(&mut self, u: &[f64], g: &[f64]) {
        let n = self.controls.len();
        for (to, i) in self.g.iter_mut().zip(&self.controls) {
            *to = u[*i];
        }
        self.g[n..].copy_from_slice(g);
    }

    /// Moves controls well between their bounds.
    pub(super) fn push_controls(&mut self, u: &mut [f64]) {
        let n = self.controls.len();
        for (g, i) in self.g.iter_mut().zip(&self.controls) {
            *g = u[*i];
        }
        self.push_inside(0..n);
        for (s, i) in self.s.iter().zip(&self.controls) {
            u[*i] = *s;
        }
    }
    /// Slacks of `g` well between the bounds, near the values, and multipliers on the central path.
    pub(super) fn begin(&mut self, mu: f64) {
        self.push_inside(self.controls.len()..self.s.len());
        self.push_cones();
        self.center(mu);
    }
    /// Slacks of `g` that bounds have been moved over come inside again, and multipliers near the central path.
    pub(super) fn come_inside(&mut self, mu: f64) {
        for i in self.controls.len()..self.s.len() {
            let [low, high] = self.slacks(i);
            if low <= 0.0 || high <= 0.0 {
                self.g[i] = self.s[i];
                self.push_inside(i..i + 1);
            }
        }
        for i in 0..self.s.len() {
            for (k, slack) in self.slacks(i).into_iter().enumerate() {
                if slack.is_finite() {
                    self.z[k][i] = self.z[k][i].clamp(mu / (FAR * slack), FAR * mu / slack);
                }
            }
        }
        for cone in &self.cones {
            cone.come_inside(&mut self.s);
            cone.keep_near(&self.s, &mut self.z[0], mu);
        }
    }
    pub(super) fn push_inside(&mut self, rows: std::ops::Range<usize>) {
        for i in rows {
            let (l, u) = (self.lower[i], self.upper[i]);
            let room = PUSH * (u - l);
            let (low, high) = (l + (PUSH * l.abs().max(1.0)).min(room), u - (PUSH * u.abs().max(1.0)).min(room));
            // Of an infinite bound nothing is taken.
            self.s[i] = if l.is_finite() { self.g[i].max(low) } else { self.g[i] };
            self.s[i] = if u.is_finite() { self.s[i].min(high) } else { self.s[i] };
        }
    }
    /// Multipliers on the central path.
    pub(super) fn center(&mut self, mu: f64) {
        for i in 0..self.s.len() {
            let [low, high] = self.slacks(i);
            self.z[0][i] = if low.is_finite() { mu / low } else { 0.0 };
            self.z[1][i] = if high.is_finite() { mu / high } else { 0.0 };
        }
        self.center_cones(mu);
    }

    /// `s − L` and `U − s`.
    pub(super) fn slacks(&self, i: usize) -> [f64; 2] {
        [self.s[i] - self.lower[i], self.upper[i] - self.s[i]]
    }
    /// `y = z_U − z_L`
    pub(super) fn y(&self, i: usize) -> f64 {
        self.z[1][i] - self.z[0][i]
    }
    /// `g − s`; zero where a row has no bound, and is none of a cone.
    pub(super) fn residual(&self, i: usize) -> f64 {
        if self.counts(i) { self.g[i] - self.s[i] } else { 0.0 }
    }

    /// Σ and b of a row.
    pub(super) fn own(&self, i: usize, mu: f64) -> [f64; 2] {
        let [low, high] = self.slacks(i);
        let (mut sigma, mut b) = (0.0, 0.0);
        if low.is_finite() {
            sigma += self.z[0][i] / low;
            b -= mu / low;
        }
        if high.is_finite() {
            sigma += self.z[1][i] / high;
            b += mu / high;
        }
        [sigma, b]
    }

    /// What rows add to their node. `elastic`: where `g − s = p − n`.
    pub(super) fn barrier_terms(&mut self, mu: f64, elastic: Option<&Elastic>) {
        let n = self.controls.len();
        for i in 0..self.s.len() {
            let [sigma, b] = self.own(i, mu);
            (self.sigma[i], self.push[i]) = match elastic {
                Some(elastic) if i >= n && sigma > 0.0 => {
                    let [soft, off] = elastic.share(elastic.equalities() + i - n, self.residual(i), mu);
                    let sigma_both = 1.0 / (1.0 / sigma + soft);
                    (sigma_both, sigma_both * (off + b / sigma))
                }
                _ => (sigma, b + sigma * self.residual(i)),
            };
        }
        let Self { cones, s, z: [z, _], g, .. } = self;
        for cone in cones {
            let first = |elastic: &Elastic| elastic.equalities() + cone.rows.start - n;
            let elastic = elastic.map(|elastic| (elastic, first(elastic)));
            cone.barrier_terms(ConePoint { s, z, g }, mu, elastic);
        }
    }

    /// Adds the rows to the cost of their node.
    pub(super) fn condense(&mut self, node: &mut Quadratic) {
        let n = self.controls.len();
        for (row, i) in self.controls.iter().enumerate() {
            node.luu[(*i, *i)] += self.sigma[row];
            node.lu[*i] += self.push[row];
        }
        let Quadratic { lx, lu, lxx, lxu, luu, ineq_x, ineq_u, .. } = node;
        let mut cost = Cost { lx, lu, lxx, lxu, luu };
        for row in n..self.s.len() {
            add_row(&mut cost, [ineq_x, ineq_u], row - n, [self.sigma[row], self.push[row]], &mut self.line);
        }
        self.cones.iter_mut().for_each(|cone| cone.condense(node, n, &mut self.line));
    }
    /// Adds to the gradient what a correction adds to `g − s`.
    pub(super) fn correct(&mut self, node: &mut Quadratic, more: &[f64]) {
        let n = self.controls.len();
        for (row, i) in self.controls.iter().enumerate() {
            node.lu[*i] += self.sigma[row] * more[row];
        }
        for (row, more) in more.iter().enumerate().skip(n) {
            let push = self.sigma[row] * more;
            if push != 0.0 {
                let (x, u) = (node.ineq_x.row(row - n), node.ineq_u.row(row - n));
                node.lx.iter_mut().zip(x.iter()).for_each(|(l, x)| *l += push * x);
                node.lu.iter_mut().zip(u.iter()).for_each(|(l, u)| *l += push * u);
            }
        }
        self.cones.iter_mut().for_each(|cone| cone.correct(node, more));
    }

    /// The longest steps of slacks, from this row on, and of multipliers, at most 1, that leave a share `1 − τ` of the
    /// way to the bounds.
    pub(super) fn max_step(&self, tau: f64, first: usize) -> [f64; 2] {
        let mut longest = self.longest_in_cones(tau);
        let mut limit = |k: usize, from: f64, by: f64| {
            if by < 0.0 && from.is_finite() {
                longest[k] = longest[k].min(-tau * from / by);
            }
        };
        for i in 0..self.s.len() {
            if !self.is_bounded(i) {
                continue;
            }
            let [low, high] = self.slacks(i);
            if i >= first {
                limit(0, low, self.ds[i]);
                limit(0, high, -self.ds[i]);
            }
            limit(1, self.z[0][i], self.dz[0][i]);
            limit(1, self.z[1][i], self.dz[1][i]);
        }
        longest
    }

    /// A control on its way, kept a share `1 − τ` of its distance away from its bounds.
    pub(super) fn keep_inside(&self, row: usize, u: f64, tau: f64) -> f64 {
        let [low, high] = self.slacks(row);
        u.max(self.s[row] - tau * low).min(self.s[row] + tau * high)
    }
    /// Slacks of the trial, at a step: those of controls are the controls. Those of g are its values where these are
    /// between the bounds, and `elastic` ones are not, and else where the direction leads; all keep a share `1 − τ` of
    /// the distance.
    pub(super) fn try_slacks(&mut self, step: f64, tau: f64, u: &[f64], g: &[f64], elastic: bool) {
        let n = self.controls.len();
        for i in 0..self.s.len() {
            self.trial[i] = match self.controls.get(i) {
                Some(control) => u[*control],
                None => {
                    let g = g[i - n];
                    let inside = g > self.lower[i] && g < self.upper[i];
                    let to = if inside && !elastic { g } else { self.s[i] + step * self.ds[i] };
                    self.keep_inside(i, to, tau)
                }
            };
        }
        self.try_cones(step, tau, g, elastic);
    }
    /// `g − s` of the trial.
    pub(super) fn trial_residual(&self, i: usize, g: &[f64]) -> f64 {
        let n = self.controls.len();
        if i < n || !self.counts(i) { 0.0 } else { g[i - n] - self.trial[i] }
    }

    /// Takes the slacks that were trial, and a step of multipliers, which are kept near the central path.
    pub(super) fn advance(&mut self, dual: f64, mu: f64) {
        for i in 0..self.s.len() {
            if !self.is_bounded(i) {
                continue;
            }
            self.s[i] = self.trial[i];
            for (k, slack) in self.slacks(i).into_iter().enumerate() {
                if slack.is_finite() {
                    let z = self.z[k][i] + dual * self.dz[k][i];
                    self.z[k][i] = z.clamp(mu / (FAR * slack), FAR * mu / slack);
                }
            }
        }
        let Self { cones, s, trial, z: [z, _], dz: [dz, _], .. } = self;
        for cone in cones {
            for i in cone.rows.clone() {
                s[i] = trial[i];
                z[i] += dual * dz[i];
            }
            cone.keep_near(s, z, mu);
        }
    }
}
