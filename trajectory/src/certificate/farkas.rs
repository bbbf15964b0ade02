//! Rows that are affine in all unknowns and contradict each other.
//!
//! If a robot's accelerations are affine in its state and its controls, the sum of squared violations is convex:
//!
//! ```text
//! min ½ Σ c² + ½ Σ max(g − U, L − g, 0)²        x⁺ = A x + B u + d
//! ```
//!
//! If its minimum is not zero, the violations there are multipliers `y` by which the rows add up to `Σ y² > 0`, which
//! would have to be at most zero at a feasible point: J. Farkas, *Theorie der einfachen Ungleichungen* (1902). The
//! rounding error of the gradient with respect to controls counts against the proof, with controls as large as their
//! bounds, or a million. Each iteration is one Riccati sweep. Violated rows count, with a proximal term that decreases
//! as the steps do.

use super::Certificate;
use crate::node::ConstraintRow;
use crate::problem::Problem;
use crate::quadratic::Quadratic;
use crate::riccati::{LqSolution, Riccati};
use nalgebra::DVector;

const ITERATIONS: usize = 100;
/// Of the proximal term, in the square of a step.
const NEAR: f64 = 1e-6;
/// Violations below this, in units of the rows, are no contradiction: what solvers leave.
const CLEAR: f64 = 1e-5;
/// Controls without bounds are no larger than this, N or N m.
const MOST: f64 = 1e6;
/// Steps shorter than this end it.
const SHORT: f64 = 1e-12;
const HALVINGS: i32 = 30;

/// A row of a node, `L ≤ value + x·by_x + u·by_u ≤ U`.
struct Line {
    name: String,
    value: f64,
    bounds: [f64; 2],
    by_x: DVector<f64>,
    by_u: DVector<f64>,
}

impl Line {
    /// By how much it is above, or, negative, below its bounds.
    fn off(&self, x: &DVector<f64>, u: &DVector<f64>) -> f64 {
        let value = self.value + self.by_x.dot(x) + self.by_u.dot(u);
        let [lower, upper] = self.bounds;
        if value > upper { value - upper } else { (value - lower).min(0.0) }
    }
}

/// Displacements of states, and controls.
struct Point {
    x: Vec<DVector<f64>>,
    u: Vec<DVector<f64>>,
}

/// A contradiction of rows that are affine, if the problem's motion is.
pub(super) fn find(problem: &Problem) -> Option<Certificate> {
    let last = problem.steps();
    let is_affine = |k: usize| problem.stage(k).is_some_and(|stage| k == last || stage.moves_affinely());
    if problem.choice().is_some() || !(0..=last).all(is_affine) {
        return None;
    }
    let mut memory = problem.memory();
    let mut nodes = Vec::new();
    for k in 0..=last {
        let dims = problem.dims(k);
        let mut node = Quadratic::new(dims, k == last);
        problem.linearize(k, problem.start(), &vec![0.0; dims.nu], &mut memory, &mut node).ok()?;
        nodes.push(node);
    }
    let rows: Vec<Vec<Line>> = (0..=last).map(|k| lines(problem, k, &nodes[k])).collect();
    let mut drift: Vec<DVector<f64>> = vec![DVector::zeros(nodes[0].lx.len())];
    for node in &nodes[..last] {
        let mut d = DVector::zeros(node.lx.len());
        problem.space().difference(problem.start(), &node.next, d.as_mut_slice()).ok()?;
        drift.push(d);
    }
    let zeros = |of: fn(&Quadratic) -> usize| nodes.iter().map(|node| DVector::zeros(of(node))).collect();
    let mut at = Point { x: zeros(|node| node.lx.len()), u: zeros(|node| node.lu.len()) };
    minimize(&mut nodes, &rows, &drift, &mut at)?;
    proof(&nodes, &rows, &at)
}

