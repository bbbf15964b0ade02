//! Multiple shooting with a linear roll-out and a filter: sequential quadratic programming, whose quadratic programs
//! are solved by one Riccati sweep.
//!
//! States are variables like controls. A direction closes the gaps to first order, `δx⁺ = A δx + B δu + d`. A trial
//! goes along it, `x ⊕ α δx`, `u + α δu`, so that all nodes are evaluated at once, in parallel. A. Jordana et al.,
//! *Stagewise implementations of sequential quadratic programming for model-predictive control* (2023).
//!
//! With a filter alone, cost and gaps may increase in turn: full steps go too far where second derivatives of the
//! dynamics, which Gauss–Newton omits, matter, and the loss in cost is taken for progress in gaps. A trial must
//! therefore also lower the Lagrangian at the multipliers of its direction p, along which it initially falls by pᵀHp.
//! There gaps have their price, and a step that goes too far is detected.

use super::crew::{Crew, Merit};
use super::domain;
use super::filter::Filter;
use super::gaps;
use super::report::{Control, Iteration, Report, Status};
use super::support::{diverges, misfit, not_kept, of_dynamics, phases_of, stuck, worst_term};
use crate::fault::Fault;
use crate::problem::Problem;
use crate::riccati::{Failure, LqSolution, Riccati};
use crate::trajectory::Trajectory;
use nalgebra::DVector;
use std::time::{Duration, Instant};

/// Constants of [`MultipleShooting`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShootingOptions {
    /// The iteration limit.
    pub iterations: usize,
    /// The time limit, checked after each iteration.
    pub time: Option<Duration>,
    /// Converged if the expected improvement is below this, and gaps are closed to `gap`.
    pub tolerance: f64,
    /// The largest gap, and the largest violation of equalities, of a solution.
    pub gap: f64,
    /// The initial and the least regularization.
    pub regularization: f64,
    /// The largest regularization: beyond it the solver has stalled.
    pub regularization_max: f64,
    /// The factor by which it grows and shrinks.
    pub regularization_factor: f64,
    /// The number of trial steps: 1, ½, ¼, …
    pub halvings: usize,
    /// Threads that evaluate nodes.
    pub threads: usize,
}

impl Default for ShootingOptions {
    fn default() -> Self {
        Self {
            iterations: 200,
            time: None,
            tolerance: 1e-9,
            gap: 1e-8,
            regularization: 1e-9,
            regularization_max: 1e9,
            regularization_factor: 10.0,
            halvings: 12,
            threads: 1,
        }
    }
}

/// The solver, with its memory: created once for a problem, used for any number of solutions.
///
/// After the first iteration it allocates nothing.
pub struct MultipleShooting {
    crew: Crew,
    solver: Inner,
}

/// What the solver's own thread works with.
struct Inner {
    options: ShootingOptions,
    riccati: Riccati,
    gaps: Vec<DVector<f64>>,
    kept: Trajectory,
    tried: Trajectory,
    /// The direction, with multipliers.
    lq: LqSolution,
    /// `δ_c`: zero, where equalities can hold to first order.
    softness: f64,
    scaled: Vec<f64>,
    filter: Filter,
    /// Why the last trial could not be evaluated, if none could.
    fault: Option<Fault>,
    history: Vec<Iteration>,
}

impl std::fmt::Debug for MultipleShooting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MultipleShooting").field("options", &self.solver.options).finish_non_exhaustive()
    }
}

/// How soft equalities become that contradict each other to first order.
const SOFT: f64 = 1e-6;

/// The least share of the decrease predicted by the quadratic model by which a trial must lower the Lagrangian. A step
/// twice as long as the best one achieves none of it, one half as long 3/2 times its prediction.
const LESS_LAGRANGIAN: f64 = 0.4;

/// What costs do along a direction, to second order.
#[derive(Clone, Copy)]
struct Direction {
    slope: f64,
    bent: f64,
}

