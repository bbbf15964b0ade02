//! Making a model, body by body.

use super::actuator::ActuatorDraft;
use super::draft::{Draft, finite, is_direction, numbers, placed, unique};
use super::joint_dynamics::{JointConstant, no_friction_width, sort};
use super::order::depth_first;
use super::range::no_range;
use super::{Body, Frame, Identity, Limits, Model, ModelError, Number};
use crate::joint::{Joint, JointKind, value};
use crate::spatial::{Inertia, Transform};
use gradyn_derivatives::Real;
use nalgebra::Vector3;

/// A body of a builder, a parent of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyKey(pub(super) usize);

/// Makes a [`Model`]: bodies in any order that puts parents before children.
///
/// ```
/// use gradyn::joint::{Axis, Revolute};
/// use gradyn::model::ModelBuilder;
/// use gradyn::spatial::{Inertia, Symmetric3, Transform};
/// use nalgebra::{Matrix3, Vector3};
///
/// let mut builder = ModelBuilder::new("pendulum");
/// let rod = Inertia::new(1.0, Vector3::new(0.0, 0.0, -0.5), Symmetric3::diagonal(1.0 / 12.0, 1.0 / 12.0, 0.0));
/// builder.add_body(None, "rod", "hinge", Transform::identity(), Revolute { axis: Axis::Y }, rod)?;
/// let model = builder.build()?;
/// assert_eq!((model.nq(), model.nv()), (1, 1));
/// # Ok::<(), gradyn::model::ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ModelBuilder<P = f64> {
    pub(super) name: String,
    pub(super) gravity: Vector3<P>,
    pub(super) friction_width: P,
    pub(super) joint_friction: bool,
    pub(super) fixed: Inertia<P>,
    pub(super) bodies: Vec<Draft<P>>,
    pub(super) frames: Vec<(String, Option<BodyKey>, Transform<P>)>,
    pub(super) actuators: Vec<ActuatorDraft>,
}