/// Rows of a node that are affine.
fn lines(problem: &Problem, k: usize, node: &Quadratic) -> Vec<Line> {
    let dims = problem.dims(k);
    let mut all = Vec::new();
    if let Some((lower, upper)) = problem.node(k).control_bounds() {
        for (i, (l, u)) in lower.iter().zip(upper).enumerate() {
            let mut by_u = DVector::zeros(dims.nu);
            by_u[i] = 1.0;
            let name = format!("bounds of controls of phase `{}`", problem.phase_of(k));
            all.push(Line { name, value: 0.0, bounds: [*l, *u], by_x: DVector::zeros(dims.ndx), by_u });
        }
    }
    let (mut lower, mut upper) = (vec![0.0; dims.n_in], vec![0.0; dims.n_in]);
    problem.bounds(k, &mut lower, &mut upper);
    let Some(stage) = problem.stage(k) else { return all };
    let equal =
        (0..dims.n_eq).map(|i| (ConstraintRow::Equality(i), node.eq[i], [0.0; 2], node.eq_x.row(i), node.eq_u.row(i)));
    let between = (0..dims.n_in).map(|i| {
        (ConstraintRow::Inequality(i), node.ineq[i], [lower[i], upper[i]], node.ineq_x.row(i), node.ineq_u.row(i))
    });
    for (row, value, bounds, by_x, by_u) in equal.chain(between) {
        if let Some(name) = problem.constraint_of(k, row).filter(|name| stage.is_affine(name)) {
            let name = format!("`{name}` of phase `{}`", problem.phase_of(k));
            all.push(Line { name, value, bounds, by_x: by_x.transpose(), by_u: by_u.transpose() });
        }
    }
    all
}

fn squares(rows: &[Vec<Line>], at: &Point) -> f64 {
    let of = |(k, rows): (usize, &Vec<Line>)| rows.iter().map(|row| row.off(&at.x[k], &at.u[k]).powi(2)).sum::<f64>();
    0.5 * rows.iter().enumerate().map(of).sum::<f64>()
}

/// Goes to where the sum of squares is least; `None` if it does not arrive.
fn minimize(nodes: &mut [Quadratic], rows: &[Vec<Line>], drift: &[DVector<f64>], at: &mut Point) -> Option<()> {
    let dims: Vec<_> = nodes
        .iter()
        .map(|node| crate::quadratic::Dims {
            nx: node.next.len(),
            ndx: node.lx.len(),
            nu: node.lu.len(),
            n_eq: 0,
            n_in: 0,
        })
        .collect();
    let (mut riccati, mut step) = (Riccati::new(&dims), LqSolution::new(&dims));
    let last = nodes.len() - 1;
    for node in nodes.iter_mut() {
        // Rows are squares here.
        node.eq = DVector::zeros(0);
        node.eq_x = nalgebra::DMatrix::zeros(0, node.lx.len());
        node.eq_u = nalgebra::DMatrix::zeros(0, node.lu.len());
    }
    for iteration in 0..ITERATIONS {
        let mut gaps = vec![DVector::zeros(nodes[0].lx.len()); nodes.len()];
        for k in 0..last {
            gaps[k + 1] = &nodes[k].a * &at.x[k] + &nodes[k].b * &at.u[k] + &drift[k + 1] - &at.x[k + 1];
        }
        for (k, node) in nodes.iter_mut().enumerate() {
            [&mut node.lx, &mut node.lu].into_iter().for_each(|m| m.fill(0.0));
            node.lxu.fill(0.0);
            for m in [&mut node.lxx, &mut node.luu] {
                m.fill(0.0);
                m.fill_diagonal(NEAR);
            }
            for row in &rows[k] {
                let off = row.off(&at.x[k], &at.u[k]);
                if off != 0.0 {
                    node.lx.axpy(off, &row.by_x, 1.0);
                    node.lu.axpy(off, &row.by_u, 1.0);
                    node.lxx.ger(1.0, &row.by_x, &row.by_x, 1.0);
                    node.lxu.ger(1.0, &row.by_x, &row.by_u, 1.0);
                    node.luu.ger(1.0, &row.by_u, &row.by_u, 1.0);
                }
            }
        }
        for k in (0..=last).rev() {
            riccati.sweep_node(k, &nodes[k], gaps.get(k), 0.0).ok()?;
        }
        riccati.begin_roll_out(gaps.first(), &mut step).ok()?;
        for (k, node) in nodes.iter().enumerate() {
            riccati.roll_out_node(k, node, gaps.get(k), &mut step);
        }
        let moved = |share: f64| Point {
            x: at.x.iter().zip(&step.dx).map(|(x, dx)| x + share * dx).collect(),
            u: at.u.iter().zip(&step.du).map(|(u, du)| if u.is_empty() { u.clone() } else { u + share * du }).collect(),
        };
        // The first step closes the gaps.
        let before = squares(rows, at);
        let lower = |share: &f64| iteration == 0 || squares(rows, &moved(*share)) <= before;
        let share = (0..HALVINGS).map(|k| 0.5_f64.powi(k)).find(lower)?;
        let length = step.du.iter().filter(|du| !du.is_empty()).map(|du| du.amax()).fold(0.0, f64::max);
        *at = moved(share);
        if length <= SHORT * (1.0 + at.u.iter().filter(|u| !u.is_empty()).map(|u| u.amax()).fold(0.0, f64::max)) {
            return Some(());
        }
    }
    // What is left of the gradient decides.
    Some(())
}

