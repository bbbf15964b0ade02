//! Other robots made of a robot: joints locked, another robot put on, frames added, or anything that a builder can do. `reroot.rs` has
//! more.

use super::actuator::ActuatorDraft;
use super::joint_dynamics::JointConstant;
use super::{
    Body, BodyId, BodyKey, CurveConstant, DofDynamics, FrameId, Model, ModelBuilder, ModelError, draft::Draft,
};
use crate::joint::{Joint, JointKind};
use crate::spatial::{Inertia, Transform};
use gradyn_derivatives::Real;

/// Entries of joint dynamics that are a joint's, and others.
type OwnAndMore<P> = (Vec<DofDynamics<P>>, Vec<DofDynamics<P>>);

impl<P: Real> Model<P> {
    /// A builder that builds this model, to go on from: `model.to_builder().build() == model`. The body at place `i` has the key
    /// [`ModelBuilder::key`]`(i)`.
    ///
    /// Entries of [`with_joint_dynamics`](Self::with_joint_dynamics) that no joint would make by itself stay beside what
    /// [`ModelBuilder::set_armature`] and so on set.
    #[must_use]
    pub fn to_builder(&self) -> ModelBuilder<P> {
        let mut entries = self.entries_by_body();
        let mut owner = vec![None; self.nv];
        for (i, body) in self.bodies.iter().enumerate().filter(|(_, body)| body.owns_coordinates) {
            owner[body.v.clone()].fill(Some(i));
        }
        let leader = |body: &Body<P>| owner.get(body.v.start).copied().flatten();
        let draft = |(i, body): (usize, &Body<P>)| {
            let (q, v) = (body.q.clone(), body.v.clone());
            let (joint, mimic) = match &body.joint {
                Joint::Mimic(mimic) => {
                    let rule = |leader| (leader, mimic.multiplier(), mimic.offset());
                    (Joint::Elementary(*mimic.inner()), leader(body).map(rule))
                }
                joint => (joint.clone(), None),
            };
            let (own, more) = std::mem::take(&mut entries[i]);
            let list = |of: JointConstant| (!own.is_empty()).then(|| own.iter().map(|dof| *of.of(dof)).collect());
            let range = q.clone().map(|k| (self.limits.q_lower[k], self.limits.q_upper[k]));
            let mut draft = Draft {
                name: body.name.clone(),
                joint_name: body.joint_name.clone(),
                parent: body.parent,
                placement: body.placement,
                joint,
                mimic,
                inertia: body.inertia,
                constants: JointConstant::ALL.map(list),
                more,
                springs: self.springs_of_draft(i),
                curves: self.curves_of_draft(i),
                q_limits: range.collect(),
                velocity_limits: self.limits.velocity[v.clone()].to_vec(),
                effort_limits: self.limits.effort[v].to_vec(),
                gear_ratios: body.gear_ratios.clone(),
            };
            if !body.owns_coordinates {
                // The leader has them.
                draft.q_limits = vec![(f64::NEG_INFINITY, f64::INFINITY); draft.joint.nq()];
                draft.velocity_limits.fill(f64::INFINITY);
                draft.effort_limits.fill(f64::INFINITY);
            }
            draft
        };
        let bodies = self.bodies.iter().enumerate().map(draft).collect();
        let (added, owners) = (self.frames.iter().skip(self.bodies.len()), self.dof_owners());
        ModelBuilder {
            name: self.name.clone(),
            gravity: self.gravity,
            friction_width: self.friction_width,
            joint_friction: self.joint_friction,
            fixed: self.fixed,
            bodies,
            frames: added.map(|frame| (frame.name.clone(), frame.body.map(BodyKey), frame.placement)).collect(),
            actuators: self.actuators.iter().map(|actuator| ActuatorDraft::of(actuator, &owners)).collect(),
        }
    }

    /// Stiffness and reference of each degree of freedom of a body's joint; empty if none has a spring.
    fn springs_of_draft(&self, body: usize) -> Vec<Option<[P; 2]>> {
        let springs: Vec<_> = (0..self.bodies[body].v.len()).map(|k| self.spring_constants_at(body, k)).collect();
        if springs.iter().any(Option::is_some) { springs } else { Vec::new() }
    }

