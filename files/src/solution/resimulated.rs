//! The steps of a solution, integrated again: what they get wrong, what happens between nodes, and where the plan ends
//! under its feedback.

use super::{RefineOption, Solved};
use crate::number::five;
use crate::task::Task;
use gradyn_trajectory::Status;
use gradyn_trajectory::resimulation::{
    Alternating, BetweenNodes, Followed, SUBSTEPS, StepDefect, StepsCheck, Tolerances, alternating, check_steps, follow,
};
use gradyn_trajectory::solver::Warning;
use serde::Serialize;

/// What was found.
#[derive(Debug)]
pub struct Resimulated {
    /// The steps.
    pub check: StepsCheck,
    /// What is allowed.
    pub tolerances: Tolerances,
    /// Where the plan ends under its feedback gains, or why it does not.
    pub followed: Result<Followed, String>,
    /// How far from the plan it may end, m or rad.
    pub end_distance: f64,
    alternating: Vec<Alternating>,
}

impl Resimulated {
    /// Looks at a solution; nothing if the task does not want it.
    pub(super) fn of(task: &Task, solved: &Solved) -> Option<Self> {
        if !task.report.steps() {
            return None;
        }
        let (problem, at) = (&task.problem, &solved.found.trajectory);
        let check = check_steps(problem, at, SUBSTEPS).ok()?;
        let followed = follow(problem, at, &solved.found.gains, SUBSTEPS).map_err(|fault| fault.to_string());
        let (tolerances, end_distance) = (task.report.tolerances(problem), task.report.end_distance());
        Some(Self { check, tolerances, followed, end_distance, alternating: alternating(problem, at) })
    }

    /// The violations between nodes that are larger than they may be, the largest of each constraint, with how many
    /// there are.
    pub fn worst_between(&self) -> Vec<(&BetweenNodes, usize)> {
        let mut worst: Vec<(&BetweenNodes, usize)> = Vec::new();
        for found in self.check.violated(&self.tolerances) {
            match worst.iter_mut().find(|(other, _)| other.constraint == found.constraint) {
                None => worst.push((found, 1)),
                Some((other, count)) => {
                    *count += 1;
                    if found.violation > other.violation {
                        *other = found;
                    }
                }
            }
        }
        worst
    }
    /// The worst step, if it is too long, and how many are.
    pub fn worst_step(&self) -> Option<(&StepDefect, usize)> {
        let count = self.check.too_long(&self.tolerances).count();
        self.check.largest().filter(|_| count > 0).map(|worst| (worst, count))
    }
    /// Whether no step is too long.
    pub fn is_good(&self) -> bool {
        self.worst_step().is_none() && self.worst_between().is_empty() && self.check.faults.is_empty()
    }

