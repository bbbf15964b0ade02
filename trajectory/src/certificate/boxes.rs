//! Bounds of single numbers, and the resulting ranges of joints over time.
//!
//! A row of a constraint that is affine in one coordinate, one velocity or one control bounds that number. Between
//! nodes, configurations move by `q⁺ = q ⊕ h (α v + β v⁺)`, so bounds of velocities bound the path: an interval follows
//! from the previous one, from the start on.

use super::Certificate;
use crate::node::ConstraintRow;
use crate::problem::Problem;
use crate::quadratic::Quadratic;
use gradyn::Model;
use gradyn::joint::{Elementary, Geometry, Joint, JointKind};

/// Bounds that miss each other by less than this, relative to their size, meet: what files of six digits leave.
const CLEAR: f64 = 1e-6;

/// A bound, and what asks for it.
#[derive(Clone, Debug)]
struct Bound {
    value: f64,
    by: String,
}

/// A number between bounds.
#[derive(Clone, Debug, Default)]
struct Interval {
    lower: Option<Bound>,
    upper: Option<Bound>,
}

impl Interval {
    fn least(&self) -> f64 {
        self.lower.as_ref().map_or(f64::NEG_INFINITY, |bound| bound.value)
    }
    fn most(&self) -> f64 {
        self.upper.as_ref().map_or(f64::INFINITY, |bound| bound.value)
    }
    /// Within these bounds too.
    fn cut(&mut self, lower: f64, upper: f64, by: &str) {
        if lower > self.least() {
            self.lower = Some(Bound { value: lower, by: by.into() });
        }
        if upper < self.most() {
            self.upper = Some(Bound { value: upper, by: by.into() });
        }
    }
    fn is_empty(&self) -> bool {
        misses(self.least(), self.most())
    }
    /// Nothing between them, of what.
    fn contradiction(&self, of: String, node: usize) -> Option<Certificate> {
        let (Some(lower), Some(upper)) = (self.lower.as_ref(), self.upper.as_ref()) else { return None };
        let pair = |bound: &Bound| (bound.by.clone(), bound.value);
        self.is_empty().then(|| Certificate::Bounds { of, node, lower: pair(lower), upper: pair(upper) })
    }
}

/// Whether a lower bound is clearly above an upper one.
fn misses(lower: f64, upper: f64) -> bool {
    lower - upper > CLEAR * (1.0 + lower.abs().min(upper.abs()))
}

/// Bounds of a node, and where joints can be there.
pub(super) struct Boxes {
    /// Displacements from the start, of joints whose coordinates add up; one a degree of freedom.
    positions: Vec<Interval>,
    velocities: Vec<Interval>,
    controls: Vec<Interval>,
    /// Least and greatest displacement that the way up to here leaves, rad or m.
    pub(super) reached: Vec<[f64; 2]>,
    /// The longest time until here, s.
    pub(super) time: f64,
}

/// Degrees of freedom whose coordinates add up: `q ⊕ v = q + v`.
fn flat(model: &Model) -> Vec<bool> {
    let mut flat = vec![false; model.nv()];
    for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
        let wraps = matches!(body.joint(), Joint::Elementary(Elementary::Continuous(_)));
        let adds = body.joint().geometry() == Geometry::Flat && body.q_range().len() == body.v_range().len();
        flat[body.v_range()].fill(adds && !wraps);
    }
    flat
}

