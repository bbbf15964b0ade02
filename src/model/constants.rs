//! Constants of joints: axes, pitches, multipliers and offsets; and where each parameter of a model stands in a vector of all.

use super::joint_dynamics::JointConstant;
use super::{BodyId, CurveConstant, InputError, Model};
use crate::joint::{Axis, Elementary, Joint};
use gradyn_derivatives::Real;
use std::ops::Range;
use std::sync::Arc;

/// Which axis of which body's joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AxisOf {
    pub(crate) body: usize,
    /// Among those of the joint.
    pub(crate) number: usize,
}

/// Where parameters stand in a vector of all parameters of a model, as gradients by parameters give it.
///
/// Inertial parameters, friction, damping and armature come first, in the order of the
/// [standard parameters](Model::standard_parameters); `m` joint parameters are one a joint's degree of freedom, mimic joints their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterLayout {
    /// Ten a body, in the order of [`Inertia::to_parameters`](crate::spatial::Inertia::to_parameters).
    pub inertial: Range<usize>,
    /// Coulomb friction, m.
    pub friction: Range<usize>,
    /// Viscous friction, m.
    pub damping: Range<usize>,
    /// Armature, m.
    pub armature: Range<usize>,
    /// The width of the smooth Coulomb friction.
    pub friction_width: usize,
    /// Gravity in the world, x, y, z.
    pub gravity: Range<usize>,
    /// Six a body: `placement ∘ exp(ε e_k)`, displacements along, then rotations about the axes of the joint's mounting frame.
    pub placement: Range<usize>,
    /// Three an axis: a rotation `a → a + ε e_k × a`, in coordinates of the frame that the axis is given in; the body's frame at `q = 0`
    /// stays. Turning an axis about itself changes nothing.
    pub axis: Range<usize>,
    /// One a pitch of a helical joint.
    pub pitch: Range<usize>,
    /// One a mimic joint: its multiplier.
    pub multiplier: Range<usize>,
    /// One a mimic joint: its offset.
    pub offset: Range<usize>,
    /// Stiffness of springs, one a degree of freedom of a joint that can have one: any but a planar one and angles as (cos, sin).
    pub stiffness: Range<usize>,
    /// Positions at which these springs exert no torque.
    pub spring_reference: Range<usize>,
    /// Breakaway friction above Coulomb friction, one a degree of freedom of each joint.
    pub stribeck: Range<usize>,
    /// The velocity at which it has fallen to 1/e.
    pub stribeck_velocity: Range<usize>,
    /// Half of what friction forward is above friction backward.
    pub friction_asymmetry: Range<usize>,
    axes: Vec<AxisOf>,
    pitches: Vec<AxisOf>,
    pub(crate) mimics: Vec<MimicOf>,
    joints: Vec<JointParameter>,
    springs: Vec<DofOf>,
    curves: Vec<DofOf>,
}

/// What friction, damping and armature are parameters of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JointParameter {
    /// The degree of freedom.
    pub(crate) dof: usize,
    /// The body whose joint has them; none for what was added to its degree of freedom.
    pub(crate) body: Option<usize>,
    /// The place of their values in the list of joint dynamics; none if all are zero.
    pub(crate) at: Option<usize>,
}

impl JointParameter {
    /// How fast the joint moves where its degree of freedom has the rate one.
    #[inline(always)]
    pub(crate) fn multiplier<P: Real>(&self, model: &Model<P>) -> P {
        match (self.body, self.at) {
            (Some(body), _) => model.bodies[body].joint.multiplier(),
            (None, Some(at)) => model.dofs[at].multiplier,
            (None, None) => P::one(),
        }
    }
}

/// What springs and friction curves are parameters of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DofOf {
    /// The place of the body whose joint it is.
    pub(crate) body: usize,
    /// Among the degrees of freedom of the joint.
    pub(crate) dof: usize,
    /// Its place among mimic joints, if it is one.
    pub(crate) mimic: Option<usize>,
}

/// A mimic joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MimicOf {
    pub(crate) body: usize,
    /// Its friction, damping and armature, among those of all joints.
    pub(crate) joint: usize,
}