    /// Constants of the friction curve of each degree of freedom of a body's joint; empty if none has one.
    fn curves_of_draft(&self, body: usize) -> Vec<Option<[P; 3]>> {
        let constants = |at: usize| CurveConstant::ALL.map(|constant| *constant.of(&self.friction_curves[at]));
        let curve = |k| self.curve_at(body, k).ok().map(constants);
        let curves: Vec<_> = (0..self.bodies[body].v.len()).map(curve).collect();
        if curves.iter().any(Option::is_some) { curves } else { Vec::new() }
    }

    /// For each body the entries of joint dynamics that are its joint's, one a degree of freedom or none at all, and others, by
    /// indices that count from its first degree of freedom.
    fn entries_by_body(&self) -> Vec<OwnAndMore<P>> {
        let first = |index: usize| self.dofs.partition_point(|dof| dof.index < index);
        let mut next: Vec<usize> = (0..self.nv).map(first).collect();
        let mut entries = vec![(Vec::new(), Vec::new()); self.bodies.len()];
        for (body, (own, _)) in self.bodies.iter().zip(&mut entries) {
            let fits = |index: usize| {
                let entry = self.dofs.get(next[index]);
                entry.is_some_and(|dof| dof.index == index && dof.multiplier == body.joint.multiplier())
            };
            if body.v.clone().all(fits) {
                for index in body.v.clone() {
                    own.push(self.dofs[next[index]]);
                    next[index] += 1;
                }
            }
        }
        // The last body that has each degree of freedom: so they come after those of all others again.
        let mut last_of = vec![None; self.nv];
        for (i, body) in self.bodies.iter().enumerate() {
            last_of[body.v.clone()].fill(Some(i));
        }
        for (index, (next, last)) in next.into_iter().zip(last_of).enumerate() {
            let Some(last) = last else { continue };
            let rest = self.dofs[next..first(index + 1)].iter();
            let start = self.bodies[last].v.start;
            entries[last].1.extend(rest.map(|dof| DofDynamics { index: dof.index - start, ..*dof }));
        }
        entries
    }

    /// The robot with joints locked at these coordinates: what they carry is fixed to what carries them. Pinocchio's
    /// `buildReducedModel`.
    ///
    /// `locked`: joints, by the bodies that they carry, with the coordinates of each (its nq, in the order of
    /// [`Body::q_range`]). Joints that mimic a locked one are locked with it. Inertias of locked bodies are added to those that carry
    /// them; their frames stay, by their names, after the other bodies' own frames. What locked joints fix to the world
    /// is fixed to the world then, and its inertia part of the [`fixed_inertia`](Self::fixed_inertia). The coordinates that are left
    /// keep their order. Cost O(n).
    ///
    /// With the coordinates of locked joints held at `q̇ = q̈ = 0`, torques are rows of those of the whole robot, and the mass matrix
    /// is a part of its.
    ///
    /// ```
    /// # use gradyn::{Model, UrdfOptions};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
    /// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    /// let [elbow, wrist] = ["panda_joint4", "panda_joint6"].map(|name| model.find_body(name).expect("is there"));
    /// let reduced = model.reduced(&[(elbow, &[-2.0]), (wrist, &[1.5])])?;
    /// assert_eq!(reduced.nv(), model.nv() - 2);
    /// assert!(reduced.find_frame("panda_link4").is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ModelError::Lock`] for a joint that mimics another one or is named twice, [`ModelError::Length`] for a wrong number of
    /// coordinates; [`ModelError::Input`] if the model has no such body, or a coordinate is not finite, or a quaternion not of length
    /// one.
    pub fn reduced(&self, locked: &[(BodyId, &[P])]) -> Result<Self, ModelError> {
        let mut q = self.neutral::<P>();
        let mut rigid = vec![false; self.bodies.len()];
        for &(body, coordinates) in locked {
            let place = self.check_body(body)?;
            let b = &self.bodies[place];
            let refuse = |reason| Err(ModelError::Lock { joint: b.joint_name.clone(), reason });
            if !b.owns_coordinates {
                let leader = self.bodies.iter().find(|leader| leader.owns_coordinates && leader.v == b.v);
                let leader = leader.map_or("another joint", |leader| &leader.joint_name);
                return refuse(format!("it mimics `{leader}`; lock that one"));
            }
            if std::mem::replace(&mut rigid[place], true) {
                return refuse(String::from("it is in the list twice"));
            }
            if coordinates.len() != b.q.len() {
                let (name, expected, found) = (b.joint_name.clone(), b.q.len(), coordinates.len());
                return Err(ModelError::Length { what: "q", name, expected, found });
            }
            q[b.q.clone()].copy_from_slice(coordinates);
        }
        match P::as_f64s(&q) {
            Some(q) => self.check_configuration(q)?,
            None => super::parameters::finite("q", &self.whole_label(), &q)?,
        }
        // A follower has the leader's coordinates.
        for i in 0..self.bodies.len() {
            let body = &self.bodies[i];
            let leads =
                |(leader, other): (usize, &Body<P>)| rigid[leader] && other.owns_coordinates && other.v == body.v;
            rigid[i] |= !body.owns_coordinates && self.bodies.iter().enumerate().any(leads);
        }
        self.rigid(&rigid, &q)
    }

