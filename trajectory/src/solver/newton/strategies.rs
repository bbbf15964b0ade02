//! Strategies for a problem: the meaning of `Automatic`, and the order in which strategies start again from the same
//! guess after one has failed.
//!
//! A step that is too long ends far from anything that can be followed back, with any restoration. No rule for a single
//! step is right for all problems. There are therefore three strategies, which fail on different problems:
//!
//! - **straight**: trials go along straight lines, and second derivatives that are not positive are regularized as much
//!   as needed, as in Ipopt. The regularization keeps steps short where linearized equalities require long ones, for
//!   example for a stretched arm.
//! - **mixed**: far from a solution, second derivatives that are not positive are replaced by Gauss-Newton's or
//!   regularized, alternating. If only short steps along straight lines are accepted, trials follow the dynamics.
//! - **rolled out**: like mixed, with all trials by the dynamics, from the roll-out of the guess, so that there are
//!   never gaps.

use super::{Hessian, InteriorPoint, RollOut, Run, TrialNode};
use crate::solver::algorithm::{Context, Watch};
use crate::solver::report::Status;
use crate::solver::state::{Now, State};
use crate::trajectory::Trajectory;

/// After so many iterations another way is tried, if there is one: nine of ten swing-ups that are drawn in `benches/newton.rs` take less in all.
/// With 250 one more of 100 double pendulums is left unsolved.
const PATIENCE: usize = 125;

/// After so many iterations from another solution, if it neither comes close to an optimum nor solves a barrier problem, the trajectory alone
/// is taken from it: from its own solution it takes one, from one of a problem that is a little different less than ten.
const WARM: usize = 25;

/// How directions and trials are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Strategy {
    pub(super) roll_out: RollOut,
    /// Whether Gauss-Newton replaces second derivatives that are not positive, far from a solution, alternating with
    /// regularization.
    pub(super) replaces: bool,
    /// Whether it starts with the roll-out of the guess.
    rolled_out: bool,
}

impl Strategy {
    const LINE_SEARCH: Self = Self { roll_out: RollOut::Linear, replaces: false, rolled_out: false };
    const MIXED: Self = Self { roll_out: RollOut::Automatic, replaces: true, rolled_out: false };
    const ROLLED_OUT: Self = Self { roll_out: RollOut::Nonlinear, replaces: true, rolled_out: true };

    /// The first one of a problem. Where there are equalities and nothing beside them, the straight one: of 80 arms that reach for a place
    /// (`ur5_reach` of `benches/newton.rs`) it solves all and the mixed one 52. With bounds the mixed one is sooner there: of the same within bounds
    /// it solves 79 and the straight one 52, and of 300 drawn ones 297 beside 284 (AVX2).
    pub(super) fn first(straight: bool) -> Self {
        if straight { Self::LINE_SEARCH } else { Self::MIXED }
    }
    /// All of them.
    fn all(straight: bool) -> [Self; 3] {
        [Self::first(straight), Self::first(!straight), Self::ROLLED_OUT]
    }
}

impl InteriorPoint {
    /// Whether equalities are the only constraints beside the dynamics.
    fn has_equalities_alone(&self, state: &State) -> bool {
        self.rows.iter().all(|rows| rows.bounds() == 0) && state.multipliers.iter().any(|m| !m.eq.is_empty())
    }