impl ParameterLayout {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.friction_asymmetry.end
    }
    /// Never: every model has gravity.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The body, by its place, and the number of each axis among those of its joint.
    pub fn axes(&self) -> impl ExactSizeIterator<Item = (usize, usize)> + '_ {
        self.axes.iter().map(|at| (at.body, at.number))
    }
    /// The body, by its place, and the number of each pitch among those of its joint.
    pub fn pitches(&self) -> impl ExactSizeIterator<Item = (usize, usize)> + '_ {
        self.pitches.iter().map(|at| (at.body, at.number))
    }
    /// The bodies, by their places, of mimic joints.
    pub fn mimics(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.mimics.iter().map(|at| at.body)
    }
    /// Where one of the numbers stands that joints have of their own, an entry each of [`joints`](Self::joints).
    #[inline(always)]
    pub(crate) fn of(&self, constant: JointConstant) -> &Range<usize> {
        match constant {
            JointConstant::Friction => &self.friction,
            JointConstant::Damping => &self.damping,
            JointConstant::Armature => &self.armature,
        }
    }
    /// What each friction, damping and armature belongs to: the body, by its place, whose joint it is of, and the degree of freedom; no
    /// body where there is more than the joint's.
    pub fn joint_parameters(&self) -> impl ExactSizeIterator<Item = (Option<usize>, usize)> + '_ {
        self.joints.iter().map(|joint| (joint.body, joint.dof))
    }
    /// Where friction, damping and armature of a body's joint stand in their ranges, one a degree of freedom.
    pub fn of_joint(&self, body: BodyId) -> impl Iterator<Item = usize> + '_ {
        let of_body = move |joint: &JointParameter| joint.body == Some(body.index());
        self.joints.iter().enumerate().filter(move |(_, joint)| of_body(joint)).map(|(j, _)| j)
    }
    /// Where the stiffness of the `k`-th degree of freedom of a body's joint stands in its range, and the reference in its own; none where
    /// there can be no spring.
    #[must_use]
    pub fn of_spring(&self, body: BodyId, k: usize) -> Option<usize> {
        self.springs.binary_search_by_key(&(body.index(), k), |of| (of.body, of.dof)).ok()
    }
    /// What each stiffness and reference belongs to: the body, by its place, whose joint it is of, and the number of the degree of freedom
    /// among those of the joint.
    pub fn springs(&self) -> impl ExactSizeIterator<Item = (usize, usize)> + '_ {
        self.springs.iter().map(|of| (of.body, of.dof))
    }
    /// Where Stribeck friction of the `k`-th degree of freedom of a body's joint stands in its range, and the other constants of its curve
    /// in theirs.
    #[must_use]
    pub fn of_curve(&self, body: BodyId, k: usize) -> Option<usize> {
        self.curves.binary_search_by_key(&(body.index(), k), |of| (of.body, of.dof)).ok()
    }
    /// Where a constant of friction curves stands, an entry each of [`of_curves`](Self::of_curves).
    pub(crate) fn of_curve_constant(&self, constant: CurveConstant) -> &Range<usize> {
        match constant {
            CurveConstant::Stribeck => &self.stribeck,
            CurveConstant::Velocity => &self.stribeck_velocity,
            CurveConstant::Asymmetry => &self.friction_asymmetry,
        }
    }
    pub(crate) fn of_curves(&self) -> &[DofOf] {
        &self.curves
    }
    pub(crate) fn of_springs(&self) -> &[DofOf] {
        &self.springs
    }
    pub(crate) fn joints(&self) -> &[JointParameter] {
        &self.joints
    }
}

/// The elementary joints that a joint is made of, in order.
fn parts<P>(joint: &Joint<P>) -> Vec<&Elementary<P>>
where
    P: Real,
{
    match joint {
        Joint::Elementary(kind) => vec![kind],
        Joint::Composite(kind) => kind.parts().iter().map(|part| &part.joint).collect(),
        Joint::Mimic(kind) => vec![kind.inner()],
    }
}

