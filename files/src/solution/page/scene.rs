//! What the page draws: poses of links at each node, forces, targets. All kinematics is done here; the page only draws.

use super::measures::Measures;
use crate::page::escape;
use crate::solution::motion::{Beside, Motion};
use crate::task::{Goal, Task};
use gradyn::dynamics::{FrameRef, Workspace, forward_kinematics, frame_pose};
use gradyn::spatial::Transform;
use nalgebra::Vector3;
use serde::Serialize;

/// Numbers of the page, m, N, s. Poses are x, y, z, then a quaternion x, y, z, w.
#[derive(Serialize)]
pub(super) struct Scene {
    links: Vec<Link>,
    time: Vec<f64>,
    phase: Vec<String>,
    /// By node, by link.
    poses: Vec<Vec<[f64; 7]>>,
    /// By node: of contacts, and of thrusters.
    forces: Vec<Vec<Force>>,
    thrusts: Vec<Vec<Force>>,
    /// By node; empty if the robot has no mass.
    com: Vec<[f64; 3]>,
    /// By node; none where nothing pushes.
    pressure: Vec<Option<[f64; 3]>>,
    beside: Option<Second>,
    targets: Vec<Target>,
    capsules: Vec<Keep>,
    /// Least and greatest coordinates of all that is drawn.
    lower: [f64; 3],
    upper: [f64; 3],
    /// Weight of the robot, N: what forces are drawn in proportion to.
    weight: f64,
}

/// A link: segments between its joint and those of its children, in its coordinates.
#[derive(Serialize)]
struct Link {
    name: String,
    segments: Vec<[f64; 6]>,
    /// The solid ellipsoid that has the body's mass and inertia, if that says how large it is.
    solid: Option<Solid>,
}

/// An ellipsoid, in coordinates of its link.
#[derive(Serialize, Clone, Copy)]
struct Solid {
    pose: [f64; 7],
    /// Its semi-axes, m.
    half: [f64; 3],
}

/// Another motion of the same links.
#[derive(Serialize)]
struct Second {
    name: String,
    time: Vec<f64>,
    poses: Vec<Vec<[f64; 7]>>,
}

/// A capsule that touches no other: on a link, in its coordinates.
#[derive(Serialize, PartialEq)]
struct Keep {
    link: usize,
    from: [f64; 3],
    to: [f64; 3],
    radius: f64,
}

/// A contact force at a node.
#[derive(Serialize)]
struct Force {
    name: String,
    at: [f64; 3],
    force: [f64; 3],
}

/// A goal, and the way of what is to reach it.
#[derive(Serialize)]
struct Target {
    name: String,
    /// Whether its rotation is a goal, too.
    turned: bool,
    /// From when to when it counts, s.
    from: f64,
    to: f64,
    /// At the nodes of this time.
    time: Vec<f64>,
    goals: Vec<[f64; 7]>,
    /// Where its frame is at each node of the trajectory.
    path: Vec<[f64; 3]>,
}

/// A hundredth of a millimeter, or of a milliradian, is not seen.
fn rounded(x: f64) -> f64 {
    (x * 1e5).round() / 1e5
}

fn place(p: &Vector3<f64>) -> [f64; 3] {
    [rounded(p.x), rounded(p.y), rounded(p.z)]
}

fn numbers(pose: &Transform<f64>) -> [f64; 7] {
    let [x, y, z] = place(&pose.translation);
    let [qx, qy, qz, qw] = pose.quaternion().to_array().map(rounded);
    [x, y, z, qx, qy, qz, qw]
}