    /// Solves from a guess, by one way after the other until one leads to a solution; where none does, the best one goes on with the iterations
    /// that are left. Without a guess, from where the last solution has ended, by the first way alone; where another
    /// solution has been taken over, first from there.
    pub(super) fn solve_with_fallbacks(
        &mut self,
        at: &mut Context<'_>,
        guess: Option<&Trajectory>,
        watch: Watch<'_>,
    ) -> Status {
        let ways = Strategy::all(self.has_equalities_alone(at.state));
        let options = &self.options;
        let chosen = options.hessian != Hessian::Automatic && options.roll_out != RollOut::Automatic;
        let count = match (guess, chosen) {
            (None, _) | (_, true) => 1,
            (Some(_), false) if options.roll_out == RollOut::Automatic => 3,
            _ => 2,
        };
        if let (Some(_), Some(guess)) = (self.attempt.warm_mu, guess) {
            self.attempt.strategy = ways[0];
            if options.roll_out != RollOut::Automatic {
                self.attempt.strategy.roll_out = options.roll_out;
            }
            self.attempt.iteration_budget = options.iterations.min(WARM);
            let status = self.iterate(at, false, watch);
            if !Self::leads_nowhere(at.state, &status) || at.state.history.len() >= self.options.iterations {
                return status;
            }
            self.attempt.warm_mu = None;
            at.state.iterate.copy_from(guess);
            self.start_over(at.state);
            self.forget(at);
        }
        let (mut blocked, mut best) = (Vec::new(), None::<(Status, (Now, Run), Strategy)>);
        for (tried, way) in ways[..count].iter().enumerate() {
            if let (1.., Some(guess)) = (tried, guess) {
                at.state.iterate.copy_from(guess);
                if way.rolled_out {
                    self.roll_out_guess(at);
                }
                self.start_over(at.state);
                self.forget(at);
            }
            self.attempt.strategy = *way;
            if self.options.roll_out != RollOut::Automatic {
                self.attempt.strategy.roll_out = self.options.roll_out;
            }
            let (begun, last) = (at.state.history.len(), tried + 1 == count);
            let patience = match blocked[..] {
                // Doubts of what two have said shall not take longer than either.
                [(a, _), (b, _)] => usize::max(a, b),
                _ if last => self.options.iterations,
                _ => PATIENCE,
            };
            self.attempt.iteration_budget = self.options.iterations.min(begun + patience);
            let status = self.iterate(at, guess.is_some(), watch);
            if let Status::NoFeasiblePoint { .. } = &status {
                blocked.push((at.state.history.len() - begun, status.clone()));
            }
            let all_used = at.state.history.len() >= self.options.iterations;
            if count == 1 || !Self::leads_nowhere(at.state, &status) || (all_used && best.is_none()) {
                return status;
            }
            if best.as_ref().is_none_or(|(_, run, _)| at.state.now.kkt_error < run.0.kkt_error) {
                self.attempt.best.copy_from(&at.state.iterate);
                best = Some((status, (at.state.now, self.run), self.attempt.strategy));
            }
            if all_used {
                break;
            }
        }
        if blocked.len() > 1 {
            // Of two that say so both are believed, if the last one solves nothing: of 80 reaches within bounds it solves one.
            return blocked.swap_remove(0).1;
        }
        let Some((status, run, way)) = best else { return Status::IterationLimit };
        if way != self.attempt.strategy {
            self.take_best(at.state, run);
        }
        if !matches!(status, Status::IterationLimit) || at.state.history.len() >= self.options.iterations {
            return status;
        }
        // It may have been left too early: it has what the others have not used.
        self.attempt.strategy = way;
        self.attempt.iteration_budget = self.options.iterations;
        let mu = run.1.mu;
        self.start_over(at.state);
        self.run.mu = mu;
        self.forget(at);
        let further = self.iterate(at, true, watch);
        if Self::leads_nowhere(at.state, &further)
            && (at.state.now.kkt_error >= run.0.kkt_error || at.state.now.kkt_error.is_nan())
        {
            self.take_best(at.state, run);
            return if matches!(further, Status::Stalled { .. }) { further } else { status };
        }
        further
    }

    /// Nothing is known yet.
    fn start_over(&mut self, state: &mut State) {
        (state.now, self.run) = (Now::BEGIN, Run::new(&self.options));
    }

    /// Goes back to the end of the best way.
    fn take_best(&mut self, state: &mut State, run: (Now, Run)) {
        state.iterate.copy_from(&self.attempt.best);
        (state.now, self.run) = run;
        state.forget_multipliers();
    }

    /// Whether a strategy has ended where another one may lead further.
    fn leads_nowhere(state: &State, status: &Status) -> bool {
        match status {
            Status::Stalled { .. } | Status::Diverged | Status::NoFeasiblePoint { .. } | Status::IterationLimit => true,
            // A guess that cannot be evaluated will not be later.
            Status::Fault(_) => !state.history.is_empty(),
            _ => false,
        }
    }

    /// Replaces the guess by the roll-out of its controls, as far as that can be made.
    fn roll_out_guess(&mut self, at: &mut Context<'_>) {
        let mut memory = at.evaluator.memory();
        at.state.iterate.x_mut(0).copy_from_slice(at.problem.start());
        for k in 0..at.problem.steps() {
            let TrialNode { rows, next, .. } = &mut self.values[k];
            let made = at.problem.value(k, at.state.iterate.x(k), at.state.iterate.u(k), &mut memory, next, rows);
            if made.is_err() || next.iter().any(|x| !x.is_finite()) {
                return;
            }
            at.state.iterate.x_mut(k + 1).copy_from_slice(next);
        }
    }
}