    /// The robot whose bodies that are `rigid` are fixed to their parents, at the coordinates `q`.
    fn rigid(&self, rigid: &[bool], q: &[P]) -> Result<Self, ModelError> {
        let mut builder = self.to_builder();
        let (bodies, frames) = (std::mem::take(&mut builder.bodies), std::mem::take(&mut builder.frames));
        // Where the frame of each body is fixed now: to which body of the builder, and how.
        let mut seats: Vec<(Option<usize>, Transform<P>)> = Vec::with_capacity(rigid.len());
        for (draft, body) in bodies.into_iter().zip(&self.bodies) {
            let (carrier, placement) = match draft.parent.map(|parent| (parent, seats[parent])) {
                Some((parent, (carrier, x))) if rigid[parent] => (carrier, x * draft.placement),
                Some((_, (carrier, _))) => (carrier, draft.placement),
                None => (None, draft.placement),
            };
            let i = seats.len();
            if rigid[i] {
                let x: Transform<P> = placement * JointKind::<P>::pose(&body.joint, &q[body.q.clone()]);
                let inertia: Inertia<P> = x.act(draft.inertia);
                match carrier {
                    Some(carrier) => builder.bodies[carrier].inertia += inertia,
                    None => {
                        builder.add_fixed_inertia(inertia);
                    }
                }
                builder.frames.push((draft.name, carrier.map(BodyKey), x));
                seats.push((carrier, x));
            } else {
                seats.push((Some(builder.bodies.len()), Transform::identity()));
                builder.bodies.push(Draft { parent: carrier, placement, ..draft });
            }
        }
        for draft in &mut builder.bodies {
            // Leaders have not been locked, or their followers would have been.
            draft.mimic = draft.mimic.and_then(|(leader, k, b)| Some((seats[leader].0?, k, b)));
        }
        builder.renumber_actuators(|body| if rigid[body] { None } else { seats[body].0 });
        for (name, body, placement) in frames {
            let frame = match body {
                Some(BodyKey(b)) if rigid[b] => (name, seats[b].0.map(BodyKey), seats[b].1 * placement),
                Some(BodyKey(b)) => (name, seats[b].0.map(BodyKey), placement),
                None => (name, None, placement),
            };
            builder.frames.push(frame);
        }
        builder.build()
    }

