//! Feasibility-driven differential dynamic programming, with the rules and constants of Crocoddyl 3.2, so that it takes
//! the same iterates as Crocoddyl.
//!
//! C. Mastalli et al., *Crocoddyl: An efficient and versatile framework for multi-contact optimal control*, ICRA 2020,
//! section III. The sweep goes along an iterate that may have gaps and accounts for them. The roll-out shrinks gaps by
//! `1 − α`. A step is accepted if it achieves at least a tenth of the expected improvement, or if it closes gaps at a
//! cost of at most twice the expected one.
//!
//! If phases have control bounds, trials stay between them, and once the trajectory has no gaps the sweep accounts for
//! the bounds: C. Mastalli et al., *A feasibility-driven approach to control-limited DDP*, Autonomous Robots 46 (2022).
//! Here the sweep also accounts for them once no step was accepted, with or without gaps: a direction that bounds block
//! promises a decrease that no step can achieve.

mod roll_out;

use super::algorithm::{Algorithm, Context, Limits, Next, NoDirection, Step, Watch};
use super::driver::Solver;
use super::evaluator::SecondTrial;
use super::gaps;
use super::report::{Iteration, Status};
use super::state::State;
use super::support::{stall_status, unsupported_constraint, worst_term};
use crate::fault::Fault;
use crate::problem::Problem;
use crate::riccati::Failure;
use nalgebra::DVector;
use roll_out::{Beside, RollOuts};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// Constants of [`Fddp`]; the defaults are Crocoddyl's.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FddpOptions {
    /// The iteration limit.
    pub iterations: usize,
    /// The time limit, checked after each iteration.
    pub time: Option<Duration>,
    /// Converged if the expected improvement `|d₁ + ½ d₂|` is below this (`th_stop`).
    pub tolerance: f64,
    /// A direction counts as flat if its slope is below this (`th_grad`).
    pub flat: f64,
    /// The least share of the expected improvement that a step must achieve (`th_acceptstep`).
    pub accept: f64,
    /// How much more than expected a step may cost that closes gaps (`th_acceptnegstep`).
    pub accept_rise: f64,
    /// The initial and the least regularization.
    pub regularization: f64,
    /// The largest regularization: beyond it the solver has stalled.
    pub regularization_max: f64,
    /// The factor by which it grows and shrinks.
    pub regularization_factor: f64,
    /// Regularization shrinks after steps longer than this (`th_stepdec`).
    pub long_step: f64,
    /// Regularization grows after steps not longer than this (`th_stepinc`).
    pub short_step: f64,
    /// The number of trial steps: 1, ½, ¼, …
    pub halvings: usize,
    /// Threads that linearize nodes.
    pub threads: usize,
}

impl Default for FddpOptions {
    fn default() -> Self {
        Self {
            iterations: 100,
            time: None,
            tolerance: 1e-9,
            flat: 1e-12,
            accept: 0.1,
            accept_rise: 2.0,
            regularization: 1e-9,
            regularization_max: 1e9,
            regularization_factor: 10.0,
            long_step: 0.5,
            short_step: 0.01,
            halvings: 10,
            threads: 1,
        }
    }
}

/// Feasibility-driven differential dynamic programming, for problems with control bounds and no other constraints. The
/// solver, with its memory: created once for a problem, used for any number of solutions.
pub type Fddp = Solver<FeasibilityDriven>;

/// The algorithm of [`Fddp`].
pub struct FeasibilityDriven {
    options: FddpOptions,
    roll_outs: Arc<RollOuts>,
    /// Bounds of `δu`.
    bounds: [Vec<f64>; 2],
    product: DVector<f64>,
    run: Run,
}

/// The expected change of the cost of a step: `α d₁ + ½ α² d₂`.
#[derive(Clone, Copy, Default)]
struct Promise {
    first: f64,
    second: f64,
}

/// Where a solution stands.
#[derive(Clone, Copy)]
struct Run {
    /// Whether the iterate has no gaps.
    feasible: bool,
    /// Whether the iterate before it had none.
    was_feasible: bool,
    /// Whether the sweep accounts for control bounds.
    boxed: bool,
    /// Whether the last step was a full step.
    whole: bool,
    /// Whether no step was accepted at the largest regularization.
    exhausted: bool,
    /// The expected decrease of the last direction, for a full step.
    expected: f64,
    /// `max |Qᵤ|`
    stationarity: f64,
    /// The part of the promise that does not depend on the roll-out.
    slope: Promise,
}

impl Run {
    const BEGIN: Self = Self {
        feasible: false,
        was_feasible: false,
        boxed: false,
        whole: true,
        exhausted: false,
        expected: f64::INFINITY,
        stationarity: f64::INFINITY,
        slope: Promise { first: 0.0, second: 0.0 },
    };
}

