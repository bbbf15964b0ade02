//! How far links reach, and how far joints can carry a frame.
//!
//! From the origin of a joint, the origin of a frame behind it is never further than what lies between: the sum of the lengths of the links, and of
//! what sliding joints move. A joint that turns by `|δq|` moves the frame along an arc of at most that lever times `|δq|`.

use super::Certificate;
use super::boxes::Boxes;
use crate::problem::Problem;
use gradyn::Model;
use gradyn::dynamics::{FrameRef, Workspace, frame_pose};
use gradyn::joint::{Elementary, Joint};
use nalgebra::Vector3;

/// Distances that are beyond the reach by less than this, m, are within it: what files of six digits leave.
const CLEAR: f64 = 1e-6;

/// A goal that a chain cannot reach, or not in time.
pub(super) fn find(problem: &Problem, boxes: &[Boxes]) -> Option<Certificate> {
    (0..=problem.steps()).find_map(|k| of_node(problem, k, &boxes[k]))
}

fn of_node(problem: &Problem, k: usize, here: &Boxes) -> Option<Certificate> {
    let (model, parameters) = (problem.model(), problem.parameters(k));
    let stage = problem.stage(k)?;
    for (name, slots, residual) in stage.constraints() {
        let Some((frame, place, is_distance)) = residual.goal_place(&parameters[slots.goal.clone()]) else { continue };
        if parameters[slots.counts] <= 0.0 {
            continue;
        }
        let (lower, upper) = (&parameters[slots.lower.clone()], &parameters[slots.upper.clone()]);
        // The place of a pose is known only where its rows are zero.
        if !is_distance && (0..3).any(|i| lower[i] != 0.0 || upper[i] != 0.0) {
            continue;
        }
        let off = |from: Vector3<f64>| {
            let outside = |i: usize| {
                let d = from[i] - place[i];
                (lower[i] - d).max(d - upper[i]).max(0.0)
            };
            Vector3::new(outside(0), outside(1), outside(2)).norm()
        };
        let Some(chain) = Chain::of(model, frame, problem, here) else { continue };
        let constraint = format!("`{name}` of phase `{}`", problem.phase_of(k));
        let distance = off(chain.base);
        if distance > chain.reach + CLEAR {
            return Some(Certificate::Reach { constraint, node: k, distance, reach: chain.reach });
        }
        let start = frame_pose(model, &mut Workspace::new(model), &problem.start()[..model.nq()], frame).ok()?;
        let distance = off(start.translation);
        if distance > chain.range + CLEAR {
            return Some(Certificate::TooFast { constraint, node: k, distance, range: chain.range, time: here.time });
        }
    }
    None
}

/// The joints from the world to a frame.
struct Chain {
    /// The origin of the first joint, which does not move.
    base: Vector3<f64>,
    /// How far the frame is from there at most, m.
    reach: f64,
    /// How far joints can have moved the frame, m.
    range: f64,
}

impl Chain {
    /// `None` if the frame does not move, or a joint has no bound that would bound it.
    fn of(model: &Model, frame: FrameRef, problem: &Problem, here: &Boxes) -> Option<Self> {
        let (mut body, mut reach) = match frame {
            FrameRef::Body(body) => (body, 0.0),
            FrameRef::Frame(id) => {
                let frame = &model.frames()[id.index()];
                (frame.body()?, frame.placement().translation.norm())
            }
        };
        let mut range = 0.0;
        loop {
            let of = &model.bodies()[body.index()];
            // Bodies are one after the other, as their joints are.
            let (i, turns) = (of.v_range().start, of.v_range().len() <= 1);
            let moved = |at: usize| {
                let [least, most] = here.reached[at];
                least.abs().max(most.abs())
            };
            match of.joint() {
                Joint::Elementary(Elementary::Fixed(_)) => {}
                Joint::Elementary(Elementary::Revolute(_)) if turns => range += reach * moved(i),
                Joint::Elementary(Elementary::Prismatic(_)) if of.owns_coordinates() => {
                    let q = problem.start()[of.q_range().start];
                    let [least, most] = here.reached[i];
                    reach += (q + least).abs().max((q + most).abs());
                    range += moved(i);
                }
                Joint::Elementary(
                    Elementary::Continuous(_)
                    | Elementary::Universal(_)
                    | Elementary::Spherical(_)
                    | Elementary::SphericalZyx(_),
                ) => range = f64::INFINITY,
                Joint::Mimic(_) => return None,
                _ => return None,
            }
            let place = of.placement().translation;
            match of.parent() {
                None => return reach.is_finite().then_some(Self { base: place, reach, range }),
                Some(parent) => {
                    reach += place.norm();
                    body = parent;
                }
            }
        }
    }
}