impl Direction {
    /// By how much a step changes the cost.
    fn change(self, step: f64) -> f64 {
        step * (self.slope + 0.5 * step * self.bent)
    }
}

/// Where a solution stands.
struct Run {
    merit: Merit,
    delta: f64,
    gap: f64,
    /// The largest of gaps and equalities.
    violation: f64,
    expected: f64,
}

impl MultipleShooting {
    /// Memory for a problem.
    #[must_use]
    pub fn new(problem: &Problem, options: ShootingOptions) -> Self {
        let crew = Crew::new(problem, options.threads);
        let dims = crew.dims();
        let solver = Inner {
            riccati: Riccati::new(dims),
            gaps: dims.iter().map(|d| DVector::zeros(d.ndx)).collect(),
            kept: Trajectory::zeros(problem),
            tried: Trajectory::zeros(problem),
            lq: LqSolution::new(dims),
            softness: 0.0,
            scaled: vec![0.0; problem.space().ndx()],
            filter: Filter::with_capacity(options.iterations),
            history: Vec::with_capacity(options.iterations),
            fault: None,
            options,
        };
        Self { crew, solver }
    }
    /// The best trajectory so far.
    #[must_use]
    pub fn trajectory(&self) -> &Trajectory {
        &self.solver.kept
    }
    /// Gains and value functions of the last sweep.
    #[must_use]
    pub fn riccati(&self) -> &Riccati {
        &self.solver.riccati
    }
    /// All iterations so far.
    #[must_use]
    pub fn history(&self) -> &[Iteration] {
        &self.solver.history
    }
    /// The options, to be changed between solutions.
    pub fn options_mut(&mut self) -> &mut ShootingOptions {
        &mut self.solver.options
    }

    /// Solves from a guess, whose gaps need not be closed.
    pub fn solve(&mut self, problem: &Problem, guess: &Trajectory) -> Report {
        self.solve_with(problem, guess, |_| Control::Continue)
    }

    /// Solves from a guess, and calls `watch` after each iteration.
    pub fn solve_with(
        &mut self,
        problem: &Problem,
        guess: &Trajectory,
        mut watch: impl FnMut(&Iteration) -> Control + Send,
    ) -> Report {
        let Self { crew, solver } = self;
        solver.history.clear();
        solver.softness = 0.0;
        let mut run = Run {
            merit: Merit { cost: f64::INFINITY, violation: f64::INFINITY, priced: 0.0 },
            delta: solver.options.regularization,
            gap: f64::INFINITY,
            violation: f64::INFINITY,
            expected: f64::INFINITY,
        };
        let status = if let Some(fault) = not_kept(problem, true) {
            Status::Fault(fault)
        } else if guess.fits(problem) && solver.kept.fits(problem) {
            solver.kept.copy_from(guess);
            crew.serve(problem, &|_, _, _| {}, || solver.iterate(crew, problem, &mut run, &mut watch))
        } else {
            Status::Fault(misfit(problem))
        };
        let Run { merit, gap, violation, expected, .. } = run;
        let (cost, expected_decrease) = (merit.cost, Some(expected));
        Report { cost, gap, violation, expected_decrease, ..Report::new(status, &solver.history) }
    }
}