impl Algorithm for FeasibilityDriven {
    type Options = FddpOptions;
    const NAME: &'static str = "Fddp";

    fn new(problem: &Problem, options: &FddpOptions) -> Self {
        let controls = (0..=problem.steps()).map(|k| problem.dims(k).nu).max().unwrap_or(0);
        Self {
            options: options.clone(),
            roll_outs: Arc::new(RollOuts::new(problem)),
            bounds: [vec![0.0; controls], vec![0.0; controls]],
            product: DVector::zeros(problem.space().ndx()),
            run: Run::BEGIN,
        }
    }
    fn limits(options: &FddpOptions) -> Limits {
        let FddpOptions { iterations, time, threads, .. } = *options;
        Limits { iterations, time, threads }
    }
    fn configure(&mut self, options: &FddpOptions) -> Result<(), String> {
        self.options.clone_from(options);
        Ok(())
    }
    fn unsupported(&self, problem: &Problem) -> Option<Fault> {
        unsupported_constraint(problem)
    }
    fn start(&mut self, at: &mut Context<'_>) {
        self.run = Run::BEGIN;
        at.state.now.regularization = self.options.regularization;
    }
    fn second_trial(&self) -> Option<Arc<dyn SecondTrial>> {
        Some(Arc::clone(&self.roll_outs) as Arc<dyn SecondTrial>)
    }

    /// Gaps of the iterate. Without any, its derivatives may still be computed while the sweep begins.
    fn linearize(&mut self, at: &mut Context<'_>, first: bool) -> Result<(), Fault> {
        if first {
            at.evaluator.start(&at.state.iterate);
        }
        let state = &mut *at.state;
        if self.run.feasible {
            state.now.gap = 0.0;
        } else {
            state.now.cost = at.evaluator.complete(at.problem)?;
            state.now.gap = gaps::find(at.evaluator, at.problem, &state.iterate, &mut state.gaps)?;
        }
        Ok(())
    }

    /// The sweep, with as much regularization as it takes.
    fn direction(&mut self, at: &mut Context<'_>) -> Result<(), NoDirection> {
        while let Err(failure) = self.sweep(at) {
            at.evaluator.complete(at.problem)?;
            if !self.raise(at) {
                return Err(NoDirection::End(self.stalled(at, Some(failure.node()))));
            }
        }
        at.state.now.cost = at.evaluator.complete(at.problem)?;
        self.run.slope = self.promise(at);
        self.run.stationarity = at.state.riccati.nodes.iter().map(|n| n.qu.amax()).fold(0.0, f64::max);
        Ok(())
    }

    fn search(&mut self, at: &mut Context<'_>) -> Step {
        self.roll_outs.lend(at.state, self.run.feasible);
        let (step, promise) = self.line_search(at);
        self.roll_outs.give_back(at.state);
        let FddpOptions { long_step, short_step, regularization, regularization_factor, .. } = self.options;
        self.run.whole = step.length >= 1.0;
        // As in Crocoddyl's BoxFDDP from where gaps are closed on, and from where no step was taken.
        self.run.boxed |= self.run.feasible || !step.accepted;
        if step.length > long_step {
            let now = &mut at.state.now;
            now.regularization = (now.regularization / regularization_factor).max(regularization);
        }
        self.run.exhausted = step.length <= short_step && !self.raise(at);
        self.run.expected = (promise.first + 0.5 * promise.second).abs();
        step
    }

    fn status(&self, _: &Context<'_>) -> Option<Status> {
        let Run { was_feasible, expected, exhausted, .. } = self.run;
        (!exhausted && was_feasible && expected < self.options.tolerance).then_some(Status::Converged)
    }
    fn recover(&mut self, at: &mut Context<'_>, step: Step, _: Watch<'_>) -> ControlFlow<Status, Next> {
        if self.run.exhausted {
            return ControlFlow::Break(self.stalled(at, None));
        }
        ControlFlow::Continue(if step.accepted { Next::Linearize } else { Next::Again })
    }
    fn report(&self, line: &mut Iteration) {
        line.violation = line.gap;
        line.kkt_error = None;
        line.expected_decrease = Some(self.run.expected);
        line.stationarity = self.run.stationarity;
    }
}

impl FeasibilityDriven {
    /// From the end to the start, while nodes that come later in it may still be linearized.
    fn sweep(&mut self, at: &mut Context<'_>) -> Result<(), Failure> {
        let (State { iterate, riccati, gaps, now, .. }, run) = (&mut *at.state, self.run);
        let (problem, delta) = (at.problem, now.regularization);
        // To the sweep, a trajectory without gaps has none at all.
        let gaps = if run.feasible { &[][..] } else { &gaps[..] };
        for k in (0..=problem.steps()).rev() {
            let (node, gap) = (at.evaluator.node(problem, k), gaps.get(k));
            match problem.node(k).control_bounds().filter(|_| run.boxed) {
                None => riccati.sweep_node(k, &node, gap, delta)?,
                Some((lower, upper)) => {
                    let [least, greatest] = &mut self.bounds;
                    let (least, greatest) = (&mut least[..lower.len()], &mut greatest[..upper.len()]);
                    for (i, u) in iterate.u(k).iter().enumerate() {
                        (least[i], greatest[i]) = (lower[i] - u, upper[i] - u);
                    }
                    riccati.sweep_node_in_box(k, &node, gap, delta, (least, greatest))?;
                }
            }
        }
        Ok(())
    }

