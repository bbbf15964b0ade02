//! What contacts, loops and impulses of a solution do, and what is to be known of it.

use crate::number::five;
use crate::task::{HeldLimits, Task};
use gradyn_trajectory::contact_motion::{ContactImpulse, ContactMotion, HeldFrame, LoopGap, Peak, contact_motion};
use gradyn_trajectory::solver::Warning;
use gradyn_trajectory::{Status, Trajectory};
use serde::Serialize;

/// An impulse that pulls less than this share of the largest one of its impact is what solvers leave of zero.
const PULLS: f64 = 1e-6;

/// What was found.
#[derive(Debug)]
pub struct ContactReport {
    motion: ContactMotion,
    limits: HeldLimits,
}

impl ContactReport {
    /// Looks at a solution; nothing of what holds nothing, or is no motion of the robot.
    pub(super) fn of(task: &Task, trajectory: &Trajectory, status: &Status) -> Option<Self> {
        if task.phases.iter().all(|phase| phase.held.is_empty()) || is_nowhere(status) {
            return None;
        }
        let motion = contact_motion(&task.problem, trajectory).ok()?;
        Some(Self { motion, limits: task.report.held() })
    }

    /// Impulses that would have to pull, of contacts that were held before the impact.
    pub fn pulls(&self) -> impl Iterator<Item = &ContactImpulse> {
        let largest = |node: usize| {
            let here = self.motion.impulses.iter().filter(move |of| of.node == node);
            here.map(|of| of.normal.abs()).fold(0.0, f64::max)
        };
        self.motion.impulses.iter().filter(move |of| of.normal < -PULLS * largest(of.node))
    }

    /// What is beyond its limits.
    pub(super) fn warnings(&self, task: &Task) -> Vec<Warning> {
        let mut all = Vec::new();
        let shown = |node: usize| node.saturating_sub(task.first());
        let mut warn = |about: &str, node: usize, text: String| {
            all.push(Warning { about: about.to_owned(), node: Some(node), text });
        };
        let limits = &self.limits;
        for of in &self.motion.contacts {
            let HeldFrame { name, nodes, .. } = of;
            let phase = task.problem.phase_of(nodes.start);
            let beyond = limits.of_frame(of).into_iter().filter(|(_, peak, _, _, most)| peak.value > *most);
            let beyond: Vec<_> = beyond.collect();
            let Some((_, first, ..)) = beyond.first() else { continue };
            let one = |(what, peak, unit, key, most): &(&str, Peak, &str, &str, f64)| {
                let (value, node, most) = (five(peak.value), shown(peak.node), five(*most));
                format!("{what} {value} {unit} (node {node}), more than `{key}` = {most}")
            };
            let all: Vec<String> = beyond.iter().map(one).collect();
            warn(name, first.node, format!("`{name}`, held from phase `{phase}` on, {}", all.join("; ")));
        }
        for LoopGap { name, gap, turn, .. } in &self.motion.loops {
            for (peak, unit) in [(Some(*gap), "m"), (*turn, "rad")] {
                if let Some(peak) = peak.filter(|peak| peak.value > limits.loop_gap) {
                    let text = format!(
                        "the loop `{name}` opens by {} {unit} (node {}), more than `loop_gap` = {}",
                        five(peak.value),
                        shown(peak.node),
                        five(limits.loop_gap)
                    );
                    warn(name, peak.node, text);
                }
            }
        }
        for of in self.pulls() {
            let phase = task.problem.phase_of(of.node);
            let text = format!(
                "the impulse of `{}` at node {} (phase `{phase}`) pulls on the ground: {} N s along the normal; `release = true` in the phase lets \
                 a contact go that was held before",
                of.name,
                shown(of.node),
                five(of.normal)
            );
            warn(&of.name, of.node, text);
        }
        all
    }

