//! What the contacts, loops and impulses of a trajectory do.
//!
//! Contact dynamics constrain accelerations. Steps of finite length leave errors in velocities and positions, gains
//! correct them, and a solver sees only the dynamics of its steps. [`contact_motion`] measures the errors that remain:
//! how far and how fast held frames move, how far loops open, how close forces come to the friction limit, and what
//! impulses do.
//!
//! ```
//! use gradyn::{Model, UrdfOptions};
//! use gradyn_trajectory::contact_motion::contact_motion;
//! use gradyn_trajectory::step::{Actuation, Contact, ForwardDynamics, SemiImplicitEuler};
//! use gradyn_trajectory::{Phase, Problem, guess};
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/solo12.urdf");
//! # let model = Model::from_urdf_file(file, &UrdfOptions::new().floating_base(true))?.model;
//! let foot = Contact::point_at(&model, "FL_FOOT", &model.neutral::<f64>())?;
//! let held = ForwardDynamics::new(Actuation::of(&model)).with_contacts(&[foot]);
//! let problem = Problem::builder(&model).phase(Phase::new("hang", 5, 0.01, SemiImplicitEuler::new(&model, held))).build()?;
//! let fall = guess::roll_out(&problem, &guess::standing(&problem))?;
//! let motion = contact_motion(&problem, &fall)?;
//! assert!(motion.contacts[0].drift.value < 1e-3, "{motion:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::fault::{Fault, Reason};
use crate::problem::{Problem, ProblemMemory};
use crate::step::ContactRows;
use crate::trajectory::Trajectory;
use gradyn::dynamics::{ConstraintKind, constraint_error, constraint_jacobian};
use gradyn::{Constraint, Workspace};
use nalgebra::{Rotation3, Vector3};
use std::ops::Range;

/// The largest value of something, and its node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// The value.
    pub value: f64,
    /// Its node.
    pub node: usize,
}

impl Peak {
    fn at(node: usize) -> Self {
        Self { value: 0.0, node }
    }
    fn see(&mut self, value: f64, node: usize) {
        if value > self.value {
            *self = Self { value, node };
        }
    }
}

/// A frame that is held to the world, over phases that follow each other.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HeldFrame {
    /// The contact.
    pub name: String,
    /// Its nodes; the state behind the last of them counts too.
    pub nodes: Range<usize>,
    /// The largest distance from where it was at the first node, m.
    pub drift: Peak,
    /// The largest angle from how it stood at the first node, rad; `None` for points.
    pub turn: Option<Peak>,
    /// The largest speed, m/s.
    pub speed: Peak,
    /// The largest angular speed, rad/s; `None` for points.
    pub angular_speed: Option<Peak>,
    /// The largest share of tangential in normal force, `|f_t| / f_n`; infinite where a force pulls.
    pub friction: Peak,
    /// The least normal force, N, and its node.
    pub least_normal: Peak,
}

/// A closed loop.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoopGap {
    /// The loop.
    pub name: String,
    /// The largest distance of its two sides, m. Of loops that a joint closes the largest row of its error, m or 1.
    pub gap: Peak,
    /// The largest angle between its two sides, rad; `None` but for welds.
    pub turn: Option<Peak>,
}

/// What an impact does to a contact.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactImpulse {
    /// The contact.
    pub name: String,
    /// The node of the impact.
    pub node: usize,
    /// The impulse on the robot, N s, then N m s, in axes of the world.
    pub impulse: Vec<f64>,
    /// Its part along the normal, N s; below zero the ground pulls.
    pub normal: f64,
}

/// What [`contact_motion`] finds.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ContactMotion {
    /// Held frames, in the order in which they are first held.
    pub contacts: Vec<HeldFrame>,
    /// Closed loops.
    pub loops: Vec<LoopGap>,
    /// Impulses of contacts, by node; those of loops are left out.
    pub impulses: Vec<ContactImpulse>,
}

/// Measures contacts, loops and impulses along a trajectory.
///
/// Drift and speed of frames are those of [`constraint_error`] and `J v`. Normals are those of the contacts. Contacts
/// of nodes of one's own, of which nothing but multipliers is known, are left out.
///
/// # Errors
/// [`Fault`] if the trajectory has other sizes than the problem, or a node cannot be evaluated.
pub fn contact_motion(problem: &Problem, at: &Trajectory) -> Result<ContactMotion, Fault> {
    let sizes = problem.check_sizes(at);
    sizes.map_err(|error| problem.fault(0, Reason::Problem(error.into()).into()))?;
    let mut of = Measure {
        problem,
        at,
        memory: problem.memory(),
        workspace: Workspace::new(problem.model()),
        open: Vec::new(),
        found: ContactMotion::default(),
    };
    for k in 0..problem.steps() {
        if problem.contacts(k).is_empty() && problem.dt(k) == 0.0 {
            continue; // Parameters are chosen, or a state jumps without contacts.
        }
        match problem.dt(k) > 0.0 {
            true => of.step(k)?,
            false => of.impact(k)?,
        }
    }
    of.close(|_| false, problem.steps());
    Ok(of.found)
}

/// A frame that is being held, and its error at the first node.
struct Open {
    first: Vec<f64>,
    frame: HeldFrame,
}

struct Measure<'a> {
    problem: &'a Problem,
    at: &'a Trajectory,
    memory: ProblemMemory,
    workspace: Workspace<f64>,
    open: Vec<Open>,
    found: ContactMotion,
}