impl Scene {
    pub(super) fn new(task: &Task, (motion, measures): (&Motion, &Measures), beside: Option<&Beside>) -> Self {
        let model = &task.start.model;
        let force = |name: &str, at: &Vector3<f64>, force: &Vector3<f64>| Force {
            name: name.to_owned(),
            at: place(at),
            force: place(force),
        };
        let contacts = measures
            .contacts
            .iter()
            .map(|here| here.iter().map(|(name, wrench)| force(name, &wrench.place, &wrench.force)).collect());
        let thrusts = measures
            .thrusts
            .iter()
            .map(|here| here.iter().map(|thrust| force(&thrust.name, &thrust.place, &thrust.force)).collect());
        let second = |of: &Beside| Second {
            name: of.name.clone(),
            time: of.motion.time.clone(),
            poses: poses(task, &of.motion),
        };
        let mut scene = Self {
            links: links(task),
            time: motion.time.clone(),
            phase: motion.phase.clone(),
            poses: poses(task, motion),
            forces: contacts.collect(),
            thrusts: thrusts.collect(),
            com: measures.com.iter().map(place).collect(),
            pressure: measures.pressure.iter().map(|at| at.as_ref().map(place)).collect(),
            beside: beside.map(second),
            targets: targets(task, motion),
            capsules: capsules(task),
            lower: [f64::INFINITY; 3],
            upper: [f64::NEG_INFINITY; 3],
            weight: rounded(model.bodies().iter().map(|body| body.inertia().mass).sum::<f64>() * 9.81),
        };
        scene.bound();
        scene
    }

    /// What colors mean, of what is there.
    pub(super) fn legend(&self) -> String {
        let beside = self.beside.as_ref().map_or_else(String::new, |of| escape(&of.name));
        let any = |of: &[Vec<Force>]| of.iter().any(|here| !here.is_empty());
        let parts = [
            (any(&self.forces), "force", "contact forces"),
            (any(&self.thrusts), "thrust", "thrusts"),
            (!self.com.is_empty(), "mass", "center of mass"),
            (self.pressure.iter().any(Option::is_some), "pressure", "center of pressure"),
            (!self.targets.is_empty(), "target", "targets"),
            (self.targets.iter().any(|target| target.path.len() > 1), "path", "paths"),
            (!self.capsules.is_empty(), "capsule", "capsules that keep apart"),
            (self.beside.is_some(), "beside", &beside),
        ];
        let part = |(_, class, text): (bool, &str, &str)| {
            format!("<span class=\"key-of\"><span class=\"swatch {class}\"></span> {text}</span> ")
        };
        let all: String = parts.into_iter().filter(|(there, ..)| *there).map(part).collect();
        format!("<span id=\"legend\">{all}</span><br/>")
    }

    /// What is drawn, ground excepted.
    fn bound(&mut self) {
        let mut points: Vec<[f64; 3]> = Vec::new();
        let second = self.beside.iter().flat_map(|of| &of.poses);
        for poses in self.poses.iter().chain(second) {
            for (pose, link) in poses.iter().zip(&self.links) {
                let [x, y, z, qx, qy, qz, qw] = *pose;
                let q = gradyn::spatial::Quaternion::from_array([qx, qy, qz, qw]);
                let pose = Transform::from_quaternion(q, Vector3::new(x, y, z));
                if let Some(solid) = &link.solid {
                    let [x, y, z, ..] = solid.pose;
                    let (middle, reach) =
                        (pose.point(Vector3::new(x, y, z)), solid.half.into_iter().fold(0.0, f64::max));
                    points.extend([-reach, reach].map(|by| place(&middle.add_scalar(by))));
                }
                for s in &link.segments {
                    points.push(place(&pose.point(Vector3::new(s[0], s[1], s[2]))));
                    points.push(place(&pose.point(Vector3::new(s[3], s[4], s[5]))));
                }
            }
        }
        let fixed = self.capsules.iter().filter(|capsule| capsule.link == 0);
        points.extend(fixed.flat_map(|capsule| [capsule.from, capsule.to]));
        points.extend(self.targets.iter().flat_map(|target| &target.goals).map(|g| [g[0], g[1], g[2]]));
        for p in points {
            for (k, x) in p.into_iter().enumerate() {
                self.lower[k] = self.lower[k].min(x);
                self.upper[k] = self.upper[k].max(x);
            }
        }
        if !self.lower.iter().chain(&self.upper).all(|x| x.is_finite()) {
            (self.lower, self.upper) = ([-1.0; 3], [1.0; 3]);
        }
    }
}

