//! Setting springs of joints: in a builder, in place, and of a robot that is given back.

use super::draft::{Draft, finite as finite_draft, not_negative};
use super::parameters::{finite, length};
use super::springs::{NO_COORDINATE, measured};
use super::{BodyId, BodyKey, InputError, JointSpring, Model, ModelBuilder, ModelError, Parameters, PoseSpring};
use crate::joint::{Joint, JointKind, value};
use gradyn_derivatives::Real;

/// A number that a spring has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpringConstant {
    Stiffness,
    Reference,
}

impl SpringConstant {
    pub(crate) const ALL: [Self; 2] = [Self::Stiffness, Self::Reference];

    /// As errors and names of parameters call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stiffness => "stiffness",
            Self::Reference => "spring_reference",
        }
    }

    pub(crate) fn of_mut<P>(self, spring: &mut JointSpring<P>) -> &mut P {
        match self {
            Self::Stiffness => &mut spring.stiffness,
            Self::Reference => &mut spring.reference,
        }
    }

    pub(super) fn of_pose_mut<P>(self, spring: &mut PoseSpring<P>) -> &mut [P; 6] {
        match self {
            Self::Stiffness => &mut spring.stiffness,
            Self::Reference => &mut spring.reference,
        }
    }

    /// Of stiffness and reference.
    pub(crate) fn of_pair<P>(self, [stiffness, reference]: &mut [P; 2]) -> &mut P {
        match self {
            Self::Stiffness => stiffness,
            Self::Reference => reference,
        }
    }
}

/// The first number other than zero of a degree of freedom that cannot have one.
fn misplaced<P: Real>(joint: &Joint<P>, numbers: &[P]) -> Option<P> {
    let mut all = numbers.iter().enumerate();
    all.find_map(|(k, x)| (*x != P::zero() && measured(joint, k).is_none()).then_some(*x))
}

impl<P: Real> ModelBuilder<P> {
    /// Sets the stiffness of the springs of a body's joint, one entry a degree of freedom, N m/rad (N/m).
    ///
    /// Spherical and floating joints have one entry a velocity, displacements first: [`PoseSpring`]. A planar joint and an angle with the
    /// coordinates (cos, sin) have no spring, and the entry zero.
    ///
    /// # Errors
    /// [`ModelError::Length`] for a wrong number of entries; [`ModelError::BadNumber`] for one that is negative or not finite, or of a
    /// degree of freedom that cannot have a spring. A joint that follows an angle with the coordinates (cos, sin) cannot either, which
    /// [`build`](Self::build) finds.
    pub fn set_stiffness(&mut self, body: BodyKey, stiffness: &[P]) -> Result<&mut Self, ModelError> {
        self.set_spring(SpringConstant::Stiffness, body, stiffness)
    }

    /// Sets the positions at which the springs of a body's joint exert no torque, one entry a degree of freedom, rad (m): those of the
    /// joint itself, also of one that follows another. Turns of a spherical or floating joint are a rotation vector.
    ///
    /// # Errors
    /// As [`set_stiffness`](Self::set_stiffness), but negative numbers are as good as others.
    pub fn set_spring_reference(&mut self, body: BodyKey, reference: &[P]) -> Result<&mut Self, ModelError> {
        self.set_spring(SpringConstant::Reference, body, reference)
    }

    fn set_spring(&mut self, constant: SpringConstant, body: BodyKey, numbers: &[P]) -> Result<&mut Self, ModelError> {
        let what = constant.name();
        let draft = self.draft(body, what)?;
        draft.check(what, numbers.len(), draft.joint.nv())?;
        match constant {
            SpringConstant::Stiffness => not_negative(what, &draft.joint_name, numbers)?,
            SpringConstant::Reference => finite_draft(what, &draft.joint_name, numbers)?,
        }
        if let Some(x) = misplaced(&draft.joint, numbers) {
            let (name, value) = (draft.joint_name.clone(), value(x));
            return Err(ModelError::BadNumber { what, name, value, rule: NO_COORDINATE });
        }
        draft.springs.resize(numbers.len(), None);
        for (k, x) in numbers.iter().enumerate().filter(|(k, _)| measured(&draft.joint, *k).is_some()) {
            *constant.of_pair(draft.springs[k].get_or_insert([P::zero(); 2])) = *x;
        }
        Ok(self)
    }
}

