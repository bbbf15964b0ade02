//! Constraints of a node with multipliers: equality and inequality rows.
//!
//! With estimates ν̄, ȳ of the multipliers, and `w = g + μ ȳ`, the augmented Lagrangian has
//!
//! ```text
//! |c + μ ν̄|² / 2μ + |w − Π(w)|² / 2μ        Π(w): the nearest number between the bounds
//! ```
//!
//! so that a row is active if w is outside of its bounds, and a step makes
//!
//! ```text
//! c + C δ = μ (ν − ν̄) ,    w + G δ − Π(w + G δ) = μ y
//! ```
//!
//! W. Jallet, A. Bambade, E. Arlaud, S. El-Kazdadi, N. Mansard, J. Carpentier, *ProxDDP: Proximal Constrained
//! Trajectory Optimization*, IEEE T-RO 41 (2025), sections II and III.
//!
//! Durations and parameters are treated differently, because many have no meaning beyond their bounds. The sweep itself
//! keeps them between these, so that none is ever violated. The force against a bound is its multiplier.

use super::cones::{self, Cone};
use crate::problem::Problem;
use crate::quadratic::{Multipliers, Quadratic};
use crate::solver::condense::{Cost, add_row, row_dot};
use nalgebra::DVector;

/// All rows of a node: its controls with bounds first, then `g`; and the estimates of its equalities.
#[derive(Debug)]
pub(in crate::solver) struct Constraints {
    /// Which control each of the first rows is.
    pub(super) controls: Vec<usize>,
    /// How many of these the sweep itself keeps between their bounds: all of the node that chooses durations and
    /// parameters, else none.
    boxed: usize,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    /// Values `g`.
    pub(super) g: Vec<f64>,
    /// `c`
    pub(super) c: DVector<f64>,
    /// y, and what the direction makes of it.
    pub(super) y: Vec<f64>,
    after: Vec<f64>,
    /// ȳ and ν̄.
    estimates: Vec<f64>,
    pub(super) estimates_eq: DVector<f64>,
    /// `G δ` of the direction so far, and what the next sweep would change it by.
    moved: Vec<f64>,
    aim: Vec<f64>,
    /// `1/μ` where a row counts, and `(w − b)/μ` with the bound b where it counts.
    sigma: Vec<f64>,
    push: Vec<f64>,
    /// A row of G.
    line: Vec<f64>,
    cones: Vec<Cone>,
    /// Of each row the cone that it is one of.
    cone_of: Vec<Option<usize>>,
}

/// What the sweep keeps is at a bound where it is nearer than this share of it: 10 ε would do for sums of two numbers.
const AT: f64 = 1e-14;

/// `w − Π(w)`
fn outside(w: f64, lower: f64, upper: f64) -> f64 {
    if w < lower {
        w - lower
    } else if w > upper {
        w - upper
    } else {
        0.0
    }
}