impl<P: Real> Joint<P> {
    /// Its axes, in order: none of a spherical joint, two of a universal one, those of its parts of a composite one.
    /// The normal of a planar joint is not an axis: rotating it is rotating its placement.
    #[must_use]
    pub fn axes(&self) -> Vec<Axis<P>> {
        parts(self).into_iter().flat_map(|part| part.axes().into_iter().flatten()).collect()
    }
    /// Its pitches, in order, m/rad.
    #[must_use]
    pub fn pitches(&self) -> Vec<P> {
        parts(self).into_iter().filter_map(Elementary::pitch).collect()
    }
    /// The same joint, with each part changed.
    fn with_parts(self, mut change: impl FnMut(&mut Elementary<P>)) -> Self {
        match self {
            Self::Elementary(mut kind) => {
                change(&mut kind);
                Self::Elementary(kind)
            }
            Self::Composite(mut kind) => {
                kind.each_joint_mut(change);
                Self::Composite(kind)
            }
            Self::Mimic(mut kind) => {
                change(kind.inner_mut());
                Self::Mimic(kind)
            }
        }
    }
}

impl<P: Real> Model<P> {
    /// Where each parameter stands in a vector of all of them. Cost of the first call O(n²), then none.
    #[must_use]
    pub fn parameter_layout(&self) -> &ParameterLayout {
        self.layout.get_or_init(|| Arc::new(self.lay_out()))
    }

    fn lay_out(&self) -> ParameterLayout {
        let (mut axes, mut pitches, mut mimics) = (Vec::new(), Vec::new(), Vec::new());
        let (mut joints, mut springs, mut curves) = (Vec::new(), Vec::new(), Vec::new());
        for (body, b) in self.bodies.iter().enumerate() {
            axes.extend((0..b.joint.axes().len()).map(|number| AxisOf { body, number }));
            pitches.extend((0..b.joint.pitches().len()).map(|number| AxisOf { body, number }));
            mimics.extend(matches!(b.joint, Joint::Mimic(_)).then_some(MimicOf { body, joint: joints.len() }));
            let own = |k| self.joint_entry(body, k).ok();
            let dofs = (0..b.v.len()).filter(|k| super::springs::measured(&b.joint, *k).is_some());
            let mimic = matches!(b.joint, Joint::Mimic(_)).then(|| mimics.len() - 1);
            springs.extend(dofs.map(|dof| DofOf { body, dof, mimic }));
            curves.extend((0..b.v.len()).map(|dof| DofOf { body, dof, mimic }));
            joints.extend(b.v.clone().enumerate().map(|(k, dof)| JointParameter { dof, body: Some(body), at: own(k) }));
        }
        let more = (0..self.dofs.len()).filter(|at| !self.is_of_a_joint(*at));
        joints.extend(more.map(|at| JointParameter { dof: self.dofs[at].index, body: None, at: Some(at) }));
        let (mut at, bodies) = (0, self.bodies.len());
        let mut next = |len: usize| {
            at += len;
            at - len..at
        };
        let (inertial, friction, damping, armature) =
            (next(10 * bodies), next(joints.len()), next(joints.len()), next(joints.len()));
        let (width, gravity, placement) = (next(1).start, next(3), next(6 * bodies));
        let (axis, pitch) = (next(3 * axes.len()), next(pitches.len()));
        let (multiplier, offset) = (next(mimics.len()), next(mimics.len()));
        let (stiffness, spring_reference) = (next(springs.len()), next(springs.len()));
        let n = curves.len();
        let (stribeck, stribeck_velocity, friction_asymmetry) = (next(n), next(n), next(n));
        ParameterLayout {
            inertial,
            friction,
            damping,
            armature,
            friction_width: width,
            gravity,
            placement,
            axis,
            pitch,
            multiplier,
            offset,
            stiffness,
            spring_reference,
            stribeck,
            stribeck_velocity,
            friction_asymmetry,
            axes,
            pitches,
            mimics,
            joints,
            springs,
            curves,
        }
    }

