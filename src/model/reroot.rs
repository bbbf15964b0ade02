//! A robot described from another of its bodies, and a robot without some of them.

use super::draft::Draft;
use super::{BodyId, BodyKey, Model, ModelBuilder, ModelError};
use crate::joint::*;
use crate::spatial::{Transform, vector as v3};
use gradyn_derivatives::Real;

/// What is fixed to a joint, and moves with it to another body: where it is mounted, and all of a draft that is the joint's.
struct Mounted<P> {
    placement: Transform<P>,
    draft: Draft<P>,
}

impl<P: Real> Model<P> {
    /// The same floating robot, described from another of its bodies: that body floats now, and joints on the way lead back.
    ///
    /// Every joint keeps its name, its coordinates and velocities, with limits, springs and all constants; the joint that floats now has the
    /// name of the one that did. Every frame keeps its name and its place on its body. Only the order of the coordinates changes, as bodies
    /// stand in depth-first order, and the base has the pose and velocity of the new root. Energies and accelerations of bodies are the same
    /// at matching states, under torques of joints and none on the base. Cost O(n).
    ///
    /// A joint that led to its child by an axis beside the origin of its parent becomes a [`Composite`], so that no frame moves: its
    /// pose there and back.
    ///
    /// ```
    /// # use gradyn::{Model, UrdfOptions};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/solo12.urdf");
    /// # let model = Model::from_urdf_file(file, &UrdfOptions::new().floating_base(true))?.model;
    /// let foot = model.find_body("FL_LOWER_LEG").expect("is there");
    /// let from_foot = model.rerooted_at(foot)?;
    /// assert_eq!((from_foot.bodies()[0].name(), from_foot.nv()), ("FL_LOWER_LEG", model.nv()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ModelError::Input`] if the model has no such body, [`ModelError::Reroot`] by the joint that does not lead back: the root's,
    /// if it is no [`FreeFlyer`], one on the way that is not fixed and has not exactly one axis, or one that others follow and that would
    /// become a composite one.
    pub fn rerooted_at(&self, body: BodyId) -> Result<Self, ModelError> {
        let mut way = vec![self.check_body(body)?];
        while let Some(parent) = self.bodies[way[way.len() - 1]].parent {
            way.push(parent);
        }
        let root = way[way.len() - 1];
        if !matches!(self.bodies[root].joint, Joint::Elementary(Elementary::FreeFlyer(_))) {
            let kind = self.bodies[root].joint.kind();
            return Err(self.not_back(root, format!("the root has a {kind} joint, and does not float")));
        }
        if self
            .pose_springs
            .iter()
            .any(|spring| spring.body == root && spring.stiffness.iter().any(|x| *x != P::zero()))
        {
            return Err(self.not_back(root, "its springs hold the root, not the body that would float".to_owned()));
        }
        let mut builder = self.to_builder();
        // What each body on the way is mounted by now: the new root by the joint of the old one, others by that of the body before.
        let mut mounted = vec![self.mounted(&builder, root)];
        for &child in &way[..way.len() - 1] {
            mounted.push(self.mounted_back(&builder, child)?);
        }
        let mut carrier: Vec<usize> = (0..self.bodies.len()).collect();
        for (k, (&at, Mounted { placement, draft })) in way.iter().zip(mounted).enumerate() {
            let own = &mut builder.bodies[at];
            let before = k.checked_sub(1).map(|before| way[before]);
            carrier[before.unwrap_or(root)] = at;
            let (name, inertia) = (std::mem::take(&mut own.name), own.inertia);
            *own = Draft { name, inertia, parent: before, placement, ..draft };
        }
        for draft in &mut builder.bodies {
            draft.mimic = draft.mimic.map(|(leader, k, b)| (carrier[leader], k, b));
        }
        builder.renumber_actuators(|joint| Some(carrier[joint]));
        builder.with_parents_first().build()
    }

    /// The robot without a body and all that it carries: bodies, joints, frames, and what drives these. What is left keeps its order.
    ///
    /// Torques, with the coordinates that are left, are those of the robot whose removed bodies have no inertia and whose removed joints have
    /// nothing of their own. Cost O(n).
    ///
    /// ```
    /// # use gradyn::{Model, UrdfOptions};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
    /// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    /// let wrist = model.find_body("panda_link6").expect("is there");
    /// assert_eq!(model.remove_subtree(wrist)?.nv(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ModelError::Input`] if the model has no such body, [`ModelError::Mimic`] if a joint that stays follows one that goes.
    pub fn remove_subtree(&self, body: BodyId) -> Result<Self, ModelError> {
        self.check_body(body)?;
        let gone = self.subtree(body);
        let mut builder = self.to_builder();
        // Subtrees are contiguous.
        let place = |old: usize| if old < gone.start { old } else { old - gone.len() };
        for (_, draft) in builder.bodies.iter().enumerate().filter(|(i, _)| !gone.contains(i)) {
            if let Some((leader, ..)) = draft.mimic.filter(|(leader, ..)| gone.contains(leader)) {
                let (joint, leader) = (draft.joint_name.clone(), self.bodies[leader].joint_name.clone());
                return Err(ModelError::Mimic { joint, leader, reason: "that one would be removed" });
            }
        }
        builder.bodies.drain(gone.clone());
        for draft in &mut builder.bodies {
            draft.parent = draft.parent.map(place);
            draft.mimic = draft.mimic.map(|(leader, k, b)| (place(leader), k, b));
        }
        builder.renumber_actuators(|body| (!gone.contains(&body)).then(|| place(body)));
        builder.frames.retain(|(_, body, _)| body.is_none_or(|BodyKey(b)| !gone.contains(&b)));
        for (_, body, _) in &mut builder.frames {
            *body = body.map(|BodyKey(b)| BodyKey(place(b)));
        }
        builder.build()
    }