    /// This robot with another one fixed to one of its frames: the frame takes the place of the other one's world.
    ///
    /// Names of the other robot's bodies, joints, frames and actuators get the prefix. Gravity, the width of the smooth friction and its switch are
    /// this robot's. The [`fixed_inertia`](Self::fixed_inertia) of the other one is added to the inertia of the frame's body. Bodies
    /// stay in depth-first order: the other robot's come after the subtree of the frame's body, so coordinates of bodies after that
    /// move up by its nq and nv. Cost O(n).
    ///
    /// ```
    /// # use gradyn::{Model, UrdfOptions};
    /// # let of = |name: &str| format!("{}/robots/{name}.urdf", env!("CARGO_MANIFEST_DIR"));
    /// # let arm = Model::from_urdf_file(of("panda"), &UrdfOptions::new())?.model;
    /// # let pendulum = Model::from_urdf_file(of("pendulum"), &UrdfOptions::new())?.model;
    /// let flange = arm.find_frame("panda_link8").expect("is there");
    /// let both = arm.append(&pendulum, flange, "tool_")?;
    /// assert_eq!(both.nv(), arm.nv() + pendulum.nv());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ModelError::Input`] if this robot has no such frame, [`ModelError::DuplicateName`] if both have a name even with the prefix.
    pub fn append(&self, other: &Self, frame: FrameId, prefix: &str) -> Result<Self, ModelError> {
        let at = &self.frames[self.check_frame(frame)?];
        let mut builder = self.to_builder();
        let before = builder.bodies.len();
        let mut put_on = other.to_builder();
        put_on.renumber_actuators(|body| Some(body + before));
        let ModelBuilder { bodies, frames, fixed, actuators, .. } = put_on;
        builder.actuators.extend(actuators.into_iter().map(|mut actuator| {
            actuator.name.insert_str(0, prefix);
            actuator
        }));
        for mut draft in bodies {
            draft.name.insert_str(0, prefix);
            draft.joint_name.insert_str(0, prefix);
            match draft.parent {
                Some(parent) => draft.parent = Some(parent + before),
                None => (draft.parent, draft.placement) = (at.body, at.placement * draft.placement),
            }
            draft.mimic = draft.mimic.map(|(leader, k, b)| (leader + before, k, b));
            builder.bodies.push(draft);
        }
        for (name, body, placement) in frames {
            let (body, placement) = match body {
                Some(key) => (Some(key.0 + before), placement),
                None => (at.body, at.placement * placement),
            };
            builder.frames.push((format!("{prefix}{name}"), body.map(BodyKey), placement));
        }
        let inertia: Inertia<P> = at.placement.act(fixed);
        match at.body {
            Some(b) => builder.bodies[b].inertia += inertia,
            None => {
                builder.add_fixed_inertia(inertia);
            }
        }
        builder.build()
    }

    /// The same robot with another frame, fixed to a body (`None`: to the world) with this pose in it. It is the last of
    /// [`frames`](Self::frames).
    ///
    /// # Errors
    /// [`ModelError::Input`] if the model has no such body, [`ModelError::DuplicateName`] if a frame has the name,
    /// [`ModelError::Placement`] for what is no pose.
    pub fn with_frame(
        mut self,
        body: impl Into<Option<BodyId>>,
        name: impl Into<String>,
        placement: Transform<P>,
    ) -> Result<Self, ModelError> {
        self.add_frame(body, name, placement)?;
        Ok(self)
    }

    /// Adds a frame, fixed to a body (`None`: to the world) with this pose in it, and returns its id. Bodies, frames and workspaces stay
    /// what they are.
    ///
    /// # Errors
    /// As [`with_frame`](Self::with_frame).
    pub fn add_frame(
        &mut self,
        body: impl Into<Option<BodyId>>,
        name: impl Into<String>,
        placement: Transform<P>,
    ) -> Result<FrameId, ModelError> {
        let (body, name) = (body.into().map(|body| self.check_body(body)).transpose()?, name.into());
        if self.frames.iter().any(|frame| frame.name == name) {
            return Err(ModelError::DuplicateName { what: "frame", name });
        }
        super::draft::placed(&name, &placement)?;
        self.frames.push(super::Frame { model: self.identity.number, name, body, placement });
        Ok(FrameId::new(self.identity.number, self.frames.len() - 1))
    }
}

impl<P: Real> ModelBuilder<P> {
    /// The key of the body that was the `index`-th to be added; of a builder that a model was turned into, that of the body at this
    /// place there.
    #[must_use]
    pub fn key(&self, index: usize) -> Option<BodyKey> {
        (index < self.bodies.len()).then_some(BodyKey(index))
    }
}
