//! How well a trajectory keeps its constraints, by name.

use crate::task::Task;
use gradyn_trajectory::Trajectory;
use gradyn_trajectory::node::ConstraintRow;
use gradyn_trajectory::quadratic::Multipliers;
use serde::Serialize;

/// A constraint at all nodes where it counts.
#[derive(Clone, Debug, Serialize)]
pub struct Violation {
    #[serde(skip)]
    /// Its name in the task, or `bounds of controls` and the like.
    pub name: String,
    /// Rows over all nodes, those without a bound left out; a cone is one.
    pub rows: usize,
    /// How many of them are at a bound; all of those that are equalities.
    pub active: usize,
    /// The largest distance from what is allowed.
    pub violation: f64,
    /// Where that is.
    pub node: usize,
    /// The phase of that node.
    pub phase: String,
    /// The largest multiplier of a row, if the solver has multipliers: the decrease of the cost per unit that the bound
    /// is relaxed.
    pub multiplier: Option<f64>,
}

/// Bounds of controls have no name of their own, nor have those of parameters and durations.
const CONTROLS: &str = "bounds of controls";
const PARAMETERS: &str = "bounds of parameters";
const DURATIONS: &str = "bounds of durations";
const CHOSEN: &str = "bounds of parameters and durations";

/// Nearer than this to a bound, in proportion to it, is at the bound: what a barrier leaves at the usual tolerance.
const AT: f64 = 1e-5;

impl Violation {
    fn add(&mut self, off: f64, active: bool, node: usize, phase: &str, multiplier: Option<f64>) {
        self.rows += 1;
        self.active += usize::from(active);
        if off > self.violation {
            (self.violation, self.node, self.phase) = (off, node, phase.to_owned());
        }
        if let Some(y) = multiplier {
            self.multiplier = Some(self.multiplier.unwrap_or(0.0).max(y.abs()));
        }
    }
}

/// How far a number is outside of its bounds, and whether it is at one.
fn outside(x: f64, lower: f64, upper: f64) -> (f64, bool) {
    let off = (lower - x).max(x - upper).max(0.0);
    let at = |bound: f64| bound.is_finite() && (x - bound).abs() <= AT * (1.0 + bound.abs());
    (off, off > 0.0 || at(lower) || at(upper))
}

/// How far `(t, w)` is outside of its cone, `|w| − t`, and whether it is at the boundary.
fn beside(rows: &[f64]) -> (f64, bool) {
    let Some((t, w)) = rows.split_first() else { return (0.0, false) };
    let size = w.iter().map(|x| x * x).sum::<f64>().sqrt();
    ((size - t).max(0.0), t - size <= AT * (1.0 + size))
}

/// All constraints, in the order in which they are met. Nodes that cannot be evaluated are left out. `controls`:
/// multipliers of the bounds of controls by node.
pub fn violations(
    task: &Task,
    trajectory: &Trajectory,
    multipliers: &[Multipliers],
    controls: &[Vec<Option<f64>>],
) -> Vec<Violation> {
    let problem = &task.problem;
    let mut memory = problem.memory();
    let mut all: Vec<Violation> = Vec::new();
    let mut add = |name: &str, off: (f64, bool), node: usize, multiplier: Option<f64>| {
        let phase = problem.phase_of(node);
        let at = all.iter().position(|of| of.name == name).unwrap_or_else(|| {
            let (name, phase) = (name.to_owned(), phase.to_owned());
            all.push(Violation { name, rows: 0, active: 0, violation: 0.0, node: 0, phase, multiplier: None });
            all.len() - 1
        });
        // Parameters are chosen before the first node.
        all[at].add(off.0, off.1, node.saturating_sub(task.first()), phase, multiplier);
    };
    for k in 0..=problem.steps() {
        let (dims, u) = (problem.dims(k), trajectory.u(k));
        let mut next = vec![0.0; if k == problem.steps() { 0 } else { dims.nx }];
        let mut rows = vec![0.0; dims.n_eq + dims.n_in];
        if problem.value(k, trajectory.x(k), u, &mut memory, &mut next, &mut rows).is_err() {
            continue;
        }
        let (eq, ineq) = rows.split_at(dims.n_eq);
        let (mut lower, mut upper) = (vec![0.0; dims.n_in], vec![0.0; dims.n_in]);
        problem.bounds(k, &mut lower, &mut upper);
        let prices = multipliers.get(k);
        for (i, c) in eq.iter().enumerate() {
            let Some(name) = problem.constraint_of(k, ConstraintRow::Equality(i)) else { continue };
            // Where it does not count, its row is zero.
            add(name, (c.abs(), true), k, prices.and_then(|m| m.eq.get(i)).copied());
        }
        for (i, g) in ineq.iter().enumerate().filter(|(i, _)| lower[*i].is_finite() || upper[*i].is_finite()) {
            let Some(name) = problem.constraint_of(k, ConstraintRow::Inequality(i)) else { continue };
            add(name, outside(*g, lower[i], upper[i]), k, prices.and_then(|m| m.ineq.get(i)).copied());
        }
        for cone in problem.cones(k) {
            let Some(name) = problem.constraint_of(k, ConstraintRow::Inequality(cone.start)) else { continue };
            add(name, beside(&ineq[cone.clone()]), k, prices.and_then(|m| m.ineq.get(cone.start)).copied());
        }
        if let Some((lower, upper)) = problem.node(k).control_bounds() {
            for i in (0..u.len()).filter(|i| lower[*i].is_finite() || upper[*i].is_finite()) {
                let name = match (task.start.parameters.is_empty(), task.free_phases().next()) {
                    _ if k >= task.first() => CONTROLS,
                    (true, _) => DURATIONS,
                    (false, None) => PARAMETERS,
                    (false, Some(_)) => CHOSEN,
                };
                let price = controls.get(k).and_then(|prices| prices.get(i).copied().flatten());
                add(name, outside(u[i], lower[i], upper[i]), k, price);
            }
        }
    }
    all
}

/// The largest violation of all.
pub fn worst(all: &[Violation]) -> f64 {
    all.iter().map(|of| of.violation).fold(0.0, f64::max)
}