    fn not_back(&self, body: usize, reason: String) -> ModelError {
        ModelError::Reroot { joint: self.bodies[body].joint_name.clone(), reason }
    }

    fn mounted(&self, builder: &ModelBuilder<P>, body: usize) -> Mounted<P> {
        let draft = builder.bodies[body].clone();
        Mounted { placement: draft.placement, draft }
    }

    /// The joint of a body, from there to its parent.
    fn mounted_back(&self, builder: &ModelBuilder<P>, body: usize) -> Result<Mounted<P>, ModelError> {
        let Mounted { placement, draft } = self.mounted(builder, body);
        let Some((placement, joint)) = back(placement, &draft.joint) else {
            let kind = draft.joint.kind();
            return Err(self.not_back(body, format!("it is {kind}, expected a fixed joint or one with one axis")));
        };
        let is_composite = matches!(joint, Joint::Composite(_));
        let is_angle = self.bodies[body].q.len() > 1;
        let has_followers =
            || builder.bodies.iter().any(|other| other.mimic.is_some_and(|(leader, ..)| leader == body));
        if is_composite && (draft.mimic.is_some() || is_angle && has_followers()) {
            let reason =
                "its axis is beside the origin of its parent, and it follows a joint, or others follow its angle";
            return Err(self.not_back(body, reason.to_owned()));
        }
        Ok(Mounted { placement, draft: Draft { joint, ..draft } })
    }
}

/// Where a joint is mounted and what it is, led back: the inverse of `placement · pose(q)`. None if it is more than one axis.
fn back<P: Real>(placement: Transform<P>, joint: &Joint<P>) -> Option<(Transform<P>, Joint<P>)> {
    // before · pose(q) · behind
    let (mut before, mut kind): (_, Elementary<P>) = (placement, Fixed.into());
    let mut behind = Transform::<P>::identity();
    match joint {
        Joint::Elementary(joint) => kind = *joint,
        Joint::Composite(joint) => {
            for part in joint.parts() {
                let moves = !matches!(part.joint, Elementary::Fixed(_));
                match (moves, kind) {
                    (true, Elementary::Fixed(_)) => {
                        before = before * behind * part.placement;
                        (kind, behind) = (part.joint, Transform::identity());
                    }
                    (true, _) => return None,
                    (false, _) => behind = behind * part.placement,
                }
            }
        }
        Joint::Mimic(_) => return None,
    }
    let turned = |axis: &Axis<P>| Axis::Any(v3::neg(v3::rotate(&before.rotation, axis.vector())));
    let opposite = |axis: &Axis<P>| Axis::Any(v3::neg(axis.vector()));
    let of = |axis: &dyn Fn(&Axis<P>) -> Axis<P>| -> Option<Elementary<P>> {
        Some(match &kind {
            Elementary::Fixed(_) => Fixed.into(),
            Elementary::Revolute(j) => Revolute { axis: axis(&j.axis) }.into(),
            Elementary::Continuous(j) => Continuous { axis: axis(&j.axis) }.into(),
            Elementary::Prismatic(j) => Prismatic { axis: axis(&j.axis) }.into(),
            Elementary::Helical(j) => Helical { axis: axis(&j.axis), pitch: j.pitch }.into(),
            Elementary::Cylindrical(j) => Cylindrical { axis: axis(&j.axis) }.into(),
            Elementary::Universal(_)
            | Elementary::Planar(_)
            | Elementary::Translation(_)
            | Elementary::Spherical(_)
            | Elementary::SphericalZyx(_)
            | Elementary::FreeFlyer(_) => return None,
        })
    };
    let is_centered = P::as_f64s(before.translation.as_slice()).is_some_and(|p| *p == [0.0; 3]);
    if is_centered || matches!(kind, Elementary::Fixed(_) | Elementary::Prismatic(_)) {
        // pose(q)⁻¹ before⁻¹ = before⁻¹ pose′(q), about the same axis in the frame before.
        return Some((behind.inverse() * before.inverse(), of(&turned)?.into()));
    }
    let parts = [(Transform::identity(), of(&opposite)?), (before.inverse(), Fixed.into())];
    Some((behind.inverse(), Composite::with_placements(parts).into()))
}

impl<P: Real> ModelBuilder<P> {
    /// The same robot with its bodies in depth-first order: a parent may stand after its children before.
    fn with_parents_first(mut self) -> Self {
        let n = self.bodies.len();
        let mut children = vec![Vec::new(); n];
        let mut stack = Vec::new();
        for (i, draft) in self.bodies.iter().enumerate() {
            match draft.parent {
                Some(parent) => children[parent].push(i),
                None => stack.push(i),
            }
        }
        stack.reverse();
        let (mut order, mut place) = (Vec::with_capacity(n), vec![0; n]);
        while let Some(i) = stack.pop() {
            place[i] = order.len();
            order.push(i);
            stack.extend(children[i].iter().rev());
        }
        let mut drafts: Vec<Option<Draft<P>>> = self.bodies.into_iter().map(Some).collect();
        self.bodies = order.into_iter().filter_map(|i| drafts[i].take()).collect();
        for draft in &mut self.bodies {
            draft.parent = draft.parent.map(|parent| place[parent]);
            draft.mimic = draft.mimic.map(|(leader, k, b)| (place[leader], k, b));
        }
        for (_, body, _) in &mut self.frames {
            *body = body.map(|BodyKey(b)| BodyKey(place[b]));
        }
        self.renumber_actuators(|body| Some(place[body]));
        self
    }
}