    /// The same robot with another axis of one body's joint, a unit vector; `number` counts those of the joint, [`Joint::axes`].
    ///
    /// The body's frame at `q = 0` stays. Workspaces have constant columns of motion subspaces in them: make a new one.
    ///
    /// # Errors
    /// [`InputError::OtherModel`] if it is another model's body, [`InputError::Parameter`] if its joint has no such axis, or the
    /// vector has not length one to within 1e-9.
    pub fn with_axis(self, body: BodyId, number: usize, axis: Axis<P>) -> Result<Self, InputError> {
        self.with_constant(body, ("axis", number), |joint| joint.axes().len(), |part, k| part.set_axis(k, axis))
    }

    /// The same robot with another pitch of one body's joint, m/rad; `number` counts those of the joint, [`Joint::pitches`].
    ///
    /// Make new workspaces.
    ///
    /// # Errors
    /// [`InputError::OtherModel`] if it is another model's body, [`InputError::Parameter`] if its joint has no such pitch, or the
    /// number is not finite.
    pub fn with_pitch(self, body: BodyId, number: usize, pitch: P) -> Result<Self, InputError> {
        self.with_constant(body, ("pitch", number), |joint| joint.pitches().len(), |part, _| part.set_pitch(pitch))
    }

    /// The same robot with another multiplier and offset of a mimic joint: it stands at `k q + b` of the joint whose coordinates it
    /// shares, whatever other mimic joints stand between them.
    ///
    /// Make new workspaces.
    ///
    /// # Errors
    /// [`InputError::OtherModel`] if it is another model's body, [`InputError::Parameter`] if its joint is no mimic joint, or a number is
    /// not finite.
    pub fn with_mimic(mut self, body: BodyId, multiplier: P, offset: P) -> Result<Self, InputError> {
        let b = self.check_body(body)?;
        let name = format!("joint {}", self.bodies[b].joint_name);
        for (what, x) in [("multiplier", multiplier), ("offset", offset)] {
            if !x.is_finite() {
                let value = crate::joint::value(x);
                return Err(InputError::Parameter { what, name, value, rule: "expected a finite number" });
            }
        }
        let at = self.joint_entry(b, 0);
        let Joint::Mimic(mimic) = &mut self.bodies[b].joint else {
            let value = crate::joint::value(multiplier);
            return Err(InputError::Parameter { what: "multiplier", name, value, rule: "expected a mimic joint" });
        };
        mimic.set(multiplier, offset);
        if let Ok(at) = at {
            self.dofs[at].multiplier = multiplier;
        }
        if let Ok(at) = self.spring_at(b, 0) {
            (self.springs[at].multiplier, self.springs[at].offset) = (multiplier, offset);
        }
        if let Ok(at) = self.curve_at(b, 0) {
            self.friction_curves[at].multiplier = multiplier;
        }
        Ok(self.restructured())
    }

    fn with_constant(
        mut self,
        body: BodyId,
        (what, number): (&'static str, usize),
        count: impl Fn(&Joint<P>) -> usize,
        set: impl Fn(&mut Elementary<P>, usize),
    ) -> Result<Self, InputError> {
        let b = self.check_body(body)?;
        let joint = &self.bodies[b].joint;
        let name = format!("joint {}, {}", self.bodies[b].joint_name, joint.kind());
        if number >= count(joint) {
            let rule = "the joint has no constant of this number";
            return Err(InputError::Parameter { what, name, value: number as f64, rule });
        }
        let mut before = 0;
        let changed = joint.clone().with_parts(|part| {
            let own = count(&Joint::Elementary(*part));
            if (before..before + own).contains(&number) {
                set(part, number - before);
            }
            before += own;
        });
        if let Some((what, value, rule)) = parts(&changed).into_iter().find_map(Elementary::bad_number) {
            return Err(InputError::Parameter { what, name, value, rule });
        }
        self.bodies[b].joint = changed;
        Ok(self.restructured())
    }

    /// After a change of what workspaces hold a copy of.
    fn restructured(mut self) -> Self {
        self.structure = super::structure(&self.bodies);
        self.derived = super::Derived::default();
        self.layout.take();
        self
    }
}