impl Constraints {
    pub(super) fn new(problem: &Problem, k: usize) -> Self {
        let dims = problem.dims(k);
        let mut controls = Vec::new();
        if let Some((low, high)) = problem.node(k).control_bounds() {
            let bounded = low.iter().zip(high).enumerate().filter(|(_, (l, u))| l.is_finite() || u.is_finite());
            controls.extend(bounded.map(|(i, _)| i));
        }
        let n = controls.len() + dims.n_in;
        let zeros = || vec![0.0; n];
        let cones = Cone::all(problem, k, controls.len());
        let cone_of = (0..n).map(|i| cones.iter().position(|cone| cone.rows.contains(&i))).collect();
        let boxed = if k == 0 && problem.choice().is_some() { controls.len() } else { 0 };
        Self {
            controls,
            boxed,
            lower: vec![f64::NEG_INFINITY; n],
            upper: vec![f64::INFINITY; n],
            g: zeros(),
            c: DVector::zeros(dims.n_eq),
            y: zeros(),
            after: zeros(),
            estimates: zeros(),
            estimates_eq: DVector::zeros(dims.n_eq),
            moved: zeros(),
            aim: zeros(),
            sigma: zeros(),
            push: zeros(),
            line: Vec::with_capacity(dims.ndx + dims.nu),
            cones,
            cone_of,
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
    }
    /// Values at a point: its controls, `g` and `c`.
    pub(super) fn read(&mut self, u: &[f64], node: &Quadratic) {
        let n = self.controls.len();
        for (to, i) in self.g.iter_mut().zip(&self.controls) {
            *to = u[*i];
        }
        self.g[n..].copy_from_slice(node.ineq.as_slice());
        self.c.copy_from(&node.eq);
    }
    pub(super) fn forget(&mut self) {
        [&mut self.y, &mut self.estimates].into_iter().for_each(|y| y.fill(0.0));
        self.estimates_eq.fill(0.0);
    }
    /// Multipliers of the last solution are estimates of this one, where they point to a bound that there is.
    pub(super) fn go_on(&mut self, eq: &DVector<f64>) {
        for i in (0..self.y.len()).filter(|i| self.cone_of[*i].is_none()) {
            self.y[i] = self.allowed(i, self.y[i]);
        }
        self.accept(eq);
    }
    /// Multipliers become the estimates.
    pub(super) fn accept(&mut self, eq: &DVector<f64>) {
        self.estimates.copy_from_slice(&self.y);
        self.estimates_eq.copy_from(eq);
    }
    /// The multipliers of the lower bound and of the upper one; of a cone all in the first, `z = −y`.
    pub(super) fn split(&self, i: usize) -> [f64; 2] {
        let y = self.y[i];
        if self.cone_of[i].is_some() { [-y, 0.0] } else { [(-y).max(0.0), y.max(0.0)] }
    }
    /// A multiplier without what no bound can give: negative without a lower one, positive without an upper one.
    fn allowed(&self, i: usize, y: f64) -> f64 {
        let least = if self.lower[i].is_finite() { f64::NEG_INFINITY } else { 0.0 };
        let most = if self.upper[i].is_finite() { f64::INFINITY } else { 0.0 };
        y.max(least).min(most)
    }

    /// A row of `w − Π(w)`, by its bounds or by the cone that it is one of.
    fn outside(&self, i: usize, w: impl Fn(usize) -> f64) -> f64 {
        match self.cone_of[i] {
            None => outside(w(i), self.lower[i], self.upper[i]),
            Some(cone) => cones::outside(&self.cones[cone].rows, i, w),
        }
    }
    /// `w − Π(w)` of a row, with these values of all; zero of one that the sweep keeps.
    fn shifted(&self, i: usize, g: impl Fn(usize) -> f64, mu: f64) -> f64 {
        if i < self.boxed {
            return 0.0;
        }
        self.outside(i, |j| g(j) + mu * self.estimates[j])
    }
    /// The same at the point that was read.
    fn shifted_here(&self, i: usize, mu: f64) -> f64 {
        self.shifted(i, |j| self.g[j], mu)
    }
    /// By how much a row is outside of its bounds, or of its cone.
    pub(super) fn residual(&self, i: usize) -> f64 {
        self.outside(i, |j| self.g[j])
    }
    /// The largest of these.
    pub(super) fn max_residual(&self) -> f64 {
        (0..self.g.len()).map(|i| self.residual(i).abs()).fold(0.0, f64::max)
    }
    /// How many bounds there are, and the sum of their multipliers.
    pub(super) fn bounds(&self) -> (f64, usize) {
        let count = self.lower.iter().chain(&self.upper).filter(|x| x.is_finite()).count();
        let of_cones = self.cone_of.iter().flatten().count();
        (self.y.iter().map(|y| y.abs()).sum(), count + of_cones)
    }
    /// The largest product of a multiplier and the distance from its bound; of a cone `yᵀ g`.
    pub(super) fn complementarity(&self) -> f64 {
        let product = |i: usize| {
            let y = self.y[i];
            let room = if y < 0.0 { self.g[i] - self.lower[i] } else { self.upper[i] - self.g[i] };
            if y == 0.0 { 0.0 } else { (y * room).abs() }
        };
        let between = (0..self.y.len()).filter(|i| self.cone_of[*i].is_none()).map(product);
        let in_cone = |cone: &Cone| cone.rows.clone().map(|i| self.y[i] * self.g[i]).sum::<f64>().abs();
        between.chain(self.cones.iter().map(in_cone)).fold(0.0, f64::max)
    }

    /// A direction begins, with no step at all.
    pub(super) fn begin_direction(&mut self) {
        self.moved.fill(0.0);
    }
    /// What rows that count at the direction so far add to their node; how many rows of others than before.
    pub(super) fn weigh(&mut self, mu: f64) -> usize {
        let mut changed = 0;
        for i in (0..self.g.len()).filter(|i| self.cone_of[*i].is_none()) {
            let before = (self.sigma[i], self.push[i]);
            let off = self.shifted(i, |j| self.g[j] + self.moved[j], mu);
            (self.sigma[i], self.push[i]) =
                if off == 0.0 { (0.0, 0.0) } else { (1.0 / mu, (off - self.moved[i]) / mu) };
            // Of the same bound, only rounding is another.
            let other = (self.push[i] - before.1).abs() > 1e-6 * (self.push[i].abs() + before.1.abs());
            changed += usize::from((self.sigma[i] > 0.0) != (before.0 > 0.0) || other);
        }
        let Self { cones, g, moved, estimates, .. } = self;
        for cone in cones {
            changed += usize::from(cone.weigh(|j| g[j] + moved[j] + mu * estimates[j], |j| moved[j], mu));
        }
        changed
    }
    /// The same of violations alone, each as its square.
    pub(super) fn weigh_violations(&mut self) {
        for i in (0..self.g.len()).filter(|i| self.cone_of[*i].is_none()) {
            let off = self.residual(i);
            (self.sigma[i], self.push[i]) = if off == 0.0 { (0.0, 0.0) } else { (1.0, off) };
        }
        let Self { cones, g, .. } = self;
        for cone in cones {
            cone.weigh(|j| g[j], |_| 0.0, 1.0);
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
        for row in n..self.g.len() {
            add_row(&mut cost, [ineq_x, ineq_u], row - n, [self.sigma[row], self.push[row]], &mut self.line);
        }
        self.cones.iter_mut().for_each(|cone| cone.condense(node, n, &mut self.line));
    }

    /// `G δ` of a row.
    fn moved_by(&self, i: usize, node: &Quadratic, dx: &DVector<f64>, du: &DVector<f64>) -> f64 {
        let n = self.controls.len();
        match self.controls.get(i) {
            Some(k) => du[*k],
            None => row_dot(&node.ineq_x, i - n, dx) + row_dot(&node.ineq_u, i - n, du),
        }
    }
    /// The direction so far is this one.
    pub(super) fn move_to(&mut self, node: &Quadratic, dx: &DVector<f64>, du: &DVector<f64>) {
        for i in 0..self.g.len() {
            self.moved[i] = self.moved_by(i, node, dx, du);
        }
    }
    /// It is to be changed by this.
    pub(super) fn aim(&mut self, node: &Quadratic, dx: &DVector<f64>, du: &DVector<f64>) {
        for i in 0..self.g.len() {
            self.aim[i] = self.moved_by(i, node, dx, du);
        }
    }
    /// It is changed by a share of that.
    pub(super) fn move_by(&mut self, step: f64) {
        self.moved.iter_mut().zip(&self.aim).for_each(|(moved, aim)| *moved += step * aim);
    }
    /// What rows that count at a share t of that, and did not in the sweep, or the other way round, add to the slope
    /// there.
    pub(super) fn changed(&self, t: f64, mu: f64) -> f64 {
        let mut sum = 0.0;
        for i in 0..self.g.len() {
            let by = |j: usize| self.moved[j] + t * self.aim[j];
            let off = self.shifted(i, |j| self.g[j] + by(j), mu);
            let counted = match self.cone_of[i] {
                None => self.sigma[i] * by(i) + self.push[i],
                Some(cone) => {
                    let cone = &self.cones[cone];
                    let row = i - cone.rows.start;
                    cone.product(row, by) + cone.push(row)
                }
            };
            sum += self.aim[i] * (off / mu - counted);
        }
        sum
    }
    /// Multipliers at the end of the direction; `behind`: λ of the next node.
    pub(super) fn finish_direction(&mut self, mu: f64, node: &Quadratic, behind: Option<&DVector<f64>>) {
        for i in 0..self.g.len() {
            self.after[i] = self.shifted(i, |j| self.g[j] + self.moved[j], mu) / mu;
        }
        let Some(behind) = behind else { return };
        for i in 0..self.boxed {
            // −Bᵀ λ⁺, where it pushes against the bound that the direction ends at: rounding is all that is left
            // between.
            let (to, push) = (self.g[i] + self.moved[i], -node.b.column(self.controls[i]).dot(behind));
            let near = |bound: f64| (to - bound).abs() <= AT * bound.abs().max(1.0);
            let [least, most] = [near(self.lower[i]), near(self.upper[i])];
            self.after[i] =
                push.clamp(if least { f64::NEG_INFINITY } else { 0.0 }, if most { f64::INFINITY } else { 0.0 });
        }
    }
    /// What squares of the augmented Lagrangian do along the direction, which makes `nu` of the multipliers of
    /// equalities.
    pub(super) fn slope(&self, mu: f64, nu: &DVector<f64>) -> f64 {
        let rows = (0..self.g.len()).map(|i| self.shifted_here(i, mu) / mu * self.moved[i]).sum::<f64>();
        // C δ is what the step changes c by: μ ν − (c + μ ν̄).
        let eq = self.c.iter().zip(self.estimates_eq.iter()).zip(nu.iter()).map(|((c, estimate), nu)| {
            let shifted = c + mu * estimate;
            shifted * (nu - shifted / mu)
        });
        rows + eq.sum::<f64>()
    }
    /// Takes a step of the multipliers.
    pub(super) fn advance(&mut self, step: f64) {
        for (y, after) in self.y.iter_mut().zip(&self.after) {
            *y += step * (after - *y);
        }
    }

    /// `|c + μ ν̄|²/2μ + |w − Π(w)|²/2μ` of a point with these controls, equalities and rows.
    pub(super) fn penalty(&self, u: &[f64], eq: &[f64], g: &[f64], mu: f64) -> f64 {
        let n = self.controls.len();
        let mut sum: f64 = eq.iter().zip(self.estimates_eq.iter()).map(|(c, nu)| (c + mu * nu).powi(2)).sum();
        let value = |i: usize| self.controls.get(i).map_or_else(|| g[i - n], |control| u[*control]);
        sum += (0..self.g.len()).map(|i| self.shifted(i, value, mu).powi(2)).sum::<f64>();
        sum / (2.0 * mu)
    }
    /// The same of the point that was read.
    pub(super) fn penalty_here(&self, mu: f64) -> f64 {
        let eq: f64 = self.c.iter().zip(self.estimates_eq.iter()).map(|(c, nu)| (c + mu * nu).powi(2)).sum();
        (eq + (0..self.g.len()).map(|i| self.shifted_here(i, mu).powi(2)).sum::<f64>()) / (2.0 * mu)
    }

    /// By how much multipliers are off from those that the augmented Lagrangian has here, and from their estimates;
    /// both times μ.
    pub(super) fn left(&self, multipliers: &Multipliers, mu: f64) -> [f64; 2] {
        let mut left = [0.0_f64; 2];
        for i in self.boxed..self.g.len() {
            left[0] = left[0].max((self.shifted_here(i, mu) - mu * self.y[i]).abs());
            left[1] = left[1].max(mu * (self.y[i] - self.estimates[i]).abs());
        }
        for ((c, nu), estimate) in self.c.iter().zip(multipliers.eq.iter()).zip(self.estimates_eq.iter()) {
            left[0] = left[0].max((c + mu * (estimate - nu)).abs());
            left[1] = left[1].max(mu * (nu - estimate).abs());
        }
        left
    }

    /// Controls between their bounds.
    pub(super) fn clamp_controls(&self, u: &mut [f64]) {
        for (row, i) in self.controls.iter().enumerate() {
            u[*i] = u[*i].max(self.lower[row]).min(self.upper[row]);
        }
    }
    /// Multipliers of another node, if that has the same rows.
    pub(super) fn warm_start_from(&mut self, other: &Self) {
        if self.y.len() == other.y.len() && self.controls == other.controls {
            self.y.copy_from_slice(&other.y);
        }
    }
}