impl Inner {
    fn iterate(
        &mut self,
        crew: &Crew,
        problem: &Problem,
        run: &mut Run,
        watch: &mut (dyn FnMut(&Iteration) -> Control + Send),
    ) -> Status {
        let began = Instant::now();
        let mut linearize = true;
        for iteration in 0..self.options.iterations {
            if linearize {
                crew.start(&self.kept);
                let (cost, gap) = match self.linearize(crew, problem) {
                    Ok(both) => both,
                    Err(fault) => return Status::Fault(fault),
                };
                run.gap = gap;
                run.violation = gaps::worst(crew, problem, &self.gaps);
                run.merit = Merit { cost, violation: gaps::violation(crew, problem, &self.gaps), priced: 0.0 };
                if iteration == 0 {
                    self.filter.restart(run.merit);
                }
            }
            let direction = loop {
                match self.direction(crew, problem, run) {
                    Ok(direction) => {
                        run.expected = direction.change(1.0).abs();
                        break direction;
                    }
                    // Equalities that contradict each other to first order are approached as well as they can be.
                    Err(Failure::Infeasible { nodes, .. }) if self.softness > 0.0 => {
                        return Status::NoFeasiblePoint { constraints: phases_of(problem, &nodes) };
                    }
                    Err(Failure::Infeasible { .. }) => self.softness = SOFT,
                    Err(failure) if !self.raise(run) => return self.stalled(crew, problem, run, failure.node()),
                    Err(_) => {}
                }
            };
            let (gap_before, violation_before) = (run.gap, run.violation);
            let (step, accepted) =
                if self.converged(run) { (0.0, false) } else { self.search(crew, problem, run, direction) };
            linearize = accepted;
            if accepted && step > 0.5 {
                run.delta = (run.delta / self.options.regularization_factor).max(self.options.regularization);
            }
            let converged = self.converged(run) && !accepted;
            if !accepted && !converged {
                // What was left on the way here shall not bar every way on.
                self.filter.restart(run.merit);
            }
            let exhausted = !accepted && !converged && !self.raise(run);
            let entry = Iteration {
                iteration,
                cost: run.merit.cost,
                gap: gap_before,
                violation: violation_before,
                kkt_error: None,
                expected_decrease: Some(run.expected),
                stationarity: self.riccati.nodes.iter().map(|n| n.qu.amax()).fold(0.0, f64::max),
                step,
                accepted,
                regularization: run.delta,
                mu: None,
                penalty: None,
                exact: false,
            };
            self.history.push(entry);
            let wish = watch(&entry);
            if diverges(run.merit.cost) {
                return Status::Diverged;
            }
            if converged {
                return Status::Converged;
            }
            if exhausted {
                return self.stalled(crew, problem, run, self.worst());
            }
            if wish == Control::Stop {
                return Status::Stopped;
            }
            if self.options.time.is_some_and(|limit| began.elapsed() >= limit) {
                return Status::TimeLimit;
            }
        }
        Status::IterationLimit
    }

    fn linearize(&mut self, crew: &Crew, problem: &Problem) -> Result<(f64, f64), Fault> {
        let cost = crew.complete(problem)?;
        let gap = gaps::find(crew, problem, &self.kept, &mut self.gaps)?;
        Ok((cost, gap))
    }

    fn converged(&self, run: &Run) -> bool {
        run.violation <= self.options.gap && run.expected < self.options.tolerance
    }

    /// More regularization; `false` if it is at its greatest.
    fn raise(&self, run: &mut Run) -> bool {
        run.delta = (run.delta * self.options.regularization_factor).min(self.options.regularization_max);
        run.delta < self.options.regularization_max
    }

    fn worst(&self) -> usize {
        let nodes = self.riccati.nodes.iter().map(|n| n.qu.amax()).enumerate();
        nodes.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
    }

    fn stalled(&mut self, crew: &Crew, problem: &Problem, run: &Run, node: usize) -> Status {
        if let Some(fault) = self.fault.take() {
            return Status::Fault(fault);
        }
        if self.softness > 0.0 && run.violation > self.options.gap {
            let off = |k: &usize| crew.node(problem, *k).eq.amax() > self.options.gap;
            let nodes: Vec<_> = (0..=problem.steps()).filter(off).collect();
            return Status::NoFeasiblePoint { constraints: phases_of(problem, &nodes) };
        }
        let (kept, memory) = (&self.kept, &mut crew.memory());
        let stalled = || Status::Stalled { node, term: worst_term(problem, kept, node, memory) };
        stuck(run.merit.cost, run.violation <= self.options.gap, run.expected, self.options.tolerance, stalled)
    }

