//! Checks the derivatives of a problem: every step and every term, at nodes of a guess.
//!
//! The derivatives of a step or a residual are compared with differences of its values, with error estimates, and with
//! dual numbers if it is written for these ([`gradyn::derivatives::check`]). Terms are checked as functions of
//! `(q, v, w, u, a, f)`, apart from the step that computes `a` and `f`. All columns are checked, including those that a
//! term claims not to depend on. Constraints are checked as residuals, and then, with the step inserted, by state and
//! controls. Second derivatives of the Lagrangian of a node are compared with differences of its gradient, if the node
//! has them.

mod inputs;
mod own;
mod rows;
mod step;
mod term;

use crate::fault::ProblemError;
use crate::node::{At, Memory};
use crate::problem::Problem;
use crate::stage::Stage;
use crate::trajectory::Trajectory;
use gradyn::Model;
use gradyn::derivatives::check::Report;
use own::own_node;
use std::fmt;

/// The result for one derivative at one node.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The node, counted from the start of the trajectory.
    pub node: usize,
    /// Its phase.
    pub phase: String,
    /// The term, a cost or a constraint, or `constraints` or `Lagrangian` for all of a node; `None` for the step.
    pub term: Option<String>,
    /// The derivative: names of rows and columns, claimed and found values, verdicts. Or the reason why it could not be
    /// checked.
    pub report: Result<Report, String>,
}

impl Checked {
    /// Whether every entry could be checked and agrees.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.report.as_ref().is_ok_and(Report::agrees)
    }
    /// Whether an entry disagrees.
    #[must_use]
    pub fn disagrees(&self) -> bool {
        self.report.as_ref().is_ok_and(Report::disagrees)
    }
}

/// The result for a problem. `Display` prints it for people.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProblemCheck {
    /// Derivative by derivative.
    pub checked: Vec<Checked>,
}

impl ProblemCheck {
    /// Whether every entry of every derivative could be checked and agrees.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.checked.iter().all(Checked::agrees)
    }
    /// Whether an entry of any derivative disagrees.
    #[must_use]
    pub fn disagrees(&self) -> bool {
        self.checked.iter().any(Checked::disagrees)
    }
    /// Those with entries that disagree or are undecided.
    pub fn failures(&self) -> impl Iterator<Item = &Checked> {
        self.checked.iter().filter(|checked| !checked.agrees())
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {} (phase `{}`), ", self.node, self.phase)?;
        match &self.term {
            Some(term) => write!(f, "term `{term}`: ")?,
            None => f.write_str("step: ")?,
        }
        match &self.report {
            Ok(report) => report.fmt(f),
            Err(why) => write!(f, "cannot be checked: {why}"),
        }
    }
}

impl fmt::Display for ProblemCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (all, wrong) = (self.checked.len(), self.checked.iter().filter(|checked| checked.disagrees()).count());
        match (wrong, self.failures().count() - wrong) {
            (0, 0) => write!(f, "all {all} derivatives agree")?,
            (0, m) => write!(f, "cannot tell: {m} of {all} derivatives have undecided entries; none disagrees")?,
            (n, 0) => write!(f, "{n} of {all} derivatives DISAGREE")?,
            (n, m) => write!(f, "{n} of {all} derivatives DISAGREE, {m} have undecided entries")?,
        }
        self.failures().try_for_each(|checked| write!(f, "\n{checked}"))
    }
}