    /// What is to be known of it.
    pub(super) fn warnings(&self, task: &Task, status: &Status, refine: RefineOption) -> Vec<Warning> {
        let problem = &task.problem;
        let node = |k: usize| k.saturating_sub(task.first());
        let mut all = Vec::new();
        let mut warn = |about: &str, node: Option<usize>, text: String| {
            all.push(Warning { about: about.to_owned(), node, text });
        };
        for found in &self.alternating {
            let (first, last) = (node(found.nodes.start), node(found.nodes.end - 1));
            let joint = &found.joint;
            // Phases whose friction is implicit already have another reason.
            let phase = task.phases.iter().find(|phase| phase.name == problem.phase_of(found.nodes.start));
            let explicit = phase.is_some_and(|phase| !phase.implicit_friction);
            let help = match found.resists && explicit {
                true => {
                    "steps are too long for its damping and friction: `implicit_friction = true` in `[steps]` helps, or a shorter `dt`"
                }
                false => "steps are too long: a shorter `dt` helps, or the scheme `implicit-midpoint`",
            };
            let speed = five(found.velocity);
            let text = format!(
                "the velocity of joint `{joint}` changes its sign at every node from {first} to {last}, up to {speed}; {help}"
            );
            warn(joint, Some(found.nodes.start), text);
        }
        // Of what is no trajectory of the task nobody wants to know how fine it is.
        if matches!(
            status,
            Status::Infeasible(_) | Status::NoFeasiblePoint { .. } | Status::Diverged | Status::Fault(_)
        ) {
            return all;
        }
        let mut warn = |about: &str, node: Option<usize>, text: String| {
            all.push(Warning { about: about.to_owned(), node, text });
        };
        let (refined, name) = (refine.on, refine.name);
        let help = |what: &str| if refined { String::new() } else { format!("; `{name}` splits {what}") };
        if let Some((worst, count)) = self.worst_step() {
            let (phase, steps) = (problem.phase_of(worst.node), self.check.defects.len());
            let text = format!(
                "{count} of {steps} steps are too long: what that of node {} (phase `{phase}`) gets wrong is {} of its change, \
                 more than `step_defect` = {}{}",
                node(worst.node),
                five(worst.relative),
                five(self.tolerances.step_defect),
                help("them"),
            );
            warn(phase, Some(worst.node), text);
        }
        for (worst, count) in self.worst_between() {
            let of = worst.row.as_ref().map_or_else(String::new, |row| format!(" of `{row}`"));
            let (key, most) = match worst.of_forces {
                true => ("force", self.tolerances.force),
                false => ("constraint", self.tolerances.constraint),
            };
            let (k, more) = (
                node(worst.node),
                if count > 1 { format!(", and in {} more steps", count - 1) } else { String::new() },
            );
            let text = format!(
                "between nodes {k} and {} (phase `{}`) `{}`{of} is violated by {}{more}; at the nodes by {}: more than `{key}` = {}{}",
                k + 1,
                problem.phase_of(worst.node),
                worst.constraint,
                five(worst.violation),
                five(worst.at_nodes),
                five(most),
                help("these steps"),
            );
            warn(&worst.constraint, Some(worst.node), text);
        }
        if let Some(fault) = self.check.faults.first() {
            let text = format!("the step of node {} cannot be integrated again: {}", node(fault.node), fault.reason);
            warn(&fault.phase, Some(fault.node), text);
        }
        match &self.followed {
            Ok(followed) if followed.position > self.end_distance => {
                let text = format!(
                    "under its feedback gains the robot ends {} m or rad from where the plan ends, more than `end_distance` = {}",
                    five(followed.position),
                    five(self.end_distance),
                );
                warn("end", Some(problem.steps()), text);
            }
            Ok(_) => {}
            Err(why) => warn("end", None, format!("under its feedback gains the robot does not reach the end: {why}")),
        }
        all
    }

    /// For files.
    pub(super) fn answer<'a>(&'a self, task: &'a Task) -> ResimulatedAnswer<'a> {
        let problem = &task.problem;
        let node = |k: usize| k.saturating_sub(task.first());
        let defect = |of: &StepDefect| DefectAnswer {
            node: node(of.node),
            phase: problem.phase_of(of.node).to_owned(),
            defect: of.defect,
            change: of.change,
            relative: of.relative,
        };
        let between = |of: &'a BetweenNodes| BetweenAnswer {
            constraint: &of.constraint,
            row: of.row.as_deref(),
            node: node(of.node),
            phase: problem.phase_of(of.node),
            share: of.share,
            violation: of.violation,
            at_nodes: of.at_nodes,
        };
        let mut step_defects = vec![None; problem.steps() - task.first()];
        for of in &self.check.defects {
            step_defects[node(of.node)] = Some(of.relative);
        }
        ResimulatedAnswer {
            steps_checked: StepsAnswer {
                substeps: SUBSTEPS,
                steps: self.check.defects.len(),
                unchecked: self.check.unchecked + self.check.faults.len(),
                too_long: self.check.too_long(&self.tolerances).count(),
                largest: self.check.largest().map(defect),
            },
            step_defects,
            between_nodes: self.check.violated(&self.tolerances).map(between).collect(),
            end_distance: self.followed.as_ref().ok().map(|of| EndAnswer {
                position: of.position,
                velocity: of.velocity,
                farthest: of.farthest.0,
                farthest_node: node(of.farthest.1),
            }),
        }
    }
}

/// As JSON has it.
#[derive(Serialize)]
pub(super) struct ResimulatedAnswer<'a> {
    steps_checked: StepsAnswer,
    /// Relative, one a step; none at impacts.
    step_defects: Vec<Option<f64>>,
    between_nodes: Vec<BetweenAnswer<'a>>,
    end_distance: Option<EndAnswer>,
}

#[derive(Serialize)]
struct StepsAnswer {
    substeps: usize,
    steps: usize,
    unchecked: usize,
    too_long: usize,
    largest: Option<DefectAnswer>,
}

#[derive(Serialize)]
struct DefectAnswer {
    node: usize,
    phase: String,
    defect: f64,
    change: f64,
    relative: f64,
}

#[derive(Serialize)]
struct BetweenAnswer<'a> {
    constraint: &'a str,
    row: Option<&'a str>,
    node: usize,
    phase: &'a str,
    share: f64,
    violation: f64,
    at_nodes: f64,
}

#[derive(Serialize)]
struct EndAnswer {
    position: f64,
    velocity: f64,
    farthest: f64,
    farthest_node: usize,
}
