//! Proofs that a problem has no solution, from any guess.
//!
//! A solver that ends with violations has seen one point. A proof that constraints cannot hold anywhere does not depend
//! on the point: bounds that leave no value between them, a start that violates a constraint, a goal that links do not
//! reach or that joints are too slow for, or multipliers by which affine rows add up to a contradiction.

mod boxes;
mod farkas;
mod reach;

use crate::node::ConstraintRow;
use crate::problem::Problem;
use std::fmt;

/// Why a problem has no solution.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Certificate {
    /// Two bounds of one number leave nothing between them: a coordinate, a velocity or a control of a node.
    Bounds {
        /// The number, with its joint or control.
        of: String,
        /// The node.
        node: usize,
        /// What asks for at least so much, and how much.
        lower: (String, f64),
        /// What asks for at most so much, and how much.
        upper: (String, f64),
    },
    /// The start breaks a constraint of the first node, by so much.
    Start {
        /// The constraint.
        constraint: String,
        /// By how much its worst row is off.
        violation: f64,
    },
    /// A goal lies beyond the reach of the links.
    Reach {
        /// The constraint.
        constraint: String,
        /// Its node.
        node: usize,
        /// How far the goal is from the first joint of the chain, m.
        distance: f64,
        /// How far the chain reaches from there at most, m.
        reach: f64,
    },
    /// A goal lies further away than joints can move in the time there is, at the velocities that they are allowed.
    TooFast {
        /// The constraint.
        constraint: String,
        /// Its node.
        node: usize,
        /// How far the goal is from the start, m or rad.
        distance: f64,
        /// How much of that joints can have made up by then, at the greatest speeds that are allowed, m or rad.
        range: f64,
        /// The longest time until that node, s.
        time: f64,
    },
    /// Rows that are affine in all unknowns add up, with these multipliers, to `0 ≥ gap > 0` (J. Farkas, 1902).
    Farkas {
        /// The constraints that take part, those with the largest multipliers first.
        constraints: Vec<String>,
        /// What they add up to, with multipliers whose largest is 1.
        gap: f64,
    },
}

/// A proof that a problem has no solution, if one of these is found: a start that breaks a constraint of the first
/// node, bounds that contradict each other, a goal beyond the reach of the links, one that joints are too slow for, or,
/// where the motion is affine (sliding joints without dry friction), rows that add up to a contradiction. `None` says
/// nothing.
///
/// Cost: about that of one linearization of all nodes; of affine motions, that of some sweeps.
#[must_use]
pub fn find(problem: &Problem) -> Option<Certificate> {
    start(problem).or_else(|| match boxes::find(problem) {
        Err(proof) => Some(proof),
        Ok(boxes) => reach::find(problem, &boxes).or_else(|| farkas::find(problem)),
    })
}

/// A start is outside of a constraint if it is off by more than this: what files of six digits leave.
const CLEAR: f64 = 1e-5;

/// A constraint on the state alone at the first node that the start violates.
fn start(problem: &Problem) -> Option<Certificate> {
    let k = usize::from(problem.choice().is_some());
    // What is chosen may move what is asked for.
    let stage = problem.stage(k).filter(|_| k == 0)?;
    let dims = problem.dims(k);
    let mut next = vec![0.0; if problem.steps() == 0 { 0 } else { dims.nx }];
    let mut rows = vec![0.0; dims.n_eq + dims.n_in];
    let u = vec![0.0; dims.nu];
    problem.value(k, problem.start(), &u, &mut problem.memory(), &mut next, &mut rows).ok()?;
    let (mut lower, mut upper) = (vec![0.0; dims.n_in], vec![0.0; dims.n_in]);
    problem.bounds(k, &mut lower, &mut upper);
    let equal = (0..dims.n_eq).map(|i| (ConstraintRow::Equality(i), rows[i].abs()));
    let between = (0..dims.n_in).map(|i| {
        let g = rows[dims.n_eq + i];
        (ConstraintRow::Inequality(i), (lower[i] - g).max(g - upper[i]))
    });
    let broken = equal.chain(between).filter_map(|(row, off)| {
        let name = problem.constraint_of(k, row)?;
        stage.sees_state_alone(name).then_some((name, off))
    });
    let (name, violation) = broken.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, off)| *off > CLEAR)?;
    let constraint = format!("`{name}` of phase `{}`", problem.phase_of(k));
    Some(Certificate::Start { constraint, violation })
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bounds { of, node, lower: (low, least), upper: (high, most) } => {
                write!(f, "{of} at node {node} is at least {least:.6} by {low} and at most {most:.6} by {high}")
            }
            Self::Start { constraint, violation } => write!(f, "the start breaks {constraint} by {violation:.3e}"),
            Self::Reach { constraint, node, distance, reach } => write!(
                f,
                "the goal of {constraint} at node {node} is {distance:.4} m from the first joint, beyond the reach of the links, {reach:.4} m"
            ),
            Self::TooFast { constraint, node, distance, range, time } => write!(
                f,
                "the goal of {constraint} at node {node} is {distance:.4} away from the start; at the velocities that are allowed, {time:.4} s \
                 lead {range:.4} at most"
            ),
            Self::Farkas { constraints, gap } => {
                write!(f, "{} contradict each other, wherever the rest is (by {gap:.3e})", constraints.join(", "))
            }
        }
    }
}