/// The bounds of all nodes, or a proof that they leave nothing.
pub(super) fn find(problem: &Problem) -> Result<Vec<Boxes>, Certificate> {
    let flat = flat(problem.model());
    let first = usize::from(problem.choice().is_some());
    let mut all: Vec<Boxes> = Vec::new();
    for k in 0..=problem.steps() {
        let mut here = of_node(problem, k, &flat);
        let of = |what: &str, name: &str| format!("{what} of {name}");
        let dofs = problem.model().dof_names();
        for (i, name) in dofs.iter().enumerate() {
            let position = here.positions[i].contradiction(of("the displacement", name), k);
            let found = position.or_else(|| here.velocities[i].contradiction(of("the velocity", name), k));
            found.map_or(Ok(()), Err)?;
        }
        for (i, control) in here.controls.iter().enumerate() {
            control.contradiction(format!("control {i}"), k).map_or(Ok(()), Err)?;
        }
        if let Some(before) = all.last().filter(|_| k > first) {
            let [shortest, longest] = problem.step_lengths(k - 1);
            let weights = problem.stage(k - 1).and_then(|stage| stage.moves_by());
            here.time = before.time + longest;
            for (i, adds) in flat.iter().enumerate() {
                let Some(weights) = weights.filter(|_| *adds) else { continue };
                let speeds = [(weights[0], &before.velocities[i]), (weights[1], &here.velocities[i])];
                let speed = speeds
                    .into_iter()
                    .filter(|(w, _)| *w > 0.0)
                    .fold([0.0; 2], |sum: [f64; 2], (w, v)| [sum[0] + w * v.least(), sum[1] + w * v.most()]);
                // The shortest step leads least far where the speed has this sign, and the longest one where it has the
                // other.
                let ends = [speed[0] * shortest, speed[0] * longest, speed[1] * shortest, speed[1] * longest];
                let known = ends.map(|x| if x.is_nan() { 0.0 } else { x });
                let least = before.reached[i][0] + known.into_iter().fold(f64::INFINITY, f64::min);
                let most = before.reached[i][1] + known.into_iter().fold(f64::NEG_INFINITY, f64::max);
                let wanted = &here.positions[i];
                let (low, high) = (wanted.least(), wanted.most());
                let too_far = |bound: &Option<Bound>, range: f64| {
                    bound.as_ref().map(|bound| Certificate::TooFast {
                        constraint: bound.by.clone(),
                        node: k,
                        distance: bound.value.abs(),
                        range: range.abs(),
                        time: here.time,
                    })
                };
                let proof = if misses(low, most) {
                    too_far(&wanted.lower, most)
                } else if misses(least, high) {
                    too_far(&wanted.upper, least)
                } else {
                    None
                };
                proof.map_or(Ok(()), Err)?;
                here.reached[i] = [least.max(low), most.min(high)];
            }
        } else {
            here.reached.fill([0.0; 2]);
        }
        all.push(here);
    }
    Ok(all)
}

/// What rows of a node that are affine in a single number say of it.
fn of_node(problem: &Problem, k: usize, flat: &[bool]) -> Boxes {
    let (dims, nv, last) = (problem.dims(k), problem.model().nv(), problem.steps());
    let none = |n: usize| vec![Interval::default(); n];
    let mut here = Boxes {
        positions: none(nv),
        velocities: none(nv),
        controls: none(dims.nu),
        reached: vec![[f64::NEG_INFINITY, f64::INFINITY]; nv],
        time: 0.0,
    };
    if let Some((lower, upper)) = problem.node(k).control_bounds() {
        for (control, (l, u)) in here.controls.iter_mut().zip(lower.iter().zip(upper)) {
            control.cut(*l, *u, "its bound");
        }
    }
    let Some(stage) = problem.stage(k) else { return here };
    let mut node = Quadratic::new(dims, k == last);
    let u = vec![0.0; dims.nu];
    if problem.linearize(k, problem.start(), &u, &mut problem.memory(), &mut node).is_err() {
        return here;
    }
    let (mut lower, mut upper) = (vec![0.0; dims.n_in], vec![0.0; dims.n_in]);
    problem.bounds(k, &mut lower, &mut upper);
    let equal =
        (0..dims.n_eq).map(|i| (ConstraintRow::Equality(i), node.eq[i], [0.0; 2], node.eq_x.row(i), node.eq_u.row(i)));
    let between = (0..dims.n_in).map(|i| {
        (ConstraintRow::Inequality(i), node.ineq[i], [lower[i], upper[i]], node.ineq_x.row(i), node.ineq_u.row(i))
    });
    for (row, value, bounds, by_x, by_u) in equal.chain(between) {
        let Some(name) = problem.constraint_of(k, row) else { continue };
        if !stage.is_affine(name) {
            continue;
        }
        let by = format!("`{name}` of phase `{}`", problem.phase_of(k));
        let mut entries = by_x.iter().chain(by_u.iter()).enumerate().filter(|(_, c)| **c != 0.0);
        let (Some((entry, c)), None) = (entries.next(), entries.next()) else { continue };
        let ends = bounds.map(|bound| (bound - value) / c);
        let [l, u] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        match entry {
            i if i < nv && flat[i] => here.positions[i].cut(l, u, &by),
            i if (nv..2 * nv).contains(&i) => {
                let start = problem.start()[problem.model().nq() + i - nv];
                here.velocities[i - nv].cut(l + start, u + start, &by);
            }
            i if i >= dims.ndx => here.controls[i - dims.ndx].cut(l, u, &by),
            _ => {}
        }
    }
    here
}