/// Of the world and of the bodies, by node.
fn poses(task: &Task, motion: &Motion) -> Vec<Vec<[f64; 7]>> {
    let model = &task.start.model;
    let mut workspace = Workspace::new(model);
    let zero = vec![0.0; model.nv()];
    let mut poses: Vec<Vec<[f64; 7]>> = Vec::new();
    for q in &motion.q {
        let mut here = vec![numbers(&Transform::identity())];
        // An invalid state is drawn where the previous one was.
        match forward_kinematics(model, &mut workspace, q, &zero, &zero) {
            Ok(at) => here.extend((0..model.bodies().len()).map(|b| {
                let pose = model.body_id(b).and_then(|body| at.pose(body));
                numbers(&pose.unwrap_or_else(Transform::identity))
            })),
            Err(_) => here = poses.last().cloned().unwrap_or_else(|| vec![here[0]; model.bodies().len() + 1]),
        }
        poses.push(here);
    }
    poses
}

/// A semi-axis that is longer than this, in proportion to the robot's longest way from joint to joint, is that of no
/// body: its inertia is made up. A quadruped's trunk has 1.5.
const LARGE: f64 = 3.0;
/// Thinner than this, in proportion to its longest semi-axis, a solid is not drawn: rods and plates.
const THIN: f64 = 0.08;

/// What bodies look like, as far as mass and inertia tell.
fn solids(task: &Task, links: &mut [Link]) {
    let length = |s: &[f64; 6]| Vector3::new(s[3] - s[0], s[4] - s[1], s[5] - s[2]).norm();
    let longest = links.iter().flat_map(|link| &link.segments).map(length).fold(0.0, f64::max);
    for (body, link) in task.start.model.bodies().iter().zip(links.iter_mut().skip(1)) {
        let Ok((pose, half)) = body.inertia().equivalent_ellipsoid() else { continue };
        let most = half.into_iter().fold(0.0, f64::max);
        // A point of mass has no size.
        if most > 1e-4 && (longest <= 0.0 || most <= LARGE * longest) {
            link.solid = Some(Solid { pose: numbers(&pose), half: half.map(|x| rounded(x.max(THIN * most))) });
        }
    }
}

/// The world first, then the bodies.
fn links(task: &Task) -> Vec<Link> {
    let model = &task.start.model;
    let mut ends: Vec<Vec<Vector3<f64>>> = vec![Vec::new(); model.bodies().len() + 1];
    for body in model.bodies() {
        // A floating base has no parent.
        if body.parent().is_some() || body.q_range().len() != 7 {
            ends[body.parent().map_or(0, |parent| parent.index() + 1)].push(body.placement().translation);
        }
    }
    for frame in model.frames() {
        let at = frame.body().map_or(0, |body| body.index() + 1);
        // Of links that are welded to a body, only to the last one do segments lead: to joints of others they do
        // anyway.
        if at > 0 {
            ends[at].push(frame.placement().translation);
        }
    }
    let names = std::iter::once("world").chain(model.bodies().iter().map(|body| body.name()));
    let link = |(name, ends): (&str, Vec<Vector3<f64>>)| {
        let mut segments: Vec<[f64; 6]> = Vec::new();
        for end in ends {
            let segment = [[0.0; 3], place(&end)].concat();
            let segment = [segment[0], segment[1], segment[2], segment[3], segment[4], segment[5]];
            // What is shorter than this is a joint of several axes.
            if end.norm() > 1e-3 && !segments.contains(&segment) {
                segments.push(segment);
            }
        }
        Link { name: name.to_owned(), segments, solid: None }
    };
    let mut links: Vec<Link> = names.zip(ends).map(link).collect();
    stumps(task, &mut links);
    solids(task, &mut links);
    links
}