impl<P: Real> ModelBuilder<P> {
    /// A robot without bodies, under gravity of 9.81 m/s² along −z.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            gravity: Vector3::new(P::zero(), P::zero(), P::from(-9.81)),
            friction_width: P::from(0.01),
            joint_friction: true,
            fixed: Inertia::zero(),
            bodies: Vec::new(),
            frames: Vec::new(),
            actuators: Vec::new(),
        }
    }

    /// Sets gravity, m/s² in the world.
    pub fn set_gravity(&mut self, gravity: Vector3<P>) -> &mut Self {
        self.gravity = gravity;
        self
    }

    /// Sets the width of the smooth Coulomb friction, rad/s (m/s), positive and with a square that does not vanish: above
    /// 1.5e-154; 0.01 unless set.
    pub fn set_friction_width(&mut self, width: P) -> &mut Self {
        self.friction_width = width;
        self
    }

    /// Switches damping and friction of the joints on, as they are unless set, or off. Armature stays.
    pub fn set_joint_friction(&mut self, on: bool) -> &mut Self {
        self.joint_friction = on;
        self
    }

    /// Adds the inertia of something that is fixed to the world, in the world's frame: a pedestal, the palm of a gripper that is
    /// described by itself. It does not move, and so is no part of the dynamics, until [`Model::append`] puts this robot on
    /// another one.
    pub fn add_fixed_inertia(&mut self, inertia: Inertia<P>) -> &mut Self {
        // Not 0 + inertia, which may differ by rounding.
        self.fixed = if self.fixed == Inertia::zero() { inertia } else { self.fixed + inertia };
        self
    }

    /// Hangs a body from `parent` (`None`: from the world) by a joint whose mounting frame has the pose `placement` in
    /// the parent. `inertia` is in the body's frame. Joints that follow others: [`set_mimic`](Self::set_mimic).
    ///
    /// # Errors
    /// [`ModelError`] if this builder has no body of the parent's key, or the joint is a [`Mimic`](crate::joint::Mimic). A key of another builder
    /// stands for the body with the same number here.
    #[doc(alias("addJoint", "appendBodyToJoint", "attach!", "AddRigidBody"))]
    pub fn add_body(
        &mut self,
        parent: Option<BodyKey>,
        name: impl Into<String>,
        joint_name: impl Into<String>,
        placement: Transform<P>,
        joint: impl Into<Joint<P>>,
        inertia: Inertia<P>,
    ) -> Result<BodyKey, ModelError> {
        let (joint, joint_name) = (joint.into(), joint_name.into());
        if matches!(joint, Joint::Mimic(_)) {
            let reason = "it is a mimic joint without a leader: add the joint itself, then call `set_mimic`";
            return Err(ModelError::Mimic { joint: joint_name, leader: String::new(), reason });
        }
        let name = name.into();
        if parent.is_some_and(|key| key.0 >= self.bodies.len()) {
            return Err(ModelError::UnknownBody { what: "body", name });
        }
        let (nq, nv) = (joint.nq(), joint.nv());
        self.bodies.push(Draft {
            name,
            joint_name,
            parent: parent.map(|key| key.0),
            placement,
            joint,
            mimic: None,
            inertia,
            constants: Default::default(),
            more: Vec::new(),
            springs: Vec::new(),
            curves: Vec::new(),
            q_limits: vec![(f64::NEG_INFINITY, f64::INFINITY); nq],
            velocity_limits: vec![f64::INFINITY; nv],
            effort_limits: vec![f64::INFINITY; nv],
            gear_ratios: Vec::new(),
        });
        Ok(BodyKey(self.bodies.len() - 1))
    }

    /// Adds a frame fixed to a body (`None`: to the world) with this pose in it. Every body's own frame is there anyway.
    ///
    /// # Errors
    /// [`ModelError::UnknownBody`] if this builder has no body of this key.
    #[doc(alias = "addFrame")]
    pub fn add_frame(
        &mut self,
        body: Option<BodyKey>,
        name: impl Into<String>,
        placement: Transform<P>,
    ) -> Result<&mut Self, ModelError> {
        let name = name.into();
        if body.is_some_and(|key| key.0 >= self.bodies.len()) {
            return Err(ModelError::UnknownBody { what: "frame", name });
        }
        self.frames.push((name, body, placement));
        Ok(self)
    }

    pub(super) fn draft(&mut self, body: BodyKey, what: &'static str) -> Result<&mut Draft<P>, ModelError> {
        let unknown = ModelError::UnknownBody { what, name: format!("#{}", body.0) };
        self.bodies.get_mut(body.0).ok_or(unknown)
    }

    /// Lets a body's joint follow another's: it stands at `multiplier q + offset`, where `q` is the coordinate of the
    /// joint of `leader`, or its angle if it is a [`Continuous`](crate::joint::Continuous) one. The leader may itself follow.
    ///
    /// # Errors
    /// [`ModelError::UnknownBody`] if this builder has no body of one of the keys, [`ModelError::Mimic`] if the leader has neither
    /// exactly one coordinate nor the two of an angle, [`ModelError::BadNumber`] for a multiplier or offset that is not finite. What follows
    /// itself, or cannot follow, is found by [`build`](Self::build).
    pub fn set_mimic(
        &mut self,
        body: BodyKey,
        leader: BodyKey,
        multiplier: P,
        offset: P,
    ) -> Result<&mut Self, ModelError> {
        let joint = self.draft(body, "mimic")?.joint_name.clone();
        let lead = self.draft(leader, "leader of a mimic joint")?;
        if (lead.joint.nq(), lead.joint.nv()) != (1, 1) && !is_direction(&lead.joint) {
            let (leader, reason) = (lead.joint_name.clone(), "that one has not exactly one coordinate");
            return Err(ModelError::Mimic { joint, leader, reason });
        }
        finite("mimic", &joint, &[multiplier, offset])?;
        self.draft(body, "mimic")?.mimic = Some((leader.0, multiplier, offset));
        Ok(self)
    }

    /// Sets the armature of a body's joint, one entry a degree of freedom, kg m² (kg).
    ///
    /// # Errors
    /// [`ModelError::Length`] for a wrong number of entries.
    #[doc(alias("rotor inertia", "rotorInertia"))]
    pub fn set_armature(&mut self, body: BodyKey, armature: &[P]) -> Result<&mut Self, ModelError> {
        self.set_constant(JointConstant::Armature, body, armature)
    }

    /// Sets the viscous friction of a body's joint, one entry a degree of freedom, N m s/rad (N s/m).
    ///
    /// # Errors
    /// [`ModelError::Length`] for a wrong number of entries.
    pub fn set_damping(&mut self, body: BodyKey, damping: &[P]) -> Result<&mut Self, ModelError> {
        self.set_constant(JointConstant::Damping, body, damping)
    }

    /// Sets the Coulomb friction of a body's joint, one entry a degree of freedom, N m (N).
    ///
    /// # Errors
    /// [`ModelError::Length`] for a wrong number of entries.
    pub fn set_friction(&mut self, body: BodyKey, friction: &[P]) -> Result<&mut Self, ModelError> {
        self.set_constant(JointConstant::Friction, body, friction)
    }

    pub(super) fn set_constant(
        &mut self,
        constant: JointConstant,
        body: BodyKey,
        numbers: &[P],
    ) -> Result<&mut Self, ModelError> {
        let draft = self.draft(body, constant.name())?;
        draft.check(constant.name(), numbers.len(), draft.joint.nv())?;
        draft.constants[constant as usize] = Some(numbers.to_vec());
        Ok(self)
    }

    /// Sets the range of each coordinate of a body's joint.
    ///
    /// # Errors
    /// [`ModelError::Length`] for a wrong number of entries, [`ModelError::BadNumber`] for a range that is NaN or
    /// without a finite number.
    pub fn set_q_limits(&mut self, body: BodyKey, limits: &[(f64, f64)]) -> Result<&mut Self, ModelError> {
        let draft = self.draft(body, "limits")?;
        draft.check("limits", limits.len(), draft.joint.nq())?;
        for &(lower, upper) in limits {
            if let Some((what, value, rule)) = no_range(lower, upper) {
                let name = draft.joint_name.clone();
                return Err(ModelError::BadNumber { what, name, value, rule });
            }
        }
        draft.q_limits = limits.to_vec();
        Ok(self)
    }

    /// Sets the greatest |v| of each degree of freedom of a body's joint.
    ///
    /// # Errors
    /// [`ModelError::Length`] for a wrong number of entries, [`ModelError::BadNumber`] for a negative one or NaN.
    pub fn set_velocity_limits(&mut self, body: BodyKey, limits: &[f64]) -> Result<&mut Self, ModelError> {
        let draft = self.draft(body, "velocity limits")?;
        draft.check("velocity limits", limits.len(), draft.joint.nv())?;
        draft.not_negative("velocity limit", limits)?;
        draft.velocity_limits = limits.to_vec();
        Ok(self)
    }

    /// Sets the greatest |τ| of each degree of freedom of a body's joint.
    ///
    /// # Errors
    /// [`ModelError::Length`] for a wrong number of entries, [`ModelError::BadNumber`] for a negative one or NaN.
    pub fn set_effort_limits(&mut self, body: BodyKey, limits: &[f64]) -> Result<&mut Self, ModelError> {
        let draft = self.draft(body, "effort limits")?;
        draft.check("effort limits", limits.len(), draft.joint.nv())?;
        draft.not_negative("effort limit", limits)?;
        draft.effort_limits = limits.to_vec();
        Ok(self)
    }

    /// The model: bodies in depth-first order, children in the order in which they were added.
    ///
    /// # Errors
    /// [`ModelError::DuplicateName`] for a name that two bodies, joints or frames have; [`ModelError::BadNumber`] for a
    /// constant that is not finite, a mass, armature, damping or friction that is negative, a friction width that is
    /// not positive or too small, or an axis that is not a unit vector; [`ModelError::Placement`] for a placement whose
    /// rotation is invalid; [`ModelError::Mimic`] for a joint that follows itself or cannot follow. An inertia that no
    /// rigid body can have is accepted: inverse dynamics is defined for it.
    pub fn build(mut self) -> Result<Model<P>, ModelError> {
        unique("body", self.bodies.iter().map(|b| b.name.as_str()))?;
        unique("joint", self.bodies.iter().map(|b| b.joint_name.as_str()))?;
        let names = self.bodies.iter().map(|b| b.name.as_str());
        unique("frame", names.chain(self.frames.iter().map(|f| f.0.as_str())))?;
        unique("actuator", self.actuators.iter().map(|a| a.name.as_str()))?;
        finite("gravity", &self.name, self.gravity.as_slice())?;
        finite("friction width", &self.name, &[self.friction_width])?;
        numbers(&self.name, &self.fixed)?;
        if let Some(rule) = no_friction_width(self.friction_width) {
            let (name, value) = (self.name, value(self.friction_width));
            return Err(ModelError::BadNumber { what: "friction width", name, value, rule });
        }
        for draft in &self.bodies {
            draft.check_numbers()?;
        }
        for (name, _, placement) in &self.frames {
            placed(name, placement)?;
        }

        let leaders = self.resolve_mimics()?;
        let number = Number::next();

        let order = depth_first(&self.bodies.iter().map(|b| b.parent).collect::<Vec<_>>());
        let mut place = vec![0; order.len()];
        for (new, &(old, _)) in order.iter().enumerate() {
            place[old] = new;
        }
        // Coordinates in the order of the bodies; then each follower gets its leader's.
        let (mut nq, mut nv) = (0, 0);
        let mut ranges = vec![(0..0, 0..0); order.len()];
        for &(old, _) in &order {
            let draft = &self.bodies[old];
            if leaders[old].is_none() {
                ranges[old] = (nq..nq + draft.joint.nq(), nv..nv + draft.joint.nv());
                (nq, nv) = (ranges[old].0.end, ranges[old].1.end);
            }
        }
        for (old, leader) in leaders.iter().enumerate() {
            if let Some(leader) = *leader {
                ranges[old] = ranges[leader].clone();
            }
        }

        let mut limits = Limits {
            q_lower: vec![f64::NEG_INFINITY; nq],
            q_upper: vec![f64::INFINITY; nq],
            velocity: vec![f64::INFINITY; nv],
            effort: vec![f64::INFINITY; nv],
        };
        let (mut dofs, mut springs, mut friction_curves) = (Vec::new(), Vec::new(), Vec::new());
        let mut pose_springs = Vec::new();
        let (mut bodies, mut frames) = (Vec::new(), Vec::new());
        let mut drafts: Vec<Option<Draft<P>>> = self.bodies.into_iter().map(Some).collect();
        for (new, &(old, end)) in order.iter().enumerate() {
            // Each body stands in the order once.
            let Some(draft) = drafts[old].take() else { continue };
            let (q, v) = ranges[old].clone();
            dofs.extend(draft.joint_dynamics(v.start));
            if leaders[old].is_none() {
                for (k, (lower, upper)) in draft.q_limits.iter().enumerate() {
                    (limits.q_lower[q.start + k], limits.q_upper[q.start + k]) = (*lower, *upper);
                }
                limits.velocity[v.clone()].copy_from_slice(&draft.velocity_limits);
                limits.effort[v.clone()].copy_from_slice(&draft.effort_limits);
            }
            frames.push(Frame {
                model: number,
                name: draft.name.clone(),
                body: Some(new),
                placement: Transform::identity(),
            });
            let body = Body {
                model: number,
                name: draft.name,
                joint_name: draft.joint_name,
                parent: draft.parent.map(|old| place[old]),
                placement: draft.placement,
                subspace_varies: draft.joint.subspace_varies(),
                joint: draft.joint,
                inertia: draft.inertia,
                q,
                v,
                subtree_end: end,
                owns_coordinates: leaders[old].is_none(),
                gear_ratios: draft.gear_ratios,
            };
            Draft::springs_of(&draft.springs, &body, new, (&mut springs, &mut pose_springs))?;
            friction_curves.extend(Draft::curves_of(&draft.curves, &body, new));
            bodies.push(body);
        }
        sort(&mut dofs);
        super::springs::sort(&mut springs);
        super::friction_curves::sort(&mut friction_curves);
        for (name, body, placement) in self.frames {
            frames.push(Frame { model: number, name, body: body.map(|key| place[key.0]), placement });
        }
        let driven = |old: usize| (bodies[place[old]].v.start, value(bodies[place[old]].joint.multiplier()));
        let actuators = self.actuators.into_iter().map(|draft| draft.build(driven)).collect();
        Ok(Model {
            actuators,
            identity: Identity::new(number, &self.name),
            name: self.name,
            structure: super::structure(&bodies),
            runs: super::runs(&bodies),
            directions: super::directions::directions(&bodies),
            derived: super::Derived::default(),
            layout: std::sync::OnceLock::new(),
            bodies,
            frames,
            nq,
            nv,
            gravity: self.gravity,
            dofs,
            springs,
            pose_springs,
            friction_curves,
            friction_width: self.friction_width,
            joint_friction: self.joint_friction,
            limits,
            fixed: self.fixed,
        })
    }
}
