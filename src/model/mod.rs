//! Robots: a tree of bodies, each with its joint.
//!
//! A [`Model`] is made by [`ModelBuilder`] or read from a robot file, and does not change afterwards. Its bodies stand
//! in depth-first order, parents before children and each subtree in one piece, so every sweep over the tree is a loop.
//! It is generic over the type `P` of its own parameters: `Model<f64>` for most purposes; over a dual number, masses,
//! placements, axes and friction become variables that can be differentiated by ([`Model::lift`]).

mod actuation;
mod actuator;
mod body;
mod builder;
mod configuration;
mod constant_wrench;
mod constants;
mod derived;
mod directions;
mod display;
mod draft;
mod edit;
mod error;
mod followers;
mod friction_curves;
mod identity;
mod joint_dynamics;
pub mod mjcf;
mod moved;
mod order;
mod parameter_id;
mod parameters;
mod pose_spring;
mod range;
mod reroot;
mod rewrite;
mod room;
mod rotor;
mod runs;
pub mod sdf;
#[cfg(feature = "serde")]
mod serialized;
#[cfg(feature = "serde")]
mod serialized_forces;
#[cfg(feature = "serde")]
mod serialized_parts;
mod size;
pub mod source;
mod spring_setters;
mod springs;
pub mod srdf;
mod step;
mod tangent;
pub mod urdf;
mod with;
pub mod write;

pub use actuation::Actuation;
pub use actuator::{Actuator, SpeedTorque};
pub use body::{Body, Frame};
pub use builder::{BodyKey, ModelBuilder};
pub use constants::ParameterLayout;
pub(crate) use derived::{Derived, Refresh};
pub(crate) use directions::{Direction, UNIT_SQUARES, UNIT_WITHIN};
pub use display::Tree;
pub use error::{InputError, ModelError};
pub(crate) use friction_curves::CurveConstant;
pub use friction_curves::FrictionCurve;
pub use identity::{BodyId, FrameId};
pub(crate) use identity::{Identity, Number};
pub use joint_dynamics::DofDynamics;
pub(crate) use joint_dynamics::JointConstant;
pub use parameter_id::{InertiaChart, ParameterId, inertia_with};
pub use parameters::Parameters;
pub use pose_spring::{BentSpring, PoseSpring};
pub(crate) use room::room;
pub(crate) use runs::{Run, runs};
pub(crate) use spring_setters::SpringConstant;
pub use springs::JointSpring;

use crate::spatial::{Inertia, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Limits of the coordinates; infinite where there are none.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Least q, nq.
    pub q_lower: Vec<f64>,
    /// Greatest q, nq.
    pub q_upper: Vec<f64>,
    /// Greatest |v|, nv.
    pub velocity: Vec<f64>,
    /// Greatest |τ|, nv.
    pub effort: Vec<f64>,
}

/// A robot.
///
/// Two are equal if names, tree, joints, parameters, limits and frames are. Numbers are compared by `==`, which over dual numbers
/// may look at values only.
#[derive(Clone, Debug)]
#[doc(alias("Mechanism", "MultibodyPlant", "RigidBodyTree", "mjModel"))]
pub struct Model<P = f64> {
    /// Shared by clones: which model it is.
    pub(crate) identity: Arc<Identity>,
    pub(crate) name: String,
    pub(crate) bodies: Vec<Body<P>>,
    pub(crate) frames: Vec<Frame<P>>,
    pub(crate) nq: usize,
    pub(crate) nv: usize,
    pub(crate) gravity: Vector3<P>,
    pub(crate) dofs: Vec<DofDynamics<P>>,
    pub(crate) springs: Vec<JointSpring<P>>,
    /// By degrees of freedom.
    pub(crate) pose_springs: Vec<PoseSpring<P>>,
    pub(crate) friction_curves: Vec<FrictionCurve<P>>,
    pub(crate) friction_width: P,
    pub(crate) joint_friction: bool,
    pub(crate) limits: Limits,
    pub(crate) actuators: Vec<Actuator>,
    /// Of what is fixed to the world, in its frame.
    pub(crate) fixed: Inertia<P>,
    /// Equal for models whose workspaces are interchangeable.
    pub(crate) structure: u64,
    /// The coordinates in order, in as few pieces as can be.
    pub(crate) runs: Vec<Run>,
    /// Coordinates that have length one.
    pub(crate) directions: Vec<Direction>,
    /// Constants in the form that the algorithms over `f64` want.
    pub(crate) derived: Derived,
    /// Where parameters stand; made when first asked for.
    pub(crate) layout: OnceLock<Arc<ParameterLayout>>,
}

