//! How far links reach, and how far joints can carry a frame.
//!
//! From the origin of a joint, the origin of a frame behind it is never further away than the sum of the lengths of the
//! links between them and of the travel of sliding joints. The joint positions at a node lie in a box, given by their
//! velocities and the time. Branch and bound shows that the frame stays away from its goal in all of the box.

use super::Certificate;
use super::boxes::Boxes;
use crate::problem::Problem;
use gradyn::Model;
use gradyn::dynamics::{FrameRef, ReferenceFrame, Workspace, frame_pose, frame_pose_jacobian};
use gradyn::joint::{Elementary, Joint};
use nalgebra::Vector3;

/// Distances that are beyond the reach by less than this, m, are within it: what files of six digits leave.
const CLEAR: f64 = 1e-6;
/// Boxes of joints that are looked at before nothing is said.
const BOXES: usize = 100_000;

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
        let q = &problem.start()[..model.nq()];
        let start = frame_pose(model, &mut Workspace::new(model), q, frame).ok()?;
        let distance = off(start.translation);
        let nearest = |from: Vector3<f64>| {
            let inside = |i: usize| (place[i] + upper[i]).min((place[i] + lower[i]).max(from[i]));
            Vector3::new(inside(0), inside(1), inside(2))
        };
        let left = chain.distance_left(problem, frame, here, nearest).filter(|left| *left > CLEAR);
        if let Some(left) = left {
            return Some(Certificate::TooFast {
                constraint,
                node: k,
                distance,
                range: distance - left,
                time: here.time,
            });
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
    /// Its joints with one degree of freedom, the last one first; `None` if there are others.
    joints: Option<Vec<Turn>>,
}

/// A joint of a chain.
#[derive(Clone, Copy)]
struct Turn {
    /// Its degree of freedom.
    dof: usize,
    /// Second derivatives of the frame's place by it and a joint before it are no larger: the reach from it, m, or 1 of
    /// one that slides.
    curvature: f64,
    slides: bool,
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
        let mut joints = Some(Vec::new());
        loop {
            let of = &model.bodies()[body.index()];
            // Bodies are one after the other, as their joints are.
            let i = of.v_range().start;
            let add = |joints: &mut Option<Vec<Turn>>, curvature, slides| {
                joints.iter_mut().for_each(|all| all.push(Turn { dof: i, curvature, slides }));
            };
            match of.joint() {
                Joint::Elementary(Elementary::Fixed(_)) => {}
                Joint::Elementary(Elementary::Revolute(_)) if of.owns_coordinates() => add(&mut joints, reach, false),
                Joint::Elementary(Elementary::Prismatic(_)) if of.owns_coordinates() => {
                    let q = problem.start()[of.q_range().start];
                    let [least, most] = here.reached[i];
                    add(&mut joints, 1.0, true);
                    reach += (q + least).abs().max((q + most).abs());
                }
                Joint::Elementary(
                    Elementary::Continuous(_)
                    | Elementary::Universal(_)
                    | Elementary::Spherical(_)
                    | Elementary::SphericalZyx(_),
                ) => joints = None,
                _ => return None,
            }
            let place = of.placement().translation;
            match of.parent() {
                None => return reach.is_finite().then_some(Self { base: place, reach, joints }),
                Some(parent) => {
                    reach += place.norm();
                    body = parent;
                }
            }
        }
    }

    /// How far the frame stays from a goal at least, m, wherever joints can be at this node; `None` where that is not
    /// known, or may be nothing. `nearest`: the place of the goal that is nearest to a place.
    ///
    /// By branch and bound: from the center of a box of joints with half widths h, the frame comes nearer to the goal,
    /// along n, by no more than
    ///
    /// ```text
    /// Σ |n · J_i| h_i + ½ Σ b_ij h_i h_j        b_ij ≥ |∂²p/∂q_i∂q_j|
    /// ```
    fn distance_left(
        &self,
        problem: &Problem,
        frame: FrameRef,
        here: &Boxes,
        nearest: impl Fn(Vector3<f64>) -> Vector3<f64>,
    ) -> Option<f64> {
        let joints = self.joints.as_ref()?;
        let (model, mut workspace) = (problem.model(), Workspace::new(problem.model()));
        let reached: Vec<[f64; 2]> = joints.iter().map(|of| here.reached[of.dof]).collect();
        if reached.iter().flatten().any(|x| !x.is_finite()) {
            return None;
        }
        let start = &problem.start()[..model.nq()];
        let mut boxes = vec![reached];
        let (mut q, mut seen, mut left, mut closest) = (start.to_vec(), 0, f64::INFINITY, f64::INFINITY);
        let mut displacement = vec![0.0; model.nv()];
        while let Some(of) = boxes.pop() {
            seen += 1;
            if seen > BOXES {
                return None;
            }
            for (joint, [least, most]) in joints.iter().zip(&of) {
                displacement[joint.dof] = 0.5 * (least + most);
            }
            model.integrate_into(start, &displacement, &mut q).ok()?;
            let aligned = ReferenceFrame::LocalWorldAligned;
            let (pose, jacobian) = frame_pose_jacobian(model, &mut workspace, &q, frame, aligned).ok()?;
            let way = nearest(pose.translation) - pose.translation;
            let distance = way.norm();
            if distance <= CLEAR {
                return None;
            }
            let n = way / distance;
            let half = |i: usize| 0.5 * (of[i][1] - of[i][0]);
            // By how much each joint brings the frame nearer at most.
            let gain = |i: usize| {
                let column = jacobian.column(joints[i].dof);
                let first = (n.x * column[0] + n.y * column[1] + n.z * column[2]).abs();
                let second: f64 = (0..joints.len()).map(|j| curvature(joints, i, j) * half(j)).sum();
                (first + 0.5 * second) * half(i)
            };
            let gains: Vec<f64> = (0..joints.len()).map(gain).collect();
            let bound = distance - gains.iter().sum::<f64>();
            // Sharp to half of the distance that is left, as long as there are boxes for that.
            closest = closest.min(distance);
            let enough = if seen < BOXES / 2 { CLEAR.max(0.5 * closest) } else { CLEAR };
            if bound > enough {
                left = left.min(bound);
                continue;
            }
            let widest = gains.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(i, _)| i)?;
            let [least, most] = of[widest];
            for part in [[least, 0.5 * (least + most)], [0.5 * (least + most), most]] {
                let mut half = of.clone();
                half[widest] = part;
                boxes.push(half);
            }
        }
        Some(left)
    }
}

/// How large second derivatives of the frame's place by two joints are at most; the one that comes first in the list is
/// behind the other.
fn curvature(joints: &[Turn], i: usize, j: usize) -> f64 {
    let (behind, before) = (joints[i.min(j)], joints[i.max(j)]);
    if before.slides { 0.0 } else { behind.curvature }
}