    /// Sweep and linear roll-out, which give gaps their price.
    fn direction(&mut self, crew: &Crew, problem: &Problem, run: &mut Run) -> Result<Direction, Failure> {
        self.riccati.soften(self.softness);
        let last = problem.steps();
        let mut sweep = |k: usize| self.riccati.sweep_node(k, &crew.node(problem, k), self.gaps.get(k), run.delta);
        (0..=last).rev().try_for_each(&mut sweep)?;
        self.riccati.begin_roll_out(self.gaps.first(), &mut self.lq)?;
        let (mut slope, mut bent) = (0.0, 0.0);
        run.merit.priced = 0.0;
        for k in 0..=last {
            let node = crew.node(problem, k);
            self.riccati.roll_out_node(k, &node, self.gaps.get(k), &mut self.lq);
            let (dx, du) = (&self.lq.dx[k], &self.lq.du[k]);
            run.merit.priced += self.gaps[k].dot(&self.lq.costates[k]) + node.eq.dot(&self.lq.multipliers[k]);
            slope += node.lx.dot(dx) + node.lu.dot(du);
            bent += node.lxx.column_iter().zip(dx.iter()).map(|(column, x)| x * column.dot(dx)).sum::<f64>();
            bent += node.luu.column_iter().zip(du.iter()).map(|(column, u)| u * column.dot(du)).sum::<f64>();
            bent += 2.0 * node.lxu.column_iter().zip(du.iter()).map(|(column, u)| u * column.dot(dx)).sum::<f64>();
        }
        Ok(Direction { slope, bent })
    }

    /// Tries steps of 1, ½, ¼ …; the last one tried, and whether it was taken.
    fn search(&mut self, crew: &Crew, problem: &Problem, run: &mut Run, direction: Direction) -> (f64, bool) {
        let longest = domain::longest(problem, &self.kept, [&self.lq.dx, &self.lq.du], 1.0);
        let (mut step, mut evaluated) = (longest, false);
        self.fault = None;
        for halving in 0..self.options.halvings {
            step = longest * 0.5_f64.powi(halving as i32);
            let trial = self.go(problem, step).and_then(|()| crew.merit(problem, &self.tried, &self.lq));
            match trial {
                // A step to where nothing can be evaluated is too long.
                Err(fault) => self.fault = self.fault.take().or(Some(fault)),
                Ok(trial) => {
                    evaluated = true;
                    if lowers_lagrangian(run.merit, direction, step, trial)
                        && self.filter.accepts(run.merit, direction.slope, step, trial)
                    {
                        std::mem::swap(&mut self.kept, &mut self.tried);
                        run.merit = trial;
                        self.fault = None;
                        return (step, true);
                    }
                }
            }
        }
        if evaluated {
            self.fault = None;
        }
        (step, false)
    }

    /// A step along the direction, into the trajectory that is tried.
    fn go(&mut self, problem: &Problem, step: f64) -> Result<(), Fault> {
        let space = problem.space();
        for k in 0..=problem.steps() {
            self.scaled.iter_mut().zip(self.lq.dx[k].iter()).for_each(|(to, dx)| *to = step * dx);
            let moved = space.integrate(self.kept.x(k), &self.scaled, self.tried.x_mut(k));
            moved.map_err(|reason| of_dynamics(problem, k, reason))?;
            for ((to, from), du) in self.tried.u_mut(k).iter_mut().zip(self.kept.u(k)).zip(self.lq.du[k].iter()) {
                *to = from + step * du;
            }
        }
        Ok(())
    }
}

/// Whether a trial lowers the Lagrangian by enough of what its quadratic model predicts. A step closes its share of
/// gaps.
fn lowers_lagrangian(from: Merit, direction: Direction, step: f64, trial: Merit) -> bool {
    let promise = step * from.priced - direction.change(step);
    let gain = from.cost + from.priced - trial.cost - trial.priced;
    // Where rounding is all that is left, equal counts as less.
    gain >= LESS_LAGRANGIAN * promise - 10.0 * f64::EPSILON * from.cost.abs()
}