/// A link at whose end there is no frame is drawn to its center of mass and as far again.
fn stumps(task: &Task, links: &mut [Link]) {
    for (body, link) in task.start.model.bodies().iter().zip(links.iter_mut().skip(1)) {
        let end = place(&(body.inertia().com * 2.0));
        if link.segments.is_empty() && end.iter().any(|x| x.abs() > 1e-3) {
            link.segments.push([0.0, 0.0, 0.0, end[0], end[1], end[2]]);
        }
    }
}

/// Capsules of costs and constraints, each once.
fn capsules(task: &Task) -> Vec<Keep> {
    let model = &task.start.model;
    let costs = task.costs.iter().map(|cost| &cost.term);
    let terms = costs.chain(task.constraints.iter().map(|constraint| &constraint.term));
    let mut all = Vec::new();
    for capsule in terms.flat_map(|term| &term.capsules) {
        let (link, placement) = match capsule.frame {
            None => (0, Transform::identity()),
            Some(FrameRef::Body(body)) => (body.index() + 1, Transform::identity()),
            Some(FrameRef::Frame(frame)) => {
                let frame = &model.frames()[frame.index()];
                (frame.body().map_or(0, |body| body.index() + 1), *frame.placement())
            }
        };
        let [from, to] = capsule.ends.map(|end| place(&placement.point(end)));
        let keep = Keep { link, from, to, radius: rounded(capsule.radius) };
        if !all.contains(&keep) {
            all.push(keep);
        }
    }
    all
}

fn targets(task: &Task, motion: &Motion) -> Vec<Target> {
    let model = &task.start.model;
    let mut workspace = Workspace::new(model);
    let mut firsts = vec![0];
    for phase in &task.phases {
        firsts.push(firsts.last().copied().unwrap_or(0) + phase.nodes());
    }
    let mut all: Vec<Target> = Vec::new();
    // What only has bounds leads nowhere.
    let reached = task.constraints.iter().filter(|constraint| constraint.is_equality());
    let terms = task.costs.iter().map(|cost| &cost.term).chain(reached.map(|constraint| &constraint.term));
    for term in terms {
        let turned = match term.goals.first() {
            Some(Goal::Pose(_)) => true,
            Some(Goal::Vector(x)) if x.len() == 3 && (term.frame.is_some() || term.kind == "center-of-mass") => false,
            _ => continue,
        };
        let mut nodes: Vec<(usize, Goal)> = Vec::new();
        if term.end {
            nodes.extend(term.goals.last().map(|goal| (motion.time.len() - 1, goal.clone())));
        }
        for phase in &term.phases {
            let of = &task.phases[*phase];
            for k in term.at.nodes_of(of) {
                nodes.push((firsts[*phase] + k, term.goal(k, of, &task.start)));
            }
        }
        nodes.sort_by_key(|(k, _)| *k);
        let (Some((first, _)), Some((last, _))) = (nodes.first(), nodes.last()) else { continue };
        let path = term.frame.map_or_else(Vec::new, |frame| {
            let at = |q: &Vec<f64>| frame_pose(model, &mut workspace, q, frame).ok();
            motion.q.iter().filter_map(at).map(|pose| place(&pose.translation)).collect()
        });
        // A place that is chosen is where the solver has put it.
        let chosen = motion.parameters.iter().find(|(name, x)| term.parameter.as_ref() == Some(name) && x.len() == 3);
        let pose = |goal: &Goal| {
            let mut pose = goal.pose();
            if let Some((_, x)) = chosen {
                pose.translation += Vector3::new(x[0], x[1], x[2]);
            }
            numbers(&pose)
        };
        let goals: Vec<_> = nodes.iter().map(|(_, goal)| pose(goal)).collect();
        // The same goal along a phase and at its end is drawn once.
        if all.iter().any(|other| other.turned == turned && other.goals.last() == goals.last() && other.path == path) {
            continue;
        }
        all.push(Target {
            name: term.name.clone(),
            turned,
            from: motion.time[*first],
            to: motion.time[*last],
            time: nodes.iter().map(|(k, _)| motion.time[*k]).collect(),
            goals,
            path,
        });
    }
    all
}
