//! The end of a solution, stored for a warm start.

use super::algorithm::{Algorithm, Context};
use crate::problem::Problem;
use crate::trajectory::Trajectory;

/// A solution of [`Newton`](super::Newton) or [`Proximal`](super::Proximal), with all that it takes to go on from
/// there: multipliers, slacks, and μ. From its own solution a solver has nothing left to do but to see that.
///
/// It may be written to a file and given to another solver of the same kind, for the same problem, or for one with the
/// same sizes that is a little different.
#[derive(Clone, Debug, PartialEq)]
pub struct WarmStart {
    /// States and controls.
    pub trajectory: Trajectory,
    /// μ where the solution has ended: of the barrier of [`Newton`](super::Newton), or of the penalty `c²/2μ` of
    /// [`Proximal`](super::Proximal).
    pub mu: f64,
    /// What costs were multiplied by, above 0: the tolerance of a solver is one of the scaled problem.
    pub scale: f64,
    /// One a node, N + 1.
    pub nodes: Vec<WarmNode>,
}

/// What a [`WarmStart`] has of a node. Multipliers are those of the cost as it is, not scaled.
///
/// Its rows are the controls that have a bound, in their order, then the rows `g` between bounds, n_in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WarmNode {
    /// λ: of what makes its state, ndx.
    pub costate: Vec<f64>,
    /// ν: of its equalities, n_eq.
    pub equalities: Vec<f64>,
    /// s: where its rows are, between their bounds.
    pub slacks: Vec<f64>,
    /// Multipliers of lower bounds, not negative, one a row; of second-order cones the multiplier `z` in the cone.
    pub lower: Vec<f64>,
    /// Multipliers of upper bounds, not negative, one a row.
    pub upper: Vec<f64>,
}

impl WarmStart {
    /// Whether it has the sizes of this problem, finite numbers, and positive `mu` and `scale`.
    #[must_use]
    pub fn fits(&self, problem: &Problem) -> bool {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        let fits = |(k, node): (usize, &WarmNode)| {
            let dims = problem.dims(k);
            let bounded = problem.node(k).control_bounds().map_or(0, |(lower, upper)| {
                lower.iter().zip(upper).filter(|(l, u)| l.is_finite() || u.is_finite()).count()
            });
            let rows = bounded + dims.n_in;
            let WarmNode { costate, equalities, slacks, lower, upper } = node;
            let sizes = [costate.len(), equalities.len(), slacks.len(), lower.len(), upper.len()];
            sizes == [dims.ndx, dims.n_eq, rows, rows, rows]
                && [costate, equalities, slacks, lower, upper].into_iter().flatten().all(|x| x.is_finite())
        };
        self.trajectory.fits(problem)
            && self.nodes.len() == problem.steps() + 1
            // Where nothing has a bound there is no barrier.
            && self.mu.is_finite()
            && self.mu >= 0.0
            && positive(self.scale)
            && self.nodes.iter().enumerate().all(fits)
    }
}

/// What a solution starts from.
#[derive(Clone, Copy, Debug)]
pub enum Begin<'a> {
    /// A guess.
    Guess(&'a Trajectory),
    /// The end of another solution.
    Warm(&'a WarmStart),
    /// The solver's own last solution.
    Last,
}

impl<'a> Begin<'a> {
    /// The given trajectory; `None` for the last solution.
    #[must_use]
    pub fn trajectory(self) -> Option<&'a Trajectory> {
        match self {
            Self::Guess(guess) => Some(guess),
            Self::Warm(warm) => Some(&warm.trajectory),
            Self::Last => None,
        }
    }
    /// Whether the solver has memory for it.
    pub(super) fn fits(self, problem: &Problem) -> bool {
        match self {
            Self::Guess(guess) => guess.fits(problem),
            Self::Warm(warm) => warm.fits(problem),
            Self::Last => true,
        }
    }
}

/// Numbers times a factor, into a slice.
pub(super) fn scaled(to: &mut [f64], from: &[f64], scale: f64) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = scale * from);
}

/// What an algorithm writes itself so that its solver also starts warm and runs model-predictive control.
pub(super) trait Resume: Algorithm {
    /// What it stores of a node's bounded controls and inequality constraints.
    type Rows;
    /// One a node.
    fn rows(&mut self) -> &mut [Self::Rows];
    /// Starts from the end of another solution.
    fn take_over(&mut self, at: &mut Context<'_>, from: &WarmStart);
    /// Starts from its own last solution, with bounds that may have moved; `mu`: where it ended.
    fn go_on(&mut self, at: &mut Context<'_>, mu: f64);
    /// Prepares the linearization of the last solution as it is.
    fn refresh(&mut self, at: &mut Context<'_>);
    /// μ at the end of the last solution.
    fn mu(&self) -> f64;
    /// The multiplier of a bound of a node's control, of the scaled cost.
    fn control_multiplier(&self, k: usize, control: usize) -> Option<f64>;
    /// Slacks and multipliers of a node's rows, the latter times `by_scale`.
    fn warm_rows(&self, k: usize, by_scale: f64, into: &mut WarmNode);
    /// Slacks and multipliers of a node's rows from those of another node, if that has the same rows.
    fn warm_start_from(rows: &mut Self::Rows, other: &Self::Rows);
}
