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

use super::{Hessian, InteriorPoint, NewtonOptions, RollOut, Run, TrialNode};
use crate::solver::algorithm::{Context, Watch};
use crate::solver::report::Status;
use crate::solver::state::{Now, State};
use crate::trajectory::Trajectory;

/// After so many iterations the next strategy follows: nine of ten swing-ups that are drawn in `benches/newton.rs` take
/// less in all. With 250, one more of 100 double pendulums is left unsolved.
const PATIENCE: usize = 125;

/// After so many iterations from another solution, without coming close to an optimum or solving a barrier problem,
/// only its trajectory is used: its own solution takes one iteration, that of a slightly different problem less than
/// ten.
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

    /// The first one of a problem: straight if equalities are the only constraints. Of 80 arms that reach for a place
    /// (`ur5_reach` of `benches/newton.rs`) it solves all and the mixed one 52. With bounds, the mixed one solves 79 of
    /// them and the straight one 52, and of 300 drawn problems 297 against 284 (AVX2).
    pub(super) fn first(straight: bool) -> Self {
        if straight { Self::LINE_SEARCH } else { Self::MIXED }
    }
    /// All of them.
    pub(super) fn all(straight: bool) -> [Self; 3] {
        [Self::first(straight), Self::first(!straight), Self::ROLLED_OUT]
    }
}

/// Where a strategy ended that led nowhere.
struct Ended {
    status: Status,
    now: Now,
    run: Run,
    strategy: Strategy,
}

impl InteriorPoint {
    /// Whether equalities are the only constraints beside the dynamics.
    fn has_equalities_alone(&self, state: &State) -> bool {
        self.rows.iter().all(|rows| rows.bounds() == 0) && state.multipliers.iter().any(|m| !m.eq.is_empty())
    }

    /// Solves from a guess: by one strategy after the other until one leads to a solution. If none does, the best one
    /// goes on with the iterations that are left. Without a guess it goes on from the last solution, by the first
    /// strategy alone. From another solution, it starts there first.
    pub(super) fn solve_with_fallbacks(
        &mut self,
        at: &mut Context<'_>,
        guess: Option<&Trajectory>,
        watch: Watch<'_>,
    ) -> Status {
        let strategies = Strategy::all(self.has_equalities_alone(at.state));
        let Some(guess) = guess else {
            self.plan(strategies[0], self.options.iterations);
            return self.iterate(at, false, watch);
        };
        if self.attempt.warm_mu.is_some() {
            self.plan(strategies[0], self.options.iterations.min(WARM));
            let status = self.iterate(at, false, watch);
            if !Self::leads_nowhere(at.state, &status) || self.all_iterations_used(at.state) {
                return status;
            }
            self.attempt.warm_mu = None;
            self.start_over(at, guess, false);
        }
        let count = self.strategies();
        let (mut blocked, mut best) = (Vec::new(), None::<Ended>);
        for (tried, strategy) in strategies[..count].iter().enumerate() {
            if tried > 0 {
                self.start_over(at, guess, strategy.rolled_out);
            }
            let (begun, last) = (at.state.history.len(), tried + 1 == count);
            let patience = match blocked[..] {
                // Doubts of what two have said shall not take longer than either.
                [(a, _), (b, _)] => usize::max(a, b),
                _ if last => self.options.iterations,
                _ => PATIENCE,
            };
            self.plan(*strategy, self.options.iterations.min(begun + patience));
            let status = self.iterate(at, true, watch);
            if let Status::NoFeasiblePoint { .. } = &status {
                blocked.push((at.state.history.len() - begun, status.clone()));
            }
            let all_used = self.all_iterations_used(at.state);
            if count == 1 || !Self::leads_nowhere(at.state, &status) || (all_used && best.is_none()) {
                return status;
            }
            if best.as_ref().is_none_or(|best| at.state.now.kkt_error < best.now.kkt_error) {
                self.attempt.best.copy_from(&at.state.iterate);
                best = Some(Ended { status, now: at.state.now, run: self.run, strategy: self.attempt.strategy });
            }
            if all_used {
                break;
            }
        }
        if blocked.len() > 1 {
            // Two that agree are believed, if the last one solves nothing: of 80 reaches within bounds it solves one.
            return blocked.swap_remove(0).1;
        }
        best.map_or(Status::IterationLimit, |best| self.continue_best(at, best, watch))
    }

    /// The number of strategies that the options leave open.
    fn strategies(&self) -> usize {
        let NewtonOptions { hessian, roll_out, .. } = self.options;
        match (hessian, roll_out) {
            (_, RollOut::Automatic) => 3,
            (Hessian::Automatic, _) => 2,
            _ => 1,
        }
    }

    /// The next strategy, until there are so many iterations in all. Options that are not automatic hold for all.
    fn plan(&mut self, strategy: Strategy, iteration_budget: usize) {
        (self.attempt.strategy, self.attempt.iteration_budget) = (strategy, iteration_budget);
        if self.options.roll_out != RollOut::Automatic {
            self.attempt.strategy.roll_out = self.options.roll_out;
        }
    }

    fn all_iterations_used(&self, state: &State) -> bool {
        state.history.len() >= self.options.iterations
    }

    /// Returns to the best end. If its strategy was left too early, it gets the iterations that the others have not
    /// used.
    fn continue_best(&mut self, at: &mut Context<'_>, best: Ended, watch: Watch<'_>) -> Status {
        if best.strategy != self.attempt.strategy {
            self.take_best(at.state, &best);
        }
        if !matches!(best.status, Status::IterationLimit) || self.all_iterations_used(at.state) {
            return best.status;
        }
        self.attempt.strategy = best.strategy;
        self.attempt.iteration_budget = self.options.iterations;
        self.forget_progress(at.state);
        self.run.mu = best.run.mu;
        self.forget(at);
        let further = self.iterate(at, true, watch);
        let error = at.state.now.kkt_error;
        if Self::leads_nowhere(at.state, &further) && (error >= best.now.kkt_error || error.is_nan()) {
            self.take_best(at.state, &best);
            return if matches!(further, Status::Stalled { .. }) { further } else { best.status };
        }
        further
    }

    /// Starts over from the guess, or from its roll-out.
    fn start_over(&mut self, at: &mut Context<'_>, guess: &Trajectory, rolled_out: bool) {
        at.state.iterate.copy_from(guess);
        if rolled_out {
            self.roll_out_guess(at);
        }
        self.forget_progress(at.state);
        self.forget(at);
    }

    fn forget_progress(&mut self, state: &mut State) {
        (state.now, self.run) = (Now::BEGIN, Run::new(&self.options));
    }

    /// Goes back to the best end, whose trajectory is stored.
    fn take_best(&mut self, state: &mut State, best: &Ended) {
        state.iterate.copy_from(&self.attempt.best);
        (state.now, self.run) = (best.now, best.run);
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