impl Measure<'_> {
    /// A node that takes time: both its ends.
    fn step(&mut self, k: usize) -> Result<(), Fault> {
        let (problem, at) = (self.problem, self.at);
        let here = problem.contacts(k);
        self.close(|name| here.iter().any(|contact| contact.name == name), k);
        let forces = problem.forces(k, at.x(k), at.u(k), &mut self.memory)?;
        for ContactRows { name, rows, constraint, normal: n } in here {
            let Some(constraint) = constraint else { continue };
            for node in [k, k + 1] {
                let (error, rate) = self.error(constraint, node)?;
                if is_loop(constraint) {
                    self.open_loop(name, constraint, node, &error);
                } else {
                    self.hold(name, constraint, node, error, &rate);
                }
            }
            if let Some(open) = self.open.iter_mut().find(|open| open.frame.name == *name) {
                let force = Vector3::from_column_slice(&forces[rows.start..rows.start + 3]);
                let normal = force.dot(n);
                let across = (force - normal * n).norm();
                open.frame.friction.see(if normal > 0.0 { across / normal } else { f64::INFINITY }, k);
                if normal < open.frame.least_normal.value {
                    open.frame.least_normal = Peak { value: normal, node: k };
                }
            }
        }
        Ok(())
    }

    /// The error of a constraint at a node's state, and its rate.
    fn error(&mut self, constraint: &Constraint, node: usize) -> Result<(Vec<f64>, Vec<f64>), Fault> {
        let model = self.problem.model();
        let (q, v) = self.at.x(node).split_at(model.nq());
        let refuse = |error| self.problem.fault(node, Reason::from(error).into());
        let one = std::slice::from_ref(constraint);
        let error = constraint_error(model, &mut self.workspace, q, one).map_err(refuse)?.to_vec();
        let jacobian = constraint_jacobian(model, &mut self.workspace, q, one).map_err(refuse)?;
        let rate = jacobian.row_iter().map(|row| row.iter().zip(v).map(|(j, v)| j * v).sum()).collect();
        Ok((error, rate))
    }

    fn hold(&mut self, name: &str, constraint: &Constraint, node: usize, error: Vec<f64>, rate: &[f64]) {
        let of = self.open.iter().position(|open| open.frame.name == name).unwrap_or_else(|| {
            let (start, turns) = (Peak::at(node), constraint.kind() == ConstraintKind::Frame);
            let frame = HeldFrame {
                name: name.to_owned(),
                nodes: node..node,
                drift: start,
                turn: turns.then_some(start),
                speed: start,
                angular_speed: turns.then_some(start),
                friction: start,
                least_normal: Peak { value: f64::INFINITY, node },
            };
            self.open.push(Open { first: error.clone(), frame });
            self.open.len() - 1
        });
        let Open { first, frame } = &mut self.open[of];
        let moved = vector(&error) - vector(first);
        frame.drift.see(moved.norm(), node);
        frame.speed.see(vector(rate).norm(), node);
        if let (Some(turn), Some(speed)) = (&mut frame.turn, &mut frame.angular_speed) {
            let turned = Rotation3::new(vector(&error[3..])) * Rotation3::new(vector(&first[3..])).inverse();
            turn.see(turned.angle(), node);
            speed.see(vector(&rate[3..]).norm(), node);
        }
    }

    fn open_loop(&mut self, name: &str, constraint: &Constraint, node: usize, error: &[f64]) {
        let loops = &mut self.found.loops;
        let of = loops.iter().position(|of| of.name == name).unwrap_or_else(|| {
            let turn = (constraint.kind() == ConstraintKind::Frame).then_some(Peak::at(node));
            loops.push(LoopGap { name: name.to_owned(), gap: Peak::at(node), turn });
            loops.len() - 1
        });
        let gap = match constraint.kind() {
            ConstraintKind::Joint(_) => error.iter().fold(0.0, |most: f64, e| most.max(e.abs())),
            _ => vector(error).norm(),
        };
        loops[of].gap.see(gap, node);
        if let Some(turn) = &mut loops[of].turn {
            turn.see(vector(&error[3..]).norm(), node);
        }
    }

    /// A node that takes no time.
    fn impact(&mut self, k: usize) -> Result<(), Fault> {
        let (problem, at) = (self.problem, self.at);
        let impulses = problem.forces(k, at.x(k), at.u(k), &mut self.memory)?;
        for ContactRows { name, rows, constraint, normal: n } in problem.contacts(k) {
            if constraint.as_ref().is_none_or(is_loop) {
                continue;
            }
            let impulse = impulses[rows.clone()].to_vec();
            let normal = vector(&impulse).dot(n);
            self.found.impulses.push(ContactImpulse { name: name.clone(), node: k, impulse, normal });
        }
        Ok(())
    }

    /// Frames that are held no longer, from this node on.
    fn close(&mut self, stays: impl Fn(&str) -> bool, node: usize) {
        for mut open in self.open.extract_if(.., |open| !stays(&open.frame.name)) {
            open.frame.nodes.end = node;
            self.found.contacts.push(open.frame);
        }
    }
}

/// Whether it holds parts of the robot to each other, or constrains like a joint.
fn is_loop(constraint: &Constraint) -> bool {
    matches!(constraint.kind(), ConstraintKind::Joint(_)) || constraint.bodies().iter().all(Option::is_some)
}

/// The first three numbers.
fn vector(of: &[f64]) -> Vector3<f64> {
    Vector3::new(of[0], of[1], of[2])
}