impl Problem {
    /// Checks the derivatives of steps, equalities, residuals of costs and constraints, second derivatives of
    /// residuals, and if available those of the Lagrangian, at the first, the middle and the last node of each phase of
    /// a guess, and of each term at a node where it applies. If the guess is at rest at an impact, the impact is
    /// checked in motion. Slow: tens of evaluations per column.
    ///
    /// ```
    /// use gradyn_trajectory::residual::{Depends, FnResidual};
    /// use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
    /// use gradyn_trajectory::{Cost, Phase, Problem, guess};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf");
    /// # let model = gradyn::Model::from_urdf_file(file, &gradyn::UrdfOptions::new())?.model;
    /// // The square of the first angle. Its derivative lacks a factor of two.
    /// let wrong = FnResidual::new(
    ///     1,
    ///     Depends::Q,
    ///     |on, r| {
    ///         r[0] = on.q[0] * on.q[0];
    ///         Ok(())
    ///     },
    ///     |on, by| {
    ///         by.dq[(0, 0)] = on.q[0];
    ///         Ok(())
    ///     },
    /// );
    /// let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    /// let phase = Phase::new("swing", 10, 0.01, step).cost(Cost::new("square", wrong));
    /// let problem = Problem::builder(&model).start(&[0.5, 0.0], &[0.0; 2]).phase(phase).build()?;
    /// let check = problem.check(&guess::standing(&problem))?;
    /// let wrong = check.failures().next().expect("is found");
    /// assert_eq!((wrong.node, wrong.term.as_deref()), (0, Some("square")));
    /// println!("{check}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ProblemError::Number`] if the guess does not have the sizes of the problem.
    pub fn check(&self, guess: &Trajectory) -> Result<ProblemCheck, ProblemError> {
        let mut nodes = self.ends();
        // Terms that apply at none of these.
        for k in 0..=self.steps() {
            // Costs, then constraints: their names, and whether they apply.
            let terms = |k: usize| {
                let (stage, parameters) = (self.stage(k).into_iter(), self.parameters(k));
                let costs = stage.clone().flat_map(Stage::terms).map(move |(name, slots, _)| (name, slots.weight));
                let held = stage.flat_map(Stage::constraints).map(move |(name, slots, _)| (name, slots.counts));
                costs
                    .map(|of| (0, of))
                    .chain(held.map(|of| (1, of)))
                    .map(move |(list, (name, slot))| ((list, name), parameters[slot] > 0.0))
            };
            let counted = |of: (usize, &str), at: &[usize]| {
                let same = at.iter().filter(|other| self.phase_of(**other) == self.phase_of(k));
                same.into_iter().any(|other| terms(*other).any(|(known, counts)| known == of && counts))
            };
            if terms(k).any(|(of, counts)| counts && !counted(of, &nodes)) {
                nodes.push(k);
            }
        }
        nodes.sort_unstable();
        self.check_at(guess, &nodes)
    }

    /// [`check`](Self::check), at these nodes.
    ///
    /// # Errors
    /// As there, and [`ProblemError::Number`] for a node that the trajectory does not have.
    pub fn check_at(&self, guess: &Trajectory, nodes: &[usize]) -> Result<ProblemCheck, ProblemError> {
        let number = |what, value, rule| Err(ProblemError::Number { place: "check".into(), what, value, rule });
        if !guess.fits(self) {
            return number(
                "the number of steps of the guess",
                guess.steps() as f64,
                "the guess does not have the sizes of the problem",
            );
        }
        if let Some(k) = nodes.iter().find(|k| **k > self.steps()) {
            return number("a node", *k as f64, "the trajectory has fewer");
        }
        let mut out = ProblemCheck::default();
        for k in nodes {
            let mut x = guess.x(*k).to_vec();
            let (nq, nv) = (self.model().nq(), self.model().nv());
            // At rest there is no impact, so it is checked in motion.
            if self.stage(*k).is_some_and(Stage::jumps) && x[nq..nq + nv].iter().all(|v| *v == 0.0) {
                x[nq..nq + nv].copy_from_slice(&inputs::lambda(nv));
            }
            let at = self.at(*k, &x, guess.u(*k));
            let (model, memory) = (self.model(), self.node(*k).memory());
            match self.stage(*k) {
                Some(stage) => {
                    NodeCheck { stage, at, model, memory }.run(self.phase_of(*k), &mut out.checked);
                }
                None => own_node(self.node(*k), at, model, memory, self.phase_of(*k), &mut out.checked),
            }
        }
        Ok(out)
    }

    /// The first, the middle and the last node of each phase, and the last of all.
    fn ends(&self) -> Vec<usize> {
        let mut nodes = Vec::new();
        let mut first = 0;
        for k in 0..=self.steps() {
            if k == self.steps() || self.phase_of(k + 1) != self.phase_of(k) {
                nodes.extend([first, usize::midpoint(first, k), k]);
                first = k + 1;
            }
        }
        nodes.dedup();
        nodes
    }
}

/// One node.
struct NodeCheck<'a> {
    stage: &'a Stage,
    at: At<'a>,
    model: &'a Model,
    memory: Memory,
}