impl<P: Real> Draft<P> {
    /// Those of a body that has been built.
    ///
    /// # Errors
    /// [`ModelError::BadNumber`] for the spring of a degree of freedom without a coordinate.
    pub(super) fn springs_of(
        springs: &[Option<[P; 2]>],
        body: &super::Body<P>,
        place: usize,
        (to, poses): (&mut Vec<JointSpring<P>>, &mut Vec<PoseSpring<P>>),
    ) -> Result<(), ModelError> {
        for (k, constants) in springs.iter().enumerate() {
            let Some([stiffness, reference]) = *constants else { continue };
            if let Some(spring) = body.spring(place, k) {
                to.push(JointSpring { stiffness, reference, ..spring });
            } else if let Some(none) = body.pose_spring(place, k) {
                if poses.last().is_none_or(|spring| (spring.body, spring.first) != (place, none.first)) {
                    poses.push(none);
                }
                if let Some(spring) = poses.last_mut() {
                    let i = none.of_pose(k - none.first);
                    (spring.stiffness[i], spring.reference[i]) = (stiffness, reference);
                }
            } else {
                let (name, value) = (body.joint_name.clone(), value(stiffness));
                return Err(ModelError::BadNumber { what: "stiffness", name, value, rule: NO_COORDINATE });
            }
        }
        Ok(())
    }
}

impl<P: Real> Parameters<'_, P> {
    /// Sets the stiffness of the springs of a body's joint, one entry a degree of freedom, N m/rad (N/m).
    ///
    /// Spherical and floating joints have one entry a velocity, displacements first: [`PoseSpring`]. A planar joint and an angle with the
    /// coordinates (cos, sin) have no spring, and the entry zero.
    ///
    /// # Errors
    /// [`InputError::OtherModel`] if it is another model's body, [`InputError::JointLength`] for a wrong number of entries,
    /// [`InputError::NotFinite`] by the entry's place, [`InputError::Parameter`] for one that is negative, or of a degree of freedom
    /// that cannot have a spring.
    pub fn set_stiffness(&mut self, body: BodyId, stiffness: &[P]) -> Result<&mut Self, InputError> {
        self.set_spring(SpringConstant::Stiffness, body, stiffness)
    }

    /// Sets the positions at which the springs of a body's joint exert no torque, one entry a degree of freedom, rad (m): those of the
    /// joint itself, also of one that follows another. Turns of a spherical or floating joint are a rotation vector.
    ///
    /// # Errors
    /// As [`set_stiffness`](Self::set_stiffness), but negative numbers are as good as others.
    pub fn set_spring_reference(&mut self, body: BodyId, reference: &[P]) -> Result<&mut Self, InputError> {
        self.set_spring(SpringConstant::Reference, body, reference)
    }

    fn set_spring(&mut self, constant: SpringConstant, body: BodyId, numbers: &[P]) -> Result<&mut Self, InputError> {
        let what = constant.name();
        let b = &*self.body(body)?;
        length(what, b, numbers.len(), b.v.len())?;
        let name = || format!("joint {}", b.joint_name);
        if numbers.iter().any(|x| !x.is_finite()) {
            finite(what, &name(), numbers)?;
        }
        if constant == SpringConstant::Stiffness
            && let Some(x) = numbers.iter().find(|x| x.any_below(0.0))
        {
            let rule = "expected a number that is not negative";
            return Err(InputError::Parameter { what, name: name(), value: value(*x), rule });
        }
        if let Some(x) = misplaced(&b.joint, numbers) {
            return Err(InputError::Parameter { what, name: name(), value: value(x), rule: NO_COORDINATE });
        }
        for (k, x) in numbers.iter().enumerate() {
            if let Some(number) = self.model.spring_constant_mut(constant, body.index(), k) {
                *number = *x;
            }
        }
        Ok(self)
    }
}

impl<P: Real> Model<P> {
    /// The same robot with other stiffness of the springs of one body's joint, one entry a degree of freedom, N m/rad (N/m).
    ///
    /// # Errors
    /// As [`Parameters::set_stiffness`].
    pub fn with_stiffness(self, body: BodyId, stiffness: &[P]) -> Result<Self, InputError> {
        self.with(|parameters| parameters.set_stiffness(body, stiffness).map(|_| ()))
    }

    /// The same robot with other positions at which the springs of one body's joint exert no torque, one entry a degree of freedom,
    /// rad (m).
    ///
    /// # Errors
    /// As [`Parameters::set_spring_reference`].
    pub fn with_spring_reference(self, body: BodyId, reference: &[P]) -> Result<Self, InputError> {
        self.with(|parameters| parameters.set_spring_reference(body, reference).map(|_| ()))
    }
}