/// The violations as multipliers, if they prove anything.
fn proof(nodes: &[Quadratic], rows: &[Vec<Line>], at: &Point) -> Option<Certificate> {
    let mut sum = 0.0;
    let mut price = DVector::zeros(nodes[0].lx.len());
    let mut names: Vec<(String, f64)> = Vec::new();
    for (k, node) in nodes.iter().enumerate().rev() {
        let (mut by_x, mut by_u) = (DVector::zeros(node.lx.len()), DVector::zeros(node.lu.len()));
        if k + 1 < nodes.len() {
            by_x.gemv_tr(1.0, &node.a, &price, 0.0);
            if !by_u.is_empty() {
                by_u.gemv_tr(1.0, &node.b, &price, 0.0);
            }
        }
        let mut most = vec![MOST; node.lu.len()];
        for row in &rows[k] {
            let off = row.off(&at.x[k], &at.u[k]);
            sum += off * off;
            by_x.axpy(off, &row.by_x, 1.0);
            by_u.axpy(off, &row.by_u, 1.0);
            let alone = |i: &usize| {
                row.by_x.iter().all(|x| *x == 0.0) && row.by_u.iter().enumerate().all(|(j, x)| (*x != 0.0) == (j == *i))
            };
            if let Some(i) = (0..most.len()).find(alone).filter(|_| row.bounds.iter().all(|bound| bound.is_finite())) {
                let c = row.by_u[i];
                let ends = row.bounds.map(|bound| ((bound - row.value) / c).abs());
                most[i] = most[i].min(ends[0].max(ends[1]));
            }
            if off != 0.0 {
                match names.iter_mut().find(|(name, _)| *name == row.name) {
                    Some((_, size)) => *size = size.max(off.abs()),
                    None => names.push((row.name.clone(), off.abs())),
                }
            }
        }
        // How much the sum may fall from here to any other controls.
        sum -= by_u.iter().zip(&most).zip(&at.u[k]).map(|((g, most), u)| g.abs() * (most + u.abs())).sum::<f64>();
        price = by_x;
    }
    names.sort_by(|a, b| b.1.total_cmp(&a.1));
    let largest = names.first().map_or(0.0, |(_, size)| *size);
    // Names with multipliers that do not show in six digits have no part in it.
    names.retain(|(_, size)| *size > 1e-6 * largest);
    let proves = largest > CLEAR && sum > 0.0;
    proves.then(|| Certificate::Farkas {
        constraints: names.into_iter().map(|(name, _)| name).collect(),
        gap: sum / largest,
    })
}