    /// Heads and rows of the tables that have any; the first two columns are names.
    pub fn tables(&self, task: &Task) -> Vec<(&'static [&'static str], Vec<Row>)> {
        let (problem, limits) = (&task.problem, &self.limits);
        let node = |k: usize| k.saturating_sub(task.first()).to_string();
        let peak = |of: Option<Peak>| of.map_or_else(Default::default, |of| [five(of.value), node(of.node)]);
        let frame = |of: &HeldFrame| {
            let (first, last) = (problem.phase_of(of.nodes.start), problem.phase_of(of.nodes.end.saturating_sub(1)));
            let phases = if first == last { first.to_owned() } else { format!("{first} to {last}") };
            let mu = task.friction_of(&of.name).map_or_else(String::new, five);
            let peaks = [Some(of.drift), of.turn, Some(of.speed), of.angular_speed, Some(of.friction)];
            let cells = [of.name.clone(), phases].into_iter().chain(peaks.into_iter().flat_map(peak));
            let good = limits.of_frame(of).iter().all(|(_, peak, _, _, most)| peak.value <= *most);
            let least = peak(Some(of.least_normal));
            Row { cells: cells.chain([mu]).chain(least).collect(), good }
        };
        let closed = |of: &LoopGap| {
            let good = [Some(of.gap), of.turn].into_iter().flatten().all(|peak| peak.value <= limits.loop_gap);
            let cells = [of.name.clone(), String::new()].into_iter();
            Row { cells: cells.chain(peak(Some(of.gap))).chain(peak(of.turn)).collect(), good }
        };
        let pulls: Vec<(&str, usize)> = self.pulls().map(|of| (of.name.as_str(), of.node)).collect();
        let impulse = |of: &ContactImpulse| {
            let phase = problem.phase_of(of.node).to_owned();
            let size = of.impulse[..3].iter().map(|x| x * x).sum::<f64>();
            let across = (size - of.normal * of.normal).max(0.0).sqrt();
            let good = !pulls.contains(&(of.name.as_str(), of.node));
            Row { cells: vec![of.name.clone(), phase, node(of.node), five(of.normal), five(across)], good }
        };
        let all: [(&'static [&'static str], Vec<Row>); 3] = [
            (&FRAMES, self.motion.contacts.iter().map(frame).collect()),
            (&["loop", "", "gap m", "node", "turn rad", "node"], self.motion.loops.iter().map(closed).collect()),
            (
                &["impulse", "impact", "node", "normal N s", "tangential N s"],
                self.motion.impulses.iter().map(impulse).collect(),
            ),
        ];
        all.into_iter().filter(|(_, rows)| !rows.is_empty()).collect()
    }

    /// For files.
    pub(super) fn answer<'a>(&'a self, task: &'a Task) -> ContactAnswer<'a> {
        let node = |k: usize| k.saturating_sub(task.first());
        let peak = |of: Peak| PeakAnswer { value: of.value, node: node(of.node) };
        let frame = |of: &'a HeldFrame| FrameAnswer {
            contact: &of.name,
            first_node: node(of.nodes.start),
            last_node: node(of.nodes.end),
            drift: peak(of.drift),
            turn: of.turn.map(peak),
            speed: peak(of.speed),
            angular_speed: of.angular_speed.map(peak),
            friction: peak(of.friction),
            mu: task.friction_of(&of.name),
            least_normal: peak(of.least_normal),
        };
        let closed = |of: &'a LoopGap| LoopAnswer { name: &of.name, gap: peak(of.gap), turn: of.turn.map(peak) };
        let pulls: Vec<(&str, usize)> = self.pulls().map(|of| (of.name.as_str(), of.node)).collect();
        let impulse = |of: &'a ContactImpulse| ImpulseAnswer {
            contact: &of.name,
            node: node(of.node),
            phase: task.problem.phase_of(of.node),
            impulse: &of.impulse,
            normal: of.normal,
            pulls: pulls.contains(&(of.name.as_str(), of.node)),
        };
        ContactAnswer {
            contacts: self.motion.contacts.iter().map(frame).collect(),
            loops: self.motion.loops.iter().map(closed).collect(),
            impulses: self.motion.impulses.iter().map(impulse).collect(),
        }
    }
}

/// Heads of the table of frames.
const FRAMES: [&str; 15] = [
    "contact",
    "phases",
    "drift m",
    "node",
    "turn rad",
    "node",
    "speed m/s",
    "node",
    "turning rad/s",
    "node",
    "ft/fn",
    "node",
    "mu",
    "least fn N",
    "node",
];

/// A row of a table.
pub struct Row {
    /// A text a column.
    pub cells: Vec<String>,
    /// Whether all of it is within limits.
    pub good: bool,
}

/// Whether the solver ended without a motion of the robot.
pub(super) fn is_nowhere(status: &Status) -> bool {
    matches!(status, Status::Infeasible(_) | Status::NoFeasiblePoint { .. } | Status::Diverged | Status::Fault(_))
}

/// As JSON has it.
#[derive(Serialize)]
pub(super) struct ContactAnswer<'a> {
    contacts: Vec<FrameAnswer<'a>>,
    loops: Vec<LoopAnswer<'a>>,
    impulses: Vec<ImpulseAnswer<'a>>,
}

#[derive(Serialize)]
struct PeakAnswer {
    value: f64,
    node: usize,
}

#[derive(Serialize)]
struct FrameAnswer<'a> {
    contact: &'a str,
    first_node: usize,
    last_node: usize,
    drift: PeakAnswer,
    turn: Option<PeakAnswer>,
    speed: PeakAnswer,
    angular_speed: Option<PeakAnswer>,
    /// Tangential by normal force.
    friction: PeakAnswer,
    /// The coefficient that cones of this contact ask for.
    mu: Option<f64>,
    least_normal: PeakAnswer,
}

#[derive(Serialize)]
struct LoopAnswer<'a> {
    name: &'a str,
    gap: PeakAnswer,
    turn: Option<PeakAnswer>,
}

#[derive(Serialize)]
struct ImpulseAnswer<'a> {
    contact: &'a str,
    node: usize,
    phase: &'a str,
    impulse: &'a [f64],
    normal: f64,
    pulls: bool,
}