    fn stalled(&self, at: &mut Context<'_>, node: Option<usize>) -> Status {
        if let Some(fault) = at.state.fault.take() {
            return Status::Fault(fault);
        }
        let node = node.unwrap_or_else(|| at.state.worst());
        let memory = &mut at.evaluator.memory();
        let stalled = || Status::Stalled { node, term: worst_term(at.problem, &at.state.iterate, node, memory) };
        let Run { feasible, expected, .. } = self.run;
        stall_status(at.state.now.cost, feasible, expected, self.options.tolerance, stalled)
    }

    /// The part of the promise that does not depend on the roll-out.
    fn promise(&mut self, at: &Context<'_>) -> Promise {
        let mut d = Promise::default();
        for (node, gap) in at.state.riccati.nodes.iter().zip(&at.state.gaps) {
            d.first += node.qu.dot(&node.k);
            d.second -= node.k.dot(&node.quu_k);
            if !self.run.feasible {
                d.first -= node.vx.dot(gap);
                self.product.gemv(1.0, &node.vxx, gap, 0.0);
                d.second += gap.dot(&self.product);
            }
        }
        d
    }

    /// Tries steps of 1, ½, ¼ …; the last one tried, and what the direction promised.
    ///
    /// Another thread linearizes nodes of whole steps meanwhile, in case they are accepted. If the last step was not a
    /// whole one, it tries the next step beside this one.
    fn line_search(&mut self, at: &mut Context<'_>) -> (Step, Promise) {
        let (roll_outs, evaluator, problem) = (Arc::clone(&self.roll_outs), at.evaluator, at.problem);
        let slope = self.run.slope;
        let (mut d, mut step, mut evaluated) = (slope, 1.0, false);
        let length = |halving: usize| 0.5_f64.powi(halving as i32);
        at.state.fault = None;
        let mut halving = 0;
        while halving < self.options.halvings {
            let ahead = evaluator.has_helpers() && self.run.whole && halving == 0;
            let pair = evaluator.has_helpers() && !ahead && halving + 1 < self.options.halvings;
            if pair {
                evaluator.try_beside(length(halving + 1));
            } else if ahead {
                evaluator.begin_trial();
            }
            let beside = if ahead { Beside::Linearize(evaluator) } else { Beside::Nothing };
            roll_outs.run(0, problem, length(halving), &mut evaluator.memory(), beside);
            for trial in 0..if pair { 2 } else { 1 } {
                if trial == 1 {
                    evaluator.join_beside(true);
                }
                step = length(halving);
                halving += 1;
                let taken = match roll_outs.result(trial, problem, slope) {
                    Err(fault) => {
                        at.state.fault = at.state.fault.take().or(Some(fault));
                        None
                    }
                    Ok((cost, promise)) => {
                        evaluated = true;
                        d = promise;
                        self.accepts(at.state.now.cost, step, cost, d).then_some(cost)
                    }
                };
                if ahead {
                    evaluator.end_trial(taken.is_some());
                }
                let Some(cost) = taken else { continue };
                if pair {
                    evaluator.join_beside(false);
                }
                roll_outs.accept(trial);
                self.run.was_feasible = self.run.feasible;
                self.run.feasible = self.run.was_feasible || step >= 1.0;
                at.state.now.cost = cost;
                at.state.fault = None;
                if !ahead {
                    roll_outs.start(evaluator);
                }
                return (Step::new(step, true), d);
            }
        }
        if evaluated {
            at.state.fault = None;
        }
        (Step::new(step, false), d)
    }

    fn accepts(&self, from: f64, step: f64, cost: f64, d: Promise) -> bool {
        let gain = from - cost;
        let expected = step * (d.first + 0.5 * step * d.second);
        if expected >= 0.0 {
            d.first.abs() < self.options.flat || gain > self.options.accept * expected
        } else {
            !self.run.feasible && gain > self.options.accept_rise * expected
        }
    }

    /// More regularization; `false` if it is at its greatest.
    fn raise(&self, at: &mut Context<'_>) -> bool {
        let FddpOptions { regularization_factor, regularization_max, .. } = self.options;
        let now = &mut at.state.now;
        now.regularization = (now.regularization * regularization_factor).min(regularization_max);
        now.regularization < regularization_max
    }
}