impl<P: Real> PartialEq for Model<P> {
    fn eq(&self, other: &Self) -> bool {
        // Not `structure` and so on, which are made of these.
        let Self { name, bodies, frames, nq, nv, gravity, dofs, springs, pose_springs, .. } = self;
        let Self { friction_curves, friction_width, joint_friction, limits, actuators, fixed, .. } = self;
        *name == other.name
            && *bodies == other.bodies
            && *frames == other.frames
            && (*nq, *nv) == (other.nq, other.nv)
            && *gravity == other.gravity
            && *dofs == other.dofs
            && *springs == other.springs
            && *pose_springs == other.pose_springs
            && *friction_curves == other.friction_curves
            && *friction_width == other.friction_width
            && *joint_friction == other.joint_friction
            && *limits == other.limits
            && *actuators == other.actuators
            && *fixed == other.fixed
    }
}

/// A number of the tree and its joints: what the memory of a workspace is laid out for, and constant columns depend on.
pub(crate) fn structure<P: Real>(bodies: &[Body<P>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for body in bodies {
        (body.parent, &body.q, &body.v, format!("{:?}", body.joint)).hash(&mut hasher);
    }
    hasher.finish()
}

impl<P: Real> Model<P> {
    /// Name of the robot.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Number of configuration coordinates.
    #[must_use]
    #[doc(alias = "num_positions")]
    pub fn nq(&self) -> usize {
        self.nq
    }
    /// Number of velocity coordinates: degrees of freedom.
    #[must_use]
    #[doc(alias = "num_velocities")]
    pub fn nv(&self) -> usize {
        self.nv
    }
    /// Gravitational acceleration in the world, m/s².
    #[must_use]
    pub fn gravity(&self) -> Vector3<P> {
        self.gravity
    }
    /// The bodies in depth-first order.
    #[must_use]
    pub fn bodies(&self) -> &[Body<P>] {
        &self.bodies
    }
    /// The frames.
    #[must_use]
    #[doc(alias = "operational frames")]
    pub fn frames(&self) -> &[Frame<P>] {
        &self.frames
    }
    /// The limits of the coordinates.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
    /// Inertia of what is fixed to the world, in the world's frame: [`ModelBuilder::add_fixed_inertia`].
    #[must_use]
    pub fn fixed_inertia(&self) -> &Inertia<P> {
        &self.fixed
    }
    /// Armature, damping and friction of the degrees of freedom that have any, in the order of these.
    #[must_use]
    pub fn joint_dynamics(&self) -> &[DofDynamics<P>] {
        &self.dofs
    }
    /// Whether damping and friction of the joints are part of the dynamics.
    #[must_use]
    pub fn has_joint_friction(&self) -> bool {
        self.joint_friction
    }

    /// The body at this place, if there is one.
    #[must_use]
    pub fn body_id(&self, index: usize) -> Option<BodyId> {
        (index < self.bodies.len()).then(|| self.id_of(index))
    }
    /// The body with this name, or the one whose joint has it.
    #[must_use]
    #[doc(alias("getBodyId", "getJointId", "GetBodyByName", "findbody"))]
    pub fn find_body(&self, name: &str) -> Option<BodyId> {
        let by_name = self.bodies.iter().position(|body| body.name == name);
        let place = by_name.or_else(|| self.bodies.iter().position(|body| body.joint_name == name));
        place.map(|index| self.id_of(index))
    }
    /// The frame at this place of [`frames`](Self::frames), if there is one.
    #[must_use]
    pub fn frame_id(&self, index: usize) -> Option<FrameId> {
        (index < self.frames.len()).then(|| FrameId::new(self.identity.number, index))
    }
    /// The frame with this name.
    #[must_use]
    #[doc(alias("getFrameId", "GetFrameByName"))]
    pub fn find_frame(&self, name: &str) -> Option<FrameId> {
        let place = self.frames.iter().position(|frame| frame.name == name);
        place.map(|index| FrameId::new(self.identity.number, index))
    }
    /// The subtree of this body, itself first: a contiguous range; an empty one if it is another model's.
    #[must_use]
    pub fn subtree(&self, body: BodyId) -> Range<usize> {
        self.place_of(body).map_or(0..0, |b| b..self.bodies[b].subtree_end)
    }
    /// Whether `ancestor` lies on the path from `body` to the world, `body` included.
    #[must_use]
    pub fn supports(&self, ancestor: BodyId, body: BodyId) -> bool {
        self.place_of(body).is_some_and(|body| self.subtree(ancestor).contains(&body))
    }

    /// The joint with coordinates of its own that a degree of freedom belongs to.
    #[must_use]
    pub fn joint_of_dof(&self, dof: usize) -> Option<BodyId> {
        self.bodies.iter().position(|body| body.owns_coordinates && body.v.contains(&dof)).map(|b| self.id_of(b))
    }

    /// A name for each degree of freedom: the joint's, with a suffix where it has several.
    #[must_use]
    pub fn dof_names(&self) -> Vec<String> {
        let mut names = vec![String::new(); self.nv];
        for body in self.bodies.iter().filter(|body| body.owns_coordinates) {
            let n = body.v.len();
            let suffixes: &[&str] = match (body.joint.kind(), n) {
                (_, 1) => &[""],
                ("free-flyer", _) => &[".vx", ".vy", ".vz", ".wx", ".wy", ".wz"],
                ("spherical", _) => &[".wx", ".wy", ".wz"],
                ("planar", _) => &[".vx", ".vy", ".w"],
                ("translation", _) => &[".x", ".y", ".z"],
                ("spherical ZYX", _) => &[".z", ".y", ".x"],
                _ => &[],
            };
            for k in 0..n {
                let suffix = suffixes.get(k).map_or_else(|| format!(".{k}"), ToString::to_string);
                names[body.v.start + k] = format!("{}{suffix}", body.joint_name);
            }
        }
        names
    }

    /// The same robot with its parameters in a wider number type, to be differentiated by.
    ///
    /// ```
    /// # use gradyn::model::Model; use gradyn_derivatives::num_dual::Dual64;
    /// # fn f(model: &Model) {
    /// let mut model: Model<Dual64> = model.lift();
    /// let inertia = *model.bodies()[0].inertia();
    /// // … and now with the mass of the first body as the variable:
    /// let mass = inertia.mass + Dual64::new(0.0, 1.0);
    /// # let _ = mass; let _ = &mut model; }
    /// ```
    #[must_use]
    #[doc(alias = "cast")]
    pub fn lift<T: Scalar<P>>(&self) -> Model<T> {
        let body = |b: &Body<P>| Body {
            model: b.model,
            name: b.name.clone(),
            joint_name: b.joint_name.clone(),
            parent: b.parent,
            placement: b.placement.lift(),
            joint: b.joint.lift(),
            inertia: b.inertia.lift(),
            q: b.q.clone(),
            v: b.v.clone(),
            subtree_end: b.subtree_end,
            owns_coordinates: b.owns_coordinates,
            subspace_varies: b.subspace_varies,
            gear_ratios: b.gear_ratios.clone(),
        };
        let frame =
            |f: &Frame<P>| Frame { model: f.model, name: f.name.clone(), body: f.body, placement: f.placement.lift() };
        Model {
            identity: self.identity.clone(),
            name: self.name.clone(),
            bodies: self.bodies.iter().map(body).collect(),
            frames: self.frames.iter().map(frame).collect(),
            nq: self.nq,
            nv: self.nv,
            gravity: v3::lift(self.gravity),
            dofs: self.dofs.iter().map(DofDynamics::lift).collect(),
            springs: self.springs.iter().map(JointSpring::lift).collect(),
            pose_springs: self.pose_springs.iter().map(PoseSpring::lift).collect(),
            friction_curves: self.friction_curves.iter().map(FrictionCurve::lift).collect(),
            friction_width: T::from(self.friction_width),
            joint_friction: self.joint_friction,
            limits: self.limits.clone(),
            actuators: self.actuators.clone(),
            fixed: self.fixed.lift(),
            structure: self.structure,
            runs: self.runs.clone(),
            directions: self.directions.clone(),
            derived: Derived::default(),
            layout: self.layout.clone(),
        }
    }

    /// Checks one length.
    #[inline]
    pub(crate) fn check_length(
        &self,
        what: &'static str,
        size: &'static str,
        found: usize,
        expected: usize,
    ) -> Result<(), InputError> {
        if found == expected { Ok(()) } else { Err(InputError::Length { what, size, expected, found }) }
    }
}

/// The bodies from this one to the root.
#[inline(always)]
pub(crate) fn path<P>(bodies: &[Body<P>], tip: Option<usize>) -> impl Iterator<Item = (usize, &Body<P>)> {
    std::iter::successors(tip, |i| bodies[*i].parent).map(|i| (i, &bodies[i]))
}
