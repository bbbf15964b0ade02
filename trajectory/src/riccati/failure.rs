//! Why a sweep finds no solution.

use thiserror::Error;

/// Why there is no solution.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The second derivatives by the controls that equalities leave free are not positive definite, or a number is not
    /// finite.
    #[error("node {node}: the second derivatives by the controls are not positive definite, or not finite")]
    Indefinite {
        /// The node, the first one from the end.
        node: usize,
    },
    /// Equalities of these nodes contradict each other, or the start.
    #[error("equalities contradict each other, or the start, at nodes {nodes:?}")]
    Infeasible {
        /// The nodes, ascending.
        nodes: Vec<usize>,
        /// The node where it shows, on the way from the end to the start.
        node: usize,
    },
    /// A node has other sizes than it was made for, or there are more or fewer nodes.
    #[error("node {node} has other sizes than the sweep was made for")]
    Sizes {
        /// The node.
        node: usize,
    },
}

impl Failure {
    /// The node where the sweep had to stop.
    #[must_use]
    pub fn node(&self) -> usize {
        match self {
            Self::Indefinite { node } | Self::Infeasible { node, .. } | Self::Sizes { node } => *node,
        }
    }
}
